// SPDX-License-Identifier: Apache-2.0
#include "transfer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene.h"

static const corner usual[] = {{0, {0.1f, 0.3f, 1.0f}, 0.2f},     {64, {0.3f, 0.6f, 1.0f}, 0.02f},
                               {104, {0.5f, 0.8f, 1.0f}, 0.004f}, {108, {0.0f, 0.0f, 0.0f}, 0.0f},
                               {148, {0.0f, 0.0f, 0.0f}, 0.0f},   {152, {1.0f, 0.9f, 0.5f}, 0.004f},
                               {192, {1.0f, 0.7f, 0.2f}, 0.02f},  {255, {1.0f, 0.3f, 0.1f}, 0.2f}};

static void read_corners(transfer *function, const char *file) {
    FILE *in = fopen(file, "r");
    if (in == NULL) give_up("cannot read %s (%s)", file, strerror(errno));
    char line[256];
    for (int number = 1; fgets(line, sizeof line, in) != NULL; number++) {
        corner c;
        char rest;
        if (line[strspn(line, " \t\r\n")] == '\0' || line[0] == '#') continue;
        if (function->count == most_corners) give_up("%s:%d: more than %d corners", file, number, most_corners);
        if (sscanf(line, "%f %f %f %f %f %c", &c.value, &c.rgb[0], &c.rgb[1], &c.rgb[2], &c.opacity, &rest) != 5)
            give_up("%s:%d: this is not 'value red green blue opacity'", file, number);
        const float before = function->count > 0 ? function->corners[function->count - 1].value : -1;
        if (!(c.value > before && c.value <= 255)) give_up("%s:%d: values must rise, from 0 to 255", file, number);
        if (!(c.opacity >= 0 && c.opacity < 1))
            give_up("%s:%d: the opacity is not from 0 to less than 1", file, number);
        for (int i = 0; i < 3; i++) {
            if (!(c.rgb[i] >= 0 && c.rgb[i] <= 1)) give_up("%s:%d: a colour is not from 0 to 1", file, number);
        }
        function->corners[function->count++] = c;
    }
    fclose(in);
    if (function->count == 0) give_up("%s has no corner of a transfer function", file);
}

corner evaluate(const transfer *function, float value) {
    const corner *c = function->corners;
    int i = 0;
    while (i < function->count && c[i].value <= value) i++;
    if (i == 0) return c[0];
    if (i == function->count) return c[i - 1];
    const float w = (value - c[i - 1].value) / (c[i].value - c[i - 1].value);
    corner result = {.value = value, .opacity = c[i - 1].opacity + w * (c[i].opacity - c[i - 1].opacity)};
    for (int k = 0; k < 3; k++) result.rgb[k] = c[i - 1].rgb[k] + w * (c[i].rgb[k] - c[i - 1].rgb[k]);
    return result;
}

void make_transfer(transfer *function, const char *file, float step) {
    function->count = 0;
    function->step = step;
    if (file != NULL) {
        read_corners(function, file);
    } else {
        memcpy(function->corners, usual, sizeof usual);
        function->count = sizeof usual / sizeof *usual;
    }
    for (int i = 0; i < table_size; i++) {
        const corner c = evaluate(function, (float)i / fine);
        const float opacity = 1.0f - powf(1.0f - c.opacity, step);
        for (int k = 0; k < 3; k++) function->colour[i][k] = c.rgb[k] * opacity;
        function->colour[i][3] = opacity;
    }
}
