// SPDX-License-Identifier: Apache-2.0
// When loops that parcc --optimise-for-host has changed pay on this processor (abi/host_loops.h): by sizes
// that taihu-tune measures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "taihu/abi/host_loops.h"

namespace taihu::parallelc {

struct HostLimits {
  std::size_t looked_up_bytes = TAIHU_LOOKED_UP_BYTES_DEFAULT;  ///< of a table that is fetched ahead
  std::size_t stored_bytes = TAIHU_STORED_BYTES_DEFAULT;        ///< from which on stores pass the caches
};

/// With what TAIHU_LOOKED_UP_BYTES and TAIHU_STORED_BYTES say, the defaults where they are not set. Throws
/// Error when one is no size.
HostLimits host_limits(const char* (*environment)(const char* name));

/// Of the environment of this process when it was first asked.
const HostLimits& process_limits();

/// Whether pairs of addresses (of an iteration, of the next one) lie far from each other, all over at least
/// `bytes`. Of 0 bytes all are.
bool is_scattered(std::span<const char* const> addresses, std::size_t bytes);

/// Ends the turn at `now_ns`, if one has begun, and chooses what the next one does: of `length` iterations
/// while both kinds are timed, then a long one that fetches ahead, after which they are timed again; or all
/// that is left without.
void choose_turn(taihu_look_up_turns& turns, std::uint64_t ahead, std::uint64_t length, std::int64_t now_ns);

}  // namespace taihu::parallelc
