// SPDX-License-Identifier: Apache-2.0
// What a job knows in one place only, its last node process: the numbers that are free for spawned ranks, how
// many ranks run, published names. All node processes ask it by calls of message::Service::job.
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
#include <string>
#include <vector>

#include "taihu/message/endpoint.h"
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
};

/// Makes the rank of a spare place known to its node process: (local index, rank's world, its members'
/// application number). The result stays until the process ends.
using MakeRank = std::function<Rank&(int local_index, const WorldOfRank& world)>;

/// In the last node process; answers the calls of all.
class JobService {
 public:
  JobService(message::Node& node, node::SpareRanks& spares, MakeRank make_rank);
  JobService(const JobService&) = delete;
  JobService& operator=(const JobService&) = delete;

  /// Of each rank of this node process, in jobs with free places.
  void rank_ended();

 private:
  struct Launch;
  void serve(const std::shared_ptr<message::ServiceCall>& call);
  void spawn(const std::shared_ptr<message::ServiceCall>& call, const SpawnRequest& request);
  bool loaded(const std::shared_ptr<Launch>& launch, const std::string& problem);
  void refused(const std::shared_ptr<Launch>& launch, const std::string& problem);
  static void end(Launch& launch);
  bool was_last(const std::shared_ptr<Launch>& launch, const std::string& problem);
  void process_ended();
  void close_at_end();

  message::Node& node_;
  node::SpareRanks& spares_;
  const MakeRank make_rank_;
  const std::string job_name_;
  std::mutex lock_;                           ///< of all below
  int next_place_;                            ///< first rank of the job whose place was never taken
  int running_;                               ///< ranks of this node process
  int other_processes_;                       ///< that still have ranks
  std::map<std::string, std::string> ports_;  ///< by published name
};

// The calls; any thread of a rank, any node process.

SpawnAnswer ask_to_spawn(message::Node& node, const SpawnRequest& request);
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
