// SPDX-License-Identifier: Apache-2.0
// The language words in C++: templates, lambdas, references; values are captured by reference.
// RUN: %parallelcxx -std=c++20 -O1 -Wall -Wextra -Wshadow -pedantic -c %s -o %t.o
// RUN: %parallelc -c %inputs/runtime.c -o %t.runtime.o
// RUN: %parallelcxx %t.o %t.runtime.o -pthread -o %t && P=2 T=3 %t | %check %s
#include <parallelc.h>

#include <atomic>
#include <cstdio>
#include <vector>

#include "runtime.h"

template <class T>
T sum(const std::vector<T>& values, m_scope_t scope) {
  std::atomic<T> total{0};
  forall (std::size_t i = 0; i < values.size(); ++i; BLOCK; scope) {
    const auto add = [&](T value) { return total += value; };
    add(values[i]);
  }
  return total;
}

void process_main() {
  const std::vector<int> numbers = {1, 2, 3, 4, 5};
  const std::vector<long> others(100, 2);
  std::printf("%d %ld %d\n", sum(numbers, CCC_ARRAY), sum(others, CCC_ARRAY), sum(numbers, CCC_ALL));
  // CHECK: 15 200 6
  // CHECK: 15 200 9
}
