// SPDX-License-Identifier: Apache-2.0
#include "field.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <parallelc.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scene.h"

// What the threads fill, for the functions that for_all_on_node calls.
static const int *n;
static const int *bricks;
static uint8_t *voxels;
static uint8_t *distance;
static int visible_below[table_size + 1];  // entries of the transfer function before each that can be seen
static int file_in;

// The wave function 4d_z^2 of the hydrogen atom (Griffiths, Introduction to Quantum Mechanics, section 4.2) in a cube of 100
// Bohr radii: its sign and the square root of its size, so that the far lobes show.
double orbital(const int size[3], double x, double y, double z) {
    const double scale = 100.0 / size[0];
    x = (x - 0.5 * (size[0] - 1)) * scale;
    y = (y - 0.5 * (size[1] - 1)) * scale;
    z = (z - 0.5 * (size[2] - 1)) * scale;
    const double square = x * x + y * y + z * z, rho = 0.5 * sqrt(square);
    const double angular = square > 0 ? 3 * z * z / square - 1 : 0;
    const double wave = rho * rho * (6 - rho) * exp(-0.5 * rho) * angular;
    return 128 + copysign(127 * fmin(1, sqrt(0.1 * fabs(wave))), wave);
}

static void fill_slice(long z) {
    uint8_t *slice = voxels + (size_t)z * n[0] * n[1];
    for (int y = 0; y < n[1]; y++) {
        for (int x = 0; x < n[0]; x++) slice[(size_t)y * n[0] + x] = (uint8_t)(orbital(n, x, y, (double)z) + 0.5);
    }
}

static void read_slice(long z) {
    const size_t bytes = (size_t)n[0] * n[1];
    for (size_t done = 0; done < bytes;) {
        const ssize_t now =
            pread(file_in, voxels + (size_t)z * bytes + done, bytes - done, (off_t)((size_t)z * bytes + done));
        if (now <= 0) {
            fprintf(stderr, "volume: cannot read the volume (%s)\n", now < 0 ? strerror(errno) : "it became shorter");
            m_abort(1);
        }
        done += (size_t)now;
    }
}

static void open_file(const char *file) {
    struct stat about;
    file_in = open(file, O_RDONLY);
    if (file_in < 0 || fstat(file_in, &about) != 0) give_up("cannot read %s (%s)", file, strerror(errno));
    const long long bytes = (long long)n[0] * n[1] * n[2];
    if (about.st_size != bytes)
        give_up("%s has %lld bytes, not %d x %d x %d; give its size with -n X,Y,Z", file, (long long)about.st_size,
                n[0], n[1], n[2]);
}

// 0 for each brick of a layer in which something can be seen, 255 for the others. A brick's cells end at the next one's first
// voxels, which therefore count for both.
static void look_at_layer(long layer) {
    for (int by = 0; by < bricks[1]; by++) {
        for (int bx = 0; bx < bricks[0]; bx++) {
            int low = 255, high = 0;
            for (int z = (int)layer * brick; z <= ((int)layer + 1) * brick && z < n[2]; z++) {
                for (int y = by * brick; y <= (by + 1) * brick && y < n[1]; y++) {
                    const uint8_t *row = voxels + ((size_t)z * n[1] + y) * n[0];
                    for (int x = bx * brick; x <= (bx + 1) * brick && x < n[0]; x++) {
                        low = row[x] < low ? row[x] : low;
                        high = row[x] > high ? row[x] : high;
                    }
                }
            }
            const int seen = visible_below[high * fine + 1] > visible_below[low * fine];
            distance[((size_t)layer * bricks[1] + by) * bricks[0] + bx] = seen ? 0 : 255;
        }
    }
}

// The chess king's distance in two passes, forth and back: each brick is at most one more away than its neighbours.
static void measure_distances(void) {
    const long count = (long)bricks[0] * bricks[1] * bricks[2];
    for (long i = 0; i < 2 * count; i++) {
        const long here = i < count ? i : 2 * count - 1 - i;
        const int x = (int)(here % bricks[0]), y = (int)(here / bricks[0] % bricks[1]),
                  z = (int)(here / bricks[0] / bricks[1]);
        int least = distance[here];
        for (int c = z - (z > 0); least > 0 && c <= z + (z + 1 < bricks[2]); c++) {
            for (int b = y - (y > 0); b <= y + (y + 1 < bricks[1]); b++) {
                for (int a = x - (x > 0); a <= x + (x + 1 < bricks[0]); a++) {
                    const int by_it = distance[((long)c * bricks[1] + b) * bricks[0] + a] + 1;
                    least = by_it < least ? by_it : least;
                }
            }
        }
        distance[here] = (uint8_t)least;
    }
}

void make_field(field *result, const int size[3], const char *file, const transfer *colours) {
    for (int a = 0; a < 3; a++) {
        result->n[a] = size[a];
        result->bricks[a] = (size[a] - 1 + brick - 1) / brick;
    }
    n = result->n;
    bricks = result->bricks;
    if ((double)n[0] * n[1] * n[2] > INT32_MAX - 4)
        give_up("%d x %d x %d voxels are more than 2 GiB", n[0], n[1], n[2]);
    voxels = node_memory((size_t)n[0] * n[1] * n[2] + 4);
    distance = node_memory((size_t)bricks[0] * bricks[1] * bricks[2]);
    if (file != NULL) open_file(file);
    for_all_on_node(file != NULL ? read_slice : fill_slice, n[2]);
    if (file != NULL) close(file_in);

    for (int i = 0; i < table_size; i++) visible_below[i + 1] = visible_below[i] + (colours->colour[i][3] > 0);
    for_all_on_node(look_at_layer, bricks[2]);
    if (m_rank(CCC_NODE) == 0) measure_distances();
    m_barrier(CCC_NODE);
    result->voxels = voxels;
    result->distance = distance;
}
