"""Normalizer that removes punctuation."""

from __future__ import annotations

import re
import sys
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from misword.text.normalizers import Normalizer


@dataclass(frozen=True, slots=True)
class NoPunct(Normalizer):
    """Replaces punctuation by a space, except the `keep` characters inside a word.

    Why: most references have punctuation, many recognisers write none. `don't` and `twenty-one`
    stay one word; a dash between words is removed.

    Known problems: `3.5` becomes two words; in a spec, `keep` cannot contain a comma.
    """

    name: ClassVar[str] = "nopunct"
    keep: str = "'\u2019-"

    def apply(self, joined: str) -> str:
        """Replace each character of Unicode's punctuation classes."""
        return _pattern(self.keep).sub(" ", joined)


@cache
def _pattern(keep: str) -> re.Pattern[str]:
    points = [chr(i) for i in range(sys.maxunicode + 1) if unicodedata.category(chr(i))[0] == "P"]
    always = "".join(map(re.escape, sorted(set(points) - set(keep))))
    inside = "".join(map(re.escape, sorted(set(keep) & set(points))))
    edge = rf"|(?<!\w)[{inside}]|[{inside}](?!\w)" if inside else ""
    return re.compile(f"[{always}]{edge}")
