# SPDX-License-Identifier: Apache-2.0
"""What `area` measured as tables, as a page and as a picture. A result has area, leakage, registers, cells, path (ns or
None) and `blocks`: the area of all instances of each of MODULES inside."""
import os

# Modules whose share is shown, in the order of the table of a level-1 router; None: the rest of the unit.
BLOCKS = [("arithmetic unit", "arithmetic_unit"), ("of it: adder", "double_adder"),
          ("of it: multiplier", "double_multiplier"), ("partial results", "result_memory"),
          ("table of communicators", "path_table"), ("other parts of the unit", None),
          ("input channels", "input_channel"), ("VC allocation", "vc_allocator"),
          ("switch allocation", "switch_allocator")]
MODULES = [module for _, module in BLOCKS if module] + ["collective_unit", "path_unit"]


def nanoseconds(path):
    return "-" if path is None else f"{path:.1f} ns"


def percent(part, whole):
    return f"{100 * part / whole:.1f} %"


def more(part, whole):
    return f"{100 * (part / whole - 1):+.1f} %"


def rest_of_unit(blocks):
    if not blocks["collective_unit"]:
        return 0.0
    return blocks["collective_unit"] - sum(blocks[m] for m in ("arithmetic_unit", "result_memory", "path_table"))


def routers(results):
    plain = results["plain"]
    lines = ["| | cells | registers | area | area of a plain router | static power of a plain router | longest path |",
             "|---|---|---|---|---|---|---|"]
    for name, result in results.items():
        lines.append(f"| {name} | {result['cells']} | {result['registers']} | {result['area']:.0f} | "
                     f"{result['area'] / plain['area']:.3f} | {result['leakage'] / plain['leakage']:.3f} | "
                     f"{nanoseconds(result['path'])} |")
    return lines


def clock(results):
    """What the longest paths mean for results in cycles."""
    plain, one = (results[name]["path"] for name in ("plain", "level 1"))
    if not plain or not one:
        return []
    return ["", f"Results in cycles, such as the speedups of `nocsim`, hold for one clock. A network that has to take the clock of its "
            f"level-1 routers ({nanoseconds(one)}) instead of that of plain ones ({nanoseconds(plain)}) needs {one / plain:.2f} "
            "times as long for each cycle: in time, a speedup over software on plain routers is smaller by as much."]


def added(results):
    """What level 2 has beyond a plain router; the rest is what synthesis made of what both have."""
    plain, two = results["plain"], results["level 2"]
    table = two["blocks"]["path_table"]
    unit = two["blocks"]["path_unit"] - table
    channels = two["blocks"]["input_channel"] - plain["blocks"]["input_channel"]
    rest = two["area"] - plain["area"] - table - unit - channels
    lines = ["| added by level 2 | area | of a plain router |", "|---|---|---|"]
    for title, area in (("table of communicators", table), ("learning", unit), ("replication in the input channels", channels),
                        ("allocation, crossing, credits", rest)):
        lines.append(f"| {title} | {area:.0f} | {percent(area, plain['area'])} |")
    return lines


def parts(results):
    plain, level1 = results["plain"]["area"], results["level 1"]["area"]
    blocks = results["level 1"]["blocks"]
    lines = ["| block of a level-1 router | area | of the router | of a plain router |", "|---|---|---|---|"]
    for title, module in BLOCKS:
        area = blocks[module] if module else rest_of_unit(blocks)
        lines.append(f"| {title} | {area:.0f} | {percent(area, level1)} | {percent(area, plain)} |")
    return lines


def mesh_overhead(one, two, plain, n):
    """All routers of n x n with strategy 2: a row of level 1, the others level 2."""
    return (n * one + (n * n - n) * two) / (n * n)


def claims(results):
    plain, two, one = (results[name]["area"] for name in ("plain", "level 2", "level 1"))
    few, least = (results[f"level 1, {number} operations"]["area"] for number in (5, 2))
    bare = one - results["level 1"]["blocks"]["result_memory"]
    unit = results["level 1"]["blocks"]["arithmetic_unit"]
    powers = " | ".join(f"{results[name]['leakage'] / results['plain']['leakage']:.2f}"
                        for name in ("level 1", "level 1, 5 operations", "level 1, 2 operations"))
    sizes = (one, few, least, bare)
    lines = ["| | paper | here | 5 operations | 2 operations | without partial results |", "|---|---|---|---|---|---|",
             "| level 1 over plain | +90.8 % | " + " | ".join(more(each, plain) for each in sizes) + " |",
             "| arithmetic unit, share of level 1 | 38 % | " + " | ".join(percent(unit, each) for each in sizes) + " |",
             f"| level 2 over plain | +1.4 % | {more(two, plain)} | | | |",
             f"| of it: table of communicators | | {more(plain + results['level 2']['blocks']['path_table'], plain)} | | | |",
             f"| registers of level 2 over plain | | {more(results['level 2']['registers'], results['plain']['registers'])} | | | |",
             f"| static power of level 1 over plain | 1.84 | {powers} | |"]
    for n, paper in ((4, "24 %"), (8, "12.6 %"), (16, "7 %")):
        row = " | ".join(more(mesh_overhead(each, two, plain, n), plain) for each in sizes)
        lines.append(f"| routers of {n} x {n}, strategy 2 | +{paper} | {row} |")
    return lines


def tables(results):
    return "\n".join(routers(results) + [""] + parts(results) + [""] + added(results) + [""] + claims(results)) + "\n"


def page(measured, picture, place):
    """Markdown of docs/results; `picture` may be None."""
    results = measured["results"]
    shown = [f"![Areas of the routers and what they are made of]({os.path.relpath(picture, place.parent)})", ""] if picture else []
    command = "rtl/synth/area" + (f" --picture {picture}" if picture else "") + f" --page {place}"
    return "\n".join(
        ["# Areas of the routers", "",
         f"{measured['tools']}, cell library osu018 (0.18 um). `{command}` makes this page. Areas are sums of cells, without "
         "wires; nets of many pins have buffers. Paths go from register to register, without wires. Compare ratios only, and "
         "differences of a few percent not at all: the same registers and functions in another order of the source give them. "
         "Numbers of registers are exact.", ""]
        + shown + routers(results) + clock(results) +
        ["", "5 operations: one open operation per communicator instead of two. 2 operations: tables for two communicators with one "
         "open operation each; collectives of further communicators run in software. Routed in front: the output port of a head "
         "is found when it is in front of its buffer, not kept with it.", ""] + parts(results) + [""] + added(results) +
        ["", "## Beside the paper", "",
         "Lu et al., Computer Engineering 43(6), 2017, section 4.3.5: 90 nm. Partial results are 64 bytes for "
         "each open operation, in flip-flops: the library has no memories, and its latch has no area. The paper has one partial "
         "result for all operations, with which two that overlap can deadlock; two operations here are the nearest to that. Without "
         "them is how a router with a macro for this memory would compare, less the macro.", "",
         "The paper's level 2 has a table of five communicators with five bits each and a FIFO of five flits. A FIFO of five flits "
         "is a tenth of all buffers of a plain router, and these are most of it: the paper's number has no room for one. Ours has "
         "none, broadcasts are replicated from the input buffers, which is what the input channels of level 2 have more: a VC, a "
         "count of flits sent and a bit of the route for each branch. The table is searched for all five input ports in the cycle "
         "in which a head comes.", ""] + claims(results)) + "\n"


# Title, module ("": what is left of the router; "unit": what is left of the collective unit), colour.
BARS = [("input channels", "input_channel", "#4878a8"), ("allocators", "allocators", "#88b0d0"),
        ("crossing and other", "", "#c0c8d0"), ("table of communicators", "path_table", "#60a860"),
        ("partial results", "result_memory", "#e0a030"), ("arithmetic unit", "arithmetic_unit", "#c85050"),
        ("other parts of the unit", "unit", "#a070b0")]


def bar_areas(result):
    blocks = result["blocks"]
    areas = {key: blocks[key] for key in ("input_channel", "path_table", "result_memory", "arithmetic_unit")}
    areas["allocators"] = blocks["vc_allocator"] + blocks["switch_allocator"]
    areas["unit"] = rest_of_unit(blocks) + (blocks["path_unit"] - blocks["path_table"] if blocks["path_unit"] else 0)
    areas[""] = result["area"] - sum(areas.values())
    return areas


def picture(results):
    """Bars of the routers in parts, as SVG."""
    shown = [(name, result) for name, result in results.items() if result["blocks"]["input_channel"]]
    scale = 560 / max(result["area"] for _, result in shown)
    rows, legend = [], []
    for row, (name, result) in enumerate(shown):
        areas, left, y = bar_areas(result), 170.0, 20 + 44 * row
        rows.append(f'<text x="160" y="{y + 20}" text-anchor="end">{name}</text>')
        for _, key, colour in BARS:
            width = areas[key] * scale
            rows.append(f'<rect x="{left:.1f}" y="{y}" width="{width:.1f}" height="30" fill="{colour}"/>')
            left += width
        rows.append(f'<text x="{left + 6:.1f}" y="{y + 20}">{result["area"] / results["plain"]["area"]:.2f}</text>')
    top = 20 + 44 * len(shown)
    for place, (title, _, colour) in enumerate(BARS):
        x, y = 170 + 200 * (place % 3), top + 22 * (place // 3)
        legend.append(f'<rect x="{x}" y="{y}" width="14" height="14" fill="{colour}"/>'
                      f'<text x="{x + 20}" y="{y + 12}">{title}</text>')
    body = "\n".join(rows + legend)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="800" height="{top + 72}" font-family="sans-serif" '
            f'font-size="13">\n<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n')
