/* SPDX-License-Identifier: Apache-2.0
 * Calls that Open MPI has since version 5: sessions and partitioned messages. Declared here, so that version
 * 4 is enough to build the program. */
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
  return end("newer");
}
