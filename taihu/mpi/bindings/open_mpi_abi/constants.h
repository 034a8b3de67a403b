// SPDX-License-Identifier: Apache-2.0
// The numbers of constants.def as their_MPI_...; ours have the plain names (taihu/abi/mpi.h).
#pragma once

#include <cstdint>

namespace taihu::mpi::open_mpi {

#define TAIHU_THEIRS(name, value) inline constexpr int their_##name = static_cast<int>(value);
#define TAIHU_ERROR TAIHU_THEIRS
#define TAIHU_KEYVAL TAIHU_THEIRS
#define TAIHU_THREAD_LEVEL TAIHU_THEIRS
#define TAIHU_COMPARISON TAIHU_THEIRS
#define TAIHU_TOPOLOGY TAIHU_THEIRS
#define TAIHU_SPLIT TAIHU_THEIRS
#define TAIHU_ORDER TAIHU_THEIRS
#define TAIHU_DISTRIBUTION TAIHU_THEIRS
#define TAIHU_DISTRIBUTION_ARGUMENT TAIHU_THEIRS
#define TAIHU_COMBINER TAIHU_THEIRS
#define TAIHU_TYPE_CLASS TAIHU_THEIRS
#define TAIHU_LOCK TAIHU_THEIRS
#define TAIHU_FLAVOR TAIHU_THEIRS
#define TAIHU_MODEL TAIHU_THEIRS
#define TAIHU_FILE_MODE TAIHU_THEIRS
#define TAIHU_ASSERTION TAIHU_THEIRS
#define TAIHU_SEEK TAIHU_THEIRS
#define TAIHU_VERBOSITY TAIHU_THEIRS
#define TAIHU_BINDING TAIHU_THEIRS
#define TAIHU_SCOPE TAIHU_THEIRS
#define TAIHU_VARIABLE_CLASS TAIHU_THEIRS
#define TAIHU_RANK TAIHU_THEIRS
#define TAIHU_TAG TAIHU_THEIRS
#define TAIHU_DISPLACEMENT TAIHU_THEIRS
#define TAIHU_OTHER TAIHU_THEIRS
#include "taihu/mpi/bindings/open_mpi_abi/constants.def"
#undef TAIHU_THEIRS

}  // namespace taihu::mpi::open_mpi
