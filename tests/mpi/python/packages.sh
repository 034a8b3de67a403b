#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: packages.sh MARUN PYTHON RANKS PROCESSES PACKAGE: each rank's line is that of the interpreter alone. Exit code 77:
# PYTHON has no such package.
marun=$1 python=$2 ranks=$3 processes=$4 package=$5
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
export MPLCONFIGDIR="$place/matplotlib" OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
"$python" "$here/packages.py" "$package" >"$place/alone" || { code=$?; cat "$place/alone"; exit $code; }
"$marun" --timeout 100 -n "$ranks" --processes-per-node "$processes" "$python" "$here/packages.py" "$package" \
  >"$place/ranks" 2>"$place/errors" || { code=$?; cat "$place/ranks" "$place/errors"; exit $code; }
for _ in $(seq "$ranks"); do cat "$place/alone"; done >"$place/wanted"
diff "$place/wanted" "$place/ranks" || { cat "$place/errors"; exit 1; }
echo "the same on $ranks ranks: $(cat "$place/alone")"
