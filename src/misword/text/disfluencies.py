"""Marks of spontaneous speech, as far as a transcript shows them.

Fillers (`euh`, `um`), words that were broken off (`pro-`) and words said again at once (`je veux je
veux`). Sounds that were swallowed, restarts with other words and pauses do not show in text.

Counts are careful rather than complete: a word that also means something (`like`, `bon`) is no
filler. French `ben` is left out for its namesakes in the news, `ah` and `oh` as they are seldom
hesitations, `mhm` and `uh-huh` as they mean yes.

Known problems: emphasis (`very very`, `non non`) and names (`Duran Duran`) look like repetitions.
Transcribers often leave disfluencies out, so a count of 0 may say more about them than about the
speech.

References: T. Bañeras-Roux et al., Qualitative evaluation of language model rescoring in automatic
speech recognition, Interspeech 2022, where utterances that rescoring made worse have 1.23 times as
many; E. Shriberg, Preliminaries to a theory of speech disfluencies, 1994. Fillers and signs of
broken words are those of the transcription guidelines of LDC (SimpleMDE, SPINE2), NIST (stm), BAS
(Verbmobil) and Rochester (Trains).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.core.languages import code
from misword.text.texts import Texts
from misword.text.tokens import encode_words

if TYPE_CHECKING:
    import polars as pl

Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]

# Fillers by language, as patterns: those that seem to be a word nowhere, and those that are one
# elsewhere (German `um` and `er`, Catalan `heu`, Estonian `öö`, English `hum`, the `EEE`).
FILLERS = {
    "cs": ("eh+m+", "e{3,}"),
    "da": ("øh+m*", ""),
    "de": ("äh+m* öh+m* aeh+m*", ""),
    "en": ("uh+m* er+m+", "um+ er"),
    "es": ("eh+m+", "eh+ em+"),
    "et": ("", "ee+ õõ+"),
    "fi": ("öh+m*", "öö+h* ää+h*"),
    "fr": ("euh+m*", "heu+h* hum+ bah"),
    "hu": ("", "öö+"),
    "it": ("eh+m+ uh+m+", "ee+h+"),
    "nb": ("øh+m* eh+m+", "eh+"),
    "nl": ("uh+m* eh+m+ euh+m*", "eh+"),
    "pl": ("y{3,}m*", "yy+m* ee+m*"),
    "pt": ("ãh+", "ahn+ eh+ hum+ hã+"),
    "ru": ("х+м+ эм+", "э+(-э+)*"),
    "sv": ("äh+m* öh+m* eh+m+", "eh+"),
}
ANYWHERE = "h+m+ m{3,}"
# Between signs, these stand for any filler: %hesitation, <hes>.
MARKED = frozenset({"hes", "hesitation"})
# Words that grammar doubles: nous nous levons; he said that that had had an end; die die das sagen.
DOUBLED = {"de": "das der die sie", "en": "had that", "fr": "nous vous"}
# Before these a hyphen stands for the rest of a compound: Vor- und Nachteile, inn- og utland.
JOINING = frozenset({"bis", "eller", "oder", "och", "og", "sowie", "tai", "und", "või"})
# Words in a repetition, at most.
LONGEST = 3

LETTER = r"[^\W\d_]"
HYPHEN = "[-\u2010\u2011]"
# pro-, oran(ge)-, pro(), pro(blème), (be)cause; but not word(s), nor (word), often a comment.
PART = rf"\((?!(?:e|s|es)\)){LETTER}*\)"
BROKEN = re.compile(
    rf"{LETTER}\)?{HYPHEN}[^\w\u2010\u2011-]*$|{LETTER}{PART}|{PART}{LETTER}",
)
COMMENT = re.compile(r"%.*|\[.*\]|<.*>|\{.*\}|\(.*\)")
# Instead of the number of a word: it is none (a sign, a comment), or one that is never repeated.
NONE, ONCE = -1, -2


class Traits(NamedTuple):
    """What is known of each distinct word; `number` is the same for `Le` and `le,`."""

    number: NDArray[np.int64]
    filler: Flags
    broken: Flags
    joining: Flags
    doubled: Flags


def disfluencies(texts: pl.Series | Iterable[str], lang: str = "") -> dict[str, Counts]:
    """Count each text's `fillers`, `repetitions`, `truncations`, and their sum, `disfluencies`.

    Without a language, or in one whose fillers are not listed here, only those count that seem to
    be a word nowhere. A repetition is of one to three words, at once or with fillers between; each
    time that they are said again counts one. Numbers are not taken for repeated.

    >>> said = ["euh je je veux je veux par- parler", "nous nous levons", "le le, euh, le chat"]
    >>> [found.tolist() for found in disfluencies(said, "fr").values()]
    [[1, 0, 1], [2, 0, 2], [1, 0, 0], [4, 0, 3]]
    """
    (tokens,) = encode_words([Texts.of(texts)])
    known = _traits(tokens.vocabulary[:], code(lang) if lang else "")
    size, ids = len(tokens), tokens.ids
    rows = np.repeat(np.arange(size), tokens.lengths)
    broken = known.broken[ids]
    broken[:-1] &= ~(known.joining[ids[1:]] & (rows[1:] == rows[:-1]))
    said = (known.number[ids] != NONE) & ~known.filler[ids]
    repeated = _repetitions(
        known.number[ids[said]], rows[said], known.doubled[ids[said]], rows=size
    )
    fillers = np.bincount(rows[known.filler[ids]], minlength=size)
    truncations = np.bincount(rows[broken], minlength=size)
    return {
        "fillers": fillers,
        "repetitions": repeated,
        "truncations": truncations,
        "disfluencies": fillers + repeated + truncations,
    }


def _traits(vocabulary: Iterable[str], lang: str) -> Traits:
    """Look at each distinct word once."""
    is_filler = _fillers(lang).fullmatch
    doubled = (DOUBLED.get(lang, "") if lang else " ".join(DOUBLED.values())).split()
    numbers: dict[str, int] = {}
    found = []
    for word in vocabulary:
        plain, marks = (word, False) if word.isalpha() else (_stripped(word), True)
        plain = plain.casefold() if word.isascii() else _folded(plain)
        comment = marks and bool(COMMENT.fullmatch(word))
        filler = bool(is_filler(plain)) or (comment and plain in MARKED)
        broken = marks and not filler and bool(BROKEN.search(_bare(word)))
        if comment or not plain:
            number = NONE
        elif broken or not any(map(str.isalpha, plain)):
            number = ONCE
        else:
            number = numbers.setdefault(plain, len(numbers))
        found.append((number, filler, broken, plain in JOINING, plain in doubled))
    table = np.array(found, np.int64).reshape(-1, len(Traits._fields)).T
    return Traits(table[0], *(column.astype(np.bool_) for column in table[1:]))


def _stripped(word: str) -> str:
    """A word without signs at its ends; vowel signs and accents, no letters either, stay."""
    inside = [at for at, sign in enumerate(word) if unicodedata.category(sign)[0] in "LMN"]
    return word[inside[0] : inside[-1] + 1] if inside else ""


def _folded(word: str) -> str:
    return unicodedata.normalize("NFC", word).casefold()


def _bare(word: str) -> str:
    """A word without vowel signs and accents."""
    if word.isascii():
        return word
    apart = unicodedata.normalize("NFD", word)
    return "".join(sign for sign in apart if not unicodedata.category(sign).startswith("M"))


def _fillers(lang: str) -> re.Pattern[str]:
    """What is a filler in a language, or in any if it is not listed."""
    own = FILLERS.get(lang)
    patterns = own or [anywhere for anywhere, _ in FILLERS.values()]
    return re.compile("|".join(dict.fromkeys(" ".join([ANYWHERE, *patterns]).split())))


def _repetitions(number: Counts, row: Counts, doubled: Flags, *, rows: int) -> Counts:
    """Repetitions of single words, then, with those taken out, of two, and of three."""
    total = np.zeros(rows, np.int64)
    for size in range(1, LONGEST + 1):
        same = (number[size:] == number[:-size]) & (row[size:] == row[:-size])
        same &= number[size:] >= 0
        if size == 1:
            same &= ~doubled[1:]
        # A run of such places says the words again once for each time that they fit into it.
        edges = np.flatnonzero(np.diff(same, prepend=False, append=False))
        starts, ends = edges[::2], edges[1::2]
        times = (ends - starts) // size
        np.add.at(total, row[starts], times)
        kept = np.ones(len(number), np.bool_)
        kept[_ranges(starts + size, times * size)] = False
        number, row, doubled = number[kept], row[kept], doubled[kept]
    return total


def _ranges(starts: Counts, lengths: Counts) -> Counts:
    """The numbers of several ranges, one after the other."""
    before = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths))
