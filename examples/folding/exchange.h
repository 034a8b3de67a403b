// SPDX-License-Identifier: Apache-2.0
// What neighbours put into each other's memory: beads that change their process, ghosts, and the forces on ghosts.
#ifndef FOLDING_EXCHANGE_H
#define FOLDING_EXCHANGE_H

/// Gives beads that have left this process's box to its neighbours. There are no ghosts afterwards. All processes call.
void migrate(void);

/// Makes the ghosts: the lowest layers of cells of the neighbours above. All processes call.
void make_ghosts(void);

/// Brings the places of the ghosts up to date. All processes call.
void send_places(void);

/// Adds the forces on ghosts to those on the beads that they are copies of. All processes call.
void return_forces(void);

/// To be called before the forces are cleared.
void wait_for_returned_forces(void);

#endif
