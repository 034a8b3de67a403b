// SPDX-License-Identifier: Apache-2.0
// parcc --report=layout.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/JSON.h"
#include "taihu/compiler/layout.h"

namespace taihu::compiler {

/// On standard error. `is_moved`: with --auto-dma.
void print_layout(const KernelLayout& layout, std::uint64_t capacity_bytes, bool is_moved);

/// The source of the module, or the program whose files it has.
std::string reported_name(const llvm::Module& module);

/// Says that a file has nothing to report.
void print_no_layout(const std::string& file);

llvm::json::Value layout_as_json(const KernelLayout& layout, bool is_moved);

}  // namespace taihu::compiler
