# SPDX-License-Identifier: Apache-2.0
"""docs/claims.md: one line for each claim, then a section for each with its values, commands, machine and day."""
import math

import answers

PAPERS = {
    "P": ("Parallel C", "He et al., Journal of Software 28(4), 2017: the language, its compiler and its runtime"),
    "A": ("MPI on threads", "Liu et al., Chinese Journal of Computers 34(1), 2011"),
    "N": ("Memory on its node, multigrid", "Gu and Liu, on algebraic multigrid and an allocator that knows memory nodes"),
    "C": ("Collectives in the network on chip", "Lu et al., Computer Engineering 43(6), 2017"),
    "R": ("Reactor Monte Carlo", "Xu et al., on optimisations of the reactor Monte Carlo code RMC"),
}

HEAD = """# Claims of the papers

Every claim of the five papers that this project builds on, with the paper's value and ours. `./dev claims` makes this page: it runs the
commands below and takes each number of ours from the page of results that its command writes; none is typed by hand.

- *measured*: on the machine that is named, which is much smaller than those of the papers. Compared are ratios where the paper has
  them; times of other machines stand beside ours for their size only, without a verdict.
- *simulated*: by a program of this project whose model is told on its page; the same on any machine.
- *synthesised*: our hardware description with an open cell library.
- *tested*: a property, not a number; the tests that show it are counted.
- *not reproducible here*: and why.
- *better*: more than {near:.0f} % beyond the paper's value. *met*: equal to it or above, within {near:.0f} %. *met in part*: some of its values.
  *not met*: none. Of two ranges both ends are compared; where one end fails, the value is met in part if some of its points (in
  brackets: how many of them) reach the near end of the paper's range. A single point is met anywhere in that range.
- *at the limit*: not the paper's value, but within {near:.0f} % of the most that this machine can give, which the same run measured.

## To run them again

    ./dev claims               # what this machine can run in 110 minutes (--limit), then this page
    ./dev claims P1 C3         # only those of these claims
    ./dev claims --page        # no command: this page from the pages of results as they are
    ./dev claims --list        # the commands, how long they take, what they need
    ./dev claims --resume      # goes on with a run that was interrupted, or in which commands failed

All commands together take about {minutes} minutes on two cores, after the build, each with its own log in `build/claims/`: those that are
timed one after the other, then simulations and tests two at a time. A machine on which nothing else runs is needed for what is
measured. Some commands have fewer repetitions or sizes than the bench would have by itself; a page of the longer command answers the
same claims, and each page names the one that has made it. A command whose peer is not installed is left out with the reason, and
the line keeps the last result with its day; one that fails leaves its page as it was and makes the exit code 1. Peers outside of
the distribution are named by variables of the environment:

{variables}

A claim, a value or a page is added in `bench/claims/*.toml`; the test `checks.claims` fails when this page is not what they and
the pages of results give.

{summary}

| claim | what | answer | verdict | day |
|---|---|---|---|---|
"""


def day_of(claim, found):
    """The days of the measurements that the values are from."""
    pages = [found.page_of(value)[1] for value in found.values(claim)]
    days = sorted({page.machine_and_day()[1] for page in pages if page and page.machine_and_day()})
    return ", ".join(days) or "-"


def rated(claim, found):
    """Rows of the claim's table, and its verdict in words."""
    rows, words, open_pages = [], [], set()
    for value in found.values(claim):
        text, word = found.value(claim, value)
        if text is None:
            open_pages.add(answers.pages_of(value)[0])
        words.append(word)
        rows.append(f"| {value['what']} | {value['paper']} | {text or 'not yet run'} | {word or '-'} |")
    whole = answers.together(words)
    if whole is None:
        whole = "-" if not open_pages else "not yet run"
    elif open_pages:
        whole += ", in part not yet run"
    return rows, whole


def sources(claim, pages, found):
    """A line for each page that the values are from."""
    lines = []
    for name, page in dict.fromkeys(found.page_of(value) for value in found.values(claim)):
        if page is None:
            lines.append(f"- `{pages[name]['command']}` has not been run yet")
            continue
        where = page.machine_and_day()
        told = f"{where[0]}; {where[1]}" if where else "the same on any machine"
        lines.append(f"- [{name}](results/{name}.md): `{found.command_of(name)}`; {told}")
    return lines


def section(claim, pages, found):
    rows, word = rated(claim, found)
    lines = [f"### {claim['id']}: {claim['title']}", "", f"*{claim['word']}*, {word}. The paper ({claim['place']}): {claim['paper']}.", ""]
    if rows:
        lines += ["| value | paper | ours | verdict |", "|---|---|---|---|", *rows, "", *sources(claim, pages, found), ""]
    for key in ("why", "note"):
        if key in claim:
            lines += [claim[key][0].upper() + claim[key][1:], ""]
    if "picture" in claim:
        lines += [f"![{claim['title']}]({claim['picture']})", ""]
    return lines


def summary(words):
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    order = ["better", "met", "met in part", "at the limit", "not met"]
    known = [f"{counts.pop(word)} {word}" for word in order if word in counts]
    rest = [f"{count} {'without a number to compare' if word == '-' else word}" for word, count in sorted(counts.items())]
    return f"{len(words)} claims: {', '.join(known + rest)}."


def make(claims, pages, found):
    """The whole text."""
    used = {answers.pages_of(value)[0] for claim in claims for value in found.values(claim)}
    variables = "\n".join(f"- `{name}`: {what}" for name, what in answers.VARIABLES.items())
    minutes = math.ceil(answers.minutes_of(pages[name] for name in used))
    whole = [rated(claim, found)[1] for claim in claims]
    text = HEAD.format(near=100 * answers.NEAR, minutes=minutes, variables=variables, summary=summary(whole))
    for claim, word in zip(claims, whole):
        text += f"| {claim['id']} | {claim['title']} | {claim['word']} | {word} | {day_of(claim, found)} |\n"
    lines = []
    for claim in claims:
        letter = claim["id"][0]
        if claim["id"] == f"{letter}1":
            title, paper = PAPERS[letter]
            lines += [f"## {title}", "", f"{paper}.", ""]
        lines += section(claim, pages, found)
    return text + "\n" + "\n".join(lines).rstrip() + "\n"
