#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program that its user runs with another user's rights does not do what the user's environment says.
#   set_uid.sh ignored PROGRAM VARIABLE=VALUE REGULAR-EXPRESSION   without the rights, the output shows that the variable
#                                                                  has an effect; with them, that it has none
#   set_uid.sh refused PROGRAM REGULAR-EXPRESSION                  without the rights it runs; with them it ends with code
#                                                                  1 and this message
# Exit code 77 with a line that says why where this cannot be tried.
set -eu

skip() {
  echo "*** SKIPPED: set-uid programs are NOT checked: $1 ***"
  exit 77
}

[ "$(id -u)" -eq 0 ] || skip "only root can make a program of another user"
command -v setpriv >/dev/null || skip "no setpriv (Debian package util-linux)"
id nobody >/dev/null 2>&1 || skip "there is no user nobody"

what=$1 program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
as_user() { (cd / && setpriv --reuid=1 --regid=1 --clear-groups "$@"); }

# Copies the program with the owner nobody; $1: its mode.
copy() {
  cp "$program" "$folder/program"
  chown nobody "$folder/program"
  chmod "$1" "$folder/program"
}

copy 4755
as_user test -x "$folder/program" || skip "$folder is closed to other users"
cp "$(command -v id)" "$folder/id"
chown nobody "$folder/id"
chmod 4755 "$folder/id"
[ "$(as_user "$folder/id" -u)" = "$(id -u nobody)" ] || skip "programs of $folder cannot be set-uid"
copy 755
as_user "$folder/program" >/dev/null 2>&1 || skip "user 1 cannot run $program, or its libraries are closed to others"

fail() {
  echo "set_uid.sh: $1"
  cat "$folder/output"
  exit 1
}

# Runs the copy with the given mode and words before it; sets code and leaves the output.
run() {
  copy "$1"
  shift
  code=0
  as_user "$@" "$folder/program" >"$folder/output" 2>&1 || code=$?
}

if [ "$what" = ignored ]; then
  run 755 env "$3"
  [ "$code" = 0 ] && grep -Eq "$4" "$folder/output" || fail "$3 had no effect on an ordinary program (exit code $code)"
  run 4755 env "$3"
  [ "$code" = 0 ] || fail "the set-uid program ended with code $code"
  ! grep -Eq "$4" "$folder/output" || fail "$3 had an effect on a set-uid program"
else
  run 755 env
  [ "$code" = 0 ] || fail "the ordinary program ended with code $code"
  run 4755 env
  [ "$code" = 1 ] && grep -Eq "$3" "$folder/output" || fail "the set-uid program ended with code $code"
fi
echo "set_uid.sh: $what: passed"
