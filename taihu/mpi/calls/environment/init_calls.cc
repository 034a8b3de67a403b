// SPDX-License-Identifier: Apache-2.0
// From MPI_Init to MPI_Finalize.
#include <dlfcn.h>

#include "taihu/memory/libc/rank_process.h"
#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/attributes/attributes.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/communicators/inside.h"
#include "taihu/mpi/objects/diagnostics/collective_trace.h"
#include "taihu/mpi/objects/diagnostics/viewer_trace.h"
#include "taihu/mpi/objects/errors/handle_error.h"
#include "taihu/mpi/objects/info/environment_info.h"
#include "taihu/mpi/objects/statistics.h"

namespace taihu::mpi {
namespace {

inline __attribute__((always_inline)) void start(const char* call, int* argc, char*** argv) {
  Rank& rank = this_rank(call);
  const CurrentCall current(call, __builtin_return_address(0));
  Rank::Phase phase = Rank::Phase::before;
  if (!rank.phase.compare_exchange_strong(phase, Rank::Phase::running)) {
    end_job(
        rank, MPI_ERR_OTHER,
        std::string(call) + (phase == Rank::Phase::running ? ": MPI is initialised already; call it once"
                                                           : ": MPI cannot start again after MPI_Finalize"));
  }
  rank.main_thread = pthread_self();
  if (argc != nullptr && argv != nullptr) add_command(*rank.find<Info>(MPI_INFO_ENV), *argc, *argv);
}

/// What the other ranks are needed for.
void take_leave(Rank& rank) {
  rank.finish_parts();
  report_statistics(rank);
  write_trace(rank);
  write_viewer_trace(rank);
  // Afterwards every message that a member wants has been received: its sender may go.
  barrier_inside(rank.world());
  rank.phase = Rank::Phase::finished;
}

/// Whether an exit handler calls, in a program that ends with an exit code that ends the job: the others may
/// be in any call, and would be waited for in vain.
bool leaves_by_an_error(Rank& rank) {
  const memory::RankProcess* const process = rank.identity().process;
  return process != nullptr && process->status != 0;
}

/// Whether the rank's Python interpreter calls at its own end, as mpi4py lets it. It does so after an
/// exception that nobody has caught, too, and its exit code is not known yet: then what waits for others
/// comes later.
bool is_python_ending(Rank& rank) {
  memory::RankProcess* const process = rank.identity().process;
  if (process == nullptr) return false;
  // The first is public since Python 3.13, the second in the versions before.
  for (const char* const name : {"Py_IsFinalizing", "_Py_IsFinalizing"}) {
    void* const found = process->image.find_symbol(RTLD_DEFAULT, name, nullptr, nullptr);
    if (found != nullptr) return reinterpret_cast<int (*)()>(found)() != 0;
  }
  return false;
}

int store_flag(int* flag, bool value) {
  if (flag == nullptr) return MPI_ERR_ARG;
  *flag = value ? 1 : 0;
  return MPI_SUCCESS;
}

/// For the calls that are allowed at any time, also on threads of no rank.
Rank::Phase phase_now() {
  Rank* const rank = current_rank();
  return rank != nullptr ? rank->phase.load() : Rank::Phase::before;
}

}  // namespace
}  // namespace taihu::mpi

using namespace taihu::mpi;

MPI_CALL(int, Init, (int* argc, char*** argv)) {
  start("MPI_Init", argc, argv);
  return MPI_SUCCESS;
}

MPI_CALL(int, Init_thread, (int* argc, char*** argv, int required, int* provided)) {
  start("MPI_Init_thread", argc, argv);
  return on_rank("MPI_Init_thread", [&](Rank&) {
    require_pointer(provided, "provided");
    require(required == MPI_THREAD_SINGLE || required == MPI_THREAD_FUNNELED ||
                required == MPI_THREAD_SERIALIZED || required == MPI_THREAD_MULTIPLE,
            MPI_ERR_ARG, [&] { return "required thread level " + std::to_string(required) + " is unknown"; });
    *provided = MPI_THREAD_MULTIPLE;
  });
}

MPI_CALL(int, Finalize, (void)) {
  return on_rank("MPI_Finalize", [&](Rank& rank) {
    // Functions of attributes of MPI_COMM_SELF may still use all of MPI (MPI-3.1 section 8.7.1).
    Attributes::of(rank).remove_all(rank.self(), Carrier::communicator);
    if (leaves_by_an_error(rank)) {
      rank.phase = Rank::Phase::finished;
    } else if (is_python_ending(rank)) {
      rank.left_to_the_end = [](Rank& ending) {
        detail::guarded([&] { take_leave(ending); },
                        [&](const CallError& error) {
                          return handle_error(ending, "MPI_Finalize", static_cast<Communicator*>(nullptr),
                                              error);
                        });
      };
      rank.phase = Rank::Phase::finished;
    } else {
      take_leave(rank);
    }
  });
}

MPI_CALL(int, Initialized, (int* flag)) {
  return store_flag(flag, phase_now() != Rank::Phase::before);
}

MPI_CALL(int, Finalized, (int* flag)) {
  return store_flag(flag, phase_now() == Rank::Phase::finished);
}

MPI_CALL(int, Is_thread_main, (int* flag)) {
  return on_rank("MPI_Is_thread_main", [&](Rank& rank) {
    require_pointer(flag, "flag");
    *flag = pthread_equal(rank.main_thread, pthread_self()) != 0 ? 1 : 0;
  });
}

MPI_CALL(int, Query_thread, (int* provided)) {
  return on_rank("MPI_Query_thread", [&](Rank&) {
    require_pointer(provided, "provided");
    *provided = MPI_THREAD_MULTIPLE;
  });
}

MPI_CALL(int, Abort, (MPI_Comm comm, int errorcode)) {
  Rank& rank = running_rank("MPI_Abort");
  const Communicator* const communicator = rank.find<Communicator>(comm);
  const std::string name = communicator == nullptr ? "an invalid communicator" : name_of(*communicator);
  // All ranks of the job end, whatever the communicator: they share processes.
  end_job(rank, errorcode, "MPI_Abort on " + name + " with error code " + std::to_string(errorcode));
}
