// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/checkpoint.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "taihu/base/checksum.h"
#include "taihu/base/error.h"
#include "taihu/base/input_file.h"
#include "taihu/parallelc/shared_variables.h"

namespace taihu::parallelc {
namespace {

// Heaps of m_malloc: above those of programs linked to a fixed address, below position-independent ones.
constexpr std::uintptr_t first_heap = 0x0800'0000'0000, end_of_heaps = 0x5400'0000'0000;

/// Numbers of a rank section before the blocks of its heap, two numbers each.
enum Number : std::size_t { image_base, heap_base, heap_capacity, heap_used_end, heap_history, numbers };

std::span<const std::byte> bytes_of(const void* data, std::size_t bytes) {
  return {static_cast<const std::byte*>(data), bytes};
}

std::uint64_t checksum_of_file(const std::string& path) {
  const std::string content = read_file(path);
  return checksum(content.data(), content.size());
}

}  // namespace

bool calls_checkpoint(const memory::ImageTemplate& program) {
  return std::ranges::any_of(program.objects(), [](const auto& object) {
    return std::ranges::any_of(object->symbols(), [](const memory::ElfSymbol& symbol) {
      return !symbol.defined && symbol.name == "m_checkpoint";
    });
  });
}

Checkpoints::Checkpoints(const std::string& program, const launch::Layout& layout, int process,
                         const std::string& restart)
    : layout_(layout), process_(process) {
  shape_ = {checksum_of_file(program), layout.first_rank, layout.sizes.snode, layout.sizes.bnode,
            layout.sizes.node};
  const auto here = static_cast<std::size_t>(process);
  ranks_.resize(static_cast<std::size_t>(layout.first_rank[here + 1] - layout.first_rank[here]));
  if (restart.empty()) return;
  const CheckpointManifest manifest = read_manifest(restart);
  check_same_job(restart, manifest.shape, shape_);
  reader_ = std::make_unique<CheckpointReader>(process_file(restart, manifest.generation, process),
                                               manifest.files[here]);
}

std::vector<std::uint64_t> Checkpoints::numbers_of(int rank) const {
  for (const CheckpointReader::Section& section : reader_->sections()) {
    if (section.head.kind != SectionHead::Kind::rank || section.head.rank != rank) continue;
    std::vector<std::uint64_t> values(section.bytes.size() / sizeof(std::uint64_t));
    std::memcpy(values.data(), section.bytes.data(), values.size() * sizeof(std::uint64_t));
    if (values.size() >= numbers) return values;
  }
  throw Error("the checkpoint has nothing of rank " + std::to_string(rank) + "; use another checkpoint");
}

std::unique_ptr<memory::SymmetricHeap> Checkpoints::make_heap(int local_index, std::uint64_t bytes) const {
  if (restarted()) {
    const auto saved = numbers_of(layout_.first_rank[static_cast<std::size_t>(process_)] + local_index);
    return std::make_unique<memory::SymmetricHeap>(saved[heap_capacity], saved[heap_base]);
  }
  const std::uint64_t most = std::bit_floor((end_of_heaps - first_heap) / ranks_.size());
  const std::uint64_t capacity = std::min(std::bit_ceil(bytes), most);
  return std::make_unique<memory::SymmetricHeap>(
      capacity, first_heap + static_cast<std::uint64_t>(local_index) * capacity);
}

void Checkpoints::loaded(const Process& process, const memory::ElfObject& program, std::uintptr_t base) {
  std::vector<memory::ImageRange> shared;
  for (const SharedArea& area : areas_of(process.program)) {
    const auto begin = reinterpret_cast<std::uintptr_t>(area.bytes.begin);
    const auto end = reinterpret_cast<std::uintptr_t>(area.bytes.end);
    if (begin != end) shared.push_back({begin - base, end - base});
  }
  state_of(process).variables = memory::SavedData(program, base, shared);
  check_input(!restarted() || numbers_of(process.rank)[image_base] == base,
              "the image of rank " + std::to_string(process.rank) +
                  " cannot have the address that it had (other memory is there); start again");
}

void Checkpoints::restore(Process& process) const {
  const auto saved = numbers_of(process.rank);
  memory::SymmetricHeap::State heap{saved[heap_used_end], saved[heap_history], {}};
  for (std::size_t i = numbers; i + 1 < saved.size(); i += 2) heap.blocks.emplace(saved[i], saved[i + 1]);
  process.heap->restore(heap);
  const auto areas = areas_of(process.program);
  for (const CheckpointReader::Section& section : reader_->sections()) {
    if (section.head.rank != process.rank) continue;
    void* target = reinterpret_cast<void*>(section.head.place);
    switch (section.head.kind) {
      case SectionHead::Kind::shared:
        check_input(section.head.place < areas.size() &&
                        areas[section.head.place].bytes.end - areas[section.head.place].bytes.begin ==
                            std::ssize(section.bytes),
                    "the checkpoint has other shared variables than the program; use another checkpoint");
        target = areas[section.head.place].bytes.begin;
        break;
      case SectionHead::Kind::variables:
      case SectionHead::Kind::heap:
        break;
      default:
        continue;
    }
    std::memcpy(target, section.bytes.data(), section.bytes.size());
  }
}

std::string Checkpoints::add_memory(const Process& process, void* address, std::size_t bytes) {
  RankState& state = state_of(process);
  const std::size_t number = state.registered.size();
  state.registered.push_back({address, bytes});
  if (!restarted()) return "";
  for (const CheckpointReader::Section& section : reader_->sections()) {
    const bool is_it = section.head.kind == SectionHead::Kind::registered &&
                       section.head.rank == process.rank && section.head.place == number;
    if (!is_it) continue;
    if (section.bytes.size() != bytes)
      return "registration " + std::to_string(number + 1) + " had " + std::to_string(section.bytes.size()) +
             " bytes in the checkpoint; register the same memory in the same order";
    if (bytes > 0) std::memcpy(address, section.bytes.data(), bytes);
  }
  return "";
}

ProcessFile Checkpoints::write(std::span<Process> processes, const std::string& name,
                               std::uint64_t generation) const {
  CheckpointWriter writer(process_file(name, generation, process_));
  for (const Process& process : processes) {
    const RankState& state = ranks_[static_cast<std::size_t>(process.local_index)];
    const memory::SymmetricHeap::State heap = process.heap->state();
    std::vector<std::uint64_t> values(numbers);
    values[image_base] = state.variables.base();
    values[heap_base] = reinterpret_cast<std::uintptr_t>(process.heap->base());
    values[heap_capacity] = process.heap->capacity_bytes();
    values[heap_used_end] = heap.used_end;
    values[heap_history] = heap.history;
    for (const auto& [offset, bytes] : heap.blocks) values.insert(values.end(), {offset, bytes});
    writer.add(SectionHead::Kind::rank, process.rank, 0,
               bytes_of(values.data(), values.size() * sizeof(std::uint64_t)));
    for (const memory::ImageRange& range : state.variables.ranges()) {
      const std::uintptr_t begin = state.variables.base() + range.begin;
      writer.add(SectionHead::Kind::variables, process.rank, begin,
                 bytes_of(reinterpret_cast<const void*>(begin), range.bytes()));
    }
    for (const auto& [offset, bytes] : heap.blocks) {
      const std::byte* const block = process.heap->base() + offset;
      writer.add(SectionHead::Kind::heap, process.rank, reinterpret_cast<std::uintptr_t>(block),
                 bytes_of(block, bytes));
    }
    std::uint64_t number = 0;
    for (const SharedArea& area : areas_of(process.program)) {
      if (area.bytes.begin != area.bytes.end && layout_.group_start(area.scope, process.rank) == process.rank)
        writer.add(SectionHead::Kind::shared, process.rank, number,
                   bytes_of(area.bytes.begin, static_cast<std::size_t>(area.bytes.end - area.bytes.begin)));
      ++number;
    }
    for (std::size_t i = 0; i < state.registered.size(); ++i)
      writer.add(SectionHead::Kind::registered, process.rank, i,
                 bytes_of(state.registered[i].address, state.registered[i].bytes));
  }
  return writer.finish();
}

}  // namespace taihu::parallelc
