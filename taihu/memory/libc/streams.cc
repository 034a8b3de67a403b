// SPDX-License-Identifier: Apache-2.0
// Calls that mean stdin or stdout without naming them, and the opening and closing of streams: a rank's
// streams are flushed when it ends, and closing or reopening its standard streams does not touch the
// descriptors of the others.
#include <fcntl.h>
#include <stdio_ext.h>
#include <unistd.h>
#include <wchar.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>

#include "taihu/memory/libc/descriptors.h"
#include "taihu/memory/libc/file_locks.h"
#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory::libc {
namespace {

// The number that libc gives to streams of fopencookie in place of a descriptor.
bool is_cookie(const std::FILE& stream) {
  return stream._fileno == -2;
}

std::FILE* input() {
  RankProcess* rank = self();
  return rank ? rank->input() : stdin;
}

std::FILE* output() {
  RankProcess* rank = self();
  return rank ? rank->output() : stdout;
}

int rank_vprintf(const char* format, va_list values) {
  return std::vfprintf(output(), format, values);
}

int rank_printf(const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int count = std::vfprintf(output(), format, values);
  va_end(values);
  return count;
}

int rank_printf_checked(int, const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int count = std::vfprintf(output(), format, values);
  va_end(values);
  return count;
}

int rank_vprintf_checked(int, const char* format, va_list values) {
  return std::vfprintf(output(), format, values);
}

int rank_vwprintf(const wchar_t* format, va_list values) {
  return std::vfwprintf(output(), format, values);
}

int rank_wprintf(const wchar_t* format, ...) {
  va_list values;
  va_start(values, format);
  const int count = std::vfwprintf(output(), format, values);
  va_end(values);
  return count;
}

int rank_wprintf_checked(int, const wchar_t* format, ...) {
  va_list values;
  va_start(values, format);
  const int count = std::vfwprintf(output(), format, values);
  va_end(values);
  return count;
}

int rank_vwprintf_checked(int, const wchar_t* format, va_list values) {
  return std::vfwprintf(output(), format, values);
}

int rank_vscanf(const char* format, va_list values) {
  return std::vfscanf(input(), format, values);
}

int rank_scanf(const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int count = std::vfscanf(input(), format, values);
  va_end(values);
  return count;
}

int rank_vwscanf(const wchar_t* format, va_list values) {
  return std::vfwscanf(input(), format, values);
}

int rank_wscanf(const wchar_t* format, ...) {
  va_list values;
  va_start(values, format);
  const int count = std::vfwscanf(input(), format, values);
  va_end(values);
  return count;
}

int rank_puts(const char* text) {
  std::FILE* stream = output();
  flockfile(stream);
  const bool fine = std::fputs(text, stream) >= 0 && putc_unlocked('\n', stream) != EOF;
  funlockfile(stream);
  return fine ? 1 : EOF;
}

int rank_putchar(int character) {
  return std::putc(character, output());
}
int rank_putchar_unlocked(int character) {
  return putc_unlocked(character, output());
}
int rank_getchar() {
  return std::getc(input());
}
int rank_getchar_unlocked() {
  return getc_unlocked(input());
}
wint_t rank_putwchar(wchar_t character) {
  return std::putwc(character, output());
}
wint_t rank_getwchar() {
  return std::getwc(input());
}

// Counts the stream among the rank's; its descriptor takes the lowest free number, as that of open.
std::FILE* keep(std::FILE* stream) {
  RankProcess* rank = self();
  if (!stream || !rank) return stream;
  const std::lock_guard guard(rank->lock);
  rank->open_streams.insert(stream);
  adopt(stream->_fileno);
  return stream;
}

std::FILE* rank_fopen(const char* path, const char* mode) {
  return keep(std::fopen(RealPath(path), mode));
}
std::FILE* rank_tmpfile() {
  return keep(std::tmpfile());
}
std::FILE* rank_fopencookie(void* cookie, const char* mode, cookie_io_functions_t calls) {
  return keep(fopencookie(cookie, mode, calls));
}

std::FILE* rank_fdopen(int fd, const char* mode) {
  RankProcess* rank = self();
  std::FILE* stream = ::fdopen(actual(fd), mode);
  if (!stream || !rank) return stream;
  const std::lock_guard guard(rank->lock);
  rank->open_streams.insert(stream);
  return stream;
}

int number_of_standard(const RankProcess& rank, const std::FILE* stream) {
  return stream == rank.input() ? 0 : stream == rank.output() ? 1 : stream == rank.errors() ? 2 : -1;
}

// A standard stream that marks its lines has no descriptor; the rank's number is used.
int rank_fileno(std::FILE* stream) {
  const RankProcess* rank = rank_with_descriptors();
  const int before = errno, fd = ::fileno(stream);
  if (!rank || fd >= 0) return number_of(fd);
  const int number = is_cookie(*stream) ? number_of_standard(*rank, stream) : -1;
  if (actual(number) < 0) return fd;
  errno = before;
  return number;
}

// To be called before a stream on one of the rank's numbers is closed: gives the stream a separate
// descriptor.
void detach(std::FILE* stream) {
  std::fflush(stream);
  const int own = fcntl(stream->_fileno, F_DUPFD_CLOEXEC, 3);
  if (own >= 0) stream->_fileno = own;
}

}  // namespace

int close_stream(std::FILE* stream) {
  RankProcess* rank = rank_with_descriptors();
  if (!rank) return std::fclose(stream);
  const int number = number_of(stream->_fileno);
  drop_locks(*rank, stream->_fileno);
  if (is_standard(number)) detach(stream);
  {
    const std::lock_guard guard(rank->lock);
    rank->open_streams.erase(stream);
    if (is_standard(number))
      assign(*rank, number, -1);
    else
      disown(stream->_fileno);
  }
  return std::fclose(stream);
}

namespace {

// A stream that marks its lines (fopencookie) cannot become a file; the rank's variable gets another one.
std::FILE* replace_stream(RankProcess& rank, const char* path, const char* mode, std::FILE* stream) {
  std::FILE* opened = path ? std::fopen(RealPath(path), mode) : nullptr;
  if (!opened) return nullptr;
  std::fflush(stream);
  const std::lock_guard guard(rank.lock);
  for (std::FILE** place : {&rank.input(), &rank.output(), &rank.errors()})
    if (*place == stream) *place = opened;
  rank.open_streams.insert(opened);
  return opened;
}

std::FILE* rank_freopen(const char* path, const char* mode, std::FILE* stream) {
  RankProcess* rank = rank_with_descriptors();
  if (!rank) return std::freopen(path, mode, stream);
  const bool marks_lines = is_cookie(*stream), was_closed = !marks_lines && stream->_fileno < 0;
  const int number = marks_lines ? number_of_standard(*rank, stream) : number_of(stream->_fileno);
  if (was_closed)
    stream->_fileno = -1;  // libc would give the new file the number that was here
  else if (!marks_lines && is_standard(stream->_fileno))
    detach(stream);
  std::FILE* opened =
      marks_lines ? replace_stream(*rank, path, mode, stream) : std::freopen(RealPath(path), mode, stream);
  if (!opened) return opened;
  const std::lock_guard guard(rank->lock);
  // The rank's children inherit the new file, as in a separate process.
  if (was_closed)
    adopt(opened->_fileno);
  else if (is_standard(number))
    assign(*rank, number, opened->_fileno);
  return opened;
}

// Flushing all streams of the process would wait for the reads of every other rank, and glibc deadlocks while
// another rank is in freopen.
int rank_fflush(std::FILE* stream) {
  RankProcess* rank = self();
  if (stream || !rank) return std::fflush(stream);
  rank->flush_streams();
  return 0;
}
int rank_fflush_unlocked(std::FILE* stream) {
  return stream ? fflush_unlocked(stream) : rank_fflush(nullptr);
}

// The streams themselves are closed at the rank's end.
int rank_fcloseall() {
  return rank_fflush(nullptr);
}

}  // namespace

std::span<const Replacement> stream_calls() {
  static const std::array calls = {replace("printf", &rank_printf),
                                   replace("fflush", &rank_fflush),
                                   replace("fflush_unlocked", &rank_fflush_unlocked),
                                   replace("fcloseall", &rank_fcloseall),
                                   replace("vprintf", &rank_vprintf),
                                   replace("__printf_chk", &rank_printf_checked),
                                   replace("__vprintf_chk", &rank_vprintf_checked),
                                   replace("wprintf", &rank_wprintf),
                                   replace("vwprintf", &rank_vwprintf),
                                   replace("__wprintf_chk", &rank_wprintf_checked),
                                   replace("__vwprintf_chk", &rank_vwprintf_checked),
                                   replace("scanf", &rank_scanf),
                                   replace("__isoc99_scanf", &rank_scanf),
                                   replace("__isoc23_scanf", &rank_scanf),
                                   replace("vscanf", &rank_vscanf),
                                   replace("__isoc99_vscanf", &rank_vscanf),
                                   replace("__isoc23_vscanf", &rank_vscanf),
                                   replace("wscanf", &rank_wscanf),
                                   replace("__isoc99_wscanf", &rank_wscanf),
                                   replace("__isoc23_wscanf", &rank_wscanf),
                                   replace("vwscanf", &rank_vwscanf),
                                   replace("__isoc99_vwscanf", &rank_vwscanf),
                                   replace("__isoc23_vwscanf", &rank_vwscanf),
                                   replace("puts", &rank_puts),
                                   replace("putchar", &rank_putchar),
                                   replace("putchar_unlocked", &rank_putchar_unlocked),
                                   replace("getchar", &rank_getchar),
                                   replace("getchar_unlocked", &rank_getchar_unlocked),
                                   replace("putwchar", &rank_putwchar),
                                   replace("getwchar", &rank_getwchar),
                                   replace("fopen", &rank_fopen),
                                   replace("fopen64", &rank_fopen),
                                   replace("tmpfile", &rank_tmpfile),
                                   replace("tmpfile64", &rank_tmpfile),
                                   replace("fopencookie", &rank_fopencookie),
                                   replace("fdopen", &rank_fdopen),
                                   replace("fileno", &rank_fileno),
                                   replace("fileno_unlocked", &rank_fileno),
                                   replace("fclose", &close_stream),
                                   replace("freopen", &rank_freopen),
                                   replace("freopen64", &rank_freopen)};
  return calls;
}

}  // namespace taihu::memory::libc
