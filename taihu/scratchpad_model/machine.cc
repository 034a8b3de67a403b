// SPDX-License-Identifier: Apache-2.0
#include "taihu/scratchpad_model/machine.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "taihu/abi/scratchpad_record.h"
#include "taihu/base/error.h"

namespace taihu::scratchpad_model {
namespace {

using nlohmann::json;

/// A key of the file and where its value goes.
struct Field {
  const char* key;
  double Machine::* value;
  bool may_be_zero;
};

constexpr Field fields[] = {{"clock_ghz", &Machine::clock_ghz, false},
                            {"scratchpad_cycles", &Machine::scratchpad_cycles, false},
                            {"load_cycles", &Machine::load_cycles, false},
                            {"store_cycles", &Machine::store_cycles, false},
                            {"discrete_gb_s", &Machine::discrete_gb_s, false},
                            {"transfer_start_ns", &Machine::transfer_start_ns, false},
                            {"transfer_gb_s", &Machine::transfer_gb_s, false},
                            {"transfer_block_bytes", &Machine::transfer_block_bytes, true},
                            {"operation_cycles", &Machine::operation_cycles, false},
                            {"division_cycles", &Machine::division_cycles, false},
                            {"square_root_cycles", &Machine::square_root_cycles, false},
                            {"kernel_start_cycles", &Machine::kernel_start_cycles, true},
                            {"barrier_cycles", &Machine::barrier_cycles, true}};

struct CountField {
  const char* key;
  int Machine::* value;
  int most;
};

constexpr CountField count_fields[] = {
    {"cores", &Machine::cores, 1 << 16},
    {"scratchpad_bytes_per_cycle", &Machine::scratchpad_bytes_per_cycle, 1 << 10}};

/// Above it sums of ticks could overflow; no machine comes near.
constexpr double most = 1e9;

const json& find(const json& object, const char* key, const std::string& file) {
  const auto found = object.find(key);
  check_input(found != object.end(), file + ": \"" + key + "\" is missing");
  return *found;
}

bool is_known(const std::string& key) {
  const auto has_key = [&](const auto& field) { return key == field.key; };
  return key == "name" || key.starts_with("source") || std::ranges::any_of(fields, has_key) ||
         std::ranges::any_of(count_fields, has_key);
}

Ticks to_ticks(double cycles) {
  return static_cast<Ticks>(std::llround(cycles * static_cast<double>(ticks_per_cycle)));
}

}  // namespace

Machine parse_machine(std::string_view text, const std::string& file) {
  const json object = json::parse(text, nullptr, false);
  check_input(object.is_object(), file + " is not a JSON object that describes a scratchpad machine");
  for (const auto& [key, value] : object.items())
    check_input(is_known(key), file + ": \"" + key + "\" is unknown");
  Machine machine;
  machine.name =
      object.contains("name") && object["name"].is_string() ? object["name"].get<std::string>() : file;
  for (const Field& field : fields) {
    const json& value = find(object, field.key, file);
    const double number = value.is_number() ? value.get<double>() : -1;
    const bool is_right = number <= most && (field.may_be_zero ? number >= 0 : number > 0);
    check_input(is_right, file + ": \"" + field.key + "\" is wrong; it is a number " +
                              (field.may_be_zero ? "from 0" : "above 0") + " to 1e9");
    machine.*field.value = number;
  }
  for (const CountField& field : count_fields) {
    const json& value = find(object, field.key, file);
    check_input(
        value.is_number_integer() && value >= 1 && value <= field.most,
        file + ": \"" + field.key + "\" is wrong; it is a number from 1 to " + std::to_string(field.most));
    machine.*field.value = value;
  }
  return machine;
}

Costs::Costs(const Machine& machine, int threads) {
  const double sharers = std::max(machine.cores, threads);
  const double cycles_per_ns = machine.clock_ghz;
  // Eight bytes of each of the sharers at the bandwidth of all.
  const double bandwidth_cycles = 8 * sharers / machine.discrete_gb_s * cycles_per_ns;
  for (int size = 0; size < TAIHU_ACCESS_SIZES; ++size) {
    const int bytes = 8 << size;
    const int memory_accesses = bytes / 8;
    const int near_accesses =
        (bytes + machine.scratchpad_bytes_per_cycle - 1) / machine.scratchpad_bytes_per_cycle;
    const double load = memory_accesses * std::max(machine.load_cycles, bandwidth_cycles);
    const double store = memory_accesses * std::max(machine.store_cycles, bandwidth_cycles);
    const double near = near_accesses * machine.scratchpad_cycles;
    for (int place = 0; place < TAIHU_PLACES; ++place) {
      const bool far = place == TAIHU_PLACE_MEMORY;
      access_[TAIHU_ACCESS_LOAD][size][place] = to_ticks(far ? load : near);
      access_[TAIHU_ACCESS_STORE][size][place] = to_ticks(far ? store : near);
      access_[TAIHU_ACCESS_ATOMIC][size][place] = to_ticks(far ? load + store : 2 * near);
    }
  }
  operation_[TAIHU_OPERATION_SIMPLE] = to_ticks(machine.operation_cycles);
  operation_[TAIHU_OPERATION_DIVISION] = to_ticks(machine.division_cycles);
  operation_[TAIHU_OPERATION_SQUARE_ROOT] = to_ticks(machine.square_root_cycles);
  transfer_start_ = to_ticks(machine.transfer_start_ns * cycles_per_ns);
  broadcast_ticks_per_byte_ = cycles_per_ns / machine.transfer_gb_s * static_cast<double>(ticks_per_cycle);
  ticks_per_byte_ = sharers * broadcast_ticks_per_byte_;
  block_bytes_ = machine.transfer_block_bytes;
  kernel_start_ = to_ticks(machine.kernel_start_cycles);
  barrier_ = to_ticks(machine.barrier_cycles);
}

Ticks Costs::broadcast(std::uint64_t bytes) const {
  return static_cast<Ticks>(std::llround(static_cast<double>(bytes) * broadcast_ticks_per_byte_));
}

Ticks Costs::transfer(std::uint64_t bytes, std::uint64_t blocks) const {
  const double more = blocks > 1 ? static_cast<double>(blocks - 1) * block_bytes_ : 0;
  return static_cast<Ticks>(std::llround((static_cast<double>(bytes) + more) * ticks_per_byte_));
}

}  // namespace taihu::scratchpad_model
