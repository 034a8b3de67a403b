// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "taihu/compiler/box_plan.h"

namespace taihu::compiler {

/// Carries out a plan that is not refused. Nothing that was known of the function holds afterwards.
void build_boxes(const BoxPlan& plan, const FunctionFacts& facts, const LayoutCosts& costs);

}  // namespace taihu::compiler
