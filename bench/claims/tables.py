# SPDX-License-Identifier: Apache-2.0
"""Numbers out of pages of results: cells of a table below titles, or what a regular expression finds there.

A title is a Markdown heading or a line in bold. A table is found by the titles above it and the columns that are asked for; a
row by what stands in other columns. Whatever is not found, or found twice, is a Missing with page, table and row: a number that
has moved must not be replaced by another one in silence."""
import math
import re

HEADING = re.compile(r"#+ (.*)|\*\*(.*)\*\*")
NUMBER = re.compile(r"[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[-+]?\d+)?")
UNIT = re.compile(r"\s*([^\s(;]*)")
MACHINE = re.compile(r"^Machine: (.*?)\. (\d{4}-\d{2}-\d{2})\.", re.MULTILINE)


class Missing(Exception):
    """What is asked for is not on the page; the text says what and where."""


def plain(cell):
    return cell.strip().strip("`*").strip()


def title_of(line):
    found = HEADING.fullmatch(line.strip())
    return plain(found.group(1) or found.group(2)) if found else None


def split_row(line):
    return [plain(cell) for cell in line.strip().strip("|").split("|")]


def tables_in(lines):
    """(columns, rows) of each table."""
    found, number = [], 0
    while number < len(lines):
        block = []
        while number < len(lines) and lines[number].startswith("|"):
            block.append(lines[number])
            number += 1
        if len(block) > 2 and re.fullmatch(r"[|\s:-]+", block[1]):
            found.append((split_row(block[0]), [split_row(line) for line in block[2:]]))
        number += 1
    return found


def number_in(cell):
    """The number that a cell begins with, and what stands behind it (its unit)."""
    found = NUMBER.match(cell)
    if not found:
        raise Missing(f"'{cell}' is not a number")
    return float(found.group().replace(",", "")), UNIT.match(cell, found.end()).group(1)


class MissingTitle(Missing):
    """There is no such section."""


class Page:
    def __init__(self, name, text):
        self.name, self.text = name, text
        self.lines = text.split("\n")

    def below(self, titles):
        """The lines below these titles, one after the other, up to the next title. A title may be a list: the first of it that is
        there."""
        begin = 0
        for title in titles:
            choice = title if isinstance(title, list) else [title]
            places = [[number for number in range(begin, len(self.lines)) if title_of(self.lines[number]) == text] for text in choice]
            found = next((numbers for numbers in places if numbers), None)
            if not found:
                behind = f" below '{titles[0]}'" if title != titles[0] else ""
                raise MissingTitle(f"{self.name}: there is no title '{' or '.join(choice)}'{behind}")
            begin = found[0] + 1
        if not titles:
            begin = next((number + 1 for number, line in enumerate(self.lines) if title_of(line)), 0)
        end = next((number for number in range(begin, len(self.lines)) if title_of(self.lines[number])), len(self.lines))
        return self.lines[begin:end]

    def where(self, titles):
        return self.name + "".join(f", {' or '.join(title) if isinstance(title, list) else title}" for title in titles)

    def column_index(self, columns, column, where):
        """Columns are named, or where names are there twice, counted from 1."""
        if isinstance(column, int):
            return column - 1
        places = [index for index, name in enumerate(columns) if name == column]
        if len(places) != 1:
            raise Missing(f"{where}: {len(places)} columns are called '{column}'")
        return places[0]

    def cells(self, titles, row, column):
        """The texts in `column` of the rows where each other column has this text, or one text of this list; without `row` of all."""
        where = self.where(titles)
        every, row = row is None, row or {}
        named = [name for name in [*row, column] if not isinstance(name, int)]
        fitting = [table for table in tables_in(self.below(titles)) if all(name in table[0] for name in named)]
        if not fitting:
            raise Missing(f"{where}: there is no table with the columns {', '.join(repr(name) for name in named)}")
        columns, rows = fitting[0]
        wanted = {self.column_index(columns, name, where): value for name, value in row.items()}
        index = self.column_index(columns, column, where)
        lists = [value for value in wanted.values() if isinstance(value, list)]
        found = [cells for cells in rows if len(cells) > max([index, *wanted])
                 and all(cells[place] in value if isinstance(value, list) else cells[place] == value for place, value in wanted.items())]
        expected = len(rows) if every else len(lists[0]) if lists else 1
        if len(found) != expected:
            text = ", ".join(f"{name or 'first column'}: {value}" for name, value in row.items())
            raise Missing(f"{where}: {len(found)} rows instead of {expected} have {text}")
        return [cells[index] for cells in found]

    def numbers(self, titles=(), row=None, column=None, text=None):
        """Numbers of these cells, or of the groups that the expression `text` finds below the titles; all of one unit. NaN for '-'
        in one of several rows: what was not measured there."""
        if text is not None:
            found = re.search(text, "\n".join(self.below(titles)), re.MULTILINE)
            if not found:
                raise Missing(f"{self.where(titles)}: nothing matches '{text}'")
            texts = list(found.groups())
        else:
            texts = self.cells(titles, row, column)
        try:
            pairs = [(math.nan, None) if cell == "-" and len(texts) > 1 else number_in(cell) for cell in texts]
        except Missing as problem:
            raise Missing(f"{self.where(titles)}, {column or text}: {problem}") from None
        units = {unit for _, unit in pairs if unit is not None}
        if len(units) > 1:
            raise Missing(f"{self.where(titles)}: the cells of '{column}' have different units: {', '.join(sorted(units))}")
        return [number for number, _ in pairs]

    def machine_and_day(self):
        """What stands above the tables of a measurement; None on a page that does not depend on the machine."""
        found = MACHINE.search(self.text)
        return found.groups() if found else None
