// SPDX-License-Identifier: Apache-2.0
// A program that plugins extend through libraries in a folder of the system, as modules extend an
// interpreter: of such a library each rank needs its own. The libraries are chosen by -D.
#ifdef EXTENSION
extern int host_counter;
int count_for_host(int value) {
  return host_counter += value;
}
#elif defined ABOVE
int count_for_host(int value);
int count_twice(int value) {
  count_for_host(value);
  return count_for_host(value);
}
#elif defined PLUGIN
int count_twice(int value);
int plugin_run(int value) {
  return count_twice(value);
}
#elif defined STATE
static int told;
int tell(int value) {
  return told += value;
}
#elif defined TELLS
int tell(int value);
int tell_through(int value) {
  return tell(value);
}
#elif defined CIRCLE_A
int circle_b(int value);
int tell(int value);
int circle_a(int value) {
  return circle_b(value);
}
int circle_tell(int value) {
  return tell(value);
}
#elif defined CIRCLE_B
int circle_tell(int value);
int circle_b(int value) {
  return circle_tell(value);
}
#elif defined CALLS  // only functions, which may be bound when they are called first
int host_count(int value);
int call_host(int value) {
  return host_count(value);
}
#elif defined HALF
int nobody_defines_this(int value);
int half(int value) {
  return value < 0 ? nobody_defines_this(value) : value / 2;
}
#elif defined NEEDS_HALF
int half(int value);
int quarter(int value) {
  return half(half(value));
}
#elif defined SLOW
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void load(void) {
  close(open("slow_is_loading", O_CREAT | O_WRONLY, 0600));
  sleep(1);
}
int slow(void) {
  return 1;
}
#elif defined NEEDS_SLOW
int slow(void);
int is_slow(void) {
  return slow();
}
#elif defined LINKED
const char* const linked_name = "linked";  // no rank can tell the library anything by it
static int uses;
int use_linked(void) {
  return ++uses;
}
#elif defined SEEDS  // a variable that the program sets and the library reads
unsigned long library_seed;
int (*library_handler)(int value);
unsigned long draw(void) {
  return 1000 * library_seed + (library_handler ? (unsigned long)library_handler(1) : 0);
}
#elif defined DRAWS
unsigned long draw(void);
unsigned long draw_through(void) {
  return draw();
}
#else
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#include "check.h"

int host_counter;
int host_count(int value) {
  return host_counter += value;
}
int use_linked(void);
extern const char* const linked_name;
extern unsigned long library_seed;
extern int (*library_handler)(int value);
unsigned long draw(void);
unsigned long draw_through(void);
int count_in_fortran_(void);
int tell(int value);
int tell_through(int value);

typedef int Function(int);

static int of_this_rank(int value) {
  return host_count(value);
}

/// A function of a library that is opened by its name alone.
static Function* open_function(const char* library, const char* name, int flags) {
  void* handle = dlopen(library, flags);
  if (!handle) fprintf(stderr, "%s\n", dlerror());
  CHECK(handle && dlopen(library, flags | RTLD_NOLOAD) == handle);
  Function* function = (Function*)dlsym(handle, name);
  CHECK(function);
  return function;
}

static void wait_for_file(const char* name) {
  for (int wait = 0; wait < 4000 && access(name, F_OK) != 0; ++wait) usleep(5000);
}

/// A child of fork opens libraries, even when another rank was opening one at the fork: rank 0 forks while
/// rank 1 opens the one that takes long.
static void open_in_child(int rank) {
  if (rank == 1) {
    wait_for_file("is_about_to_fork");
    void* slow = dlopen("./needs_slow.so", RTLD_NOW);
    CHECK(slow && ((Function*)dlsym(slow, "is_slow"))(0) == 1);
  }
  if (rank != 0) return;
  fclose(fopen("is_about_to_fork", "w"));
  wait_for_file("slow_is_loading");
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(open_function("libchild.so.1", "tell_through", RTLD_NOW)(0) == rank + 2 ? 0 : 1);
  }
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

int main(int count_of_words, char** words) {
  const int rank = my_rank();
  // Before the plugin that needs it, by its name alone: it cannot be loaded without the program.
  Function* count = open_function("libextension.so.1", "count_for_host", RTLD_NOW);
  CHECK(count(0) == host_counter && count(rank) == rank && host_counter == rank);
  host_counter = 0;
  void* plugin = dlopen("./plugin.so", RTLD_NOW);
  if (!plugin) fprintf(stderr, "%s\n", dlerror());
  CHECK(plugin);
  int (*run)(int) = (int (*)(int))dlsym(plugin, "plugin_run");
  CHECK(run && run(rank + 1) == 2 * rank + 2);
  let_others_run();
  CHECK(host_counter == 2 * rank + 2 && run(1) == 2 * rank + 4);
  CHECK(count(0) == host_counter);
  // Nor can this one, though its functions may be bound late.
  CHECK(open_function("libcalls.so.1", "call_host", RTLD_LAZY)(1) == host_counter);
  let_others_run();
  CHECK(host_counter == 2 * rank + 5);
  // What nobody defines is nobody's concern until it is called.
  CHECK(open_function("libhalf.so.1", "half", RTLD_LAZY)(8) == 4);
  void* needs_half = dlopen("./needs_half.so", RTLD_LAZY);
  if (!needs_half) fprintf(stderr, "%s\n", dlerror());
  CHECK(needs_half && ((Function*)dlsym(needs_half, "quarter"))(8) == 2);
  // What it tells a library with a rank's state, itself and through another library, is its own.
  CHECK(tell(rank) == rank);
  let_others_run();
  CHECK(tell_through(1) == rank + 1 && tell(0) == rank + 1);
  // Also through one that is only opened, and through two that need each other, whichever is looked at first.
  CHECK(open_function("libteller.so.1", "tell_through", RTLD_NOW)(1) == rank + 2);
  CHECK(open_function("libcirclea.so.1", "circle_a", RTLD_NOW)(0) == rank + 2 && tell(0) == rank + 2);
  // A variable that the program sets is the one that its library reads, also when another library calls it.
  host_counter = rank;
  library_seed = (unsigned long)rank;
  library_handler = of_this_rank;
  let_others_run();
  CHECK(draw() == 1001 * (unsigned long)rank + 1 && draw_through() == 1001 * (unsigned long)rank + 2);
  CHECK(strcmp(linked_name, "linked") == 0);
#ifdef FORTRAN
  CHECK(count_in_fortran_() == 1);
  let_others_run();
  CHECK(count_in_fortran_() == 2);
#endif
  if (count_of_words > 1 && strcmp(words[1], "fork") == 0) open_in_child(rank);
  CHECK(!dlopen("libmissing.so.1", RTLD_NOW) && strstr(dlerror(), "libmissing.so.1"));
  CHECK(!dlopen("libmissing.so.1", RTLD_NOW | RTLD_NOLOAD));
  // A library of the system that needs nobody is one for all ranks.
  printf("rank %d is extended, its library at %p\n", rank, (void*)(uintptr_t)use_linked);
  return 0;
}
#endif
