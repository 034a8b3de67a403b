// SPDX-License-Identifier: Apache-2.0
// Motion by the velocity Verlet method, with or without a thermostat.
#ifndef FOLDING_MOTION_H
#define FOLDING_MOTION_H

#include <stdint.h>

#include "beads.h"

typedef struct {
    double time_step;
    double temperature, damping;  // of the thermostat; damping is a time, 0: none
    uint64_t seed;
} motion;

/// Over all beads. Energies are per bead.
typedef struct {
    double temperature, pairs, bonds, total, pressure;
    double heat;   // that the thermostat has brought since the start
    double apart;  // total energy less heat, minus what it was at the start: the error of the method
} state;

/// Gives each process the beads of its box, and the state at step 0. `all` is used during the call; every process has the same.
state start_motion(const chains *all, motion how);

/// Goes on to a later step, and gives the state there. All processes call.
state move_to(long step);

/// Computes the forces on some beads a second time, by looking at all others. Returns the largest difference from the usual way,
/// as a part of the force. The motion must not go on afterwards. All processes call.
double check_forces(void);

/// How often lists of neighbours were made.
long list_count(void);

#endif
