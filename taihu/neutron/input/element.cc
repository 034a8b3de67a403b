// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/input/element.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>

#include "taihu/base/error.h"

namespace taihu::neutron {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

/// "line:column" of a place in a text, both from 1.
std::string line_and_column(const std::string& text, std::ptrdiff_t offset) {
  const auto place = text.begin() + std::clamp<std::ptrdiff_t>(offset, 0, std::ssize(text));
  auto line_start = place;
  while (line_start != text.begin() && line_start[-1] != '\n') --line_start;
  return std::to_string(std::count(text.begin(), place, '\n') + 1) + ":" +
         std::to_string(place - line_start + 1);
}

template <typename T>
bool parse(const std::string& word, T& value) {
  const char *first = word.data(), *last = word.data() + word.size();
  if (first != last && *first == '+') ++first;
  const auto [end, error] = std::from_chars(first, last, value);
  return error == std::errc() && end == last && first != last;
}

}  // namespace

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

XmlFile::XmlFile(const std::string& path) : path_(path) {
  std::ifstream file(path, std::ios::binary);
  check_input(file.good(), path + ": cannot be opened");
  content_.assign(std::istreambuf_iterator<char>(file), {});
  const pugi::xml_parse_result result = document_.load_buffer(content_.data(), content_.size());
  if (!result) {
    throw Error(path + ":" + line_and_column(content_, result.offset) + ": not well-formed XML (" +
                result.description() + ")");
  }
  check_input(!document_.document_element().empty(), path + ": has no element");
}

std::string XmlFile::place_of(const pugi::xml_node& node) const {
  return path_ + ":" + line_and_column(content_, node.offset_debug() - 1);
}

Element::Element(std::shared_ptr<const XmlFile> file, pugi::xml_node node)
    : file_(std::move(file)), node_(node) {}

void Element::fail(const std::string& problem) const {
  throw Error(file_->place_of(node_) + ": <" + node_.name() + ">: " + problem);
}

bool Element::has(const std::string& key) const {
  return !node_.attribute(key.c_str()).empty() || !node_.child(key.c_str()).empty();
}

std::string Element::text(const std::string& key) {
  used_.insert(key);
  if (const pugi::xml_attribute attribute = node_.attribute(key.c_str())) return trimmed(attribute.value());
  const pugi::xml_node child = node_.child(key.c_str());
  if (!child) fail("\"" + key + "\" is missing");
  require(!child.next_sibling(key.c_str()), "<" + key + "> is there twice");
  return trimmed(child.child_value());
}

std::string Element::text(const std::string& key, const std::string& otherwise) {
  used_.insert(key);
  return has(key) ? text(key) : otherwise;
}

std::string Element::content() {
  return trimmed(node_.child_value());
}

int Element::integer(const std::string& key) {
  int value = 0;
  const std::string word = text(key);
  require(parse(word, value), "\"" + key + "\" has to be a whole number, not \"" + word + "\"");
  return value;
}

int Element::integer(const std::string& key, int otherwise) {
  used_.insert(key);
  return has(key) ? integer(key) : otherwise;
}

std::int64_t Element::long_integer(const std::string& key, std::int64_t otherwise) {
  used_.insert(key);
  if (!has(key)) return otherwise;
  std::int64_t value = 0;
  const std::string word = text(key);
  require(parse(word, value), "\"" + key + "\" has to be a whole number, not \"" + word + "\"");
  return value;
}

double Element::number(const std::string& key) {
  const std::vector<double> values = numbers(key);
  require(values.size() == 1, "\"" + key + "\" has to be one number");
  return values[0];
}

double Element::number(const std::string& key, double otherwise) {
  used_.insert(key);
  return has(key) ? number(key) : otherwise;
}

bool Element::boolean(const std::string& key, bool otherwise) {
  used_.insert(key);
  if (!has(key)) return otherwise;
  const std::string word = text(key);
  if (word == "true" || word == "True" || word == "1") return true;
  require(word == "false" || word == "False" || word == "0", "\"" + key + "\" has to be true or false");
  return false;
}

std::vector<double> Element::numbers(const std::string& key) {
  std::vector<double> values;
  for (const std::string& word : split_words(text(key))) {
    double value = 0;
    require(parse(word, value) && std::isfinite(value), "\"" + key + "\": \"" + word + "\" is not a number");
    values.push_back(value);
  }
  return values;
}

std::vector<int> Element::integers(const std::string& key) {
  std::vector<int> values;
  for (const std::string& word : split_words(text(key))) {
    int value = 0;
    require(parse(word, value), "\"" + key + "\": \"" + word + "\" is not a whole number");
    values.push_back(value);
  }
  return values;
}

std::vector<std::string> Element::words(const std::string& key) {
  return split_words(text(key));
}

std::vector<Element> Element::children(const std::string& tag) {
  used_.insert(tag);
  require(node_.attribute(tag.c_str()).empty(), "\"" + tag + "\" has to be an element, not an attribute");
  std::vector<Element> result;
  for (const pugi::xml_node& child : node_.children(tag.c_str())) result.emplace_back(file_, child);
  return result;
}

std::optional<Element> Element::child(const std::string& tag) {
  const std::vector<Element> all = children(tag);
  if (all.empty()) return std::nullopt;
  require(all.size() == 1, "<" + tag + "> is there twice");
  return all[0];
}

void Element::finish() const {
  for (const pugi::xml_attribute& attribute : node_.attributes())
    require(used_.contains(attribute.name()),
            std::string("\"") + attribute.name() + "\" is not supported here");
  for (const pugi::xml_node& child : node_.children())
    if (child.type() == pugi::node_element && !used_.contains(child.name()))
      Element(file_, child).fail("is not supported inside <" + tag() + ">");
}

}  // namespace taihu::neutron
