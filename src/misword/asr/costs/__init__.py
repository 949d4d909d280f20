"""Costs: how wrong it is to take one token for another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from misword.alignment.costs import Costs
from misword.asr.views import View
from misword.core.context import Context
from misword.core.registry import Entry, Registry

if TYPE_CHECKING:
    from misword.asr.pairs import Pairs

HERE = "misword.asr.costs"


class Cost(Protocol):
    """Prices the substitutions among the tokens of a view.

    Two costs with equal options must be equal objects: alignments are kept by cost.
    """

    def settings(self, context: Context, view: View) -> tuple[tuple[str, str], ...]:
        """What decides the prices, as a signature has it."""
        ...

    def check(self, context: Context, view: View) -> None:
        """Refuse, before any work, what cannot be priced."""
        ...

    def costs(self, pairs: Pairs, view: View) -> Costs:
        """The prices over the vocabulary of the view."""
        ...


COSTS: Registry[Cost] = Registry(
    "costs",
    {
        "cosine": Entry(f"{HERE}.cosine:Cosine"),
        "features": Entry(f"{HERE}.features:Features"),
        "near": Entry(f"{HERE}.near:Near"),
    },
)
