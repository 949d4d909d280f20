"""BibTeX entries of the papers behind misword's parts, by key.

The entries are in `references.bib` in this folder.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files


def bibtex(cite: str) -> str:
    """Return the BibTeX entry of a key; a whole entry is returned as it is.

    >>> bibtex("le2016").splitlines()[0]
    '@inproceedings{le2016,'
    """
    return cite if cite.startswith("@") else entries()[cite]


@cache
def entries() -> dict[str, str]:
    """Return all entries of `references.bib`, by key."""
    text = (files("misword.core.parts") / "references.bib").read_text("utf-8")
    blocks = re.split(r"\n\n(?=@)", text.strip())
    return {re.match(r"@\w+\{([^,]+),", block)[1]: block for block in blocks}  # type: ignore[index]
