// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/link_line.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "taihu/base/error.h"
#include "taihu/compiler/response_file.h"

namespace taihu::compiler {

namespace {

using std::string;

constexpr char linker_word[] = "--taihu-linker=";
constexpr char clang_word[] = "--taihu-clang=";
constexpr char version_word[] = "--taihu-version=";
constexpr char option_word[] = "--taihu-option=";
constexpr char exports_word[] = "--taihu-keeps-exports";

/// Moves what follows `name` in the word to `value`.
bool take(const string& word, const char* name, string& value) {
  if (!word.starts_with(name)) return false;
  value = word.substr(string(name).size());
  return true;
}

/// The linker takes most options with one dash or two.
string behind_dashes(const string& word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

/// Options of linkers whose value may be the next word.
constexpr std::array<std::string_view, 56> linker_options_with_value = {"o",
                                                                        "u",
                                                                        "e",
                                                                        "h",
                                                                        "z",
                                                                        "m",
                                                                        "T",
                                                                        "L",
                                                                        "l",
                                                                        "y",
                                                                        "Y",
                                                                        "F",
                                                                        "f",
                                                                        "A",
                                                                        "b",
                                                                        "c",
                                                                        "G",
                                                                        "R",
                                                                        "I",
                                                                        "undefined",
                                                                        "require-defined",
                                                                        "entry",
                                                                        "defsym",
                                                                        "init",
                                                                        "fini",
                                                                        "soname",
                                                                        "exclude-libs",
                                                                        "rpath",
                                                                        "rpath-link",
                                                                        "dynamic-linker",
                                                                        "version-script",
                                                                        "dynamic-list",
                                                                        "Map",
                                                                        "script",
                                                                        "default-script",
                                                                        "library",
                                                                        "library-path",
                                                                        "wrap",
                                                                        "plugin",
                                                                        "plugin-opt",
                                                                        "section-start",
                                                                        "sort-section",
                                                                        "retain-symbols-file",
                                                                        "just-symbols",
                                                                        "Ttext",
                                                                        "Tdata",
                                                                        "Tbss",
                                                                        "format",
                                                                        "oformat",
                                                                        "filter",
                                                                        "auxiliary",
                                                                        "trace-symbol",
                                                                        "export-dynamic-symbol",
                                                                        "export-dynamic-symbol-list",
                                                                        "output",
                                                                        "assert"};

bool is_value(const std::vector<string>& words, std::size_t k) {
  return k > 0 && words[k - 1].starts_with('-') &&
         std::find(linker_options_with_value.begin(), linker_options_with_value.end(),
                   behind_dashes(words[k - 1])) != linker_options_with_value.end();
}

/// What stands behind the option in its word, or in the next one; empty where the word is another one.
string value_of(const std::vector<string>& words, std::size_t k, const char* letter, const char* name) {
  string value;
  const string& word = words[k];
  if (is_value(words, k)) return value;
  if (take(word, (string(name) + "=").c_str(), value)) return value;
  if (word == letter || word == name) return k + 1 < words.size() ? words[k + 1] : value;
  take(word, letter, value);
  return value;
}

/// Whether the word makes the linker look into the file.
bool is_word_of(const std::vector<string>& words, std::size_t k, const string& file) {
  if (words[k] == file) return true;
  const string name = archive_sought(words, k);
  return !name.empty() && (file == name || file.ends_with("/" + name));
}

/// The last word of the file, or its value: behind it the linker has looked into the file. The last one of
/// all where none names it.
std::size_t last_word_of(const std::vector<string>& words, const string& file) {
  std::size_t last = words.size() - 1;
  for (std::size_t k = 0; k < words.size(); ++k)
    if (is_word_of(words, k, file) && !is_value(words, k))
      last = k + 1 < words.size() && is_value(words, k + 1) ? k + 1 : k;
  return last;
}

/// "(archive)member", "archive(member)" or a file. Its `file` is empty where there is no such file.
UsedFile used_file(const string& line, const std::function<bool(const string&)>& is_file) {
  if (is_file(line)) return {line, ""};
  if (line.starts_with('('))
    for (std::size_t end = line.find(')'); end != string::npos; end = line.find(')', end + 1))
      if (is_file(line.substr(1, end - 1))) return {line.substr(1, end - 1), line.substr(end + 1)};
  if (line.ends_with(')'))
    for (std::size_t begin = line.find('('); begin != string::npos; begin = line.find('(', begin + 1))
      if (is_file(line.substr(0, begin)))
        return {line.substr(0, begin), line.substr(begin + 1, line.size() - begin - 2)};
  return {};
}

}  // namespace

bool LinkLine::has(const string& option) const {
  const string name = behind_dashes(option);
  return std::any_of(words.begin(), words.end(), [&](const string& word) {
    const string other = behind_dashes(word);
    return word.starts_with('-') && (other == name || other.starts_with(name + "="));
  });
}

bool LinkLine::names(const string& file) const {
  for (std::size_t k = 0; k < words.size(); ++k)
    if (words[k] == file && !is_value(words, k)) return true;
  return false;
}

string archive_sought(const std::vector<string>& words, std::size_t k) {
  const string name = value_of(words, k, "-l", "--library");
  if (name.empty()) return name;
  return name.starts_with(':') ? name.substr(1) : "lib" + name + ".a";
}

std::vector<string> library_folders(const std::vector<string>& words) {
  std::vector<string> folders;
  for (std::size_t k = 0; k < words.size(); ++k)
    if (const string folder = value_of(words, k, "-L", "--library-path"); !folder.empty())
      folders.push_back(folder);
  return folders;
}

std::vector<string> own_words(const LinkLine& line) {
  std::vector<string> words = {linker_word + line.linker, clang_word + line.clang,
                               version_word + line.version};
  for (const string& option : line.options) words.push_back(option_word + option);
  if (line.keeps_exports) words.emplace_back(exports_word);
  return words;
}

LinkLine read_link_line(const std::vector<string>& arguments) {
  LinkLine line;
  line.output = "a.out";
  for (const string& word : expand_response_files(arguments)) {
    string option;
    if (take(word, linker_word, line.linker) || take(word, clang_word, line.clang) ||
        take(word, version_word, line.version))
      continue;
    if (take(word, option_word, option)) {
      line.options.push_back(option);
    } else if (word == exports_word) {
      line.keeps_exports = true;
    } else {
      if (!line.words.empty() && line.words.back() == "-o") line.output = word;
      line.words.push_back(word);
    }
  }
  if (line.linker.empty() || line.clang.empty() || line.version.empty())
    throw UsageError("is started by parcc --whole-program, not by people; use parcc");
  return line;
}

std::vector<UsedFile> read_trace(const string& text, const std::function<bool(const string&)>& is_file) {
  std::vector<UsedFile> files;
  std::istringstream lines(text);
  for (string line; std::getline(lines, line);) {
    const UsedFile used = used_file(line, is_file);
    if (!used.file.empty() && std::find(files.begin(), files.end(), used) == files.end())
      files.push_back(used);
  }
  return files;
}

std::vector<string> with_output(const LinkLine& line, const string& output) {
  std::vector<string> words = line.words;
  for (std::size_t k = 0; k + 1 < words.size(); ++k)
    if (words[k] == "-o") words[k + 1] = output;
  if (std::find(words.begin(), words.end(), "-o") == words.end()) words.insert(words.end(), {"-o", output});
  return words;
}

std::vector<string> with_joined(const LinkLine& line, const std::vector<UsedFile>& joined,
                                const string& object, const std::vector<AddedObject>& added) {
  const auto is_joined = [&](const string& word) {
    return std::find(joined.begin(), joined.end(), UsedFile{word, ""}) != joined.end();
  };
  const auto has = [&](std::size_t k, const UsedFile& used) { return is_word_of(line.words, k, used.file); };
  const bool are_named = std::all_of(joined.begin(), joined.end(), [&](const UsedFile& used) {
    for (std::size_t k = 0; k < line.words.size(); ++k)
      if (has(k, used)) return true;
    return false;
  });
  // Archives that the linker found otherwise must not be searched before the object: any may be one of them.
  const auto has_joined = [&](std::size_t k) {
    const string& word = line.words[k];
    return std::any_of(joined.begin(), joined.end(), [&](const UsedFile& used) { return has(k, used); }) ||
           (!are_named &&
            (!archive_sought(line.words, k).empty() || (!word.starts_with('-') && word.ends_with(".a"))));
  };
  std::vector<string> words;
  bool is_there = false;
  for (std::size_t k = 0; k < line.words.size(); ++k) {
    const string& word = line.words[k];
    const bool stays = is_value(line.words, k);
    if (!is_there && !stays && has_joined(k)) {
      words.push_back(object);
      is_there = true;
    }
    if (stays || !is_joined(word)) words.push_back(word);
    for (const AddedObject& one : added)
      if (last_word_of(line.words, one.before) == k) words.push_back(one.object);
  }
  if (!is_there) words.push_back(object);
  return words;
}

}  // namespace taihu::compiler
