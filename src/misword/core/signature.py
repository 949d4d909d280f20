"""Signatures: every setting that decides a number, printed beside it.

Two numbers can be compared only if they were computed in the same way. misword prints a signature
with each number and refuses to compare results whose signatures differ, as sacrebleu does.

The setting `v` is the revision of the metric: it changes when a number can move, and not with each
version of misword. misword 0.5.0 wrote its own version there; its numbers are those of revision 1.

Known problems: a signature describes the computation, not the data. Whether two results score the
same utterances is checked separately. With equivalents, or with alternatives in the references, a
number of 0.5.0 may differ from one of revision 1 (CHANGELOG.md, "Numbers that moved").

Reference: M. Post, A call for clarity in reporting BLEU scores, WMT 2018.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

from misword.core.errors import OptionError

# Characters that a value keeps. All others are percent-encoded, so that `|` only separates.
UNQUOTED = " !#$&'()*+,-./:;=?@[]^_`{}~"

# Versions of misword that signatures have in place of revision 1.
FIRST_REVISION = re.compile(r"0\.5\.\d+")


@dataclass(frozen=True, slots=True)
class Signature:
    """The name of a metric and its settings in a fixed order: `wer|view:word|ties:misword`.

    >>> signature = Signature("wer", (("view", "word"), ("ties", "misword")))
    >>> print(signature)
    wer|view:word|ties:misword
    >>> signature.differences(Signature.parse("wer|view:word|ties:jiwer"))
    ['ties: misword / jiwer']
    >>> Signature.parse("wer|v:0.5.0").differences(Signature.parse("wer|v:1"))
    []
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
        mine, theirs = (_with_revision(dict(each.settings)) for each in (self, other))
        texts = [] if self.metric == other.metric else [f"metric: {self.metric} / {other.metric}"]
        for key in dict.fromkeys([*mine, *theirs]):
            left, right = mine.get(key, "not set"), theirs.get(key, "not set")
            if left != right:
                texts.append(f"{key}: {left} / {right}")
        return texts


def _with_revision(settings: dict[str, str]) -> dict[str, str]:
    """Return settings with revision 1 in place of the version of misword that stands for it."""
    if FIRST_REVISION.fullmatch(settings.get("v", "")):
        settings["v"] = "1"
    return settings
