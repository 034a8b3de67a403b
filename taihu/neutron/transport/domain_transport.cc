// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/transport/domain_transport.h"

#include <algorithm>

#include "taihu/base/clock.h"
#include "taihu/neutron/source/fission_bank.h"
#include "taihu/parallel/messages.h"

namespace taihu::neutron {
namespace {

constexpr std::size_t chunk_per_thread = 256;    // histories between two looks at the messages
constexpr std::size_t worth_sending = 16 << 10;  // bytes; smaller messages wait for idle time
constexpr std::size_t many_outside = 1 << 16;    // combinations outside the window that are kept on this rank

constexpr parallel::Tag transport_tag{1}, scores_tag{2};

/// First word of a message of `transport_tag`.
enum class Content : std::uint64_t { histories, ended, over };

double seconds_since(std::int64_t start_ns) {
  return static_cast<double>(now_ns() - start_ns) * 1e-9;
}

}  // namespace

DomainTransport::DomainTransport(const Domains& domains, const BinShares& shares,
                                 parallel::Communicator& ranks, const parallel::Team& team,
                                 parallel::LoopSchedule schedule,
                                 std::vector<std::unique_ptr<HistoryRunner>>& runners, std::int64_t particles)
    : domains_(&domains),
      shares_(&shares),
      ranks_(&ranks),
      team_(&team),
      schedule_(schedule),
      runners_(&runners),
      results_(team.size()) {
  for (int rank = 0; rank <= ranks.size(); ++rank)
    first_of_rank_.push_back(first_history(particles, rank, ranks.size()));
  for (Result& result : results_) result.leaving.resize(ranks.size());
}

void DomainTransport::run(const std::vector<Site>& source, std::int64_t first, std::uint64_t generation,
                          double k, bool tallying) {
  generation_ = generation, k_ = k, tallying_ = tallying;
  told_ = known_ = 0;
  scores_sent_.assign(ranks_->size(), 0);
  scores_taken_.assign(ranks_->size(), 0);
  for (Result& result : results_) result.count = 0, result.ended.clear();
  deal(source, first);
  for (bool over = false; !over;) {
    over = look_for_messages(false);
    if (has_work()) {
      run_chunk();
      send_leaving(!has_work());
      send_scores_if_many();
    } else if (!over) {
      over = tell_root() || look_for_messages(true);
    }
  }
  if (tallying) bring_scores_home();
}

/// Sends the neutrons of the source to the ranks of the domains in which they begin.
void DomainTransport::deal(const std::vector<Site>& source, std::int64_t first) {
  std::vector<parallel::Bytes> out(ranks_->size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    Birth birth{source[i], static_cast<std::uint64_t>(first) + i};
    birth.site.parent = static_cast<std::uint32_t>(i);
    parallel::append(out[domains_->rank_for(domains_->of_point(birth.site.r), birth.history)], birth);
  }
  births_.clear();
  for (const parallel::Bytes& in : parallel::exchange_all(*ranks_, std::move(out))) {
    const std::size_t before = births_.size();
    births_.resize(before + in.size() / sizeof(Birth));
    parallel::Reader(in).read(births_.data() + before, births_.size() - before);
  }
}

/// Histories of other ranks run first, which frees their memory.
void DomainTransport::run_chunk() {
  const std::int64_t start = now_ns();
  const std::size_t most = chunk_per_thread * static_cast<std::size_t>(team_->size());
  const bool visiting = !visitors_.empty();
  const std::size_t all = visiting ? visitors_.size() : births_.size();
  const std::size_t count = std::min(most, all), begin = all - count;
  parallel::parallel_for(
      *team_, schedule_, static_cast<std::int64_t>(count), [&](int thread, std::int64_t i) {
        HistoryRunner& runner = *(*runners_)[thread];
        const std::size_t at = begin + static_cast<std::size_t>(i);
        if (visiting) {
          const std::span<const std::byte> arrived(visitors_bytes_);
          parallel::Reader reader(arrived.subspan(visitors_[at]));
          finish(thread, runner.go_on(reader, generation_, k_, tallying_));
        } else {
          const Birth& birth = births_[at];
          finish(thread,
                 runner.run(birth.site, generation_, birth.history, birth.site.parent, k_, tallying_));
        }
      });
  if (visiting) {
    visitors_bytes_.resize(visitors_[begin]);
    visitors_.resize(begin);
  } else {
    births_.resize(begin);
  }
  load_.busy += seconds_since(start);
}

/// A history has ended on this thread, or left the domain.
void DomainTransport::finish(int thread, bool ended) {
  HistoryRunner& runner = *(*runners_)[thread];
  Result& result = results_[thread];
  if (ended) {
    ++result.count;
    if (runner.made() > 0) result.ended.push_back({runner.history(), runner.made()});
    return;
  }
  parallel::Bytes& out =
      result.leaving[domains_->rank_for(domains_->of_point(runner.position()), runner.history())];
  if (out.empty()) parallel::append(out, Content::histories);
  const std::size_t length_at = out.size();
  parallel::append(out, std::uint64_t{0});
  runner.pack(out);
  const std::uint64_t length = out.size() - length_at - sizeof length;
  std::memcpy(out.data() + length_at, &length, sizeof length);
}

void DomainTransport::send_leaving(bool all) {
  for (Result& result : results_)
    for (int to = 0; to < ranks_->size(); ++to) {
      parallel::Bytes& out = result.leaving[to];
      if (out.empty() || (!all && out.size() < worth_sending)) continue;
      ranks_->post(to, transport_tag, std::move(out));
      out = {};
    }
}

/// True: the generation is over.
bool DomainTransport::look_for_messages(bool wait) {
  bool over = false;
  parallel::Message message;
  const std::int64_t start = now_ns();
  while (ranks_->take(transport_tag, parallel::any_rank, wait, message)) {
    if (wait) load_.waiting += seconds_since(start);
    wait = false;
    over = read_message(message) || over;
  }
  while (ranks_->take(scores_tag, parallel::any_rank, false, message)) {
    ++scores_taken_[message.from];
    add_scores(parallel::Reader(message.data));
  }
  return over;
}

bool DomainTransport::read_message(const parallel::Message& message) {
  parallel::Reader reader(message.data);
  const auto content = reader.read<Content>();
  if (content == Content::over) return true;
  if (content == Content::ended) {
    known_ += reader.read<std::int64_t>();
    return false;
  }
  while (!reader.empty()) {
    const auto length = reader.read<std::uint64_t>();
    visitors_.push_back(visitors_bytes_.size());
    const std::size_t end = visitors_bytes_.size();
    visitors_bytes_.resize(end + length);
    reader.read(visitors_bytes_.data() + end, length);
    ++load_.arrived;
  }
  return false;
}

/// This rank has nothing to do: tells the root how many histories have ended here. True: the last one has
/// ended.
bool DomainTransport::tell_root() {
  std::int64_t ended = 0;
  for (const Result& result : results_) ended += result.count;
  const std::int64_t news = ended - told_;
  told_ = ended;
  if (ranks_->is_root()) {
    known_ += news;
    if (known_ < first_of_rank_.back()) return false;
    for (int to = 1; to < ranks_->size(); ++to) {
      parallel::Bytes over;
      parallel::append(over, Content::over);
      ranks_->post(to, transport_tag, std::move(over));
    }
    return true;
  }
  if (news == 0) return false;
  parallel::Bytes message;
  parallel::append(message, Content::ended);
  parallel::append(message, news);
  ranks_->post(0, transport_tag, std::move(message));
  return false;
}

/// Sums beyond the windows of all threads, by owner.
std::vector<parallel::Bytes> DomainTransport::take_outside() {
  std::vector<parallel::Bytes> out(ranks_->size());
  for (const auto& runner : *runners_) {
    runner->bins().for_each_outside([&](std::int64_t bin, std::span<const ExactSum> sums) {
      parallel::Bytes& to = out[shares_->owner_of(bin)];
      parallel::append(to, bin);
      parallel::append(to, static_cast<std::uint64_t>(sums.size()));
      parallel::append(to, sums.data(), sums.size());
      ++load_.outside;
    });
    runner->bins().clear_outside();
  }
  return out;
}

void DomainTransport::send_scores_if_many() {
  std::size_t count = 0;
  for (const auto& runner : *runners_) count += runner->bins().outside_count();
  if (count < many_outside) return;
  std::vector<parallel::Bytes> out = take_outside();
  for (int to = 0; to < ranks_->size(); ++to) {
    if (out[to].empty()) continue;
    ranks_->post(to, scores_tag, std::move(out[to]));
    ++scores_sent_[to];
  }
}

void DomainTransport::add_scores(parallel::Reader reader) {
  std::vector<ExactSum> sums;
  while (!reader.empty()) {
    const auto bin = reader.read<std::int64_t>();
    sums.resize(reader.read<std::uint64_t>());
    reader.read(sums.data(), sums.size());
    (*runners_)[0]->bins().add(bin, sums);
  }
}

/// Sends the remaining scores to their owners, with the number of messages sent before.
void DomainTransport::bring_scores_home() {
  std::vector<parallel::Bytes> out = take_outside();
  for (int to = 0; to < ranks_->size(); ++to) parallel::append(out[to], scores_sent_[to]);
  const std::vector<parallel::Bytes> in = parallel::exchange_all(*ranks_, std::move(out));
  for (int from = 0; from < ranks_->size(); ++from) {
    const std::span<const std::byte> bytes(in[from]);
    add_scores(parallel::Reader(bytes.first(bytes.size() - sizeof(std::uint64_t))));
    const auto sent = parallel::Reader(bytes.last(sizeof(std::uint64_t))).read<std::uint64_t>();
    parallel::Message message;
    for (; scores_taken_[from] < sent; ++scores_taken_[from]) {
      ranks_->take(scores_tag, from, true, message);
      add_scores(parallel::Reader(message.data));
    }
  }
}

std::vector<Site> DomainTransport::take_sites(std::int64_t histories) {
  std::vector<parallel::Bytes> out(ranks_->size());
  for (std::size_t thread = 0; thread < results_.size(); ++thread) {
    std::vector<Site>& sites = (*runners_)[thread]->sites();
    const Site* next = sites.data();
    for (const Ended& ended : results_[thread].ended) {
      const auto after = std::upper_bound(first_of_rank_.begin(), first_of_rank_.end(),
                                          static_cast<std::int64_t>(ended.history));
      parallel::append(out[after - first_of_rank_.begin() - 1], next, ended.sites);
      next += ended.sites;
    }
    sites.clear();
  }
  std::vector<Site> all;
  for (const parallel::Bytes& in : parallel::exchange_all(*ranks_, std::move(out))) {
    const std::size_t before = all.size();
    all.resize(before + in.size() / sizeof(Site));
    parallel::Reader(in).read(all.data() + before, all.size() - before);
  }
  return in_history_order({&all}, histories);
}

}  // namespace taihu::neutron
