"""References and hypotheses that are divided differently, but are of the same recordings.

References often have a row for each turn or segment, and recognisers write one text for a whole
recording, or segments of their own. Both sides are then brought into one form: references by
segment, hypotheses by recording. The scorer cuts the hypotheses at the segments of the references,
or joins the segments (`asr/recordings/cutting.py`), because only it knows the words that are
compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from misword.core.errors import InputError, MismatchError, OptionError, did_you_mean
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.types import Corpus
from misword.core.types import Segments as SegmentsOfCorpus
from misword.io.transcripts.formats import FORMATS
from misword.io.transcripts.pairing import (
    RECORDING,
    SHOWN,
    Missing,
    Transcript,
    join_utterances,
    places_of,
    with_same_case,
)
from misword.io.transcripts.words import segments_of, words_of_both

SegmentsMode = Literal["auto", "as-they-are", "transfer", "recording"]
TURN, SPEAKER = "turn", "speaker"


def check_mode(mode: str) -> None:
    """Raise unless `mode` is one of the ways to divide texts."""
    known = get_args(SegmentsMode)
    if mode not in known:
        raise OptionError(
            f"unknown segments {mode!r}",
            fix=f"{did_you_mean(mode, known)}use one of: {', '.join(known)}",
        )


@dataclass(frozen=True, slots=True)
class DividedSides:
    """Both sides of recordings: references by segment, hypotheses by recording.

    `mode` is `transfer` or `recording`. `references` has a column `recording`; its rows are in the
    order of the recordings and of their segments.
    """

    mode: str
    references: Transcript
    systems: Mapping[str, Transcript]

    def corpus(self, missing: Missing) -> tuple[Corpus, tuple[str, ...]]:
        """Return a corpus that the scorer cuts or joins, and notes.

        Recordings that one side lacks are an error, or left out (`skip`). With `delete`, all words
        of a recording without a hypothesis are deletions.
        """
        references, systems, left_out = self._complete(missing)
        frame = references.frame
        recordings = frame[RECORDING].unique(maintain_order=True)
        count = recordings.len()
        texts = {
            name: recordings.to_frame("utt")
            .join(side.frame.select("utt", "text"), on="utt", how="left", maintain_order="left")[
                "text"
            ]
            .fill_null("")
            for name, side in systems.items()
        }
        whole = Corpus.of(pl.DataFrame({"utt": recordings, "text": recordings}), texts)
        ids = pl.concat([frame["utt"], recordings]).unique()
        tables = {name: side.words for name, side in systems.items()}
        words = words_of_both(references.words, tables, ids)
        rows = frame.drop("line").select("utt", "text", pl.exclude("utt", "text"))
        kind = "turn" if TURN in rows.columns else "segment"
        recorded, divided = counted(count, "recording"), counted(len(rows), kind)
        if self.mode == "transfer":
            note = f"{recorded} cut into {divided} by alignment (--segments as-they-are: not cut)"
        else:
            note = f"{divided} joined into {recorded}"
        notes = dict.fromkeys(n for side in (references, *systems.values()) for n in side.notes)
        corpus = Corpus(rows, whole.hypotheses, words, SegmentsOfCorpus(self.mode))
        return corpus, (*notes, *left_out, note)

    def _complete(
        self, missing: Missing
    ) -> tuple[Transcript, dict[str, Transcript], tuple[str, ...]]:
        """Return the sides with the same recordings, and notes on what was left out."""
        ours = self.references.frame[RECORDING].unique(maintain_order=True)
        systems, notes, scored = {}, [], ours
        for name, side in self.systems.items():
            theirs = side.frame["utt"]
            extra = theirs.filter(~theirs.is_in(ours.implode()))
            lacking = ours.filter(~ours.is_in(theirs.implode()))
            if missing == "error" and (extra.len() or lacking.len()):
                raise _other_recordings(self.references, side, lacking, extra)
            if extra.len():
                found = f"{counted(extra.len(), 'recording')} without a reference"
                notes.append(f"{name}: {found} left out: {_first(extra)}")
                known = side.frame.filter(pl.col("utt").is_in(ours.implode()))
                side = replace(side, frame=known)
            if lacking.len():
                found = f"{counted(lacking.len(), 'recording')} without a hypothesis"
                done = "left out" if missing == "skip" else "counted as deletions"
                notes.append(f"{name}: {found} {done}: {_first(lacking)}")
                if missing == "skip":
                    scored = scored.filter(~scored.is_in(lacking.implode()))
            systems[name] = side
        if not scored.len():
            raise InputError(
                "no recording has a reference and a hypothesis of every system",
                fix="check that the names of the recordings are the same on both sides",
            )
        frame = self.references.frame.filter(pl.col(RECORDING).is_in(scored.implode()))
        return replace(self.references, frame=frame), systems, tuple(notes)


def _first(names: pl.Series) -> str:
    more = f" and {names.len() - SHOWN:,} more" if names.len() > SHOWN else ""
    return ", ".join(map(repr, names.head(SHOWN))) + more


def _other_recordings(
    references: Transcript, side: Transcript, lacking: pl.Series, extra: pl.Series
) -> MismatchError:
    """Return the error about recordings that only one side has."""
    parts = []
    if lacking.len():
        parts.append(f"{side.path} lacks {_first(lacking)}")
    if extra.len():
        parts.append(f"{references.path} lacks {_first(extra)}")
    return MismatchError(
        f"the two sides have different recordings: {'; '.join(parts)}",
        where=side.at(),
        fix="give both sides the same recordings; or leave the others out (--missing skip)",
    )


def divide_sides(
    references: Transcript, systems: Mapping[str, Transcript], mode: str
) -> DividedSides | None:
    """Return both sides of recordings, or None if they are paired as they are.

    With `auto`, sides are paired as they are if they have the same ids, unless references of whole
    recordings have turns of several speakers.
    """
    sides = list(systems.values())
    if mode == "as-they-are":
        return None
    if any(side.lists is not None for side in sides):
        if mode == "auto":
            return None
        raise OptionError(
            "N-best lists cannot be cut", fix="leave --segments out, or give the best hypotheses"
        )
    if mode == "auto" and not _may_differ(references, sides):
        return None
    divided = with_segments(references, explicit=mode != "auto")
    found = None if divided is None else _by_recording(divided, systems, explicit=mode != "auto")
    if divided is None or found is None:
        if mode == "auto":
            return None
        raise MismatchError(
            "the recordings of the two sides are not known",
            where=references.at(),
            fix="name the recording of each utterance in a column `recording`, add it with "
            "--metadata, or give one recording on each side",
        )
    return DividedSides("transfer" if mode == "auto" else mode, divided, found)


def _may_differ(references: Transcript, sides: Sequence[Transcript]) -> bool:
    """Return whether hypotheses may be of other segments than the references."""
    if _turns_of_recordings(references):
        return True
    if not references.has_ids:
        return False
    ours = references.frame["utt"].implode()
    # If some ids agree, those that do not are missing.
    return not any(
        side.has_ids and with_same_case(references, side).frame["utt"].is_in(ours).any()
        for side in sides
    )


def _turns_of_recordings(references: Transcript) -> bool:
    """Return whether a row of references is a recording in which the speaker changes."""
    words = references.words
    if words is None or not FORMATS.load(references.format).one_recording:
        return False
    known = words.filter(pl.col(SPEAKER).is_not_null())
    return bool(known.group_by("utt").agg(pl.col("segment").n_unique())["segment"].gt(1).any())


def with_segments(references: Transcript, explicit: bool) -> Transcript | None:
    """Return references with a row for each segment and its recording, in order; or None.

    References of whole recordings are divided by their table of words. Others need a column that
    names the recording; if that is asked for (`explicit`), a file without one is one recording.
    """
    if FORMATS.load(references.format).one_recording and references.words is not None:
        return _segments_of_words(references)
    places = places_of(references, RECORDING)
    if places is None:
        if not explicit:
            return None
        name = pl.lit(_name(references), pl.String).alias(RECORDING)
        places = references.frame.select(name, pl.int_range(pl.len()).alias("order"))
    frame = references.numbered.drop(RECORDING, strict=False).hstack(places)
    first = pl.col("row").min().over(RECORDING)
    frame = frame.with_row_index("row").sort(first, "order", maintain_order=True)
    frame = frame.drop("row", "order")
    return replace(references, frame=frame)


def _name(references: Transcript) -> str:
    """Return the name of a recording that has none."""
    if references.has_ids and references.frame.height == 1:
        return str(references.frame["utt"][0])
    return RECORDING


def _segments_of_words(references: Transcript) -> Transcript:
    """Return references of whole recordings, divided by the segments of their words."""
    words = references.words
    assert words is not None
    segments = segments_of(words).with_columns(
        pl.int_range(1, pl.len() + 1).over("utt").alias(TURN),
    )
    width = len(str(segments[TURN].max() or 1))
    number = pl.col(TURN).cast(pl.String).str.zfill(max(width, 3))
    segments = segments.with_columns(pl.concat_str(pl.col("utt"), pl.lit("-"), number).alias("id"))
    kept = ["utt", "text", RECORDING]
    own = references.frame.drop(
        *(name for name in (*kept[1:], TURN, "begin", "end", SPEAKER)), strict=False
    )
    columns = [name for name in (SPEAKER, "channel") if segments[name].null_count() < len(segments)]
    times = [name for name in ("begin", "end") if segments[name].null_count() < len(segments)]
    parts = segments.select("utt", "id", "text", TURN, *columns, *times)
    frame = own.join(parts, on="utt", how="inner", maintain_order="left_right")
    silent = references.frame.filter(~pl.col("utt").is_in(frame["utt"].unique().implode()))
    if silent.height:  # recordings without words are one segment
        empty = silent.select("utt", "line", pl.col("utt").alias("id"), pl.lit("").alias("text"))
        frame = pl.concat([frame, empty], how="diagonal_relaxed")
    frame = frame.rename({"utt": RECORDING, "id": "utt"})
    known = segments.select("utt", "segment", "id", "first")
    moved = words.join(known, on=["utt", "segment"], how="left", maintain_order="left")
    moved = moved.with_columns(pl.col("id").alias("utt"), pl.col("place") - pl.col("first"))
    return replace(references, frame=frame, words=moved.select(words.columns))


def _by_recording(
    references: Transcript, systems: Mapping[str, Transcript], explicit: bool
) -> dict[str, Transcript] | None:
    """Return hypotheses with a row for each recording, whose name is its id; None if not known."""
    names = references.frame[RECORDING].unique()
    found = {}
    for system, side in systems.items():
        joined = _joined(side, names, explicit)
        if joined is None:
            return None
        found[system] = joined
    return found


def _joined(side: Transcript, names: pl.Series, explicit: bool) -> Transcript | None:
    """Return one side with a row for each recording; None if its recordings are not known."""
    places = places_of(side, RECORDING)
    if places is None and side.has_ids and side.frame["utt"].is_in(names.implode()).any():
        places = side.frame.select(
            pl.col("utt").alias(RECORDING), pl.int_range(pl.len(), dtype=pl.UInt32).alias("order")
        )
    if places is None and (explicit or side.frame.height == 1):  # one recording, without a name
        order = pl.int_range(side.frame.height, eager=True).alias("order")
        places = pl.DataFrame(
            [pl.repeat("", side.frame.height, eager=True).alias(RECORDING), order]
        )
    of_folder = side.frame["line"].null_count() > 0  # whose files have the names of recordings
    alone = names.len() == 1 and places is not None and places[RECORDING].n_unique() == 1
    if places is not None and alone and (explicit or not of_folder):
        places = places.with_columns(pl.lit(names[0], pl.String).alias(RECORDING))
    if places is None or not places[RECORDING].is_in(names.implode()).any():
        return None
    whole = side.has_ids and side.frame["utt"].equals(places[RECORDING], null_equal=True)
    if whole and not side.frame["utt"].is_duplicated().any():
        return side
    notes = side.notes
    return replace(join_utterances(side, places), notes=notes)
