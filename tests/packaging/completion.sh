#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What bash offers after some words: completion.sh FILE PROGRAM... FILE is the completion, PROGRAMs must all have one.
set -u
source "$1"
shift
failed=0

# expect <offered words> <words of the command line, the last one is completed>...
expect() {
  local expected=$1
  shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _taihu "$1" "${!#}" ""
  [[ "${COMPREPLY[*]-}" == "$expected" ]] || { echo "$*: offers '${COMPREPLY[*]-}', not '$expected'"; failed=1; }
}

for program in "$@"; do
  complete -p "$program" >/dev/null || failed=1
  case $program in macc | mac++ | mafc) help=-help ;; *) help=--help ;; esac
  expect "$help" "$program" "${help%lp}"
done
expect "openmpi mpich slurm none auto" marun --mpi ""
expect "core" marun --bind = co
expect "" marun -n ""
expect "--bind" /opt/taihu/bin/parcrun -n 4 --bin
expect "-cc=" macc -cc
expect "--spm= --spm-model --spm-model-lines --spm-model-pictures=" parcc --sp
expect "partition rebind observe none" narun --place ""
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" && touch program input
expect "program" marun -n 4 prog
expect "input" marun -n 4 ./program in
expect "input" macc -c inp
expect "program" narun --threads 4 prog
expect "input" narun --place none ./program in
expect "" narun ./program --pla
expect "input" taihu-info --machine in
if [[ " $* " == *" rmc "* ]]; then
  expect "replay reproduce" nocsim re
  expect "S1 S2 S3 all none" nocsim replay --placement ""
  expect "--tracking" rmc run --tr
  expect "--tracking" rmc-mpich restart --tr
  expect "pcg" amgsolve --solver p
fi
exit $failed
