// SPDX-License-Identifier: Apache-2.0
// Molecular dynamics of chains of beads, in Parallel C: a melt of many, or the folding of one whose beads like or dislike water.
//
// Each process has a box of space (domain.h). Neighbours put places of beads into each other's memory, and the forces back
// (exchange.c); everything else is work on own memory.
#include <errno.h>
#include <math.h>
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beads.h"
#include "motion.h"
#include "shape.h"
#include "start.h"

static _Noreturn void wrong_use(const char *reason) {
    if (m_rank(CCC_ALL) == 0) {
        fprintf(stderr,
                "folding: %s\n"
                "usage: folding [options]\n"
                "  -f            one chain that folds, instead of a melt\n"
                "  -n BEADS      how many (default 32000; 150 with -f)\n"
                "  -l LENGTH     beads of a chain of the melt (default 100; 1: no bonds)\n"
                "  -b DENSITY    beads per volume in the melt (default 0.85)\n"
                "  -r FILE       start from this data file of LAMMPS instead\n"
                "  -s STEPS      (default 100; 400000 with -f)\n"
                "  -d TIME       of a step (default 0.012; 0.005 with -f or -g 0)\n"
                "  -t TEMPERATURE (default 1; 0.4 with -f)\n"
                "  -g TIME       damping time of the thermostat (default 10; 0: no thermostat)\n"
                "  -e SEED       of random numbers (default 1)\n"
                "  -p STEPS      between lines of output (default: a tenth of all; of all by 200 with -f)\n"
                "  -w FILE       write the last state as a data file of LAMMPS\n"
                "  -o FILE       picture of the radius of gyration over time and of the chain\n",
                reason);
        m_abort(2);
    }
    for (;;) pause();  // until process 0 ends the job
}

static double number(char option, const char *text, double least, double most) {
    static char reason[100];
    char *end;
    const double value = strtod(text, &end);
    snprintf(reason, sizeof reason, "-%c is not a number from %g to %g", option, least, most);
    if (end == text || *end != '\0' || !(value >= least && value <= most)) wrong_use(reason);
    return value;
}

static double whole(char option, const char *text, double least, double most) {
    const double value = number(option, text, least, most);
    if (value != floor(value)) wrong_use("a number of beads or steps is not whole");
    return value;
}

typedef struct {
    int fold;
    double beads, length, density, steps, time_step, temperature, damping, seed, every;  // below 0: not given
    const char *input, *output, *picture;
} options;

static options read_options(int argc, char **argv) {
    options given = {0, -1, 100, 0.85, -1, -1, -1, 10, 1, -1, NULL, NULL, NULL};
    for (int option; (option = getopt(argc, argv, "fn:l:b:r:s:d:t:g:e:p:w:o:")) != -1;) {
        const char letter = (char)option;
        switch (option) {
            case 'f':
                given.fold = 1;
                break;
            case 'n':
                given.beads = whole(letter, optarg, 1, 2e9);
                break;
            case 'l':
                given.length = whole(letter, optarg, 1, 2e9);
                break;
            case 'b':
                given.density = number(letter, optarg, 1e-6, 1.2);
                break;
            case 'r':
                given.input = optarg;
                break;
            case 's':
                given.steps = whole(letter, optarg, 0, 1e9);
                break;
            case 'd':
                given.time_step = number(letter, optarg, 1e-9, 1);
                break;
            case 't':
                given.temperature = number(letter, optarg, 0, 1e6);
                break;
            case 'g':
                given.damping = number(letter, optarg, 0, 1e9);
                break;
            case 'e':
                given.seed = whole(letter, optarg, 0, 1e15);
                break;
            case 'p':
                given.every = whole(letter, optarg, 1, 1e9);
                break;
            case 'w':
                given.output = optarg;
                break;
            case 'o':
                given.picture = optarg;
                break;
            default:
                wrong_use("there is no such option, or it has no value");
        }
    }
    if (optind < argc) wrong_use("there are words after the options");
    if (given.beads < 0) given.beads = given.fold ? 150 : 32000;
    if (given.steps < 0) given.steps = given.fold ? 400000 : 100;
    if (given.time_step < 0) given.time_step = given.fold || given.damping == 0 ? 0.005 : 0.012;
    if (given.temperature < 0) given.temperature = given.fold ? 0.4 : 1;
    if (given.every < 0) given.every = fmax(1, floor(given.steps / (given.fold ? 200 : 10)));
    return given;
}

static chains first_beads(const options *given) {
    const uint64_t seed = (uint64_t)given->seed;
    if (given->input != NULL) return read_data_file(given->input);
    if (given->fold) return unfolded_chain((int)given->beads, given->temperature, seed);
    return melt((int)given->beads, (int)given->length, given->density, given->temperature, seed);
}

// Before the steps: hours of work must not end at a file that cannot be written.
static void check_writable(const char *name) {
    if (name == NULL) return;
    const int is_new = access(name, F_OK) != 0;
    FILE *out = fopen(name, "a");
    if (out == NULL) give_up("cannot write %s (%s)", name, strerror(errno));
    fclose(out);
    if (is_new) remove(name);
}

static void report(long step, state now) {
    printf("%9ld %12.8f %13.9f %13.9f %13.9f %12.8f %11.8f\n", step, now.temperature, now.pairs, now.bonds, now.total,
           now.pressure, now.heat);
}

// The radii of now, at process 0. The others get 0.
static radii measure_shape(const char *picture, const double *history, int count) {
    chains all = collect_beads();
    radii result = {0, 0, 0};
    if (m_rank(CCC_ALL) == 0) {
        result = join_chains(&all);
        if (picture != NULL && !write_picture(picture, &all, history, count)) m_abort(1);
    }
    free_chains(&all);
    return result;
}

// The method's error is of the order of the square of the time step, and fluctuates more for few beads. The thermostat brings and
// takes three times the temperature in each damping time; what comes with the same error adds up.
static double tolerance(const options *given, int count) {
    const double warmings = given->damping > 0 ? given->steps * given->time_step / given->damping : 0;
    return given->time_step * given->time_step * (300 + 2000 / sqrt(count) + 40 * warmings * given->temperature);
}

typedef struct {
    double seconds, worst;  // time of the steps; largest error of the energy
    radii first, last;
    double *radius;  // of gyration, each time that it was looked at
    int radius_count;
} course;

// Goes through all steps, with lines of output.
static course run(const options *given) {
    const long steps = (long)given->steps, every = (long)given->every;
    const int watched = given->fold || given->picture != NULL;
    course all = {0};
    if (watched) all.first = all.last = measure_shape(NULL, NULL, 0);
    all.radius = resize(NULL, (watched ? steps / every + 2 : 1) * sizeof *all.radius);
    all.radius[all.radius_count++] = all.first.all;
    for (long step = 0; step < steps;) {
        const long next = step + every < steps ? step + every : steps;
        m_barrier(CCC_ALL);
        const double start = m_wtime();
        const state now = move_to(next);
        all.seconds += m_wtime() - start;
        all.worst = fmax(all.worst, fabs(now.apart));
        if (m_rank(CCC_ALL) == 0 && (!given->fold || next * 10 / steps > step * 10 / steps)) report(next, now);
        step = next;
        if (watched) all.radius[all.radius_count++] = (all.last = measure_shape(NULL, NULL, 0)).all;
    }
    return all;
}

static void write_files(const options *given, const course *done) {
    if (given->picture != NULL) measure_shape(given->picture, done->radius, done->radius_count);
    if (given->output == NULL) return;
    chains all = collect_beads();
    if (m_rank(CCC_ALL) == 0) write_data_file(given->output, &all);
    free_chains(&all);
}

int main(int argc, char **argv) {
    const options given = read_options(argc, argv);
    const int rank = m_rank(CCC_ALL);
    if (rank == 0) {
        check_writable(given.output);
        check_writable(given.picture);
    }
    chains all = first_beads(&given);
    const int count = all.count;
    const state first =
        start_motion(&all, (motion){given.time_step, given.temperature, given.damping, (uint64_t)given.seed});
    free_chains(&all);
    if (rank == 0) {
        printf("folding: %d beads, %d processes\n", count, m_size(CCC_ALL));
        printf("     step  temperature          pairs         bonds         total     pressure        heat\n");
        report(0, first);
    }
    course done = run(&given);
    write_files(&given, &done);
    const double force_error = check_forces();
    const int correct = done.worst < tolerance(&given, count) && force_error < 1e-8;
    if (rank == 0) {
        if (given.steps > 0) {
            printf("  %.1f steps per second, lists of neighbours made every %.1f steps\n", given.steps / done.seconds,
                   given.steps / (double)list_count());
        }
        if (given.fold || given.picture != NULL) {
            printf("  radius of gyration: %.2f at the start, %.2f at the end", done.first.all, done.last.all);
            printf(", of hydrophobic beads %.2f, of polar ones %.2f\n", done.last.hydrophobic, done.last.polar);
        }
        printf("  energy per bead that came from nowhere: %.1e; largest error of a force: %.1e %s\n", done.worst,
               force_error, correct ? "(correct)" : "(WRONG)");
    }
    free(done.radius);
    m_barrier(CCC_ALL);  // one that ends with 1 ends the job
    return correct ? 0 : 1;
}
