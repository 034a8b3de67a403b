// SPDX-License-Identifier: Apache-2.0
// Command lines of the linker, as parcc-link gets them from clang (parcc --whole-program), and what the
// linker says of the files that it uses.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace taihu::compiler {

/// What parcc tells parcc-link among the words for the linker.
struct LinkLine {
  std::string linker;  ///< the linker that links
  std::string clang;
  std::string version;               ///< of parcc, which all files must have been compiled with
  std::vector<std::string> options;  ///< of the passes, beside those of the files: the report
  bool keeps_exports = false;        ///< the user decides which names the program exports
  std::vector<std::string> words;    ///< for the linker
  std::string output;

  /// Whether a word for the linker is `option` or begins with "option=", with any number of dashes.
  bool has(const std::string& option) const;
  /// Whether a word, and no option's value, is the file.
  bool names(const std::string& file) const;
};

/// The name of the archive for which the word has the linker look in folders: "-lNAME", "-l:FILE",
/// "--library=NAME", or with the name in the next word. Empty where it is another word.
std::string archive_sought(const std::vector<std::string>& words, std::size_t k);

/// Where it looks.
std::vector<std::string> library_folders(const std::vector<std::string>& words);

/// Words of the line that are for parcc-link: "--taihu-linker=FILE", and so on.
std::vector<std::string> own_words(const LinkLine& line);

/// Throws UsageError when parcc's own words are missing.
LinkLine read_link_line(const std::vector<std::string>& arguments);

/// A file that the linker has used, or a member of an archive.
struct UsedFile {
  std::string file;
  std::string member;  ///< empty: the file itself

  bool operator==(const UsedFile&) const = default;
};

/// What `ld -t -t` prints, each file once. GNU ld writes "(archive)member", lld "archive(member)". Lines that
/// name no file by `is_file` are left out: other options print as well.
std::vector<UsedFile> read_trace(const std::string& text,
                                 const std::function<bool(const std::string&)>& is_file);

/// The words with `output` as the file to write.
std::vector<std::string> with_output(const LinkLine& line, const std::string& output);

/// An object that stands behind a file or an archive.
struct AddedObject {
  std::string object;
  std::string before;
};

/// The words with `object` where the first of `joined` stands, without the others, and with `added`. Archives
/// stay: nothing refers to their joined members any more.
std::vector<std::string> with_joined(const LinkLine& line, const std::vector<UsedFile>& joined,
                                     const std::string& object, const std::vector<AddedObject>& added = {});

}  // namespace taihu::compiler
