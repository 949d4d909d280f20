"""Views: what counts as a token when two utterances are compared."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from misword.asr.utterances import Utterances
from misword.core.parts.contract import Part
from misword.core.parts.registry import Entry, Registry
from misword.core.types import Tokens
from misword.text.analysis import Analysis
from misword.text.features import Alphabet

HERE = "misword.asr.views"


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
        "character": Entry(f"{HERE}.character:Character"),
        "lemma": Entry(f"{HERE}.lemma:Lemma"),
        "phoneme": Entry(f"{HERE}.phoneme:Phoneme"),
        "tag": Entry(f"{HERE}.tag:Tag"),
        "word": Entry(f"{HERE}.word:Word"),
    },
)
