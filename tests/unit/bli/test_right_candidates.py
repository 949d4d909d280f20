"""Rates with lemmas: each candidate counts for one gold translation, and no rate is above 1."""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bilingual import mapped_side
from misword.bli.evaluate import evaluate_open
from misword.bli.evaluation.gold_ranks import GoldRanks, LemmaMatch
from misword.bli.evaluation.inputs import EvaluationSettings
from misword.bli.evaluation.rates import Rate, rates_of
from misword.bli.evaluation.right_candidates import RightPairs, right_candidates
from misword.bli.open_mapping import OpenMapping
from misword.bli.options import LEMMA_RULES, OOV_RULES
from misword.bli.retrievers import RETRIEVERS
from misword.io.lexicons import Lexicon

NN = RETRIEVERS.create_all("nn")
# Forms of three words of Slovak, and a word that is not in the vectors.
FORMS = ["hodina", "hodiny", "hodinu", "hodín", "pes", "psa", "psy", "Psy", "mesto", "mestá"]
RULES = (None, *LEMMA_RULES)


@cache
def lemma_match(rule: str | None) -> LemmaMatch | None:
    """Return a rule for Slovak; None is the evaluation without lemmas."""
    return None if rule is None else LemmaMatch.of("sk", "simplemma", rule)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[OpenMapping, Lexicon]:
    """Random vectors of some forms, and a gold lexicon of forms; some have no vector."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    forms = draw(st.lists(st.sampled_from(FORMS), min_size=1, max_size=8, unique=True))
    words = draw(st.integers(1, 4))
    sides = [
        mapped_side(names, rng.normal(size=(len(names), 3)).tolist())
        for names in ([f"s{i}" for i in range(words)], forms)
    ]
    pair = st.tuples(st.integers(0, 4).map("s{}".format), st.sampled_from([*FORMS, "auto"]))
    pairs = draw(st.lists(pair, max_size=14))
    lexicon = Lexicon.of([("s0", forms[0]), *pairs])
    return OpenMapping(sides[0], sides[1], "random", ()), lexicon


@pytest.mark.slow
@given(worlds())
def test_laws_of_rates_under_every_rule(world: tuple[OpenMapping, Lexicon]) -> None:
    """All rates are in [0, 1], agree with each other, and never fall by a rule that forgives."""
    made, lexicon = world
    within = range(1, len(made.target) + 1)
    found = [
        GoldRanks.of(made, lexicon, NN["nn"], within[-1], lemmas=lemma_match(rule))
        for rule in RULES
    ]
    tallies = [ranks.counts(within) for ranks in found]
    for tally in tallies:
        for rate in (one for oov in OOV_RULES for one in rates_of(within, oov)):
            terms = rate.terms(tally)
            assert (terms[:, 0] >= 0).all()
            assert (terms[:, 0] <= terms[:, 1]).all(), rate
        one_each = [Rate(kind, 1, "error").terms(tally).tolist() for kind in ("hit", "precision")]
        assert one_each[0] == one_each[1]
        for k in within:
            hit = Rate("hit", k, "error").terms(tally)[:, 0]
            for kind in ("precision", "recall"):
                assert ((Rate(kind, k).terms(tally)[:, 0] > 0) == (hit > 0)).all()
            assert (tally.right[k] <= tally.found[k]).all()
    plain = tallies[0]
    assert all((plain.right[k] == plain.found[k]).all() for k in within)
    for tally in tallies[1:]:
        for k in within:
            assert (tally.right[k] >= plain.right[k]).all()
            assert (tally.found[k] >= plain.found[k]).all()


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.tuples(st.integers(0, 2), st.lists(st.booleans(), min_size=width, max_size=width)),
            min_size=1,
            max_size=6,
        )
    )
)
def test_right_candidates_are_a_greatest_matching(pairs: list[tuple[int, list[bool]]]) -> None:
    """For each headword and each k, no more candidates can be matched with gold pairs."""
    headword_of = np.array([headword for headword, _ in pairs])
    right = np.array([row for _, row in pairs], np.bool_)
    headwords, ranks = right_candidates(headword_of, right)
    for headword in range(3):
        rows = right[headword_of == headword]
        for k in range(1, right.shape[1] + 1):
            counted = int(((headwords == headword) & (ranks <= k)).sum())
            assert counted == greatest_matching(rows[:, :k])


def greatest_matching(right: RightPairs) -> int:
    """Try all ways to match columns with rows."""
    rows, columns = right.shape
    for size in range(min(rows, columns), 0, -1):
        for chosen in combinations(range(columns), size):
            for places in permutations(range(rows), size):
                if all(right[row, column] for row, column in zip(places, chosen, strict=True)):
                    return size
    return 0


@pytest.mark.parametrize("rule", LEMMA_RULES)
def test_four_forms_credit_one_candidate_once(rule: str) -> None:
    """Four gold forms of one lemma and one candidate: precision is not 400 %."""
    made = OpenMapping(
        mapped_side(["tund"], [[1, 0]]), mapped_side(["hodina", "pes"], [[1, 0], [0, 1]]), "m", ()
    )
    lexicon = Lexicon.of([("tund", form) for form in ("hodina", "hodiny", "hodinu", "hodín")])
    settings = EvaluationSettings((1, 2), lemmas=lemma_match(rule))
    found = evaluate_open([made], lexicon, NN, settings)
    assert found["precision@1"] == found["hit@1"] == 1
    assert found["precision@2"] == 1 / 2
    assert found["recall@1"] == (1 if rule == "both" else 1 / 4)
    assert found.headwords()["right@2"].to_list() == [1]
    assert "|candidates_count:once|" in found.signatures["m nn"]["precision@1"]
