// SPDX-License-Identifier: Apache-2.0
// A set of logical processors, by the numbers that the operating system gives them; written as "0-3,8".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace taihu::topology {

/// Plain value. Invariant: the numbers are sorted, each at most once.
class CpuSet {
 public:
  CpuSet() = default;
  explicit CpuSet(std::vector<int> cpus);

  bool empty() const noexcept { return cpus_.empty(); }
  int size() const noexcept { return static_cast<int>(cpus_.size()); }
  bool contains(int cpu) const noexcept;
  /// True when every cpu of `other` is in this set.
  bool includes(const CpuSet& other) const noexcept;
  void insert(int cpu);
  void insert(const CpuSet& other);
  const std::vector<int>& cpus() const noexcept { return cpus_; }

  /// "0-3,8"; "" for the empty set.
  std::string to_text() const;
  bool operator==(const CpuSet&) const = default;

 private:
  std::vector<int> cpus_;
};

CpuSet intersection(const CpuSet& a, const CpuSet& b);

/// The inverse of `to_text`. Throws Error when `text` is not a list of numbers and ranges.
CpuSet parse_cpu_set(std::string_view text);

/// The cpus that the calling thread may run on now (cgroup, taskset, launcher). Throws Error when the kernel
/// refuses.
CpuSet allowed_cpus();

/// Lets the calling thread run on `cpus` only; an empty set changes nothing. False when the kernel refuses (a
/// cpu that went away or lies outside the cgroup); the thread then runs where it ran before.
bool bind_this_thread(const CpuSet& cpus) noexcept;

}  // namespace taihu::topology
