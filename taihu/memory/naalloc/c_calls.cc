// SPDX-License-Identifier: Apache-2.0
// <naalloc.h>: arguments into shapes, exceptions of the books (no memory for them) into errno.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "taihu/abi/naalloc.h"
#include "taihu/base/page_size.h"
#include "taihu/memory/naalloc/allocator.h"
#include "taihu/memory/naalloc/report.h"

namespace {

using namespace taihu::memory;

template <typename Call, typename Result>
Result guarded(Call call, Result failure) noexcept {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
    return failure;
  }
}

/// Passes an error on by errno, which a call that succeeds leaves alone.
bool refused(int error) {
  if (error != 0) errno = error;
  return error != 0;
}

void* allocate_parts(size_t elem_size, const size_t* part_end, int nparts, Contents contents) noexcept {
  return guarded(
      [&]() -> void* {
        BlockShape shape;
        if (refused(make_shape(elem_size, part_end, nparts, shape))) return nullptr;
        return process_allocator().allocate(std::move(shape), contents);
      },
      static_cast<void*>(nullptr));
}

void* allocate_whole(BlockKind kind, size_t bytes, int node) noexcept {
  return guarded(
      [&]() -> void* {
        BlockShape shape{kind, {}, node};
        if (refused(make_even_shape(bytes, 1, 1, shape))) return nullptr;
        return process_allocator().allocate(std::move(shape), Contents::undefined);
      },
      static_cast<void*>(nullptr));
}

/// Ends of the parts in entries; empty when they are wrong.
template <typename Index>
std::vector<size_t> entry_ends(const Index* row_ptr, const size_t* row_end, int nparts) {
  std::vector<size_t> ends;
  if (row_ptr == nullptr || row_end == nullptr) return ends;
  for (int part = 0; part < nparts; ++part) {
    if (row_ptr[row_end[part]] < 0) return {};
    ends.push_back(static_cast<size_t>(row_ptr[row_end[part]]));
  }
  return ends;
}

template <typename Index>
void* allocate_rows(size_t elem_size, const Index* row_ptr, const size_t* row_end, int nparts) noexcept {
  return guarded(
      [&]() -> void* {
        const std::vector<size_t> ends = entry_ends(row_ptr, row_end, nparts);
        return allocate_parts(elem_size, ends.empty() ? nullptr : ends.data(), nparts, Contents::undefined);
      },
      static_cast<void*>(nullptr));
}

/// Thread t ends at the first row that reaches its share of the entries.
template <typename Index>
int balance(const Index* row_ptr, size_t rows, int nparts, size_t* row_end) noexcept {
  if (row_ptr == nullptr || row_end == nullptr || nparts < 1 || row_ptr[rows] < row_ptr[0]) {
    errno = EINVAL;
    return -1;
  }
  const auto entries = static_cast<size_t>(row_ptr[rows] - row_ptr[0]);
  const size_t parts = static_cast<size_t>(nparts), share = entries / parts, extra = entries % parts;
  for (size_t part = 0; part + 1 < parts; ++part) {
    const size_t wanted = share * (part + 1) + std::min(extra, part + 1);
    row_end[part] = static_cast<size_t>(
        std::lower_bound(row_ptr, row_ptr + rows, row_ptr[0] + static_cast<Index>(wanted)) - row_ptr);
  }
  row_end[parts - 1] = rows;
  return 0;
}

}  // namespace

extern "C" {

int naalloc_init(void) {
  return guarded([] { return process_allocator().look_at_threads(); }, 1);
}

int naalloc_thread(int thread) {
  return guarded([&] { return process_allocator().set_thread(thread); }, -1);
}

int naalloc_threads(void) {
  return guarded([] { return process_allocator().threads(); }, 1);
}

int naalloc_node_of_thread(int thread) {
  return guarded([&] { return process_allocator().home_of_thread(thread); }, -1);
}

void* naalloc(size_t elem_size, const size_t* part_end, int nparts) {
  return allocate_parts(elem_size, part_end, nparts, Contents::undefined);
}

void* naalloc_zeroed(size_t elem_size, const size_t* part_end, int nparts) {
  return allocate_parts(elem_size, part_end, nparts, Contents::zeroed);
}

void* naalloc_block(size_t n, size_t elem_size) {
  return guarded(
      [&]() -> void* {
        BlockShape shape;
        if ((errno = make_even_shape(n, elem_size, process_allocator().threads(), shape)) != 0)
          return nullptr;
        return process_allocator().allocate(std::move(shape), Contents::undefined);
      },
      static_cast<void*>(nullptr));
}

void* naalloc_interleave(size_t bytes) {
  return allocate_whole(BlockKind::interleaved, bytes, 0);
}

void* naalloc_on_node(size_t bytes, int node) {
  return allocate_whole(BlockKind::on_node, bytes, node);
}

void* naalloc_csr32(size_t elem_size, const int32_t* row_ptr, const size_t* row_end, int nparts) {
  return allocate_rows(elem_size, row_ptr, row_end, nparts);
}

void* naalloc_csr64(size_t elem_size, const int64_t* row_ptr, const size_t* row_end, int nparts) {
  return allocate_rows(elem_size, row_ptr, row_end, nparts);
}

int naalloc_csr_balance32(const int32_t* row_ptr, size_t rows, int nparts, size_t* row_end) {
  return balance(row_ptr, rows, nparts, row_end);
}

int naalloc_csr_balance64(const int64_t* row_ptr, size_t rows, int nparts, size_t* row_end) {
  return balance(row_ptr, rows, nparts, row_end);
}

void* narealloc(void* block, size_t elem_size, const size_t* part_end, int nparts) {
  return guarded(
      [&]() -> void* {
        BlockShape shape;
        if (refused(make_shape(elem_size, part_end, nparts, shape))) return nullptr;
        return process_allocator().reallocate(block, std::move(shape));
      },
      static_cast<void*>(nullptr));
}

void nafree(void* block) {
  guarded([&] { return process_allocator().release(block); }, false);
}

void naalloc_trim(size_t keep_bytes) {
  guarded([&] { return process_allocator().trim(keep_bytes), 0; }, 0);
}

long naalloc_rebind(void* existing, size_t bytes, size_t elem_size, const size_t* part_end, int nparts) {
  return guarded(
      [&]() -> long {
        BlockShape shape;
        if (make_shape(elem_size, part_end, nparts, shape) != 0) {
          errno = EINVAL;
          return -1;
        }
        return process_allocator().rebind(existing, bytes, shape);
      },
      -1L);
}

void naalloc_label(void* block, const char* label) {
  guarded([&] { return process_allocator().label(block, label == nullptr ? "" : label); }, false);
}

int naalloc_where(const void* block, struct naalloc_pages* pages) {
  return guarded(
      [&] {
        Locality locality;
        if (!process_allocator().where(block, locality)) return -1;
        *pages = {taihu::page_bytes(), locality.local, locality.remote, locality.unknown, locality.untouched};
        return 0;
      },
      -1);
}

int naalloc_report(FILE* file, enum naalloc_format format) {
  return guarded(
      [&] {
        const NaallocReport report = process_allocator().report();
        const std::string text = format == NAALLOC_JSON ? to_json(report) : to_text(report);
        return fputs(text.c_str(), file) >= 0 ? 0 : -1;
      },
      -1);
}

void naalloc_log(void (*line)(void* user, const char* text), void* user) {
  process_allocator().log().send_to(line, user);
}

}  // extern "C"
