// SPDX-License-Identifier: Apache-2.0
// Everything that ranks in different node processes do with each other, over a real MPI library:
//   mpirun -np 2 link_check 2 7          2 node processes, 7 ranks
//   mpirun -np 2 link_check 2 2 huge     one message of 2.5 GB as well (needs 5 GB of memory)
// Each step checks its results; the exit code is 0 when all held on all ranks.
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

#include "taihu/base/clock.h"
#include "taihu/base/error.h"
#include "taihu/message/job_for_tests.h"
#include "taihu/message/traffic_for_tests.h"

namespace {

using namespace taihu;
using namespace taihu::message;

constexpr std::size_t segment_bytes = 1 << 20;
constexpr memory::SymmetricAddress reply_word{0, 0};

struct Check {
  Node& node;
  BuffersAsSegments& segments;
  std::atomic<int> failures{0};

  void expect(bool holds, const Endpoint& rank, const char* what) {
    if (holds) return;
    failures.fetch_add(1);
    std::fprintf(stderr, "link_check: rank %d: %s\n", rank.rank(), what);
  }
  int local_index(const Endpoint& rank) const {
    return rank.rank() - node.layout().first_rank[static_cast<std::size_t>(node.process())];
  }
  std::byte* segment(const Endpoint& rank) { return segments.buffer(local_index(rank)); }
  int replies(const Endpoint& rank) {
    return std::atomic_ref(*reinterpret_cast<int*>(segment(rank))).load(std::memory_order_acquire);
  }
};

void barrier(Endpoint& me, int ranks) {
  const int token = 0;
  int told = 0;
  for (int distance = 1; distance < ranks; distance *= 2) {
    Request* from =
        me.irecv((me.rank() - distance + ranks) % ranks, collective_context, distance, &told, sizeof told);
    me.send((me.rank() + distance) % ranks, collective_context, distance, &token, sizeof token);
    me.wait(from, nullptr);
  }
}

void check_traffic(Check& check, Endpoint& me, int ranks) {
  const std::vector<std::vector<std::size_t>> sizes{
      {0, 1, 8, 64, 1024, 1025}, {0, 100, 16383, 16384, 16385, 65537}, {5, 1 << 20}};
  const int messages[] = {400, 100, 10};
  for (std::uint64_t round = 0; round < sizes.size(); ++round) {
    const std::string problem = TrafficRank(me, {round + 1, ranks, messages[round], sizes[round]}).run();
    check.expect(problem.empty(), me, problem.c_str());
    barrier(me, ranks);
  }
}

// Every rank puts to every other; odd ranks spend the time in a computation that calls nothing.
void check_one_sided(Check& check, Endpoint& me, int ranks) {
  const std::size_t part = (segment_bytes - 64) / static_cast<unsigned>(ranks);
  const auto place = [&](int rank) {
    return memory::SymmetricAddress{0, 64 + part * static_cast<unsigned>(rank)};
  };
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{4000}, part}) {
    std::vector<std::byte> data(bytes);
    fill_pattern(data.data(), bytes, static_cast<unsigned>(me.rank()));
    const int before = check.replies(me);
    barrier(me, ranks);
    std::vector<Request*> puts;
    for (int to = 0; to < ranks; ++to)
      puts.push_back(me.put(to, data.data(), place(me.rank()), bytes, &reply_word));
    if (me.rank() % 2 == 1) {
      const std::int64_t limit = now_ns() + 20'000'000'000;
      while (check.replies(me) < before + ranks && now_ns() < limit) sched_yield();
    }
    me.wait_until([&] { return check.replies(me) >= before + ranks; });
    for (int from = 0; from < ranks; ++from) {
      check.expect(has_pattern(check.segment(me) + place(from).offset, bytes, static_cast<unsigned>(from)),
                   me, "a put brought wrong bytes");
    }
    for (Request* put : puts) me.wait(put, nullptr);
    for (int from = 0; from < ranks; ++from) {
      std::vector<std::byte> got(bytes);
      me.wait(me.get(from, place(me.rank()), got.data(), bytes), nullptr);
      check.expect(got == data, me, "a get brought wrong bytes");
    }
    barrier(me, ranks);
  }
}

void check_services(Check& check, Endpoint& me, int processes) {
  for (int process = 0; process < processes; ++process) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{12}, std::size_t{100000}}) {
      std::vector<std::byte> question(bytes);
      fill_pattern(question.data(), bytes, static_cast<unsigned>(me.rank()));
      const std::vector<std::byte> answer = me.node().call(process, Service::task, question.data(), bytes);
      check.expect(answer.size() == bytes + 4, me, "an answer has a wrong size");
      int from = -1;
      std::memcpy(&from, answer.data(), sizeof from);
      check.expect(from == process, me, "an answer came from a wrong process");
      check.expect(has_pattern(answer.data() + 4, bytes, static_cast<unsigned>(me.rank())), me,
                   "an answer is wrong");
    }
  }
}

// A flood at a rank that sleeps: more than the eager window, so that later messages are announced only.
void check_flood(Check& check, Endpoint& me, int ranks) {
  constexpr int messages = 1500;
  constexpr std::size_t bytes = 8000;
  std::vector<std::byte> data(bytes);
  if (me.rank() == ranks - 1) {
    usleep(100000);
    for (int i = 0; i < messages; ++i) {
      me.receive(0, user_context, 9, data.data(), bytes);
      check.expect(has_pattern(data.data(), bytes, 77), me, "a message of the flood is wrong");
    }
  } else if (me.rank() == 0) {
    fill_pattern(data.data(), bytes, 77);
    std::vector<Request*> sends;
    for (int i = 0; i < messages; ++i)
      sends.push_back(me.isend(ranks - 1, user_context, 9, data.data(), bytes));
    for (Request* send : sends) me.wait(send, nullptr);
  }
  barrier(me, ranks);
}

void check_huge(Check& check, Endpoint& me, int ranks) {
  const std::size_t bytes = 2'500'000'003;
  if (me.rank() != 0 && me.rank() != ranks - 1) return;
  std::vector<std::byte> data(bytes);
  if (me.rank() == 0) {
    fill_pattern(data.data(), bytes, 5);
    me.send(ranks - 1, user_context, 1, data.data(), bytes);
  } else {
    me.receive(0, user_context, 1, data.data(), bytes);
    check.expect(has_pattern(data.data(), bytes, 5), me, "the message of 2.5 GB is wrong");
  }
}

void run_rank(Check& check, int local_index, bool huge) {
  Endpoint& me = check.node.endpoint(local_index);
  memory::RankIdentity identity{me.rank(), local_index, nullptr};
  memory::set_current_rank(&identity);
  const launch::Layout& layout = check.node.layout();
  check_traffic(check, me, layout.ranks);
  check_one_sided(check, me, layout.ranks);
  check_services(check, me, layout.processes);
  check_flood(check, me, layout.ranks);
  if (huge) check_huge(check, me, layout.ranks);
}

int run(int processes, int ranks, bool huge) {
  std::unique_ptr<Link> link = open_link();
  check_input(link != nullptr && link->processes() == processes,
              "link_check: not started as the given number of processes");
  const int process = link->process();
  const launch::Layout layout = layout_for_tests(ranks, processes);
  const int local_ranks = layout.first_rank[static_cast<std::size_t>(process) + 1] -
                          layout.first_rank[static_cast<std::size_t>(process)];
  BuffersAsSegments segments(local_ranks, segment_bytes);
  std::unique_ptr<Node> node = Node::create(layout, std::move(link), &segments);
  node->serve(Service::task, [process](std::shared_ptr<ServiceCall> call) {
    std::vector<std::byte> answer(4);
    std::memcpy(answer.data(), &process, 4);
    answer.insert(answer.end(), call->arguments().begin(), call->arguments().end());
    call->answer(answer.data(), answer.size());
  });
  Check check{*node, segments};
  check.expect(node->allgather("p" + std::to_string(process)).back() == "p" + std::to_string(processes - 1),
               node->endpoint(0), "allgather is wrong");
  std::vector<std::thread> threads;
  for (int rank = 0; rank < local_ranks; ++rank)
    threads.emplace_back([&, rank] { run_rank(check, rank, huge); });
  for (auto& thread : threads) thread.join();
  node->finish();
  if (process == 0 && check.failures == 0) {
    std::printf("link_check: ok, %d ranks in %d node processes, %s\n", ranks, processes,
                node->way_between_processes().c_str());
  }
  return check.failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: link_check PROCESSES RANKS [huge]\n");
    return 2;
  }
  try {
    return run(std::atoi(argv[1]), std::atoi(argv[2]), argc > 3 && std::string(argv[3]) == "huge");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "link_check: %s\n", error.what());
    usleep(100'000);  // MPICH's launcher loses the output of processes that end while it still starts them
    return 1;
  }
}
