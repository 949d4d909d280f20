"""The corpus of N-best lists of one system, from columns in memory or as it was read."""

from __future__ import annotations

from typing import Any

from misword.asr.choosing.list_columns import make_list_corpus
from misword.asr.choosing.tables import arranged
from misword.asr.completeness import check_complete
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.formatting import counted, listed
from misword.core.types import Corpus


def list_corpus(
    hypotheses: Any,
    scores: Any = None,
    references: Any = None,
    ids: Any = None,
    depth: int | None = None,
) -> Corpus:
    """Return the first `depth` hypotheses of each list (None: all), list after list.

    The arguments are those of `misword.mbr`. Without references, those of the corpus are the first
    hypotheses.
    """
    import polars as pl

    if callable(hypotheses):
        hypotheses = hypotheses()
    if isinstance(hypotheses, Corpus):
        if scores is not None or ids is not None or references not in (None, True):
            raise OptionError("a Corpus has its own references, scores and ids")
        corpus = hypotheses
    else:
        corpus = _from_columns(hypotheses, scores, references, ids)
    if len(corpus.systems) != 1:
        raise OptionError(
            f"lists of {len(corpus.systems)} systems: {listed(corpus.systems)}",
            fix="choose from the lists of one system at a time",
        )
    check_complete(corpus)
    table = arranged(corpus.hypotheses)
    if depth is not None:
        table = table.filter(pl.col("rank") <= depth)
    return Corpus(corpus.references, table, corpus.words)


def _from_columns(hypotheses: Any, scores: Any, references: Any, ids: Any) -> Corpus:
    """Return a corpus of lists of texts, with lists of scores."""
    import polars as pl

    if references is True:
        raise OptionError("lists without references", fix="give the references' texts")
    lists = list(hypotheses)
    if not lists:
        raise InputError("there are no lists", fix="give a list of texts for each utterance")
    texts = references
    if texts is None:  # an empty list is refused below, with the number of its utterance
        texts = [one if isinstance(one, str) else next(iter(one), "") for one in lists]
    corpus = make_list_corpus(texts, lists, ids=ids)
    if scores is None:
        return corpus
    sizes = [1 if isinstance(one, str) else len(one) for one in lists]
    given = [len(one) for one in scores]
    if given != sizes:
        wrong = next((n for n, pair in enumerate(zip(given, sizes, strict=False), 1)
                      if pair[0] != pair[1]), 0)  # fmt: skip
        what = f"the list of utterance {wrong}" if wrong else counted(len(sizes), "list")
        raise MismatchError(f"scores do not fit {what}", fix="give a score for each hypothesis")
    values = pl.Series("score", [float("nan") if v is None else v for one in scores for v in one])
    return Corpus(
        corpus.references,
        corpus.hypotheses.with_columns(values.cast(pl.Float64)),
        corpus.words,
    )
