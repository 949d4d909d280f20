"""misword: when a machine gets a word wrong, how wrong is it?

Nothing heavy is imported until it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from misword.core.version import __version__

if TYPE_CHECKING:
    from misword.asr.align import Aligned, align
    from misword.asr.score import load, score
    from misword.core.types import Corpus
    from misword.embed.words import WordVectors
    from misword.io.transcripts import read_corpus
    from misword.stat.scores import Scores

_HOMES = {
    "Aligned": "misword.asr.align",
    "Corpus": "misword.core.types",
    "Scores": "misword.stat.scores",
    "WordVectors": "misword.embed.words",
    "align": "misword.asr.align",
    "load": "misword.asr.score",
    "read_corpus": "misword.io.transcripts",
    "score": "misword.asr.score",
}

__all__ = [
    "Aligned",
    "Corpus",
    "Scores",
    "WordVectors",
    "__version__",
    "align",
    "load",
    "read_corpus",
    "score",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'misword' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
