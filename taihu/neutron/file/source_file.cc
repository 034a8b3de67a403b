// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/file/source_file.h"

#include <cmath>
#include <cstddef>

#include "taihu/base/error.h"
#include "taihu/base/output_file.h"
#include "taihu/neutron/file/hdf5_file.h"

namespace taihu::neutron {
namespace {

constexpr std::int64_t most_records = 1'000'000'000;

/// The members in the order and with the names that OpenMC has.
std::vector<std::string> members_of(hid_t type) {
  std::vector<std::string> names;
  if (H5Tget_class(type) != H5T_COMPOUND) return names;
  for (int i = 0; i < H5Tget_nmembers(type); ++i) {
    char* name = H5Tget_member_name(type, static_cast<unsigned>(i));
    names.emplace_back(name);
    H5free_memory(name);
  }
  return names;
}

/// Whether the members are numbers that lie one behind the other inside the record. HDF5 itself does not
/// look, and converting a damaged type would read beyond its end.
bool is_sound(hid_t type) {
  std::size_t end = 0;
  for (int i = 0; i < H5Tget_nmembers(type); ++i) {
    const Hdf5Handle member = type_handle(H5Tget_member_type(type, static_cast<unsigned>(i)));
    const std::size_t at = H5Tget_member_offset(type, static_cast<unsigned>(i));
    if (!member.ok() || at < end) return false;
    const H5T_class_t kind = H5Tget_class(*member);
    const std::size_t size = H5Tget_size(*member);
    const bool number = (kind == H5T_FLOAT && (size == 4 || size == 8)) || (kind == H5T_INTEGER && size <= 8);
    if (size == 0 || !(number || (kind == H5T_COMPOUND && is_sound(*member)))) return false;
    end = at + size;
  }
  return end > 0 && end <= H5Tget_size(type) && H5Tget_size(type) <= 4 * sizeof(BankRecord);
}

}  // namespace

Hdf5Handle bank_type() {
  const Hdf5Handle vector = vector_type();
  const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(BankRecord));
  H5Tinsert(type, "r", offsetof(BankRecord, r), *vector);
  H5Tinsert(type, "u", offsetof(BankRecord, u), *vector);
  H5Tinsert(type, "E", offsetof(BankRecord, energy), H5T_IEEE_F64LE);
  H5Tinsert(type, "time", offsetof(BankRecord, time), H5T_IEEE_F64LE);
  H5Tinsert(type, "wgt", offsetof(BankRecord, weight), H5T_IEEE_F64LE);
  H5Tinsert(type, "delayed_group", offsetof(BankRecord, delayed_group), H5T_STD_I32LE);
  H5Tinsert(type, "surf_id", offsetof(BankRecord, surface), H5T_STD_I32LE);
  H5Tinsert(type, "particle", offsetof(BankRecord, particle), H5T_STD_I32LE);
  return type_handle(type);
}

bool is_possible(const BankRecord& record) noexcept {
  const auto square = [](double x, double y, double z) { return x * x + y * y + z * z; };
  const double place = square(record.r[0], record.r[1], record.r[2]),
               direction = square(record.u[0], record.u[1], record.u[2]);
  return place < 1e100 && std::fabs(direction - 1) < 1e-6 && record.energy >= 0 && record.energy < 1e20 &&
         record.time >= 0 && record.time < 1e100 && record.weight > 0 && record.weight < 1e20;
}

std::vector<BankRecord> read_source_file(const std::string& path) {
  const Hdf5File file(path, Hdf5File::Mode::read);
  const std::string kind =
      file.has_attribute("/", "filetype") ? file.attribute_text("/", "filetype") : std::string();
  if (kind != "source" && kind != "statepoint") file.fail("this is neither a source file nor a statepoint");
  if (!file.exists("/source_bank")) file.fail("it has no source bank");
  const Hdf5Handle set = dataset_handle(H5Dopen2(file.id(), "/source_bank", H5P_DEFAULT));
  if (!set.ok()) file.fail("source_bank is not a data set");
  const Hdf5Handle type = type_handle(H5Dget_type(*set)), space = space_handle(H5Dget_space(*set));
  if (!type.ok() || !is_sound(*type) || members_of(*type) != members_of(*bank_type()))
    file.fail(
        "the neutrons of its source bank have other members than r, u, E, time, wgt, delayed_group, "
        "surf_id and particle, as files of OpenMC 0.13 to 0.15 have");
  const hssize_t count = space.ok() ? H5Sget_simple_extent_npoints(*space) : -1;
  if (count < 1 || count > most_records) file.fail("its source bank has no neutrons, or more than 10^9");
  std::vector<BankRecord> records(static_cast<std::size_t>(count));
  if (H5Dread(*set, *bank_type(), H5S_ALL, H5S_ALL, H5P_DEFAULT, records.data()) < 0)
    file.fail("its source bank cannot be read");
  for (const BankRecord& record : records) {
    if (record.particle != 0) file.fail("its source bank has other particles than neutrons");
    if (!is_possible(record))
      file.fail("its source bank has a neutron of impossible place, direction, energy, time or weight");
  }
  return records;
}

void write_source_file(const std::string& path, const std::vector<BankRecord>& records) {
  write_and_replace(path, [&](const std::string& temporary) {
    Hdf5File file(temporary, Hdf5File::Mode::create);
    file.write_attribute("/", "filetype", std::string("source"));
    file.write_records("/source_bank", *bank_type(), records.data(), records.size());
    file.close();
  });
}

}  // namespace taihu::neutron
