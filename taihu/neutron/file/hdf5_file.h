// SPDX-License-Identifier: Apache-2.0
// The part of HDF5 that the readers and writers here need: groups, attributes and arrays of numbers and
// texts, with errors that name the file and the object. Objects are named by their path from the root of the
// file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taihu::neutron {

class Hdf5File {
 public:
  enum class Mode { read, create, append };

  /// Opens or creates; append: a file that is there gets more objects. Throws Error.
  Hdf5File(const std::string& path, Mode mode);
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  /// Writes everything to the file system and closes. Throws Error; the destructor closes silently.
  void close();

  bool exists(const std::string& object) const;
  bool has_attribute(const std::string& object, const std::string& name) const;
  std::vector<std::string> names_in(const std::string& group) const;

  /// All elements in row-major order. Throws Error when there is none or it is not of numbers / text.
  std::vector<double> doubles(const std::string& dataset) const;
  std::vector<std::int64_t> integers(const std::string& dataset) const;
  std::string text(const std::string& dataset) const;
  std::vector<std::string> texts(const std::string& dataset) const;  ///< of fixed length
  std::vector<std::int64_t> shape(const std::string& dataset) const;
  double number(const std::string& dataset) const;
  std::int64_t integer(const std::string& dataset) const;
  std::vector<double> attribute_doubles(const std::string& object, const std::string& name) const;
  double attribute_number(const std::string& object, const std::string& name) const;
  std::int64_t attribute_integer(const std::string& object, const std::string& name) const;
  std::string attribute_text(const std::string& object, const std::string& name) const;
  /// One text or an array of texts of fixed length.
  std::vector<std::string> attribute_texts(const std::string& object, const std::string& name) const;

  /// Throws Error when the file declares another type or another major version.
  void require_format(const std::string& what, const std::string& type, int version) const;

  void make_group(const std::string& group);
  /// An empty shape writes one value.
  void write(const std::string& dataset, const std::vector<double>& values,
             const std::vector<std::int64_t>& shape);
  void write(const std::string& dataset, const std::vector<double>& values) {
    write(dataset, values, {static_cast<std::int64_t>(values.size())});
  }
  void write_integers(const std::string& dataset, const std::vector<std::int64_t>& values,
                      const std::vector<std::int64_t>& shape, bool wide = false);
  void write_integers(const std::string& dataset, const std::vector<int>& values);
  void write_number(const std::string& dataset, double value) { write(dataset, {value}, {}); }
  void write_integer(const std::string& dataset, std::int64_t value, bool wide = false) {
    write_integers(dataset, {value}, {}, wide);
  }
  /// `count` records of the compound type with the identifier `type`, as they lie in memory.
  void write_records(const std::string& dataset, std::int64_t type, const void* records, std::size_t count);
  void write_text(const std::string& dataset, const std::string& value);
  void write_texts(const std::string& dataset, const std::vector<std::string>& values);
  void write_attribute(const std::string& object, const std::string& name, const std::string& value);
  void write_attribute(const std::string& object, const std::string& name, std::int64_t value);
  void write_attribute(const std::string& object, const std::string& name, const std::vector<int>& values);
  void write_attribute(const std::string& object, const std::string& name, const std::vector<double>& values);
  void write_number_attribute(const std::string& object, const std::string& name, double value);

  std::int64_t id() const noexcept { return file_; }
  const std::string& path() const noexcept { return path_; }

  [[noreturn]] void fail(const std::string& problem) const;

 private:
  template <typename T>
  std::vector<T> read_all(const std::string& dataset, std::int64_t memory_type) const;

  std::string path_;
  std::int64_t file_ = -1;
};

}  // namespace taihu::neutron
