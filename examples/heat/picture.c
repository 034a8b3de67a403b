// SPDX-License-Identifier: Apache-2.0
#include "picture.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { panel = 512, gap = 8 };  // pixels

// Blue for cold, white for zero, red for hot; value in -1 .. 1.
static void colour(double value, unsigned char *rgb) {
    const double strength = fmin(1.0, pow(fabs(value), 0.7));
    const double hot[3] = {178, 24, 43}, cold[3] = {33, 102, 172};
    for (int c = 0; c < 3; c++) {
        const double full = value > 0 ? hot[c] : cold[c];
        rgb[c] = (unsigned char)lround(247.0 + strength * (full - 247.0));
    }
}

static void paint(unsigned char *pixels, int left, int stride, const double *values, int points, double scale) {
    for (int y = 0; y < panel; y++) {
        for (int x = 0; x < panel; x++) {
            const size_t row = (size_t)y * points / panel, column = (size_t)x * points / panel;
            colour(values[row * points + column] / scale, pixels + ((size_t)y * stride + left + x) * 3);
        }
    }
}

int write_picture(const char *file, const double *before, const double *after, int points) {
    const int width = 2 * panel + gap;
    unsigned char *pixels = malloc((size_t)width * panel * 3);
    memset(pixels, 255, (size_t)width * panel * 3);
    double scale = 1e-300;
    for (size_t i = 0; i < (size_t)points * points; i++) scale = fmax(scale, fabs(before[i]));
    paint(pixels, 0, width, before, points, scale);
    paint(pixels, panel + gap, width, after, points, scale);

    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = (png_uint_32)width, .height = panel, .format = PNG_FORMAT_RGB};
    const int written = png_image_write_to_file(&image, file, 0, pixels, 0, NULL);
    if (!written) fprintf(stderr, "heat: cannot write %s (%s)\n", file, image.message);
    free(pixels);
    return written;
}
