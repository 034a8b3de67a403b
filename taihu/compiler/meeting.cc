// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/meeting.h"

#include <algorithm>

#include "llvm/Analysis/ScalarEvolutionExpressions.h"

namespace taihu::compiler {

using namespace llvm;

std::optional<PartExtent> after_loop(PartExtent extent, long step, const Loop& loop,
                                     ScalarEvolution& evolution) {
  const auto* last = dyn_cast<SCEVConstant>(evolution.getBackedgeTakenCount(&loop));
  if (last == nullptr || last->getAPInt().getActiveBits() > 31 || step > INT32_MAX || step < INT32_MIN)
    return std::nullopt;
  const long distance = static_cast<long>(last->getAPInt().getZExtValue()) * step;
  return PartExtent{extent.low + std::min(distance, 0L), extent.high + std::max(distance, 0L)};
}

Meeting meeting_of(const SCEV* one, std::optional<PartExtent> extent, const SCEV* other,
                   std::optional<PartExtent> other_extent, const Loop& root, ScalarEvolution& evolution) {
  if (!extent || !other_extent || one->getType() != other->getType()) return Meeting::sometimes;
  const SCEV* distance = evolution.getMinusSCEV(other, one);
  if (isa<SCEVCouldNotCompute>(distance)) return Meeting::sometimes;
  const ConstantRange range = evolution.getSignedRange(evolution.applyLoopGuards(distance, &root));
  if (range.isEmptySet() || range.getSignedMin().getSignificantBits() > 62 ||
      range.getSignedMax().getSignificantBits() > 62)
    return Meeting::sometimes;
  const long least = range.getSignedMin().getSExtValue(), most = range.getSignedMax().getSExtValue();
  if (most + other_extent->low < extent->high && least + other_extent->high > extent->low)
    return Meeting::always;
  if (least + other_extent->low >= extent->high || most + other_extent->high <= extent->low)
    return Meeting::never;
  return Meeting::sometimes;
}

}  // namespace taihu::compiler
