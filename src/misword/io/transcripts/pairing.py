"""Pairing of hypotheses with references: by id, or by position if there are no ids.

Utterances that only one side has are an error. On request, utterances without a hypothesis are left
out or scored with an empty hypothesis (`settle_missing`), and the utterances of each recording are
joined first, so that both sides may be divided into different segments (`join_sides`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from misword.core.errors import InputError, MismatchError, OptionError, did_you_mean
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.io.files.sources import place
from misword.io.transcripts.columns import all_different, typed
from misword.io.transcripts.formats import FORMATS

SHOWN = 3
# Formats of sclite, which compares ids without regard to case.
CASELESS = ("trn", "stm", "ctm")


@dataclass(frozen=True, slots=True)
class Transcript:
    """The transcripts of one file.

    `frame` has `utt` (if the file has ids), `text`, `line` and metadata. `notes` tell the user what
    was left out. `ignored` are the segments that are not scored. `words` is the table of words,
    if the format has metadata of words. If N-best lists are wanted, `lists` has all
    hypotheses (`io/transcripts/nbest.py`), with positions as ids if the file has no ids; `frame`
    has the best. `spoken_signs` is that of `SourceTranscripts`.
    """

    path: str
    format: str
    frame: pl.DataFrame
    notes: tuple[str, ...] = ()
    ignored: pl.DataFrame | None = None
    words: pl.DataFrame | None = None
    lists: pl.DataFrame | None = None
    spoken_signs: int | None = None

    @property
    def has_ids(self) -> bool:
        """Whether the utterances have ids; otherwise their position identifies them."""
        return "utt" in self.frame.columns

    @property
    def numbered(self) -> pl.DataFrame:
        """The frame with an id of each utterance: without ids, its position from 1."""
        if self.has_ids:
            return self.frame
        return self.frame.with_columns(utt=pl.int_range(1, pl.len() + 1).cast(pl.String))

    def at(self, line: int | None = None) -> str:
        """Return the place of a line in the file, for an error."""
        return place(self.path, line, "row" if self.format == "parquet" else "line")


def refuse_duplicates(transcript: Transcript) -> None:
    """Raise if two lines have the same id."""
    if not transcript.has_ids or all_different(transcript.frame["utt"]):
        return
    frame = transcript.frame
    utt = frame["utt"][frame["utt"].is_duplicated().arg_max() or 0]
    first, second = frame["line"].filter(frame["utt"] == utt)[:2]
    unit = "row" if transcript.format == "parquet" else "line"
    places = f", on {unit} {first} and {unit} {second}" if second is not None else ""
    raise InputError(
        f"duplicate id {utt!r}{places} (read as {transcript.format})",
        where=transcript.at(second),
        fix="give each utterance an id of its own; in tables another column may hold it "
        "(--id-column), or none (--id-column none)",
    )


def pair(references: Transcript, hypotheses: Transcript, *, gaps: bool = False) -> pl.Series:
    """Return the texts of the hypotheses in the order of the references.

    With `gaps`, a text is null where the hypotheses lack an id of the references.
    """
    if references.has_ids != hypotheses.has_ids:
        with_ids, without = references, hypotheses
        if hypotheses.has_ids:
            with_ids, without = hypotheses, references
        raise MismatchError(
            f"{with_ids.path} has ids (read as {with_ids.format}) "
            f"and {without.path} has none (read as {without.format})",
            where=without.at(),
            fix="if a format was detected wrongly, name it with --input-format",
        )
    if references.has_ids:
        return _pair_by_id(references, hypotheses, gaps)
    counts = references.frame.height, hypotheses.frame.height
    if counts[0] != counts[1]:
        raise MismatchError(
            f"{references.path} has {counts[0]} utterances and {hypotheses.path} has {counts[1]}; "
            "without ids they are paired by position, so none may be missing",
            where=hypotheses.at(),
            fix="write an empty line for an empty transcript, or use a format with ids",
        )
    return hypotheses.frame["text"]


def _pair_by_id(references: Transcript, hypotheses: Transcript, gaps: bool) -> pl.Series:
    ours, theirs = references.frame, with_same_case(references, hypotheses).frame
    if ours["utt"].equals(theirs["utt"]):
        return theirs["text"]
    if references.ignored is not None:
        theirs = theirs.join(references.ignored, on="utt", how="anti", maintain_order="left")
    missing = ours.join(theirs, on="utt", how="anti", maintain_order="left")
    extra = theirs.join(ours, on="utt", how="anti", maintain_order="left")
    if extra.height or (missing.height and not gaps):
        raise _different_ids(references, hypotheses, missing, extra)
    joined = ours.select("utt").join(
        theirs.select("utt", "text"), on="utt", how="left", maintain_order="left"
    )
    return joined["text"]


def without_extra(references: Transcript, side: Transcript) -> tuple[Transcript, tuple[str, ...]]:
    """Return the hypotheses whose ids the references have, and a note that names the others."""
    if not (references.has_ids and side.has_ids):
        return side, ()
    known = side.frame["utt"].is_in(references.frame["utt"].implode())
    if references.ignored is not None:
        known |= side.frame["utt"].is_in(references.ignored["utt"].implode())
    extra = side.frame["utt"].filter(~known)
    if not len(extra) or not known.any():
        return side, ()
    what = f"{side.path}: {counted(len(extra), 'utterance')} left out, without a reference"
    return replace(side, frame=side.frame.filter(known)), (f"{what}: {_first_ids(extra)}",)


def _different_ids(
    references: Transcript, hypotheses: Transcript, missing: pl.DataFrame, extra: pl.DataFrame
) -> MismatchError:
    """Return the error about the ids that only one side has."""
    parts = []
    if missing.height:
        parts.append(f"{hypotheses.path} lacks {list_ids(missing, references)}")
    if extra.height:
        parts.append(f"{references.path} lacks {list_ids(extra, hypotheses)}")
    first = (missing, references) if missing.height else (extra, hypotheses)
    fix = "both sides need the same ids; a recogniser's empty output is an id without text"
    fix += "; or leave them out (--missing skip)"
    if not extra.height:
        fix += ", or count their words as deletions (--missing delete)"
    return MismatchError(
        f"the two sides have different ids: {'; '.join(parts)}",
        where=first[1].at(first[0]["line"][0]),
        fix=fix,
    )


def with_same_case(references: Transcript, hypotheses: Transcript) -> Transcript:
    """Return the hypotheses with the references' ids where only case differs, as in sclite."""
    if not {references.format, hypotheses.format} <= set(CASELESS):
        return hypotheses
    ours, theirs = references.frame, hypotheses.frame
    if ours["utt"].equals(theirs["utt"]):
        return hypotheses
    key = pl.col("utt").str.to_lowercase().alias("key")
    unmatched = theirs.join(ours, on="utt", how="anti").select("utt", key)
    by_key = ours.join(theirs, on="utt", how="anti").select(key, "utt").unique("key", keep="none")
    renamed = unmatched.unique("key", keep="none").join(by_key, on="key", suffix="_new")
    if not renamed.height:
        return hypotheses
    ids = pl.col("utt").replace(renamed["utt"], renamed["utt_new"])
    words = None if hypotheses.words is None else hypotheses.words.with_columns(ids)
    return replace(hypotheses, frame=theirs.with_columns(ids), words=words)


def list_ids(rows: pl.DataFrame, transcript: Transcript) -> str:
    """Return a text with the first few ids, their places, and the number of the others."""
    shown = rows.head(SHOWN).select("utt", "line").iter_rows()
    named = ", ".join(f"{utt!r} ({transcript.at(line)})" for utt, line in shown)
    more = f" and {rows.height - SHOWN} more" if rows.height > SHOWN else ""
    return named + more


def with_sign_notes(references: Transcript, sides: Sequence[Transcript]) -> list[Transcript]:
    """Return hypotheses with a note if one side has spoken signs as punctuation, not the other."""
    noted = []
    for side in sides:
        counts = references.spoken_signs, side.spoken_signs
        if None not in counts and bool(counts[0]) != bool(counts[1]):
            having, lacking = (references, side) if counts[0] else (side, references)
            note = (
                f"{having.path}: signs that are spoken (%, $) are in the column of punctuation of "
                f"{having.spoken_signs:,} words and are read as part of them; {lacking.path} has "
                "none there (--input-format nlp:signs=false leaves them out)"
            )
            side = replace(side, notes=(*side.notes, note))
        noted.append(side)
    return noted


# Utterances without a hypothesis: an error, left out, or scored with an empty hypothesis.

Missing = Literal["error", "skip", "delete"]


def check_missing(missing: str) -> None:
    """Raise unless `missing` is one of the three rules."""
    if missing not in get_args(Missing):
        known = get_args(Missing)
        raise OptionError(
            f"unknown rule {missing!r} for missing hypotheses",
            fix=f"{did_you_mean(missing, known)}use one of: {', '.join(known)}",
        )


def settle_missing(
    ids: pl.Series, texts: Mapping[str, pl.Series], missing: Missing
) -> tuple[pl.Series, dict[str, pl.Series], list[str]]:
    """Return which utterances are scored, the texts of each system for them, and notes.

    Texts are null where a system has no hypothesis. `skip` leaves out the utterances that any
    system lacks, so that all systems are scored on the same utterances. `delete` scores an empty
    hypothesis: all words of the reference are deletions.

    >>> import polars as pl
    >>> ids, texts = pl.Series(["a", "b"]), {"one": pl.Series(["x", None])}
    >>> settle_missing(ids, texts, "skip")[0].to_list()
    [True, False]
    >>> settle_missing(ids, texts, "delete")[1]["one"].to_list()
    ['x', '']
    """
    lacking = {name: text.is_null() for name, text in texts.items() if text.null_count()}
    scored = ids.is_not_null()
    if not lacking:
        return scored, dict(texts), []
    if missing == "delete":
        filled = {name: text.fill_null("") for name, text in texts.items()}
        notes = [
            f"{name}: {_of_all(rows, ids)} without a hypothesis; their words count as deletions: "
            f"{_first_ids(ids.filter(rows))}"
            for name, rows in lacking.items()
        ]
        return scored, filled, notes
    for rows in lacking.values():
        scored = scored & ~rows
    if not scored.any():
        raise InputError(
            "no utterance has a hypothesis of every system",
            fix="check that the ids of both sides are the same, or use --missing delete",
        )
    by_system = ", ".join(f"{name} lacks {rows.sum():,}" for name, rows in lacking.items())
    note = (
        f"{_of_all(~scored, ids)} lack a hypothesis and are left out ({by_system}): "
        f"{_first_ids(ids.filter(~scored))}"
    )
    return scored, {name: text.filter(scored) for name, text in texts.items()}, [note]


def _of_all(rows: pl.Series, ids: pl.Series) -> str:
    return f"{rows.sum():,} of {counted(len(ids), 'utterance')}"


def _first_ids(ids: pl.Series) -> str:
    more = f" and {len(ids) - SHOWN:,} more" if len(ids) > SHOWN else ""
    return ", ".join(map(repr, ids.head(SHOWN))) + more


# Utterances joined by recording, so that both sides may be divided into different segments.

RECORDING = "recording"
CHUNKS_OF = "parent_id"
# Columns that name the recording if there is no column `recording`: `file` of stm and ctm, and
# `parent_id` of manifests whose long recordings were transcribed in chunks.
RECORDING_NAMES = (RECORDING, "recording_id", "file", CHUNKS_OF)
# Columns that give the order of the utterances of a recording.
ORDER_NAMES = ("begin", "start", "offset", "chunk_index")


def join_sides(
    references: Sequence[Transcript], hypotheses: Sequence[Transcript], column: str
) -> tuple[list[Transcript], list[Transcript]]:
    """Return the transcripts with the utterances of each recording joined into one.

    `column` is the metadata column with the name of the recording, which becomes the id; for
    `recording`, see `RECORDING_NAMES`. A side without the column takes it from the first reference,
    by id or position. Utterances are joined in the order of their times, or else of the file.
    """
    _refuse_lists(hypotheses)
    places = places_of(references[0], column)
    if places is None:
        raise _no_column(references[0], column)

    def joined(side: Transcript, once: bool = False) -> Transcript:
        if _recording_column(side, column) == "utt":
            return side  # each utterance is a whole recording
        own = places_of(side, column)
        known = places_by_reference(side, references[0], places) if own is None else own
        if known is None:
            raise _no_column(side, column)
        return join_utterances(side, known, once)

    chunks = [_recording_column(side, column) == CHUNKS_OF for side in references]
    return list(map(joined, references, chunks)), list(map(joined, hypotheses))


def _refuse_lists(sides: Sequence[Transcript]) -> None:
    """Raise if utterances with N-best lists are to be joined."""
    for side in sides:
        if side.lists is not None:
            raise OptionError(
                f"{side.path} has N-best lists, whose utterances cannot be joined",
                fix="leave out --join",
            )


def join_utterances(transcript: Transcript, places: pl.DataFrame, once: bool = False) -> Transcript:
    """Return a transcript with an utterance for each recording.

    `places` has the `recording` of each utterance and its `order`. Metadata are kept if all
    utterances of a recording have the same. With `once`, a text that all utterances of a recording
    have is that of the recording: manifests repeat it in the row of each chunk.
    """
    own = [name for name in transcript.frame.columns if name not in ("utt", "text", "line")]
    frame = transcript.numbered.rename({name: f"old.{name}" for name in own})
    rows = frame.hstack(places).with_row_index("row").sort("order", maintain_order=True)
    groups = rows.group_by(RECORDING, maintain_order=True)
    same = groups.agg(pl.col(r"^old\..*$").n_unique()).drop(RECORDING)
    kept = [name for name in same.columns if same[name].max() == 1]
    stripped = pl.col("text").str.strip_chars()
    text = stripped.filter(stripped != "").str.join(" ").alias("text")
    if once:
        text = pl.when(pl.col("text").n_unique() == 1).then(stripped.first()).otherwise(text)
    joined = groups.agg(
        text.alias("text"), pl.col("line").first(), pl.col("row").min(), pl.col(kept).first()
    ).sort("row")
    joined = joined.drop("row").rename({RECORDING: "utt"})
    joined = joined.rename({name: name.removeprefix("old.") for name in kept})
    note = (
        f"{transcript.path}: {counted(rows.height, 'utterance')} joined into "
        f"{counted(joined.height, 'recording')}"
    )
    words = None if once else transcript.words
    if words is not None:
        words = _joined_words(words, rows.select("utt", RECORDING).with_row_index("order"))
    return replace(transcript, frame=joined, notes=(*transcript.notes, note), words=words)


def _joined_words(words: pl.DataFrame, order: pl.DataFrame) -> pl.DataFrame:
    """Return the words of utterances as those of their recordings; `order` is that of the texts."""
    known = words.drop(RECORDING).join(order, on="utt", how="inner").sort("order", "place")
    place = pl.int_range(pl.len(), dtype=pl.Int64).over(RECORDING).alias("place")
    joined = known.with_columns(pl.col(RECORDING).alias("utt"), place)
    return joined.select(words.columns)


def places_of(transcript: Transcript, column: str) -> pl.DataFrame | None:
    """Return recording and order of each utterance by the transcript's own columns, or None.

    An utterance without a recording is a recording of its own.
    """
    name, frame = _recording_column(transcript, column), transcript.frame
    if name is None:
        return None
    recording = frame[name].cast(pl.String)
    if transcript.has_ids:
        recording = recording.fill_null(frame["utt"])
    if recording.null_count():
        row = recording.is_null().arg_true()[0]
        raise InputError(
            f"no value in column {name!r}, by which utterances are joined",
            where=transcript.at(frame["line"][row]),
            fix="give every row a value, or join by another column",
        )
    known = {name: typed(frame[name]) for name in ORDER_NAMES if name in frame.columns}
    times = [values for values in known.values() if values.dtype.is_numeric()]
    keys = [*([frame["channel"]] if "channel" in frame.columns else []), *times[:1]]
    rows = pl.int_range(frame.height, dtype=pl.Int64, eager=True).alias("row")
    ranked = pl.DataFrame([*keys, rows]).sort(pl.all(), nulls_last=True).with_row_index("order")
    order = ranked.sort("row")["order"]
    return pl.DataFrame({RECORDING: recording, "order": order})


def recordings_of(transcript: Transcript) -> int | None:
    """Return the number of recordings that a column of a transcript names; None without one."""
    name = _recording_column(transcript, RECORDING)
    return None if name in (None, "utt") else transcript.frame[name].n_unique()


def places_by_reference(
    side: Transcript, references: Transcript, places: pl.DataFrame
) -> pl.DataFrame | None:
    """Return recording and order of each utterance as in the references, or None.

    Utterances whose ids are the names of the recordings are whole recordings already.
    """
    if not side.has_ids:
        same_size = side.frame.height == references.frame.height and not references.has_ids
        return places if same_size else None
    ids = side.frame.select("utt")
    if references.has_ids:
        known = places.with_columns(references.frame["utt"])
        found = ids.join(known, on="utt", how="left", maintain_order="left")
        if not found[RECORDING].null_count():
            return found.select(RECORDING, "order")
    if ids["utt"].is_in(places[RECORDING].unique().to_list()).all():
        return ids.select(
            pl.col("utt").alias(RECORDING), pl.int_range(pl.len(), dtype=pl.UInt32).alias("order")
        )
    return None


def _recording_column(transcript: Transcript, column: str) -> str | None:
    """Return the column of a transcript that names the recording, or None."""
    names = [name for name in transcript.frame.columns if name not in ("text", "line")]
    if column in names:
        return column
    if column != RECORDING:
        return None
    if FORMATS.load(transcript.format).one_recording:
        return "utt"
    return next((name for name in RECORDING_NAMES if name in names), None)


def _no_column(transcript: Transcript, column: str) -> InputError:
    names = [name for name in transcript.frame.columns if name not in ("text", "line")]
    fix = f"it has: {', '.join(names)}" if names else "it has no columns"
    return InputError(
        f"no column {column!r} to join utterances by; {fix}",
        where=transcript.at(),
        fix="name another column with --join, or add the column to the references with --metadata",
    )
