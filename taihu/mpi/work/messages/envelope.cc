// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/messages/envelope.h"

namespace taihu::mpi::messages {

void refuse_partner(const Communicator& communicator, int partner, bool is_source) {
  std::string name = communicator.name.get();
  if (name.empty()) name = "the communicator";
  throw CallError(MPI_ERR_RANK, (is_source ? "source " : "destination ") + std::to_string(partner) +
                                    " is not in " + name + ", which has " +
                                    std::to_string(communicator.partners().size()) +
                                    (communicator.partners().size() == 1 ? " rank" : " ranks"));
}

void refuse_tag(int tag, bool is_receive) {
  throw CallError(MPI_ERR_TAG, "the tag " + std::to_string(tag) + " is negative" +
                                   (is_receive ? " and not MPI_ANY_TAG" : ""));
}

void refuse_received(const Outcome& outcome, const message::Status& status) {
  if (outcome.error == MPI_ERR_TRUNCATE) {
    throw CallError(MPI_ERR_TRUNCATE, "a message of " + std::to_string(status.bytes) + " bytes from rank " +
                                          std::to_string(outcome.source) + " with tag " +
                                          std::to_string(outcome.tag) + " is longer than the buffer of " +
                                          std::to_string(outcome.bytes) + " bytes");
  }
  throw CallError(outcome.error, "the message from rank " + std::to_string(outcome.source) +
                                     " was lost by the connection between node processes");
}

}  // namespace taihu::mpi::messages
