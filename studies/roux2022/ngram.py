"""An English 4-gram model, made by IRSTLM from text in the shared data.

The text: sentences of STS-benchmark and SICK, post-edited translations of news, the transcripts of
ten earnings calls, and the references of LibriSpeech's test sets. Lower case, no punctuation.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from studies.common.data import BUILD, MissingError, read_lines, shared

ORDER = 4
PROGRAM = "irstlm"
SENTENCE_ENDS = (".", "?", "!")
# IRSTLM gives <unk> the probability of all unknown words together; its option -dub assumes ten
# million of them.
UNKNOWN_WORDS = 7  # decimal logarithm
UNKNOWN = re.compile(r"^-0(\.\d+)\t<unk>$", re.MULTILINE)


def ngram_model() -> Path:
    """Return the model as an ARPA file; it is made if there is none."""
    path = BUILD / "english.arpa"
    if path.exists():
        return path
    if shutil.which(PROGRAM) is None:
        raise MissingError(f"the program {PROGRAM} is missing: apt-get install {PROGRAM}")
    BUILD.mkdir(parents=True, exist_ok=True)
    text, made = BUILD / "english.txt", BUILD / "english.part"
    lines = (f"<s> {line} </s>\n" for line in training_text())
    text.write_text("".join(lines), "utf-8")
    command = [PROGRAM, "tlm", f"-tr={text}", f"-n={ORDER}", "-lm=ikn", "-ps=no", f"-oarpa={made}"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode or not made.exists():
        raise MissingError(f"{PROGRAM} failed: {ran.stderr[-300:]}")
    arpa = made.read_text("utf-8")
    path.write_text(UNKNOWN.sub(rf"-{UNKNOWN_WORDS}\1\t<unk>", arpa), "utf-8")
    made.unlink()
    return path


def training_text() -> list[str]:
    """Return the distinct sentences, in lower case without punctuation."""
    plain = (normalized(text) for source in (pairs, news, calls, books) for text in source())
    return list(dict.fromkeys(text for text in plain if text))


def normalized(text: str) -> str:
    """Return a text in lower case without punctuation; apostrophes stay inside words.

    >>> normalized("'Don't', she said.")
    "don't she said"
    """
    words = re.sub(r"[^\w' ]+", " ", text.lower().replace("\u2019", "'")).split()
    return " ".join(word.strip("'") for word in words if word.strip("'"))


def pairs() -> Iterator[str]:
    """Yield the sentences of STS-benchmark and SICK."""
    with shared("sts/stsb-en-dev.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.reader(lines):
            yield from row[:2]
    for name in ("SICK_train", "SICK_trial"):
        for line in read_lines(shared(f"sts/{name}.txt"))[1:]:
            yield from line.split("\t")[1:3]


def news() -> Iterator[str]:
    """Yield the post-edited translations of Le et al. 2016."""
    yield from read_lines(shared("wce-dev/post-edition.en"))


def calls() -> Iterator[str]:
    """Yield the sentences of the earnings calls."""
    for path in sorted(shared("earnings21/nlp_references").glob("*.nlp")):
        words: list[str] = []
        for row in read_lines(path)[1:]:
            token, *_, punctuation = row.split("|")[:5]
            words.append(token)
            if punctuation in SENTENCE_ENDS:
                yield " ".join(words)
                words = []


def books() -> Iterator[str]:
    """Yield the references of LibriSpeech's test sets."""
    for name in ("clean", "other"):
        for row in json.loads(shared(f"nbest/librispeech-{name}.json").read_text("utf-8")):
            yield row["output"]
