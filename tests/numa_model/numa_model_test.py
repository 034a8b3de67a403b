#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""numa_model_test.py NUMA_MODEL AMGSOLVE MACHINES: predictions for the hierarchy that amgsolve tells, and wrong use."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

NUMA_MODEL, AMGSOLVE, MACHINES = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
TWO, EIGHT = MACHINES / "two_sockets_x5650.json", MACHINES / "eight_sockets_x7550.json"


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60, check=False)


class NumaModel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.hierarchy = pathlib.Path(cls.folder.name, "hierarchy.json")
        done = run(AMGSOLVE, "--generate", "laplace2d", 150, "--threads", 1, "--json")
        assert done.returncode == 0, done.stderr
        cls.hierarchy.write_text(done.stdout)
        cls.told = json.loads(done.stdout)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def predict(self, machine, threads, *words):
        done = run(NUMA_MODEL, "--machine", machine, "--hierarchy", self.hierarchy, "--threads", threads, "--json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["predictions"]

    def test_levels_add_up_to_an_iteration(self):
        levels = self.told["traffic"]
        self.assertEqual(len(levels), self.told["levels"])
        moved = sum(level[part] for level in levels for part in ("matrix", "prolongation", "restriction", "vectors"))
        self.assertEqual(moved, self.told["iteration_bytes"])

    def test_more_placed_is_faster(self):
        for line in self.predict(TWO, "8,12", "--scale", 700) + self.predict(EIGHT, "16,32,64", "--scale", 700):
            self.assertLess(line["matrix_and_prolongation_s"], line["without_s"])
            self.assertLess(line["everything_s"], line["matrix_and_prolongation_s"])

    def test_one_node_gains_nothing(self):
        for line in self.predict(TWO, "1,2,6"):
            self.assertEqual(line["everything_gain"], 0)

    def test_barriers_eat_the_gain_of_small_problems(self):
        small, large = (self.predict(EIGHT, "64", "--scale", scale)[0]["everything_gain"] for scale in (0.01, 1000))
        self.assertLess(small, 0.1)
        self.assertGreater(large, 6)

    def test_a_measured_machine_is_one_to_predict_for(self):
        done = run(NUMA_MODEL, "--measure", "--bytes", "1M")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("read memory of node", done.stderr)
        machine = pathlib.Path(self.folder.name, "here.json")
        machine.write_text(done.stdout)
        self.assertEqual(self.predict(machine, "1")[0]["everything_gain"], 0)

    def test_measuring_goes_with_bytes_alone(self):
        for words, code in ((["--json"], 2), (["--machine", TWO], 2), (["--threads", 2], 2), (["--bytes", "4K"], 2),
                            (["--bytes", "100T"], 1)):
            done = run(NUMA_MODEL, "--measure", *words)
            lines = [line for line in done.stderr.splitlines() if "read memory" not in line]
            self.assertEqual((done.returncode, done.stdout, len(lines)), (code, "", 1), done.stderr)

    def test_wrong_use_is_one_line(self):
        for words, code in ((["--hierarchy", self.hierarchy], 2), (["--hierarchy", self.hierarchy, "--threads", 13], 1),
                            (["--hierarchy", TWO, "--threads", 2], 1), (["--hierarchy", "/nonexistent", "--threads", 2], 1),
                            (["--bytes", "1G", "--threads", 2, "--scale", 2], 2),
                            (["--hierarchy", self.hierarchy, "--threads", 2, "--sweeps", 2], 2),
                            (["--hierarchy", self.hierarchy, "--threads", 2, "--scale", 0], 1), ([], 2)):
            done = run(NUMA_MODEL, "--machine", TWO, *words)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (code, "", 1), done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
