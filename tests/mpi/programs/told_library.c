/* SPDX-License-Identifier: Apache-2.0
 * Each rank tells GLib and a library that needs it the same thing, as if it were alone in the process: a
 * function to call in the main loop, and a class with a name that there may be once. Both libraries are
 * versioned files of the system. The calls are looked up, so that the packages with headers are not needed.
 */
#include <dlfcn.h>

#include "check.h"

static int calls; /* of count(), in this rank's main loop */

static int count(void* data) {
  ++*(int*)data;
  return 0; /* not again */
}

static void begin_class(void* class, void* data) {
  (void)class;
  (void)data;
}

static void begin_object(void* object, void* class) {
  (void)object;
  (void)class;
}

static void* look_up(const char* library, const char* call) {
  void* const opened = dlopen(library, RTLD_NOW);
  if (opened == NULL) fprintf(stderr, "%s\n", dlerror());
  CHECK(opened != NULL);
  void* const found = dlsym(opened, call);
  CHECK(found != NULL);
  return found;
}

/* Rank 0 alone turns its main loop: what the others have handed to theirs must stay there. */
static void main_loop(void) {
  const char* const library = "libglib-2.0.so.0";
  unsigned (*const add)(int (*)(void*), void*) = look_up(library, "g_idle_add");
  int (*const turn)(void* context, int may_block) = look_up(library, "g_main_context_iteration");
  CHECK(add(count, &calls) != 0);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int k = 0; rank == 0 && k < 10; ++k) turn(NULL, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(calls == (rank == 0));
}

/* The library gives the class of a name to the first who asks, and refuses the others. */
static void class_of_a_name(void) {
  enum { bytes_of_class = 512, bytes_of_object = 128, type_of_objects = 80 };
  typedef void (*Begin)(void*, void*);
  const char* const library = "libgobject-2.0.so.0";
  size_t (*const new_class)(size_t, const char*, unsigned, Begin, unsigned, Begin, int) =
      look_up(library, "g_type_register_static_simple");
  void* (*const new_object)(size_t, const char*, ...) = look_up(library, "g_object_new");
  const size_t class =
      new_class(type_of_objects, "OfThisRank", bytes_of_class, begin_class, bytes_of_object, begin_object, 0);
  CHECK(class != 0);
  CHECK(new_object(class, NULL) != NULL);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  main_loop();
  class_of_a_name();
  return end("told_library");
}
