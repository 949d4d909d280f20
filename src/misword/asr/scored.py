"""Scores for functions that take either scores or the texts to score."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

from misword.asr.score import score
from misword.core.errors import OptionError
from misword.stat.scores import Scores

# Options that also have a meaning for scores: they do not only say how texts are scored.
SHARED = ("metrics", "lang", "workers")


def scores_from(source: Any, options: Mapping[str, Any]) -> Scores:
    """Return `source` if it is `Scores`, else score it with these options of `misword.score`.

    Raises if scores come with options for scoring texts.
    """
    if not isinstance(source, Scores):
        return score(source, **options)
    defaults = signature(score).parameters
    for name, value in options.items():
        if name not in SHARED and value is not defaults[name].default:
            raise OptionError("Scores were scored already", fix="give them alone")
    return source
