// SPDX-License-Identifier: Apache-2.0
// Nests of loops as parcc --auto-dma compiles them, and the copies that earlier nests have left.
#include "taihu/abi/box_staging.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <vector>

#include "taihu/abi/parallelc.h"
#include "taihu/parallelc/kernels.h"
#include "taihu/parallelc/processes_for_tests.h"

namespace taihu::parallelc {
namespace {

constexpr std::uint64_t rows = 8;

/// A nest over rows: each iteration of its only tiled loop works on a row of each grid.
class Nest {
 public:
  explicit Nest(std::size_t grids)
      : stage_(static_cast<taihu_box_stage*>(
            std::calloc(1, sizeof(taihu_box_stage) + grids * sizeof(taihu_box)))) {
    stage_->iterations[0] = rows;
    stage_->iterations[1] = 1;
    stage_->is_allowed = 1;
    stage_->start = 100;
    stage_->per_byte = 0.1;
    stage_->per_block = 10;
    stage_->box_count = grids;
  }
  Nest(const Nest&) = delete;
  Nest& operator=(const Nest&) = delete;
  ~Nest() { std::free(stage_); }

  /// `version`: the grid is only read, and its copy may stay; null: it is read and written.
  void set_grid(int number, std::vector<long>& grid, std::uint64_t* version) {
    taihu_box& box = stage_->boxes[number];
    const std::uint64_t bytes = grid.size() * sizeof(long), row = bytes / rows;
    box.memory = box.low = box.certain_low = reinterpret_cast<char*>(grid.data());
    box.high = box.certain_high = box.low + bytes;
    box.pitch[1] = box.step[0] = static_cast<std::int64_t>(row);
    box.way[0] = TAIHU_BOX_ROWS;
    box.way[1] = TAIHU_BOX_WAYS;
    box.count[0] = box.count[1] = box.written_count[0] = box.written_count[1] = 1;
    box.count[2] = box.written_count[2] = row;
    box.gain = 1e9;
    box.flags = TAIHU_BOX_STAGED | TAIHU_BOX_READ;
    if (version == nullptr) box.flags |= TAIHU_BOX_WRITTEN;
    box.version = version;
  }

  /// body(first number of the row of each grid) for all rows; false: the nest has to work as it was.
  template <class Body>
  bool run(const Body& body) {
    if (taihu_box_begin(stage_) == 0) return false;
    std::vector<long*> places(stage_->box_count);
    do {
      taihu_box_turn(stage_);
      for (std::uint64_t i = 0; i < stage_->count[0]; ++i) {
        for (std::size_t k = 0; k < places.size(); ++k) {
          const taihu_box& box = stage_->boxes[k];
          const bool is_near = (box.flags & TAIHU_BOX_STAGED) != 0;
          const std::int64_t pitch = is_near ? box.near_pitch[1] : box.step[0];
          places[k] = reinterpret_cast<long*>(box.near_memory + pitch * static_cast<std::int64_t>(i));
        }
        body(places);
      }
    } while (stage_->has_more != 0);
    taihu_box_end(stage_);
    return true;
  }
  bool has_copy(int number) const { return stage_->boxes[number].copy != nullptr; }

 private:
  taihu_box_stage* const stage_;
};

template <class Body>
void on_accelerator_thread(const Body& body) {
  ProcessesForTests job(1, 1, 1);
  job.run([&](int) {
    const auto call = [](void* argument) { (*static_cast<const Body*>(argument))(); };
    EXPECT_EQ(m_run(call, const_cast<Body*>(&body)), M_SUCCESS);
  });
}

/// A grid of this part of the scratchpad.
std::vector<long> grid_of(double part) {
  const auto capacity = static_cast<double>(current_accelerator_thread()->scratchpad->capacity_bytes());
  std::vector<long> grid(static_cast<std::size_t>(part * capacity / (sizeof(long) * rows)) * rows);
  std::iota(grid.begin(), grid.end(), 1);
  return grid;
}

/// One nest leaves a copy of `kept`, which the next one could use, beside a grid of which two rows take
/// `row_part` of the scratchpad. Whether the second nest used it.
bool uses_copy_beside(double kept_part, double row_part) {
  bool has_used = false;
  on_accelerator_thread([&] {
    std::vector<long> kept = grid_of(kept_part), updated = grid_of(row_part / 2 * rows);
    std::uint64_t version = 0;
    const std::size_t kept_row = kept.size() / rows, row = updated.size() / rows;
    Nest first(1);
    first.set_grid(0, kept, &version);
    long sum = 0;
    ASSERT_TRUE(first.run([&](const std::vector<long*>& places) {
      EXPECT_TRUE(first.has_copy(0)) << "which stays";
      sum = std::accumulate(places[0], places[0] + kept_row, sum);
    }));
    EXPECT_EQ(sum, std::accumulate(kept.begin(), kept.end(), 0L));

    std::vector<long> expected = updated;
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += kept[i / row * kept_row];
    Nest second(2);
    second.set_grid(0, kept, &version);
    second.set_grid(1, updated, nullptr);
    ASSERT_TRUE(second.run([&](const std::vector<long*>& places) {
      has_used = second.has_copy(0);
      for (std::size_t k = 0; k < row; ++k) places[1][k] += places[0][0];
    }));
    EXPECT_EQ(updated, expected);
    EXPECT_NE(current_accelerator_thread()->scratchpad->available_bytes(), 0U);
  });
  return has_used;
}

TEST(BoxStaging, ACopyIsUsedWhereBuffersHaveRoomBesideIt) {
  EXPECT_TRUE(uses_copy_beside(0.5, 0.4));
}

TEST(BoxStaging, ACopyMakesWayForBuffersThatHaveNoRoomBesideIt) {
  EXPECT_FALSE(uses_copy_beside(0.6, 0.6));
}

}  // namespace
}  // namespace taihu::parallelc
