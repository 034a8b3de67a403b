// SPDX-License-Identifier: Apache-2.0
// python-start LIBRARY arguments: what a rank runs for a Python interpreter of which there can be no copies:
// the same interpreter from its library (python_program.h). It keeps the name that it was given, by which the
// interpreter finds its modules.
#include <dlfcn.h>
#include <stdio.h>

typedef int RunPython(int argc, char** argv);

int main(int argc, char** argv) {
  if (argc < 2) {
    fputs("python-start: no library given; start Python programs with marun\n", stderr);
    return 2;
  }
  // Extension modules find the interpreter's calls without naming its library.
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  RunPython* run = NULL;
  if (library != NULL) *(void**)&run = dlsym(library, "Py_BytesMain");
  if (run == NULL) {
    const char* const reason = dlerror();
    fprintf(stderr, "python-start: cannot use %s (%s); install it again\n", argv[1],
            reason != NULL ? reason : "it has no Py_BytesMain");
    return 1;
  }
  argv[1] = argv[0];
  return run(argc - 1, argv + 1);
}
