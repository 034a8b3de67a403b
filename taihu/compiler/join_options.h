// SPDX-License-Identifier: Apache-2.0
// The options with which files were compiled, as clang stores them beside the intermediate code
// (-fembed-bitcode): those that say what becomes of it must be the same in all files that are compiled
// together.
#pragma once

#include <string>
#include <vector>

namespace taihu::compiler {

/// One option of clang's compiler proper, with its value.
using CompilerOption = std::vector<std::string>;

/// The options in the text, whose words end with zero bytes.
std::vector<CompilerOption> read_stored_options(const std::string& text);

/// Version of parcc that has compiled the file; empty: none, as of an object that clang has made.
std::string version_of(const std::vector<CompilerOption>& options);

/// Whether they are those of several files, one behind the other, as ld -r leaves them.
bool are_of_several(const std::vector<CompilerOption>& options);

/// Those that say what becomes of intermediate code. The others say how the source was read, what was told of
/// it and where the output goes.
std::vector<CompilerOption> options_of_code(const std::vector<CompilerOption>& options);

/// Empty when both are the same; else how the first ones differ, such as "with -O2 instead of -O3", or how
/// options that set the same follow each other.
std::string difference(const std::vector<CompilerOption>& options, const std::vector<CompilerOption>& others);

}  // namespace taihu::compiler
