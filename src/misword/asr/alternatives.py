"""References with alternatives, and words that count as the same.

`{ gonna / going to }` in a reference has two readings, `{ um / @ }` may be left out, as in NIST
sclite; braces without a free-standing slash are ordinary text. An equivalence list does the same
for all references. For each hypothesis, the reading with the fewest word errors is chosen, and
every metric uses that reading as the reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError, OptionError
from misword.core.types import Offsets
from misword.io.files.sources import PathLike, open_source
from misword.native.library import INTEGER, array, kernel
from misword.text.texts import Texts

if TYPE_CHECKING:
    from polars import Series

SLASH = re.compile(r"(?<![^\s{}])/(?![^\s{}])")
COMMA = re.compile(r",(?!\d)|(?<!\d),")
NOTHING = "@"  # stands for no word
DEEPEST = 50  # levels of groups within groups

Phrase = tuple[str, ...]

_find_alternatives = kernel(
    "misword_find_alternatives", array(np.uint8), INTEGER, INTEGER, array(np.int64, out=True),
    array(np.int64, out=True), array(np.int64, out=True),
)  # fmt: skip


@dataclass(frozen=True)
class Equivalents:
    """Classes of phrases that count as the same; `name` goes into the signature."""

    classes: tuple[tuple[Phrase, ...], ...]
    name: str = "none"

    @classmethod
    def of(
        cls, classes: Iterable[Iterable[str]], normalize: Callable[[list[str]], list[str]]
    ) -> Equivalents:
        """Normalise the phrases of the classes; classes that share a phrase are merged."""
        listed = [[forms] if isinstance(forms, str) else list(forms) for forms in classes]
        # The class of each phrase; the phrases of a class share one dictionary.
        class_of: dict[Phrase, dict[Phrase, None]] = {}
        spelled = iter(normalize([form for forms in listed for form in forms]))
        for forms in listed:
            words = [tuple(next(spelled).split()) for _ in forms]
            phrases = dict.fromkeys(
                () if form == NOTHING else phrase for form, phrase in zip(forms, words, strict=True)
            )
            if len(forms) < 2 or sum(not phrase for phrase in phrases) > (NOTHING in forms):
                raise OptionError(
                    f"{' / '.join(forms)!r} is no class of equivalents",
                    fix="give two forms or more that keep a word after --normalize; @ is nothing",
                )
            related = [class_of[phrase] for phrase in phrases if phrase in class_of]
            merged = {phrase: None for group in [*related, phrases] for phrase in group}
            class_of |= dict.fromkeys(filter(None, merged), merged)
        name = sha256(repr(listed).encode()).hexdigest()[:8] if listed else "none"
        distinct = {id(merged): tuple(merged) for merged in class_of.values()}
        return cls(tuple(distinct.values()), name)


def split_equivalents(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the forms of each line of an equivalence list.

    ` / ` separates forms; in a line without it tabs do, else commas (but not those inside a
    number). `# ` starts a comment.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("# ") or line.strip() == "#":
            continue
        if SLASH.search(line):
            forms = SLASH.split(line)
        else:
            forms = line.split("\t") if "\t" in line.strip() else COMMA.split(line)
        yield number, [form.strip() for form in forms if form.strip()]


def read_equivalents(path: PathLike) -> list[list[str]]:
    """Read an equivalence list from a file."""
    source = open_source(path)
    classes = []
    for number, forms in split_equivalents(source.lines):
        if len(forms) < 2:
            raise InputError(
                f"only one form: {''.join(forms)!r}",
                where=source.at(number),
                fix="write two or more: gonna / going to; a comment starts with '# '",
            )
        classes.append(forms)
    return classes


@dataclass(frozen=True, slots=True, eq=False)
class Signs:
    """The signs of alternatives in a column of references: braces and the slashes between them.

    Reference `r` has the signs `offsets[r]` to `offsets[r + 1] - 1`; sign `s` is the byte
    `positions[s]` of the column. The signs divide the column into segments of plain words.
    """

    texts: Texts
    positions: Offsets
    offsets: Offsets

    @classmethod
    def none(cls, texts: Texts) -> Signs:
        """Return the signs of references without alternatives."""
        return cls(texts, np.zeros(0, np.int64), np.zeros(texts.rows + 1, np.int64))

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def kinds(self) -> NDArray[np.uint8]:
        """The sign at each position: `{`, `/` or `}`."""
        return np.frombuffer(self.texts.data, np.uint8)[self.positions]

    @property
    def segments(self) -> Texts:
        """The text of all segments: one more than there are signs in each reference."""
        data = np.frombuffer(self.texts.data, np.uint8).copy()
        data[self.positions] = 0
        return Texts(data.tobytes(), self.texts.rows + len(self.positions))

    @property
    def depths(self) -> Offsets:
        """For each segment, the number of groups of alternatives around it."""
        kinds, rows = self.kinds, np.repeat(np.arange(self.texts.rows), np.diff(self.offsets))
        depths = np.zeros(self.texts.rows + len(kinds), np.int64)
        steps = (kinds == ord("{")).astype(np.int64) - (kinds == ord("}"))
        depths[rows + np.arange(len(kinds)) + 1] = np.cumsum(
            steps
        )  # of the segment after each sign
        return depths


def find_signs(texts: Texts, ids: Series) -> Signs:
    """Find the signs of alternatives; `ids` are the ids of the utterances, for messages.

    Braces without a free-standing slash are text. Groups may be nested.
    """
    data, offsets = texts.data, np.zeros(texts.rows + 1, np.int64)
    if b"{" not in data:
        return Signs.none(texts)
    room = sum(map(data.count, (b"{", b"/", b"}")))
    positions, unclosed = np.empty(room, np.int64), np.empty(1, np.int64)
    # A NUL follows the last byte of every `bytes` object in memory.
    text = np.frombuffer(data, np.uint8)
    _find_alternatives(text, texts.rows, room, positions, offsets, unclosed)
    if (row := int(unclosed[0])) >= 0:
        raise InputError(
            f"braces do not match in {texts.split()[row]!r}",
            where=f"utterance {ids[row]!r}",
            fix="write alternatives as { a / b }, or switch them off with --no-alternatives",
        )
    signs = Signs(texts, positions[: offsets[-1]].copy(), offsets)
    depths = signs.depths
    if (deepest := int(depths.max())) > DEEPEST:
        first_segments = offsets[:-1] + np.arange(texts.rows)
        row = int(np.searchsorted(first_segments, depths.argmax(), "right")) - 1
        message = f"alternatives within alternatives, {deepest} levels deep"
        raise InputError(message, where=f"utterance {ids[row]!r}")
    return signs
