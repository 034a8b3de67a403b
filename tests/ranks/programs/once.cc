// SPDX-License-Identifier: Apache-2.0
// Calls of the C++ library that pass on what to do in thread-local variables of that library: std::call_once
// and std::async, in a rank's program, whose executable has these variables at fixed distances, and in a
// library (-DLIBRARY); thread_local objects beside them.
#include <atomic>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "check.h"

int count_once(int rank);
int count_later(int rank);

#ifdef LIBRARY
namespace {
std::once_flag flag;
int calls;
}  // namespace

int count_once(int rank) {
  std::call_once(flag, [rank] { calls += rank + 1; });
  return calls;
}

int count_later(int rank) {
  return std::async(std::launch::async, [rank] { return count_once(rank) + 1; }).get();
}
#else
namespace {

std::atomic<int> made, ended;

struct Named {
  Named() : name("rank " + std::to_string(my_rank()) + ", a name that is too long to be short") { ++made; }
  ~Named() { ended += name.starts_with("rank " + std::to_string(my_rank()) + ",") ? 1 : 1000; }
  std::string name;
};

thread_local Named named;
thread_local long number = 17;
std::once_flag first, second;
int firsts, attempts;

void use_once(int thread) {
  CHECK(number == 17);
  number += thread;
  let_others_run();
  std::call_once(first, [thread] {
    let_others_run();
    firsts += 100 * my_rank() + 1;
    CHECK(number == 17 + thread);  // still on the thread that called
  });
  CHECK(firsts == 100 * my_rank() + 1);
  // Another one tries again where one has failed.
  try {
    std::call_once(second, [] {
      if (++attempts < 3) throw std::runtime_error("attempt " + std::to_string(attempts));
    });
  } catch (const std::runtime_error& error) {
    CHECK(std::string(error.what()).starts_with("attempt "));
  }
  CHECK(count_once(my_rank()) == my_rank() + 1 && count_later(my_rank()) == my_rank() + 2);
  CHECK(number == 17 + thread && named.name.starts_with("rank " + std::to_string(my_rank())));
}

int fail(int value) {
  throw std::invalid_argument("value " + std::to_string(value));
}

void use_futures() {
  const int rank = my_rank();
  std::vector<std::future<int>> sums;
  for (int i = 0; i < 8; ++i)
    sums.push_back(std::async(i % 4 == 3 ? std::launch::deferred : std::launch::async, [i, rank] {
      let_others_run();
      return 10 * i + rank + static_cast<int>(number) - 17;
    }));
  for (int i = 0; i < 8; ++i) CHECK(sums[static_cast<unsigned>(i)].get() == 10 * i + rank);
  auto bad = std::async(std::launch::async, fail, rank);
  std::string what;
  try {
    bad.get();
  } catch (const std::invalid_argument& error) {
    what = error.what();
  }
  CHECK(what == "value " + std::to_string(rank));
  std::packaged_task<int(int)> task([](int value) { return value + static_cast<int>(number); });
  auto result = task.get_future();
  std::thread(std::move(task), rank).join();
  CHECK(result.get() == rank + 17);
  std::promise<std::string> promise;
  auto text = promise.get_future();
  std::thread([&] { promise.set_value_at_thread_exit(named.name); }).join();
  CHECK(text.get() == named.name);
}

}  // namespace

int main() {
  enum { threads = 4 };
  std::vector<std::thread> all;
  for (int i = 1; i <= threads; ++i) all.emplace_back(use_once, i);
  for (std::thread& thread : all) thread.join();
  CHECK(made == threads && ended == threads);
#ifdef _OPENMP
#pragma omp parallel num_threads(3)
  if (omp_get_thread_num() > 0) use_once(5);
  made = ended = threads;  // threads of OpenMP may still be there
#endif
  use_once(0);
  number = 17;
  use_futures();
  CHECK(firsts == 100 * my_rank() + 1 && attempts == 3 && ended == threads + 1 && made == threads + 2);
  std::printf("rank %d has called once\n", my_rank());
  return 0;
}
#endif
