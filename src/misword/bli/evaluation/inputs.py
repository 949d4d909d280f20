"""The checked inputs of an evaluation: its settings, gold lexicons and systems."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from misword.bli.evaluation.coverage import Leaks
from misword.bli.evaluation.gold_ranks import LemmaMatch
from misword.bli.evaluation.rates import PairFlags, Rate, rates_of
from misword.bli.inputs import CandidateFile, LexiconOrPath, missing_column, open_lexicon
from misword.bli.mapping import Mapping as WordMapping
from misword.bli.mapping import SideName
from misword.bli.open_mapping import OpenMapping, check_max_words, name_of
from misword.bli.options import K_VALUES
from misword.bli.retrievers import RETRIEVERS, Retriever
from misword.bli.translate import check_k
from misword.bli.word_analysis import Lemmatizer, SourceLanguage, tags_of_words
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.embed.vectors.words import WordVectors
from misword.io.files.sources import PathLike
from misword.io.lexicons import Lexicon
from misword.stat.bootstrap import Bootstrap


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """How mappings are evaluated.

    `k_values` are the numbers of candidates; `oov` is the rule of `hit@k` for out-of-vocabulary
    words; `by` are the columns of the lexicon whose values are its slices. With `lemmas` a
    candidate can also be right by its lemma. With a `source_lemmatizer`, headwords are looked up in
    the training of mappings by their lemma too. `sizes` are the numbers of words that each mapping
    is evaluated with; empty if it is evaluated once.
    """

    k_values: tuple[int, ...] = K_VALUES
    oov: str = "drop"
    by: tuple[str, ...] = ()
    lemmas: LemmaMatch | None = None
    source_lemmatizer: Lemmatizer | None = None
    sizes: tuple[int, ...] = ()
    bootstrap: Bootstrap = field(default_factory=Bootstrap)

    def __post_init__(self) -> None:
        if not self.k_values:
            raise OptionError("no number of candidates", fix="use some, such as 1,5,10")
        check_k(self.k_values)
        rates_of(self.k_values, self.oov)

    @property
    def rates(self) -> tuple[Rate, ...]:
        """All rates that are computed."""
        return rates_of(self.k_values, self.oov)


# Gold lexicons as an evaluation takes them: with parts of speech, without training words.

POS = "pos"  # the column of parts of speech
NO_TAG = "none"

# One lexicon or several by name, or a function that reads and returns them.
Gold = LexiconOrPath | Mapping[str, LexiconOrPath]
GoldSource = Gold | Callable[[], Gold]


def open_gold(gold: GoldSource) -> list[Lexicon]:
    """Return all lexicons; those of a dictionary have its names."""
    given = gold() if callable(gold) else gold
    if not isinstance(given, Mapping):
        return [open_lexicon(given)]
    if not given:
        raise OptionError("no gold lexicon is named", fix="name at least one")
    return [replace(open_lexicon(lexicon), name=name) for name, lexicon in given.items()]


def with_parts_of_speech(lexicon: Lexicon, language: SourceLanguage) -> Lexicon:
    """Add the column `pos`, the part of speech of each headword, unless the lexicon has it."""
    if POS in lexicon.columns:
        return lexicon
    tagger = language.tagger()
    if tagger is None:
        hint = "; --source-lang names a language whose tagger finds parts of speech"
        raise missing_column(lexicon, POS, hint)
    words = list(lexicon.headwords)
    tag_of = dict(zip(words, tags_of_words(tagger, words, NO_TAG), strict=True))
    tags = tuple(tag_of[word] for word in lexicon.source)
    note = f"{lexicon.name}: parts of speech by {tagger.name}, of each headword without a sentence"
    return replace(lexicon, columns={**lexicon.columns, POS: tags}, notes=(*lexicon.notes, note))


def without_seen(lexicon: Lexicon, leaks: Sequence[Leaks]) -> Lexicon:
    """Leave out the headwords that were in the training of any of the mappings."""
    seen = np.logical_or.reduce([one.seen for one in leaks])
    number_of = {word: number for number, word in enumerate(lexicon.headwords)}
    kept = ~seen[[number_of[word] for word in lexicon.source]]
    if not kept.any():
        raise InputError(
            "all its headwords were in the training: nothing is left to evaluate",
            where=lexicon.name,
            fix="take another lexicon, or leave out --unseen",
        )
    note = (
        f"{lexicon.name}: {seen.sum():,} of {len(seen):,} headwords, with {(~kept).sum():,} of "
        f"{len(kept):,} pairs, were in the training of a mapping and are left out (--unseen)"
    )
    return _subset(lexicon, kept, note)


def _subset(lexicon: Lexicon, kept: PairFlags, note: str) -> Lexicon:
    """Return some pairs of a lexicon."""
    places = np.flatnonzero(kept).tolist()

    def take(values: Sequence[str]) -> tuple[str, ...]:
        return tuple(values[place] for place in places)

    return Lexicon(
        take(lexicon.source),
        take(lexicon.target),
        tuple(lexicon.lines[place] for place in places),
        lexicon.name,
        {name: take(values) for name, values in lexicon.columns.items()},
        (*lexicon.notes, note),
    )


# The systems of an evaluation: mappings, each with one or more sizes, and files of candidates.

OneMapping = WordMapping | PathLike
Mappings = OneMapping | Sequence[OneMapping] | Mapping[str, OneMapping]
CandidatePaths = PathLike | Sequence[PathLike] | Mapping[str, PathLike]


@dataclass(frozen=True, slots=True)
class Systems:
    """Mappings and files of candidates by name, and the options that mappings are opened with.

    `sizes` are numbers of words; each mapping is opened with each of them (None: all its words).
    `retrievers` has those that are named for one mapping alone, by the name of the mapping.
    """

    mappings: Mapping[str, WordMapping]
    files: tuple[CandidateFile, ...]
    sizes: tuple[int | None, ...] = (None,)
    source: WordVectors | PathLike | None = None
    target: WordVectors | PathLike | None = None
    reverse: bool = False
    workers: int | None = None
    retrievers: Mapping[str, Mapping[str, Retriever]] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        mappings: Mappings,
        candidates: CandidatePaths = (),
        max_words: int | Sequence[int] | None = None,
        *,
        source: WordVectors | PathLike | None = None,
        target: WordVectors | PathLike | None = None,
        reverse: bool = False,
        workers: int | None = None,
    ) -> Systems:
        """Read all files, but not the vectors of mappings; a file that cannot be read fails early.

        The arguments are those of `evaluate`.
        """
        several = max_words if isinstance(max_words, Sequence) else (max_words,)
        sizes: tuple[int | None, ...] = tuple(dict.fromkeys(several)) or (None,)
        for size in sizes:
            check_max_words(size)
        named, retrievers = _with_retrievers(_named(mappings), workers)
        files = _named_files(candidates, set(named))
        if not named and not files:
            raise OptionError(
                "no mapping is named", fix="name at least one, or a file with --candidates"
            )
        read = {
            name: mapping if isinstance(mapping, WordMapping) else WordMapping.read(mapping)
            for name, mapping in named.items()
        }
        lists = tuple(CandidateFile.read(path, name) for name, path in files.items())
        return cls(read, lists, sizes, source, target, reverse, workers, retrievers)

    @property
    def notes(self) -> tuple[str, ...]:
        """Which mappings have fewer words than one of several sizes."""
        return tuple(
            f"{name} has {mapping.source.words:,} and {mapping.target.words:,} words: "
            f"{size:,} takes all of them"
            for name, mapping in self.mappings.items()
            for size in self.sizes
            if len(self.sizes) > 1
            and size is not None
            and size > max(mapping.source.words, mapping.target.words)
        )

    def opened(self) -> Iterator[OpenMapping]:
        """Open one mapping after the other, so that not all vectors are in memory at a time."""
        for name, mapping in self.mappings.items():
            for size in self.sizes:
                several = len(self.sizes) > 1 and size is not None
                opened = OpenMapping.of(
                    mapping,
                    name=f"{name} {size:,} words" if several else name,
                    source=self.source,
                    target=self.target,
                    reverse=self.reverse,
                    max_words=size,
                    workers=self.workers,
                )
                yield replace(opened, retrievers=self.retrievers.get(name, {}))

    def leaks(self, lexicon: Lexicon, settings: EvaluationSettings) -> list[Leaks]:
        """Return what a lexicon shares with the training of each mapping.

        Raises if a mapping does not say what it was learnt from.
        """
        if not self.mappings:
            raise OptionError(
                "files of candidates do not say what their systems were trained on",
                fix="leave out --unseen; misword audit --training takes words out of a lexicon",
            )
        side: SideName = "target" if self.reverse else "source"
        moved = self.target if self.reverse else self.source
        found = []
        for name, mapping in self.mappings.items():
            trained = mapping.training_pairs
            if trained is None:
                raise OptionError(
                    "it does not say which pairs it was trained on",
                    where=name,
                    fix="make the mapping again with this version of misword",
                )
            words: Sequence[str] = ()
            if settings.source_lemmatizer is not None:
                words = mapping.vectors(side, moved).vocabulary
            trained = trained.swap() if self.reverse else trained
            found.append(Leaks.of(trained, lexicon, words, settings.source_lemmatizer))
        return found


OWN_RETRIEVERS = ":retriever="  # between the file of a mapping and the retrievers for it alone


def _path_and_specs(mapping: PathLike) -> tuple[PathLike, str | None]:
    """Divide the name of a file and the retrievers behind it; None if none are named."""
    path, found, specs = os.fspath(mapping).partition(OWN_RETRIEVERS)
    return (path, specs) if found and not os.path.exists(mapping) else (mapping, None)


def _with_retrievers(
    named: Mapping[str, OneMapping], workers: int | None
) -> tuple[dict[str, OneMapping], dict[str, dict[str, Retriever]]]:
    """Return the mappings without what follows their names, and the retrievers named there."""
    mappings: dict[str, OneMapping] = {}
    retrievers: dict[str, dict[str, Retriever]] = {}
    for name, mapping in named.items():
        mappings[name] = mapping
        if isinstance(mapping, WordMapping):
            continue
        mappings[name], specs = _path_and_specs(mapping)
        if specs is not None:
            retrievers[name] = checked_retrievers(specs, workers)
    return mappings, retrievers


def checked_retrievers(specs: str | Sequence[str], workers: int | None) -> dict[str, Retriever]:
    """Return the retrievers by their specs, with their options checked."""
    retrievers = RETRIEVERS.create_all(specs)
    if not retrievers:
        raise OptionError("no retriever is named", fix="name at least one, such as csls")
    for part in retrievers.values():
        part.check(Context(workers=workers))
    return retrievers


def _named(mappings: Mappings) -> dict[str, OneMapping]:
    """Return the mappings by name: a given name, the name of the file, or a number."""
    if isinstance(mappings, Mapping):
        return dict(mappings)
    several = [mappings] if isinstance(mappings, WordMapping | str | os.PathLike) else mappings
    named: dict[str, OneMapping] = {}
    for number, mapping in enumerate(several, 1):
        name = f"mapping {number}"
        if not isinstance(mapping, WordMapping):
            name = name_of(_path_and_specs(mapping)[0])
        while name in named:
            name += "'"
        named[name] = mapping
    return named


def _named_files(paths: CandidatePaths, taken: set[str]) -> dict[str, PathLike]:
    """Return files of candidates by name: a given name, or that of the file."""
    if isinstance(paths, Mapping):
        return dict(paths)
    named: dict[str, PathLike] = {}
    for path in [paths] if isinstance(paths, str | os.PathLike) else paths:
        name = os.path.splitext(os.path.basename(os.fspath(path)))[0]
        while name in named or name in taken:
            name += "'"
        named[name] = path
    return named
