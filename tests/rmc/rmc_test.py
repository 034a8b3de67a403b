#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rmc as a user runs it. Usage: rmc_test.py RMC MODEL_FOLDER WORK_FOLDER"""
import os
import re
import resource
import shutil
import signal
import subprocess
import sys

rmc, model, work = sys.argv[1:4]
model_3d = os.path.join(os.path.dirname(model), 'c5g7-3d')
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
with_heap = 'libtaihu_heap' in subprocess.run([rmc, 'bench', 'vectors', '--particles', '1'], capture_output=True,
                                                 text=True).stdout
short = ['--particles', '2000', '--batches', '30', '--inactive', '10']


def run(*words, code=0, launcher=()):
    done = subprocess.run([*launcher, rmc, *words], cwd=work, capture_output=True, text=True, timeout=250)
    if done.returncode != code:
        sys.exit(f'rmc {" ".join(words)}: exit code {done.returncode} instead of {code}\n{done.stdout}{done.stderr}')
    return done


def numbers(output):
    """Lines with results: not those with seconds and rates."""
    return [line for line in output.splitlines() if re.match(r' *\d+ +\d|k \(|leakage', line)]


def expect(holds, what):
    if not holds:
        sys.exit(f'rmc_test: {what}')


one = run('run', model, *short, '--threads', '1', '-o', 'one').stdout
found = re.search(r'k \(combined\) +([\d.]+) \+/- ([\d.]+)', one)
expect(abs(float(found[1]) - 1.1866) < 4 * float(found[2]) + 0.003, f'k is {found[0]}')
for name in ('statepoint.30.h5', 'summary.h5', 'tallies.out', 'tally_1_fission.png'):
    expect(os.path.getsize(f'{work}/one/{name}') > 100, f'{name} is missing')
with open(f'{work}/one/tally_1_fission.png', 'rb') as picture:
    expect(picture.read(8) == b'\x89PNG\r\n\x1a\n', 'the map is not a PNG file')

expect(numbers(run('run', model, *short, '--threads', '3', '-o', 'three').stdout) == numbers(one),
       'three threads give other numbers')
mpirun = shutil.which('mpirun.openmpi') or shutil.which('mpirun')
if mpirun:
    environment = ('env', 'OMPI_ALLOW_RUN_AS_ROOT=1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1', 'OMP_WAIT_POLICY=passive')
    job = (*environment, mpirun, '-n', '2') + (('--oversubscribe',) if 'openmpi' in os.path.realpath(mpirun) or
                                               'orterun' in os.path.realpath(mpirun) else ())
    two = run('run', model, *short, '--threads', '1', '-o', 'two', launcher=job).stdout
    expect('2 ranks x 1 threads' in two, 'mpirun -n 2 is not two ranks:\n' + two)
    expect(numbers(two) == numbers(one), 'two ranks give other numbers')
    with open(f'{work}/one/tallies.out') as a, open(f'{work}/two/tallies.out') as b:
        expect(a.read() == b.read(), 'two ranks give other tallies')

run('run', model, *short[:2], '--batches', '20', '--inactive', '10', '-o', 'part')
rest = run('restart', model, *short, '--from', 'part/statepoint.20.h5', '-o', 'rest').stdout
expect(numbers(rest) == numbers(one)[20:], 'a run that goes on gives other numbers')
with open(f'{work}/one/tallies.out') as a, open(f'{work}/rest/tallies.out') as b:
    expect(a.read() == b.read(), 'a run that goes on gives other tallies')

# As OpenMC's Python package starts programs: short options, the model's folder last or none.
for words in (['-n', '2000', '-s', '2', *short[2:], '-o', 'openmc', model],
              ['-n', '2000', '-s', '2', *short[2:], '-o', 'openmc', '-r', 'part/statepoint.20.h5', model]):
    output = numbers(run('run', *words).stdout)
    expect(output == numbers(one)[20 * ('-r' in words):], f'{words} gives other numbers')

expect(numbers(run('run', model, *short, '--vectors', 'plain', '--schedule', 'guided,1', '-o', 'plain').stdout) ==
       numbers(one), 'plain vectors and another schedule give other numbers')

# NEA/NSC/DOC(2005)16. With this few neutrons k is known to about 0.002.
for case, reference in (('unrodded', 1.14308), ('rodded-a', 1.12806), ('rodded-b', 1.07777)):
    output = run('run', f'{model_3d}/{case}', '--particles', '5000', '--batches', '60', '--inactive', '20', '-o',
                 case).stdout
    found = re.search(r'k \(combined\) +([\d.]+) \+/- ([\d.]+)', output)
    expect(float(found[2]) < 0.004 and abs(float(found[1]) - reference) < 4 * float(found[2]) + 0.001,
           f'C5G7 3-D, {case}: {found[0]} instead of {reference}')

table = run('bench', '--threads', '2', '--repeats', '1', '--scale', '0.01').stdout if with_heap else ''
for row in ("glibc's heap", 'guided,n/threads', 'plain vectors', 'all off') if with_heap else ():
    expect(re.search(re.escape(row) + r'.*( +[\d.]+| +-){4}$', table, re.M), f'bench all has no row {row}:\n{table}')
os.mkdir(f'{work}/io')
rows = ('written by all ranks', 'written through the root', 'plain file, written by all ranks', 'plain file, written by one rank',
        'read by all ranks', 'read through the root', 'plain file, read by all ranks')
for table in (table,) * with_heap + (
        run('bench', 'restart', '--ranks', '3', '--repeats', '1', '--scale', '0.01', '--folder', 'io').stdout,):
    expect(re.search(r'^statepoint of \d+\.\d MB, \d ranks$', table, re.M), f'bench restart has no head:\n{table}')
    for row in rows:
        found = re.search(f'^  {row} +([\\d.]+) s +([\\d.]+) MB/s +([\\d.]+) to ([\\d.]+) s$', table, re.M)
        expect(found and 0 < float(found[3]) <= float(found[1]) <= float(found[4]) and float(found[2]) > 0, f'bench restart has no row {row}:\n{table}')
expect(', 3 ranks' in table and os.listdir(f'{work}/io') == [], f'bench restart: {os.listdir(f"{work}/io")}\n{table}')
wrong = run('bench', 'restart', '--folder', 'nowhere', code=1)
expect(re.fullmatch(r'rmc: cannot create folder nowhere/\S+ \(No such file or directory\)\n', wrong.stderr), wrong.stderr)
table = run('bench', 'schedule', '--threads', '2', '--repeats', '1', '--scale', '0.01').stdout
expect(len(re.findall(r'^[A-Za-z].* s( +[\d.]+){5}$', table, re.M)) == 3, 'bench schedule has another table:\n' + table)
run('bench', 'nothing', code=2)

def small_files():
    """As on a full disk: no file grows beyond 20 kB."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


full = subprocess.run([rmc, 'run', model, *short[:2], '--batches', '6', '--inactive', '2', '-o', 'full'], cwd=work,
                      capture_output=True, text=True, timeout=100, preexec_fn=small_files)
expect(full.returncode == 1, f'on a full disk the exit code is {full.returncode}')
expect(re.fullmatch(r'rmc: .*statepoint.*\n', full.stderr), f'on a full disk rmc says: {full.stderr}')
expect(os.listdir(f'{work}/full') == [], f'on a full disk there is {os.listdir(f"{work}/full")}')

# What cannot work is told in one line before the run.
open(f'{work}/file', 'w').close()
for words, code, text in ((['-o', 'file'], 1, 'cannot create folder file (Not a directory)'),
                          (['-o', 'file/in'], 1, 'cannot create folder file/in (Not a directory)'),
                          (['--particles', '0'], 2, "--particles: '0' is not a whole number from 1 to 1099511627775"),
                          (['--inactive', '-1'], 2, "--inactive: '-1' is not a whole number from 0 to 100000000"),
                          (['--seed', '-1'], 2, None), (['--seed', '0'], 2, "--seed: '0' is not a whole number from 1 to 18446744073709551615"),
                          (['--batches', '2'], 2, "50 inactive batches of 2 leave no active one; give a smaller --inactive or more --batches"),
                          (['--schedule', 'fair'], 2, 'schedule "fair" is not one; write static, dynamic,N or guided,N'),
                          (['--schedule', 'dynamic,0'], 2, 'schedule "dynamic,0": the chunk is a number from 1 on'),
                          (['--domain-box', *'0 0 0 1 1 1'.split()], 2, '--domain-box requires --domains'),
                          (['--fixed-domains', '--move-domains', '3', '--domains', *'1 1 1'.split()], 2,
                           '--move-domains excludes --fixed-domains'),
                          (['--move-domains', '3'], 2, '--move-domains requires --domains')):
    given = [] if words[0] in short else short
    wrong = run('run', model, *given, *words, code=code)
    expect((text is None or wrong.stderr == f'rmc: {text}\n') and not wrong.stdout, f'{words}: {wrong.stderr}{wrong.stdout}')

surface = run('run', model, *short, '--tracking', 'surface', '-o', 'surface').stdout
found = re.search(r'k \(combined\) +([\d.]+) \+/- ([\d.]+)', surface)
expect(abs(float(found[1]) - 1.1866) < 4 * float(found[2]) + 0.003, f'surface tracking: k is {found[0]}')

expect('0 of 1000 points' in run('check', model, '--points', '1000').stdout, 'check finds faults')
wrong = run('check', model, '--points', '100', '--box', '-1', '-1', '0', '0', '1', '0', code=1).stdout
expect('in no cell of the root universe' in wrong, 'check does not find points outside')
run('plot', model, '--origin', '32', '-32', '0', '--width', '64', '64', '--pixels', '50', '50', '-o', 'slice.png')
run('library', f'{model}/c5g7.json', 'c5g7.h5')
expect('no such file' in run('run', 'nowhere', code=1).stderr, 'a missing model has another message')
expect(run('run', model, '--threads', '0', code=2).stderr.startswith('rmc: '), 'wrong use has no message')
for words, text in (([], 'no command given; there are run, restart, check, plot, library, bench'),
                    (['fly'], 'unknown command fly; there are run, restart, check, plot, library, bench'),
                    (['library'], 'TEXT.json is missing; --help shows all options'),
                    (['plot', model, '--width', '0', '5'], "--width: '0' is not a number from 0.000001 to 1000000000"),
                    (['plot', model, '--width', '5'], '--width takes at least 2 values, not 1'),
                    (['run', model, 'more'], 'unexpected argument more; --help shows all options')):
    wrong = run(*words, code=2)
    expect(wrong.stderr == f'rmc: {text}\n' and not wrong.stdout, f'{words}: {wrong.stderr}{wrong.stdout}')
