"""The result of a corruption: noisy texts, their errors, and the realised word error rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from misword.core import display
from misword.core.formatting import counted, percent
from misword.core.signature import Signature
from misword.core.types import Corpus, DisplayedResult, Result
from misword.core.version import __version__
from misword.noise.corruption.drawing import CorruptedBlock
from misword.noise.corruption.error_table import error_table
from misword.noise.corruption.sampler import Sampler
from misword.noise.corruption.targets import Realised
from misword.noise.corruption.text_block import TextBlock

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, repr=False)
class Corrupted(display.Displayed):
    """A corpus at one word error rate.

    `texts` are the noisy texts; `realised` has the target, the counts of errors and the WER.
    """

    texts: list[str]
    realised: Realised
    _blocks: Sequence[tuple[TextBlock, CorruptedBlock]]
    _sampler: Sampler

    def overview(self) -> display.Overview:
        """Return the realised word error rate and the first texts."""
        wer = percent(self.realised.wer)
        title = f"Corrupted: {counted(len(self.texts), 'text')} at WER {wer} %"
        first = [[text] for text in self.texts[: display.HTML_ROWS]]
        return display.Overview(title, ["text"], first, len(self.texts))

    @cached_property
    def truth(self) -> pl.DataFrame:
        """Each error: `utt position kind old new probability phonological semantic`.

        `utt` counts utterances from 1, `position` the words of the original from 1; an inserted
        word has the position of the word before it, 0 at the beginning.
        """
        return error_table(self._blocks, self._sampler)


@dataclass(frozen=True, eq=False, repr=False)
class Corruption(DisplayedResult):
    """A corpus at several word error rates; each of them is a system.

    `references` are the clean texts with their ids. `levels` has the noisy texts by the name of
    their system, such as `wer-0.30`. `notes` say what the numbers do not show, `sha256` has the
    hash of each file that was read.
    """

    references: pl.DataFrame
    levels: dict[str, Corrupted]
    signature: Signature
    notes: tuple[str, ...] = ()
    sha256: Mapping[str, str] = field(default_factory=dict)

    @property
    def corpus(self) -> Corpus:
        """The clean texts as references, the noisy texts as hypotheses of systems."""
        import polars as pl

        noisy = {name: pl.Series("text", level.texts) for name, level in self.levels.items()}
        return Corpus.of(self.references, noisy)

    @property
    def summary(self) -> pl.DataFrame:
        """A row for each level: the target (`asked`) and the realised word error rate, counts."""
        import polars as pl

        return pl.DataFrame([summary_row(level.realised) for level in self.levels.values()])

    @property
    def truth(self) -> pl.DataFrame:
        """Every error of every level, with `system` and the utterance ids in front."""
        import polars as pl

        ids = self.references["utt"]
        tables = [
            level.truth.select(
                pl.lit(name).alias("system"), ids.gather(level.truth["utt"] - 1), pl.exclude("utt")
            )
            for name, level in self.levels.items()
        ]
        return pl.concat(tables)

    def overview(self) -> display.Overview:
        """Return the realised word error rate of each level."""
        return summary_overview(self.summary, len(self.references))

    def main_table(self) -> pl.DataFrame:
        """Return the table `summary`."""
        return self.summary

    def result(self, provenance: dict[str, Any] | None = None) -> Result:
        """Return all tables as a result that can be written."""
        corpus = self.corpus
        tables = {
            "summary": self.summary,
            "truth": self.truth,
            "references": corpus.references,
            "hypotheses": corpus.hypotheses,
        }
        facts = {"misword": __version__, **(provenance or {}), "signature": str(self.signature)}
        return Result("corruption", tables, facts)


def summary_overview(summary: pl.DataFrame, texts: int) -> display.Overview:
    """Return the realised word error rates of a summary of so many texts."""
    columns = (
        display.text("system"),
        display.percent("asked"),
        display.percent("wer", "WER %"),
        *map(display.count, ("substitutions", "deletions", "insertions", "words")),
    )
    return display.Overview.of(f"Corruption of {counted(texts, 'text')}", summary, columns)


def summary_row(realised: Realised) -> dict[str, Any]:
    """Return the row of a level in the summary."""
    target = realised.target
    return {
        "system": target.name,
        "asked": target.wer,
        "wer": realised.wer,
        "substitutions": realised.substitutions,
        "deletions": realised.deletions,
        "insertions": realised.insertions,
        "hits": realised.hits,
        "words": target.capacity.words,
        "left_alone": target.capacity.left_alone,
    }
