"""Draw errors into a corpus at several target word error rates: blocks in parallel.

Each target has a `Level`, which collects the noisy blocks in order: it adds up their counts, writes
their rows to a file, and keeps them if the texts are wanted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np

from misword.core.workers import cores
from misword.io.transcripts.rewriting import Writer
from misword.noise.arrays import Ints
from misword.noise.corruption.drawer import BlockDrawer
from misword.noise.corruption.drawing import BlockCorruption, CorruptedBlock
from misword.noise.corruption.protection import Protection
from misword.noise.corruption.sampler import Sampler
from misword.noise.corruption.targets import ErrorCapacity, Realised, Target, check_mix
from misword.noise.corruption.text_block import TextBlock
from misword.noise.corruption.wanted import WantedRows
from misword.noise.error_model import ErrorModel, Mix


def _no_counts() -> Ints:
    return np.zeros(4, np.int64)


@dataclass
class Level:
    """One target WER while its blocks are drawn.

    Counts are added up. Noisy rows go to the `writer`, if there is one; with `keep` the blocks stay
    in memory.
    """

    target: Target
    keep: bool = True
    writer: Writer | None = None
    counts: Ints = field(default_factory=_no_counts)
    blocks: list[tuple[TextBlock, CorruptedBlock]] = field(default_factory=list)

    def add(self, block: TextBlock, corrupted: CorruptedBlock) -> None:
        """Count, write and keep the next block."""
        self.counts += corrupted.counts.sum(axis=0)
        if self.keep:
            self.blocks.append((block, corrupted))
        if self.writer:
            self.writer.write(corrupted.text)

    def finish(self) -> None:
        """End the file; raise an error if too few errors were drawn."""
        if self.writer:
            self.writer.finish()
        self.target.check_reached(self.realised.errors)

    @property
    def realised(self) -> Realised:
        """The errors that were drawn."""
        return Realised.of(self.target, self.counts)


def sampler_of(
    model: ErrorModel | BlockDrawer, protection: Protection | None = None
) -> Sampler | BlockDrawer:
    """Return what draws the errors of a model, with protected words."""
    if isinstance(model, ErrorModel):
        return Sampler(model, protection)
    return model.protected(protection)


def make_targets(
    target_wers: Iterable[float], mix: Mix, seed: int, capacity: ErrorCapacity
) -> list[Target]:
    """Return a target for each word error rate, after checking that it can be reached."""
    check_mix(mix)
    targets = [Target(wer, mix, seed, capacity) for wer in target_wers]
    for target in targets:
        target.check_reachable()
    return targets


def draw_levels(
    blocks: Iterable[TextBlock],
    levels: Sequence[Level],
    sampler: Sampler | BlockDrawer,
    workers: int | None = None,
    wanted: WantedRows | None = None,
) -> None:
    """Draw each block at each level, in order, and add the noisy blocks to the levels.

    With `wanted`, all blocks are in memory, and rows of several draws are combined.
    """
    if wanted is not None:
        blocks = list(blocks)
        for level in levels:
            _draw_wanted(blocks, level, sampler, workers, wanted)
        return
    targets = [level.target for level in levels]
    for block, drawn in _draw_blocks(blocks, targets, sampler, workers):
        for level, corrupted in zip(levels, drawn, strict=True):
            level.add(block, corrupted)
    for level in levels:
        level.finish()


def _draw_wanted(
    blocks: Sequence[TextBlock],
    level: Level,
    sampler: Sampler | BlockDrawer,
    workers: int | None,
    wanted: WantedRows,
) -> None:
    """Draw the blocks of a level several times, and add those with the wanted rows."""

    def draw(seed: int) -> list[CorruptedBlock]:
        target = replace(level.target, seed=seed)
        return [drawn for _, (drawn,) in _draw_blocks(blocks, [target], sampler, workers)]

    if blocks:
        for block, corrupted in zip(
            blocks, wanted.drawn(blocks, level.target.seed, draw), strict=True
        ):
            level.add(block, corrupted)
    level.finish()


def _draw_blocks(
    blocks: Iterable[TextBlock],
    targets: Sequence[Target],
    sampler: Sampler | BlockDrawer,
    workers: int | None,
) -> Iterator[tuple[TextBlock, list[CorruptedBlock]]]:
    """Yield each block with its noisy forms, one for each target; several blocks run in parallel.

    Errors that a block cannot take are carried over to the next one. Their number is known only
    when the block is finished. So each block is drawn as if nothing were carried over, and drawn
    again if something is.
    """
    carried = [0] * len(targets)
    places_before, threads = 0, workers or cores()
    waiting: deque[DrawingJob] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for number, block in enumerate(blocks):
            places = ErrorCapacity.of_block(block, sampler).places(targets[0].mix)
            errors = [target.errors_between(places_before, places) for target in targets]
            places_before += places
            job = DrawingJob(number, block, targets, errors, sampler)
            job.start(pool)
            waiting.append(job)
            if len(waiting) > threads:
                first = waiting.popleft()
                yield first.block, first.collect(carried)
        while waiting:
            first = waiting.popleft()
            yield first.block, first.collect(carried)


@dataclass
class DrawingJob:
    """A block into which errors are drawn, and the number of errors for each target."""

    number: int
    block: TextBlock
    targets: Sequence[Target]
    errors: list[int]
    sampler: Sampler | BlockDrawer
    futures: list[Future[CorruptedBlock]] = field(default_factory=list)

    def start(self, pool: ThreadPoolExecutor) -> None:
        """Draw the block for each target in the pool."""
        for target, errors in zip(self.targets, self.errors, strict=True):
            self.futures.append(pool.submit(self.draw, target, errors))

    def draw(self, target: Target, errors: int) -> CorruptedBlock:
        """Draw `errors` errors into the block."""
        key = (target.seed, target.wer, self.number)
        if isinstance(self.sampler, Sampler):
            return BlockCorruption(self.block, self.sampler, target.mix, key).run(errors)
        return self.sampler.corrupted(self.block, key, errors)

    def collect(self, carried: list[int]) -> list[CorruptedBlock]:
        """Return the noisy forms of the block; `carried` has the missing errors of each target."""
        drawn = []
        for at, (target, errors) in enumerate(zip(self.targets, self.errors, strict=True)):
            corrupted = self.futures[at].result()
            if carried[at]:
                corrupted = self.draw(target, errors + carried[at])
            carried[at] += errors - corrupted.errors
            drawn.append(corrupted)
        return drawn
