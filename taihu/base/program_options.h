// SPDX-License-Identifier: Apache-2.0
// What all programs with CLI11 do alike with their words: help and version on standard output, everything
// wrong as a UsageError of one line, which names the option that was probably meant. Only for programs: the
// headers of CLI11 are large.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

// CLI11 reads numbers by strtol with any base (010 is 8 and 0x10 is 16), takes -1 for the largest unsigned
// one and 1e999 for infinity. Its templates find these conversions first, as they are declared before it: all
// programs take decimal numbers that the type can hold, and nothing else.
namespace CLI::detail {

template <typename T>
bool decimal_number(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if constexpr (std::is_floating_point_v<T>)
    if (!std::isfinite(value)) return false;
  return error == std::errc() && end == text.data() + text.size();
}

inline bool lexical_cast(const std::string& text, int& value) {
  return decimal_number(text, value);
}
inline bool lexical_cast(const std::string& text, unsigned& value) {
  return decimal_number(text, value);
}
inline bool lexical_cast(const std::string& text, long& value) {
  return decimal_number(text, value);
}
inline bool lexical_cast(const std::string& text, unsigned long& value) {
  return decimal_number(text, value);
}
inline bool lexical_cast(const std::string& text, long long& value) {
  return decimal_number(text, value);
}
inline bool lexical_cast(const std::string& text, unsigned long long& value) {
  return decimal_number(text, value);
}
inline bool lexical_cast(const std::string& text, double& value) {
  return decimal_number(text, value);
}

}  // namespace CLI::detail

#include <CLI/CLI.hpp>

#include "taihu/base/error.h"
#include "taihu/base/nearest.h"
#include "taihu/base/option_mistake.h"
#include "taihu/base/units.h"

namespace taihu {

/// Options that `app` and the commands chosen on its command line know, as they are written.
inline std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  for (const CLI::App* command : app.get_subcommands())
    for (std::string& name : option_names(*command)) names.push_back(std::move(name));
  return names;
}

/// Throws when `word` is an option, which nobody has taken then.
inline void refuse_option(const CLI::App& app, const std::string& word) {
  if (word.size() < 2 || word[0] != '-' || word == "--") return;
  const std::string name = word.substr(0, word.find('='));
  throw UsageError("unknown option " + name + suggestion(name, option_names(app)));
}

/// Throws when there should be a command and is none, when the first word is a command that there is not, or
/// when any word is an option that nobody has taken.
inline void refuse_rest(const CLI::App& app) {
  const std::vector<std::string> rest = app.remaining(true);
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  if (!commands.empty() && app.get_subcommands().empty()) {
    std::vector<std::string> names;
    std::string list;
    for (const CLI::App* command : commands) {
      names.push_back(command->get_name());
      list += (list.empty() ? "" : ", ") + names.back();
    }
    if (rest.empty()) throw UsageError("no command given; there are " + list);
    if (!rest.front().starts_with("-")) {
      const std::string meant = suggestion(rest.front(), names);
      throw UsageError("unknown command " + rest.front() + (meant.empty() ? "; there are " + list : meant));
    }
  }
  for (const std::string& word : rest) refuse_option(app, word);
}

/// `text` begins with the longest name of an option: in its place that one which is among `words`.
inline std::string with_written_name(const CLI::App& app, const std::string& text,
                                     const std::vector<std::string>& words) {
  const std::string name = text.substr(0, text.find_first_of(": "));
  const auto written = [&](const std::string& begin) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return word == begin || word.starts_with(begin + "=");
    });
  };
  if (written(name)) return text;
  for (const CLI::Option* option : app.get_options())
    if (option->check_name(name))
      for (const std::string& other : option->get_snames())
        if (written("-" + other)) return "-" + other + text.substr(name.size());
  for (const CLI::App* command : app.get_subcommands())
    if (std::string changed = with_written_name(*command, text, words); changed != text) return changed;
  return text;
}

/// The value of an option that is a size, such as 64K.
inline std::int64_t size_option(const std::string& text, const char* name) {
  try {
    return parse_bytes(text, name);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

/// Parses. True: go on; false: help or the version was asked for and is printed, the exit code is 0.
inline bool parse_command_line(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return false;
  } catch (const CLI::CallForVersion& version) {
    std::puts(version.what());
    return false;
  } catch (const CLI::ParseError& error) {
    refuse_rest(app);  // a misspelt option often makes another error, told first
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
      throw UsageError("unexpected argument " + app.remaining(true).front() + "; --help shows all options");
    throw UsageError(with_written_name(app, option_mistake(error.what()), {argv + 1, argv + argc}));
  }
  return true;
}

}  // namespace taihu
