"""The arguments of `misword.score` that other functions pass on to it."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING, TypedDict

from misword.asr.pairs import EquivalentClasses
from misword.asr.presets import Preset
from misword.asr.scoring_options import RuleFile
from misword.text.normalizers import Steps

if TYPE_CHECKING:
    from misword.embed.vectors.words import WordVectors


class ScoringArguments(TypedDict, total=False):
    """How texts are compared, and what metrics need: see `misword.score`."""

    preset: str | Preset | None
    normalize: Steps | None
    rules: RuleFile | None
    alternatives: bool
    equivalents: EquivalentClasses
    forgive: str | Iterable[str]
    lang: str | None
    vectors: str | PathLike[str] | WordVectors | None
    max_words: int | None
    vector_format: str | None
    cache: bool
    workers: int | None
