#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that programs write are looked at before the work and told in one line when they cannot be written; nothing else
is touched (rmc has its own test). Usage: outputs_test.py BIN_FOLDER NOCSIM_CONFIG WORK_FOLDER"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

programs, config, work = sys.argv[1:4]
shutil.rmtree(work, ignore_errors=True)
os.makedirs(f'{work}/folder')
os.symlink('/dev/full', f'{work}/full')  # a fault of ours hits the link, not the machine
traffic = pathlib.Path(config).read_text()
environment = dict(os.environ, OMP_WAIT_POLICY='passive')


def run(program, *words, code=0):
    done = subprocess.run([f'{programs}/{program}', *words], cwd=work, capture_output=True, text=True, timeout=100,
                          env=environment)
    if done.returncode != code:
        sys.exit(f'{program} {" ".join(words)}: exit code {done.returncode} instead of {code}\n{done.stdout}{done.stderr}')
    return done


def refused(program, *words, text):
    """One line, and the work has not begun: nothing on standard output."""
    done = run(program, *words, code=1)
    if not re.fullmatch(f'{program}: {text}\n', done.stderr) or done.stdout:
        sys.exit(f'{program} {" ".join(words)}: {done.stderr}{done.stdout}')


def expect(holds, what):
    if not holds:
        sys.exit(f'outputs_test: {what}')


none_text = rf'\(no directory {work}/none\)'
solve = ['amgsolve', '--generate', 'laplace2d', '20']
run(*solve, '-o', 'x.mtx')
expect(len(open(f'{work}/x.mtx').readlines()) == 402, 'the solution has not 400 lines behind its head')
for name, text in (('folder', r'\(it is a directory\); name a file in it'), ('new/', r'\(it is a directory\); name a file in it'),
                   ('none/x', none_text), ('/proc/self/x', r'\([^\n]+\)')):
    refused(*solve, '-o', name, text=f'--output: cannot write {re.escape(name)} {text}')
    refused('narun', '--json', name, '/bin/true', text=f'--json: cannot write {re.escape(name)} {text}')
    for option in '--report', '--log':
        refused('narun', f'{option}={name}', '/bin/true', text=f'{option}: cannot write {re.escape(name)} {text}')
    changed = re.sub(r'\Z', f'\n[output]\nlinks = "{name}"\n', traffic)
    pathlib.Path(f'{work}/run.toml').write_text(changed)
    refused('nocsim', 'run', 'run.toml', text=rf'\[output\]: cannot write {re.escape(name)} {text}')
refused('network-model', '--members', '4', '--pictures', 'none/p', text=rf'--pictures: cannot write none/p1.png {none_text}')
for command in 'run', 'sweep', 'replay':
    refused('nocsim', command, 'none', text=r'cannot read none \(No such file or directory\)')
    refused('nocsim', command, 'folder', text=r'cannot read folder \(Is a directory\)')
done = run(*solve, '-o', 'full', code=1)
expect(done.stderr == 'amgsolve: cannot write full (No space left on device)\n', done.stderr)
expect(os.path.islink(f'{work}/full'), 'amgsolve has replaced a device')
run('narun', '--json', 'p%p.json', '--report=r', '/bin/true')

for command in (['sweep', config, '--loads', '0.01', '--out'], ['validate', '--quick', '--out'], ['reproduce', '--out']):
    refused('nocsim', *command, 'x.mtx', text=r'cannot create folder x.mtx \(Not a directory\)')
    refused('nocsim', *command, '/proc/self', text=r'cannot write into folder /proc/self \([^\n]+\)')
os.mkdir(f'{work}/folder/sweep.png')
refused('nocsim', 'sweep', config, '--loads', '0.01', '--out', 'folder',
        text=r'--out: cannot write folder/sweep.png \(it is a directory\); name a file in it')
run('nocsim', 'sweep', config, '--loads', '0.01', '--out', 'a/b/')
expect(sorted(os.listdir(f'{work}/a/b')) == ['sweep.csv', 'sweep.png'], os.listdir(f'{work}/a/b'))
expect(not [name for name in os.listdir(work) if name.endswith('.part')], 'a temporary file is left behind')
