// SPDX-License-Identifier: Apache-2.0
#include "picture.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { panel = 512, gap = 8, width = 2 * panel + gap };  // pixels

// Periodic values, linear between the points; x and y from 0 to 1.
static double between(const double *values, int n, double x, double y) {
    const int i = (int)(x * n), j = (int)(y * n);
    const double u = x * n - i, v = y * n - j;
    const double *low = values + (size_t)j * n, *high = values + (size_t)((j + 1) % n) * n;
    const int next = (i + 1) % n;
    return (1 - v) * ((1 - u) * low[i] + u * low[next]) + v * ((1 - u) * high[i] + u * high[next]);
}

static void paint_values(unsigned char *pixels, const double *values, int n) {
    double largest = 1e-300;
    for (size_t i = 0; i < (size_t)n * n; i++) largest = fmax(largest, values[i]);
    for (int y = 0; y < panel; y++) {
        for (int x = 0; x < panel; x++) {
            const double level = sqrt(between(values, n, (double)x / panel, (double)y / panel) / largest);
            unsigned char *rgb = pixels + ((size_t)y * width + x) * 3;
            // Black, red, yellow, white.
            for (int c = 0; c < 3; c++) rgb[c] = (unsigned char)(255 * fmin(1, fmax(0, 3 * level - c)));
        }
    }
}

// Column and row of wave number and energy in the right panel.
static int column(double k, int count) { return panel + gap + (int)(log10(k) / log10(fmax(2, count)) * (panel - 1)); }
static int row(double energy) { return (int)(-log10(fmax(energy, 1e-13)) / 12 * (panel - 1)); }

static void dot(unsigned char *pixels, int x, int y, int red, int green, int blue) {
    if (x < panel + gap || x >= width || y < 0 || y >= panel) return;
    unsigned char *rgb = pixels + ((size_t)y * width + x) * 3;
    rgb[0] = (unsigned char)red;
    rgb[1] = (unsigned char)green;
    rgb[2] = (unsigned char)blue;
}

static void paint_spectrum(unsigned char *pixels, const double *spectrum, int count) {
    for (int power = 0; power <= 12; power++) {
        for (int x = panel + gap; x < width; x++) dot(pixels, x, row(pow(10, -power)), 200, 200, 200);
        for (int y = 0; y < panel; y++) dot(pixels, column(pow(10, power), count), y, 200, 200, 200);
    }
    for (int x = panel + gap; x < width; x++) {
        const double k = pow(fmax(2, count), (double)(x - panel - gap) / (panel - 1));
        dot(pixels, x, row(pow(k, -5.0 / 3)), 120, 120, 220);
        const int below = (int)k;
        if (below < 1 || below + 1 >= count || spectrum[below] < 1e-12 || spectrum[below + 1] < 1e-12) continue;
        const double part = k - below;
        const int y = row(pow(spectrum[below], 1 - part) * pow(spectrum[below + 1], part));
        for (int thick = -1; thick <= 1; thick++) dot(pixels, x, y + thick, 180, 30, 40);
    }
}

int write_picture(const char *file, const double *values, int n, const double *spectrum, int count) {
    unsigned char *pixels = malloc((size_t)width * panel * 3);
    memset(pixels, 255, (size_t)width * panel * 3);
    paint_values(pixels, values, n);
    paint_spectrum(pixels, spectrum, count);
    png_image image = {.version = PNG_IMAGE_VERSION, .width = width, .height = panel, .format = PNG_FORMAT_RGB};
    const int written = png_image_write_to_file(&image, file, 0, pixels, 0, NULL);
    if (!written) fprintf(stderr, "turbulence: cannot write %s (%s)\n", file, image.message);
    free(pixels);
    return written;
}
