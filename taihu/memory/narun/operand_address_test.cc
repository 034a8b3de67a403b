// SPDX-License-Identifier: Apache-2.0
// The bytes of the instructions are those that GNU as makes of the text on the same line.
#include "taihu/memory/narun/operand_address.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace taihu::memory {
namespace {

constexpr std::uint64_t at = 0x400000;

Registers numbered_registers() {
  Registers registers{};
  for (std::uint64_t i = 0; i < 16; ++i) registers.general[i] = (i + 1) << 20;
  return registers;
}

std::uint64_t reg(int number) {
  return numbered_registers().general[number];
}

struct Example {
  const char* text;
  std::vector<std::uint8_t> code;
  bool has_operand;
  std::uint64_t address;
};

TEST(OperandAddress, OfInstructionsThatCompilersMake) {
  const Example examples[] = {
      {"movsd (%rsi,%rax,8),%xmm0", {0xf2, 0x0f, 0x10, 0x04, 0xc6}, true, reg(6) + reg(0) * 8},
      {"movslq (%rdi,%rcx,4),%rdx", {0x48, 0x63, 0x14, 0x8f}, true, reg(7) + reg(1) * 4},
      {"mulsd -8(%r8,%r9,8),%xmm1",
       {0xf2, 0x43, 0x0f, 0x59, 0x4c, 0xc8, 0xf8},
       true,
       reg(8) + reg(9) * 8 - 8},
      {"mov 0x12345(%rbp),%eax", {0x8b, 0x85, 0x45, 0x23, 0x01, 0x00}, true, reg(5) + 0x12345},
      {"mov %r12,(%rsp)", {0x4c, 0x89, 0x24, 0x24}, true, reg(4)},
      {"mov (%r12),%rax", {0x49, 0x8b, 0x04, 0x24}, true, reg(12)},
      {"mov 0(%r13),%rax", {0x49, 0x8b, 0x45, 0x00}, true, reg(13)},
      {"mov 0x100(,%rbx,2),%al", {0x8a, 0x04, 0x5d, 0x00, 0x01, 0x00, 0x00}, true, reg(3) * 2 + 0x100},
      {"mov 0x10(%rip),%rax", {0x48, 0x8b, 0x05, 0x10, 0x00, 0x00, 0x00}, true, at + 7 + 0x10},
      {"movl $1,0x10(%rip)", {0xc7, 0x05, 0x10, 0, 0, 0, 0x01, 0, 0, 0}, true, at + 10 + 0x10},
      {"movw $1,(%rax)", {0x66, 0xc7, 0x00, 0x01, 0x00}, true, reg(0)},
      {"testb $1,(%rdi)", {0xf6, 0x07, 0x01}, true, reg(7)},
      {"negl (%rdi)", {0xf7, 0x1f}, true, reg(7)},
      {"vmovupd (%rdx,%rax,1),%ymm1", {0xc5, 0xfd, 0x10, 0x0c, 0x02}, true, reg(2) + reg(0)},
      {"vfmadd231pd (%r9,%r10,8),%ymm2,%ymm3",
       {0xc4, 0x82, 0xed, 0xb8, 0x1c, 0xd1},
       true,
       reg(9) + reg(10) * 8},
      {"vmovupd 0x40(%rax),%zmm0", {0x62, 0xf1, 0xfd, 0x48, 0x10, 0x40, 0x01}, true, reg(0) + 64},
      {"rep stosq", {0xf3, 0x48, 0xab}, true, reg(7)},
      {"pinsrw $3,(%rcx),%xmm0", {0x66, 0x0f, 0xc4, 0x01, 0x03}, true, reg(1)},
      {"vgatherdpd %ymm1,(%rax,%xmm2,8),%ymm0", {0xc4, 0xe2, 0xf5, 0x92, 0x04, 0xd0}, false, 0},
      {"lea (%rax,%rcx,4),%rdx", {0x48, 0x8d, 0x14, 0x88}, false, 0},
      {"nopw 0x0(%rax,%rax,1)", {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00}, false, 0},
      {"prefetcht0 (%rax)", {0x0f, 0x18, 0x08}, false, 0},
      {"mov %fs:0x28,%rax", {0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0}, false, 0},
      {"add $8,%rax", {0x48, 0x83, 0xc0, 0x08}, false, 0},
      {"movabs $1,%rax", {0x48, 0xb8, 1, 0, 0, 0, 0, 0, 0, 0}, false, 0},
      {"pxor %xmm0,%xmm0", {0x66, 0x0f, 0xef, 0xc0}, false, 0},
  };
  for (const Example& example : examples) {
    Instruction instruction;
    const std::uint8_t* begin = example.code.data();
    ASSERT_TRUE(decode_instruction(begin, begin + example.code.size(), at, numbered_registers(), instruction))
        << example.text;
    EXPECT_EQ(instruction.bytes, example.code.size()) << example.text;
    EXPECT_EQ(instruction.has_operand, example.has_operand) << example.text;
    if (example.has_operand) {
      EXPECT_EQ(instruction.address, example.address) << example.text;
    }
    // The same with less code than the instruction has.
    EXPECT_FALSE(
        decode_instruction(begin, begin + example.code.size() - 1, at, numbered_registers(), instruction))
        << example.text;
  }
}

TEST(OperandAddress, NothingIsKnownBehindJumpsAndCalls) {
  const std::vector<std::uint8_t> jumps[] = {
      {0x75, 0xe0}, {0xe8, 0, 0, 0, 0}, {0xc3}, {0xff, 0xd0}, {0x0f, 0x84, 0, 0, 0, 0},
      {0x0f, 0x05}, {0xeb, 0x02},       {0xf4}};
  for (const auto& code : jumps) {
    Instruction instruction;
    EXPECT_FALSE(
        decode_instruction(code.data(), code.data() + code.size(), at, numbered_registers(), instruction));
  }
}

TEST(OperandAddress, OfALoop) {
  // movslq (%rdi,%rax,4),%rcx; movsd (%rsi,%rax,8),%xmm1; mulsd (%r8,%rcx,8),%xmm1; add $1,%rax; jne
  alignas(64) static const std::uint8_t loop[] = {0x48, 0x63, 0x0c, 0x87, 0xf2, 0x0f, 0x10,
                                                  0x0c, 0xc6, 0xf2, 0x41, 0x0f, 0x59, 0x0c,
                                                  0xc8, 0x48, 0x83, 0xc0, 0x01, 0x75, 0xeb};
  std::uint64_t addresses[8];
  ASSERT_EQ(operand_addresses(reinterpret_cast<std::uint64_t>(loop), numbered_registers(), addresses, 8), 3);
  EXPECT_EQ(addresses[0], reg(7) + reg(0) * 4);
  EXPECT_EQ(addresses[1], reg(6) + reg(0) * 8);
  EXPECT_EQ(addresses[2], reg(8) + reg(1) * 8);
  EXPECT_EQ(operand_addresses(reinterpret_cast<std::uint64_t>(loop), numbered_registers(), addresses, 2), 2);
  // From the addition behind the reads, round the loop.
  ASSERT_EQ(operand_addresses(reinterpret_cast<std::uint64_t>(loop + 15), numbered_registers(), addresses, 8),
            3);
  EXPECT_EQ(addresses[0], reg(7) + reg(0) * 4);
}

TEST(OperandAddress, RandomBytesDoNoHarm) {
  std::mt19937 random(3);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::uint8_t> code(1 + random() % 15);
    for (std::uint8_t& byte : code) byte = static_cast<std::uint8_t>(random());
    Instruction instruction;
    if (decode_instruction(code.data(), code.data() + code.size(), at, numbered_registers(), instruction)) {
      EXPECT_GE(instruction.bytes, 1u);
      EXPECT_LE(instruction.bytes, code.size());
    }
  }
}

}  // namespace
}  // namespace taihu::memory
