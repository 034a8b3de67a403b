// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/edited_hdf5.h"

#include <hdf5.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "taihu/neutron/file/hdf5_handle.h"
#include "tests/fuzz/fuzz.h"

namespace taihu::fuzz {
namespace {

using namespace taihu::neutron;
using Step = std::span<const std::uint8_t>;

constexpr std::size_t step_bytes = 6;  // what to do, with which item (2), where, with which value (2)

enum ObjectChange {
  set_number,
  fill,
  reshape,
  to_text,
  to_texts,
  to_unwritten,
  remove_link,
  copy_here,
  link_here,
  object_changes
};
enum AttributeChange { set_value, resize, to_word, to_long_word, remove_attribute, attribute_changes };

/// Numbers at which readers and their arithmetic break, or small whole ones.
double number_of(std::uint8_t which, std::uint8_t small) {
  using Limits = std::numeric_limits<double>;
  static const double edges[] = {Limits::quiet_NaN(),
                                 Limits::infinity(),
                                 -Limits::infinity(),
                                 Limits::max(),
                                 -Limits::max(),
                                 Limits::denorm_min(),
                                 1e-300,
                                 0x1p31,
                                 -0x1p31,
                                 0x1p32,
                                 0x1p53,
                                 0x1p63,
                                 1e12,
                                 1e15,
                                 20000,
                                 0.5,
                                 1e-5,
                                 1e-3,
                                 1e9,
                                 2e7};
  if (which < std::size(edges)) return edges[which];
  const double value = static_cast<std::int8_t>(small);
  return which % 4 == 0 ? value * 1e5 : which % 4 == 1 ? value / 64 : value;
}

hsize_t count_of(hid_t space) {
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  return count > 0 && count < 4096 ? static_cast<hsize_t>(count) : 0;
}

/// The numbers of a data set; none where there are none.
std::vector<double> numbers_of(hid_t file, const std::string& name) {
  const Hdf5Handle set = dataset_handle(H5Dopen2(file, name.c_str(), H5P_DEFAULT));
  if (!set.ok()) return {};
  const Hdf5Handle space = space_handle(H5Dget_space(*set));
  std::vector<double> values(count_of(*space));
  if (values.empty() || H5Dread(*set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    return {};
  return values;
}

/// Replaces a data set; its attributes stay.
void replace_set(hid_t file, const std::string& name, hid_t type, hid_t space, const void* data) {
  const std::string old = "/replaced";
  const bool moved = H5Lmove(file, name.c_str(), file, old.c_str(), H5P_DEFAULT, H5P_DEFAULT) >= 0;
  {
    const Hdf5Handle made =
        dataset_handle(H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    if (made.ok() && data != nullptr) H5Dwrite(*made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    const Hdf5Handle from = object_handle(moved ? H5Oopen(file, old.c_str(), H5P_DEFAULT) : -1);
    const auto copy = [](hid_t source, const char* attribute, const H5A_info_t*, void* target) -> herr_t {
      const Hdf5Handle a = attribute_handle(H5Aopen(source, attribute, H5P_DEFAULT));
      const Hdf5Handle kind = type_handle(H5Aget_type(*a)), shape = space_handle(H5Aget_space(*a));
      const Hdf5Handle b = attribute_handle(
          H5Acreate2(*static_cast<hid_t*>(target), attribute, *kind, *shape, H5P_DEFAULT, H5P_DEFAULT));
      std::vector<char> bytes(H5Aget_storage_size(*a) + 64);
      if (H5Aread(*a, *kind, bytes.data()) < 0) return 0;
      if (b.ok()) H5Awrite(*b, *kind, bytes.data());
      H5Dvlen_reclaim(*kind, *shape, H5P_DEFAULT, bytes.data());
      return 0;
    };
    hid_t target = *made;
    if (from.ok() && made.ok()) H5Aiterate2(*from, H5_INDEX_NAME, H5_ITER_INC, nullptr, copy, &target);
  }
  if (moved) H5Ldelete(file, old.c_str(), H5P_DEFAULT);
}

void replace_numbers(hid_t file, const std::string& name, const std::vector<double>& values,
                     const std::vector<hsize_t>& shape) {
  const Hdf5Handle space =
      space_handle(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
  replace_set(file, name, H5T_NATIVE_DOUBLE, *space, values.data());
}

void set_numbers(hid_t file, const std::string& name, Step step, bool all) {
  std::vector<double> values = numbers_of(file, name);
  if (values.empty()) return;
  const double value = number_of(step[4], step[5]);
  if (all)
    values.assign(values.size(), value);
  else
    values[step[3] % values.size()] = value;
  const Hdf5Handle set = dataset_handle(H5Dopen2(file, name.c_str(), H5P_DEFAULT));
  H5Dwrite(*set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
}

/// One to three dimensions of 0 to 7; the old numbers again and again.
void reshape_numbers(hid_t file, const std::string& name, Step step) {
  const std::vector<double> old = numbers_of(file, name);
  if (old.empty()) return;
  std::vector<hsize_t> shape{step[4] % 8u};
  if (step[3] % 3 > 0) shape.push_back(step[4] / 8u % 8);
  if (step[3] % 3 > 1) shape.push_back(step[5] % 8u);
  std::size_t count = 1;
  for (const hsize_t size : shape) count *= size;
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(old[i % old.size()]);
  replace_numbers(file, name, values, shape);
}

Hdf5Handle text_type(std::size_t bytes) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, std::max<std::size_t>(bytes, 1));
  return type_handle(type);
}

void write_attribute(hid_t file, const std::string& object, const std::string& name, hid_t type, hid_t space,
                     const void* data) {
  const Hdf5Handle owner = object_handle(H5Oopen(file, object.c_str(), H5P_DEFAULT));
  if (!owner.ok()) return;
  H5Adelete(*owner, name.c_str());
  const Hdf5Handle made =
      attribute_handle(H5Acreate2(*owner, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT));
  if (made.ok()) H5Awrite(*made, type, data);
}

std::vector<double> attribute_numbers(hid_t file, const std::string& object, const std::string& name) {
  const Hdf5Handle handle =
      attribute_handle(H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
  if (!handle.ok()) return {};
  const Hdf5Handle space = space_handle(H5Aget_space(*handle));
  std::vector<double> values(count_of(*space));
  if (values.empty() || H5Aread(*handle, H5T_NATIVE_DOUBLE, values.data()) < 0) return {};
  return values;
}

}  // namespace

EditedHdf5::EditedHdf5(std::string base, std::vector<std::string> words) : words_(std::move(words)) {
  std::ifstream bytes(base, std::ios::binary);
  base_.assign(std::istreambuf_iterator<char>(bytes), {});
  words_.insert(words_.end(), {"", "x", "a\nb\x1b[31m", std::string(5000, 'w'), "\xff\xfe"});
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const hid_t file = H5Fopen(base.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const auto object = [](hid_t root, const char* name, const H5O_info_t*, void* to) -> herr_t {
    auto& items = *static_cast<std::vector<Item>*>(to);
    items.push_back({name, ""});
    const auto attribute = [](hid_t, const char* text, const H5A_info_t*, void* list) -> herr_t {
      auto& all = *static_cast<std::vector<Item>*>(list);
      const std::string owner = all.back().object;
      all.push_back({owner, text});
      return 0;
    };
    return H5Aiterate_by_name(root, name, H5_INDEX_NAME, H5_ITER_INC, nullptr, attribute, to, H5P_DEFAULT);
  };
  H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, object, &items_);
  H5Fclose(file);
}

void EditedHdf5::write(const std::string& path, Step input) const {
  write_file(path.c_str(), base_.data(), base_.size());
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  for (std::size_t at = 0; at + step_bytes <= input.size() && at < 16 * step_bytes; at += step_bytes)
    change(file, input.subspan(at, step_bytes));
  H5Fclose(file);
}

void EditedHdf5::change(std::int64_t file, Step step) const {
  const Item& item = items_[(step[1] + 256u * step[2]) % items_.size()];
  if (item.attribute.empty())
    change_object(file, item.object, step);
  else
    change_attribute(file, item, step);
}

void EditedHdf5::change_object(std::int64_t file, const std::string& object, Step step) const {
  const std::string other = items_[(step[4] + 256u * step[5]) % items_.size()].object;
  const std::string inside = object + "/" + word(step[3]);
  const Hdf5Handle scalar = space_handle(H5Screate(H5S_SCALAR));
  switch (step[0] % object_changes) {
    case set_number:
      return set_numbers(file, object, step, false);
    case fill:
      return set_numbers(file, object, step, true);
    case reshape:
      return reshape_numbers(file, object, step);
    case to_text:
      return replace_set(file, object, *text_type(word(step[3]).size()), *scalar, word(step[3]).c_str());
    case to_texts: {
      const hsize_t count[] = {step[4] % 4u};
      const Hdf5Handle space = space_handle(H5Screate_simple(1, count, nullptr));
      const std::vector<char> text(std::size_t{3} * 8, static_cast<char>(step[5]));
      return replace_set(file, object, *text_type(8), *space, text.data());
    }
    case to_unwritten: {
      const hsize_t shape[] = {hsize_t{1} << step[3] % 40, 1u + step[4] % 4u};
      const Hdf5Handle space = space_handle(H5Screate_simple(1 + step[5] % 2, shape, nullptr));
      return replace_set(file, object, H5T_NATIVE_DOUBLE, *space, nullptr);
    }
    case remove_link:
      H5Ldelete(file, object.c_str(), H5P_DEFAULT);
      return;
    case copy_here:
      H5Ocopy(file, other.c_str(), file, inside.c_str(), H5P_DEFAULT, H5P_DEFAULT);
      return;
    default:  // an object that is in two places, and cycles
      H5Lcreate_hard(file, other.c_str(), file, inside.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  }
}

void EditedHdf5::change_attribute(std::int64_t file, const Item& item, Step step) const {
  const Hdf5Handle scalar = space_handle(H5Screate(H5S_SCALAR));
  std::vector<double> values = attribute_numbers(file, item.object, item.attribute);
  const double value = number_of(step[4], step[5]);
  switch (step[0] % attribute_changes) {
    case set_value:
      if (values.empty()) values.resize(1);
      values[step[3] % values.size()] = value;
      break;
    case resize:
      values.resize(step[3] % 8, value);
      break;
    case to_word:
      return write_attribute(file, item.object, item.attribute, *text_type(word(step[3]).size()), *scalar,
                             word(step[3]).c_str());
    case to_long_word: {
      const Hdf5Handle type = text_type(1);
      H5Tset_size(*type, H5T_VARIABLE);
      const char* text = word(step[3]).c_str();
      return write_attribute(file, item.object, item.attribute, *type, *scalar, &text);
    }
    default:
      H5Adelete_by_name(file, item.object.c_str(), item.attribute.c_str(), H5P_DEFAULT);
      return;
  }
  const hsize_t count[] = {values.size()};
  const Hdf5Handle space =
      space_handle(values.size() == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, count, nullptr));
  write_attribute(file, item.object, item.attribute, H5T_NATIVE_DOUBLE, *space, values.data());
}

}  // namespace taihu::fuzz
