// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/collectives/reproducible.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "taihu/base/exact_sum.h"
#include "taihu/collective/collectives.h"
#include "taihu/mpi/objects/operations/operation_kernels.h"
#include "taihu/mpi/types/predefined_types.h"
#include "taihu/mpi/work/collectives/arguments.h"
#include "taihu/mpi/work/collectives/running.h"

namespace taihu::mpi::collectives {
namespace {

constexpr const char* info_key = "taihu_reproducible";

const bool wanted_for_all = [] {
  const char* const value = std::getenv("TAIHU_REPRODUCIBLE");
  return value != nullptr && std::strcmp(value, "1") == 0;
}();
std::atomic<bool> wanted_for_some{false};

using Exact = ExactSum<2144>;
constexpr std::size_t words = sizeof(Exact) / sizeof(std::int64_t);
/// Numbers at once: two arrays of 1.1 MB.
constexpr std::size_t chunk_numbers = 2048;

bool is_wanted(const Communicator& communicator) {
  if (wanted_for_all) return true;
  const auto hints = communicator.hints.get();
  const auto found = hints.find(info_key);
  return found != hints.end() && found->second == "true";
}

/// What an element of a type consists of, as far as sums of it depend on their order.
struct Reals {
  std::size_t bytes = 0;    ///< of one number: 4 or 8; 0: no such numbers
  std::size_t numbers = 1;  ///< in one element of the type
};

bool is_any(const Datatype& element, std::initializer_list<MPI_Datatype> handles) {
  return std::ranges::any_of(handles,
                             [&](MPI_Datatype handle) { return &element == predefined_datatype(handle); });
}

[[noreturn]] void refuse(const char* what) {
  throw CallError(MPI_ERR_UNSUPPORTED_OPERATION,
                  std::string(what) +
                      " cannot be made reproducible; leave out TAIHU_REPRODUCIBLE or the info key "
                      "taihu_reproducible for this communicator");
}

/// Nothing: the result does not depend on the order, or is the program's own business (functions of it).
std::optional<Reals> reals_of(Rank& rank, MPI_Op operation, MPI_Datatype handle) {
  const Datatype& type = checked_type(rank, handle);
  if ((operation != MPI_SUM && operation != MPI_PROD) || type.element == nullptr) return {};
  const Datatype& element = *type.element;
  const bool single = is_any(element, {MPI_FLOAT, MPI_REAL, MPI_REAL4});
  const bool twice = is_any(element, {MPI_DOUBLE, MPI_DOUBLE_PRECISION, MPI_REAL8});
  const bool pairs_single =
      is_any(element, {MPI_C_FLOAT_COMPLEX, MPI_CXX_FLOAT_COMPLEX, MPI_COMPLEX, MPI_COMPLEX8});
  const bool pairs_double =
      is_any(element, {MPI_C_DOUBLE_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX16});
  const bool others =
      is_any(element, {MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX, MPI_REAL2,
                       MPI_REAL16, MPI_COMPLEX4, MPI_COMPLEX32, MPIX_C_FLOAT16});
  if (others) refuse("a sum or product of this floating-point type");
  if (!single && !twice && !pairs_single && !pairs_double) return {};
  if (operation == MPI_PROD) refuse("MPI_PROD of floating-point numbers");
  const std::size_t bytes = single || pairs_single ? 4 : 8;
  return Reals{bytes, static_cast<std::size_t>(type.size_bytes) / bytes};
}

/// The same, where the communicator asks for it and can have it.
std::optional<Reals> wanted(Rank& rank, Communicator& communicator, MPI_Op operation, MPI_Datatype type) {
  if (!is_wanted(communicator)) return {};
  const std::optional<Reals> reals = reals_of(rank, operation, type);
  if (reals && communicator.is_inter()) refuse("a reduction between two groups");
  // Types with gaps are for functions of the program only; the usual way refuses them.
  return reals && checked_type(rank, type).contiguous ? reals : std::nullopt;
}

double read(const std::byte* place, std::size_t bytes) noexcept {
  if (bytes == sizeof(float)) {
    float value;
    std::memcpy(&value, place, sizeof value);
    return value;
  }
  double value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

void write(std::byte* place, std::size_t bytes, double value) noexcept {
  if (bytes == sizeof(float)) {
    const auto rounded = static_cast<float>(value);
    std::memcpy(place, &rounded, sizeof rounded);
  } else {
    std::memcpy(place, &value, sizeof value);
  }
}

/// Sums of integers, word by word.
collective::Reduction word_sums() {
  collective::Reduction reduction;
  reduction.element_bytes = sizeof(Exact);
  reduction.combine = [](void* target, const void* left, const void* right, std::size_t count, const void*) {
    auto* const sum = static_cast<std::int64_t*>(target);
    const auto *const a = static_cast<const std::int64_t*>(left), *const b =
                                                                      static_cast<const std::int64_t*>(right);
    for (std::size_t k = 0; k < count * words; ++k) sum[k] = a[k] + b[k];
  };
  return reduction;
}

/// The caller's numbers; in place both are the same.
struct Numbers {
  const std::byte* source = nullptr;
  std::byte* result = nullptr;
  std::size_t count = 0;
};

/// Chunk by chunk: run(source sums, result sums, numbers in the chunk) is a collective call. `has_result`:
/// this rank gets one.
template <class Run>
void in_chunks(Communicator& communicator, const Reals& reals, const Numbers& numbers, bool has_result,
               Run&& run) {
  const std::size_t most = std::min(numbers.count, chunk_numbers);
  std::vector<Exact> mine(most), sums(most);
  for (std::size_t first = 0; first < numbers.count; first += chunk_numbers) {
    const std::size_t count = std::min(chunk_numbers, numbers.count - first);
    for (std::size_t k = 0; k < count; ++k) {
      mine[k].clear();
      mine[k].add(read(numbers.source + (first + k) * reals.bytes, reals.bytes));
    }
    check_code(communicator, run(mine.data(), sums.data(), count));
    for (std::size_t k = 0; has_result && k < count; ++k)
      write(numbers.result + (first + k) * reals.bytes, reals.bytes, sums[k].value());
  }
}

/// A buffer as the usual way checks it.
std::byte* buffer(Rank& rank, const void* address, MPI_Count count, MPI_Datatype type) {
  const Piece piece = checked_buffer(rank, address, count, type);
  return piece.bytes() != 0 ? piece.data() : nullptr;
}

template <class Arguments>
Numbers numbers_of(Rank& rank, const Arguments& arguments, MPI_Count count, const Reals& reals) {
  Numbers numbers;
  numbers.result = buffer(rank, arguments.receive, count, arguments.type);
  numbers.source =
      is_in_place(arguments.send) ? numbers.result : buffer(rank, arguments.send, count, arguments.type);
  numbers.count = static_cast<std::size_t>(count) * reals.numbers;
  return numbers;
}

}  // namespace

bool reproducible_wanted() noexcept {
  return wanted_for_all || wanted_for_some.load(std::memory_order_relaxed);
}

void note_reproducible(const std::string& key, const std::string& value) noexcept {
  if (key == info_key && value == "true") wanted_for_some.store(true, std::memory_order_relaxed);
}

bool run_reproducible(Rank& rank, Communicator& communicator, const Reduce& arguments) {
  const auto reals = wanted(rank, communicator, arguments.operation, arguments.type);
  if (!reals) return false;
  const bool is_root = role_of(communicator, arguments.root) == Role::root;
  Numbers numbers;
  if (is_root) {
    numbers = numbers_of(rank, arguments, arguments.count, *reals);
  } else {
    numbers.source = buffer(rank, arguments.send, arguments.count, arguments.type);
    numbers.count = static_cast<std::size_t>(arguments.count) * reals->numbers;
  }
  const collective::Reduction sums = word_sums();
  in_chunks(communicator, *reals, numbers, is_root, [&](Exact* mine, Exact* result, std::size_t count) {
    return collective::reduce(communicator.collectives(), mine, result, count, sums, arguments.root);
  });
  return true;
}

bool run_reproducible(Rank& rank, Communicator& communicator, const Allreduce& arguments) {
  const auto reals = wanted(rank, communicator, arguments.operation, arguments.type);
  if (!reals) return false;
  const Numbers numbers = numbers_of(rank, arguments, arguments.count, *reals);
  const collective::Reduction sums = word_sums();
  in_chunks(communicator, *reals, numbers, true, [&](Exact* mine, Exact* result, std::size_t count) {
    return collective::allreduce(communicator.collectives(), mine, result, count, sums);
  });
  return true;
}

bool run_reproducible(Rank& rank, Communicator& communicator, const ReduceScatter& arguments) {
  const auto reals = wanted(rank, communicator, arguments.operation, arguments.type);
  if (!reals) return false;
  require(!arguments.with_counts || !arguments.counts.is_null(), MPI_ERR_ARG,
          "the array of counts is a null pointer");
  const auto members = static_cast<std::size_t>(communicator.size());
  MPI_Count total = 0, before = 0, own = 0;
  for (std::size_t k = 0; k < members; ++k) {
    const MPI_Count count = arguments.with_counts ? arguments.counts[k] : arguments.count;
    require(count >= 0, MPI_ERR_COUNT, "a count is negative");
    if (k == static_cast<std::size_t>(communicator.rank)) before = total, own = count;
    total += count;
  }
  // All sums are made on all members: each then takes its block. In place, the result is the front of the
  // source.
  const bool in_place = is_in_place(arguments.send);
  std::byte* const source =
      buffer(rank, in_place ? arguments.receive : arguments.send, total, arguments.type);
  std::byte* const target = in_place ? source : buffer(rank, arguments.receive, own, arguments.type);
  std::vector<std::byte> all(static_cast<std::size_t>(total) * reals->numbers * reals->bytes);
  const Numbers numbers{source, all.data(), static_cast<std::size_t>(total) * reals->numbers};
  const collective::Reduction sums = word_sums();
  in_chunks(communicator, *reals, numbers, true, [&](Exact* mine, Exact* result, std::size_t count) {
    return collective::allreduce(communicator.collectives(), mine, result, count, sums);
  });
  const std::size_t element = reals->numbers * reals->bytes;
  if (own != 0)
    std::memcpy(target, all.data() + static_cast<std::size_t>(before) * element,
                static_cast<std::size_t>(own) * element);
  return true;
}

bool run_reproducible(Rank& rank, Communicator& communicator, const Scan& arguments) {
  const auto reals = wanted(rank, communicator, arguments.operation, arguments.type);
  if (!reals) return false;
  const bool inclusive = arguments.range == Range::inclusive;
  const bool has_result = inclusive || communicator.rank != 0;
  Numbers numbers;
  if (has_result || is_in_place(arguments.send)) {
    numbers = numbers_of(rank, arguments, arguments.count, *reals);
  } else {
    numbers.source = buffer(rank, arguments.send, arguments.count, arguments.type);
    numbers.count = static_cast<std::size_t>(arguments.count) * reals->numbers;
  }
  const collective::Reduction sums = word_sums();
  in_chunks(communicator, *reals, numbers, has_result, [&](Exact* mine, Exact* result, std::size_t count) {
    collective::GroupHandle& handle = communicator.collectives();
    return inclusive ? collective::scan(handle, mine, result, count, sums)
                     : collective::exscan(handle, mine, result, count, sums);
  });
  return true;
}

void refuse_in_background(Rank& rank, Communicator& communicator, MPI_Op operation, MPI_Datatype type) {
  if (is_wanted(communicator) && reals_of(rank, operation, type))
    refuse("a sum of floating-point numbers by a call that does not block");
}

}  // namespace taihu::mpi::collectives
