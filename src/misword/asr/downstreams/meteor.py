"""METEOR."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import MissingExtraError
from misword.core.requirements import Requirement
from misword.stat.resampling import Statistics

BAR = "|||"  # parts the fields of METEOR's own protocol
# It asks for pycocotools, which nothing here uses.
REQUIREMENT = Requirement(
    ("pycocoevalcap",), "pip install --no-deps pycocoevalcap==1.2", "METEOR: LGPL-2.1, needs Java"
)


@dataclass(frozen=True, slots=True)
class METEOR:
    """Words of English translations that match, also by stem, synonym and paraphrase.

    More is better. METEOR 1.5 itself, the Java program in the package pycocoevalcap. `norm` lets it
    tokenize and lower-case both sides: right for raw text, to be left out (`norm=false`) for text
    that is tokenized already.

    Known problems: needs Java (`java` on the PATH) and 2 GB; English only, since the package has
    only English paraphrases; some hundred segments a second. Three bars (|||) in a text are taken
    apart, as they part the fields of what METEOR reads.

    Example: `misword correlate ref.fr hyp.fr --translations hyp.en --translation-references ref.en
    --scores meteor:norm=false`

    Reference: M. Denkowski, A. Lavie, Meteor Universal: language specific translation evaluation
    for any target language, WMT 2014.
    """

    better: ClassVar[Literal["higher", "lower"]] = "higher"

    norm: bool = True

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The package with the program; Java comes on top."""
        return REQUIREMENT

    def check(self) -> None:
        """The program and Java must be there."""
        REQUIREMENT.check("meteor")
        if shutil.which("java") is None:
            raise MissingExtraError(
                "'meteor' needs Java, not installed", fix="apt-get install default-jre-headless"
            )

    def signature(self) -> str:
        """Version and options."""
        return f"lang:en|norm:{'yes' if self.norm else 'no'}|version:1.5"

    def statistics(self, translations: Sequence[str], references: Sequence[str]) -> Statistics:
        """A row for each segment: lengths, matches by module, chunks."""
        lines = [
            f"SCORE {BAR} {_plain(right)} {BAR} {_plain(said)}"
            for said, right in zip(translations, references, strict=True)
        ]
        return _added_up(np.array([line.split() for line in self._ask(lines)], np.float64))

    def scores(self, sums: Statistics) -> NDArray[np.float64]:
        """The score of each row of sums; the program answers with one more, of all of them."""
        rows = f" {BAR} ".join(" ".join(map(str, row)) for row in sums.tolist())
        return 100 * np.array(self._ask([f"EVAL {BAR} {rows}"])[: len(sums)], np.float64)

    def _ask(self, lines: Iterable[str]) -> list[str]:
        """What the program answers; it reads all its tables at each start, for some seconds."""
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


def _added_up(rows: Statistics) -> Statistics:
    """Rows as METEOR adds them: a perfect segment is in one chunk, which counts as none."""
    said, right, chunks, said_matched, right_matched = rows.T[[0, 1, -3, -2, -1]]
    whole = (chunks == 1) & (said_matched == said) & (right_matched == right)
    rows[whole, -3] = 0
    return rows


def _plain(text: str) -> str:
    return " ".join(text.replace(BAR, " | | | ").split())


def _jar() -> Path:
    """Found without importing the package, which imports what is not there."""
    spec = find_spec("pycocoevalcap")
    folders = spec.submodule_search_locations if spec else None
    return Path(*(folders or [""])[:1]) / "meteor" / "meteor-1.5.jar"
