"""Sessions that were recognised in chunks: the hypotheses of the chunks are joined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from misword.core.errors import InputError
from misword.core.types import Corpus

if TYPE_CHECKING:
    import polars as pl

PARENT, CHUNK = "parent_id", "chunk_index"


def join_sessions(corpus: Corpus) -> tuple[Corpus, tuple[str, ...]]:
    """Return the corpus with one utterance for each session, and notes about missing chunks.

    Each row of a chunk has the reference of the whole session. The hypotheses of a session are its
    chunks' in the order of their number, without those that are empty. A corpus without the columns
    is returned as it is.
    """
    import polars as pl

    if PARENT not in corpus.metadata:
        return corpus, ()
    chunks = _chunks(corpus)
    system = pl.col("system").cast(pl.Enum(corpus.systems))  # sorts in the order of the systems
    references = (
        corpus.references.with_columns(chunks[PARENT].alias("utt"), chunks[CHUNK])
        .sort("utt", CHUNK, maintain_order=True)
        .unique("utt", keep="first", maintain_order=True)
        .drop(PARENT, CHUNK)
    )
    words = pl.col("text").str.strip_chars()
    hypotheses = (
        corpus.hypotheses.join(chunks, on="utt", how="left", maintain_order="left")
        .sort(system, PARENT, CHUNK, maintain_order=True)
        .group_by("system", PARENT, maintain_order=True)
        .agg(pl.first("rank"), words.filter(words != "").str.join(" "), pl.first("score"))
        .select(pl.col(PARENT).alias("utt"), "system", "rank", "text", "score")
    )
    return Corpus(references, hypotheses), _notes(chunks)


def _chunks(corpus: Corpus) -> pl.DataFrame:
    """Return the session and the number of each utterance; raise if they cannot be joined."""
    import polars as pl

    if CHUNK not in corpus.metadata:
        raise InputError(f"there is {PARENT}, but no {CHUNK}", fix="number the chunks from 0")
    if corpus.hypotheses["rank"].max() != 1:
        raise InputError("sessions in chunks with N-best lists", fix="keep the best hypothesis")
    chunks = corpus.references.select(
        "utt",
        pl.col(PARENT).cast(pl.String, strict=False),
        pl.col(CHUNK).cast(pl.Int64, strict=False),
    )
    incomplete = chunks.filter(pl.any_horizontal(pl.col(PARENT, CHUNK).is_null()))
    if len(incomplete):
        raise InputError(
            f"{incomplete['utt'][0]!r} has no {PARENT} or no {CHUNK}",
            fix="number the chunks from 0",
        )
    return chunks


def _notes(chunks: pl.DataFrame) -> tuple[str, ...]:
    """Return how many sessions were joined, and for how many of them chunks are missing."""
    import polars as pl

    sessions = chunks.group_by(PARENT).agg(
        complete=pl.col(CHUNK).sort() == pl.int_range(pl.len(), dtype=pl.Int64)
    )
    notes = [f"{len(chunks):,} chunks were joined to {len(sessions):,} sessions"]
    if gaps := len(sessions) - int(sessions["complete"].list.all().sum()):
        notes.append(f"{gaps:,} sessions have chunks that are not numbered 0, 1, 2, ...")
    return tuple(notes)
