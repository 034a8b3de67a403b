// SPDX-License-Identifier: Apache-2.0
// Inputs for the readers of HDF5 files. Damaged bytes would test libhdf5, which does not stand them; so an
// input is a list of changes to a sound file that the target wrote at its start. What comes out is a file
// that libhdf5 reads and whose objects, types, shapes, numbers and texts may be anything.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace taihu::fuzz {

class EditedHdf5 {
 public:
  /// `base`: the sound file. `words`: texts and names that the reader knows.
  EditedHdf5(std::string base, std::vector<std::string> words);

  /// Makes `path` a copy of the base and changes it as the input says, six bytes for each change.
  void write(const std::string& path, std::span<const std::uint8_t> input) const;

 private:
  /// A data set or group, or an attribute of one.
  struct Item {
    std::string object, attribute;
  };

  void change(std::int64_t file, std::span<const std::uint8_t> step) const;
  void change_object(std::int64_t file, const std::string& object, std::span<const std::uint8_t> step) const;
  void change_attribute(std::int64_t file, const Item& item, std::span<const std::uint8_t> step) const;
  const std::string& word(std::uint8_t number) const { return words_[number % words_.size()]; }

  std::vector<char> base_;
  std::vector<Item> items_;
  std::vector<std::string> words_;
};

}  // namespace taihu::fuzz
