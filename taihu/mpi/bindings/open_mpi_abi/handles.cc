// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/bindings/open_mpi_abi/handles.h"

#include <iterator>

#include "taihu/mpi/objects/handles/handle_table.h"

namespace taihu::mpi::open_mpi {
namespace {

struct Predefined {
  Kind kind;
  std::uintptr_t ours;
  std::string_view variable;
  int fortran;
};

#define TAIHU_OF_KIND(kind, name, variable, index) \
  Predefined{Kind::kind, (std::uintptr_t)(name), #variable, index},
#define TAIHU_COMMUNICATOR(name, variable, index) TAIHU_OF_KIND(communicator, name, variable, index)
#define TAIHU_GROUP(name, variable, index) TAIHU_OF_KIND(group, name, variable, index)
#define TAIHU_WINDOW(name, variable, index) TAIHU_OF_KIND(window, name, variable, index)
#define TAIHU_FILE(name, variable, index) TAIHU_OF_KIND(file, name, variable, index)
#define TAIHU_MESSAGE(name, variable, index) TAIHU_OF_KIND(message, name, variable, index)
#define TAIHU_INFO(name, variable, index) TAIHU_OF_KIND(info, name, variable, index)
#define TAIHU_ERROR_HANDLER(name, variable, index) TAIHU_OF_KIND(error_handler, name, variable, index)
#define TAIHU_REQUEST(name, variable, index) TAIHU_OF_KIND(request, name, variable, index)
#define TAIHU_OPERATION(name, variable, index) TAIHU_OF_KIND(operation, name, variable, index)
#define TAIHU_DATATYPE(name, variable, index) TAIHU_OF_KIND(datatype, name, variable, index)
const Predefined predefined[] = {
#include "taihu/mpi/bindings/open_mpi_abi/handles.def"
    // Since Open MPI 5
    TAIHU_OF_KIND(error_handler, MPI_ERRORS_ABORT, ompi_mpi_errors_abort, 3)
        TAIHU_OF_KIND(session, MPI_SESSION_NULL, ompi_mpi_instance_null, 0)
            TAIHU_OF_KIND(datatype, MPIX_C_FLOAT16, ompi_mpi_short_float, 74)};
#undef TAIHU_OF_KIND

/// A number that no handle of ours has: what is not there, such as MPI_LB.
constexpr std::uintptr_t nothing = predefined_handles - 1;
/// Variables that mean the same as another one, or nothing here.
struct Alias {
  std::string_view variable;
  std::uintptr_t ours;
};
const Alias aliases[] = {{"ompi_mpi_c_complex", (std::uintptr_t)MPI_C_FLOAT_COMPLEX},
                         {"ompi_mpi_ldblcplex", (std::uintptr_t)MPI_C_LONG_DOUBLE_COMPLEX},
                         {"ompi_mpi_lb", nothing},
                         {"ompi_mpi_ub", nothing},
                         {"ompi_mpi_2cplex", nothing},
                         {"ompi_mpi_2dblcplex", nothing},
                         {"ompi_mpi_complex4", (std::uintptr_t)MPI_COMPLEX4},
                         {"ompi_mpi_c_short_float_complex", nothing},
                         {"ompi_mpi_cxx_sfltcplex", nothing}};

/// One record per number. A COPY takes as many bytes as the variable has in Open MPI, up to 2 KiB; what comes
/// behind the record does not matter.
struct Records {
  std::array<PredefinedRecord, predefined_handles + 128> all;
  Records() noexcept {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = {predefined_mark, i};
  }
};
const Records& records() noexcept {
  static const Records made;
  return made;
}

/// Open MPI's library for C++ writes functions of its own into this one when a program calls MPI::Init.
struct {
  PredefinedRecord record{predefined_mark, nothing};
  char rest[1024 - sizeof(PredefinedRecord)]{};
} errors_throw_exceptions;

}  // namespace

const void* record_of(std::uintptr_t number) noexcept {
  return &records().all[number];
}

const void* predefined_variable(std::string_view name) noexcept {
  for (const Predefined& one : predefined) {
    if (one.variable == name) return record_of(one.ours);
  }
  for (const Alias& one : aliases) {
    if (one.variable == name) return record_of(one.ours);
  }
  return name == "ompi_mpi_errors_throw_exceptions" ? &errors_throw_exceptions : nullptr;
}

PredefinedPlaces::PredefinedPlaces(Rank&) {
  for (std::size_t i = 0; i < places_.size(); ++i) places_[i] = const_cast<void*>(record_of(i));
}

void PredefinedPlaces::move(const void* record, void* copy) noexcept {
  const auto* const first = records().all.data();
  const auto* const own = static_cast<const PredefinedRecord*>(record);
  if (own >= first && own < first + predefined_handles) places_[static_cast<std::size_t>(own - first)] = copy;
}

int to_fortran(Rank& rank, const void* ours) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(ours);
  if (value >= predefined_handles) return to_integer(rank, ours);
  for (const Predefined& one : predefined) {
    if (one.ours == value) return one.fortran;
  }
  return static_cast<int>(value);
}

template <class Ours>
Ours from_fortran(Rank& rank, int integer) noexcept {
  constexpr Kind kind = std::is_same_v<Ours, MPI_Comm>         ? Kind::communicator
                        : std::is_same_v<Ours, MPI_Group>      ? Kind::group
                        : std::is_same_v<Ours, MPI_Win>        ? Kind::window
                        : std::is_same_v<Ours, MPI_File>       ? Kind::file
                        : std::is_same_v<Ours, MPI_Message>    ? Kind::message
                        : std::is_same_v<Ours, MPI_Info>       ? Kind::info
                        : std::is_same_v<Ours, MPI_Errhandler> ? Kind::error_handler
                        : std::is_same_v<Ours, MPI_Request>    ? Kind::request
                        : std::is_same_v<Ours, MPI_Op>         ? Kind::operation
                        : std::is_same_v<Ours, MPI_Session>    ? Kind::session
                                                               : Kind::datatype;
  for (const Predefined& one : predefined) {
    if (one.kind == kind && one.fortran == integer) return reinterpret_cast<Ours>(one.ours);
  }
  if (integer < static_cast<int>(predefined_handles)) return invalid_handle<Ours>();
  return from_integer(rank, integer, kind, invalid_handle<Ours>());
}
template MPI_Comm from_fortran(Rank&, int) noexcept;
template MPI_Group from_fortran(Rank&, int) noexcept;
template MPI_Win from_fortran(Rank&, int) noexcept;
template MPI_File from_fortran(Rank&, int) noexcept;
template MPI_Message from_fortran(Rank&, int) noexcept;
template MPI_Info from_fortran(Rank&, int) noexcept;
template MPI_Errhandler from_fortran(Rank&, int) noexcept;
template MPI_Request from_fortran(Rank&, int) noexcept;
template MPI_Op from_fortran(Rank&, int) noexcept;
template MPI_Session from_fortran(Rank&, int) noexcept;
template MPI_Datatype from_fortran(Rank&, int) noexcept;

}  // namespace taihu::mpi::open_mpi
