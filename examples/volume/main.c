// SPDX-License-Identifier: Apache-2.0
// Pictures of a volume or of a landscape by ray casting, in Parallel C.
//
// A picture is made of tiles, and each tile is a task: whoever is free takes the next one, be it an accelerator thread of this
// process or of another one, so a tile in which much is to be seen holds up nobody. The thread renders the tile in its
// scratchpad and puts it into the picture of process 0. While the threads make one picture, process 0 writes the one before:
// there are two pictures, taken in turns, and a barrier between their uses. What is looked at is in memory once per node.
#include <math.h>
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "picture.h"
#include "scene.h"

static scene what;
static camera view;
static unsigned char *picture[2];  // symmetric memory, tile after tile; those of process 0 are used

__thread_local unsigned char canvas[tile_bytes];

static long tile_count(void) { return (long)(view.width / tile) * (view.height / tile); }

__kernel void render(void *argument) {
    unsigned char *to = *(unsigned char **)argument;
    long number;
    while ((number = get_task_id(tile_count(), NULL, CCC_ALL)) >= 0) {
        render_tile(&what, &view, number, canvas);
        m_msg_put_wait(0, canvas, to + number * tile_bytes, tile_bytes, NULL);
    }
}

// Renders all frames; process 0 writes them when `pattern` is not NULL. Returns the seconds that it took.
static double render_frames(int frames, const char *pattern) {
    m_barrier(CCC_ALL);
    const double start = m_wtime();
    for (int frame = 0; frame <= frames; frame++) {
        m_spawn_t rendering = NULL;
        if (frame < frames) {
            view = camera_on_circle(&what, (double)frame / frames, view.width, view.height);
            rendering = m_spawn(render, &picture[frame % 2]);
        }
        if (frame > 0 && m_rank(CCC_ALL) == 0 && pattern != NULL) {
            char file[1024];
            snprintf(file, sizeof file, pattern, frame - 1);
            if (!write_picture(file, picture[(frame - 1) % 2], view.width, view.height)) m_abort(1);
        }
        if (frame < frames) m_join(rendering);
        m_barrier(CCC_ALL);
    }
    return m_wtime() - start;
}

// Largest difference between some pixels of the last frame, as they are at process 0, and the slow way, over all processes.
static float largest_difference(int last_frame) {
    const int across = view.width / packet, down = view.height / packet;
    float largest = 0, result;
    forall (int sample = 0; sample < what.checked_packets; sample++; BLOCK(1); CCC_ALL) {
        const int row = down * (2 * sample + 1) / (2 * what.checked_packets) * packet,
                  column = sample * 37 % across * packet;
        const long number = (long)(row / tile) * (view.width / tile) + column / tile;
        unsigned char seen[tile_bytes];
        m_msg_get_wait(0, picture[last_frame % 2] + number * tile_bytes, seen, tile_bytes);
        const colour_lanes known = what.cast_slowly(view.eye, rays(&view, column, row));
        for (int i = 0; i < lane_count * 3; i++) {
            const int pixel = (row % tile + i / 3 / packet) * tile + column % tile + i / 3 % packet;
            const float difference = (float)seen[pixel * 3 + i % 3] / 255 - fminf(known.rgb[i % 3][i / 3], 1);
            largest = fmaxf(largest, fabsf(difference));
        }
    }
    m_allreduce(CCC_ALL, &largest, &result, 1, M_FLOAT, M_MAX);
    return result;
}

static void wrong_use(void) {
    if (m_rank(CCC_ALL) != 0) pause();  // until process 0 ends the job
    fprintf(stderr,
            "usage: volume [options]\n"
            "  -n N or -n X,Y,Z  voxels in each direction (default 256)\n"
            "  -v FILE           a volume of so many bytes, x fastest, instead of the orbital\n"
            "  -t FILE           transfer function, lines 'value red green blue opacity'\n"
            "  -r STEP           distance of two samples in voxels (default 1)\n"
            "  -s FACES          a landscape of so many triangles instead of a volume\n"
            "  -m FILE           the triangles of this file, in the STL format\n"
            "  -f FRAMES         pictures of one turn around it (default 1)\n"
            "  -p W,H            pixels, multiples of %d (default 512,512)\n"
            "  -o PATTERN        file names as in frame%%03d.png\n",
            tile);
    m_abort(2);
}

// Up to `count` numbers from `least` to `most` with commas between them; a single one stands for all.
static void numbers(const char *text, int count, int least, int most, int *values) {
    char *end = (char *)text;
    int i = 0;
    for (; i < count; i++, end++) {
        const long value = strtol(end, &end, 10);
        if (value < least || value > most) wrong_use();
        values[i] = (int)value;
        if (*end != ',') break;
    }
    if (*end != '\0' || (i != 0 && i != count - 1)) wrong_use();
    for (int k = i + 1; k < count; k++) values[k] = values[0];
}

// The pattern has one place for a number, and nothing else that printf would act upon.
static int is_pattern(const char *text) {
    const char *percent = strchr(text, '%');
    if (percent == NULL) return 1;
    const char *end = percent + 1 + strspn(percent + 1, "0123456789");
    return *end == 'd' && end - percent <= 4 && strchr(end, '%') == NULL && strlen(text) < 900;
}

int main(int argc, char **argv) {
    int n[3] = {256, 256, 256}, pixels[2] = {512, 512}, faces = 0, frames = 1;
    const char *file = NULL, *mesh = NULL, *colours = NULL, *pattern = NULL;
    long mesh_faces = 0;
    float step = 1;
    for (int option; (option = getopt(argc, argv, "n:v:m:t:r:s:f:p:o:")) != -1;) {
        char *end;
        if (option == 'n')
            numbers(optarg, 3, 2, 100000, n);
        else if (option == 'v')
            file = optarg;
        else if (option == 'm')
            mesh = optarg;
        else if (option == 't')
            colours = optarg;
        else if (option == 'r') {
            step = strtof(optarg, &end);
            if (*end != '\0' || !(step >= 0.01f && step <= 100)) wrong_use();
        } else if (option == 's')
            numbers(optarg, 1, 2, 2000000000, &faces);
        else if (option == 'f')
            numbers(optarg, 1, 1, 1000000, &frames);
        else if (option == 'p')
            numbers(optarg, 2, 1, 65536, pixels);
        else if (option == 'o' && is_pattern(optarg))
            pattern = optarg;
        else
            wrong_use();
    }
    if (optind < argc || pixels[0] % tile != 0 || pixels[1] % tile != 0) wrong_use();
    if ((mesh != NULL) + (faces > 0) + (file != NULL) > 1) wrong_use();

    const double start = m_wtime();
    view.width = pixels[0];
    view.height = pixels[1];
    if (mesh != NULL)
        what = make_mesh(mesh, &mesh_faces);
    else
        what = faces > 0 ? make_terrain(faces) : make_volume(n, file, colours, step);
    const double prepared = m_wtime() - start;
    for (int i = 0; i < 2; i++) picture[i] = m_malloc((size_t)tile_count() * tile_bytes);
    if (picture[0] == NULL || picture[1] == NULL)
        give_up("not enough memory for pictures of %d x %d", pixels[0], pixels[1]);

    const double seconds = render_frames(frames, pattern);
    const float difference = largest_difference(frames - 1);
    const int correct = difference <= what.tolerance;
    if (m_rank(CCC_ALL) == 0) {
        if (mesh != NULL)
            printf("volume: %ld triangles", mesh_faces);
        else if (faces > 0)
            printf("volume: a landscape of %d triangles", faces);
        else
            printf("volume: %d x %d x %d voxels", n[0], n[1], n[2]);
        printf(", %d x %d pixels, %d processes x %d threads\n", pixels[0], pixels[1], m_size(CCC_ALL),
               m_size(CCC_ARRAY));
        printf("  prepared in %.2f s\n", prepared);
        printf("  %d frames in %.3f s, %.2f frames per second\n", frames, seconds, frames / seconds);
        printf("  largest difference of checked pixels from the slow way: %.4f %s\n", difference,
               correct ? "(correct)" : "(WRONG)");
    }
    m_free(picture[1]);
    m_free(picture[0]);
    return correct ? 0 : 1;
}
