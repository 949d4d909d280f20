"""Bring the vectors of two languages into one space.

misword.map_vectors("en.vec", "fr.vec", "vecmap-s", lexicon="train.txt").write("en-fr.map")
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from misword.bli.mapping import Mapping, Record, Side, open_vectors
from misword.bli.methods import METHODS, Matrix, Method, Pairs
from misword.bli.search.threads import one_blas_thread
from misword.bli.seeds import from_lexicon, identical
from misword.bli.spaces import Space
from misword.bli.training import Training, Validation, part_of
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.signature import Signature
from misword.core.version import __version__
from misword.embed.vectors.words import WordVectors
from misword.io.files.sources import PathLike
from misword.io.lexicons import Lexicon, read_lexicon

MAX_WORDS = 200_000
DEFAULT_METHOD = "vecmap-s"

Vectors = WordVectors | PathLike
Words = Lexicon | PathLike | Iterable[tuple[str, str]]


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """All that decides a mapping, read and checked: `train` does the work."""

    method: Method
    source: Space
    target: Space
    seeds: Pairs
    validation: Validation | None
    max_words: int | None
    vector_format: str | None
    seed: int
    signature: Signature
    notes: tuple[str, ...]

    def train(
        self,
        out: PathLike | None = None,
        *,
        resume: bool = False,
        workers: int | None = None,
        tell: Callable[[Record], None] | None = None,
    ) -> Mapping:
        """Learn the mapping; write it to `out`, and beside it states to resume from.

        `tell` hears of every iteration. The number of `workers` changes nothing in the result.
        """
        part = part_of(out) if out is not None else None
        training = Training(self.signature, self.seed, workers, self.validation, part, tell)
        training.open(resume=resume)
        with one_blas_thread(), training.interruptible():
            made = self.method.train(self.source, self.target, self.seeds, training)
        sides = self._side(self.source, made.source), self._side(self.target, made.target)
        told = getattr(self.method, "notes", lambda trace: ())(training.trace)
        mapping = Mapping(*sides, self.signature, tuple(training.trace), (*self.notes, *told))
        if out is not None:
            mapping.write(out)
            part_of(out).unlink(missing_ok=True)
        return mapping

    def _side(self, space: Space, matrix: Matrix) -> Side:
        if not np.isfinite(matrix).all():
            raise InputError(
                f"{self.method.name} came to no numbers (nan)",
                where=space.name,
                fix="the training went astray: try other options or another seed",
            )
        return Side(
            space.name, space.digest, self.vector_format, len(space), self.max_words, space.steps,
            space.means, matrix,
        )  # fmt: skip


def map_vectors(
    source: Vectors,
    target: Vectors,
    method: str | Method = DEFAULT_METHOD,
    *,
    lexicon: Words | None = None,
    valid: Words | None = None,
    max_words: int | None = MAX_WORDS,
    seed: int = 0,
    vector_format: str | None = None,
    workers: int | None = None,
    out: PathLike | None = None,
    resume: bool = False,
) -> Mapping:
    """Learn a mapping of two files of vectors, or of vectors in memory.

    `lexicon`: pairs that supervised methods learn from; `valid`: pairs that the progress is
    measured on; `max_words`: only the first so many words of each (None: all); `out`: a file to
    write, with what is needed to `resume` beside it while the training lasts.
    """
    task = prepare(
        source, target, method, lexicon=lexicon, valid=valid, max_words=max_words, seed=seed,
        vector_format=vector_format,
    )  # fmt: skip
    return task.train(out, resume=resume, workers=workers)


def prepare(
    source: Vectors,
    target: Vectors,
    method: str | Method = DEFAULT_METHOD,
    *,
    lexicon: Words | None = None,
    valid: Words | None = None,
    max_words: int | None = MAX_WORDS,
    seed: int = 0,
    vector_format: str | None = None,
) -> Task:
    """Read and check everything that a training needs; what can be refused is refused here."""
    chosen = choose(method, lexicon is not None)
    lexicons = [words if words is None else _lexicon(words) for words in (lexicon, valid)]
    left, right = (_opened(vectors, max_words, vector_format) for vectors in (source, target))
    if left.dimension != right.dimension:
        raise MismatchError(
            f"{left.dimension} dimensions, but {right.dimension} in {right.name}",
            where=left.name,
            fix="vectors of two languages must have the same number of dimensions",
        )
    first, second = (Space.of(vectors, chosen.normalize, max_words) for vectors in (left, right))
    seeds, notes = _seeds(chosen, lexicons[0], first, second)
    validation = None
    if lexicons[1] is not None:
        validation = Validation.of(first, second, from_lexicon(lexicons[1], first, second)[0])
        notes += (f"{lexicons[1].name}: hit@1 is of {len(validation.queries):,} words",)
    signature = Signature(
        chosen.name,
        (
            *chosen.settings(),
            ("seed", str(seed)),
            ("max_words", str(max_words or "all")),
            ("source", first.digest[:16]),
            ("target", second.digest[:16]),
            ("lexicon", lexicons[0].digest[:16] if lexicons[0] else chosen.seeding),
            ("valid", lexicons[1].digest[:16] if lexicons[1] else "none"),
            ("v", __version__),
        ),
    )
    return Task(
        chosen, first, second, seeds, validation, max_words, vector_format, seed, signature,
        (*_said(first, max_words), *_said(second, max_words), *notes),
    )  # fmt: skip


def choose(method: str | Method, has_lexicon: bool) -> Method:
    """The method, if all is there that it needs."""
    chosen = METHODS.create(method) if isinstance(method, str) else method
    chosen.check()
    if chosen.seeding == "lexicon" and not has_lexicon:
        raise OptionError(
            f"{chosen.name} learns from a lexicon",
            fix="name one with --lexicon, or use a method without: vecmap-i, vecmap-u, muse-u",
        )
    if chosen.seeding != "lexicon" and has_lexicon:
        raise OptionError(
            f"{chosen.name} takes no lexicon",
            fix="leave out --lexicon, or use a method that learns from it: vecmap-s, vecmap-semi; "
            "--valid only measures",
        )
    return chosen


def _seeds(
    method: Method, lexicon: Lexicon | None, source: Space, target: Space
) -> tuple[Pairs, tuple[str, ...]]:
    if lexicon is not None:
        pairs, notes = from_lexicon(lexicon, source, target)
        if len(pairs) < source.dimension:
            few = f"fewer pairs than dimensions ({source.dimension}): a loose fit"
            notes += (f"{lexicon.name}: {few}; vecmap-semi is made for small lexicons",)
        return pairs, notes
    if method.seeding == "none":
        return np.empty((0, 2), np.int64), ()
    pairs = identical(source, target)
    return pairs, (f"{len(pairs):,} tokens are in both vocabularies",)


def _said(space: Space, max_words: int | None) -> Iterator[str]:
    """What there is to know of a space."""
    for said in space.notes:
        yield f"{space.name}: {said}"
    if len(space) == max_words:
        yield f"{space.name}: words beyond the first {max_words:,} are left out (--max-words)"


def _lexicon(words: Words) -> Lexicon:
    if isinstance(words, Lexicon):
        return words
    return read_lexicon(words) if isinstance(words, str | os.PathLike) else Lexicon.of(words)


def _opened(vectors: Vectors, max_words: int | None, format: str | None) -> WordVectors:
    if isinstance(vectors, WordVectors):
        return vectors
    return open_vectors(vectors, max_words, format)
