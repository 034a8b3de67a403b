# SPDX-License-Identifier: Apache-2.0
"""Sphinx settings of the documentation site and of the man pages.

The source folder is the repository itself: pages and links are the same on the site and in the tree. The list of pages in
docs/README.md is the site's table of contents. A page that no list names is a warning, and warnings are errors.
"""
import pathlib
import re

root = pathlib.Path(__file__).resolve().parents[2]
project = "Taihu"
author = "Taihu maintainers"
version = release = re.search(r"project\(Taihu VERSION (\S+)", (root / "CMakeLists.txt").read_text())[1]

extensions = ["myst_parser"]
myst_heading_anchors = 3
include_patterns = ["*.md", "docs/*.md", "docs/*/*.md", "taihu/**/README.md", "examples/*/README.md"]
root_doc = "README"

html_theme = "furo"
html_title = f"Taihu {version}"
html_show_copyright = html_show_sphinx = False

link = re.compile(r"\]\(([^)#:]+)\.md\)")


def summary(page):
    """The first sentence of a page, after its title and usage lines: what a man page says beside its name."""
    for paragraph in page.read_text().split("\n\n")[1:]:
        if not paragraph.startswith(("    ", "|", "```")):
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(paragraph.split())).replace("`", "")
            return re.split(r"[.:;](?: |$)", text)[0]
    return ""


# Pages of programs begin with their usage, indented; pages of libraries do not.
programs = [page for page in sorted((root / "docs/reference").glob("*.md")) if f"\n    {page.stem} " in page.read_text()]
man_pages = [(f"docs/reference/{page.stem}", page.stem, summary(page), author, 1) for page in programs]
man_show_urls = False


def tables_of_contents(page, text):
    """Hidden tables of contents, one for each bold heading of the page, of the pages that are linked below it."""
    folder = (root / page).parent
    for caption, body in re.findall(r"(?:\*\*([^*\n]+)\*\*)?((?:(?!\n\*\*).)+)", text, re.S):
        places = [(folder / target).resolve().relative_to(root) for target in link.findall(body)]
        entries = [f"/{place}" for place in places if str(place) != root_doc]
        if entries:
            yield "\n\n```{toctree}\n:hidden:\n:caption: " + (caption or "Start") + "\n\n" + "\n".join(entries) + "\n```\n"


def add_contents(app, page, source):
    if page == "README":
        lists = (root / "docs/README.md").read_text()
        source[0] += "".join(tables_of_contents("docs/README", lists))
    elif page == "docs/results":
        source[0] += "".join(tables_of_contents(page, source[0]))
    elif page == "docs/claims":  # pages of results that claims alone need, such as mpi-latency, which `./dev claims` makes
        listed = link.findall((root / "docs/results.md").read_text())
        own = [target for target in link.findall(source[0]) if target.startswith("results/") and target not in listed]
        source[0] += "".join(tables_of_contents(page, "".join(f"]({target}.md)" for target in dict.fromkeys(own))))
    elif page == "docs/README" or page.startswith("taihu/"):  # the site shows the list itself, and folders by their links
        source[0] = "---\norphan: true\n---\n" + source[0]


def setup(app):
    app.connect("source-read", add_contents)
