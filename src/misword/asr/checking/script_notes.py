"""A note on WER over texts that have no spaces between words."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from misword.asr.checking.quick_notes import sample
from misword.asr.metrics import Metric
from misword.asr.metrics.edit_rate import WordRate
from misword.asr.pairs import Pairs
from misword.text.scripts import EAST_ASIAN, scripts_of
from misword.text.segmenters import WHITESPACE

WITHOUT_SPACES = {EAST_ASIAN, "thai", "lao", "khmer", "myanmar"}
PARTS = 4  # parts of the references that are looked at
LONG = 6  # letters of a word; words that a segmenter has cut are shorter


def script_notes(pairs: Pairs, metrics: Iterable[Metric]) -> list[str]:
    """Return a note if a metric splits at white space what has no spaces between words."""
    split = [m for m in metrics if isinstance(m, WordRate) and m.words == WHITESPACE]
    if not split or not _is_unspaced(pairs.reader.texts.normal[0].data):
        return []
    return [
        "the references have no spaces between words: "
        f"`{split[0].name}:words=auto` cuts them by script"
    ]


def _is_unspaced(data: bytes) -> bool:
    """Whether most letters are of scripts without spaces, and words are long."""
    text = " ".join(part.decode(errors="ignore") for part in islice(sample(data), PARTS))
    scripts = scripts_of(text)
    letters = sum(scripts.values())
    cut = sum(scripts[script] for script in WITHOUT_SPACES)
    return 2 * cut > letters and cut > LONG * len(text.replace("\0", " ").split())
