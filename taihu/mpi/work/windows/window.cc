// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/windows/window.h"

namespace taihu::mpi::windows {

Window::Window(Rank& rank, Reference<Communicator> own, int of)
    : Object(object_kind),
      owner(rank),
      communicator(std::move(own)),
      flavor(of),
      exposure(rank, communicator->size()),
      targets(std::make_unique<Target[]>(static_cast<unsigned>(communicator->size()))) {
  exposure.is_dynamic = is_dynamic();
  errors = Reference<ErrorHandler>::to(rank.find<ErrorHandler>(MPI_ERRORS_ARE_FATAL));
}

Window::~Window() = default;

}  // namespace taihu::mpi::windows
