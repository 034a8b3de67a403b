#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What check_fuzz_sources.py finds and what it misses, in a small tree."""
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import check_fuzz_sources

GOOD = """# taihu_fuzz_library(comment SOURCES missing.cc)
function(taihu_fuzz_library component)
endfunction()
taihu_fuzz_library(base SOURCES clock.cc error.cc)
taihu_fuzz_library(memory USES base LINK dl SOURCES
  image/elf.cc) # heap/gone.cc
target_sources(fuzz_memory PRIVATE helper.cc)
taihu_fuzz_targets(memory elf)
"""


class CheckFuzzSources(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name).resolve()
        self.write("tests/fuzz/CMakeLists.txt", GOOD)
        for name in ("taihu/base/clock.cc", "taihu/base/error.cc", "taihu/memory/image/elf.cc", "tests/fuzz/elf.cc",
                     "tests/fuzz/helper.cc"):
            self.write(name, "")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def assert_one_problem(self, expected):
        problems = check_fuzz_sources.check(self.root)
        self.assertEqual(1, len(problems), problems)
        self.assertIn(expected, problems[0])

    def test_all_is_there(self):
        self.assertEqual([], check_fuzz_sources.check(self.root))

    def test_a_source_that_was_moved(self):
        (self.root / "taihu/memory/image/elf.cc").rename(self.root / "taihu/memory/elf.cc")
        self.assert_one_problem("CMakeLists.txt:5: taihu/memory/image/elf.cc does not exist")

    def test_a_library_that_is_not_there(self):
        self.write("tests/fuzz/CMakeLists.txt", GOOD.replace("USES base", "USES base threads"))
        self.assert_one_problem("memory uses threads")

    def test_a_target_of_an_unknown_library(self):
        self.write("tests/fuzz/CMakeLists.txt", GOOD.replace("targets(memory", "targets(heap"))
        self.assert_one_problem("heap is no taihu_fuzz_library()")

    def test_a_target_without_a_file(self):
        (self.root / "tests/fuzz/elf.cc").unlink()
        self.assert_one_problem("tests/fuzz/elf.cc does not exist")

    def test_a_file_that_is_not_built(self):
        self.write("tests/fuzz/forgotten.cc", "")
        self.assert_one_problem("tests/fuzz/forgotten.cc is no target")

    def test_a_list_that_it_cannot_read(self):
        self.write("tests/fuzz/CMakeLists.txt", "other_calls(base SOURCES clock.cc)\n")
        self.assertIn("no library or no target", check_fuzz_sources.check(self.root)[-1])


if __name__ == "__main__":
    unittest.main()
