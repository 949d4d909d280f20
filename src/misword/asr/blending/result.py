"""The result of learning a blend: weights, quality, learning curve and what people chose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from misword.asr.blending.blend_file import Blend, write_blend
from misword.core import display
from misword.core.formatting import counted
from misword.core.types import DisplayedResult, Result
from misword.core.version import __version__
from misword.io.files.sources import PathLike
from misword.stat.measure import metric_provenance
from misword.stat.scores import Scores

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fit(DisplayedResult):
    """A blend of metrics that was learnt from people's judgements, and its quality.

    Attributes:
        blend: the metrics and their weights; `save` writes them to a file.
        quality: of choices, a row for the blend, each metric and one voter at each level of
            consensus: the number of `choices`, the share `agreed` with its interval, the share
            `half` with half credit for ties, the share of `ties`, and the p-value of the
            difference from the blend. Of ratings, three correlation coefficients.
        weights: a row for each metric: weight, interval and influence.
        curve: the quality of blends that were learnt from fewer judgements.
        judgements: the texts and judgements; `blend` is the prediction of weights that were learnt
            from other references (choices: positive if the blend prefers `a`).
        selection: the sets of metrics that `select` tried, largest first; None without it.
        scores: the scores of all hypotheses by each metric.
        settings: the settings of the cross-validation and of the bootstrap.
    """

    blend: Blend
    quality: pl.DataFrame
    weights: pl.DataFrame
    curve: pl.DataFrame
    judgements: pl.DataFrame
    selection: pl.DataFrame | None
    scores: Scores
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    def save(self, path: PathLike) -> None:
        """Write the blend to a file, for `--metrics blend:file=FILE`."""
        write_blend(self.blend, path)

    def overview(self) -> display.Overview:
        """Return the quality of the blend and of each metric."""
        title = f"Blend learnt from {counted(len(self.judgements), 'judgement')}"
        if "agreed" not in self.quality.columns:
            columns = [display.text("metric")]
            columns += [display.number(name) for name in ("pearson", "spearman", "kendall")]
            return display.Overview.of(title, self.quality, columns)
        columns = [
            display.text("metric"),
            display.text("consensus"),
            display.percent("agreed"),
            display.span(),
            display.percent("half", "ties as half %"),
        ]
        return display.Overview.of(title, self.quality, columns)

    def main_table(self) -> pl.DataFrame:
        """Return the table `quality`."""
        return self.quality

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the tables and their provenance.

        The table `words` has the aligned words; `utt` is the number of the judgement.
        """
        tables = {
            "quality": self.quality,
            "weights": self.weights,
            "curve": self.curve,
            "judgements": self.judgements,
            "words": self.scores.words(),
        }
        if self.selection is not None:
            tables["selection"] = self.selection
        families = self.scores.forgiven.families
        weights = {part.spec: part.weight for part in self.blend.metrics}
        origin = {
            "misword": __version__,
            **(provenance or {}),
            **self.settings,
            **metric_provenance(self.scores.columns),
            **({"forgiven": list(families)} if families else {}),
            "notes": list(self.notes),
            "blend": {"weights": weights, "digest": self.blend.digest, "slope": self.blend.slope},
        }
        return Result("fit", tables, origin)
