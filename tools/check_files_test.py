#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every fault that check_files.py knows, and that git's ignored files are left out."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import check_files

LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"


def problems(name, text):
    return check_files.check_text(pathlib.Path(name), text)


class CheckFiles(unittest.TestCase):
    def test_clean_files(self):
        self.assertEqual([], problems("a.cc", LICENCE + "int a;\n"))
        self.assertEqual([], problems("a.h", "/* SPDX-License-Identifier: Apache-2.0 */\n"))
        self.assertEqual([], problems("run", "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n"))
        self.assertEqual([], problems("a.md", "# Title\n"))
        self.assertEqual([], problems("empty", ""))
        self.assertEqual([], problems("Makefile", "all:\n\ttrue\n"))

    def test_missing_licence(self):
        self.assertEqual(["a.cc:1: the first line is not the licence (SPDX-License-Identifier: Apache-2.0)"],
                         problems("a.cc", "int a;\n" + LICENCE))
        self.assertEqual(1, len(problems("run", "#!/bin/sh\ntrue\n")))

    def test_tests_that_ignore_the_exit_code(self):
        self.assertEqual(1, len(problems("CMakeLists.txt", "set_tests_properties(a PROPERTIES PASS_REGULAR_EXPRESSION b)\n")))
        self.assertEqual(1, len(problems("a.cmake", "PASS_REGULAR_EXPRESSION\n")))

    def test_white_space(self):
        self.assertEqual(["a.md:2: white space at the end of the line"], problems("a.md", "a\nb \n"))
        self.assertEqual(["a.md:1: white space at the end of the line"], problems("a.md", "a\r\n"))
        self.assertEqual(["a.md:1: tab"], problems("a.md", "a\tb\n"))
        self.assertEqual(1, len(problems("a.md", "a")))
        self.assertEqual(1, len(problems("a.md", "a\n\n")))

    def test_unfinished_work(self):
        self.assertEqual(["a.md:1: marker of unfinished work"], problems("a.md", "TO" + "DO: later\n"))
        self.assertEqual([], problems("a.md", "mastodon\n"))

    def test_lengths(self):
        def lengths(name, lines, longer=()):
            return check_files.check_length(pathlib.Path(name), "x\n" * lines, {each: "why" for each in longer})
        self.assertEqual([], lengths("taihu/a.cc", 400))
        self.assertEqual(["taihu/a.cc:400: 401 lines; split it along its ideas, or give a reason in LONGER of tools/check_files.py"],
                         lengths("taihu/a.cc", 401))
        self.assertEqual([], lengths("taihu/a_test.cc", 500))
        self.assertEqual(1, len(lengths("taihu/a_test.cc", 501)))
        self.assertEqual([], lengths("tests/rmc/a.py", 500))
        self.assertEqual([], lengths("docs/a.md", 1000))
        self.assertEqual(1, len(check_files.check_length(pathlib.Path("run"), "#!/bin/sh\n" + "x\n" * 400)))
        self.assertEqual([], lengths("taihu/a.cc", 401, ["taihu/a.cc"]))
        self.assertEqual(["taihu/a.cc:1: 400 lines need no exception; take it out of LONGER of tools/check_files.py"],
                         lengths("taihu/a.cc", 400, ["taihu/a.cc"]))

    def test_dead_links(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "docs").mkdir()
            (root / "a.md").write_text("")
            text = "[a](../a.md) [b](../a.md#part) [c](#here) [d](https://example.org/x)\n[e](gone.md)\n"
            self.assertEqual(["docs/b.md:2: link to 'gone.md', which does not exist"],
                             check_files.check_links(root, pathlib.Path("docs/b.md"), text))

    def test_reads_what_git_would_add_but_not_ignored_or_binary_files(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            subprocess.run(["git", "init", "-q", name], check=True)
            (root / ".gitignore").write_text("/build/\n")
            (root / "build").mkdir()
            (root / "build/a.cc").write_text("bad \n")
            (root / "picture.png").write_bytes(b"\x89PNG\0 \n")
            (root / "new.cc").write_text("int a;\n")
            self.assertEqual(["new.cc:1:"], [line.split(" ")[0] for line in check_files.check(root)])


if __name__ == "__main__":
    unittest.main()
