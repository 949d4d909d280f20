"""Evaluate mappings: hit rate, precision and recall on a gold lexicon, with intervals.

For each mapping and retriever, the gold translations are ranked among the retrieved candidates
(`GoldRanks`). All rates, differences and tables are computed from these ranks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from misword.bli.evaluation.coverage import Coverage
from misword.bli.evaluation.differences import differences
from misword.bli.evaluation.gold_ranks import GoldRanks
from misword.bli.evaluation.lemmas import Lemmatizer
from misword.bli.evaluation.out_of_vocabulary import OovRule
from misword.bli.evaluation.probabilities import ProbabilityTables
from misword.bli.evaluation.rate_table import rate_table
from misword.bli.evaluation.result import Evaluation
from misword.bli.evaluation.settings import DEFAULT_K, EvaluationSettings
from misword.bli.gold_flags import slices_by, with_flags
from misword.bli.lexicon_source import LexiconOrPath, open_lexicon
from misword.bli.mapping import Mapping as WordMapping
from misword.bli.open_mapping import OpenMapping, check_max_words, name_of
from misword.bli.retrievers import RETRIEVERS, Retriever
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts.contract import describe
from misword.embed.vectors.words import WordVectors
from misword.io.files.sources import PathLike
from misword.io.lexicons import Lexicon
from misword.stat.bootstrap import Bootstrap

OneMapping = WordMapping | PathLike
Mappings = OneMapping | Sequence[OneMapping] | Mapping[str, OneMapping]


def evaluate(
    mappings: Mappings,
    gold: LexiconOrPath | Callable[[], Lexicon],
    k: int | Sequence[int] = DEFAULT_K,
    *,
    retriever: str | Sequence[str] = "csls",
    oov: OovRule = "drop",
    by: str | Sequence[str] = (),
    gold_flags: bool = False,
    lemmas: str | None = None,
    lemmatizer: str = "",
    reverse: bool = False,
    max_words: int | None = None,
    source: WordVectors | PathLike | None = None,
    target: WordVectors | PathLike | None = None,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    workers: int | None = None,
) -> Evaluation:
    """Evaluate mappings on a gold lexicon, and compare them with the first.

    `mappings` is one mapping or several (a dictionary names them), each a file or the result of
    `map_vectors`; each mapping is evaluated with each `retriever`. `gold` may also be a function
    that reads and returns the lexicon; it is called when all options are checked. `k` are the
    numbers of candidates; `oov` is the rule of `hit@k` for words out of the vocabulary (see
    `Rate`); `by` names columns of the gold file whose values are slices of the lexicon;
    `gold_flags` adds the columns of the flags that `audit` wrote. `lemmas` is the language of the
    translations, if an inflected form of a gold translation is to count as
    right; `lemmatizer` names another lemmatizer than the default of that language. `reverse`,
    `max_words`, `source` and `target` are as for `translate`.
    """
    settings = EvaluationSettings(
        tuple(dict.fromkeys([k] if isinstance(k, int) else k)),
        oov,
        (by,) if isinstance(by, str) else tuple(by),
        Lemmatizer.of(lemmas, lemmatizer) if lemmas is not None else None,
        Bootstrap(bootstrap, confidence, seed),
    )
    retrievers = RETRIEVERS.create_all(retriever)
    if not retrievers:
        raise OptionError("no retriever", fix="name at least one, such as csls")
    for part in retrievers.values():
        part.check(Context(workers=workers))
    check_max_words(max_words)
    lexicon = gold() if callable(gold) else open_lexicon(gold)
    settings = with_flags(settings, lexicon) if gold_flags else settings
    # A generator, so that the vectors of all mappings are not in memory at the same time.
    opened = (
        OpenMapping.of(
            mapping,
            name=name,
            source=source,
            target=target,
            reverse=reverse,
            max_words=max_words,
            workers=workers,
        )
        for name, mapping in _read_all(_named(mappings)).items()
    )
    return evaluate_open(opened, lexicon, retrievers, settings, workers)


def evaluate_open(
    mappings: Iterable[OpenMapping],
    lexicon: Lexicon,
    retrievers: Mapping[str, Retriever],
    settings: EvaluationSettings,
    workers: int | None = None,
) -> Evaluation:
    """Evaluate open mappings, one after the other, with each retriever."""
    import polars as pl

    slices = {column: slices_by(lexicon, column) for column in settings.by}
    parts: dict[str, dict[str, Any]] = {}
    systems: list[GoldRanks] = []
    coverages: list[Coverage] = []
    for mapping in mappings:
        for part in retrievers.values():
            part.check_languages(mapping.languages)
        for spec, part in retrievers.items():
            system = f"{mapping.name} {spec}"
            ranks = GoldRanks.of(
                mapping, lexicon, part, max(settings.k_values), system, workers, settings.lemmatizer
            )
            systems.append(ranks)
        coverages.append(Coverage.of(mapping, systems[-1]))
        parts |= mapping.described_method()
    parts |= {spec: describe(part) for spec, part in retrievers.items()}
    return Evaluation(
        lexicon,
        tuple(systems),
        tuple(coverages),
        settings,
        rate_table(systems, slices, settings),
        pl.DataFrame([coverage.row() for coverage in coverages]),
        differences(systems, settings.rates, settings.bootstrap),
        ProbabilityTables.of(systems, settings.bootstrap),
        parts,
    )


def _named(mappings: Mappings) -> dict[str, OneMapping]:
    """Return the mappings by name: a given name, the name of the file, or a number."""
    if isinstance(mappings, Mapping):
        return dict(mappings)
    several = [mappings] if isinstance(mappings, WordMapping | str | os.PathLike) else mappings
    named: dict[str, OneMapping] = {}
    for number, mapping in enumerate(several, 1):
        name = f"mapping {number}" if isinstance(mapping, WordMapping) else name_of(mapping)
        while name in named:
            name += "'"
        named[name] = mapping
    if not named:
        raise OptionError("no mapping", fix="name at least one")
    return named


def _read_all(mappings: Mapping[str, OneMapping]) -> dict[str, WordMapping]:
    """Return all mappings, read from their files; a file that cannot be read fails early."""
    return {
        name: mapping if isinstance(mapping, WordMapping) else WordMapping.read(mapping)
        for name, mapping in mappings.items()
    }
