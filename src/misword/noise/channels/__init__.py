"""Channels: what a recogniser might hear instead of a word.

`create` builds one channel, or several that are weighted and joined: `0.7*voleti+0.3*uniform`;
`choose` does so too and knows which is usual: `voleti` where there are vectors, else `phonetic`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, Protocol

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.registry import Entry, Registry
from misword.noise.hearing import Hearing

__all__ = ["AUTO", "CHANNELS", "Channel", "choose", "create"]

HERE = "misword.noise.channels"
AUTO = "auto"
# A number and a star before a channel. A plus joins two channels only where one follows, so that
# file names may have it.
WEIGHT = r"\d*\.?\d+(?:[eE]-?\d+)?\s*\*"


class Channel(Protocol):
    """Says what words may be heard as.

    A part is a frozen dataclass whose fields are its options. `wants` is `vectors`, `lang` or
    nothing; `heeds` names what else of the context it looks at.
    """

    name: ClassVar[str]

    @property
    def wants(self) -> str:
        """What the context must have: `vectors`, `lang` or nothing."""
        ...

    @property
    def heeds(self) -> tuple[str, ...]:
        """What else of the context it looks at."""
        ...

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


def choose(channel: str | Channel, context: Context) -> Channel:
    """The channel that is named, if it can be had; `auto` follows from the context alone.

    >>> choose("auto", Context("en")).name
    'phonetic'
    """
    if channel == AUTO:
        channel = "phonetic" if context.source is None else "voleti"
    part = create(channel) if isinstance(channel, str) else channel
    part.check(context)
    return part


def create(spec: str) -> Channel:
    """A channel from its spec, or the weighted mixture of several.

    In a sum each channel has its weight, `0.7*voleti:n=500+0.3*uniform`; the weights are divided by
    their sum. Commas separate a channel's options as everywhere.

    >>> create("uniform")
    Uniform(vocabulary='corpus', size=30000)
    >>> create("3*uniform+1*uniform:size=9").weights
    (0.75, 0.25)
    """
    pieces = [piece.strip() for piece in re.split(rf"\+(?=\s*{WEIGHT})", spec)]
    if len(pieces) == 1 and not re.match(WEIGHT, pieces[0]):
        return CHANNELS.create(_without_sum(pieces[0]))
    from misword.noise.channels.mixture import Mixture

    channels, weights = [], []
    for piece in pieces:
        if not (found := re.match(WEIGHT, piece)):
            raise OptionError(
                f"the channel {piece!r} of a sum has no weight",
                fix="give each its own: 0.7*voleti+0.3*uniform",
            )
        weights.append(float(found[0].rstrip("* ")))
        channels.append(CHANNELS.create(_without_sum(piece[found.end() :].strip())))
    total = sum(weights)
    if total <= 0:
        raise OptionError("the weights of a sum add up to 0", fix="give some channel a weight")
    return Mixture(tuple(channels), tuple(weight / total for weight in weights))


def _without_sum(spec: str) -> str:
    """Refuse `voleti+uniform`: a name has no plus."""
    if "+" in spec.partition(":")[0]:
        raise OptionError(
            f"no weights in {spec!r}", fix="give each channel its own: 0.7*voleti+0.3*uniform"
        )
    return spec
