"""The systems of an evaluation: mappings, each with one or more sizes, and files of candidates."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from misword.bli.candidate_files import CandidateFile
from misword.bli.evaluation.leaks import Leaks
from misword.bli.evaluation.settings import EvaluationSettings
from misword.bli.mapping import Mapping as WordMapping
from misword.bli.mapping import SideName
from misword.bli.open_mapping import OpenMapping, check_max_words, name_of
from misword.core.errors import OptionError
from misword.embed.vectors.words import WordVectors
from misword.io.files.sources import PathLike
from misword.io.lexicons import Lexicon

OneMapping = WordMapping | PathLike
Mappings = OneMapping | Sequence[OneMapping] | Mapping[str, OneMapping]
CandidatePaths = PathLike | Sequence[PathLike] | Mapping[str, PathLike]


@dataclass(frozen=True, slots=True)
class Systems:
    """Mappings and files of candidates by name, and the options that mappings are opened with.

    `sizes` are numbers of words; each mapping is opened with each of them (None: all its words).
    """

    mappings: Mapping[str, WordMapping]
    files: tuple[CandidateFile, ...]
    sizes: tuple[int | None, ...] = (None,)
    source: WordVectors | PathLike | None = None
    target: WordVectors | PathLike | None = None
    reverse: bool = False
    workers: int | None = None

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
        named = _named(mappings)
        files = _named_files(candidates, set(named))
        if not named and not files:
            raise OptionError("no mapping", fix="name at least one, or a file with --candidates")
        read = {
            name: mapping if isinstance(mapping, WordMapping) else WordMapping.read(mapping)
            for name, mapping in named.items()
        }
        lists = tuple(CandidateFile.read(path, name) for name, path in files.items())
        return cls(read, lists, sizes, source, target, reverse, workers)

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
                yield OpenMapping.of(
                    mapping,
                    name=f"{name} {size:,} words" if several else name,
                    source=self.source,
                    target=self.target,
                    reverse=self.reverse,
                    max_words=size,
                    workers=self.workers,
                )

    def leaks(self, lexicon: Lexicon, settings: EvaluationSettings) -> list[Leaks]:
        """Return what a lexicon shares with the training of each mapping.

        Raises if a mapping does not say what it was learnt from.
        """
        if not self.mappings:
            raise OptionError(
                "files of candidates do not say what their systems were trained on",
                fix="leave out --unseen; misword audit --train takes words out of a lexicon",
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
                vocabulary = mapping.vectors(side, moved).vocabulary
                words = vocabulary.first(mapping.side(side).words)
            trained = trained.swap() if self.reverse else trained
            found.append(Leaks.of(trained, lexicon, words, settings.source_lemmatizer))
        return found


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
