"""NIST ctm files: the words of recordings with their times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from misword.core.errors import InputError
from misword.io.files.sources import Source, counted
from misword.io.transcripts.columns import Columns, Reading
from misword.io.transcripts.formats import Format
from misword.io.transcripts.formats.sclite_alternatives import NOTHING
from misword.io.transcripts.formats.timed import fields, need_seconds, seconds, times_at

if TYPE_CHECKING:
    import polars as pl

BEGIN, NEXT, END = "<ALT_BEGIN>", "<ALT>", "<ALT_END>"
TAGS = (BEGIN, NEXT, END)
NO_TIME = "*"


class Word(NamedTuple):
    """A word, or a group of alternatives: its text, its begin and the middle of its time.

    `confidence` is None if the line has none, and for groups.
    """

    file: str
    channel: str
    begin: float
    middle: float
    word: str
    line: int
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Ctm(Format):
    """`file channel begin duration word [confidence ...]`, one word a line; `;;` comments.

    Each channel of a file is one utterance with the id `file-channel`, its words sorted by time. Of
    hypotheses, the column `confidences` has the confidence of each word, null if it has none. If
    the reference is stm, the words are assigned to the segments of the reference instead. Lines
    with `<ALT_BEGIN>`, `<ALT>` and `<ALT_END>` enclose alternatives, which are read as `{ a / b }`.

    Known problems: words of two ctm files are aligned by their texts alone, also far apart in time.

    Reference: sclite's manual, https://github.com/usnistgov/SCTK (doc/infmts.htm)
    """

    name: ClassVar[str] = "ctm"
    title: ClassVar[str] = "NIST ctm"
    rewritten_as: ClassVar[str] = "kaldi"
    suffixes: ClassVar[tuple[str, ...]] = (".ctm",)

    def looks_like(self, source: Source) -> bool:
        """Whether every line has two times, begin and duration, after file and channel."""
        return times_at(source, 2, lambda parts: tag_of(parts) is not None)

    def read(self, source: Source, columns: Columns) -> Reading:
        """Return the joined words of each channel."""
        import polars as pl

        channel = ["file", "channel"]
        groups = read_words(source).group_by(channel, maintain_order=True)
        joined = groups.agg(
            pl.col("word").str.join(" ").alias("text"),
            pl.col("line").min(),
            pl.col("confidence").alias("confidences"),
        ).sort("line")
        ids = pl.concat_str(channel, separator="-").alias("utt")
        known = ["confidences"] if columns.role == "hypothesis" else []
        return Reading(joined.select(ids, "text", "line", *channel, *known))


def read_words(source: Source) -> pl.DataFrame:
    """Return all words and groups of alternatives sorted by time, with the fields of `Word`."""
    import polars as pl

    numbers = ("begin", "middle", "confidence")
    types = {**dict.fromkeys(numbers, pl.Float64), "line": pl.Int64}
    schema = {name: types.get(name, pl.String) for name in Word._fields}
    rows = list(words_and_groups(source))
    return pl.DataFrame(rows, schema=schema, orient="row").sort("begin", maintain_order=True)


def words_and_groups(source: Source) -> Iterator[Word]:
    """Yield the words outside alternatives and the groups of alternatives, in the file's order."""
    group: Group | None = None
    for number, parts in fields(source, 6):
        tag = tag_of(parts)
        if tag == BEGIN:
            if group is not None:
                raise misplaced(tag, source, number)
            group = Group(parts[0], parts[1], number)
        elif tag is not None:
            if group is None or not group.is_in(parts):
                raise misplaced(tag, source, number)
            if tag == END:
                yield group.joined()
                group = None
            else:
                group.alternatives.append([])
        elif group is None:
            word = timed_word(number, parts, source)
            if word.word != NOTHING:
                yield word
        else:
            if not group.is_in(parts):
                raise misplaced(BEGIN, source, group.line)
            group.alternatives[-1].append(timed_word(number, parts, source))
    if group is not None:
        raise misplaced(BEGIN, source, group.line)


class Group:
    """A group of alternatives while its lines are read."""

    def __init__(self, file: str, channel: str, line: int) -> None:
        self.file, self.channel, self.line = file, channel, line
        self.alternatives: list[list[Word]] = [[]]

    def is_in(self, parts: list[str]) -> bool:
        """Return whether a line has the group's file and channel."""
        return parts[:2] == [self.file, self.channel]

    def joined(self) -> Word:
        """Return the group as one word; its middle is the last middle of its words, as in sclite.

        An empty alternative is nothing.
        """
        words = [word for alternative in self.alternatives for word in alternative]
        begin = min((word.begin for word in words), default=0.0)
        middle = max((word.middle for word in words), default=0.0)
        texts = [" ".join(w.word for w in alternative) for alternative in self.alternatives]
        text = " / ".join(text or NOTHING for text in texts)
        text = f"{{ {text} }}" if len(texts) > 1 else text
        return Word(self.file, self.channel, begin, middle, text, self.line)


def tag_of(parts: list[str]) -> str | None:
    """Return the tag of alternatives on a line, which has no times; None for a word."""
    if parts[2:4] != [NO_TIME, NO_TIME]:
        return None
    return next((part.upper() for part in parts[4:] if part.upper() in TAGS), None)


def misplaced(tag: str, source: Source, line: int) -> InputError:
    """Return the error for a tag of alternatives without the others of its group."""
    return InputError(
        f"{tag} does not belong to a complete group of alternatives",
        where=source.at(line),
        fix=f"a group is {BEGIN}, words, {NEXT}, words, {END}, all of one file and channel",
    )


def timed_word(number: int, parts: list[str], source: Source) -> Word:
    """Return the word of one line."""
    if len(parts) < 5:
        raise InputError(
            f"{counted(len(parts), 'field')}, where a word has at least 5",
            where=source.at(number),
            fix="a line of a ctm file is: file channel begin duration word [confidence]",
        )
    begin = need_seconds(parts[2], "begin", source, number)
    # Aligners write durations of -0.01; sclite reads them too, and only the middle is used.
    duration = need_seconds(parts[3], "duration", source, number)
    # Any finite number; another text, such as NA, is no confidence.
    confidence = seconds(parts[5]) if len(parts) > 5 else None
    return Word(parts[0], parts[1], begin, begin + duration / 2, parts[4], number, confidence)
