"""Channels: what a recogniser might hear instead of a word.

`create` builds one channel, or several that are weighted and joined: `0.7*voleti+0.3*uniform`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from misword.core.registry import Entry, Registry
from misword.embed.context import Context
from misword.noise.hearing import Hearing

__all__ = ["CHANNELS", "Channel"]

HERE = "misword.noise.channels"


class Channel(Protocol):
    """Says what words may be heard as.

    A part is a frozen dataclass whose fields are its options. `wants` is `vectors`, `lang` or
    nothing; `heeds` names what else of the context it looks at.
    """

    NAME: ClassVar[str]
    wants: ClassVar[str]
    heeds: ClassVar[tuple[str, ...]]

    def check(self, context: Context) -> None:
        """Raise before any work if vectors, a language or a package are missing."""
        ...

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """What decides its output, for a signature."""
        ...

    def hear(self, words: Sequence[str], context: Context) -> Hearing:
        """The candidates of distinct words, which are in lower case without outer punctuation."""
        ...


CHANNELS: Registry[Channel] = Registry(
    "channels",
    {
        "confusion": Entry(f"{HERE}.confusion:Confusion"),
        "phonetic": Entry(f"{HERE}.phonetic:Phonetic"),
        "uniform": Entry(f"{HERE}.uniform:Uniform"),
        "voleti": Entry(f"{HERE}.voleti:Voleti"),
    },
)
