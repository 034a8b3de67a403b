// SPDX-License-Identifier: Apache-2.0
// The ranks of a node process while they are being started and while they run: each on its own thread, in its
// own image of the program.
#pragma once

#include <barrier>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "taihu/launch/job.h"
#include "taihu/launch/layout.h"
#include "taihu/launch/python_program.h"
#include "taihu/launch/rank_threads.h"
#include "taihu/memory/current_rank.h"
#include "taihu/memory/image/image_template.h"
#include "taihu/memory/image/rank_image.h"
#include "taihu/memory/image/symmetric_map.h"
#include "taihu/message/endpoint.h"
#include "taihu/node/language.h"

namespace taihu::node {

class Ranks final : public SpareRanks {
 public:
  /// Reads the program and plans its images. `process`: this node process in `layout`.
  Ranks(Language& language, const launch::JobParameters& job, const launch::Layout& layout, int process);

  /// Loads and runs all ranks; returns when all have ended with 0, else ends the job.
  int run(message::Node& node, const launch::RankThreadSettings& settings);

  void start(int local_index, RankOrder order) override;
  bool is_over(int local_index) override;
  void forget(int local_index) override;
  void close() override;

  /// With those of spare places, behind all others.
  std::span<memory::RankIdentity> identities() noexcept { return identities_; }
  const memory::ImageTemplate& program() const noexcept { return image_template_; }
  const memory::ImageSymmetricMap& symmetric() const noexcept { return symmetric_; }

 private:
  int run_first(message::Node& node, std::barrier<>& all_here, memory::RankIdentity& identity);
  bool is_spare(const memory::RankIdentity& identity) const noexcept {
    return identity.local_index >= count_;
  }
  int run_spare(memory::RankIdentity& identity);
  const memory::ImageTemplate& template_of(const std::string& program);
  memory::IdleCopies& idle_copies(const memory::ImageTemplate& program);
  void load(memory::RankIdentity& identity, const memory::ImageTemplate& program);
  int run_program(memory::RankIdentity& identity, const launch::ProgramStart& start, const std::string& name,
                  const std::vector<std::string>& arguments);
  std::vector<std::string> environment_of(const memory::RankIdentity& identity) const;
  template <class Step>
  void try_step(Step&& step);
  memory::RankImage& image(const memory::RankIdentity& identity) const {
    return *images_[static_cast<std::size_t>(identity.local_index)];
  }

  Language& language_;
  const launch::JobParameters& job_;
  const int count_;  ///< that start with the job
  const int most_;   ///< with those that may start while it runs: the last ones
  const launch::ProgramStart start_;
  memory::ImageTemplate image_template_;
  std::unique_ptr<memory::ImagePlaces> places_;  ///< while ranks are loaded; null: any addresses
  memory::ImageSymmetricMap symmetric_;
  std::map<const memory::ImageTemplate*, memory::IdleCopies>
      idle_copies_;  ///< of spare ranks that have ended
  std::vector<memory::RankIdentity> identities_;
  std::vector<std::unique_ptr<memory::RankImage>> images_;
  launch::LateRanks late_;
  std::mutex orders_lock_;           // guards the two below and idle_copies_
  std::map<int, RankOrder> orders_;  ///< by local index
  std::map<std::string, std::unique_ptr<memory::ImageTemplate>> started_programs_;  ///< by path
  std::mutex mutex_;                                                                // guards problem_
  std::string problem_;  // why the ranks cannot start; empty when they can
};

}  // namespace taihu::node
