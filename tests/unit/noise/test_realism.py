"""Channels judged by errors that a known channel made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.errors import MiswordError, OptionError
from misword.core.types import Corpus
from misword.noise.aligned_corpus import AlignedCorpus, CorpusSubstitutions
from misword.noise.channels import Channel
from misword.noise.channels.uniform import Uniform
from misword.noise.error_model import CandidateTable, ErrorModel
from misword.noise.learn import learn_noise
from misword.noise.realism import (
    ALL_CHARACTERS,
    FALLBACK_ALONE,
    ChannelRanks,
    FallbackDistribution,
    FallbackShape,
    SpellingModel,
    realism,
    split_halves,
)

SIZE = 32
WORDS = [f"w{number:02}" for number in range(SIZE)]


@dataclass(frozen=True)
class Shift(Channel):
    """A channel that substitutes word n by n + 1, n + 2 or n + 3, with the given shares."""

    name: ClassVar[str] = "shift"

    shares: tuple[float, float, float]

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        return (("channel", self.name),)

    def error_model(self, words: Sequence[str], context: Context) -> ErrorModel:
        places = [int(word[1:]) for word in words]
        ids = np.array([(at + step) % SIZE for at in places for step in (1, 2, 3)], np.int32)
        nothing = np.full(len(ids), np.nan, np.float32)
        offsets = np.arange(len(words) + 1) * 3
        table = CandidateTable(
            list(words), WORDS, offsets, ids, np.tile(self.shares, len(words)), nothing, nothing
        )
        return ErrorModel.unweighted(table)


TRUE = Shift((0.7, 0.2, 0.1))


def pairs(count: int = 600, seed: int = 0) -> tuple[list[str], list[str]]:
    """Sentences of six words, of which the third goes through the true channel."""
    rng = np.random.default_rng(seed)
    said = rng.integers(SIZE, size=(count, 6))
    heard = said.copy()
    heard[:, 2] = (said[:, 2] + rng.choice([1, 2, 3], count, p=TRUE.shares)) % SIZE
    return tuple([" ".join(WORDS[at] for at in row) for row in side] for side in (said, heard))  # type: ignore[return-value]


@pytest.fixture(scope="module")
def data() -> tuple[list[str], list[str]]:
    return pairs()


def test_the_true_channel_needs_the_fewest_bits(data: tuple[list[str], list[str]]) -> None:
    wrong = Shift((0.1, 0.2, 0.7))
    found = realism(*data, {"wrong": wrong, "true": TRUE, "uniform": Uniform()}, bootstrap=200)
    rows = {row["channel"]: row for row in found.table.to_dicts()}
    entropy = -sum(share * np.log2(share) for share in TRUE.shares)
    assert rows["true"]["bits"] == pytest.approx(entropy, abs=0.1)
    assert rows["true"]["bits"] < rows["wrong"]["bits"] < rows["uniform"]["bits"]
    assert rows["true"]["difference_high"] < 0
    assert rows["true"]["p"] < 0.05
    assert rows["true"]["low"] < entropy < rows["true"]["high"]
    assert rows["true"]["mean_rank"] == pytest.approx(1.4, abs=0.1)
    assert rows["true"]["median_rank"] == 1
    assert rows["wrong"]["median_rank"] == 3
    assert rows["wrong"]["difference"] == 0
    assert rows["true"]["coverage"] == 1
    assert rows["true"]["weight"] > 0.99
    assert list(rows)[-1] == FALLBACK_ALONE
    assert set(found.signatures) == {"wrong", "true", "uniform"}


def test_uniform_needs_log_v_bits(data: tuple[list[str], list[str]]) -> None:
    row = realism(*data, "uniform", bootstrap=0).table.row(0, named=True)
    assert row["covered_bits"] == pytest.approx(np.log2(SIZE - 1))
    assert row["bits"] == pytest.approx(np.log2(SIZE - 1), abs=0.01)
    assert row["mean_rank"] == SIZE / 2  # all others tied
    assert row["low"] is None


def test_a_channel_that_learns_finds_the_truth(data: tuple[list[str], list[str]]) -> None:
    found = realism(*data, "uniform,confusion", bootstrap=100)
    uniform, learnt, _ = found.table.to_dicts()
    assert learnt["bits"] < uniform["bits"] - 1.5
    assert learnt["difference_high"] < 0
    assert "learnt:" in found.signatures["confusion"]
    assert found.errors.height == learnt["errors"]
    assert found.errors["confusion.bits"].mean() == pytest.approx(learnt["bits"])


def test_a_learnt_file_is_judged_as_it_is(
    data: tuple[list[str], list[str]], tmp_path: Path
) -> None:
    noise = learn_noise(*pairs(seed=9))
    (tmp_path / "noise.json").write_text(noise.to_json())
    spec = f"confusion:file={tmp_path / 'noise.json'}"
    found = realism(*data, f"{spec},confusion", bootstrap=0)
    assert f"learnt:{noise.digest}" in found.signatures[spec]
    assert found.signatures[spec] != found.signatures["confusion"]
    with pytest.raises(MiswordError, match="no such file"):
        realism(*data, "confusion:file=absent.json", bootstrap=0)


def test_the_same_seed_gives_the_same_result(data: tuple[list[str], list[str]]) -> None:
    one, two = (realism(*data, "confusion", seed=3, bootstrap=50) for _ in range(2))
    assert one.table.equals(two.table)
    assert one.signatures == two.signatures
    assert not one.table.equals(realism(*data, "confusion", seed=4, bootstrap=50).table)


def test_sentences_stay_on_one_side() -> None:
    references = [f"s{number // 3} x" for number in range(60)]
    observed = AlignedCorpus.align(references, ["y"] * 60)
    train, test = split_halves(observed, 0)
    sides = [set(observed.sentence[part.utterance].tolist()) for part in (train, test)]
    assert sides[0].isdisjoint(sides[1])
    assert [len(side) for side in sides] == [10, 10]
    inner = split_halves(train, 1)
    assert [len(np.unique(part.utterance)) for part in inner] == [15, 15]


def pairs_of(reference: NDArray[np.int64], hypothesis: NDArray[np.int64]) -> CorpusSubstitutions:
    return CorpusSubstitutions(np.zeros(len(reference), np.int64), reference, hypothesis)


def test_every_word_has_a_probability_and_they_add_up() -> None:
    observed = AlignedCorpus.align(["a b", "a c", "b d", "zz a"], ["a c", "b c", "b e", "zz q"])
    train = observed.select(np.array([True, True, True, False]))
    known = [at for at, word in enumerate(observed.vocabulary) if word in "abcde"]
    shapes: tuple[FallbackShape, ...] = ("uniform", "unigram")
    for shape in shapes:
        floor = FallbackDistribution(train, shape)
        assert floor.size == 5
        said = np.full(len(known), known[0])
        others = floor.probability(pairs_of(said[1:], np.array(known[1:])))
        assert others.sum() == pytest.approx(1 - floor.unknown)
        unknown = np.array([observed.vocabulary.index(word) for word in ("zz", "q")])
        assert (floor.probability(pairs_of(said[:2], unknown)) > 0).all()
    # three substitutions, of which one (e) is a word that is nowhere else
    assert floor.unknown == pytest.approx((1 + 1) / (3 + 2))


def test_spelling_is_a_distribution() -> None:
    """All strings of up to nine letters: `a`, `b`, and `x`, which is any other."""
    model = SpellingModel(("ab", "b", "a"))
    total = 0.0
    for length in range(10):
        for letters in product("abx", repeat=length):
            if (word := "".join(letters)) not in model.words:
                total += model.probability(word) * ALL_CHARACTERS ** word.count("x")
    assert 0.97 < total < 1
    assert model.probability("aa") > model.probability("aaa") > model.probability("aaax")


def test_ranks_of_equals_are_their_mean() -> None:
    observed = AlignedCorpus.align(["a", "a"], ["b", "q"])
    found = ChannelRanks.of(Uniform(), ["a", "b", "c", "d"], observed, 7, Context())
    assert found.probability.tolist() == pytest.approx([1 / 3, 0])
    assert found.has_candidates.all()
    assert found.rank.tolist() == [2.0, 3 + (4 + 1) / 2]


def test_refusals() -> None:
    with pytest.raises(MiswordError, match="no substitutions"):
        realism(["a b"] * 4, ["a b"] * 4, "uniform")
    with pytest.raises(MiswordError, match="no channel"):
        realism(["a"], ["b"], "")
    with pytest.raises(MiswordError, match="language"):
        realism(["a"], ["b"], "phonetic")
    with pytest.raises(MiswordError, match="no hypotheses"):
        realism(["a"], None, "uniform")
    with pytest.raises(MiswordError, match="fallback is 'bigram'"):
        realism(["a"], ["b"], "uniform", fallback="bigram")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 2}, "confidence is 2"),
        ({"bootstrap": -5}, "bootstrap is -5"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_bootstrap_options_are_refused_before_reading(
    options: dict[str, Any], message: str
) -> None:
    def read() -> Corpus:
        raise AssertionError("the corpus is read")

    with pytest.raises(OptionError, match=message):
        realism(read, None, "uniform", **options)


def test_a_corpus_is_read_or_given_and_its_systems_count_as_one() -> None:
    references, hypotheses = pairs(60)
    frame = pl.DataFrame({"utt": [str(n) for n in range(60)], "text": references})
    corpus = Corpus.of(frame, {"one": pl.Series(hypotheses), "two": pl.Series(references)})
    both = realism(references * 2, [*hypotheses, *references], "confusion", bootstrap=20)
    for given in (corpus, lambda: corpus):
        assert realism(given, None, "confusion", bootstrap=20).table.equals(both.table)
    with pytest.raises(OptionError, match="its own hypotheses"):
        realism(corpus, hypotheses, "uniform")


def test_the_result_describes_its_channels(data: tuple[list[str], list[str]]) -> None:
    found = realism(*data, "uniform,2*confusion", bootstrap=0)
    parts = found.result().provenance["parts"]
    assert list(parts) == ["uniform", "2*confusion"]
    assert parts["2*confusion"]["title"] == "Learnt confusions"
    assert "ney1994" in parts["2*confusion"]["cites"][0]


def test_real_errors_are_nearest_to_others_of_the_same_recogniser(shared: Path) -> None:
    folder = shared / "wce-dev"
    files = (folder / "ref.fr", folder / "hyp" / "scale_10.fr")
    pairs = [path.read_text("utf-8").split("\n")[:-1] for path in files]
    uniform, learnt, _ = realism(
        pairs[0], pairs[1], "uniform,confusion", bootstrap=100
    ).table.to_dicts()
    assert learnt["difference_high"] < 0
    assert learnt["median_rank"] < uniform["median_rank"] / 4
