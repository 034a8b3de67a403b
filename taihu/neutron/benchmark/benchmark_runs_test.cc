// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "taihu/base/error.h"
#include "taihu/neutron/benchmark/child.h"
#include "taihu/neutron/benchmark/work_folder.h"
#include "taihu/neutron/benchmark/workloads.h"
#include "taihu/neutron/input/read_model.h"
#include "taihu/neutron/test_models.h"
#include "taihu/parallel/ranks_for_tests.h"
#include "taihu/parallel/shared_error.h"

namespace taihu::neutron {
namespace {

TEST(Benchmark, AChildHasItsEnvironmentAndItsEndIsSeen) {
  const ChildResult good =
      run_child({"/bin/sh", "-c", "echo $RMC_WORD; echo bad >&2; exit 3"}, {{"RMC_WORD", "a b"}});
  EXPECT_EQ(good.output, "a b\n");
  EXPECT_EQ(good.errors, "bad\n");
  EXPECT_EQ(good.code, 3);
  EXPECT_EQ(run_child({"/bin/sh", "-c", "kill -9 $$"}, {}).code, 128 + 9);
  EXPECT_THROW(run_child({"/nowhere/rmc"}, {}), Error);
}

TEST(Benchmark, RanksShareAFolderThatGoesWithEverythingInIt) {
  const TemporaryFolder parent;
  std::string path;
  parallel::on_ranks(3, [&](parallel::Communicator& ranks) {
    const WorkFolder folder(parent.path(), ranks);
    EXPECT_TRUE(std::filesystem::is_directory(folder.path()));
    EXPECT_EQ(std::filesystem::path(folder.path()).parent_path(), parent.path());
    if (ranks.is_root()) {
      path = folder.path();
      std::ofstream(path + "/model.xml") << "x";
    }
    ranks.all(0);  // the file is written
    EXPECT_TRUE(std::filesystem::exists(folder.path() + "/model.xml"));
    ranks.all(0);  // all have looked
  });
  EXPECT_FALSE(std::filesystem::exists(path));
  parallel::on_ranks(2, [&](parallel::Communicator& ranks) {
    EXPECT_THROW(WorkFolder(parent.path("nowhere"), ranks), parallel::SharedError);
  });
}

TEST(Benchmark, LongOutputOnBothStreamsIsReadWhole) {
  const ChildResult run =
      run_child({"/bin/sh", "-c",
                 "i=0; while [ $i -lt 9000 ]; do echo 0123456789; echo abcdefghij >&2; i=$((i+1)); done"},
                {});
  EXPECT_EQ(run.output.size(), 99000u);
  EXPECT_EQ(run.errors.size(), 99000u);
}

TEST(Benchmark, NumbersAreFoundAtTheBeginningOfALine) {
  EXPECT_EQ(number_after("seconds 1.5\n", "seconds"), 1.5);
  EXPECT_EQ(number_after("more seconds 2\nseconds   3e2 x\n", "seconds"), 300);
  EXPECT_THROW(number_after("more seconds 2\n", "seconds"), Error);
  EXPECT_THROW(number_after("seconds: none\n", "seconds"), Error);
}

TEST(Benchmark, ModelsOfTheProgramAreRead) {
  const std::string folder = testing::TempDir() + "benchmark_models_" + std::to_string(getpid());
  write_c5g7(folder + "/c5g7", 1000);
  const Model c5g7 = read_model(folder + "/c5g7");
  ASSERT_EQ(c5g7.meshes.size(), 1u);
  EXPECT_EQ(c5g7.meshes[0].size(), 1000000);
  EXPECT_EQ(c5g7.data.groups(), 7);
  write_chains(folder + "/chains");
  EXPECT_EQ(read_model(folder + "/chains").settings.mode, RunMode::fixed_source);
  std::filesystem::remove_all(folder);
}

TEST(Benchmark, ParticleVectorsRunOnSeveralThreads) {
  EXPECT_GT(run_particle_vectors(3, parallel::parse_loop_schedule("dynamic,2"), 9), 0);
  EXPECT_GT(run_particle_vectors(1, parallel::parse_loop_schedule("static"), 1), 0);
}

}  // namespace
}  // namespace taihu::neutron
