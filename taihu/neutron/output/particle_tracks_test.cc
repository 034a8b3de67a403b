// SPDX-License-Identifier: Apache-2.0
// Tracks of single histories: whole, straight between points, the same for any ranks, threads and domains.
#include "taihu/neutron/output/particle_tracks.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>

#include "taihu/base/error.h"
#include "taihu/base/formatted.h"
#include "taihu/neutron/file/hdf5_file.h"
#include "taihu/neutron/file/hdf5_handle.h"
#include "taihu/neutron/nuclide/kinematics.h"
#include "taihu/neutron/test_models.h"
#include "taihu/parallel/ranks_for_tests.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::neutron {
namespace {

const std::string tracked = "<track>1 1 3 3 1 150 3 1 20</track>";

Model tracked_model(const std::string& more = tracked) {
  return test_model("rectangular", settings_text(200, 4, 1) + more);
}

std::vector<GenerationTracks> tracks_of(Simulation& simulation) {
  while (!simulation.finished()) simulation.run_batch();
  return simulation.tracks();
}

std::vector<GenerationTracks> tracks_alone(const Model& model, int threads) {
  parallel::SoloCommunicator rank;
  Simulation simulation(model, rank, threads, parallel::parse_loop_schedule("dynamic,8"));
  return tracks_of(simulation);
}

std::vector<double> numbers_of(const std::vector<GenerationTracks>& tracks) {
  std::vector<double> numbers;
  for (const GenerationTracks& generation : tracks)
    for (const TrackPoint& p : generation.points)
      numbers.insert(numbers.end(), {double(generation.batch), double(p.history), double(p.number), p.r.x,
                                     p.r.y, p.r.z, p.u.x, p.energy.eV(), p.time, p.weight});
  return numbers;
}

TEST(ParticleTracks, HaveTheSameBitsForAnyRanksThreadsAndDomains) {
  const Model model = tracked_model();
  const std::vector<double> expected = numbers_of(tracks_alone(model, 1));
  EXPECT_GT(expected.size(), 100u);
  EXPECT_EQ(numbers_of(tracks_alone(model, 3)), expected);
  for (const bool domains : {false, true})
    parallel::on_ranks(3, [&](parallel::Communicator& ranks) {
      DomainOptions options;
      if (domains) options.shape = {3, 1, 1};
      Simulation simulation(model, ranks, 2, parallel::parse_loop_schedule("dynamic,4"), options);
      EXPECT_EQ(numbers_of(tracks_of(simulation)), ranks.is_root() ? expected : std::vector<double>{});
    });
}

TEST(ParticleTracks, AreStraightBetweenTheirPoints) {
  Model model = tracked_model();
  model.settings.tracking = Tracking::surface;
  const std::vector<GenerationTracks> tracks = tracks_alone(model, 1);
  ASSERT_EQ(tracks.size(), 2u);
  EXPECT_EQ(tracks[0].batch, 1);
  EXPECT_EQ(tracks[1].batch, 3);
  EXPECT_EQ(tracks[0].points.front().history, 2u);
  EXPECT_EQ(tracks[1].points.front().history, 19u);
  EXPECT_EQ(tracks[1].points.back().history, 149u);
  for (const GenerationTracks& generation : tracks)
    for (std::size_t i = 0; i + 1 < generation.points.size(); ++i) {
      const TrackPoint &from = generation.points[i], &to = generation.points[i + 1];
      if (to.history != from.history) continue;
      EXPECT_EQ(to.number, from.number + 1);
      const Vector way = to.r - from.r;
      EXPECT_NEAR(dot(way, from.u), length(way), 1e-7);
      EXPECT_LE(to.weight, from.weight);
    }
}

/// Between the points of a neutron.
void expect_time_of_flight(const std::vector<GenerationTracks>& tracks) {
  for (const GenerationTracks& generation : tracks)
    for (std::size_t i = 0; i + 1 < generation.points.size(); ++i) {
      const TrackPoint &from = generation.points[i], &to = generation.points[i + 1];
      if (to.history != from.history || to.neutron != from.neutron) continue;
      EXPECT_NEAR((to.time - from.time) * speed(from.energy), length(to.r - from.r), 1e-6) << to.history;
    }
}

/// Also where nothing else needs the time.
TEST(ParticleTracks, TimeRisesByTheLengthOverTheSpeed) {
  for (const Tracking tracking : {Tracking::surface, Tracking::delta}) {
    Model model = tracked_model("<track>1 1 3 1 1 7 2 1 5</track>");
    model.settings.tracking = tracking;
    const std::vector<GenerationTracks> tracks = tracks_alone(model, 1);
    ASSERT_EQ(tracks.size(), 2u);
    expect_time_of_flight(tracks);
    EXPECT_EQ(tracks[0].points.front().time, 0);
    EXPECT_GT(tracks[0].points.back().time, 0);
    EXPECT_GT(tracks[1].points.front().time, 0);  // a generation began when the one before it ended
  }
}

/// What a run computes does not depend on the tracks.
TEST(ParticleTracks, ChangeNothing) {
  const auto k = [](const Model& model) {
    parallel::SoloCommunicator rank;
    Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
    tracks_of(simulation);
    return simulation.criticality().k_generation;
  };
  EXPECT_EQ(k(tracked_model()), k(tracked_model("")));
}

TEST(ParticleTracks, OfAFileHaveTheNamesOfTheirHistories) {
  const TemporaryFolder folder;
  const Model model = tracked_model();
  const std::vector<GenerationTracks> tracks = tracks_alone(model, 1);
  TrackFile(folder.path("tracks.h5"), model).add(tracks);
  const Hdf5File file(folder.path("tracks.h5"), Hdf5File::Mode::read);
  file.require_format("file of tracks", "track", 3);
  std::vector<std::string> names = file.names_in("/");
  std::sort(names.begin(), names.end());
  ASSERT_EQ(names, (std::vector<std::string>{"track_1_1_3", "track_3_1_150", "track_3_1_20"}));
  const auto points = static_cast<double>(tracks[0].points.size());
  EXPECT_EQ(file.shape("/track_1_1_3"), std::vector<std::int64_t>{static_cast<std::int64_t>(points)});
  EXPECT_EQ(file.attribute_integer("/track_1_1_3", "n_particles"), 1);
  EXPECT_EQ(file.attribute_doubles("/track_1_1_3", "offsets"), (std::vector<double>{0, points}));
}

/// What the file has already is not written again, so many batches take as long as their tracks.
TEST(ParticleTracks, AreAppendedToTheirFile) {
  const TemporaryFolder folder;
  const Model model = tracked_model();
  const std::vector<GenerationTracks> tracks = tracks_alone(model, 1);
  ASSERT_EQ(tracks.size(), 2u);
  const std::string path = folder.path("tracks.h5"), link = folder.path("link.h5");
  folder.write("tracks.h5", "of a run before");
  std::filesystem::create_symlink(path, link);
  TrackFile file(link, model);
  file.add({tracks[0]});
  {
    Hdf5File marked(path, Hdf5File::Mode::append);
    marked.write_attribute("/track_1_1_3", "mark", std::int64_t{5});
    marked.close();
  }
  file.add({tracks[1]});
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  {
    const Hdf5File both(path, Hdf5File::Mode::read);
    EXPECT_EQ(both.names_in("/").size(), 3u);
    EXPECT_EQ(both.attribute_integer("/track_1_1_3", "mark"), 5);
    EXPECT_EQ(both.shape("/track_3_1_20").size(), 1u);
  }
  std::filesystem::remove(path);
  EXPECT_THROW(file.add({tracks[1]}), Error);
}

/// A program that reads a file by HDF5 has such a lock on it.
TEST(ParticleTracks, AreAppendedWhileTheirFileIsLocked) {
  const TemporaryFolder folder;
  const Model model = tracked_model();
  const std::vector<GenerationTracks> tracks = tracks_alone(model, 1);
  const std::string path = folder.path("tracks.h5");
  TrackFile file(path, model);
  file.add({tracks[0]});
  const int reader = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(reader, LOCK_SH | LOCK_NB), 0);
  file.add({tracks[1]});
  EXPECT_EQ(Hdf5File(path, Hdf5File::Mode::read).names_in("/").size(), 3u);
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  close(reader);
}

TEST(ParticleTracks, AreAppendedWhileTheirFileIsRead) {
  const TemporaryFolder folder;
  const Model model = tracked_model();
  const std::vector<GenerationTracks> tracks = tracks_alone(model, 1);
  ASSERT_EQ(tracks.size(), 2u);
  const std::string path = folder.path("tracks.h5");
  TrackFile file(path, model);
  file.add({tracks[0]});
  const Hdf5File before(path, Hdf5File::Mode::read);
  file.add({tracks[1]});
  EXPECT_EQ(before.names_in("/").size(), 1u);
  EXPECT_EQ(Hdf5File(path, Hdf5File::Mode::read).names_in("/").size(), 3u);
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
}

TEST(ParticleTracks, ThatCannotBeAppendedLeaveTheirFile) {
  const TemporaryFolder folder;
  const Model model = tracked_model();
  const std::vector<GenerationTracks> tracks = tracks_alone(model, 1);
  ASSERT_EQ(tracks.size(), 2u);
  const std::string path = folder.path("tracks.h5");
  TrackFile file(path, model);
  file.add({tracks[0]});
  folder.write("tracks.h5", "of another program");
  EXPECT_THROW(file.add({tracks[1]}), Error);
  EXPECT_EQ(std::filesystem::file_size(path), 18u);
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_THROW(file.add({tracks[1]}), Error);
  EXPECT_TRUE(std::filesystem::is_directory(path));
}

const std::string all_of_batch_2 = [] {
  std::string text;
  for (int history = 1; history <= 40; ++history) text += "2 1 " + std::to_string(history) + " ";
  return text;
}();

/// Of a fixed source. Chains of fission neutrons do not grow long, as neutrons are given up early.
Model tracked_chains(double cutoff_s, double born_eV) {
  return model_from_text(model_text(
      "<surface id=\"1\" type=\"sphere\" coeffs=\"0 0 0 2\"/>"
      "<surface id=\"2\" type=\"sphere\" coeffs=\"0 0 0 6\" boundary=\"vacuum\"/>"
      "<cell id=\"5\" region=\"-1\" material=\"1\"/><cell id=\"7\" region=\"1 -2\" material=\"2\"/>",
      "<run_mode>fixed source</run_mode><energy_mode>multi-group</energy_mode><particles>40</particles>"
      "<batches>2</batches><source><space type=\"point\"><parameters>0 0 0</parameters></space>"
      "<energy type=\"discrete\"><parameters>" +
          formatted("%g 1</parameters></energy></source><cutoff><time_neutron>%.17g", born_eV, cutoff_s) +
          "</time_neutron></cutoff><track>" + all_of_batch_2 + "</track>"));
}

TEST(ParticleTracks, EndWhereANeutronIsTooOld) {
  for (const Tracking tracking : {Tracking::surface, Tracking::delta}) {
    const double cutoff = 4e-9;  // s: some 4 cm for fast neutrons
    Model model = tracked_chains(cutoff, 1e6);
    model.settings.tracking = tracking;
    const std::vector<GenerationTracks> tracks = tracks_alone(model, 1);
    ASSERT_EQ(tracks.size(), 1u);
    expect_time_of_flight(tracks);
    int too_old = 0;
    for (const TrackPoint& point : tracks[0].points) {
      EXPECT_LE(point.time, cutoff * (1 + 1e-12));
      too_old += point.time > cutoff * (1 - 1e-12);
    }
    EXPECT_GT(too_old, 10);
  }
}

/// What a file has of a point.
struct ReadPoint {
  double energy, time, weight;
  int cell, material;
};

std::vector<ReadPoint> read_points(const Hdf5File& file, const std::string& name) {
  const Hdf5Handle type = type_handle(H5Tcreate(H5T_COMPOUND, sizeof(ReadPoint)));
  H5Tinsert(*type, "E", offsetof(ReadPoint, energy), H5T_NATIVE_DOUBLE);
  H5Tinsert(*type, "time", offsetof(ReadPoint, time), H5T_NATIVE_DOUBLE);
  H5Tinsert(*type, "wgt", offsetof(ReadPoint, weight), H5T_NATIVE_DOUBLE);
  H5Tinsert(*type, "cell_id", offsetof(ReadPoint, cell), H5T_NATIVE_INT);
  H5Tinsert(*type, "material_id", offsetof(ReadPoint, material), H5T_NATIVE_INT);
  std::vector<ReadPoint> points(file.shape(name).at(0));
  const hid_t dataset = H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT);
  EXPECT_GE(H5Dread(dataset, *type, H5S_ALL, H5S_ALL, H5P_DEFAULT, points.data()), 0);
  H5Dclose(dataset);
  return points;
}

TEST(ParticleTracks, OfAFileHaveTheChainsOfAFixedSource) {
  const TemporaryFolder folder;
  Model model = tracked_chains(1e-5, 0.5);
  model.settings.tracking = Tracking::surface;
  const std::vector<GenerationTracks> tracks = tracks_alone(model, 1);
  ASSERT_EQ(tracks.size(), 1u);
  TrackFile(folder.path("tracks.h5"), model).add(tracks);
  const Hdf5File file(folder.path("tracks.h5"), Hdf5File::Mode::read);
  EXPECT_EQ(file.names_in("/").size(), 40u);
  std::size_t secondaries = 0, outer = 0;
  for (auto at = tracks[0].points.begin(); at != tracks[0].points.end();) {
    const std::string name = "/track_2_1_" + std::to_string(at->history + 1);
    const std::vector<ReadPoint> points = read_points(file, name);
    std::vector<double> offsets;
    for (std::size_t i = 0; i < points.size(); ++i, ++at) {
      ASSERT_EQ(at->number, i) << name;
      if (i == 0 || at->neutron != (at - 1)->neutron) offsets.push_back(static_cast<double>(i));
      EXPECT_EQ(points[i].energy, at->energy.eV());
      EXPECT_EQ(points[i].time, at->time);
      EXPECT_EQ(points[i].weight, at->weight);
      const bool inside = length(at->r) < 2;
      EXPECT_EQ(points[i].cell, inside ? 5 : 7) << name << " " << i;
      EXPECT_EQ(points[i].material, inside ? 1 : 2) << name << " " << i;
      outer += !inside;
    }
    EXPECT_EQ(file.attribute_integer(name, "n_particles"), static_cast<std::int64_t>(offsets.size()));
    EXPECT_EQ(file.attribute_doubles(name, "particles"), std::vector<double>(offsets.size(), 0));
    secondaries += offsets.size() - 1;
    offsets.push_back(static_cast<double>(points.size()));
    EXPECT_EQ(file.attribute_doubles(name, "offsets"), offsets);
  }
  EXPECT_GT(secondaries, 10u);
  EXPECT_GT(outer, 10u);
}

TEST(ParticleTracks, ThatAreNotThereAreRefused) {
  for (const char* numbers : {"1 1", "0 1 1", "1 2 1", "1 1 201", "1 1 0"})
    EXPECT_THROW(tracked_model("<track>" + std::string(numbers) + "</track>"), Error) << numbers;
}

}  // namespace
}  // namespace taihu::neutron
