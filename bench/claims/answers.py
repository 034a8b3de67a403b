# SPDX-License-Identifier: Apache-2.0
"""The claims of the papers (*.toml beside this file) and their answers: what the pages of results say, and what to call it.

A page (pages.toml) has the command that makes it, and perhaps a longer one whose page has the same tables. A value of a claim takes
numbers out of a page, calculates with them, and is compared with the paper's value; nothing of ours is typed here. Whatever is wrong in
these files is a Fault of one line.

A claim: id, title, place (in the paper), paper (what it says), word (one of WORDS), why (for what is not measured), note, picture,
value (any number of them). A value: what, paper, page (or a list: the first that is there and has the titles), cells (name = titles,
row, column, or text: an expression whose groups are taken), ours (calculated from the names; else the first), show (a text with
{names}), compare (the paper's value or its range), aim (one of AIMS), limit (calculated as `ours` is: what this machine can reach, by
a measurement of the same run), absent (what to say where a title is on no page, or nothing was measured below it), unless (a page: the value is left out where that
is there)."""
import ast
import math
import operator
import pathlib
import re
import shlex
import tomllib

from tables import Missing, MissingTitle, Page

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FILES = {"parallel_c.toml": "P", "mpi.toml": "A", "memory.toml": "N", "chip.toml": "C", "reactor.toml": "R"}
COUNTS = {"P": 12, "A": 6, "N": 5, "C": 8, "R": 6}
IDS = [f"{letter}{number}" for letter, count in COUNTS.items() for number in range(1, count + 1)]
WORDS = ("measured", "simulated", "measured and simulated", "synthesised", "tested", "not reproducible here")
AIMS = ("more", "less", "equal", "at least", "at most")
VARIABLES = {"AMGCL_INCLUDE": "folder that has amgcl/amg.hpp", "OPENMC": "OpenMC's program", "OPENMC_MODEL": "folder of a model.xml with "
             "continuous energy", "VTK_PYTHON": "a Python that has vtk and numpy"}
NEAR = 0.05  # what differs by less is the same

CLAIM_KEYS = {"id", "title", "place", "paper", "word", "why", "note", "picture", "value"}
VALUE_KEYS = {"what", "paper", "page", "cells", "ours", "show", "compare", "aim", "limit", "absent", "unless"}
CELL_KEYS = {"titles", "row", "column", "text"}
PAGE_KEYS = {"command", "longer", "minutes", "needs", "timed", "inputs"}
RESULTS_LINE = re.compile(r"\]\(results/([\w-]+)\.md\).*`([^`]+)` \|$")  # of docs/results.md: the page and its command
MADE_BY = re.compile(r"`((?:bench|rtl)/\S+ [^`]+)`\s+makes")


class NotMeasured(Missing):
    """The page has the rows, and no numbers in them."""


class Fault(Exception):
    """An entry that cannot be used, as one line."""


def read_toml(path):
    try:
        return tomllib.loads(path.read_text())
    except FileNotFoundError:
        raise Fault(f"{path.name}: the file is missing") from None
    except tomllib.TOMLDecodeError as problem:
        raise Fault(f"{path.name}: {problem}") from None


def only(keys, entry, where):
    unknown = sorted(set(entry) - keys)
    if unknown:
        raise Fault(f"{where}: there is no key '{unknown[0]}'; there are {', '.join(sorted(keys))}")


def needed(keys, entry, where):
    for key in keys:
        if key not in entry:
            raise Fault(f"{where}: the key '{key}' is missing")


def read_pages(folder=HERE):
    pages = read_toml(folder / "pages.toml")
    for name, page in pages.items():
        where = f"pages.toml: {name}"
        only(PAGE_KEYS, page, where)
        needed(("command", "minutes"), page, where)
        if page.get("timed") not in (None, False):
            raise Fault(f"{where}: 'timed' is false or is not there")
        unknown = [need for need in page.get("needs", []) if need.startswith("$") and need[1:] not in VARIABLES]
        if unknown:
            raise Fault(f"{where}: answers.py does not say what {unknown[0]} is")
        for other in page.get("inputs", []):
            if other not in pages:
                raise Fault(f"{where}: there is no page '{other}' for it to read")
            if is_timed(page) or not is_timed(pages[other]):
                raise Fault(f"{where}: it reads '{other}', so it must have timed = false, and '{other}' not: those are run first")
    return pages


def is_timed(page):
    return page.get("timed", True)


def minutes_of(pages):
    """Of commands together: those that are not timed run two at a time on two processors."""
    pages = list(pages)
    return sum(page["minutes"] if is_timed(page) else page["minutes"] / 2 for page in pages)


def pages_of(value):
    """Names of the pages that can have the value, the one to make first."""
    return value["page"] if isinstance(value["page"], list) else [value["page"]]


def check_claim(claim, pages, where):
    only(CLAIM_KEYS, claim, where)
    needed(("title", "place", "paper", "word"), claim, where)
    if claim["word"] not in WORDS:
        raise Fault(f"{where}: '{claim['word']}' is none of {', '.join(WORDS)}")
    if claim["word"] in ("simulated", "not reproducible here") and "why" not in claim:
        raise Fault(f"{where}: {claim['word']} needs the key 'why'")
    if claim["word"] != "not reproducible here" and not claim.get("value"):
        raise Fault(f"{where}: {claim['word']}, but there is no value")
    for value in claim.get("value", []):
        needed(("what", "paper", "page", "cells"), value, where)
        inside = f"{where}, {value['what']}"
        only(VALUE_KEYS, value, inside)
        for name in pages_of(value):
            if name not in pages:
                raise Fault(f"{inside}: pages.toml has no page '{name}'")
        if "limit" in value and value.get("aim", "more") not in ("more", "less"):
            raise Fault(f"{inside}: the key 'limit' needs the aim more or less")
        if "limit" in value and "compare" not in value:
            raise Fault(f"{inside}: the key 'limit' needs the key 'compare'")
        if value.get("aim", "more") not in AIMS:
            raise Fault(f"{inside}: the aim '{value['aim']}' is none of {', '.join(AIMS)}")
        if value.get("unless", name) not in pages:
            raise Fault(f"{inside}: pages.toml has no page '{value['unless']}'")
        for cell in value["cells"].values():
            only(CELL_KEYS, cell, inside)


def read_claims(pages, folder=HERE):
    """The claims in the order of IDS: each id is there once."""
    found = {}
    for file, letter in FILES.items():
        for claim in read_toml(folder / file).get("claim", []):
            name = claim.get("id", "?")
            if name not in IDS or not name.startswith(letter):
                raise Fault(f"{file}: '{name}' is no claim of this paper; there are {letter}1 to {letter}{COUNTS[letter]}")
            if name in found:
                raise Fault(f"{file}: {name} is there twice")
            check_claim(claim, pages, f"{file}: {name}")
            found[name] = claim
    missing = [name for name in IDS if name not in found]
    if missing:
        raise Fault(f"claims without an answer: {', '.join(missing)}")
    return [found[name] for name in IDS]


OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
# Of lists: one number of all, all of them, or one of each place.
FUNCTIONS = {"least": lambda *lists: [min(number for numbers in lists for number in numbers)],
             "most": lambda *lists: [max(number for numbers in lists for number in numbers)],
             "each": lambda *lists: [number for numbers in lists for number in numbers],
             "smaller": lambda *lists: [min(numbers) for numbers in zip(*lists, strict=True)]}


def calculate(text, names):
    """An expression of numbers, names of lists of numbers, + - * / and FUNCTIONS; lists are taken element by element."""
    def value(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return [float(node.value)]
        if isinstance(node, ast.Name) and node.id in names:
            return names[node.id]
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
            left, right = value(node.left), value(node.right)
            count = max(len(left), len(right))
            if {len(left), len(right)} - {1, count}:
                raise Fault(f"'{text}': lists of {len(left)} and of {len(right)} numbers do not go together")
            pairs = zip(left * (count if len(left) == 1 else 1), right * (count if len(right) == 1 else 1))
            return [OPERATIONS[type(node.op)](*pair) for pair in pairs]
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in FUNCTIONS and not node.keywords:
            lists = [value(argument) for argument in node.args]
            if node.func.id == "smaller" and len({len(numbers) for numbers in lists}) > 1:
                raise Fault(f"'{text}': lists of {' and '.join(str(len(numbers)) for numbers in lists)} numbers do not go together")
            return FUNCTIONS[node.func.id](*lists)
        known = ", ".join(f"{name}()" for name in FUNCTIONS)
        raise Fault(f"'{text}': {ast.unparse(node)} is not understood; known are numbers, + - * /, {known} and "
                    f"{', '.join(sorted(names))}")
    try:
        return value(ast.parse(text, mode="eval").body)
    except SyntaxError:
        raise Fault(f"'{text}' is not an expression") from None
    except ZeroDivisionError:
        raise Fault(f"'{text}' divides by zero") from None


def limits(text, names, count):
    """What the machine can reach, for each of `count` numbers; a single limit is that of all."""
    found = calculate(text, names)
    if len(found) not in (1, count):
        raise Fault(f"'{text}': {len(found)} limits do not go together with {count} numbers")
    return found * count if len(found) == 1 else found


def ends(numbers):
    numbers = numbers if isinstance(numbers, list) else [numbers]
    return float(min(numbers)), float(max(numbers))


def gain(ours, papers, sign):
    """By which part of the paper's value ours goes beyond it; negative where it does not reach it."""
    return sign * (ours - papers) / abs(papers) if papers else sign * (ours - papers)


def reached(ours, compare, aim):
    """How many of our values reach the paper's value, of a range the end that is easier to reach. For the aims more and less."""
    sign, papers = (1, ends(compare)[0]) if aim == "more" else (-1, ends(compare)[1])
    return sum(gain(value, papers, sign) >= -NEAR for value in ours)


def verdict(ours, compare, aim="more", limit=None):
    """better, met, at the limit, met in part or not met. `ours` are one value or several, `compare` is the paper's value or range,
    `limit` what this machine can reach, one number for each of ours.

    Of several values both ends are compared with both ends of the paper's; where one end fails, they are met in part if some of
    them reach the end of the paper's range that is easier to reach. A single value is met anywhere in the paper's range."""
    low, high = ends(ours)
    papers = ends(compare)
    if aim == "at least":
        return "met" if low >= papers[0] else "not met"
    if aim == "at most":
        return "met" if high <= papers[1] else "not met"
    if aim == "equal":
        return "met" if all(abs(a - b) <= NEAR * abs(b) for a, b in zip((low, high), papers)) else "not met"
    sign = 1 if aim == "more" else -1
    gains = [gain(a, b, sign) for a, b in zip((low, high), papers)]
    if min(gains) > NEAR:
        return "better"
    count = reached(ours, compare, aim)
    if min(gains) >= -NEAR or count == len(ours) == 1:
        return "met"
    if limit is not None and all(gain(value, most, sign) >= -NEAR for value, most in zip(ours, limit, strict=True)):
        return "at the limit"
    return "met in part" if count else "not met"


def together(verdicts):
    """The verdict of a claim from those of its values; None where nothing was compared."""
    found = {word for word in verdicts if word}
    if not found:
        return None
    if len(found) == 1:
        return found.pop()
    if found <= {"at the limit", "not met"}:
        return "not met"
    return "met" if found == {"better", "met"} else "met in part"


def shown(number):
    if number == int(number) and abs(number) < 1e6:
        return f"{number:,.0f}"
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.3g}"


def text_of(numbers):
    low, high = shown(min(numbers)), shown(max(numbers))
    return low if low == high else f"{low} to {high}"


def command_like(text, entry):
    """The command of the entry that the text is, or None. $VARIABLE is any word."""
    named = shlex.split(text)
    for command in (entry["command"], entry.get("longer", "")):
        wanted = shlex.split(command)
        if len(wanted) == len(named) and all(a == b or a.startswith("$") for a, b in zip(wanted, named)):
            return command
    return None


def made_by(text, entry):
    """(the command of the entry that has made a page, None), or (None, the one that the page names). Older pages do not name one:
    it was the longer one."""
    found = MADE_BY.search(text)
    if not found:
        return entry.get("longer", entry["command"]), None
    command = command_like(found.group(1), entry)
    return (command, None) if command else (None, found.group(1))


def check_results(pages, root=ROOT):
    """docs/results.md names each page that is there, with a command that the claims accept."""
    listed = {}
    for number, line in enumerate((root / "docs/results.md").read_text().split("\n"), 1):
        found = RESULTS_LINE.search(line)
        if found and found.group(1) in pages:
            name, command = found.groups()
            listed[name] = number
            if not command_like(command, pages[name]):
                wanted = pages[name].get("longer", pages[name]["command"])
                raise Fault(f"docs/results.md:{number}: {name}: '{command}'; pages.toml has '{wanted}'")
    for name in pages:
        if name not in listed and (root / "docs/results" / f"{name}.md").exists():
            raise Fault(f"docs/results.md: there is no line of results/{name}.md with the command that makes it")


def without_gaps(names):
    """The lists without the places at which one of them has NaN; lists of another length than that one stay as they are."""
    gaps = {(len(numbers), place) for numbers in names.values() for place, number in enumerate(numbers) if math.isnan(number)}
    kept = {name: [number for place, number in enumerate(numbers) if (len(numbers), place) not in gaps]
            for name, numbers in names.items()}
    empty = sorted(name for name, numbers in kept.items() if not numbers)
    if empty:
        raise NotMeasured(f"no row has numbers of all of {', '.join(empty)}")
    return kept


def has_titles(page, value):
    """Whether the page has the parts that the value is taken from; others than of titles are told where it is calculated."""
    try:
        for cell in value["cells"].values():
            page.numbers(**cell)
    except MissingTitle:
        return False
    except Missing:
        pass
    return True


class Answers:
    """Values of claims out of the pages of results below `root`; a page is read once."""
    def __init__(self, commands, root=ROOT):
        self.commands, self.root, self.pages = commands, root, {}

    def page(self, name):
        """The page, or None where its command has not been run yet."""
        if name not in self.pages:
            path = self.root / "docs/results" / f"{name}.md"
            self.pages[name] = Page(f"docs/results/{name}.md", path.read_text()) if path.exists() else None
            other = made_by(self.pages[name].text, self.commands[name])[1] if self.pages[name] else None
            if other:
                raise Fault(f"docs/results/{name}.md: it was made by '{other}', pages.toml has '{self.commands[name]['command']}'")
        return self.pages[name]

    def command_of(self, name):
        """The command that has made the page, or will."""
        page = self.page(name)
        return made_by(page.text, self.commands[name])[0] if page else self.commands[name]["command"]

    def page_of(self, value):
        """Name and page that the value is taken from; without any the name of the one to make, and None."""
        there = [(name, self.page(name)) for name in pages_of(value) if self.page(name)]
        return next((pair for pair in there if has_titles(pair[1], value)), there[0] if there else (pages_of(value)[0], None))

    def values(self, claim):
        """The values of the claim without those that a better page has made needless."""
        return [value for value in claim.get("value", []) if "unless" not in value or self.page(value["unless"]) is None]

    def value(self, claim, value):
        """(text, verdict or None); (None, None) without the page."""
        _, page = self.page_of(value)
        if page is None:
            return None, None
        where = f"{claim['id']}, {value['what']}"
        try:
            names = without_gaps({name: page.numbers(**cell) for name, cell in value["cells"].items()})
            numbers = calculate(value.get("ours", next(iter(names))), names)
            limit = limits(value["limit"], names, len(numbers)) if "limit" in value else None
            text = text_of(numbers)
            if "show" in value:
                text = re.sub(r"\{(\w+)\}", lambda name: text_of(calculate(name.group(1), {**names, "ours": numbers})), value["show"])
        except (MissingTitle, NotMeasured) as problem:
            if "absent" in value:
                return value["absent"], None
            raise Fault(f"{where}: {problem}") from None
        except (Missing, Fault) as problem:
            raise Fault(f"{where}: {problem}") from None
        if "compare" not in value:
            return text, None
        aim = value.get("aim", "more")
        word = verdict(numbers, value["compare"], aim, limit)
        if word == "met in part":
            text += f" ({reached(numbers, value['compare'], aim)} of {len(numbers)})"
        if limit is not None and word in ("at the limit", "met in part", "not met"):
            text += f"; the most here is {text_of(limit)}"
        return text, word
