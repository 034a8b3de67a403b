# SPDX-License-Identifier: Apache-2.0
"""The tables of this benchmark as a page."""
import os
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from describe_machine import describe_machine, this_command  # noqa: E402

PAPER = {"heaps": "Paper (12 x 10^6 cells, 32 processes of 10 threads): glibc 783 s, TCMalloc 683.2 s, its own 671.4 s: 1.166, 1.018, 1.",
         "schedules": "Paper: guided with chunks of histories / threads 252.4 s; (guided,1), (guided,100), (dynamic,1) 234.1 to 238.5 s: "
                      "6 to 8 % faster. As ratios: 0.93 to 0.945.",
         "alignment": "Paper: 1.8 %.",
         "restart": "Paper: 16 processes, 72 GB: writing takes 14 % and reading 10 % of the time of one process; 64 processes, 146 GB: "
                    "4 % and 5 %; on 16 storage servers.",
         "all": "Paper: at least 26.45 %, a ratio of 1.264."}
STRUCTURES = """\
The paper has no listing of its structures. It says: vectors instead of arrays everywhere, which change their size while threads
run histories, so that memory is allocated and freed all the time, in small blocks and in blocks above 128 KB. `listed_transport`
takes it at its word: a neutron is an object made for its history; position, direction, the levels of the geometry, the way it
took, cross sections at its energy by material, contributions by tally and fission sites are vectors that grow and are freed
with it, sites by another thread; materials, cells, universes and tallies are vectors of vectors; each thread makes a dense
vector for each tally and generation. Formulas of surfaces and lattices, random numbers and the comb that takes the next source are
rmc's; tracking and collisions are its own. It tracks surfaces, rmc uses hybrid tracking, so their seconds say nothing of each other:
only ratios within a program count."""


def spread(values):
    return f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def ratio_of(rows, name, base, key):
    return statistics.median(rows[name][key]) / statistics.median(rows[base][key])


def widest(found, key):
    """The largest spread with at most two threads: (most - least) / median."""
    tables = [rows for part in ("heaps", "schedules", "alignment", "all") for name, rows in found.get(part, {}).items()
              if not name.startswith("counts") and not name.endswith((", 4", ", 8"))]
    return max(((max(cell[key]) - min(cell[key])) / statistics.median(cell[key]) for rows in tables for cell in rows.values()),
               default=0)


def ratio_table(tables, base, processor):
    """One row for each workload: seconds of `base`, and the ratios of the others to it."""
    names = list(next(iter(tables.values())))
    others = [name for name in names if name != base]
    lines = ["| program and case | " + f"{base}: seconds | " + " | ".join(others) + " |", "|---|---|" + "---|" * len(others)]
    for case, rows in tables.items():
        cells = []
        for name in others:
            low, high = (edge(rows[name]["wall"]) / statistics.median(rows[base]["wall"]) for edge in (min, max))
            cell = f"{ratio_of(rows, name, base, 'wall'):.3f} ({low:.2f} to {high:.2f})"
            cells.append(cell + (f"; {ratio_of(rows, name, base, 'processor'):.3f}" if processor else ""))
        lines.append(f"| {case} | {spread(rows[base]['wall'])} | " + " | ".join(cells) + " |")
    return lines + [""]


def heaps(tables):
    counts = {name: row for name, row in tables.items() if name.startswith("counts")}
    timed = {name: row for name, row in tables.items() if name not in counts}
    lines = ["Ratios of times to glibc's, below 1 is faster than glibc; in brackets the fastest and slowest run; "
             "behind the semicolon the ratio of processor times. The last number of a case is that of threads.", "",
             *ratio_table(timed, "glibc", True)]
    for name, row in counts.items():
        lines.append(f"Vectors of one history ({name.removeprefix('counts, ')}): {row['flights']:.0f} flights, {row['blocks']:.0f} blocks, "
                     f"{row['bytes'] / 1000:.1f} KB; blocks above 128 KB in a run: {row['huge']:.0f}.")
    return [*lines, "", "rmc is measured with arrays as malloc gives them (`--vectors plain`) here."]


def schedules(tables):
    return ["Ratios of times to those of the paper's first schedule, `guided` with chunks of histories / threads (SHARE). "
            "`dynamic,64` is rmc's default.", "", *ratio_table(tables, "guided,SHARE", False)]


def alignment(tables):
    return ["Vectors at 64 bytes (in rmc: large ones at large pages) against those where malloc puts them; two threads.", "",
            *ratio_table(tables, "plain", True)]


def restart(tables):
    if not tables:
        return ["Not measured: there was no Open MPI."]
    lines = ["rmc's statepoint, HDF5, with ranks of Open MPI: written by all ranks into one file, and gathered at the root and "
             "written there; the same for reading. Writing includes bringing the file to the disk. Seconds, median (least to most). "
             "The plain files of the same size show what the disk gives at that time.", ""]
    names = list(next(iter(tables.values()))["rows"])
    lines += ["| ranks | MB | " + " | ".join(names) + " |", "|---|---|" + "---|" * len(names)]
    for ranks, found in tables.items():
        cells = [f"{median:.2f} ({least:.2f} to {most:.2f})" for median, least, most in (found["rows"][name] for name in names)]
        lines.append(f"| {ranks} | {found['megabytes']:.0f} | " + " | ".join(cells) + " |")
    lines += ["", "| ranks | written: all ranks / root | written: plain file / root | read: all ranks / root | read: plain file / root | "
              "plain file written: MB/s | plain file read: MB/s |", "|---|---|---|---|---|---|---|"]
    for ranks, found in tables.items():
        seconds, size = {name: median for name, (median, _, _) in found["rows"].items()}, found["megabytes"]
        plain = {"written": min(seconds["plain file, written by all ranks"], seconds["plain file, written by one rank"]),
                 "read": seconds["plain file, read by all ranks"]}
        shares = [f"{done / seconds[f'{way} through the root']:.3f}" for way in plain
                  for done in (seconds[f"{way} by all ranks"], plain[way])]
        lines.append(f"| {ranks} | {' | '.join(shares)} | {size / plain['written']:.0f} | {size / plain['read']:.0f} |")
    return lines + ["", "The plain file is what this disk and the system's page cache allow: the same number of bytes, without any "
                    "format, written by all ranks at once or by one, whichever is faster, and read by all. "
                    "One disk: all ranks write no faster than it does; what can be saved is the gathering."]


def together(tables):
    if not tables:
        return ["Not measured: there was no Open MPI."]
    lines = ["The whole program with two ranks of one thread, from start to end, with a restart file of the tally's size at the end. "
             "`none`: glibc's heap, guided with chunks of histories / threads, plain vectors, the file through the root. `all four`: "
             "Taihu's heap, dynamic,64, aligned vectors, the file written by all ranks. "
             "Ratios to `all four`: above 1, it is faster with all.", "",
             *ratio_table(tables, "all four", False)]
    for program, rows in tables.items():
        lines.append(f"{program}: none / all four = {ratio_of(rows, 'none', 'all four', 'wall'):.3f}.")
    return lines


PARTS = {"heaps": ("Heaps", heaps), "schedules": ("Schedules of the loop over histories", schedules),
         "alignment": ("Aligned vectors", alignment), "restart": ("Restart files", restart), "all": ("All four together", together)}


def page_of(found, options):
    load = os.getloadavg()[2]
    k = "; ".join(f"{program} {value[0]:.5f} ± {value[1]:.5f}" for program, value in found.get("k", {}).items())
    lines = ["# Four optimisations of a reactor Monte Carlo code", "",
             f"{describe_machine()} Mean load of the last 15 minutes when the page was made: {load:.1f}. "
             f"`{this_command()}` makes this page{' (here with `--quick`: sizes that show no effect)' if options.quick else ''}. "
             f"Medians of {options.repeats} runs in turns. Spread of the runs, (most - least) / median, with one and two threads: at most "
             f"{100 * widest(found, 'wall'):.0f} % of times, {100 * widest(found, 'processor'):.0f} % of processor times.", "",
             "The optimisations are those of Xu et al., RMC. `vectors` is `listed_transport`, `rmc` is rmc. Model: C5G7 in two dimensions. "
             f"k by collisions: {k} (the same bits in each run of a program; "
             "different by more than four deviations ends the benchmark).", "",
             STRUCTURES, ""]
    for part, (title, write) in PARTS.items():
        if part in found:
            lines += [f"## {title}", "", PAPER[part], "", *write(found[part]), ""]
    return "\n".join(lines).rstrip() + "\n"
