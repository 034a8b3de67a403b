# SPDX-License-Identifier: Apache-2.0
"""examples/depletion/deplete.py as its users call it. Needs OpenMC's Python package and OPENMC_CROSS_SECTIONS with U235, U238,
I135, Xe135, O16, H1 and water; without them only what it says about that is tested.

    depletion_test.py BUILD"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/depletion"


def deplete(*words):
    return subprocess.run([sys.executable, EXAMPLE / "deplete.py", *map(str, words)], capture_output=True, text=True)


def refused(text, *words):
    done = deplete(*words)
    assert done.returncode == 1 and text in done.stderr.splitlines()[-1], done.stderr


def main():
    try:
        import openmc.deplete  # noqa: F401
    except ImportError:
        refused("deplete.py: OpenMC's Python package is missing", EXAMPLE / "model.xml")
        print("OpenMC's Python package is missing: depletion was not tested")
        return
    model, chain, rest = EXAMPLE / "model.xml", EXAMPLE / "chain.xml", ("--power", 174, "--days", 0.25)
    refused("no.xml: cannot be read as a model", "no.xml", "--chain", chain, *rest)
    refused("cannot be read as a model", chain, "--chain", chain, *rest)
    if "OPENMC_CROSS_SECTIONS" not in os.environ:
        print("OPENMC_CROSS_SECTIONS is not set: depletion was not tested")
        return
    refused("cannot run 'no-rmc'", model, "--chain", chain, "--rmc", "no-rmc", *rest)
    with tempfile.TemporaryDirectory() as place:
        done = deplete(model, "--chain", chain, "--rmc", pathlib.Path(sys.argv[1]) / "bin/rmc", *rest, "-o", place)
        assert done.returncode == 0, done.stderr
        with open(pathlib.Path(place) / "depletion.csv") as file:
            before, after = csv.DictReader(file)
    assert (float(before["days"]), float(after["days"])) == (0, 0.25)
    assert 0.98 < float(after["1 U235"]) / float(before["1 U235"]) < 1
    assert float(after["1 Xe135"]) > 0 == float(before["1 Xe135"])
    assert float(after["k"]) < float(before["k"])
    assert after["1 O16"] == before["1 O16"]


main()
