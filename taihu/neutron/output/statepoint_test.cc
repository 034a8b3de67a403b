// SPDX-License-Identifier: Apache-2.0
// Runs that go on from a statepoint, and statepoints written by programs that are killed.
#include "taihu/neutron/output/statepoint.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "taihu/base/error.h"
#include "taihu/base/random.h"
#include "taihu/neutron/file/hdf5_file.h"
#include "taihu/neutron/test_models.h"
#include "taihu/neutron/thread_ranks.h"

namespace taihu::neutron {
namespace {

const char* const tally =
    "<filter id=\"3\" type=\"material\"><bins>2 1</bins></filter>"
    "<tally id=\"2\"><filters>3</filters><scores>flux nu-fission</scores></tally>";

/// All numbers of a finished run's statepoint.
std::vector<double> numbers_of(const std::string& path) {
  const Hdf5File file(path, Hdf5File::Mode::read);
  std::vector<double> all;
  for (const char* set :
       {"/k_generation", "/entropy", "/k_combined", "/global_tallies", "/tallies/tally 2/results"}) {
    const std::vector<double> values = file.doubles(set);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

void finish_and_write(Simulation& simulation, const std::string& path) {
  while (!simulation.finished()) simulation.run_batch();
  write_statepoint(simulation, path);
}

TEST(Statepoint, ARunThatGoesOnHasTheBitsOfOneThatWasNotInterrupted) {
  const TemporaryFolder folder;
  for (const int stop : {1, 2, 4}) {  // before, at and after the end of the inactive batches
    Model model = test_model("rectangular", settings_text(203, 6, 2), tally);
    SingleRank alone;
    {
      Simulation whole(model, alone, 1, Schedule{});
      finish_and_write(whole, folder.path("whole.h5"));
      model.settings.batches = stop + 2;  // the first part was meant to end elsewhere
      Simulation part(model, alone, 2, Schedule{});
      while (part.batch() < stop) part.run_batch();
      write_statepoint(part, folder.path("part.h5"));
    }
    model.settings.batches = 6;
    for (const int ranks : {1, 3}) {
      run_ranks(ranks, [&](Ranks& rank) {
        Simulation rest(model, rank, 1, Schedule{});
        resume_from_statepoint(rest, folder.path("part.h5"));
        EXPECT_EQ(rest.batch(), stop);
        finish_and_write(rest, folder.path("rest.h5"));
      });
      EXPECT_EQ(numbers_of(folder.path("rest.h5")), numbers_of(folder.path("whole.h5")))
          << stop << " " << ranks;
    }
  }
}

TEST(Statepoint, OfAnotherModelIsRefused) {
  const TemporaryFolder folder;
  Model model = test_model("rectangular", settings_text(100, 3, 1), tally);
  SingleRank alone;
  Simulation first(model, alone, 1, Schedule{});
  finish_and_write(first, folder.path("s.h5"));
  const auto refusal = [&]() -> std::string {
    try {
      Simulation other(model, alone, 1, Schedule{});
      resume_from_statepoint(other, folder.path("s.h5"));
    } catch (const Error& error) {
      return std::string(error.what()).substr(folder.path("s.h5").size() + 2);
    }
    return "accepted";
  };
  EXPECT_EQ(refusal(), "accepted");
  model.settings.seed = 7;
  EXPECT_EQ(refusal(), "it was made with seed 1, the model has 7");
  model.settings.seed = 1;
  model.settings.particles = 99;
  EXPECT_EQ(refusal(), "it was made with particles 100, the model has 99");
  model.settings.particles = 100;
  model.tallies[0].id = 5;
  EXPECT_EQ(refusal(), "it has no tally 5");
  folder.write("s.h5", "not a file");
  EXPECT_EQ(refusal(), "cannot be read as an HDF5 file (missing, damaged or another format)");
}

TEST(Statepoint, IsWholeWheneverItsWriterIsKilled) {
  const TemporaryFolder folder;
  const Model model = test_model("rectangular", settings_text(2000, 100, 1), tally);
  SingleRank alone;
  const std::string path = folder.path("s.h5");
  Random random(3);
  for (int i = 0; i < 50; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      Simulation simulation(model, alone, 1, Schedule{});
      simulation.run_batch();
      for (;;) write_statepoint(simulation, path);
    }
    while (i == 0 && !std::filesystem::exists(path)) usleep(1000);
    usleep(static_cast<useconds_t>(5000 + random.below(20000)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    Simulation reader(model, alone, 1, Schedule{});
    EXPECT_NO_THROW(resume_from_statepoint(reader, path));
    EXPECT_EQ(reader.batch(), 1);
  }
}

}  // namespace
}  // namespace taihu::neutron
