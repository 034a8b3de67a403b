// SPDX-License-Identifier: Apache-2.0
// Stages as compiled loops use them, against the same loops on main memory.
#include "taihu/abi/staging.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "taihu/abi/parallelc.h"
#include "taihu/parallelc/processes_for_tests.h"

namespace taihu::parallelc {
namespace {

struct FreeStage {
  void operator()(taihu_stage* stage) const { std::free(stage); }
};
using StagePointer = std::unique_ptr<taihu_stage, FreeStage>;

StagePointer make_stage(std::uint64_t iterations, std::uint64_t tile, std::size_t streams) {
  auto* stage =
      static_cast<taihu_stage*>(std::calloc(1, sizeof(taihu_stage) + streams * sizeof(taihu_stream)));
  stage->iterations = iterations;
  stage->tile = tile;
  stage->stream_count = streams;
  for (std::size_t k = 0; k < streams; ++k) stage->streams[k].iterations = iterations;
  return StagePointer(stage);
}

/// Longs from `first` on, `step` longs between iterations; iteration i touches `reach` of them and writes
/// the first one.
void set_stream(taihu_stream& stream, long* first, long step, std::uint64_t reach, std::uint64_t flags) {
  stream.memory = reinterpret_cast<char*>(first);
  stream.step = step * static_cast<long>(sizeof(long));
  stream.bytes = reach * sizeof(long);
  stream.written_bytes = (flags & TAIHU_STREAM_WRITTEN) != 0 ? sizeof(long) : 0;
  stream.flags = flags;
}

constexpr std::uint64_t read_only = TAIHU_STREAM_STAGED | TAIHU_STREAM_READ;
constexpr std::uint64_t updated = read_only | TAIHU_STREAM_WRITTEN;
constexpr std::uint64_t write_only = TAIHU_STREAM_STAGED | TAIHU_STREAM_WRITTEN;

/// Runs body(memory of each staged stream for iteration i, i) for all iterations; false: not staged.
template <class Body>
bool run_staged(taihu_stage& stage, const Body& body) {
  if (taihu_stage_begin(&stage) == 0) return false;
  std::vector<long*> places(stage.stream_count);
  for (std::uint64_t done = 0; done < stage.iterations;) {
    const std::uint64_t count = taihu_stage_turn(&stage);
    EXPECT_GT(count, 0U);
    for (std::uint64_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < places.size(); ++k) {
        const taihu_stream& stream = stage.streams[k];
        if ((stream.flags & TAIHU_STREAM_STAGED) == 0) continue;
        const bool is_kept = (stream.flags & TAIHU_STREAM_KEPT) != 0;
        const auto at = static_cast<std::int64_t>(is_kept ? done + i : i);
        places[k] = reinterpret_cast<long*>(stream.near_memory + stream.step * at);
      }
      body(places, done + i);
    }
    done += count;
  }
  taihu_stage_end(&stage);
  return true;
}

/// Runs body() in one accelerator thread.
template <class Body>
void in_kernel(const Body& body) {
  ProcessesForTests job(1, 1, 1);
  job.run([&](int) {
    const auto call = [](void* argument) { (*static_cast<const Body*>(argument))(); };
    EXPECT_EQ(m_run(call, const_cast<Body*>(&body)), M_SUCCESS);
  });
}

std::vector<long> random_longs(std::size_t count, std::mt19937& random) {
  std::vector<long> values(count);
  for (long& value : values) value = static_cast<long>(random() % 1000);
  return values;
}

TEST(Staging, LoopsOfAnyLengthStepAndReachGiveWhatMainMemoryGives) {
  in_kernel([] {
    std::mt19937 random(7);
    int staged = 0;
    for (int round = 0; round < 400; ++round) {
      const std::uint64_t iterations = round % 5 == 0 ? 1 + random() % 9 : 1 + random() % 3000;
      const long step = static_cast<long>(random() % 5) - 2;
      const long stride = step == 0 ? 1 : step;  // of what is written: no two iterations the same
      const std::uint64_t reach = 1 + random() % 7;
      const std::size_t length = iterations * 2 + 16;
      const std::vector<long> in = random_longs(length, random);
      std::vector<long> out = random_longs(length, random), sums = random_longs(length, random);
      std::vector<long> plain_out = out, plain_sums = sums;
      const auto begin = [&](std::vector<long>& values, long by) {
        return values.data() + (by > 0 ? 4 : static_cast<long>(length) - 12);
      };
      const auto body = [&](long* to, long* sum, const long* from, std::uint64_t i) {
        long value = static_cast<long>(i);
        for (std::uint64_t k = 0; k < reach; ++k) value = 3 * value + from[k];
        *to = value;
        *sum += value;
      };
      std::vector<long> source = in;
      for (std::uint64_t i = 0; i < iterations; ++i) {
        const auto at = static_cast<long>(i);
        body(begin(plain_out, stride) + stride * at, begin(plain_sums, stride) + stride * at,
             begin(source, step) + step * at, i);
      }
      const StagePointer stage = make_stage(iterations, 1 + random() % 500, 3);
      // The gaps between what is written are others' memory: such streams must be read, too.
      set_stream(stage->streams[0], begin(out, stride), stride, 1, stride * stride == 1 ? write_only : 0);
      set_stream(stage->streams[1], begin(sums, stride), stride, 1, stride * stride == 1 ? updated : 0);
      set_stream(stage->streams[2], begin(source, step), step, reach, read_only);
      if (random() % 4 == 0 && iterations < 1500) stage->streams[2].flags |= TAIHU_STREAM_KEPT;
      for (taihu_stream& stream : std::span(stage->streams, 2))
        if (stream.flags == 0) stream.flags = TAIHU_STREAM_READ | TAIHU_STREAM_WRITTEN;
      const bool is_staged = run_staged(*stage, [&](const std::vector<long*>& places, std::uint64_t i) {
        const auto at = static_cast<long>(i);
        const bool is_near = (stage->streams[0].flags & TAIHU_STREAM_STAGED) != 0;
        body(is_near ? places[0] : begin(out, stride) + stride * at,
             is_near ? places[1] : begin(sums, stride) + stride * at, places[2], i);
      });
      if (!is_staged) continue;
      ++staged;
      ASSERT_EQ(out, plain_out) << "round " << round;
      ASSERT_EQ(sums, plain_sums) << "round " << round;
    }
    EXPECT_GT(staged, 350);
  });
}

// a[i] = a[i - 1] + a[i]: each tile begins with what the one before has written.
TEST(Staging, WhatATileWritesTheNextOneReads) {
  in_kernel([] {
    for (const std::uint64_t iterations : {1, 8, 9, 100, 1001}) {
      std::vector<long> values(iterations + 1), plain(iterations + 1);
      for (std::size_t k = 0; k <= iterations; ++k) values[k] = plain[k] = static_cast<long>(k);
      for (std::size_t k = 1; k <= iterations; ++k) plain[k] += plain[k - 1];
      const StagePointer stage = make_stage(iterations, 16, 1);
      set_stream(stage->streams[0], values.data(), 1, 2, updated);
      stage->streams[0].written_offset = sizeof(long);
      ASSERT_TRUE(run_staged(
          *stage, [](const std::vector<long*>& places, std::uint64_t) { places[0][1] += places[0][0]; }));
      EXPECT_EQ(values, plain);
    }
  });
}

TEST(Staging, WhatCannotBeStagedWorksOnMainMemory) {
  std::vector<long> values(200);
  const auto stage_of_two = [&](long* written, std::uint64_t iterations) {
    StagePointer stage = make_stage(iterations, 16, 2);
    set_stream(stage->streams[0], values.data(), 1, 1, read_only);
    set_stream(stage->streams[1], written, 1, 1, write_only);
    return stage;
  };
  EXPECT_EQ(taihu_stage_begin(stage_of_two(values.data() + 100, 50).get()), 0) << "outside of kernels";
  in_kernel([&] {
    const auto is_taken = [](const StagePointer& stage) {
      const bool is_staged = taihu_stage_begin(stage.get()) != 0;
      if (is_staged) {
        while (stage->turn * stage->tile < stage->iterations) taihu_stage_turn(stage.get());
        taihu_stage_end(stage.get());
      }
      return is_staged;
    };
    EXPECT_TRUE(is_taken(stage_of_two(values.data() + 100, 50)));
    EXPECT_TRUE(is_taken(stage_of_two(values.data() + 50, 50))) << "neighbours";
    EXPECT_FALSE(is_taken(stage_of_two(values.data() + 49, 50))) << "they overlap";
    EXPECT_FALSE(is_taken(stage_of_two(values.data() + 100, 0))) << "no iterations";
    StagePointer stage = stage_of_two(values.data() + 100, 50);
    stage->least = 51;
    EXPECT_FALSE(is_taken(stage)) << "too few";
    stage = stage_of_two(values.data() + 100, 50);
    stage->streams[0].object = reinterpret_cast<const char*>(values.data());
    stage->streams[0].object_bytes = 50 * sizeof(long);
    EXPECT_TRUE(is_taken(stage));
    stage->turn = 0;
    stage->streams[0].object_bytes -= 1;
    EXPECT_FALSE(is_taken(stage)) << "it leaves its object";
    stage = stage_of_two(values.data() + 100, 50);
    stage->streams[0].step = INT64_MAX / 2;
    EXPECT_FALSE(is_taken(stage)) << "addresses beyond all memory";
    // The smallest tiles do not fit.
    stage = stage_of_two(values.data() + 100, 50);
    stage->streams[0].bytes = 1 << 20;
    EXPECT_FALSE(is_taken(stage)) << "no room";
    EXPECT_TRUE(is_taken(stage_of_two(values.data() + 100, 50))) << "all room was given back";
  });
}

/// Whether taihu_stage_begin takes a table that `pointer` leads to, beside a stream that is written.
bool takes_table(std::vector<long>& written, const long* pointer, std::uint64_t outweighed_bytes) {
  const StagePointer stage = make_stage(written.size(), 16, 2);
  set_stream(stage->streams[0], written.data(), 1, 1, write_only);
  taihu_stream& table = stage->streams[1];
  table.memory = reinterpret_cast<char*>(const_cast<long*>(pointer));
  table.iterations = 1;
  table.object_bytes = outweighed_bytes;
  table.flags = read_only | TAIHU_STREAM_KEPT | TAIHU_STREAM_TABLE;
  EXPECT_EQ(taihu_stage_begin(stage.get()), 1) << "the other stream is staged in any case";
  const bool is_taken = table.bytes != 0;
  if (is_taken) {
    const auto inside = reinterpret_cast<const char*>(pointer) - table.memory;
    EXPECT_LT(static_cast<std::uint64_t>(inside), table.bytes);
    EXPECT_NE(table.near_memory, table.memory);
    EXPECT_EQ(std::memcmp(table.near_memory, table.memory, table.bytes), 0);
  }
  while (stage->turn * stage->tile < stage->iterations) taihu_stage_turn(stage.get());
  taihu_stage_end(stage.get());
  return is_taken;
}

TEST(Staging, TablesAreTakenWhereTheRunKnowsThemAndTheyAreSmallAndApart) {
  std::mt19937 random(11);
  std::vector<long> values = random_longs(100, random), large(1 << 20), unknown(100), written(50);
  const auto object = [](std::vector<long>& one) {
    return taihu_object{reinterpret_cast<const char*>(one.data()), one.size() * sizeof(long)};
  };
  const taihu_object known[] = {object(values), object(large), object(written)};
  taihu_add_objects(known, 3);
  in_kernel([&] {
    EXPECT_TRUE(takes_table(written, values.data(), 1000));
    EXPECT_TRUE(takes_table(written, values.data() + 99, 1000)) << "its end";
    EXPECT_FALSE(takes_table(written, values.data() + 100, 1000)) << "beyond its end";
    EXPECT_FALSE(takes_table(written, values.data(), 16))
        << "50 iterations outweigh 800 bytes, as many as there are";
    EXPECT_TRUE(takes_table(written, values.data(), 17));
    EXPECT_FALSE(takes_table(written, unknown.data(), 1000));
    EXPECT_FALSE(takes_table(written, large.data(), 1 << 20)) << "no room";
    EXPECT_FALSE(takes_table(written, written.data() + 49, 1000)) << "what is written lies in it";
  });
  taihu_remove_objects(known, 3);
}

TEST(Staging, AllTablesTogetherHaveHalfOfTheRoom) {
  std::vector<char> objects[3];
  taihu_object known[3];
  in_kernel([&] {
    const auto room = static_cast<std::size_t>(spm_available());
    for (int k = 0; k < 3; ++k) {
      objects[k].resize(room / 5);
      known[k] = {objects[k].data(), objects[k].size()};
    }
    taihu_add_objects(known, 3);
    const StagePointer stage = make_stage(50, 50, 3);
    for (int k = 0; k < 3; ++k) {
      taihu_stream& table = stage->streams[k];
      set_stream(table, nullptr, 0, 0, read_only | TAIHU_STREAM_KEPT | TAIHU_STREAM_TABLE);
      table.memory = objects[k].data();
      table.iterations = 1;
      table.object_bytes = room;
    }
    EXPECT_EQ(taihu_stage_begin(stage.get()), 1);
    EXPECT_EQ(stage->streams[0].bytes, room / 5);
    EXPECT_EQ(stage->streams[1].bytes, room / 5);
    EXPECT_EQ(stage->streams[2].bytes, 0U) << "no room";
    while (stage->turn * stage->tile < stage->iterations) taihu_stage_turn(stage.get());
    taihu_stage_end(stage.get());
    taihu_remove_objects(known, 3);
  });
}

TEST(Staging, ATableAloneThatIsNotTakenLeavesTheLoopAsItWas) {
  std::vector<long> unknown(100);
  in_kernel([&] {
    const StagePointer stage = make_stage(50, 50, 1);
    set_stream(stage->streams[0], unknown.data(), 0, 0, read_only | TAIHU_STREAM_KEPT | TAIHU_STREAM_TABLE);
    stage->streams[0].iterations = 1;
    stage->streams[0].object_bytes = 1000;
    EXPECT_EQ(taihu_stage_begin(stage.get()), 0);
  });
}

TEST(Staging, PlacedObjectsAreCopiesWhereThereIsRoom) {
  std::vector<char> table(1 << 20, 'x');
  EXPECT_EQ(taihu_place_begin(table.data(), 100, nullptr), table.data());
  in_kernel([&] {
    void* const copy = taihu_place_begin(table.data(), 1000, nullptr);
    ASSERT_NE(copy, table.data());
    EXPECT_EQ(std::memcmp(copy, table.data(), 1000), 0);
    taihu_place_end(table.data(), copy);
    EXPECT_EQ(taihu_place_begin(table.data(), table.size(), nullptr), table.data());
    taihu_place_end(table.data(), table.data());
  });
}

}  // namespace
}  // namespace taihu::parallelc
