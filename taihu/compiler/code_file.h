// SPDX-License-Identifier: Apache-2.0
// Files that the linker uses, with the intermediate code in those that parcc --whole-program has compiled.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "taihu/compiler/join_options.h"
#include "taihu/compiler/link_line.h"

namespace taihu::compiler {

struct CodeFile {
  UsedFile place;
  bool is_object = false;               ///< no shared library, and no text of the linker
  std::string code;                     ///< bitcode; empty: none
  std::vector<CompilerOption> options;  ///< with which it was compiled
  /// Names by which files refer to each other: what the file defines for others, and what it wants of others.
  std::set<std::string> defined, undefined;
  std::set<std::string> weak;  ///< those of `defined` that give way to others
  /// Names to which the optimised code refers: what the object refers to as well, and what it may refer to.
  std::set<std::string> certain, possible;
  bool tells_names = false;  ///< whether the object has these
  /// Whether nothing but the compiler has written the object, as far as it tells: in what ld -r makes of
  /// several there is more than in the code of one, and strip removes the names that show it.
  bool is_as_compiled = false;
  std::set<std::string> assembler;  ///< names in its text for the assembler
  std::string source;               ///< the file that was compiled
  std::string problem;  ///< why its code cannot be taken in place of the object; empty where there is none
};

/// Whether its intermediate code is compiled with that of the others.
bool is_joined(const CodeFile& file);

/// "libx.a(member.o)" or the file's name.
std::string title_of(const UsedFile& place);

/// The same for people: of objects that a compiler has made for the time of its run it is the source.
std::string title_of(const CodeFile& file);

/// Names in the linker's words, and in texts that these name.
std::set<std::string> names_in_words(const std::vector<std::string>& words);

/// Members of archives that only name their files (ar T), which linkers print as if they were given alone:
/// `used` with their archive and name.
void find_thin_members(std::vector<UsedFile>& used, const LinkLine& line);

/// Reads what the linker has used. Throws Error when it cannot be read.
CodeFile read_code_file(const UsedFile& place);

}  // namespace taihu::compiler
