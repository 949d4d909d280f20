"""Links of the pages: the path of a file in the repository becomes its path on the site.

Pages are written for a forge, which shows each file where it is in the repository. The site has the
pages of docs at its root, and pages for other files that they link to.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

ROOT = Path(__file__).parents[2]
# Pages outside of docs that the site has: where they are in the repository, and on the site.
ADDED = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "vulnerabilities.md",
    **{
        f"bench/results/{path.name}": f"bench/{path.name}"
        for path in sorted((ROOT / "bench" / "results").glob("*.md"))
    },
}
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")
DEFINITION = re.compile(r"(?<=\]: )(\S+)$", re.MULTILINE)


def site_path(path: str) -> str:
    """Return where the site has a file of the repository.

    >>> site_path("docs/scoring.md"), site_path("bench/results/spine.md"), site_path("README.md")
    ('scoring.md', 'bench/spine.md', 'index.md')
    >>> site_path("tools/build_native.py"), site_path("docs/notebooks/researcher.ipynb")
    ('source/tools/build_native.py.md', 'notebooks/researcher.md')
    """
    if path == "README.md":  # the entry of the site takes its place
        return "index.md"
    if path in ADDED:
        return ADDED[path]
    if path.startswith("docs/"):
        page = re.sub(r"\.ipynb$", ".md", path.removeprefix("docs/"))
        return re.sub(r"\bREADME\.md$", "index.md", page)
    return f"source/{path}.md"


def is_local(target: str) -> bool:
    """Whether a link leads to another file of the repository."""
    return not target.startswith(("http:", "https:", "mailto:", "#"))


def rewritten(text: str, path: str) -> str:
    """Return the text of a page of the repository with its links as the site needs them.

    >>> rewritten("[startup](../bench/results/startup.md#more), [rate]", "docs/gate.md")
    '[startup](bench/startup.md#more), [rate]'
    >>> rewritten("[rate]: docs/glossary.md#rate", "CONTRIBUTING.md")
    '[rate]: glossary.md#rate'
    """
    folder = PurePosixPath(path).parent
    start = PurePosixPath(site_path(path)).parent

    def changed(match: re.Match[str]) -> str:
        if not is_local(match[1]):
            return match[1]
        name, mark, anchor = match[1].partition("#")
        there = site_path(normpath(folder / name))
        return f"{relpath(there, start)}{mark}{anchor}"

    parts = FENCE.split(text)
    fences = FENCE.findall(text)
    made = [DEFINITION.sub(changed, INLINE.sub(changed, part)) for part in parts]
    return "".join(part + fence for part, fence in zip(made, [*fences, ""], strict=True))


def linked_sources(pages: dict[str, str]) -> set[str]:
    """Return the files that pages link to and that are no pages themselves."""
    found = set()
    for path, text in pages.items():
        folder = PurePosixPath(path).parent
        plain = FENCE.sub("", text)
        for target in INLINE.findall(plain) + DEFINITION.findall(plain):
            if is_local(target):
                there = normpath(folder / target.partition("#")[0])
                if site_path(there).startswith("source/"):
                    found.add(there)
    return found
