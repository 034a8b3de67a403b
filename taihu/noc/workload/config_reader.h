// SPDX-License-Identifier: Apache-2.0
// Reads one table of a TOML document: each key once, with its type and range. Keys that nobody has read are
// refused.
#pragma once

#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "taihu/base/error.h"

// At some texts that are not TOML the parser of toml++ 3.3 fails an assertion and ends the program. Here the
// assertion throws an exception, as other errors of the parser do.
#define TOML_ASSERT(expression) ((expression) ? void() : throw std::logic_error("not TOML: " #expression))

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wterminate"  // in its functions that throw nothing
#include <toml++/toml.h>
#pragma GCC diagnostic pop

namespace taihu::noc {

class TableReader {
 public:
  /// `name` is the table's key, empty for the document; `table` may be null (an absent table has no keys).
  TableReader(const toml::table* table, std::string path, std::string name)
      : table_(table), path_(std::move(path)), name_(std::move(name)) {}

  bool has(const std::string& key) const { return table_ != nullptr && table_->contains(key); }
  bool present() const { return table_ != nullptr; }

  std::int64_t whole(const std::string& key, std::int64_t otherwise, std::int64_t least, std::int64_t most) {
    const toml::node* node = take(key);
    if (node == nullptr) return otherwise;
    const auto value = node->value_exact<std::int64_t>();
    if (!value) fail(key, *node, "not a whole number");
    if (*value < least || *value > most)
      fail(key, *node,
           std::to_string(*value) + " is not from " + std::to_string(least) + " to " + std::to_string(most));
    return *value;
  }
  double real(const std::string& key, double otherwise, double least, double most) {
    const toml::node* node = take(key);
    if (node == nullptr) return otherwise;
    const auto value = node->value<double>();
    if (!value || node->is_boolean()) fail(key, *node, "not a number");
    if (!(*value >= least && *value <= most))
      fail(key, *node, "not from " + shorter(least) + " to " + shorter(most));
    return *value;
  }
  bool yes(const std::string& key, bool otherwise) {
    const toml::node* node = take(key);
    if (node == nullptr) return otherwise;
    if (!node->is_boolean()) fail(key, *node, "not true or false");
    return *node->value_exact<bool>();
  }
  std::string text(const std::string& key, const std::string& otherwise) {
    const toml::node* node = take(key);
    if (node == nullptr) return otherwise;
    if (!node->is_string()) fail(key, *node, "not a text in quotes");
    return *node->value_exact<std::string>();
  }
  /// One of `names`; returns its index.
  std::size_t one_of(const std::string& key, std::size_t otherwise, const std::vector<std::string>& names) {
    const toml::node* node = take(key);
    if (node == nullptr) return otherwise;
    const auto value = node->value<std::string>();
    for (std::size_t number = 0; value && number < names.size(); ++number)
      if (names[number] == *value) return number;
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    fail(key, *node, "not one of " + list);
  }
  /// The TOML node of a key that the caller reads itself; null when absent.
  const toml::node* take(const std::string& key) {
    taken_.insert(key);
    return table_ == nullptr ? nullptr : table_->get(key);
  }
  [[noreturn]] void fail(const std::string& key, const toml::node& node, const std::string& problem) const {
    throw Error(path_ + ":" + std::to_string(node.source().begin.line) + ": " + full(key) + ": " + problem);
  }
  /// At the key, or at the table when the key is absent.
  [[noreturn]] void fail(const std::string& key, const std::string& problem) const {
    if (table_ == nullptr) throw Error(path_ + ":1: " + full(key) + ": " + problem);
    const toml::node* node = table_->get(key);
    fail(key, node != nullptr ? *node : static_cast<const toml::node&>(*table_), problem);
  }
  /// Refuses keys that nobody has read.
  void end() const {
    if (table_ == nullptr) return;
    for (const auto& [key, node] : *table_)
      if (taken_.find(std::string(key.str())) == taken_.end())
        fail(std::string(key.str()), node, "unknown key");
  }

 private:
  static std::string shorter(double value) {
    std::string text = std::to_string(value);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text;
  }
  /// Keys in quotes may contain line ends, but an error message is one line.
  std::string full(const std::string& key) const {
    std::string text = name_.empty() ? key : name_ + "." + key;
    for (char& each : text)
      if (static_cast<unsigned char>(each) < ' ') each = '?';
    return text;
  }

  const toml::table* table_;
  std::string path_, name_;
  std::set<std::string> taken_;
};

}  // namespace taihu::noc
