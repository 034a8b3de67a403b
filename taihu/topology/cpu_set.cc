// SPDX-License-Identifier: Apache-2.0
#include "taihu/topology/cpu_set.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <iterator>
#include <memory>

#include "taihu/base/error.h"

namespace taihu::topology {
namespace {

constexpr int most_cpus = 1 << 20;  // more than any kernel supports; bounds what a typing error can allocate

struct FreeKernelSet {
  void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
};
using KernelSet = std::unique_ptr<cpu_set_t, FreeKernelSet>;

int parse_number(std::string_view digits, std::string_view whole) {
  int number = -1;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  check_input(
      error == std::errc() && end == digits.data() + digits.size() && number >= 0 && number < most_cpus,
      "cannot read the cpu list '" + std::string(whole) + "'; write it as in 0-3,8");
  return number;
}

}  // namespace

CpuSet::CpuSet(std::vector<int> cpus) : cpus_(std::move(cpus)) {
  std::sort(cpus_.begin(), cpus_.end());
  cpus_.erase(std::unique(cpus_.begin(), cpus_.end()), cpus_.end());
}

bool CpuSet::contains(int cpu) const noexcept {
  return std::binary_search(cpus_.begin(), cpus_.end(), cpu);
}

bool CpuSet::includes(const CpuSet& other) const noexcept {
  return std::includes(cpus_.begin(), cpus_.end(), other.cpus_.begin(), other.cpus_.end());
}

void CpuSet::insert(int cpu) {
  auto place = std::lower_bound(cpus_.begin(), cpus_.end(), cpu);
  if (place == cpus_.end() || *place != cpu) cpus_.insert(place, cpu);
}

void CpuSet::insert(const CpuSet& other) {
  std::vector<int> both;
  std::set_union(cpus_.begin(), cpus_.end(), other.cpus_.begin(), other.cpus_.end(),
                 std::back_inserter(both));
  cpus_ = std::move(both);
}

std::string CpuSet::to_text() const {
  std::string text;
  for (std::size_t i = 0; i < cpus_.size();) {
    std::size_t last = i;
    while (last + 1 < cpus_.size() && cpus_[last + 1] == cpus_[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus_[i]);
    if (last > i) text += '-' + std::to_string(cpus_[last]);
    i = last + 1;
  }
  return text;
}

CpuSet intersection(const CpuSet& a, const CpuSet& b) {
  std::vector<int> both;
  std::set_intersection(a.cpus().begin(), a.cpus().end(), b.cpus().begin(), b.cpus().end(),
                        std::back_inserter(both));
  return CpuSet(std::move(both));
}

CpuSet parse_cpu_set(std::string_view text) {
  std::vector<int> cpus;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const std::size_t dash = item.find('-');
    const int first = parse_number(item.substr(0, dash), text);
    const int last = dash == item.npos ? first : parse_number(item.substr(dash + 1), text);
    check_input(first <= last,
                "cannot read the cpu list '" + std::string(text) + "' (a range runs backwards)");
    check_input(static_cast<std::size_t>(last - first) < most_cpus - cpus.size(),
                "cannot read the cpu list '" + std::string(text) + "' (it names more than a million cpus)");
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    if (comma == rest.npos) break;
    rest.remove_prefix(comma + 1);
    check_input(!rest.empty(), "cannot read the cpu list '" + std::string(text) + "' (it ends in a comma)");
  }
  return CpuSet(std::move(cpus));
}

CpuSet allowed_cpus() {
  // The kernel refuses a buffer shorter than its own mask with EINVAL, so the buffer grows until it fits.
  for (int capacity = 1024; capacity <= most_cpus; capacity *= 2) {
    KernelSet set(CPU_ALLOC(capacity));
    const std::size_t bytes = CPU_ALLOC_SIZE(capacity);
    CPU_ZERO_S(bytes, set.get());
    if (sched_getaffinity(0, bytes, set.get()) != 0) {
      if (errno == EINVAL) continue;
      throw system_error("cannot ask the kernel which cpus this process may use", errno);
    }
    std::vector<int> cpus;
    for (int cpu = 0; cpu < capacity; ++cpu)
      if (CPU_ISSET_S(cpu, bytes, set.get())) cpus.push_back(cpu);
    return CpuSet(std::move(cpus));
  }
  throw Error("cannot ask the kernel which cpus this process may use (its mask is larger than a million)");
}

bool bind_this_thread(const CpuSet& cpus) noexcept {
  if (cpus.empty()) return true;
  const int capacity = cpus.cpus().back() + 1;
  KernelSet set(CPU_ALLOC(capacity));
  if (!set) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(capacity);
  CPU_ZERO_S(bytes, set.get());
  for (int cpu : cpus.cpus()) CPU_SET_S(cpu, bytes, set.get());
  return sched_setaffinity(0, bytes, set.get()) == 0;
}

}  // namespace taihu::topology
