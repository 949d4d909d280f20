"""Channels: models of the errors of a speech recogniser, for any list of words.

`misword.noise.channels.specs.choose_channel` creates the channel that the option `--channel` names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from misword.core.context import Context
from misword.core.parts import Part, describe
from misword.core.parts.registry import Entry, Registry
from misword.noise.aligned_corpus import AlignedCorpus
from misword.noise.error_model import ErrorModel

if TYPE_CHECKING:
    from misword.noise.corruption.drawer import BlockDrawer

__all__ = ["CHANNELS", "Channel"]

HERE = "misword.noise.channels"


class Channel(Part):
    """Base class of channels: a channel gives the `ErrorModel` of a list of words.

    A channel is a frozen dataclass whose fields are its options. It must define `error_model`; all
    other members have defaults.
    """

    __slots__ = ()

    def error_model(self, words: Sequence[str], context: Context) -> ErrorModel:
        """Return the error model of distinct words.

        The words are in lower case and without the punctuation around them. The model must not
        depend on their order.
        """
        raise NotImplementedError

    @property
    def mixes(self) -> bool:
        """Whether the shares of substitutions, deletions and insertions can be set (`--mix`)."""
        return True

    def model(
        self, words: Sequence[str], texts: Sequence[str], context: Context
    ) -> ErrorModel | BlockDrawer:
        """Return what draws the errors of a corpus, given its distinct words.

        `texts` are rows of the corpus, all or a sample, for channels that read whole texts.
        """
        return self.error_model(words, context)

    @property
    def learns(self) -> bool:
        """Whether `learn` returns a channel with learnt errors, not the channel itself."""
        return False

    def learn(self, corpus: AlignedCorpus, context: Context) -> Channel:
        """Return the channel after it has learnt from a recogniser's errors.

        A channel that does not learn returns itself.
        """
        return self

    def description(self) -> dict[str, Any]:
        """Title, family and BibTeX entries, as `Result.provenance["parts"]` keeps them."""
        return describe(self)


CHANNELS: Registry[Channel] = Registry(
    "channels",
    {
        "confusion": Entry(f"{HERE}.confusion:Confusion"),
        "listen": Entry(f"{HERE}.listen:Listen"),
        "phonetic": Entry(f"{HERE}.phonetic:Phonetic"),
        "uniform": Entry(f"{HERE}.uniform:Uniform"),
        "voleti": Entry(f"{HERE}.voleti:Voleti"),
    },
)
