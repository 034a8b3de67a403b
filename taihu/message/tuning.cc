// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/tuning.h"

#include <algorithm>
#include <limits>
#include <string>

#include "taihu/base/error.h"
#include "taihu/base/units.h"
#include "taihu/message/rings/cell_ring.h"

namespace taihu::message {

namespace {

/// All ranks may write to all: rings are made small when there are many.
Tuning default_tuning(int local_ranks, Cores cores) {
  Tuning tuning;
  tuning.cores = cores;
  if (cores == Cores::crowded) {
    // A helper that has lost its core would hold up the receiver.
    tuning.shared_copy_bytes = tuning.shared_copy_far_bytes = std::numeric_limits<std::size_t>::max();
    // An announcement costs two changes of threads more than a message. Of eight ranks on two cores a
    // non-blocking allreduce of 512 bytes to 2 KiB takes 62 us with announcements, 40 to 46 without. A
    // blocking send learns whether its receiver is there (pushed_bytes).
    tuning.eager_bytes = tuning.pushed_stream_bytes = 2048;
  }
  if (local_ranks > 64) {
    tuning.ring_lines = 64;
    tuning.eager_bytes = 1024;
  }
  if (local_ranks > 128) {
    tuning.ring_lines = 32;
    tuning.eager_bytes = 512;
  }
  return tuning;
}

std::size_t size_from(Environment environment, const char* name, std::size_t otherwise) {
  const char* text = environment(name);
  if (text == nullptr || *text == '\0') return otherwise;
  return static_cast<std::size_t>(parse_bytes(text, name));
}

}  // namespace

Tuning tuning_for(int local_ranks, Cores cores, Environment environment) {
  Tuning tuning = default_tuning(local_ranks, cores);
  tuning.eager_bytes = size_from(environment, "TAIHU_EAGER_BYTES", tuning.eager_bytes);
  tuning.pushed_bytes = size_from(environment, "TAIHU_PUSHED_BYTES", tuning.pushed_bytes);
  tuning.pushed_stream_bytes =
      size_from(environment, "TAIHU_PUSHED_STREAM_BYTES", tuning.pushed_stream_bytes);
  tuning.buffered_bytes = size_from(environment, "TAIHU_BUFFERED_BYTES", tuning.buffered_bytes);
  tuning.shared_copy_bytes = size_from(environment, "TAIHU_SHARED_COPY_BYTES", tuning.shared_copy_bytes);
  tuning.shared_copy_far_bytes =
      size_from(environment, "TAIHU_SHARED_COPY_BYTES", tuning.shared_copy_far_bytes);
  check_input(tuning.eager_bytes <= largest_eager_bytes(),
              "TAIHU_EAGER_BYTES=" + std::to_string(tuning.eager_bytes) + " is too large; at most " +
                  std::to_string(largest_eager_bytes()));
  // A table of taihu-tune is for jobs of any size.
  tuning.eager_bytes = std::min(tuning.eager_bytes, CellRing::longest_payload(tuning.ring_lines));
  return tuning;
}

std::size_t largest_eager_bytes() noexcept {
  return CellRing::longest_payload(Tuning{}.ring_lines);
}

}  // namespace taihu::message
