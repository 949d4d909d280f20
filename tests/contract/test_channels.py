"""Laws for every channel and for sums of channels. Add a new channel to SPECS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from misword.core.context import Context
from misword.embed.vectors.words import WordVectors, word_vectors
from misword.noise.aligned_corpus import AlignedCorpus
from misword.noise.channels import CHANNELS, Channel
from misword.noise.channels.specs import create_channel
from misword.noise.error_model import ErrorModel
from misword.noise.learn import learn

LISTENER = "listen:vocabulary=learnt"
SPECS = [
    "confusion:file=noise.json",
    LISTENER,
    "phonetic:vocabulary=corpus",
    "uniform",
    "voleti",
]
SUMS = [
    *(spec for spec in SPECS if spec != LISTENER),  # a listener has no table of candidates
    "0.6*voleti+0.4*uniform",
    "0.7*voleti+0.3*confusion:file=noise.json",
    "2*phonetic:vocabulary=corpus+1*voleti+1*uniform",
]
WORDS = ["cat", "cap", "cad", "mat", "see", "sea", "tree", "night", "knight", "mouse"]
ODD = ["2", "...", "ω", "xyzzy"]
vocabularies = st.lists(st.sampled_from(WORDS + ODD), min_size=1, unique=True)
AROUND = Context.of(
    "en", WordVectors.of(WORDS, np.random.default_rng(0).normal(size=(len(WORDS), 6)))
)


@pytest.fixture(scope="module", autouse=True)
def learnt(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Write the file that the specs of `confusion` name, and change to its folder."""
    folder = tmp_path_factory.mktemp("noise")
    observed = AlignedCorpus.align(
        ["the cat and the mouse see a knight"], ["the cad in mouse see a night"]
    )
    (folder / "noise.json").write_text(
        learn(observed, AROUND, vocabulary="learnt").to_json(), encoding="utf-8"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield


def everything(hearing: ErrorModel) -> dict[str, Any]:
    """An error model by words: it may depend neither on word numbers nor on their order."""
    table = hearing.candidates
    found: dict[str, Any] = {
        "inserted": dict(zip(table.vocabulary, hearing.insertion_probability, strict=True))
    }
    shares = table.background_weight
    for row, word in enumerate(table.words):
        cut = slice(table.offsets[row], table.offsets[row + 1])
        names = [table.vocabulary[i] for i in table.ids[cut]]
        columns = table.probability[cut], table.phonological[cut], table.semantic[cut]
        listed = [column.tolist() for column in columns]
        hit = hearing.substitution_weight[row], hearing.deletion_weight[row]
        found[word] = (names, *listed, shares[row], *hit)
    return found


def test_every_channel_is_here() -> None:
    assert [create_channel(spec).name for spec in SPECS] == CHANNELS.names()


@pytest.mark.parametrize("spec", SUMS)
@settings(max_examples=12)
@given(words=vocabularies)
def test_rows_are_distributions_over_other_words(spec: str, words: list[str]) -> None:
    hearing = create_channel(spec).error_model(words, AROUND)
    table = hearing.candidates
    assert list(table.words) == words
    assert len(set(table.vocabulary)) == len(table.vocabulary)
    assert table.offsets[0] == 0
    assert table.offsets[-1] == len(table.ids)
    for row, word in enumerate(words):
        found = table.distribution(row)
        assert (found >= 0).all()
        assert found.sum() == pytest.approx(1 if table.has_candidates[row] else 0)
        assert not found[[heard == word for heard in table.vocabulary]].any()
        ids = table.ids[table.offsets[row] : table.offsets[row + 1]]
        assert len(np.unique(ids)) == len(ids)
        listed = table.probability[table.offsets[row] : table.offsets[row + 1]]
        assert (np.diff(listed) <= 0).all()  # best first
    for column in (table.phonological, table.semantic):
        assert ((column >= 0) | np.isnan(column)).all()


@pytest.mark.parametrize("spec", SUMS)
@settings(max_examples=12)
@given(words=vocabularies)
def test_weights_fit_the_rows(spec: str, words: list[str]) -> None:
    hearing = create_channel(spec).error_model(words, AROUND)
    assert ((hearing.substitution_weight > 0) == hearing.candidates.has_candidates).all()
    assert (hearing.deletion_weight >= 0).all()
    assert len(hearing.insertion_probability) == len(hearing.candidates.vocabulary)
    if len(hearing.insertion_probability):
        assert hearing.insertion_probability.sum() == pytest.approx(1)
    shares = hearing.mix.substitutions, hearing.mix.deletions, hearing.mix.insertions
    assert sum(shares) == pytest.approx(1)


@pytest.mark.parametrize("spec", SUMS)
@settings(max_examples=8)
@given(words=vocabularies, random=st.randoms())
def test_order_does_not_matter(spec: str, words: list[str], random: Any) -> None:
    shuffled = list(words)
    random.shuffle(shuffled)
    one, other = (create_channel(spec).error_model(part, AROUND) for part in (words, shuffled))
    np.testing.assert_equal(everything(one), everything(other))


@pytest.mark.parametrize("spec", SUMS)
def test_the_same_again_on_any_number_of_workers(
    spec: str, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    found = []
    for workers in (1, 2, 2):
        monkeypatch.setenv("MISWORD_CACHE", str(tmp_path_factory.mktemp("cache")))
        around = Context.of("en", word_vectors(AROUND), workers=workers)
        found.append(everything(create_channel(spec).error_model(WORDS + ODD, around)))
    np.testing.assert_equal(found[0], found[1])
    np.testing.assert_equal(found[1], found[2])


@pytest.mark.parametrize("spec", SUMS)
def test_no_words_give_an_empty_table(spec: str) -> None:
    hearing = create_channel(spec).error_model([], AROUND)
    assert len(hearing.candidates.words) == len(hearing.substitution_weight) == 0
    assert hearing.candidates.offsets.tolist() == [0]


@pytest.mark.parametrize("spec", SPECS)
def test_part_is_a_frozen_dataclass_that_says_what_it_is(spec: str) -> None:
    part = create_channel(spec)
    assert is_dataclass(part)
    assert part == create_channel(spec)
    assert hash(part) == hash(create_channel(spec))
    assert isinstance(part, Channel)
    assert {*part.needs, *part.uses} <= {"lang", "vectors"}
    assert part.title
    assert part.family
    assert all(entry.startswith("@") for entry in part.description()["cites"])
    text = type(part).__doc__ or ""
    for heading in ("Known problems:", "Example: `misword ", "Reference: "):
        assert heading in text


@pytest.mark.parametrize("spec", SPECS)
def test_settings_name_every_option(spec: str) -> None:
    part: Any = create_channel(spec)
    named = dict(part.settings(AROUND))
    assert named["channel"] == part.name
    named.setdefault(
        "file", named.get("learnt", "")
    )  # the signature has the content of a file, not its name
    assert {field.name for field in fields(part)} <= set(named)
