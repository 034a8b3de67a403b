// SPDX-License-Identifier: Apache-2.0
// main() of programs that may have several ranks.
#pragma once

#include <cstdio>
#include <exception>
#include <memory>
#include <new>

#include "taihu/base/error.h"
#include "taihu/base/program.h"
#include "taihu/parallel/communicator.h"
#include "taihu/parallel/shared_error.h"
#include "taihu/parallel/world.h"

namespace taihu::parallel {

/// run_program() for `body(ranks)`, where `join()` returns the ranks, and rank 0 alone tells failures of
/// `body`. A SharedError of wrong use ends the program as a UsageError does. What is no Error, such as a lack
/// of memory, one rank has alone: it tells it and ends all, which would wait for it.
template <typename Join, typename Body>
int run_on_ranks(const char* program, const Join& join, const Body& body) {
  std::unique_ptr<Communicator> ranks;
  const int joined = run_program(program, [&] {
    ranks = join();
    return 0;
  });
  if (joined != 0) return joined;
  const auto work = [&] {
    try {
      return body(*ranks);
    } catch (const SharedError& error) {
      if (error.wrong_use()) throw UsageError(error.what());
      throw;
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      if (ranks->size() == 1) throw;
      const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
      std::fprintf(stderr, "%s: %s\n", program, memory ? "there is not enough memory" : error.what());
      std::fflush(stderr);
      abort_all_ranks(1);
    }
  };
  return run_program(program, work, ranks->is_root());
}

}  // namespace taihu::parallel
