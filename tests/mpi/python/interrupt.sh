#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: interrupt.sh MARUN PYTHON PROCESSES: two ranks that wait are interrupted as by the keyboard. Prints their lines,
# sorted, and the exit code of the job.
marun=$1 python=$2 processes=$3
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
"$marun" --timeout 60 -n 2 --processes-per-node "$processes" "$python" "$here/facilities.py" interrupt >"$place/out" 2>&1 &
job=$!
for _ in $(seq 200); do
  [ "$(grep -c waits "$place/out")" = 2 ] && break
  sleep 0.1
done
kill -INT $job
wait $job
code=$?
sort "$place/out"
echo "exit code $code"
