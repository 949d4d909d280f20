"""Base class of the scores of translations that sacrebleu computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.asr.downstreams import Downstream
from misword.core.context import Context
from misword.core.errors import MissingExtraError
from misword.core.parts import Requirement, Settings
from misword.core.progress import progress
from misword.core.types import Statistics

REQUIREMENT = Requirement(("sacrebleu",), "pip install 'misword[translation]'", "Apache-2.0")
CHUNK = 50  # segments between two steps of the progress bar; TER is slow


@dataclass(frozen=True, slots=True)
class SacreScore(Downstream):
    """A score of sacrebleu, from the statistics per segment that sacrebleu resamples in its tests.

    The statistics come from methods that sacrebleu does not document; misword's tests compare the
    scores with those of `corpus_score`.
    """

    def metric(self) -> Any:
        """Create sacrebleu's object with these options."""
        raise NotImplementedError

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """Return the package sacrebleu."""
        return REQUIREMENT

    def check(self, context: Context) -> None:
        """Raise unless sacrebleu and the packages of its tokenizer are installed."""
        Downstream.check(self, context)
        try:
            self.metric()
        except (ImportError, RuntimeError) as error:  # a tokenizer that needs another package
            raise MissingExtraError(str(error).strip(), fix="or choose another tokenizer") from None

    def settings(self, context: Context) -> Settings:
        """The settings of sacrebleu's own signature."""
        metric = self.metric()
        metric.corpus_score(["a"], [["a"]])  # sets the number of references in the signature
        pieces = (piece.partition(":") for piece in str(metric.get_signature()).split("|"))
        return tuple((name, value) for name, _, value in pieces)

    def statistics(self, translations: Sequence[str], references: Sequence[str]) -> Statistics:
        """Compute a row of statistics for each segment."""
        metric, rows = self.metric(), []
        name = type(self).__name__
        with progress(f"scoring translations by {name}", len(translations)) as step:
            for lo in range(0, len(translations), CHUNK):
                chunk = slice(lo, lo + CHUNK)
                outputs, expected = list(translations[chunk]), list(references[chunk])
                rows += metric._extract_corpus_statistics(outputs, [expected])
                step(len(outputs))
        return np.array(rows, np.float64)

    def scores(self, sums: Statistics) -> NDArray[np.float64]:
        """Compute the score of each row of sums."""
        metric = self.metric()
        scores = (metric._compute_score_from_stats(row).score for row in sums.tolist())
        return np.fromiter(scores, np.float64, len(sums))
