// SPDX-License-Identifier: Apache-2.0
// A fuzz target is one file: it includes this header and says how an input is read,
//
//   TAIHU_FUZZ_TEXT(text) { parse(text, "input"); }             the reader takes text
//   TAIHU_FUZZ_FILE(path, "input.mtx") { read(path); }          the reader takes the path of a file
//   TAIHU_FUZZ_BYTES(bytes) { read(made_from(bytes)); }         the target makes the input from the bytes
//
// A reader answers to bad input with taihu::Error and one readable line. Any other exception, a crash, a
// report of a sanitizer, an input that takes too long or too much memory, and a text that is no such line are
// found as faults.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

#include "taihu/base/error.h"

namespace taihu::fuzz {

/// Messages above this length bury what they say.
inline constexpr std::size_t longest_message = 2000;

/// Ends the program when `message` is not one line that a terminal can show.
inline void expect_one_line(const char* message) {
  const std::size_t length = std::strlen(message);
  const char* problem = length == 0 ? "empty" : length > longest_message ? "too long" : nullptr;
  for (const char* at = message; *at != 0; ++at)
    if (static_cast<unsigned char>(*at) < ' ' || *at == 0x7f) problem = "not one line of plain characters";
  if (!problem) return;
  std::fprintf(stderr, "the message of the error is %s (%zu bytes): %.300s\n", problem, length, message);
  std::abort();
}

/// Runs `read`. What it may throw is said above.
template <class Read>
int run(Read&& read) {
  try {
    read();
  } catch (const Error& error) {
    expect_one_line(error.what());
  }
  return 0;
}

/// Makes the file `name` of these bytes in the current folder, which is the target's own.
inline void write_file(const char* name, const void* data, std::size_t bytes) {
  std::FILE* file = std::fopen(name, "wb");
  if (!file || std::fwrite(data, 1, bytes, file) != bytes || std::fclose(file) != 0) {
    std::perror(name);
    std::_Exit(1);
  }
}

}  // namespace taihu::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes);

#define TAIHU_FUZZ_TEXT(text)                                                          \
  static void read_input(const std::string& text);                                     \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) { \
    const std::string input(reinterpret_cast<const char*>(data), bytes);               \
    return taihu::fuzz::run([&] { read_input(input); });                               \
  }                                                                                    \
  static void read_input([[maybe_unused]] const std::string& text)

#define TAIHU_FUZZ_BYTES(bytes)                                                        \
  static void read_input(std::span<const std::uint8_t> bytes);                         \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t count) { \
    return taihu::fuzz::run([&] { read_input({data, count}); });                       \
  }                                                                                    \
  static void read_input([[maybe_unused]] std::span<const std::uint8_t> bytes)

#define TAIHU_FUZZ_FILE(path, name)                                                    \
  static void read_input(const std::string& path);                                     \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) { \
    taihu::fuzz::write_file(name, data, bytes);                                        \
    return taihu::fuzz::run([] { read_input(name); });                                 \
  }                                                                                    \
  static void read_input([[maybe_unused]] const std::string& path)
