// SPDX-License-Identifier: Apache-2.0
// What `--stats` counts, whatever the language: calls, bytes and time in them by name and by the place in the
// program, messages by rank; and the tables that rank 0 prints of all ranks.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace taihu::node {

/// Calls of one name by one thread.
struct CallTime {
  const char* name = nullptr;
  std::uint64_t calls = 0;
  std::uint64_t ns = 0;
  std::uint64_t bytes = 0;  ///< of the calls' data, where they have any
};

/// Counts of one thread; written by it alone, read when it is outside of calls.
class CallTimes {
 public:
  /// Adds a call; `name` is a literal, recognised by its address.
  void add(const char* name, std::uint64_t ns, std::uint64_t bytes = 0) noexcept;
  /// Adds a message sent to a rank of this node process or of another.
  void add_message(bool inside, std::uint64_t bytes) noexcept {
    add(messages[inside ? 0 : 1], 1);
    add(bytes_sent[inside ? 0 : 1], bytes);
  }

  static constexpr int names = 256;
  CallTime times[names];
  /// Inside, outside. Tools may read them at any time.
  std::atomic<std::uint64_t> messages[2] = {0, 0}, bytes_sent[2] = {0, 0};

 private:
  /// Only one thread adds.
  static void add(std::atomic<std::uint64_t>& count, std::uint64_t more) noexcept {
    count.store(count.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
};

/// Messages of all threads of a rank: inside, outside.
struct MessageCounts {
  std::uint64_t messages[2] = {0, 0}, bytes[2] = {0, 0};

  void add(const CallTimes& thread) noexcept;
};

/// Counts of one rank by name of call, and by place.
struct RankCounts : MessageCounts {
  struct Call {
    std::uint64_t calls = 0, ns = 0, bytes = 0;
  };
  struct Site : Call {
    std::uint64_t longest_ns = 0;  ///< of one call

    void add(const Site& other) noexcept;
  };
  std::map<std::string, Call> calls;
  std::map<std::pair<std::string, std::string>, Site> sites;  ///< by place and name of call; may be empty

  /// Adds messages and calls of a thread.
  void add(const CallTimes& thread);
};

/// As text for the way to rank 0, and back; lines that are not of `to_text` are left out.
std::string to_text(const RankCounts& counts);
RankCounts counts_from_text(const std::string& text);

/// The tables of a job: by rank, by call and, where there are any, by place in the program, the latter two by
/// falling time. `language` is in the title; `way`: of messages between node processes, empty when there is
/// only one.
std::string tables_of(const std::vector<RankCounts>& ranks, const std::string& language,
                      const std::string& way);

/// Lines of the table of places; one more says what the others amount to.
inline constexpr std::size_t most_places_shown = 60;

}  // namespace taihu::node
