"""Presets of Whisper's evaluation and of the Open ASR Leaderboard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import ClassVar, Literal

from misword.asr.presets import Preset
from misword.core.context import Context
from misword.core.errors import InputError
from misword.core.lazy import pl
from misword.core.parts import Requirement
from misword.core.types import Corpus
from misword.text.normalizers.open_asr_leaderboard import OpenAsrLeaderboard
from misword.text.normalizers.whisper import Whisper


@dataclass(frozen=True, slots=True)
class WhisperPreset(Preset):
    """Whisper's evaluation: word error rate after Whisper's normalizer.

    `--lang` selects the basic normalizer for other languages than English.

    Known problems: those of the normalizer (`misword parts normalizers`); an utterance whose
    reference is empty after normalisation is kept, its hypothesis words count as insertions.

    Example: `misword score ref.txt hyp.txt --preset whisper`

    Reference: A. Radford et al., Robust Speech Recognition via Large-Scale Weak Supervision, 2022,
    appendix C.
    """

    name: ClassVar[str] = "whisper"
    title: ClassVar[str] = "Whisper"
    uses: ClassVar[tuple[str, ...]] = ("lang",)
    normalize: ClassVar[str] = "whisper"
    metrics: ClassVar[str] = "wer"
    alternatives: ClassVar[bool] = False

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The packages of the normalizer."""
        return Whisper.requirement(lang)


# Sessions that were recognised in chunks: the hypotheses of the chunks are joined.

PARENT, CHUNK = "parent_id", "chunk_index"


def join_sessions(corpus: Corpus) -> tuple[Corpus, tuple[str, ...]]:
    """Return the corpus with one utterance for each session, and notes about missing chunks.

    Each row of a chunk has the reference of the whole session. The hypotheses of a session are its
    chunks' in the order of their number, without those that are empty. A corpus without the columns
    is returned as it is.
    """

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

    if CHUNK not in corpus.metadata:
        raise InputError(f"there is {PARENT}, but no {CHUNK}", fix="number the chunks from 0")
    if corpus.hypotheses["rank"].max() != 1:
        raise InputError(
            "chunks of sessions cannot have N-best lists", fix="keep the best hypothesis"
        )
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

    sessions = chunks.group_by(PARENT).agg(
        complete=pl.col(CHUNK).sort() == pl.int_range(pl.len(), dtype=pl.Int64)
    )
    notes = [f"{len(chunks):,} chunks were joined to {len(sessions):,} sessions"]
    if gaps := len(sessions) - int(sessions["complete"].list.all().sum()):
        notes.append(f"{gaps:,} sessions have chunks that are not numbered 0, 1, 2, ...")
    return tuple(notes)


# The normalised reference of a segment that is not scored.
IGNORED = "ignore time segment in scoring"


@dataclass(frozen=True, slots=True)
class OpenAsrLeaderboardPreset(Preset):
    """The Open ASR Leaderboard: its normalizer, and compounds that may be written apart.

    Utterances whose reference reads `ignore time segment in scoring` are left out. Rows with a
    `parent_id` are the chunks of one session: their hypotheses are joined in the order of
    `chunk_index`. In other languages than English, a region of words that differs only in its
    blanks is joined on both sides before the words are aligned.

    The leaderboard removes utterances whose normalised reference is empty when it prepares a data
    set, before anything is recognised. Its script that scores a manifest does not; there, all words
    of the hypothesis are insertions. `empty=count` does the same, `empty=leave-out` removes them.

    The leaderboard rounds the rate of each set to two decimals and averages the rounded rates; so
    does `misword bench` with this preset.

    Example: `misword score manifest.jsonl --preset open-asr-leaderboard`

    Reference: github.com/huggingface/open_asr_leaderboard, commit d1e99b2.
    """

    name: ClassVar[str] = "open-asr-leaderboard"
    title: ClassVar[str] = "Open ASR Leaderboard"
    uses: ClassVar[tuple[str, ...]] = ("lang",)
    changes_rows: ClassVar[bool] = True
    normalize: ClassVar[str] = "open-asr-leaderboard"
    metrics: ClassVar[str] = "wer:compounds=merge"
    alternatives: ClassVar[bool] = False
    average_digits: ClassVar[int | None] = 2

    empty: Literal["count", "leave-out"] = "count"

    @classmethod
    def languages(cls) -> tuple[str, ...]:
        """The languages of the leaderboard."""
        return OpenAsrLeaderboard.languages()

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The packages of the normalizer."""
        return OpenAsrLeaderboard.requirement(lang)

    def join(self, corpus: Corpus) -> tuple[Corpus, tuple[str, ...]]:
        """Join the chunks of each session."""
        return join_sessions(corpus)

    def keeps(self, references: Sequence[str]) -> Sequence[bool]:
        """Leave out segments that are not scored and, with `empty=leave-out`, empty references."""
        left_out = {IGNORED, ""} if self.empty == "leave-out" else {IGNORED}
        return [text.strip() not in left_out for text in references]

    def rewrites(self, context: Context) -> bool:
        """Whether the language is another one than English."""
        return context.lang not in ("", "en")

    def rewrite(self, reference: str, hypothesis: str, context: Context) -> tuple[str, str]:
        """Join the regions that differ only in their blanks."""
        return join_equal_regions(reference, hypothesis)


def join_equal_regions(reference: str, hypothesis: str) -> tuple[str, str]:
    """Join the words of each differing region whose letters are the same on both sides.

    The regions are those of Python's difflib.

    >>> join_equal_regions("das welt weite netz", "das weltweite netz")
    ('das weltweite netz', 'das weltweite netz')
    """
    texts = reference.split(), hypothesis.split()
    joined: tuple[list[str], list[str]] = ([], [])
    for kind, *places in SequenceMatcher(None, *texts).get_opcodes():
        starts, ends = places[::2], places[1::2]
        regions = [text[lo:hi] for text, lo, hi in zip(texts, starts, ends, strict=True)]
        if kind != "equal" and "".join(regions[0]) == "".join(regions[1]):
            regions = [["".join(region)] for region in regions]
        for side, region in zip(joined, regions, strict=True):
            side += region
    return " ".join(joined[0]), " ".join(joined[1])
