"""METEOR: matches of words, stems and synonyms, with a penalty for scattered matches."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.asr.downstreams import Downstream
from misword.core.context import Context
from misword.core.errors import MissingExtraError
from misword.core.parts import Requirement, Settings
from misword.core.types import Statistics
from misword.stat.measure import ratio

BAR = "|||"  # separates the fields of METEOR's input
# The parameters of METEOR 1.5 for English: of the mean and of the penalty; the weights of matches
# by word, stem, synonym and paraphrase; the weights of content words and function words.
ALPHA, BETA, GAMMA = 0.85, 0.2, 0.6
MODULES = np.array([1.0, 0.6, 0.8, 0.6])
WORDS = np.array([0.75, 0.25])
# Without dependencies: the package requires pycocotools, which METEOR does not use.
REQUIREMENT = Requirement(
    ("pycocoevalcap",), "pip install --no-deps pycocoevalcap==1.2", "METEOR: LGPL-2.1, needs Java"
)


@dataclass(frozen=True, slots=True)
class METEOR(Downstream):
    """Words of English translations that match, also by stem, synonym and paraphrase.

    Higher is better. Computed by METEOR 1.5 itself, the Java program in the package pycocoevalcap.
    With `norm` the program tokenizes and lower-cases both sides, which is right for raw text; use
    `norm=false` for text that is tokenized already.

    Known problems: it needs Java (`java` on the PATH) and 2 GB of memory. It is for English only,
    since the package has only English paraphrases. It scores some hundred segments a second. Three
    bars (|||) in a text are separated by spaces, since they separate fields in METEOR's input.

    Example: `misword correlate ref.fr hyp.fr --translations hyp.en --translation-references ref.en
    --downstream meteor:norm=false`

    Reference: M. Denkowski, A. Lavie, Meteor Universal: language specific translation evaluation
    for any target language, WMT 2014.
    """

    name: ClassVar[str] = "meteor"
    title: ClassVar[str] = "METEOR"

    norm: bool = True

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """Return the package with the program; Java is checked apart."""
        return REQUIREMENT

    def check(self, context: Context) -> None:
        """Raise unless the program and Java are installed."""
        Downstream.check(self, context)
        if shutil.which("java") is None:
            raise MissingExtraError(
                "'meteor' needs Java, not installed", fix="apt-get install default-jre-headless"
            )

    def settings(self, context: Context) -> Settings:
        """The language, the option and the version."""
        return ("lang", "en"), ("norm", "yes" if self.norm else "no"), ("version", "1.5")

    def statistics(self, translations: Sequence[str], references: Sequence[str]) -> Statistics:
        """Compute a row for each segment: lengths, matches by module, chunks."""
        lines = [
            f"SCORE {BAR} {_one_line(reference)} {BAR} {_one_line(translation)}"
            for translation, reference in zip(translations, references, strict=True)
        ]
        return _adjusted(np.array([line.split() for line in self._run(lines)], np.float64))

    def scores(self, sums: Statistics) -> NDArray[np.float64]:
        """Compute the score of each row of sums, by the formula of METEOR 1.5 for English."""
        length, reference_length, function, reference_function = sums[:, :4].T
        # For each module: content words and function words, each of the translation and reference.
        matches = sums[:, 4:20].reshape(-1, len(MODULES), 2, 2)
        found = np.einsum("nmws,m,w->sn", matches, MODULES, WORDS)
        content, other = WORDS
        size = content * (length - function) + other * function
        reference = content * (reference_length - reference_function) + other * reference_function
        precision, recall = _quotient(found[0], size), _quotient(found[1], reference)
        mean = _quotient(precision * recall, ALPHA * precision + (1 - ALPHA) * recall)
        penalty = GAMMA * _quotient(sums[:, 20], sums[:, 21:].mean(axis=1)) ** BETA
        return np.asarray(100 * mean * (1 - penalty), np.float64)

    def _run(self, lines: Iterable[str]) -> list[str]:
        """Run the program on input lines; each start takes some seconds, for its tables."""
        jar = _jar()
        command = ["java", "-Xmx2G", "-Dfile.encoding=UTF-8", "-jar", jar.name]
        done = subprocess.run(
            [*command, "-", "-", "-stdio", "-l", "en", *["-norm"] * self.norm],
            input="".join(f"{line}\n" for line in lines),
            cwd=jar.parent,
            capture_output=True,
            encoding="utf-8",
        )
        if done.returncode or not done.stdout:
            raise MissingExtraError(
                f"METEOR ended with code {done.returncode}: {done.stderr.strip()[:500]}",
                where=str(jar),
                fix="check that Java runs and may use 2 GB",
            )
        return done.stdout.splitlines()


def _quotient(numerator: Statistics, denominator: Statistics) -> Statistics:
    """Divide; 0 where the denominator is 0."""
    return np.nan_to_num(ratio(numerator, denominator))


def _adjusted(rows: Statistics) -> Statistics:
    """Set the chunks of perfect segments to 0, as METEOR does before it adds up rows."""
    length, reference_length, chunks, matched, reference_matched = rows.T[[0, 1, -3, -2, -1]]
    perfect = (chunks == 1) & (matched == length) & (reference_matched == reference_length)
    rows[perfect, -3] = 0
    return rows


def _one_line(text: str) -> str:
    return " ".join(text.replace(BAR, " | | | ").split())


def _jar() -> Path:
    """Find the program without importing its package, which imports packages that are missing."""
    spec = find_spec("pycocoevalcap")
    folders = spec.submodule_search_locations if spec else None
    return Path(*(folders or [""])[:1]) / "meteor" / "meteor-1.5.jar"
