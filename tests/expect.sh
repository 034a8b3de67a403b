#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command as a test: it must end with the exit code and print the text. CTest's own PASS_REGULAR_EXPRESSION looks at
# the text alone, so that a job that prints it and then dies would pass.
#
#   expect.sh EXIT_CODE REGULAR_EXPRESSION COMMAND [ARGUMENT...]
#
# EXIT_CODE is a number or "failure", any but 0. The expression is POSIX's extended one over the whole output, standard error
# in it: '.' is any character, also a line end.
set -u
wanted=$1 expression=$2
shift 2

# Shown while it comes, so that a test that runs out of time shows how far it got.
exec 3>&1
output=$("$@" 2>&1 3>&- | tee /dev/fd/3; exit "${PIPESTATUS[0]}")
code=$?

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
