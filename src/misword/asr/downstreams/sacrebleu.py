"""What the scores of translations share that sacrebleu computes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import MissingExtraError
from misword.core.progress import progress
from misword.core.requirements import Requirement
from misword.stat.resampling import Statistics

REQUIREMENT = Requirement(("sacrebleu",), "pip install 'misword[translation]'", "Apache-2.0")
CHUNK = 50  # segments between two steps of the progress bar; TER takes seconds for some hundred


@dataclass(frozen=True, slots=True)
class SacreScore(ABC):
    """A score of sacrebleu, from the statistics per segment that its own tests also resample.

    They come from methods that sacrebleu does not document; the tests compare with its
    `corpus_score`.
    """

    better: ClassVar[Literal["higher", "lower"]] = "higher"

    @abstractmethod
    def metric(self) -> Any:
        """Sacrebleu's object with these options."""

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """One package."""
        return REQUIREMENT

    def check(self) -> None:
        """The package must be there, and what its tokenizer needs."""
        REQUIREMENT.check(type(self).__name__.lower())
        try:
            self.metric()
        except (ImportError, RuntimeError) as error:  # a tokenizer that needs another package
            raise MissingExtraError(str(error).strip(), fix="or choose another tokenizer") from None

    def signature(self) -> str:
        """Sacrebleu's own signature."""
        metric = self.metric()
        metric.corpus_score(["a"], [["a"]])  # it counts references while it scores
        return str(metric.get_signature())

    def statistics(self, translations: Sequence[str], references: Sequence[str]) -> Statistics:
        """A row for each segment."""
        metric, rows = self.metric(), []
        name = type(self).__name__
        with progress(f"scoring translations by {name}", len(translations)) as step:
            for lo in range(0, len(translations), CHUNK):
                some = slice(lo, lo + CHUNK)
                said, right = list(translations[some]), list(references[some])
                rows += metric._extract_corpus_statistics(said, [right])
                step(len(said))
        return np.array(rows, np.float64)

    def scores(self, sums: Statistics) -> NDArray[np.float64]:
        """The score of each row of sums."""
        metric = self.metric()
        found = (metric._compute_score_from_stats(row).score for row in sums.tolist())
        return np.fromiter(found, np.float64, len(sums))
