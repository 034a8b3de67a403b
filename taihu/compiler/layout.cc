// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/layout.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace taihu::compiler {
namespace {

constexpr std::uint64_t half_sizes[] = {256, 1024, 2048, 4096, 8192};

bool has_locality(const KernelAccess& access) {
  if (!access.shared.empty()) return false;
  if (access.pattern == Pattern::contiguous) return true;
  return access.pattern == Pattern::interval && access.step_bytes &&
         std::abs(*access.step_bytes) <= longest_step_bytes;
}

/// Bytes that pass through buffers: neighbours of one loop and step are one stream.
double streamed_bytes(const LayoutObject& object) {
  std::map<std::pair<unsigned, long>, double> streams;
  for (const KernelAccess& access : object.accesses) {
    if (!has_locality(access)) continue;
    double& bytes = streams[{access.loop_line, *access.step_bytes}];
    bytes = std::max(
        bytes, static_cast<double>(access.iterations) * static_cast<double>(std::abs(*access.step_bytes)));
  }
  double sum = 0;
  for (const auto& [stream, bytes] : streams) sum += bytes;
  return sum;
}

std::string why_not_streamed(const LayoutObject& object) {
  if (const std::string shared = why_shared(object); !shared.empty()) return shared;
  for (const KernelAccess& access : object.accesses) {
    const std::string place = access.reason_place;
    if (access.pattern == Pattern::single) return "no loop steps through it";
    if (access.pattern == Pattern::discrete) return access.reason + place;
    if (!access.step_bytes) return "steps by a number of bytes that only the run knows" + place;
    return "steps by " + std::to_string(*access.step_bytes) + " bytes, more than " +
           std::to_string(longest_step_bytes) + place;
  }
  return "";
}

void add_choice(LayoutObject& object, LayoutChoice choice, std::uint64_t bytes, double benefit) {
  object.choices.push_back(choice);
  object.benefits.push_back({bytes, benefit});
}

}  // namespace

std::string why_shared(const LayoutObject& object) {
  for (const KernelAccess& access : object.accesses)
    if (!access.shared.empty())
      return "others may use it at the same time, as the " + access.shared + " access" + access.reason_place +
             " says";
  return "";
}

bool is_read_by_all(const LayoutObject& object) {
  return object.bytes &&
         std::any_of(object.accesses.begin(), object.accesses.end(), [&](const KernelAccess& access) {
           if (access.pattern == Pattern::discrete) return true;
           if (!access.first_byte || access.footprint.empty()) return false;
           unsigned long touched = access.bytes;
           for (const FootprintTerm& term : access.footprint) {
             // Where a thread's part of a loop begins only the run knows; so is its length.
             if (!term.step_bytes || !term.iterations) return false;
             touched = std::min(touched * *term.iterations, *object.bytes);
           }
           return touched >= *object.bytes / 2;
         });
}

const char* name_of(ObjectClass object_class) {
  switch (object_class) {
    case ObjectClass::one:
      return "I";
    case ObjectClass::two:
      return "II";
    case ObjectClass::three:
      return "III";
    case ObjectClass::none:
      return "none";
  }
  return "";
}

void weigh(LayoutObject& object, const LayoutCosts& costs, std::uint64_t capacity_bytes) {
  bool reads = false, writes = false, locality = false, fetches = false;
  double near_cycles = 0, streamed_gain = 0;
  for (const KernelAccess& access : object.accesses) {
    const double times = static_cast<double>(access.iterations) * std::ceil(access.bytes / 8.0);
    const double far = times * ((access.reads ? costs.load : 0) + (access.writes ? costs.store : 0));
    const double near = times * costs.near * (access.reads && access.writes ? 2 : 1);
    object.memory_cycles += far;
    near_cycles += near;
    reads = reads || access.reads;
    writes = writes || access.writes;
    locality = locality || has_locality(access);
    // Others, such as the first neighbour of a stencil, stay in main memory.
    if (has_locality(access)) streamed_gain += far - near;
    // What lies between the written bytes must be there when the buffer is put back.
    fetches = fetches || access.reads || access.pattern == Pattern::interval;
  }
  const bool fits = object.bytes && *object.bytes <= capacity_bytes;
  object.object_class = fits ? (locality ? ObjectClass::two : ObjectClass::one)
                             : (locality ? ObjectClass::three : ObjectClass::none);
  const double gain = object.memory_cycles - near_cycles;
  const bool is_shared = !why_shared(object).empty();
  if (fits && !writes && !is_shared) {
    const auto bytes = static_cast<double>(*object.bytes);
    const double own = costs.start + bytes * costs.per_byte;
    const double for_all = costs.start + costs.meeting + bytes * costs.broadcast_per_byte;
    // Buffers of streams are reached by pointers that go along; a whole object by an operation more for each
    // access, which streams with a step are spared.
    const bool is_scattered =
        std::any_of(object.accesses.begin(), object.accesses.end(),
                    [](const KernelAccess& access) { return access.pattern == Pattern::discrete; });
    const bool is_broadcast = object.may_be_broadcast && for_all + (is_scattered ? 0 : near_cycles) < own;
    add_choice(object, {0, is_broadcast}, *object.bytes, gain - (is_broadcast ? for_all : own));
  }
  // What others may write meanwhile has no copy, not even of its plain accesses.
  if (locality && !is_shared) {
    const double bytes = streamed_bytes(object);
    for (const std::uint64_t half : half_sizes) {
      const double transfers = std::ceil(bytes / static_cast<double>(half)) * (fetches + writes);
      add_choice(object, {half}, 2 * half,
                 streamed_gain - transfers * (costs.start + static_cast<double>(half) * costs.per_byte));
    }
  }
  if (!object.choices.empty()) return;
  object.refused = why_not_streamed(object);
  if (fits && writes) {
    object.refused += "; as a whole each thread would write a copy of its own";
  } else if (object.bytes && !fits) {
    object.refused += "; its " + std::to_string(*object.bytes) + " bytes do not fit";
  } else if (!object.bytes) {
    object.refused += "; its size is unknown";
  }
  if (object.refused.starts_with("; ")) object.refused.erase(0, 2);
}

void choose(KernelLayout& layout, const LayoutCosts& costs, std::uint64_t capacity_bytes) {
  std::vector<std::vector<scratchpad_model::Choice>> choices;
  for (LayoutObject& object : layout.objects) {
    weigh(object, costs, capacity_bytes);
    layout.memory_cycles += object.memory_cycles;
    choices.push_back(object.benefits);
  }
  const scratchpad_model::Placement placement = scratchpad_model::place(choices, capacity_bytes);
  for (std::size_t k = 0; k < layout.objects.size(); ++k) {
    LayoutObject& object = layout.objects[k];
    object.chosen = placement.chosen[k];
    if (object.chosen >= 0 || object.choices.empty()) continue;
    const bool pays = std::any_of(object.benefits.begin(), object.benefits.end(),
                                  [](const auto& choice) { return choice.benefit > 0; });
    object.refused = pays ? "others gain more for the room" : "transfers would cost more than the accesses";
  }
  layout.method = placement.method;
  layout.benefit = placement.benefit;
  layout.used_bytes = placement.bytes;
}

}  // namespace taihu::compiler
