#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models as OpenMC's Python package (0.15) has written them, in one file or in four (only blanks at ends of lines are
gone): rmc checks and runs them unchanged, and gets the k that OpenMC gets with the same number of neutrons. Where the
package is installed, it reads the results. Usage: openmc_models_test.py RMC LIBRARY.json MODELS_FOLDER WORK_FOLDER"""
import glob
import math
import os
import re
import shutil
import subprocess
import sys

try:
    import openmc
except ImportError:
    openmc = None

rmc, library, models, work = sys.argv[1:5]
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)

# k of OpenMC 0.15.4 and its standard deviation; None: OpenMC does not run it (nested_universes) or it has no k.
REFERENCES = {
    'pin_cell': (1.33047, 0.00462), 'assembly_in_four_files': (1.34042, 0.00535),
    'hexagonal_assembly': (1.00221, 0.00748), 'hexagonal_layers': (0.15224, 0.00303),
    'all_surfaces': (0.31111, 0.00932), 'composite_surfaces': (0.27164, 0.01028),
    'cell_instances': (1.13192, 0.00241), 'periodic_cell': (1.20094, 0.00921), 'nested_universes': None, 'fixed_sources': None}


# Sum over the mesh of the flux of fixed_sources.
FLUX, FLUX_DEVIATION = 143.12, 0.83


def run(*words, folder=work):
    done = subprocess.run([rmc, *words], cwd=folder, capture_output=True, text=True, timeout=200)
    if done.returncode != 0 or done.stderr:
        sys.exit(f'{folder}: rmc {" ".join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}')
    return done.stdout


def expect(holds, what):
    if not holds:
        sys.exit(f'openmc_models_test: {what}')


def read_back(folder, k):
    """With OpenMC's own package."""
    with openmc.StatePoint(glob.glob(f'{folder}/statepoint.*.h5')[-1]) as results:
        expect(k is None or abs(results.keff.nominal_value - float(k[1])) < 1e-4, f'{folder}: the package reads another k')
        expect(len(results.summary.geometry.get_all_cells()) > 0, f'{folder}: the package sees no cells')
        for tally in results.tallies.values():
            expect(tally.mean.shape == tally.std_dev.shape and tally.mean.sum() > 0, f'{folder}: tally {tally.id} is empty')


run('library', library, 'c5g7.h5')
expect(sorted(REFERENCES) == sorted(os.listdir(models)), f'{models} has other models than this test')
for name, reference in REFERENCES.items():
    folder = f'{work}/{name}'
    shutil.copytree(f'{models}/{name}', folder)
    shutil.copy(f'{work}/c5g7.h5', folder)
    expect('0 of 2000 points' in run('check', '--points', '2000', '--box', *'-.5 -.5 -.5 .5 .5 .5'.split(), folder=folder),
           f'{name}: check finds faults')
    output = run('run', '--threads', '2', folder=folder)
    k = re.search(r'k \(combined\) +([\d.]+) \+/- ([\d.]+)', output)
    if reference:
        allowed = 4 * math.hypot(float(k[2]), reference[1])
        expect(abs(float(k[1]) - reference[0]) < allowed, f'{name}: {k[0]}, OpenMC has {reference[0]}')
    expect((k is None) == (name == 'fixed_sources'), f'{name}: {k}')
    expect(os.path.exists(f'{folder}/summary.h5'), f'{name}: there is no summary.h5')
    if openmc:
        read_back(folder, k)

# Fission of each pin as OpenMC numbers and names them, with statistics of its own run.
with open(f'{models}/cell_instances/fission_of_pins.txt') as text:
    pins = [line.split() for line in text]
with open(f'{work}/cell_instances/tallies.out') as text:
    found = re.findall(r'Distributed Cell (\S+)\n *Total Material\n *Fission Rate +(\S+) \+/- (\S+)', text.read())
expect([pin[0] for pin in pins] == [pin[0] for pin in found], 'cell_instances: other pins, or in another order')
gaps = [(float(p[1]) - float(f[1])) / math.hypot(float(p[2]), float(f[2])) for p, f in zip(pins, found)]
expect(max(map(abs, gaps)) < 5 and sum(gap * gap for gap in gaps) < 2.25 * len(gaps),
       f'cell_instances: pins are {gaps} standard deviations away from those of OpenMC')
if openmc:
    with openmc.StatePoint(glob.glob(f'{work}/cell_instances/statepoint.*.h5')[-1]) as results:
        tally = results.get_tally(name='uo2 pins')
        expect(tally.filters[0].paths == [pin[0] for pin in pins], 'the package sees other instances')
        means = tally.get_values(scores=['fission']).ravel()
        expect(all(abs(mean / float(pin[1]) - 1) < 1e-5 for mean, pin in zip(means, found)),
               'the package reads other rates of the pins')
        nuclides = results.get_tally(name='nuclides')
        parts = sum(nuclides.get_values(nuclides=[name]).ravel() for name in ('UO2', 'MOX43', 'Moderator'))
        total = nuclides.get_values(nuclides=['total']).ravel()
        expect(abs(parts - total).max() < 1e-9, 'the package reads nuclides that do not add up to the total')

# A script that runs OpenMC runs rmc.
if openmc:
    script_folder = f'{work}/script'
    shutil.copytree(f'{models}/pin_cell', script_folder)
    shutil.copy(f'{work}/c5g7.h5', script_folder)
    openmc.run(threads=1, particles=300, output=False, cwd=script_folder, openmc_exec='run', mpi_args=[rmc])
    with openmc.StatePoint(glob.glob(f'{script_folder}/statepoint.*.h5')[-1]) as results:
        expect(results.n_particles == 300 and results.keff.nominal_value > 1, 'openmc.run has other results')

with open(f'{work}/fixed_sources/tallies.out') as text:
    values = [float(value) for value in re.findall(r'([\d.e+-]+) \+/-', text.read())]
expect(len(values) == 125, f'fixed_sources has {len(values)} bins')
expect(abs(sum(values) - FLUX) < 4 * math.sqrt(2) * FLUX_DEVIATION, f'fixed_sources: the flux is {sum(values)}, OpenMC has {FLUX}')
print('read back by the openmc package' if openmc else 'the openmc package is not installed: results were not read back')
