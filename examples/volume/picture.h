// SPDX-License-Identifier: Apache-2.0
// The camera, and pictures as PNG files.
#ifndef VOLUME_PICTURE_H
#define VOLUME_PICTURE_H

#include "lanes.h"
#include "scene.h"

enum { tile = 32, tile_bytes = tile * tile * 3 };  // pixels along a tile's edge

typedef struct {
    float eye[3];
    float forward[3], right[3], up[3];  // right and up: from the middle of the picture to its edge
    int width, height;                  // pixels, multiples of `tile`
} camera;

/// On a circle around the scene's centre, `turn` (0 to 1) of it further; z is up, the picture is 30 degrees high.
camera camera_on_circle(const scene *what, double turn, int width, int height);

/// Directions of length 1 through the middles of the packet's pixels; column and row are those of its upper left pixel.
vector_lanes rays(const camera *c, int column, int row);

/// Renders tile `number` (row by row from the upper left) to `rgb`, tile_bytes.
void render_tile(const scene *what, const camera *c, long number, unsigned char *rgb);

/// Writes tiles, one after the other, as a PNG file. Returns 1, or 0 after a message.
int write_picture(const char *file, const unsigned char *tiles, int width, int height);

#endif
