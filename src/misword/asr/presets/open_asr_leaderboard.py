"""Preset of the Open ASR Leaderboard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import ClassVar, Literal

from misword.asr.presets import Preset
from misword.asr.presets.sessions import join_sessions
from misword.core.context import Context
from misword.core.parts.contract import Requirement
from misword.core.types import Corpus
from misword.text.normalizers.open_asr_leaderboard.part import OpenAsrLeaderboard

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

    Known problems: the leaderboard rounds the rate of each set to two decimals and averages the
    rounded rates; misword averages nothing.

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
