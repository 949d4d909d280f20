"""Logs of streaming recognisers: partial and final results, with the times at which they came.

A log is a sequence of results of a recording (`StreamResult`). Results up to a final one are of one
segment; the words are those of the final results, and `emitted` is the time at which their result
came. The first word of a segment has all its results in the column `results`, a list of `segment`,
`emitted` and `text`, from which latencies and revisions are computed
(`asr/metrics/latency.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

from misword.core.errors import InputError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.io.files.sources import Source
from misword.io.transcripts.columns import ID_NAMES, Columns, SourceTranscripts
from misword.io.transcripts.formats import Format, recording_id
from misword.io.transcripts.formats.responses import (
    SAMPLE,
    Response,
    WrongResponseError,
    column,
    names,
    numbers,
    objects,
    read_responses,
    texts,
)
from misword.io.transcripts.words import word_table

MILLISECONDS = 1e-3
EMITTED = ("emitted", "emission_time")
FINAL = ("final", "is_final", "isFinal")
BEGIN, END = ("begin", "start", "start_time"), ("end", "end_time")
PIECE = "▁"  # begins a word in the tokens of SentencePiece
STREAM_FIX = (
    'each line is a result: {"emitted": seconds, "text": "...", "final": true or false}, '
    "or what the recogniser sent with the key `emitted`"
)
Clock = Literal["elapsed", "delays"]


class StreamResult(NamedTuple):
    """A result of a recording: when it came, and what it says.

    `segment` is given or None. `begin` and `end` are the times of its speech, `words` the words
    with times of their own, if they are known.
    """

    emitted: float
    text: str
    final: bool
    segment: int | None = None
    begin: float | None = None
    end: float | None = None
    words: Mapping[str, list[Any]] | None = None


class StreamFormat(Format):
    """A log of results, one JSON object a line; `_recordings` divides it by recording."""

    __slots__ = ()

    family: ClassVar[str] = "streams"
    sign: ClassVar[bytes] = b"{"
    may_be_named_as: ClassVar[str] = "jsonl"
    one_recording: ClassVar[bool] = True
    rewritten_as: ClassVar[str] = "kaldi"

    def _is(self, line: Response) -> bool:
        """Return whether an object is a line of such a log."""
        raise NotImplementedError

    def _words(self, lines: Sequence[Response], name: str) -> Iterator[tuple[str, pl.DataFrame]]:
        """Yield the id and the words of each recording, in order; raise a `WrongResponseError`."""
        raise NotImplementedError

    def looks_like(self, source: Source) -> bool:
        """Whether the first lines are those of such a log."""
        try:
            lines = [line for _, line in islice(read_responses(source), SAMPLE)]
        except InputError:
            return False
        return bool(lines) and all(isinstance(line, dict) and self._is(line) for line in lines)

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
        """Return the text of each recording: the words of its final results."""
        lines = []
        for number, line in read_responses(source):
            if not isinstance(line, dict) or not self._is(line):
                what = f"no line of a log of {self.title}"
                raise InputError(what, where=source.at(number), fix=STREAM_FIX)
            lines.append(line)
        return self._read(lines, source, columns)

    def _read(
        self, lines: Sequence[Response], source: Source, columns: Columns
    ) -> SourceTranscripts:
        try:
            found = list(self._words(lines, recording_id(source)))
        except WrongResponseError as error:
            raise InputError(str(error), where=source.at(), fix=STREAM_FIX) from None
        tables = [word_table(rows, utt) for utt, rows in found]
        said = [words["word"].str.join(" ").item() or "" for words in tables]
        if any("\0" in text for text in said):
            raise InputError("a NUL character in a text", where=source.at(), fix=STREAM_FIX)
        frame = pl.DataFrame(
            {"utt": [utt for utt, _ in found], "text": said},
            schema={"utt": pl.String, "text": pl.String},
        )
        line = pl.lit(1 if len(found) == 1 else None, pl.Int64).alias("line")
        return SourceTranscripts(
            frame.with_columns(line),
            self._notes(lines, source),
            words=pl.concat(tables, how="diagonal_relaxed"),
        )

    def _notes(self, lines: Sequence[Response], source: Source) -> tuple[str, ...]:
        """Return notes for the user on the lines."""
        return ()


# JSON lines of results, as recognisers send them.


@dataclass(frozen=True, slots=True)
class Stream(StreamFormat):
    """Results of a streaming recogniser, one a line, with the time at which each came.

    `{"emitted": 1.52, "text": "hello the", "final": false}`: `emitted` (or `emission_time`) is in
    seconds from the beginning of the recording. Further keys are optional: `recording` (or an id),
    `segment`, `begin` and `end` of the speech, and `words` with `word`, `begin` and `end`. Results
    of Vosk (`partial`, or `text` with `result`), of Deepgram (`channel`) and of Google
    (`results`) may stand there as they were sent, with `emitted` added by the program that
    received them. Results up to a final one are of one segment.

    Known problems: a segment without a final result has its last partial one.

    Example: `misword score ref.stm stream.jsonl --metrics wer,latency`
    """

    name: ClassVar[str] = "stream"
    title: ClassVar[str] = "streaming results"

    def _is(self, line: Response) -> bool:
        kinds = ("text", "partial", "channel", "results", "words")
        return _value(line, EMITTED) is not None and any(kind in line for kind in kinds)

    def _words(self, lines: Sequence[Response], name: str) -> Iterator[tuple[str, pl.DataFrame]]:
        recordings: dict[str, list[StreamResult]] = {}
        for line in lines:
            known = (line.get(key) for key in ("recording", *ID_NAMES))
            utt = next((str(value) for value in known if isinstance(value, str | int)), name)
            recordings.setdefault(utt, []).append(_result(line))
        for utt, results in recordings.items():
            yield utt, stream_words(results)

    def _notes(self, lines: Sequence[Response], source: Source) -> tuple[str, ...]:
        if any(_result(line).final for line in lines):
            return ()
        return (f"{source.shown}: no result is final, so the last one is taken",)


def _value(item: Response, keys: Iterable[str]) -> Any:
    return next((item[key] for key in keys if item.get(key) is not None), None)


def _seconds(value: Any, what: str) -> float | None:
    """Return a time; Google writes it as `1.2s`."""
    if isinstance(value, str):
        value = value.removesuffix("s")
    return numbers([value], what)[0]


def _result(line: Response) -> StreamResult:
    """Return the result on a line, in the words of any recogniser."""
    emitted = _seconds(_value(line, EMITTED), "'emitted'")
    assert emitted is not None
    begin, end = _seconds(_value(line, BEGIN), "begin"), _seconds(_value(line, END), "end")
    if "channel" in line and isinstance(line["channel"], dict):  # Deepgram
        best = next(iter(objects(line["channel"].get("alternatives"), "'alternatives'")), {})
        text = texts([best.get("transcript", "")], "transcript")[0]
        duration = numbers([line.get("duration")], "duration")[0]
        end = begin + duration if begin is not None and duration is not None else end
        return StreamResult(
            emitted, text, _final(line), _segment(line), begin, end, _timed(best, text)
        )
    if "results" in line:  # Google
        parts = objects(line["results"], "'results'")
        firsts = [objects(part.get("alternatives"), "alternatives")[:1] for part in parts]
        said = [first.get("transcript", "") for one in firsts for first in one]
        text = "".join(texts(said, "transcript"))
        ends = [_seconds(part.get("resultEndTime"), "resultEndTime") for part in parts]
        final = bool(parts) and all(_final(part) for part in parts)
        return StreamResult(emitted, text, final, _segment(line), begin, ends[0] if ends else end)
    if "partial" in line:  # Vosk
        return StreamResult(emitted, texts([line["partial"]], "partial")[0], final=False)
    text = texts([line["text"] if "text" in line else " ".join(_listed(line))], "text")[0]
    final = _final(line) or (_value(line, FINAL) is None and "result" in line)
    return StreamResult(emitted, text, final, _segment(line), begin, end, _timed(line, text))


def _final(item: Response) -> bool:
    return _value(item, FINAL) is True


def _segment(item: Response) -> int | None:
    value = item.get("segment")
    return value if isinstance(value, int) else None


def _listed(item: Response) -> list[str]:
    found = objects(item.get("words", item.get("result")), "'words'")
    return texts((_value(word, ("punctuated_word", "word")) for word in found), "word")


def _timed(item: Response, text: str) -> Mapping[str, list[Any]] | None:
    """Return the words with their times; None if they are not the words of the text."""
    found = objects(item.get("words", item.get("result")), "'words'")
    plain = texts(column(found, "word"), "word") if found else []
    written = _listed(item) if found else []
    if not found or text.split() not in (plain, written):
        return None
    times = [
        numbers((_value(word, keys) for word in found), what)
        for keys, what in ((BEGIN, "begin"), (END, "end"))
    ]
    return {"word": text.split(), "begin": times[0], "end": times[1]}


def stream_words(results: Sequence[StreamResult]) -> pl.DataFrame:
    """Return the words of a recording, and the results of each segment beside its first word.

    >>> said = [StreamResult(0.5, "a", False), StreamResult(1.0, "a b", True)]
    >>> stream_words(said).select("word", "segment", "emitted").rows()
    [('a', 0, 1.0), ('b', 0, 1.0)]
    """
    ordered = sorted(results, key=lambda result: result.emitted)
    segments: dict[int, list[StreamResult]] = {}
    number = 0
    for result in ordered:
        at = number if result.segment is None else result.segment
        segments.setdefault(at, []).append(result)
        number += result.final and result.segment is None
    rows: list[dict[str, Any]] = []
    waiting: list[dict[str, Any]] = []  # results of segments that have no words
    for at, said in segments.items():
        last = next((result for result in reversed(said) if result.final), said[-1])
        waiting += [{"segment": at, "emitted": r.emitted, "text": r.text} for r in said]
        words = last.words or {"word": last.text.split()}
        for place, word in enumerate(words["word"]):
            begin, end = (
                words[side][place] if side in words else known
                for side, known in (("begin", last.begin), ("end", last.end))
            )
            row = {"word": word, "segment": at, "begin": begin, "end": end, "emitted": last.emitted}
            rows.append({**row, "results": waiting or None})
            waiting = []
    if waiting and rows:
        rows[-1]["results"] = [*(rows[-1]["results"] or []), *waiting]
    return result_rows(rows)


def result_rows(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Return rows of words as a frame with the column `results`."""
    one = pl.Struct({"segment": pl.Int64, "emitted": pl.Float64, "text": pl.String})
    schema: dict[str, Any] = {
        "word": pl.String,
        "segment": pl.Int64,
        "begin": pl.Float64,
        "end": pl.Float64,
        "emitted": pl.Float64,
        "results": pl.List(one),
    }
    return pl.DataFrame(list(rows), schema=schema)


# SimulEval: one instance a line, with the delay of each word.


@dataclass(frozen=True, slots=True)
class SimulEval(StreamFormat):
    """The `instances.log` of SimulEval: a prediction a line, with `delays` and `elapsed` of words.

    Times are those of `elapsed`, which includes computing; with `clock=delays`, those of the audio
    that had been read. The ids are the positions of the instances. As a reference, the file has the
    references: `misword score instances.log` scores one file.

    Known problems: words have no times of their own; the time to the final segment is counted from
    the end of the recording.

    Reference: X. Ma et al., SimulEval, EMNLP 2020 (system demonstrations).
    """

    name: ClassVar[str] = "simuleval"
    title: ClassVar[str] = "SimulEval"
    both_sides: ClassVar[bool] = True
    clock: Clock = "elapsed"

    def _is(self, line: Response) -> bool:
        return isinstance(line.get("prediction"), str) and isinstance(line.get("delays"), list)

    def _read(
        self, lines: Sequence[Response], source: Source, columns: Columns
    ) -> SourceTranscripts:
        try:
            order = numbers(column(lines, "index"), "index")
        except WrongResponseError as error:
            raise InputError(str(error), where=source.at(), fix=STREAM_FIX) from None
        if None not in order:
            places = sorted(range(len(lines)), key=lambda place: order[place] or 0)
            lines = [lines[place] for place in places]
        if columns.role == "reference":
            if any(not isinstance(line.get("reference"), str) for line in lines):
                raise InputError("an instance without 'reference'", where=source.at())
            said = pl.Series("text", column(lines, "reference"), pl.String)
            ids = pl.Series("utt", [str(place) for place in range(1, len(lines) + 1)], pl.String)
            return SourceTranscripts(pl.DataFrame([ids, said]).with_columns(line=None))
        return StreamFormat._read(self, lines, source, columns)

    def _words(self, lines: Sequence[Response], name: str) -> Iterator[tuple[str, pl.DataFrame]]:
        for place, line in enumerate(lines, start=1):
            words = line["prediction"].split()
            emitted = numbers(line.get(self.clock) or line["delays"], self.clock, MILLISECONDS)
            if len(emitted) != len(words):
                found = f"{counted(len(emitted), 'delay')} for {counted(len(words), 'word')}"
                raise WrongResponseError(f"instance {place}: {found}; use words as the unit")
            end = numbers([line.get("source_length")], "source_length", MILLISECONDS)[0]
            rows = [
                {"word": word, "segment": 0, "begin": 0.0, "end": end, "emitted": time}
                for word, time in zip(words, emitted, strict=True)
            ]
            yield str(place), result_rows(rows)


# SimulStream: what each chunk of audio added and removed.


@dataclass(frozen=True, slots=True)
class SimulStream(StreamFormat):
    """Logs of SimulStream: the tokens that each chunk of audio added and removed.

    The keys are `total_audio_processed`, `computation_time`, `generated_tokens` and
    `deleted_tokens`. A recording has the name of its audio file, from the line with `metadata`. A
    word came when it last changed, with the time of computing; with `clock=delays`, without it.

    Known problems: pieces of words are joined where SentencePiece marks the begins of words;
    without marks, each token is a word. A recording is one segment.

    Reference: https://github.com/hlt-mt/simulstream
    """

    name: ClassVar[str] = "simulstream"
    title: ClassVar[str] = "SimulStream"
    clock: Clock = "elapsed"

    def _is(self, line: Response) -> bool:
        chunk = {"generated_tokens", "deleted_tokens", "total_audio_processed"} <= line.keys()
        return chunk or "model_loading_time" in line or {"id", "metadata"} <= line.keys()

    def _words(self, lines: Sequence[Response], name: str) -> Iterator[tuple[str, pl.DataFrame]]:
        shown: dict[Any, str] = {}
        chunks: dict[Any, list[Response]] = {}
        for line in lines:
            if isinstance(line.get("metadata"), dict):
                file = names([line["metadata"].get("wav_name")], "wav_name")[0]
                shown[line["id"]] = Path(file).stem if file else str(line["id"])
            elif "generated_tokens" in line:
                chunks.setdefault(line.get("id"), []).append(line)
        if not chunks:
            raise WrongResponseError("no chunk of audio")
        for key, mine in chunks.items():
            yield shown.get(key, name if len(chunks) == 1 else str(key)), self._replayed(mine)

    def _replayed(self, chunks: Sequence[Response]) -> pl.DataFrame:
        """Return the words that are left at the end, with the time at which each last changed."""
        tokens: list[str] = []
        words: list[str] = []
        times: list[float] = []
        results = []
        for chunk in chunks:
            removed = texts(chunk["deleted_tokens"], "deleted_tokens")
            tokens = tokens[: len(tokens) - len(removed)]
            tokens += texts(chunk["generated_tokens"], "generated_tokens")
            keys = ("total_audio_processed", "computation_time")
            audio, computing = numbers((chunk.get(key) for key in keys), keys[0])
            if audio is None:
                raise WrongResponseError("total_audio_processed is null")
            emitted = audio + (computing or 0.0) * (self.clock == "elapsed")
            joined = any(token.startswith(PIECE) for token in tokens)
            text = "".join(tokens).replace(PIECE, " ") if joined else " ".join(tokens)
            now = text.split()
            pairs = enumerate(zip(words, now, strict=False))
            same = next((at for at, (a, b) in pairs if a != b), min(len(words), len(now)))
            words, times = now, times[:same] + [emitted] * (len(now) - same)
            results.append({"segment": 0, "emitted": emitted, "text": text.strip()})
        rows: list[dict[str, Any]] = [
            {"word": word, "segment": 0, "begin": None, "end": None, "emitted": time}
            for word, time in zip(words, times, strict=True)
        ]
        if rows:
            rows[0]["results"] = results
        return result_rows(rows)
