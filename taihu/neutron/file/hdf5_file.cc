// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/file/hdf5_file.h"

#include <algorithm>
#include <cmath>

#include "taihu/base/error.h"
#include "taihu/base/formatted.h"
#include "taihu/neutron/file/hdf5_handle.h"

namespace taihu::neutron {
namespace {

constexpr hssize_t most_elements = hssize_t{1} << 32, few_elements = 4096;
/// How many numbers one stored byte can expand to; deflate makes at most 1032 bytes of one.
constexpr hsize_t most_compressed = 1032;

static_assert(sizeof(hid_t) == sizeof(std::int64_t));
using Handle = Hdf5Handle;

/// Text of an attribute or data set read by `read`, of fixed or variable length.
template <typename Read>
bool read_text(hid_t type, Read read, std::string& text) {
  if (H5Tget_class(type) != H5T_STRING) return false;
  if (H5Tis_variable_str(type) > 0) {
    char* value = nullptr;
    const Handle memory = type_handle(H5Tcopy(H5T_C_S1));
    H5Tset_size(*memory, H5T_VARIABLE);
    H5Tset_cset(*memory, H5Tget_cset(type));
    if (read(*memory, &value) < 0 || value == nullptr) return false;
    text = value;
    H5free_memory(value);
    return true;
  }
  const std::size_t size = H5Tget_size(type);
  if (size == 0 || size > (1u << 20)) return false;
  std::vector<char> buffer(size + 1);
  if (read(type, buffer.data()) < 0) return false;
  text = buffer.data();
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return true;
}

bool is_number(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  return kind == H5T_INTEGER || kind == H5T_FLOAT || kind == H5T_ENUM;
}

hid_t text_type(std::size_t size) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, std::max<std::size_t>(size, 1));
  return type;
}

hid_t make_space(const std::vector<std::int64_t>& shape) {
  if (shape.empty()) return H5Screate(H5S_SCALAR);
  std::vector<hsize_t> sizes(shape.begin(), shape.end());
  return H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
}

/// Whether `count` texts have one fixed length that is plausible for the file.
bool is_text_list(hid_t type, hssize_t count) {
  if (type < 0 || count < 0 || count > 65536 || H5Tget_class(type) != H5T_STRING ||
      H5Tis_variable_str(type) > 0)
    return false;
  const std::size_t size = H5Tget_size(type);
  return size > 0 && size <= 4096;
}

/// Texts of `size` bytes each, without their padding.
std::vector<std::string> split_texts(const std::vector<char>& buffer, std::size_t size) {
  std::vector<std::string> texts;
  for (auto first = buffer.begin(); first != buffer.end(); first += static_cast<std::ptrdiff_t>(size)) {
    std::string text(first, std::find(first, first + static_cast<std::ptrdiff_t>(size), '\0'));
    while (!text.empty() && text.back() == ' ') text.pop_back();
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

Hdf5File::Hdf5File(const std::string& path, Mode mode) : path_(path) {
  // At the end of the program the library would try again to write data that it could not write, and crash.
  // So everything is closed here.
  static const herr_t not_at_exit = H5dont_atexit();
  (void)not_at_exit;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  file_ = mode == Mode::create
              ? H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
              : H5Fopen(path.c_str(), mode == Mode::read ? H5F_ACC_RDONLY : H5F_ACC_RDWR, H5P_DEFAULT);
  if (file_ < 0)
    throw Error(path +
                (mode == Mode::create ? ": cannot be created"
                 : mode == Mode::read
                     ? ": cannot be read as an HDF5 file (missing, damaged or another format)"
                     : ": cannot be opened as an HDF5 file to add to it (missing, damaged or read-only)"));
}

Hdf5File::~Hdf5File() {
  if (file_ >= 0) H5Fclose(file_);
}

void Hdf5File::close() {
  const bool flushed = H5Fflush(file_, H5F_SCOPE_LOCAL) >= 0;
  const bool closed = H5Fclose(file_) >= 0;
  file_ = -1;
  if (!flushed || !closed) fail("writing failed; is the disk full?");
}

void Hdf5File::fail(const std::string& problem) const {
  throw Error(path_ + ": " + one_line(problem));
}

bool Hdf5File::exists(const std::string& object) const {
  // HDF5 can ask for a link only if all links before it on the path exist.
  for (std::size_t slash = object.find('/', 1);; slash = object.find('/', slash + 1)) {
    if (H5Lexists(file_, object.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
    if (slash == std::string::npos) return true;
  }
}

bool Hdf5File::has_attribute(const std::string& object, const std::string& name) const {
  return H5Aexists_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Hdf5File::names_in(const std::string& group) const {
  const Handle handle = group_handle(H5Gopen2(file_, group.c_str(), H5P_DEFAULT));
  H5G_info_t info;
  if (!handle.ok() || H5Gget_info(*handle, &info) < 0) fail("group " + group + " is missing");
  std::vector<std::string> names;
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    char name[1024];
    if (H5Lget_name_by_idx(*handle, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT) < 0)
      fail("group " + group + " is damaged");
    names.emplace_back(name);
  }
  return names;
}

template <typename T>
std::vector<T> Hdf5File::read_all(const std::string& dataset, std::int64_t memory_type) const {
  const Handle handle = dataset_handle(exists(dataset) ? H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT) : -1);
  if (!handle.ok()) fail("data set " + dataset + " is missing");
  const Handle type = type_handle(H5Dget_type(*handle)), space = space_handle(H5Dget_space(*handle));
  if (!type.ok() || !is_number(*type)) fail("data set " + dataset + " is not of numbers");
  const hssize_t count = space.ok() ? H5Sget_simple_extent_npoints(*space) : -1;
  if (count < 0 || count > most_elements) fail("data set " + dataset + " has an impossible size");
  // Data that are not in the file read as zero, so a small file could ask for any amount of memory.
  if (count > few_elements && static_cast<hsize_t>(count) / most_compressed > H5Dget_storage_size(*handle))
    fail("data set " + dataset + " has a size that its data do not have");
  std::vector<T> values(count);
  if (count > 0 && H5Dread(*handle, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    fail("data set " + dataset + " cannot be read");
  return values;
}

std::vector<double> Hdf5File::doubles(const std::string& dataset) const {
  return read_all<double>(dataset, H5T_NATIVE_DOUBLE);
}

std::vector<std::int64_t> Hdf5File::integers(const std::string& dataset) const {
  return read_all<std::int64_t>(dataset, H5T_NATIVE_INT64);
}

std::string Hdf5File::text(const std::string& dataset) const {
  const Handle handle = dataset_handle(exists(dataset) ? H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT) : -1);
  if (!handle.ok()) fail("data set " + dataset + " is missing");
  const Handle type = type_handle(H5Dget_type(*handle)), space = space_handle(H5Dget_space(*handle));
  std::string value;
  if (H5Sget_simple_extent_npoints(*space) != 1 ||
      !read_text(
          *type,
          [&](hid_t memory, void* to) { return H5Dread(*handle, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to); },
          value))
    fail("data set " + dataset + " is not a text");
  return value;
}

std::vector<std::string> Hdf5File::texts(const std::string& dataset) const {
  const Handle handle = dataset_handle(exists(dataset) ? H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT) : -1);
  if (!handle.ok()) fail("data set " + dataset + " is missing");
  const Handle type = type_handle(H5Dget_type(*handle)), space = space_handle(H5Dget_space(*handle));
  const hssize_t count = space.ok() ? H5Sget_simple_extent_npoints(*space) : -1;
  if (!is_text_list(*type, count)) fail("data set " + dataset + " is not a list of texts");
  const std::size_t size = H5Tget_size(*type);
  std::vector<char> buffer(count * size);
  if (count > 0 && H5Dread(*handle, *type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer.data()) < 0)
    fail("data set " + dataset + " cannot be read");
  return split_texts(buffer, size);
}

std::vector<std::int64_t> Hdf5File::shape(const std::string& dataset) const {
  const Handle handle = dataset_handle(exists(dataset) ? H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT) : -1);
  if (!handle.ok()) fail("data set " + dataset + " is missing");
  const Handle space = space_handle(H5Dget_space(*handle));
  hsize_t sizes[H5S_MAX_RANK];
  const int rank = H5Sget_simple_extent_dims(*space, sizes, nullptr);
  if (rank < 0) fail("data set " + dataset + " has no shape");
  return {sizes, sizes + rank};
}

double Hdf5File::number(const std::string& dataset) const {
  const std::vector<double> values = doubles(dataset);
  if (values.size() != 1) fail("data set " + dataset + " is not one number");
  return values[0];
}

std::int64_t Hdf5File::integer(const std::string& dataset) const {
  const std::vector<std::int64_t> values = integers(dataset);
  if (values.size() != 1) fail("data set " + dataset + " is not one number");
  return values[0];
}

std::vector<double> Hdf5File::attribute_doubles(const std::string& object, const std::string& name) const {
  const Handle handle =
      attribute_handle(H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
  if (!handle.ok()) fail("attribute \"" + name + "\" of " + object + " is missing");
  const Handle type = type_handle(H5Aget_type(*handle)), space = space_handle(H5Aget_space(*handle));
  const hssize_t count = space.ok() ? H5Sget_simple_extent_npoints(*space) : -1;
  if (!type.ok() || !is_number(*type) || count < 0 || count > (1 << 20))
    fail("attribute \"" + name + "\" of " + object + " is not of numbers");
  std::vector<double> values(count);
  if (count > 0 && H5Aread(*handle, H5T_NATIVE_DOUBLE, values.data()) < 0)
    fail("attribute \"" + name + "\" of " + object + " cannot be read");
  return values;
}

double Hdf5File::attribute_number(const std::string& object, const std::string& name) const {
  const std::vector<double> values = attribute_doubles(object, name);
  if (values.size() != 1 || !std::isfinite(values[0]))
    fail("attribute \"" + name + "\" of " + object + " is not one number");
  return values[0];
}

std::int64_t Hdf5File::attribute_integer(const std::string& object, const std::string& name) const {
  const std::vector<double> values = attribute_doubles(object, name);
  if (values.size() != 1 || !(values[0] >= -1e15 && values[0] <= 1e15))
    fail("attribute \"" + name + "\" of " + object + " is not one number");
  return static_cast<std::int64_t>(values[0]);
}

std::string Hdf5File::attribute_text(const std::string& object, const std::string& name) const {
  const Handle handle =
      attribute_handle(H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
  if (!handle.ok()) fail("attribute \"" + name + "\" of " + object + " is missing");
  const Handle type = type_handle(H5Aget_type(*handle)), space = space_handle(H5Aget_space(*handle));
  std::string value;
  if (!type.ok() || H5Sget_simple_extent_npoints(*space) != 1 ||
      !read_text(*type, [&](hid_t memory, void* to) { return H5Aread(*handle, memory, to); }, value))
    fail("attribute \"" + name + "\" of " + object + " is not a text");
  return value;
}

std::vector<std::string> Hdf5File::attribute_texts(const std::string& object, const std::string& name) const {
  const Handle handle =
      attribute_handle(H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
  if (!handle.ok()) fail("attribute \"" + name + "\" of " + object + " is missing");
  const Handle type = type_handle(H5Aget_type(*handle)), space = space_handle(H5Aget_space(*handle));
  const hssize_t count = space.ok() ? H5Sget_simple_extent_npoints(*space) : -1;
  if (count == 1) return {attribute_text(object, name)};
  if (!is_text_list(*type, count))
    fail("attribute \"" + name + "\" of " + object + " is not a list of texts");
  const std::size_t size = H5Tget_size(*type);
  std::vector<char> buffer(count * size);
  if (count > 0 && H5Aread(*handle, *type, buffer.data()) < 0)
    fail("attribute \"" + name + "\" of " + object + " cannot be read");
  return split_texts(buffer, size);
}

void Hdf5File::require_format(const std::string& what, const std::string& type, int version) const {
  if (has_attribute("/", "filetype") && attribute_text("/", "filetype") != type)
    fail("this is not a " + what + " (filetype \"" + attribute_text("/", "filetype") + "\")");
  if (!has_attribute("/", "version")) return;
  const std::vector<double> found = attribute_doubles("/", "version");
  if (found.empty() || found[0] != version)
    fail("this " + what + " has version " + (found.empty() ? "" : formatted("%g", found[0])) +
         " of its format; version " + std::to_string(version) + " is supported");
}

void Hdf5File::make_group(const std::string& group) {
  const Handle handle = group_handle(H5Gcreate2(file_, group.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  if (!handle.ok()) fail("group " + group + " cannot be written");
}

namespace {

bool write_data(hid_t file, const std::string& name, hid_t file_type, hid_t memory_type, const void* data,
                const std::vector<std::int64_t>& shape) {
  const Handle space = space_handle(make_space(shape));
  const Handle handle = dataset_handle(
      H5Dcreate2(file, name.c_str(), file_type, *space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  if (!handle.ok()) return false;
  const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  return empty || H5Dwrite(*handle, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
}

bool write_attribute_data(hid_t file, const std::string& object, const std::string& name, hid_t type,
                          const void* data, const std::vector<std::int64_t>& shape) {
  const Handle owner = object_handle(H5Oopen(file, object.c_str(), H5P_DEFAULT));
  const Handle space = space_handle(make_space(shape));
  if (!owner.ok()) return false;
  const Handle handle =
      attribute_handle(H5Acreate2(*owner, name.c_str(), type, *space, H5P_DEFAULT, H5P_DEFAULT));
  const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  return handle.ok() && (empty || H5Awrite(*handle, type, data) >= 0);
}

}  // namespace

void Hdf5File::write(const std::string& dataset, const std::vector<double>& values,
                     const std::vector<std::int64_t>& shape) {
  if (!write_data(file_, dataset, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data(), shape))
    fail("data set " + dataset + " cannot be written");
}

void Hdf5File::write_integers(const std::string& dataset, const std::vector<std::int64_t>& values,
                              const std::vector<std::int64_t>& shape, bool wide) {
  if (!write_data(file_, dataset, wide ? H5T_STD_I64LE : H5T_STD_I32LE, H5T_NATIVE_INT64, values.data(),
                  shape))
    fail("data set " + dataset + " cannot be written");
}

void Hdf5File::write_integers(const std::string& dataset, const std::vector<int>& values) {
  write_integers(dataset, {values.begin(), values.end()}, {static_cast<std::int64_t>(values.size())});
}

void Hdf5File::write_records(const std::string& dataset, std::int64_t type, const void* records,
                             std::size_t count) {
  if (!write_data(file_, dataset, type, type, records, {static_cast<std::int64_t>(count)}))
    fail("data set " + dataset + " cannot be written");
}

void Hdf5File::write_text(const std::string& dataset, const std::string& value) {
  const Handle type = type_handle(text_type(value.size()));
  if (!write_data(file_, dataset, *type, *type, value.c_str(), {}))
    fail("data set " + dataset + " cannot be written");
}

void Hdf5File::write_texts(const std::string& dataset, const std::vector<std::string>& values) {
  std::size_t longest = 1;
  for (const std::string& value : values) longest = std::max(longest, value.size());
  std::vector<char> buffer(longest * values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    std::copy(values[i].begin(), values[i].end(), buffer.begin() + static_cast<std::ptrdiff_t>(i * longest));
  const Handle type = type_handle(text_type(longest));
  if (!write_data(file_, dataset, *type, *type, buffer.data(), {static_cast<std::int64_t>(values.size())}))
    fail("data set " + dataset + " cannot be written");
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name, const std::string& value) {
  const Handle type = type_handle(text_type(value.size()));
  if (!write_attribute_data(file_, object, name, *type, value.c_str(), {}))
    fail("attribute " + name + " cannot be written");
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name, std::int64_t value) {
  const int narrow = static_cast<int>(value);
  if (!write_attribute_data(file_, object, name, H5T_NATIVE_INT, &narrow, {}))
    fail("attribute " + name + " cannot be written");
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name,
                               const std::vector<int>& values) {
  if (!write_attribute_data(file_, object, name, H5T_NATIVE_INT, values.data(),
                            {static_cast<std::int64_t>(values.size())}))
    fail("attribute " + name + " cannot be written");
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name,
                               const std::vector<double>& values) {
  if (!write_attribute_data(file_, object, name, H5T_NATIVE_DOUBLE, values.data(),
                            {static_cast<std::int64_t>(values.size())}))
    fail("attribute " + name + " cannot be written");
}

void Hdf5File::write_number_attribute(const std::string& object, const std::string& name, double value) {
  if (!write_attribute_data(file_, object, name, H5T_NATIVE_DOUBLE, &value, {}))
    fail("attribute " + name + " cannot be written");
}

}  // namespace taihu::neutron
