// SPDX-License-Identifier: Apache-2.0
// Copies of long blocks with the help of threads of the member that have nothing to do, and when to ask them.
//
// Source: He et al. 2017, section 5.4.2, figure 17 (idle accelerator threads exchange the data of an alltoall
// inside a node).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace taihu::collective {

/// Threads of a member, the calling one among them. Used by the thread that is in the collective.
class Helpers {
 public:
  /// What every thread calls once; it must not throw.
  struct Work {
    void (*call)(void* argument);
    void* argument;
  };

  /// How many threads with a core of their own could work now, the caller's included; 1: nobody can help.
  virtual int count() noexcept = 0;
  /// Lets them all work and returns when they have; false: nobody has begun.
  virtual bool run(const Work& work) noexcept = 0;

 protected:
  ~Helpers() = default;
};

/// Whether help pays, learnt for each size from the times with and without it: to wake threads that sleep may
/// take longer than to copy alone, and how fast one core copies differs between machines. Both ways are tried
/// in turns at first, then the faster one is taken, and the other one is tried again now and then.
class HelpChoice {
 public:
  /// Shorter copies are never shared.
  static constexpr std::size_t least_bytes = std::size_t{128} << 10;
  /// Of each way, before one is chosen. The first of each counts for nothing: threads start, pages are new.
  static constexpr int first_tries = 3;
  /// One of so many calls of a size takes the way that seems slower.
  static constexpr std::uint32_t calls_between_tries = 64;

  /// For a copy of `bytes` >= least_bytes.
  bool wants_help(std::size_t bytes) noexcept;
  /// It has taken `ns`.
  void learn(std::size_t bytes, bool helped, std::int64_t ns) noexcept;

 private:
  struct Way {
    int tries = 0;
    double ns_per_byte = 0;  ///< recent ones count most
  };
  /// Sizes from one power of two to the next.
  struct Class {
    Way ways[2];  ///< alone, helped
    std::uint32_t calls = 0;
  };
  Class& class_of(std::size_t bytes) noexcept;

  std::array<Class, 16> classes_;  ///< the last one: all longer ones
};

/// What a member keeps for its copies.
class HelpedCopy {
 public:
  /// `helpers` must outlive this object.
  explicit HelpedCopy(Helpers& helpers) noexcept : helpers_(helpers) {}

 private:
  friend class BlockCopies;

  struct Block {
    std::byte* to;
    const std::byte* from;
    std::size_t bytes;
  };
  void share_out();
  static void copy_pieces(void* self);

  Helpers& helpers_;
  HelpChoice choice_;
  std::vector<Block> blocks_;  ///< of the call under way
};

/// The copies of one call.
class BlockCopies {
 public:
  /// `bytes` altogether; without `copy` the caller copies alone.
  BlockCopies(HelpedCopy* copy, std::size_t bytes);
  /// As copy_block; to and from stay valid until `finish`.
  void add(void* to, const void* from, std::size_t bytes);
  /// All is copied.
  void finish();

 private:
  HelpedCopy* copy_ = nullptr;  ///< where blocks are noted, for `finish` to copy them; null: copied at once
  const std::size_t bytes_;
};

}  // namespace taihu::collective
