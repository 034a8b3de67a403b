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
  /// Sections with functions that run before main, or behind it: within each in the order of files.
  std::set<std::string> constructor_sections;
  std::set<std::string> assembler;  ///< names in its text for the assembler
  std::string source;               ///< the file that was compiled
  std::string problem;  ///< why its code cannot be taken in place of the object; empty where there is none
  /// Behind which file its constructors belong in an object of their own; empty: they stand in that of the
  /// joined code.
  UsedFile before_constructors;
  std::string constructors;  ///< intermediate code of that object; empty: there is none
};

/// Whether its intermediate code is compiled with that of the others.
bool is_joined(const CodeFile& file);

/// "libx.a(member.o)" or the file's name.
std::string title_of(const UsedFile& place);

/// The same for people: of objects that a compiler has made for the time of its run it is the source.
std::string title_of(const CodeFile& file);

bool have_common(const std::set<std::string>& names, const std::set<std::string>& others);

/// Names in the linker's words, and in texts that these name.
std::set<std::string> names_in_words(const std::vector<std::string>& words);

/// Members of archives that only name their files (ar T), which linkers print as if they were given alone:
/// `used` with their archive and name.
void find_thin_members(std::vector<UsedFile>& used, const LinkLine& line);

/// Sets `before_constructors` of files that are joined and behind others, with constructors, that are not.
/// Returns what to warn of: members of an archive between others of it, which have no place of their own.
std::vector<std::string> find_places_of_constructors(std::vector<CodeFile>& files, const LinkLine& line);

/// Reads what the linker has used. Throws Error when it cannot be read.
CodeFile read_code_file(const UsedFile& place);

}  // namespace taihu::compiler
