"""Views, which split utterances into the tokens to compare, and the texts of utterances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.core.parts import Part
from misword.core.parts.registry import Entry, Registry
from misword.core.types import Sides, Tokens
from misword.text.texts import Texts
from misword.text.tokens import encode_words

if TYPE_CHECKING:
    from misword.text.analyzers import Analysis, Analyzer
    from misword.text.features import Alphabet

HERE = "misword.asr.views"


@dataclass(frozen=True, slots=True, eq=False)
class DistinctTexts:
    """The distinct texts of both sides, and the number of the text of each row.

    White space is collapsed to single spaces and stripped at both ends, because a tagger would
    treat it as tokens that influence their neighbours.
    """

    texts: list[str]
    references: NDArray[np.int64]
    hypotheses: NDArray[np.int64]

    @classmethod
    def of(cls, *sides: Texts) -> DistinctTexts:
        """Number the distinct texts of the references and the hypotheses."""
        numbers: dict[str, int] = {}
        rows = []
        for side in sides:
            texts = (" ".join(text.split()) for text in side.split())
            rows.append(np.fromiter((numbers.setdefault(t, len(numbers)) for t in texts), np.int64))
        return cls(list(numbers), *rows)


@dataclass(frozen=True, eq=False)
class Utterances:
    """The references and the hypotheses of a corpus, normalised; derived data is computed once.

    `known_words` are their words, if the caller has them.
    """

    references: Texts
    hypotheses: Texts
    known_words: Sides | None = field(default=None, repr=False)
    _analyses: dict[Analyzer, Analysis] = field(default_factory=dict, repr=False)

    @cached_property
    def words(self) -> Sides:
        """The words of the references and of the hypotheses, split at white space."""
        if self.known_words is not None:
            return self.known_words
        references, hypotheses = encode_words([self.references, self.hypotheses])
        return references, hypotheses

    @cached_property
    def words_are_lower_case(self) -> bool:
        """Whether no word changes when it is lower-cased."""
        return is_lower_case(self.words[0].vocabulary[:])

    @cached_property
    def distinct(self) -> DistinctTexts:
        """The distinct texts: a slow part processes each of them once."""
        return DistinctTexts.of(self.references, self.hypotheses)

    def analysis(self, analyzer: Analyzer) -> Analysis:
        """Return the analysis of the distinct texts."""
        if analyzer not in self._analyses:
            self._analyses[analyzer] = analyzer.analyse(self.distinct.texts)
        return self._analyses[analyzer]

    def spread(self, tokens: Tokens) -> tuple[Tokens, Tokens]:
        """Expand tokens of the distinct texts to the rows of the references and the hypotheses."""
        return tokens.take(self.distinct.references), tokens.take(self.distinct.hypotheses)


def is_lower_case(words: Sequence[str]) -> bool:
    """Whether no word changes when it is lower-cased."""
    joined = "\0".join(words)
    return joined == joined.lower()


class Annotation(NamedTuple):
    """A value for each token of an analysis, such as its lemma or its part of speech."""

    analysis: Analysis
    values: list[str]


class View(Part):
    """Turns references and hypotheses into token sequences over one vocabulary.

    Two views with equal options must be equal objects: `Pairs` stores tokens and alignments by
    view. `unit` is the name of a token in output (`words`). `annotation` is the kind of annotation
    that `annotate` gives for the tables of words (`lemma`, `tag`), or empty.
    """

    __slots__ = ()

    unit: ClassVar[str] = "tokens"
    annotation: ClassVar[str] = ""

    @property
    def alphabet(self) -> Alphabet | None:
        """The alphabet of the phonemes; None if the tokens are not phonemes."""
        return None

    def tokens(self, utterances: Utterances) -> tuple[Tokens, Tokens]:
        """Return the tokens of the references and of the hypotheses."""
        raise NotImplementedError

    def canonical(self, utterances: Utterances) -> View:
        """Return a simpler view that has the same tokens on these utterances, or the view itself.

        Views with the same canonical view share their tokens and alignments.
        """
        return self

    def annotate(self, utterances: Utterances) -> Annotation:
        """Annotate the tokens of the distinct texts; only for views that name an `annotation`."""
        raise NotImplementedError


VIEWS: Registry[View] = Registry(
    "views",
    {
        "character": Entry(f"{HERE}.surface:Character"),
        "grapheme": Entry(f"{HERE}.surface:Grapheme"),
        "lemma": Entry(f"{HERE}.linguistic:Lemma"),
        "phoneme": Entry(f"{HERE}.linguistic:Phoneme"),
        "segmented": Entry(f"{HERE}.surface:Segmented"),
        "tag": Entry(f"{HERE}.linguistic:Tag"),
        "word": Entry(f"{HERE}.surface:Word"),
    },
)
