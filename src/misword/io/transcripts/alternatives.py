"""Texts with alternatives, written with the signs that references use: `{ a / b }`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from misword.core.errors import InputError
from misword.core.lazy import pl
from misword.io.files.sources import Source

OPEN, DIVIDE, CLOSE, NOTHING = "{", "/", "}", "@"
SIGN = re.compile(r"/|@|.*/@|@/.*")  # a slash separates if it stands alone or beside `@`


def group(texts: Iterable[str]) -> str:
    """Return several texts as alternatives, each distinct text once; `@` is the empty text.

    >>> group(["gonna", "going to", "gonna"]), group(["a", "a"]), group(["um", ""])
    ('{ gonna / going to }', 'a', '{ um / @ }')
    """
    distinct = list(dict.fromkeys(" ".join(text.split()) for text in texts))
    if len(distinct) == 1:
        return distinct[0]
    return f"{OPEN} {f' {DIVIDE} '.join(text or NOTHING for text in distinct)} {CLOSE}"


def is_plain(text: str) -> bool:
    """Return whether no word of a text can be taken for a sign of alternatives.

    >>> is_plain("and/or"), is_plain("and / or"), is_plain("{a}")
    (True, False, False)
    """
    return OPEN not in text and CLOSE not in text and not any(map(SIGN.fullmatch, text.split()))


def either_text(texts: Sequence[str]) -> tuple[str, int]:
    """Return whole texts as alternatives, and the number of words that were left out.

    The texts may have alternatives of their own. A slash or `@` outside of them is left out,
    because it would be read as a sign.

    >>> either_text(["a / b", "a { b / c }"])
    ('{ a b / a { b / c } }', 1)
    """
    if len({" ".join(text.split()) for text in texts}) == 1:
        return texts[0], 0
    kept = [without_free_signs(text) for text in texts]
    left_out = sum(len(text.split()) - len(words) for text, words in zip(texts, kept, strict=True))
    return group(map(" ".join, kept)), left_out


def first_reading(text: str) -> str:
    """Return a text with the first alternative of each group.

    >>> first_reading("we { are / 're } { @ / um } here {laugh}")
    'we are here {laugh}'
    """
    if OPEN not in text:
        return text
    kept: list[str] = []
    groups: list[bool] = []  # for each open group, whether its first alternative has ended
    for word in text.split():
        if word == OPEN:
            groups.append(False)
        elif groups and word == CLOSE:
            groups.pop()
        elif groups and word == DIVIDE:
            groups[-1] = True
        elif not any(groups) and not (groups and word == NOTHING):
            kept.append(word)
    return " ".join(kept)


def without_free_signs(text: str) -> list[str]:
    """Return the words of a text except for signs of alternatives that are not inside braces."""
    words, depth = [], 0
    for word in text.split():
        if depth or not SIGN.fullmatch(word):
            words.append(word)
        depth = max(0, depth + word.count(OPEN) - word.count(CLOSE))
    return words


# The alternatives of NIST trn and stm files, written with blanks as in `{ a / b / @ }`.
#
# sclite also accepts `{a/b}` and `{ a /@ }`: in these formats every slash directly inside braces
# separates alternatives, and a lone `@` is nothing. In other formats braces and slashes are often
# plain text, so only a slash between blanks separates there.
#
# Reference: SCTK's manual, https://github.com/usnistgov/SCTK (doc/infmts.htm)

NIST_NOTHING = "@"
SIGNS = re.compile(r"[{}/]")
MARKED = r"\{|(^|\s)@(\s|$)"


def spaced_texts(frame: pl.DataFrame, source: Source) -> pl.DataFrame:
    """Return a frame of `text` and `line` with all alternatives in the form `{ a / b / @ }`."""
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
        if depth > 0 or word != NIST_NOTHING:
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
