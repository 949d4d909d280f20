"""How good is a mapping: hit rate, precision and recall on a gold lexicon, with intervals."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.bli.evaluation.coverage import Coverage
from misword.bli.evaluation.differences import differences
from misword.bli.evaluation.gold_ranks import Answers, Tally
from misword.bli.evaluation.lemmas import Lemmas
from misword.bli.evaluation.rates import quotient
from misword.bli.evaluation.result import WITHIN, Evaluation, Settings
from misword.bli.evaluation.slices import cuts
from misword.bli.mapping import Mapping as WordMapping
from misword.bli.open_mapping import Bridge, name_of
from misword.bli.retrievers import RETRIEVERS, Retriever
from misword.core.errors import OptionError
from misword.embed.vectors.words import WordVectors
from misword.io.files.sources import PathLike
from misword.io.lexicons import Lexicon, read_lexicon
from misword.stat.bootstrap import Bootstrap
from misword.stat.resampling import interval

if TYPE_CHECKING:
    pass

Mappings = WordMapping | PathLike | Sequence[WordMapping | PathLike] | Mapping[str, Any]


def evaluate(
    mappings: Mappings,
    gold: Lexicon | PathLike | Iterable[tuple[str, str]],
    k: int | Sequence[int] = WITHIN,
    *,
    retriever: str | Sequence[str] = "csls",
    oov: str = "drop",
    by: str | Sequence[str] = (),
    lemmas: str | None = None,
    reverse: bool = False,
    max_words: int | None = None,
    source: WordVectors | PathLike | None = None,
    target: WordVectors | PathLike | None = None,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    workers: int | None = None,
) -> Evaluation:
    """Measure mappings on a gold lexicon, and compare them with the first.

    `mappings` is one or several (or named ones, in a dictionary), each a file or what `map` made;
    each is asked by each `retriever`. `k` are numbers of candidates; `oov` is the rule of `hit@k`
    for words out of the vocabulary (see `Rate`); `by` names columns of the gold file; `lemmas` is
    the language of the translations, if another form of a gold translation is to count. `reverse`,
    `max_words`, `source` and `target` are as for `translate`.
    """
    within = tuple(dict.fromkeys([k] if isinstance(k, int) else k))
    names = (by,) if isinstance(by, str) else tuple(by)
    forms = Lemmas.of(lemmas) if lemmas is not None else None
    settings = Settings(within, oov, names, forms, Bootstrap(bootstrap, confidence, seed))
    parts = RETRIEVERS.create_all(retriever)
    lexicon = gold_of(gold)
    where: dict[str, Any] = {"source": source, "target": target, "reverse": reverse}
    read = opened(named(mappings))
    bridges = (
        Bridge.of(mapping, name=name, max_words=max_words, workers=workers, **where)
        for name, mapping in read.items()
    )
    return evaluate_bridges(bridges, lexicon, parts, settings, workers)


def evaluate_bridges(
    bridges: Iterable[Bridge],
    lexicon: Lexicon,
    parts: Mapping[str, Retriever],
    settings: Settings,
    workers: int | None = None,
) -> Evaluation:
    """The same over mappings that are open, one after the other: vectors take memory."""
    import polars as pl

    pieces = {column: cuts(lexicon, column) for column in settings.by}
    most, answers, covered = max(settings.within), [], []
    for bridge in bridges:
        for spec, part in parts.items():
            how = (f"{bridge.name} {spec}", workers, settings.lemmas)
            answers.append(Answers.of(bridge, lexicon, part, most, *how))
        covered.append(Coverage.of(bridge, answers[-1]))
    rows = []
    for one in answers:
        whole = one.counts(settings.within)
        rows += _rates(one, whole, settings, {})
        for column, values in pieces.items():
            for value, only in values.items():
                cut = {"column": column, "value": value}
                rows += _rates(one, one.counts(settings.within, only), settings, cut)
    return Evaluation(
        lexicon, tuple(answers), tuple(covered), settings,
        pl.DataFrame(rows, infer_schema_length=None).fill_nan(None),
        pl.DataFrame([each.row() for each in covered]),
        differences(answers, settings.rates, settings.drawing),
    )  # fmt: skip


def gold_of(gold: Lexicon | PathLike | Iterable[tuple[str, str]]) -> Lexicon:
    """A lexicon from wherever it is."""
    if isinstance(gold, Lexicon):
        return gold
    if isinstance(gold, str | os.PathLike):
        return read_lexicon(gold)
    return Lexicon.of(gold)


def named(mappings: Mappings) -> dict[str, Any]:
    """Mappings by name; files have their own."""
    if isinstance(mappings, Mapping):
        return dict(mappings)
    several = [mappings] if isinstance(mappings, WordMapping | str | os.PathLike) else mappings
    found: dict[str, Any] = {}
    for place, one in enumerate(several, 1):
        name = f"mapping {place}" if isinstance(one, WordMapping) else name_of(one)
        while name in found:
            name += "'"
        found[name] = one
    if not found:
        raise OptionError("no mapping", fix="name at least one")
    return found


def opened(mappings: Mapping[str, WordMapping | PathLike]) -> dict[str, WordMapping]:
    """The mappings, read from their files where they are in files."""
    return {
        name: one if isinstance(one, WordMapping) else WordMapping.read(one)
        for name, one in mappings.items()
    }


def _rates(
    answers: Answers, tally: Tally, settings: Settings, cut: dict[str, str]
) -> list[dict[str, Any]]:
    """A row for each rate of some of the pairs."""
    rows = []
    for rate in settings.rates:
        terms = rate.terms(tally)
        counted_in = terms[terms[:, 1] > 0]
        low, high = interval(counted_in, quotient, settings.drawing)
        part, whole = counted_in.sum(axis=0).tolist()
        row: dict[str, Any] = {"system": answers.system, "column": None, "value": None} | cut
        row |= {"metric": rate.name, "kind": rate.kind, "k": rate.k}
        row |= {"rate": part / whole if whole else np.nan, "low": low, "high": high}
        row |= {"part": part, "whole": whole, "headwords": len(counted_in)}
        rows.append(row)
    return rows
