/* SPDX-License-Identifier: Apache-2.0
 *
 * Fortran procedures that follow no rule: functions, arguments that C does not have or counts otherwise, and
 * calls that were removed. Those with procedures as arguments are in procedure_calls.c; what needs the inside
 * of the library is in fortran_entry.cc.
 */
#include <string.h>

#include "taihu/mpi/bindings/fortran/special_calls.h"
#include "taihu/mpi/bindings/fortran/support.h"

FORTRAN_AND_F08(void, mpi_init_, (MPI_Fint * ierror)) {
  finish(PMPI_Init(NULL, NULL), ierror);
}
FORTRAN_AND_F08(void, mpi_init_thread_, (const MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror)) {
  finish(PMPI_Init_thread(NULL, NULL, *required, provided), ierror);
}
FORTRAN_AND_F08(void, mpi_pcontrol_, (const MPI_Fint* level)) {
  PMPI_Pcontrol(*level);
}
FORTRAN_AND_F08(double, mpi_wtime_, (void)) {
  return PMPI_Wtime();
}
FORTRAN_AND_F08(double, mpi_wtick_, (void)) {
  return PMPI_Wtick();
}
FORTRAN_AND_F08(MPI_Aint, mpi_aint_add_, (const MPI_Aint* base, const MPI_Aint* disp)) {
  return *base + *disp;
}
FORTRAN_AND_F08(MPI_Aint, mpi_aint_diff_, (const MPI_Aint* addr1, const MPI_Aint* addr2)) {
  return *addr1 - *addr2;
}

FORTRAN(void, mpi_buffer_detach_, (void** buffer_addr, MPI_Fint* size, MPI_Fint* ierror)) {
  /* Fortran programs know the buffer by its name: its address is of no use (the standard lets it undefined).
   */
  (void)buffer_addr;
  void* address;
  finish(PMPI_Buffer_detach(&address, size), ierror);
}
FORTRAN(void, mpi_buffer_detach_f08_, (void** buffer_addr, MPI_Fint* size, MPI_Fint* ierror)) {
  finish(PMPI_Buffer_detach(buffer_addr, size), ierror);
}
FORTRAN(void, mpi_buffer_detach_c_f08_, (void** buffer_addr, MPI_Count* size, MPI_Fint* ierror)) {
  finish(PMPI_Buffer_detach_c(buffer_addr, size), ierror);
}

/* The same of what is attached to a communicator or a session. */
#define DETACH(name, call, large_call, from_fortran)                                                         \
  FORTRAN(void, name, (const MPI_Fint* object, void** address, MPI_Fint* size, MPI_Fint* ierror)) {          \
    (void)address;                                                                                           \
    void* unused;                                                                                            \
    finish(call(from_fortran(*object), &unused, size), ierror);                                              \
  }                                                                                                          \
  FORTRAN(void, name##f08_, (const MPI_Fint* object, void** address, MPI_Fint* size, MPI_Fint* ierror)) {    \
    finish(call(from_fortran(*object), address, size), ierror);                                              \
  }                                                                                                          \
  FORTRAN(void, name##c_f08_, (const MPI_Fint* object, void** address, MPI_Count* size, MPI_Fint* ierror)) { \
    finish(large_call(from_fortran(*object), address, size), ierror);                                        \
  }
DETACH(mpi_comm_detach_buffer_, PMPI_Comm_detach_buffer, PMPI_Comm_detach_buffer_c, taihu_Comm)
DETACH(mpi_session_detach_buffer_, PMPI_Session_detach_buffer, PMPI_Session_detach_buffer_c, taihu_Session)

/* The length of a name leaves out the zero byte of C. */
static int nth_set(MPI_Fint session, MPI_Fint info, int n, MPI_Fint* length, char* name, size_t room) {
  char text[MPI_MAX_PSET_NAME_LEN];
  int bytes = sizeof text;
  const int code = PMPI_Session_get_nth_pset(taihu_Session(session), taihu_Info(info), n, &bytes, text);
  if (code != MPI_SUCCESS) return code;
  if (*length > 0) taihu_store_text(name, (size_t)*length < room ? (size_t)*length : room, text);
  *length = bytes - 1;
  return code;
}
FORTRAN(void, mpi_session_get_nth_pset_,
        (const MPI_Fint* session, const MPI_Fint* info, const MPI_Fint* n, MPI_Fint* pset_len,
         char* pset_name, MPI_Fint* ierror, size_t room)) {
  finish(nth_set(*session, *info, *n, pset_len, pset_name, room), ierror);
}
FORTRAN(void, mpi_session_get_nth_pset_f08_,
        (const MPI_Fint* session, const MPI_Fint* info, const MPI_Fint* n, MPI_Fint* pset_len,
         CFI_cdesc_t* pset_name, MPI_Fint* ierror)) {
  finish(nth_set(*session, *info, *n, pset_len, pset_name->base_addr, pset_name->elem_len), ierror);
}

FORTRAN_AND_F08(void, mpi_sizeof_, (CFI_cdesc_t * x, MPI_Fint* size, MPI_Fint* ierror)) {
  *size = (MPI_Fint)x->elem_len;
  finish(MPI_SUCCESS, ierror);
}
FORTRAN_AND_F08(void, mpi_status_f2f08_, (const MPI_Fint* from, MPI_Fint* to, MPI_Fint* ierror)) {
  memmove(to, from, sizeof(MPI_Status));
  finish(MPI_SUCCESS, ierror);
}
FORTRAN_AND_F08(void, mpi_status_f082f_, (const MPI_Fint* from, MPI_Fint* to, MPI_Fint* ierror)) {
  memmove(to, from, sizeof(MPI_Status));
  finish(MPI_SUCCESS, ierror);
}

/* --- what is refused in C as well: its message says why --- */

/* The arguments of a program, `step` texts apart, up to a blank one; null: none. To be freed with their
 * texts. */
static char** arguments_of(const char* argv, size_t length, size_t step) {
  if (argv == mpi_fortran_argv_null_ || argv == mpi_fortran_argvs_null_) return MPI_ARGV_NULL;
  char** list = NULL;
  for (MPI_Count k = 0;; ++k) {
    char** const longer = taihu_array(k + 1, sizeof *longer);
    for (MPI_Count i = 0; i < k; ++i) longer[i] = list[i];
    free(list);
    list = longer;
    char* const text = taihu_text(argv + (size_t)k * step * length, length, 0);
    if (*text == '\0') {
      free(text);
      return list;
    }
    list[k] = text;
  }
}
static void free_arguments(char** list) {
  for (char** at = list; at != NULL && *at != NULL; ++at) free(*at);
  free(list);
}

FORTRAN(void, mpi_comm_spawn_,
        (const char* command, const char* argv, const MPI_Fint* maxprocs, const MPI_Fint* info,
         const MPI_Fint* root, const MPI_Fint* comm, MPI_Fint* intercomm, MPI_Fint* errcodes,
         MPI_Fint* ierror, size_t command_length, size_t argv_length)) {
  char* const name = taihu_text(command, command_length, 0);
  char** const arguments = arguments_of(argv, argv_length, 1);
  MPI_Comm made = MPI_COMM_NULL;
  const int code = PMPI_Comm_spawn(name, arguments, *maxprocs, taihu_Info(*info), *root, taihu_Comm(*comm),
                                   &made, taihu_error_codes(errcodes));
  free(name);
  free_arguments(arguments);
  *intercomm = MPI_Comm_c2f(made);
  finish(code, ierror);
}

/* argvs(count, *): the arguments of a program are a row. */
FORTRAN(void, mpi_comm_spawn_multiple_,
        (const MPI_Fint* count, const char* commands, const char* argvs, const MPI_Fint* maxprocs,
         const MPI_Fint* infos, const MPI_Fint* root, const MPI_Fint* comm, MPI_Fint* intercomm,
         MPI_Fint* errcodes, MPI_Fint* ierror, size_t command_length, size_t argv_length)) {
  int rank = 0;
  PMPI_Comm_rank(taihu_Comm(*comm), &rank);
  const int programs = rank == *root && *count > 0 ? *count : 0; /* of meaning on the root alone */
  char** const names = taihu_array(programs + 1, sizeof *names);
  char*** const arguments = taihu_array(programs + 1, sizeof *arguments);
  MPI_Info* const c_infos = taihu_array(programs + 1, sizeof *c_infos);
  for (int k = 0; k < programs; ++k) {
    names[k] = taihu_text(commands + (size_t)k * command_length, command_length, 0);
    arguments[k] = argvs == mpi_fortran_argvs_null_
                       ? MPI_ARGV_NULL
                       : arguments_of(argvs + (size_t)k * argv_length, argv_length, (size_t)programs);
    c_infos[k] = taihu_Info(infos[k]);
  }
  MPI_Comm made = MPI_COMM_NULL;
  const int code = PMPI_Comm_spawn_multiple(*count, names, arguments, maxprocs, c_infos, *root,
                                            taihu_Comm(*comm), &made, taihu_error_codes(errcodes));
  for (int k = 0; k < programs; ++k) {
    free(names[k]);
    free_arguments(arguments[k]);
  }
  free(names);
  free(arguments);
  free(c_infos);
  *intercomm = MPI_Comm_c2f(made);
  finish(code, ierror);
}

/* A call that the compiler cannot look into: it keeps a buffer's values in memory around it. */
FORTRAN(void, mpi_f_sync_reg_, (void* buffer)) {
  (void)buffer;
}
FORTRAN(void, mpi_f_sync_reg_f08ts_, (CFI_cdesc_t * buffer)) {
  (void)buffer;
}

/* --- with arguments that C counts otherwise or that Fortran does not have --- */

FORTRAN_AND_F08(void, mpi_info_create_env_, (MPI_Fint * info, MPI_Fint* ierror)) {
  MPI_Info made = MPI_INFO_NULL;
  const int code = PMPI_Info_create_env(0, NULL, &made);
  *info = MPI_Info_c2f(made);
  finish(code, ierror);
}

FORTRAN_AND_F08(void, mpi_info_get_string_,
                (const MPI_Fint* info, const char* key, MPI_Fint* buflen, char* value, MPI_Fint* flag,
                 MPI_Fint* ierror, size_t key_length, size_t value_length)) {
  char* const name = taihu_text(key, key_length, 1);
  const int wanted = *buflen;
  int room = wanted + 1; /* C counts the zero byte, too */
  char* const text = taihu_array(room, 1);
  int length = wanted == 0 ? 0 : room;
  const int code = PMPI_Info_get_string(taihu_Info(*info), name, &length, text, flag);
  if (code == MPI_SUCCESS && *flag) {
    *buflen = length - 1;
    if (wanted > 0) taihu_store_text(value, value_length, text);
  }
  free(name);
  free(text);
  finish(code, ierror);
}

/* --- removed calls, whose addresses and displacements are of type INTEGER --- */

FORTRAN(void, mpi_address_, (void* location, MPI_Fint* address, MPI_Fint* ierror)) {
  MPI_Aint wide = 0;
  int code = PMPI_Get_address(location, &wide);
  *address = (MPI_Fint)wide;
  if (code == MPI_SUCCESS && *address != wide) code = MPI_ERR_ARG; /* does not fit: use MPI_GET_ADDRESS */
  finish(code, ierror);
}
static MPI_Aint* widened(const MPI_Fint* numbers, MPI_Fint count) {
  MPI_Aint* const wide = taihu_array(count, sizeof *wide);
  for (MPI_Fint i = 0; i < count; ++i) wide[i] = numbers[i];
  return wide;
}
FORTRAN(void, mpi_type_struct_,
        (const MPI_Fint* count, const MPI_Fint* lengths, const MPI_Fint* displacements, const MPI_Fint* types,
         MPI_Fint* newtype, MPI_Fint* ierror)) {
  MPI_Aint* const places = widened(displacements, *count);
  MPI_Datatype* const of = taihu_array(*count, sizeof *of);
  for (MPI_Fint i = 0; i < *count; ++i) of[i] = taihu_Type(types[i]);
  MPI_Datatype made = MPI_DATATYPE_NULL;
  finish(PMPI_Type_create_struct(*count, lengths, places, of, &made), ierror);
  *newtype = MPI_Type_c2f(made);
  free(places);
  free(of);
}
FORTRAN(void, mpi_type_hindexed_,
        (const MPI_Fint* count, const MPI_Fint* lengths, const MPI_Fint* displacements,
         const MPI_Fint* oldtype, MPI_Fint* newtype, MPI_Fint* ierror)) {
  MPI_Aint* const places = widened(displacements, *count);
  MPI_Datatype made = MPI_DATATYPE_NULL;
  finish(PMPI_Type_create_hindexed(*count, lengths, places, taihu_Type(*oldtype), &made), ierror);
  *newtype = MPI_Type_c2f(made);
  free(places);
}
FORTRAN(void, mpi_type_hvector_,
        (const MPI_Fint* count, const MPI_Fint* length, const MPI_Fint* stride, const MPI_Fint* oldtype,
         MPI_Fint* newtype, MPI_Fint* ierror)) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  finish(PMPI_Type_create_hvector(*count, *length, *stride, taihu_Type(*oldtype), &made), ierror);
  *newtype = MPI_Type_c2f(made);
}
FORTRAN(void, mpi_type_extent_, (const MPI_Fint* datatype, MPI_Fint* extent, MPI_Fint* ierror)) {
  MPI_Aint lower = 0, wide = 0;
  finish(PMPI_Type_get_extent(taihu_Type(*datatype), &lower, &wide), ierror);
  *extent = (MPI_Fint)wide;
}
FORTRAN(void, mpi_type_lb_, (const MPI_Fint* datatype, MPI_Fint* displacement, MPI_Fint* ierror)) {
  MPI_Aint lower = 0, extent = 0;
  finish(PMPI_Type_get_extent(taihu_Type(*datatype), &lower, &extent), ierror);
  *displacement = (MPI_Fint)lower;
}
FORTRAN(void, mpi_type_ub_, (const MPI_Fint* datatype, MPI_Fint* displacement, MPI_Fint* ierror)) {
  MPI_Aint lower = 0, extent = 0;
  finish(PMPI_Type_get_extent(taihu_Type(*datatype), &lower, &extent), ierror);
  *displacement = (MPI_Fint)(lower + extent);
}
