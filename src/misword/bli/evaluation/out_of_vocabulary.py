"""How gold words without a vector (out-of-vocabulary words) count in each rate.

A headword without a vector has no candidates. A gold translation without a vector cannot be among
the candidates. In a file of candidates, a headword without any is such a word; all translations of
the other headwords could have been found.

- `hit@k`: the rule is an option, `oov` (see `OOV_RULES`).
- `precision@k`: a headword without a vector counts as one wrong candidate, because its candidate
  list is one empty row (Denisová and Rychlý 2023).
- `recall@k`: every gold pair counts, whether its words have vectors or not (Denisová and Rychlý).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from misword.bli.evaluation.headword_counts import Counts, HeadwordCounts
from misword.core.errors import OptionError

OovRule = Literal["drop", "source", "error"]
OOV_RULES: dict[OovRule, str] = {
    "drop": "headwords without a pair of words with vectors are left out, as in MUSE and VecMap",
    "source": "headwords without a vector are left out",
    "error": "every headword counts, as in RCSLS",
}
# The rules of precision and recall, as signatures name them.
PRECISION_RULE, RECALL_RULE = "one-row", "in-gold"


def check_oov_rule(rule: str) -> OovRule:
    """Return the rule, or raise if there is no such rule."""
    for name in OOV_RULES:
        if name == rule:
            return name
    rules = "; ".join(f"{name}: {about}" for name, about in OOV_RULES.items())
    raise OptionError(f"no rule {rule!r} for words out of the vocabulary", fix=f"use {rules}")


def headwords_in_hit_rate(counts: HeadwordCounts, rule: OovRule) -> NDArray[np.bool_]:
    """Return which headwords count in `hit@k`.

    With `drop` these are the headwords that have at least one gold pair of which both words have a
    vector; with `source` the headwords that have a vector themselves; with `error` all headwords.
    """
    if rule == "drop":
        return counts.reachable > 0
    if rule == "source":
        return counts.known > 0
    return np.ones(len(counts), np.bool_)


def candidate_rows(counts: HeadwordCounts, k: int) -> Counts:
    """Return the number of candidates of each headword in `precision@k`.

    It is k for a headword with a vector, or fewer if a file of candidates has fewer, and 1, an
    empty row, for a headword without.
    """
    return np.where(counts.known > 0, np.minimum(counts.listed, k), 1)
