// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/files/shared_pointer.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "taihu/mpi/error.h"

namespace taihu::mpi::files {
namespace {

struct Question {
  SharedPointer::Home* home;
  std::int64_t value;
  SharedPointer::Action action;
};

/// Returns the value before.
std::int64_t act_here(const Question& question) noexcept {
  if (question.action == SharedPointer::Action::add) return question.home->fetch_add(question.value);
  return question.home->exchange(question.value);
}

}  // namespace

void serve_shared_pointers(message::Node& node) {
  node.serve(message::Service::file, [](std::shared_ptr<message::ServiceCall> call) {
    Question question{};
    std::memcpy(&question, call->arguments().data(), std::min(sizeof question, call->arguments().size()));
    const std::int64_t before = act_here(question);
    call->answer(&before, sizeof before);
  });
}

std::int64_t SharedPointer::act(Action action, std::int64_t value) {
  const Question question{home_, value, action};
  if (owner_ == node_->process()) return act_here(question);
  const auto answer = node_->call(owner_, message::Service::file, &question, sizeof question);
  std::int64_t before = 0;
  require(answer.size() == sizeof before, MPI_ERR_INTERN, "no answer about the shared file pointer");
  std::memcpy(&before, answer.data(), sizeof before);
  return before;
}

}  // namespace taihu::mpi::files
