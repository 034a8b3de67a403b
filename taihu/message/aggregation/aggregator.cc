// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/aggregation/aggregator.h"

#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "taihu/message/data/copy.h"
#include "taihu/message/node/node_process.h"

namespace taihu::message {

namespace {

/// Buffers of one aggregator on their way; then operations wait.
constexpr int most_under_way = 16;
/// Changes that callers have made themselves, of which their ranks learn then at the latest.
constexpr int most_untold_changes = 512;
/// Of operations that go on their own.
constexpr std::size_t most_large = 64;

[[noreturn]] void end_job_without(Node& node, int rank, std::uint64_t segment, std::uint64_t offset) {
  std::fprintf(
      stderr,
      "taihu: aggregated one-sided operation: rank %d has no symmetric memory at segment %llu offset %llu "
      "(different programs or libraries on two nodes?); use the same files on all nodes\n",
      rank, static_cast<unsigned long long>(segment), static_cast<unsigned long long>(offset));
  node.abort(1);
}

}  // namespace

/// An operation that is going on.
class Aggregator::Inside {
 public:
  explicit Inside(Aggregator& aggregator) noexcept : aggregator_(aggregator) {
    aggregator_.lock_.lock();
    aggregator_.is_inside_ = true;
  }
  ~Inside() {
    aggregator_.is_inside_ = false;
    aggregator_.lock_.unlock();
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Aggregator& aggregator_;
};

void look_now_and_then(Node& node, std::function<void()> look) {
  static_cast<NodeProcess&>(node).look_now_and_then(std::move(look));
}

Aggregator::Aggregator(Endpoint& endpoint, const memory::SymmetricMap& symmetric, std::size_t buffer_bytes)
    : endpoint_(endpoint),
      symmetric_(symmetric),
      buffer_bytes_(buffer_bytes),
      own_process_(endpoint.node().process()),
      buffers_(static_cast<std::size_t>(endpoint.node().layout().processes)) {
  const launch::Layout& layout = endpoint.node().layout();
  for (int rank = 0; rank < layout.ranks; ++rank) process_of_rank_.push_back(layout.process_of(rank));
  is_untold_.resize(process_of_rank_.size());
}

Aggregator::~Aggregator() = default;

std::byte* Aggregator::append(Kind kind, int rank, memory::SymmetricAddress place, std::size_t bytes,
                              std::size_t data_bytes, void* result) {
  const int process = process_of_rank_[static_cast<unsigned>(rank)];
  Buffer& buffer = buffers_[static_cast<std::size_t>(process)];
  const std::size_t answer = result != nullptr ? bytes : 0;
  if (buffer.data.size() + sizeof(Record) + data_bytes > buffer_bytes_ ||
      buffer.result_bytes + answer > buffer_bytes_) {
    send(process);
  }
  std::byte* const data = append_record(kind, rank, place, bytes, data_bytes);
  if (result != nullptr) {
    buffer.results.push_back({result, bytes});
    buffer.result_bytes += bytes;
  }
  return data;
}

std::byte* Aggregator::append_record(Kind kind, int rank, memory::SymmetricAddress place, std::size_t bytes,
                                     std::size_t data_bytes) {
  const int process = process_of_rank_[static_cast<unsigned>(rank)];
  Buffer& buffer = buffers_[static_cast<std::size_t>(process)];
  if (buffer.data.capacity() == 0) buffer.data.reserve(buffer_bytes_);
  const auto& first_rank = endpoint_.node().layout().first_rank;
  const Record record{static_cast<std::uint64_t>(place.segment) << offset_bits | place.offset,
                      rank - first_rank[static_cast<std::size_t>(process)],
                      static_cast<std::uint32_t>(bytes << kind_bits) | static_cast<std::uint32_t>(kind)};
  const std::size_t at = buffer.data.size();
  if (buffer.is_empty()) buffer.begin_turn();
  buffer.data.resize(at + sizeof record + data_bytes);
  std::memcpy(&buffer.data[at], &record, sizeof record);
  return buffer.data.data() + at + sizeof record;
}

void Aggregator::put(int destination, const void* source, memory::SymmetricAddress target,
                     std::size_t bytes) {
  if (is_here(destination)) {
    endpoint_.put(destination, source, target, bytes, nullptr);
    return;
  }
  const Inside inside(*this);
  if (bytes > buffer_bytes_ / 4) {
    // The data are taken now, as those of all others.
    endpoint_.wait(endpoint_.put(destination, source, target, bytes, nullptr), nullptr);
  } else if (bytes > 0) {
    copy_short(append(Kind::put, destination, target, bytes, bytes, nullptr), source, bytes);
  }
}

void Aggregator::get(int from, memory::SymmetricAddress source, void* target, std::size_t bytes) {
  if (is_here(from)) {
    endpoint_.get(from, source, target, bytes);
    return;
  }
  const Inside inside(*this);
  if (bytes > buffer_bytes_ / 4) {
    wait_for_large(endpoint_.get(from, source, target, bytes));
  } else if (bytes > 0) {
    append(Kind::get, from, source, bytes, 0, target);
  }
}

void Aggregator::add(int destination, memory::SymmetricAddress target, std::int64_t value,
                     std::int64_t* before) {
  if (is_here(destination)) {
    const launch::Layout& layout = endpoint_.node().layout();
    const int index = destination - layout.first_rank[static_cast<std::size_t>(own_process_)];
    void* number = symmetric_.resolve(index, target, sizeof value);
    if (number == nullptr) end_job_without(endpoint_.node(), destination, target.segment, target.offset);
    const std::int64_t former =
        std::atomic_ref(*static_cast<std::int64_t*>(number)).fetch_add(value, std::memory_order_release);
    if (before != nullptr) *before = former;
    endpoint_.node().endpoint(index).doorbell().ring();
    return;
  }
  const Inside inside(*this);
  std::byte* data = append(before != nullptr ? Kind::fetch_add : Kind::add, destination, target, sizeof value,
                           sizeof value, before);
  std::memcpy(data, &value, sizeof value);
}

void Aggregator::tell_later(int destination) {
  const Inside inside(*this);
  const int process = process_of_rank_[static_cast<unsigned>(destination)];
  Buffer& buffer = buffers_[static_cast<std::size_t>(process)];
  if (!is_untold_[static_cast<unsigned>(destination)]) {
    if (buffer.is_empty()) buffer.begin_turn();
    is_untold_[static_cast<unsigned>(destination)] = true;
    buffer.untold.push_back(destination);
  }
  if (++buffer.changes >= most_untold_changes) send(process);
}

/// Those that cannot be rung now are told by a put of no bytes.
void Aggregator::tell(int process) {
  Buffer& buffer = buffers_[static_cast<std::size_t>(process)];
  for (const int rank : buffer.untold) {
    is_untold_[static_cast<unsigned>(rank)] = false;
    if (!endpoint_.ring_there(rank)) append_record(Kind::put, rank, {}, 0, 0);
  }
  buffer.untold.clear();
  buffer.changes = 0;
}

/// Few are kept, so that their number has a bound.
void Aggregator::wait_for_large(Request* request) {
  if (request == nullptr) return;
  if (large_.size() == most_large) {
    for (Request* other : large_) endpoint_.wait(other, nullptr);
    large_.clear();
  }
  large_.push_back(request);
}

void Aggregator::send(int process) {
  Buffer& buffer = buffers_[static_cast<std::size_t>(process)];
  if (buffer.is_empty()) return;
  tell(process);
  buffer.begin_turn();
  if (buffer.data.empty()) return;
  endpoint_.wait_until([&] { return under_way_.load(std::memory_order_acquire) < most_under_way; });
  under_way_.fetch_add(1, std::memory_order_relaxed);
  sent_.fetch_add(1, std::memory_order_relaxed);
  auto results = std::make_shared<const std::vector<Result>>(std::move(buffer.results));
  endpoint_.node().begin_call(
      process, Service::aggregate, buffer.data.data(), buffer.data.size(),
      [this, results, &bell = endpoint_.doorbell()](const std::vector<std::byte>& answer) {
        const std::byte* from = answer.data();
        for (const Result& result : *results) {
          std::memcpy(result.target, from, result.bytes);
          from += result.bytes;
        }
        // The aggregator may be gone right after this.
        under_way_.fetch_sub(1, std::memory_order_release);
        bell.ring();
      });
  buffer.data.clear();
  buffer.results.clear();
  buffer.result_bytes = 0;
}

void Aggregator::send_all() {
  if (is_inside_ || under_way_.load(std::memory_order_relaxed) >= most_under_way) return;
  const Inside inside(*this);
  for (std::size_t process = 0; process < buffers_.size(); ++process) {
    // More would have to wait, which a turn of waiting must not.
    if (under_way_.load(std::memory_order_relaxed) < most_under_way) send(static_cast<int>(process));
  }
}

void Aggregator::send_aged() {
  for (std::size_t process = 0; process < buffers_.size(); ++process) {
    Buffer& buffer = buffers_[process];
    const std::uint32_t turns = buffer.turns.load(std::memory_order_relaxed);
    const bool is_old = turns % 2 == 1 && turns == buffer.turns_seen;
    buffer.turns_seen = turns;
    // Whoever uses the aggregator pays for this lock: it is only taken when there is something to send.
    if (!is_old || !lock_.try_lock_as_guest()) continue;
    if (under_way_.load(std::memory_order_relaxed) < most_under_way) send(static_cast<int>(process));
    lock_.unlock();
  }
}

void Aggregator::flush() {
  const Inside inside(*this);
  for (std::size_t process = 0; process < buffers_.size(); ++process) send(static_cast<int>(process));
  for (Request* request : large_) endpoint_.wait(request, nullptr);
  large_.clear();
  endpoint_.wait_until([&] { return under_way_.load(std::memory_order_acquire) == 0; });
}

std::vector<std::byte> Aggregator::carry_out(const std::vector<std::byte>& records,
                                             const memory::SymmetricMap& symmetric, Node& node) {
  std::vector<std::byte> answer;
  const auto reply = [&](const void* data, std::size_t bytes) {
    const auto* first = static_cast<const std::byte*>(data);
    answer.insert(answer.end(), first, first + bytes);
  };
  for (std::size_t at = 0; at < records.size();) {
    Record record;
    std::memcpy(&record, &records[at], sizeof record);
    at += sizeof record;
    const std::size_t bytes = record.bytes_and_kind >> kind_bits;
    const auto kind = static_cast<Kind>(record.bytes_and_kind & ((1U << kind_bits) - 1));
    const memory::SymmetricAddress place{static_cast<std::uint32_t>(record.place >> offset_bits),
                                         record.place & ((std::uint64_t{1} << offset_bits) - 1)};
    void* memory = symmetric.resolve(record.local_index, place, bytes);
    if (memory == nullptr) {
      const int first = node.layout().first_rank[static_cast<std::size_t>(node.process())];
      end_job_without(node, first + record.local_index, place.segment, place.offset);
    }
    if (kind == Kind::get) {
      reply(memory, bytes);
      continue;
    }
    if (kind == Kind::put) {
      copy_short(memory, records.data() + at, bytes);
    } else {
      std::int64_t value;
      std::memcpy(&value, &records[at], sizeof value);
      const std::int64_t former =
          std::atomic_ref(*static_cast<std::int64_t*>(memory)).fetch_add(value, std::memory_order_release);
      if (kind == Kind::fetch_add) reply(&former, sizeof former);
    }
    node.endpoint(record.local_index).doorbell().ring();
    at += bytes;
  }
  return answer;
}

void serve_aggregators(Node& node, const memory::SymmetricMap& symmetric) {
  node.serve(Service::aggregate, [&node, &symmetric](const std::shared_ptr<ServiceCall>& call) {
    const std::vector<std::byte> answer = Aggregator::carry_out(call->arguments(), symmetric, node);
    call->answer(answer.data(), answer.size());
  });
}

}  // namespace taihu::message
