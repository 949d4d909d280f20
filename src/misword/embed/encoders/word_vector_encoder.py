"""Base class of encoders that work on the word vectors of the context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.parts.contract import Settings
from misword.embed.averages import has_unknown_word
from misword.embed.encoders import Encoder
from misword.embed.vectors.words import Case, check_word_vectors, word_vectors


class WordVectorEncoder(Encoder):
    """An encoder made of word vectors.

    Words are separated by white space and looked up by the option `case`; words without a vector
    are left out.
    """

    __slots__ = ()

    needs: ClassVar[tuple[str, ...]] = ("vectors",)

    # Each subclass has this option as a dataclass field; its place in the order of options differs.
    case: Case

    def check(self, context: Context) -> None:
        """Raise unless the context has word vectors."""
        check_word_vectors(context)

    def settings(self, context: Context) -> Settings:
        """The encoder, its options and the word vectors."""
        return (
            ("encoder", self.name),
            *self.option_settings(context),
            *word_vectors(context).settings,
        )

    def option_settings(self, context: Context) -> Settings:
        """The options as a signature prints them, between the encoder's name and the vectors."""
        return Encoder.settings(self, context)

    def partial(self, texts: Sequence[str], context: Context) -> NDArray[np.bool_]:
        """Texts that contain a word without a vector."""
        return has_unknown_word(texts, word_vectors(context), self.case)
