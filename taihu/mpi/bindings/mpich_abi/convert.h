// SPDX-License-Identifier: Apache-2.0
// Values of programs that were built for the MPICH ABI, and ours. There, handles (but of files) are integers:
// predefined ones fixed patterns with the kind in the upper bits, all others here the indices of our handle
// table, which end far below the patterns. in_...: theirs to ours; out_...: ours to theirs. A handle that
// means nothing becomes one that our calls refuse, a number that means nothing stays as it is.
#pragma once

#include <climits>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "taihu/mpi/bindings/mpich_abi/constants.h"
#include "taihu/mpi/objects/handles/handle_table.h"
#include "taihu/mpi/objects/status.h"

namespace taihu::mpi::mpich {

struct Status {
  int count_low;
  int count_high_and_cancelled;  ///< the lowest bit: cancelled
  int source;
  int tag;
  int error;
};
static_assert(sizeof(Status) == 20);

inline Status* const ignored_status = reinterpret_cast<Status*>(std::intptr_t{their_MPI_STATUS_IGNORE});

// Handles.

struct DatatypeEntry {
  int theirs;
  MPI_Datatype ours;
};
/// By the lowest byte of theirs, which tells the basic types apart.
extern const DatatypeEntry* const basic_types;
/// By the lowest four bits of theirs.
extern const MPI_Op* const operations;
/// Of our predefined handles, by their number.
extern const int* const numbers;

MPI_Comm other_communicator(int handle) noexcept;
MPI_Datatype other_datatype(int handle) noexcept;
MPI_Op other_operation(int handle) noexcept;
MPI_Group in_group(int handle) noexcept;
MPI_Win in_window(int handle) noexcept;
MPI_Message in_message(int handle) noexcept;
MPI_Info in_info(int handle) noexcept;
MPI_Errhandler in_error_handler(int handle) noexcept;
int index_of_object(Object& object) noexcept;

inline MPI_Comm in_communicator(int handle) noexcept {
  return handle == their_MPI_COMM_WORLD ? MPI_COMM_WORLD : other_communicator(handle);
}
inline MPI_Datatype in_datatype(int handle) noexcept {
  const DatatypeEntry& entry = basic_types[handle & 0xff];
  return entry.theirs == handle ? entry.ours : other_datatype(handle);
}
inline MPI_Op in_operation(int handle) noexcept {
  return (handle & ~0xf) == (their_MPI_SUM & ~0xf) ? operations[handle & 0xf] : other_operation(handle);
}
inline MPI_Request in_request(int handle) noexcept {
  if (handle == their_MPI_REQUEST_NULL) return MPI_REQUEST_NULL;
  Rank* const rank = current_rank();
  const auto invalid = reinterpret_cast<MPI_Request>(std::uintptr_t{1});
  return rank != nullptr ? from_integer(*rank, handle, Kind::request, invalid) : invalid;
}
/// Of all kinds but files.
template <class Handle>
inline int out_handle(Handle handle) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  return value < predefined_handles ? numbers[value] : index_of_object(*reinterpret_cast<Object*>(value));
}
inline MPI_File in_file(void* file) noexcept {
  return file == nullptr ? MPI_FILE_NULL : static_cast<MPI_File>(file);
}
inline void* out_file(MPI_File file) noexcept {
  return file == MPI_FILE_NULL ? nullptr : file;
}

// Ranks and tags.

inline int in_rank(int rank) noexcept {
  if (rank >= 0) [[likely]]
    return rank;
  return rank == their_MPI_PROC_NULL    ? MPI_PROC_NULL
         : rank == their_MPI_ANY_SOURCE ? MPI_ANY_SOURCE
         : rank == their_MPI_ROOT       ? MPI_ROOT
         : rank == MPI_ROOT             ? -2  // means nothing in either
                                        : rank;
}
inline int out_rank(int rank) noexcept {
  if (rank >= 0) [[likely]]
    return rank;
  return rank == MPI_PROC_NULL    ? their_MPI_PROC_NULL
         : rank == MPI_ANY_SOURCE ? their_MPI_ANY_SOURCE
         : rank == MPI_ROOT       ? their_MPI_ROOT
                                  : rank;
}
inline int in_tag(int tag) noexcept {
  if (tag >= 0) [[likely]]
    return tag;
  return tag == their_MPI_ANY_TAG ? MPI_ANY_TAG : tag == MPI_ANY_TAG ? -1 : tag;
}
inline int out_tag(int tag) noexcept {
  return tag == MPI_ANY_TAG ? their_MPI_ANY_TAG : tag;
}

// Buffers in whose place MPI_IN_PLACE may stand.

inline const void* in_place(const void* buffer) noexcept {
  return reinterpret_cast<std::intptr_t>(buffer) == their_MPI_IN_PLACE ? MPI_IN_PLACE : buffer;
}
inline void* in_place(void* buffer) noexcept {
  return reinterpret_cast<std::intptr_t>(buffer) == their_MPI_IN_PLACE ? MPI_IN_PLACE : buffer;
}

// Errors. Codes that the program has added have this bit, which keeps them apart from theirs.
inline constexpr int added_code = 0x40000000;
int other_error(int code) noexcept;
inline int out_error(int code) noexcept {
  return code == MPI_SUCCESS ? MPI_SUCCESS : other_error(code);
}
int in_error(int code) noexcept;
/// The value of the attribute MPI_LASTUSEDCODE.
inline int out_last_used(int code) noexcept {
  return code == MPI_ERR_LASTCODE ? their_MPI_ERR_LASTCODE : out_error(code);
}

// Other numbers.
int in_keyval(int keyval) noexcept;
int out_keyval(int keyval) noexcept;
int in_thread_level(int level) noexcept;
int out_thread_level(int level) noexcept;
int out_comparison(int result) noexcept;
int out_topology(int kind) noexcept;
int in_split(int kind) noexcept;
int in_order(int order) noexcept;
int out_order(int order) noexcept;
int in_distribution(int kind) noexcept;
int out_distribution(int kind) noexcept;
int in_distribution_argument(int argument) noexcept;
int out_distribution_argument(int argument) noexcept;
int out_combiner(int combiner) noexcept;
int in_type_class(int type_class) noexcept;
int in_lock(int kind) noexcept;
int out_flavor(int flavor) noexcept;
int out_model(int model) noexcept;
int in_file_mode(int bits) noexcept;
int out_file_mode(int bits) noexcept;
int in_assertion(int bits) noexcept;
int in_seek(int whence) noexcept;
int out_verbosity(int verbosity) noexcept;
int out_binding(int binding) noexcept;
int out_scope(int scope) noexcept;
int in_variable_class(int variable_class) noexcept;
int out_variable_class(int variable_class) noexcept;
inline MPI_Offset in_displacement(MPI_Offset displacement) noexcept {
  return displacement == their_MPI_DISPLACEMENT_CURRENT ? MPI_DISPLACEMENT_CURRENT : displacement;
}

// Statuses.

inline constexpr int untouched = INT_MIN;

inline void in_status(MPI_Status& ours, const Status& theirs) noexcept {
  ours.MPI_SOURCE = in_rank(theirs.source);
  ours.MPI_TAG = in_tag(theirs.tag);
  ours.MPI_ERROR = in_error(theirs.error);
  set_bytes(ours, static_cast<std::int64_t>(static_cast<std::uint32_t>(theirs.count_low)) |
                      std::int64_t{theirs.count_high_and_cancelled >> 1} << 32);
  ours.MPI_internal[2] = theirs.count_high_and_cancelled & 1;
}
/// What the call has set.
inline void out_status(Status& theirs, const MPI_Status& ours) noexcept {
  if (ours.MPI_ERROR != untouched) theirs.error = out_error(ours.MPI_ERROR);
  if (ours.MPI_SOURCE == untouched) return;
  const std::int64_t bytes = bytes_of(ours);
  theirs.count_low = static_cast<int>(bytes);
  theirs.count_high_and_cancelled = static_cast<int>(bytes >> 32) << 1 | (is_cancelled(ours) ? 1 : 0);
  theirs.source = out_rank(ours.MPI_SOURCE);
  theirs.tag = out_tag(ours.MPI_TAG);
}

/// A status that a call sets.
class StatusResult {
 public:
  explicit StatusResult(Status* theirs) noexcept : theirs_(theirs) {
    ours_.MPI_SOURCE = ours_.MPI_ERROR = untouched;
  }
  ~StatusResult() {
    if (theirs_ != ignored_status && theirs_ != nullptr) out_status(*theirs_, ours_);
  }
  StatusResult(const StatusResult&) = delete;
  StatusResult& operator=(const StatusResult&) = delete;
  MPI_Status* get() noexcept { return theirs_ == ignored_status ? MPI_STATUS_IGNORE : &ours_; }

 private:
  Status* theirs_;
  MPI_Status ours_;
};

/// A status that a call reads, or changes in part.
class StatusValue {
 public:
  explicit StatusValue(const Status* theirs) noexcept : is_there_(theirs != ignored_status && theirs) {
    if (is_there_) in_status(ours_, *theirs);
  }
  MPI_Status* get() noexcept { return is_there_ ? &ours_ : nullptr; }
  void give_back(Status* theirs) noexcept {
    if (is_there_) out_status(*theirs, ours_);
  }

 private:
  bool is_there_;
  MPI_Status ours_{};
};

/// Values for the time of a call: on the stack unless there are many.
template <class Value>
class Values {
 public:
  explicit Values(int count) : values_(few_) {
    if (count > static_cast<int>(few)) {
      values_ = static_cast<Value*>(std::malloc(static_cast<std::size_t>(count) * sizeof(Value)));
      if (values_ == nullptr) throw std::bad_alloc();
    }
  }
  ~Values() {
    if (values_ != few_) std::free(values_);
  }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  Value& operator[](int index) noexcept { return values_[index]; }
  Value* all() noexcept { return values_; }

 private:
  static constexpr std::size_t few = 32;
  Value few_[few];
  Value* values_;
};

/// An array that a call reads, each element turned into ours. Null when theirs is.
template <class Ours, class Theirs>
class ArrayValue {
 public:
  template <class Turn>
  ArrayValue(int count, const Theirs* theirs, Turn turn)
      : is_there_(theirs != nullptr), values_(theirs != nullptr ? count : 0) {
    for (int i = 0; is_there_ && i < count; ++i) values_[i] = turn(theirs[i]);
  }
  Ours* get() noexcept { return is_there_ ? values_.all() : nullptr; }
  Ours& operator[](int index) noexcept { return values_[index]; }

 private:
  bool is_there_;
  Values<Ours> values_;
};
using Datatypes = ArrayValue<MPI_Datatype, int>;

/// Requests that a call completes or starts.
class Requests {
 public:
  Requests(int count, int* theirs)
      : count_(theirs != nullptr ? count : 0), theirs_(theirs), ours_(count, theirs, in_request) {}
  ~Requests() {
    for (int i = 0; i < count_; ++i) theirs_[i] = out_handle(ours_[i]);
  }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;
  MPI_Request* get() noexcept { return ours_.get(); }

 private:
  int count_;
  int* theirs_;
  ArrayValue<MPI_Request, int> ours_;
};

/// Statuses that a call sets.
class StatusResults {
 public:
  StatusResults(int count, Status* theirs)
      : count_(theirs != ignored_status && theirs != nullptr ? count : 0), theirs_(theirs), ours_(count_) {
    for (int i = 0; i < count_; ++i) ours_[i].MPI_SOURCE = ours_[i].MPI_ERROR = untouched;
  }
  ~StatusResults() {
    for (int i = 0; i < count_; ++i) out_status(theirs_[i], ours_[i]);
  }
  StatusResults(const StatusResults&) = delete;
  StatusResults& operator=(const StatusResults&) = delete;
  MPI_Status* get() noexcept { return theirs_ == ignored_status ? MPI_STATUSES_IGNORE : ours_.all(); }

 private:
  int count_;
  Status* theirs_;
  Values<MPI_Status> ours_;
};

/// How many datatypes the arrays of MPI_Alltoallw and of its neighbourhood form have.
int partners(int communicator) noexcept;
int neighbors(int communicator, bool outgoing) noexcept;

}  // namespace taihu::mpi::mpich

/// One call of this ABI, under the name by which entry_points.cc finds it.
#define TAIHU_MPICH_CALL(result, name, parameters)                                        \
  extern "C" __attribute__((visibility("default"))) result taihu_mpich_##name parameters; \
  extern "C" result taihu_mpich_##name parameters
