// SPDX-License-Identifier: Apache-2.0
// Messages of any length between ranks, and values packed into them. All ranks run the same program on
// machines of one kind, so values travel as they lie in memory.
#pragma once

#include <cstring>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "taihu/base/error.h"
#include "taihu/neutron/parallel/ranks.h"

namespace taihu::neutron {

template <typename T>
void append(Bytes& bytes, const T* values, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::size_t end = bytes.size();
  bytes.resize(end + count * sizeof(T));
  if (count > 0) std::memcpy(bytes.data() + end, values, count * sizeof(T));
}

template <typename T>
void append(Bytes& bytes, const T& value) {
  append(bytes, &value, 1);
}

/// Takes values out of a message in the order in which they were appended.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  bool empty() const noexcept { return rest_.empty(); }
  std::size_t size() const noexcept { return rest_.size(); }

  template <typename T>
  void read(T* values, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    TAIHU_EXPECT(count * sizeof(T) <= rest_.size());
    if (count > 0) std::memcpy(static_cast<void*>(values), rest_.data(), count * sizeof(T));
    rest_ = rest_.subspan(count * sizeof(T));
  }

  template <typename T>
  T read() {
    T value;
    read(&value, 1);
    return value;
  }

 private:
  std::span<const std::byte> rest_;
};

/// Sends `bytes` of any length to a rank, perhaps this one; `receive_from` is the other side.
void send_to(Ranks& ranks, int to, Bytes bytes);
Bytes receive_from(Ranks& ranks, int from);

/// Sends out[r] to rank r; returns what came from each rank, by rank. Collective.
std::vector<Bytes> exchange_all(Ranks& ranks, std::vector<Bytes> out);

/// A failure that every rank throws at the same place: it need be told only once.
class SharedError : public Error {
 public:
  explicit SharedError(const std::string& text, bool wrong_use = false)
      : Error(text), wrong_use_(wrong_use) {}
  bool wrong_use() const noexcept { return wrong_use_; }  ///< it was a UsageError

 private:
  bool wrong_use_;
};

/// Throws SharedError when something does not hold that every rank finds alike.
inline void check_alike(bool holds, const std::string& text) {
  if (!holds) throw SharedError(text);
}

/// Throws SharedError on every rank when one of them has a problem: the text of the first that has.
/// Collective.
void throw_together(Ranks& ranks, const std::string& problem, bool wrong_use = false);

/// Runs `work` where `here` holds. What it throws on one rank is thrown as SharedError on every rank, so that
/// none waits for one that has failed. Collective.
template <typename Work>
void together(Ranks& ranks, bool here, const Work& work) {
  std::string problem;
  bool wrong_use = false;
  try {
    if (here) work();
  } catch (const UsageError& error) {
    problem = error.what();
    wrong_use = true;
  } catch (const std::bad_alloc&) {
    problem = "there is not enough memory";
  } catch (const std::exception& error) {
    problem = error.what();
  }
  throw_together(ranks, problem, wrong_use);
}

}  // namespace taihu::neutron
