// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/numa_machine.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "taihu/base/error.h"
#include "taihu/base/input_file.h"

namespace taihu::model {
namespace {

using nlohmann::json;

constexpr double giga = 1e9;
constexpr int most_nodes = 1024;

class Reader {
 public:
  Reader(const json& object, const std::string& file) : object_(object), file_(file) {}

  int count(const char* key, int most) const {
    const json& value = find(key);
    if (!value.is_number_integer() || value < 1 || value > most)
      wrong(key, "a number from 1 to " + std::to_string(most));
    return value;
  }
  double rate(const char* key) const { return positive(find(key), key) * giga; }
  double microseconds(const char* key) const {
    const json& value = find(key);
    if (!value.is_number() || value < 0) wrong(key, "a number that is not negative");
    return value.get<double>() * 1e-6;
  }
  /// One value for all, or one for each.
  std::vector<double> rates(const char* key, int number) const { return rates(find(key), key, number); }
  std::vector<std::vector<double>> matrix(const char* key, int number) const {
    const json& value = find(key);
    if (value.is_number()) return std::vector(static_cast<std::size_t>(number), rates(value, key, number));
    std::vector<std::vector<double>> rows;
    if (!value.is_array() || value.size() != static_cast<std::size_t>(number))
      wrong(key, "a number, or one row for each node");
    for (const json& row : value) rows.push_back(rates(row, key, number));
    return rows;
  }

 private:
  [[noreturn]] void wrong(const std::string& key, const std::string& accepted) const {
    throw Error(file_ + ": \"" + key + "\" is wrong; it is " + accepted);
  }
  const json& find(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) throw Error(file_ + ": \"" + key + "\" is missing");
    return *found;
  }
  double positive(const json& value, const char* key) const {
    if (!value.is_number() || !(value.get<double>() > 0) || !std::isfinite(value.get<double>()))
      wrong(key, "above 0, in GB/s");
    return value;
  }
  std::vector<double> rates(const json& value, const char* key, int number) const {
    if (value.is_number())
      return std::vector<double>(static_cast<std::size_t>(number), positive(value, key) * giga);
    if (!value.is_array() || value.size() != static_cast<std::size_t>(number))
      wrong(key, "a number, or one for each node");
    std::vector<double> result;
    for (const json& one : value) result.push_back(positive(one, key) * giga);
    return result;
  }

  const json& object_;
  const std::string& file_;
};

void refuse_unknown_keys(const json& object, const std::string& file) {
  for (const auto& [key, value] : object.items()) {
    bool known = key.starts_with("source");
    for (const char* name : {"name", "nodes", "cores_per_node", "memory_gb_s", "link_gb_s", "core_local_gb_s",
                             "core_remote_gb_s", "barrier_us"})
      known = known || key == name;
    if (!known) throw Error(file + ": \"" + key + "\" is unknown");
  }
}

}  // namespace

NumaMachine parse_numa_machine(std::string_view text, const std::string& file) {
  const json object = json::parse(text, nullptr, false);
  check_input(object.is_object(), file + " is not a JSON object that describes a machine");
  refuse_unknown_keys(object, file);
  const Reader reader(object, file);
  NumaMachine machine;
  machine.name =
      object.contains("name") && object["name"].is_string() ? object["name"].get<std::string>() : file;
  const int nodes = reader.count("nodes", most_nodes);
  machine.cores_per_node = reader.count("cores_per_node", 1 << 16);
  machine.memory = reader.rates("memory_gb_s", nodes);
  machine.link = reader.matrix("link_gb_s", nodes);
  machine.core_local = reader.rate("core_local_gb_s");
  machine.core_remote = reader.rate("core_remote_gb_s");
  machine.barrier_seconds = reader.microseconds("barrier_us");
  return machine;
}

NumaMachine read_numa_machine(const std::string& file) {
  return parse_numa_machine(read_file(file), file);
}

}  // namespace taihu::model
