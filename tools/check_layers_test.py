#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every fault that check_layers.py knows, in a small tree of its own, and a tree without faults."""
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import check_layers

GOOD_TABLE = "# comment\nbase:\nmemory: base\nthreads: base memory\n"


class CheckLayers(unittest.TestCase):
    def problems(self, files, table=GOOD_TABLE):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for path, text in {"tools/layers.txt": table, **files}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            (root / "taihu").mkdir(exist_ok=True)
            return [problem.replace(name + "/", "") for problem in check_layers.check(root)]

    def test_downward_includes_are_fine(self):
        self.assertEqual([], self.problems({
            "taihu/threads/a.cc": '#include "taihu/threads/a.h"\n#include <taihu/memory/b.h>\n#include <vector>\n',
            "taihu/threads/CMakeLists.txt": "taihu_component(threads\n  SOURCES a.cc\n  USES base memory\n  LINK rt)\n"}))

    def test_upward_include(self):
        self.assertEqual(["taihu/base/a.h:2: 'base' includes \"taihu/memory/b.h\", but may not use 'memory'"],
                         self.problems({"taihu/base/a.h": '// x\n#include "taihu/memory/b.h"\n'}))

    def test_upward_include_with_spaces_and_angle_brackets_in_a_subfolder(self):
        self.assertEqual(1, len(self.problems({"taihu/base/linux/a.c": "  #  include <taihu/threads/b.h>\n"})))

    def test_relative_include(self):
        found = self.problems({"taihu/memory/a.cc": '#include "b.h"\n#include "../base/c.h"\n'})
        self.assertEqual([":1:", ":2:"], [line[len("taihu/memory/a.cc"):][:3] for line in found])
        self.assertIn("relative path", found[0])

    def test_headers_in_abi_may_name_each_other(self):
        files = {"taihu/abi/a.h": '#include "b.h"\n#include "c.h"\n', "taihu/abi/b.h": ""}
        found = self.problems(files, "abi:\n")
        self.assertEqual(1, len(found))
        self.assertIn("taihu/abi/a.h:2: include of \"c.h\"", found[0])

    def test_libraries_from_outside_may_stand_in_quotes(self):
        files = {"taihu/base/a.cc": '#include "clang/AST/Decl.h"\n#include "linux/b.h"\n', "taihu/base/linux/b.h": ""}
        found = self.problems(files)
        self.assertEqual(1, len(found))
        self.assertIn("taihu/base/a.cc:2: include of \"linux/b.h\"", found[0])

    def test_unknown_folders(self):
        found = self.problems({"taihu/clouds/a.h": "", "taihu/base/a.h": '#include "taihu/rain/b.h"\n'})
        self.assertEqual(2, len(found))
        self.assertIn("taihu/base/a.h:1: include of \"taihu/rain/b.h\" from a folder", found[0])
        self.assertIn("taihu/clouds/a.h:1: the folder taihu/clouds has no line", found[1])

    def test_source_outside_of_a_folder(self):
        self.assertEqual(1, len(self.problems({"taihu/a.h": ""})))

    def test_cycle_in_the_table(self):
        found = self.problems({}, "base: memory\nmemory: base\n")
        self.assertEqual(1, len(found))
        self.assertTrue(found[0].startswith("tools/layers.txt:1: 'base' names 'memory', which is not above it"))

    def test_folder_that_names_itself_or_stands_twice_and_a_line_without_colon(self):
        found = self.problems({}, "base: base\nbase:\nmemory base\n")
        self.assertEqual(["tools/layers.txt:1:", "tools/layers.txt:2:", "tools/layers.txt:3:"],
                         [line.split(" ")[0] for line in found])

    def test_cmake_uses(self):
        self.assertEqual(
            ["taihu/memory/CMakeLists.txt:2: 'memory' USES 'threads', which its line in the table does not name"],
            self.problems({"taihu/memory/CMakeLists.txt": "taihu_component(memory\n  USES base threads LINK hwloc)\n"}))

    def test_name_of_a_library_that_is_not_in_the_line(self):
        found = self.problems({"taihu/memory/a.cc": "// threads::x\nint a = threads::count(\"threads::\");\nbase::B b;\n"})
        self.assertEqual(["taihu/memory/a.cc:2: 'memory' names threads::, but may not use 'threads'"], found)

    def test_sub_folders_point_down(self):
        table = "base:\n  .:\n  numbers: .\n  solve: . numbers\n"
        up = '#include "taihu/base/solve/b.h"\n'
        self.assertEqual([], self.problems({"taihu/base/solve/a.h": '#include "taihu/base/numbers/b.h"\n'}, table))
        self.assertEqual(["taihu/base/numbers/a.h:1: 'base/numbers' includes \"taihu/base/solve/b.h\", but may not use "
                          "'base/solve'"], self.problems({"taihu/base/numbers/a.h": up}, table))
        self.assertEqual(1, len(self.problems({"taihu/base/a.h": up}, table)))
        self.assertEqual([], self.problems({"taihu/base/numbers/a_test.cc": up}, table))

    def test_sub_folder_without_a_line_and_cycle_of_sub_folders(self):
        self.assertEqual(["taihu/base/rain/a.h:1: the sub-folder base/rain has no line in tools/layers.txt"],
                         self.problems({"taihu/base/rain/a.h": ""}, "base:\n  .:\n"))
        self.assertIn("a cycle", self.problems({}, "base:\n  x: y\n  y: x\n")[0])

    def test_sub_folders_further_down(self):
        table = "base:\n  .:\n  sky: .\n  sky/rain: sky\n"
        files = {"taihu/base/sky/rain/a.h": '#include "taihu/base/sky/b.h"\n#include "taihu/base/c.h"\n',
                 "taihu/base/sky/b.h": '#include "taihu/base/sky/rain/a.h"\n', "taihu/base/sky/hail/d.h": ""}
        self.assertEqual(["taihu/base/sky/b.h:1: 'base/sky' includes \"taihu/base/sky/rain/a.h\", but may not use 'base/sky/rain'",
                          "taihu/base/sky/hail/d.h:1: the sub-folder base/sky/hail has no line in tools/layers.txt",
                          "taihu/base/sky/rain/a.h:2: 'base/sky/rain' includes \"taihu/base/c.h\", but may not use 'base/.'"],
                         self.problems(files, table))

    def test_type_with_two_definitions(self):
        one = "namespace taihu::base {\nclass A;\nstruct B : A {\n  struct C {};\n};\n}  // namespace taihu::base\n"
        two = "namespace taihu::base {\nenum class B { x };\n}  // namespace taihu::base\n"
        hidden = "namespace taihu::base {\nnamespace {\nstruct B {};\n}  // namespace\n}  // namespace taihu::base\n"
        self.assertEqual(["taihu/base/two.h:2: taihu::base::B is defined in taihu/base/one.h, too"],
                         self.problems({"taihu/base/one.h": one, "taihu/base/two.h": two, "taihu/base/three.cc": hidden}))


if __name__ == "__main__":
    unittest.main()
