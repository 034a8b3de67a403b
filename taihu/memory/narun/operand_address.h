// SPDX-License-Identifier: Apache-2.0
// Where the next instructions of an interrupted thread read and write: the machine code is decoded as far as
// that needs (lengths and memory operands of x86-64). Registers are those of the interruption, so what later
// instructions compute first is as it was one round of a loop ago: near enough to tell a page.
#pragma once

#include <cstddef>
#include <cstdint>

namespace taihu::memory {

/// In the processor's numbering: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15.
struct Registers {
  std::uint64_t general[16];
};

struct Instruction {
  std::size_t bytes = 0;
  bool has_operand = false;  ///< memory is read or written at `address`
  std::uint64_t address = 0;
};

/// Decodes the instruction in [code, end) that runs at address `at`. False when it is not known, ends behind
/// `end`, or does not go on with the one behind it (jumps, calls, system calls). Signal-safe.
bool decode_instruction(const std::uint8_t* code, const std::uint8_t* end, std::uint64_t at,
                        const Registers& registers, Instruction& result) noexcept;

/// Addresses of up to `most` operands from the instruction at `at` on, to the next jump or the end of the
/// page that holds it. Returns their number. Signal-safe.
int operand_addresses(std::uint64_t at, const Registers& registers, std::uint64_t* addresses,
                      int most) noexcept;

}  // namespace taihu::memory
