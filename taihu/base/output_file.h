// SPDX-License-Identifier: Apache-2.0
// Files that programs write: looked at before the work starts, so that no result is lost at the end, and
// whole or not there: written under a temporary name and then renamed.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

namespace taihu {

enum class FileUse {
  replaced,  ///< by write_and_replace or write_file
  appended,  ///< opened and written at its end
};

/// The absolute path of a file that is written later; `option` (may be empty) names it in the message. Throws
/// Error when nothing can be written there: a folder that is missing or cannot be written, a full disk, a
/// name that is a folder's. Tries with a small file of another name, which it removes; changes no file.
std::string writable_file(const std::string& path, const std::string& option,
                          FileUse use = FileUse::replaced);

/// Makes a folder for results, with those above it, where it is missing. Throws Error when it cannot, or when
/// no file can be written there.
void make_writable_folder(const std::string& folder);

/// Brings a finished file to the disk and gives it its final name. Throws Error.
void replace_file(const std::string& temporary, const std::string& path);

/// Lets `write` make a file under a temporary name (PATH.part; the end of a long name is left out), brings it
/// to the disk and gives it its final name. When something of that fails the temporary file is removed, and
/// what had the name stays. A device or a pipe, which cannot be replaced, is written under its own name.
/// Throws Error.
void write_and_replace(const std::string& path,
                       const std::function<void(const std::string& temporary)>& write);

/// The same for a file that `write` prints into. Throws Error, also when `write` leaves a stream that has
/// failed (a full disk).
void write_file(const std::string& path, const std::function<void(std::FILE* file)>& write);
void write_file(const std::string& path, const std::string& content);

}  // namespace taihu
