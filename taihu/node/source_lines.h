// SPDX-License-Identifier: Apache-2.0
// Lines of source for addresses of code, and names of variables, from the files of programs. For reports
// that are made at leisure; crash handlers use launch/function_names.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace taihu::node {

/// Where the call is that returns to `return_address`: "solver.c:42", or, without debug information (-g),
/// "solve+0x1f in prog"; empty when nothing is known. Any thread; reads files.
std::string source_place(const void* return_address);

/// Places of many calls: keeps what it has read of files, and what it has found. One thread at a time.
class SourcePlaces {
 public:
  SourcePlaces();
  ~SourcePlaces();
  SourcePlaces(const SourcePlaces&) = delete;
  SourcePlaces& operator=(const SourcePlaces&) = delete;

  /// Where the call is that returns to `return_address`, with its function: "solve at solver.c:42", or,
  /// without debug information, "solve+0x1f in prog", or "prog+0x1234". The copies of a program in several
  /// ranks are one place. "unknown" when nothing is known.
  const std::string& of_call(const void* return_address);

 private:
  struct File;
  std::map<std::string, std::unique_ptr<File>> files_;                    // by path
  std::map<std::pair<std::string, std::uintptr_t>, std::string> places_;  // by path and offset
};

/// The variable at `address`, such as "counts+8" (bytes), from the symbols of its file; empty when nothing is
/// known. Any thread; reads files.
std::string variable_name(const void* address);

}  // namespace taihu::node
