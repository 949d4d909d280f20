"""Confusions learnt from recognition errors, compared with numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.core.context import Context
from misword.core.errors import MiswordError
from misword.noise.aligned_corpus import AlignedCorpus
from misword.noise.channels.confusion import Confusion, LearntConfusion
from misword.noise.channels.specs import create_channel
from misword.noise.corrupt import corrupt
from misword.noise.learn import ConfusionModel, learn, mixing_weight
from misword.noise.learnt_noise import BackoffParameters, LearntNoise
from own_files import rewrite

#   said  a b | a b | a c | a b | b     and `x` put in before the last
#   heard x b | x b | y c | a   | x z
REFERENCES = ["A b,", "a b", "a c", "a b", "b"]
HYPOTHESES = ["x b", "x B.", "y c", "a", "x z"]
OBSERVED = AlignedCorpus.align(REFERENCES, HYPOTHESES)


def test_places_of_alignments() -> None:
    assert sorted(OBSERVED.vocabulary) == ["a", "b", "c", "x", "y", "z"]
    found = OBSERVED.substitutions()
    names = OBSERVED.vocabulary
    pairs = [(names[s], names[h]) for s, h in zip(found.reference, found.hypothesis, strict=True)]
    assert pairs == [("a", "x"), ("a", "x"), ("a", "y"), ("b", "z")]
    assert OBSERVED.sentence.tolist() == [0, 0, 1, 0, 2]
    only = OBSERVED.select(np.array([False, False, True, False, False]))
    assert [names[h] for h in only.substitutions().hypothesis] == ["y"]


def test_counts() -> None:
    found = learn(OBSERVED)
    assert found.confused == {"a": {"x": 2, "y": 1}, "b": {"z": 1}}
    assert found.deleted == {"b": 1}
    assert found.inserted == {"x": 1}
    assert found.said == {"a": 4, "b": 4, "c": 1}
    assert found.errors == (4, 1, 1)
    assert found.utterances == 5
    assert found.backoff.discount == pytest.approx(2 / (2 + 2 * 1))  # two pairs once, one twice


def test_probabilities_by_hand() -> None:
    """D = 1/2. For `a`: c = 3, t = 2, so 1/3 is left for U; for `c`, never substituted, all of it.

    U: x 2, y 1, z 1 taken, 3 kinds; p over 17 words said or heard: a 5, b 6, c 2, x 3, y 1 and z 1
    (18 in all), so U(x) = (2 + 3 * 3/18) / 7, without the said word itself.
    """
    found = learn(OBSERVED)
    hearing = ConfusionModel(found, Context()).error_model(["a", "c"])
    table = hearing.candidates
    assert list(table.vocabulary) == ["a", "b", "c", "x", "y", "z"]
    seen = np.array([5, 6, 2, 3, 1, 1]) / 18
    general = (np.array([0, 0, 0, 2, 1, 1]) + 3 * seen) / 7
    for row, own in ((0, 0), (1, 2)):
        others = general.copy()
        others[own] = 0
        wanted = others / others.sum()
        if row == 0:
            wanted = wanted / 3
            wanted[3] += (2 - 0.5) / 3
            wanted[4] += (1 - 0.5) / 3
        assert table.distribution(row) == pytest.approx(wanted)
        assert table.distribution(row).sum() == pytest.approx(1)
    assert hearing.insertion_probability.tolist() == [0, 0, 0, 1, 0, 0]
    assert hearing.mix.substitutions == pytest.approx(4 / 6)
    assert hearing.mix.deletions == pytest.approx(1 / 6)


def test_words_are_hit_as_often_as_they_were() -> None:
    found = replace(learn(OBSERVED), backoff=BackoffParameters(0.5, substituted=2.0, deleted=2.0))
    hearing = ConfusionModel(found, Context()).error_model(["a", "b", "new"])
    mean = 4 / 9
    wanted = [(3 + 2 * mean) / 6, (1 + 2 * mean) / 6, mean]
    assert hearing.substitution_weight.tolist() == pytest.approx(wanted)
    assert hearing.deletion_weight.tolist() == pytest.approx([2 / 9 / 6, (1 + 2 / 9) / 6, 1 / 9])


def test_unseen_words_are_substituted_by_words_that_sound_alike(tmp_path: Path) -> None:
    listed = tmp_path / "words.txt"
    listed.write_text(
        "\n".join(
            ["pat", "bad", "bet", "gat", "see", "house", "window", "yellow", "zebra", "orange"]
        )
    )
    pairs = [("sea", "see"), ("cat", "cap"), ("mat", "map"), ("night", "light"), ("tree", "three")]
    observed = AlignedCorpus.align([s for s, _ in pairs], [h for _, h in pairs])
    found = learn(observed, Context.of("en"), vocabulary=str(listed))
    assert found.lang == "en"
    assert found.backoff.sound > 0
    hearing = ConfusionModel(found, Context.of("en")).error_model(["bat", "..."])
    table = hearing.candidates
    listed_first = [table.vocabulary[i] for i in table.ids[: table.offsets[1]]]
    assert {"pat", "bad", "bet", "gat"} & set(listed_first[:4])
    assert "zebra" not in listed_first[:6]
    assert table.background_weight[1] == 1  # nothing sounds like it
    near = table.phonological[: table.offsets[1]]
    assert (near >= 0).all()
    assert "see" in table.vocabulary


def test_a_law_of_channels() -> None:
    channel = LearntConfusion(learn(OBSERVED))
    words = ["c", "a", "zebra", "b"]
    table = channel.error_model(words, Context()).candidates
    other = channel.error_model(words[::-1], Context()).candidates
    for row, word in enumerate(words):
        dense = table.distribution(row)
        assert dense.sum() == pytest.approx(1)
        assert not dense[[heard == word for heard in table.vocabulary]].any()
        assert np.array_equal(dense, other.distribution(len(words) - 1 - row))


def test_corrupting_by_learnt_noise() -> None:
    texts = ["a b a b c a a b"] * 50
    found = corrupt(texts, 0.3, channel=LearntConfusion(learn(OBSERVED)))
    row = found.summary.row(0, named=True)
    assert row["wer"] == 0.3
    assert row["substitutions"] > row["deletions"] > 0
    substitutes = set(found.truth.filter(found.truth["old"] == "b")["new"].drop_nulls())
    assert substitutes
    assert substitutes <= set("acxyz")


def test_files_come_back(tmp_path: Path) -> None:
    found = learn(OBSERVED)
    path = tmp_path / "noise.json"
    path.write_text(found.to_json(), "utf-8")
    assert LearntNoise.read(path) == found
    channel = create_channel(f"confusion:file={path}")
    channel.check(Context())
    assert ("learnt", found.digest) in channel.settings(Context())
    assert len(channel.error_model(["a"], Context()).candidates.ids) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"format": "other"}, {"said": 3}, {"said": {"a b": 1}}, {"said": {"a": -1}},
        {"heard": {"": 1}}, {"inserted": {"x": 1.5}}, {"backoff": {}},
        {"backoff": {"discount": -1}}, {"confused": {"a": 1}},
    ],
)  # fmt: skip
def test_damaged_files_are_refused(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "noise.json"
    path.write_text(learn(OBSERVED).to_json(), "utf-8")
    rewrite(path, lambda content: content.update(change))
    with pytest.raises(MiswordError, match="not learnt noise"):
        LearntNoise.read(path)


def test_a_changed_file_needs_no_checksum(tmp_path: Path) -> None:
    path = tmp_path / "noise.json"
    text = learn(OBSERVED).to_json()
    path.write_text(text.replace('"utterances": ', '"utterances": 9'), "utf-8")
    with pytest.raises(MiswordError, match="its checksum does not fit") as caught:
        LearntNoise.read(path)
    assert "remove the key 'checksum'" in caught.value.fix
    rewrite(path, lambda content: None, sealed=False)
    assert LearntNoise.read(path).said == learn(OBSERVED).said


def test_other_refusals(tmp_path: Path) -> None:
    with pytest.raises(MiswordError, match="no substitution"):
        learn(AlignedCorpus.align(["a b"], ["a"]))
    with pytest.raises(MiswordError, match="2 references, 1 hypotheses"):
        AlignedCorpus.align(["a", "b"], ["a"])
    with pytest.raises(MiswordError, match="no such file"):
        Confusion(str(tmp_path / "none.json")).check(Context())
    french = LearntConfusion(replace(learn(OBSERVED), lang="fr"))
    with pytest.raises(MiswordError, match="learnt in 'fr'"):
        french.check(Context.of("en"))
    later = tmp_path / "later.json"
    later.write_text(learn(OBSERVED).to_json().replace('"version": 1', '"version": 9'), "utf-8")
    with pytest.raises(MiswordError, match="version 9"):
        LearntNoise.read(later)


chances = st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 1)), min_size=1, max_size=8)


@given(chances)
def test_mixing_weight_is_the_best(pairs: list[tuple[float, float]]) -> None:
    one, other = np.array(pairs).T
    found = mixing_weight(one, other)

    def value(share: float) -> float:
        return float(np.log(share * one + (1 - share) * other).sum())

    most = len(pairs) / (len(pairs) + 1)
    assert 0 <= found <= most
    assert value(found) >= max(value(share) for share in np.linspace(0, most, 40)) - 1e-9
