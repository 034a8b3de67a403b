// SPDX-License-Identifier: Apache-2.0
// Names that the parts of the plugin agree on: annotations on declarations, sections, generated variables.
// Generated functions and types are those of parallelc_compiler.h.
#pragma once

#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"

namespace taihu::compiler {

inline constexpr char kernel_annotation[] = "parallelc_kernel";
inline constexpr char node_shared_annotation[] = "node_shared";
inline constexpr char bnode_shared_annotation[] = "bnode_shared";
inline constexpr char scratchpad_annotation[] = "scratchpad";

// Sections the front end gives variables, and how the passes place them (commands/ link with program.ld).
inline constexpr char node_shared_section[] = "taihu_node_shared";
inline constexpr char bnode_shared_section[] = "taihu_bnode_shared";
inline constexpr char scratchpad_section[] = "taihu_scratchpad";
inline constexpr char checked_scratchpad_section[] = "taihu_scratchpad_checked";

// Generated variables; a number follows.
inline constexpr char region_variable[] = "taihu_region_";
inline constexpr char loop_variable[] = "taihu_forall_";
inline constexpr char left_variable[] = "taihu_left_";

inline bool has_annotation(const clang::Decl* declaration, llvm::StringRef annotation) {
  for (const auto* attribute : declaration->specific_attrs<clang::AnnotateAttr>())
    if (attribute->getAnnotation() == annotation) return true;
  return false;
}

}  // namespace taihu::compiler
