// SPDX-License-Identifier: Apache-2.0
// MPI by sessions alone, MPI_Init never called: process sets, communicators of groups, their error handlers,
// and buffers attached to sessions and communicators. Other libraries' mpi.h may lack what is of MPI-4.1
// and 5.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank = -1, ranks;

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: rank %d: check failed: %s\n", __FILE__, __LINE__, rank, #condition); \
      exit(3);                                                                                     \
    }                                                                                              \
  } while (0)

static int handled;
static void note(MPI_Session* session, int* code, ...) {
  (void)session;
  handled = *code;
}

static MPI_Comm world_of(MPI_Session session, const char* tag) {
  MPI_Group group;
  MPI_Comm world;
  MPI_Group_from_session_pset(session, "mpi://world", &group);
  MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &world);
  MPI_Group_free(&group);
  return world;
}

static void process_sets(MPI_Session session) {
  int number, flag, length = 0;
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &number);
  CHECK(number >= 2);
  char name[MPI_MAX_PSET_NAME_LEN], size[32];
  for (int n = 0; n < number; ++n) {
    length = 0;
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, NULL);
    CHECK(length > 1 && length < (int)sizeof name);
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, name);
    CHECK((int)strlen(name) == length - 1);
    MPI_Info info;
    MPI_Group group;
    int members, room = sizeof size;
    MPI_Session_get_pset_info(session, name, &info);
    MPI_Info_get_string(info, "mpi_size", &room, size, &flag);
    MPI_Group_from_session_pset(session, name, &group);
    MPI_Group_size(group, &members);
    CHECK(flag && atoi(size) == members);
    if (n == 0) CHECK(strcmp(name, "mpi://WORLD") == 0 && members == ranks);
    if (n == 1) CHECK(strcmp(name, "mpi://SELF") == 0 && members == 1);
    MPI_Group_free(&group);
    MPI_Info_free(&info);
  }
  length = 4;
  MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name);
  CHECK(strcmp(name, "mpi") == 0 && length == 12);
  MPI_Group group;
  handled = 0;
  CHECK(MPI_Group_from_session_pset(session, "mpi://nothing", &group) == MPI_ERR_ARG);
  CHECK(handled == MPI_ERR_ARG && group == MPI_GROUP_NULL);
  MPI_Info info;
  char level[64];
  int room = sizeof level;
  MPI_Session_get_info(session, &info);
  MPI_Info_get_string(info, "thread_level", &room, level, &flag);
  CHECK(flag && strcmp(level, "MPI_THREAD_MULTIPLE") == 0);
  MPI_Info_free(&info);
}

static int refusals = 0;

static void note_refusal(MPI_Comm* comm, int* code, ...) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(*code, &error_class);
  CHECK(*comm == MPI_COMM_NULL && error_class == MPI_ERR_ARG);
  ++refusals;
}

// Even and odd ranks, each a communicator, and one between them.
static void halves(MPI_Session session) {
  MPI_Group all, mine, other;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  int even[1][3] = {{0, ranks - 1, 2}}, odd[1][3] = {{1, ranks - 1, 2}};
  MPI_Group_range_incl(all, 1, rank % 2 == 0 ? even : odd, &mine);
  MPI_Comm half, between, merged;
  MPI_Comm_create_from_group(mine, "half", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &half);
  int members, sum = 0;
  MPI_Comm_size(half, &members);
  CHECK(members == (ranks + (rank % 2 == 0 ? 1 : 0)) / 2);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
  CHECK(sum == members * (members - 1) + (rank % 2) * members);
  if (ranks > 1) {
    MPI_Group_range_incl(all, 1, rank % 2 == 0 ? odd : even, &other);
    MPI_Intercomm_create_from_groups(mine, 0, other, 0, "between", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                                     &between);
    int remote, total;
    MPI_Comm_remote_size(between, &remote);
    CHECK(remote == ranks - members);
    MPI_Intercomm_merge(between, rank % 2, &merged);
    MPI_Comm_size(merged, &total);
    CHECK(total == ranks);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&between);
    MPI_Group_free(&other);
  }
  MPI_Comm_free(&half);
  MPI_Group_free(&mine);
  MPI_Group_free(&all);
  CHECK(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "none", MPI_INFO_NULL, MPI_ERRORS_RETURN, &half) ==
        MPI_SUCCESS);
  CHECK(half == MPI_COMM_NULL);
  CHECK(MPI_Comm_create_from_group(MPI_GROUP_NULL, "none", MPI_INFO_NULL, MPI_ERRORS_RETURN, &half) ==
        MPI_ERR_GROUP);
  // Of all errors hears the handler of the communicator to be.
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(note_refusal, &handler);
  MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "none", MPI_INFO_NULL, handler, NULL);
  MPI_Intercomm_create_from_groups(MPI_GROUP_EMPTY, 0, MPI_GROUP_EMPTY, 0, "none", MPI_INFO_NULL, handler,
                                   NULL);
  CHECK(refusals == 2);
  MPI_Errhandler_free(&handler);
}

#ifdef MPI_ABI_VERSION
static void exchange(MPI_Comm world, int expected) {
  char word[16] = "fifteen letters", got[16];
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  const int code = MPI_Bsend(word, 16, MPI_CHAR, right, 2, world);
  CHECK(code == expected);
  if (code == MPI_SUCCESS) {
    MPI_Recv(got, 16, MPI_CHAR, left, 2, world, MPI_STATUS_IGNORE);
    CHECK(strcmp(word, got) == 0);
  }
}

// The communicator's own buffer is used first, then the session's, then the one for all.
static void buffers(MPI_Session session, MPI_Comm world) {
  static char memory[1 << 16];
  void* address = NULL;
  int size = -1;
  MPI_Count large = -1;
  MPI_Request request;
  exchange(world, MPI_ERR_BUFFER);
  MPI_Session_attach_buffer(session, memory, sizeof memory);
  exchange(world, MPI_SUCCESS);
  MPI_Session_flush_buffer(session);
  MPI_Comm_attach_buffer(world, memory, 8);  // too small for anything, but in charge
  exchange(world, MPI_ERR_BUFFER);
  MPI_Comm_detach_buffer_c(world, &address, &large);
  CHECK(address == memory && large == 8);
  CHECK(MPI_Comm_detach_buffer(world, &address, &size) == MPI_ERR_BUFFER);
  MPI_Session_iflush_buffer(session, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Session_detach_buffer(session, &address, &size);
  CHECK(address == memory && size == sizeof memory);
  MPI_Comm_attach_buffer_c(world, MPI_BUFFER_AUTOMATIC, 0);
  exchange(world, MPI_SUCCESS);
  MPI_Comm_iflush_buffer(world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_flush_buffer(world);
  MPI_Comm child;
  MPI_Comm_dup(world, &child);
  MPI_Session_attach_buffer_c(session, MPI_BUFFER_AUTOMATIC, 0);
  exchange(child, MPI_SUCCESS);  // of the session that its parent is of
  MPI_Session_detach_buffer_c(session, &address, &large);
  CHECK(address == MPI_BUFFER_AUTOMATIC && large == 0);
  MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
  exchange(child, MPI_SUCCESS);
  MPI_Buffer_iflush(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Buffer_flush();
  MPI_Buffer_detach(&address, &size);
  CHECK(address == MPI_BUFFER_AUTOMATIC && size == 0);
  MPI_Comm_free(&child);
  // The other buffer goes with its communicator.
}

static void newer_calls(MPI_Session session, MPI_Comm world) {
  int major, minor;
  MPI_Abi_get_version(&major, &minor);
  CHECK(major == MPI_ABI_VERSION && minor == MPI_ABI_SUBVERSION);
  CHECK(MPI_Session_fromint(MPI_Session_toint(session)) == session);
  buffers(session, world);
}
#else
static void newer_calls(MPI_Session session, MPI_Comm world) {
  (void)session, (void)world;
}
#endif

int main(void) {
  MPI_Session session, second;
  MPI_Errhandler noting, found;
  int flag = -1;
  MPI_Session_create_errhandler(note, &noting);
  MPI_Session_init(MPI_INFO_NULL, noting, &session);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &second);
  MPI_Errhandler_free(&noting);
  MPI_Initialized(&flag);
  CHECK(!flag);  // that asks about MPI_Init
  MPI_Comm world = world_of(session, "the world");
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &ranks);
  MPI_Comm twin = world_of(second, "the other world");
  CHECK(MPI_Session_f2c(MPI_Session_c2f(second)) == second);

  process_sets(session);
  MPI_Session_call_errhandler(session, MPI_ERR_OTHER);
  CHECK(handled == MPI_ERR_OTHER);
  MPI_Session_get_errhandler(second, &found);
  CHECK(found == MPI_ERRORS_RETURN);
  MPI_Session_set_errhandler(second, MPI_ERRORS_ABORT);
  halves(session);
  newer_calls(session, world);

  int one = 1, all = 0;
  MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, twin);
  CHECK(all == ranks);
  MPI_Comm_disconnect(&twin);
  MPI_Session_finalize(&second);
  CHECK(second == MPI_SESSION_NULL);
  MPI_Barrier(world);
  if (rank == 0) printf("sessions: passed on %d ranks\n", all);
  MPI_Comm_disconnect(&world);
  MPI_Session_finalize(&session);
  MPI_Finalized(&flag);
  CHECK(!flag);
  // And again, from the beginning.
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  world = world_of(session, "the world");
  MPI_Barrier(world);
  MPI_Comm_free(&world);
  MPI_Session_finalize(&session);
  return 0;
}
