# SPDX-License-Identifier: Apache-2.0
"""The commands of the wheel: each becomes the program of its own name in the folder installation/."""
import os
import pathlib
import sys


def run():
    program = pathlib.Path(__file__).resolve().parent / "installation/bin" / pathlib.Path(sys.argv[0]).name
    try:
        os.execv(program, [sys.argv[0], *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"{program} cannot be run ({error.strerror}); install the wheel taihu again")
