"""Evaluate mappings: hit rate, precision and recall on a gold lexicon, with intervals.

For each mapping and retriever, and each file of candidates, the gold translations are ranked among
the candidates (`GoldRanks`). All rates, differences and tables are computed from these ranks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

from misword.bli.evaluation.coverage import Coverage
from misword.bli.evaluation.gold_ranks import GoldRanks, LemmaMatch
from misword.bli.evaluation.inputs import (
    POS,
    EvaluationSettings,
    GoldSource,
    Mappings,
    Systems,
    checked_retrievers,
    open_gold,
    with_parts_of_speech,
    without_seen,
)
from misword.bli.evaluation.probabilities import ProbabilityTables
from misword.bli.evaluation.rate_tables import (
    differences,
    flag_columns,
    rate_table,
    slice_differences,
    slices_by,
)
from misword.bli.evaluation.result import Evaluation
from misword.bli.inputs import CandidateFile
from misword.bli.open_mapping import OpenMapping
from misword.bli.options import K_VALUES, EvaluateOptions, MappedVectors
from misword.bli.retrievers import Retriever
from misword.bli.word_analysis import SourceLanguage
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.parts import describe
from misword.io.lexicons import Lexicon
from misword.stat.bootstrap import Bootstrap


@takes(EvaluateOptions)
def evaluate(
    mappings: Mappings,
    gold: GoldSource,
    k: int | Sequence[int] = K_VALUES,
    **options: Unpack[EvaluateOptions],
) -> Evaluation:
    """Evaluate mappings on a gold lexicon, and compare them with the first.

    `mappings` (files or results of `map_vectors`) and `candidates` (files of candidates that other
    tools made) can be one, several, or a dictionary that names them; each mapping is evaluated with
    each `retriever` and each number of words of `max_words`. Without `retriever`, mappings with a
    reranker take `reranked`, others `csls`; the file name `b.map:retriever=csls` names that of one
    mapping. `gold` can be a dictionary of several lexicons, or a function that is called when all
    options are checked. `k` are the numbers of candidates; `oov` is the rule of `hit@k` for words
    out of the vocabulary (see `Rate`). `by` names columns of the first lexicon that divide it into
    slices; `gold_flags` adds the columns that `audit` wrote. `source_lang` is the language of the
    headwords: `tagger` or its default tagger makes the column `pos`. `lemmas` is the language of
    the translations, if a candidate can be right by its lemma (see `LEMMA_RULES`). `unseen` leaves
    out the headwords that a mapping was trained on. `reverse`, `source` and `target` are as for
    `translate`.
    """
    by, max_words, workers = options["by"], options["max_words"], options["workers"]
    language = SourceLanguage(options["source_lang"], options["tagger"])
    settings = EvaluationSettings(
        tuple(dict.fromkeys([k] if isinstance(k, int) else k)),
        options["oov"],
        (by,) if isinstance(by, str) else tuple(by),
        _lemma_match(options),
        language.lemmatizer(),
        tuple(max_words) if isinstance(max_words, Sequence) else (),
        Bootstrap.of(options),
    )
    specs = options["retriever"]
    retrievers = {} if specs is None else checked_retrievers(specs, workers)
    systems = Systems.read(
        mappings, options["candidates"], max_words, **chosen(options, MappedVectors)
    )
    lexicons, settings = _prepare(open_gold(gold), settings, language, options["gold_flags"])
    if options["unseen"]:
        lexicons = [without_seen(one, systems.leaks(one, settings)) for one in lexicons]
    return evaluate_open(
        systems.opened(), lexicons, retrievers, settings, workers, systems.files, systems.notes
    )


def evaluate_open(
    mappings: Iterable[OpenMapping],
    gold: Lexicon | Sequence[Lexicon],
    retrievers: Mapping[str, Retriever],
    settings: EvaluationSettings,
    workers: int | None = None,
    files: Iterable[CandidateFile] = (),
    notes: tuple[str, ...] = (),
) -> Evaluation:
    """Evaluate open mappings, one after the other, with each retriever, then files of candidates.

    Without retrievers, each mapping takes its default. The slices of the settings are those of the
    first lexicon.
    """
    parts: dict[str, dict[str, Any]] = {}
    failed: dict[str, str] = {}
    lexicons = [gold] if isinstance(gold, Lexicon) else gold
    collected = [_RanksOnLexicon(lexicon, settings) for lexicon in lexicons]
    for mapping in mappings:
        chosen_for_it = mapping.retrievers or retrievers
        if not chosen_for_it:
            default = mapping.default_retriever()
            chosen_for_it = {default.name: default}
        for part in chosen_for_it.values():
            part.check_languages(mapping.languages)
        for each in collected:
            each.add_mapping(mapping, chosen_for_it, workers)
        failed |= {mapping.name: mapping.failure} if mapping.failure else {}
        notes += mapping.notes
        parts |= mapping.described_method()
        parts |= {spec: describe(part) for spec, part in chosen_for_it.items()}
    for file in files:
        for each in collected:
            each.add_file(file)
    first, *others = collected
    return replace(
        first.evaluation(parts, settings.by, notes),
        failed=failed,
        others=tuple(each.evaluation(parts) for each in others),
    )


@dataclass(slots=True)
class _RanksOnLexicon:
    """The ranks of all systems on one lexicon."""

    lexicon: Lexicon
    settings: EvaluationSettings
    systems: list[GoldRanks] = field(default_factory=list)
    coverages: list[Coverage] = field(default_factory=list)

    def add_mapping(
        self, mapping: OpenMapping, retrievers: Mapping[str, Retriever], workers: int | None
    ) -> None:
        """Rank the gold pairs by a mapping with each retriever."""
        k, lemmas = max(self.settings.k_values), self.settings.lemmas
        for spec, part in retrievers.items():
            system = f"{mapping.name} {spec}"
            ranks = GoldRanks.of(mapping, self.lexicon, part, k, system, workers, lemmas)
            self.systems.append(ranks)
        lemmatizer = self.settings.source_lemmatizer
        self.coverages.append(Coverage.of(mapping, self.systems[-1], lemmatizer))

    def add_file(self, file: CandidateFile) -> None:
        """Rank the gold pairs by a file of candidates."""
        k, lemmas = max(self.settings.k_values), self.settings.lemmas
        ranks = GoldRanks.of_file(file, self.lexicon, k, lemmas)
        self.systems.append(ranks)
        self.coverages.append(Coverage.of_file(ranks))

    def evaluation(
        self,
        parts: Mapping[str, dict[str, Any]],
        by: Sequence[str] = (),
        notes: tuple[str, ...] = (),
    ) -> Evaluation:
        """Compute all tables."""
        systems, bootstrap, rates = self.systems, self.settings.bootstrap, self.settings.rates
        slices = {column: slices_by(self.lexicon, column) for column in by}
        return Evaluation(
            self.lexicon,
            tuple(systems),
            tuple(self.coverages),
            self.settings,
            rate_table(systems, slices, self.settings),
            pl.DataFrame([one.row() for one in self.coverages], infer_schema_length=None),
            differences(systems, rates, bootstrap),
            slice_differences(systems, slices, rates, bootstrap),
            ProbabilityTables.of(systems, bootstrap),
            parts,
            further_notes=notes,
        )


def _lemma_match(options: EvaluateOptions) -> LemmaMatch | None:
    """Return the rule by which candidates are right by their lemma, if they can be."""
    lang = options["lemmas"]
    if lang is None:
        return None
    return LemmaMatch.of(lang, options["lemmatizer"], options["lemma_rule"])


def _prepare(
    lexicons: list[Lexicon],
    settings: EvaluationSettings,
    language: SourceLanguage,
    gold_flags: bool,
) -> tuple[list[Lexicon], EvaluationSettings]:
    """Add parts of speech to the first lexicon, and its flags to the slices, as asked for."""
    first, *others = lexicons
    if POS in settings.by:
        first = with_parts_of_speech(first, language)
    if gold_flags:
        columns = tuple(dict.fromkeys([*settings.by, *flag_columns(first)]))
        settings = replace(settings, by=columns)
    return [first, *others], settings
