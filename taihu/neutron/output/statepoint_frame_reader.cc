// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "taihu/neutron/file/hdf5_file.h"
#include "taihu/neutron/output/statepoint_frame.h"

namespace taihu::neutron {
namespace {

/// `option` sets it for a run; "" where there is none.
void require_same(const Hdf5File& file, const char* what, const std::string& option, std::int64_t here,
                  std::int64_t there) {
  if (here != there)
    file.fail(std::string("it was made with ") + what + " " + std::to_string(there) + ", this run has " +
              std::to_string(here) +
              (option.empty() ? "; change the model" : "; give " + option + " " + std::to_string(there)));
}

/// Reads an array of at most `most` numbers.
int read_count(const Hdf5File& file, const std::string& name, int most) {
  const std::int64_t count = file.integer(name);
  if (count < 0 || count > most) file.fail(name + " is " + std::to_string(count) + ", which is impossible");
  return static_cast<int>(count);
}

void require_finite(const Hdf5File& file, const char* name, const std::vector<double>& values) {
  for (const double value : values)
    if (!(std::fabs(value) < 1e100)) file.fail(std::string(name) + " has a number that is impossible");
}

void read_criticality(const Hdf5File& file, const Settings& settings, Criticality& criticality, int batch) {
  const std::vector<double> global = file.doubles("/global_tallies");
  if (global.size() != 12) file.fail("global_tallies has a wrong size");
  require_finite(file, "global_tallies", global);
  for (int i = 0; i < 4; ++i) {
    criticality.sum[i] = global[3 * i + 1];
    criticality.sum_sq[i] = global[3 * i + 2];
  }
  criticality.realizations = read_count(file, "/n_realizations", batch);
  if (settings.mode == RunMode::fixed_source) return;
  criticality.k_generation = file.doubles("/k_generation");
  criticality.entropy = file.doubles("/entropy");
  criticality.collision_absorption = file.number("/k_col_abs");
  criticality.collision_track = file.number("/k_col_tra");
  criticality.absorption_track = file.number("/k_abs_tra");
  require_finite(file, "k_generation", criticality.k_generation);
  require_finite(file, "entropy", criticality.entropy);
  require_finite(
      file, "k_col_abs, k_col_tra or k_abs_tra",
      {criticality.collision_absorption, criticality.collision_track, criticality.absorption_track});
  const std::size_t generations = criticality.k_generation.size(), per_batch = settings.generations_per_batch;
  if (generations != static_cast<std::size_t>(batch) * per_batch) file.fail("k_generation has a wrong size");
  for (const double k : criticality.k_generation)
    if (!(k > 1e-20)) file.fail("k_generation has a number that is impossible");
  for (std::size_t i = static_cast<std::size_t>(settings.inactive) * per_batch; i < generations; ++i) {
    const double k = criticality.k_generation[i];
    criticality.k_sum += k;
    criticality.k_sum_sq += k * k;
    ++criticality.active_generations;
  }
}

void find_tally_results(const Hdf5File& file, const Simulation& simulation, StatepointFrame& frame) {
  const TallyLayout& layout = simulation.layout();
  for (std::size_t i = 0; i < layout.tallies.size(); ++i) {
    const std::string place = "/tallies/tally " + std::to_string(layout.tallies[i].id);
    if (!file.exists(place)) file.fail("it has no tally " + std::to_string(layout.tallies[i].id));
    const std::vector<std::int64_t> shape = file.shape(place + "/results");
    const std::int64_t bins = layout.compiled[i].bin_count();
    if (shape.size() != 3 || shape[0] != layout.compiled[i].combinations || shape[0] * shape[1] != bins ||
        shape[2] != 2 || file.text(place + "/estimator") != name_of(layout.compiled[i].estimator))
      file.fail("its tally " + std::to_string(layout.tallies[i].id) + " has other bins or another estimator");
    if (file.texts(place + "/nuclides") != layout.tallies[i].nuclides ||
        file.texts(place + "/score_bins") != score_texts(layout.tallies[i]))
      file.fail("its tally " + std::to_string(layout.tallies[i].id) + " has other nuclides or scores");
    frame.places.results.push_back(place_of_results(file, place + "/results", bins));
    frame.realizations = read_count(file, place + "/n_realizations", frame.batch);
  }
}

}  // namespace

StatepointFrame read_frame(const Simulation& simulation, const std::string& path) {
  const Model& model = simulation.model();
  const Settings& settings = model.settings;
  const Hdf5File file(path, Hdf5File::Mode::read);
  if (file.attribute_text("/", "filetype") != "statepoint") file.fail("this is not a statepoint");
  file.require_format("statepoint", "statepoint", 18);
  const bool eigenvalue = settings.mode == RunMode::eigenvalue;
  if (file.text("/run_mode") != (eigenvalue ? "eigenvalue" : "fixed source"))
    file.fail("it was made in run mode " + file.text("/run_mode"));
  if (file.text("/energy_mode") != energy_mode(model))
    file.fail("it was made with " + file.text("/energy_mode") + " data");
  require_same(file, "seed", "--seed", static_cast<std::int64_t>(settings.seed), file.integer("/seed"));
  require_same(file, "particles", "--particles", settings.particles, file.integer("/n_particles"));
  if (eigenvalue) {
    require_same(file, "inactive batches", "--inactive", settings.inactive, file.integer("/n_inactive"));
    require_same(file, "generations_per_batch", "", settings.generations_per_batch,
                 file.integer("/generations_per_batch"));
  }
  StatepointFrame frame;
  frame.batch = static_cast<int>(file.integer("/current_batch"));
  if (frame.batch < 1 || frame.batch > 100'000'000) file.fail("current_batch is impossible");
  read_criticality(file, settings, frame.criticality, frame.batch);
  find_tally_results(file, simulation, frame);
  if (file.exists("/fission_matrix")) {
    if (!settings.fission_matrix) file.fail("it was made with --fission-matrix; give that option again");
    frame.births = file.doubles("/fission_matrix/births");
    frame.made = file.doubles("/fission_matrix/made");
    require_finite(file, "fission_matrix", frame.births);
    require_finite(file, "fission_matrix", frame.made);
    if (frame.births.size() != static_cast<std::size_t>(settings.entropy_mesh.size()) ||
        frame.made.size() != frame.births.size() * frame.births.size())
      file.fail("fission_matrix has a wrong size");
  }
  if (eigenvalue) frame.places.bank = place_of_bank(file, settings.particles);
  return frame;
}

}  // namespace taihu::neutron
