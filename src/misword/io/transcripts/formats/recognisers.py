"""What recognisers and transcription services write as JSON: one class for each.

The classes say which keys have words, times in seconds, speakers, channels, confidences and
alternatives. Everything else is in `responses`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from misword.io.transcripts.columns import ID_NAMES, PREDICTION_NAMES
from misword.io.transcripts.formats.responses import (
    Heard,
    Response,
    ResponseFormat,
    Values,
    WrongResponseError,
    alternatives_of,
    attached,
    column,
    fitted,
    names,
    numbers,
    objects,
    speakers_at,
    sums,
    texts,
)

MILLISECONDS = 1e-3
TICKS = 1e-7  # of 100 nanoseconds
# Signs that are items of their own in the first format of Speechmatics.
SIGNS = frozenset(".,?!;:。、？！，")


def _has_list(response: Any, *keys: str) -> bool:
    """Return whether a value is an object with a list under each key."""
    return isinstance(response, dict) and all(isinstance(response.get(key), list) for key in keys)


def _first(items: Any) -> Response:
    """Return the first object of a list; an empty one if there is none."""
    return items[0] if isinstance(items, list) and items and isinstance(items[0], dict) else {}


def _span(word: Response, begin: str, end: str, scale: float = 1) -> tuple[float, float] | None:
    """Return two times of an object; None if one of them is not there."""
    low, high = numbers([word.get(begin), word.get(end)], begin, scale)
    return None if low is None or high is None else (low, high)


@dataclass(frozen=True, slots=True)
class Vosk(ResponseFormat):
    """Results of Vosk: `{"result": [{"word": ..., "start": ..., "conf": ...}], "text": "..."}`.

    After `SetMaxAlternatives`, Vosk returns `{"alternatives": [{"confidence": ..., "text": ...}]}`.

    Reference: https://alphacephei.com/vosk/
    """

    name: ClassVar[str] = "vosk"
    title: ClassVar[str] = "Vosk"

    def _is(self, response: Any) -> bool:
        if not isinstance(response, dict):
            return False
        if "text" in response:
            return "conf" in _first(response.get("result"))
        return "alternatives" in response

    def _heard(self, response: Response) -> Heard:
        heard = Heard()
        if "text" in response:
            heard.add(self._words(response))
            return heard
        heard.lists.append(alternatives_of(response["alternatives"], "text"))
        heard.add(self._words(response["alternatives"][0]))
        return heard

    def _words(self, alternative: Response) -> dict[str, Values]:
        items = objects(alternative.get("result"), "'result'")
        words: dict[str, Values] = {
            "word": texts(column(items, "word"), "word"),
            "begin": numbers(column(items, "start"), "start"),
            "end": numbers(column(items, "end"), "end"),
            "confidence": numbers(column(items, "conf"), "conf"),
        }
        (text,) = texts([alternative.get("text")], "text")
        return fitted(words, text)


@dataclass(frozen=True, slots=True)
class Azure(ResponseFormat):
    """Detailed results of Azure: `{"NBest": [{"Confidence": ..., "Lexical": ...}, ...]}`.

    Results of batch transcription (`recognizedPhrases`) and of fast transcription (`phrases`) are
    read too. `form` is the form of the text: `lexical` (words as spoken) or `display` (with
    punctuation and numerals); fast transcription has only the second. A result without a match is
    an empty text.

    Known problems: phrases of several channels are in the order of the file.

    Example: `misword score ref.csv azure/ --hypothesis-format azure:form=display`

    Reference: https://learn.microsoft.com/azure/ai-services/speech-service/batch-transcription-get
    """

    name: ClassVar[str] = "azure"
    title: ClassVar[str] = "Azure"
    form: Literal["lexical", "display"] = "lexical"

    def _is(self, response: Any) -> bool:
        if not isinstance(response, dict):
            return False
        fast = _has_list(response, "phrases", "combinedPhrases")
        batch = isinstance(response.get("recognizedPhrases"), list)
        return fast or batch or "NBest" in response or self._is_silence(response)

    def _is_silence(self, response: Any) -> bool:
        return response.get("RecognitionStatus") in NO_MATCH

    def _heard(self, response: Response) -> Heard:
        heard = Heard()
        if "combinedPhrases" in response:
            for segment, phrase in enumerate(objects(response["phrases"], "'phrases'")):
                heard.add(self._fast(phrase), segment)
        elif isinstance(response.get("recognizedPhrases"), list):
            phrases = objects(response["recognizedPhrases"], "'recognizedPhrases'")
            for segment, phrase in enumerate(phrases):
                self._add(heard, phrase.get("nBest"), phrase, segment)
        elif self._is_silence(response):
            heard.lists.append([("", None)])
        else:
            self._add(heard, response["NBest"], response, 0)
        return heard

    def _add(self, heard: Heard, alternatives: Any, phrase: Response, segment: int) -> None:
        """Add the alternatives of a phrase, and the words of the best one."""
        if isinstance(alternatives, list):
            alternatives = [
                {key.lower(): value for key, value in one.items()} if type(one) is dict else one
                for one in alternatives
            ]
        heard.lists.append(alternatives_of(alternatives, self.form))
        best = alternatives[0]
        lexical = self.form == "lexical"
        items = objects(best.get("words" if lexical else "displaywords"), "'words'")
        items = [{key.lower(): value for key, value in item.items()} for item in items]
        begin = numbers(column(items, _key(items, "offset")), "offset", TICKS)
        duration = numbers(column(items, _key(items, "duration")), "duration", TICKS)
        words: dict[str, Values] = {
            "word": texts(column(items, "word" if lexical else "displaytext"), "word"),
            "begin": begin,
            "end": sums(begin, duration),
            "confidence": numbers(column(items, "confidence"), "confidence"),
        }
        heard.add(self._with_names(fitted(words, best[self.form]), phrase), segment)

    def _fast(self, phrase: Response) -> dict[str, Values]:
        """Return the words of a phrase of fast transcription."""
        items = objects(phrase.get("words"), "'words'")
        begin = numbers(column(items, "offsetMilliseconds"), "offsetMilliseconds", MILLISECONDS)
        size = numbers(column(items, "durationMilliseconds"), "durationMilliseconds", MILLISECONDS)
        words: dict[str, Values] = {
            "word": texts(column(items, "text"), "text"),
            "begin": begin,
            "end": sums(begin, size),
        }
        (text,) = texts([phrase.get("text")], "text")
        return self._with_names(fitted(words, text), phrase)

    def _with_names(self, words: dict[str, Values], phrase: Response) -> dict[str, Values]:
        """Return words with the speaker and the channel of their phrase."""
        speaker, channel = names([phrase.get("speaker"), phrase.get("channel")], "speaker")
        size = len(words["word"])
        return {**words, "speaker": [speaker] * size, "channel": [channel] * size}


def _key(items: Sequence[Response], name: str) -> str:
    """Return the key of a time in ticks: `offset`, or `offsetinticks` where that is text."""
    return f"{name}inticks" if f"{name}inticks" in _first(items) else name


# The status of results of Azure in which nothing was recognised.
NO_MATCH = ("NoMatch", "InitialSilenceTimeout", "BabbleTimeout")


@dataclass(frozen=True, slots=True)
class Aws(ResponseFormat):
    """Transcripts of AWS Transcribe: `{"results": {"items": [{"alternatives": [...]}, ...]}}`.

    Punctuation is joined to the word before it, as in the service's own text. Speakers and channels
    are those of the items, or else of the segments of `speaker_labels` and `channel_labels`.

    Known problems: of alternatives of whole segments, only those of a file of one segment are read.

    Reference: https://docs.aws.amazon.com/transcribe/latest/dg/how-input.html
    """

    name: ClassVar[str] = "aws"
    title: ClassVar[str] = "AWS Transcribe"

    def _is(self, response: Any) -> bool:
        results: Any = response.get("results") if isinstance(response, dict) else None
        return _has_list(results, "items") and isinstance(results.get("transcripts", []), list)

    def _heard(self, response: Response) -> Heard:
        results = response["results"]
        items = objects(results["items"], "'items'")
        best = [_first(item.get("alternatives")) for item in items]
        is_sign = [item.get("type") == "punctuation" for item in items]
        times = list(zip(column(items, "start_time"), column(items, "end_time"), strict=True))
        columns: dict[str, Values] = {
            "word": texts(column(best, "content"), "content"),
            "begin": numbers((begin for begin, _ in times), "start_time"),
            "end": numbers((end for _, end in times), "end_time"),
            "confidence": numbers(
                (
                    None if sign else one.get("confidence")
                    for one, sign in zip(best, is_sign, strict=True)
                ),
                "confidence",
            ),
            "speaker": _labels(items, times, results, "speaker"),
            "channel": _labels(items, times, results, "channel"),
        }
        heard = Heard()
        heard.add(attached(columns, is_sign, is_sign))
        segments = results.get("segments")
        if isinstance(segments, list) and len(segments) == 1:
            heard.lists.append(alternatives_of(_first(segments).get("alternatives"), "transcript"))
            if heard.lists[0][0][0].split() != heard.columns["word"]:
                heard.lists.clear()
        return heard


def _labels(items: Sequence[Response], times: Values, results: Response, kind: str) -> Values:
    """Return the speaker or channel of each item, by its own key or by its times."""
    key = f"{kind}_label"
    if any(key in item for item in items):
        return names(column(items, key), key)
    listed = results.get(f"{kind}_labels")
    if not isinstance(listed, dict):
        return [None] * len(items)
    segments = objects(listed.get("segments" if kind == "speaker" else "channels"), f"'{key}s'")
    known = {
        (item.get("start_time"), item.get("end_time")): item.get(key, segment.get(key))
        for segment in segments
        for item in objects(segment.get("items"), "'items'")
    }
    return names((known.get(time) for time in times), key)


@dataclass(frozen=True, slots=True)
class Speechmatics(ResponseFormat):
    """Transcripts of Speechmatics: `{"results": [{"alternatives": [{"content": ...}]}, ...]}`.

    Punctuation is joined to the words that it belongs to (`attaches_to`). The speaker `UU` is
    unknown. The older form, `{"words": [{"name": ..., "time": ..., "duration": ...}]}`, is read
    too; its speakers are found by their times.

    Reference: https://docs.speechmatics.com/speech-to-text/batch/output
    """

    name: ClassVar[str] = "speechmatics"
    title: ClassVar[str] = "Speechmatics"

    def _is(self, response: Any) -> bool:
        if _has_list(response, "words"):
            word = _first(response["words"])
            return {"name", "time", "duration"} <= word.keys()
        if not _has_list(response, "results"):
            return False
        return "content" in _first(_first(response["results"]).get("alternatives"))

    def _heard(self, response: Response) -> Heard:
        heard = Heard()
        heard.add(self._old(response) if "words" in response else self._new(response))
        return heard

    def _new(self, response: Response) -> dict[str, Values]:
        items = objects(response["results"], "'results'")
        best = [_first(item.get("alternatives")) for item in items]
        is_sign = [item.get("type") == "punctuation" for item in items]
        usual = ["previous" if sign else "none" for sign in is_sign]
        sides = [item.get("attaches_to", side) for item, side in zip(items, usual, strict=True)]
        to_next = [False, *(side in ("next", "both") for side in sides[:-1])]
        speakers = names(column(best, "speaker"), "speaker")
        return attached(
            {
                "word": texts(column(best, "content"), "content"),
                "begin": numbers(column(items, "start_time"), "start_time"),
                "end": numbers(column(items, "end_time"), "end_time"),
                "confidence": numbers(column(best, "confidence"), "confidence"),
                "speaker": [None if name == "UU" else name for name in speakers],
                "channel": names(column(items, "channel"), "channel"),
            },
            is_sign,
            [
                side in ("previous", "both") or after
                for side, after in zip(sides, to_next, strict=True)
            ],
        )

    def _old(self, response: Response) -> dict[str, Values]:
        items = objects(response["words"], "'words'")
        words = texts(column(items, "name"), "name")
        begin = numbers(column(items, "time"), "time")
        end = sums(begin, numbers(column(items, "duration"), "duration"))
        columns: dict[str, Values] = {
            "word": words,
            "begin": begin,
            "end": end,
            "confidence": numbers(column(items, "confidence"), "confidence"),
        }
        is_sign = [word in SIGNS for word in words]
        found = attached(columns, is_sign, is_sign)
        listed = objects(response.get("speakers"), "'speakers'")
        starts = numbers(column(listed, "time"), "time")
        ends = sums(starts, numbers(column(listed, "duration"), "duration"))
        found["speaker"] = _speakers(found, starts, ends, names(column(listed, "name"), "name"))
        return found


def _speakers(
    words: Mapping[str, Values],
    begins: Sequence[float | None],
    ends: Sequence[float | None],
    speakers: Sequence[str | None],
) -> Values:
    """Return the speaker of each word by times; None for words without times."""
    spans = [
        (begin, end, speaker)
        for begin, end, speaker in zip(begins, ends, speakers, strict=True)
        if begin is not None and end is not None
    ]
    known = [
        row
        for row, times in enumerate(zip(words["begin"], words["end"], strict=True))
        if None not in times
    ]
    found = speakers_at(
        [words["begin"][row] for row in known], [words["end"][row] for row in known], spans
    )
    by_row = dict(zip(known, found, strict=True))
    return [by_row.get(row) for row in range(len(words["word"]))]


@dataclass(frozen=True, slots=True)
class Ibm(ResponseFormat):
    """Results of IBM Watson: `{"results": [{"alternatives": [{"timestamps": [...]}, ...]}]}`.

    Speakers are those of `speaker_labels` at the times of the words.

    Reference: https://cloud.ibm.com/docs/speech-to-text?topic=speech-to-text-basic-response
    """

    name: ClassVar[str] = "ibm"
    title: ClassVar[str] = "IBM Watson"

    def _is(self, response: Any) -> bool:
        if not _has_list(response, "results"):
            return False
        first = _first(response["results"])
        if "results" in first:  # several responses of one recording, as the service stores them
            first = _first(first["results"])
        alternative = _first(first.get("alternatives"))
        has_times = isinstance(alternative.get("timestamps"), list)
        return "transcript" in alternative and (has_times or "result_index" in response)

    def _heard(self, response: Response) -> Heard:
        parts = objects(response["results"], "'results'")
        if "results" not in _first(parts):
            parts = [response]
        heard, labels = Heard(), list[Response]()
        for part in parts:
            labels += objects(part.get("speaker_labels"), "'speaker_labels'")
            for result in objects(part.get("results"), "'results'"):
                alternatives: Any = result.get("alternatives")
                heard.lists.append(alternatives_of(alternatives, "transcript"))
                heard.add(self._words(alternatives[0]), len(heard.lists) - 1)
        if labels:
            begins, ends = (numbers(column(labels, key), key) for key in ("from", "to"))
            speakers = names(column(labels, "speaker"), "speaker")
            if "begin" in heard.columns:
                heard.columns["speaker"] = _speakers(heard.columns, begins, ends, speakers)
        return heard

    def _words(self, alternative: Response) -> dict[str, Values]:
        timed = _rows(alternative.get("timestamps"), 3, "timestamps")
        words: dict[str, Values] = {
            "word": texts((row[0] for row in timed), "timestamps"),
            "begin": numbers((row[1] for row in timed), "timestamps"),
            "end": numbers((row[2] for row in timed), "timestamps"),
        }
        known = _rows(alternative.get("word_confidence"), 2, "word_confidence")
        if [row[0] for row in known] == words["word"]:
            words["confidence"] = numbers((row[1] for row in known), "word_confidence")
        return fitted(words, alternative["transcript"])


def _rows(value: Any, width: int, what: str) -> list[list[Any]]:
    """Return a list of lists of one length; null is an empty list."""
    rows = [] if value is None else value
    if not isinstance(rows, list) or any(
        not isinstance(row, list) or len(row) != width for row in rows
    ):
        raise WrongResponseError(f"{what!r} is not a list of lists of {width}")
    return rows


@dataclass(frozen=True, slots=True)
class Google(ResponseFormat):
    """Responses of Google: `{"results": [{"alternatives": [{"transcript": ...}, ...]}, ...]}`.

    With diarisation, the last result repeats all words and has their speakers: its words are read,
    and their texts are those of the other results. A confidence of 0 is none.

    Reference: https://cloud.google.com/speech-to-text/docs/reference/rest/v1/speech/recognize
    """

    name: ClassVar[str] = "google"
    title: ClassVar[str] = "Google"

    def _is(self, response: Any) -> bool:
        if not isinstance(response, dict):
            return False
        results = self._results(response)
        if results is None:
            return self._is_silence(response)
        usual = ("transcript", "words", "confidence")
        firsts = (_first(_first([result]).get("alternatives")) for result in results)
        return isinstance(results, list) and all(
            not one or set(usual) & one.keys() for one in firsts
        )

    def _results(self, response: Response) -> Any:
        inner = response.get("response", response)
        results = inner.get("results") if isinstance(inner, dict) else None
        return results if isinstance(results, list) else None

    def _is_silence(self, response: Any) -> bool:
        if self._results(response) is not None:
            return not self._results(response)
        keys: set[str] = set(response)
        return keys <= {"totalBilledTime", "requestId", *ID_NAMES}

    def _heard(self, response: Response) -> Heard:
        results = objects(self._results(response), "'results'")
        heard = Heard()
        if not results:
            heard.lists.append([("", None)])
            return heard
        repeated = self._repetition(results)
        for segment, result in enumerate(results if repeated is None else results[:-1]):
            alternatives: Any = result.get("alternatives")
            heard.lists.append(alternatives_of(alternatives, "transcript"))
            words = fitted(self._words(alternatives[0]), alternatives[0]["transcript"])
            (channel,) = names([result.get("channelTag")], "channelTag")
            heard.add({**words, "channel": [channel] * len(words["word"])}, segment)
        if repeated is not None:
            heard.columns["speaker"] = repeated["speaker"]
        return heard

    def _repetition(self, results: Sequence[Response]) -> dict[str, Values] | None:
        """Return the words of the last result if it repeats those of all others; else None."""
        if len(results) < 2:
            return None
        firsts = [_first(result.get("alternatives")) for result in results]
        last = self._words(firsts[-1])
        before = [word for one in firsts[:-1] for word in _words_of_text(one.get("transcript"))]
        return last if before and last["word"] == before else None

    def _words(self, alternative: Response) -> dict[str, Values]:
        items = objects(alternative.get("words"), "'words'")
        confidences = numbers(column(items, "confidence"), "confidence")
        speakers = [item.get("speakerTag", item.get("speakerLabel")) for item in items]
        return {
            "word": texts(column(items, "word"), "word"),
            "begin": numbers(map(_seconds, column(items, "startTime")), "startTime"),
            "end": numbers(map(_seconds, column(items, "endTime")), "endTime"),
            "confidence": [value or None for value in confidences],
            "speaker": names((None if name == 0 else name for name in speakers), "speakerTag"),
        }


def _words_of_text(text: Any) -> list[str]:
    return text.split() if isinstance(text, str) else []


def _seconds(value: Any) -> Any:
    """Return a time as Google writes it (`1.200s`) without its unit."""
    return value.removesuffix("s") if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class Deepgram(ResponseFormat):
    """Responses of Deepgram: `{"results": {"channels": [{"alternatives": [...]}]}}`.

    The text is `transcript`, with the punctuation that it has. Channels follow each other.

    Reference: https://developers.deepgram.com/docs/pre-recorded-audio
    """

    name: ClassVar[str] = "deepgram"
    title: ClassVar[str] = "Deepgram"

    def _is(self, response: Any) -> bool:
        return isinstance(response, dict) and _has_list(response.get("results"), "channels")

    def _heard(self, response: Response) -> Heard:
        channels = objects(response["results"]["channels"], "'channels'")
        heard = Heard()
        for number, channel in enumerate(channels):
            alternatives: Any = channel.get("alternatives")
            heard.lists.append(alternatives_of(alternatives, "transcript"))
            words = self._words(alternatives[0])
            named = str(number) if len(channels) > 1 else None
            heard.add({**words, "channel": [named] * len(words["word"])}, number)
        return heard

    def _words(self, alternative: Response) -> dict[str, Values]:
        items = objects(alternative.get("words"), "'words'")
        plain = texts(column(items, "word"), "word")
        shown = [
            item.get("punctuated_word") or word for item, word in zip(items, plain, strict=True)
        ]
        text = alternative["transcript"]
        words: dict[str, Values] = {
            "word": shown if text.split() == shown else plain,
            "begin": numbers(column(items, "start"), "start"),
            "end": numbers(column(items, "end"), "end"),
            "confidence": numbers(column(items, "confidence"), "confidence"),
            "speaker": names(column(items, "speaker"), "speaker"),
        }
        return fitted(words, text)


@dataclass(frozen=True, slots=True)
class AssemblyAi(ResponseFormat):
    """Transcripts of AssemblyAI: `{"text": ..., "words": [{"text": ..., "start": ...}, ...]}`.

    Its times are milliseconds.

    Reference: https://www.assemblyai.com/docs/api-reference/transcripts/get
    """

    name: ClassVar[str] = "assemblyai"
    title: ClassVar[str] = "AssemblyAI"

    def _is(self, response: Any) -> bool:
        if not _has_list(response, "words") or not isinstance(response.get("text"), str):
            return False
        if not ASSEMBLYAI_KEYS & response.keys():
            return False
        return not response["words"] or {"text", "start", "end"} <= _first(response["words"]).keys()

    def _heard(self, response: Response) -> Heard:
        items = objects(response["words"], "'words'")
        words: dict[str, Values] = {
            "word": texts(column(items, "text"), "text"),
            "begin": numbers(column(items, "start"), "start", MILLISECONDS),
            "end": numbers(column(items, "end"), "end", MILLISECONDS),
            "confidence": numbers(column(items, "confidence"), "confidence"),
            "speaker": names(column(items, "speaker"), "speaker"),
            "channel": names(column(items, "channel"), "channel"),
        }
        heard = Heard()
        heard.add(fitted(words, response["text"]))
        return heard


# Keys of the transcripts of AssemblyAI that tables of transcripts do not have.
ASSEMBLYAI_KEYS = {"audio_url", "utterances", "acoustic_model", "language_model", "speech_model"}


@dataclass(frozen=True, slots=True)
class Whisper(ResponseFormat):
    """Output of Whisper's programs: `{"segments": [{"start": 0, "text": "...", "words": ...}]}`.

    The programs are openai-whisper, faster-whisper (its segments, as an object or an array),
    WhisperX, the verbose JSON of OpenAI's service, and whisper.cpp (`transcription`, with or
    without tokens). Words without times of their own have those of their segment.

    Known problems: if tokens of whisper.cpp are parts of one character, the words of their segment
    have no times of their own.

    Reference: https://github.com/openai/whisper, https://github.com/ggml-org/whisper.cpp
    """

    name: ClassVar[str] = "whisper"
    title: ClassVar[str] = "Whisper"

    def _is(self, response: Any) -> bool:
        if isinstance(response, list):
            return self._are_segments(response) and bool(response)
        if not isinstance(response, dict) or not response.keys().isdisjoint(PREDICTION_NAMES):
            return False
        if _has_list(response, "transcription"):
            lines = response["transcription"]
            return not lines or {"offsets", "text"} <= _first(lines).keys()
        return _has_list(response, "segments") and self._are_segments(response["segments"])

    def _is_silence(self, response: Any) -> bool:
        return bool(response == {"segments": []})

    def _are_segments(self, items: list[Any]) -> bool:
        return not items or {"start", "end", "text"} <= _first(items).keys()

    def _heard(self, response: Any) -> Heard:
        heard = Heard()
        if isinstance(response, dict) and "transcription" in response:
            for number, line in enumerate(objects(response["transcription"], "'transcription'")):
                heard.add(self._cpp(line), number)
            return heard
        listed = response if isinstance(response, list) else response["segments"]
        segments = objects(listed, "'segments'")
        whole = response.get("words") if isinstance(response, dict) else None
        if whole and not any("words" in segment for segment in segments):
            # OpenAI's service has the words beside the segments, and punctuation only in the text.
            words = self._words(objects(whole, "'words'"))
            heard.add(fitted(words, " ".join(self._text(segment) for segment in segments)))
            if heard.columns["begin"] and len(set(heard.columns["begin"])) > 1:
                return heard
            heard = Heard()
        for number, segment in enumerate(segments):
            heard.add(self._segment(segment), number)
        return heard

    def _text(self, segment: Response) -> str:
        (text,) = texts([segment.get("text")], "text")
        return text

    def _segment(self, segment: Response) -> dict[str, Values]:
        text, span = self._text(segment), _span(segment, "start", "end") or (None, None)
        items = objects(segment.get("words"), "'words'")
        words = fitted(self._words(items), text) if items else {"word": text.split()}
        size = len(words["word"])
        (speaker,) = names([segment.get("speaker")], "speaker")
        begin, end = words.get("begin", [None] * size), words.get("end", [None] * size)
        return {
            **words,
            "begin": [span[0]] * size if set(begin) <= {None} else begin,
            "end": [span[1]] * size if set(end) <= {None} else end,
            "speaker": [name or speaker for name in words.get("speaker", [None] * size)],
        }

    def _words(self, items: Sequence[Response]) -> dict[str, Values]:
        confidences = [item.get("probability", item.get("score")) for item in items]
        return {
            "word": texts((item.get("word", item.get("text")) for item in items), "word"),
            "begin": numbers(column(items, "start"), "start"),
            "end": numbers(column(items, "end"), "end"),
            "confidence": numbers(confidences, "probability"),
            "speaker": names(column(items, "speaker"), "speaker"),
        }

    def _cpp(self, line: Response) -> dict[str, Values]:
        """Return the words of a line of whisper.cpp, with times of its tokens if there are any."""
        tokens = objects(line.get("tokens"), "'tokens'")
        tokens = [token for token in tokens if not str(token.get("text", "")).startswith("[_")]
        items = tokens or [{"text": line.get("text"), "offsets": line.get("offsets")}]
        spans = [_first([item.get("offsets")]) for item in items]
        words: dict[str, Values] = {
            "word": texts(column(items, "text"), "text"),
            "begin": numbers(column(spans, "from"), "from", MILLISECONDS),
            "end": numbers(column(spans, "to"), "to", MILLISECONDS),
            "confidence": numbers(column(items, "p"), "p"),
        }
        found = fitted(words, self._text(line))
        (speaker,) = names([line.get("speaker")], "speaker")
        return {**found, "speaker": [speaker] * len(found["word"])}


@dataclass(frozen=True, slots=True)
class Rev(ResponseFormat):
    """Transcripts of Rev: `{"monologues": [{"speaker": 0, "elements": [{"value": ...}]}]}`.

    Elements, or `spans`, of text are words; those of punctuation are joined to the word before.
    Times are `ts` and `end_ts` (`endTs`), as numbers or as `00:00:01,250`.

    Reference: https://docs.rev.ai/api/asynchronous/get-transcript
    """

    name: ClassVar[str] = "rev"
    title: ClassVar[str] = "Rev"

    def _is(self, response: Any) -> bool:
        if not _has_list(response, "monologues"):
            return False
        return not response["monologues"] or bool(
            {"elements", "spans"} & _first(response["monologues"]).keys()
        )

    def _heard(self, response: Response) -> Heard:
        heard = Heard()
        known = objects(response.get("speakers"), "'speakers'")
        titles = dict(zip(names(column(known, "id"), "id"), column(known, "name"), strict=True))
        for number, monologue in enumerate(objects(response["monologues"], "'monologues'")):
            elements = objects(monologue.get("elements", monologue.get("spans")), "'elements'")
            (speaker,) = names([monologue.get("speaker")], "speaker")
            (named,) = names([titles.get(speaker) or speaker], "name")
            words = self._words(elements)
            heard.add({**words, "speaker": [named] * len(words["word"])}, number)
        return heard

    def _words(self, elements: Sequence[Response]) -> dict[str, Values]:
        pieces = texts(column(elements, "value"), "value")
        is_sign = [element.get("type") in ("punct", "punctuation") for element in elements]
        words, shown, lead = [], list[str](), ""
        for element, piece, sign in zip(elements, pieces, is_sign, strict=True):
            if not sign:
                words.append(element)
                shown.append(lead + piece)
                lead = ""
            elif shown:
                shown[-1] += piece
            else:
                lead += piece
        columns: dict[str, Values] = {
            "word": shown,
            "begin": numbers(map(_clock, column(words, "ts")), "ts"),
            "end": numbers(
                (_clock(word.get("end_ts", word.get("endTs"))) for word in words), "end_ts"
            ),
            "confidence": numbers(column(words, "confidence"), "confidence"),
        }
        # Blanks are signs too: without any sign, there is nothing between the words.
        return fitted(columns, ("" if True in is_sign else " ").join(pieces))


def _clock(value: Any) -> Any:
    """Return a time such as `00:01:02,500` in seconds; others are returned as they are."""
    if not isinstance(value, str) or ":" not in value:
        return value
    total = 0.0
    for part in value.replace(",", ".").split(":"):
        (number,) = numbers([part], "ts")
        total = 60 * total + (number or 0)
    return total


@dataclass(frozen=True, slots=True)
class BbcKaldi(ResponseFormat):
    """Transcripts of the BBC's Kaldi service: `{"words": [{"word": ..., "punct": ...}, ...]}`.

    The text is `punct`, the words with punctuation; with `punctuation=false`, it is `word`.
    Speakers are those of `segmentation` at the times of the words.

    Reference: https://github.com/bbc/react-transcript-editor
    """

    name: ClassVar[str] = "bbc-kaldi"
    title: ClassVar[str] = "BBC Kaldi"
    punctuation: bool = True

    def _is(self, response: Any) -> bool:
        inner = self._inner(response)
        if _has_list(inner, "words"):
            return {"word", "punct", "start"} <= _first(inner["words"]).keys()
        return isinstance(inner, dict) and isinstance(inner.get("segmentation"), dict)

    def _inner(self, response: Any) -> Any:
        return response.get("retval", response) if isinstance(response, dict) else None

    def _heard(self, response: Response) -> Heard:
        inner = self._inner(response)
        if "words" not in inner:
            raise WrongResponseError("segments of speakers without any words")
        items = objects(inner["words"], "'words'")
        key = "punct" if self.punctuation else "word"
        words: dict[str, Values] = {
            "word": texts(column(items, key), key),
            "begin": numbers(column(items, "start"), "start"),
            "end": numbers(column(items, "end"), "end"),
            "confidence": numbers(column(items, "confidence"), "confidence"),
        }
        whole = inner.get("segmentation", response.get("segmentation"))
        segments = objects(whole.get("segments"), "'segments'") if isinstance(whole, dict) else []
        begins = numbers(column(segments, "start"), "start")
        ends = sums(begins, numbers(column(segments, "duration"), "duration"))
        speakers = [_first([segment.get("speaker")]).get("@id") for segment in segments]
        words["speaker"] = _speakers(words, begins, ends, names(speakers, "speaker"))
        heard = Heard()
        heard.add(words)
        return heard
