"""Corrupt the texts of shards at target word error rates, on one machine or a cluster.

The shards are read twice, as `corrupt_file` reads a file: once to count their words, once to draw
errors. Each row has random numbers of its own (`sharding/row_random.py`), so its noisy text does
not depend on the shard that it is in, on the other rows of the shard, or on the engine.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from misword.core import display
from misword.core.context import Context
from misword.core.engines import ENGINES, Engine
from misword.core.signature import Signature
from misword.core.types import DisplayedResult, Result
from misword.core.version import __version__
from misword.embed.vectors.words import notes_of
from misword.io.shards.roles import ShardReading
from misword.noise.channels import Channel
from misword.noise.channels.specs import AUTO, choose_channel
from misword.noise.corrupt import signature, substitution_notes
from misword.noise.corruption.levels import make_targets
from misword.noise.corruption.options import check_mix, check_target_wers
from misword.noise.corruption.result import summary_overview, summary_row
from misword.noise.corruption.sampler import Sampler
from misword.noise.corruption.targets import TOLERANCE, ErrorCapacity, Realised, Target
from misword.noise.corruption.word_shape import distinct_cores
from misword.noise.error_model import Mix
from misword.noise.sharding.calibration import PlaceCounts, calibrate
from misword.noise.sharding.counting import TextFacts
from misword.noise.sharding.noisy_shards import Rewriting
from misword.noise.sharding.passes import TextPasses, find_text_tasks
from misword.noise.sharding.row_drawing import RowNoise

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, repr=False)
class ShardedCorruption(DisplayedResult):
    """The realised word error rates of corrupted shards; the texts are in the written files.

    `summary` has a row for each target WER, as `Corruption.summary`. `rows` is the number of texts.
    """

    summary: pl.DataFrame
    rows: int
    signature: Signature
    notes: tuple[str, ...] = ()

    def overview(self) -> display.Overview:
        """Return the realised word error rate of each target."""
        return summary_overview(self.summary, self.rows)

    def main_table(self) -> pl.DataFrame:
        """Return the table `summary`."""
        return self.summary

    def result(self, provenance: dict[str, Any] | None = None) -> Result:
        """Return the summary as a result that can be written."""
        facts = {"misword": __version__, **(provenance or {}), "signature": str(self.signature)}
        return Result("corruption", {"summary": self.summary}, facts)


def corrupt_shards(
    shards: str | os.PathLike[str],
    wer: float | Iterable[float],
    output: str | os.PathLike[str],
    *,
    engine: str | Engine = "serial",
    workers: int | None = None,
    keep_going: bool = False,
    channel: str | Channel = AUTO,
    mix: Mix | None = None,
    seed: int = 0,
    lang: str | None = None,
    vectors: Any = None,
    max_words: int | None = None,
    vector_format: str | None = None,
    format: str | None = None,
    id_column: str | None = None,
    text_column: str | None = None,
) -> ShardedCorruption:
    """Corrupt the texts of shards, and write noisy shards of the same names to a folder.

    `shards` is a pattern (`run/*.parquet`), a folder, or the URL of either; `output` is a folder or
    its URL. With several rates it has a folder for each: `noisy/wer-0.10` and so on. Shards that an
    earlier run wrote with the same options are kept. `engine` is `serial`, `process`, `ray`, or the
    address of a Ray cluster; the noisy texts are the same with all of them, and for any division of
    the rows into shards: the errors of a row are decided by the seed, its id (without ids: its
    number in all shards), its text, and the error model of the whole corpus.

    The other options are those of `corrupt_file`. The realised WER is the target within 0.3 points
    or so: rates of errors are fitted to a sample of 32,768 rows.

    Known problems: rows with the same id have the same random numbers.
    """
    target_wers = check_target_wers([wer] if isinstance(wer, int | float) else wer)
    if mix is not None:
        check_mix(mix)
    chosen = engine if isinstance(engine, Engine) else ENGINES.create(engine)
    chosen.check(Context())
    context = Context.of(lang, vectors, max_words, vector_format, workers=workers)
    part = choose_channel(channel, context)
    reading = ShardReading((), id_column, text_column, (), format=format)
    tasks = find_text_tasks(os.fspath(shards), os.fspath(output))
    passes = TextPasses(chosen, workers, keep_going, reading, tasks)
    passes.number_rows()
    facts = passes.count_words()
    model = part.error_model(distinct_cores(facts.words), context)
    mix = model.mix if mix is None else mix
    signed = signature(part, context, mix, seed, drawn="row")
    levels = _calibrated(facts, Sampler(model), target_wers, mix, seed)
    noises = [noise for _, noise in levels]
    counts = passes.write(Rewriting(reading, noises, os.fspath(output), str(signed)))
    realised = [
        Realised.of(target, drawn) for (target, _), drawn in zip(levels, counts, strict=True)
    ]
    notes = (*passes.notes, *notes_of(context), *_notes(realised))
    return ShardedCorruption(_summary(realised), facts.rows, signed, notes)


def _calibrated(
    facts: TextFacts, sampler: Sampler, target_wers: Sequence[float], mix: Mix, seed: int
) -> list[tuple[Target, RowNoise]]:
    """Return each target and the noise that meets it on the sample of the rows."""
    places = PlaceCounts.of(facts.words, facts.rows, sampler)
    capacity = ErrorCapacity.of(list(places.tokens), places.counts, sampler)
    block = facts.block()
    return [
        (target, calibrate(target, places, block, facts.keys))
        for target in make_targets(target_wers, mix, seed, capacity)
    ]


def _summary(realised: Sequence[Realised]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame([summary_row(level) for level in realised])


def _notes(realised: Sequence[Realised]) -> Iterator[str]:
    """Yield notes on words that are left alone, and on targets missed by more than half a point."""
    yield from substitution_notes(realised[0].target.capacity)
    for level in realised:
        if level.wer is not None and abs(level.wer - level.target.wer) > TOLERANCE:
            yield f"{level.target.name}: the realised WER is {level.wer:.4f}"
