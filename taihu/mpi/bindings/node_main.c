// SPDX-License-Identifier: Apache-2.0
// mpi-node: the node process program of MPI jobs. All of it is in libmpi_abi.so.1, which programs link as
// well. It is loaded with RTLD_LOCAL and not linked, so that its MPI_ names are not in the global scope: the
// MPI library of the site, which carries messages between node processes, is loaded into the same process and
// must find its own. By its full path, because another MPI library may offer the same name in
// LD_LIBRARY_PATH; the images of ranks then find the one that is loaded.
//
// The executable puts itself before libc where threads are created, so that those of shared libraries (OpenMP
// workers) belong to the rank that caused them.
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "taihu/memory/libc/thread_variable_room.h"

#define EXPORTED __attribute__((visibility("default")))

typedef int CreateThread(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                         void* argument);
typedef int RunNodeProcess(int argc, char** argv);

EXPORTED extern const int taihu_node_process;
const int taihu_node_process = 1;

TAIHU_THREAD_VARIABLE_ROOM;

static CreateThread* create_thread;

// Before the library is loaded there are no ranks: then libc's.
EXPORTED int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                            void* argument) {
  CreateThread* create = create_thread;
  if (create == NULL) *(void**)&create = dlsym(RTLD_NEXT, "pthread_create");
  return create != NULL ? create(thread, attributes, run, argument) : EAGAIN;
}

// The folder of this program, libexec/taihu, to that of the library.
static const char* const steps[] = {"../../" TAIHU_LIBRARY_FOLDER, "../../lib"};

static void* open_library(char* path, size_t size) {
  char self[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) return NULL;
  self[length] = '\0';
  *strrchr(self, '/') = '\0';
  for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) {
    snprintf(path, size, "%s/%s/libmpi_abi.so.1", self, steps[i]);
    if (access(path, R_OK) == 0) return dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  return NULL;
}

int main(int argc, char** argv) {
  char path[2 * PATH_MAX] = "libmpi_abi.so.1";
  void* const library = open_library(path, sizeof path);
  RunNodeProcess* run = NULL;
  if (library != NULL) {
    *(void**)&run = dlsym(library, "taihu_run_node_process");
    *(void**)&create_thread = dlsym(library, "taihu_create_thread");
  }
  if (run == NULL || create_thread == NULL) {
    const char* const reason = dlerror();
    fprintf(stderr, "marun: cannot load %s (%s); install Taihu as a whole\n", path,
            reason != NULL ? reason : "no such file");
    return 1;
  }
  return run(argc, argv);
}
