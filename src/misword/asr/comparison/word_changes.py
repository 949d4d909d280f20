"""Words and phrases that a system has newly wrong or newly right, against the baseline.

A word of the references is newly wrong in an utterance if the baseline has it right and the system
does not. A phrase of two or three words is wrong if one of its words is. Words that a system adds
are counted as well (`inserted`). For each word, the changes of an utterance are one number: how
often the word is newly wrong minus how often it is newly right. If the two systems were equally
good on this word, the sign of this number would be random: the p-value is that of the permutation
test of `stat.paired` over the utterances, since errors of one utterance are not independent.

A word that changed in n utterances cannot have a p-value below 2 / 2^n, so most words cannot be
significant. They do not count in the correction: Holm's procedure is over the tests that could
reach the level, whose number Tarone's rule gives.

Of a phrase and a word in it, one row is shown: the phrase if all changes of the word are in it,
else the word.

References: R. Tarone, A modified Bonferroni method for discrete data, Biometrics 46, 1990; S. Holm,
A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.lazy import pl
from misword.stat.options import SIGNIFICANCE_LEVEL
from misword.stat.paired import holm, permutation_p, smallest_p
from misword.stat.score_tables import single_reference_words

LONGEST_PHRASE = 3  # words
EXAMPLES = 20  # ids of utterances of each row
SHOWN = 200  # rows of each system: those with the lowest p-values
EXAMINED = 1000  # rows of each system in which repetitions are looked for
WORD, PHRASE, INSERTED = "word", "phrase", "inserted"
COLUMNS: dict[str, Any] = {
    "system": pl.String, "kind": pl.String, "text": pl.String,
    "newly_wrong": pl.Int64, "newly_right": pl.Int64, "utterances": pl.Int64,
    "p": pl.Float64, "p_holm": pl.Float64, "utts": pl.List(pl.String),
}  # fmt: skip
UTTERANCE = ("system", "kind", "text", "utt")


class WordChanges:
    """Counts the changes of words; it gets the table of words in parts."""

    def __init__(self, systems: Sequence[str]) -> None:
        self.baseline, *self.others = systems
        self._parts: list[pl.DataFrame] = []

    def add(self, words: pl.DataFrame) -> None:
        """Count the changes in some utterances, given all their words."""
        steps = words.select("utt", "system", "kind", "reference", "hypothesis").with_columns(
            pl.col("kind").cast(pl.String)
        )
        inserted = steps.filter(kind="insertion")
        aligned = single_reference_words(steps.filter(pl.col("kind") != "insertion")).select(
            "utt",
            "system",
            pl.int_range(pl.len()).over("utt", "system").alias("at"),
            pl.col("reference").alias("text"),
            (pl.col("kind").is_in(["substitution", "deletion"])).alias("wrong"),
        )
        before = aligned.filter(system=self.baseline).drop("system")
        added = inserted.group_by("utt", "system", pl.col("hypothesis").alias("text")).len()
        for name in self.others:
            after = aligned.filter(system=name).drop("system")
            self._parts += self._of_references(name, before, after)
            self._parts.append(self._of_insertions(name, added))

    def _of_references(
        self, name: str, before: pl.DataFrame, after: pl.DataFrame
    ) -> Iterator[pl.DataFrame]:
        """Yield the changes of words and phrases of the references, by utterance."""
        # Systems can be measured against different readings: only equal words are compared.
        both = before.join(after, ["utt", "at", "text"], suffix="_after", maintain_order="left")
        for size in range(1, LONGEST_PHRASE + 1):
            ahead = range(1, size)
            joined = both.with_columns(
                pl.concat_str([pl.col("text").shift(-k) for k in range(size)], separator=" "),
                *(
                    pl.any_horizontal(pl.col(side).shift(-k) for k in range(size)).alias(side)
                    for side in ("wrong", "wrong_after")
                ),
                whole=pl.all_horizontal(
                    pl.lit(value=True),
                    *(
                        (pl.col("utt").shift(-k) == pl.col("utt"))
                        & (pl.col("at").shift(-k) == pl.col("at") + k)
                        for k in ahead
                    ),
                ),
            )
            changed = joined.filter(
                pl.col("whole").fill_null(value=False) & (pl.col("wrong") != pl.col("wrong_after"))
            )
            yield changed.group_by(
                pl.lit(name).alias("system"),
                pl.lit(WORD if size == 1 else PHRASE).alias("kind"),
                "text",
                "utt",
            ).agg(
                pl.col("wrong_after").sum().cast(pl.Int64).alias("newly_wrong"),
                pl.col("wrong").sum().cast(pl.Int64).alias("newly_right"),
            )

    def _of_insertions(self, name: str, added: pl.DataFrame) -> pl.DataFrame:
        """Return the changes of added words, by utterance."""
        sides = [
            added.filter(system=system).select("utt", "text", pl.col("len").cast(pl.Int64))
            for system in (self.baseline, name)
        ]
        both = sides[0].join(sides[1], ["utt", "text"], "full", coalesce=True, suffix="_after")
        change = pl.col("len_after").fill_null(0) - pl.col("len").fill_null(0)
        return (
            both.select(
                pl.lit(name).alias("system"),
                pl.lit(INSERTED).alias("kind"),
                "text",
                "utt",
                pl.when(change > 0).then(change).otherwise(0).alias("newly_wrong"),
                pl.when(change < 0).then(-change).otherwise(0).alias("newly_right"),
            )
        ).filter((pl.col("newly_wrong") > 0) | (pl.col("newly_right") > 0))

    def table(self) -> pl.DataFrame:
        """Return a row for each word and phrase that could be significant, the surest first."""
        if not self._parts:
            return pl.DataFrame(schema=COLUMNS)
        changes = (
            pl.concat(self._parts)
            .with_columns((pl.col("newly_wrong") - pl.col("newly_right")).alias("net"))
            .sort(UTTERANCE)
        )
        counted = changes.group_by("system", "kind", "text", maintain_order=True).agg(
            pl.col("newly_wrong").sum(),
            pl.col("newly_right").sum(),
            (pl.col("net") != 0).sum().cast(pl.Int64).alias("utterances"),
            pl.col("net"),
            pl.col("utt")
            .sort_by(pl.col("net").abs(), descending=True)
            .head(EXAMPLES)
            .alias("utts"),
        )
        tested = could_be_significant(counted["utterances"].to_numpy())
        rows = counted.filter(pl.Series(tested))
        rows = rows.with_columns(_p_values(rows["net"]))
        rows = rows.with_columns(pl.Series("p_holm", holm(rows["p"].to_list()), pl.Float64))
        rows = rows.sort("system", "p", "kind", "text", maintain_order=True)
        surest = rows.group_by("system", maintain_order=True).head(EXAMINED)
        kept = _without_repetitions(surest.select(list(COLUMNS)))
        order = {name: place for place, name in enumerate(self.others)}
        return (
            kept.group_by("system", maintain_order=True)
            .head(SHOWN)
            .sort(pl.col("system").replace_strict(order, return_dtype=pl.Int64), "p",
                  maintain_order=True)
            .select(list(COLUMNS))
        )  # fmt: skip


def _p_values(changes: pl.Series) -> pl.Series:
    """Return the p-value of each list of changes; most lists have the same numbers as others."""
    key = changes.list.sort().cast(pl.List(pl.String)).list.join(",").alias("key")
    distinct = pl.DataFrame([key, changes]).unique("key", maintain_order=True)
    p = [permutation_p(np.array(net, np.float64)) for net in distinct[changes.name].to_list()]
    known = distinct.select("key").with_columns(pl.Series("p", p, pl.Float64))
    return key.to_frame().join(known, on="key", how="left", maintain_order="left")["p"]


def could_be_significant(sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which tests count in the correction; `sizes` has the utterances that changed of each.

    >>> could_be_significant(np.array([9, 3, 8, 2, 2, 2])).tolist()
    [True, False, True, False, False, False]
    """
    distinct, places = np.unique(sizes, return_inverse=True)
    least = np.array([smallest_p(int(size)) for size in distinct])[places]
    counts = np.arange(1, len(sizes) + 1)
    possible = np.searchsorted(np.sort(least), SIGNIFICANCE_LEVEL / counts, side="left")
    enough = np.flatnonzero(possible <= counts)
    if not len(enough):
        return np.zeros(len(sizes), np.bool_)
    return np.asarray(least < SIGNIFICANCE_LEVEL / counts[enough[0]])


def _without_repetitions(rows: pl.DataFrame) -> pl.DataFrame:
    """Leave out words whose changes are all in a phrase, and phrases with changes of one word."""
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    of_references = rows.filter(pl.col("kind") != INSERTED)
    for system, text, wrong, right in of_references.select(
        "system", "text", "newly_wrong", "newly_right"
    ).iter_rows():
        counts[system, text] = wrong, right
    dropped: set[tuple[str, str]] = set()
    for (system, text), own in sorted(counts.items(), key=lambda item: item[0][1].count(" ")):
        for part in _parts(text):
            inner = counts.get((system, part))
            if inner is not None:
                dropped.add((system, part) if inner == own else (system, text))
    keep = [
        kind == INSERTED or (system, text) not in dropped
        for system, kind, text in rows.select("system", "kind", "text").iter_rows()
    ]
    return rows.filter(pl.Series(keep, dtype=pl.Boolean))


def _parts(text: str) -> Iterator[str]:
    """Yield the shorter phrases in a phrase."""
    words = text.split(" ")
    for size in range(1, len(words)):
        for start in range(len(words) - size + 1):
            yield " ".join(words[start : start + size])
