// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/files/transfer.h"

#include <cstring>

namespace taihu::mpi::files {
namespace {

/// Memory in smaller pieces than this is copied into one block before a system call; the others are given to
/// it as they are.
constexpr std::int64_t copied_piece_bytes = 512;
constexpr std::int64_t staging_bytes = std::int64_t{1} << 20;
constexpr int parts_per_call = 512;
/// Pieces of the file that are longer than this are read one by one, and so are pieces where less than one
/// byte of sieve_density would be of use.
constexpr std::int64_t sieved_piece_bytes = 16 * 1024;
constexpr std::int64_t sieve_density = 8;

std::byte* address(const Cursor& memory) noexcept {
  return reinterpret_cast<std::byte*>(memory.position());
}

bool is_fine(const Pattern& memory) noexcept {
  return memory.mean_run() < copied_piece_bytes;
}

/// Moves `bytes` bytes between the file's bytes from `position` on and the next pieces of memory. Returns how
/// many were moved; the cursor is behind them only if these are all.
template <Direction direction>
std::int64_t move_parts(SharedFile& file, std::int64_t position, Cursor& memory, std::int64_t bytes) {
  iovec parts[parts_per_call];
  std::int64_t done = 0;
  while (done < bytes) {
    int count = 0;
    std::int64_t wanted = 0;
    while (count < parts_per_call && done + wanted < bytes) {
      const std::int64_t length = std::min(memory.available(), bytes - done - wanted);
      parts[count++] = {address(memory), static_cast<std::size_t>(length)};
      wanted += length;
      memory.advance(length);
    }
    const std::int64_t moved = direction == Direction::read ? file.read(position + done, parts, count)
                                                            : file.write(position + done, parts, count);
    done += moved;
    if (moved < wanted) break;
  }
  return done;
}

/// The same through the staging memory.
template <Direction direction>
std::int64_t move_staged(SharedFile& file, std::int64_t position, Cursor& memory, std::int64_t bytes,
                         Staging& staging) {
  std::byte* const block = staging.bytes(static_cast<std::size_t>(std::min(bytes, staging_bytes)));
  std::int64_t done = 0;
  while (done < bytes) {
    const std::int64_t wanted = std::min(bytes - done, staging_bytes);
    std::int64_t moved;
    if constexpr (direction == Direction::write) {
      gather(memory, block, wanted);
      moved = file.write(position + done, block, wanted);
    } else {
      moved = file.read(position + done, block, wanted);
      scatter(memory, block, moved);
    }
    done += moved;
    if (moved < wanted) break;
  }
  return done;
}

template <Direction direction>
std::int64_t move_piece(SharedFile& file, std::int64_t position, Cursor& memory, bool fine,
                        std::int64_t bytes, Staging& staging) {
  // A single piece of memory is best as it is, however small.
  if (fine && memory.available() < bytes)
    return move_staged<direction>(file, position, memory, bytes, staging);
  return move_parts<direction>(file, position, memory, bytes);
}

/// The pieces from `start` on that fit into the staging memory: file bytes up to `end`, with `bytes` of data.
struct Stretch {
  std::int64_t end = 0;
  std::int64_t bytes = 0;
};
Stretch stretch_from(Cursor place, std::int64_t bytes) noexcept {
  const std::int64_t start = place.position();
  Stretch stretch;
  while (stretch.bytes < bytes && place.position() < start + staging_bytes) {
    const std::int64_t room = start + staging_bytes - place.position();
    const std::int64_t length = std::min({place.available(), bytes - stretch.bytes, room});
    stretch.end = place.position() + length;
    stretch.bytes += length;
    place.advance(length);
  }
  return stretch;
}

/// Reads a stretch with its holes and picks out the data. Returns how many data bytes were below the end of
/// the file.
std::int64_t read_stretch(SharedFile& file, Cursor& place, Cursor& memory, const Stretch& stretch,
                          Staging& staging) {
  const std::int64_t start = place.position();
  std::byte* const block = staging.bytes(static_cast<std::size_t>(staging_bytes));
  const std::int64_t present = file.read(start, block, stretch.end - start);
  std::int64_t done = 0;
  while (done < stretch.bytes) {
    const std::int64_t offset = place.position() - start;
    const std::int64_t length = std::min(place.available(), stretch.bytes - done);
    const std::int64_t there = std::clamp<std::int64_t>(present - offset, 0, length);
    scatter(memory, block + offset, there);
    done += there;
    if (there < length) break;
    place.advance(length);
  }
  return done;
}

}  // namespace

void gather(Cursor& memory, std::byte* block, std::int64_t bytes) noexcept {
  while (bytes > 0) {
    const std::int64_t length = std::min(memory.available(), bytes);
    std::memcpy(block, address(memory), static_cast<std::size_t>(length));
    memory.advance(length);
    block += length;
    bytes -= length;
  }
}

void scatter(Cursor& memory, const std::byte* block, std::int64_t bytes) noexcept {
  while (bytes > 0) {
    const std::int64_t length = std::min(memory.available(), bytes);
    std::memcpy(address(memory), block, static_cast<std::size_t>(length));
    memory.advance(length);
    block += length;
    bytes -= length;
  }
}

std::int64_t read_pieces(SharedFile& file, const Pattern& view, std::int64_t first, const Pattern& memory,
                         std::int64_t bytes, Staging& staging) {
  if (bytes == 0) return 0;
  Cursor place(view, first);
  Cursor target(memory, 0);
  const bool fine = is_fine(memory);
  const bool sieve = view.ascending && view.mean_run() < sieved_piece_bytes;
  std::int64_t done = 0;
  while (done < bytes) {
    const std::int64_t piece = std::min(place.available(), bytes - done);
    std::int64_t wanted = piece, moved;
    const Stretch stretch = sieve && piece < bytes - done ? stretch_from(place, bytes - done) : Stretch{};
    if (stretch.bytes > piece && stretch.bytes * sieve_density >= stretch.end - place.position()) {
      wanted = stretch.bytes;
      moved = read_stretch(file, place, target, stretch, staging);
    } else {
      moved = move_piece<Direction::read>(file, place.position(), target, fine, piece, staging);
      place.advance(piece);
    }
    done += moved;
    if (moved < wanted) break;
  }
  return done;
}

std::int64_t write_pieces(SharedFile& file, const Pattern& view, std::int64_t first, const Pattern& memory,
                          std::int64_t bytes, Staging& staging) {
  if (bytes == 0) return 0;
  Cursor place(view, first);
  Cursor source(memory, 0);
  const bool fine = is_fine(memory);
  std::int64_t done = 0;
  while (done < bytes) {
    const std::int64_t piece = std::min(place.available(), bytes - done);
    const std::int64_t moved =
        move_piece<Direction::write>(file, place.position(), source, fine, piece, staging);
    done += moved;
    if (moved < piece) break;
    place.advance(piece);
  }
  return done;
}

}  // namespace taihu::mpi::files
