// SPDX-License-Identifier: Apache-2.0
// An exception that nobody catches is named, with the place that threw it: in main, in a kernel, in a constructor before
// main and in a thread of the rank.
// RUN: %parcc %s -o %t
// RUN: for place in main kernel constructor thread; do THROW=$place %parcrun -n 2 --threads 2 %t; echo "exit code $?"; done > %t.out 2>&1
// RUN: FileCheck-19 --input-file=%t.out %s
// CHECK: terminate called after throwing an instance of 'std::out_of_range'
// CHECK: what():  in main
// CHECK: taihu: rank 1 {{.*}}SIGABRT
// CHECK: fail_here
// CHECK: exit code 134
// CHECK: what():  in kernel
// CHECK: taihu: rank 1 {{.*}}SIGABRT
// CHECK: fail_here
// CHECK: exit code 134
// CHECK: what():  in constructor
// CHECK: taihu: rank 1 {{.*}}SIGABRT
// CHECK: exit code 134
// CHECK: what():  in thread
// CHECK: taihu: rank 1 {{.*}}SIGABRT
// CHECK: exit code 134
#include <parallelc.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

struct Guard {
  ~Guard() { changed = true; }
  static inline volatile bool changed;
};

[[gnu::noinline]] void fail_here(const std::string& place) {
  Guard guard;
  throw std::out_of_range("in " + place);
}

static std::string place() { return std::getenv("THROW"); }

struct Early {
  Early() {
    if (m_rank(CCC_ALL) == 1 && place() == "constructor") fail_here(place());
  }
} early;

__kernel void kernel(void*) {
  if (m_rank(CCC_ARRAY) == 1) fail_here(place());
}

int main() {
  if (m_rank(CCC_ALL) == 1) {
    if (place() == "main") fail_here(place());
    if (place() == "kernel") m_run(kernel, nullptr);
    if (place() == "thread") std::thread(fail_here, place()).join();
  }
  m_barrier(CCC_ALL);
}
