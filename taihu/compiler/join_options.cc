// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/join_options.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace taihu::compiler {

namespace {

using std::string;
using std::string_view;

constexpr string_view plugin_argument = "-plugin-arg-parallelc";
constexpr string_view version_begin = "version=";

/// Options with a value in the next word.
constexpr std::array<string_view, 11> with_value = {
    "-triple",    "-target-cpu", "-target-feature", "-tune-cpu",   "-target-abi",  "-mrelocation-model",
    "-pic-level", "-mllvm",      "-load",           "-add-plugin", plugin_argument};

/// Beginnings of options that are one word.
constexpr std::array<string_view, 33> alone = {"-O",
                                               "-mcmodel=",
                                               "-mconstructor-aliases",
                                               "-mframe-pointer=",
                                               "-fhalf-no-semantic-interposition",
                                               "-ffp-contract=",
                                               "-ffast-math",
                                               "-fmath-errno",
                                               "-fno-rounding-math",
                                               "-frounding-math",
                                               "-fdenormal-fp-math",
                                               "-fno-builtin",
                                               "-ffreestanding",
                                               "-fno-inline",
                                               "-finline",
                                               "-vectorize-",
                                               "-funroll-loops",
                                               "-fno-unroll-loops",
                                               "-fpass-plugin=",
                                               "-funwind-tables=",
                                               "-debug-info-kind=",
                                               "-dwarf-version=",
                                               "-debugger-tuning=",
                                               "-fsanitize",
                                               "-fprofile-",
                                               "-ffunction-sections",
                                               "-fdata-sections",
                                               "-fno-plt",
                                               "-ftls-model=",
                                               "-femulated-tls",
                                               "-fmerge-",
                                               "-Rpass",
                                               "-fveclib="};

bool is_with_value(string_view word) {
  return std::find(with_value.begin(), with_value.end(), word) != with_value.end();
}

bool is_of_code(string_view word) {
  return is_with_value(word) ||
         std::any_of(alone.begin(), alone.end(), [&](string_view begin) { return word.starts_with(begin); });
}

bool is_version(const CompilerOption& option) {
  return option.size() == 2 && option[0] == plugin_argument && option[1].starts_with(version_begin);
}

/// For people: "-mllvm -taihu-auto-dma" is one option.
string text_of(const CompilerOption& option) {
  string text;
  for (const string& word : option) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// What the option sets: where two set the same, as -mllvm -x=1 and -mllvm -x=2 do, their order counts.
string subject_of(const CompilerOption& option) {
  if (option.size() < 2) return option[0];
  const string& value = option[1];
  const std::size_t begin =
      option[0] == "-target-feature" ? std::min(value.find_first_not_of("+-"), value.size()) : 0;
  return option[0] + " " + value.substr(begin, value.find('=') - begin);
}

/// Those that set the same as `option`, in their order.
std::vector<CompilerOption> of_same_subject(const std::vector<CompilerOption>& options,
                                            const CompilerOption& option) {
  std::vector<CompilerOption> found;
  for (const CompilerOption& other : options)
    if (subject_of(other) == subject_of(option)) found.push_back(other);
  return found;
}

/// Those of `options` that `others` does not have.
string only_in(const std::vector<CompilerOption>& options, const std::vector<CompilerOption>& others) {
  string text;
  for (const CompilerOption& option : options)
    if (std::find(others.begin(), others.end(), option) == others.end())
      text += (text.empty() ? "" : " ") + text_of(option);
  return text;
}

}  // namespace

std::vector<CompilerOption> read_stored_options(const string& text) {
  std::vector<string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  std::vector<CompilerOption> options;
  for (std::size_t k = 0; k < words.size(); ++k) {
    CompilerOption option = {words[k]};
    if (is_with_value(words[k]) && k + 1 < words.size()) option.push_back(words[++k]);
    options.push_back(option);
  }
  return options;
}

string version_of(const std::vector<CompilerOption>& options) {
  const auto found = std::find_if(options.begin(), options.end(), is_version);
  return found == options.end() ? string() : (*found)[1].substr(version_begin.size());
}

bool are_of_several(const std::vector<CompilerOption>& options) {
  return std::count_if(options.begin(), options.end(), is_version) > 1;
}

std::vector<CompilerOption> options_of_code(const std::vector<CompilerOption>& options) {
  std::vector<CompilerOption> found;
  for (const CompilerOption& option : options)
    if (is_of_code(option[0]) && !is_version(option)) found.push_back(option);
  return found;
}

string difference(const std::vector<CompilerOption>& options, const std::vector<CompilerOption>& others) {
  const string here = only_in(options, others), there = only_in(others, options);
  if (!here.empty()) return "with " + here + (there.empty() ? "" : " instead of " + there);
  if (!there.empty()) return "without " + there;
  for (const CompilerOption& option : options) {
    const std::vector<CompilerOption> order = of_same_subject(options, option);
    if (order == of_same_subject(others, option)) continue;
    string text;
    for (const CompilerOption& one : order) text += (text.empty() ? "" : " ") + text_of(one);
    return "with " + text + " in another order";
  }
  return "";
}

}  // namespace taihu::compiler
