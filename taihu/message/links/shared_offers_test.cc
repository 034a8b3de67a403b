// SPDX-License-Identifier: Apache-2.0
// Data that the receiver reads in the memory of the sender: when they are, and what becomes of those that it
// cannot read.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "taihu/message/links/forked_job_for_tests.h"
#include "taihu/message/links/shared_link_for_tests.h"
#include "taihu/message/links/single_copy.h"
#include "taihu/message/traffic_for_tests.h"

namespace taihu::message {
namespace {

constexpr int offer_tag = first_free_tag;
constexpr std::array<std::size_t, 3> offer_sizes{6'000, 65'536, 3'000'001};

TEST(SharedLink, LongDataAreReadFromTheSenderOnlyWhenWanted) {
  if (!can_read_memory()) GTEST_SKIP() << "the kernel permits no process_vm_readv here";
  for (const SharedMemory wanted : {SharedMemory::full, SharedMemory::copy}) {
    const std::vector<int> statuses = run_forked(2, [wanted](ForkedHub& hub, int process) {
      const std::unique_ptr<Link> link = shared(hub, process, wanted);
      Kept kept;
      std::vector<std::byte> data(100'000);
      if (process == 0) {
        fill_pattern(data.data(), data.size(), 5);
        // The distance of the cores is not known yet, so it counts as far.
        LinkRequest* request = link->send(1, offer_tag, data.data(), data.size());
        if ((request != nullptr) != (wanted == SharedMemory::full)) return failed("the wrong way");
        if (request != nullptr && link->test(request)) return failed("complete before it was read");
        link->barrier();
        if (request != nullptr && !complete(*link, kept, request)) return failed("the send hangs");
      } else {
        link->barrier();
        if (!complete(*link, kept, link->receive(0, offer_tag, data.data(), data.size())))
          return failed("the receive hangs");
        if (!has_pattern(data.data(), data.size(), 5)) return failed("the data are wrong");
      }
      link->barrier();
      return 0;
    });
    EXPECT_EQ(statuses, (std::vector<int>{0, 0}));
  }
}

/// The kernel refuses as it does for the memory of devices, but the sender can read its data when it is to
/// send them itself. Others with the same tag overtake them.
TEST(SharedLink, DataThatTheReceiverCannotReadComeInPieces) {
  if (!can_read_memory()) GTEST_SKIP() << "the kernel permits no process_vm_readv here";
  for (const std::size_t bytes : offer_sizes) {
    const std::vector<int> statuses = run_forked(2, [bytes](ForkedHub& hub, int process) {
      const std::unique_ptr<Link> link = shared(hub, process);
      Kept kept;
      void* const guarded = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      auto* const first = static_cast<std::byte*>(guarded);
      std::vector<std::byte> second(bytes);
      if (process == 0) {
        fill_pattern(first, bytes, 1);
        fill_pattern(second.data(), bytes, 2);
        mprotect(guarded, bytes, PROT_NONE);
        LinkRequest* const one = link->send(1, offer_tag, first, bytes);
        LinkRequest* const two = link->send(1, offer_tag, second.data(), bytes);
        if (one == nullptr || two == nullptr) return failed("not offered");
        link->barrier();
        link->barrier();
        mprotect(guarded, bytes, PROT_READ | PROT_WRITE);
        if (!complete(*link, kept, two) || !complete(*link, kept, one)) return failed("a send hangs");
      } else {
        LinkRequest* const one = link->receive(0, offer_tag, first, bytes);
        LinkRequest* const two = link->receive(0, offer_tag, second.data(), bytes);
        link->barrier();
        if (!complete(*link, kept, two)) return failed("the receive of data that can be read hangs");
        if (link->test(one)) return failed("complete, though nothing could be read");
        link->barrier();
        if (!complete(*link, kept, one)) return failed("the receive hangs");
        if (!has_pattern(first, bytes, 1) || !has_pattern(second.data(), bytes, 2))
          return failed("the data are wrong");
      }
      link->barrier();
      return 0;
    });
    EXPECT_EQ(statuses, (std::vector<int>{0, 0})) << bytes;
  }
}

/// Both ways at the same time, several at once; the senders wait, so they write what the receivers have not
/// read yet.
TEST(SharedLink, LongDataAreCopiedByBothSides) {
  if (!can_read_memory()) GTEST_SKIP() << "the kernel permits no process_vm_readv here";
  constexpr std::array<std::size_t, 6> sizes{65'536, 65'537, 100'001, 1'048'575, 4'200'000, 10'000'001};
  const std::vector<int> statuses = run_forked(2, [&sizes](ForkedHub& hub, int process) {
    const std::unique_ptr<Link> link = shared(hub, process);
    Kept kept;
    for (std::uint64_t round = 0; round < 12; ++round) {
      const bool is_both_ways = round % 3 == 2;
      const bool sends = is_both_ways || round % 3 == static_cast<std::uint64_t>(process);
      const bool receives = is_both_ways || !sends;
      std::vector<std::vector<std::byte>> out, in;
      std::vector<LinkRequest*> requests;
      for (const std::size_t bytes : sizes) {
        // At any place of a page.
        in.emplace_back(bytes + round);
        if (receives)
          requests.push_back(link->receive(1 - process, offer_tag, in.back().data() + round, bytes));
        out.emplace_back(bytes);
        fill_pattern(out.back().data(), bytes, bytes + round);
      }
      link->barrier();
      for (std::size_t i = 0; sends && i < sizes.size(); ++i) {
        LinkRequest* const request = link->send(1 - process, offer_tag, out[i].data(), sizes[i]);
        if (request != nullptr) requests.push_back(request);
      }
      for (LinkRequest* const request : requests)
        if (!complete(*link, kept, request)) return failed("a transfer hangs");
      for (std::size_t i = 0; receives && i < sizes.size(); ++i)
        if (!has_pattern(in[i].data() + round, sizes[i], sizes[i] + round))
          return failed("the data are wrong");
      link->barrier();
    }
    return 0;
  });
  EXPECT_EQ(statuses, (std::vector<int>{0, 0}));
}

TEST(SharedLink, EnvelopesDoNotOvertakeDataThatBothSidesCopy) {
  if (!can_read_memory()) GTEST_SKIP() << "the kernel permits no process_vm_readv here";
  const std::vector<int> statuses = run_forked(2, [](ForkedHub& hub, int process) {
    const std::unique_ptr<Link> link = shared(hub, process);
    Kept kept;
    std::vector<std::byte> data(300'000);
    for (int round = 0; round < 200; ++round) {
      if (process == 0) {
        LinkRequest* const request = link->send(1, offer_tag, data.data(), data.size());
        if (!send_number(*link, 1, round)) return failed("there is no room for an envelope");
        if (request != nullptr && !complete(*link, kept, request)) return failed("the send hangs");
      } else {
        LinkRequest* const request = link->receive(0, offer_tag, data.data(), data.size());
        if (!wait_for(*link, kept, static_cast<std::size_t>(round) + 1)) return failed("no envelope comes");
        if (!link->test(request)) return failed("an envelope has overtaken data");
      }
      link->barrier();
    }
    return 0;
  });
  EXPECT_EQ(statuses, (std::vector<int>{0, 0}));
}

/// Root may read all; so may nobody.
bool give_up_privileges() {
  if (geteuid() != 0) return true;
  return setgid(65534) == 0 && setuid(65534) == 0 && prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0;
}

TEST(SharedLink, AProcessThatForbidsToBeReadSendsPieces) {
  if (!can_read_memory()) GTEST_SKIP() << "the kernel permits no process_vm_readv here";
  constexpr int cannot_forbid = 77;
  const std::vector<int> statuses = run_forked(2, [](ForkedHub& hub, int process) {
    const bool is_ordinary = give_up_privileges();
    const std::unique_ptr<Link> link = shared(hub, process);
    static std::uint64_t probe = 1;  // at the same address in both
    if (process == 0) {
      prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
      hub.signal.store(getpid());
    }
    link->barrier();
    std::uint64_t got = 0;
    const auto address = reinterpret_cast<std::uintptr_t>(&probe);
    if (process == 1) {
      const bool is_forbidden = read_memory(hub.signal.load(), address, &got, sizeof got) != 0;
      hub.signal.store(is_ordinary && is_forbidden ? 1 : 0);
    }
    link->barrier();
    if (hub.signal.load() == 0) return cannot_forbid;

    Kept kept;
    const std::size_t most_before = link->unasked_bytes(1 - process);
    for (int round = 0; round < 2; ++round) {
      std::vector<LinkRequest*> requests;
      std::vector<std::vector<std::byte>> data;
      for (const std::size_t bytes : offer_sizes) {
        std::vector<std::byte>& buffer = data.emplace_back(bytes);
        if (process == 0) fill_pattern(buffer.data(), bytes, bytes);
        LinkRequest* const request = process == 0 ? link->send(1, offer_tag, buffer.data(), bytes)
                                                  : link->receive(0, offer_tag, buffer.data(), bytes);
        if (process == 0 && bytes < 1'000'000 && (request == nullptr) != (round == 1))
          return failed("offered again, or not at first");
        if (request != nullptr) requests.push_back(request);
      }
      for (LinkRequest* const request : requests)
        if (!complete(*link, kept, request)) return failed("a transfer hangs");
      for (std::size_t i = 0; i < data.size(); ++i)
        if (!has_pattern(data[i].data(), data[i].size(), data[i].size())) return failed("the data are wrong");
      link->barrier();
    }
    if (process == 0 && link->unasked_bytes(1) <= most_before)
      return failed("data go on to be offered that envelopes could bring");
    link->barrier();
    return 0;
  });
  if (statuses[0] == cannot_forbid << 8) GTEST_SKIP() << "this user may read all memory";
  EXPECT_EQ(statuses, (std::vector<int>{0, 0}));
}

/// Then it reads all of them itself.
TEST(SharedLink, AProcessThatForbidsToBeWrittenGetsItsData) {
  if (!can_read_memory()) GTEST_SKIP() << "the kernel permits no process_vm_readv here";
  const std::vector<int> statuses = run_forked(2, [](ForkedHub& hub, int process) {
    (void)give_up_privileges();
    const std::unique_ptr<Link> link = shared(hub, process);
    if (process == 1) prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    link->barrier();
    Kept kept;
    std::vector<std::byte> data(3'000'000);
    for (std::size_t round = 0; round < 5; ++round) {
      if (process == 0) fill_pattern(data.data(), data.size(), round);
      LinkRequest* const request = process == 0 ? link->send(1, offer_tag, data.data(), data.size())
                                                : link->receive(0, offer_tag, data.data(), data.size());
      if (request == nullptr) return failed("not offered");
      if (!complete(*link, kept, request)) return failed("a transfer hangs");
      if (!has_pattern(data.data(), data.size(), round)) return failed("the data are wrong");
      link->barrier();
    }
    return 0;
  });
  EXPECT_EQ(statuses, (std::vector<int>{0, 0}));
}

}  // namespace
}  // namespace taihu::message
