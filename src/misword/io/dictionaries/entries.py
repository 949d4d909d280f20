"""What a reader of dictionaries returns: entries, and the table of their translations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Self

from misword.core import display
from misword.core.errors import InputError
from misword.io.dictionaries.parts_of_speech import universal_tag
from misword.io.files.sources import Source, counted, listed_places

if TYPE_CHECKING:
    import polars as pl

KEEP_GOING_FIX = "correct the file, or skip such entries with --keep-going (in Python: keep_going)"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: its spellings, its part of speech as written, and the translations by sense.

    `line` is where the entry begins: the line of a text file, or the number of the article.
    """

    headwords: tuple[str, ...]
    senses: tuple[tuple[str, ...], ...]
    pos: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Problems:
    """The entries that cannot be read: an error, or with `keep_going` counted and skipped.

    `lines` are the places of the skipped entries, and `remarks` other notes of a reader.
    """

    source: Source
    keep_going: bool = False
    lines: list[int] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def report(self, what: str, line: int, fix: str = KEEP_GOING_FIX) -> None:
        """Raise the error of an entry, or count the entry as skipped."""
        if not self.keep_going:
            raise InputError(what, where=self.source.at(line), fix=fix)
        self.lines.append(line)

    def notes(self) -> tuple[str, ...]:
        """Return the remarks, and a note on what was skipped, if anything was."""
        if not self.lines:
            return tuple(self.remarks)
        places = listed_places(self.lines, self.source.unit)
        skipped = counted(len(self.lines), "broken place")
        return (*self.remarks, f"{self.source.shown}: {skipped} skipped ({places})")


@dataclass(frozen=True, slots=True)
class Languages:
    """Which entries of a file are read: codes of both languages, and the direction.

    A code may be empty if it is not known. With `reverse`, the file has the target language first.
    """

    source: str = ""
    target: str = ""
    reverse: bool = False

    @property
    def headwords(self) -> str:
        """The language of the headwords in the file."""
        return self.target if self.reverse else self.source

    @property
    def translations(self) -> str:
        """The language of the translations in the file."""
        return self.source if self.reverse else self.target


@dataclass(frozen=True, repr=False)
class Dictionary(display.Displayed):
    """The table of a dictionary: a row for each translation of each sense of each headword.

    `pos` are universal part-of-speech tags, empty where the dictionary gives none. `senses` number
    the senses of a headword from 1, through all of its entries; a dictionary that does not divide
    its translations into senses has one sense for each translation. `lines` are the places of the
    entries. `format` is the name of the format, and `notes` report what was skipped.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    pos: tuple[str, ...]
    senses: tuple[int, ...]
    lines: tuple[int, ...]
    name: str = "memory"
    format: str = "memory"
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, entries: Iterable[Entry], name: str = "memory", format: str = "memory") -> Self:
        """Make the table of entries.

        >>> entries = [Entry(("bank",), (("rive",), ("banque", "banc")), "n")]
        >>> Dictionary.of(entries).frame().rows()[1]
        ('bank', 'banque', 'NOUN', 2, 0, 'memory')
        """
        rows: list[tuple[str, str, str, int, int]] = []
        senses_of: dict[str, int] = {}
        for entry in entries:
            tag = universal_tag(entry.pos)
            for word in dict.fromkeys(entry.headwords):
                before = senses_of.get(word, 0)
                for number, translations in enumerate(entry.senses, before + 1):
                    rows += [
                        (word, translation, tag, number, entry.line)
                        for translation in dict.fromkeys(translations)
                    ]
                senses_of[word] = before + len(entry.senses)
        if not rows:
            raise InputError(
                "no entry with a translation",
                where=name,
                fix="check that it is the right file, and its languages",
            )
        sources, targets, tags, numbers, lines = zip(*rows, strict=True)
        return cls(sources, targets, tags, numbers, lines, name, format)

    def overview(self) -> display.Overview:
        """Return the first rows."""
        title = f"Dictionary {self.name} ({self.format}): {counted(len(self), 'translation')}"
        first = islice(self._rows(), display.HTML_ROWS)
        rows = [tuple(map(str, row[:4])) for row in first]
        return display.Overview(title, ("source", "target", "pos", "sense"), rows, len(self), 3)

    def __len__(self) -> int:
        return len(self.source)

    @property
    def digest(self) -> str:
        """The SHA-256 of the rows, which does not depend on the format of the file."""
        text = "".join(f"{a}\t{b}\t{tag}\t{sense}\n" for a, b, tag, sense, _ in self._rows())
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def _rows(self) -> Iterable[tuple[str, str, str, int, int]]:
        return zip(self.source, self.target, self.pos, self.senses, self.lines, strict=True)

    def frame(self) -> pl.DataFrame:
        """Return the table: source, target, pos, sense, line, dictionary."""
        import polars as pl

        columns: dict[str, Sequence[str] | Sequence[int]] = {
            "source": self.source,
            "target": self.target,
            "pos": self.pos,
            "sense": self.senses,
            "line": self.lines,
        }
        return pl.DataFrame(columns).with_columns(pl.lit(self.name).alias("dictionary"))

    def reversed(self) -> Dictionary:
        """Return the dictionary of the other direction; each translation is a sense of its own."""
        entries = (
            Entry((target,), ((source,),), tag, line)
            for source, target, tag, _, line in self._rows()
        )
        return replace(Dictionary.of(entries, self.name, self.format), notes=self.notes)
