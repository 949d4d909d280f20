"""Bring the vectors of two languages into one space.

    misword.map_vectors("en.vec", "fr.vec", "vecmap-s", lexicon="train.txt").write("en-fr.map")

`prepare` reads and checks the vectors and lexicons: the result is a `PreparedTraining`.
`PreparedTraining.train` runs the mapping method on it, within a `Training`. The method calls
`report` of the training after each iteration and `save` with its state. The state is written to a
file from time to time and when the training is interrupted; `open` reads it again, so that the
training can be resumed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Unpack

import numpy as np

from misword.bli.arrays import Float32Array, RowPairs
from misword.bli.inputs import open_lexicon
from misword.bli.mapping import Mapping, MappingSide, Record, open_vectors
from misword.bli.methods import METHODS, MappingMatrices, Method, State
from misword.bli.methods.choice import AUTO, NORMALIZE, choose_method
from misword.bli.options import DEFAULT_METHOD, MapOptions, TrainingData
from misword.bli.reranking.learning import Headwords, cross_fit
from misword.bli.reranking.model import Reranker
from misword.bli.seeds import TrainingPairs, Validation, from_lexicon, identical
from misword.bli.spaces import Space
from misword.core.context import Context
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.options import chosen, takes
from misword.core.progress import progress
from misword.core.signature import Signature
from misword.core.workers import one_blas_thread
from misword.embed.vectors.words import WordVectors
from misword.io.files.archives import read_archive, write_archive
from misword.io.files.path_errors import naming, output_status
from misword.io.files.sources import PathLike
from misword.io.files.strict_json import any_of, boolean, list_of, mapping_of, number, record, text
from misword.io.files.writing import check_path
from misword.io.lexicons import Lexicon

STATE_KIND = "misword-training"
STATE_VERSION = 1
STATE_SCHEMA = record(
    {
        "signature": text(),
        "trace": list_of(mapping_of(number())),
        "state": mapping_of(any_of(number(), text(), boolean)),
    }
)
SECONDS_BETWEEN_WRITES = 15.0  # of states to disk, at least


@dataclass(eq=False)
class Training:
    """The training of one mapping; methods see it as a `TrainingRun`.

    `signature` names the method, its options and its data: a saved state is resumed only if its
    signature is the same. `state_file` is where states are written, None if they are not.
    `on_iteration` is called with the record of every iteration. Records have no times, so that the
    same seed gives the same trace.
    """

    signature: Signature
    seed: int = 0
    workers: int | None = None
    validation: Validation | None = None
    state_file: Path | None = None
    on_iteration: Callable[[Record], None] | None = None
    trace: list[Record] = field(default_factory=list)
    _resumed: State | None = None
    _latest: State | None = None
    _latest_trace: int = 0  # length of the trace when the latest state was saved
    _written: float = field(default_factory=time.monotonic)

    def open(self, *, resume: bool) -> bool:
        """Read the state of an interrupted training; returns whether there is one to resume."""
        if self.state_file is None or not self.state_file.exists():
            return False
        check_interrupted(self.state_file, resume=resume)
        header, arrays = read_archive(
            self.state_file, STATE_KIND, "interrupted training", STATE_VERSION, STATE_SCHEMA
        )
        try:
            signature = Signature.parse(header["signature"])
        except OptionError:
            raise InputError("damaged", where=str(self.state_file), fix="remove it") from None
        state, trace = {**header["state"], **arrays}, header["trace"]
        differences = self.signature.differences(signature)
        if differences:
            raise MismatchError(
                "the interrupted training had other settings: " + "; ".join(differences),
                where=str(self.state_file),
                fix="give the options it was started with, or remove the file (here / there)",
            )
        self._resumed = self._latest = state
        self.trace, self._latest_trace = trace, len(trace)
        return True

    @property
    def has_validation(self) -> bool:
        """Whether there is a validation lexicon."""
        return self.validation is not None

    def saved_state(self) -> State | None:
        """Return the state to resume from, None at the start of a training."""
        return self._resumed

    def report(self, record: Record, source: Float32Array, target: Float32Array) -> float | None:
        """Add an iteration to the trace; returns hit@1 on the validation lexicon, if any."""
        hit = None
        if self.validation is not None:
            hit = self.validation.hit(source, target, self.workers)
            record = {**record, "hit@1": hit}
        self.trace.append(record)
        if self.on_iteration is not None:
            self.on_iteration(record)
        return hit

    def save(self, state: State) -> None:
        """Keep a state to resume from, and write it if the last one was written some time ago."""
        self._latest, self._latest_trace = state, len(self.trace)
        if (
            self.state_file is not None
            and time.monotonic() - self._written >= SECONDS_BETWEEN_WRITES
        ):
            self.write()

    def write(self) -> None:
        """Write the latest state, if there is one."""
        if self.state_file is None or self._latest is None:
            return
        arrays = {k: v for k, v in self._latest.items() if isinstance(v, np.ndarray)}
        numbers = {k: v for k, v in self._latest.items() if k not in arrays}
        header = {
            "version": STATE_VERSION,
            "signature": str(self.signature),
            "trace": self.trace[: self._latest_trace],
            "state": numbers,
        }
        # A signal interrupts the main thread only: another thread writes the file to its end.
        with ThreadPoolExecutor(1) as pool:
            pool.submit(write_archive, self.state_file, STATE_KIND, header, arrays).result()
        self._written = time.monotonic()

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Within this context, an interruption (Ctrl-C) first writes the latest state."""
        try:
            yield
        except KeyboardInterrupt as error:
            self.write()
            if self.state_file is not None and self._latest is not None:
                error.args = (
                    f"{self.state_file} has the training so far: the same command with --resume "
                    "continues it",
                )
            raise


def check_interrupted(state_file: Path, *, resume: bool) -> None:
    """Raise an error if a new training would overwrite the state of an interrupted one."""
    if state_file.exists() and not resume:
        raise OptionError(
            "there is the state of an interrupted training",
            where=str(state_file),
            fix="continue it with --resume, or remove the file",
        )


def state_file_of(path: PathLike) -> Path:
    """Return the file that holds the states of a training whose mapping is written to `path`."""
    return Path(f"{Path(path)}.part")


TRAINING_STEP = "training"  # the name under which the training is announced to `core.progress`

VectorsOrPath = WordVectors | PathLike


@takes(MapOptions)
def map_vectors(
    source: VectorsOrPath,
    target: VectorsOrPath,
    method: str | Method = DEFAULT_METHOD,
    *,
    on_note: Callable[[str], None] | None = None,
    on_iteration: Callable[[Record], None] | None = None,
    **options: Unpack[MapOptions],
) -> Mapping:
    """Learn a mapping of two files of vectors, or of vectors in memory.

    `lexicon`: pairs that supervised methods learn from; `valid`: pairs on which hit@1 is measured
    during the training; `rerank`: pairs that a reranker for the retriever `reranked` is learnt
    from, usually those of `lexicon`; `max_words`: only the first words of each file (None: all).
    `output`: a file to write the mapping to. While the training lasts, a file beside it (`output`
    with `.part`) has its state; if it is interrupted, `resume` continues from there. The result
    does not depend on the number of `workers`.

    `on_note` is called with each note (pairs that were left out, ...) as soon as it is known; all
    notes are also on the mapping. `on_iteration` is called with the record of each iteration.

    Raises an error before anything is read if an option is wrong, if `output` cannot be written, if
    it is one of the inputs, or if it exists and is not a mapping.
    """
    note = on_note or (lambda text: None)
    output, resume = options["output"], options["resume"]
    if output is not None:
        inputs = (source, target, options["lexicon"], options["valid"], options["rerank"])
        check_output(output, [path for path in inputs if _is_path(path)])
    check_method(method, options["lexicon"] is not None)
    if output is not None:
        state_file = state_file_of(output)
        check_interrupted(state_file, resume=resume)
        if resume and not state_file.exists():
            note(
                f"there is no {state_file}: the training starts from the beginning, and --resume "
                "has no effect"
            )
    task = prepare(
        source, target, method, workers=options["workers"], **chosen(options, TrainingData)
    )
    for sentence in task.notes:
        note(sentence)
    mapping = task.train(
        output, resume=resume, workers=options["workers"], on_iteration=on_iteration
    )
    for sentence in mapping.notes[len(task.notes) :]:
        note(sentence)
    return mapping


@dataclass(frozen=True, slots=True, eq=False)
class PreparedTraining:
    """A training that is ready to start: everything that decides the mapping, read and checked."""

    method: Method
    source: Space
    target: Space
    seeds: RowPairs
    validation: Validation | None
    max_words: int | None
    vector_format: str | None
    seed: int
    signature: Signature
    notes: tuple[str, ...]
    training_pairs: TrainingPairs
    headwords: Headwords | None = None  # what a reranker is learnt from

    def train(
        self,
        output: PathLike | None = None,
        *,
        resume: bool = False,
        workers: int | None = None,
        on_iteration: Callable[[Record], None] | None = None,
    ) -> Mapping:
        """Learn the mapping; the arguments are those of `map_vectors`."""
        state_file = state_file_of(output) if output is not None else None
        training = Training(
            self.signature, self.seed, workers, self.validation, state_file, on_iteration
        )
        with progress(TRAINING_STEP):
            training.open(resume=resume)
            with one_blas_thread(), training.interruptible():
                matrices = self.method.train(self.source, self.target, self.seeds, training)
                reranker = self._learn_reranker(matrices, workers)
            mapping = Mapping(
                self._side(self.source, matrices.source),
                self._side(self.target, matrices.target),
                self.signature,
                tuple(training.trace),
                (*self.notes, *self.method.notes(training.trace)),
                reranker=reranker,
                training_pairs=self.training_pairs,
            )
            if output is not None:
                mapping.write(output)
                with naming(state_file_of(output)):
                    state_file_of(output).unlink(missing_ok=True)
            return mapping

    def _learn_reranker(self, matrices: MappingMatrices, workers: int | None) -> Reranker | None:
        """Learn a reranker, if one is asked for, by mappings that did not see its headwords.

        A method that learns from no lexicon has seen none of them.
        """
        if self.headwords is None:
            return None

        def train(seeds: RowPairs) -> MappingMatrices:
            if self.method.seeding != "lexicon":
                return matrices
            training = Training(self.signature, self.seed, workers, self.validation)
            return self.method.train(self.source, self.target, seeds, training)

        spaces = self.source, self.target
        return cross_fit(self.headwords, spaces, self.seeds, train, self.seed, workers)

    def _side(self, space: Space, matrix: Float32Array) -> MappingSide:
        """Return one side of the mapping; raise an error if its matrix is not finite."""
        if not np.isfinite(matrix).all():
            raise InputError(
                f"{self.method.name} computed a matrix with nan or infinity",
                where=space.name,
                fix="the training diverged: try other options or another seed",
            )
        return MappingSide(
            space.name, space.digest, self.vector_format, len(space), self.max_words, space.steps,
            space.means, matrix,
        )  # fmt: skip


@takes(TrainingData)
def prepare(
    source: VectorsOrPath,
    target: VectorsOrPath,
    method: str | Method = DEFAULT_METHOD,
    *,
    workers: int | None = None,
    **options: Unpack[TrainingData],
) -> PreparedTraining:
    """Read and check everything that a training needs; the arguments are those of `map_vectors`.

    The method `auto` is replaced by the one that `choose_method` chooses.
    """
    max_words, vector_format, seed = (
        options["max_words"], options["vector_format"], options["seed"]
    )  # fmt: skip
    check_method(method, options["lexicon"] is not None)
    train_lexicon, valid_lexicon, rerank_lexicon = (
        None if pairs is None else open_lexicon(pairs)
        for pairs in (options["lexicon"], options["valid"], options["rerank"])
    )
    left, right = (_open_vectors(side, max_words, vector_format) for side in (source, target))
    if left.dimension != right.dimension:
        raise MismatchError(
            f"{left.dimension} dimensions, but {right.dimension} in {right.name}",
            where=left.name,
            fix="vectors of two languages must have the same number of dimensions",
        )
    choice: tuple[str, ...] = ()
    if method == AUTO:
        method, why = _chosen(left, right, max_words, train_lexicon, seed, workers)
        choice = (why,)
    part = create_method(method, train_lexicon is not None)
    first, second = (Space.of(vectors, part.normalize, max_words) for vectors in (left, right))
    seeds, notes = _seed_pairs(part, train_lexicon, first, second)
    notes += (*choice, *part.notes_before(first, second))
    validation = None
    if valid_lexicon is not None:
        pairs, _ = from_lexicon(valid_lexicon, first, second)
        validation = Validation.of(first, second, pairs)
        notes += (f"{valid_lexicon.name}: hit@1 is of {len(validation.queries):,} words",)
    headwords = None
    if rerank_lexicon is not None:
        headwords = Headwords.of(rerank_lexicon, first, second)
        notes += (headwords.note,)
    signature = _signature(part, seed, max_words, (first, second), train_lexicon, valid_lexicon)
    space_notes = (note for space in (first, second) for note in _space_notes(space, max_words))
    return PreparedTraining(
        part, first, second, seeds, validation, max_words, vector_format, seed, signature,
        (*space_notes, *notes),
        _training_pairs((train_lexicon, rerank_lexicon), first, second, seeds), headwords,
    )  # fmt: skip


def _signature(
    method: Method,
    seed: int,
    max_words: int | None,
    spaces: tuple[Space, Space],
    lexicon: Lexicon | None,
    valid: Lexicon | None,
) -> Signature:
    """Return the signature of a training: everything that decides its result."""
    return Signature(
        method.name,
        (
            *method.settings(Context()),
            ("seed", str(seed)),
            ("max_words", str(max_words or "all")),
            ("source", spaces[0].digest[:16]),
            ("target", spaces[1].digest[:16]),
            ("lexicon", lexicon.digest[:16] if lexicon else method.seeding),
            ("valid", valid.digest[:16] if valid else "none"),
            ("v", str(method.revision)),
        ),
    )


def check_method(method: str | Method, has_lexicon: bool) -> None:
    """Raise an error if a method does not exist, or lacks a lexicon, or takes none."""
    if method != AUTO:
        create_method(method, has_lexicon)


def _chosen(
    left: WordVectors,
    right: WordVectors,
    max_words: int | None,
    lexicon: Lexicon | None,
    seed: int,
    workers: int | None,
) -> tuple[Method, str]:
    """Return the method that `choose_method` chooses, and why."""
    source, target = (Space.of(vectors, NORMALIZE, max_words) for vectors in (left, right))
    pairs = None if lexicon is None else from_lexicon(lexicon, source, target)[0]

    def train(method: Method, some: RowPairs) -> MappingMatrices:
        signature = Signature(method.name, method.settings(Context()))
        return method.train(source, target, some, Training(signature, seed, workers))

    with one_blas_thread():
        choice = choose_method(source, target, pairs, train, seed, workers)
    return choice.method, choice.note


def create_method(method: str | Method, has_lexicon: bool) -> Method:
    """Return the method, with its options checked; raise if it lacks a lexicon or takes none."""
    chosen = METHODS.create(method) if isinstance(method, str) else method
    chosen.check(Context())
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


def check_output(output: PathLike, inputs: Iterable[object]) -> None:
    """Raise an error if a mapping cannot be written to `output` without losing another file."""
    check_no_input(output, inputs)
    if output_status(output) is not None:
        try:
            Mapping.read(output)
        except InputError:
            raise OptionError(
                "it exists and is not a mapping", where=os.fspath(output), fix="name another file"
            ) from None


def check_no_input(output: PathLike, inputs: Iterable[object]) -> None:
    """Raise an error if a file cannot be written, or if it is one of the inputs."""
    check_path(output, "en-fr.map", inputs)


def _seed_pairs(
    method: Method, lexicon: Lexicon | None, source: Space, target: Space
) -> tuple[RowPairs, tuple[str, ...]]:
    """Return the pairs that the method starts from, and notes on them."""
    if lexicon is not None:
        pairs, notes = from_lexicon(lexicon, source, target)
        if len(pairs) < source.dimension:
            few = f"fewer pairs than dimensions ({source.dimension}): a poor fit"
            notes += (f"{lexicon.name}: {few}; vecmap-semi is made for small lexicons",)
        return pairs, notes
    if method.seeding == "none":
        return np.empty((0, 2), np.int64), ()
    pairs = identical(source, target)
    return pairs, (f"{len(pairs):,} tokens are in both vocabularies",)


def _training_pairs(
    lexicons: Iterable[Lexicon | None], source: Space, target: Space, seeds: RowPairs
) -> TrainingPairs:
    """Return digests of all pairs of the lexicons and of the pairs that the method starts from."""
    pairs: list[tuple[str, str]] = []
    for lexicon in lexicons:
        if lexicon is not None:
            pairs += zip(lexicon.source, lexicon.target, strict=True)
    pairs += ((source.words[left], target.words[right]) for left, right in seeds)
    return TrainingPairs.of(pairs)


def _space_notes(space: Space, max_words: int | None) -> Iterator[str]:
    """Yield notes on problems of a file of vectors, and on words that were left out."""
    for note in space.notes:
        yield f"{space.name}: {note}"
    if len(space) == max_words:
        yield f"{space.name}: words beyond the first {max_words:,} are left out (--max-words)"


def _is_path(value: object) -> bool:
    return isinstance(value, str | os.PathLike)


def _open_vectors(vectors: VectorsOrPath, max_words: int | None, format: str | None) -> WordVectors:
    if isinstance(vectors, WordVectors):
        return vectors
    return open_vectors(vectors, max_words, format)
