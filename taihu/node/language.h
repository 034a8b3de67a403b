// SPDX-License-Identifier: Apache-2.0
// What a node process leaves to the language of its programs. The steps themselves are in node_process.cc;
// each language library has one object of this kind and gives it to run_node_process.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "taihu/launch/binding.h"
#include "taihu/launch/job.h"
#include "taihu/memory/current_rank.h"
#include "taihu/memory/image/image_template.h"
#include "taihu/memory/image/rank_image.h"
#include "taihu/memory/image/symmetric_map.h"
#include "taihu/message/endpoint.h"
#include "taihu/topology/machine.h"

namespace taihu::node {

/// A rank of MPI that starts while the job runs.
struct RankOrder {
  std::string program;                 ///< path
  std::vector<std::string> arguments;  ///< argv[0] is the first
  std::string directory;               ///< to work in; empty: that of the process
  /// On the rank's thread, once its image is loaded, or with the reason why it cannot be. May wait for other
  /// ranks. False: the rank does not run.
  std::function<bool(const std::string& problem)> loaded;
  /// The system gives no thread for it. On a thread of no rank; must not wait.
  std::function<void(const std::string& problem)> refused;
  /// It has ended with exit code 0, or `loaded` was false, and its first thread is no more. On a thread of no
  /// rank; must not wait. Not called of the last ones.
  std::function<void()> ended;
};

/// The places of a node process for such ranks: a number each, until somebody starts there, and again when
/// its rank has ended and is forgotten. Any thread may call.
class SpareRanks {
 public:
  virtual ~SpareRanks() = default;
  /// `local_index`: of a place that is still free.
  virtual void start(int local_index, RankOrder order) = 0;
  /// Whether no thread of a rank that has ended, or was refused, runs any more.
  virtual bool is_over(int local_index) = 0;
  /// The rank is over, and no transfer reads or writes its memory any more: that is let go, for ranks to
  /// come, and the place is free. One thread at a time.
  virtual void forget(int local_index) = 0;
  /// Nobody will start any more: the node process ends with its ranks.
  virtual void close() = 0;
};

/// What is known when the ranks are prepared. What it refers to lives until the node process ends.
struct Preparation {
  const launch::JobParameters& job;
  message::Node& node;
  const topology::Machine& machine;
  const launch::Binding& binding;              ///< of the ranks of this node process, in order
  const memory::ImageSymmetricMap& symmetric;  ///< filled while the ranks are loaded
  launch::NodeShare share;
  int threads = 1;                     ///< that each rank may keep busy
  std::size_t thread_stack_bytes = 0;  ///< of threads that the language starts; 0: what the system gives
  std::size_t rank_stack_bytes = 0;    ///< of the rank's own thread
  SpareRanks& spares;
};

/// Errors are thrown as taihu::Error; the node process reports them and ends the job.
class Language {
 public:
  using Segments = std::vector<memory::ImageSymmetricMap::Segment>;

  virtual ~Language() = default;

  /// The command that starts such jobs: what messages to the user begin with.
  virtual const char* launcher() const noexcept = 0;

  /// How many ranks may start while a job runs, if the user does not say it.
  virtual int spare_ranks() const noexcept { return 0; }

  /// Refuses programs that cannot be of this language. Before the node processes know of each other's ranks.
  virtual void check(const memory::ImageTemplate& /*program*/) {}

  /// Gives every rank its place in the runtime: sets `runtime` of each identity. Main thread; no rank runs
  /// yet.
  virtual void prepare(const Preparation& preparation, std::span<memory::RankIdentity> ranks) = 0;

  /// The image of `rank` is in memory and none of its code has run. On the rank's thread. Returns symmetric
  /// segments besides those of the image.
  virtual Segments loaded(memory::RankIdentity& /*rank*/, const memory::RankImage& /*image*/) { return {}; }

  /// Whether the ranks' copies of the program are to be at the same addresses in every run.
  virtual bool wants_fixed_places(const memory::ImageTemplate& /*program*/) { return false; }

  /// The constructors of `rank` have run, its main has not. On the rank's thread, which may communicate.
  virtual void before_main(memory::RankIdentity& /*rank*/) {}

  /// All ranks of this node process are loaded and wait. Once, on the thread of one of them; may exchange
  /// with the other node processes (Node::allgather), which do the same.
  virtual void all_loaded(message::Node& /*node*/) {}

  /// The program of `rank` has ended with `status`, its exit handlers have run. On the rank's thread. Returns
  /// the status of the rank: any other than 0 ends the job.
  virtual int ended(memory::RankIdentity& /*rank*/, int status) { return status; }

  /// A rank has crashed or failed, and the job is about to be ended. On a thread of no rank, while ranks run;
  /// may wait for a second or so.
  virtual void ending() {}

  /// All ranks of this node process have ended with 0. Before the connection to the others is given up.
  virtual void finish() {}
};

}  // namespace taihu::node
