# SPDX-License-Identifier: Apache-2.0
"""Other people's programs and libraries, which may not be installed."""
import shutil


def skip(name, reason):
    """Says that nothing is compared with `name`."""
    print(f"*** SKIPPED: {name} is NOT compared with: {reason} ***", flush=True)


def has_commands(name, *commands):
    """Whether the commands that a comparison with `name` needs are there; says so when not."""
    missing = [command for command in commands if not shutil.which(command)]
    if missing:
        skip(name, f"there is no {' and no '.join(missing)}")
    return not missing
