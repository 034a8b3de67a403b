#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every fault that expect.sh must find, and what it must let pass.
set -u
expect=$(dirname "$(readlink -f "$0")")/expect.sh
failures=0

# check <passes|fails> <name> <arguments of expect.sh>...
check() {
  local result=$1 name=$2 actual=passes
  shift 2
  "$expect" "$@" >/dev/null 2>&1 || actual=fails
  [ $actual = "$result" ] || { echo "expect_test.sh: '$name' $actual"; failures=$((failures + 1)); }
}

check passes "text and exit code" 0 'x: passed' echo 'x: passed'
check fails "passed, then aborted" 0 'passed' bash -c 'echo passed; kill -ABRT $$'
check fails "passed, then killed" 0 'passed' bash -c 'echo passed; kill -KILL $$'
check fails "passed, then a failure" 0 'passed' bash -c 'echo passed; exit 3'
check fails "ended well without the text" 0 'passed' true
check fails "no such program" 0 'passed' /nonexistent/passed
check passes "the failure that is expected" 3 'refused' bash -c 'echo refused >&2; exit 3'
check fails "another failure" 3 'refused' bash -c 'echo refused; exit 1'
check fails "success where a failure is expected" failure 'refused' echo refused
check passes "any failure" failure 'refused' bash -c 'echo refused; exit 77'
check passes "over lines" 0 '^a.*d$' printf 'a\nb c\nd\n'
check fails "from the first line on" 0 '^b' printf 'a\nb\n'
shown=$("$expect" 0 passed bash -c 'echo here >&2; echo passed')
[ "$shown" = $'here\npassed' ] || { echo "expect_test.sh: the output is not shown: $shown"; failures=$((failures + 1)); }
# Of a command that takes long each thread is shown, unless there is no gdb.
shown=$(EXPECT_STACKS_AFTER=0.5 "$expect" 0 passed bash -c 'sleep 8; echo passed')
[[ $shown == *"after 0.5 s process "*"(sleep) stands here:"*passed ]] &&
  { [[ $shown == *"#0 "* ]] || ! command -v gdb >/dev/null || [[ $shown == *ptrace* ]]; } ||
  { echo "expect_test.sh: no stacks are shown: $shown"; failures=$((failures + 1)); }
shown=$(EXPECT_STACKS_AFTER=30 "$expect" 0 passed echo passed)
[ "$shown" = passed ] || { echo "expect_test.sh: stacks of a command that has ended: $shown"; failures=$((failures + 1)); }
[ $failures -eq 0 ]
