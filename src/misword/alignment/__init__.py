"""Alignment of the token ids of a whole corpus: edit counts, operations and distances."""

from misword.alignment.costs import Costs
from misword.alignment.engine import TIES, UNIT_TIES, align

__all__ = ["TIES", "UNIT_TIES", "Costs", "align"]
