// SPDX-License-Identifier: Apache-2.0
// What the buffers and the units of a schedule's steps are in memory.
#pragma once

#include <cstddef>
#include <string>

#include "taihu/base/contract.h"
#include "taihu/collective/copy.h"
#include "taihu/collective/operations.h"
#include "taihu/message/data/layout.h"
#include "taihu/schedule/step.h"

namespace taihu::collective {

/// What went wrong while a program ran.
enum class Trouble : unsigned char {
  none,
  truncated,      ///< a member sent more than this one expects
  short_message,  ///< a member sent less than this one expects, or had trouble itself
  no_memory,
  earlier,  ///< the member had failed before the program began
  link      ///< the connection to another node process has failed
};

/// Used by one thread at a time.
class ProgramMemory {
 public:
  virtual ~ProgramMemory() = default;

  /// `count` units of `buffer` from unit `offset` on, to be sent or received; stays valid until the program
  /// has ended.
  virtual message::Space space(schedule::Buffer buffer, std::size_t offset, std::size_t count) noexcept = 0;
  /// Does a step that is no transfer. Does not block.
  virtual Trouble run_local(const schedule::Step& step) = 0;
  /// In words when that has told of another length than expected.
  virtual std::string length_problem() const { return {}; }
};

/// Units of `unit_bytes` one behind the other in each buffer: bytes, or the elements of a reduction.
class PlainMemory final : public ProgramMemory {
 public:
  /// `source` may be `result`. Nothing is owned. `reduction` may be null for programs that only move data;
  /// its elements are the units.
  PlainMemory(const void* source, void* result, std::byte* scratch, const Reduction* reduction = nullptr)
      : source_(const_cast<void*>(source)),
        result_(result),
        scratch_(scratch),
        reduction_(reduction),
        unit_bytes_(reduction != nullptr ? reduction->element_bytes : 1) {}

  message::Space space(schedule::Buffer buffer, std::size_t offset, std::size_t count) noexcept override {
    if (count == 0) return {nullptr, 0};
    return {address(buffer, offset), count * unit_bytes_};
  }

  Trouble run_local(const schedule::Step& step) override {
    expect(step.action != schedule::Action::work, "there is no work of its own here");
    std::byte* target = address(step.buffer, step.offset);
    const std::byte* operand = address(step.operand_buffer, step.operand_offset);
    if (step.action == schedule::Action::copy) {
      copy_block(target, operand, step.count * unit_bytes_);
    } else {
      expect(reduction_ != nullptr, "a program that combines has a reduction");
      (*reduction_)(target, operand, target, step.count);
    }
    return Trouble::none;
  }

 private:
  std::byte* address(schedule::Buffer buffer, std::size_t offset) const noexcept {
    void* const base = buffer == schedule::Buffer::source   ? source_
                       : buffer == schedule::Buffer::result ? result_
                                                            : scratch_;
    return at(base, static_cast<std::ptrdiff_t>(offset * unit_bytes_));
  }

  void* source_;
  void* result_;
  std::byte* scratch_;
  const Reduction* reduction_;
  std::size_t unit_bytes_;
};

}  // namespace taihu::collective
