// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of a real vector field on N x N x N points that is divided among all processes.
//
// In space a process has planes of constant x: value [x][y][z]. In the spectrum it has planes of constant wave number ky:
// [ky][kx][kz], kz being the fastest. The modes with kz >= N/3, which the 2/3 rule sets to zero (Orszag, On the elimination of
// aliasing in finite-difference schemes by filtering high-wavenumber components, J. Atmos. Sci. 28, 1971), are not kept; those
// with |kx| or |ky| >= N/3 are kept as zeros.
#ifndef TURBULENCE_TRANSFORM_H
#define TURBULENCE_TRANSFORM_H

#include <complex.h>
#include <stddef.h>

typedef struct {
    int n;       // points along each edge: even, a multiple of the number of processes
    int planes;  // of this process, in space and in the spectrum
    int first;   // the first of them
    int kept;    // wave numbers kz that are kept: 0 .. kept-1
} grid;

/// The grid of this process; set by make_transforms.
extern grid part;

/// Plans the transforms. All processes call.
void make_transforms(int n);

/// The three components of a vector field to the spectrum, so that mode 0 is the mean; `field` is kept. All processes call.
void forward(double *const field[3], double complex *const spectrum[3]);

/// Back to space; `spectrum` is kept. All processes call.
void backward(double complex *const spectrum[3], double *const field[3]);

/// Wave number of index i: 0 .. n/2, -n/2+1 .. -1.
static inline int wave_number(int i) { return i <= part.n / 2 ? i : i - part.n; }

/// Whether the 2/3 rule keeps a wave number.
static inline int is_kept(int k) { return k < part.kept && -k < part.kept; }

/// Numbers of a process: of a field in space, of modes of a spectrum.
static inline size_t field_size(void) { return (size_t)part.planes * part.n * part.n; }
static inline size_t spectrum_size(void) { return (size_t)part.planes * part.n * part.kept; }

/// Memory for so many bytes, or the end of the job with a message.
void *allocate(size_t bytes);

#endif
