"""Views: what counts as a token when two utterances are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from misword.core.context import Context
from misword.core.part import Settings
from misword.core.registry import Entry, Registry
from misword.core.types import Tokens

if TYPE_CHECKING:
    from misword.asr.pairs import Pairs

HERE = "misword.asr.views"


class View(Protocol):
    """Looks at references and hypotheses as token sequences over one vocabulary.

    Two views with equal options must be equal objects: tokens and alignments are kept by view.
    """

    def settings(self, context: Context) -> Settings:
        """What decides the tokens, as a signature has it."""
        ...

    def check(self, context: Context) -> None:
        """Refuse, before any work, what cannot be done: a missing package, an unknown language."""
        ...

    def tokens(self, pairs: Pairs) -> tuple[Tokens, Tokens]:
        """The tokens of the references and of the hypotheses."""
        ...


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
