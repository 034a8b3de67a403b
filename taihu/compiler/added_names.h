// SPDX-License-Identifier: Apache-2.0
// Names that objects have and intermediate code does not. Names of users may begin with "__" as well, so
// these are told one by one.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace taihu::compiler {

/// Begins of names of Clang's run-time libraries, and of the C library's for it. Most of those for arithmetic
/// are not among them: LLVM has a list of these.
inline constexpr std::array<std::string_view, 44> added_name_begins = {
    "__stack_chk_",
    "__tls_get_addr",
    "___tls_get_addr",
    "__emutls_",
    "__safestack_",
    "__morestack",
    "__fentry__",
    "__cyg_profile_func_",
    "__clear_cache",
    "__aarch64_",
    "__arm_",
    "__x86_indirect_thunk",
    "__x86_return_thunk",
    "__extendhf",
    "__truncsfhf2",
    "__svml_",
    "__kmpc_",
    "__xray_",
    "__kcfi_typeid_",
    "__cfi_",
    // sanitizers
    "__asan_",
    "___asan_",
    "__odr_asan_",
    "__start_asan_",
    "__stop_asan_",
    "__hwasan_",
    "__start_hwasan_",
    "__stop_hwasan_",
    "__lsan_",
    "__msan_",
    "__dfsan_",
    "__nsan_",
    "__rtsan_",
    "__memprof_",
    "__tsan_",
    "__ubsan_",
    "__sanitizer_",
    "__sancov_",
    "__start___sancov_",
    "__stop___sancov_",
    // counters for profiles, and functions that LLVM makes
    "__llvm_",
    "__prof",
    "__start___llvm_",
    "__stop___llvm_",
};

/// Whether Clang may put the name into an object after the intermediate code was stored.
inline bool may_be_added(std::string_view name) {
  return std::any_of(added_name_begins.begin(), added_name_begins.end(),
                     [&](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace taihu::compiler
