// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/box_accesses.h"

#include <algorithm>
#include <cstdlib>

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

constexpr long longest_byte_step = 64;  // what lies between two such accesses is fetched with them
constexpr long widest_shift = 2048;     // bytes; accesses further apart are boxes of their own
constexpr long furthest_slab = 64;

std::optional<long> constant_of(const SCEV* value) {
  const auto* constant = dyn_cast_or_null<SCEVConstant>(value);
  if (constant == nullptr || constant->getAPInt().getSignificantBits() > 40) return std::nullopt;
  return constant->getAPInt().getSExtValue();
}

/// Toward zero where rows have no loop that fills them; else to the nearest row.
long slabs_in(long distance, long pitch, bool is_filled) {
  if (!is_filled) return distance / pitch;
  return (distance + (distance >= 0 ? pitch / 2 : -(pitch / 2))) / pitch;
}

bool is_wider_than_step(const PlannedBox& box, const BoxLoop& moves) {
  const std::optional<long> step = constant_of(moves.step);
  return step && std::any_of(box.accesses.begin(), box.accesses.end(), [&](const BoxAccess& access) {
           return static_cast<long>(access.bytes) > std::labs(*step);
         });
}

/// Of a box that only one of two loops moves: empty when its iterations write nothing in common, where the
/// run finds that rows do not.
std::string why_overlapping(const PlannedBox& box, const BoxLoop& moves) {
  const std::string line = line_of(*box.accesses.front().instruction);
  if (is_wider_than_step(box, moves))
    return "accesses are wider than the step of the only loop that moves them" + line;
  for (const BoxLoop& other : box.loops)
    if (&other != &moves && other.way == moves.way)
      return "an inner loop steps along the same dimension" + line;
  return "";
}

}  // namespace

const BoxLoop* PlannedBox::moved_by(const Loop* loop) const {
  for (const BoxLoop& one : loops)
    if (one.loop == loop) return &one;
  return nullptr;
}

bool BoxFinder::is_expandable(const SCEV* value) {
  return expander_.isSafeToExpandAt(value, root_.getLoopPreheader()->getTerminator());
}

bool BoxFinder::is_counted(const Loop& loop) {
  ScalarEvolution& evolution = facts_.evolution;
  const SCEV* count = evolution.getBackedgeTakenCount(&loop);
  return loop.getExitingBlock() != nullptr && loop.getExitingBlock() == loop.getLoopLatch() &&
         loop.getLoopPreheader() != nullptr && isa<BranchInst>(loop.getLoopLatch()->getTerminator()) &&
         !isa<SCEVCouldNotCompute>(count) && evolution.isLoopInvariant(count, &root_) &&
         evolution.getTypeSizeInBits(count->getType()) <= 64 && is_expandable(count);
}

std::optional<PlannedBox> BoxFinder::find(Instruction& instruction) {
  Value* pointer = getLoadStorePointerOperand(&instruction);
  const TypeSize size = layout_.getTypeStoreSize(getLoadStoreType(&instruction));
  if (size.isScalable() || size.getFixedValue() > static_cast<unsigned long>(widest_shift))
    return std::nullopt;
  ScalarEvolution& evolution = facts_.evolution;
  PlannedBox box;
  box.object = getUnderlyingObject(pointer, 32);
  const SCEV* address = evolution.getSCEV(pointer);
  while (!evolution.isLoopInvariant(address, &root_)) {
    const auto* recurrence = dyn_cast<SCEVAddRecExpr>(address);
    if (recurrence == nullptr || !recurrence->isAffine()) return std::nullopt;
    auto* loop = const_cast<Loop*>(recurrence->getLoop());
    const SCEV* step = recurrence->getStepRecurrence(evolution);
    if (!root_.contains(loop) || !loop->contains(instruction.getParent()) || !is_counted(*loop) ||
        !evolution.isLoopInvariant(step, &root_) || !is_expandable(step))
      return std::nullopt;
    box.loops.push_back({loop, step});
    address = recurrence->getStart();
  }
  std::reverse(box.loops.begin(), box.loops.end());
  box.start = address;
  if (!is_expandable(address) || !set_ways(box)) return std::nullopt;
  BoxAccess access;
  access.instruction = &instruction;
  access.bytes = static_cast<unsigned>(size.getFixedValue());
  box.highest[TAIHU_BOX_BYTES] = static_cast<long>(access.bytes);
  box.reads = isa<LoadInst>(instruction);
  box.writes = !box.reads;
  box.accesses.push_back(access);
  return box;
}

/// Which loops go along rows, and which step from row to row or from plane to plane.
bool BoxFinder::set_ways(PlannedBox& box) {
  ScalarEvolution& evolution = facts_.evolution;
  std::vector<const SCEV*> pitches;  // of outer loops first
  std::vector<const SCEV*> unknown;
  for (BoxLoop& one : box.loops) {
    const std::optional<long> step = constant_of(one.step);
    if (!step && isa<SCEVConstant>(one.step)) return false;
    if (step && *step == 0) return false;
    one.is_negative = step && *step < 0;
    if (step && std::labs(*step) <= longest_byte_step) {
      one.way = TAIHU_BOX_BYTES;
      continue;
    }
    if (!step && evolution.isKnownNegative(one.step)) return false;
    if (!step && !evolution.isKnownPositive(one.step)) unknown.push_back(one.step);
    const SCEV* pitch = one.is_negative ? evolution.getNegativeSCEV(one.step) : one.step;
    if (std::find(pitches.begin(), pitches.end(), pitch) == pitches.end()) pitches.push_back(pitch);
  }
  if (pitches.size() > 2) return false;
  if (pitches.size() == 2) {
    const std::optional<long> first = constant_of(pitches[0]), second = constant_of(pitches[1]);
    const bool is_swapped = (first && !second) || (first && second && *first < *second);
    box.pitch[0] = pitches[is_swapped ? 1 : 0];
    box.pitch[1] = pitches[is_swapped ? 0 : 1];
  } else if (pitches.size() == 1) {
    box.pitch[1] = pitches[0];
  }
  for (BoxLoop& one : box.loops) {
    if (one.way == TAIHU_BOX_BYTES) continue;
    const SCEV* pitch = one.is_negative ? evolution.getNegativeSCEV(one.step) : one.step;
    one.way = pitch == box.pitch[0] ? TAIHU_BOX_PLANES : TAIHU_BOX_ROWS;
  }
  positive_.insert(positive_.end(), unknown.begin(), unknown.end());
  return true;
}

/// `distance` as planes, rows and bytes.
bool BoxFinder::set_shift(const PlannedBox& box, const SCEV* distance, long shift[3]) {
  ScalarEvolution& evolution = facts_.evolution;
  shift[0] = shift[1] = 0;
  const bool is_filled = std::any_of(box.loops.begin(), box.loops.end(),
                                     [](const BoxLoop& one) { return one.way == TAIHU_BOX_BYTES; });
  const bool all_constant = (box.pitch[0] == nullptr || constant_of(box.pitch[0])) &&
                            (box.pitch[1] == nullptr || constant_of(box.pitch[1]));
  if (all_constant) {
    const std::optional<long> bytes = constant_of(distance);
    if (!bytes) return false;
    shift[2] = *bytes;
    for (int way = 0; way < 2; ++way) {
      if (box.pitch[way] == nullptr) continue;
      const long pitch = *constant_of(box.pitch[way]);
      shift[way] = slabs_in(shift[2], pitch, is_filled || way == 0);
      shift[2] -= shift[way] * pitch;
    }
  } else {
    const auto* type = cast<IntegerType>(distance->getType());
    const auto without = [&](long planes, long rows) {
      const SCEV* rest = distance;
      const long slabs[] = {planes, rows};
      for (int way = 0; way < 2; ++way) {
        if (box.pitch[way] == nullptr || slabs[way] == 0) continue;
        const SCEV* pitch = evolution.getTruncateOrSignExtend(box.pitch[way], distance->getType());
        const SCEV* number =
            evolution.getConstant(const_cast<IntegerType*>(type), static_cast<uint64_t>(slabs[way]), true);
        rest = evolution.getMinusSCEV(rest, evolution.getMulExpr(number, pitch));
      }
      return constant_of(rest);
    };
    constexpr long order[] = {0, 1, -1, 2, -2};
    bool found = false;
    for (const long planes : order) {
      if (box.pitch[0] == nullptr && planes != 0) break;
      for (const long rows : order) {
        const std::optional<long> rest = without(planes, rows);
        if (!rest || std::labs(*rest) > widest_shift) continue;
        shift[0] = planes, shift[1] = rows, shift[2] = *rest;
        found = true;
        break;
      }
      if (found) break;
    }
    if (!found) return false;
  }
  return std::labs(shift[0]) <= furthest_slab && std::labs(shift[1]) <= furthest_slab &&
         std::labs(shift[2]) <= widest_shift;
}

void BoxFinder::join(const PlannedBox& box, std::vector<PlannedBox>& boxes) {
  for (PlannedBox& known : boxes) {
    if (known.object != box.object || known.loops != box.loops || known.is_whole ||
        known.start->getType() != box.start->getType())
      continue;
    const SCEV* distance = facts_.evolution.getMinusSCEV(box.start, known.start);
    BoxAccess access = box.accesses.front();
    if (isa<SCEVCouldNotCompute>(distance) || !set_shift(known, distance, access.shift)) continue;
    const long end = access.shift[2] + static_cast<long>(access.bytes);
    if (std::max(end, known.highest[2]) - std::min(access.shift[2], known.lowest[2]) > widest_shift) continue;
    for (int way = 0; way < 3; ++way) {
      known.lowest[way] = std::min(known.lowest[way], access.shift[way]);
      known.highest[way] = std::max(known.highest[way], way == 2 ? end : access.shift[way]);
    }
    known.reads = known.reads || box.reads;
    known.writes = known.writes || box.writes;
    known.accesses.push_back(access);
    return;
  }
  boxes.push_back(box);
}

std::string set_written(PlannedBox& box, ScalarEvolution& evolution) {
  const BoxAccess* first = nullptr;
  const BoxAccess* guarded = nullptr;
  for (const BoxAccess& access : box.accesses) {
    if (!isa<StoreInst>(access.instruction)) continue;
    if (!access.is_certain) guarded = &access;
    const long end = access.shift[2] + static_cast<long>(access.bytes);
    if (first != nullptr && (access.shift[0] != first->shift[0] || access.shift[1] != first->shift[1]))
      return "written in several rows" + line_of(*access.instruction);
    box.written_low = first == nullptr ? access.shift[2] : std::min(box.written_low, access.shift[2]);
    box.written_high = first == nullptr ? end : std::max(box.written_high, end);
    if (first == nullptr) first = &access;
  }
  box.written[0] = first->shift[0];
  box.written[1] = first->shift[1];
  // Bytes that each iteration writes or reads: no other thread may write them meanwhile.
  std::vector<std::pair<long, long>> parts;
  for (const BoxAccess& access : box.accesses)
    if (access.is_certain && access.shift[0] == box.written[0] && access.shift[1] == box.written[1])
      parts.emplace_back(access.shift[2], access.shift[2] + static_cast<long>(access.bytes));
  std::sort(parts.begin(), parts.end());
  long low = 0, high = 0;
  bool is_covered = false;
  for (const auto& [begin, end] : parts) {
    if (is_covered && begin > high) break;
    if (high < begin || low == high) low = begin, high = begin;
    high = std::max(high, end);
    is_covered = low <= box.written_low && box.written_low < high;
  }
  is_covered = is_covered && high >= box.written_high;
  long length = high - low;
  std::vector<std::pair<long, const BoxLoop*>> steps;
  for (const BoxLoop& one : box.loops)
    if (one.way == TAIHU_BOX_BYTES) steps.emplace_back(std::labs(*constant_of(one.step)), &one);
  std::sort(steps.begin(), steps.end());
  for (std::size_t k = 0; k < steps.size() && is_covered; ++k) {
    is_covered = steps[k].first <= length;
    if (k + 1 == steps.size()) break;
    const std::optional<long> times = constant_of(evolution.getBackedgeTakenCount(steps[k].second->loop));
    if (!times)
      is_covered = false;
    else
      length += steps[k].first * *times;
  }
  if (is_covered) return "";
  if (guarded != nullptr)
    return "written under a condition" + line_of(*guarded->instruction) +
           ", where putting it back could undo what another thread writes";
  return "written with gaps, where putting it back could undo what another thread writes between them";
}

std::string why_not_reordered(const PlannedBox& box, const Loop* outer, const Loop* inner) {
  const std::string line = line_of(*box.accesses.front().instruction);
  const BoxLoop* moves[] = {box.moved_by(outer), box.moved_by(inner)};
  if (moves[0] == nullptr && moves[1] == nullptr) return "both loops write the same" + line;
  if (moves[0] != nullptr && moves[1] != nullptr && moves[0]->way == moves[1]->way)
    return "both loops step along the same dimension" + line;
  const bool is_one =
      box.lowest[0] == box.highest[0] && box.lowest[1] == box.highest[1] &&
      std::all_of(box.accesses.begin(), box.accesses.end(), [&](const BoxAccess& access) {
        return access.shift[2] == box.accesses.front().shift[2] && access.bytes == box.accesses.front().bytes;
      });
  if (moves[0] == nullptr || moves[1] == nullptr) {
    if (!is_one) return "iterations of a loop that does not move it depend on each other" + line;
    return why_overlapping(box, moves[0] != nullptr ? *moves[0] : *moves[1]);
  }
  const bool is_wider = is_wider_than_step(box, *moves[0]) || is_wider_than_step(box, *moves[1]);
  const auto is_shared = [&](int loop) {
    return std::any_of(box.loops.begin(), box.loops.end(), [&](const BoxLoop& other) {
      return &other != moves[0] && &other != moves[1] && other.way == moves[loop]->way;
    });
  };
  if (is_one) {
    // They meet within a row, or within a column, but for loops that step along both.
    if ((is_shared(0) || is_wider_than_step(box, *moves[0])) &&
        (is_shared(1) || is_wider_than_step(box, *moves[1])))
      return "an inner loop steps along the same dimension" + line;
    return "";
  }
  // Two accesses meet after whole iterations of both loops, which must not be forward in one and back in the
  // other.
  if (is_shared(0) || is_shared(1)) return "an inner loop steps along the same dimension" + line;
  for (const BoxAccess& one : box.accesses) {
    if (!isa<StoreInst>(one.instruction)) continue;
    for (const BoxAccess& access : box.accesses) {
      long iterations[2] = {};
      bool is_apart = false;
      for (int loop = 0; loop < 2; ++loop) {
        const int way = moves[loop]->way;
        const long distance = access.shift[way] - one.shift[way];
        const long step = way == TAIHU_BOX_BYTES ? std::labs(*constant_of(moves[loop]->step)) : 1;
        if (way == TAIHU_BOX_BYTES && distance % step != 0) {
          const long rest = ((distance % step) + step) % step;
          is_apart = rest >= static_cast<long>(one.bytes) && rest + static_cast<long>(access.bytes) <= step;
          if (!is_apart) return "accesses overlap in part" + line;
        }
        iterations[loop] = (distance / step) * (moves[loop]->is_negative ? -1 : 1);
      }
      // Wide ones meet those of other columns as well, forward and back.
      const int far = moves[0]->way == TAIHU_BOX_BYTES ? 1 : 0;
      if (!is_apart && is_wider && iterations[far] != 0) return "accesses overlap in part" + line;
      if (!is_apart && ((iterations[0] > 0 && iterations[1] < 0) || (iterations[0] < 0 && iterations[1] > 0)))
        return "iterations depend on each other forward in one loop and back in the other" +
               line_of(*access.instruction);
    }
  }
  return "";
}

}  // namespace taihu::compiler
