// SPDX-License-Identifier: Apache-2.0
// Runs a program as N ranks of this process, for the tests of rank images: image_runner [options] N program
// arguments...
//   --tag            each line of a rank's output begins with "rank: "
//   --private NAME   a further private library
//   --time           prints how long loading all ranks took, in milliseconds, on stderr
//   --replace FILE   overwrites the program file with FILE after reading it, then deletes it
//   --turns N        N times: from the second time on in the copies of those that have ended
//   --attach COMMAND runs COMMAND with this process's id while the ranks are loaded, before they run
// Each rank sees RANK and RANKS in its environment. Exit code: the first non-zero status of a rank, 2 for
// wrong use.
#include <pthread.h>
#include <unistd.h>

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "taihu/base/clock.h"
#include "taihu/base/error.h"
#include "taihu/memory/image/rank_image.h"
#include "taihu/memory/libc/descriptors.h"
#include "taihu/memory/libc/signals.h"
#include "taihu/memory/libc/tagged_stream.h"
#include "taihu/memory/libc/thread_variable_room.h"
#include "taihu/memory/libc/threads.h"
#include "taihu/memory/process_settings.h"

TAIHU_THREAD_VARIABLE_ROOM;

// Shared libraries such as libgomp find this one before libc's.
extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                                     const pthread_attr_t* attributes,
                                                                     void* (*run)(void*),
                                                                     void* argument) noexcept {
  return taihu::memory::create_thread(thread, attributes, run, argument);
}

namespace {

using taihu::memory::ImageTemplate;
using taihu::memory::RankIdentity;
using taihu::memory::RankImage;
using taihu::memory::RankStreams;

struct Options {
  bool tag = false, time = false;
  std::vector<std::string> private_libraries;
  std::string replacement, attach;
  int ranks = 0, turns = 1;
  std::vector<std::string> words;
};

Options parse(int count, char** words) {
  Options options;
  int i = 1;
  for (; i < count && words[i][0] == '-'; ++i) {
    const std::string word = words[i];
    if (word == "--tag")
      options.tag = true;
    else if (word == "--time")
      options.time = true;
    else if (word == "--private" && i + 1 < count)
      options.private_libraries.push_back(words[++i]);
    else if (word == "--replace" && i + 1 < count)
      options.replacement = words[++i];
    else if (word == "--turns" && i + 1 < count)
      options.turns = std::atoi(words[++i]);
    else if (word == "--attach" && i + 1 < count)
      options.attach = words[++i];
    else
      throw taihu::UsageError("unknown option '" + word + "'");
  }
  if (i + 1 >= count) throw taihu::UsageError("use: image_runner [options] ranks program [arguments]");
  options.ranks = std::atoi(words[i++]);
  options.words.assign(words + i, words + count);
  return options;
}

struct Job {
  explicit Job(const Options& given)
      : options(given),
        image(given.words.front(), given.private_libraries),
        identities(static_cast<std::size_t>(given.ranks)),
        loaded(given.ranks + 1),
        start(given.ranks + 1) {}

  void run_rank(int rank) {
    RankIdentity& identity = identities[static_cast<std::size_t>(rank)];
    identity.rank = identity.local_index = rank;
    std::unique_ptr<RankImage> copy;
    taihu::memory::RankEvents events;
    events.exit_on_other_thread = [](const RankIdentity& ended, int code) {
      std::fprintf(stderr, "image_runner: rank %d: exit %d on another thread\n", ended.rank, code);
    };
    try {
      copy =
          std::make_unique<RankImage>(image, identity, events, nullptr, options.turns > 1 ? &idle : nullptr);
    } catch (const taihu::Error& error) {
      std::fprintf(stderr, "image_runner: rank %d: %s\n", rank, error.what());
      std::_Exit(1);
    }
    loaded.arrive_and_wait();
    start.arrive_and_wait();
    std::vector<std::string> environment;
    for (char** entry = environ; *entry; ++entry) environment.emplace_back(*entry);
    environment.push_back("RANK=" + std::to_string(rank));
    environment.push_back("RANKS=" + std::to_string(options.ranks));
    RankStreams streams;
    if (options.tag)
      streams.output = taihu::memory::make_tagged_stream(std::to_string(rank) + ": ", 1,
                                                         &taihu::memory::libc::redirection);
    const int ended = copy->run(options.words, environment, streams);
    if (streams.output && copy->process().open_streams.count(streams.output) != 0)
      std::fclose(streams.output);
    if (options.turns == 1 || !copy->process().has_no_threads())
      static_cast<void>(copy.release());  // threads of the rank may still run in it
    const std::lock_guard guard(mutex);
    if (status == 0) status = ended;
  }

  const Options& options;
  ImageTemplate image;
  std::vector<RankIdentity> identities;
  taihu::memory::IdleCopies idle;
  std::barrier<> loaded, start;
  std::mutex mutex;
  int status = 0;
};

struct Start {
  Job* job;
  int rank;
};

void report_crash(const RankIdentity& rank, int signal, const siginfo_t&) {
  char text[80];
  const int length =
      std::snprintf(text, sizeof text, "image_runner: rank %d: signal %d\n", rank.rank, signal);
  if (write(2, text, static_cast<std::size_t>(length)) < 0) std::_Exit(1);
}

void replace_program(const Options& options) {
  std::ifstream from(options.replacement, std::ios::binary);
  std::ofstream to(options.words.front(), std::ios::binary | std::ios::trunc);
  to << from.rdbuf();
  to.close();
  std::filesystem::remove(options.words.front());
}

void run_turn(Job& job, std::int64_t begin) {
  const Options& options = job.options;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, taihu::memory::rank_stack_bytes());
  std::vector<pthread_t> threads(static_cast<std::size_t>(options.ranks));
  std::vector<Start> starts(threads.size());
  for (int i = 0; i < options.ranks; ++i) {
    const auto at = static_cast<std::size_t>(i);
    starts[at] = {&job, i};
    const auto body = [](void* place) -> void* {
      const auto* begun = static_cast<Start*>(place);
      begun->job->run_rank(begun->rank);
      return nullptr;
    };
    if (pthread_create(&threads[at], &attributes, body, &starts[at]) != 0)
      throw taihu::Error("cannot start a thread");
  }
  job.loaded.arrive_and_wait();
  if (options.time)
    std::fprintf(stderr, "loaded %d ranks in %.1f ms\n", options.ranks,
                 static_cast<double>(taihu::now_ns() - begin) / 1e6);
  if (!options.attach.empty() && std::system((options.attach + " " + std::to_string(getpid())).c_str()) != 0)
    job.status = 1;
  job.start.arrive_and_wait();
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
}

int run(const Options& options) {
  std::int64_t begin = taihu::now_ns();
  Job job(options);
  if (!options.replacement.empty()) replace_program(options);
  for (int turn = 0; turn < options.turns && job.status == 0; ++turn, begin = taihu::now_ns())
    run_turn(job, begin);
  return job.status;
}

}  // namespace

int main(int count, char** words) {
  try {
    const Options options = parse(count, words);
    taihu::memory::keep_freed_memory();
    taihu::memory::allow_many_files();
    taihu::memory::name_program(options.words.front());
    taihu::memory::watch_for_crashes(&report_crash);
    taihu::memory::set_child_rules({.exec = options.ranks == 1});
    const int status = run(options);
    std::fflush(nullptr);
    std::_Exit(status);
  } catch (const taihu::UsageError& error) {
    std::fprintf(stderr, "image_runner: %s\n", error.what());
    return 2;
  } catch (const taihu::Error& error) {
    std::fprintf(stderr, "image_runner: %s\n", error.what());
    return 1;
  }
}
