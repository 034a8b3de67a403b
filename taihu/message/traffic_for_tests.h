// SPDX-License-Identifier: Apache-2.0
// Random two-sided traffic that every rank can predict, and a receiver that checks MPI's rules on it: a
// receive gets the oldest message of its source and context that it admits, every message arrives once, with
// its own bytes. All kinds of calls are mixed: standard and synchronous sends, receives posted, blocking, by
// matched probe, or cancelled and posted again; data with and without gaps at either end.
//
// Receives are posted in rounds of equal filters, so that no wildcard can take what a later receive needs.
// Why checking in posting order suffices: a message that a receive admits and that came before the one it
// got, from the same source and context, can only have gone to a receive posted earlier.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "taihu/base/bytes_for_tests.h"
#include "taihu/base/random.h"
#include "taihu/message/data/layouts_for_tests.h"
#include "taihu/message/endpoint.h"

namespace taihu::message {

inline std::byte pattern_byte(std::uint64_t seed, std::size_t index) {
  return static_cast<std::byte>((seed + index * 131) ^ (index >> 8));
}

/// pattern_byte() of number * 256 to number * 256 + 255. Words at a time, because where nothing is optimised
/// many tests spend most of their time here.
inline constexpr std::size_t pattern_block_bytes = 256;
inline std::array<std::uint64_t, pattern_block_bytes / 8> pattern_block(std::uint64_t seed,
                                                                        std::size_t number) {
  constexpr std::uint64_t in_each_byte = 0x0101010101010101;
  // (a + b) of each byte: the upper bits apart, so that no sum carries into the next byte.
  constexpr std::uint64_t lower = 0x7f * in_each_byte, upper = 0x80 * in_each_byte;
  static const std::array<std::uint64_t, pattern_block_bytes / 8> steps = [] {
    std::array<unsigned char, pattern_block_bytes> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 131);
    std::array<std::uint64_t, pattern_block_bytes / 8> words{};
    std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
  }();
  const std::uint64_t added = (seed & 0xff) * in_each_byte, turned = (number & 0xff) * in_each_byte;
  std::array<std::uint64_t, pattern_block_bytes / 8> block = steps;
  for (std::uint64_t& word : block)
    word = (((word & lower) + (added & lower)) ^ ((word ^ added) & upper)) ^ turned;
  return block;
}

inline void fill_pattern(std::byte* data, std::size_t bytes, std::uint64_t seed) {
  for (std::size_t at = 0; at < bytes; at += pattern_block_bytes)
    std::memcpy(data + at, pattern_block(seed, at / pattern_block_bytes).data(),
                std::min(pattern_block_bytes, bytes - at));
}

inline bool has_pattern(const std::byte* data, std::size_t bytes, std::uint64_t seed) {
  for (std::size_t at = 0; at < bytes; at += pattern_block_bytes) {
    if (std::memcmp(data + at, pattern_block(seed, at / pattern_block_bytes).data(),
                    std::min(pattern_block_bytes, bytes - at)) != 0)
      return false;
  }
  return true;
}

struct TrafficPlan {
  std::uint64_t seed = 1;
  int ranks = 1;
  int messages_per_rank = 100;
  std::vector<std::size_t> sizes{0, 1, 7, 8, 40, 41, 63, 64, 65, 1023, 1024, 1025};
};

class TrafficRank {
 public:
  TrafficRank(Endpoint& endpoint, TrafficPlan plan)
      : endpoint_(endpoint),
        plan_(std::move(plan)),
        random_(plan_.seed * 7919 + static_cast<unsigned>(endpoint.rank())) {
    for (int source = 0; source < plan_.ranks; ++source) {
      Random planned(plan_.seed * 1000003 + static_cast<unsigned>(source));
      for (int i = 0; i < plan_.messages_per_rank; ++i) {
        const Message message = draw(planned, source);
        if (source == endpoint_.rank()) to_send_.push_back(message);
        if (message.destination == endpoint_.rank()) expected_[{message.context, source}].push_back(message);
      }
    }
  }

  /// Sends and receives everything; empty when all rules held, else what was wrong.
  std::string run() {
    while (problem_.empty() &&
           (!to_send_.empty() || !sending_.empty() || !receiving_.empty() || anything_expected())) {
      if (!to_send_.empty() && sending_.size() < most_outstanding) send_one();
      if (receiving_.empty()) post_round();
      if (to_send_.empty()) {
        finish_one_waiting();
      } else {
        finish_what_is_done();
      }
    }
    return problem_;
  }

 private:
  static constexpr std::size_t most_outstanding = 200;

  struct Message {
    int source, destination;
    Context context;
    int tag;
    std::size_t bytes;
    std::uint64_t seed;
  };
  struct Sending {
    Request* request;
    std::vector<std::byte> data;
  };
  struct Receiving {
    Request* request;
    int source, tag;
    Context context;
    std::vector<std::byte> data;
    std::size_t offset;
    bool has_gaps;
    bool done = false;
    Status status;
  };

  Message draw(Random& random, int source) const {
    Message message{};
    message.source = source;
    message.destination = static_cast<int>(random.below(static_cast<unsigned>(plan_.ranks)));
    message.context = random.below(3) == 0 ? (Context{7} << 40) : user_context;
    message.tag = static_cast<int>(random.below(3));
    message.bytes = plan_.sizes[random.below(plan_.sizes.size())];
    message.seed = random.next();
    return message;
  }

  bool anything_expected() const {
    return std::any_of(expected_.begin(), expected_.end(),
                       [](const auto& entry) { return !entry.second.empty(); });
  }

  void send_one() {
    const Message message = to_send_.front();
    to_send_.pop_front();
    const std::size_t offset = message.seed % 16;
    const bool has_gaps = random_.below(4) == 0;
    Sending sending{nullptr, std::vector<std::byte>(gaps_.extent(message.bytes) + 16)};
    std::byte* const data = sending.data.data() + offset;
    if (!has_gaps) fill_pattern(data, message.bytes, message.seed);
    for (std::size_t i = 0; has_gaps && i < message.bytes; ++i)
      data[gaps_.place(i)] = pattern_byte(message.seed, i);
    sending.request = endpoint_.isend(message.destination, message.context, message.tag,
                                      Data{data, message.bytes, has_gaps ? &gaps_ : nullptr},
                                      random_.below(4) == 0 ? SendMode::synchronous : SendMode::standard);
    sending_.push_back(std::move(sending));
  }

  std::size_t admitted(int source, Context context, int tag, std::size_t* longest) const {
    std::size_t count = 0;
    for (const auto& [key, messages] : expected_) {
      if (key.first != context || (source != any_rank && key.second != source)) continue;
      for (const Message& message : messages) {
        if (tag != any_tag && message.tag != tag) continue;
        ++count;
        *longest = std::max(*longest, message.bytes);
      }
    }
    return count;
  }

  void post_round() {
    std::vector<const Message*> heads;
    for (const auto& entry : expected_) {
      if (!entry.second.empty()) heads.push_back(&entry.second[random_.below(entry.second.size())]);
    }
    if (heads.empty()) return;
    const Message& model = *heads[random_.below(heads.size())];
    const int source = random_.below(2) == 0 ? any_rank : model.source;
    const int tag = random_.below(2) == 0 ? any_tag : model.tag;
    std::size_t longest = 0;
    const std::size_t possible = admitted(source, model.context, tag, &longest);
    const std::size_t wanted = 1 + random_.below(std::min<std::size_t>(possible, 20));
    if (random_.below(4) == 0) check_probe(source, model.context, tag);
    for (std::size_t i = 0; i < wanted; ++i) {
      Receiving receive{};
      receive.source = source;
      receive.tag = tag;
      receive.context = model.context;
      receive.data.resize(gaps_.extent(longest) + 16);
      receive.offset = random_.below(16);
      receive.has_gaps = random_.below(4) == 0;
      start(receive, longest);
      receiving_.push_back(std::move(receive));
    }
  }

  void start(Receiving& receive, std::size_t bytes) {
    const Space space{receive.data.data() + receive.offset, bytes, receive.has_gaps ? &gaps_ : nullptr};
    const std::uint64_t kind = random_.below(6);
    if (kind == 0) {
      Status probed;
      message::Message* message = endpoint_.improbe(receive.source, receive.context, receive.tag, &probed);
      if (message != nullptr) {
        receive.request = endpoint_.imrecv(message, space);
        return;
      }
    } else if (kind == 1) {
      receive.request = endpoint_.irecv(receive.source, receive.context, receive.tag, space);
      endpoint_.cancel(receive.request);
      if (!endpoint_.is_complete(receive.request) || !endpoint_.status_of(receive.request).cancelled) return;
      endpoint_.wait(receive.request, nullptr);
    } else if (kind == 2 && to_send_.empty() &&
               endpoint_.iprobe(receive.source, receive.context, receive.tag, nullptr)) {
      endpoint_.receive(receive.source, receive.context, receive.tag, space, &receive.status);
      receive.done = true;
      return;
    }
    receive.request = endpoint_.irecv(receive.source, receive.context, receive.tag, space);
  }

  void check_probe(int source, Context context, int tag) {
    Status status;
    if (!endpoint_.iprobe(source, context, tag, &status)) return;
    const auto found = oldest(status.source, context, tag);
    if (found == nullptr) return fail("probe found a message that nobody sends");
    if (found->tag != status.tag || found->bytes != status.bytes)
      fail("probe found a message that is not the oldest");
  }

  const Message* oldest(int source, Context context, int tag) const {
    const auto entry = expected_.find({context, source});
    if (entry == expected_.end()) return nullptr;
    for (const Message& message : entry->second) {
      if (tag == any_tag || message.tag == tag) return &message;
    }
    return nullptr;
  }

  void finish_what_is_done() {
    std::erase_if(sending_, [&](Sending& sending) { return endpoint_.test(sending.request, nullptr); });
    for (Receiving& receive : receiving_) {
      if (!receive.done) receive.done = endpoint_.test(receive.request, &receive.status);
    }
    check_done();
  }

  void finish_one_waiting() {
    if (!receiving_.empty()) {
      Receiving& receive = receiving_[random_.below(receiving_.size())];
      if (!receive.done) endpoint_.wait(receive.request, &receive.status);
      receive.done = true;
      check_done();
    } else if (!sending_.empty()) {
      endpoint_.wait(sending_.back().request, nullptr);
      sending_.pop_back();
    }
  }

  void check_done() {
    while (!receiving_.empty() && receiving_.front().done) {
      check(receiving_.front());
      receiving_.pop_front();
    }
  }

  void check(const Receiving& receive) {
    const Status& status = receive.status;
    const Message* message = oldest(status.source, receive.context, receive.tag);
    if (message == nullptr) return fail("received a message that nobody sends");
    if (receive.source != any_rank && status.source != receive.source)
      return fail("received from a wrong source");
    if (message->tag != status.tag) return fail("a message overtook another (tags differ)");
    if (message->bytes != status.bytes || status.error != Error::none) {
      return fail("a message overtook another (sizes " + std::to_string(message->bytes) + " and " +
                  std::to_string(status.bytes) + ")");
    }
    const std::byte* data = receive.data.data() + receive.offset;
    if (!receive.has_gaps && !has_pattern(data, status.bytes, message->seed)) return fail("wrong bytes");
    for (std::size_t i = 0; receive.has_gaps && i < status.bytes; ++i) {
      if (data[gaps_.place(i)] != pattern_byte(message->seed, i)) return fail("wrong bytes");
    }
    auto& messages = expected_[{receive.context, status.source}];
    messages.erase(messages.begin() + (message - messages.data()));
  }

  void fail(const std::string& what) {
    if (problem_.empty()) problem_ = "rank " + std::to_string(endpoint_.rank()) + ": " + what;
  }

  const StridedLayout gaps_{5, 7};
  Endpoint& endpoint_;
  const TrafficPlan plan_;
  Random random_;
  std::deque<Message> to_send_;
  std::map<std::pair<Context, int>, std::vector<Message>> expected_;
  std::vector<Sending> sending_;
  std::deque<Receiving> receiving_;
  std::string problem_;
};

}  // namespace taihu::message
