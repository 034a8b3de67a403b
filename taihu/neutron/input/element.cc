// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/input/element.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>

#include "taihu/base/error.h"
#include "taihu/base/formatted.h"

namespace taihu::neutron {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::ptrdiff_t> line_starts_of(const std::string& text) {
  std::vector<std::ptrdiff_t> starts{0};
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
    starts.push_back(static_cast<std::ptrdiff_t>(at) + 1);
  return starts;
}

/// "line:column" of a place in a text, both from 1.
std::string line_and_column(const std::vector<std::ptrdiff_t>& line_starts, std::ptrdiff_t offset) {
  const std::ptrdiff_t place = std::max<std::ptrdiff_t>(offset, 0);
  const auto next = std::upper_bound(line_starts.begin(), line_starts.end(), place);
  return std::to_string(next - line_starts.begin()) + ":" + std::to_string(place - next[-1] + 1);
}

template <typename T>
bool parse(const std::string& word, T& value) {
  const char *first = word.data(), *last = word.data() + word.size();
  if (first != last && *first == '+') ++first;
  const auto [end, error] = std::from_chars(first, last, value);
  return error == std::errc() && end == last && first != last;
}

/// Whether XML has this character (XML 1.0, section 2.2).
bool is_character(unsigned long code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return code < 0xd800 || (code > 0xdfff && code < 0xfffe) || (code > 0xffff && code <= 0x10ffff);
}

/// Whether what follows '&' is no number of a character: another reference, or one that XML has.
bool is_good_reference(const std::string& text, std::size_t at) {
  if (text.compare(at, 2, "&#") != 0) return true;
  const bool is_hexadecimal = text.compare(at, 3, "&#x") == 0;
  unsigned long code = 0;
  const char* const end_of_text = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data() + at + (is_hexadecimal ? 3 : 2), end_of_text, code,
                                            is_hexadecimal ? 16 : 10);
  return error == std::errc() && end != end_of_text && *end == ';' && is_character(code);
}

/// Number of bytes of the UTF-8 character at `at`; 0 where there is none, or one that XML does not allow.
std::size_t character_bytes(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  unsigned code = first & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  const unsigned least = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return first >= 0xc0 && first < 0xf8 && code >= least && code <= 0x10ffff && !surrogate ? bytes : 0;
}

/// Other encodings would give other characters, or wrong positions in messages.
void check_characters(const std::string& path, const std::string& text,
                      const std::vector<std::ptrdiff_t>& line_starts, pugi::xml_encoding encoding) {
  check_input(encoding == pugi::encoding_utf8, path + ": is not encoded in UTF-8; save it so");
  for (std::size_t at = 0, bytes = 0; at < text.size(); at += bytes) {
    bytes = character_bytes(text, at);
    if (text[at] == '&' && !is_good_reference(text, at))
      throw Error(path + ":" + line_and_column(line_starts, static_cast<std::ptrdiff_t>(at)) +
                  ": this reference is not to a character of XML");
    if (bytes != 0) continue;
    throw Error(path + ":" + line_and_column(line_starts, static_cast<std::ptrdiff_t>(at)) +
                formatted(": the byte 0x%02x is not a character of XML in UTF-8",
                          static_cast<unsigned char>(text[at])));
  }
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
  line_starts_ = line_starts_of(content_);
  const pugi::xml_parse_result result = document_.load_buffer(content_.data(), content_.size());
  if (!result) {
    throw Error(path + ":" + line_and_column(line_starts_, result.offset) + ": not well-formed XML (" +
                result.description() + ")");
  }
  check_characters(path, content_, line_starts_, result.encoding);
  check_input(!document_.document_element().empty(), path + ": has no element");
}

std::string XmlFile::place_of(const pugi::xml_node& node) const {
  return path_ + ":" + line_and_column(line_starts_, node.offset_debug() - 1);
}

Element::Element(std::shared_ptr<const XmlFile> file, pugi::xml_node node)
    : file_(std::move(file)), node_(node) {}

void Element::fail(const std::string& problem) const {
  throw Error(place() + "<" + node_.name() + ">: " + one_line(problem));
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
  return Element(file_, child).only_text();
}

std::string Element::only_text() const {
  std::string text;
  require(node_.first_attribute().empty(), "has attributes, but its text is its value");
  for (const pugi::xml_node& part : node_.children()) {
    require(part.type() != pugi::node_element, "has elements, but its text is its value");
    text += part.value();  // comments divide it
  }
  return trimmed(text);
}

std::string Element::text(const std::string& key, const std::string& otherwise) {
  used_.insert(key);
  return has(key) ? text(key) : otherwise;
}

int Element::integer(const std::string& key) {
  int value = 0;
  const std::string word = text(key);
  require(parse(word, value), "\"" + key + "\" has to be a whole number, not \"" + word + "\"");
  return value;
}

int Element::id() {
  const int value = integer("id");
  require(value >= 0, "\"id\" must not be negative");
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
    require(parse(word, value) && std::isfinite(value),
            "\"" + key + "\": \"" + word + "\" is not a number of double precision");
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
  std::set<std::string> attributes;
  for (const pugi::xml_attribute& attribute : node_.attributes()) {
    const std::string name = attribute.name();
    require(used_.contains(name), "\"" + name + "\" is not supported here");
    require(attributes.insert(name).second && node_.child(name.c_str()).empty(),
            "\"" + name + "\" is there twice");
  }
  for (const pugi::xml_node& child : node_.children()) {
    if (child.type() == pugi::node_element && !used_.contains(child.name()))
      Element(file_, child).fail("is not supported inside <" + tag() + ">");
    require(child.type() == pugi::node_element || trimmed(child.value()).empty(),
            "the text \"" + trimmed(child.value()) + "\" is not expected here");
  }
}

}  // namespace taihu::neutron
