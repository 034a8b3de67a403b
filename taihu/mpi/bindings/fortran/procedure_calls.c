/* SPDX-License-Identifier: Apache-2.0
 *
 * Fortran procedures that take procedures of the program: of attributes, operations, error handlers,
 * generalized requests and data representations; and the predefined procedures that may stand for them.
 */
#include "taihu/mpi/bindings/fortran/entry.h"
#include "taihu/mpi/bindings/fortran/special_calls.h"
#include "taihu/mpi/bindings/fortran/support.h"

/* The predefined ones are recognised by their address, but programs may also call them. The procedures of
   MPI_KEYVAL_CREATE have attributes of type INTEGER. */
#define PREDEFINED_COPY(name, value, copied)                                                           \
  void name(const MPI_Fint* object, const MPI_Fint* keyval, const value* extra_state, const value* in, \
            value* out, MPI_Fint* flag, MPI_Fint* ierror) {                                            \
    (void)object, (void)keyval, (void)extra_state;                                                     \
    *flag = (copied);                                                                                  \
    if (copied) *out = *in;                                                                            \
    *ierror = MPI_SUCCESS;                                                                             \
  }
#define PREDEFINED_DELETE(name, value)                                              \
  void name(const MPI_Fint* object, const MPI_Fint* keyval, const value* attribute, \
            const value* extra_state, MPI_Fint* ierror) {                           \
    (void)object, (void)keyval, (void)attribute, (void)extra_state;                 \
    *ierror = MPI_SUCCESS;                                                          \
  }
#define PREDEFINED(kind, value)                        \
  PREDEFINED_COPY(mpi_##kind##null_copy_fn_, value, 0) \
  PREDEFINED_COPY(mpi_##kind##dup_fn_, value, 1)       \
  PREDEFINED_DELETE(mpi_##kind##null_delete_fn_, value)
PREDEFINED(, MPI_Fint)
PREDEFINED(comm_, MPI_Aint)
PREDEFINED(type_, MPI_Aint)
PREDEFINED(win_, MPI_Aint)
/* Never called: it stands for "no conversion". */
void mpi_conversion_fn_null_(void) {}
void mpi_conversion_fn_null_c_(void) {}

typedef void procedure(void);

static procedure* copy_procedure(procedure* given) {
  if (given == (procedure*)mpi_null_copy_fn_ || given == (procedure*)mpi_comm_null_copy_fn_ ||
      given == (procedure*)mpi_type_null_copy_fn_ || given == (procedure*)mpi_win_null_copy_fn_)
    return (procedure*)MPI_NULL_COPY_FN;
  if (given == (procedure*)mpi_dup_fn_ || given == (procedure*)mpi_comm_dup_fn_ ||
      given == (procedure*)mpi_type_dup_fn_ || given == (procedure*)mpi_win_dup_fn_)
    return (procedure*)MPI_DUP_FN;
  return given;
}
static procedure* delete_procedure(procedure* given) {
  return given == (procedure*)mpi_null_delete_fn_ || given == (procedure*)mpi_comm_null_delete_fn_ ||
                 given == (procedure*)mpi_type_null_delete_fn_ || given == (procedure*)mpi_win_null_delete_fn_
             ? (procedure*)MPI_NULL_DELETE_FN
             : given;
}

#define KEYVAL(name, carrier)                                                                    \
  FORTRAN(void, mpi_##name##_create_keyval_,                                                     \
          (procedure * copy, procedure * remove, MPI_Fint * keyval, const MPI_Aint* extra_state, \
           MPI_Fint* ierror)) {                                                                  \
    finish(taihu_fortran_create_keyval(carrier, copy_procedure(copy), delete_procedure(remove),  \
                                       *extra_state, 0, keyval),                                 \
           ierror);                                                                              \
  }
KEYVAL(comm, taihu_on_communicator)
KEYVAL(type, taihu_on_datatype)
KEYVAL(win, taihu_on_window)
FORTRAN(void, mpi_keyval_create_,
        (procedure * copy, procedure* remove, MPI_Fint* keyval, const MPI_Fint* extra_state,
         MPI_Fint* ierror)) {
  finish(taihu_fortran_create_keyval(taihu_on_communicator, copy_procedure(copy), delete_procedure(remove),
                                     *extra_state, 1, keyval),
         ierror);
}

#define ATTRIBUTES(name, carrier)                                                                            \
  FORTRAN_AND_F08(                                                                                           \
      void, mpi_##name##_set_attr_,                                                                          \
      (const MPI_Fint* object, const MPI_Fint* keyval, const MPI_Aint* value, MPI_Fint* ierror)) {           \
    finish(taihu_fortran_set_attribute(carrier, *object, *keyval, *value, 0), ierror);                       \
  }                                                                                                          \
  FORTRAN_AND_F08(                                                                                           \
      void, mpi_##name##_get_attr_,                                                                          \
      (const MPI_Fint* object, const MPI_Fint* keyval, MPI_Aint* value, MPI_Fint* flag, MPI_Fint* ierror)) { \
    finish(taihu_fortran_get_attribute(carrier, *object, *keyval, value, flag), ierror);                     \
  }
ATTRIBUTES(comm, taihu_on_communicator)
ATTRIBUTES(type, taihu_on_datatype)
ATTRIBUTES(win, taihu_on_window)
FORTRAN(void, mpi_attr_put_,
        (const MPI_Fint* comm, const MPI_Fint* keyval, const MPI_Fint* value, MPI_Fint* ierror)) {
  finish(taihu_fortran_set_attribute(taihu_on_communicator, *comm, *keyval, *value, 1), ierror);
}
FORTRAN(void, mpi_attr_get_,
        (const MPI_Fint* comm, const MPI_Fint* keyval, MPI_Fint* value, MPI_Fint* flag, MPI_Fint* ierror)) {
  MPI_Aint wide = 0;
  const int code = taihu_fortran_get_attribute(taihu_on_communicator, *comm, *keyval, &wide, flag);
  if (code == MPI_SUCCESS && *flag) *value = (MPI_Fint)wide;
  finish(code, ierror);
}

FORTRAN(void, mpi_op_create_,
        (procedure * user_fn, const MPI_Fint* commute, MPI_Fint* op, MPI_Fint* ierror)) {
  MPI_Op made = MPI_OP_NULL;
  const int code = taihu_fortran_create_operation(user_fn, *commute != 0, &made);
  *op = MPI_Op_c2f(made);
  finish(code, ierror);
}

FORTRAN(void, mpi_op_create_c_,
        (procedure * user_fn, const MPI_Fint* commute, MPI_Fint* op, MPI_Fint* ierror)) {
  MPI_Op made = MPI_OP_NULL;
  const int code = taihu_fortran_create_large_operation(user_fn, *commute != 0, &made);
  *op = MPI_Op_c2f(made);
  finish(code, ierror);
}

#define ERROR_HANDLER(name, use)                                                          \
  FORTRAN(void, name, (procedure * function, MPI_Fint * errhandler, MPI_Fint * ierror)) { \
    MPI_Errhandler made = MPI_ERRHANDLER_NULL;                                            \
    const int code = taihu_fortran_create_error_handler(use, function, &made);            \
    *errhandler = MPI_Errhandler_c2f(made);                                               \
    finish(code, ierror);                                                                 \
  }
ERROR_HANDLER(mpi_comm_create_errhandler_, taihu_on_communicator)
ERROR_HANDLER(mpi_errhandler_create_, taihu_on_communicator)
ERROR_HANDLER(mpi_win_create_errhandler_, taihu_on_window)
ERROR_HANDLER(mpi_file_create_errhandler_, taihu_on_file)
ERROR_HANDLER(mpi_session_create_errhandler_, taihu_on_session)

/* Generalized requests. The procedures get the program's own variable as extra state, as with the other MPI
   libraries: programs keep state in it. */
struct generalized {
  void (*query)(MPI_Aint* state, MPI_Fint* status, MPI_Fint* ierror);
  void (*free)(MPI_Aint* state, MPI_Fint* ierror);
  void (*cancel)(MPI_Aint* state, MPI_Fint* complete, MPI_Fint* ierror);
  MPI_Aint* state;
};
static int query(void* state, MPI_Status* status) {
  struct generalized* const request = state;
  MPI_Fint code = MPI_SUCCESS;
  request->query(request->state, (MPI_Fint*)status, &code);
  return code;
}
static int free_state(void* state) {
  struct generalized* const request = state;
  MPI_Fint code = MPI_SUCCESS;
  request->free(request->state, &code);
  free(request);
  return code;
}
static int cancel(void* state, int complete) {
  struct generalized* const request = state;
  MPI_Fint code = MPI_SUCCESS, is_complete = complete;
  request->cancel(request->state, &is_complete, &code);
  return code;
}
FORTRAN(void, mpi_grequest_start_,
        (void (*query_fn)(MPI_Aint*, MPI_Fint*, MPI_Fint*), void (*free_fn)(MPI_Aint*, MPI_Fint*),
         void (*cancel_fn)(MPI_Aint*, MPI_Fint*, MPI_Fint*), MPI_Aint* extra_state, MPI_Fint* request,
         MPI_Fint* ierror)) {
  struct generalized* const kept = taihu_array(1, sizeof *kept);
  *kept = (struct generalized){query_fn, free_fn, cancel_fn, extra_state};
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = PMPI_Grequest_start(query, free_state, cancel, kept, &made);
  if (code != MPI_SUCCESS) free(kept);
  *request = MPI_Request_c2f(made);
  finish(code, ierror);
}

/* Data representations. They last until MPI_FINALIZE, and so does what belongs to them. */
struct representation {
  void (*extent)(const MPI_Fint* datatype, MPI_Aint* extent, MPI_Aint* state, MPI_Fint* ierror);
  MPI_Aint state;
};
static int extent_in_file(MPI_Datatype datatype, MPI_Aint* extent, void* state) {
  struct representation* const kept = state;
  const MPI_Fint type = MPI_Type_c2f(datatype);
  MPI_Fint code = MPI_SUCCESS;
  kept->extent(&type, extent, &kept->state, &code);
  return code;
}
/* Conversion functions are refused in C as well; any stands for those of the program there. */
static int conversion(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position,
                      void* state) {
  (void)user, (void)type, (void)count, (void)file, (void)position, (void)state;
  return MPI_ERR_UNSUPPORTED_OPERATION;
}
static int large_conversion(void* user, MPI_Datatype type, MPI_Count count, void* file, MPI_Offset position,
                            void* state) {
  (void)user, (void)type, (void)count, (void)file, (void)position, (void)state;
  return MPI_ERR_UNSUPPORTED_OPERATION;
}
FORTRAN(void, mpi_register_datarep_c_,
        (const char* datarep, procedure* read, procedure* write,
         void (*extent)(const MPI_Fint*, MPI_Aint*, MPI_Aint*, MPI_Fint*), const MPI_Aint* extra_state,
         MPI_Fint* ierror, size_t datarep_length)) {
  struct representation* const kept = taihu_array(1, sizeof *kept);
  *kept = (struct representation){extent, *extra_state};
  char* const name = taihu_text(datarep, datarep_length, 0);
  const int code = PMPI_Register_datarep_c(
      name, read == mpi_conversion_fn_null_c_ ? MPI_CONVERSION_FN_NULL_C : large_conversion,
      write == mpi_conversion_fn_null_c_ ? MPI_CONVERSION_FN_NULL_C : large_conversion, extent_in_file, kept);
  if (code != MPI_SUCCESS) free(kept);
  free(name);
  finish(code, ierror);
}
FORTRAN(void, mpi_register_datarep_,
        (const char* datarep, procedure* read, procedure* write,
         void (*extent)(const MPI_Fint*, MPI_Aint*, MPI_Aint*, MPI_Fint*), const MPI_Aint* extra_state,
         MPI_Fint* ierror, size_t datarep_length)) {
  struct representation* const kept = taihu_array(1, sizeof *kept);
  *kept = (struct representation){extent, *extra_state};
  char* const name = taihu_text(datarep, datarep_length, 0);
  const int code = PMPI_Register_datarep(
      name, read == mpi_conversion_fn_null_ ? MPI_CONVERSION_FN_NULL : conversion,
      write == mpi_conversion_fn_null_ ? MPI_CONVERSION_FN_NULL : conversion, extent_in_file, kept);
  if (code != MPI_SUCCESS) free(kept);
  free(name);
  finish(code, ierror);
}
