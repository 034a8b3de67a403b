// SPDX-License-Identifier: Apache-2.0
// The link by shared memory between real processes: random traffic against what each receiver can predict,
// both ways of copying, full rings, cancelled transfers, processes that die; and together with another link.
#include "taihu/message/links/shared_link.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "taihu/base/error.h"
#include "taihu/base/random.h"
#include "taihu/base/sanitized_for_tests.h"
#include "taihu/message/links/forked_job_for_tests.h"
#include "taihu/message/links/loopback_for_tests.h"
#include "taihu/message/links/shared_link_for_tests.h"
#include "taihu/message/traffic_for_tests.h"

namespace taihu::message {
namespace {

struct Head {
  std::uint32_t number = 0;
  std::uint32_t bytes = 0;
  std::uint32_t data_bytes = 0;
};

/// What process `from` sends to process `to`, one after the other: the same for both.
class Plan {
 public:
  Plan(int from, int to) : random_(static_cast<std::uint64_t>(from * 100 + to + 1)) {}
  Head next() {
    static constexpr std::uint32_t envelopes[] = {0,    1,   8,   31,  32,   33,    63,    64,
                                                  1000, 499, 500, 501, 2037, 12345, 16383, 16384};
    static constexpr std::uint32_t data[] = {
        0, 1, 7, 4096, 16383, 16384, 16385, 32767, 32768, 100'001, 262144, 1 << 20, (1 << 20) + 1, 3'000'001};
    Head head;
    head.number = number_++;
    head.bytes = envelopes[random_.below(std::size(envelopes))];
    // Rarely: the rings are to be filled by envelopes, too.
    head.data_bytes = random_.below(4) == 0 ? data[random_.below(std::size(data))] : 0;
    return head;
  }
  static std::uint64_t seed(int from, int to, std::uint32_t number) {
    return static_cast<std::uint64_t>(number) * 64 + static_cast<std::uint64_t>(from * 8 + to);
  }

 private:
  Random random_;
  std::uint32_t number_ = 0;
};

constexpr int data_tag = first_free_tag;

/// One process of random traffic. Envelopes say whether data follow.
class TrafficProcess final : private EnvelopeReader {
 public:
  TrafficProcess(Link& link, int count)
      : link_(link),
        count_(static_cast<std::uint32_t>(count)),
        peers_(static_cast<std::size_t>(link.processes())) {
    for (int peer = 0; peer < link.processes(); ++peer) {
      at(peer).outgoing = std::make_unique<Plan>(link.process(), peer);
      at(peer).incoming = std::make_unique<Plan>(peer, link.process());
    }
  }

  /// Empty when all came as it should.
  std::string run() {
    Random random(static_cast<std::uint64_t>(link_.process()) + 77);
    while (problem_.empty() && !is_finished()) {
      const int peer = static_cast<int>(random.below(static_cast<std::uint64_t>(link_.processes())));
      if (peer != link_.process() && at(peer).sent < count_) send_to(peer);
      if (random.below(4) == 0) (void)link_.read(*this, 1 + static_cast<int>(random.below(8)));
      finish_transfers();
    }
    return problem_;
  }

 private:
  struct Peer {
    std::unique_ptr<Plan> outgoing, incoming;
    std::uint32_t sent = 0, got = 0;
    bool has_next = false;
    Head next;
  };
  struct Transfer {
    LinkRequest* request;
    std::unique_ptr<std::byte[]> data;
    std::size_t bytes;
    std::uint64_t seed;
    bool is_receive;
  };
  Peer& at(int process) { return peers_[static_cast<std::size_t>(process)]; }

  bool is_finished() {
    for (int peer = 0; peer < link_.processes(); ++peer) {
      if (peer != link_.process() && (at(peer).sent < count_ || at(peer).got < count_)) return false;
    }
    return transfers_.empty() && link_.is_quiet();
  }

  void send_to(int process) {
    Peer& peer = at(process);
    if (!peer.has_next) peer.next = peer.outgoing->next();
    peer.has_next = true;
    const Head& head = peer.next;
    std::vector<std::byte> payload(head.bytes);
    const std::uint64_t seed = Plan::seed(link_.process(), process, head.number);
    fill_pattern(payload.data(), payload.size(), seed);
    const bool has_room = link_.has_room(process, sizeof head + payload.size());
    const bool is_sent = link_.send_envelope(process, &head, sizeof head, {payload.data(), payload.size()});
    if (has_room && !is_sent) problem_ = "has_room was wrong";
    if (!is_sent) return;
    peer.has_next = false;
    ++peer.sent;
    if (head.number % 4 != 0) return;
    auto data = std::make_unique<std::byte[]>(head.data_bytes);
    fill_pattern(data.get(), head.data_bytes, seed + 1);
    LinkRequest* request = link_.send(process, data_tag, data.get(), head.data_bytes);
    if (request == nullptr) {
      // Complete: the data may be overwritten.
      std::memset(data.get(), 0xee, head.data_bytes);
    } else {
      transfers_.push_back({request, std::move(data), head.data_bytes, seed + 1, false});
    }
  }

  void envelope(int process, const std::byte* bytes, const std::byte* payload, std::size_t length) override {
    Peer& peer = at(process);
    const Head expected = peer.incoming->next();
    Head head;
    std::memcpy(&head, bytes, sizeof head);
    ++peer.got;
    const std::uint64_t seed = Plan::seed(process, link_.process(), expected.number);
    if (head.number != expected.number || head.bytes != expected.bytes ||
        length != sizeof head + expected.bytes ||
        !has_pattern(payload != nullptr ? payload : bytes + sizeof head, expected.bytes, seed)) {
      problem_ =
          "envelope " + std::to_string(expected.number) + " of " + std::to_string(process) + " is wrong";
      return;
    }
    if (head.number % 4 != 0) return;
    auto data = std::make_unique<std::byte[]>(head.data_bytes);
    LinkRequest* request = link_.receive(process, data_tag, data.get(), head.data_bytes);
    transfers_.push_back({request, std::move(data), head.data_bytes, seed + 1, true});
  }

  void finish_transfers() {
    std::erase_if(transfers_, [&](const Transfer& transfer) {
      if (!link_.test(transfer.request)) return false;
      if (transfer.is_receive && !has_pattern(transfer.data.get(), transfer.bytes, transfer.seed))
        problem_ = std::to_string(transfer.bytes) + " bytes of data are wrong";
      return true;
    });
  }

  Link& link_;
  const std::uint32_t count_;
  std::vector<Peer> peers_;
  std::vector<Transfer> transfers_;
  std::string problem_;
};

class SharedLinkTraffic : public testing::TestWithParam<SharedMemory> {};

TEST_P(SharedLinkTraffic, ArrivesInOrderAndWhole) {
  for (const int processes : {2, 3}) {
    const std::vector<int> statuses = run_forked(processes, [](ForkedHub& hub, int process) {
      const std::unique_ptr<Link> link = shared(hub, process, GetParam());
      const std::string problem = TrafficProcess(*link, plain_or_sanitized(1500, 400)).run();
      link->barrier();
      return problem.empty() ? 0 : failed(problem);
    });
    EXPECT_EQ(statuses, std::vector<int>(static_cast<std::size_t>(processes), 0));
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, SharedLinkTraffic, testing::Values(SharedMemory::full, SharedMemory::copy),
                         [](const auto& info) {
                           return std::string(info.param == SharedMemory::full ? "OneCopy" : "TwoCopies");
                         });

TEST(SharedLink, AFullRingTakesNothingMoreAndLosesNothing) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1000}, std::size_t{16384}}) {
    const std::vector<int> statuses = run_forked(2, [bytes](ForkedHub& hub, int process) {
      const std::unique_ptr<Link> link = shared(hub, process, SharedMemory::copy);
      Kept kept;
      std::vector<std::byte> data(5'000'000);
      if (process == 0) {
        int sent = 0;
        while (send_number(*link, 1, sent, bytes)) {
          if (++sent > 5000) return failed("a ring without end");
        }
        if (link->has_room(1, sizeof(int) + bytes)) return failed("a full ring claims to have room");
        fill_pattern(data.data(), data.size(), 9);
        LinkRequest* request = link->send(1, data_tag, data.data(), data.size());
        if (request == nullptr) return failed("5 MB fit into a full ring");
        if (link->is_quiet()) return failed("quiet, though data wait for room");
        hub.signal.store(sent);
        link->barrier();
        if (!complete(*link, kept, request)) return failed("the send hangs");
        while (!send_number(*link, 1, sent, bytes)) sched_yield();
      } else {
        link->barrier();
        const int sent = hub.signal.load();
        if (sent < 10) return failed("a small ring");
        // The data cannot come in before their buffer is there, so the envelopes must, all of them.
        if (!wait_for(*link, kept, static_cast<std::size_t>(sent))) return failed("envelopes are missing");
        LinkRequest* request = link->receive(0, data_tag, data.data(), data.size());
        if (!complete(*link, kept, request)) return failed("the receive hangs");
        if (!has_pattern(data.data(), data.size(), 9)) return failed("the data are wrong");
        if (!wait_for(*link, kept, static_cast<std::size_t>(sent) + 1)) return failed("the last is missing");
        for (int i = 0; i <= sent; ++i) {
          if (kept.numbers[static_cast<std::size_t>(i)] != std::pair(i, sizeof(int) + bytes))
            return failed("out of order");
        }
      }
      link->barrier();
      return 0;
    });
    EXPECT_EQ(statuses, (std::vector<int>{0, 0})) << bytes;
  }
}

TEST(SharedLink, AReadThatHandsEnvelopesOverEndsBeforeDataAreCopied) {
  const std::vector<int> statuses = run_forked(3, [](ForkedHub& hub, int process) {
    const std::unique_ptr<Link> link = shared(hub, process, SharedMemory::copy);
    Kept kept;
    std::vector<std::byte> data(10'000), data_of_other(10'000);
    if (process != 0) {
      fill_pattern(data.data(), data.size(), 5);
      if (!send_number(*link, 0, process)) return failed("no room");
      if (link->send(0, data_tag, data.data(), data.size()) != nullptr) return failed("no room for data");
      link->barrier();
    } else {
      LinkRequest* const requests[] = {
          link->receive(1, data_tag, data.data(), data.size()),
          link->receive(2, data_tag, data_of_other.data(), data_of_other.size())};
      link->barrier();
      (void)link->read(kept, 64);
      if (kept.numbers.size() != 1) return failed("not the envelope before the first data");
      if (link->test(requests[0]) || link->test(requests[1])) return failed("data came with the envelope");
      if (!complete(*link, kept, requests[0]) || !complete(*link, kept, requests[1]))
        return failed("the receive hangs");
      if (!has_pattern(data.data(), data.size(), 5) || !has_pattern(data_of_other.data(), data.size(), 5))
        return failed("the data are wrong");
      if (!wait_for(*link, kept, 2)) return failed("the other envelope is missing");
    }
    link->barrier();
    return 0;
  });
  EXPECT_EQ(statuses, (std::vector<int>{0, 0, 0}));
}

TEST(SharedLink, CancelledTransfersLeaveTheOthersAlone) {
  const std::vector<int> statuses = run_forked(2, [](ForkedHub& hub, int process) {
    const std::unique_ptr<Link> link = shared(hub, process);
    Kept kept;
    std::vector<std::byte> unused(100);
    std::vector<std::byte> first(40'000), second(3'000'000), third(70'000);
    if (process == 0) {
      fill_pattern(first.data(), first.size(), 1);
      fill_pattern(third.data(), third.size(), 3);
      link->cancel(link->receive(1, data_tag + 7, unused.data(), unused.size()));
      LinkRequest* one = link->send(1, data_tag, first.data(), first.size());
      LinkRequest* given_up = link->send(1, data_tag + 1, second.data(), second.size());
      if (given_up == nullptr) return failed("3 MB are complete at once");
      LinkRequest* three = link->send(1, data_tag + 2, third.data(), third.size());
      link->barrier();
      for (LinkRequest* request : {one, three}) {
        if (request != nullptr && !complete(*link, kept, request)) return failed("a send hangs");
      }
      link->barrier();
      link->cancel(given_up);
    } else {
      link->cancel(link->receive(0, data_tag, unused.data(), unused.size()));
      LinkRequest* one = link->receive(0, data_tag, first.data(), first.size());
      LinkRequest* two = link->receive(0, data_tag + 1, second.data(), second.size());
      LinkRequest* three = link->receive(0, data_tag + 2, third.data(), third.size());
      link->barrier();
      for (LinkRequest* request : {one, two, three}) {
        if (!complete(*link, kept, request)) return failed("a receive hangs");
      }
      if (!has_pattern(first.data(), first.size(), 1) || !has_pattern(third.data(), third.size(), 3))
        return failed("the data are wrong");
      link->barrier();
    }
    link->barrier();
    return 0;
  });
  EXPECT_EQ(statuses, (std::vector<int>{0, 0}));
}

TEST(SharedLink, AProcessThatWasKilledHoldsUpNobody) {
  const std::vector<int> statuses = run_forked(2, [](ForkedHub& hub, int process) {
    const std::unique_ptr<Link> link = shared(hub, process);
    Kept kept;
    std::vector<std::byte> data(30'000'000);
    if (process == 1) {
      (void)link->send(0, data_tag, data.data(), data.size());
      (void)send_number(*link, 0, 1);
      hub.signal.store(getpid());
      link->barrier();
      raise(SIGKILL);
    }
    LinkRequest* const receive = link->receive(1, data_tag, data.data(), data.size());
    link->barrier();
    // Its memory is gone when the file of its command line is empty.
    const std::string command_line = "/proc/" + std::to_string(hub.signal.load()) + "/cmdline";
    const auto is_gone = [&] { return std::ifstream(command_line).get() == EOF; };
    while (!is_gone()) sched_yield();
    int sent = 0;
    for (int look = 0; look < 10'000; ++look) {
      (void)link->read(kept, 64);
      if (link->test(receive)) return failed("30 MB came from a process that had died");
      if (send_number(*link, 1, look)) ++sent;
    }
    LinkRequest* const send = link->send(1, data_tag, data.data(), data.size());
    if (send == nullptr || link->test(send)) return failed("30 MB went to a process that had died");
    link->cancel(send);
    link->cancel(receive);
    return sent < 10'000 ? 0 : failed("its ring has no end");
  });
  EXPECT_EQ(statuses[0], 0);
  EXPECT_TRUE(WIFSIGNALED(statuses[1]));
}

TEST(SharedLink, LeavesNoNameAndNoOpenFile) {
  const std::vector<int> statuses = run_forked(2, [](ForkedHub& hub, int process) {
    const std::unique_ptr<Link> link = shared(hub, process);
    int open_files = 0;
    for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      if (std::filesystem::read_symlink(file, gone).string().find("taihu-messages") != std::string::npos)
        ++open_files;
    }
    std::ifstream maps("/proc/self/maps");
    int segments = 0;
    for (std::string line; std::getline(maps, line);) {
      if (line.find("/memfd:taihu-messages (deleted)") != std::string::npos) ++segments;
    }
    link->barrier();
    return open_files == 0 && segments == 2 ? 0 : failed("files are open, or a segment has a name");
  });
  EXPECT_EQ(statuses, (std::vector<int>{0, 0}));
}

TEST(SharedLink, IsNotMadeUnlessTwoWantIt) {
  const std::vector<int> statuses = run_forked(2, [](ForkedHub& hub, int process) {
    const auto link = shared(hub, process, process == 0 ? SharedMemory::off : SharedMemory::full);
    return link->way_on_machine().empty() ? 0 : failed("made");
  });
  EXPECT_EQ(statuses, (std::vector<int>{0, 0}));
}

// Process 2 takes no part in the shared memory, as if it were on another machine.
TEST(SharedLink, HandsTransfersToOtherMachinesOn) {
  LoopbackHub hub(3);
  std::vector<std::string> problems(3);
  std::vector<std::thread> processes;
  for (int process = 0; process < 3; ++process) {
    processes.emplace_back([&hub, &problems, process] {
      const std::unique_ptr<Link> link = share_memory(std::make_unique<LoopbackLink>(hub, process),
                                                      process == 2 ? SharedMemory::off : SharedMemory::full);
      problems[static_cast<std::size_t>(process)] = link->way_on_machine().empty() != (process == 2)
                                                        ? "the wrong way"
                                                        : TrafficProcess(*link, 300).run();
      link->barrier();
    });
  }
  for (auto& process : processes) process.join();
  EXPECT_EQ(problems, std::vector<std::string>(3));
}

TEST(SharedMemoryWanted, IsOneOfThree) {
  EXPECT_EQ(shared_memory_wanted(nullptr), SharedMemory::full);
  EXPECT_EQ(shared_memory_wanted(""), SharedMemory::full);
  EXPECT_EQ(shared_memory_wanted("on"), SharedMemory::full);
  EXPECT_EQ(shared_memory_wanted("copy"), SharedMemory::copy);
  EXPECT_EQ(shared_memory_wanted("off"), SharedMemory::off);
  try {
    shared_memory_wanted("no");
    FAIL();
  } catch (const taihu::Error& error) {
    EXPECT_STREQ(error.what(), "TAIHU_SHARED_MEMORY=no is none of on, copy, off; give one of these");
  }
}

}  // namespace
}  // namespace taihu::message
