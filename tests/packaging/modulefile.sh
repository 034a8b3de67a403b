#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# modulefile.sh BUILD WORK MODULECMD: loads the modulefile of an installation with another prefix, and unloads it.
set -eu
build=$1 work=$2 modulecmd=$3
rm -rf "$work"
cmake --install "$build" --component modulefile --prefix "$work/prefix of a user" >/dev/null
prefix="$work/prefix of a user"
module() { eval "$(tclsh "$modulecmd" bash "$@")"; }
module use "$prefix/share/taihu/modulefiles"
old_path=$PATH
unset XDG_DATA_DIRS PYTHONPATH CMAKE_PREFIX_PATH
module load taihu
[ "$PATH" = "$prefix/bin:$old_path" ]
[ "$CMAKE_PREFIX_PATH" = "$prefix" ]
[[ $PYTHONPATH = "$prefix"/lib*/python3/dist-packages ]]
[ "$XDG_DATA_DIRS" = "$prefix/share:/usr/local/share:/usr/share" ]
module unload taihu
[ "$PATH" = "$old_path" ]
[ -z "${CMAKE_PREFIX_PATH-}${PYTHONPATH-}" ]
