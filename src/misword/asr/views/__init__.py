"""Views: what counts as a token when two utterances are compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from misword.core.registry import Entry, Registry
from misword.core.types import Tokens
from misword.text.texts import Texts

HERE = "misword.asr.views"


class View(Protocol):
    """Looks at columns of text as token sequences over one vocabulary.

    Two views with equal options must be equal objects: alignments are kept by view.
    """

    def tokens(self, columns: Sequence[Texts]) -> list[Tokens]:
        """One token sequence per column."""
        ...


VIEWS: Registry[View] = Registry(
    "views",
    {"character": Entry(f"{HERE}.character:Character"), "word": Entry(f"{HERE}.word:Word")},
)
