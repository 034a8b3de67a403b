// SPDX-License-Identifier: Apache-2.0
// Ranks that start while the job runs: MPI_Comm_spawn and its family, parents, ports and names,
// MPI_Comm_join. The program starts itself; what a new rank is to do is its first argument. To be run with
// places for 7 more ranks.
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"

static char* self;

static int universe(void) {
  int *size, flag;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &size, &flag);
  CHECK(flag);
  return *size;
}

static int application(void) {
  int *number, flag;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &flag);
  CHECK(flag);
  return *number;
}

// The new ranks and their parents add up their numbers in one communicator.
static void add_up(MPI_Comm between, int high) {
  MPI_Comm all;
  int members, me, sum = 0;
  MPI_Intercomm_merge(between, high, &all);
  MPI_Comm_size(all, &members);
  MPI_Comm_rank(all, &me);
  MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, all);
  CHECK(sum == members * (members - 1) / 2);
  MPI_Comm_disconnect(&all);
}

static int child(char** argv) {
  MPI_Comm parent, again;
  MPI_Comm_get_parent(&parent);
  MPI_Comm_get_parent(&again);
  CHECK(parent != MPI_COMM_NULL && parent == again);
  int parents, word = -1, remote;
  MPI_Comm_remote_size(parent, &parents);
  MPI_Comm_test_inter(parent, &remote);
  CHECK(remote);
  if (strcmp(argv[1], "greet") == 0) {
    CHECK(ranks == 2 && strcmp(argv[2], "two words") == 0 && argv[3] == NULL && application() == 0);
    if (rank == 0) MPI_Recv(&word, 1, MPI_INT, 0, 5, parent, MPI_STATUS_IGNORE);
    CHECK(word == (rank == 0 ? 77 : -1));
    add_up(parent, 1);
  } else if (strcmp(argv[1], "one") == 0 || strcmp(argv[1], "other") == 0) {
    CHECK(ranks == 3 && application() == (argv[1][1] == 't' ? 1 : 0) && (rank == 0) == (application() == 0));
    add_up(parent, 1);
  } else if (strcmp(argv[1], "port") == 0) {
    // Connects to a port that another world has published, after it has left its parents.
    MPI_Comm_disconnect(&parent);
    MPI_Comm_get_parent(&again);
    CHECK(again == MPI_COMM_NULL);
    char port[MPI_MAX_PORT_NAME];
    MPI_Lookup_name("spawn test", MPI_INFO_NULL, port);
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &parent);
    add_up(parent, 1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_disconnect(&parent);
  MPI_Finalize();
  return 0;
}

static void refusals(void) {
  MPI_Comm made;
  int codes[1000];
  char port[MPI_MAX_PORT_NAME];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPI_Comm_spawn("no such program", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &made, codes) ==
        MPI_ERR_SPAWN);
  CHECK(made == MPI_COMM_NULL && codes[0] == MPI_ERR_SPAWN);
  // Of folders, too, there is none.
  MPI_Info in_usr;
  MPI_Info_create(&in_usr);
  MPI_Info_set(in_usr, "path", "/usr");
  CHECK(MPI_Comm_spawn("bin", MPI_ARGV_NULL, 1, in_usr, 0, MPI_COMM_WORLD, &made, codes) == MPI_ERR_SPAWN);
  CHECK(MPI_Comm_spawn("/usr", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &made, codes) ==
        MPI_ERR_SPAWN);
  MPI_Info_free(&in_usr);
  CHECK(MPI_Comm_spawn(self, MPI_ARGV_NULL, 1000, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &made, codes) ==
        MPI_ERR_SPAWN);
  CHECK(codes[999] == MPI_ERR_SPAWN);
  // How many there are is the root's alone to say: it counts for nothing elsewhere.
  codes[0] = codes[1] = codes[2] = -1;
  const int many[] = {1000000, 1};
  char* commands[] = {"no such program", self};
  CHECK(MPI_Comm_spawn(commands[0], MPI_ARGV_NULL, rank == 0 ? 2 : many[0], MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                       &made, codes) == MPI_ERR_SPAWN);
  CHECK(codes[1] == MPI_ERR_SPAWN && codes[2] == -1);
  const int few[] = {1, 1};
  const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
  CHECK(MPI_Comm_spawn_multiple(rank == 0 ? 2 : 7, rank == 0 ? commands : NULL, MPI_ARGVS_NULL,
                                rank == 0 ? few : many, rank == 0 ? infos : NULL, 0, MPI_COMM_WORLD, &made,
                                codes) == MPI_ERR_SPAWN);
  CHECK((rank != 0 || codes[1] == MPI_ERR_SPAWN) && codes[2] == -1);
  CHECK(MPI_Comm_spawn(self, MPI_ARGV_NULL, -1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &made,
                       MPI_ERRCODES_IGNORE) == MPI_ERR_ARG);
  CHECK(MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, ranks, MPI_COMM_WORLD, &made,
                       MPI_ERRCODES_IGNORE) == MPI_ERR_ROOT);
  CHECK(MPI_Lookup_name("nobody", MPI_INFO_NULL, port) == MPI_ERR_NAME);
  CHECK(MPI_Unpublish_name("nobody", MPI_INFO_NULL, "") == MPI_ERR_SERVICE);
  CHECK(MPI_Close_port("nothing") == MPI_ERR_PORT);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK(MPI_Comm_connect("taihu://another/0/1", MPI_INFO_NULL, 0, MPI_COMM_SELF, &made) == MPI_ERR_PORT);
  CHECK(MPI_Comm_accept("taihu://another/0/1", MPI_INFO_NULL, 0, MPI_COMM_SELF, &made) == MPI_ERR_PORT);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_get_parent(&made);
  CHECK(made == MPI_COMM_NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void spawned(void) {
  MPI_Comm children;
  int codes[3] = {-1, -1, -1}, remote, word = 77;
  char* greet[] = {"greet", "two words", NULL};
  MPI_Comm_spawn(self, greet, 2, MPI_INFO_NULL, ranks - 1, MPI_COMM_WORLD, &children, codes);
  CHECK(codes[0] == MPI_SUCCESS && codes[1] == MPI_SUCCESS && codes[2] == -1);
  MPI_Comm_remote_size(children, &remote);
  CHECK(remote == 2);
  if (rank == 0) MPI_Send(&word, 1, MPI_INT, 0, 5, children);
  add_up(children, 0);
  MPI_Comm_disconnect(&children);

  char* one[] = {"one", NULL};
  char* other[] = {"other", NULL};
  char* commands[] = {self, self};
  char** arguments[] = {one, other};
  const int numbers[] = {1, 2};
  const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
  MPI_Comm_spawn_multiple(2, commands, arguments, numbers, infos, 0, MPI_COMM_WORLD, &children,
                          MPI_ERRCODES_IGNORE);
  add_up(children, 0);
  MPI_Comm_disconnect(&children);
}

static void ports(void) {
  char port[MPI_MAX_PORT_NAME] = "", found[MPI_MAX_PORT_NAME];
  MPI_Comm children, between;
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Publish_name("spawn test", MPI_INFO_NULL, port);
    MPI_Lookup_name("spawn test", MPI_INFO_NULL, found);
    CHECK(strcmp(port, found) == 0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Publish_name("spawn test", MPI_INFO_NULL, port) == MPI_ERR_SERVICE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  char* argument[] = {"port", NULL};
  MPI_Comm_spawn(self, argument, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
  MPI_Comm_disconnect(&children);
  MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between);
  add_up(between, 0);
  MPI_Comm_disconnect(&between);
  if (rank == 0) {
    MPI_Unpublish_name("spawn test", MPI_INFO_NULL, port);
    MPI_Close_port(port);
  }
}

// Both halves of this job's world by a port, and two ranks of a node process by a pair of sockets.
static void inside_one_world(void) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm half, between;
  if (ranks < 2) return;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
  MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank % 2 == 0)
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &between);
  else
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &between);
  add_up(between, rank % 2);
  MPI_Comm_disconnect(&between);
  if (rank == 0) MPI_Close_port(port);

  // Sockets are of the process: both ends can be handed out where ranks share one.
  long process[2] = {0, (long)getpid()};
  if (rank == 0) process[0] = process[1];
  MPI_Bcast(process, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  int ends[2] = {-1, -1};
  if (rank == 0) CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  MPI_Bcast(ends, 2, MPI_INT, 0, MPI_COMM_WORLD);
  int together = rank > 1 || process[0] == process[1], all;
  MPI_Allreduce(&together, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (all && rank < 2) {
    MPI_Comm_join(ends[rank], &between);
    CHECK(between != MPI_COMM_NULL);
    int got = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, between, MPI_STATUS_IGNORE);
    CHECK(got == 1 - rank);
    MPI_Comm_disconnect(&between);
  }
  MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  self = argv[0];
  if (argc > 1) return child(argv);
  CHECK(universe() == ranks + 7);
  refusals();
  inside_one_world();
  spawned();
  ports();
  return end("spawn");
}
