"""Errors by kind of word: part of speech, frequency, length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from misword.asr.metrics.edit_rate import ratio
from misword.core.progress import progress
from misword.stat.bootstrap import Bootstrap
from misword.stat.paired import paired

if TYPE_CHECKING:
    import polars as pl

LONG = 13  # letters: longer words are one slice
OFTEN = (2, 10, 100, 1000)  # times in the references: where bands begin
Codes = NDArray[np.int64]
Sums = NDArray[np.float64]


def slices(
    words: pl.DataFrame,
    systems: Sequence[str],
    drawing: Bootstrap,
    blocks: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Error rate and mean semantic distance of reference words, by slice, value and system.

    `words` are those of `Scores.words()`; the first of `systems` is what the others are compared
    with. Slices are `tag` (where a metric needed tags), `frequency` (how often the word is in the
    references, case aside) and `length` (in letters). A word that is right has distance 0, a
    deleted one 1, a substituted one 1 - cosine, or 1 if either word has no vector; null where no
    metric needed vectors. Insertions belong to no reference word and are left out.

    Differences are against the first system, their intervals by paired bootstrap over the
    utterances that have such words, or over the `blocks` (columns `utt` and `block`) that do.

    Known problems: a word that a tagger cuts has several tags, `DET+NOUN`, and is a value of its
    own. The distance of Roux et al.'s Table 3 is over their vectors; only differences between
    systems measured with the same vectors mean something.

    Reference: T. Bañeras-Roux et al., Qualitative evaluation of language model rescoring in
    automatic speech recognition, Interspeech 2022 (Table 3).
    """
    import polars as pl

    said = Said.of(words, systems, blocks)
    cuts = {"frequency": said.bands(), "length": said.lengths()}
    if "tag" in words.columns:
        cuts = {"tag": said.tags(), **cuts}
    rows: list[dict[str, Any]] = []
    with progress("slices", sum(len(labels) for labels, _ in cuts.values())) as step:
        for name, (labels, codes) in cuts.items():
            for value, sums in zip(labels, said.sums(codes, len(labels)), strict=True):
                rows += (
                    {"slice": name, "value": value, "system": system, **figures}
                    for system, figures in zip(systems, _figures(sums, drawing), strict=True)
                    if sums.any()
                )
                step(1)
    return pl.DataFrame(rows, schema=_schema(), orient="row")


def _schema() -> dict[str, Any]:
    import polars as pl

    named = dict.fromkeys(("slice", "value", "system"), pl.String())
    counts = dict.fromkeys(("words", "errors"), pl.Int64())
    rates = ("rate", "distance")
    against = [f"{rate}_{part}" for rate in rates for part in ("difference", "low", "high")]
    return {**named, **counts, **dict.fromkeys((*rates, *against), pl.Float64())}


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """The reference words of all systems: whose, of which utterance, how wrong.

    `word` has numbers in `vocabulary`; `system` and `row` number systems and utterances, or blocks.
    """

    frame: pl.DataFrame
    vocabulary: pl.Series
    word: Codes
    system: Codes
    row: Codes
    systems: int

    @classmethod
    def of(cls, words: pl.DataFrame, systems: Sequence[str], blocks: pl.DataFrame | None) -> Said:
        """From a table of words."""
        import polars as pl

        frame = words.filter(pl.col("kind").cast(pl.String) != "insertion")
        vocabulary, word = _numbered(frame["reference"])
        names, system = _numbered(frame["system"])
        place = np.array([systems.index(name) for name in names.to_list()], np.int64)
        utts, row = _numbered(frame["utt"])
        if blocks is not None:
            found = utts.to_frame("utt").join(blocks, on="utt", how="left", maintain_order="left")
            row = found["block"].to_numpy().astype(np.int64)[row]
        return cls(frame, vocabulary, word, place[system], row, len(systems))

    def tags(self) -> tuple[list[str], Codes]:
        """Parts of speech, the commonest first."""
        names, codes = _numbered(self.frame["tag"])
        order = np.lexsort((names.to_numpy(), -np.bincount(codes, minlength=len(names))))
        return names.gather(order).to_list(), np.argsort(order)[codes]

    def lengths(self) -> tuple[list[str], Codes]:
        """How many letters each word has."""
        labels = [str(size) for size in range(LONG)] + [f"{LONG} and more"]
        return labels, np.minimum(self.vocabulary.str.len_chars().to_numpy(), LONG)[self.word]

    def bands(self) -> tuple[list[str], Codes]:
        """How often each word is in the references."""
        _, same = _numbered(self.vocabulary.str.to_lowercase())
        known = same[self.word]
        counts = np.bincount(known[self.system == 0], minlength=int(same.max(initial=-1)) + 1)
        spans = [f"{lo} to {hi - 1}" for lo, hi in pairwise(OFTEN)]
        labels = ["once", *spans, f"{OFTEN[-1]:,} and more"]
        return labels, np.searchsorted(OFTEN, counts, side="right")[known]

    def sums(self, values: Codes, number: int) -> Iterator[Sums]:
        """For each value an array of systems x utterances that have it x words, errors, distance.

        There are no distances without cosines.
        """
        kind = self.frame["kind"].to_physical().to_numpy()
        wrong = (kind != 0).astype(np.float64)
        columns = [np.ones(len(kind)), wrong]
        if "cosine" in self.frame.columns:
            cosine = self.frame["cosine"].fill_null(0.0).to_numpy()
            columns.append(np.where(kind == 1, 1 - cosine, wrong))
        rows = int(self.row.max(initial=-1)) + 1
        at, shape = self.system * rows + self.row, (self.systems, rows)
        order = np.argsort(values, kind="stable")  # value by value: all at once could be large
        edges = np.searchsorted(values[order], np.arange(number + 1))
        for lo, hi in pairwise(edges.tolist()):
            own = order[lo:hi]
            summed = [np.bincount(at[own], c[own], self.systems * rows) for c in columns]
            part = np.stack([column.reshape(shape) for column in summed], axis=-1, dtype=np.float64)
            yield part[:, part[:, :, 0].any(axis=0)]


def _numbered(values: pl.Series) -> tuple[pl.Series, Codes]:
    """The distinct values, and the number of each."""
    distinct = values.unique(maintain_order=True)
    numbers = distinct.to_frame("value").with_row_index("number")
    found = values.to_frame("value").join(numbers, on="value", how="left", maintain_order="left")
    return distinct, found["number"].to_numpy().astype(np.int64)


def _figures(sums: Sums, drawing: Bootstrap) -> Iterator[dict[str, Any]]:
    """Counts, rates and differences of each system."""
    for at, side in enumerate(sums):
        total = side.sum(axis=0)
        row: dict[str, Any] = {"words": int(total[0]), "errors": int(total[1])}
        for column, name in enumerate(("rate", "distance")[: sums.shape[2] - 1], 1):
            row[name] = _or_none(float(ratio(total[column], total[0])))
            if at:
                terms = [part[:, [column, 0]] for part in (sums[0], side)]
                whole = [part.astype(np.int64) if name == "rate" else part for part in terms]
                found = paired(whole[0], whole[1], _rate, **asdict(drawing))
                row |= {
                    f"{name}_{part}": _or_none(getattr(found, part))
                    for part in ("difference", "low", "high")
                }
        yield row


def _rate(terms: Sums) -> Sums:
    return ratio(terms[..., 0], terms[..., 1])


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value
