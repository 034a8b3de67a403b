#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: compare.sh MARUN MPIRUN FILTER PROGRAM [ARGUMENT ...]: the lines of what 4 ranks write that match FILTER (an extended
# regular expression) are the same under marun as under mpirun. The program's own MPI library stays what it is in both.
marun=$1 mpirun=$2 filter=$3
shift 3
export OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
cd "$place" || exit 1
"$marun" --timeout 100 -n 4 "$@" >ours 2>&1 || { cat ours; exit 1; }
"$mpirun" --oversubscribe -n 4 "$@" >theirs 2>&1 || { cat theirs; exit 1; }
grep -E "$filter" ours >ours.lines
grep -E "$filter" theirs >theirs.lines
[ -s theirs.lines ] || { echo "nothing matches $filter"; exit 1; }
diff ours.lines theirs.lines && echo "the same: $(wc -l <ours.lines) lines"
