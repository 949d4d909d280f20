"""WER-E, WER-S, EmbER: laws, hand-worked numbers, and words without a vector."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.core.errors import InputError, OptionError

WORDS = ["le", "la", "chat", "chats", "banane"]
# cosines: le/la 0.8, chat/chats 0.96, chat/banane -0.28, le/chat 0
ROWS: list[list[float]] = [[1, 0, 0], [0.8, 0.6, 0], [0, 0, 1], [0, 0.28, 0.96], [0.96, 0, -0.28]]
VECTORS = misword.WordVectors.of(WORDS, ROWS)

sentence = st.lists(st.sampled_from([*WORDS, "inconnu", "autre"]), max_size=8).map(" ".join)
corpora = st.lists(st.tuples(sentence, sentence), min_size=1, max_size=6)
seeds = st.integers(0, 1 << 30)


def costs(refs: list[str], hyps: list[str], metrics: str, vectors: object = VECTORS) -> np.ndarray:
    scores = misword.score(refs, hyps, metrics, vectors=vectors)  # type: ignore[arg-type]
    return np.stack([scores.statistics(label)[:, 4] for label in scores.labels])


@pytest.mark.slow
@given(corpora, seeds)
def test_laws(pairs: list[tuple[str, str]], seed: int) -> None:
    """WER-S <= WER-E and EmbER <= WER, for each utterance, without tolerance."""
    rows = np.random.default_rng(seed).normal(size=(len(WORDS), 4))
    refs, hyps = map(list, zip(*pairs, strict=True))
    vectors = misword.WordVectors.of(WORDS, rows)
    wer_e, wer_s, ember = costs(refs, hyps, "wer-e,wer-s,ember", vectors)
    errors = misword.score(refs, hyps, "wer").statistics("wer")[:, 1:].sum(axis=1)
    assert (wer_s <= wer_e).all()
    assert (ember <= errors).all()


@pytest.mark.slow
@given(corpora)
def test_vectors_that_know_no_word_change_nothing(pairs: list[tuple[str, str]]) -> None:
    refs, hyps = map(list, zip(*pairs, strict=True))
    strange = misword.WordVectors.of(["zzz"], [[1.0, 0.0]])
    scores = misword.score(refs, hyps, "wer,wer-e,wer-s,ember", vectors=strange)
    errors = scores.statistics("wer")[:, 1:].sum(axis=1)
    for label in ("wer-e", "wer-s", "ember"):
        assert scores.statistics(label)[:, 4].tolist() == errors.tolist()
        np.testing.assert_equal(scores[label], scores["wer"])


def test_prices_by_hand() -> None:
    refs = ["le chat", "le chat", "le chat", "le chat"]
    hyps = ["la chats", "le banane", "le inconnu", "chat"]
    wer_e, wer_s, ember = costs(refs, hyps, "wer-e,wer-s,ember")
    assert wer_e == pytest.approx([0.2 + 0.04, 1.28, 1, 1], abs=1e-7)
    assert wer_s == pytest.approx([0.2 + 0.04, 1.28, 1, 1], abs=1e-7)
    assert ember == pytest.approx([0.2, 1, 1, 1], abs=1e-9)


def test_a_distance_may_pass_one() -> None:
    """WER-E may be above WER."""
    scores = misword.score(["chat"], ["banane"], "wer,wer-e", vectors=VECTORS)
    assert scores["wer"] == 1
    assert scores["wer-e"] == pytest.approx(1.28, abs=1e-7)


def test_prices_decide_the_alignment() -> None:
    """The alignment has chats/chat and an insertion, not two substitutions of unlike words."""
    refs, hyps = ["chats banane"], ["banane chat banane"]
    step = misword.align(refs, hyps, "wer-s", vectors=VECTORS).steps(0)
    assert [s.kind for s in step] == ["insertion", "substitution", "hit"]
    assert step[1].cost == pytest.approx(0.04, abs=1e-7)


def test_ember_by_both_denominators() -> None:
    """3 reference words, a near substitution and an insertion: 1.1 / 3 and 1.1 / 4."""
    labels = "ember,ember:norm=alignment"
    scores = misword.score(["le chat dort"], ["la chat dort bien"], labels, vectors=VECTORS)
    assert scores["ember"] == pytest.approx(1.1 / 3, abs=1e-9)
    assert scores["ember:norm=alignment"] == pytest.approx(1.1 / 4, abs=1e-9)


def test_an_empty_reference_has_no_rate_whatever_the_denominator() -> None:
    scores = misword.score(["", "le"], ["la", "la"], "ember:norm=alignment", vectors=VECTORS)
    assert scores.utterances()["ember:norm=alignment.rate"].to_list() == [None, pytest.approx(0.1)]
    assert scores["ember:norm=alignment"] == pytest.approx(1.1 / 2)


@pytest.mark.parametrize(("name", "value"), [("vectors", 5), ("vectors", {"a": [1]}), ("lang", 5)])
def test_arguments_of_the_wrong_kind(name: str, value: object) -> None:
    with pytest.raises(OptionError, match=name):
        misword.score(["a"], ["b"], "wer-e", **{name: value})  # type: ignore[arg-type]


def test_ember_is_strict_at_its_threshold() -> None:
    """A cosine of exactly the threshold is not near."""
    vectors = misword.WordVectors.of(["a", "b", "c"], [[1, 0], [0.5, 0.75**0.5], [1, 0]])
    cosine = misword.score(["a"], ["b"], "wer-e", vectors=vectors).words()["cosine"][0]
    for threshold, cost in ((cosine, 1.0), (np.nextafter(cosine, 0), 0.1)):
        label = f"ember:threshold={threshold!r}"
        label = label.replace("np.float64(", "").replace(")", "")
        found = misword.score(["a"], ["b"], label, vectors=vectors)[label]
        assert found == pytest.approx(cost, abs=1e-9)


def test_other_words_with_the_same_vector_cost_nothing() -> None:
    vectors = misword.WordVectors.of(["dog", "cat"], [[0.1, 0.7], [0.1, 0.7]])
    scores = misword.score(["dog"], ["cat"], "wer,wer-e,wer-s", vectors=vectors)
    assert [scores[label] for label in scores.labels] == [1, 0, 0]


def test_words_without_a_vector_are_counted() -> None:
    scores = misword.score(
        ["le chat inconnu", "le inconnu inconnu"], ["le autre inconnu", "la chat inconnu"],
        "wer-e,wer-s", vectors=VECTORS,
    )  # fmt: skip
    for label in scores.labels:
        assert scores.table[f"{label}.oov"].to_list() == [1, 2]
        assert scores.table[f"{label}.unpriced"].to_list() == [1, 1]


@pytest.mark.parametrize(("case", "cost"), [("auto", 0.2), ("exact", 1.0), ("lower", 0.2)])
def test_case_of_the_look_up(case: str, cost: float) -> None:
    label = f"wer-e:case={case}"
    assert misword.score(["LE"], ["La"], label, vectors=VECTORS)[label] == pytest.approx(
        cost, abs=1e-7
    )


def test_auto_prefers_the_word_as_written() -> None:
    vectors = misword.WordVectors.of(["Le", "le", "la"], [[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    scores = misword.score(["Le"], ["la"], "wer-e,wer-e:case=lower,ember", vectors=vectors)
    assert [scores[label] for label in scores.labels] == pytest.approx([1, 0, 0.1], abs=1e-7)


def test_signatures_have_the_vectors_and_the_policies() -> None:
    scores = misword.score(["a"], ["b"], "wer-e,ember", vectors=VECTORS)
    settings = dict(scores.columns[0].signature.settings)
    assert settings["vectors"] == VECTORS.digest[:16]
    assert (settings["case"], settings["duplicates"], settings["oov"]) == ("auto", "first", "one")
    other = misword.WordVectors.of(WORDS, np.array(ROWS) * 2)
    differing = misword.score(["a"], ["b"], "wer-e,ember", vectors=other)
    for mine, theirs in zip(scores.columns, differing.columns, strict=True):
        assert len(mine.signature.differences(theirs.signature)) == 1
        names = [name for name, _ in mine.signature.settings]
        assert len(names) == len(set(names))


def test_without_vectors_nothing_is_read() -> None:
    with pytest.raises(OptionError, match="wer-e: word vectors are needed"):
        misword.score(iter([]), None, "wer-e")
    with pytest.raises(InputError, match="no such file"):
        misword.score(iter([]), None, "wer-e", vectors="nowhere.vec")


def test_ties_of_the_alignment_are_priced() -> None:
    """WER-E under another tool's tie rule prices that tool's substitutions."""
    refs, hyps = ["le chat"], ["chats le banane"]
    for ties in ("misword", "jiwer", "kaldialign"):
        label = f"wer-e:ties={ties}"
        scores = misword.score(refs, hyps, label, vectors=VECTORS)
        aligned = misword.align(refs, hyps, label, vectors=VECTORS)
        assert scores.table[f"{label}.cost"][0] == sum(step.cost for step in aligned.steps(0))


def test_ember_is_lower_cased_as_in_the_paper() -> None:
    refs, hyps = ["Le Chat", "LA"], ["le chat", "le"]
    scores = misword.score(refs, hyps, "wer,ember,ember:lower=false", vectors=VECTORS)
    assert scores.statistics("wer")[:, 1].tolist() == [2, 1]
    assert scores.statistics("ember")[:, 1].tolist() == [0, 1]
    assert scores.table["ember:lower=false.cost"].to_list() == pytest.approx([0.2, 0.1])
    assert scores.words("ember")["hypothesis"].to_list() == ["le", "chat", "le"]
    assert dict(scores.columns[1].signature.settings)["lower"] == "true"


def test_words_are_those_of_the_metric_s_alignment() -> None:
    labels = "wer,wer:ties=jiwer,wer-e:ties=jiwer,ember,wer-s,cer"
    scores = misword.score(["a b a c"], ["c c b"], labels, vectors=VECTORS)
    kinds = ("hit", "substitution", "insertion", "deletion")
    for label in labels.split(",")[:-1]:
        words = scores.words(label)
        counted = [words.filter(kind=kind).height for kind in kinds]
        assert counted == scores.statistics(label)[0, :4].tolist()
    words_of = ["words", "words.wer-s", "words.wer-ties-jiwer"]
    assert sorted(scores.records) == ["flagged", "texts", *words_of]
    assert "wer-e:ties=jiwer.cost" in scores.words("wer:ties=jiwer").columns
    with pytest.raises(OptionError, match="cer has no words"):
        scores.words("cer")


def test_words_of_nbest_lists_are_the_best() -> None:
    corpus = misword.Corpus(
        pl.DataFrame({"utt": ["1"], "text": ["a b"]}),
        pl.DataFrame(
            {
                "utt": ["1", "1"], "system": ["x", "x"], "rank": [1, 2],
                "text": ["a b", "c d"], "score": [0.0, -1.0],
            }
        ),
    )  # fmt: skip
    scores = misword.score(corpus, metrics="wer")
    assert scores.words()["kind"].to_list() == ["hit", "hit"]
    assert scores.filter(rank=2).words().height == 0


def test_case_policies_side_by_side_count_their_own_unknown_words() -> None:
    labels = "wer-e:case=exact,wer-e:case=auto"
    scores = misword.score(["Le chat LA"], ["x x x"], labels, vectors=VECTORS)
    assert [scores.table[f"{label}.oov"][0] for label in scores.labels] == [2, 0]


def test_unknown_words_cost_one_whatever_the_threshold() -> None:
    label = "ember:threshold=-1"
    assert misword.score(["inconnu"], ["chat"], label, vectors=VECTORS)[label] == 1


@pytest.mark.parametrize(
    "label", ["ember:threshold=nan", "ember:threshold=inf", "ember:weight=-1", "wer-s:ties=jiwer"]
)
def test_options_that_make_no_sense(label: str) -> None:
    with pytest.raises(OptionError, match=label.partition("=")[0].partition(":")[2]):
        misword.score(["a"], ["b"], label, vectors=VECTORS)


def test_sums_do_not_depend_on_the_order_of_rows() -> None:
    """Also for sums that are not exact by adding one row after the other."""
    rng = np.random.default_rng(0)
    vectors = misword.WordVectors.of([f"w{i}" for i in range(50)], rng.normal(size=(50, 3)))
    said, heard = (
        [" ".join(f"w{i}" for i in row) for row in rng.integers(0, 50, (9000, 3))] for _ in "ab"
    )
    scores = misword.score(said, heard, "wer-e", vectors=vectors)
    assert scores.table["wer-e.cost"].sum() > 8192
    other = scores.filter(pl.col("wer-e.cost") > 1) + scores.filter(pl.col("wer-e.cost") <= 1)
    assert scores["wer-e"] == other["wer-e"] == scores.summary(bootstrap=0)["rate"][0]
