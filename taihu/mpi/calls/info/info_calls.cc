// SPDX-License-Identifier: Apache-2.0
// MPI_Info_... The calls may be made at any time of a rank's life, also before MPI_Init (MPI-4.0 section
// 11.4.1); errors then follow the handler of MPI_COMM_WORLD.
#include <algorithm>
#include <cstring>

#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/info/environment_info.h"

namespace taihu::mpi {
namespace {

Info& info_of(Rank& rank, MPI_Info handle) {
  return checked<Info>(rank, handle, MPI_ERR_INFO, "the info object is MPI_INFO_NULL or not valid");
}

Info& changeable(Rank& rank, MPI_Info handle) {
  Info& info = info_of(rank, handle);
  require(!info.predefined, MPI_ERR_INFO, "MPI_INFO_ENV cannot be changed or freed");
  return info;
}

std::string_view checked_key(const char* key) {
  require(key != nullptr && *key != '\0', MPI_ERR_INFO_KEY, "the key is null or empty");
  const std::string_view text(key, strnlen(key, MPI_MAX_INFO_KEY));
  require(text.size() < MPI_MAX_INFO_KEY, MPI_ERR_INFO_KEY, [&] {
    return "the key is longer than MPI_MAX_INFO_KEY allows (" + std::to_string(MPI_MAX_INFO_KEY - 1) +
           " characters)";
  });
  return text;
}

std::string_view checked_value(const char* value) {
  require(value != nullptr, MPI_ERR_INFO_VALUE, "the value is a null pointer");
  const std::string_view text(value, strnlen(value, MPI_MAX_INFO_VAL));
  require(text.size() < MPI_MAX_INFO_VAL, MPI_ERR_INFO_VALUE, [&] {
    return "the value is longer than MPI_MAX_INFO_VAL allows (" + std::to_string(MPI_MAX_INFO_VAL - 1) +
           " characters)";
  });
  return text;
}

/// Stores at most `room` characters and a zero behind them.
void store_cut(const std::string& text, std::size_t room, char* out) {
  const std::size_t length = std::min(text.size(), room);
  std::memcpy(out, text.data(), length);
  out[length] = '\0';
}

}  // namespace
}  // namespace taihu::mpi

using namespace taihu::mpi;

MPI_CALL(int, Info_create, (MPI_Info * info)) {
  return at_any_time("MPI_Info_create", [&](Rank&) {
    require_pointer(info, "info");
    *info = handle_of<MPI_Info>(new Info);
  });
}

MPI_CALL(int, Info_create_env, (int argc, char* argv[], MPI_Info* info)) {
  return at_any_time("MPI_Info_create_env", [&](Rank& rank) {
    require_pointer(info, "info");
    Reference<Info> made(new Info(environment_entries(rank.world().size())));
    add_command(*made, argc, argv);
    *info = handle_of<MPI_Info>(made.give_up());
  });
}

MPI_CALL(int, Info_set, (MPI_Info info, const char* key, const char* value)) {
  return at_any_time("MPI_Info_set",
                     [&](Rank& rank) { changeable(rank, info).set(checked_key(key), checked_value(value)); });
}

MPI_CALL(int, Info_delete, (MPI_Info info, const char* key)) {
  return at_any_time("MPI_Info_delete", [&](Rank& rank) {
    require(changeable(rank, info).remove(checked_key(key)), MPI_ERR_INFO_NOKEY,
            [&] { return std::string("the info object has no key \"") + key + "\""; });
  });
}

MPI_CALL(int, Info_get, (MPI_Info info, const char* key, int valuelen, char* value, int* flag)) {
  return at_any_time("MPI_Info_get", [&](Rank& rank) {
    require_pointer(flag, "flag");
    require_pointer(value, "value");
    require_not_negative(valuelen, MPI_ERR_ARG, "valuelen");
    const std::optional<std::string> found = info_of(rank, info).get(checked_key(key));
    if (found) store_cut(*found, static_cast<std::size_t>(valuelen), value);
    *flag = found ? 1 : 0;
  });
}

MPI_CALL(int, Info_get_string, (MPI_Info info, const char* key, int* buflen, char* value, int* flag)) {
  return at_any_time("MPI_Info_get_string", [&](Rank& rank) {
    require_pointer(flag, "flag");
    require_pointer(buflen, "buflen");
    require_not_negative(*buflen, MPI_ERR_ARG, "buflen");
    if (*buflen != 0) require_pointer(value, "value");
    const std::optional<std::string> found = info_of(rank, info).get(checked_key(key));
    if (found) {
      // Unlike above the length counts the zero at the end, and 0 asks for the length alone.
      if (*buflen != 0) store_cut(*found, static_cast<std::size_t>(*buflen) - 1, value);
      *buflen = static_cast<int>(found->size()) + 1;
    }
    *flag = found ? 1 : 0;
  });
}

MPI_CALL(int, Info_get_valuelen, (MPI_Info info, const char* key, int* valuelen, int* flag)) {
  return at_any_time("MPI_Info_get_valuelen", [&](Rank& rank) {
    require_pointer(flag, "flag");
    require_pointer(valuelen, "valuelen");
    const std::optional<std::string> found = info_of(rank, info).get(checked_key(key));
    if (found) *valuelen = static_cast<int>(found->size());
    *flag = found ? 1 : 0;
  });
}

MPI_CALL(int, Info_get_nkeys, (MPI_Info info, int* nkeys)) {
  return at_any_time("MPI_Info_get_nkeys", [&](Rank& rank) {
    require_pointer(nkeys, "nkeys");
    *nkeys = static_cast<int>(info_of(rank, info).entries().size());
  });
}

MPI_CALL(int, Info_get_nthkey, (MPI_Info info, int n, char* key)) {
  return at_any_time("MPI_Info_get_nthkey", [&](Rank& rank) {
    require_pointer(key, "key");
    const Info::Entries entries = info_of(rank, info).entries();
    require(n >= 0 && n < static_cast<int>(entries.size()), MPI_ERR_ARG, [&] {
      return "n is " + std::to_string(n) + ", the info object has " + std::to_string(entries.size()) +
             " keys";
    });
    store_cut(entries[static_cast<std::size_t>(n)].first, MPI_MAX_INFO_KEY - 1, key);
  });
}

MPI_CALL(int, Info_dup, (MPI_Info info, MPI_Info* newinfo)) {
  return at_any_time("MPI_Info_dup", [&](Rank& rank) {
    require_pointer(newinfo, "newinfo");
    *newinfo = handle_of<MPI_Info>(new Info(info_of(rank, info).entries()));
  });
}

MPI_CALL(int, Info_free, (MPI_Info * info)) {
  return at_any_time("MPI_Info_free", [&](Rank& rank) {
    require_pointer(info, "info");
    changeable(rank, *info).release();
    *info = MPI_INFO_NULL;
  });
}
