#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: indirect.sh MARUN MPICC: runs indirect.c with its library in a folder of the system. 77: skipped.
marun=$1 mpicc=$2 source=$(dirname "$0")/indirect.c folder=/usr/lib/locale
alone="unshare --mount"
[ "$(id -u)" = 0 ] || alone="unshare --map-root-user --mount"
[ -d $folder ] && $alone true 2>/dev/null || { echo "skipped: no name space for mounts here"; exit 77; }
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
mkdir "$place/system"
set -e
"$mpicc" -shared -fPIC -DLIBRARY "$source" -Wl,-soname,libindirect.so.1 -o "$place/system/libindirect.so.1"
cc -shared -fPIC -DPRINTS "$source" -Wl,-soname,libprints.so.1 -o "$place/system/libprints.so.1"
prints="$place/system/libprints.so.1"
cc "$source" -Wl,--allow-shlib-undefined "$place/system/libindirect.so.1" "$prints" -Wl,-rpath,$folder -o "$place/linked"
cc -DOPENED "$source" "$prints" -Wl,--disable-new-dtags,-rpath,$folder -o "$place/opened"
for program in linked opened; do
  for processes in 1 2; do
    $alone sh -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' sh "$place/system" $folder \
      "$marun" --timeout 60 -n 3 --processes-per-node $processes "$place/$program" > "$place/output"
    [ "$(grep -c '^sum 3 of 3 ranks' "$place/output")" = 3 ] && [ "$(grep -c '^a line' "$place/output")" = 3 ] ||
      { cat "$place/output"; exit 1; }
  done
done
