"""METEOR."""

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
from misword.core.parts.contract import Requirement, Settings
from misword.core.types import Statistics

BAR = "|||"  # separates the fields of METEOR's input
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
    --scores meteor:norm=false`

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
        """Compute the score of each row of sums; the program also prints the score of the total."""
        rows = f" {BAR} ".join(" ".join(map(str, row)) for row in sums.tolist())
        return 100 * np.array(self._run([f"EVAL {BAR} {rows}"])[: len(sums)], np.float64)

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
