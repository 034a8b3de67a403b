// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/output/particle_tracks.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>

#include "taihu/base/error.h"
#include "taihu/base/formatted.h"
#include "taihu/base/output_file.h"
#include "taihu/neutron/file/hdf5_handle.h"
#include "taihu/neutron/geometry/instances.h"

namespace taihu::neutron {
namespace {

/// As in the file, with the members that OpenMC has.
struct [[gnu::packed]] TrackState {
  double r[3], u[3];
  double energy, time, weight;
  std::int32_t cell, instance, material;
};

Hdf5Handle track_state_type() {
  const Hdf5Handle vector = vector_type();
  const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(TrackState));
  H5Tinsert(type, "r", offsetof(TrackState, r), *vector);
  H5Tinsert(type, "u", offsetof(TrackState, u), *vector);
  H5Tinsert(type, "E", offsetof(TrackState, energy), H5T_IEEE_F64LE);
  H5Tinsert(type, "time", offsetof(TrackState, time), H5T_IEEE_F64LE);
  H5Tinsert(type, "wgt", offsetof(TrackState, weight), H5T_IEEE_F64LE);
  H5Tinsert(type, "cell_id", offsetof(TrackState, cell), H5T_STD_I32LE);
  H5Tinsert(type, "cell_instance", offsetof(TrackState, instance), H5T_STD_I32LE);
  H5Tinsert(type, "material_id", offsetof(TrackState, material), H5T_STD_I32LE);
  return type_handle(type);
}

/// Null, and why in `problem`: it cannot be opened, as where HDF5 has locked it for a reader.
std::unique_ptr<Hdf5File> open_to_append(const std::string& path, std::string& problem) {
  try {
    return std::make_unique<Hdf5File>(path, Hdf5File::Mode::append);
  } catch (const Error& error) {
    problem = error.what();
    return nullptr;
  }
}

}  // namespace

/// Finds the cells of points again.
class TrackFile::Places {
 public:
  explicit Places(const Model& model) : model_(model), memory_(model.geometry) {}

  TrackState state_of(const TrackPoint& point) {
    TrackState state{.r = {point.r.x, point.r.y, point.r.z},
                     .u = {point.u.x, point.u.y, point.u.z},
                     .energy = point.energy.eV(),
                     .time = point.time,
                     .weight = point.weight,
                     .cell = -1,
                     .instance = -1,
                     .material = -1};
    Location location;
    // A neutron that has left ends on the boundary, so just before it the last cell is found.
    if (!locate(model_.geometry, memory_, point.r, point.u, location) &&
        !locate(model_.geometry, memory_, point.r - 2 * crossing_step_cm * point.u, point.u, location))
      return state;
    const int level = location.depth - 1;
    state.cell = model_.geometry.cell(location.cell()).id;
    state.instance = table_of(location.levels[level].universe).number(location, level);
    if (location.material) state.material = model_.materials[location.material.index()].id;
    return state;
  }

 private:
  const InstanceTable& table_of(UniverseId universe) {
    std::unique_ptr<const InstanceTable>& table = tables_[universe];
    if (table == nullptr) table = std::make_unique<InstanceTable>(model_.geometry, universe);
    return *table;
  }

  const Model& model_;
  CellMemory memory_;
  std::map<UniverseId, std::unique_ptr<const InstanceTable>> tables_;
};

TrackFile::TrackFile(std::string path, const Model& model) : path_(std::move(path)), model_(&model) {}

TrackFile::~TrackFile() = default;

void TrackFile::write(Hdf5File& file, const std::vector<GenerationTracks>& tracks) {
  const Hdf5Handle type = track_state_type();
  for (const GenerationTracks& generation : tracks)
    for (auto at = generation.points.begin(); at != generation.points.end();) {
      const std::uint64_t history = at->history;
      std::vector<TrackState> states;
      std::vector<int> offsets;  // where each neutron of the history begins
      for (std::int64_t neutron = -1; at != generation.points.end() && at->history == history; ++at) {
        if (at->neutron != neutron) offsets.push_back(static_cast<int>(states.size()));
        neutron = at->neutron;
        states.push_back(places_->state_of(*at));
      }
      const std::string name = formatted("/track_%d_%d_%llu", generation.batch, generation.generation,
                                         static_cast<unsigned long long>(history + 1));
      const std::vector<int> particles(offsets.size(), 0);  // neutrons
      offsets.push_back(static_cast<int>(states.size()));
      file.write_records(name, *type, states.data(), states.size());
      file.write_attribute(name, "n_particles", static_cast<std::int64_t>(particles.size()));
      file.write_attribute(name, "offsets", offsets);
      file.write_attribute(name, "particles", particles);
    }
  file.close();
}

void TrackFile::add(const std::vector<GenerationTracks>& tracks) {
  if (places_ == nullptr) {
    places_ = std::make_unique<Places>(*model_);
    write_and_replace(path_, [&](const std::string& temporary) {
      Hdf5File file(temporary, Hdf5File::Mode::create);
      file.write_attribute("/", "filetype", std::string("track"));
      file.write_attribute("/", "version", std::vector<int>{3, 0});
      write(file, tracks);
    });
    return;
  }
  append(tracks);
}

void TrackFile::append(const std::vector<GenerationTracks>& tracks) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path_, error);  // what a link names
  const bool regular = !error && std::filesystem::is_regular_file(target, error);
  check_input(regular, path_ + ": cannot be appended to (" +
                           (error ? error.message() : "it is not a regular file") + ")");
  const std::string temporary = target.string() + ".part";
  std::string problem, problem_of_copy;
  std::unique_ptr<Hdf5File> file = open_to_append(target, problem);
  const bool copied = file == nullptr;
  if (copied) {
    std::filesystem::copy_file(target, temporary, std::filesystem::copy_options::overwrite_existing, error);
  } else {
    std::filesystem::rename(target, temporary, error);  // of the open file
  }
  try {
    check_input(!error, path_ + ": cannot be appended to (" + error.message() + ")");
    if (copied) file = open_to_append(temporary, problem_of_copy);
    if (file == nullptr) throw Error(problem);  // a copy is no better: nobody but the file is the reason
    write(*file, tracks);
    replace_file(temporary, target);
  } catch (...) {
    if (copied) std::filesystem::remove(temporary, error);
    throw;
  }
}

}  // namespace taihu::neutron
