"""Encoders: a row of numbers for each sentence, and how alike two such rows are.

Most rows are vectors, compared by their cosine (`misword.embed.similarity.ByCosine`). `choose`
picks the encoder of a language. The table alone decides, never what happens to be installed: two
machines either give the same numbers or one of them says what it lacks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.registry import Entry, Registry
from misword.embed.similarity import Rows, Similarities

HERE = "misword.embed.encoders"
# The multilingual encoder that is the default, and its languages.
USUAL = "use"
LANGUAGES = (
    "ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh",
)  # fmt: skip

# A row for each text, in order; zero where nothing of a text is known.
Encode = Callable[[Sequence[str]], NDArray[np.float32]]


class Encoder(Protocol):
    """Makes a row of numbers of each sentence, and compares rows.

    A part is a frozen dataclass whose fields are its options. `slow` ones are worth a cache.
    `fitted` ones learn something from a corpus (word frequencies, a common direction); for others
    a sentence's vector does not depend on what stands around it, but for rounding. `wants` is
    `vectors`, `lang` or nothing, as for a metric.
    """

    name: ClassVar[str]
    slow: ClassVar[bool]
    wants: ClassVar[str]

    @property
    def fitted(self) -> bool:
        """Whether it learns from a corpus."""
        ...

    def check(self, context: Context) -> None:
        """Raise before any work if a package, a model or vectors are missing."""
        ...

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """What decides its vectors, for a signature."""
        ...

    def fit(self, corpus: Sequence[str], context: Context) -> Encode:
        """Learn from a corpus what there is to learn; what comes back encodes any texts."""
        ...

    def similarity(self, left: Rows, right: Rows) -> Similarities:
        """How alike each row of `left` is to that of `right`: 1 for the same, 0 where one is zero.

        Never above 1 but for rounding, and the same in both directions.
        """
        ...

    def partial(self, texts: Sequence[str], context: Context) -> NDArray[np.bool_]:
        """Which texts it does not take in whole: cut at a limit, or with words it does not know."""
        ...


ENCODERS: Registry[Encoder] = Registry(
    "encoders",
    {
        "infersent": Entry(f"{HERE}.infersent:InferSent", extra="neural"),
        "mean": Entry(f"{HERE}.mean:Mean"),
        "mean-stop": Entry(f"{HERE}.mean_stop:MeanStop"),
        "sif": Entry(f"{HERE}.sif:SIF"),
        "subspace": Entry(f"{HERE}.subspace:Subspace"),
        "transformer": Entry(f"{HERE}.transformer:Transformer", extra="neural"),
        "use": Entry(f"{HERE}.use:Use", extra="neural"),
        "usif": Entry(f"{HERE}.usif:USIF"),
    },
)


def choose(lang: str, spec: str = "auto") -> Encoder:
    """The encoder that is named, else the usual one, if it knows the language.

    Its own options may be joined by `+`, for specs within specs, where a comma ends the inner one.
    What is no part but has a slash, as folders and names on the hub have, is a transformer's model.

    >>> choose("fr")
    Use()
    >>> choose("fr", "sif:frequencies=wordfreq+a=0.01")
    SIF(a=0.01, frequencies='wordfreq', case='auto')
    >>> choose("", "sentence-transformers/LaBSE").model
    'sentence-transformers/LaBSE'
    """
    if spec != "auto":
        if "/" in spec.partition(":")[0]:
            spec = f"transformer:model={spec}"
        return ENCODERS.create(re.sub(r"\+(?=\w+=)", ",", spec))
    if lang and lang not in LANGUAGES:
        raise OptionError(
            f"no encoder for {lang!r} is chosen unless you name it",
            fix="name a model: encoder=transformer:model=sentence-transformers/LaBSE; or, with "
            f"--vectors, encoder=sif. There is a default for: {', '.join(LANGUAGES)}",
        )
    return ENCODERS.create(USUAL)
