"""A signature says everything that decides a number, so that two numbers can be compared.

Known problems: a signature names *what was done*, not *on what*: that two results score the same
utterances is checked apart from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote

from misword.core.errors import OptionError

# Written as they are in a signature; anything else is percent-encoded, `|` above all.
PLAIN = " !#$&'()*+,-./:;=?@[]^_`{}~"


@dataclass(frozen=True, slots=True)
class Signature:
    """An ordered list of named settings, printed as `wer|view:word|ties:misword|v:0.5.0`.

    >>> print(Signature("wer", (("view", "word"), ("ties", "misword"))))
    wer|view:word|ties:misword
    """

    metric: str
    settings: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        settings = (f"{key}:{quote(value, safe=PLAIN)}" for key, value in self.settings)
        return "|".join([self.metric, *settings])

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read back what `str` wrote."""
        metric, *settings = text.split("|")
        cut = (setting.partition(":") for setting in settings)
        pairs = tuple((key, unquote(value)) for key, _, value in cut)
        if not metric or not all(key for key, _ in pairs):
            raise OptionError(f"not a signature: {text!r}")
        return cls(metric, pairs)

    def differences(self, other: Signature) -> list[str]:
        """Name each setting in which the two differ; empty where the numbers are comparable."""
        mine, theirs = dict(self.settings), dict(other.settings)
        named = [] if self.metric == other.metric else [f"metric: {self.metric} / {other.metric}"]
        for key in dict.fromkeys([*mine, *theirs]):
            left, right = mine.get(key, "not set"), theirs.get(key, "not set")
            if left != right:
                named.append(f"{key}: {left} / {right}")
        return named
