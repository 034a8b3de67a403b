// SPDX-License-Identifier: Apache-2.0
#include "taihu/scratchpad_model/machine.h"

#include <gtest/gtest.h>

#include <cmath>

#include "taihu/abi/scratchpad_record.h"
#include "taihu/base/error.h"

namespace taihu::scratchpad_model {
namespace {

constexpr const char* round_numbers =
    R"({"name": "round numbers", "clock_ghz": 1, "cores": 4, "scratchpad_cycles": 2, "scratchpad_bytes_per_cycle": 16,
        "load_cycles": 100, "store_cycles": 50, "discrete_gb_s": 0.5, "transfer_start_ns": 1000, "transfer_gb_s": 8, "transfer_block_bytes": 24,
        "operation_cycles": 1, "division_cycles": 20, "square_root_cycles": 30, "kernel_start_cycles": 0,
        "barrier_cycles": 7, "source_of_all": "made up"})";

Machine machine() {
  return parse_machine(round_numbers, "test");
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = round_numbers;
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

std::string problem_of(const std::string& text) {
  try {
    parse_machine(text, "file");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(ScratchpadMachine, AccessesOfMainMemoryWaitForLatencyOrBandwidth) {
  const Costs four(machine(), 1);
  // Bandwidth: 8 bytes x 4 cores / 0.5 GB/s = 64 ns.
  EXPECT_EQ(four.access(TAIHU_ACCESS_LOAD, 0, TAIHU_PLACE_MEMORY), 100 * ticks_per_cycle);
  EXPECT_EQ(four.access(TAIHU_ACCESS_STORE, 0, TAIHU_PLACE_MEMORY), 64 * ticks_per_cycle);
  EXPECT_EQ(four.access(TAIHU_ACCESS_ATOMIC, 0, TAIHU_PLACE_MEMORY), 164 * ticks_per_cycle);
  EXPECT_EQ(four.access(TAIHU_ACCESS_LOAD, 3, TAIHU_PLACE_MEMORY), 800 * ticks_per_cycle);
  const Costs eight(machine(), 8);
  EXPECT_EQ(eight.access(TAIHU_ACCESS_LOAD, 0, TAIHU_PLACE_MEMORY), 128 * ticks_per_cycle);
}

TEST(ScratchpadMachine, NearAccessesAreAsWideAsVectors) {
  const Costs costs(machine(), 1);
  for (const int place : {TAIHU_PLACE_SCRATCHPAD, TAIHU_PLACE_STACK}) {
    EXPECT_EQ(costs.access(TAIHU_ACCESS_LOAD, 0, place), 2 * ticks_per_cycle);
    EXPECT_EQ(costs.access(TAIHU_ACCESS_LOAD, 1, place), 2 * ticks_per_cycle);
    EXPECT_EQ(costs.access(TAIHU_ACCESS_STORE, 3, place), 8 * ticks_per_cycle);
    EXPECT_EQ(costs.access(TAIHU_ACCESS_ATOMIC, 0, place), 4 * ticks_per_cycle);
  }
}

TEST(ScratchpadMachine, TransfersShareTheBandwidth) {
  EXPECT_EQ(Costs(machine(), 1).transfer(1000), 500 * ticks_per_cycle);
  EXPECT_EQ(Costs(machine(), 4).transfer(1000), 500 * ticks_per_cycle);
  EXPECT_EQ(Costs(machine(), 8).transfer(1000), 1000 * ticks_per_cycle);
  EXPECT_EQ(Costs(machine(), 1).transfer(0), 0U);
  EXPECT_EQ(Costs(machine(), 1).transfer(1000, 1), 500 * ticks_per_cycle);
  EXPECT_EQ(Costs(machine(), 1).transfer(1000, 11), 620 * ticks_per_cycle);
  EXPECT_EQ(Costs(machine(), 1).transfer_start(), 1000 * ticks_per_cycle);
}

TEST(ScratchpadMachine, WrongFilesAreRefused) {
  EXPECT_EQ(problem_of(round_numbers), "none");
  EXPECT_EQ(problem_of("{"), "file is not a JSON object that describes a scratchpad machine");
  EXPECT_EQ(problem_of("[]"), "file is not a JSON object that describes a scratchpad machine");
  EXPECT_EQ(problem_of("{}"), "file: \"clock_ghz\" is missing");
  EXPECT_EQ(problem_of(with("\"clock_ghz\": 1", "\"clock_ghz\": 0")),
            "file: \"clock_ghz\" is wrong; it is a number above 0 to 1e9");
  EXPECT_EQ(problem_of(with("\"barrier_cycles\": 7", "\"barrier_cycles\": -1")),
            "file: \"barrier_cycles\" is wrong; it is a number from 0 to 1e9");
  EXPECT_EQ(problem_of(with("\"load_cycles\": 100", "\"load_cycles\": \"many\"")),
            "file: \"load_cycles\" is wrong; it is a number above 0 to 1e9");
  EXPECT_EQ(problem_of(with("\"cores\": 4", "\"cores\": 1.5")),
            "file: \"cores\" is wrong; it is a number from 1 to 65536");
  EXPECT_EQ(problem_of(with("\"name\"", "\"nmae\"")), "file: \"nmae\" is unknown");
}

// STREAM copy by DMA on 64 elements: each fetches a block and puts it back, one after the other. Best rates
// in MB/s of the files that Lin et al. published with swCandle (Parallel Computing 77, 2018), PE_CONT, by
// doubles per block.
TEST(ScratchpadMachine, DefaultAgreesWithPublishedCopies) {
  struct Measured {
    int doubles;
    double rate;
  };
  constexpr Measured published[] = {{16, 2950.0},    {32, 5985.0},    {64, 8783.9},
                                    {128, 12536.2},  {256, 15321.0},  {512, 18392.6},
                                    {1024, 19066.4}, {2048, 20034.1}, {3072, 20422.8}};
  const Machine sw26010 = parse_machine(default_machine_text(), "default");
  const Costs costs(sw26010, 64);
  double squares = 0;
  for (const Measured& one : published) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(one.doubles) * 8;
    const double cycles =
        static_cast<double>(costs.transfer_start() + costs.transfer(bytes)) / ticks_per_cycle;
    const double rate = 64 * static_cast<double>(bytes) / (cycles / sw26010.clock_ghz) * 1e3;
    const double deviation = rate / one.rate - 1;
    EXPECT_LT(std::abs(deviation), 0.09) << one.doubles;
    squares += deviation * deviation;
  }
  EXPECT_LT(std::sqrt(squares / std::size(published)), 0.045);
}

// The same with 3072 doubles in strided blocks, PE_STEP: the median of the rates with gaps of 1 to 1024
// doubles, by doubles per block.
TEST(ScratchpadMachine, DefaultAgreesWithPublishedStridedCopies) {
  struct Measured {
    int doubles;
    double rate, most_deviation;
  };
  constexpr Measured published[] = {{1, 444.1, 0.10},     {2, 1194.3, 0.35},    {4, 1887.3, 0.20},
                                    {8, 3151.6, 0.10},    {16, 4948.2, 0.05},   {32, 8417.7, 0.05},
                                    {64, 11790.7, 0.05},  {128, 15101.1, 0.05}, {256, 17468.8, 0.05},
                                    {512, 18540.0, 0.05}, {1024, 19502.6, 0.05}};
  const Machine sw26010 = parse_machine(default_machine_text(), "default");
  const Costs costs(sw26010, 64);
  for (const Measured& one : published) {
    const auto blocks = static_cast<std::uint64_t>(3072 / one.doubles);
    const double cycles =
        static_cast<double>(costs.transfer_start() + costs.transfer(24576, blocks)) / ticks_per_cycle;
    const double rate = 64 * 24576 / (cycles / sw26010.clock_ghz) * 1e3;
    EXPECT_LT(std::abs(rate / one.rate - 1), one.most_deviation) << one.doubles << " doubles: " << rate;
  }
}

}  // namespace
}  // namespace taihu::scratchpad_model
