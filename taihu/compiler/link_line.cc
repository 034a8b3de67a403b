// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/link_line.h"

#include <algorithm>
#include <sstream>

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

}  // namespace

bool LinkLine::has(const string& option) const {
  return std::any_of(words.begin(), words.end(),
                     [&](const string& word) { return word == option || word.starts_with(option + "="); });
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

std::vector<UsedFile> read_trace(const string& text) {
  std::vector<UsedFile> files;
  std::istringstream lines(text);
  for (string line; std::getline(lines, line);) {
    UsedFile used{line, ""};
    const std::size_t begin = line.rfind('(');
    if (line.starts_with('(')) {
      const std::size_t end = line.find(')');
      if (end == string::npos) continue;
      used = {line.substr(1, end - 1), line.substr(end + 1)};
    } else if (begin != string::npos && line.ends_with(')')) {
      used = {line.substr(0, begin), line.substr(begin + 1, line.size() - begin - 2)};
    }
    if (!line.empty() && std::find(files.begin(), files.end(), used) == files.end()) files.push_back(used);
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
                                const string& object) {
  const auto is_joined = [&](const string& word) {
    return std::find(joined.begin(), joined.end(), UsedFile{word, ""}) != joined.end();
  };
  std::vector<string> words;
  bool is_there = false;
  for (std::size_t k = 0; k < line.words.size(); ++k) {
    const string& word = line.words[k];
    const bool is_value = k > 0 && line.words[k - 1] == "-o";
    const bool is_archive = !word.starts_with('-') && word.ends_with(".a");
    const bool is_library = word.starts_with("-l");
    if (!is_there && !is_value && (is_joined(word) || is_archive || is_library)) {
      words.push_back(object);
      is_there = true;
    }
    if (is_value || !is_joined(word)) words.push_back(word);
  }
  if (!is_there) words.push_back(object);
  return words;
}

}  // namespace taihu::compiler
