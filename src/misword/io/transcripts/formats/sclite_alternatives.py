"""The alternatives of NIST trn and stm files, written with blanks as in `{ a / b / @ }`.

sclite also accepts `{a/b}` and `{ a /@ }`: in these formats every slash directly inside braces
separates alternatives, and a lone `@` is nothing. In other formats braces and slashes are often
plain text, so only a slash between blanks separates there.

Reference: SCTK's manual, https://github.com/usnistgov/SCTK (doc/infmts.htm)
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from misword.core.errors import InputError
from misword.io.files.sources import Source

if TYPE_CHECKING:
    import polars as pl

NOTHING = "@"
SIGNS = re.compile(r"[{}/]")
MARKED = r"\{|(^|\s)@(\s|$)"


def spaced_texts(frame: pl.DataFrame, source: Source) -> pl.DataFrame:
    """Return a frame of `text` and `line` with all alternatives in the form `{ a / b / @ }`."""
    import polars as pl

    marked = frame["text"].str.contains(MARKED)
    if not marked.any():
        return frame
    texts = [
        spaced(text, source.at(line)) if has_signs else text
        for text, line, has_signs in zip(frame["text"], frame["line"], marked, strict=True)
    ]
    return frame.with_columns(text=pl.Series(texts, dtype=pl.String))


def spaced(text: str, where: str) -> str:
    """Return a text with blanks around the signs of alternatives and without other lone `@`.

    Braces without a slash stay plain text.

    >>> spaced("the {fi /@} cat @ {laugh} and/or {a/{b/c} d}", "ref.trn:1")
    'the { fi / @ } cat {laugh} and/or { a / { b / c } d }'
    """
    signs = _signs(text, where)
    pieces, last = [], 0
    for position in sorted(signs):
        pieces += [text[last:position], f" {text[position]} "]
        last = position + 1
    words, depth, kept = "".join([*pieces, text[last:]]).split(), 0, []
    for word in words:
        depth += (word == "{") - (word == "}") if signs else 0
        if depth > 0 or word != NOTHING:
            kept.append(word)
    return " ".join(kept)


def _signs(text: str, where: str) -> list[int]:
    """Return the positions of the braces with slashes directly between them, and these slashes."""
    groups: list[list[int]] = []  # the positions of each open group
    signs: list[int] = []
    for found in SIGNS.finditer(text):
        if found[0] == "{":
            groups.append([])
        if groups:
            groups[-1].append(found.start())
        if found[0] == "}" and groups and len(group := groups.pop()) > 2:
            signs += group
    if any(len(group) > 1 for group in groups):
        raise InputError(
            f"braces do not match in {text!r}",
            where=where,
            fix="write alternatives as { a / b }; other braces are plain text without a slash",
        )
    return signs
