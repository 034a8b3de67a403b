# SPDX-License-Identifier: Apache-2.0
"""The tables and the picture of bench/mpi/run."""
from mpi_contenders import BARE


def shown(bytes_):
    for unit, name in ((1 << 20, "M"), (1 << 10, "K")):
        if bytes_ >= unit and bytes_ % unit == 0:
            return f"{bytes_ // unit}{name}"
    return str(bytes_)


def table(title, rows, names):
    names = [name for name in names if name != BARE or any(BARE in found for found in rows.values())]
    lines = [f"**{title}**", "", "| bytes | " + " | ".join(names) + " | ratio |", "|---" * (len(names) + 2) + "|"]
    for bytes_, found in rows.items():
        peers = [found[name] for name in names[1:] if name in found and name != BARE]
        if names[0] not in found and not peers:
            continue
        ratio = f"{min(peers) / found[names[0]]:.2f}" if peers and names[0] in found else "-"
        lines.append(f"| {shown(bytes_)} | " + " | ".join(f"{found[n]:.3f}" if n in found else "-" for n in names) + f" | {ratio} |")
    return lines + [""]


def pair_table(title, rows, pairs):
    bounds = sorted({name for found in rows.values() for name in found if name.startswith("bare ")}, reverse=True)
    lines = [f"**{title}**", "",
             "| " + " | ".join(["bytes", *(f"{a} | {b} | ratio" for a, b in pairs), *bounds]) + " |",
             "|---" * (1 + 3 * len(pairs) + len(bounds)) + "|"]
    rows = {bytes_: found for bytes_, found in rows.items() if any(a in found and b in found for a, b in pairs)}
    if not rows:
        return []
    for bytes_, found in rows.items():
        cells = []
        for ours, plain in pairs:
            both = ours in found and plain in found
            cells.append(f"{found[ours]:.3f} | {found[plain]:.3f} | {found[plain] / found[ours]:.2f}" if both else "- | - | -")
        cells.extend(f"{found[name]:.3f}" if name in found else "-" for name in bounds)
        lines.append(f"| {shown(bytes_)} | " + " | ".join(cells) + " |")
    return lines + [""]


SLOWER = ("Where Taihu is slower than the best other library, the worst first. The last column has the ratio that the bound would "
          "have in Taihu's place: below 1.00, two threads without any library would be slower too.")


def slower(parts):
    """The rows with ratios below 1, which readers look for first."""
    rows, count, alone = [], 0, 0
    for part in parts:
        for state in ("near", "far"):
            for test in part.tests:
                for bytes_, found in part.found.medians(state, test).items():
                    for ours, others, bound in part.comparisons():
                        best = min((found[name], name) for name in others if name in found) if any(n in found for n in others) else None
                        if ours in found and best is None:
                            alone += 1
                        if ours not in found or best is None:
                            continue
                        count += 1
                        ratio = best[0] / found[ours]
                        if round(ratio, 2) < 1:
                            beside = f"{best[0] / found[bound]:.2f}" if bound in found else "-"
                            rows.append((ratio, f"| {test} | {part.title} | {state} | {shown(bytes_)} | {found[ours]:.3f} | "
                                                f"{best[1]} {best[0]:.3f} | {ratio:.2f} | {beside} |"))
    if not count:
        return []
    lines = [f"**{len(rows)} of {count} rows are below 1.00.**" + (f" {SLOWER}" if rows else "") +
             (f" {alone} more have no other library beside Taihu: it took too long, or the cores were not at that distance." if alone else ""), ""]
    if rows:
        lines += ["| call | part | cores | bytes | taihu | best other | ratio | the bound's |", "|---" * 8 + "|"]
    return lines + [line for _, line in sorted(rows)] + [""]


SUMMARY_SIZES = [8, 1 << 10, 8 << 10, 64 << 10, 1 << 20]


def summary(found, tests):
    """Ratios at a few sizes, near | far."""
    lines = ["| ratio, cores near, far | " + " | ".join(shown(size) for size in SUMMARY_SIZES) + " |",
             "|---" * (len(SUMMARY_SIZES) + 1) + "|"]
    for test in tests:
        lines.extend(summary_row(test, found, test))
    return lines + [""]


def summary_row(name, found, test):
    cells = [", ".join(f"{value:.2f}" if (value := found.ratio(state, test, size)) else "-" for state in ("near", "far"))
             for size in SUMMARY_SIZES]
    return [f"| {name} | " + " | ".join(cells) + " |"] if any(cell != "-, -" for cell in cells) else []


# What the page says first. The times of touched buffers have the writing and reading in them, for every library.
BOTH_KINDS = ("Data that nobody touches between messages stay where they are, and a copy less counts most. Programs write what they "
              "send and read what they receive, which takes the same time with every library; so both kinds stand here beside "
              "each other, for those calls that are measured in both ways.")


def both_kinds(alone, touched, tests):
    lines = [BOTH_KINDS, "", "| ratio, cores near, far | " + " | ".join(shown(size) for size in SUMMARY_SIZES) + " |",
             "|---" * (len(SUMMARY_SIZES) + 1) + "|"]
    for test in tests:
        lines.extend(summary_row(f"{test}, buffers left alone", alone, test))
        lines.extend(summary_row(f"{test}, written before and read after", touched, test))
    return lines + [""]


def chapter(part, limit):
    notes = [f"{name} was ended after {limit:.0f} s a test in {', '.join(tests)}, and not begun again" for name, tests in part.late.items()]
    if part.found.dropped:
        notes.append(f"{part.found.dropped} times were dropped because the distance of the cores changed meanwhile")
    lines = [f"## {part.title}", ""] + ([". ".join(notes) + ".", ""] if notes else [])
    if not part.pairs:
        lines.extend(summary(part.found, part.tests))
    for state in ("near", "far"):
        for test in part.tests:
            rows = part.found.medians(state, test)
            title = f"{test}, cores {state}"
            if rows:
                lines.extend(pair_table(title, rows, part.pairs) if part.pairs else
                             table(title, rows, [contender.name for contender in part.contenders]))
    return lines


def draw(file, found, tests):
    """Time of a message in the one state of the cores that has more numbers, and the ratios of all calls there."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    state = max(("near", "far"), key=lambda s: sum(key[0] == s for key in found.times))
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    rows = {size: times for size, times in found.medians(state, "latency").items() if size}
    colours = {"taihu": "C3", "openmpi": "C0", "mpich": "C2", BARE: "C7"}
    names = [*colours, *sorted({name for times in rows.values() for name in times} - set(colours))]
    for name, colour in ((name, colours.get(name, f"C{4 + k}")) for k, name in enumerate(names)):
        points = [(size, times[name]) for size, times in rows.items() if name in times]
        left.loglog(*zip(*points), marker=".", color=colour, label=name)
    left.set(title=f"A message between two ranks, cores {state}", xlabel="bytes", ylabel="microseconds")
    left.legend()
    for test in tests:
        points = [(size, ratio) for size in found.sizes(state, test) if size and (ratio := found.ratio(state, test, size))]
        if points:
            right.loglog(*zip(*points), marker=".", label=test)
    right.axhline(1, color="black", linewidth=1)
    right.set(title="Best other library / Taihu: above 1 Taihu is faster", xlabel="bytes", ylabel="ratio")
    right.legend(fontsize="small", ncols=2)
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.grid(alpha=0.3)
    figure.suptitle("Data that nobody touches between the calls", fontsize="medium")
    figure.savefig(file, dpi=110)
