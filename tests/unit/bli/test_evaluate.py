"""Hit rate, precision and recall of mappings: by hand, by brute force, and laws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bilingual import gold, mapped_side, open_mapping
from misword.bli.evaluate import evaluate_open
from misword.bli.evaluation.gold_ranks import GoldRanks, LemmaMatch
from misword.bli.evaluation.inputs import EvaluationSettings
from misword.bli.evaluation.rate_tables import flag_columns, slices_by, slices_of
from misword.bli.evaluation.rates import Rate, quotient, rates_of
from misword.bli.evaluation.result import Evaluation
from misword.bli.open_mapping import OpenMapping
from misword.bli.options import OOV_RULES
from misword.bli.retrievers import RETRIEVERS
from misword.bli.word_analysis import Lemmatizer
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.formatting import percent_of
from misword.io.lexicons import Lexicon
from misword.stat.bootstrap import Bootstrap

NN = RETRIEVERS.create_all("nn")
FEW = Bootstrap(times=50)


def evaluation_by_nn(
    mappings: Sequence[OpenMapping],
    lexicon: Lexicon,
    within: Sequence[int] = (1, 2),
    oov: str = "drop",
) -> Evaluation:
    """By nearest neighbours."""
    return evaluate_open(
        mappings, lexicon, NN, EvaluationSettings(tuple(within), oov, bootstrap=FEW)
    )


def fractions(found: Evaluation) -> dict[str, tuple[int, int]]:
    """Numerator and denominator of each rate."""
    return {row["metric"]: (row["part"], row["whole"]) for row in found.rates.to_dicts()}


HITS = {
    "drop": {"hit@1": (2, 3), "hit@2": (3, 3)},
    "source": {"hit@1": (2, 4), "hit@2": (3, 4)},
    "error": {"hit@1": (2, 5), "hit@2": (3, 5)},
}


@pytest.mark.parametrize("oov", OOV_RULES)
def test_worked_by_hand(oov: str) -> None:
    """Five headwords, eight pairs, one headword and four translations out of vocabulary."""
    found = evaluation_by_nn([open_mapping()], gold(), oov=oov)
    expected = {
        "precision@1": (2, 1 * 4 + 1),
        "precision@2": (4, 2 * 4 + 1),
        "recall@1": (2, 8),
        "recall@2": (4, 8),
    }
    assert fractions(found) == HITS[oov] | expected
    assert found["recall@2"] == 0.5
    with pytest.raises(OptionError, match="no rate 'hit@7' in this evaluation"):
        found["hit@7"]


def test_coverage_by_hand() -> None:
    """The part of the lexicon that is in the vocabularies."""
    row = evaluation_by_nn([open_mapping()], gold()).coverage.row(0, named=True)
    assert (row["pairs"], row["headwords"], row["source_known"]) == (8, 5, 4)
    assert (row["targets"], row["target_known"]) == (8, 4)
    assert (row["pairs_known"], row["answerable"]) == (4, 3)


def test_a_lexicon_the_wrong_way_round_is_suspected() -> None:
    """Four of eight pairs are known as written; of the same lexicon turned, one has a headword."""
    right = evaluation_by_nn([open_mapping()], gold())
    assert right.coverage["swapped_known"].to_list() == [0]
    assert not any("columns of the lexicon may be swapped" in note for note in right.notes)
    turned = Lexicon.of([("dog", "chien"), *((b, a) for a, b in gold_pairs())])
    found = evaluation_by_nn([open_mapping()], turned)
    assert found.coverage["swapped_known"].to_list() == [4]
    (note,) = (note for note in found.notes if "columns of the lexicon may be swapped" in note)
    assert "11 % of its pairs are known, 44 % with swapped columns" in note
    assert "--columns" in note


def test_a_lexicon_of_names_is_not_suspected() -> None:
    """Words that are the same in both languages are known both ways."""
    words, rows = ["paris", "oslo"], [[1.0, 0.0], [0.0, 1.0]]
    both = replace(open_mapping(), source=mapped_side(words, rows), target=mapped_side(words, rows))
    found = evaluation_by_nn([both], Lexicon.of([("paris", "paris"), ("oslo", "oslo")]), (1,))
    assert found.coverage["swapped_known"].to_list() == [2]
    assert not any("columns of the lexicon may be swapped" in note for note in found.notes)


def gold_pairs() -> list[tuple[str, str]]:
    lexicon = gold()
    return list(zip(lexicon.source, lexicon.target, strict=True))


def test_tables_say_what_was_counted() -> None:
    """Headwords, pairs and predictions of the hand-worked example."""
    found = evaluation_by_nn([open_mapping()], gold())
    heads = found.headwords()
    assert heads["word"].to_list() == ["dog", "cat", "house", "roof", "unicorn"]
    assert heads["known"].to_list() == [1, 1, 1, 1, 0]
    assert heads["pairs"].to_list() == [3, 1, 2, 1, 1]
    assert heads["reachable"].to_list() == [2, 1, 1, 0, 0]
    assert heads["found@2"].to_list() == [2, 1, 1, 0, 0]
    ranks = found.pairs()
    assert ranks["rank"].to_list() == [1, 2, None, 2, 1, None, None, None]
    assert ranks["line"].to_list() == [1, 2, 3, 4, 5, 6, 8, 9]
    told = found.predictions()
    assert told.filter(word="cat")["candidate"].to_list() == ["maison", "chat"]
    assert told.filter(word="cat")["right"].to_list() == [False, True]
    assert told.filter(word="unicorn")["candidate"].to_list() == [None]


def test_rates_can_be_taken_again_from_the_headwords() -> None:
    """Every rate is a quotient of sums over the table of headword counts."""
    found = evaluation_by_nn([open_mapping()], gold())
    heads = {name: column.to_numpy() for name, column in found.headwords().to_dict().items()}
    assert found["recall@2"] == heads["found@2"].sum() / heads["pairs"].sum()
    assert found["hit@1"] == (heads["found@1"] > 0).sum() / (heads["reachable"] > 0).sum()


def test_signatures_say_all_that_decides() -> None:
    """Mapping, retriever and its options, gold, the rule for OOV words, the version."""
    found = evaluate_open(
        [open_mapping("a")],
        gold(),
        RETRIEVERS.create_all("csls:neighbors=2"),
        EvaluationSettings((1,), "error"),
    )
    signed = found.signatures["a csls:neighbors=2"]
    for part in ("retriever:csls", "neighbors:2", "mapping:a", f"gold:{gold().digest[:16]}", "v:"):
        assert f"|{part}" in signed["hit@1"]
    assert "|oov:error" in signed["hit@1"]
    assert "|oov:one-row" in signed["precision@1"]
    assert "|oov:in-gold" in signed["recall@1"]


def test_provenance_describes_the_parts() -> None:
    """The mapping method and each retriever, by the labels that the result shows."""
    parts = RETRIEVERS.create_all("nn,csls:neighbors=2")
    mapping = replace(open_mapping(), method="by-hand")
    result = evaluate_open([mapping], gold(), parts, EvaluationSettings((1,))).result()
    described = result.provenance["parts"]
    assert list(described) == ["nn", "csls:neighbors=2"]  # no method is called by-hand
    assert described["csls:neighbors=2"]["title"] == "CSLS"
    assert "conneau2018" in described["csls:neighbors=2"]["cites"][0]


def test_a_word_without_direction_is_out_of_vocabulary() -> None:
    """A vector of zeros has no neighbours."""
    found = evaluation_by_nn([open_mapping()], Lexicon.of([("nothing", "chat"), ("dog", "chien")]))
    assert fractions(found)["hit@1"] == (1, 1)
    assert fractions(found)["precision@2"] == (1, 2 + 1)


def test_the_hit_rate_is_undefined_if_no_headword_counts() -> None:
    """No headword has a pair of known words."""
    found = evaluation_by_nn([open_mapping()], Lexicon.of([("roof", "toiture"), ("dog", "toutou")]))
    assert np.isnan(found["hit@1"])
    assert found.rates["rate"].to_list()[:2] == [None, None]
    assert fractions(found)["recall@1"] == (0, 2)
    assert percent_of(0, 0) == "undefined"


def test_a_lexicon_without_a_known_headword_is_refused() -> None:
    """The error names a likely reason: direction, upper case, another language."""
    with pytest.raises(InputError, match="none of its 2 headwords") as error:
        evaluation_by_nn([open_mapping()], Lexicon.of([("chien", "dog"), ("chat", "cat")]))
    assert "--reverse" in error.value.fix
    with pytest.raises(InputError) as error:
        evaluation_by_nn([open_mapping()], Lexicon.of([("DOG", "chien")]))
    assert "--lower" in error.value.fix
    with pytest.raises(InputError) as error:
        evaluation_by_nn([open_mapping()], Lexicon.of([("koer", "pes")]))
    assert "of these languages" in error.value.fix


def test_a_note_counts_words_known_in_lower_case_only() -> None:
    """How many words would be known in lower case."""
    found = evaluation_by_nn([open_mapping()], Lexicon.of([("dog", "Chien"), ("CAT", "chat")]))
    assert any("2 words of the lexicon have a vector in lower case" in n for n in found.notes)


def test_options_that_cannot_be_are_refused() -> None:
    """Options are checked before any work."""
    with pytest.raises(OptionError, match="k is 0"):
        EvaluationSettings((0,))
    with pytest.raises(OptionError, match="no number of candidates"):
        EvaluationSettings(())
    with pytest.raises(OptionError, match="no rule 'ignore'"):
        EvaluationSettings((1,), "ignore")
    with pytest.raises(OptionError, match="9 candidates of 5 words"):
        evaluation_by_nn([open_mapping()], gold(), within=(9,))
    with pytest.raises(OptionError, match="no column 'pos' in the lexicon"):
        evaluate_open([open_mapping()], gold(), NN, EvaluationSettings((1,), by=("pos",)))


def test_equal_mappings_do_not_differ() -> None:
    """Difference 0, p 1, no headword better or worse."""
    table = evaluation_by_nn([open_mapping("a"), open_mapping("b")], gold()).differences
    assert table["difference"].to_list() == [0] * 6
    assert table["p"].to_list() == [1] * 6
    assert (table["better"] + table["worse"]).sum() == 0


def rotated(by: int, words: int = 40) -> OpenMapping:
    """Word s<i> translates to t<i + by>: all right for 0, all wrong else."""
    names = [f"s{i}" for i in range(words)], [f"t{i}" for i in range(words)]
    eye = np.eye(words)
    sides = (
        mapped_side(names[0], eye.tolist()),
        mapped_side(names[1], np.roll(eye, by, axis=0).tolist()),
    )
    return OpenMapping(*sides, f"by {by}", (("mapping", str(by)),))


def test_a_clear_difference_is_clear() -> None:
    """Against a mapping that has everything wrong."""
    lexicon = Lexicon.of([(f"s{i}", f"t{i}") for i in range(40)])
    row = evaluation_by_nn([rotated(1), rotated(0)], lexicon, (1,)).differences.row(0, named=True)
    assert (row["baseline_rate"], row["rate"], row["difference"]) == (0, 1, 1)
    assert (row["better"], row["worse"], row["same"]) == (40, 0, 0)
    assert row["p"] < 0.05


def test_hit_rates_are_compared_on_common_words() -> None:
    """A mapping with a smaller vocabulary is not tested on fewer words; a note says so."""
    lexicon = Lexicon.of([(f"s{i}", f"t{i}") for i in range(40)])
    found = evaluation_by_nn([rotated(0, 40), rotated(0, 30)], lexicon, (1,))
    rows = {row["metric"]: row for row in found.differences.to_dicts()}
    assert (rows["hit@1"]["headwords"], rows["hit@1"]["left_out"]) == (30, 10)
    assert rows["hit@1"]["difference"] == 0
    assert (rows["recall@1"]["headwords"], rows["recall@1"]["left_out"]) == (40, 0)
    assert rows["recall@1"]["difference"] == -0.25
    assert any("10 headwords left out" in note for note in found.notes)
    assert any("different numbers of words: 40" in note for note in found.notes)


def test_different_lexicons_are_not_compared() -> None:
    """Ranks on two lexicons raise an error."""
    from misword.bli.evaluation.rate_tables import difference

    part = RETRIEVERS.create("nn")
    one = GoldRanks.of(open_mapping(), gold(), part, 1)
    other = GoldRanks.of(open_mapping(), Lexicon.of([("dog", "chien")]), part, 1)
    with pytest.raises(MismatchError, match="different lexicons"):
        difference(one, other, Rate("hit", 1), FEW)


def test_slices_are_lexicons_of_their_own() -> None:
    """A headword is in a slice with the pairs it has there."""
    kinds = ("N", "F", "N", "N", "N", "N", "N", "")
    whole = gold()
    sliced = Lexicon(whole.source, whole.target, whole.lines, columns={"pos": kinds})
    found = evaluate_open(
        [open_mapping()], sliced, NN, EvaluationSettings((1, 2), by=("pos",), bootstrap=FEW)
    )
    for value, flags in slices_of(sliced, "pos").items():
        pairs = zip(whole.source, whole.target, flags, strict=True)
        only = Lexicon.of([(a, b) for a, b, kept in pairs if kept])
        rows = found.rates.filter(column="pos", value=value)
        told = {row["metric"]: (row["part"], row["whole"]) for row in rows.to_dicts()}
        if value == "none":
            assert told["recall@1"] == (0, 1)
        else:
            assert told == fractions(evaluation_by_nn([open_mapping()], only))
    slices = found.result().tables["slices"]
    assert slices["value"].to_list() == [kind or "none" for kind in kinds]
    assert (slices["source"].to_list(), slices["column"].unique().to_list()) == (
        list(whole.source), ["pos"],
    )  # fmt: skip


def test_numbers_are_cut_into_bands() -> None:
    """Four with as many pairs each; what has no number is apart; few values stay as they are."""
    words = tuple(f"w{i}" for i in range(21))
    lines = tuple(range(21))
    numbers = (*(str(10 * i) for i in range(20)), "")
    lexicon = Lexicon(words, words, lines, columns={"n": numbers, "few": ("1", "2", "3") * 7})
    bands = slices_of(lexicon, "n")
    assert list(bands) == ["150 to 190", "100 to 140", "50 to 90", "0 to 40", "none"]
    assert [int(band.sum()) for band in bands.values()] == [5, 5, 5, 5, 1]
    assert list(slices_of(lexicon, "few")) == ["1", "2", "3"]
    odd = Lexicon(words[:17], words[:17], lines[:17], columns={"n": tuple(map(str, range(17)))})
    assert list(slices_of(odd, "n")) == ["13 to 16", "9 to 12", "5 to 8", "0 to 4"]


def test_lemmas_of_candidates_count_once() -> None:
    """Three forms of the right word are one answer, at the rank of the first."""
    forms = ["hodiny", "hodinu", "hodín", "pes"]
    rows = [[4, 3, 2, 0], [0, 0, 1, 4], [3, 0, 0, 4]]
    made = OpenMapping(
        mapped_side(["tund", "koer", "aeg"], rows),
        mapped_side(forms, np.eye(4).tolist()),
        "et-sk",
        (),
    )
    lexicon = Lexicon.of([("tund", "hodina"), ("koer", "pes"), ("aeg", "čas")])
    plain = evaluation_by_nn([made], lexicon, (1, 2, 3))
    settings = EvaluationSettings((1, 2, 3), lemmas=LemmaMatch.of("sk"), bootstrap=FEW)
    found = evaluate_open([made], lexicon, NN, settings)
    assert fractions(plain)["recall@3"] == (1, 3)
    assert fractions(found)["recall@1"] == fractions(found)["recall@3"] == (2, 3)
    assert fractions(found)["precision@3"] == (2, 9)
    # The hit rate has the same headwords as without: "hodina" itself has no vector.
    assert fractions(found)["hit@1"] == fractions(plain)["hit@1"] == (1, 1)
    assert fractions(evaluate_open([made], lexicon, NN, replace(settings, oov="error")))[
        "hit@1"
    ] == (2, 3)
    told = found.predictions().filter(word="tund")
    assert told["lemma"].to_list() == ["hodina"] * 3
    assert told["right"].to_list() == [True] * 3
    assert "|lemmas:simplemma-" in found.signatures["et-sk nn"]["recall@1"]
    assert "lemmas" not in plain.signatures["et-sk nn"]["recall@1"]
    with pytest.raises(OptionError, match="no lemmatizer for 'ko'"):
        Lemmatizer.of("ko")


SIDES = st.integers(1, 6)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[OpenMapping, Lexicon, int]:
    """Random vectors and a random lexicon; some of its words have no vector."""
    seed, left, right = draw(st.integers(0, 10_000)), draw(SIDES), draw(SIDES)
    rng = np.random.default_rng(seed)
    sides = [
        mapped_side([f"{mark}{i}" for i in range(n)], rng.normal(size=(n, 3)).tolist())
        for mark, n in (("s", left), ("t", right))
    ]
    pairs = draw(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=1, max_size=12))
    lexicon = Lexicon.of([("s0", "t0"), *((f"s{a}", f"t{b}") for a, b in pairs)])
    return OpenMapping(sides[0], sides[1], "random", ()), lexicon, right


@given(worlds())
def test_against_the_definitions(world: tuple[OpenMapping, Lexicon, int]) -> None:
    """Each rate equals a direct count by its definition."""
    made, lexicon, right = world
    within = tuple(range(1, right + 1))
    answers = GoldRanks.of(made, lexicon, NN["nn"], right)
    scores = made.source.unit_vectors @ made.target.unit_vectors.T
    golden: dict[str, set[str]] = {}
    for a, b in zip(lexicon.source, lexicon.target, strict=True):
        golden.setdefault(a, set()).add(b)
    names = {f"t{i}" for i in range(right)}
    for k in within:
        ranked = {
            f"s{i}": {f"t{j}" for j in np.argsort(-row, kind="stable")[:k]}
            for i, row in enumerate(scores)
        }
        known = [word for word in golden if word in ranked]
        hits = sum(bool(golden[word] & ranked[word]) for word in known)
        correct = sum(len(golden[word] & ranked[word]) for word in known)
        wholes = {
            "drop": sum(bool(golden[word] & names) for word in known),
            "source": len(known),
            "error": len(golden),
        }
        tally = answers.counts([k])
        for oov, whole in wholes.items():
            sums = rates_of([k], oov)[0].terms(tally).sum(axis=0).tolist()
            assert sums == [hits, whole]
        unknown = len(golden) - len(known)
        expected = [correct, k * len(known) + unknown]
        assert Rate("precision", k).terms(tally).sum(axis=0).tolist() == expected
        assert Rate("recall", k).terms(tally).sum(axis=0).tolist() == [correct, len(lexicon)]


@pytest.mark.slow
@given(worlds())
def test_laws(world: tuple[OpenMapping, Lexicon, int]) -> None:
    """More candidates never lose a hit or a pair; stricter rules never raise a hit rate."""
    made, lexicon, right = world
    within = range(1, right + 1)
    tally = GoldRanks.of(made, lexicon, NN["nn"], right).counts(within)
    for kind in ("hit", "recall"):
        rates = [float(quotient(Rate(kind, k).terms(tally).sum(axis=0))) for k in within]
        assert np.isnan(rates).all() or rates == sorted(rates)
    for k in within:
        by_rule = [float(quotient(r[0].terms(tally).sum(axis=0)))
                   for r in (rates_of([k], oov) for oov in OOV_RULES)]  # fmt: skip
        assert np.isnan(by_rule[0]) or by_rule == sorted(by_rule, reverse=True)
        assert 0 <= by_rule[-1] <= 1


def test_slices_by_the_flags_of_an_audit() -> None:
    """A flag is a column of probabilities; its slices are the pairs with and without it."""
    lexicon = gold()
    numbers = tuple(f"{place % 2:.2f}" for place in range(len(lexicon)))
    flagged = replace(lexicon, columns={"identical": numbers, "pos": ("N",) * len(lexicon)})
    assert flag_columns(flagged) == ("identical",)
    found = evaluate_open(
        [open_mapping()], flagged, NN, EvaluationSettings((1,), by=("identical",), bootstrap=FEW)
    )
    recall = {
        row["value"]: row["whole"] for row in found.rates.to_dicts() if row["metric"] == "recall@1"
    }
    assert recall == {None: 8, "no": 4, "yes": 4}


@pytest.mark.parametrize(
    ("columns", "message"),
    [({}, "no flags in the lexicon"), ({"pos": "N"}, "no flags in the lexicon")],
)
def test_a_lexicon_without_flags_is_refused(columns: dict[str, str], message: str) -> None:
    lexicon = replace(gold(), columns={name: (v,) * len(gold()) for name, v in columns.items()})
    with pytest.raises(OptionError, match=message):
        flag_columns(lexicon)


def test_flags_that_are_no_probabilities_are_refused() -> None:
    lexicon = replace(gold(), columns={"identical": ("perhaps",) * len(gold())})
    with pytest.raises(InputError, match="other values than probabilities"):
        slices_by(lexicon, "identical")
