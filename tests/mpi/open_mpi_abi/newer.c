/* SPDX-License-Identifier: Apache-2.0
 * What Open MPI has since version 5: sessions, partitioned messages, numbers of half precision. Declared
 * here, so that version 4 is enough to build the program. */
#include "../programs/check.h"

#if OMPI_MAJOR_VERSION < 5
typedef struct ompi_instance_t* MPI_Session;
extern struct ompi_predefined_instance_t ompi_mpi_instance_null;
#define MPI_SESSION_NULL ((MPI_Session)(void*)&ompi_mpi_instance_null)
#define MPI_ERR_SESSION 78
extern struct ompi_predefined_errhandler_t ompi_mpi_errors_abort;
#define MPI_ERRORS_ABORT ((MPI_Errhandler)(void*)&ompi_mpi_errors_abort)
typedef void(MPI_Session_errhandler_function)(MPI_Session* session, int* code, ...);
int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session* session);
int MPI_Session_finalize(MPI_Session* session);
int MPI_Session_get_num_psets(MPI_Session session, MPI_Info info, int* count);
int MPI_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n, int* length, char* name);
int MPI_Session_create_errhandler(MPI_Session_errhandler_function* function, MPI_Errhandler* handler);
int MPI_Session_call_errhandler(MPI_Session session, int code);
int MPI_Group_from_session_pset(MPI_Session session, const char* name, MPI_Group* group);
int MPI_Comm_create_from_group(MPI_Group group, const char* tag, MPI_Info info, MPI_Errhandler handler,
                               MPI_Comm* comm);
int MPI_Psend_init(const void* buffer, int parts, MPI_Count count, MPI_Datatype type, int to, int tag,
                   MPI_Comm comm, MPI_Info info, MPI_Request* request);
int MPI_Precv_init(void* buffer, int parts, MPI_Count count, MPI_Datatype type, int from, int tag,
                   MPI_Comm comm, MPI_Info info, MPI_Request* request);
MPI_Fint MPI_Session_c2f(MPI_Session session);
MPI_Session MPI_Session_f2c(MPI_Fint integer);
int MPI_Pready(int part, MPI_Request request);
int MPI_Pready_range(int first, int last, MPI_Request request);
int MPI_Parrived(MPI_Request request, int part, int* flag);
#endif
/* Of its mpi-ext.h. mpi4py takes the first for NumPy's "e", if the library has it: a weak reference. */
extern struct ompi_predefined_datatype_t ompi_mpi_short_float __attribute__((weak));
extern struct ompi_predefined_datatype_t ompi_mpi_c_short_float_complex;
#define HALF ((MPI_Datatype)(void*)&ompi_mpi_short_float)
#define HALF_COMPLEX ((MPI_Datatype)(void*)&ompi_mpi_c_short_float_complex)

static MPI_Session seen;
static int seen_code;
static void note(MPI_Session* session, int* code, ...) {
  seen = *session;
  seen_code = *code;
}

/* A session and its error handler need no MPI_Init. */
static void before_init(void) {
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Errhandler handler;
  CHECK(MPI_Session_create_errhandler(note, &handler) == MPI_SUCCESS);
  CHECK(MPI_Session_init(MPI_INFO_NULL, handler, &session) == MPI_SUCCESS);
  MPI_Errhandler_free(&handler);
  MPI_Session_call_errhandler(session, MPI_ERR_SESSION);
  CHECK(seen == session && seen_code == MPI_ERR_SESSION);
  CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS && session == MPI_SESSION_NULL);
  seen_code = MPI_SUCCESS;
}

static void sessions(void) {
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Errhandler handler;
  CHECK(MPI_Session_create_errhandler(note, &handler) == MPI_SUCCESS);
  CHECK(MPI_Session_init(MPI_INFO_NULL, handler, &session) == MPI_SUCCESS && session != MPI_SESSION_NULL);
  MPI_Errhandler_free(&handler);
  int count = 0, length = 0;
  char name[256] = "";
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count);
  MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, NULL);
  CHECK(count >= 2 && length == sizeof "mpi://WORLD");
  MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name);
  CHECK(strcmp(name, "mpi://WORLD") == 0);
  MPI_Group group;
  MPI_Comm world;
  CHECK(MPI_Group_from_session_pset(session, name, &group) == MPI_SUCCESS);
  CHECK(MPI_Comm_create_from_group(group, "newer", MPI_INFO_NULL, MPI_ERRORS_RETURN, &world) == MPI_SUCCESS);
  MPI_Group_free(&group);
  int sum = -1;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, world);
  CHECK(sum == ranks * (ranks - 1) / 2);
  MPI_Errhandler handles = MPI_ERRHANDLER_NULL;
  CHECK(MPI_Comm_set_errhandler(world, MPI_ERRORS_ABORT) == MPI_SUCCESS);
  MPI_Comm_get_errhandler(world, &handles);
  CHECK(handles == MPI_ERRORS_ABORT);
  MPI_Comm_free(&world);
  MPI_Session_call_errhandler(session, MPI_ERR_SESSION);
  CHECK(seen == session && seen_code == MPI_ERR_SESSION);
  CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS && session == MPI_SESSION_NULL);
}

/* What programs ask about names that version 5 has. */
static void names(void) {
  CHECK(MPI_Errhandler_f2c(MPI_Errhandler_c2f(MPI_ERRORS_ABORT)) == MPI_ERRORS_ABORT);
  CHECK(MPI_Errhandler_c2f(MPI_ERRORS_ABORT) == 3);
  CHECK(MPI_Session_f2c(MPI_Session_c2f(MPI_SESSION_NULL)) == MPI_SESSION_NULL);
  CHECK(MPI_Session_c2f(MPI_SESSION_NULL) == 0);
  for (int code = 74; code < 80; ++code) { /* failed and revoked among them */
    char text[MPI_MAX_ERROR_STRING] = "";
    int class = -1, length = 0;
    CHECK(MPI_Error_class(code, &class) == MPI_SUCCESS && class == code);
    CHECK(MPI_Error_string(code, text, &length) == MPI_SUCCESS);
    CHECK(length > 10 && (int)strlen(text) == length);
  }
}

static void partitioned(void) {
  enum { parts = 4, each = 100 };
  double out[parts * each] = {0}, in[parts * each] = {0};
  MPI_Request requests[2];
  MPI_Psend_init(out, parts, each, MPI_DOUBLE, (rank + 1) % ranks, 3, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[0]);
  MPI_Precv_init(in, parts, each, MPI_DOUBLE, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[1]);
  for (int round = 0; round < 3; ++round) {
    MPI_Startall(2, requests);
    for (int i = 0; i < parts * each; ++i) out[i] = rank + i + round * 1000;
    MPI_Pready(parts - 1, requests[0]);
    MPI_Pready_range(0, parts - 2, requests[0]);
    for (int part = 0, arrived = 0; part < parts; part += arrived) MPI_Parrived(requests[1], part, &arrived);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < parts * each; ++i) CHECK(in[i] == (rank + ranks - 1) % ranks + i + round * 1000);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void halves(void) {
  int size = 0, integers = 0, addresses = 0, types = 0, combiner = 0;
  MPI_Aint begin = 1, extent = 0;
  CHECK(MPI_Type_size(HALF, &size) == MPI_SUCCESS && size == 2);
  CHECK(MPI_Type_get_extent(HALF, &begin, &extent) == MPI_SUCCESS && begin == 0 && extent == 2);
  MPI_Type_get_envelope(HALF, &integers, &addresses, &types, &combiner);
  CHECK(combiner == MPI_COMBINER_NAMED);
  CHECK(MPI_Type_f2c(MPI_Type_c2f(HALF)) == HALF);
  CHECK(MPI_Type_c2f(HALF) == 74);
  /* A struct ends at a multiple of what its members need: 1, 2 and 1 bytes are 6 with the padding. */
  MPI_Datatype type, member;
  MPI_Type_dup(HALF, &type);
  MPI_Type_create_struct(3, (int[]){1, 1, 1}, (MPI_Aint[]){0, 2, 4},
                         (MPI_Datatype[]){MPI_BYTE, type, MPI_BYTE}, &member);
  MPI_Type_get_extent(member, &begin, &extent);
  CHECK(extent == 6);
  MPI_Type_free(&member);
  MPI_Type_free(&type);
  _Float16 half = (_Float16)(rank + 0.5), sum = 0, most = 0;
  MPI_Allreduce(&half, &sum, 1, HALF, MPI_SUM, MPI_COMM_WORLD);
  CHECK((double)sum == ranks * (ranks - 1) / 2 + 0.5 * ranks);
  MPI_Allreduce(&half, &most, 1, HALF, MPI_MAX, MPI_COMM_WORLD);
  CHECK((double)most == ranks - 0.5);
  /* There is none of complex numbers: an error. */
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int class = MPI_SUCCESS;
  MPI_Error_class(MPI_Type_size(HALF_COMPLEX, &size), &class);
  CHECK(class == MPI_ERR_TYPE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* That of Open MPI: programs take a later one as a promise of calls that this interface lacks. */
static void standard(void) {
  int version = 0, subversion = 0;
  CHECK(MPI_Get_version(&version, &subversion) == MPI_SUCCESS);
  CHECK(version == 3 && subversion == 1);
}

int main(int argc, char** argv) {
  before_init();
  begin(&argc, &argv);
  standard();
  sessions();
  names();
  partitioned();
  halves();
  return end("newer");
}
