"""Corrections of single words in transcript files; everything else in the files is kept.

Files of texts (plain lines, Kaldi, trn, tables, JSON) keep the spaces of each text, stm files the
times and labels, subtitles their cues and tags, nlp files the metadata of the words that stay.
Other formats, such as ctm, and subtitles whose words are not found in their lines (rolling
captions, character entities) are written as `id text` lines; a note says so.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from misword.core.errors import InputError
from misword.core.formatting import counted
from misword.io.files.sources import PathLike, Source, open_source
from misword.io.files.writing import whole_files
from misword.io.transcripts.columns import Columns
from misword.io.transcripts.detection import find_format
from misword.io.transcripts.folders import recording_files, recording_ids
from misword.io.transcripts.formats import Format
from misword.io.transcripts.formats.nlp import SEPARATOR, TOKEN
from misword.io.transcripts.pairing import Transcript
from misword.io.transcripts.read import read_source
from misword.io.transcripts.rewriting import rewritable

WORD = re.compile(r"\S+")
SUBTITLES, ARROW = ("srt", "vtt"), "-->"
TAG = re.compile(r"<[^<>]*>|\{[^{}]*\}")
# The fields of a line of an stm file before its transcript.
STM_FIELDS = re.compile(r"\s*(?:\S+\s+){4}\S+[ \t]*(?:<[^ \t]*>(?:[ \t]+|$))?")


@dataclass(frozen=True, slots=True)
class Correction:
    """Words `start` to `end - 1` of an utterance become `new`; `old` is what they are now."""

    start: int
    end: int
    old: str
    new: str


Corrections = Mapping[str, Sequence[Correction]]


def corrected_text(text: str, corrections: Sequence[Correction], utt: str) -> str:
    """Return a text with other words; the spaces between its other words stay.

    >>> corrected_text("we  meet at ten", [Correction(1, 2, "meet", "met")], "u1")
    'we  met at ten'
    >>> corrected_text("we met ten", [Correction(2, 2, "", "at"), Correction(0, 1, "we", "")], "u1")
    'met at ten'
    """
    spans = [found.span() for found in WORD.finditer(text)]
    check_words([text[low:high] for low, high in spans], corrections, utt)
    for one in sorted(corrections, key=lambda c: (c.start, c.end), reverse=True):
        if one.start < one.end:
            low, high = spans[one.start][0], spans[one.end - 1][1]
            new = one.new
            if not new:  # one of the two spaces around the words goes with them
                high = spans[one.end][0] if one.end < len(spans) else high
                low = low if one.end < len(spans) else _end_before(spans, one.start)
        elif one.start < len(spans):
            low = high = spans[one.start][0]
            new = f"{one.new} "
        else:
            low = high = spans[-1][1] if spans else len(text)
            new = f" {one.new}" if spans else one.new
        text = text[:low] + new + text[high:]
    return text


def _end_before(spans: Sequence[tuple[int, int]], place: int) -> int:
    return spans[place - 1][1] if place else spans[0][0]


def check_words(words: Sequence[str], corrections: Sequence[Correction], utt: str) -> None:
    """Raise if the words to be corrected are others, or if two corrections overlap."""
    last: Correction | None = None
    for one in sorted(corrections, key=lambda c: (c.start, c.end)):
        found = " ".join(words[one.start : one.end])
        if found != one.old or one.end > len(words) or one.start > one.end:
            raise InputError(
                f"words {one.start + 1} to {one.end} of utterance {utt!r} are {found!r}, and the "
                f"verdict is about {one.old!r}",
                fix="the verdicts are about another version of this file; nothing was written",
            )
        if last is not None and (one.start < last.end or one.start == last.start == one.end):
            raise InputError(
                f"two verdicts change the same words of utterance {utt!r}: "
                f"{last.old!r} becomes {last.new!r}, {one.old!r} becomes {one.new!r}",
                fix="remove one of the two verdicts",
            )
        last = one


def write_corrected(
    path: PathLike,
    target: PathLike,
    corrections: Corrections,
    columns: Columns,
    *,
    input_format: str | None = None,
    encoding: str | None = None,
) -> tuple[str, ...]:
    """Write a transcript file, or a folder of such files, with corrected words; return notes.

    A folder is written as a folder with the same names. Raises if an utterance is not there, or has
    other words than the corrections say.
    """
    if not os.path.isdir(path):
        source = open_source(path, encoding)
        part = find_format(source, input_format)
        data, noted = _corrected(path, source, part, corrections, columns, input_format)
        with whole_files([target]) as (file,):
            file.write(data)
        return noted
    part, files = recording_files(Path(path), input_format)
    known = dict(zip(recording_ids(files), files, strict=True))
    _refuse_unknown(corrections, known, path)
    written = []
    notes: tuple[str, ...] = ()
    for utt, name in known.items():
        own = {utt: corrections.get(utt, ())}
        data, notes = _corrected(name, open_source(name, encoding), part, own, columns, part.name)
        written.append((Path(target) / name.name, data))
    os.makedirs(target, exist_ok=True)
    with whole_files([name for name, _ in written]) as opened:
        for file, (_, data) in zip(opened, written, strict=True):
            file.write(data)
    return notes


def _refuse_unknown(corrections: Corrections, known: Mapping[str, object], path: PathLike) -> None:
    """Raise if an utterance is not among those of a file."""
    unknown = [utt for utt in corrections if utt not in known]
    if unknown:
        raise InputError(
            f"{counted(len(unknown), 'utterance')} with verdicts are not in it, such as "
            f"{unknown[0]!r}",
            where=os.fspath(path),
            fix="name the file that was judged",
        )


def _corrected(
    path: PathLike,
    source: Source,
    part: Format,
    corrections: Corrections,
    columns: Columns,
    input_format: str | None,
) -> tuple[bytes, tuple[str, ...]]:
    """Return the content of a file with corrected words, and notes."""
    transcript = read_source(source, part, columns)
    _refuse_unknown(corrections, dict.fromkeys(transcript.numbered["utt"]), path)
    if part.name == "nlp":
        utt = transcript.frame["utt"][0]
        return _nlp(source, corrections.get(utt, ()), utt), ()
    if part.name == "stm":
        return _stm(source, transcript, corrections), ()
    if part.name in SUBTITLES:
        utt, text = transcript.numbered.select("utt", "text").row(0)
        cues = _subtitles(source, text.split(), corrections.get(utt, ()), utt)
        if cues is not None:
            return cues, ()
    texts = {
        utt: corrected_text(text, corrections.get(utt, ()), utt)
        for utt, text in transcript.numbered.select("utt", "text").iter_rows()
    }
    if part.by_line:
        return _lines(path, source, transcript, corrections, columns, input_format), ()
    notes: tuple[str, ...] = ()
    if part.rewritten_as:
        notes = (f"{source.shown} is {part.name}: it is written as {part.rewritten_as}",)
    return part.rewrite(source, columns, list(texts), list(texts.values())), notes


def _lines(
    path: PathLike,
    source: Source,
    transcript: Transcript,
    corrections: Corrections,
    columns: Columns,
    input_format: str | None,
) -> bytes:
    """Return the lines of a file in which each line is an utterance, perhaps after its id."""
    utt_of = dict(transcript.numbered.select("line", "utt").iter_rows())
    target = BytesIO()
    with rewritable(path, input_format, columns) as opened:
        blocks = [piece for piece, _ in opened.pieces(1 << 30)]
        rows = b"\0".join(blocks).decode().split("\0")
        for line, utt in utt_of.items():
            if found := corrections.get(utt):
                row = rows[line - 1]
                start = _text_start(row) if opened.labelled else 0
                text = corrected_text(row[start:], found, utt)
                head = row[:start].rstrip() if start and not text else row[:start]
                gap = " " if head and text and not head[-1].isspace() else ""
                rows[line - 1] = f"{head}{gap}{text}"
        writer = opened.writer(target)
        writer.write("\0".join(rows).encode())
        writer.finish()
    return target.getvalue()


def _text_start(row: str) -> int:
    """Return where the text begins in a row of id and text.

    >>> _text_start("u1  so"), _text_start("u1")
    (4, 2)
    """
    found = re.match(r"\s*\S+\s*", row)
    return found.end() if found else 0


def _stm(source: Source, transcript: Transcript, corrections: Corrections) -> bytes:
    """Return the lines of an stm file with other transcripts of the corrected segments."""
    lines = list(source.lines)
    for utt, text, line in transcript.frame.select("utt", "text", "line").iter_rows():
        if found := corrections.get(utt):
            fields = STM_FIELDS.match(lines[line - 1])
            head = fields[0] if fields else ""
            gap = "" if head.endswith((" ", "\t")) else " "
            lines[line - 1] = f"{head}{gap}{corrected_text(text, found, utt)}"
    return "".join(f"{line}\n" for line in lines).encode()


def _subtitles(
    source: Source, words: Sequence[str], corrections: Sequence[Correction], utt: str
) -> bytes | None:
    """Return the lines of subtitles with other words; None if the words are not found in them."""
    check_words(words, corrections, utt)
    lines = list(source.lines)
    places = [
        (number, found.start(), found.end(), found[0])
        for number, line in enumerate(lines)
        if _has_words(lines, number)
        for found in WORD.finditer(TAG.sub(lambda tag: " " * len(tag[0]), line))
    ]
    if [word for *_, word in places] != list(words):
        return None
    for one in sorted(corrections, key=lambda c: (c.start, c.end), reverse=True):
        if one.start == one.end:
            before = one.start == 0 and bool(places)
            if not places:
                return None
            number, low, high, _ = places[0 if before else one.start - 1]
            at, new = (low, f"{one.new} ") if before else (high, f" {one.new}")
            lines[number] = lines[number][:at] + new + lines[number][at:]
            continue
        for place in range(one.end - 1, one.start - 1, -1):
            number, low, high, _ = places[place]
            new = one.new if place == one.start else ""
            line = lines[number]
            if not new:  # a space goes with the word
                low -= line[:low].endswith(" ")
            lines[number] = line[:low] + new + line[high:]
    return "".join(f"{line}\n" for line in lines).encode()


def _has_words(lines: Sequence[str], number: int) -> bool:
    """Whether a line of subtitles has words of a cue: no time, number or header."""
    line = lines[number].strip()
    following = lines[number + 1] if number + 1 < len(lines) else ""
    is_head = number == 0 and line.lstrip("\ufeff").startswith("WEBVTT")
    return bool(line) and ARROW not in line and ARROW not in following and not is_head


def _nlp(source: Source, corrections: Sequence[Correction], utt: str) -> bytes:
    """Return the rows of an nlp file; a word that is added has the speaker of its neighbour."""
    header, *rows = source.lines
    names = [name.strip() for name in header.split(SEPARATOR)]
    at = names.index(TOKEN)
    fields = [row.split(SEPARATOR) for row in rows]
    # A word of the transcript is a part of the token of its row.
    owner: list[int] = []
    words: list[str] = []
    for number, row in enumerate(fields):
        for word in row[at].split() if len(row) > at else ():
            owner.append(number)
            words.append(word)
    check_words(words, corrections, utt)
    for one in sorted(corrections, key=lambda c: (c.start, c.end), reverse=True):
        first, last = _rows_of(one, owner, len(fields))
        kept = [w for n, w in enumerate(words) if first <= owner[n] < last and n < one.start]
        rest = [w for n, w in enumerate(words) if first <= owner[n] < last and n >= one.end]
        texts = [*kept, *one.new.split(), *rest]
        beside = fields[first] if first < last else (fields[first - 1] if first else fields[0])
        fields[first:last] = [
            _nlp_row(fields, names, at, word, first + n if first + n < last else None, beside)
            for n, word in enumerate(texts)
        ]
    return "".join(f"{line}\n" for line in (header, *map(SEPARATOR.join, fields))).encode()


def _rows_of(one: Correction, owner: Sequence[int], size: int) -> tuple[int, int]:
    """Return the rows that a correction replaces; none where words are added."""
    if one.start < one.end:
        return owner[one.start], owner[one.end - 1] + 1
    place = owner[one.start] if one.start < len(owner) else size
    return place, place


def _nlp_row(
    fields: Sequence[list[str]],
    names: Sequence[str],
    at: int,
    word: str,
    number: int | None,
    beside: Sequence[str],
) -> list[str]:
    """Return a row with another token: that of the old row, or a new one for the same speaker."""
    if number is not None:
        row = list(fields[number])
    else:
        usual = {"speaker": None, "tags": "[]", "wer_tags": "[]", "case": ""}
        row = [
            beside[n] if name in usual and usual[name] is None else str(usual.get(name, "") or "")
            for n, name in enumerate(names)
        ]
    row[at] = word
    return row
