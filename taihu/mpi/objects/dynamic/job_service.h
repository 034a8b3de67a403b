// SPDX-License-Identifier: Apache-2.0
// What a job knows in one place only, its last node process: the numbers that are free for spawned ranks, how
// many ranks run, published names. All node processes ask it by calls of message::Service::job.
//
// A number is free again when its rank has ended and no group of a rank that uses MPI names it. The other
// node processes are asked for that at each spawn. The parents of a spawn say when all of them have their
// groups: until then the new numbers are named by the spawn itself.
//
// The last node process of a job with free places ends when no rank of the job runs any more: only then can
// nobody spawn.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "taihu/message/endpoint.h"
#include "taihu/mpi/objects/dynamic/spare_numbers.h"
#include "taihu/mpi/objects/rank.h"
#include "taihu/node/language.h"

namespace taihu::mpi {

/// One of the programs of MPI_Comm_spawn_multiple.
struct SpawnedProgram {
  std::string program;                 ///< path
  std::vector<std::string> arguments;  ///< argv[0] is the first
  std::string directory;               ///< to work in; empty: that of the process
  int ranks = 0;
};

struct SpawnRequest {
  std::vector<SpawnedProgram> programs;
  message::Context world_context = 0;   ///< of the MPI_COMM_WORLD of the new ranks
  message::Context parent_context = 0;  ///< of the intercommunicator
  std::vector<int> parents;             ///< ranks of the job, in the order of the intercommunicator
};

/// First of the new ranks, whose numbers follow each other; or why there are none.
struct SpawnAnswer {
  int first_rank = -1;
  std::string problem;
  bool may_come = false;  ///< there would be room if other spawned ranks had ended and nobody named them
};

/// The ranks of a node process, as far as the service wants them. Any thread may call.
class RanksOfProcess {
 public:
  virtual ~RanksOfProcess() = default;
  /// Makes the rank of a spare place known to the process. Throws Error. It stays until it is forgotten.
  virtual Rank& make(int local_index, const WorldOfRank& world) = 0;
  /// Nothing of the rank runs any more. False: a transfer from or to its memory is under way, or it has not
  /// left MPI; its place stays taken.
  virtual bool forget(int local_index) = 0;
  /// Spawned ranks that groups of ranks of this process name.
  virtual std::set<int> named() = 0;
};

/// In the last node process; answers the calls of all. The other ones answer which ranks their groups name.
class JobService {
 public:
  JobService(message::Node& node, node::SpareRanks& spares, RanksOfProcess& ranks);
  JobService(const JobService&) = delete;
  JobService& operator=(const JobService&) = delete;

  /// Of each rank of this node process, in jobs with free places.
  void rank_ended();

 private:
  struct Launch;
  struct Names;
  using Call = std::shared_ptr<message::ServiceCall>;
  void serve(const Call& call);
  void ask_for_names(const Call& call);
  void spawn(const Call& call, const Names& names);
  bool make(Launch& launch, const SpawnRequest& request);
  bool loaded(const std::shared_ptr<Launch>& launch, const std::string& problem);
  void refused(const std::shared_ptr<Launch>& launch, int rank, const std::string& problem);
  static void end(Launch& launch);
  bool was_last(const std::shared_ptr<Launch>& launch, const std::string& problem);
  void forget(int rank);
  int local_index(int rank) const;
  void process_ended();
  void close_at_end();

  message::Node& node_;
  node::SpareRanks& spares_;
  RanksOfProcess& ranks_;
  const std::string job_name_;
  std::mutex lock_;  ///< of all below
  SpareNumbers numbers_;
  std::set<int> lingering_;                   ///< that have ended, but have threads
  std::set<int> unsettled_;                   ///< whose parents may not have named them yet
  int running_;                               ///< ranks of this node process
  int other_processes_;                       ///< that still have ranks
  std::map<std::string, std::string> ports_;  ///< by published name
};

// The calls; any thread of a rank, any node process.

/// Where there is no room it waits for some time, as ranks that have left their parents may be about to end.
SpawnAnswer ask_to_spawn(message::Node& node, const SpawnRequest& request);
/// In all node processes but the last, before any rank runs.
void serve_names(message::Node& node, RanksOfProcess& ranks);
/// All parents of a spawn have their groups of the new ranks. Does not wait.
void tell_settled(message::Node& node, int first_rank, int ranks);
/// Whether there is, or was at the start of the job, a rank with this number.
bool has_started(message::Node& node, int rank);
/// At the end of the last rank of any other node process, in jobs with free places.
void tell_process_ended(message::Node& node);
/// A text that no other job has.
std::string name_of_job(message::Node& node);
/// False: the name is in use.
bool publish(message::Node& node, const std::string& name, const std::string& port);
/// False: there is no such name.
bool unpublish(message::Node& node, const std::string& name);
std::optional<std::string> look_up(message::Node& node, const std::string& name);

}  // namespace taihu::mpi
