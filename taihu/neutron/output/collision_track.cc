// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/output/collision_track.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string_view>

#include "taihu/base/output_file.h"
#include "taihu/neutron/file/hdf5_file.h"
#include "taihu/neutron/file/hdf5_handle.h"
#include "taihu/neutron/nuclide/elements.h"

namespace taihu::neutron {
namespace {

/// As in the file, with the members that OpenMC has.
struct [[gnu::packed]] TrackRecord {
  double r[3], u[3];
  double energy, loss, time, weight;
  std::int32_t mt, delayed_group, cell, nuclide, material, universe, collision, particle;
  std::int64_t parent, progeny;
};

Hdf5Handle track_type() {
  const Hdf5Handle vector = vector_type();
  const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(TrackRecord));
  H5Tinsert(type, "r", offsetof(TrackRecord, r), *vector);
  H5Tinsert(type, "u", offsetof(TrackRecord, u), *vector);
  H5Tinsert(type, "E", offsetof(TrackRecord, energy), H5T_IEEE_F64LE);
  H5Tinsert(type, "dE", offsetof(TrackRecord, loss), H5T_IEEE_F64LE);
  H5Tinsert(type, "time", offsetof(TrackRecord, time), H5T_IEEE_F64LE);
  H5Tinsert(type, "wgt", offsetof(TrackRecord, weight), H5T_IEEE_F64LE);
  H5Tinsert(type, "event_mt", offsetof(TrackRecord, mt), H5T_STD_I32LE);
  H5Tinsert(type, "delayed_group", offsetof(TrackRecord, delayed_group), H5T_STD_I32LE);
  H5Tinsert(type, "cell_id", offsetof(TrackRecord, cell), H5T_STD_I32LE);
  H5Tinsert(type, "nuclide_id", offsetof(TrackRecord, nuclide), H5T_STD_I32LE);
  H5Tinsert(type, "material_id", offsetof(TrackRecord, material), H5T_STD_I32LE);
  H5Tinsert(type, "universe_id", offsetof(TrackRecord, universe), H5T_STD_I32LE);
  H5Tinsert(type, "n_collision", offsetof(TrackRecord, collision), H5T_STD_I32LE);
  H5Tinsert(type, "particle", offsetof(TrackRecord, particle), H5T_STD_I32LE);
  H5Tinsert(type, "parent_id", offsetof(TrackRecord, parent), H5T_STD_I64LE);
  H5Tinsert(type, "progeny_id", offsetof(TrackRecord, progeny), H5T_STD_I64LE);
  return type_handle(type);
}

TrackRecord record_of(const Model& model, const CollisionRecord& c) {
  return {.r = {c.r.x, c.r.y, c.r.z},
          .u = {c.u.x, c.u.y, c.u.z},
          .energy = c.energy.eV(),
          .loss = c.loss,
          .time = c.time,
          .weight = c.weight,
          .mt = c.mt,
          .delayed_group = 0,
          .cell = model.geometry.cells[c.cell].id,
          .nuclide = nuclide_number(model.nuclear->nuclides[c.nuclide].data().name),
          .material = model.materials[c.material].id,
          .universe = model.geometry.universes[c.universe].id,
          .collision = c.collision,
          .particle = 0,
          .parent = static_cast<std::int64_t>(c.history) + 1,
          .progeny = 0};
}

}  // namespace

int nuclide_number(const std::string& name) {
  const std::size_t digits = name.find_first_of("0123456789");
  const auto element =
      std::find(element_symbols.begin(), element_symbols.end(), std::string_view(name).substr(0, digits));
  if (digits == std::string::npos || element == element_symbols.end()) return 0;
  const char* const end = name.data() + name.size();
  int mass = 0, state = 0;
  auto [at, error] = std::from_chars(name.data() + digits, end, mass);
  if (error == std::errc() && at != end &&
      name.compare(static_cast<std::size_t>(at - name.data()), 2, "_m") == 0) {
    const auto [end_of_state, error_of_state] = std::from_chars(at + 2, end, state);
    at = end_of_state;
    error = error_of_state;
  }
  // More digits would be taken for those of the element.
  if (error != std::errc() || at != end || mass > 999 || state < 0 || state > 9) return 0;
  return 10000 * static_cast<int>(element - element_symbols.begin()) + 10 * mass + state;
}

void write_collision_track(const std::string& path, const Model& model,
                           const std::vector<CollisionRecord>& collisions) {
  std::vector<TrackRecord> records;
  for (const CollisionRecord& collision : collisions) records.push_back(record_of(model, collision));
  write_and_replace(path, [&](const std::string& temporary) {
    Hdf5File file(temporary, Hdf5File::Mode::create);
    file.write_attribute("/", "filetype", std::string("collision_track"));
    file.write_attribute("/", "version", std::vector<int>{1, 0});
    file.write_records("/collision_track_bank", *track_type(), records.data(), records.size());
    file.close();
  });
}

}  // namespace taihu::neutron
