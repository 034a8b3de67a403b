// SPDX-License-Identifier: Apache-2.0
// Two fields side by side as a PNG file.
#ifndef HEAT_PICTURE_H
#define HEAT_PICTURE_H

/// Writes `before` and `after` (points x points values each, row by row) with one colour scale. Returns 1, or 0 after a
/// message when the file could not be written.
int write_picture(const char *file, const double *before, const double *after, int points);

#endif
