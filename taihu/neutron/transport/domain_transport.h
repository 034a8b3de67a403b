// SPDX-License-Identifier: Apache-2.0
// One generation of histories with domains: each rank runs the histories that are in its domain and sends
// those that leave it to a rank of the domain that they enter.
//
// Ranks do not wait for one another: a rank takes what has arrived, runs a chunk of histories with all its
// threads, sends what left, and so on. The number of histories is known. The generation is over when the root
// has been told that all have ended; then no history can be under way. Fission sites travel with their
// history and go, at the end, to the rank that started it. Scores in mesh cells outside the rank's window go
// to the cells' owners. So everything outside this file is the same with and without domains.
#pragma once

#include <memory>
#include <vector>

#include "taihu/neutron/transport/history.h"
#include "taihu/parallel/communicator.h"
#include "taihu/parallel/loop.h"

namespace taihu::neutron {

/// Counts of a rank since the start.
struct DomainLoad {
  double busy = 0, waiting = 0;  ///< seconds
  std::int64_t arrived = 0;      ///< histories that came from other domains
  std::int64_t outside = 0;      ///< combinations of bins that were scored beyond the window
};

class DomainTransport {
 public:
  /// All arguments must outlive the object. `particles`: histories of a generation on all ranks.
  DomainTransport(const Domains& domains, const BinShares& shares, parallel::Communicator& ranks,
                  const parallel::Team& team, parallel::LoopSchedule schedule,
                  std::vector<std::unique_ptr<HistoryRunner>>& runners, std::int64_t particles);

  /// Runs a generation; this rank's `source` begins with history `first`. Collective.
  void run(const std::vector<Site>& source, std::int64_t first, std::uint64_t generation, double k,
           bool tallying);

  /// The sites that the histories of this rank's source made in the last run, in the order of the histories.
  /// Collective.
  std::vector<Site> take_sites(std::int64_t histories);

  const DomainLoad& load() const noexcept { return load_; }

 private:
  struct Birth {
    Site site;
    std::uint64_t history;
  };
  /// A history that ended here and made sites.
  struct Ended {
    std::uint64_t history;
    std::size_t sites;
  };
  /// The data of one thread for other ranks and for the end of the generation.
  struct Result {
    std::vector<parallel::Bytes> leaving;  ///< by rank
    std::vector<Ended> ended;
    std::int64_t count = 0;  ///< of histories that ended
  };

  void deal(const std::vector<Site>& source, std::int64_t first);
  bool has_work() const noexcept { return !births_.empty() || !visitors_.empty(); }
  void run_chunk();
  void finish(int thread, bool ended);
  void send_leaving(bool all);
  bool look_for_messages(bool wait);
  bool read_message(const parallel::Message& message);
  bool tell_root();
  void send_scores_if_many();
  std::vector<parallel::Bytes> take_outside();
  void add_scores(parallel::Reader reader);
  void bring_scores_home();

  const Domains* domains_;
  const BinShares* shares_;
  parallel::Communicator* ranks_;
  const parallel::Team* team_;
  parallel::LoopSchedule schedule_;
  std::vector<std::unique_ptr<HistoryRunner>>* runners_;
  std::vector<std::int64_t> first_of_rank_;  ///< history of each rank's source, and the number of all

  std::vector<Birth> births_;
  parallel::Bytes visitors_bytes_;     ///< histories that have arrived, one behind the other
  std::vector<std::size_t> visitors_;  ///< where each begins
  std::vector<Result> results_;        ///< by thread
  std::vector<std::uint64_t> scores_sent_, scores_taken_;  ///< messages, by rank, of this generation
  std::int64_t told_ = 0, known_ = 0;  ///< histories that ended: told to the root, known to the root
  std::uint64_t generation_ = 0;
  double k_ = 1;
  bool tallying_ = false;
  DomainLoad load_;
};

}  // namespace taihu::neutron
