// SPDX-License-Identifier: Apache-2.0
// A surface from a file in the STL format: triangles one after the other, binary (80 bytes, their number, 50 bytes for each) or
// as text (lines "vertex x y z", three for each). It is moved and scaled to a sphere of diameter 1 around the origin.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <parallelc.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scene.h"
#include "tree.h"

enum { head = 84, record = 50, faces_at_once = 4096 };

node_shared struct {
    long count;
    int is_text;
    float middle[3], scale;
    long wrong;  // number of a face that is none, from 1 on
} mesh;

static face *faces;
static int file_in;
static const float light_from[3] = {0.48f, -0.36f, 0.8f};  // length 1

// Binary when the size is that of so many faces; a text begins with "solid", but so do some binary files.
static void count_faces(const char *name) {
    struct stat about;
    unsigned char start[head] = {0};
    if (fstat(file_in, &about) != 0) give_up("cannot read %s (%s)", name, strerror(errno));
    if (!S_ISREG(about.st_mode)) give_up("cannot read %s (it is no file)", name);
    const ssize_t there = pread(file_in, start, head, 0);
    uint32_t count;
    memcpy(&count, start + 80, sizeof count);
    mesh.count = count;
    if (there == head && about.st_size == head + (off_t)record * count) return;
    if (memcmp(start, "solid", 5) != 0) give_up("%s is no STL file, or is not complete", name);
    mesh.is_text = 1;
    mesh.count = 0;
}

// Reads the text; stores the vertices when there is memory for them. Returns how many faces there are.
static long read_text(const char *name) {
    FILE *in = fopen(name, "r");
    if (in == NULL) give_up("cannot read %s (%s)", name, strerror(errno));
    char line[256], rest;
    long vertices = 0;
    for (long number = 1; fgets(line, sizeof line, in) != NULL; number++) {
        const char *word = line + strspn(line, " \t");
        if (strncmp(word, "endfacet", 8) == 0 && vertices % 3 != 0)
            give_up("%s:%ld: a facet has not three vertices", name, number);
        if (strncmp(word, "vertex", 6) != 0) continue;
        float at[3];
        if (sscanf(word + 6, "%f %f %f %c", &at[0], &at[1], &at[2], &rest) != 3)
            give_up("%s:%ld: this is not 'vertex x y z'", name, number);
        for (int a = 0; a < 3; a++) {
            if (!isfinite(at[a])) give_up("%s:%ld: this is no place", name, number);
        }
        if (faces != NULL) memcpy(faces[vertices / 3].corner[vertices % 3], at, sizeof at);
        vertices++;
    }
    fclose(in);
    if (vertices % 3 != 0) give_up("%s ends within a facet", name);
    return vertices / 3;
}

static void read_records(long part) {
    unsigned char bytes[faces_at_once * record];
    const long first = part * faces_at_once;
    const long count = mesh.count - first < faces_at_once ? mesh.count - first : faces_at_once;
    for (ssize_t done = 0; done < count * record;) {
        const ssize_t more = pread(file_in, bytes + done, count * record - done, head + first * record + done);
        if (more <= 0) {
            mesh.wrong = first + 1;
            return;
        }
        done += more;
    }
    for (long i = 0; i < count; i++) {
        face *f = &faces[first + i];
        memcpy(f->corner, bytes + i * record + 12, sizeof f->corner);
        for (int k = 0; k < 9; k++) {
            if (!isfinite(f->corner[k / 3][k % 3])) mesh.wrong = first + i + 1;
        }
    }
}

static void find_middle(const char *name) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, square = 0;
    for (long i = 0; i < mesh.count * 9; i++) {
        const double value = faces[i / 9].corner[i / 3 % 3][i % 3];
        low[i % 3] = fmin(low[i % 3], value);
        high[i % 3] = fmax(high[i % 3], value);
    }
    for (int a = 0; a < 3; a++) {
        mesh.middle[a] = (float)((low[a] + high[a]) / 2);
        square += (high[a] - low[a]) * (high[a] - low[a]);
    }
    mesh.scale = (float)(1 / sqrt(square));
    if (!(mesh.scale > 0 && isfinite(mesh.scale)))
        give_up("%s is a point, or too large or small for single precision", name);
}

static void move_part(long part) {
    for (long i = part * faces_at_once * 9; i < mesh.count * 9 && i < (part + 1) * faces_at_once * 9; i++) {
        float *value = &faces[i / 9].corner[i / 3 % 3][i % 3];
        *value = (*value - mesh.middle[i % 3]) * mesh.scale;
    }
}

typedef hits tracer(vector_lanes origin, vector_lanes direction, int_lanes wanted, int whether);

// Both sides are seen; the sky is grey.
static inline colour_lanes shade(const float eye[3], vector_lanes direction, tracer *find) {
    static const float clay[3] = {0.85f, 0.62f, 0.42f}, sky[3] = {0.82f, 0.86f, 0.9f};
    const vector_lanes from = {{eye[0], eye[1], eye[2]}}, light = {{light_from[0], light_from[1], light_from[2]}};
    const hits first = find(from, direction, -1, 0);
    const int_lanes met = first.face >= 0;
    vector_lanes normal = normals(first.face), place;
    const lanes towards = choose(dot(normal, direction) > 0, -1.0f, 1.0f), distance = choose(met, first.distance, 0.0f);
    for (int a = 0; a < 3; a++) {
        normal.x[a] *= towards;
        place.x[a] = from.x[a] + distance * direction.x[a] + 1e-4f * normal.x[a];  // off the face itself
    }
    const lanes facing = most(dot(normal, light), 0.0f);
    const int_lanes dark = find(place, light, met & (facing > 0), 1).face >= 0;
    const lanes brightness = 0.35f + 0.15f * normal.x[2] + choose(dark, 0.0f, 0.65f * facing);
    colour_lanes seen;
    for (int k = 0; k < 3; k++) seen.rgb[k] = choose(met, clay[k] * brightness, sky[k]);
    return seen;
}

static colour_lanes cast(const float eye[3], vector_lanes direction) { return shade(eye, direction, trace); }

static colour_lanes cast_slowly(const float eye[3], vector_lanes direction) {
    return shade(eye, direction, trace_slowly);
}

scene make_mesh(const char *file, long *count) {
    file_in = open(file, O_RDONLY);
    if (file_in < 0) give_up("cannot read %s (%s)", file, strerror(errno));
    if (m_rank(CCC_NODE) == 0) {
        count_faces(file);
        if (mesh.is_text) mesh.count = read_text(file);
    }
    m_barrier(CCC_NODE);
    *count = mesh.count;
    if (mesh.count < 1) give_up("%s has no triangles, or is not complete", file);
    if (mesh.count > 100000000) give_up("%s has %ld triangles, more than 100 million", file, mesh.count);
    faces = node_memory((size_t)mesh.count * sizeof(face));
    const long parts = (mesh.count + faces_at_once - 1) / faces_at_once;
    if (!mesh.is_text)
        for_all_on_node(read_records, parts);
    else if (m_rank(CCC_NODE) == 0)
        read_text(file);
    m_barrier(CCC_NODE);
    if (mesh.wrong != 0) give_up("%s: triangle %ld has a corner that is no place", file, mesh.wrong);
    if (m_rank(CCC_NODE) == 0) find_middle(file);
    m_barrier(CCC_NODE);
    for_all_on_node(move_part, parts);
    close(file_in);
    build_tree(faces, (int)mesh.count);
    return (scene){.distance = 2,
                   .elevation = 0.45f,
                   .cast = cast,
                   .cast_slowly = cast_slowly,
                   .tolerance = 0.0025f,
                   .checked_packets = 8};
}
