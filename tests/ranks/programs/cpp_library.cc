// SPDX-License-Identifier: Apache-2.0
#include "cpp_library.h"

#include <string>

static int constructed;
static struct Counter {
  Counter() { ++constructed; }
} counter;

int library_constructed() {
  return constructed;
}
int library_inline_seen_there() {
  return library_inline;
}
void library_throw(int rank) {
  throw LibraryError("from the library", rank);
}
void library_allocate() {
  std::string(100, 'x').swap(*new std::string);
}
