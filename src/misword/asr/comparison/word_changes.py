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

from misword.asr.comparison.word_kinds import Numbering
from misword.core.lazy import pl
from misword.core.types import Op
from misword.stat.options import SIGNIFICANCE_LEVEL
from misword.stat.paired import holm, permutation_p, smallest_p

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
# What is known of a change while it is counted: numbers of the system, the kind and the words.
WORDS = [f"word{place}" for place in range(LONGEST_PHRASE)]
NONE = -1  # in place of a word, in phrases of fewer words
CHANGE = ["system", "kind", *WORDS]
KINDS = (WORD, PHRASE, INSERTED)
SIDES = ("wrong", "wrong_after")


class WordChanges:
    """Counts the changes of words; it gets the table of words in parts.

    Words and utterances are numbers until it is known which of them are in the table: there are
    many changes, and most of them could not be significant.
    """

    def __init__(self, systems: Sequence[str]) -> None:
        self.baseline, *self.others = systems
        self._places = {name: place for place, name in enumerate(systems)}
        self._words, self._utts = Numbering(), Numbering()
        self._parts: list[pl.DataFrame] = []

    def add(self, words: pl.DataFrame) -> None:
        """Count the changes in some utterances, given all their words."""
        steps = words.select("utt", "system", "kind", "reference", "hypothesis")
        is_inserted = steps["kind"].to_physical() == Op.INSERTION
        inserted = steps.filter(is_inserted)
        added = self._numbered(inserted, "hypothesis").select("system", "utt", word0="word")
        # Forgiven blocks without words of the reference, such as `um`, are left out.
        aligned = steps.filter(~is_inserted & steps["reference"].is_not_null())
        wrong = aligned["kind"].to_physical() != Op.HIT
        rows = self._numbered(aligned, "reference").with_columns(wrong.alias(SIDES[0]))
        before, added_before = (table.filter(system=0) for table in (rows, added))
        for number in range(1, len(self._places)):
            after, added_after = (table.filter(system=number) for table in (rows, added))
            both = _of_both(before, after)
            self._parts += (
                _of_phrases(both, size).with_columns(pl.lit(number, pl.Int32).alias("system"))
                for size in range(1, LONGEST_PHRASE + 1)
            )
            self._parts.append(_of_insertions(added_before, added_after, number))

    def _numbered(self, rows: pl.DataFrame, side: str) -> pl.DataFrame:
        """Return numbers of the rows: of `system`, `utt` and `word`, and `at`, the word's place."""
        runs = pl.DataFrame(rows.select(pl.struct("utt", "system").rle())).unnest("utt")
        runs = runs.unnest("value")
        sizes = runs["len"].to_numpy().astype(np.int64)
        owners = {
            "system": runs["system"].replace_strict(self._places, return_dtype=pl.Int32),
            "utt": self._utts.numbers(runs["utt"]),
        }
        repeated = {
            name: np.repeat(numbers.to_numpy().astype(np.int32), sizes)
            for name, numbers in owners.items()
        }
        at = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        word = self._words.numbers(rows[side]).cast(pl.Int32)
        return pl.DataFrame({**repeated, "at": at.astype(np.int32), "word": word})

    def table(self) -> pl.DataFrame:
        """Return a row for each word and phrase that could be significant, the surest first."""
        if not self._parts:
            return pl.DataFrame(schema=COLUMNS)
        net = pl.col("newly_wrong") - pl.col("newly_right")
        of_both = pl.col("kind") == KINDS.index(INSERTED)
        found, texts = self._with_texts(
            pl.concat([part.select(*CHANGE, "utt", "change") for part in self._parts])
        )
        changes = (
            found.group_by(*CHANGE, "utt")
            .agg(
                (pl.col("change") > 0).sum().cast(pl.Int64).alias("newly_wrong"),
                (pl.col("change") < 0).sum().cast(pl.Int64).alias("newly_right"),
            )
            .with_columns(  # of words that both systems add, only the difference counts
                pl.when(of_both).then(net.clip(0)).otherwise("newly_wrong").alias("newly_wrong"),
                pl.when(of_both).then((-net).clip(0)).otherwise("newly_right").alias("newly_right"),
            )
            .filter((pl.col("newly_wrong") > 0) | (pl.col("newly_right") > 0))
            .with_columns(net.alias("net"))
        )  # fmt: skip
        sizes = changes.group_by(CHANGE).agg((pl.col("net") != 0).sum().alias("size"))
        tested = sizes.filter(pl.Series(could_be_significant(sizes["size"].to_numpy())))
        rows = self._described(changes.join(tested.drop("size"), CHANGE, "semi"), texts)
        counted = rows.sort(UTTERANCE).group_by("system", "kind", "text", maintain_order=True).agg(
            pl.col("newly_wrong").sum(),
            pl.col("newly_right").sum(),
            (pl.col("net") != 0).sum().cast(pl.Int64).alias("utterances"),
            pl.col("net"),
            pl.col("utt")
            .sort_by(pl.col("net").abs(), descending=True)
            .head(EXAMPLES)
            .alias("utts"),
        )  # fmt: skip
        rows = counted.with_columns(_p_values(counted["net"]))
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

    def _with_texts(self, changes: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
        """Return changes, and the texts of the numbers in their columns of words.

        If a forgiven block of several words is one word, phrases of other words can have the same
        text. Then each text has one number, in the first column.
        """
        words = pl.Series(self._words.values, dtype=pl.String)
        if not words.str.contains(" ", literal=True).any():
            return changes, words
        texts = Numbering()
        first = texts.numbers(_joined(changes, words)).cast(pl.Int32).alias(WORDS[0])
        others = (pl.lit(NONE, pl.Int32).alias(name) for name in WORDS[1:])
        return changes.with_columns(first, *others), pl.Series(texts.values, dtype=pl.String)

    def _described(self, changes: pl.DataFrame, words: pl.Series) -> pl.DataFrame:
        """Return changes with names of systems, kinds and utterances, and with texts."""
        names = {"system": list(self._places), "kind": KINDS, "utt": self._utts.values}
        return changes.select(
            *(
                pl.Series(column, values, pl.String).gather(changes[column])
                for column, values in names.items()
            ),
            _joined(changes, words),
            "newly_wrong",
            "newly_right",
            "net",
        )


def _joined(changes: pl.DataFrame, words: pl.Series) -> pl.Series:
    """Return the texts of changes, given the words by number."""
    parts = [changes[name] for name in WORDS]
    texts = [words.gather(part.set(part == NONE, None)).alias(part.name) for part in parts]
    text = pl.concat_str(WORDS, separator=" ", ignore_nulls=True).alias("text")
    return pl.DataFrame(texts).select(text)["text"]


def _of_both(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """Return the words of the references with what both systems have wrong.

    Systems can be measured against different readings: only equal words are compared.
    """
    keys = ["utt", "at", "word"]
    after = after.select(*keys, pl.col(SIDES[0]).alias(SIDES[1]))
    if before.select(keys).equals(after.select(keys)):
        return before.with_columns(after[SIDES[1]])
    return before.join(after, keys, maintain_order="left")


def _of_phrases(both: pl.DataFrame, size: int) -> pl.DataFrame:
    """Return the phrases of `size` words that one system has wrong and the other has not."""
    count = max(0, len(both) - size + 1)
    utt, at, word = (both[name].to_numpy() for name in ("utt", "at", "word"))
    last = slice(size - 1, size - 1 + count)
    whole = (utt[last] == utt[:count]) & (at[last] == at[:count] + size - 1)
    before, after = (
        np.logical_or.reduce([column[place : place + count] for place in range(size)])
        for column in (both[name].to_numpy() for name in SIDES)
    )
    changed = np.flatnonzero(whole & (before != after))
    words = {
        name: word[changed + place] if place < size else np.full(len(changed), NONE, np.int32)
        for place, name in enumerate(WORDS)
    }
    change = np.where(after[changed], 1, -1).astype(np.int8)
    kind = pl.lit(KINDS.index(WORD if size == 1 else PHRASE), pl.Int32).alias("kind")
    return pl.DataFrame({**words, "utt": utt[changed], "change": change}).with_columns(kind)


def _of_insertions(before: pl.DataFrame, after: pl.DataFrame, number: int) -> pl.DataFrame:
    """Return the words that one of two systems adds; `number` is that of the second one."""
    sides = [
        side.with_columns(pl.lit(change, pl.Int8).alias("change"))
        for side, change in ((before, -1), (after, 1))
    ]
    return pl.concat(sides).with_columns(
        pl.lit(number, pl.Int32).alias("system"),
        *(pl.lit(NONE, pl.Int32).alias(name) for name in WORDS[1:]),
        pl.lit(KINDS.index(INSERTED), pl.Int32).alias("kind"),
    )


def _p_values(changes: pl.Series) -> pl.Series:
    """Return the p-value of each list of changes.

    It depends on the sizes of the changes and on the size of their sum; most lists have the same
    ones as others.
    """
    change = pl.element()
    sizes = changes.list.eval(change.filter(change != 0).abs().sort().cast(pl.String))
    total = changes.list.sum().abs().cast(pl.String)
    key = (total + ":" + sizes.list.join(",")).alias("key")
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
