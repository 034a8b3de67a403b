#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What check_steps.py finds and what it misses, in a small tree."""
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import check_steps


class CheckSteps(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name).resolve()
        self.write("README.md", "[all pages](docs/a.md), [the net](https://example.org/docs/far.md)\n")
        self.write("docs/a.md", "the heart is [there](../b/README.md)\n")
        self.write("b/README.md", "| `heart.cc` | beats |\n\n`c/` goes on, `missing.cc` does not\n")
        self.write("b/heart.cc", "")
        self.write("b/c/README.md", "`deep.cc`: the depth\n")
        self.write("b/c/deep.cc", "")
        self.write("docs/far.md", "")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def test_links_and_names_are_steps(self):
        self.assertEqual([], check_steps.check(self.root, [("the heart", "beats", "b/heart.cc"),
                                                           ("a page", "heart", "b/README.md")]))

    def test_a_folder_is_its_page(self):
        self.assertEqual([], check_steps.check(self.root, [("the folder", "goes on", "b/c/README.md")]))

    def test_too_far_away(self):
        self.assertEqual(["README.md: the depth: b/c/deep.cc is more than 3 steps away"],
                         check_steps.check(self.root, [("the depth", "depth", "b/c/deep.cc")]))

    def test_not_named(self):
        self.assertEqual(1, len(check_steps.check(self.root, [("a page of the net", "net", "docs/far.md")])))

    def test_the_line_says_nothing(self):
        self.assertEqual(["README.md: the heart: no line that leads to b/heart.cc says 'lungs'"],
                         check_steps.check(self.root, [("the heart", "lungs", "b/heart.cc")]))


if __name__ == "__main__":
    unittest.main()
