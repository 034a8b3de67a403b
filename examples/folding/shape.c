// SPDX-License-Identifier: Apache-2.0
#include "shape.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double squared_length(four a) { return a.x * a.x + a.y * a.y + a.z * a.z; }

// Places the beads from `from` on next to each other, appends them to `path` and returns how many.
static int follow_chain(chains *all, int from, char *seen, int *path) {
    int count = 0;
    for (int at = from; at != 0;) {
        seen[at - 1] = 1;
        path[count++] = at;
        int next = 0;
        for (int k = 0; k < 2; k++) {
            const int other = all->name[at - 1].bonded[k];
            if (other != 0 && !seen[other - 1]) next = other;
        }
        if (next != 0) {
            four *place = &all->place[next - 1];
            for (int k = 0; k < 3; k++)
                (*place)[k] -= all->box[k] * round(((*place)[k] - all->place[at - 1][k]) / all->box[k]);
        }
        at = next;
    }
    return count;
}

radii join_chains(chains *all) {
    char *seen = resize(NULL, all->count);
    memset(seen, 0, all->count);
    int *path = resize(NULL, all->count * sizeof *path);
    double squares[2] = {0, 0};
    long count[2] = {0, 0};
    // First from the ends, then from anywhere in rings.
    for (int rings = 0; rings < 2; rings++) {
        for (int i = 0; i < all->count; i++) {
            const int is_end = all->name[i].bonded[0] == 0 || all->name[i].bonded[1] == 0;
            if (seen[i] || (!is_end && !rings)) continue;
            const int length = follow_chain(all, i + 1, seen, path);
            four centre = 0;
            for (int k = 0; k < length; k++) centre += all->place[path[k] - 1] / length;
            for (int k = 0; k < length; k++) {
                const four at = all->place[path[k] - 1];
                squares[at.w != 0] += squared_length(at - centre);
                count[at.w != 0]++;
            }
        }
    }
    free(seen);
    free(path);
    radii result = {.all = sqrt((squares[0] + squares[1]) / (double)all->count)};
    if (count[0] > 0) result.polar = sqrt(squares[0] / (double)count[0]);
    if (count[1] > 0) result.hydrophobic = sqrt(squares[1] / (double)count[1]);
    return result;
}

enum { panel = 512, gap = 8, width = 2 * panel + gap };  // pixels

static void dot(unsigned char *pixels, int x, int y, const double rgb[3]) {
    if (x < 0 || x >= width || y < 0 || y >= panel) return;
    for (int c = 0; c < 3; c++) pixels[((size_t)y * width + x) * 3 + c] = (unsigned char)(255 * fmin(1, rgb[c]));
}

static int row(double value, double most) { return (int)((1 - 0.95 * value / most) * (panel - 1)); }

// A grid line for each power of ten, or for its halves and fifths, so that there are a few.
static double grid_step(double most) {
    const double power = pow(10, floor(log10(most)));
    return most / power < 2 ? power / 5 : most / power < 5 ? power / 2 : power;
}

static void paint_curve(unsigned char *pixels, const double *value, int count) {
    const double grey[3] = {0.8, 0.8, 0.8}, red[3] = {0.7, 0.1, 0.15};
    double most = 1e-300;
    for (int i = 0; i < count; i++) most = fmax(most, value[i]);
    for (double level = 0; level <= most; level += grid_step(most)) {
        for (int x = 0; x < panel; x++) dot(pixels, x, row(level, most), grey);
    }
    for (int x = 0, last = row(value[0], most); x < panel; x++) {
        const double at = (double)x / (panel - 1) * (count - 1);
        const int i = (int)fmin(at, fmax(0, count - 2));
        const double part = at - i;
        const int y = row(count == 1 ? value[0] : (1 - part) * value[i] + part * value[i + 1], most);
        for (int k = (y < last ? y : last) - 1; k <= (y < last ? last : y) + 1; k++) dot(pixels, x, k, red);
        last = y;
    }
}

// Balls of the diameter of a bead, seen along z, with light from the upper left.
static void paint_balls(unsigned char *pixels, const chains *all) {
    four centre = 0;
    double farthest = 0;
    for (int i = 0; i < all->count; i++) centre += all->place[i] / all->count;
    for (int i = 0; i < all->count; i++) {
        const four away = all->place[i] - centre;
        farthest = fmax(farthest, fmax(fabs(away.x), fabs(away.y)));
    }
    const double scale = panel / 2 / (farthest + 1), radius = 0.5 * scale;
    float *depth = resize(NULL, panel * panel * sizeof *depth);
    for (int i = 0; i < panel * panel; i++) depth[i] = -INFINITY;
    for (int i = 0; i < all->count; i++) {
        const four at = (all->place[i] - centre) * scale;
        const double centre_x = at.x + panel / 2, centre_y = panel / 2 - at.y;
        for (int y = (int)(centre_y - radius); y <= (int)(centre_y + radius) + 1; y++) {
            for (int x = (int)(centre_x - radius); x <= (int)(centre_x + radius) + 1; x++) {
                const double u = (x - centre_x) / radius, v = (y - centre_y) / radius, square = u * u + v * v;
                if (square > 1 || x < 0 || x >= panel || y < 0 || y >= panel) continue;
                const double w = sqrt(1 - square);
                const float height = (float)(at.z + w * radius);
                if (height <= depth[y * panel + x]) continue;
                depth[y * panel + x] = height;
                const double light = 0.25 + 0.75 * fmax(0, -0.4 * u - 0.5 * v + 0.77 * w);
                const double orange[3] = {0.95 * light, 0.55 * light, 0.15 * light},
                             blue[3] = {0.25 * light, 0.45 * light, 0.85 * light};
                dot(pixels, panel + gap + x, y, all->place[i].w != 0 ? orange : blue);
            }
        }
    }
    free(depth);
}

int write_picture(const char *file, const chains *all, const double *radius, int count) {
    unsigned char *pixels = resize(NULL, (size_t)width * panel * 3);
    memset(pixels, 255, (size_t)width * panel * 3);
    paint_curve(pixels, radius, count);
    paint_balls(pixels, all);
    png_image image = {.version = PNG_IMAGE_VERSION, .width = width, .height = panel, .format = PNG_FORMAT_RGB};
    const int written = png_image_write_to_file(&image, file, 0, pixels, 0, NULL);
    if (!written) fprintf(stderr, "folding: cannot write %s (%s)\n", file, image.message);
    free(pixels);
    return written;
}
