"""Pairing of hypotheses with references by id, or by position if there are no ids.

Utterances that only one side has are an error. On request, a missing hypothesis is null instead
(`io/transcripts/missing.py` says what becomes of it); none is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from misword.core.errors import InputError, MismatchError
from misword.io.files.sources import place

if TYPE_CHECKING:
    import polars as pl

SHOWN = 3
# Formats of sclite, which compares ids without regard to case.
CASELESS = ("trn", "stm", "ctm")


@dataclass(frozen=True, slots=True)
class Transcript:
    """The transcripts of one file.

    `frame` has `utt` (if the file has ids), `text`, `line` and metadata. `notes` tell the user what
    was left out. `ignored` are the segments that are not scored. `words` has the metadata of words,
    if the format has any (see `Reading`). If N-best lists are wanted, `lists` has all hypotheses
    (`io/transcripts/nbest.py`), with positions as ids if the file has no ids; `frame` has the best.
    """

    path: str
    format: str
    frame: pl.DataFrame
    notes: tuple[str, ...] = ()
    ignored: pl.DataFrame | None = None
    words: pl.DataFrame | None = None
    lists: pl.DataFrame | None = None

    @property
    def has_ids(self) -> bool:
        """Whether the utterances have ids; otherwise their position identifies them."""
        return "utt" in self.frame.columns

    @property
    def numbered(self) -> pl.DataFrame:
        """The frame with an id of each utterance: without ids, its position from 1."""
        import polars as pl

        if self.has_ids:
            return self.frame
        return self.frame.with_columns(utt=pl.int_range(1, pl.len() + 1).cast(pl.String))

    def at(self, line: int | None = None) -> str:
        """Return the place of a line in the file, for an error."""
        return place(self.path, line, "row" if self.format == "parquet" else "line")


def refuse_doubled(transcript: Transcript) -> None:
    """Raise if two lines have the same id."""
    if not transcript.has_ids or not transcript.frame["utt"].is_duplicated().any():
        return
    frame = transcript.frame
    utt = frame["utt"][frame["utt"].is_duplicated().arg_max() or 0]
    first, second = frame["line"].filter(frame["utt"] == utt)[:2]
    unit = "row" if transcript.format == "parquet" else "line"
    raise InputError(
        f"the id {utt!r} is there twice, on {unit} {first} and {unit} {second} "
        f"(read as {transcript.format})",
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
    ours, theirs = references.frame, hypotheses.frame
    if ours["utt"].equals(theirs["utt"]):
        return theirs["text"]
    if references.format in CASELESS and hypotheses.format in CASELESS:
        theirs = _with_ids_of(ours, theirs)
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
    if not extra.height:
        fix += "; or leave them out (--missing skip), or count their words as deletions "
        fix += "(--missing delete)"
    return MismatchError(
        f"the two sides have different ids: {'; '.join(parts)}",
        where=first[1].at(first[0]["line"][0]),
        fix=fix,
    )


def _with_ids_of(ours: pl.DataFrame, theirs: pl.DataFrame) -> pl.DataFrame:
    """Return the hypotheses with the references' ids where only case differs."""
    import polars as pl

    key = pl.col("utt").str.to_lowercase().alias("key")
    unmatched = theirs.join(ours, on="utt", how="anti").select("utt", key)
    by_key = ours.join(theirs, on="utt", how="anti").select(key, "utt").unique("key", keep="none")
    renamed = unmatched.unique("key", keep="none").join(by_key, on="key", suffix="_new")
    if not renamed.height:
        return theirs
    return theirs.with_columns(pl.col("utt").replace(renamed["utt"], renamed["utt_new"]))


def list_ids(rows: pl.DataFrame, transcript: Transcript) -> str:
    """Return a text with the first few ids, their places, and the number of the others."""
    shown = rows.head(SHOWN).select("utt", "line").iter_rows()
    named = ", ".join(f"{utt!r} ({transcript.at(line)})" for utt, line in shown)
    more = f" and {rows.height - SHOWN} more" if rows.height > SHOWN else ""
    return named + more
