// SPDX-License-Identifier: Apache-2.0
// Programs of an MPI library whose binary interface is not ours, such as Open MPI 1, are refused before they start.
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: gcc -shared -fPIC -DLIBRARY %s -Wl,-soname,libmpi.so.1 -o libmpi.so.1 && gcc %s libmpi.so.1 -Wl,-rpath,%t.d -o program
// RUN: ./program
// RUN: (%marun -n 2 ./program; echo "exit code $?") 2>&1 | FileCheck-19 %s
// CHECK: marun: {{.*}} was linked to another MPI library (libmpi.so.1), which cannot run in ranks that are threads; build it with macc, mac++ or mafc
// CHECK-NEXT: exit code 1
#ifdef LIBRARY
int MPI_Init(int *count, char ***words) {
  return *count - *count + (words == 0);
}
#else
int MPI_Init(int *count, char ***words);

int main(int count, char **words) {
  return MPI_Init(&count, &words);
}
#endif
