// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/tuning_table.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "taihu/base/checksum.h"
#include "taihu/base/error.h"
#include "taihu/base/formatted.h"
#include "taihu/base/input_file.h"
#include "taihu/base/units.h"

namespace taihu::launch {

namespace {

constexpr std::string_view first_line = "taihu tuning 1";
constexpr std::string_view checksum_word = "checksum ";
constexpr std::string_view processor_word = "processor ";

constexpr std::size_t most_table_bytes = 64 << 10;

constexpr std::string_view variables[] = {
    "TAIHU_EAGER_BYTES",          "TAIHU_PUSHED_BYTES",     "TAIHU_PUSHED_STREAM_BYTES",
    "TAIHU_SHARED_COPY_BYTES",    "TAIHU_LONG_BCAST_BYTES", "TAIHU_LONG_ALLGATHER_BYTES",
    "TAIHU_LONG_ALLREDUCE_BYTES", "TAIHU_LOOKED_UP_BYTES",  "TAIHU_STORED_BYTES"};

std::string checksum_line(std::string_view before) {
  return formatted("%s%016llx\n", std::string(checksum_word).c_str(),
                   static_cast<unsigned long long>(checksum(before.data(), before.size())));
}

void add_value(TuningTable& table, std::string_view line, const std::string& place) {
  const std::size_t space = line.find(' ');
  const std::string name(line.substr(0, space));
  check_input(std::ranges::find(variables, name) != std::end(variables),
              place + ": '" + name + "' is nothing that a table of taihu-tune has; run taihu-tune again");
  check_input(std::ranges::none_of(table.values, [&](const auto& value) { return value.first == name; }),
              place + ": " + name + " is there twice; run taihu-tune again");
  const std::string value(space == line.npos ? "" : line.substr(space + 1));
  parse_bytes(value, place + ": " + name);
  table.values.emplace_back(name, value);
}

const char* variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

/// A pipe would be waited for, and a device need not end.
std::string text_of(const std::string& name) {
  std::error_code problem;
  const auto status = std::filesystem::status(name, problem);
  check_input(!std::filesystem::exists(status) || std::filesystem::is_regular_file(status),
              "the tuning table " + name + " is not a file; run taihu-tune, or set TAIHU_TUNING to off");
  std::string text = read_file(name, "the tuning table");
  check_input(text.size() <= most_table_bytes,
              formatted("the tuning table %s has more than %zu bytes, which no table of taihu-tune has",
                        name.c_str(), most_table_bytes));
  return text;
}

bool is_there(const std::string& file) {
  return !file.empty() && std::ifstream(file).good();
}

}  // namespace

std::span<const std::string_view> tunable_variables() noexcept {
  return variables;
}

TuningTable parse_tuning_table(std::string_view text, const std::string& name) {
  const std::size_t end = text.rfind(checksum_word);
  check_input(
      end != text.npos && end > 0 && text[end - 1] == '\n' &&
          text.substr(end) == checksum_line(text.substr(0, end)),
      name + ": not a whole table of taihu-tune, or changed by hand; run taihu-tune again or remove it");
  TuningTable table;
  int number = 0;
  for (std::size_t start = 0; start < end;) {
    const std::size_t line_end = text.find('\n', start);
    const std::string_view line = text.substr(start, line_end - start);
    start = line_end + 1;
    const std::string place = name + ":" + std::to_string(++number);
    if (number == 1) {
      check_input(line == first_line, place + ": this table is of another version; run taihu-tune again");
    } else if (line.starts_with(processor_word)) {
      table.processor = line.substr(processor_word.size());
    } else if (!line.empty() && !line.starts_with('#')) {
      add_value(table, line, place);
    }
  }
  return table;
}

std::string to_text(const TuningTable& table, const std::vector<std::string>& remarks) {
  std::string text = std::string(first_line) + "\n";
  for (const std::string& remark : remarks) text += "# " + remark + "\n";
  text += std::string(processor_word) + table.processor + "\n";
  for (const auto& [name, value] : table.values) text += name + " " + value + "\n";
  return text + checksum_line(text);
}

std::string tuning_file_of_user() {
  if (const char* const folder = variable("XDG_CONFIG_HOME")) return std::string(folder) + "/taihu/tuning";
  const char* const home = variable("HOME");
  return home != nullptr ? std::string(home) + "/.config/taihu/tuning" : std::string();
}

std::string tuning_file_of_system() {
  return "/etc/taihu/tuning";
}

std::string tuning_file() {
  if (const char* const named = variable("TAIHU_TUNING"))
    return std::string_view(named) == "off" ? std::string() : std::string(named);
  for (const std::string& file : {tuning_file_of_user(), tuning_file_of_system()})
    if (is_there(file)) return file;
  return {};
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != line.npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string to_text(const AppliedTable& table) {
  if (table.file.empty() || table.is_used()) return table.file.empty() ? "" : "sizes of " + table.file;
  return table.file + " is not used: it was measured on '" + table.measured_on + "', and this is '" +
         processor_name() + "'";
}

AppliedTable apply_tuning_table() {
  const std::string name = tuning_file();
  if (name.empty()) return {};
  const TuningTable table = parse_tuning_table(text_of(name), name);
  if (table.processor != processor_name()) return {name, table.processor};
  for (const auto& [variable_name, value] : table.values) setenv(variable_name.c_str(), value.c_str(), 0);
  return {name};
}

}  // namespace taihu::launch
