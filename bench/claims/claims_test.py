#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the claims' answers find and what they refuse: numbers of pages, the files of claims, verdicts."""
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import answers
import page as claims_page
import tables

PAGE = """# Puts

Machine: Some CPU, 2 cores, Linux 6.1; mpirun (X) 4.1.4. 2026-11-24. Half of the time. `bench/put/run build --turns 3` makes this page.

| bytes | who | time | ratio |
|---|---|---|---|
| 4 | Taihu | 0.25 us | 3.22 |
| 4 | other | 1,250.5 us | - |
| 64 | Taihu | 2.00 us | 2.5 |

## Near

**latency, cores near**

| bytes | taihu |
|---|---|
| 8K | 0.5 |
| 16K | 1 ms |

**latency, cores far**

| bytes | taihu |
|---|---|
| 8K | 7 |

One number here: +8.5 % over the ring.
"""


class Tables(unittest.TestCase):
    def setUp(self):
        self.page = tables.Page("put.md", PAGE)

    def missing(self, expected, **cell):
        with self.assertRaises(tables.Missing) as raised:
            self.page.numbers(**cell)
        self.assertIn(expected, str(raised.exception))
        self.assertNotIn("\n", str(raised.exception))

    def test_a_cell_is_found_by_its_row_and_column(self):
        self.assertEqual([0.25], self.page.numbers(row={"bytes": "4", "who": "Taihu"}, column="time"))
        self.assertEqual([1250.5], self.page.numbers(row={"who": "other"}, column="time"))
        self.assertEqual([3.22], self.page.numbers(row={1: "4", 2: "Taihu"}, column=4))

    def test_rows_that_change_places_are_found(self):
        lines = PAGE.split("\n")
        lines[6], lines[8] = lines[8], lines[6]
        self.assertEqual([3.22], tables.Page("put.md", "\n".join(lines)).numbers(row={"bytes": "4", "who": "Taihu"}, column="ratio"))

    def test_columns_that_change_places_are_found(self):
        page = tables.Page("put.md", PAGE.replace("| 4 | Taihu | 0.25 us | 3.22 |", "| Taihu | 4 | 0.25 us | 3.22 |")
                           .replace("| bytes | who |", "| who | bytes |"))
        self.assertEqual([3.22], page.numbers(row={"bytes": "4", "who": "Taihu"}, column="ratio"))

    def test_several_rows_and_all(self):
        self.assertEqual([3.22, 2.5], self.page.numbers(row={"bytes": ["4", "64"], "who": "Taihu"}, column="ratio"))
        self.assertEqual([7], self.page.numbers(titles=["Near", "latency, cores far"], column="taihu"))

    def test_a_title_may_have_several_names(self):
        titles = ["Near", ["latency, none", "latency, cores far"]]
        self.assertEqual([7], self.page.numbers(titles=titles, column="taihu"))

    def test_text(self):
        self.assertEqual([8.5], self.page.numbers(titles=["Near", "latency, cores far"], text=r"([-+][\d.]+) % over the ring"))

    def test_a_row_that_is_gone(self):
        self.missing("put.md: 0 rows instead of 1 have bytes: 5", row={"bytes": "5"}, column="time")

    def test_a_row_that_is_not_alone(self):
        self.missing("2 rows instead of 1 have bytes: 4", row={"bytes": "4"}, column="time")

    def test_one_of_several_rows_is_gone(self):
        self.missing("1 rows instead of 2", row={"bytes": ["64", "256"]}, column="time")

    def test_a_column_that_is_gone(self):
        self.missing("there is no table with the columns 'bytes', 'rate'", row={"bytes": "4"}, column="rate")

    def test_a_table_that_is_gone(self):
        self.page = tables.Page("put.md", PAGE.replace("| bytes | taihu |\n|---|---|\n| 8K | 7 |\n", ""))
        self.missing("latency, cores far: there is no table", titles=["Near", "latency, cores far"], row={"bytes": "8K"}, column="taihu")

    def test_the_next_section_is_not_taken_for_this_one(self):
        self.missing("there is no table", titles=["Near"], row={"bytes": "8K"}, column="taihu")
        self.missing("nothing matches", titles=["Near", "latency, cores near"], text=r"([-+][\d.]+) % over")

    def test_a_title_that_is_gone(self):
        self.missing("put.md: there is no title 'Far'", titles=["Far"], column="taihu")
        self.missing("there is no title 'bandwidth' below 'Near'", titles=["Near", "bandwidth"], column="taihu")

    def test_what_is_no_number(self):
        self.missing("'-' is not a number", row={"who": "other"}, column="ratio")

    def test_units_that_differ(self):
        self.missing("different units", titles=["Near", "latency, cores near"], row={"bytes": ["8K", "16K"]}, column="taihu")

    def test_what_stands_behind_a_number_in_brackets_is_no_unit(self):
        self.assertEqual((0.91, ""), tables.number_in("0.91 (0.9 to 1.0); 0.95"))
        self.assertEqual((2, "us"), tables.number_in("2.0 us (far)"))

    def test_machine_and_day(self):
        self.assertEqual(("Some CPU, 2 cores, Linux 6.1; mpirun (X) 4.1.4", "2026-11-24"), self.page.machine_and_day())
        self.assertIsNone(tables.Page("x.md", "# A model\n").machine_and_day())


class Calculations(unittest.TestCase):
    def test_places_without_a_number_are_left_out_of_all_lists_of_the_length(self):
        gap = float("nan")
        self.assertEqual({"peer": [4.0], "ours": [2.0], "all": [7.0]},
                         answers.without_gaps({"peer": [4.0, gap, 3.0], "ours": [2.0, 1.0, gap], "all": [7.0]}))
        with self.assertRaises(tables.Missing) as raised:
            answers.without_gaps({"peer": [gap, 4.0], "ours": [1.0, gap]})
        self.assertIn("no row has numbers of all of ours, peer", str(raised.exception))

    def refused(self, text, expression, **names):
        with self.assertRaises(answers.Fault) as raised:
            answers.calculate(expression, names)
        self.assertIn(text, str(raised.exception))

    def test_lists_go_element_by_element(self):
        self.assertEqual([100.0, 50.0], answers.calculate("100 * (peer / ours - 1)", {"peer": [4, 3], "ours": [2, 2]}))
        self.assertEqual([2.0, 1.5], answers.calculate("peer / ours", {"peer": [4, 3], "ours": [2]}))
        self.assertEqual([4, 2, 1], answers.calculate("each(a, b)", {"a": [4, 2], "b": [1]}))
        self.assertEqual([1, 2], answers.calculate("smaller(a, b)", {"a": [4, 2], "b": [1, 3]}))
        self.assertEqual([3], answers.calculate("most(a) - least(b)", {"a": [4, 2], "b": [1]}))

    def test_what_is_not_understood(self):
        self.refused("'a / c'", "a / c", a=[1])
        self.refused("is not an expression", "a /", a=[1])
        self.refused("is not understood", "__import__('os')")
        self.refused("is not understood", "a.real", a=[1])
        self.refused("divides by zero", "a / 0", a=[1])
        self.refused("do not go together", "a / b", a=[1, 2], b=[1, 2, 3])
        self.refused("do not go together", "smaller(a, b)", a=[1, 2], b=[1, 2, 3])


class Verdicts(unittest.TestCase):
    def test_more(self):
        self.assertEqual(["better", "met", "met", "not met"], [answers.verdict([x], 100) for x in (106, 104, 96, 94)])

    def test_less(self):
        self.assertEqual(["better", "met", "not met"], [answers.verdict([x], 100, "less") for x in (90, 104, 106)])

    def test_both_ends_of_ranges_count(self):
        self.assertEqual("better", answers.verdict([3, 9], [2, 8]))
        self.assertEqual("met", answers.verdict([2, 90], [2, 8]))
        self.assertEqual("met in part", answers.verdict([1, 90], [2, 8]))
        self.assertEqual("met in part", answers.verdict([2, 7], [2, 8]))
        self.assertEqual("not met", answers.verdict([1, 1.5], [2, 8]))
        self.assertEqual("not met", answers.verdict([9, 90], [2, 8], "less"))
        self.assertEqual("met in part", answers.verdict([7, 90], [2, 8], "less"))

    def test_points_that_reach_the_near_end_are_counted(self):
        self.assertEqual(2, answers.reached([0, 0, 0, 14.1, 38.6], [3, 16], "more"))
        self.assertEqual(2, answers.reached([1.91, 2.09, 2.2], 2, "less"))

    def test_a_single_point_is_met_anywhere_in_a_range(self):
        self.assertEqual(["not met", "met", "met", "better"], [answers.verdict([x], [2, 8]) for x in (1, 2, 5, 9)])
        self.assertEqual(["better", "met", "not met"], [answers.verdict([x], [2, 8], "less") for x in (1, 5, 9)])

    def test_what_the_machine_can_give(self):
        self.assertEqual("at the limit", answers.verdict([70, 61], [90, 96], "more", [72, 64]))
        self.assertEqual("not met", answers.verdict([70, 60], [90, 96], "more", [72, 64]))
        self.assertEqual("better", answers.verdict([99, 104], [90, 96], "more", [72, 64]))
        self.assertEqual(["at the limit", "not met"], [answers.verdict([x], 1, "less", [2]) for x in (2.09, 2.2)])

    def test_limits_and_equality(self):
        self.assertEqual(["met", "not met"], [answers.verdict([x, 2], 1, "at least") for x in (1, 0.99)])
        self.assertEqual(["met", "not met"], [answers.verdict([0, x], 0, "at most") for x in (0, 1)])
        self.assertEqual(["met", "not met", "not met"], [answers.verdict([x], 100, "equal") for x in (104, 106, 94)])

    def test_of_a_claim(self):
        self.assertEqual("met in part", answers.together(["better", "not met", None]))
        self.assertEqual("met", answers.together(["better", "met"]))
        self.assertEqual("met in part", answers.together(["met in part", "not met"]))
        self.assertEqual("at the limit", answers.together(["at the limit", None]))
        self.assertEqual("not met", answers.together(["not met", None]))
        self.assertEqual("not met", answers.together(["at the limit", "not met"]))
        self.assertEqual("met in part", answers.together(["at the limit", "not met", "met"]))
        self.assertIsNone(answers.together([None]))


CLAIM = """
[[claim]]
id = "{id}"
title = "something"
place = "section 1"
paper = "fast"
word = "measured"
[[claim.value]]
what = "ratio"
paper = "3"
page = "put"
cells.ratio = {{ row = {{ bytes = "4", who = "Taihu" }}, column = "ratio" }}
compare = 3
"""


class Folder(unittest.TestCase):
    """A small tree with all claims, all of them answered by one page."""
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        (self.root / "docs/results").mkdir(parents=True)
        self.write("docs/results/put.md", PAGE)
        self.write("pages.toml", '[put]\ncommand = "bench/put/run build --turns 3"\nminutes = 1\n')
        for file, letter in answers.FILES.items():
            self.write(file, "".join(CLAIM.format(id=f"{letter}{number}") for number in range(1, answers.COUNTS[letter] + 1)))
        self.kept, answers.ROOT = answers.ROOT, self.root

    def tearDown(self):
        answers.ROOT = self.kept
        self.folder.cleanup()

    def write(self, name, text):
        (self.root / name).write_text(text)

    def change(self, name, before, after):
        text = (self.root / name).read_text()
        self.assertIn(before, text)
        self.write(name, text.replace(before, after, 1))

    def text(self):
        pages = answers.read_pages(self.root)
        return claims_page.make(answers.read_claims(pages, self.root), pages, answers.Answers(pages, self.root))

    def refused(self, expected):
        with self.assertRaises(answers.Fault) as raised:
            self.text()
        self.assertEqual(expected, str(raised.exception))


class Claims(Folder):
    def test_every_claim_has_a_line(self):
        text = self.text()
        for name in answers.IDS:
            self.assertIn(f"\n| {name} | something | measured | better | 2026-11-24 |\n", text)
        self.assertIn("37 claims: 37 better.", text)

    def test_a_number_that_changes_changes_the_page(self):
        self.change("docs/results/put.md", "| 3.22 |", "| 1.22 |")
        self.assertIn("| ratio | 3 | 1.22 | not met |", self.text())

    def test_what_is_met_in_part_says_how_much(self):
        self.change("parallel_c.toml", 'row = { bytes = "4", who = "Taihu" }, column = "ratio" }',
                    'row = { bytes = ["4", "64"], who = "Taihu" }, column = "ratio" }')
        self.assertIn("| ratio | 3 | 2.5 to 3.22 (1 of 2) | met in part |", self.text())

    def test_the_limit_of_the_machine_is_told(self):
        self.change("docs/results/put.md", "| 3.22 |", "| 1.22 |")
        self.change("parallel_c.toml", "compare = 3", 'compare = 3\nlimit = "ratio + 0.01"')
        self.assertIn("| ratio | 3 | 1.22; the most here is 1.23 | at the limit |", self.text())
        self.change("parallel_c.toml", "ratio + 0.01", "ratio + 1")
        self.assertIn("| ratio | 3 | 1.22; the most here is 2.22 | not met |", self.text())
        self.change("parallel_c.toml", 'limit = "ratio + 1"', 'limit = "ratio"\naim = "equal"')
        self.refused("parallel_c.toml: P1, ratio: the key 'limit' needs the aim more or less")
        self.change("parallel_c.toml", 'compare = 3\nlimit = "ratio"\naim = "equal"', 'limit = "ratio"')
        self.refused("parallel_c.toml: P1, ratio: the key 'limit' needs the key 'compare'")

    def test_one_limit_is_that_of_all_numbers(self):
        self.change("parallel_c.toml", 'row = { bytes = "4", who = "Taihu" }, column = "ratio" }',
                    'row = { bytes = ["4", "64"], who = "Taihu" }, column = "ratio" }')
        self.change("parallel_c.toml", "compare = 3", 'compare = 4\nlimit = "most(ratio)"')
        self.assertIn("| ratio | 3 | 2.5 to 3.22; the most here is 3.22 | not met |", self.text())
        self.change("parallel_c.toml", "most(ratio)", "least(ratio)")
        self.assertIn("| ratio | 3 | 2.5 to 3.22; the most here is 2.5 | at the limit |", self.text())
        self.change("parallel_c.toml", "least(ratio)", "each(ratio, 1)")
        self.refused("P1, ratio: 'each(ratio, 1)': 3 limits do not go together with 2 numbers")

    def test_a_page_that_is_not_there_is_not_yet_run(self):
        (self.root / "docs/results/put.md").unlink()
        self.assertIn("| P1 | something | measured | not yet run | - |", self.text())

    def test_the_first_page_that_is_there_is_taken(self):
        self.change("pages.toml", "[put]", '[new]\ncommand = "bench/new/run build"\nminutes = 1\n[put]')
        self.change("parallel_c.toml", 'page = "put"', 'page = ["new", "put"]')
        self.assertIn("[put](results/put.md)", self.text())
        self.write("docs/results/new.md", PAGE.replace("3.22", "9.99").replace("bench/put/run build --turns 3", "bench/new/run build"))
        self.assertIn("| ratio | 3 | 9.99 | better |\n\n- [new](results/new.md): `bench/new/run build`", self.text())

    def test_what_a_page_need_not_have(self):
        self.change("parallel_c.toml", 'cells.ratio = { row = { bytes = "4", who = "Taihu" }, column = "ratio" }',
                    'absent = "no far cores"\ncells.ratio = { titles = ["Far"], column = "ratio" }')
        self.assertIn("| ratio | 3 | no far cores | - |", self.text())

    def test_a_page_without_the_title_leaves_the_value_to_the_next(self):
        self.change("pages.toml", "[put]", '[new]\ncommand = "bench/new/run build"\nminutes = 1\n[put]')
        self.change("parallel_c.toml", 'page = "put"', 'page = ["new", "put"]\nabsent = "no far cores"')
        self.change("parallel_c.toml", 'cells.ratio = { row = { bytes = "4", who = "Taihu" }, column = "ratio" }',
                    'cells.ratio = { titles = ["latency, cores far"], column = "taihu" }')
        new = PAGE.replace("bench/put/run build --turns 3", "bench/new/run build")
        self.write("docs/results/new.md", new.replace("cores far", "cores near again"))
        self.assertIn("| ratio | 3 | 7 | better |\n\n- [put](results/put.md)", self.text())
        self.write("docs/results/new.md", new.replace("| 7 |", "| 9 |"))
        self.assertIn("| ratio | 3 | 9 | better |\n\n- [new](results/new.md)", self.text())

    def test_a_value_that_a_better_page_makes_needless(self):
        self.change("pages.toml", "[put]", '[new]\ncommand = "bench/new/run build"\nminutes = 1\n[put]')
        self.change("parallel_c.toml", 'page = "put"', 'page = "put"\nunless = "new"')
        self.assertIn("| P1 | something | measured | better |", self.text())
        self.write("docs/results/new.md", "# New\n")
        self.assertIn("| P1 | something | measured | - |", self.text())
        self.change("parallel_c.toml", 'unless = "new"', 'unless = "newer"')
        self.refused("parallel_c.toml: P1, ratio: pages.toml has no page 'newer'")

    def test_a_table_that_is_gone_is_told(self):
        self.change("docs/results/put.md", "| bytes | who |", "| bytes | whom |")
        self.refused("P1, ratio: docs/results/put.md: there is no table with the columns 'bytes', 'who', 'ratio'")

    def test_a_page_made_by_another_command_is_told(self):
        self.change("docs/results/put.md", "--turns 3", "--turns 1")
        self.refused("docs/results/put.md: it was made by 'bench/put/run build --turns 1', pages.toml has 'bench/put/run build --turns 3'")

    def test_a_page_of_the_longer_command_does_as_well_and_is_told(self):
        self.change("pages.toml", "minutes = 1", 'minutes = 1\nlonger = "bench/put/run build --turns 9"')
        self.assertIn("`bench/put/run build --turns 3`", self.text())
        self.change("docs/results/put.md", "--turns 3", "--turns 9")
        self.assertIn("- [put](results/put.md): `bench/put/run build --turns 9`", self.text())
        self.change("docs/results/put.md", "--turns 9` makes", "--turns 9` says how it makes")
        self.assertIn("- [put](results/put.md): `bench/put/run build --turns 9`", self.text())

    def test_the_list_of_results_has_the_same_commands(self):
        def problem():
            try:
                answers.check_results(answers.read_pages(self.root), self.root)
            except answers.Fault as fault:
                return str(fault)
            return None
        self.change("pages.toml", "minutes = 1", 'minutes = 1\nlonger = "bench/put/run build --peer $OPENMC"')
        self.write("docs/results.md", "# Results\n\n| [Puts](results/put.md) | all `puts` | `bench/put/run build --turns 3` |\n"
                   "| [Other](results/other.md) | not of claims | `bench/other/run` |\n")
        self.assertIsNone(problem())
        self.change("docs/results.md", "--turns 3", "--peer FILE")
        self.assertIsNone(problem())
        self.change("docs/results.md", "--peer FILE", "--turns 1")
        self.assertEqual("docs/results.md:3: put: 'bench/put/run build --turns 1'; pages.toml has 'bench/put/run build --peer $OPENMC'", problem())
        self.change("docs/results.md", "results/put.md", "results/puts.md")
        self.assertEqual("docs/results.md: there is no line of results/put.md with the command that makes it", problem())

    def test_what_is_timed_need_not_be_said(self):
        self.change("pages.toml", "minutes = 1", "minutes = 1\ntimed = true")
        self.refused("pages.toml: put: 'timed' is false or is not there")

    def test_a_page_reads_pages_that_are_made_before_it(self):
        self.change("pages.toml", "minutes = 1", 'minutes = 1\n[model]\ncommand = "bench/model/run build"\nminutes = 1\ninputs = ["put"]')
        self.refused("pages.toml: model: it reads 'put', so it must have timed = false, and 'put' not: those are run first")
        self.change("pages.toml", '["put"]', '["puts"]\ntimed = false')
        self.refused("pages.toml: model: there is no page 'puts' for it to read")
        self.change("pages.toml", '["puts"]', '["put"]')
        self.text()

    def test_what_is_not_timed_takes_half_of_its_minutes(self):
        self.change("pages.toml", "minutes = 1", "minutes = 30")
        self.assertIn("All commands together take about 30 minutes", self.text())
        self.change("pages.toml", "minutes = 30", "minutes = 30\ntimed = false")
        self.assertIn("All commands together take about 15 minutes", self.text())

    def test_a_variable_is_any_word(self):
        self.change("pages.toml", "--turns 3", "--turns $OPENMC")
        self.text()

    def test_a_variable_that_nothing_explains(self):
        self.change("pages.toml", "minutes = 1", 'minutes = 1\nneeds = ["$OPEN_MC"]')
        self.refused("pages.toml: put: answers.py does not say what $OPEN_MC is")

    def test_a_claim_without_an_answer(self):
        self.change("memory.toml", CLAIM.format(id="N4"), "")
        self.refused("claims without an answer: N4")

    def test_an_unknown_claim(self):
        self.change("chip.toml", '"C8"', '"C9"')
        self.refused("chip.toml: 'C9' is no claim of this paper; there are C1 to C8")

    def test_a_claim_of_another_paper(self):
        self.change("chip.toml", '"C8"', '"R1"')
        self.refused("chip.toml: 'R1' is no claim of this paper; there are C1 to C8")

    def test_a_claim_that_is_there_twice(self):
        self.change("chip.toml", '"C8"', '"C7"')
        self.refused("chip.toml: C7 is there twice")

    def test_unknown_keys_words_aims_and_pages(self):
        self.change("reactor.toml", 'page = "put"', 'page = "putt"')
        self.refused("reactor.toml: R1, ratio: pages.toml has no page 'putt'")
        self.change("reactor.toml", 'page = "putt"', 'page = "put"\naim = "best"')
        self.refused("reactor.toml: R1, ratio: the aim 'best' is none of more, less, equal, at least, at most")
        self.change("reactor.toml", 'aim = "best"', "bound = 1")
        self.refused("reactor.toml: R1, ratio: there is no key 'bound'; there are absent, aim, cells, compare, limit, ours, page, paper, show, "
                     "unless, what")
        self.change("reactor.toml", "bound = 1\n", "")
        self.change("reactor.toml", '"measured"', '"guessed"')
        self.refused("reactor.toml: R1: 'guessed' is none of " + ", ".join(answers.WORDS))

    def test_what_is_simulated_says_why(self):
        self.change("reactor.toml", '"measured"', '"simulated"')
        self.refused("reactor.toml: R1: simulated needs the key 'why'")

    def test_a_damaged_file(self):
        self.write("chip.toml", "[[claim]\n")
        with self.assertRaises(answers.Fault) as raised:
            self.text()
        self.assertTrue(str(raised.exception).startswith("chip.toml: "))

    def test_a_file_that_is_missing(self):
        (self.root / "chip.toml").unlink()
        self.refused("chip.toml: the file is missing")


if __name__ == "__main__":
    unittest.main()
