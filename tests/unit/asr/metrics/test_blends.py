"""Blends as metrics: their laws, and their use in every function that takes metrics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from judged import choice_table, make_blend, write_words
from misword.asr.people.blend_file import write_blend
from misword.core.errors import MismatchError, MiswordError, OptionError

REFS = ["the cat sat", "so we go", "", "two by two", "on and on"]
HYPS = ["the cat sad", "so we go", "oh", "", "on an on"]
sentence = st.lists(st.sampled_from(["le", "la", "chat", "été", "x"]), max_size=6).map(" ".join)
corpora = st.lists(st.tuples(sentence, sentence), min_size=1, max_size=6)


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A blend of 0.75 CER and 0.25 WIL."""
    return write_words(tmp_path_factory.mktemp("blend") / "words.json")


def rates(spec: str, refs: list[str], hyps: list[str]) -> list[float]:
    scores = misword.score(refs, hyps, spec)
    return scores.utterances()[f"{spec}.rate"].to_list()


def test_the_rate_by_hand(spec: str) -> None:
    """`the cat sad`: CER 1/11, WIL 1 - (2/3)(2/3). Without a reference, an undefined CER is 1."""
    first = 0.75 / 11 + 0.25 * 5 / 9
    last = 0.75 / 9 + 0.25 * 5 / 9
    assert rates(spec, REFS, HYPS) == pytest.approx([first, 0, 1, 1, last])
    whole = misword.score(REFS, HYPS, spec)[spec]
    assert whole == pytest.approx((first + 0 + 1 + 1 + last) / 5)


@given(texts=st.lists(sentence, min_size=1, max_size=5))
def test_equal_texts_have_the_rate_0(spec: str, texts: list[str]) -> None:
    assert misword.score(texts, texts, spec)[spec] == 0


@given(ref=sentence, hyps=st.tuples(sentence, sentence))
def test_what_no_metric_finds_worse_is_not_worse(
    spec: str, ref: str, hyps: tuple[str, str]
) -> None:
    found = misword.score([ref, ref], list(hyps), ["cer", "wil", spec]).utterances()
    parts = found.select("cer.rate", "wil.rate").to_numpy().astype(float)
    parts[np.isnan(parts)] = 1
    parts[np.array(hyps) == ref] = 0
    if (parts[0] <= parts[1]).all():
        one, two = found[f"{spec}.rate"]
        assert one <= two + 1e-12
        assert one < two or not (parts[0] < parts[1]).all()


@given(pairs=corpora, order=st.randoms())
def test_statistics_add_up_in_any_order(
    spec: str, pairs: list[tuple[str, str]], order: object
) -> None:
    shuffled = list(pairs)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    one, two = (
        misword.score([ref for ref, _ in rows], [hyp for _, hyp in rows], spec)
        for rows in (pairs, shuffled)
    )
    assert one[spec] == pytest.approx(two[spec])
    single = [misword.score([ref], [hyp], spec)[spec] for ref, hyp in pairs]
    assert one[spec] == pytest.approx(np.mean(single))


def test_one_metric_with_weight_1_is_that_metric(tmp_path: Path) -> None:
    write_blend(make_blend({"wil": 1.0}), tmp_path / "b.json")
    spec = f"blend:file={tmp_path / 'b.json'}"
    pairs = (REFS[:2] + REFS[4:], HYPS[:2] + HYPS[4:])
    found = misword.score(*pairs, ["wil", spec]).utterances()
    assert found[f"{spec}.rate"].to_list() == pytest.approx(found["wil.rate"].to_list())


def test_the_signature_has_the_weights_and_the_settings_of_each_metric(spec: str) -> None:
    signature = str(misword.score(REFS, HYPS, spec).columns[0].signature)
    assert signature.startswith("blend|weights:")
    assert "|part1:cer ties=misword spaces=true v=cer|part2:wil ties=misword v=wil|" in signature
    assert "norm:nfc" in signature


def test_compare(spec: str) -> None:
    systems = {"a": HYPS * 10, "b": REFS * 10}
    found = misword.compare(REFS * 10, systems, ["wer", spec], bootstrap=100)
    row = found.differences.filter(metric=spec).to_dicts()[0]
    assert row["rate"] == 0
    assert row["p"] < 0.05


def test_correlate_agree_and_gate(spec: str) -> None:
    found = misword.correlate(REFS * 3, {"a": HYPS * 3}, ["wer", spec], bootstrap=0)
    assert spec in found.main_table().row(0)
    agreed = misword.agree(choice_table(), ["wer", spec], bootstrap=0).agreement
    assert (agreed.filter(metric=spec)["agreed"] > 0.5).all()
    passed = misword.gate(REFS, {"a": HYPS}, max={spec: 0.9}, bootstrap=0)
    assert passed.passed


def test_forgiven_differences_do_not_count(spec: str) -> None:
    pairs = ["we are here", "so"], ["we're here", "so"]
    assert misword.score(*pairs, spec, lang="en")[spec] > 0
    assert misword.score(*pairs, spec, lang="en", forgive="contractions")[spec] == 0


def test_saved_results(tmp_path: Path) -> None:
    """A result can be loaded where the blend's file no longer is."""
    spec = write_words(tmp_path / "b.json")
    scores = misword.score(REFS, HYPS, ["wer", spec])
    scores.save(tmp_path / "folder")
    (tmp_path / "b.json").unlink()
    loaded = misword.load(tmp_path / "folder")
    assert loaded[spec] == scores[spec]
    assert str(loaded.columns[1].signature) == str(scores.columns[1].signature)


def test_blends_with_other_weights_are_not_compared(tmp_path: Path) -> None:
    """Two folders of one label whose weights differ have different signatures."""
    spec = write_words(tmp_path / "b.json")
    misword.score(REFS, {"x": HYPS}, spec).save(tmp_path / "one")
    write_words(tmp_path / "b.json", cer=0.5)
    misword.score(REFS, {"y": HYPS}, spec).save(tmp_path / "two")
    from misword.cli.main import main

    assert main(["compare", str(tmp_path / "one"), str(tmp_path / "two")]) == 2


def test_a_blend_does_not_align(spec: str) -> None:
    with pytest.raises(MiswordError, match="makes no alignment"):
        misword.align(REFS, HYPS, metric=spec)


def test_people_small_is_a_mean_of_its_metrics() -> None:
    refs, hyps = ["le chat dort", "la mer"], ["le chat dors", "la mère est"]
    names = ["cer", "per", "wil", "people:size=small"]
    found = misword.score(refs, hyps, names, lang="fr").utterances()
    from misword.asr.metrics import METRICS

    weights = {part.spec: part.weight for part in METRICS.create(names[-1]).weights().metrics}  # type: ignore[attr-defined]
    assert sum(weights.values()) == pytest.approx(1)
    mean = sum(found[f"{name}.rate"] * weights[name] for name in names[:-1])
    assert found["people:size=small.rate"].to_list() == pytest.approx(list(mean))


def test_people_needs_a_language() -> None:
    with pytest.raises(MiswordError, match="lang"):
        misword.score(["a"], ["b"], "people:size=small")
    with pytest.raises(OptionError, match="size"):
        misword.score(["a"], ["b"], "people:size=tiny", lang="fr")


def test_changed_weights_are_refused_before_texts_are_read(tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    spec = write_words(path)
    path.write_text(path.read_text("utf-8").replace('"v": "wil"', '"v": "wil-9"'), "utf-8")
    with pytest.raises(MismatchError, match="v was wil-9, now it is wil"):
        misword.score(["a"], ["b"], spec)
