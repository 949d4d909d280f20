"""Disfluencies of spontaneous speech that are visible in a transcript.

Three kinds are counted: fillers (`euh`, `um`), truncated words (`pro-`) and immediate repetitions
(`je veux je veux`). Reduced pronunciations, restarts with other words and pauses are not visible in
text.

Precision is preferred to recall: a word that also has a meaning (`like`, `bon`) is not counted as a
filler. French `ben` is not counted because it is also a frequent name in news, `ah` and `oh`
because they are rarely hesitations, `mhm` and `uh-huh` because they mean yes.

Known problems: emphasis (`very very`, `non non`) and names (`Duran Duran`) are counted as
repetitions. Transcribers often omit disfluencies, so a count of 0 may describe the transcription
and not the speech.

References: T. Bañeras-Roux et al., Qualitative evaluation of language model rescoring in automatic
speech recognition, Interspeech 2022, where utterances that rescoring made worse have 1.23 times as
many disfluencies; E. Shriberg, Preliminaries to a theory of speech disfluencies, 1994. The lists of
fillers and of signs for truncated words follow the transcription guidelines of LDC (SimpleMDE,
SPINE2), NIST (stm), BAS (Verbmobil) and Rochester (Trains).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.core.context import code
from misword.core.lazy import pl
from misword.core.types import join_ranges
from misword.text.texts import Texts
from misword.text.tokens import encode_words

Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]

# Fillers of each language as two lists of patterns: fillers that are a word in no language, and
# fillers that are a word in another one (German `um` and `er`, Catalan `heu`, English `hum`).
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
FILLERS_OF_ALL = "h+m+ m{3,}"
# Names of fillers in comments: %hesitation, <hes>.
FILLER_NAMES = frozenset({"hes", "hesitation"})
# Words that may grammatically occur twice in a row: nous nous levons; that had had an end.
MAY_REPEAT = {"de": "das der die sie", "en": "had that", "fr": "nous vous"}
# Before these conjunctions a hyphen replaces the end of a compound: Vor- und Nachteile.
CONJUNCTIONS = frozenset({"bis", "eller", "oder", "och", "og", "sowie", "tai", "und", "või"})
# Greatest number of words in a repetition.
LONGEST = 3
AT_ONCE = 1 << 17  # texts that are counted at once, to bound the memory

LETTER = r"[^\W\d_]"
HYPHEN = "[-\u2010\u2011]"
# Truncated: pro-, oran(ge)-, pro(), pro(blème), (be)cause. Not word(s), nor the comment (word).
PART = rf"\((?!(?:e|s|es)\)){LETTER}*\)"
TRUNCATED = re.compile(
    rf"{LETTER}\)?{HYPHEN}[^\w\u2010\u2011-]*$|{LETTER}{PART}|{PART}{LETTER}",
)
COMMENT = re.compile(r"%.*|\[.*\]|<.*>|\{.*\}|\(.*\)")
# Instead of a word's number: it is not a word (a sign, a comment); it is never a repetition.
NO_WORD, NEVER_REPEATED = -1, -2


class Traits(NamedTuple):
    """Properties of each distinct word; `Le` and `le,` have the same `number`."""

    number: NDArray[np.int64]
    filler: Flags
    truncated: Flags
    conjunction: Flags
    may_repeat: Flags


def disfluencies(texts: pl.Series | Sequence[str], lang: str = "") -> dict[str, Counts]:
    """Count each text's `fillers`, `repetitions`, `truncations`, and their sum, `disfluencies`.

    Without a language, or in a language whose fillers are not listed here, only fillers that are a
    word in no language count. One to three words that are repeated immediately, or with only
    fillers between, are a repetition; each further occurrence counts one. Repeated numbers do not
    count.

    >>> texts = ["euh je je veux je veux par- parler", "nous nous levons", "le le, euh, le chat"]
    >>> [counts.tolist() for counts in disfluencies(texts, "fr").values()]
    [[1, 0, 1], [2, 0, 2], [1, 0, 0], [4, 0, 3]]
    """
    starts = range(0, max(1, len(texts)), AT_ONCE)
    parts = [_counts(texts[start : start + AT_ONCE], lang) for start in starts]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _counts(texts: pl.Series | Sequence[str], lang: str) -> dict[str, Counts]:
    """Count the disfluencies of some texts."""
    (tokens,) = encode_words([Texts.of(texts)])
    traits = _traits(tokens.vocabulary[:], code(lang) if lang else "")
    size, ids = len(tokens), tokens.ids
    rows = np.repeat(np.arange(size), tokens.lengths)
    truncated = traits.truncated[ids]
    truncated[:-1] &= ~(traits.conjunction[ids[1:]] & (rows[1:] == rows[:-1]))
    is_word = (traits.number[ids] != NO_WORD) & ~traits.filler[ids]
    word_ids = ids[is_word]
    repetitions = _repetitions(
        traits.number[word_ids], rows[is_word], traits.may_repeat[word_ids], rows=size
    )
    fillers = np.bincount(rows[traits.filler[ids]], minlength=size)
    truncations = np.bincount(rows[truncated], minlength=size)
    return {
        "fillers": fillers,
        "repetitions": repetitions,
        "truncations": truncations,
        "disfluencies": fillers + repetitions + truncations,
    }


def _traits(vocabulary: Iterable[str], lang: str) -> Traits:
    """Return the properties of each distinct word."""
    is_filler = re.compile("|".join(filler_patterns(lang))).fullmatch
    may_repeat = (MAY_REPEAT.get(lang, "") if lang else " ".join(MAY_REPEAT.values())).split()
    numbers: dict[str, int] = {}
    rows = []
    for word in vocabulary:
        plain, has_signs = (word, False) if word.isalpha() else (_without_outer_signs(word), True)
        plain = plain.casefold() if word.isascii() else _folded(plain)
        comment = has_signs and bool(COMMENT.fullmatch(word))
        filler = bool(is_filler(plain)) or (comment and plain in FILLER_NAMES)
        truncated = has_signs and not filler and bool(TRUNCATED.search(_without_accents(word)))
        if comment or not plain:
            number = NO_WORD
        elif truncated or not any(map(str.isalpha, plain)):
            number = NEVER_REPEATED
        else:
            number = numbers.setdefault(plain, len(numbers))
        rows.append((number, filler, truncated, plain in CONJUNCTIONS, plain in may_repeat))
    table = np.array(rows, np.int64).reshape(-1, len(Traits._fields)).T
    return Traits(table[0], *(column.astype(np.bool_) for column in table[1:]))


def _without_outer_signs(word: str) -> str:
    """Return a word without the signs at its ends; vowel signs and accents are kept."""
    inside = [at for at, sign in enumerate(word) if unicodedata.category(sign)[0] in "LMN"]
    return word[inside[0] : inside[-1] + 1] if inside else ""


def _folded(word: str) -> str:
    return unicodedata.normalize("NFC", word).casefold()


def _without_accents(word: str) -> str:
    """Return a word without accents and vowel signs."""
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFD", word)
    return "".join(sign for sign in decomposed if not unicodedata.category(sign).startswith("M"))


def filler_patterns(lang: str) -> list[str]:
    """Return the patterns of the fillers of a language, or of all languages if it is not listed."""
    own = FILLERS.get(lang)
    patterns = own or [unambiguous for unambiguous, _ in FILLERS.values()]
    return list(dict.fromkeys(" ".join([FILLERS_OF_ALL, *patterns]).split()))


def _repetitions(number: Counts, row: Counts, may_repeat: Flags, *, rows: int) -> Counts:
    """Count repetitions of one word, then of two and of three words among the remaining words."""
    total = np.zeros(rows, np.int64)
    for size in range(1, LONGEST + 1):
        same = (number[size:] == number[:-size]) & (row[size:] == row[:-size])
        same &= number[size:] >= 0
        if size == 1:
            same &= ~may_repeat[1:]
        # A run of n such places contains the `size` words n // size further times.
        edges = np.flatnonzero(np.diff(same, prepend=False, append=False))
        starts, ends = edges[::2], edges[1::2]
        times = (ends - starts) // size
        np.add.at(total, row[starts], times)
        remaining = np.ones(len(number), np.bool_)
        remaining[join_ranges(starts + size, times * size)] = False
        number, row, may_repeat = number[remaining], row[remaining], may_repeat[remaining]
    return total
