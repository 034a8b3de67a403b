// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/files/view.h"

#include <utility>
#include <vector>

#include "taihu/mpi/types/external32.h"
#include "taihu/mpi/types/segments.h"

namespace taihu::mpi::files {
namespace {

/// How long things are in external32 compared with memory. The standard computes the layout of a portable
/// datatype there from the lengths of its elements; where all elements grow or shrink alike, that is scaling.
struct Scale {
  std::int64_t in_file = 1, in_memory = 1;

  std::int64_t operator()(std::int64_t value) const {
    require(value * in_file % in_memory == 0, MPI_ERR_UNSUPPORTED_DATAREP,
            "the datatype has gaps that have no counterpart in external32 (it is not a portable datatype); "
            "build it from multiples of its elements");
    return value * in_file / in_memory;
  }
};

Scale scale_of(const Datatype& type) {
  Scale scale;
  bool first = true;
  for_each_run(type, 1, 0, static_cast<std::size_t>(type.size_bytes),
               [&](MPI_Aint, const Datatype& basic, std::size_t) {
                 const Scale here{static_cast<std::int64_t>(external32_size(basic, 1)), basic.extent};
                 require(first || here.in_file * scale.in_memory == scale.in_file * here.in_memory,
                         MPI_ERR_UNSUPPORTED_DATAREP,
                         "the datatype mixes elements that keep their length in external32 with others that "
                         "do not; use elements of one kind");
                 scale = here;
                 first = false;
               });
  return scale;
}

Pattern external_pattern(const Datatype& filetype, std::int64_t displacement) {
  const Scale scale = scale_of(filetype);
  if (scale.in_file == scale.in_memory) return Pattern::of(filetype, displacement);
  std::vector<DataRun> runs;
  for_each_run(filetype, 1, 0, static_cast<std::size_t>(filetype.size_bytes),
               [&](MPI_Aint offset, const Datatype& basic, std::size_t elements) {
                 const std::size_t bytes = external32_size(basic, static_cast<MPI_Count>(elements));
                 runs.push_back({scale(offset), static_cast<std::int64_t>(bytes), 0});
               });
  return Pattern::of(std::move(runs), scale(filetype.extent), displacement);
}

void check_filetype(const Pattern& pattern, std::int64_t displacement, bool writable) {
  std::int64_t end = 0;
  std::int64_t before = 0;
  for (const DataRun& run : pattern.runs) {
    const std::int64_t offset = run.offset + pattern.origin - displacement;
    require(offset >= 0, MPI_ERR_TYPE, "the filetype has negative displacements");
    require(offset >= before, MPI_ERR_TYPE, "the displacements in the filetype do not grow");
    require(!writable || offset >= end, MPI_ERR_TYPE,
            "the filetype has overlapping data, which is allowed in files opened for reading only");
    before = offset;
    end = offset + run.bytes;
  }
  require(pattern.size == 0 || pattern.extent > 0, MPI_ERR_TYPE,
          "the extent of the filetype is not positive");
}

}  // namespace

std::int64_t View::data_of(std::int64_t etype, std::int64_t bytes) const {
  require(etype >= 0, MPI_ERR_ARG, "the offset or file pointer is negative");
  std::int64_t data = 0, end = 0, position = 0;
  bool fits =
      !__builtin_mul_overflow(etype, etype_bytes, &data) && !__builtin_add_overflow(data, bytes, &end);
  if (fits && !pattern.is_contiguous() && pattern.size > 0)
    fits = !__builtin_mul_overflow(end / pattern.size + 1, pattern.extent, &end);
  fits = fits && !__builtin_add_overflow(end, pattern.origin, &position) && position < Pattern::endless;
  require(fits, MPI_ERR_ARG, "the offset is beyond what positions in files can tell");
  return data;
}

std::int64_t View::position_of(std::int64_t etype) const {
  require(pattern.size > 0, MPI_ERR_ARG, "the view has no data (the size of its filetype is 0)");
  return Cursor(pattern, data_of(etype, 0)).position();
}

View make_view(std::int64_t displacement, Datatype& etype, Datatype& filetype,
               const std::string& representation, bool writable) {
  require(displacement >= 0, MPI_ERR_DISP, "the displacement of the view is negative");
  require(etype.committed && filetype.committed, MPI_ERR_TYPE, "a datatype of the view is not committed");
  require(etype.size_bytes > 0 && filetype.size_bytes % etype.size_bytes == 0, MPI_ERR_TYPE,
          "the filetype is not made of whole etypes");
  View view;
  view.displacement = displacement;
  view.etype = Reference<Datatype>::to(&etype);
  view.filetype = Reference<Datatype>::to(&filetype);
  view.representation = representation;
  view.external32 = representation == "external32";
  require(view.external32 || representation == "native" || representation == "internal",
          MPI_ERR_UNSUPPORTED_DATAREP, [&] {
            return "data representation '" + representation +
                   "' is not supported; use native, internal or external32";
          });
  view.etype_bytes =
      view.external32 ? static_cast<std::int64_t>(external32_size(etype, 1)) : etype.size_bytes;
  view.pattern =
      view.external32 ? external_pattern(filetype, displacement) : Pattern::of(filetype, displacement);
  check_filetype(view.pattern, displacement, writable);
  return view;
}

MPI_Aint extent_in_file(const Datatype& type, bool external32) {
  return external32 ? static_cast<MPI_Aint>(scale_of(type)(type.extent)) : type.extent;
}

}  // namespace taihu::mpi::files
