// SPDX-License-Identifier: Apache-2.0
#ifndef TURBULENCE_PICTURE_H
#define TURBULENCE_PICTURE_H

/// A PNG file with two panels: n x n values, dark for 0 and light for the largest, and `count` values of a spectrum with both
/// axes logarithmic: a grid line for each power of ten, from 1e-12 to 1 upwards and from 1 to the right, and a line that falls as
/// k^(-5/3). Returns 1, or 0 after a message.
int write_picture(const char *file, const double *values, int n, const double *spectrum, int count);

#endif
