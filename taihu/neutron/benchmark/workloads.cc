// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/benchmark/workloads.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <vector>

#include "taihu/base/clock.h"
#include "taihu/base/error.h"
#include "taihu/neutron/particle/random.h"

namespace taihu::neutron {
namespace {

constexpr const char* chains_model = R"xml(<?xml version="1.0"?>
<model>
  <materials>
    <cross_sections>chains.json</cross_sections>
    <material id="1"><density units="macro" value="1.0"/><macroscopic name="medium"/></material>
  </materials>
  <geometry>
    <surface id="1" type="sphere" coeffs="0 0 0 10" boundary="reflective"/>
    <cell id="1" region="-1" material="1"/>
  </geometry>
  <settings>
    <run_mode>fixed source</run_mode>
    <energy_mode>multi-group</energy_mode>
    <particles>1000</particles>
    <batches>20</batches>
    <source><space type="point"><parameters>0 0 0</parameters></space></source>
  </settings>
</model>
)xml";

constexpr const char* chains_library = R"json({"group_edges_eV": [1e-5, 2e7],
 "materials": {"medium": {"total": [1], "absorption": [0.5], "fission": [0.196], "nu_fission": [0.49],
                          "kappa_fission": [1], "chi": [1], "scatter": [[0.5]]}}}
)json";

void write_text(const std::filesystem::path& place, const std::string& text) {
  std::ofstream file(place, std::ios::binary);
  file << text;
  file.close();
  check_input(file.good(), place.string() + ": cannot be written");
}

/// Vectors on their way to the thread that will destroy them.
struct Mailbox {
  std::mutex lock;
  std::vector<std::vector<double>> waiting;
};

/// The vectors that a thread of the kernel keeps.
struct Keeper {
  std::vector<std::vector<double>> live{32}, arrived;
  std::size_t next = 0;
  double check = 0;
};

/// `append`: the vector grows element by element, like a path; else it gets its size at once, like a table.
std::vector<double> made_vector(std::size_t bytes, bool append) {
  const std::size_t count = bytes / sizeof(double);
  if (!append) return std::vector<double>(count, 1.0);
  std::vector<double> grown;
  for (std::size_t at = 0; at < count; ++at) grown.push_back(static_cast<double>(at));
  return grown;
}

}  // namespace

void write_c5g7(const std::string& folder, int cells) {
  std::filesystem::create_directories(folder);
  std::string model = c5g7_model_text;
  const std::string shape = "<dimension>51 51</dimension>", side = std::to_string(cells);
  const std::size_t place = model.find(shape);
  check_input(place != std::string::npos, "the example C5G7 has no mesh of 51 x 51");
  model.replace(place, shape.size(), "<dimension>" + side + " " + side + "</dimension>");
  write_text(std::filesystem::path(folder) / "model.xml", model);
  write_text(std::filesystem::path(folder) / "c5g7.json", c5g7_library_text);
}

void write_chains(const std::string& folder) {
  std::filesystem::create_directories(folder);
  write_text(std::filesystem::path(folder) / "model.xml", chains_model);
  write_text(std::filesystem::path(folder) / "chains.json", chains_library);
}

double run_particle_vectors(int threads, const parallel::LoopSchedule& schedule, std::int64_t particles) {
  std::vector<Mailbox> boxes(threads);
  std::vector<Keeper> keepers(threads);
  const std::int64_t start = now_ns();
  const parallel::Team team(threads);
  parallel::parallel_for(team, schedule, particles, [&](int thread, std::int64_t particle) {
    Keeper& keeper = keepers[thread];
    Stream random(1, StreamUse::history, 0, static_cast<std::uint64_t>(particle));
    for (int vector = 0; vector < 4; ++vector) {
      std::vector<double>& slot = keeper.live[keeper.next++ % keeper.live.size()];
      if (!slot.empty()) keeper.check += slot.back();
      if (random.uniform() < 0.25) {
        Mailbox& box = boxes[static_cast<std::size_t>(random.uniform() * threads)];
        const std::lock_guard guard(box.lock);
        box.waiting.push_back(std::move(slot));
      }
      slot = made_vector(static_cast<std::size_t>(32 * std::exp2(17 * random.uniform())), vector % 2 == 0);
    }
    {
      const std::lock_guard guard(boxes[thread].lock);
      keeper.arrived.swap(boxes[thread].waiting);
    }
    for (const std::vector<double>& vector : keeper.arrived)
      if (!vector.empty()) keeper.check += vector.back();
    keeper.arrived.clear();
  });
  const double seconds = static_cast<double>(now_ns() - start) * 1e-9;
  double check = 0;
  for (const Keeper& keeper : keepers) check += keeper.check;
  check_input(check >= 0, "a vector was damaged");
  return seconds;
}

std::string heap_in_use() {
  Dl_info info{};
  void* const place = dlsym(RTLD_DEFAULT, "malloc");
  if (place == nullptr || dladdr(place, &info) == 0 || info.dli_fname == nullptr) return "unknown";
  return info.dli_fname;
}

}  // namespace taihu::neutron
