"""The alignment engine: token ids of a whole corpus in, edit counts and operations out."""

from misword.alignment.costs import Costs
from misword.alignment.engine import TIES, align

__all__ = ["TIES", "Costs", "align"]
