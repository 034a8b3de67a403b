// SPDX-License-Identifier: Apache-2.0
// What the procedures of Open MPI's Fortran library call in its library for C beyond the calls of MPI: texts,
// failures of their own, and the predefined procedures of keys. And procedures in place of its own (names.cc)
// that take texts and, in version 5, the inside of info objects.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "taihu/mpi/bindings/open_mpi_abi/convert.h"
#include "taihu/mpi/objects/call.h"

namespace taihu::mpi::open_mpi {
namespace {

char* c_text(const char* text, int length) {
  while (length > 0 && *text == ' ') ++text, --length;
  while (length > 0 && text[length - 1] == ' ') --length;
  char* const made = static_cast<char*>(std::malloc(static_cast<std::size_t>(length) + 1));
  if (made == nullptr) return nullptr;
  std::memcpy(made, text, static_cast<std::size_t>(length));
  made[length] = '\0';
  return made;
}

constexpr int no_memory = -2;  ///< of Open MPI's internal codes

void free_texts(char** texts) {
  for (char** text = texts; text != nullptr && *text != nullptr; ++text) std::free(*text);
  std::free(texts);
}

/// `count` texts, or as many as there are before a blank one (count below 0); ends with a null pointer.
int c_texts(const char* texts, int length, int advance, int count, char*** result) {
  *result = nullptr;
  auto** made = static_cast<char**>(std::malloc(sizeof(char*)));
  for (int i = 0; made != nullptr; ++i, texts += advance) {
    made[i] = nullptr;
    char* const text = i == count ? nullptr : c_text(texts, length);
    if (i == count || (text != nullptr && count < 0 && *text == '\0')) {
      std::free(text);
      *result = made;
      return 0;
    }
    auto** const longer =
        static_cast<char**>(std::realloc(made, sizeof(char*) * (static_cast<std::size_t>(i) + 2)));
    if (text == nullptr || longer == nullptr) {
      std::free(text);
      free_texts(longer != nullptr ? longer : made);
      return no_memory;
    }
    made = longer;
    made[i] = text;
    made[i + 1] = nullptr;
  }
  return no_memory;
}

/// A key in Fortran, for the C library's calls.
using Key = std::unique_ptr<char, decltype(&std::free)>;
Key key_of(const char* text, int length) {
  return {c_text(text, length), &std::free};
}
MPI_Info info_of(const int* integer) noexcept {
  Rank* const rank = current_rank();
  return rank != nullptr ? from_fortran<MPI_Info>(*rank, *integer) : invalid_handle<MPI_Info>();
}
/// A text for Fortran, which ends with blanks.
void give_text(const char* text, char* result, int length) {
  const std::size_t room = static_cast<std::size_t>(std::max(length, 0));
  const std::size_t bytes = std::min(std::strlen(text), room);
  std::memcpy(result, text, bytes);
  std::memset(result + bytes, ' ', room - bytes);
}

}  // namespace
}  // namespace taihu::mpi::open_mpi

using namespace taihu::mpi;
using namespace taihu::mpi::open_mpi;

#define INTERNAL(result, name, parameters) TAIHU_OPEN_MPI_CALL(result, internal_##name, parameters)

INTERNAL(int, ompi_fortran_string_f2c, (const char* text, int length, char** result)) {
  *result = c_text(text, length);
  return *result != nullptr ? 0 : no_memory;
}
INTERNAL(int, ompi_fortran_string_c2f, (const char* text, char* result, int length)) {
  give_text(text, result, length);
  return 0;
}
INTERNAL(int, ompi_fortran_argv_blank_f2c, (const char* texts, int length, int advance, char*** result)) {
  return c_texts(texts, length, advance, -1, result);
}
INTERNAL(int, ompi_fortran_argv_count_f2c,
         (const char* texts, int count, int length, int advance, char*** result)) {
  return c_texts(texts, length, advance, count, result);
}
INTERNAL(void, opal_argv_free, (char** texts)) {
  free_texts(texts);
}
/// What a Fortran procedure calls when it fails by itself, as without memory.
INTERNAL(int, ompi_errhandler_invoke, (void*, void*, int, int code, const char* call)) {
  return out_error(on_rank(call, [&](Rank&) { throw CallError(in_error(code), "the call failed"); }));
}

// What Fortran programs may give for the procedures of keys. The values of keys of MPI-1 are INTEGER.
#define NULL_PROCEDURES(kind)                                                                         \
  INTERNAL(void, mpi_##kind##null_copy_fn_,                                                           \
           (const int*, const int*, const void*, const void*, void*, int* flag, int* error)) {        \
    *flag = 0;                                                                                        \
    *error = MPI_SUCCESS;                                                                             \
  }                                                                                                   \
  INTERNAL(void, mpi_##kind##null_delete_fn_,                                                         \
           (const int*, const int*, const void*, const void*, int* error)) {                          \
    *error = MPI_SUCCESS;                                                                             \
  }                                                                                                   \
  INTERNAL(void, mpi_##kind##dup_fn_,                                                                 \
           (const int*, const int*, const void*, const void* in, void* out, int* flag, int* error)) { \
    std::memcpy(out, in, sizeof #kind == 1 ? sizeof(int) : sizeof(MPI_Aint));                         \
    *flag = 1;                                                                                        \
    *error = MPI_SUCCESS;                                                                             \
  }
NULL_PROCEDURES()
NULL_PROCEDURES(comm_)
NULL_PROCEDURES(type_)
NULL_PROCEDURES(win_)
/// Procedures that convert between data representations are never called.
INTERNAL(void, mpi_conversion_fn_null_, (void)) {}

#define INFO_PROCEDURE(name, parameters) TAIHU_OPEN_MPI_CALL(void, fortran_info_##name, parameters)

INFO_PROCEDURE(get, (const int* info, const char* key, const int* most, char* value, int* flag, int* error,
                     int key_length, int value_length)) {
  char text[MPI_MAX_INFO_VAL + 1] = "";
  const int room = std::min(*most, MPI_MAX_INFO_VAL);  // no value is longer
  const int code = PMPI_Info_get(info_of(info), key_of(key, key_length).get(), room, text, flag);
  if (code == MPI_SUCCESS && *flag != 0) give_text(text, value, value_length);
  if (error != nullptr) *error = out_error(code);
}
INFO_PROCEDURE(get_valuelen,
               (const int* info, const char* key, int* length, int* flag, int* error, int key_length)) {
  const int code = PMPI_Info_get_valuelen(info_of(info), key_of(key, key_length).get(), length, flag);
  if (error != nullptr) *error = out_error(code);
}
INFO_PROCEDURE(get_nthkey, (const int* info, const int* n, char* key, int* error, int key_length)) {
  char text[MPI_MAX_INFO_KEY + 1] = "";
  const int code = PMPI_Info_get_nthkey(info_of(info), *n, text);
  if (code == MPI_SUCCESS) give_text(text, key, key_length);
  if (error != nullptr) *error = out_error(code);
}
