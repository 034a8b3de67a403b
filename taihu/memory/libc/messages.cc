// SPDX-License-Identifier: Apache-2.0
// Calls of libc that write to stderr without naming it: perror, psignal, warn, err, error.
#include <errno.h>
#include <string.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory::libc {
namespace {

std::FILE* errors() {
  RankProcess* rank = self();
  return rank ? rank->errors() : stderr;
}

[[noreturn]] void leave(int status) {
  if (RankProcess* rank = self()) rank->end(status);
  std::exit(status);
}

// One write for the whole line "program: place: text: reason", so that lines of ranks stay whole.
void say(bool with_program, const char* place, const char* format, va_list values, int reason) {
  char text[2048];
  std::size_t used = 0;
  const auto add = [&](const char* form, auto... arguments) {
    const int got = std::snprintf(text + used, sizeof text - used, form, arguments...);
    if (got > 0) used = std::min(sizeof text - 1, used + static_cast<std::size_t>(got));
  };
  if (with_program) add("%s: ", program_invocation_short_name);
  if (place) add("%s", place);
  if (format) {
    const int got = std::vsnprintf(text + used, sizeof text - used, format, values);
    if (got > 0) used = std::min(sizeof text - 1, used + static_cast<std::size_t>(got));
    if (reason != 0) add("%s", ": ");
  }
  if (reason != 0) {
    char buffer[256];
    add("%s", strerror_r(reason, buffer, sizeof buffer));
  }
  std::fprintf(errors(), "%s\n", text);
}

void say_plain(const char* place, const char* text) {
  std::fprintf(errors(), "%s%s%s\n", place ? place : "", place ? ": " : "", text);
}

void rank_perror(const char* what) {
  char buffer[256];
  const bool named = what && *what;
  say_plain(named ? what : nullptr, strerror_r(errno, buffer, sizeof buffer));
}

void rank_psignal(int signal, const char* what) {
  say_plain(what && *what ? what : nullptr, strsignal(signal));
}

void rank_vwarn(const char* format, va_list values) {
  say(true, nullptr, format, values, errno);
}
void rank_vwarnx(const char* format, va_list values) {
  say(true, nullptr, format, values, 0);
}

void rank_warn(const char* format, ...) {
  va_list values;
  va_start(values, format);
  rank_vwarn(format, values);
  va_end(values);
}

void rank_warnx(const char* format, ...) {
  va_list values;
  va_start(values, format);
  rank_vwarnx(format, values);
  va_end(values);
}

void rank_verr(int status, const char* format, va_list values) {
  rank_vwarn(format, values);
  leave(status);
}

void rank_verrx(int status, const char* format, va_list values) {
  rank_vwarnx(format, values);
  leave(status);
}

void rank_err(int status, const char* format, ...) {
  va_list values;
  va_start(values, format);
  rank_verr(status, format, values);
}

void rank_errx(int status, const char* format, ...) {
  va_list values;
  va_start(values, format);
  rank_verrx(status, format, values);
}

void rank_error(int status, int reason, const char* format, ...) {
  std::fflush(self() ? self()->output() : stdout);
  va_list values;
  va_start(values, format);
  say(true, nullptr, format, values, reason);
  va_end(values);
  if (status != 0) leave(status);
}

void rank_error_at_line(int status, int reason, const char* file, unsigned line, const char* format, ...) {
  std::fflush(self() ? self()->output() : stdout);
  char place[512];
  std::snprintf(place, sizeof place, "%s:%u: ", file, line);
  va_list values;
  va_start(values, format);
  say(true, file ? place : nullptr, format, values, reason);
  va_end(values);
  if (status != 0) leave(status);
}

}  // namespace

std::span<const Replacement> message_calls() {
  static const std::array calls = {
      replace("perror", &rank_perror), replace("psignal", &rank_psignal),
      replace("warn", &rank_warn),     replace("vwarn", &rank_vwarn),
      replace("warnx", &rank_warnx),   replace("vwarnx", &rank_vwarnx),
      replace("err", &rank_err),       replace("verr", &rank_verr),
      replace("errx", &rank_errx),     replace("verrx", &rank_verrx),
      replace("error", &rank_error),   replace("error_at_line", &rank_error_at_line)};
  return calls;
}

}  // namespace taihu::memory::libc
