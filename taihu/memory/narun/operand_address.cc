// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/narun/operand_address.h"

#include <cstring>

namespace taihu::memory {
namespace {

constexpr std::uint64_t code_page_bytes = 4096;
constexpr int most_instructions = 16;

/// How an opcode goes on.
struct Form {
  bool known = true, modrm = false, operand = true;
  int immediate = 0;         ///< bytes
  int string_register = -1;  ///< string instructions address memory by it
};

constexpr Form unknown{false};
constexpr Form with_modrm(int immediate = 0) {
  return {true, true, true, immediate};
}
constexpr Form without_modrm(int immediate = 0) {
  return {true, false, false, immediate};
}

struct Decoder {
  const std::uint8_t* code;
  const std::uint8_t* end;
  bool complete = true;
  bool narrow = false, segment = false, wide = false;
  int r = 0, x = 0, b = 0;  ///< bits that extend register numbers
  int map = 0, opcode = 0, displacement_scale = 1;
  int reg = 0;  ///< middle field of the byte behind the opcode

  std::uint8_t next() {
    if (code < end) return *code++;
    complete = false;
    return 0;
  }
  std::int64_t next_signed(int bytes) {
    if (end - code < bytes) {
      complete = false;
      return 0;
    }
    std::int32_t value = 0;
    if (bytes == 1)
      value = static_cast<std::int8_t>(*code);
    else
      std::memcpy(&value, code, 4);
    code += bytes;
    return value;
  }
  int word_bytes() const { return narrow ? 2 : 4; }

  bool prefixes();
  void vector_prefix(std::uint8_t first);
  Form form_of_plain() const;
  Form form_of_second() const;
  Form form() const;
  bool operand(const Registers& registers, bool& relative, std::uint64_t& address);
};

/// Reads up to the opcode; false for 32-bit addresses.
bool Decoder::prefixes() {
  std::uint8_t byte = next();
  for (int count = 0; count < 14; ++count, byte = next()) {
    if (byte == 0x67) return false;
    if (byte == 0x66)
      narrow = true;
    else if (byte == 0x64 || byte == 0x65)
      segment = true;
    else if (byte != 0xf2 && byte != 0xf3 && byte != 0x2e && byte != 0x36 && byte != 0x3e && byte != 0x26 &&
             byte != 0xf0)
      break;
  }
  if (byte == 0xc4 || byte == 0xc5 || byte == 0x62) {
    vector_prefix(byte);
    opcode = next();
    return true;
  }
  if ((byte & 0xf0) == 0x40) {
    wide = (byte & 8) != 0;
    r = (byte & 4) << 1;
    x = (byte & 2) << 2;
    b = (byte & 1) << 3;
    byte = next();
  }
  opcode = byte;
  if (byte != 0x0f) return true;
  map = 1;
  opcode = next();
  if (opcode == 0x38 || opcode == 0x3a) {
    map = opcode == 0x38 ? 2 : 3;
    opcode = next();
  }
  return true;
}

void Decoder::vector_prefix(std::uint8_t first) {
  const std::uint8_t byte = next();
  r = (~byte & 0x80) >> 4;
  map = 1;
  if (first == 0xc5) return;
  x = (~byte & 0x40) >> 3;
  b = (~byte & 0x20) >> 2;
  map = byte & (first == 0x62 ? 7 : 31);
  const std::uint8_t second = next();
  wide = (second & 0x80) != 0;
  if (first == 0xc4) return;
  const std::uint8_t third = next();
  // One element when it is repeated, else a whole vector; forms with other sizes are off by less than a page.
  displacement_scale = (third & 0x10) != 0 ? (wide ? 8 : 4) : 16 << ((third >> 5) & 3);
}

Form Decoder::form_of_plain() const {
  if (opcode < 0x40) {
    const int low = opcode & 7;
    return low < 4    ? with_modrm()
           : low == 4 ? without_modrm(1)
           : low == 5 ? without_modrm(word_bytes())
                      : unknown;
  }
  if (opcode >= 0x50 && opcode <= 0x5f) return without_modrm();
  if ((opcode >= 0xb0 && opcode <= 0xb7) || opcode == 0x6a || opcode == 0xa8) return without_modrm(1);
  if (opcode >= 0xb8 && opcode <= 0xbf) return without_modrm(wide ? 8 : word_bytes());
  if (opcode >= 0x84 && opcode <= 0x8f) return {true, true, opcode != 0x8d, 0};
  if ((opcode >= 0x90 && opcode <= 0x99) || (opcode >= 0x9b && opcode <= 0x9f)) return without_modrm();
  if ((opcode >= 0xd0 && opcode <= 0xd3) || (opcode >= 0xd8 && opcode <= 0xdf)) return with_modrm();
  if (opcode >= 0xf8 && opcode <= 0xfd) return without_modrm();
  switch (opcode) {
    case 0x63:
    case 0xfe:
      return with_modrm();
    case 0x68:
    case 0xa9:
      return without_modrm(word_bytes());
    case 0x69:
    case 0x81:
    case 0xc7:
      return with_modrm(word_bytes());
    case 0x6b:
    case 0x80:
    case 0x83:
    case 0xc0:
    case 0xc1:
    case 0xc6:
      return with_modrm(1);
    case 0xa4:
    case 0xa5:
    case 0xaa:
    case 0xab:
    case 0xae:
    case 0xaf:
      return {true, false, true, 0, 7};
    case 0xa6:
    case 0xa7:
    case 0xac:
    case 0xad:
      return {true, false, true, 0, 6};
    case 0xc9:
    case 0xf5:
      return without_modrm();
    case 0xf6:
      return with_modrm(reg < 2 ? 1 : 0);
    case 0xf7:
      return with_modrm(reg < 2 ? word_bytes() : 0);
    case 0xff:
      return reg < 2 || reg == 6 ? with_modrm() : unknown;
    default:
      return unknown;
  }
}

Form Decoder::form_of_second() const {
  if (opcode >= 0x70 && opcode <= 0x73) return with_modrm(1);
  if (opcode == 0x77 || opcode == 0x31 || opcode == 0xa2 || (opcode >= 0xc8 && opcode <= 0xcf))
    return without_modrm();
  if (opcode == 0xa4 || opcode == 0xac || opcode == 0xba || opcode == 0xc2 ||
      (opcode >= 0xc4 && opcode <= 0xc6))
    return with_modrm(1);
  // Hints address memory that nobody may use.
  if (opcode == 0x0d || (opcode >= 0x18 && opcode <= 0x1f)) return {true, true, false, 0};
  const bool usual = (opcode >= 0x10 && opcode <= 0x17) || (opcode >= 0x28 && opcode <= 0x2f) ||
                     (opcode >= 0x40 && opcode <= 0x6f) || (opcode >= 0x74 && opcode <= 0x7f) ||
                     (opcode >= 0x90 && opcode <= 0x9f) || opcode == 0xa3 || opcode == 0xa5 ||
                     opcode == 0xab || (opcode >= 0xad && opcode <= 0xc7) || opcode >= 0xd0;
  return usual ? with_modrm() : unknown;
}

Form Decoder::form() const {
  switch (map) {
    case 0:
      return form_of_plain();
    case 1:
      return form_of_second();
    case 3:
      return with_modrm(1);
    case 2: {
      // Gathers and scatters have an index for each element.
      const bool many = (opcode >= 0x90 && opcode <= 0x93) || (opcode >= 0xa0 && opcode <= 0xa3);
      return {true, true, !many, 0};
    }
    case 5:
    case 6:
      return with_modrm();
    default:
      return unknown;
  }
}

/// The bytes that say where; false when there is no place in memory. `relative`: to the next instruction.
bool Decoder::operand(const Registers& registers, bool& relative, std::uint64_t& address) {
  const std::uint8_t byte = next();
  const int mode = byte >> 6, low = byte & 7;
  if (mode == 3) return false;
  bool far = mode == 2;
  if (low == 4) {
    const std::uint8_t sib = next();
    const int index = ((sib >> 3) & 7) | x;
    if (index != 4) address += registers.general[index] << (sib >> 6);
    if ((sib & 7) == 5 && mode == 0)
      far = true;
    else
      address += registers.general[(sib & 7) | b];
  } else if (low == 5 && mode == 0) {
    far = relative = true;
  } else {
    address += registers.general[low | b];
  }
  if (far) address += static_cast<std::uint64_t>(next_signed(4));
  if (mode == 1) address += static_cast<std::uint64_t>(next_signed(1) * displacement_scale);
  return true;
}

}  // namespace

bool decode_instruction(const std::uint8_t* code, const std::uint8_t* end, std::uint64_t at,
                        const Registers& registers, Instruction& result) noexcept {
  Decoder decoder{code, end};
  if (!decoder.prefixes() || !decoder.complete) return false;
  if (decoder.code < end) decoder.reg = (*decoder.code >> 3) & 7;
  const Form form = decoder.form();
  if (!form.known) return false;
  result = {};
  bool relative = false, in_memory = false;
  if (form.modrm) in_memory = decoder.operand(registers, relative, result.address);
  decoder.code += form.immediate;
  if (!decoder.complete || decoder.code > end) return false;
  result.bytes = static_cast<std::size_t>(decoder.code - code);
  if (form.string_register >= 0) {
    in_memory = true;
    result.address = registers.general[form.string_register];
  }
  if (relative) result.address += at + result.bytes;
  result.has_operand = in_memory && form.operand && !decoder.segment;
  return true;
}

int operand_addresses(std::uint64_t at, const Registers& registers, std::uint64_t* addresses,
                      int most) noexcept {
  const std::uint64_t end = at / code_page_bytes * code_page_bytes + code_page_bytes;
  int found = 0;
  Instruction instruction;
  for (int count = 0; count < most_instructions && found < most; ++count, at += instruction.bytes) {
    const auto* code = reinterpret_cast<const std::uint8_t*>(at);
    if (!decode_instruction(code, reinterpret_cast<const std::uint8_t*>(end), at, registers, instruction))
      break;
    if (instruction.has_operand) addresses[found++] = instruction.address;
  }
  return found;
}

}  // namespace taihu::memory
