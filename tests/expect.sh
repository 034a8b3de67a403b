#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command as a test: it must end with the exit code and print the text. CTest's own PASS_REGULAR_EXPRESSION looks at
# the text alone, so that a job that prints it and then dies would pass.
#
#   expect.sh EXIT_CODE REGULAR_EXPRESSION COMMAND [ARGUMENT...]
#
# EXIT_CODE is a number or "failure", any but 0. The expression is POSIX's extended one over the whole output, standard error
# in it: '.' is any character, also a line end.
#
# EXPECT_STACKS_AFTER=SECONDS in the environment: when the command takes longer, gdb shows where every thread of its processes
# stands, once. For what hangs once in hundreds of runs.
set -u
wanted=$1 expression=$2
shift 2

# Processes below $1, without the one $2 and those below it.
descendants() {
  local child
  for child in $(cat "/proc/$1"/task/*/children 2>/dev/null); do
    [ "$child" = "$2" ] && continue
    echo "$child"
    descendants "$child" "$2"
  done
}

show_stacks_after() {
  local own=$BASHPID process name
  # Waits without a process that would outlive this one; the pipe has a writer and nothing in it.
  read -rt "$1" <> <(:)
  for process in $(descendants $$ "$own"); do
    name=$(cat "/proc/$process/comm" 2>/dev/null)
    case $name in '' | expect.sh | bash | sh | tee) continue ;; esac
    echo "expect.sh: after $1 s process $process ($name) stands here:"
    timeout 15 gdb -nx -batch -p "$process" -ex 'thread apply all backtrace 24' 2>&1 |
      grep -E '^(Thread |#|ptrace|Could not)' | head -n 400
  done
}

# Shown while it comes, so that a test that runs out of time shows how far it got.
exec 3>&1
if [ -n "${EXPECT_STACKS_AFTER:-}" ]; then
  show_stacks_after "$EXPECT_STACKS_AFTER" >&3 &
  watcher=$!
fi
output=$("$@" 2>&1 3>&- | tee /dev/fd/3; exit "${PIPESTATUS[0]}")
code=$?
[ -z "${watcher:-}" ] || { kill "$watcher"; wait "$watcher"; } 2>/dev/null

status=0
if [ "$wanted" = failure ]; then
  [ $code -ne 0 ] || { echo "expect.sh: the exit code is 0, which is success; a failure is expected"; status=1; }
elif [ "$code" != "$wanted" ]; then
  echo "expect.sh: the exit code is $code; $wanted is expected"
  status=1
fi
if ! [[ $output =~ $expression ]]; then
  echo "expect.sh: the output has nothing that matches '$expression'"
  status=1
fi
exit $status
