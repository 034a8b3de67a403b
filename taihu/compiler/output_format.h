// SPDX-License-Identifier: Apache-2.0
// What a format of printf reads: one kind (abi/output_request.h) for each argument.
#pragma once

#include <optional>
#include <vector>

#include "llvm/ADT/StringRef.h"

namespace taihu::compiler {

/// The kinds, in order. None for a format that does more than read them and print: %n, %m, wide characters,
/// positional arguments, conversions that the standard does not know.
std::optional<std::vector<int>> arguments_of_format(llvm::StringRef format);

}  // namespace taihu::compiler
