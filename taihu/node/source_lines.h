// SPDX-License-Identifier: Apache-2.0
// Lines of source for addresses of code, and names of variables, from the files of programs. For reports
// that are made at leisure; crash handlers use launch/function_names.h.
#pragma once

#include <string>

namespace taihu::node {

/// Where the call is that returns to `return_address`: "solver.c:42", or, without debug information (-g),
/// "solve+0x1f in prog"; empty when nothing is known. Any thread; reads files.
std::string source_place(const void* return_address);

/// The variable at `address`, such as "counts+8" (bytes), from the symbols of its file; empty when nothing is
/// known. Any thread; reads files.
std::string variable_name(const void* address);

}  // namespace taihu::node
