// SPDX-License-Identifier: Apache-2.0
// What drivers need of the system: running other programs. Words that are too long for the system reach them
// as @FILE, which compilers and linkers take.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace taihu::compiler {

/// The path as text when the file exists, else "".
std::string if_there(const std::filesystem::path& path);

/// The folder below `root` that holds `file`: `configured` in an installation, which has what it was
/// configured with; `built` in a build tree, and where neither has the file.
std::filesystem::path folder_with(const std::filesystem::path& file, const std::filesystem::path& root,
                                  const char* configured, const char* built);

/// What a command prints, without the last newline. Empty when it fails or cannot be run. Throws Error when
/// the system is out of processes or descriptors.
std::string output_of(const std::vector<std::string>& words);

/// The same; what the command writes to standard error is dropped.
std::string output_without_errors_of(const std::vector<std::string>& words);

/// Runs the command and returns its exit code; 1 where a signal has ended it, and 127
/// where it cannot be run, which is said on standard error. Throws Error like output_of().
int run_command(const std::vector<std::string>& words);

/// Becomes the command. Returns only by throwing Error.
[[noreturn]] void become(const std::vector<std::string>& words);

}  // namespace taihu::compiler
