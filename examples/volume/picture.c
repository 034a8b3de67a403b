// SPDX-License-Identifier: Apache-2.0
#include "picture.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

camera camera_on_circle(const scene *what, double turn, int width, int height) {
    const double azimuth = 2 * pi * turn + 0.6, elevation = what->elevation;
    const double half_height = tan(pi / 12), half_width = half_height * width / height;
    const double back[3] = {cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth), sin(elevation)};
    const double right[3] = {-sin(azimuth), cos(azimuth), 0};
    const double up[3] = {-sin(elevation) * cos(azimuth), -sin(elevation) * sin(azimuth), cos(elevation)};
    camera c = {.width = width, .height = height};
    for (int a = 0; a < 3; a++) {
        c.eye[a] = (float)(what->centre[a] + what->distance * back[a]);
        c.forward[a] = (float)-back[a];
        c.right[a] = (float)(half_width * right[a]);
        c.up[a] = (float)(half_height * up[a]);
    }
    return c;
}

vector_lanes rays(const camera *c, int column, int row) {
    lanes x, y;
    for (int i = 0; i < lane_count; i++) {
        x[i] = (float)(column + i % packet);
        y[i] = (float)(row + i / packet);
    }
    x = (x + 0.5f) * (2.0f / (float)c->width) - 1.0f;
    y = 1.0f - (y + 0.5f) * (2.0f / (float)c->height);
    vector_lanes direction;
    for (int a = 0; a < 3; a++) direction.x[a] = c->forward[a] + x * c->right[a] + y * c->up[a];
    const lanes scale = 1.0f / square_root(dot(direction, direction));
    for (int a = 0; a < 3; a++) direction.x[a] *= scale;
    return direction;
}

void render_tile(const scene *what, const camera *c, long number, unsigned char *rgb) {
    const int across = c->width / tile;
    const int left = (int)(number % across) * tile, top = (int)(number / across) * tile;
    for (int row = 0; row < tile; row += packet) {
        for (int column = 0; column < tile; column += packet) {
            const colour_lanes seen = what->cast(c->eye, rays(c, left + column, top + row));
            for (int k = 0; k < 3; k++) {
                const int_lanes level = to_int(least(seen.rgb[k], 1.0f) * 255.0f + 0.5f);
                for (int i = 0; i < lane_count; i++) {
                    rgb[((row + i / packet) * tile + column + i % packet) * 3 + k] = (unsigned char)level[i];
                }
            }
        }
    }
}

int write_picture(const char *file, const unsigned char *tiles, int width, int height) {
    unsigned char *pixels = malloc((size_t)width * height * 3);
    const int across = width / tile;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x += tile) {
            const unsigned char *from =
                tiles + (size_t)(y / tile * across + x / tile) * tile_bytes + y % tile * tile * 3;
            memcpy(pixels + ((size_t)y * width + x) * 3, from, tile * 3);
        }
    }
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_RGB,
                       .flags = PNG_IMAGE_FLAG_FAST};
    const int written = png_image_write_to_file(&image, file, 0, pixels, 0, NULL);
    if (!written) fprintf(stderr, "volume: cannot write %s (%s)\n", file, image.message);
    free(pixels);
    return written;
}
