// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/shell_word.h"

namespace taihu {

std::string shell_word(const std::string& word) {
  static constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^";
  if (!word.empty() && word.find_first_not_of(plain) == word.npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

}  // namespace taihu
