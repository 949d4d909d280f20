"""Signatures: every setting that decides a number, printed beside it.

Two numbers can be compared only if they were computed in the same way. misword prints a signature
with each number and refuses to compare results whose signatures differ, as sacrebleu does.

Known problems: a signature describes the computation, not the data. Whether two results score the
same utterances is checked separately.

Reference: M. Post, A call for clarity in reporting BLEU scores, WMT 2018.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote

from misword.core.errors import OptionError

# Characters that a value keeps. All others are percent-encoded, so that `|` only separates.
UNQUOTED = " !#$&'()*+,-./:;=?@[]^_`{}~"


@dataclass(frozen=True, slots=True)
class Signature:
    """The name of a metric and its settings in a fixed order: `wer|view:word|ties:misword`.

    >>> signature = Signature("wer", (("view", "word"), ("ties", "misword")))
    >>> print(signature)
    wer|view:word|ties:misword
    >>> signature.differences(Signature.parse("wer|view:word|ties:jiwer"))
    ['ties: misword / jiwer']
    """

    metric: str
    settings: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        settings = (f"{key}:{quote(value, safe=UNQUOTED)}" for key, value in self.settings)
        return "|".join([self.metric, *settings])

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Return the signature that `str` printed as `text`."""
        metric, *settings = text.split("|")
        parts = (setting.partition(":") for setting in settings)
        pairs = tuple((key, unquote(value)) for key, _, value in parts)
        if not metric or not all(key for key, _ in pairs):
            raise OptionError(f"not a signature: {text!r}")
        return cls(metric, pairs)

    def differences(self, other: Signature) -> list[str]:
        """Return one text for each setting that differs; an empty list if numbers can be compared.

        A setting that only one of the two signatures has counts as `not set` in the other.
        """
        mine, theirs = dict(self.settings), dict(other.settings)
        texts = [] if self.metric == other.metric else [f"metric: {self.metric} / {other.metric}"]
        for key in dict.fromkeys([*mine, *theirs]):
            left, right = mine.get(key, "not set"), theirs.get(key, "not set")
            if left != right:
                texts.append(f"{key}: {left} / {right}")
        return texts
