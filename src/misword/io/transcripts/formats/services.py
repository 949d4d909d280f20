"""N-best lists in JSON: HyPoradise, and responses of Vosk, Azure, Google and Deepgram."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, ClassVar, Literal, NoReturn

from misword.core.errors import InputError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.io.files.sources import BOM, Source
from misword.io.files.strict_json import CHECK_WHOLE, JsonError, is_encodable, parse_json
from misword.io.transcripts.columns import ID_NAMES, Columns, SourceTranscripts
from misword.io.transcripts.formats import Hypotheses, ListFormat, number, recording_id

# HyPoradise: lists with their references in one JSON array.

LIST, REFERENCE = "input", "output"
HEAD_BYTES = 1 << 20
ITEM_FIX = (
    'each item must be an object like {"input": ["best text", "second", ...], "output": "..."}'
)


@dataclass(frozen=True, slots=True)
class HyPoradise(ListFormat):
    """A JSON array of objects: `input` is a list of hypotheses, best first, `output` the reference.

    One file has both sides: `misword score test.json`. An id (`id`, `utt`, ...) is used if all
    items have it; otherwise the items are numbered. There are no scores.

    Reference: https://github.com/Hypotheses-Paradise/Hypo2Trans
    """

    name: ClassVar[str] = "hyporadise"
    sign: ClassVar[bytes] = b"{"
    title: ClassVar[str] = "HyPoradise"
    may_be_named_as: ClassVar[str] = "jsonl"
    both_sides: ClassVar[bool] = True

    def looks_like(self, source: Source) -> bool:
        """Whether the file begins with an array of objects, with both keys near its beginning."""
        head = source.data[:HEAD_BYTES].removeprefix(BOM).lstrip()
        items = head.startswith(b"[") and head[1:].lstrip().startswith(b"{")
        return items and all(b'"%s"' % key.encode() in head for key in (LIST, REFERENCE))

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
        """Return the references, or the lists of hypotheses."""
        items = read_items(source)
        ids = item_ids(items, source)
        names = ids or [str(place) for place in range(1, len(items) + 1)]
        if columns.role == "reference":
            return SourceTranscripts(_references(items, ids))
        found = Hypotheses(source)
        for utt, item in zip(names, items, strict=True):
            for text in item[LIST]:
                found.add(utt, text, None, {})
        return found.reading(by_position=ids is None)

    def rewrite(
        self, source: Source, columns: Columns, ids: Sequence[str], texts: Sequence[str]
    ) -> bytes:
        """Return the file with other references."""
        items = read_items(source)
        new = [{**item, REFERENCE: text} for item, text in zip(items, texts, strict=True)]
        return (json.dumps(new, ensure_ascii=False, indent=1) + "\n").encode()


def read_items(source: Source) -> list[dict[str, Any]]:
    """Return the items of the array; raise if one of them is not a list with its reference."""
    try:
        items = parse_json(source.text)
    except JsonError as error:
        raise InputError(str(error), where=source.at(), fix=CHECK_WHOLE) from None
    if not isinstance(items, list) or not items:
        raise InputError("no JSON array with items", where=source.at(), fix=ITEM_FIX)
    for place, item in enumerate(items, start=1):
        if not isinstance(item, dict) or not {LIST, REFERENCE} <= item.keys():
            _refuse_item(source, place, f"no {LIST!r} or no {REFERENCE!r}")
        texts = item[LIST]
        if not isinstance(texts, list) or not texts:
            _refuse_item(source, place, f"{LIST!r} is not a list, or is empty")
        for text in (*texts, item[REFERENCE]):
            if not isinstance(text, str) or "\0" in text or not is_encodable(text):
                _refuse_item(
                    source, place, "a text is not a string, or has NUL or half of a surrogate pair"
                )
    return items


def item_ids(items: Sequence[dict[str, Any]], source: Source) -> list[str] | None:
    """Return the ids if all items have them under one usual name, else None."""
    for name in ID_NAMES:
        found = [item.get(name) for item in items]
        if all(isinstance(value, str | int) and str(value) for value in found):
            ids = [str(value) for value in found]
            if len(set(ids)) < len(ids):
                place = next(n for n, utt in enumerate(ids) if utt in ids[:n])
                _refuse_item(source, place + 1, f"duplicate id {ids[place]!r}")
            return ids
    return None


def _references(items: Sequence[dict[str, Any]], ids: Sequence[str] | None) -> pl.DataFrame:
    columns = [
        pl.Series("text", [item[REFERENCE] for item in items], pl.String),
        pl.Series("line", [None] * len(items), pl.Int64),
    ]
    if ids is not None:
        columns.insert(0, pl.Series("utt", ids, pl.String))
    return pl.DataFrame(columns)


def _refuse_item(source: Source, place: int, what: str) -> NoReturn:
    raise InputError(f"item {place}: {what}", where=source.at(), fix=ITEM_FIX)


# Responses of recognisers: Vosk, Azure, Google and Deepgram.
#
# A file is the response for one recording, or has one response a line. A response has one segment
# or several; each segment has a list of alternatives.

Response = dict[str, Any]
Alternatives = list[dict[str, Any]]
RESPONSE_SAMPLE = 20
CONFIDENCE = "confidence"  # the key of the score


class ServiceFormat(ListFormat):
    """A response of a recogniser: `_segments` returns the alternatives of each of its segments."""

    __slots__ = ()

    sign: ClassVar[bytes] = b"{"
    may_be_named_as: ClassVar[str] = "jsonl"
    one_recording: ClassVar[bool] = True
    _text_key: ClassVar[str] = "transcript"

    def _segments(self, response: Response) -> list[Any] | None:
        """Return the lists of alternatives, or None if this is no response of the recogniser."""
        raise NotImplementedError

    def looks_like(self, source: Source) -> bool:
        """Whether the first responses are those of this recogniser, not all of them silence."""
        heard = False
        try:
            for _, response in islice(read_responses(source), RESPONSE_SAMPLE):
                segments = self._segments(response)
                if segments is None:
                    return False
                heard = heard or segments != [SILENCE]
        except InputError:
            return False
        return heard

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
        """Return the lists of all responses."""
        found, joined = Hypotheses(source), 0
        responses = list(read_responses(source))
        named = [_id_of(response) for _, response in responses]
        by_position = len(responses) > 1 and None in named
        for place, (line, response) in enumerate(responses, start=1):
            alone = named[0] or recording_id(source)
            utt = str(place) if by_position else alone if len(responses) == 1 else named[place - 1]
            segments = self._segments(response)
            if segments is None:
                _refuse_response(source, line, f"no response of {self.title}")
            self._add(found, str(utt), line, segments)
            joined += len(segments) > 1
        notes = []
        if joined:
            what = f"{source.shown}: {counted(joined, 'response')} of several segments"
            notes.append(f"{what}: the best alternatives are joined, the others left out")
        return found.reading(notes, by_position=by_position)

    def _add(self, found: Hypotheses, utt: str, line: int, segments: list[Any]) -> None:
        """Add the alternatives of the only segment, or the best ones of several, joined."""
        lists = [self._alternatives(alternatives, found.source, line) for alternatives in segments]
        if len(lists) == 1:
            for text, numbers in lists[0]:
                found.add(utt, text, line, numbers)
            return
        found.add(utt, " ".join(alternatives[0][0] for alternatives in lists), line, {})

    def _alternatives(
        self, alternatives: Any, source: Source, line: int
    ) -> list[tuple[str, dict[str, float]]]:
        """Return the texts and scores of a list of alternatives."""
        if not isinstance(alternatives, list) or not alternatives:
            _refuse_response(source, line, "an empty list of alternatives, or none")
        rows = []
        for one in alternatives:
            if not isinstance(one, dict):
                _refuse_response(source, line, "an alternative that is no object")
            text = _checked_text(one.get(self._text_key), self._text_key, source, line)
            score = one.get(CONFIDENCE)
            numbers = {}
            if score is not None:
                numbers["score"] = number(str(score), CONFIDENCE, source, line)
            rows.append((text, numbers))
        return rows


@dataclass(frozen=True, slots=True)
class Vosk(ServiceFormat):
    """Results of Vosk: `{"alternatives": [{"confidence": ..., "text": ...}, ...]}`.

    Vosk returns alternatives after `SetMaxAlternatives`.

    Reference: https://alphacephei.com/vosk/
    """

    name: ClassVar[str] = "vosk"
    title: ClassVar[str] = "Vosk"
    _text_key: ClassVar[str] = "text"

    def _segments(self, response: Response) -> list[Any] | None:
        """Return the only list; a result without alternatives has the key `text` instead."""
        lacking = "alternatives" not in response or "text" in response
        return None if lacking else [response["alternatives"]]


@dataclass(frozen=True, slots=True)
class Azure(ServiceFormat):
    """Detailed results of Azure: `{"NBest": [{"Confidence": ..., "Lexical": ...}, ...]}`.

    Results of batch transcription (`recognizedPhrases`) are read too. `form` is the form of the
    text: `lexical` (words as spoken) or `display` (with punctuation and numerals). A result without
    a match is an empty text.

    Example: `misword score ref.csv azure/ --hypothesis-format azure:form=display`

    Reference: https://learn.microsoft.com/azure/ai-services/speech-service/rest-speech-to-text-short
    """

    name: ClassVar[str] = "azure"
    title: ClassVar[str] = "Azure"
    form: Literal["lexical", "display"] = "lexical"

    def _segments(self, response: Response) -> list[Any] | None:
        """Return the list of a short result, or those of all phrases."""
        phrases = response.get("recognizedPhrases")
        if isinstance(phrases, list):
            lists = [p.get("nBest") if isinstance(p, dict) else None for p in phrases]
            return [self._renamed(one) for one in lists] or [SILENCE]
        if response.get("RecognitionStatus") in NO_MATCH:
            return [SILENCE]
        return [self._renamed(response["NBest"])] if "NBest" in response else None

    def _renamed(self, alternatives: Any) -> Any:
        """Return alternatives with the keys `transcript` and `confidence`."""
        if not isinstance(alternatives, list):
            return alternatives
        lowered = [
            {key.lower(): value for key, value in one.items()} if isinstance(one, dict) else {}
            for one in alternatives
        ]
        return [{"transcript": one.get(self.form), "confidence": one.get("confidence")}
                for one in lowered]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Google(ServiceFormat):
    """Responses of Google: `{"results": [{"alternatives": [{"transcript": ...}, ...]}, ...]}`.

    Reference: https://cloud.google.com/speech-to-text/docs/reference/rest/v1/speech/recognize
    """

    name: ClassVar[str] = "google"
    title: ClassVar[str] = "Google"

    def _segments(self, response: Response) -> list[Any] | None:
        """Return the list of each result; a response without results is silence."""
        inner = response.get("response", response)
        results = inner.get("results") if isinstance(inner, dict) else None
        if results is None and response.keys() <= {"totalBilledTime", "requestId", *ID_NAMES}:
            return [SILENCE]
        if not isinstance(results, list):
            return None
        lists = [r.get("alternatives") if isinstance(r, dict) else None for r in results]
        return lists or [SILENCE]


@dataclass(frozen=True, slots=True)
class Deepgram(ServiceFormat):
    """Responses of Deepgram: `{"results": {"channels": [{"alternatives": [...]}]}}`.

    Reference: https://developers.deepgram.com/docs/pre-recorded-audio
    """

    name: ClassVar[str] = "deepgram"
    title: ClassVar[str] = "Deepgram"

    def _segments(self, response: Response) -> list[Any] | None:
        """Return the list of each channel."""
        results = response.get("results")
        channels = results.get("channels") if isinstance(results, dict) else None
        if not isinstance(channels, list):
            return None
        return [c.get("alternatives") if isinstance(c, dict) else None for c in channels]


SILENCE: Alternatives = [{"transcript": ""}]
# The status of results of Azure in which nothing was recognised.
NO_MATCH = ("NoMatch", "InitialSilenceTimeout", "BabbleTimeout")


def read_responses(source: Source) -> Iterator[tuple[int, Response]]:
    """Yield the line and the content of each response: the whole file, or each of its lines."""
    lines = ((n, line) for n, line in enumerate(source.lines, start=1) if line.strip())
    first = next(lines, (1, ""))
    if not first[1].lstrip().startswith("{"):
        _refuse_response(source, first[0], "no JSON object")
    one_a_line = first[1].rstrip().endswith("}")
    for line, text in chain([first], lines) if one_a_line else [(1, source.text)]:
        try:
            response = parse_json(text)
        except JsonError as error:
            _refuse_response(source, line, str(error))
        if not isinstance(response, dict):
            _refuse_response(source, line, "JSON, but not an object")
        yield line, response


def _id_of(response: Response) -> str | None:
    """Return the id of a response, under one of the usual names."""
    values = (response.get(name) for name in ID_NAMES)
    return next((str(value) for value in values if isinstance(value, str | int)), None)


def _checked_text(text: Any, key: str, source: Source, line: int) -> str:
    """Return a text of an alternative; raise if it is none."""
    if not isinstance(text, str):
        _refuse_response(source, line, f"an alternative without {key!r}")
    if not is_encodable(text):
        _refuse_response(source, line, "half of a surrogate pair, which is no character")
    if "\0" in text:
        _refuse_response(source, line, "a NUL character in a text")
    return text


def _refuse_response(source: Source, line: int, what: str) -> NoReturn:
    raise InputError(
        what,
        where=source.at(line),
        fix="give the responses as the recogniser returned them: one a file, or one a line",
    )
