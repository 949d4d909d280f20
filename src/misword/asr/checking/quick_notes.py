"""Notes of commands that score texts: mistakes in the data that are found at little cost.

`misword check` looks more closely. Here, the error rates of single utterances show where lines may
have slipped, and only some lines around this place are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from misword.asr.checking.words import plain
from misword.asr.pairs import Pairs
from misword.asr.views.word import Word
from misword.core.formatting import counted

FEWEST = 40  # utterances
SIDE = 100  # utterances on each side of a place that are compared with each other
HIGH = 0.35  # the least error rate of slipped lines
RISE = 0.15  # by which it is higher than that of the other lines
VERY_HIGH = 0.6  # an error rate of all lines that may have slipped from the first line on
WINDOW, REACH = 60, 20  # lines that are compared, and the largest shift
BETTER = 0.15  # by which shifted lines must be more alike
VERIFIED = 300  # lines by which a shift is verified
PARTS, PART = 24, 8192  # parts of a text that are searched for mojibake, and their bytes
# UTF-8 bytes of characters that were read in another encoding: `Ã` and a sign, `â€`, and `�`.
MOJIBAKE = (b"\xc3\x83\xc2", b"\xc3\xa2\xe2\x82\xac", b"\xef\xbf\xbd")

Floats = NDArray[np.float64]


def data_notes(pairs: Pairs) -> list[str]:
    """Return notes on lines that have slipped and on characters in a wrong encoding."""
    return [*_encoding_notes(pairs), *_shift_notes(pairs)]


def _encoding_notes(pairs: Pairs) -> Iterator[str]:
    for side, texts in zip(("references", "hypotheses"), pairs.reader.texts.raw, strict=True):
        if any(pattern in part for part in _sample(texts.data) for pattern in MOJIBAKE):
            yield f"the {side} have characters in a wrong encoding: see `misword check`"


def _sample(data: bytes) -> Iterator[bytes]:
    """Yield the data if it is small, else parts of it, evenly spaced."""
    step = max(PART, len(data) // PARTS)
    for start in range(0, len(data), step):
        part = data[start : start + PART]
        if not part.isascii():
            yield part


def _shift_notes(pairs: Pairs) -> Iterator[str]:
    size = len(pairs.source.references)
    rows = pairs.reader.index
    if size < FEWEST or len(rows) % size or (rows[:, 0] != np.arange(len(rows)) % size).any():
        return  # N-best lists, or rows that a preset has joined
    aligned = pairs.alignment(Word(), "misword")
    words = aligned.counts[:, [0, 1, 3]].sum(axis=1)
    rates = np.minimum(1, aligned.costs / np.maximum(1, words))
    for first in range(0, len(rows), size):
        for place in suspicious_places(rates[first : first + size]):
            if note := _note(pairs, first, place):
                yield note
                break


def suspicious_places(rates: Floats) -> list[int]:
    """Return the lines from which on the error rates are much higher, at most two.

    A line from which on the rates are higher is where the sum of the differences from the mean is
    lowest; a line up to which they are higher is where it is highest.

    >>> suspicious_places(np.array([0.1] * 100 + [0.9] * 100))
    [100]
    """
    places = [0] if rates.mean() >= VERY_HIGH else []
    sums = np.concatenate([[0], np.cumsum(rates - rates.mean())])
    place = int(sums.argmin())
    before, after = rates[max(0, place - SIDE) : place], rates[place : place + SIDE]
    if len(after) and after.mean() >= max(HIGH, RISE + (before.mean() if len(before) else 0)):
        places.append(place)
    return places


def _note(pairs: Pairs, first: int, place: int) -> str:
    """Return a note if the lines after a place belong to other lines; empty if they do not."""
    size = len(pairs.source.references)
    start = max(0, place - SIDE)
    stop = min(size, place + VERIFIED)
    references = pairs.source.references["text"][start:stop].to_list()
    rows = pairs.reader.index[first + start : first + stop, 1]
    hypotheses = pairs.source.hypotheses["text"][rows].to_list()
    if not _is_shifted(references, hypotheses, place - start):
        return ""
    from misword.asr.line_shifts.search import find_shifts

    for shift in find_shifts(references, hypotheses):
        if shift.last - shift.first >= WINDOW / 2:
            utt = pairs.source.references["utt"][start + shift.first - 1]
            system = pairs.keys["system"][first]
            late = "late" if shift.offset > 0 else "early"
            return (
                f"from utterance {utt} on, the hypotheses of {system} seem to be "
                f"{counted(abs(shift.offset), 'line')} {late}: see `misword check`"
            )
    return ""


def _is_shifted(references: Sequence[str], hypotheses: Sequence[str], place: int) -> bool:
    """Return whether lines after a place are more like lines at another distance."""
    ours, theirs = (
        [set(text.split()) for text in plain(side)] for side in (references, hypotheses)
    )
    window = range(place, min(len(ours), place + WINDOW))

    def likeness(offset: int) -> float:
        pairs = [(ours[row], theirs[row + offset]) for row in window
                 if 0 <= row + offset < len(theirs)]  # fmt: skip
        shares = [2 * len(a & b) / max(1, len(a) + len(b)) for a, b in pairs]
        return float(np.mean(shares)) if len(shares) >= WINDOW / 3 else 0.0

    best = max(likeness(offset) for offset in range(-REACH, REACH + 1) if offset)
    return best >= likeness(0) + BETTER
