// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/program.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <new>

#include "taihu/base/error.h"

namespace taihu {
namespace {

/// Output that is still in the buffer and cannot be written at exit would be lost silently.
void finish_output() {
  const bool failed_before = std::ferror(stdout) != 0;
  errno = 0;
  if (std::fflush(stdout) == 0 && !failed_before) return;
  if (errno == 0) throw Error("cannot write standard output");
  throw system_error("cannot write standard output", errno);
}

}  // namespace

int run_program(const char* line_begin, const std::function<int()>& body, bool tells) {
  const auto ended = [&](const char* cause, int code) {
    if (tells) std::fprintf(stderr, "%s: %s\n", line_begin, cause);
    return code;
  };
  try {
    const int code = body();
    if (code == 0) finish_output();
    return code;
  } catch (const UsageError& error) {
    return ended(error.what(), 2);
  } catch (const std::bad_alloc&) {
    return ended("there is not enough memory", 1);
  } catch (const std::exception& error) {
    return ended(error.what(), 1);
  }
}

std::function<void(int done, int all)> progress_on_terminal() {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [](int done, int all) {
    std::fprintf(stderr, "\r%3d%% (%d of %d)%s", static_cast<int>(100LL * done / all), done, all,
                 done == all ? "\n" : "");
  };
}

}  // namespace taihu
