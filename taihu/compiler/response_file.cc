// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/response_file.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "taihu/base/error.h"

namespace taihu::compiler {

namespace {

constexpr int deepest = 20;

void expand(const std::vector<std::string>& arguments, int depth, std::vector<std::string>& result) {
  for (const std::string& argument : arguments) {
    std::ifstream file;
    if (argument.size() > 1 && argument[0] == '@') file.open(argument.substr(1));
    if (file.is_open() && std::filesystem::is_directory(argument.substr(1)))
      throw UsageError(argument + ": is a folder; @ stands before a file with arguments");
    if (!file.is_open()) {
      result.push_back(argument);
      continue;
    }
    if (depth == deepest) throw UsageError(argument + ": response files contain each other");
    std::ostringstream text;
    text << file.rdbuf();
    expand(split_arguments(text.str()), depth + 1, result);
  }
}

}  // namespace

std::vector<std::string> split_arguments(const std::string& text) {
  std::vector<std::string> result;
  std::string current;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      current += text[++i];
      inside = true;
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        current += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      inside = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (inside) result.push_back(current);
      current.clear();
      inside = false;
    } else {
      current += c;
      inside = true;
    }
  }
  if (inside) result.push_back(current);
  return result;
}

std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments) {
  std::vector<std::string> result;
  expand(arguments, 0, result);
  return result;
}

}  // namespace taihu::compiler
