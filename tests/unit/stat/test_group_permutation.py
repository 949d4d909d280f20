"""Permutation tests of many groups equal those of each group alone."""

from __future__ import annotations

import numpy as np
import pytest

from misword.stat.measure import ratio_of_terms
from misword.stat.paired import group_effects, group_p, permutation_p, swap_effects


@pytest.mark.parametrize("rows", [2, 3, 8, 12, 13, 25])
def test_groups_have_the_p_values_of_single_tests(rows: int) -> None:
    rng = np.random.default_rng(rows)
    words = rng.integers(0, 9, (60, rows))
    ours, theirs = (np.stack([rng.binomial(words + 1, 0.2), words], axis=-1) for _ in range(2))
    ours[:20] = theirs[:20]  # equal systems
    ours[:10, 0, 0] += 1  # one row differs
    theirs[50:, :, 1] = 0  # undefined rates
    effects = group_effects(theirs, ours, ratio_of_terms)
    p = group_p(effects)
    for group in range(len(p)):
        single = swap_effects(theirs[group], ours[group], ratio_of_terms)
        assert effects[group] == pytest.approx(single, rel=1e-12, nan_ok=True)
        assert p[group] == pytest.approx(permutation_p(single), rel=1e-9, nan_ok=True)
