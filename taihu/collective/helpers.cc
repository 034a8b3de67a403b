// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/helpers.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "taihu/base/clock.h"
#include "taihu/base/contract.h"
#include "taihu/collective/copy.h"

namespace taihu::collective {

HelpChoice::Class& HelpChoice::class_of(std::size_t bytes) noexcept {
  expect(bytes >= least_bytes, "bytes >= least_bytes");
  const auto power = static_cast<std::size_t>(std::bit_width(bytes) - std::bit_width(least_bytes));
  return classes_[std::min(power, classes_.size() - 1)];
}

bool HelpChoice::wants_help(std::size_t bytes) noexcept {
  Class& own = class_of(bytes);
  const std::uint32_t call = own.calls++;
  for (const Way& way : own.ways) {
    if (way.tries < first_tries) return &way == &own.ways[1];
  }
  const bool helped_is_faster = own.ways[1].ns_per_byte < own.ways[0].ns_per_byte;
  return helped_is_faster != (call % calls_between_tries == 0);
}

void HelpChoice::learn(std::size_t bytes, bool helped, std::int64_t ns) noexcept {
  constexpr double weight_of_latest = 0.25;
  Way& way = class_of(bytes).ways[helped ? 1 : 0];
  const double latest = static_cast<double>(ns) / static_cast<double>(bytes);
  if (way.tries <= 1) {
    way.ns_per_byte = latest;
  } else {
    way.ns_per_byte += weight_of_latest * (latest - way.ns_per_byte);
  }
  way.tries = std::min(way.tries + 1, first_tries);
}

BlockCopies::BlockCopies(HelpedCopy* copy, std::size_t bytes) : bytes_(bytes) {
  if (copy == nullptr || bytes < HelpChoice::least_bytes || copy->helpers_.count() <= 1) return;
  copy_ = copy;
  copy->blocks_.clear();
}

void BlockCopies::add(void* to, const void* from, std::size_t bytes) {
  if (copy_ == nullptr) return copy_block(to, from, bytes);
  if (bytes != 0 && to != from)
    copy_->blocks_.push_back({static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes});
}

void BlockCopies::finish() {
  if (copy_ == nullptr) return;
  const bool wants_help = copy_->choice_.wants_help(bytes_);
  const std::int64_t begin = now_ns();
  if (wants_help) {
    copy_->share_out();
  } else {
    for (const HelpedCopy::Block& block : copy_->blocks_) copy_block(block.to, block.from, block.bytes);
  }
  copy_->choice_.learn(bytes_, wants_help, now_ns() - begin);
}

namespace {

/// What a thread takes at once: long enough that taking it costs nothing, short enough that all end together.
constexpr std::size_t piece_bytes = std::size_t{32} << 10;

/// Blocks as pieces, counted through all of them, that threads take in their order.
struct Pieces {
  const void* blocks;
  std::size_t count;
  std::atomic<std::size_t> next{0};
};

std::size_t pieces_of(std::size_t bytes) noexcept {
  return (bytes + piece_bytes - 1) / piece_bytes;
}

}  // namespace

void HelpedCopy::copy_pieces(void* argument) {
  auto& pieces = *static_cast<Pieces*>(argument);
  const auto* block = static_cast<const Block*>(pieces.blocks);
  std::size_t first = 0;  // number of the block's first piece
  for (;;) {
    const std::size_t piece = pieces.next.fetch_add(1, std::memory_order_relaxed);
    if (piece >= pieces.count) return;
    while (piece - first >= pieces_of(block->bytes)) first += pieces_of((block++)->bytes);
    const std::size_t at = (piece - first) * piece_bytes;
    copy_block(block->to + at, block->from + at, std::min(piece_bytes, block->bytes - at));
  }
}

void HelpedCopy::share_out() {
  Pieces pieces{blocks_.data(), 0};
  for (const Block& block : blocks_) pieces.count += pieces_of(block.bytes);
  if (!helpers_.run({copy_pieces, &pieces})) copy_pieces(&pieces);
}

}  // namespace taihu::collective
