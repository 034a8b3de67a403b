#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where rmc writes: from any folder, and refused before the run where it cannot. Usage: outputs_test.py RMC MODEL_FOLDER
WORK_FOLDER"""
import os
import re
import resource
import shutil
import subprocess
import sys

rmc, model, work = sys.argv[1:4]
shutil.rmtree(work, ignore_errors=True)
shutil.copytree(model, f'{work}/model')
short = ['--particles', '200', '--batches', '4', '--inactive', '1']
results = {'statepoint.4.h5', 'summary.h5', 'tallies.out', 'tally_1_fission.png'}


def run(*words, folder='.', code=0):
    done = subprocess.run([rmc, *words], cwd=os.path.join(work, folder), capture_output=True, text=True, timeout=100)
    if done.returncode != code:
        sys.exit(f'rmc {" ".join(words)}: exit code {done.returncode} instead of {code}\n{done.stdout}{done.stderr}')
    return done


def expect(holds, what):
    if not holds:
        sys.exit(f'outputs_test: {what}')


# A model is named in every way that a shell can, and its results are there.
for folder, named in (('model', ['model.xml']), ('model', ['./model.xml']), ('model', []), ('model', ['.']),
                      ('.', ['model/']), ('.', ['model/model.xml']), ('model', [f'{work}/model/model.xml'])):
    out = f'{work}/out'
    run('run', *named, *short, '-o', f'{out}/a/', folder=folder)
    expect(set(os.listdir(f'{out}/a')) == results, f'{named} in {folder}: {os.listdir(f"{out}/a")}')
    shutil.rmtree(out)
run('check', 'model.xml', folder='model')

# What cannot be written is refused before the first batch, in one line; nothing else is touched.
for name in sorted(results):
    os.makedirs(f'{work}/taken/{name}')
    done = run('run', 'model', *short, '-o', 'taken', code=1)
    expect(done.stderr == f'rmc: cannot write taken/{name} (it is a directory); name a file in it\n', done.stderr)
    expect(not re.search(r'^ +1 ', done.stdout, re.M), f'the run began:\n{done.stdout}')
    expect(os.listdir(f'{work}/taken') == [name], os.listdir(f'{work}/taken'))
    os.rmdir(f'{work}/taken/{name}')
for words, text in ((['plot', 'model', '-o', 'taken'], '--output: cannot write taken (it is a directory); name a file in it'),
                    (['plot', 'model', '-o', 'none/a.png'],
                     f'--output: cannot write none/a.png (no directory {work}/none)'),
                    (['library', 'model/c5g7.json', 'taken'], 'cannot write taken (it is a directory); name a file in it'),
                    (['library', 'model/c5g7.json', 'none/a.h5'], f'cannot write none/a.h5 (no directory {work}/none)')):
    done = run(*words, code=1)
    expect(done.stderr == f'rmc: {text}\n' and not done.stdout, f'{words}: {done.stderr}{done.stdout}')
done = run('run', 'model', *short, '-o', '/proc/self/fd', code=1)
expect(done.stderr.startswith('rmc: cannot write into folder /proc/self/fd ('), done.stderr)

# A full disk: one line, and the device (by a link, for the machine's sake) is neither replaced nor removed.
os.symlink('/dev/full', f'{work}/full')
for words, text in ((['plot', 'model', '-o', 'full'], r'cannot write full \(No space left on device\)'),
                    (['library', 'model/c5g7.json', 'full'], r'full: [^\n]+')):
    done = run(*words, code=1)
    expect(re.fullmatch(f'rmc: {text}\n', done.stderr) and not done.stdout, f'{words}: {done.stderr}{done.stdout}')
    expect(os.path.islink(f'{work}/full'), f'{words} has replaced a device')

# A large tally is not text by default: one line says so, and where it is. Large meshes share pixels.
shutil.copytree(f'{work}/model', f'{work}/large')
with open(f'{work}/model/model.xml') as file:
    text = file.read()
with open(f'{work}/large/model.xml', 'w') as file:
    file.write(text.replace('<dimension>51 51<', '<dimension>2000 600<'))
done = run('run', 'large', *short, '-o', 'short')
found = re.findall(r'^tallies.out .*$', done.stdout, re.M)
expect(len(found) == 1 and re.match(r'tallies.out is without tally 1: its \d+ values are in the statepoint; --all-tallies', found[0]),
       found)
expect(re.search(r'^seconds: .*, text and pictures \d+\.\d+, total', done.stdout, re.M), done.stdout)
expect(os.path.getsize(f'{work}/short/tallies.out') < 1000, 'tallies.out is not short')
done = run('run', 'large', *short, '--all-tallies', '-o', 'long')
expect('tallies.out' not in done.stdout, done.stdout)
with open(f'{work}/long/tallies.out') as file:
    expect(sum('Mesh Index' in line for line in file) == 1200000, 'tallies.out has not every cell')
with open(f'{work}/long/tally_1_fission.png', 'rb') as file:
    head = file.read(24)
expect((int.from_bytes(head[16:20], 'big'), int.from_bytes(head[20:24], 'big')) == (1000, 300), 'the map has another size')

# Memory that is not there: where the largest tally stands.
with open(f'{work}/large/model.xml', 'w') as file:
    file.write(text.replace('<dimension>51 51<', '<dimension>30000 30000<'))
memory = 6 << 30
done = subprocess.run([rmc, 'run', 'large', *short, '--threads', '1', '-o', 'none'], cwd=work, capture_output=True, text=True,
                      timeout=100, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)))
expect(done.returncode == 1 and done.stderr ==
       'rmc: large/model.xml:109:5: there is not enough memory for 200 neutrons per generation and the tallies, of which '
       'tally 1 has 900000000 values; use fewer, or --domains\n', done.stderr)
