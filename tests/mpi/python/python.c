/* SPDX-License-Identifier: Apache-2.0
 * The distribution's interpreter as a program that is not linked to a fixed address. */
extern int Py_BytesMain(int argc, char** argv);

int main(int argc, char** argv) {
  return Py_BytesMain(argc, argv);
}
