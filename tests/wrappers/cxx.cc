// SPDX-License-Identifier: Apache-2.0
// C++: every rank has its own instance of inline variables and static members of templates, and its shared libraries use
// the same one.
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %mac++ -std=c++17 -DLIBRARY -shared %s -o %t.d/libpart.so
// RUN: %mac++ -std=c++17 -O2 -Wall -Werror %s %t.d/libpart.so -Wl,-rpath,%t.d -o %t && %marun -n 3 %t | FileCheck-19 %s
// RUN: %mac++ -std=c++17 -O0 -g %s %t.d/libpart.so -Wl,-rpath,%t.d -o %t && %marun -n 3 %t | FileCheck-19 %s
// CHECK-COUNT-3: inline 2, template 7, local 12, caught
#include <cstdio>
#include <stdexcept>

namespace shared {
inline int counter = 0;
}
template <class T>
struct Of {
  static int value;
};
template <class T>
int Of<T>::value = 5;
inline int &local() {
  static int number = 10;
  return number;
}

int part();

#ifdef LIBRARY
int part() {
  ++shared::counter;
  ++Of<int>::value;
  ++local();
  throw std::runtime_error("caught");
}
#else
int main() {
  ++shared::counter;
  ++Of<int>::value;
  ++local();
  try {
    part();
  } catch (const std::runtime_error &error) {
    std::printf("inline %d, template %d, local %d, %s\n", shared::counter, Of<int>::value, local(), error.what());
  }
}
#endif
