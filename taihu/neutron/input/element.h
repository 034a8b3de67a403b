// SPDX-License-Identifier: Apache-2.0
// XML read strictly: every attribute and child has to be asked for, or finish() refuses it by name, file and
// line.
//
// A value such as "id" may be written as an attribute or as a child element, as OpenMC's files allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <vector>

namespace taihu::neutron {

/// A parsed file, of UTF-8; lives as long as its elements.
class XmlFile {
 public:
  /// Throws Error with line when the file is missing or not well formed.
  explicit XmlFile(const std::string& path);
  const std::string& path() const noexcept { return path_; }
  pugi::xml_node root() const noexcept { return document_.document_element(); }
  /// "path:line:column" of the tag.
  std::string place_of(const pugi::xml_node& node) const;

 private:
  std::string path_, content_;
  std::vector<std::ptrdiff_t> line_starts_;  ///< offsets
  pugi::xml_document document_;
};

class Element {
 public:
  Element(std::shared_ptr<const XmlFile> file, pugi::xml_node node);

  std::string tag() const { return node_.name(); }

  /// Throws Error "file:line:column: <tag>: problem".
  [[noreturn]] void fail(const std::string& problem) const;
  void require(bool holds, const std::string& problem) const {
    if (!holds) fail(problem);
  }

  bool has(const std::string& key) const;
  std::string place() const { return file_->place_of(node_) + ": "; }

  /// Value of attribute or child `key`, without surrounding blanks. The first form fails when there is none.
  std::string text(const std::string& key);
  std::string text(const std::string& key, const std::string& otherwise);
  int integer(const std::string& key);
  int integer(const std::string& key, int otherwise);
  int id();  ///< a whole number from 0 on
  std::int64_t long_integer(const std::string& key, std::int64_t otherwise);
  double number(const std::string& key);
  double number(const std::string& key, double otherwise);
  bool boolean(const std::string& key, bool otherwise);
  std::vector<double> numbers(const std::string& key);
  std::vector<int> integers(const std::string& key);
  std::vector<std::string> words(const std::string& key);

  std::vector<Element> children(const std::string& tag);
  std::optional<Element> child(const std::string& tag);

  /// Accepts `key` without reading it: it has no effect on the result here. Say why at the call.
  void ignore(const std::string& key) { used_.insert(key); }

  /// Fails on the first attribute, child or text that was not asked for, and on any that is there twice.
  void finish() const;

 private:
  std::string only_text() const;

  std::shared_ptr<const XmlFile> file_;
  pugi::xml_node node_;
  std::set<std::string> used_;
};

std::vector<std::string> split_words(const std::string& text);

}  // namespace taihu::neutron
