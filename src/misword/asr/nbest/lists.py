"""N-best lists: flat arrays with offsets, corpora of lists, and scores of all hypotheses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from misword.asr.corpus import make_corpus, refuse_missing, text_column
from misword.asr.options import Scoring
from misword.asr.score import score, scores_from
from misword.core.errors import InputError
from misword.core.lazy import pl
from misword.core.types import Corpus, Statistics, join_ranges
from misword.io.results import SHARDS
from misword.io.shards import Shards
from misword.stat.score_tables import KEYS
from misword.stat.scores import Scores

# Costs that differ by at most this are equal: costs are counts of errors or sums of costs, and real
# differences are far larger.
TOLERANCE = 1e-9

Rows = NDArray[np.int64]
Costs = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class HypothesisLists:
    """Some or all hypotheses of each list, in the order of their ranks.

    List `u` has the rows `rows[offsets[u]:offsets[u + 1]]` of the arrays that describe the
    hypotheses. No list is empty.

    >>> lists = HypothesisLists.of(np.array([1, 2, 3, 1, 1, 2]))
    >>> lists.lengths.tolist()
    [3, 1, 2]
    >>> lists.up_to(2).rows.tolist()
    [0, 1, 3, 4, 5]
    >>> lists.with_least(np.array([4.0, 2, 2, 7, 1, 0])).rows.tolist()
    [1, 2, 3, 5]
    """

    rows: Rows
    offsets: Rows

    @classmethod
    def of(cls, ranks: NDArray[np.int64]) -> HypothesisLists:
        """Return the lists of hypotheses with these ranks: each list begins with rank 1."""
        starts = np.flatnonzero(ranks == 1)
        return cls(np.arange(len(ranks)), np.append(starts, len(ranks)))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Rows:
        """The number of hypotheses of each list."""
        return np.diff(self.offsets)

    @property
    def first(self) -> Rows:
        """The row of the first hypothesis of each list."""
        return self.rows[self.offsets[:-1]]

    def up_to(self, depth: int) -> HypothesisLists:
        """Return the first `depth` hypotheses of each list; shorter lists are as they are."""
        lengths = self.lengths
        if lengths.max(initial=0) <= depth:
            return self
        kept = np.minimum(lengths, depth)
        rows = self.rows[join_ranges(self.offsets[:-1], kept)]
        return HypothesisLists(rows, np.concatenate([[0], np.cumsum(kept)]))

    def of_rows(self, values: Statistics) -> Statistics:
        """Return the values of the rows of the lists, without a copy if these are all rows."""
        return values if len(values) == len(self.rows) else values[self.rows]

    def repeated(self, values: Statistics) -> Statistics:
        """Return a value of each list for each of its rows."""
        lengths = self.lengths
        if len(lengths) and (lengths == lengths[0]).all():  # faster than `np.repeat`
            spread = np.broadcast_to(values[:, None], (len(values), int(lengths[0])))
            return spread.reshape(-1)
        return np.repeat(values, lengths)

    def with_least(self, costs: Costs) -> HypothesisLists:
        """Return the hypotheses of each list that have its least cost; `costs` are by row."""
        if not len(self):
            return self
        values = self.of_rows(costs)
        least = np.minimum.reduceat(values, self.offsets[:-1])
        places = np.flatnonzero(values <= self.repeated(least + TOLERANCE))
        return HypothesisLists(self.rows[places], np.searchsorted(places, self.offsets))

    def spread(self, costs: Costs) -> Costs:
        """Return the highest cost of each list minus its least cost."""
        if not len(self):
            return np.zeros(0)
        values, starts = self.of_rows(costs), self.offsets[:-1]
        return np.asarray(
            np.maximum.reduceat(values, starts) - np.minimum.reduceat(values, starts), np.float64
        )


# A corpus with N-best lists from columns in memory.


def make_list_corpus(references: Any, hypotheses: Any, *, ids: Any = None) -> Corpus:
    """Make a `Corpus` of references and their lists of hypotheses, the best hypothesis first.

    `hypotheses` has a list of texts for each reference, or is a mapping of such columns by the
    names of the systems. A text alone is a list of one. Without `ids`, the utterances are numbered
    from 1.

    >>> corpus = make_list_corpus(["a b", "c"], [["a", "a b"], ["c"]])
    >>> corpus.hypotheses.select("utt", "rank", "text").rows()
    [('1', 1, 'a'), ('1', 2, 'a b'), ('2', 1, 'c')]
    """

    systems = hypotheses if isinstance(hypotheses, Mapping) else {"hypothesis": hypotheses}
    lists = {str(name): [_texts(entry) for entry in column] for name, column in systems.items()}
    for name, texts in lists.items():
        if [] in texts:
            raise InputError(
                f"the list of reference {texts.index([]) + 1} is empty",
                where=f"hypotheses of {name!r}",
                fix="give an empty string where nothing was recognised",
            )
    first = {name: [texts[0] for texts in column] for name, column in lists.items()}
    corpus = make_corpus(references, first, ids=ids)
    frames = []
    for name, column in lists.items():
        what, lengths = f"hypotheses of {name!r}", [len(texts) for texts in column]
        utts = corpus.references["utt"].gather(np.repeat(np.arange(len(column)), lengths))
        rows = text_column(list(chain.from_iterable(column)), what)
        refuse_missing(rows, what, utts)
        ranks = np.concatenate([np.arange(1, length + 1) for length in lengths])
        frame = pl.DataFrame({"utt": utts, "rank": ranks, "text": rows})
        frames.append(frame.with_columns(pl.lit(name).alias("system")))
    score = pl.lit(None, pl.Float64).alias("score")
    all_rows = pl.concat(frames).select("utt", "system", "rank", "text", score)
    return Corpus(corpus.references, all_rows, corpus.words)


def _texts(entry: Any) -> list[Any]:
    """Return the texts of a list; a text, or None, is a list of one."""
    return [entry] if entry is None or isinstance(entry, str) else list(entry)


# Scores of all hypotheses of N-best lists, from texts or from scores that exist.


class ScoredLists(NamedTuple):
    """The scores of all hypotheses, their texts if these are known, and the references.

    `texts` has the columns of the hypotheses of a `Corpus`, with the text as `hypothesis`.
    `references` has the columns of the references of a `Corpus`; scores have no text of them.
    `stored` are the texts of shards, in files.
    """

    scores: Scores
    texts: pl.DataFrame | None
    references: pl.DataFrame
    stored: pl.LazyFrame | None = None

    def texts_of(self, rows: pl.DataFrame) -> pl.DataFrame | None:
        """Return the texts of some hypotheses; None if no texts are known."""
        wanted = rows.select(KEYS).unique()
        if self.stored is not None:
            found = self.stored.join(wanted.lazy(), on=KEYS, how="semi")
            return found.collect(engine="streaming")
        return None if self.texts is None else self.texts.join(wanted, on=KEYS, how="semi")


def scored_lists(
    references: Any, hypotheses: Any, ids: Any, metrics: Any, **options: Unpack[Scoring]
) -> ScoredLists:
    """Return the scores of all hypotheses, with their texts and references.

    `references`, `hypotheses` and `ids` are those of `misword.oracle`, `metrics` and the options
    those of `misword.score`.
    """
    if isinstance(references, Scores):
        scores = scores_from(references, hypotheses=hypotheses, ids=ids, metrics=metrics, **options)
        known = "texts" in scores.records
        texts = scores.texts(all_ranks=True) if known else None
        utterances = scores.table.unique("utt", keep="first", maintain_order=True)
        return ScoredLists(scores, texts, utterances)
    corpora: list[Corpus] = []

    def read() -> Corpus:
        if hypotheses is None:
            corpora.append(make_corpus(references, None, ids=ids))
        else:
            corpora.append(make_list_corpus(references, hypotheses, ids=ids))
        return corpora[0]

    # Without the texts, the scores do not keep tokens and alignments in memory.
    scores = score(read, metrics=metrics, keep_texts=False, **options)
    texts = corpora[0].hypotheses.rename({"text": "hypothesis"})
    return ScoredLists(scores, texts, corpora[0].references)


def lists_of_shards(source: Shards, options: Mapping[str, Any]) -> ScoredLists:
    """Return the scores of all hypotheses in shards; their texts are in the files of `out`.

    The scores of all hypotheses are in memory: about 100 bytes for each, and 32 for each metric.
    """
    from misword.asr.sharding import score_shards

    scores, stored = score_shards(source, options, lists=True), None
    if source.out is not None:
        files = pl.scan_parquet(Path(source.out) / SHARDS / "*.parquet")
        stored = files.select(*KEYS, hypothesis="text")
    utterances = scores.table.unique("utt", keep="first", maintain_order=True)
    return ScoredLists(scores, None, utterances, stored)
