// SPDX-License-Identifier: Apache-2.0
// Stands in for the node process in tests of parcrun: does what its arguments after the program say.
//   say            prints its index, its job variables, its arguments and its working directory
//   exit CODE WHO  node process WHO ends with CODE, the others wait
//   abort CODE WHO the same through MPI_Abort (only when built with an MPI library)
//   raise SIG WHO  node process WHO ends itself by a signal, the others wait
//   cat            node process 0 copies its input
//   wait           prints "ready" and waits
//   ignore         the same, without ending at SIGINT, SIGTERM or SIGHUP, and with a child that does so too
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#ifdef STANDIN_WITH_MPI
#include <mpi.h>
#endif

namespace {

int index_of_process() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"})
    if (const char* value = std::getenv(name)) return std::atoi(value);
  return 0;
}

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "(unset)";
}

int wait_for_the_end() {
  std::puts("ready");
  std::fflush(stdout);
  for (int i = 0; i < 100; ++i) sleep(1);
  return 99;
}

int say(int argc, char** argv) {
  std::string line = "process " + std::to_string(index_of_process());
  for (const char* name : {"TAIHU_RANKS", "TAIHU_PROCESSES", "TAIHU_MPI", "TAIHU_BIND", "A", "B"})
    line += std::string(" ") + name + "=" + variable(name);
  for (int i = 2; i < argc; ++i) line += std::string(" [") + argv[i] + "]";
  char folder[4096] = "?";
  if (getcwd(folder, sizeof folder) == nullptr) return 1;
  std::printf("%s in %s\n", line.c_str(), folder);
  std::fflush(stdout);
  usleep(100'000);  // MPICH's launcher loses the output of processes that end while it still starts them
  return 0;
}

int copy_input() {
  if (index_of_process() != 0) return 0;
  for (int c; (c = std::getchar()) != EOF;) std::putchar(c);
  return 0;
}

int ignore_signals() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
  if (fork() == 0) {
    for (int i = 0; i < 100; ++i) sleep(1);
    _exit(0);
  }
  return wait_for_the_end();
}

#ifdef STANDIN_WITH_MPI
int abort_job(int code, bool mine) {
  MPI_Init(nullptr, nullptr);
  MPI_Barrier(MPI_COMM_WORLD);
  if (mine) MPI_Abort(MPI_COMM_WORLD, code);
  return wait_for_the_end();
}
#endif

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 98;
  const std::string what = argv[2];
  const bool mine = argc < 5 || std::atoi(argv[4]) == index_of_process();
  if (what == "say") return say(argc, argv);
  if (what == "cat") return copy_input();
  if (what == "ignore") return ignore_signals();
#ifdef STANDIN_WITH_MPI
  if (what == "abort") return abort_job(std::atoi(argv[3]), mine);
#endif
  if (what == "exit" && mine) return std::atoi(argv[3]);
  if (what == "raise" && mine) return std::raise(std::atoi(argv[3]));
  return wait_for_the_end();
}
