"""N-best lists: several hypotheses for an utterance, with ranks from 1 (the best) and features.

A command that needs one hypothesis for each utterance reads those of rank 1; a note counts the
others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from misword.core.errors import InputError, MismatchError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.types import Corpus, lists_in_order
from misword.io.files.sources import Source
from misword.io.transcripts.columns import Columns, SourceTranscripts, typed
from misword.io.transcripts.formats import RANK, SCORE, Format

if TYPE_CHECKING:
    from misword.io.transcripts.pairing import Transcript

OWN = ("utt", "text", "line", RANK)
# Scores are costs if they rise from one rank to the next this often, for each time they fall.
RISES = 9
FIX_RANKS = "each utterance needs one hypothesis of each rank: 1, 2, 3, ..."


def split_lists(
    reading: SourceTranscripts, part: Format, columns: Columns, source: Source
) -> tuple[SourceTranscripts, pl.DataFrame | None]:
    """Return the best hypothesis of each utterance, and all hypotheses if `columns.lists` asks.

    Readings without N-best lists are returned unchanged. The table of all hypotheses has `utt`,
    `rank`, `text`, `score` (if there is one) and the other columns.
    """
    ranks = ranks_of(reading, part, columns)
    if ranks is None:
        return reading, None
    frame = reading.frame.with_columns(ranks.alias(RANK))
    check_ranks(frame, source)
    frame = with_numbers(frame, source)
    notes = reading.notes
    if part.is_table and are_costs(frame):
        frame = frame.with_columns(-pl.col(SCORE))
        notes += (f"{source.shown}: score rises with the rank; it is read as a cost, -score",)
    best = frame.filter(pl.col(RANK) == 1)
    left_out = frame.height - best.height
    if reading.by_position:
        best = best.drop("utt")
    if columns.lists:
        names = {RANK: "rank", SCORE: "score"}
        lists = frame.drop("line").rename(names, strict=False)
        return replace(reading, frame=best, notes=notes), lists
    if left_out:
        notes += (note_on_best(source.shown, left_out),)
    return replace(reading, frame=best, notes=notes), None


def note_on_best(shown: str, left_out: int) -> str:
    """Return the note that only the best hypotheses are read."""
    return (
        f"{shown}: N-best lists; only the best hypothesis of each is read ({left_out:,} left out)"
    )


def ranks_of(reading: SourceTranscripts, part: Format, columns: Columns) -> pl.Series | None:
    """Return the rank of each row from 1, or None if the reading has no N-best lists.

    A table has N-best lists if it repeats ids and has a column `rank` with whole numbers, or a
    column `score` if most ids are repeated, each in adjacent rows; these rows are in the order of
    their ranks. Ranks may begin with 0. If lists are wanted, scores without repeated ids are lists
    of one hypothesis.
    """
    frame = reading.frame
    if "utt" not in frame.columns or not {RANK, SCORE}.intersection(frame.columns):
        return None
    if RANK in frame.columns:
        ranks = typed(frame[RANK])
        repeated = frame["utt"].is_duplicated().any()
        if not ranks.dtype.is_integer() or ranks.null_count():
            return None
        if part.is_table and not repeated and SCORE not in frame.columns:
            return None  # a column of that name, without lists
        return ranks.cast(pl.Int64) + (1 if ranks.min() == 0 else 0)
    starts = frame["utt"].ne_missing(frame["utt"].shift()).fill_null(True)
    utterances = frame["utt"].n_unique()
    repeated_ids = frame.filter(frame["utt"].is_duplicated())["utt"].n_unique()
    of_one = columns.lists and not repeated_ids
    if not of_one and (starts.sum() != utterances or 2 * repeated_ids <= utterances):
        return None
    return frame.select(pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("utt")).to_series()


def check_ranks(frame: pl.DataFrame, source: Source) -> None:
    """Raise unless each utterance has one hypothesis of each rank from 1 on."""
    if lists_in_order(frame, RANK) and frame.filter(pl.col(RANK) == 1)["utt"].is_unique().all():
        return
    duplicates = frame.select("utt", RANK).is_duplicated()
    if duplicates.any():
        utt, rank, _ = _first(frame, duplicates)
        both = frame.filter((pl.col("utt") == utt) & (pl.col(RANK) == rank))["line"]
        raise InputError(
            f"duplicate rank {rank} of utterance {utt!r}{_on_lines(both)}",
            where=source.at(both[1]),
            fix=FIX_RANKS,
        )
    size = pl.len().over("utt")
    outside = frame.select((pl.col(RANK) < 1) | (pl.col(RANK) > size)).to_series()
    if outside.any():
        utt, rank, line = _first(frame, outside)
        known = set(frame.filter(pl.col("utt") == utt)[RANK])
        missing = next(number for number in range(1, len(known) + 1) if number not in known)
        raise InputError(
            f"utterance {utt!r} has a hypothesis of rank {rank} and none of rank {missing}",
            where=source.at(line),
            fix=FIX_RANKS,
        )


def _on_lines(lines: pl.Series) -> str:
    """Return the lines of two hypotheses as text; folders have no lines."""
    return "" if lines.null_count() else f", on line {lines[0]} and line {lines[1]}"


def _first(frame: pl.DataFrame, rows: pl.Series) -> tuple[str, int, int]:
    """Return the utterance, the rank and the line of the first of the rows."""
    utt, rank, line = frame.filter(rows).select("utt", RANK, "line").row(0)
    return utt, rank, line


def with_numbers(frame: pl.DataFrame, source: Source) -> pl.DataFrame:
    """Return the frame with numbers in the columns that have numbers; raise if one is not finite.

    `score` must have numbers.
    """
    columns = []
    for column in frame.drop(OWN, strict=False).get_columns():
        numbers = typed(column)
        if numbers.dtype == pl.String:
            values = numbers.cast(pl.Float64, strict=False)
            if values.null_count() == numbers.null_count() and values.is_finite().any():
                numbers = values  # numbers among which some are NaN or infinite
        if numbers.dtype.is_float():
            _refuse_rows(
                ~numbers.is_finite(), frame, f"{_plain(column.name)} is not finite", source
            )
        if column.name == SCORE and not numbers.dtype.is_numeric():
            wrong = column.cast(pl.String).cast(pl.Float64, strict=False).is_null()
            _refuse_rows(wrong & column.is_not_null(), frame, "score is not a number", source)
        columns.append(numbers.cast(pl.Float64) if column.name == SCORE else numbers)
    return frame.with_columns(columns)


def _plain(name: str) -> str:
    return "score" if name == SCORE else name


def _refuse_rows(bad: pl.Series, frame: pl.DataFrame, what: str, source: Source) -> None:
    if bad.any():
        utt, rank, line = _first(frame, bad.fill_null(False))
        raise InputError(
            f"{what} (utterance {utt!r}, rank {rank})",
            where=source.at(line),
            fix="correct the number, or leave the column out",
        )


def are_costs(frame: pl.DataFrame) -> bool:
    """Return whether the scores rise with the rank, as costs do."""
    if SCORE not in frame.columns:
        return False
    steps = frame.sort("utt", RANK).select(pl.col(SCORE).diff().over("utt")).to_series()
    rises, falls = int((steps > 0).sum()), int((steps < 0).sum())
    return rises > RISES * falls


def with_ids(
    reading: SourceTranscripts, part: Format, references: Transcript | None, source: Source
) -> SourceTranscripts:
    """Return lists whose format has no ids, or numbers from 0, with the ids of the references.

    Tables of lists that misword wrote have the positions from 1 as ids if there were no others.
    """
    if part.list_ids == "none":
        return _by_lines(reading, references, source)
    if references is None or references.has_ids:
        return reading
    if part.list_ids == "numbers":
        return _by_numbers(reading, source)
    if part.is_table and {"utt", RANK} <= set(reading.frame.columns):
        return _by_positions(reading)
    return reading


def _by_lines(
    reading: SourceTranscripts, references: Transcript | None, source: Source
) -> SourceTranscripts:
    """Return lists of equal length, one after the other, with the ids of the references."""
    if references is None:
        raise InputError(
            "N-best lists without ids, and no references",
            where=source.at(),
            fix="name the references too: they tell how many lines belong to an utterance",
        )
    ids, lines = references.numbered["utt"], reading.frame.height
    if not len(ids) or lines % len(ids):
        raise MismatchError(
            f"{counted(lines, 'line')} for {counted(len(ids), 'utterance')} of {references.path}; "
            "each must have the same number of lines",
            where=source.at(),
            fix="write as many hypotheses for each utterance",
        )
    size = lines // len(ids)
    frame = reading.frame.with_columns(
        ids.gather(pl.int_range(lines, eager=True) // size).alias("utt"),
        (pl.int_range(lines, dtype=pl.Int64) % size + 1).alias(RANK),
    )
    note = f"{source.shown}: {counted(size, 'line')} for each utterance, in the references' order"
    return replace(
        reading, frame=frame, notes=(*reading.notes, note), by_position=not references.has_ids
    )


def _by_numbers(reading: SourceTranscripts, source: Source) -> SourceTranscripts:
    """Return lists whose ids count the utterances from 0 with positions from 1 as ids."""
    numbers = reading.frame["utt"].cast(pl.Int64, strict=False)
    starts = numbers.filter((numbers != numbers.shift()).fill_null(True))
    expected = pl.int_range(len(starts), eager=True, dtype=pl.Int64)
    if numbers.null_count() or not starts.equals(expected):
        wrong = 0 if numbers.null_count() else int((starts != expected).arg_max() or 0)
        raise MismatchError(
            f"the ids are not 0, 1, 2, ...: there is no {wrong} where it is expected",
            where=source.at(),
            fix="references without ids need a list for each line, in their order",
        )
    frame = reading.frame.with_columns((numbers + 1).cast(pl.String).alias("utt"))
    return replace(reading, frame=frame, by_position=True)


def _by_positions(reading: SourceTranscripts) -> SourceTranscripts:
    """Return lists whose ids count the utterances from 1; others are returned as they are."""
    utts = reading.frame["utt"]
    starts = utts.filter((utts != utts.shift()).fill_null(True))
    expected = pl.int_range(1, len(starts) + 1, eager=True).cast(pl.String)
    return replace(reading, by_position=starts.equals(expected))


def with_lists(corpus: Corpus, lists: Mapping[str, pl.DataFrame]) -> Corpus:
    """Return a corpus of best hypotheses with the lists of the systems that have some.

    An utterance that a system lacks keeps the hypothesis that it has in the corpus. Columns that a
    system does not have are null.
    """
    if not lists:
        return corpus
    order = corpus.references.select("utt").with_row_index("place")
    frames = []
    for (name,), best in corpus.hypotheses.group_by("system", maintain_order=True):
        rows = lists.get(str(name))
        if rows is None:
            frames.append(best)
            continue
        if not (lists_in_order(rows) and rows.filter(rank=1)["utt"].equals(order["utt"])):
            rows = rows.join(order, on="utt", how="inner").sort("place", "rank").drop("place")
        lacking = best.join(rows, on="utt", how="anti", maintain_order="left")
        frames.append(
            pl.concat([rows.with_columns(system=pl.lit(name)), lacking], how="diagonal_relaxed")
        )
    _refuse_mixed(frames)
    hypotheses = pl.concat(frames, how="diagonal_relaxed")
    own = ["utt", "system", "rank", "text", "score"]
    return replace(corpus, hypotheses=hypotheses.select(*own, pl.exclude(own)))


def _refuse_mixed(frames: Sequence[pl.DataFrame]) -> None:
    """Raise if a column has numbers in the lists of one system and text in those of another."""
    kinds: dict[str, bool] = {}
    for frame in frames:
        for name, kind in frame.schema.items():
            if kinds.setdefault(name, kind.is_numeric()) != kind.is_numeric():
                raise MismatchError(
                    f"the column {name!r} has numbers in one system and text in another",
                    fix="rename it in one of the files",
                )
