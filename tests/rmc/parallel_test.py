#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rmc as an MPI job: the same results with every library and with domains, one clear line for what cannot be, and
statepoints that survive a job that is killed. Usage: parallel_test.py BIN_FOLDER MODEL_FOLDER WORK_FOLDER"""
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys

binaries, model, work = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1', OMP_WAIT_POLICY='passive',
                   OMPI_MCA_rmaps_base_oversubscribe='1')
short = ['--particles', '1000', '--batches', '12', '--inactive', '4', '--threads', '1']
BY_WAY = ', by way of rmc'
SHAPES = (2, None), (3, (3, 1, 1)), (5, (2, 2, 1, '--move-domains', 3)), (4, (2, 2, 1, '--fixed-domains'))


def launchers():
    """Words in front of a number of ranks, and the program, for each library that is there."""
    for library, names in (('openmpi', ('mpirun.openmpi', 'mpirun')), ('mpich', ('mpiexec.mpich', 'mpiexec.hydra'))):
        launcher = next(filter(None, map(shutil.which, names)), None)
        if launcher and (binaries / f'rmc-{library}').exists():
            yield library, [launcher, '-n'], binaries / f'rmc-{library}'
            yield library + BY_WAY, [launcher, '-n'], binaries / 'rmc'
    if (binaries / 'rmc-taihu').exists() and (binaries / 'marun').exists():
        yield 'taihu', [binaries / 'marun', '-n'], binaries / 'rmc-taihu'


def run(words, code=0):
    done = subprocess.run([str(word) for word in words], cwd=work, capture_output=True, text=True, timeout=120,
                          env=environment)
    if done.returncode != code:
        sys.exit(f'{words}: exit code {done.returncode} instead of {code}\n{done.stdout}{done.stderr}')
    return done


def numbers(output):
    """Lines with results: not those with seconds and rates."""
    return [line for line in output.splitlines() if re.match(r' *\d+ +\d+\.\d|k \(|leakage', line)]


def kill_job(job, mark):
    """The launcher, its helpers and all ranks: what has the mark in its environment."""
    job.kill()
    for process in pathlib.Path('/proc').glob('[0-9]*'):
        try:
            if mark.encode() in (process / 'environ').read_bytes():
                os.kill(int(process.name), signal.SIGKILL)
        except OSError:
            pass  # gone, or somebody else's
    job.communicate()


def expect(holds, what):
    if not holds:
        sys.exit(f'parallel_test: {what}')


def same_results(name, output, folder):
    expect(numbers(output) == numbers(alone), f'{name}: other numbers\n{output}')
    expect((work / folder / 'tallies.out').read_text() == (work / 'alone/tallies.out').read_text(),
           f'{name}: other tallies')


alone = run([binaries / 'rmc', 'run', model, *short, '-o', 'alone']).stdout
expect(len(numbers(alone)) > 12, 'a run alone prints no results')
jobs = list(launchers())
others = [job for job in jobs if not job[0].endswith(BY_WAY)]  # rmc becomes one of these before it does anything else
for name, launch, program in jobs:
    for ranks, domains in SHAPES[:1] if name.endswith(BY_WAY) else SHAPES:
        words = [*launch, ranks, program, 'run', model, *short, '-o', 'job']
        output = run(words + (['--domains', *domains] if domains else [])).stdout
        moves = len(re.findall(r'^domains moved after batch ', output, re.M))
        expect(moves == {2: 0, 3: 2, 4: 0, 5: 5}[ranks], f'{name}: {moves} moves of the domains of {ranks} ranks:\n{output}')
        expect(f'{ranks} ranks x 1 threads' in output, f'{name}: not {ranks} ranks:\n{output}')
        expect(('balance ' in output) == bool(domains), f'{name}: report of domains:\n{output}')
        same_results(f'{name}, {ranks} ranks, domains {domains}', output, 'job')

# No process needs more than 1.3 times its share of the tallies and 16 MB, for pictures and messages, besides what it needs
# without any. Ranks of marun are threads of one process, so its memory says nothing of one of them.
tallied = (model / 'model.xml').read_text()
for folder, text in (('plain', re.sub('<tallies>.*?</tallies>', '', tallied, flags=re.DOTALL)),
                     ('fine', tallied.replace('<dimension>51 51<', '<dimension>2000 1500<'))):
    (work / folder).mkdir()
    (work / folder / 'model.xml').write_text(re.sub('(<cross_sections>)(.*?<)', rf'\1{model}/\2', text))
for name, launch, program in others:
    if name == 'taihu':
        continue
    for ranks, domains, largest in (1, (1, 1, 1), 1), (4, (2, 2, 1, '--fixed-domains'), 1), (4, (2, 2, 1), 4):
        words = [*launch, ranks, program, 'run', 'MODEL', '--particles', 5000, '--batches', 4, '--inactive', 1, '--threads', 1,
                 '-o', 'job', '--domains', *domains]
        outputs = {folder: run([folder if word == 'MODEL' else word for word in words]).stdout for folder in ('plain', 'fine')}
        share, process = map(float, re.search(r'memory +([\d.]+) MB .* largest process ([\d.]+) MB', outputs['fine']).groups())
        plain = float(re.search(r'largest process ([\d.]+) MB', outputs['plain'])[1])
        expect(96 / ranks - 1 < share < largest * 96 / ranks + 1, f'{name}: a share of {share} MB on domains {domains}')
        expect(share < process <= plain + 1.3 * share + 16, f'{name}: {process} MB on {ranks} domains, {plain} without tallies')

# The root alone writes and reads the statepoints.
for name, launch, program in jobs[:1]:
    words = [*launch, 3, program, 'run', model, *short, '--statepoint-every', 6, '--statepoints', 'root', '-o', 'rooted']
    same_results(f'{name}, statepoints of the root', run(words).stdout, 'rooted')
    run([*launch, 2, program, 'restart', model, *short, '--from', 'rooted/statepoint.06.h5', '--statepoints', 'root', '-o', 'again'])
    expect((work / 'again/tallies.out').read_text() == (work / 'alone/tallies.out').read_text(),
           f'{name}: other tallies after a restart through the root')

for name, launch, program in others:
    output = run([*launch, 2, program, 'bench', 'restart', '--repeats', 1, '--scale', 0.01]).stdout
    expect(len(re.findall(r'^statepoint of .*, 2 ranks$', output, re.M)) == 1, f'{name}: bench restart:\n{output}')
    expect(len(re.findall(r'^  .* s +[\d.]+ MB/s +[\d.]+ to [\d.]+ s$', output, re.M)) == 7, f'{name}: bench restart:\n{output}')

(work / 'file').touch()
(work / 'taken/statepoint.12.h5').mkdir(parents=True)  # refused before the run
(work / 'late/statepoint.12.h5.part').mkdir(parents=True)  # found when it is written
for name, launch, program in jobs:
    done = run([*launch, 2, program, 'run', model, *short, '--domains', 3, 1, 1], code=1)
    told = [line for line in done.stderr.splitlines() if line.startswith('rmc:')]
    expect(told == ['rmc: 3 domains need at least as many ranks; there are 2'], f'{name}: {done.stderr}')
    if name.endswith(BY_WAY):
        continue
    for words, code, text in ((['-o', 'file'], 1, 'cannot create folder file (Not a directory)'),
                              (['--schedule', 'fair'], 2, 'schedule "fair" is not one; write static, dynamic,N or guided,N'),
                              (['--domains', 2, 1, 1, '--domain-box', 1, 0, 0, 1, 1, 1], 1,
                               'the box of the domains has no width along x'),
                              (['--domains', 0, 1, 1], 2, None),
                              (['--domains', 2, 1, 1, '--fixed-domains', '--move-domains', 2], 2,
                               '--move-domains excludes --fixed-domains'),
                              (['-o', 'taken'], 1, 'cannot write taken/statepoint.12.h5 (it is a directory); name a file in it'),
                              (['-o', 'late'], 1, 'late/statepoint.12.h5.part: cannot be created')):
        done = run([*launch, 3, program, 'run', model, *short, *words], code=code)
        told = [line for line in done.stderr.splitlines() if 'rmc:' in line]
        expect(len(told) == 1 and (not text or told == [f'rmc: {text}']), f'{name}: {words}: {done.stderr}')
    for folder, file in ('taken', 'statepoint.12.h5'), ('late', 'statepoint.12.h5.part'):
        expect([path.name for path in (work / folder).iterdir()] == [file], f'{name}: half a statepoint is left')
done = run([binaries / 'rmc', 'run', model, *short, '--domains', 2, 1, 1], code=1)
expect(done.stderr == 'rmc: 2 domains need at least as many ranks; there are 1\n', done.stderr)
done = run([binaries / 'rmc', 'run', model, *short, '--domains', 0, 1, 1], code=2)
expect(len(done.stderr.splitlines()) == 1, done.stderr)

# A job that is killed while it runs and writes, and goes on with other ranks, comes to the same end.
dice = random.Random(5)
for name, launch, program in jobs[:1]:
    kills = 0
    state = work / 'killed'
    for start in range(100):
        ranks = 2 + start % 3
        # Not from the end, which a job that is killed late has already written.
        points = sorted(set(state.glob('statepoint.*.h5')) - {state / 'statepoint.12.h5'})
        words = [*launch, ranks, program, *(['restart', model, '--from', points[-1]] if points else ['run', model]),
                 *short, '--statepoint-every', 1, '-o', 'killed', '--domains', 1 + start % 2, 1, 1, '--move-domains', 1]
        mark = f'killed-{os.getpid()}-{start}'
        job = subprocess.Popen([str(word) for word in words], cwd=work, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, env=dict(environment, RMC_TEST_JOB=mark), text=True)
        last = kills == 10
        try:
            complaint = job.communicate(timeout=120 if last else dice.uniform(0.1, 1.2))[1]
        except subprocess.TimeoutExpired:
            kill_job(job, mark)
            kills += 1
            continue
        if job.returncode != 0:
            sys.exit(f'{name}: a job that goes on fails: {words}\n{complaint}')
        same_results(f'{name}, killed {kills} times', alone, 'killed')
        if last:
            break
        shutil.rmtree(state)
    expect(kills == 10, f'{name}: {kills} kills')
print(f'{len(jobs)} kinds of jobs')
