"""Subtitles: SRT and WebVTT files, which show the transcript of one recording in timed cues."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.core.errors import InputError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.io.files.sources import Source
from misword.io.transcripts.columns import Columns, SourceTranscripts
from misword.io.transcripts.formats import Format, one_utterance, recording_id

STAMP = r"(?:(\d{1,6}):)?([0-5]?\d):([0-5]\d)[.,](\d{1,3})"
ARROW = "-->"
Tags = tuple[tuple[re.Pattern[str], str], ...]
TIMES = re.compile(rf"[ \t]*{STAMP}[ \t]*{ARROW}[ \t]*{STAMP}(?:[ \t].*)?")
NUMBER = re.compile(r"[ \t]*\d+[ \t]*")
LINE_BREAK = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
VOICE = re.compile(r"<v(?:\.[^ \t<>]*)?[ \t]+([^>]*)>")
# The beginnings of tags, and their last characters. A pattern of a whole tag would search the rest
# of the text for the end of each tag. In WebVTT every `<` begins a tag; in SRT a word such as
# <laugh> may be part of the text.
VTT_TAGS = ((re.compile("<"), ">"),)
SRT_NAMES = "i|b|u|s|c|v|em|strong|font|span|ruby|rt|lang"
SRT_TAGS = (
    (re.compile(rf"</?(?:{SRT_NAMES})(?=[ \t.>])", re.IGNORECASE), ">"),
    (re.compile(r"\{\\"), "}"),
)
ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{0,40});")
MOST_REPEATED = 100  # lines of a cue; captions on a screen have two or three
SKIPPED_BLOCKS = ("NOTE", "STYLE", "REGION")
FIX = "a cue is a line such as 00:00:01,000 --> 00:00:04,000, then its text, then an empty line"


@dataclass(frozen=True, slots=True)
class Cue:
    """A caption: begin and end in seconds, and its lines of text with their tags."""

    begin: float
    end: float
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Srt(Format):
    """SubRip subtitles: numbered cues with times; the texts of all cues are one utterance.

    The id is the name of the file. Formatting (`<i>`, `<font ...>`, `{\\an8}`) is removed, and
    entities (`&amp;`) are replaced by their characters. The times of a cue are those of its words.
    With `rolling`, lines at the beginning of a cue that repeat the end of the cue before are left
    out, as live captions need it.

    Known problems: names of speakers in the text (`>> ANNA:`) are read as words.

    Example: `misword score references/ captions/ --input-format srt:rolling=true`

    Reference: https://en.wikipedia.org/wiki/SubRip
    """

    name: ClassVar[str] = "srt"
    sign: ClassVar[bytes] = b"-->"
    title: ClassVar[str] = "SubRip"
    rewritten_as: ClassVar[str] = "kaldi"
    one_recording: ClassVar[bool] = True
    suffixes: ClassVar[tuple[str, ...]] = (".srt",)
    _tags: ClassVar[Tags] = SRT_TAGS
    rolling: bool = False

    def looks_like(self, source: Source) -> bool:
        """Whether the file begins with a number and a line of times."""
        filled = [line for line in source.lines[:8] if line.strip()]
        return len(filled) > 1 and bool(NUMBER.fullmatch(filled[0]) and TIMES.fullmatch(filled[1]))

    def _cues(self, source: Source) -> list[Cue]:
        """Return the cues of the file."""
        return srt_cues(source)

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
        """Join the texts of the cues; of references, keep speakers and times of the words."""
        cues = self._cues(source)
        repeated = without_repeated_lines(cues)
        count = sum(old != new for old, new in zip(cues, repeated, strict=True))
        notes: tuple[str, ...] = ()
        if not self.rolling and 2 * count > len(cues) > 2:
            notes = (
                f"{source.shown}: {counted(count, 'cue')} of {len(cues)} repeat a line of the cue "
                f"before; rolling captions need --input-format {self.name}:rolling=true",
            )
        spoken = [part for cue in (repeated if self.rolling else cues) for part in self._parts(cue)]
        text = " ".join(" ".join(words) for words, *_ in spoken if words)
        words = words_of(spoken, recording_id(source)) if columns.role == "reference" else None
        return one_utterance(source, text, words, notes)

    def _parts(self, cue: Cue) -> Iterator[tuple[list[str], str | None, float, float]]:
        """Yield words, speaker, begin and end of each part of a cue with one speaker."""
        from html import unescape  # imported when it is needed: it has a large table

        joined = LINE_BREAK.sub(" ", "\n".join(cue.lines))
        tagged, end, plain_end = joined.rpartition(">")
        # The pattern has one group, so the speakers are between the texts. Without the text after
        # the last `>`, each search for the end of a voice succeeds.
        *divided, last = VOICE.split(tagged + end)
        first, *rest = [*divided, last + plain_end]
        speakers = [None, *(unescape(name).strip() or None for name in rest[::2])]
        for speaker, text in zip(speakers, [first, *rest[1::2]], strict=True):
            plain = ENTITY.sub(lambda found: unescape(found[0]), without_tags(text, self._tags))
            yield plain.split(), speaker, cue.begin, cue.end


@dataclass(frozen=True, slots=True)
class Vtt(Srt):
    """WebVTT subtitles: as SRT, with a header, cue settings, voices and comments.

    The speaker of a word is the voice before it (`<v Anna>`). All tags are removed. Blocks that
    begin with NOTE, STYLE or REGION are skipped.

    Known problems: as SRT.

    Example: `misword score references/ captions/ --input-format vtt:rolling=true`

    Reference: https://www.w3.org/TR/webvtt1
    """

    name: ClassVar[str] = "vtt"
    sign: ClassVar[bytes] = b"WEBVTT"
    title: ClassVar[str] = "WebVTT"
    suffixes: ClassVar[tuple[str, ...]] = (".vtt",)
    _tags: ClassVar[Tags] = VTT_TAGS

    def looks_like(self, source: Source) -> bool:
        """Whether the first line is the header of WebVTT."""
        return source.lines[0].split(maxsplit=1)[:1] == ["WEBVTT"]

    def _cues(self, source: Source) -> list[Cue]:
        """Return the cues of the file."""
        return vtt_cues(source)


def without_tags(text: str, tags: Tags) -> str:
    """Return a text without its tags.

    >>> without_tags("<i>so</i> <laugh> {\\\\an8}it is", SRT_TAGS)
    'so <laugh> it is'
    """
    for opening, closing in tags:
        parts, at = [], 0
        while found := opening.search(text, at):
            end = text.find(closing, found.end())
            if end < 0:
                break
            parts.append(text[at : found.start()])
            at = end + 1
        text = "".join([*parts, text[at:]])
    return text


def srt_cues(source: Source) -> list[Cue]:
    """Return the cues of an SRT file; text after an empty line belongs to the cue before."""
    lines = source.lines
    times = [number for number, line in enumerate(lines) if TIMES.fullmatch(line)]
    if not times:
        raise InputError("no line with the times of a cue", where=source.at(), fix=FIX)
    cues = []
    for start, end in zip(times, [*times[1:], len(lines)], strict=True):
        body = lines[start + 1 : end]
        if end < len(lines) and body and NUMBER.fullmatch(body[-1]):
            body.pop()  # the number of the next cue
        cues.append(cue_at(source, start, body))
    before = [line for line in lines[: times[0]] if line.strip()]
    if len(before) > 1 or not all(map(NUMBER.fullmatch, before)):
        raise InputError("text before the first cue", where=source.at(1), fix=FIX)
    return cues


def vtt_cues(source: Source) -> list[Cue]:
    """Return the cues of a WebVTT file; blocks end at empty lines."""
    lines = source.lines
    if lines[0].split(maxsplit=1)[:1] != ["WEBVTT"]:
        raise InputError("the first line is not WEBVTT", where=source.at(1), fix=FIX)
    cues = []
    for number, (start, block) in enumerate(blocks(lines)):
        place = next((n for n, line in enumerate(block[:2]) if TIMES.fullmatch(line)), None)
        if place is not None:
            cues.append(cue_at(source, start + place, block[place + 1 :]))
        elif number > 0 and not block[0].startswith(SKIPPED_BLOCKS):
            what = "a block without the times of a cue"
            raise InputError(what, where=source.at(start + 1), fix=FIX)
    return cues


def blocks(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the first line (from 0) and the lines between two empty lines.

    A line of blanks is not empty: live captions have such lines inside a cue.
    """
    block: list[str] = []
    for number, line in enumerate([*lines, ""]):
        if line:
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []


def cue_at(source: Source, number: int, body: Sequence[str]) -> Cue:
    """Return the cue whose times are on a line (from 0)."""
    found = TIMES.fullmatch(source.lines[number])
    if found is None:
        raise ValueError("the line has no times")
    begin, end = seconds(*found.groups()[:4]), seconds(*found.groups()[4:])
    if end < begin:
        raise InputError(
            "the cue ends before it begins", where=source.at(number + 1), fix="correct the times"
        )
    arrow = next((n for n, line in enumerate(body, start=number + 2) if ARROW in line), None)
    if arrow is not None:
        raise InputError(f"{ARROW} inside the text of a cue", where=source.at(arrow), fix=FIX)
    return Cue(begin, end, tuple(line.strip() for line in body if line.strip()))


def seconds(hours: str | None, minutes: str, whole: str, fraction: str) -> float:
    """Return a time stamp in seconds.

    >>> seconds("1", "02", "03", "250")
    3723.25
    """
    return 3600 * int(hours or 0) + 60 * int(minutes) + float(f"{whole}.{fraction}")


def without_repeated_lines(cues: Sequence[Cue]) -> list[Cue]:
    """Return the cues without lines at their beginning that repeat the end of the cue before.

    >>> two = [Cue(0, 1, ("a", "b")), Cue(1, 2, ("b", "c"))]
    >>> [cue.lines for cue in without_repeated_lines(two)]
    [('a', 'b'), ('c',)]
    """
    shortened, before = [], tuple[str, ...]()
    for cue in cues:
        plain = tuple(" ".join(without_tags(line, VTT_TAGS).split()) for line in cue.lines)
        sizes = range(min(len(plain), len(before), MOST_REPEATED), 0, -1)
        shared = next((size for size in sizes if before[-size:] == plain[:size]), 0)
        shortened.append(Cue(cue.begin, cue.end, cue.lines[shared:]))
        before = plain
    return shortened


def words_of(
    spoken: Sequence[tuple[list[str], str | None, float, float]], utt: str
) -> pl.DataFrame:
    """Return the metadata of words, which are those of their part of a cue."""
    schema: dict[str, pl.DataType] = {
        "word": pl.List(pl.String()),
        "speaker": pl.String(),
        "begin": pl.Float64(),
        "end": pl.Float64(),
    }
    words = pl.DataFrame(spoken, schema=schema, orient="row").explode("word").drop_nulls("word")
    return words.select(
        pl.lit(utt).alias("utt"),
        pl.int_range(pl.len(), dtype=pl.Int64).alias("place"),
        *("speaker", "begin", "end"),
    )
