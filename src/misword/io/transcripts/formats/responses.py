"""What formats of recognisers' JSON share: responses, columns of words, texts and alternatives.

A file is the response for one recording, or has one response a line. A format says what a response
contains (`Heard`): words with their metadata in columns, and alternatives of texts if it has any.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.io.files.sources import BOM, Source
from misword.io.files.strict_json import JsonError, is_encodable, parse_json, without_collection
from misword.io.transcripts.columns import ID_NAMES, Columns, SourceTranscripts
from misword.io.transcripts.formats import (
    RANK,
    SCORE,
    Format,
    Hypotheses,
    ListFormat,
    number,
    recording_id,
)
from misword.io.transcripts.words import runs_of, word_table

Response = dict[str, Any]
Values = list[Any]
SAMPLE = 20
HEAD = 1 << 10  # bytes in which a response begins, after blanks
AS_RETURNED = "give the responses as the recogniser returned them: one a file, or one a line"


class WrongResponseError(Exception):
    """A response that is not as its format declares; the message says why."""


# Words in columns.


@dataclass
class Heard:
    """What one response says.

    `columns` has a list of equal length for each column of the table of words that the format has,
    `word` among them. `lists` has the alternatives of each segment as (text, score), the best
    first; a format without alternatives leaves it empty. `notes` are for the user.
    """

    columns: dict[str, Values] = field(default_factory=lambda: {"word": []})
    lists: list[list[tuple[str, float | None]]] = field(default_factory=list)
    notes: tuple[str, ...] = ()

    def add(self, words: Mapping[str, Values], segment: int | None = None) -> None:
        """Append words; columns that only some words have are None for the others."""
        before, size = len(self.columns["word"]), len(words["word"])
        new = dict(words)
        if segment is not None:
            new["segment"] = [segment] * size
        for name in new:
            if name not in self.columns:
                self.columns[name] = [None] * before
        for name, values in self.columns.items():
            values += new.get(name) or [None] * size


def fitted(words: Mapping[str, Values], text: str) -> dict[str, Values]:
    """Return the words of a text with the metadata that is known for its characters.

    `words` are parts of the text in its order: words, or pieces of words. A word of the text gets
    the begin of its first part, the end of the last one and the mean of their confidences. If the
    parts have other characters than the text, only the time of all parts and the speaker and
    channel that they share are known.

    >>> fitted({"word": ["he", "llo", "you"], "begin": [0, 1, 2], "end": [1, 2, 3]}, "hello you")
    {'word': ['hello', 'you'], 'begin': [0, 2], 'end': [2, 3]}
    """
    tokens, parts = text.split(), [part.strip() for part in words["word"]]
    if tokens == parts:
        return {**words, "word": tokens}
    bare = ["".join(part.split()) for part in parts]
    others = [name for name in words if name != "word"]
    if not tokens or "".join(tokens) != "".join(bare):
        return {"word": tokens} | {
            name: [_shared(name, words[name])] * len(tokens) for name in others
        }
    kept = [row for row, part in enumerate(bare) if part]
    starts, ends = _spans([bare[row] for row in kept])
    first_character, last_character = _spans(tokens)
    first = np.searchsorted(ends, first_character, side="right").tolist()
    last = (np.searchsorted(starts, last_character, side="left") - 1).tolist()
    found: dict[str, Values] = {"word": tokens}
    for name in others:
        values = [words[name][row] for row in kept]
        if name == "end":
            found[name] = [values[at] for at in last]
        elif name == "confidence":
            found[name] = [_mean(values[a : b + 1]) for a, b in zip(first, last, strict=True)]
        else:
            found[name] = [values[at] for at in first]
    return found


def _spans(parts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first character of each part of a text without blanks, and the one after it."""
    ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
    return np.concatenate([[0], ends[:-1]]), ends


def _shared(name: str, values: Values) -> Any:
    """Return what is known of all words together: their time, and a name that all have."""
    known = [value for value in values if value is not None]
    if name == "confidence" or not known:
        return None
    if name == "begin":
        return known[0]
    if name == "end":
        return known[-1]
    return known[0] if all(value == known[0] for value in values) else None


def _mean(values: Values) -> float | None:
    known = [float(value) for value in values if value is not None]
    return sum(known) / len(known) if known else None


def attached(
    columns: Mapping[str, Values], is_sign: Sequence[bool], to_previous: Sequence[bool]
) -> dict[str, Values]:
    """Return the words with signs joined to them.

    Row r is joined to the row before it if `to_previous[r]`. Metadata are those of the word; signs
    without a word have their own.

    >>> attached({"word": ["so", ",", "yes"], "begin": [1, None, 2]}, *[[False, True, False]] * 2)
    {'word': ['so,', 'yes'], 'begin': [1, 2]}
    """
    if True not in to_previous:
        return dict(columns)
    starts = [row for row, joined in enumerate(to_previous) if not joined or row == 0]
    groups = list(zip(starts, [*starts[1:], len(to_previous)], strict=True))
    words = columns["word"]
    joined = [words[a] if b == a + 1 else "".join(words[a:b]) for a, b in groups]
    kept = [
        next((row for row in range(a, b) if not is_sign[row]), a) if is_sign[a] else a
        for a, b in groups
    ]
    rest = {name: [values[row] for row in kept] for name, values in columns.items()}
    return {**rest, "word": joined}


def speakers_at(
    begins: Values, ends: Values, spans: Sequence[tuple[float, float, str | None]]
) -> Values:
    """Return the speaker of each word: that of the span which has the middle of the word.

    >>> speakers_at([0.0, 2.0, 9.0], [1.0, 3.0, 9.5], [(0, 1.5, "A"), (1.5, 4, "B")])
    ['A', 'B', None]
    """
    if not spans or not begins:
        return [None] * len(begins)
    ordered = sorted(spans, key=lambda span: span[:2])
    starts = np.array([span[0] for span in ordered], np.float64)
    last = np.array([span[1] for span in ordered], np.float64)
    middles = (np.array(begins, np.float64) + np.array(ends, np.float64)) / 2
    rows = np.searchsorted(starts, middles, side="right") - 1
    inside = (rows >= 0) & (middles <= last[rows])
    return [ordered[row][2] if is_in else None for row, is_in in zip(rows, inside, strict=True)]


# Values of responses. A value of another type than expected raises a `WrongResponseError`.


def objects(value: Any, what: str) -> list[dict[str, Any]]:
    """Return a list of objects; null is an empty list."""
    if value is None:
        return []
    if not isinstance(value, list) or any(type(item) is not dict for item in value):
        raise WrongResponseError(f"{what} is not a list of objects")
    return value


def texts(values: Iterable[Any], what: str) -> list[str]:
    """Return values that are texts."""
    found = list(values)
    if not set(map(type, found)) <= {str}:
        raise WrongResponseError(f"a word or text without {what!r}")
    return found


def names(values: Iterable[Any], what: str) -> list[str | None]:
    """Return names of speakers or channels; numbers are names, and an empty one is none."""
    found = list(values)
    if not set(map(type, found)) <= {str, int, type(None)}:
        raise WrongResponseError(f"{what} is neither a text nor a whole number")
    return [None if value is None or value == "" else str(value) for value in found]


def numbers(values: Iterable[Any], what: str, scale: float = 1) -> list[float | None]:
    """Return numbers, which may be written as texts, times `scale`; null is None."""
    found = list(values)
    kinds = set(map(type, found)) - {type(None)}
    if not kinds <= {str, int, float}:
        raise WrongResponseError(f"{what} is not a number")
    try:
        read = [None if value is None else float(value) * scale for value in found]
    except (ValueError, OverflowError):
        raise WrongResponseError(f"{what} is not a number") from None
    if any(value is not None and not math.isfinite(value) for value in read):
        raise WrongResponseError(f"{what} is not a finite number")
    return read


def column(items: Sequence[dict[str, Any]], key: str) -> Values:
    """Return the value of a key in each object, None if it has no such key."""
    return [item.get(key) for item in items]


def sums(values: Sequence[float | None], others: Sequence[float | None]) -> list[float | None]:
    """Return the sum of each two numbers: ends from begins and durations."""
    pairs = zip(values, others, strict=True)
    return [None if a is None or b is None else a + b for a, b in pairs]


def alternatives_of(items: Any, key: str, score: str = "confidence") -> list[tuple[str, Any]]:
    """Return the text and the score of each alternative of a segment."""
    if not isinstance(items, list) or not items:
        raise WrongResponseError("an empty list of alternatives, or none")
    if any(type(item) is not dict for item in items):
        raise WrongResponseError("an alternative that is no object")
    if not all(isinstance(item.get(key), str) for item in items):
        raise WrongResponseError(f"an alternative without {key!r}")
    return [(item[key], item.get(score)) for item in items]


# Responses, and the formats that read them.


def read_responses(source: Source) -> Iterator[tuple[int, Any]]:
    """Yield the line and the content of each response: the whole file, or each of its lines."""
    start = source.data[:HEAD].removeprefix(BOM).lstrip()[:1]
    if start not in (b"{", b"["):
        _refuse(source, 1, "no JSON object")
    lines = ((n, line) for n, line in enumerate(source.lines, start=1) if line.strip())
    first = next(lines, (1, "")) if len(source.lines) > 1 else (1, "")
    if start == b"[" or not first[1].rstrip().endswith("}"):
        try:
            yield 1, source.json
        except JsonError as error:
            _refuse(source, 1, str(error))
        return
    for line, text in chain([first], lines):
        try:
            yield line, parse_json(text)
        except JsonError as error:
            _refuse(source, line, str(error))


class ResponseFormat(ListFormat):
    """Responses of a recogniser: `_heard` returns what one of them says."""

    __slots__ = ()

    family: ClassVar[str] = "recognisers"
    sign: ClassVar[bytes] = b"{"
    may_be_named_as: ClassVar[str] = "jsonl"
    one_recording: ClassVar[bool] = True
    rewritten_as: ClassVar[str] = "kaldi"

    def _is(self, response: Any) -> bool:
        """Return whether a JSON value is a response of this recogniser."""
        raise NotImplementedError

    def _is_silence(self, response: Any) -> bool:
        """Return whether a response may be that of another recogniser that heard nothing."""
        return False

    def _heard(self, response: Any) -> Heard:
        """Return what a response says; raise a `WrongResponseError` if it is not as declared."""
        raise NotImplementedError

    def looks_like(self, source: Source) -> bool:
        """Whether the first responses are those of this recogniser, not all of them silence."""
        heard = False
        try:
            for _, response in islice(read_responses(source), SAMPLE):
                if not self._is(response):
                    return False
                heard = heard or not self._is_silence(response)
        except InputError:
            return False
        return heard

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
        """Return the texts, words and alternatives of all responses."""
        with without_collection(len(source.data)):
            return self._read(source, columns)

    def _read(self, source: Source, columns: Columns) -> SourceTranscripts:
        responses = list(read_responses(source))
        ids, by_position = _ids(responses, source)
        found, tables, notes, joined = Hypotheses(source), [], list[str](), 0
        for (line, response), utt in zip(responses, ids, strict=True):
            try:
                heard = self._read_one(response)
                lists = heard.lists
                words = word_table(_with_turns(pl.DataFrame(_typed(heard.columns))), utt)
            except WrongResponseError as error:
                _refuse(source, line, str(error))
            tables.append(words)
            if len(lists) == 1:
                for text, score in lists[0]:
                    found.add(utt, text, line, _score(score, source, line))
            else:
                found.add(utt, words["word"].str.join(" ").item() or "", line, {})
            joined += len(lists) > 1 and any(len(one) > 1 for one in lists)
            notes += heard.notes
        if joined:
            what = f"{source.shown}: {counted(joined, 'response')} of several segments"
            notes.append(f"{what}: the best alternatives are joined, the others left out")
        reading = found.reading(dict.fromkeys(notes), by_position=by_position)
        return self._with_words(reading, pl.concat(tables), columns)

    def _read_one(self, response: Any) -> Heard:
        if not self._is(response):
            raise WrongResponseError(f"no response of {self.title}")
        heard = self._heard(response)
        every = "".join(
            chain(heard.columns["word"], *([text for text, _ in one] for one in heard.lists))
        )
        if "\0" in every:
            raise WrongResponseError("a NUL character in a text")
        if not every.isascii() and not is_encodable(every):
            raise WrongResponseError("half of a surrogate pair, which is no character")
        return heard

    def _with_words(
        self, reading: SourceTranscripts, words: pl.DataFrame, columns: Columns
    ) -> SourceTranscripts:
        """Return a reading with its words, without ranks if no utterance has alternatives."""
        frame = reading.frame
        only_best = frame[RANK].max() == 1
        if only_best and (columns.role == "reference" or SCORE not in frame.columns):
            frame = frame.drop(RANK, SCORE, strict=False)
        if reading.by_position and RANK not in frame.columns:
            frame = frame.drop("utt")
        return SourceTranscripts(frame, reading.notes, words=words, by_position=reading.by_position)

    def rewrite(
        self, source: Source, columns: Columns, ids: Sequence[str], texts: Sequence[str]
    ) -> bytes:
        """Return lines of id and text."""
        return Format.rewrite(self, source, columns, ids, texts)


def _typed(columns: Mapping[str, Values]) -> dict[str, pl.Series]:
    """Return columns with types that do not depend on the values of the first rows."""
    kinds = {"begin": pl.Float64, "end": pl.Float64, "confidence": pl.Float64, "segment": pl.Int64}
    return {
        name: pl.Series(name, values, kinds.get(name, pl.String), strict=True)
        for name, values in columns.items()
    }


def _with_turns(rows: pl.DataFrame) -> pl.DataFrame:
    """Return words with the turns of speakers and channels as segments, if they have no others."""
    known = [name for name in ("speaker", "channel") if name in rows.columns]
    if "segment" in rows.columns or not known:
        return rows
    return rows.with_columns(runs_of(*known).alias("segment"))


def _score(score: Any, source: Source, line: int) -> dict[str, float]:
    if score is None:
        return {}
    return {"score": number(str(score), "confidence", source, line)}


def _ids(responses: Sequence[tuple[int, Any]], source: Source) -> tuple[list[str], bool]:
    """Return the id of each response, and whether the ids are positions.

    Several responses have the ids that they contain, or else their positions; a single one has the
    name of its file.
    """
    if len(responses) == 1:
        return [_id_of(responses[0][1], of_one=True) or recording_id(source)], False
    ids = [_id_of(response) for _, response in responses]
    known = [utt for utt in ids if utt is not None]
    if len(known) < len(ids):
        return [str(place) for place in range(1, len(ids) + 1)], True
    return known, False


def _id_of(response: Any, of_one: bool = False) -> str | None:
    """Return the id of a response, under one of the usual names.

    `of_one`: services give each response an `id`, which tells nothing if there is only one.
    """
    if not isinstance(response, dict):
        return None
    values = (response.get(name) for name in ID_NAMES if not (of_one and name == "id"))
    return next((str(value) for value in values if isinstance(value, str | int)), None)


def _refuse(source: Source, line: int, what: str) -> NoReturn:
    raise InputError(what, where=source.at(line), fix=AS_RETURNED)
