"""Is one system better than another, where, and is it more than chance?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from misword.asr.comparison.differences import differences
from misword.asr.comparison.side_by_side import Matched
from misword.asr.comparison.slices import slices
from misword.asr.comparison.worsened import contrasts, described, worst
from misword.asr.score import DEFAULT_METRICS, score
from misword.core.errors import OptionError
from misword.core.types import Result
from misword.stat.bootstrap import Bootstrap
from misword.stat.scores import Scores

if TYPE_CHECKING:
    import polars as pl

TABLES = ("differences", "worst", "contrast", "slices")


@dataclass(frozen=True, slots=True)
class Settings:
    """How systems are compared.

    `baseline` is the first system if it is not named; `block` a column of metadata whose values are
    resampled whole (speakers); `worst` how many of the worst utterances are kept; `lang` whose
    fillers count as disfluencies.
    """

    baseline: str = ""
    block: str = ""
    bootstrap: int = 1000
    confidence: float = 0.95
    seed: int = 0
    worst: int = 20
    lang: str = ""

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise OptionError(f"confidence is {self.confidence}", fix="use a share such as 0.95")
        for name in ("bootstrap", "seed", "worst"):
            if getattr(self, name) < 0:
                raise OptionError(f"{name} is {getattr(self, name)}", fix="use 0 or more")

    @property
    def drawing(self) -> Bootstrap:
        """How intervals are drawn."""
        return Bootstrap(self.bootstrap, self.confidence, self.seed)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Systems against the first of them, as tables.

    `differences` has a row per metric and other system: both rates, difference and relative change
    with intervals, p-values, and the utterances that are better, worse, the same. `worst` are the
    utterances that lost most by the first metric, `contrast` what those that got worse have more of
    than the others, `slices` errors by part of speech, frequency and length. `skipped` says why
    columns of metadata are not in `contrast`.
    """

    scores: Scores
    settings: Settings
    differences: pl.DataFrame
    worst: pl.DataFrame
    contrast: pl.DataFrame
    slices: pl.DataFrame
    blocks: int | None
    skipped: Mapping[str, str]

    def result(self, provenance: Mapping[str, Any] | None = None, *, words: bool = True) -> Result:
        """The comparison as tables, with all tables of the scores."""
        names = ("bootstrap", "confidence", "seed")
        drawn = {name: getattr(self.settings, name) for name in names}
        whole = self.scores.result(provenance, words=words, **drawn)
        more = {
            **drawn,
            "baseline": self.scores.systems[0],
            "systems": self.scores.systems,
            "block": self.settings.block or None,
            "blocks": self.blocks,
            "correction": "holm",
        }
        tables = {name: getattr(self, name) for name in TABLES}
        return Result("comparison", {**whole.tables, **tables}, {**whole.provenance, **more})


def compare(
    references: Any,
    hypotheses: Any = None,
    metrics: str | Iterable[str] = DEFAULT_METRICS,
    *,
    baseline: str | None = None,
    block: str | None = None,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    worst: int = 20,
    lang: str | None = None,
    **options: Any,
) -> Comparison:
    """Compare the systems of `hypotheses`, or those of `Scores`, with the first of them.

    `baseline` names another than the first; `block` a column of metadata whose values are resampled
    whole, since utterances of one speaker go together. The other arguments are those of
    `misword.score`.

    >>> import misword
    >>> refs = ["the cat sat", "so we go", "two by two", "on and on"]
    >>> said = {"base": ["a cat sat", "so we go", "to buy two", "on an on"], "new": refs}
    >>> row = misword.compare(refs, said, "wer").differences.row(0, named=True)
    >>> row["baseline_rate"], row["rate"], row["relative"], row["better"]
    (0.3333333333333333, 0.0, -1.0, 3)
    """
    settings = Settings(baseline or "", block or "", bootstrap, confidence, seed, worst, lang or "")
    if isinstance(references, Scores):
        if hypotheses is not None or options:
            raise OptionError("Scores were scored already", fix="give them alone")
        return compare_scores(references, settings)
    return compare_scores(score(references, hypotheses, metrics, lang=lang, **options), settings)


def compare_scores(scores: Scores, settings: Settings) -> Comparison:
    """Compare systems that were scored, together or in several runs (`scores + others`)."""
    matched = Matched.of(scores, settings.baseline)
    blocks = matched.blocks(settings.block) if settings.block else None
    whole, first = matched.whole, scores.columns[0]
    drawing = settings.drawing
    contrast, skipped = contrasts(matched, first, described(matched, settings.lang), drawing)
    return Comparison(
        whole,
        settings,
        differences(matched, drawing, blocks),
        worst(matched, first, settings.worst),
        contrast,
        slices(_words(whole), list(matched.sides), drawing, _units(matched, blocks)),
        None if blocks is None else int(blocks.max()) + 1,
        skipped,
    )


def _units(matched: Matched, blocks: NDArray[np.int64] | None) -> pl.DataFrame | None:
    """The block of each utterance."""
    import polars as pl

    if blocks is None:
        return None
    return matched.first.table.select("utt").with_columns(pl.Series("block", blocks))


def _words(scores: Scores) -> pl.DataFrame:
    """The words, aligned by unit costs; those with cosines, if there are any."""
    for column in scores.columns:
        if column.words and ("aligned", "cost") not in column.signature.settings:
            words = scores.words(column.label)
            if "cosine" in words.columns:
                return words
    return scores.words()
