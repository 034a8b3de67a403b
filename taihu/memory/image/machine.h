// SPDX-License-Identifier: Apache-2.0
// Relocation numbers of the machine we run on.
#pragma once

#include <elf.h>

#include <cstdint>

namespace taihu::memory::machine {

#if defined(__x86_64__)
inline constexpr std::uint16_t elf_machine = EM_X86_64;
inline constexpr std::uint32_t none = R_X86_64_NONE, absolute = R_X86_64_64, data = R_X86_64_GLOB_DAT,
                               jump = R_X86_64_JUMP_SLOT, copy = R_X86_64_COPY, relative = R_X86_64_RELATIVE,
                               resolver = R_X86_64_IRELATIVE, tls_module = R_X86_64_DTPMOD64,
                               tls_offset = R_X86_64_DTPOFF64, tls_static = R_X86_64_TPOFF64,
                               tls_descriptor = R_X86_64_TLSDESC;
inline constexpr std::uint32_t cache_flags = 0x0303;  // ld.so.cache: x86-64 libraries
#elif defined(__aarch64__)
inline constexpr std::uint16_t elf_machine = EM_AARCH64;
inline constexpr std::uint32_t none = R_AARCH64_NONE, absolute = R_AARCH64_ABS64, data = R_AARCH64_GLOB_DAT,
                               jump = R_AARCH64_JUMP_SLOT, copy = R_AARCH64_COPY,
                               relative = R_AARCH64_RELATIVE, resolver = R_AARCH64_IRELATIVE,
                               tls_module = R_AARCH64_TLS_DTPMOD, tls_offset = R_AARCH64_TLS_DTPREL,
                               tls_static = R_AARCH64_TLS_TPREL, tls_descriptor = R_AARCH64_TLSDESC;
inline constexpr std::uint32_t cache_flags = 0x0a03;  // ld.so.cache: aarch64 libraries
#else
#error "rank images know x86-64 and aarch64"
#endif

constexpr bool is_tls(std::uint32_t type) {
  return type == tls_module || type == tls_offset || type == tls_static || type == tls_descriptor;
}

}  // namespace taihu::memory::machine
