"""The NIST formats trn, stm, ctm and RTTM, and the words of ctm files in the segments of stm."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError, MismatchError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.io.files.sources import Source
from misword.io.transcripts.alternatives import NIST_NOTHING, spaced_texts
from misword.io.transcripts.columns import Columns, SourceTranscripts
from misword.io.transcripts.formats import Format
from misword.io.transcripts.pairing import Transcript
from misword.io.transcripts.words import in_order, word_table

# Fields between blanks, comments and times, which stm and ctm share.

COMMENT = ";;"
# Only ASCII blanks separate fields; str.split() would also split words at no-break spaces.
BLANKS = re.compile(r"[ \t]+")


def fields(source: Source, count: int) -> Iterator[tuple[int, list[str]]]:
    """Yield number, first `count` fields and rest of each line; comments are skipped."""
    for number, line in enumerate(source.lines, start=1):
        stripped = line.strip(" \t")
        if stripped and not stripped.startswith(COMMENT):
            yield number, BLANKS.split(stripped, maxsplit=count)


def seconds(text: str) -> float | None:
    """Return the time in a text, or None if it is not a number of seconds."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in text else None


def need_seconds(text: str, what: str, source: Source, line: int) -> float:
    """Return the time in a text, or raise an error that names the line."""
    value = seconds(text)
    if value is None:
        raise InputError(
            f"{what} is {text!r}, not a number of seconds",
            where=source.at(line),
            fix="check the order of the fields, or name the format with --input-format",
        )
    return value


def times_at(
    source: Source, first: int, without_times: Callable[[list[str]], bool] = lambda parts: False
) -> bool:
    """Return whether every line has five fields or more, and times in `first` and the next field.

    At least one time must have a decimal point, since ids may be followed by spoken digits. Lines
    for which `without_times` is true need no times.
    """
    has_point = False
    for _, parts in fields(source, 5):
        if without_times(parts):
            continue
        if len(parts) < 5 or seconds(parts[first]) is None or seconds(parts[first + 1]) is None:
            return False
        has_point = has_point or "." in parts[first] + parts[first + 1]
    return has_point


# trn: the transcript, then its id in parentheses.

LINE = r"^[ \t]*(.*?)[ \t]*\(([^()\s]+)\)[ \t]*$"
ID_AT_END = re.compile(r"\([^()\s]+\)[ \t]*$")
SPEAKER = r"^([^-_]+)[-_]"


@dataclass(frozen=True, slots=True)
class Trn(Format):
    """`transcript (id)` on each line; blank lines and comments (`;;`) are skipped.

    Alternatives may be written without blanks: `{a/b/@}`. If all ids have the form
    `speaker-...` or `speaker_...`, the speaker is metadata, as in sclite.

    Reference: sclite's manual, https://github.com/usnistgov/SCTK (doc/infmts.htm)
    """

    name: ClassVar[str] = "trn"
    title: ClassVar[str] = "NIST trn"
    suffixes: ClassVar[tuple[str, ...]] = (".trn",)

    def looks_like(self, source: Source) -> bool:
        """Whether every line that is neither blank nor a comment ends in `(id)`."""
        lines = (line for line in source.lines if line.strip() and not line.startswith(COMMENT))
        ids = (ID_AT_END.search(line) is not None for line in lines)
        return next(ids, False) and all(ids)

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
        """Split each line at its last opening parenthesis."""
        groups = pl.col("line_text").str.extract_groups(LINE).struct
        frame = (
            source.lines.column("line_text")
            .to_frame()
            .with_columns(line=pl.int_range(1, pl.len() + 1, dtype=pl.Int64))
            .filter(pl.col("line_text").str.strip_chars() != "")
            .filter(~pl.col("line_text").str.starts_with(COMMENT))
            .select(utt=groups.field("2"), text=groups.field("1"), line="line")
        )
        bad = frame.filter(pl.col("utt").is_null())
        if bad.height:
            raise InputError(
                "no (id) at the end of the line",
                where=source.at(bad["line"][0]),
                fix="each line of a trn file is: transcript (id)",
            )
        frame = spaced_texts(frame, source)
        speakers = frame["utt"].str.extract(SPEAKER).alias("speaker")
        return SourceTranscripts(frame if speakers.null_count() else frame.with_columns(speakers))

    def rewrite(
        self, source: Source, columns: Columns, ids: Sequence[str], texts: Sequence[str]
    ) -> bytes:
        """Return lines of text and id."""
        lines = (f"{text} ({utt})\n" for utt, text in zip(ids, texts, strict=True))
        return "".join(lines).encode()


# stm: the segments of recordings with speaker and time.

IGNORE = "ignore_time_segment_in_scoring"
LABEL = re.compile(r"(<[^ \t]*>)(?:[ \t]+|$)")
NAMES = ("file", "channel", "speaker", "begin", "end", "label", "text", "line")


@dataclass(frozen=True, slots=True)
class Stm(Format):
    """`file channel speaker begin end [<labels>] transcript`, one segment a line; `;;` comments.

    The id is `file-channel-begin-end`, followed by the speaker if two segments have the same times.
    Segments with the text `ignore_time_segment_in_scoring`, in upper or lower case, are left out; a
    note counts them. Alternatives may be written without blanks: `{a/b/@}`. The words of a segment
    have its speaker and its times.

    Known problems: as in sclite, a first word in angle brackets (`<unk>`) is read as a label.

    Reference: sclite's manual, https://github.com/usnistgov/SCTK (doc/infmts.htm)
    """

    name: ClassVar[str] = "stm"
    title: ClassVar[str] = "NIST stm"
    rewritten_as: ClassVar[str] = "kaldi"
    suffixes: ClassVar[tuple[str, ...]] = (".stm",)

    def looks_like(self, source: Source) -> bool:
        """Whether every line has two times, begin and end, after file, channel and speaker."""
        return times_at(source, 3)

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
        """Return the segments to score, and separately the time spans to ignore."""
        rows = [segment(number, parts, source) for number, parts in fields(source, 5)]
        types = {"begin": pl.Float64, "end": pl.Float64, "line": pl.Int64}
        schema = {name: types.get(name, pl.String) for name in NAMES}
        frame = pl.DataFrame(rows, schema=schema, orient="row")
        frame = frame.with_columns(pl.Series("utt", segment_ids(rows), pl.String))
        left_out = pl.col("text").str.to_lowercase().str.contains(IGNORE, literal=True)
        ignored, scored = frame.filter(left_out), frame.filter(~left_out)
        if scored["label"].null_count() == scored.height:
            scored = scored.drop("label")
        rest = [name for name in NAMES if name in scored.columns and name not in ("text", "line")]
        notes = (f"{source.shown}: {counted(ignored.height, 'segment')} not scored ({IGNORE})",)
        texts = spaced_texts(scored.select("utt", "text", "line", *rest), source)
        return SourceTranscripts(
            texts,
            notes if ignored.height else (),
            ignored.select("utt", "file", "channel", "begin", "end"),
            stm_table(texts),
        )


def stm_table(segments: pl.DataFrame) -> pl.DataFrame:
    """Return the table of words: each has the speaker and the times of its segment."""
    number = pl.int_range(pl.len(), dtype=pl.Int64).over("file").alias("segment")
    columns = ("utt", "channel", "speaker", "begin", "end")
    file, word = pl.col("file").alias("recording"), pl.col("text").alias("word")
    return word_table(segments.select(*columns, number, file, word))


def segment(number: int, parts: list[str], source: Source) -> tuple[Any, ...]:
    """Return the fields of one line in the order of `NAMES`."""
    if len(parts) < 5:
        raise InputError(
            f"{counted(len(parts), 'field')}, where a segment has at least 5",
            where=source.at(number),
            fix="a line of an stm file is: file channel speaker begin end [<labels>] transcript",
        )
    begin = need_seconds(parts[3], "begin", source, number)
    end = need_seconds(parts[4], "end", source, number)
    if end < begin:
        raise InputError(
            f"the segment ends ({parts[4]}) before it begins ({parts[3]})",
            where=source.at(number),
            fix="correct the times",
        )
    text = parts[5] if len(parts) > 5 else ""
    label = LABEL.match(text)
    words = text[label.end() :] if label else text
    return (*parts[:3], begin, end, label[1] if label else None, words, number)


def segment_ids(rows: list[tuple[Any, ...]]) -> list[str]:
    """Return an id of each segment that only depends on its fields, not on its line."""
    spans = [f"{row[0]}-{row[1]}-{row[3]}-{row[4]}" for row in rows]
    shared = Counter(spans)
    pairs = zip(spans, rows, strict=True)
    return [f"{span}-{row[2]}" if shared[span] > 1 else span for span, row in pairs]


# ctm: the words of recordings with their times.

BEGIN, NEXT, END = "<ALT_BEGIN>", "<ALT>", "<ALT_END>"
TAGS = (BEGIN, NEXT, END)
NO_TIME = "*"
# What stands for an unknown confidence, type or speaker, and NIST's types of words.
UNKNOWN = ("NA", "<NA>", "N/A", "NAN", "NONE", "NULL", "-", "*")
WORD_TYPES = (
    *("LEX", "FP", "FRAG", "UN-LEX", "FOR-LEX", "NON-LEX", "MISC", "NOSCORE"),
    *("ALPHA", "ACRONYM", "INTERJECTION", "PROPERNOUN", "OTHER"),
)
CTM_FIX = "a line of a ctm file is: file channel begin duration word [confidence [type [speaker]]]"


class CtmWord(NamedTuple):
    """A word, or a group of alternatives: its text, its times and their middle.

    `confidence` is None if the line has none, and for groups.
    """

    file: str
    channel: str
    begin: float
    end: float
    middle: float
    word: str
    line: int
    confidence: float | None = None
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Ctm(Format):
    """`file channel begin duration word [confidence [type [speaker]]]` a line; `;;` comments.

    Each channel of a file is one utterance with the id `file-channel`, its words sorted by time. If
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

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
        """Return the joined words of each channel."""
        channel = ["file", "channel"]
        ids = pl.concat_str(channel, separator="-").alias("utt")
        words = read_words(source).with_columns(ids)
        groups = words.group_by("utt", *channel, maintain_order=True)
        joined = groups.agg(pl.col("word").str.join(" ").alias("text"), pl.col("line").min())
        frame = joined.sort("line").select("utt", "text", "line", *channel)
        return SourceTranscripts(frame, words=ctm_table(words))


def ctm_table(words: pl.DataFrame) -> pl.DataFrame:
    """Return the table of words; the words of a group of alternatives have no confidence."""
    columns = ("utt", "channel", "speaker", "begin", "end", "confidence", "word")
    return word_table(words.select(pl.col("file").alias("recording"), *columns))


def read_words(source: Source) -> pl.DataFrame:
    """Return all words and groups of alternatives sorted by time, with the fields of `CtmWord`."""
    numbers = ("begin", "end", "middle", "confidence")
    types = {**dict.fromkeys(numbers, pl.Float64), "line": pl.Int64}
    schema = {name: types.get(name, pl.String) for name in CtmWord._fields}
    rows = list(words_and_groups(source))
    return pl.DataFrame(rows, schema=schema, orient="row").sort("begin", maintain_order=True)


def words_and_groups(source: Source) -> Iterator[CtmWord]:
    """Yield the words outside alternatives and the groups of alternatives, in the file's order."""
    group: AlternativeGroup | None = None
    for number, parts in fields(source, 8):
        tag = tag_of(parts)
        if tag == BEGIN:
            if group is not None:
                raise misplaced(tag, source, number)
            group = AlternativeGroup(parts[0], parts[1], number)
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
            if word.word != NIST_NOTHING:
                yield word
        else:
            if not group.is_in(parts):
                raise misplaced(BEGIN, source, group.line)
            group.alternatives[-1].append(timed_word(number, parts, source))
    if group is not None:
        raise misplaced(BEGIN, source, group.line)


class AlternativeGroup:
    """A group of alternatives while its lines are read."""

    def __init__(self, file: str, channel: str, line: int) -> None:
        self.file, self.channel, self.line = file, channel, line
        self.alternatives: list[list[CtmWord]] = [[]]

    def is_in(self, parts: list[str]) -> bool:
        """Return whether a line has the group's file and channel."""
        return parts[:2] == [self.file, self.channel]

    def joined(self) -> CtmWord:
        """Return the group as one word; its middle is the last middle of its words, as in sclite.

        An empty alternative is nothing.
        """
        words = [word for alternative in self.alternatives for word in alternative]
        begin = min((word.begin for word in words), default=0.0)
        end = max((word.end for word in words), default=begin)
        middle = max((word.middle for word in words), default=0.0)
        texts = [" ".join(w.word for w in alternative) for alternative in self.alternatives]
        text = " / ".join(text or NIST_NOTHING for text in texts)
        text = f"{{ {text} }}" if len(texts) > 1 else text
        return CtmWord(self.file, self.channel, begin, end, middle, text, self.line)


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


def timed_word(number: int, parts: list[str], source: Source) -> CtmWord:
    """Return the word of one line."""
    if len(parts) < 5:
        raise InputError(
            f"{counted(len(parts), 'field')}, where a word has at least 5",
            where=source.at(number),
            fix=CTM_FIX,
        )
    begin = need_seconds(parts[2], "begin", source, number)
    # Aligners write durations of -0.01; sclite reads them too, and only the middle is used.
    duration = need_seconds(parts[3], "duration", source, number)
    confidence = _confidence(parts[5:], source, number)
    speaker = parts[7] if len(parts) > 7 and parts[7].upper() not in UNKNOWN else None
    end, middle = begin + max(duration, 0), begin + duration / 2
    file, channel = parts[:2]
    return CtmWord(file, channel, begin, end, middle, parts[4], number, confidence, speaker)


def _confidence(rest: list[str], source: Source, line: int) -> float | None:
    """Return the confidence of a word from the fields after it; None if it is not known.

    Raise if these fields are not confidence, type and speaker: they may be words.
    """
    confidence, kind, *speaker = (*rest, *(UNKNOWN[0],) * (2 - len(rest)))
    value = seconds(confidence)
    if value is None and confidence.upper() not in UNKNOWN:
        wrong = confidence
    elif kind.upper() not in (*UNKNOWN, *WORD_TYPES):
        wrong = kind
    else:
        wrong = " ".join(speaker[1:])
    if wrong:
        raise InputError(
            f"{wrong[:40]!r} after the word, where confidence, type and speaker may follow",
            where=source.at(line),
            fix=f"{CTM_FIX}; an unknown value is NA",
        )
    return value


# Assignment of the words of a ctm file to the segments of a reference in stm.

CHANNEL = ["file", "channel"]
IGNORED = -1


def read_into_segments(
    sources: Sequence[Source], references: Transcript, shown: str
) -> SourceTranscripts:
    """Return ctm files as one transcript for each segment of the reference.

    `shown` is the name of the file, or of the folder of the files.

    As in sclite, a word belongs to the first segment of its channel that ends after the middle of
    the word; a word between two segments therefore belongs to the next one, and words after the
    last segment to the last. Words of segments that the reference ignores are left out. Notes count
    them, and words at times where segments overlap.
    """
    segments = references.frame.with_row_index("segment").with_columns(
        pl.col("segment").cast(pl.Int64)
    )
    spans = all_spans(segments, references.ignored)
    read = pl.concat([read_words(source) for source in sources])
    words = with_names_of(read.sort("begin", maintain_order=True), spans)
    refuse_unknown(words, spans, references, sources)
    rows, overlaps = np.full(words.height, IGNORED, np.int64), 0
    by_channel = spans.partition_by(CHANNEL, as_dict=True)
    numbered = words.with_row_index("word_row").with_columns(pl.col("word_row").cast(pl.Int64))
    for channel, mine in numbered.partition_by(CHANNEL, as_dict=True).items():
        middles, of_channel = mine["middle"].to_numpy(), by_channel[channel]
        rows[mine["word_row"].to_numpy()] = assign(middles, of_channel)
        overlaps += int((spans_at(middles, of_channel) > 1).sum())
    placed = words.with_columns(segment=pl.Series(rows)).filter(pl.col("segment") != IGNORED)
    texts = placed.group_by("segment", maintain_order=True).agg(
        pl.col("word").str.join(" ").alias("words"),
        pl.col("line").min().alias("first"),
    )
    frame = segments.join(texts, on="segment", how="left", maintain_order="left")
    # Recording and order of the segments, by which they are joined.
    frame = frame.select(
        *("utt", "file", "channel", "begin"),
        text=pl.col("words").fill_null(""),
        line=pl.col("first"),
    )
    notes = *_notes(words, segments, placed.height, shown), *_overlap_note(overlaps, shown)
    table = placed.join(segments.select("segment", "utt"), on="segment", maintain_order="left")
    return SourceTranscripts(frame, notes, words=ctm_table(table))


def all_spans(segments: pl.DataFrame, ignored: pl.DataFrame | None) -> pl.DataFrame:
    """Return the time spans of all segments by begin; those to ignore have the number `IGNORED`."""
    names = *CHANNEL, "begin", "end", "segment"
    spans = segments.select(names)
    if ignored is not None:
        unscored = ignored.with_columns(segment=pl.lit(IGNORED, pl.Int64)).select(names)
        spans = pl.concat([spans, unscored])
    return spans.sort("begin", maintain_order=True)


def with_names_of(words: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """Return the words with the reference's names of files and channels where only case differs."""
    known = spans.select(CHANNEL).unique()
    keys = [pl.col(name).str.to_lowercase().alias(f"{name}_key") for name in CHANNEL]
    by_key = known.with_columns(keys).unique(["file_key", "channel_key"], keep="none")
    used = words.select(CHANNEL).unique().join(known, on=CHANNEL, how="anti").with_columns(keys)
    renamed = used.join(by_key, on=["file_key", "channel_key"], suffix="_new")
    if not renamed.height:
        return words
    joined = words.join(renamed, on=CHANNEL, how="left", maintain_order="left")
    names = [pl.coalesce(f"{name}_new", name).alias(name) for name in CHANNEL]
    return joined.with_columns(names).select(words.columns)


def assign(middles: NDArray[np.float64], spans: pl.DataFrame) -> NDArray[np.int64]:
    """Return the segment of each word of a channel, words and spans in the order of their begins.

    No word belongs to an earlier segment than the word before it.
    """
    ends = np.maximum.accumulate(spans["end"].to_numpy())
    rows = np.searchsorted(ends, middles, side="right")
    rows = np.maximum.accumulate(np.minimum(rows, len(ends) - 1))
    return spans["segment"].to_numpy()[rows]


def spans_at(middles: NDArray[np.float64], spans: pl.DataFrame) -> NDArray[np.int64]:
    """Return the number of spans that contain each time."""
    begun = np.searchsorted(spans["begin"].to_numpy(), middles, side="right")
    ended = np.searchsorted(np.sort(spans["end"].to_numpy()), middles, side="right")
    return np.asarray(begun - ended)


def _overlap_note(words: int, shown: str) -> Iterator[str]:
    if words:
        yield (
            f"{shown}: {counted(words, 'word')} at times where segments of the reference "
            "overlap; each belongs to the segment that began first, so that other errors than the "
            "recogniser's may be counted"
        )


def refuse_unknown(
    words: pl.DataFrame, spans: pl.DataFrame, references: Transcript, sources: Sequence[Source]
) -> None:
    """Raise if there are words of recordings that the reference does not have."""
    channels = spans.select(CHANNEL).unique()
    unknown = words.join(channels, on=CHANNEL, how="anti").sort("line")
    if unknown.height:
        file, channel = unknown.select(CHANNEL).row(0)
        of_file = channels.filter(pl.col("file") == file)["channel"].sort().to_list()
        has = f"channels {', '.join(of_file)} of it" if of_file else "no such file"
        raise MismatchError(
            f"words of file {file!r}, channel {channel!r}, but {references.path} has {has}",
            where=sources[0].at(unknown["line"][0]) if len(sources) == 1 else "",
            fix="use the same file and channel names on both sides, "
            "or remove recordings that are not to be scored",
        )


def _notes(words: pl.DataFrame, segments: pl.DataFrame, placed: int, shown: str) -> Iterator[str]:
    if words.height > placed:
        count = counted(words.height - placed, "word")
        yield f"{shown}: {count} left out, in segments the reference ignores"
    silent = segments.select(CHANNEL).unique().join(words, on=CHANNEL, how="anti")
    if silent.height:
        file, channel = silent.sort(CHANNEL).row(0)
        yield (
            f"{shown}: no words at all for {counted(silent.height, 'recording')}, "
            f"the first is {file!r}, channel {channel!r}"
        )


# RTTM: who speaks when.

RTTM_LINES = 20  # that are examined
RTTM_TYPES = ("SPEAKER", "SPKR-INFO", "LEXEME", "NON-LEX", "NON-SPEECH", "SEGMENT", "NOSCORE",
              "NO_RT_METADATA", "IP", "SU", "EDIT", "FILLER", "CB", "A/P")  # fmt: skip


RTTM_FIX = "a line of RTTM is: SPEAKER file channel begin duration <NA> <NA> speaker <NA> <NA>"


@dataclass(frozen=True, slots=True)
class Rttm(Format):
    """`SPEAKER file channel begin duration <NA> <NA> speaker ...`: who speaks when, and no words.

    It is read for the metric `der`, which needs no words; all others refuse it. A folder with ctm
    and RTTM files is one input: the words have the speakers of the segments that they overlap most.

    Example: `misword score ref.rttm hyp.rttm --metrics der`

    Reference: NIST, The 2009 (RT-09) Rich Transcription Meeting Recognition Evaluation Plan
    """

    name: ClassVar[str] = "rttm"
    title: ClassVar[str] = "NIST RTTM"
    may_be_named_as: ClassVar[str] = "stm"
    suffixes: ClassVar[tuple[str, ...]] = (".rttm",)

    def looks_like(self, source: Source) -> bool:
        """Whether the first lines are types of RTTM with nine fields or ten."""
        lines = [line.split() for line in source.lines[:RTTM_LINES] if not line.startswith(";")]
        filled = [fields for fields in lines if fields]
        return bool(filled) and all(
            fields[0] in RTTM_TYPES and len(fields) in (9, 10) for fields in filled
        )

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
        """Return the recordings, with an empty word for each segment; raise if words are needed."""
        if not columns.without_words:
            raise InputError(
                "RTTM has the segments of speakers and no words, so there is no text to score",
                where=source.at(),
                fix="name a file with words: stm, ctm, SegLST, or the recogniser's JSON; or score "
                "the times alone (--metrics der)",
            )
        turns = read_turns(source)
        name = pl.col("recording")
        place = pl.int_range(pl.len(), dtype=pl.Int64).over("recording")
        words = turns.with_columns(utt=name, place=place, segment=place, word=pl.lit("", pl.String))
        groups = turns.group_by("recording", maintain_order=True).agg(pl.col("line").min())
        frame = groups.select(name.alias("utt"), pl.lit("").alias("text"), "line", "recording")
        return SourceTranscripts(frame, words=in_order(words.drop("line")))


def read_turns(source: Source) -> pl.DataFrame:
    """Return `recording`, `channel`, `speaker`, `begin`, `end` and `line` of each segment."""
    rows = []
    for number, parts in fields(source, 8):
        if parts[0] != RTTM_TYPES[0]:
            continue
        if len(parts) < 8:
            what = f"{counted(len(parts), 'field')}, where a segment has at least 8"
            raise InputError(what, where=source.at(number), fix=RTTM_FIX)
        begin = need_seconds(parts[3], "begin", source, number)
        duration = need_seconds(parts[4], "duration", source, number)
        if duration < 0:
            raise InputError("a duration below 0", where=source.at(number), fix=RTTM_FIX)
        rows.append((parts[1], parts[2], parts[7], begin, begin + duration, number))
    schema = {
        **dict.fromkeys(("recording", "channel", "speaker"), pl.String),
        **dict.fromkeys(("begin", "end"), pl.Float64),
        "line": pl.Int64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row").sort("begin", maintain_order=True)


def with_speakers_of(
    words: pl.DataFrame, turns: pl.DataFrame, shown: str
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return words with the speaker and the number of the segment they overlap most, and notes.

    Words outside all segments have those of the nearest one.
    """
    parts, outside = [], 0
    for (recording,), own in words.group_by("recording", maintain_order=True):
        spans = turns.filter(pl.col("recording") == recording)
        if not spans.height:
            raise MismatchError(
                f"no segment of a speaker in recording {recording!r}",
                where=shown,
                fix="use the same names of recordings in the ctm and the RTTM files",
            )
        begin, end = (own[side].to_numpy() for side in ("begin", "end"))
        opens, closes = (spans[side].to_numpy() for side in ("begin", "end"))
        # The time that both have in common; below 0, the time between them.
        best = [
            int(np.argmax(np.minimum(b, closes) - np.maximum(a, opens)))
            for a, b in zip(begin, end, strict=True)
        ]
        common = np.minimum(end, closes[best]) - np.maximum(begin, opens[best])
        outside += int((common < 0).sum())
        named = spans["speaker"].gather(best)
        parts.append(own.with_columns(speaker=named, segment=pl.Series(best, dtype=pl.Int64)))
    notes: tuple[str, ...] = ()
    if outside:
        found = f"{counted(outside, 'word')} outside the segments of all speakers"
        notes = (f"{shown}: {found}; each has the speaker of the nearest one",)
    return pl.concat(parts), notes
