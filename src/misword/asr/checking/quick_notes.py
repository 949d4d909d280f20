"""Quick checks for commands that score texts: mistakes in the data that take little time to find.

`misword check` is more thorough. Here, the error rates of single utterances show where lines may
have been shifted, and only the lines near this place are compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import align
from misword.asr.metrics import Metric
from misword.asr.metrics.edit_rate import WordRate
from misword.asr.pairs import Pairs
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.types import Alignment, Corpus
from misword.text.scripts import EAST_ASIAN, scripts_of
from misword.text.segmenters import WHITESPACE
from misword.text.texts import Texts
from misword.text.tokens import encode_words

if TYPE_CHECKING:
    from misword.asr.line_shifts.search import LineShift

# Plain forms of texts, for comparisons that ignore case, punctuation and spaces.

SEPARATOR = "\n"
# Chinese characters and Japanese syllables are words of their own, since no spaces separate words.
UNSPACED = re.compile("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")
NON_WORD = re.compile(r"[^\w\n]+|_+")


def plain_texts(texts: Sequence[str]) -> list[str]:
    """Return texts in lower case, with a single space in place of all characters between words.

    >>> plain_texts(["Ça va, l'ami ?", "", "你好"])
    ['ça va l ami', '', '你 好']
    """
    if not texts:
        return []
    joined = SEPARATOR.join(text.replace(SEPARATOR, " ") for text in texts)
    joined = normalize("NFKC", joined).casefold()
    joined = UNSPACED.sub(r" \1 ", NON_WORD.sub(" ", joined))
    return [" ".join(text.split()) for text in joined.split(SEPARATOR)]


# Notes on shifted lines and on wrong encodings.


FEWEST = 40  # utterances
SIDE = 100  # utterances on each side of a place that are compared with each other
HIGH = 0.35  # the least error rate of shifted lines
RISE = 0.15  # the least difference of this rate from that of the other lines
VERY_HIGH = 0.6  # the error rate of a text whose lines may be shifted from the first line on
WINDOW, REACH = 60, 20  # lines that are compared, and the largest shift
BETTER = 0.15  # the least gain in similarity at the best shift
VERIFIED = 300  # lines on which a shift is verified
# A shift with so much evidence (nats) in fewer lines, beside fewer random pairs, is verified too.
CLEAR, CLEAR_SIDE, CLEAR_LINES, CLEAR_PAIRS = 200.0, 50, 100, 2_000
PARTS, PART = 24, 8192  # parts of a text that are searched for mojibake, and their bytes
# UTF-8 bytes of characters that were read in another encoding: `Ã` and a sign, `â€`, and `�`.
MOJIBAKE = (b"\xc3\x83\xc2", b"\xc3\xa2\xe2\x82\xac", b"\xef\xbf\xbd")

Floats = NDArray[np.float64]
# Returns the texts of the lines from the first number to before the second, counted from 0.
LineTexts = Callable[[int, int], Sequence[str]]


def data_notes(pairs: Pairs) -> list[str]:
    """Return notes on shifted lines and on characters in a wrong encoding."""
    notes = encoding_notes(pairs)
    size, rows, aligned = len(pairs.source.references), pairs.reader.index, pairs.aligned_tokens()
    if not size or aligned is None or len(rows) % size:
        return notes
    if (rows[:, 0] == np.arange(len(rows)) % size).all():
        # One hypothesis of each system for each reference: no N-best lists, no joined rows.
        notes += shift_notes(pairs.source, rows[:, 1], _rates(aligned))
    return notes


# Normalizers that take texts for English unless a language is named, and the one that removes the
# vowel signs of Indic scripts, as OpenAI's code does.
ENGLISH_RULES = {"whisper", "open-asr-leaderboard"}
VOWEL_SIGNS_LOST = "whisper"
INDIC = {"bengali", "devanagari", "gujarati", "gurmukhi", "kannada", "malayalam", "oriya",
         "sinhala", "tamil", "telugu", "khmer", "lao", "myanmar", "thai", "tibetan"}  # fmt: skip


def language_notes(pairs: Pairs) -> list[str]:
    """Return notes on normalizers and forgiven families that do not know the language."""
    chain, choice = pairs.reader.texts.chain, pairs.choice
    used = [part.name for part in chain if part.name in ENGLISH_RULES]
    bound = [family for family in choice.families if family.languages()]
    if not used and not bound:
        return []
    scripts = scripts_of(_sampled_text(pairs.reader.texts.normal[0].data))
    script, letters = max(scripts.items(), key=lambda item: item[1], default=("latin", 0))
    foreign, notes = script != "latin" and letters > 0, []
    as_english = (pairs.context.lang or "en").startswith("en")
    shown = f"most letters of the references are {script}"
    if used and foreign and as_english:
        notes.append(f"{shown}, and {used[0]} takes them for English: name the language (--lang)")
    if VOWEL_SIGNS_LOST in used and script in INDIC:
        notes.append(
            f"{VOWEL_SIGNS_LOST} removes the vowel signs of this script ({script}): words that "
            "differ only in them count as equal; --normalize lower,nopunct keeps them"
        )
    if bound and foreign and as_english:
        notes.append(f"{shown}, and --forgive takes them for English: name the language (--lang)")
    elif bound and not any(choice.lang in family.languages() for family in bound):
        names = ", ".join(family.name for family in bound)
        notes.append(f"--forgive has no rules for {choice.lang!r} in: {names}")
    return notes


def _sampled_text(data: bytes) -> str:
    """Return parts of texts whose letters are not all of ASCII."""
    parts = islice(sampled_parts(data), SCRIPT_PARTS)
    return " ".join(part.decode(errors="ignore") for part in parts)


def encoding_notes(pairs: Pairs) -> list[str]:
    """Return a note on each side that has characters in a wrong encoding."""
    return [
        f"the {side} have characters in a wrong encoding: see `misword check`"
        for side, texts in zip(("references", "hypotheses"), pairs.reader.texts.raw, strict=True)
        if any(pattern in part for part in sampled_parts(texts.data) for pattern in MOJIBAKE)
    ]


def sampled_parts(data: bytes) -> Iterator[bytes]:
    """Yield the data if it is small, else parts of it, evenly spaced."""
    step = max(PART, len(data) // PARTS)
    for start in range(0, len(data), step):
        part = data[start : start + PART]
        if not part.isascii():
            yield part


def shift_notes(corpus: Corpus, rows: NDArray[np.int64], rates: Floats) -> Iterator[str]:
    """Yield a note for each system whose lines are shifted.

    `rows` are the rows of the hypotheses, for each system in the order of the references; `rates`
    are their error rates, at most 1.
    """
    references, hypotheses = corpus.references, corpus.hypotheses
    size = len(references)
    if size < FEWEST:
        return
    for first in range(0, len(rows), size):
        mates = rows[first : first + size]
        shift = find_shift(
            rates[first : first + size],
            partial(_column_texts, references["text"], np.arange(size)),
            partial(_column_texts, hypotheses["text"], mates),
        )
        if shift is not None:
            name = f"hypotheses of {hypotheses['system'][int(mates[0])]}"
            yield _shift_note(references["utt"][shift.first - 1], name, shift)


def translation_notes(
    texts: Mapping[str, tuple[Sequence[str], Sequence[str]]], utts: Sequence[str]
) -> list[str]:
    """Return a note for each system whose translations are shifted.

    `texts` has the translations of each system and their references.
    """
    notes = []
    for system, (translations, references) in texts.items():
        if len(references) < FEWEST:
            continue
        words = encode_words([Texts.of(references), Texts.of(translations)])
        shift = find_shift(
            _rates(align(*words, operations=False)),
            partial(_list_texts, references),
            partial(_list_texts, translations),
        )
        if shift is not None:
            notes.append(_shift_note(utts[shift.first - 1], f"translations of {system}", shift))
    return notes


def _column_texts(column: pl.Series, rows: NDArray[np.int64], start: int, stop: int) -> list[str]:
    """Return the texts of some rows of a column."""
    texts: list[str] = column[rows[start:stop]].to_list()
    return texts


def _list_texts(texts: Sequence[str], start: int, stop: int) -> Sequence[str]:
    return texts[start:stop]


def _rates(aligned: Alignment) -> Floats:
    """Return the error rate of each pair, at most 1."""
    hits, substitutions, _, deletions = aligned.counts.T
    words = hits + substitutions + deletions
    return np.asarray(np.minimum(1, aligned.costs / np.maximum(1, words)))


def _shift_note(utt: str, name: str, shift: LineShift) -> str:
    late = "late" if shift.offset > 0 else "early"
    lines = counted(abs(shift.offset), "line")
    return f"from utterance {utt} on, the {name} seem to be {lines} {late}: see `misword check`"


def suspicious_places(rates: Floats) -> list[int]:
    """Return at most two line numbers, from 0, at which stretches of high error rates begin.

    The running sum of the differences from the mean rate has its minimum where a stretch of high
    rates begins, and its maximum where such a stretch ends. A stretch that ends within the text
    is assumed to begin at line 0.

    >>> suspicious_places(np.array([0.1] * 100 + [0.9] * 100))
    [100]
    >>> suspicious_places(np.array([0.9] * 50 + [0.1] * 100))
    [0]
    """
    sums = np.concatenate([[0], np.cumsum(rates - rates.mean())])
    start, end = int(sums.argmin()), int(sums.argmax())
    places = []
    if rates.mean() >= VERY_HIGH or _is_higher(rates[max(0, end - SIDE) : end], rates[end:]):
        places.append(0)
    if start not in places and _is_higher(
        rates[start : start + SIDE], rates[max(0, start - SIDE) : start]
    ):
        places.append(start)
    return places


def _is_higher(rates: Floats, others: Floats) -> bool:
    """Return whether rates are high, and clearly higher than other rates."""
    if not len(rates):
        return False
    return bool(rates.mean() >= max(HIGH, RISE + others[:SIDE].mean() if len(others) else HIGH))


def find_shift(rates: Floats, left: LineTexts, right: LineTexts) -> LineShift | None:
    """Return a shift that begins where error rates are suspicious; its lines count from 1.

    `left` and `right` are functions that return the texts of a range of lines.
    """
    for place in suspicious_places(rates):
        if not _is_shifted(left, right, place, len(rates)):
            continue
        from misword.asr.line_shifts.search import find_shifts
        from misword.asr.line_shifts.similarity import RANDOM_PAIRS

        for side, lines, random_pairs, evidence in (
            (CLEAR_SIDE, CLEAR_LINES, CLEAR_PAIRS, CLEAR),
            (SIDE, VERIFIED, RANDOM_PAIRS, 0.0),
        ):
            start, stop = max(0, place - side), min(len(rates), place + lines)
            found = find_shifts(left(start, stop), right(start, stop), random_pairs=random_pairs)
            for shift in found:
                if shift.last - shift.first >= WINDOW / 2 and shift.evidence >= evidence:
                    return replace(shift, first=start + shift.first, last=start + shift.last)
    return None


def _is_shifted(left: LineTexts, right: LineTexts, place: int, lines: int) -> bool:
    """Return whether lines from `place` on match better at another offset than 0."""
    first, last = max(0, place - REACH), min(lines, place + WINDOW + REACH)
    ours, theirs = (
        [set(text.split()) for text in plain_texts(side(first, last))] for side in (left, right)
    )
    window = range(place - first, min(place + WINDOW, lines) - first)

    def likeness(offset: int) -> float:
        pairs = [(ours[row], theirs[row + offset]) for row in window
                 if 0 <= row + offset < len(theirs)]  # fmt: skip
        shares = [2 * len(a & b) / max(1, len(a) + len(b)) for a, b in pairs]
        return float(np.mean(shares)) if len(shares) >= WINDOW / 3 else 0.0

    best = max(likeness(offset) for offset in range(-REACH, REACH + 1) if offset)
    return best >= likeness(0) + BETTER


# A note on WER over texts that have no spaces between words.

WITHOUT_SPACES = {EAST_ASIAN, "thai", "lao", "khmer", "myanmar"}
SCRIPT_PARTS = 4  # parts of the references that are examined
LONG = 6  # mean letters of a word; words from a segmenter are shorter


def script_notes(pairs: Pairs, metrics: Iterable[Metric]) -> list[str]:
    """Return a note if a metric splits text at white space that has no spaces between words."""
    split = [m for m in metrics if isinstance(m, WordRate) and m.words == WHITESPACE]
    if not split or not _lacks_spaces(pairs.reader.texts.normal[0].data):
        return []
    return [
        "the references have no spaces between words: "
        f"`{split[0].name}:words=auto` cuts them by script"
    ]


def _lacks_spaces(data: bytes) -> bool:
    """Whether most letters are of scripts without spaces, and words are long."""
    text = _sampled_text(data)
    scripts = scripts_of(text)
    letters = sum(scripts.values())
    cut = sum(scripts[script] for script in WITHOUT_SPACES)
    return 2 * cut > letters and cut > LONG * len(text.replace("\0", " ").split())
