// SPDX-License-Identifier: Apache-2.0
// The value that a rank sends.
int number_of(int rank);
