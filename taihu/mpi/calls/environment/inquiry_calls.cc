// SPDX-License-Identifier: Apache-2.0
// Versions, the clock, memory, and other calls about the surroundings.
#include <algorithm>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

#include "taihu/base/clock.h"
#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/info/info.h"

namespace taihu::mpi {
namespace {

constexpr std::size_t cache_line_bytes = 64;

void store_text(const std::string& text, char* buffer, const char* argument, int* length) {
  require_pointer(buffer, argument);
  require_pointer(length, "resultlen");
  std::memcpy(buffer, text.c_str(), text.size() + 1);
  *length = static_cast<int>(text.size());
}

/// What the info key "mpi_minimum_memory_alignment" (MPI-4.0 section 9.2) asks for, at least a cache line.
std::size_t alignment_of(const Info::Entries& hints) {
  std::size_t alignment = cache_line_bytes;
  for (const auto& [key, value] : hints) {
    if (key != "mpi_minimum_memory_alignment") continue;
    char* end = nullptr;
    const unsigned long long wanted = std::strtoull(value.c_str(), &end, 10);
    require(end != value.c_str() && *end == '\0' && wanted != 0 && (wanted & (wanted - 1)) == 0 &&
                wanted <= (1ull << 40),
            MPI_ERR_INFO_VALUE, [&, value = value] {
              return "mpi_minimum_memory_alignment is " + value + ", not a power of two";
            });
    if (wanted > alignment) alignment = static_cast<std::size_t>(wanted);
  }
  return alignment;
}

}  // namespace
}  // namespace taihu::mpi

using namespace taihu::mpi;

// Allowed before MPI_Init and after MPI_Finalize as well, so without a guard; null pointers are left alone.
MPI_CALL(int, Get_version, (int* version, int* subversion)) {
  if (version == nullptr || subversion == nullptr) return MPI_ERR_ARG;
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}

MPI_CALL(int, Get_library_version, (char* version, int* resultlen)) {
  if (version == nullptr || resultlen == nullptr) return MPI_ERR_ARG;
  store_text("Taihu " TAIHU_VERSION ", MPI 5.0, ranks are threads", version, "version", resultlen);
  return MPI_SUCCESS;
}

MPI_CALL(int, Get_processor_name, (char* name, int* resultlen)) {
  return on_rank("MPI_Get_processor_name", [&](Rank& rank) {
    // Not asked of the system: emulated nodes have names of their own, as MPI_COMM_TYPE_SHARED tells them
    // apart.
    const taihu::launch::Layout& layout = rank.layout();
    const int node = layout.node_of_process[static_cast<std::size_t>(rank.node().process())];
    std::string host = layout.node_names[static_cast<std::size_t>(node)];
    host.resize(std::min<std::size_t>(host.size(), MPI_MAX_PROCESSOR_NAME - 1));
    store_text(host, name, "name", resultlen);
  });
}

// MPI-5.0 section 9.1.2: the resources that MPI_Comm_split_type can split by, and whether the rank keeps to
// one.
MPI_CALL(int, Get_hw_resource_info, (MPI_Info * hw_info)) {
  return at_any_time("MPI_Get_hw_resource_info", [&](Rank&) {
    require_pointer(hw_info, "hw_info");
    *hw_info = handle_of<MPI_Info>(new Info(Info::Entries{{"mpi://mpi_shared_memory", "true"}}));
  });
}

MPI_CALL(double, Wtime, (void)) {
  return static_cast<double>(taihu::now_ns()) * 1e-9;
}

MPI_CALL(double, Wtick, (void)) {
  return 1e-9;
}

// For profiling tools; the library itself has nothing to control (MPI-3.1 section 14.2.4).
MPI_CALL(int, Pcontrol, (const int level, ...)) {
  static_cast<void>(level);
  return MPI_SUCCESS;
}

MPI_CALL(int, Alloc_mem, (MPI_Aint size, MPI_Info info, void* baseptr)) {
  return on_rank("MPI_Alloc_mem", [&](Rank& rank) {
    require_pointer(baseptr, "baseptr");
    require(size >= 0, MPI_ERR_ARG, [&] { return "size " + std::to_string(size) + " is negative"; });
    const std::size_t alignment = alignment_of(entries_of(rank, info));
    void* memory = nullptr;
    require(posix_memalign(&memory, alignment, static_cast<std::size_t>(size)) == 0, MPI_ERR_NO_MEM,
            [&] { return "no memory for " + std::to_string(size) + " bytes"; });
    std::memcpy(baseptr, &memory, sizeof memory);
  });
}

MPI_CALL(int, Free_mem, (void* base)) {
  return on_rank("MPI_Free_mem", [&](Rank&) { std::free(base); });
}
