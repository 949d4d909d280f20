"""Base class of the segmenters that cut one script into words of a dictionary."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from misword.core.context import Context
from misword.core.parts.contract import Settings
from misword.core.parts.installed import version_of
from misword.text.segmenters.auto import Auto


@dataclass(frozen=True, slots=True)
class DictionarySegmenter(Auto):
    """Cuts runs of `script` by the package `package`, and all other text as `auto` does."""

    script: ClassVar[str]
    package: ClassVar[str]

    def settings(self, context: Context) -> Settings:
        """The settings of `auto`, and the package with its version."""
        ((name, value),) = Auto.settings(self, context)
        return ((name, f"{value}/{self.package}-{version_of(self.package)}"),)

    def cut(self, text: str) -> list[str]:
        """Return the words of the dictionary, and the words that `auto` gives for other scripts."""
        words: list[str] = []
        for number, part in enumerate(_runs(self.script).split(text)):
            words += self.cut_run(part) if number % 2 else Auto.cut(self, part)
        return words

    def cut_run(self, run: str) -> list[str]:
        """Return the words of a run of the script."""
        raise NotImplementedError


@cache
def _runs(script: str) -> Any:
    """Return the pattern of a run of a script; `split` also returns the runs, at odd places."""
    import regex

    return regex.compile(rf"(\p{{{script}}}+)")
