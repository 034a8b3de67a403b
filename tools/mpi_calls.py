# SPDX-License-Identifier: Apache-2.0
"""The calls of taihu/abi/mpi.h as data, for the tools that make Fortran bindings and the coverage table from them."""
import pathlib
import re
from dataclasses import dataclass


@dataclass
class Parameter:
    type: str    # "int", "MPI_Comm", "const void", ... without stars
    stars: int
    name: str
    array: bool  # declared with []
    const: bool


@dataclass
class Call:
    name: str    # without MPI_
    result: str
    chapter: str
    parameters: list


HANDLES = {"MPI_Comm": "Comm", "MPI_Datatype": "Type", "MPI_Errhandler": "Errhandler", "MPI_File": "File", "MPI_Group": "Group",
           "MPI_Info": "Info", "MPI_Message": "Message", "MPI_Op": "Op", "MPI_Request": "Request", "MPI_Session": "Session", "MPI_Win": "Win"}


def parse_parameter(text):
    text = " ".join(text.split())
    if text == "...":
        return Parameter("...", 0, "", False, False)
    found = re.fullmatch(r"(const )?([A-Za-z_0-9 ]+?)((?: ?\*)*) ?([A-Za-z_0-9]+)((?:\[[0-9]*\])*)", text)
    if not found:
        raise SystemExit(f"cannot read the parameter '{text}'")
    constant, kind, stars, name, brackets = found.groups()
    return Parameter(kind.strip(), stars.count("*"), name, bool(brackets), bool(constant))


def split_parameters(text):
    text = text.strip()
    if text == "void":
        return []
    return [parse_parameter(part) for part in text.split(",")]


def read_calls(header):
    """All calls in the order of the header."""
    text = pathlib.Path(header).read_text()
    calls, chapter = [], ""
    pattern = r"/\* ([A-Z][^*]*?) \*/|TAIHU_MPI_CALL\(\s*([\w]+),\s*(\w+),\s*\((.*?)\)\)\n"
    for found in re.finditer(pattern, text[text.index("#define TAIHU_MPI_CALL"):], re.S):
        if found.group(1):
            chapter = " ".join(found.group(1).split())
        else:
            calls.append(Call(found.group(3), found.group(2), chapter, split_parameters(found.group(4))))
    return calls


def read_constants(header):
    """name -> text of the value, for all constants of the header."""
    constants = {}
    text = pathlib.Path(header).read_text().replace("\\\n", " ")
    for name, value in re.findall(r"^#define (MPIX?_\w+)\s+(.+?)\s*$", text, re.M):
        constants[name] = value
    return constants
