// SPDX-License-Identifier: Apache-2.0
// When a run writes its file of tracks, and what it says about tracks that it cannot write.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "taihu/base/error.h"
#include "taihu/neutron/file/hdf5_file.h"
#include "taihu/neutron/run/run_model.h"
#include "taihu/neutron/test_models.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::neutron {
namespace {

using Names = std::vector<std::string>;

/// Runs of a small model in one folder.
class RunTracks : public ::testing::Test {
 protected:
  /// Four batches, from the statepoint after batch 2 if `resumes`. Keeps the lines about tracks. The run ends
  /// with an error when it prints a line that begins with `end_at`.
  void run(const std::string& tracked, bool resumes = false, const std::string& end_at = "",
           const std::string& more = "") {
    const Model model =
        test_model("rectangular", settings_text(100, 4, 1) + "<track>" + tracked + "</track>" + more);
    RunOptions options;
    options.output_folder = folder_.path();
    options.statepoint_every = 2;
    if (resumes) options.resume_from = folder_.path("statepoint.2.h5");
    lines_.clear();
    parallel::SoloCommunicator rank;
    run_model(model, rank, options, [&](const std::string& line) {
      if (!end_at.empty() && line.starts_with(end_at)) throw Error("ended");
      if (line.find("tracks") != line.npos) lines_.push_back(line);
    });
  }

  Names names() const {
    const Hdf5File file(folder_.path("tracks.h5"), Hdf5File::Mode::read);
    Names names = file.names_in("/");
    std::sort(names.begin(), names.end());
    return names;
  }

  TemporaryFolder folder_;
  Names lines_;
};

TEST_F(RunTracks, AreThereAfterARunThatWasEnded) {
  EXPECT_THROW(run("1 1 3 3 1 7", false, "     3 "), Error);
  EXPECT_EQ(names(), Names{"track_1_1_3"});
  run("1 1 3 3 1 7");
  EXPECT_EQ(names(), (Names{"track_1_1_3", "track_3_1_7"}));
}

TEST_F(RunTracks, OfBatchesBeforeStayWhenARunGoesOn) {
  const std::string path = folder_.path("tracks.h5");
  run("1 1 3 2 1 5");
  EXPECT_EQ(lines_, (Names{"tracks: " + path, "tracks: " + path}));
  const Names before = names();
  EXPECT_EQ(before, (Names{"track_1_1_3", "track_2_1_5"}));
  run("1 1 3 2 1 5", true);
  EXPECT_EQ(lines_,
            Names{"tracks: those that are wanted are of batches before; " + path + " stays as it is"});
  EXPECT_EQ(names(), before);
  run("2 1 5 3 1 7", true);
  EXPECT_EQ(lines_, (Names{"warning: tracks of batches up to 2 will not be in the new " + path +
                               "; keep a file that has them under another name",
                           "tracks: " + path}));
  EXPECT_EQ(names(), Names{"track_3_1_7"});
  run("4 1 7", true);
  EXPECT_EQ(lines_, Names{"tracks: " + path});
}

TEST_F(RunTracks, OfBatchesThatDoNotComeAreTold) {
  run("5 1 7");
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_TRUE(lines_[0].starts_with("warning: ")) << lines_[0];
  EXPECT_TRUE(lines_[0].ends_with("tracks of batch 5 are wanted, but the run ends after batch 4"))
      << lines_[0];
  EXPECT_FALSE(std::filesystem::exists(folder_.path("tracks.h5")));
  // Triggers that are met end a run before its last batch.
  run("4 1 1 6 1 7", false, "",
      "<keff_trigger><type>std_dev</type><threshold>10</threshold></keff_trigger>"
      "<trigger><active>true</active><max_batches>9</max_batches></trigger>");
  ASSERT_EQ(lines_.size(), 2u);
  EXPECT_TRUE(lines_[1].ends_with("tracks of batch 6 are wanted, but the run ends after batch 4"))
      << lines_[1];
  EXPECT_EQ(names(), Names{"track_4_1_1"});
}

}  // namespace
}  // namespace taihu::neutron
