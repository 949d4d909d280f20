"""misword: when a machine gets a word wrong, how wrong is it?

Nothing heavy is imported until it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from misword.core.version import __version__

if TYPE_CHECKING:
    from misword.asr.agree import Agreement, agree
    from misword.asr.align import Aligned, align
    from misword.asr.compare import Comparison, compare
    from misword.asr.correlate import Correlations, correlate
    from misword.asr.score import load, score
    from misword.core.types import Corpus
    from misword.embed.words import WordVectors
    from misword.io.transcripts import read_corpus
    from misword.stat.scores import Scores

_HOMES = {
    "Agreement": "misword.asr.agree",
    "Aligned": "misword.asr.align",
    "Comparison": "misword.asr.compare",
    "Corpus": "misword.core.types",
    "Correlations": "misword.asr.correlate",
    "Scores": "misword.stat.scores",
    "WordVectors": "misword.embed.words",
    "agree": "misword.asr.agree",
    "align": "misword.asr.align",
    "compare": "misword.asr.compare",
    "correlate": "misword.asr.correlate",
    "load": "misword.asr.score",
    "read_corpus": "misword.io.transcripts",
    "score": "misword.asr.score",
}

__all__ = [
    "Agreement",
    "Aligned",
    "Comparison",
    "Corpus",
    "Correlations",
    "Scores",
    "WordVectors",
    "__version__",
    "agree",
    "align",
    "compare",
    "correlate",
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
