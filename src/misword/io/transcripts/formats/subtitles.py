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
from misword.io.transcripts.formats import Format, one_recording

STAMP = r"(?:(\d{1,6}):)?([0-5]?\d):([0-5]\d)[.,](\d{1,3})"
ARROW = "-->"
Tags = tuple[tuple[re.Pattern[str], str], ...]
TIMES = re.compile(rf"[ \t]*{STAMP}[ \t]*{ARROW}[ \t]*{STAMP}(|[ \t].*)")
# A line that is meant as the times of a cue, whether they can be read or not.
TIMES_MEANT = re.compile(rf"\d[\d:.,]*[ \t]*{ARROW}[ \t]*\d")
BLANKS = re.compile(r"[ \t]+")
NUMBER = re.compile(r"[ \t]*\d{1,9}[ \t]*")
LINE_BREAK = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
VOICE = re.compile(r"<v(?:\.[^ \t<>]*)?[ \t]+([^>]*)>")
# The beginnings of tags, and their last characters. A pattern of a whole tag would search the rest
# of the text for the end of each tag. Only tags of these names are removed: players hide all that
# stands between `<` and `>`, but a word such as <laugh>, or those of `a < b`, would be lost.
TAG_NAMES = "i|b|u|s|c|v|em|strong|font|span|ruby|rt|lang"
NAMED_TAG = rf"</?(?:{TAG_NAMES})(?=[ \t.>])"
SRT_TAGS = ((re.compile(NAMED_TAG, re.IGNORECASE), ">"), (re.compile(r"\{\\"), "}"))
VTT_TAGS = ((re.compile(rf"{NAMED_TAG}|<(?={STAMP}>)|</(?=>)", re.IGNORECASE), ">"),)
ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{0,40});")
MOST_REPEATED = 100  # lines of a cue; captions on a screen have two or three
# The first line of a block of WebVTT that is no cue: a comment, style sheet or region.
OTHER_BLOCK = re.compile(r"NOTE(?:[ \t].*)?|(?:STYLE|REGION)[ \t]*")
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
        """Join the texts of the cues; keep speakers and times of the words."""
        cues = self._cues(source)
        repeated = without_repeated_lines(cues)
        count = sum(old != new for old, new in zip(cues, repeated, strict=True))
        notes: tuple[str, ...] = ()
        if not self.rolling and 2 * count > len(cues) > 2:
            notes = (
                f"{source.shown}: {counted(count, 'cue')} of {len(cues)} repeat a line of the cue "
                f"before; rolling captions need --input-format {self.name}:rolling=true",
            )
        shown = enumerate(repeated if self.rolling else cues)
        spoken = [(*part, number) for number, cue in shown for part in self._parts(cue)]
        return one_recording(source, words_of(spoken), notes)

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

    The speaker of a word is the voice before it (`<v Anna>`). Tags of WebVTT and times in the text
    are removed; other words in angle brackets (`<laugh>`) stay. Blocks that begin with NOTE, STYLE
    or REGION are skipped; a line of times ends them, as an empty line does.

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
    numbered = numbered_cues(source, times)
    ends = [time - is_numbered for time, is_numbered in zip(times, numbered, strict=True)]
    if any(line.strip() for line in lines[: ends[0]]):
        raise InputError("text before the first cue", where=source.at(1), fix=FIX)
    spans = zip(times, [*ends[1:], len(lines)], strict=True)
    return [cue_at(source, start, lines[start + 1 : end]) for start, end in spans]


def numbered_cues(source: Source, times: Sequence[int]) -> list[bool]:
    """Return whether the line before the times of each cue (`times`, from 0) is its number.

    A line of digits is the number of a cue if it is directly before the times, and if it begins the
    file or follows an empty line. If some cues have no such line, digits before the times must
    continue the numbers of the other cues; if no cue has one, they are text of the cue before.
    Raise if digits may be both.
    """
    lines = source.lines
    digits = [int(lines[t - 1]) if t and NUMBER.fullmatch(lines[t - 1]) else None for t in times]
    clear = [
        number is not None and (time < 2 or not lines[time - 2].strip())
        for time, number in zip(times, digits, strict=True)
    ]
    if all(clear):
        return clear
    first = digits[0] if clear[0] and digits[0] is not None else 1
    numbered = []
    for expected, (time, number) in enumerate(zip(times, digits, strict=True), start=first):
        alone = [line.strip() for line in lines[max(time - 3, 0) : time]] == ["", f"{expected}", ""]
        unclear = number == expected if not any(clear) else number not in (None, expected)
        if alone or unclear:
            raise InputError(
                "digits that may be the number of the next cue or text of the cue before",
                where=source.at(time - 1 if alone else time),
                fix="number all cues or none, each number on the line before its times and after "
                "an empty line",
            )
        numbered.append(number == expected)
    return numbered


def vtt_cues(source: Source) -> list[Cue]:
    """Return the cues of a WebVTT file.

    As in the specification, a block ends at an empty line, and the header and blocks that are no
    cues also end at a line of times. A file is refused if one of its lines of times begins no cue.
    """
    lines = source.lines
    if lines[0].split(maxsplit=1)[:1] != ["WEBVTT"]:
        raise InputError("the first line is not WEBVTT", where=source.at(1), fix=FIX)
    cues: list[Cue] = []
    was_unnamed = False
    for start, block in blocks(lines):
        is_other = start == 0 or OTHER_BLOCK.fullmatch(block[0]) is not None
        searched = block if is_other else block[:2]  # a cue may have a name before its times
        place = next((n for n, line in enumerate(searched) if TIMES.fullmatch(line)), None)
        if place is None and not is_other:
            what = "a block without the times of a cue"
            raise InputError(what, where=source.at(start + 1), fix=FIX)
        for number, line in enumerate(block[:place], start=start + 1):
            if TIMES_MEANT.search(line):
                raise InputError("times that cannot be read", where=source.at(number), fix=FIX)
        if place is None:
            continue
        if place and not is_other and was_unnamed and not cues[-1].lines:
            what = "text of the cue before, which has none, or the name of this cue"
            raise InputError(what, where=source.at(start + 1), fix=FIX)
        cues.append(cue_at(source, start + place, block[place + 1 :]))
        was_unnamed = place == 0
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
    *stamps, settings = found.groups()
    if not are_settings(settings):
        raise InputError("text after the times of a cue", where=source.at(number + 1), fix=FIX)
    begin, end = seconds(*stamps[:4]), seconds(*stamps[4:])
    if end < begin:
        raise InputError(
            "the cue ends before it begins", where=source.at(number + 1), fix="correct the times"
        )
    arrow = next((n for n, line in enumerate(body, start=number + 2) if ARROW in line), None)
    if arrow is not None:
        raise InputError(f"{ARROW} inside the text of a cue", where=source.at(arrow), fix=FIX)
    return Cue(begin, end, tuple(line.strip() for line in body if line.strip()))


def are_settings(text: str) -> bool:
    """Return whether all words after the times of a cue are settings (`line:0`, `X1:40`).

    >>> are_settings(" align:start position: 10%"), are_settings(" hello there")
    (True, False)
    """
    words = [word for word in BLANKS.split(text) if word]
    pairs = zip(["", *words], words, strict=False)
    return all(
        (":" in word or before.endswith(":")) and len(word.split()) == 1 for before, word in pairs
    )


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
    spoken: Sequence[tuple[list[str], str | None, float, float, int]],
) -> pl.DataFrame:
    """Return the words of parts of cues, with speaker, times and the number of the cue."""
    schema: dict[str, pl.DataType] = {
        "word": pl.List(pl.String()),
        "speaker": pl.String(),
        "begin": pl.Float64(),
        "end": pl.Float64(),
        "segment": pl.Int64(),
    }
    rows = pl.DataFrame(spoken, schema=schema, orient="row")
    return rows.explode("word").drop_nulls("word")
