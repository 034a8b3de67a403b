// SPDX-License-Identifier: Apache-2.0
// A program without thread_local variables, which the tests of image/ read.
int main(void) {
  return 0;
}
