#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_format.sh <clang-format>: reports C and C++ files that clang-format would change. A folder with a .clang-format
# of its own is laid out by that.
cd "$(dirname "$0")/.." || exit 1
git -c safe.directory='*' ls-files -z --cached --others --exclude-standard -- '*.h' '*.c' '*.cc' |
  xargs -0 "$1" --dry-run --Werror
