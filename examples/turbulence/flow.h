// SPDX-License-Identifier: Apache-2.0
// An incompressible flow in a periodic cube of edge 2 pi.
#ifndef TURBULENCE_FLOW_H
#define TURBULENCE_FLOW_H

/// Sets the vortex of Taylor and Green: u = (sin x cos y cos z, -cos x sin y cos z, 0). All processes call.
void start_flow(int n, double viscosity);

/// One step of the classical Runge-Kutta method of fourth order. All processes call.
void advance(double time_step);

/// Means over the cube: kinetic energy, and half the square of the vorticity, whose product with twice the viscosity is the
/// dissipation.
typedef struct {
    double energy, enstrophy;
} means;

/// The means now, on all processes. All processes call.
means measure(void);

/// Energy of the modes with wave numbers of length k-1/2 .. k+1/2, for k = 0 .. part.kept-1, on all processes. All call.
void energy_spectrum(double *energy);

/// Length of the vorticity at the n x n points of the first plane of constant x of this process.
void vorticity_slice(double *length);

#endif
