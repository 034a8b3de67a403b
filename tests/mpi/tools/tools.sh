#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: tools.sh MARUN PROCESSES WAY PROGRAM TOOL: three ranks of PROGRAM with TOOL in LD_PRELOAD, named by the environment of
# marun (WAY: environment), by its option -x (option), or by a name that LD_LIBRARY_PATH leads to (name).
marun=$1 processes=$2 way=$3 program=$4 tool=$5
set -- --timeout 60 -n 3 --processes-per-node "$processes"
case $way in
environment) LD_PRELOAD=$tool "$marun" "$@" "$program" ;;
option) "$marun" "$@" -x "LD_PRELOAD=$tool" "$program" ;;
name) LD_LIBRARY_PATH=$(dirname "$tool") "$marun" "$@" -x "LD_PRELOAD=$(basename "$tool") libm.so.6" "$program" ;;
*) exit 2 ;;
esac >lines.$$ 2>&1
code=$?
sort lines.$$
rm lines.$$
exit $code
