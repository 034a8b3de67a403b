// SPDX-License-Identifier: Apache-2.0
// Runs that go on from a statepoint, and statepoints written by programs that are killed.
#include "taihu/neutron/output/statepoint.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>

#include "taihu/base/error.h"
#include "taihu/base/random.h"
#include "taihu/base/sanitized_for_tests.h"
#include "taihu/neutron/benchmark/restart_speed.h"
#include "taihu/neutron/file/hdf5_file.h"
#include "taihu/neutron/test_models.h"
#include "taihu/parallel/ranks_for_tests.h"
#include "taihu/parallel/shared_error.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::neutron {
namespace {

const char* const saved_tallies =
    "<mesh id=\"4\"><dimension>5 4 3</dimension><lower_left>-3 -3 -3</lower_left><upper_right>3 3 "
    "3</upper_right></mesh><filter id=\"4\" type=\"mesh\"><bins>4</bins></filter>"
    "<filter id=\"3\" type=\"material\"><bins>2 1</bins></filter>"
    "<tally id=\"2\"><filters>3</filters><scores>flux nu-fission</scores></tally>"
    "<tally id=\"3\"><filters>3 4</filters><scores>flux absorption</scores></tally>";

/// All numbers of a finished run's statepoint.
std::vector<double> numbers_of(const std::string& path) {
  const Hdf5File file(path, Hdf5File::Mode::read);
  std::vector<double> all;
  for (const char* set : {"/k_generation", "/entropy", "/k_combined", "/global_tallies",
                          "/tallies/tally 2/results", "/tallies/tally 3/results"}) {
    const std::vector<double> values = file.doubles(set);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

void finish_and_write(Simulation& simulation, const std::string& path) {
  while (!simulation.finished()) simulation.run_batch();
  write_statepoint(simulation, path);
}

/// The source bank.
std::vector<std::byte> bank_of(const std::string& path, const Model& model) {
  parallel::SoloCommunicator alone;
  Simulation simulation(model, alone, 1, parallel::LoopSchedule{});
  resume_from_statepoint(simulation, path);
  parallel::Bytes bytes;
  parallel::append(bytes, simulation.source().data(), simulation.source().size());
  return bytes;
}

TEST(Statepoint, ARunThatGoesOnHasTheBitsOfOneThatWasNotInterrupted) {
  const TemporaryFolder folder;
  for (const int stop : {1, 2, 4}) {  // before, at and after the end of the inactive batches
    Model model = test_model("rectangular", settings_text(plain_or_sanitized(203, 83), 6, 2), saved_tallies);
    parallel::SoloCommunicator alone;
    {
      Simulation whole(model, alone, 1, parallel::LoopSchedule{});
      finish_and_write(whole, folder.path("whole.h5"));
      model.settings.batches = stop + 2;  // the first part was meant to end elsewhere
      Simulation part(model, alone, 2, parallel::LoopSchedule{});
      while (part.batch() < stop) part.run_batch();
      write_statepoint(part, folder.path("part.h5"));
    }
    model.settings.batches = 6;
    for (const int ranks : {1, 3}) {
      parallel::on_ranks(ranks, [&](parallel::Communicator& rank) {
        Simulation rest(model, rank, 1, parallel::LoopSchedule{});
        resume_from_statepoint(rest, folder.path("part.h5"));
        EXPECT_EQ(rest.batch(), stop);
        finish_and_write(rest, folder.path("rest.h5"));
      });
      EXPECT_EQ(numbers_of(folder.path("rest.h5")), numbers_of(folder.path("whole.h5")))
          << stop << " " << ranks;
    }
  }
}

TEST(Statepoint, IsTheSameForAnyRanksDomainsAndWayOfWriting) {
  const TemporaryFolder folder;
  const Model model =
      test_model("rectangular", settings_text(plain_or_sanitized(203, 83), 3, 1), saved_tallies);
  const std::string whole = folder.path("whole.h5"), split = folder.path("split.h5");
  {
    parallel::SoloCommunicator alone;
    Simulation simulation(model, alone, 1, parallel::LoopSchedule{});
    finish_and_write(simulation, whole);
  }
  struct Case {
    int ranks;
    std::array<int, 3> shape;
  };
  for (const auto& [ranks, shape] : {Case{4, {1, 1, 1}}, Case{2, {2, 1, 1}}, Case{7, {1, 3, 2}}})
    for (const StatepointWay way : {StatepointWay::parallel, StatepointWay::through_root}) {
      parallel::on_ranks(ranks, [&](parallel::Communicator& rank) {
        Simulation simulation(model, rank, 1, parallel::LoopSchedule{}, {.shape = shape});
        while (!simulation.finished()) simulation.run_batch();
        write_statepoint(simulation, split, way);
      });
      EXPECT_EQ(numbers_of(split), numbers_of(whole)) << ranks;
      EXPECT_EQ(bank_of(split, model), bank_of(whole, model)) << ranks;
      // And back, on other ranks.
      parallel::on_ranks(ranks % 5 + 1, [&](parallel::Communicator& rank) {
        Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
        resume_from_statepoint(simulation, split, way);
        write_statepoint(simulation, folder.path("again.h5"), way);
      });
      EXPECT_EQ(numbers_of(folder.path("again.h5")), numbers_of(whole)) << ranks;
      EXPECT_EQ(bank_of(folder.path("again.h5"), model), bank_of(whole, model)) << ranks;
    }
}

TEST(Statepoint, ThatCannotBeWrittenIsToldOnAllRanksAndLeavesNothing) {
  const TemporaryFolder folder;
  const Model model = test_model("rectangular", settings_text(100, 2, 1), saved_tallies);
  std::filesystem::create_directory(folder.path("taken.h5"));
  for (const std::string& path : {folder.path("nowhere/s.h5"), folder.path("taken.h5")}) {
    std::atomic<int> told = 0;
    parallel::on_ranks(3, [&](parallel::Communicator& rank) {
      Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
      EXPECT_THROW(write_statepoint(simulation, path), parallel::SharedError);
      ++told;
    });
    EXPECT_EQ(told, 3);
    EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  }
}

TEST(Statepoint, ThatEndsEarlyOrWasRepackedIsRefusedOnAllRanks) {
  const TemporaryFolder folder;
  const Model model = test_model("rectangular", settings_text(2000, 2, 1), saved_tallies);
  const std::string path = folder.path("s.h5");
  parallel::SoloCommunicator alone;
  Simulation first(model, alone, 1, parallel::LoopSchedule{});
  finish_and_write(first, path);
  const auto refusals = [&] {
    std::atomic<int> refused = 0;
    parallel::on_ranks(4, [&](parallel::Communicator& rank) {
      Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
      try {
        resume_from_statepoint(simulation, path);
      } catch (const parallel::SharedError&) {
        ++refused;
      }
    });
    return refused.load();
  };
  EXPECT_EQ(refusals(), 0);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 40000);
  EXPECT_EQ(refusals(), 4);
}

TEST(Statepoint, OfAnotherModelIsRefused) {
  const TemporaryFolder folder;
  Model model = test_model("rectangular", settings_text(100, 3, 1), saved_tallies);
  parallel::SoloCommunicator alone;
  Simulation first(model, alone, 1, parallel::LoopSchedule{});
  finish_and_write(first, folder.path("s.h5"));
  const auto refusal = [&]() -> std::string {
    try {
      Simulation other(model, alone, 1, parallel::LoopSchedule{});
      resume_from_statepoint(other, folder.path("s.h5"));
    } catch (const Error& error) {
      return std::string(error.what()).substr(folder.path("s.h5").size() + 2);
    }
    return "accepted";
  };
  EXPECT_EQ(refusal(), "accepted");
  model.settings.seed = 7;
  EXPECT_EQ(refusal(), "it was made with seed 1, this run has 7; give --seed 1");
  model.settings.seed = 1;
  model.settings.particles = 99;
  EXPECT_EQ(refusal(), "it was made with particles 100, this run has 99; give --particles 100");
  model.settings.particles = 100;
  model.tallies[0].id = 5;
  EXPECT_EQ(refusal(), "it has no tally 5");
  folder.write("s.h5", "not a file");
  EXPECT_EQ(refusal(), "cannot be read as an HDF5 file (missing, damaged or another format)");
}

TEST(Statepoint, SpeedIsMeasuredWithoutChangingTheRun) {
  const TemporaryFolder folder;
  const Model model =
      test_model("rectangular", settings_text(plain_or_sanitized(203, 83), 3, 1), saved_tallies);
  const std::string before = folder.path("before.h5"), after = folder.path("after.h5");
  parallel::on_ranks(3, [&](parallel::Communicator& rank) {
    Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
    simulation.run_batch();
    simulation.run_batch();
    write_statepoint(simulation, before);
    const RestartSpeed speed = measure_restart(simulation, {.folder = folder.path(), .repeats = 2});
    EXPECT_GT(speed.bytes, 203 * 84);
    for (const RestartSpeed::Seconds& list :
         {speed.write_parallel, speed.write_through_root, speed.write_plain, speed.write_plain_root,
          speed.read_parallel, speed.read_through_root, speed.read_plain}) {
      EXPECT_EQ(list.size(), 2u);
      for (const double seconds : list) EXPECT_GT(seconds, 0);
    }
    write_statepoint(simulation, after);
  });
  EXPECT_EQ(numbers_of(after), numbers_of(before));
  EXPECT_EQ(bank_of(after, model), bank_of(before, model));
  std::filesystem::remove(before);
  std::filesystem::remove(after);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    ADD_FAILURE() << entry.path() << " is left";
}

/// Several ranks run and write a statepoint after each batch. They are killed at random moments and started
/// again with other numbers of ranks and domains until the run is through; its result has the bits of an
/// uninterrupted run.
TEST(Statepoint, LeadsToTheSameEndHoweverOftenItsWritersAreKilled) {
  const TemporaryFolder folder;
  const Model model =
      test_model("rectangular", settings_text(plain_or_sanitized(203, 83), 60, 2), saved_tallies);
  const std::string whole = folder.path("whole.h5"), path = folder.path("s.h5");
  parallel::SoloCommunicator alone;
  Simulation simulation(model, alone, 1, parallel::LoopSchedule{});
  finish_and_write(simulation, whole);
  Random random(3);
  constexpr int most_kills = plain_or_sanitized(50, 15);
  int kills = 0;
  for (int i = 0;; ++i) {
    const bool last = kills >= most_kills;
    const pid_t child = fork();
    if (child == 0) {
      parallel::on_ranks(3 + i % 2, [&](parallel::Communicator& rank) {
        Simulation part(model, rank, 1, parallel::LoopSchedule{},
                        {.shape = {1 + i % 3, 1, 1}, .move_every = 2});
        if (std::filesystem::exists(path)) resume_from_statepoint(part, path);
        while (!part.finished()) {
          part.run_batch();
          // Many times over, so that most kills meet a file that is being written.
          for (int again = 0; again < (last ? 1 : 50); ++again) write_statepoint(part, path);
        }
      });
      _exit(0);
    }
    if (!last) {
      usleep(static_cast<useconds_t>(10000 + random.below(40000)));
      kill(child, SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
      ++kills;
      continue;
    }
    ASSERT_EQ(status, 0);
    ASSERT_EQ(numbers_of(path), numbers_of(whole));
    ASSERT_EQ(bank_of(path, model), bank_of(whole, model));
    if (last) break;
    std::filesystem::remove(path);  // through before all kills: once more from the start
  }
}

}  // namespace
}  // namespace taihu::neutron
