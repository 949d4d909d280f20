"""Language models: the log-probability of a text, as a feature of hypotheses.

All log-probabilities are natural logarithms. The probability of a text is that of its words or
tokens after the beginning of a sentence, and of the end of the sentence after them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Part, signed_name
from misword.core.parts.registry import Entry, Registry
from misword.core.signature import Signature
from misword.core.types import OWN_COLUMNS
from misword.io.transcripts.columns import plain_name

HERE = "misword.embed.language_models"

# A row for each text: its log-probability, then its counts.
Features = NDArray[np.float32]


class LanguageModel(Part):
    """A language model. A subclass defines `features`; its option `column` names the columns.

    `counts` are the names of what is counted beside the log-probability: `tokens` are the tokens
    that the log-probability is a sum over, `oov` the words that the model does not know. `stored`
    is True for a model that is so slow that its features are stored on disk.
    """

    __slots__ = ()

    family: ClassVar[str] = "language models"
    counts: ClassVar[tuple[str, ...]] = ()
    stored: ClassVar[bool] = False

    column: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns: of the log-probability, and of each count."""
        return (self.column, *(f"{self.column}_{count}" for count in self.counts))

    def features(self, texts: Sequence[str], context: Context) -> Features:
        """Return the log-probability and the counts of each text."""
        raise NotImplementedError

    def notes(self, texts: Sequence[str], context: Context) -> Iterable[str]:
        """Return what the user should know about the model and these texts."""
        return ()

    def signature(self, context: Context, normalizers: str) -> Signature:
        """Return everything that decides the log-probabilities."""
        own = [(name, value) for name, value in self.settings(context) if name != "column"]
        ends = (("norm", normalizers), ("log", "e"), ("v", str(self.revision)))
        return Signature(self.name, (*own, *ends))

    def cache_key(self, context: Context) -> str:
        """Return a key of the cache: it differs where a feature of a text can differ."""
        own = [(name, value) for name, value in self.settings(context) if name != "column"]
        return repr((signed_name(self), own))

    def check_column(self) -> None:
        """Raise if the columns cannot have the name that the option `column` gives."""
        if not self.column or self.column in OWN_COLUMNS or plain_name(self.column) != self.column:
            raise OptionError(
                f"the column of {self.name!r} cannot be called {self.column!r}",
                fix=f"name it otherwise, such as {self.name}:column=lm",
            )


LANGUAGE_MODELS: Registry[LanguageModel] = Registry(
    "language_models",
    {
        "causal": Entry(f"{HERE}.causal:Causal", extra="causal"),
        "ngram": Entry(f"{HERE}.ngram:NGram", extra="ngram"),
    },
)
