// SPDX-License-Identifier: Apache-2.0
// What the calls of the tool information interface share. They may come before MPI_Init and after
// MPI_Finalize, from any thread of a rank; failures are returned and never go to an error handler (MPI-3.1
// section 14.3.10).
#pragma once

#include <algorithm>
#include <cstring>
#include <span>

#include "taihu/mpi/calls/tools/tools.h"
#include "taihu/mpi/objects/call.h"

namespace taihu::mpi::tools {

/// Runs body(Rank&, Tools&) with the tools locked.
template <class Body>
inline __attribute__((always_inline)) int on_tools(const char* call, Body&& body) {
  Rank& rank = this_rank(call);
  const CurrentCall current(call, __builtin_return_address(0));
  return detail::guarded(
      [&] {
        Tools& tools = Tools::of(rank);
        const std::lock_guard hold(tools.lock);
        body(rank, tools);
      },
      [](const CallError& error) {
        return error.code() == MPI_ERR_NO_MEM ? MPI_T_ERR_MEMORY : error.code();
      });
}

/// The same, between MPI_T_init_thread and MPI_T_finalize only.
template <class Body>
inline __attribute__((always_inline)) int on_started_tools(const char* call, Body&& body) {
  return on_tools(call, [&](Rank& rank, Tools& tools) {
    require(tools.starts > 0, MPI_T_ERR_NOT_INITIALIZED, "call MPI_T_init_thread first");
    body(rank, tools);
  });
}

template <class... Pointers>
void require_results(Pointers*... results) {
  require((... && (results != nullptr)), MPI_T_ERR_INVALID, "an argument is a null pointer");
}

/// For results that the caller may do without.
template <class T>
void give(T* result, T value) {
  if (result != nullptr) *result = value;
}

/// Gives a text as section 14.3.3 wants it: at most `*length` characters with the final zero; `*length`
/// becomes what all of it needs. Without a length, nothing.
inline void give_text(char* text, int* length, const char* value) {
  if (length == nullptr) return;
  const int whole = static_cast<int>(std::strlen(value));
  if (text != nullptr && *length > 0) {
    const int count = std::min(whole, *length - 1);
    std::memcpy(text, value, static_cast<std::size_t>(count));
    text[count] = '\0';
  }
  *length = whole + 1;
}

template <class T>
const T& at(std::span<const T> variables, int index) {
  require(index >= 0 && index < static_cast<int>(variables.size()), MPI_T_ERR_INVALID_INDEX,
          "there is no variable of this index");
  return variables[static_cast<std::size_t>(index)];
}

template <class T>
int index_of(std::span<const T> variables, const char* name) {
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (std::strcmp(variables[i].name, name) == 0) return static_cast<int>(i);
  throw CallError(MPI_T_ERR_INVALID_NAME, "there is no variable of this name");
}

/// The entry of a handle of the tool in a table of those that are valid.
template <class Table>
auto& found(Table& table, const void* handle, int code) {
  const auto place = table.find(handle);
  require(place != table.end(), code, "the handle is null, freed, or of another session");
  return *place->second;
}

/// Puts an object into a table; its address is the handle.
template <class Handle, class Table, class T>
Handle enter(Table& table, T object) {
  auto made = std::make_unique<T>(std::move(object));
  void* const address = made.get();
  table.emplace(address, std::move(made));
  return static_cast<Handle>(address);
}

}  // namespace taihu::mpi::tools
