"""The retriever `reranked`: probabilities in order, options, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fasttext_file import fasttext_bin
from misword.bli.evaluate import evaluate
from misword.bli.map import map_vectors
from misword.bli.mapping import Mapping
from misword.bli.open_mapping import OpenMapping
from misword.bli.retrievers import RETRIEVERS
from misword.bli.retrievers.reranked import Reranked
from misword.bli.translate import translate
from misword.core.errors import OptionError
from misword.embed.vectors.words import WordVectors
from misword.io.lexicons import Lexicon
from spaces_made import turned

SIZE = 400


def pairs(start: int, end: int) -> Lexicon:
    """Words and their translations."""
    return Lexicon.of([(f"w{i}", f"v{i}") for i in range(start, end)], f"{start}-{end}")


@pytest.fixture(scope="module")
def sides() -> tuple[WordVectors, WordVectors]:
    """Vectors with so much noise that CSLS is often wrong; translations have the same number."""
    source, target, _ = turned(SIZE, noise=0.5)
    return source, target


@pytest.fixture(scope="module")
def learnt(sides: tuple[WordVectors, WordVectors]) -> Mapping:
    return map_vectors(*sides, "procrustes", lexicon=pairs(0, 300), rerank=pairs(0, 300))


@pytest.fixture(scope="module")
def opened(learnt: Mapping, sides: tuple[WordVectors, WordVectors]) -> OpenMapping:
    return OpenMapping.of(learnt, source=sides[0], target=sides[1])


def test_probabilities_fall_and_no_candidate_is_new(opened: OpenMapping) -> None:
    queries = np.arange(0, SIZE, 7)
    found = opened.nearest(queries, Reranked(), 30)
    csls = opened.nearest(queries, RETRIEVERS.create("csls"), 30)
    assert np.sort(found.ids, axis=1).tolist() == np.sort(csls.ids, axis=1).tolist()
    assert (np.diff(found.scores, axis=1) <= 0).all()
    assert (found.scores >= 0).all()
    assert (found.scores <= 1).all()


def test_fewer_candidates_are_the_first_of_more(opened: OpenMapping) -> None:
    queries = np.array([5, 0, 399])
    few, many = (opened.nearest(queries, Reranked(), k) for k in (3, 30))
    assert few.ids.tolist() == many.ids[:, :3].tolist()
    assert opened.nearest(queries, Reranked(), 50).ids.shape == (3, 50)


def test_blocks_and_workers_change_no_bit(
    opened: OpenMapping, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = np.arange(100)
    whole = opened.nearest(queries, Reranked(), 5, workers=1)
    monkeypatch.setattr("misword.bli.reranking.features.BLOCK", 7)
    parts = opened.nearest(queries, Reranked(), 5, workers=3)
    assert whole.ids.tolist() == parts.ids.tolist()
    assert whole.scores.tobytes() == parts.scores.tobytes()


def test_new_words_profit_from_spelling(
    learnt: Mapping, sides: tuple[WordVectors, WordVectors]
) -> None:
    """w312 and v312 have the same number: the model learns that, the one without spelling not."""
    retrievers = "csls,reranked,reranked:spelling=false"
    judged = evaluate(
        learnt, pairs(300, SIZE), 1, retriever=retrievers, source=sides[0], target=sides[1],
        bootstrap=0,
    )  # fmt: skip
    csls, reranked, without = judged.rates.filter(metric="hit@1")["rate"].to_list()
    assert reranked > csls + 0.2
    assert without < reranked


def test_signatures_name_the_reranker(
    learnt: Mapping, sides: tuple[WordVectors, WordVectors]
) -> None:
    found = translate(learnt, ["w1"], 2, retriever="reranked", source=sides[0], target=sides[1])
    settings = dict(found.signature.settings)
    assert learnt.reranker is not None
    assert settings["reranker"] == learnt.reranker.digest
    assert settings["spelling"] == "true"


def test_a_mapping_without_a_reranker_is_refused(
    learnt: Mapping, sides: tuple[WordVectors, WordVectors]
) -> None:
    plain = replace(learnt, reranker=None)
    with pytest.raises(OptionError, match="no reranker for this direction") as error:
        translate(plain, ["w1"], retriever="reranked", source=sides[0], target=sides[1])
    assert "misword map ... --rerank LEXICON" in str(error.value)


def test_the_other_direction_is_refused(
    learnt: Mapping, sides: tuple[WordVectors, WordVectors]
) -> None:
    with pytest.raises(OptionError, match="no reranker for this direction"):
        translate(
            learnt, ["v1"], retriever="reranked", source=sides[0], target=sides[1], reverse=True
        )


def test_features_of_another_version_are_refused(opened: OpenMapping) -> None:
    assert opened.reranker is not None
    models = {
        name: replace(model, features=model.features[::-1])
        for name, model in opened.reranker.models.items()
    }
    other = replace(opened, reranker=replace(opened.reranker, models=models))
    with pytest.raises(OptionError, match="another version of misword"):
        Reranked().check_languages(other.languages)


def test_vectors_alone_are_refused() -> None:
    rows = np.eye(3, dtype=np.float32)
    with pytest.raises(NotImplementedError):
        Reranked().retrieve(np.array([0]), rows, rows, 1)


def test_a_language_without_vectors(opened: OpenMapping) -> None:
    languages = opened.languages
    empty = replace(languages, target=np.zeros_like(languages.target))
    assert Reranked().search(np.array([3]), empty, 5).ids.shape == (1, 0)


def test_no_queries(opened: OpenMapping) -> None:
    assert opened.nearest(np.array([], np.int64), Reranked(), 3).ids.shape == (0, 3)


def test_words_with_vectors_from_ngrams(tmp_path: Path) -> None:
    """They are not in the vocabulary; their spelling counts as that of other words."""
    source, target, _ = turned(120, dimension=8, noise=0.3)
    buckets = 0.1 * np.random.default_rng(0).standard_normal((10, 8))
    matrix = np.vstack([source.matrix, buckets]).astype(np.float32)
    path = tmp_path / "en.bin"
    names = [b"w%d" % i for i in range(120)]
    path.write_bytes(fasttext_bin(names, matrix, grams=(3, 3, 10)))
    lexicon = pairs(0, 100)
    mapping = map_vectors(path, target, "procrustes", lexicon=lexicon, rerank=lexicon)
    found = translate(mapping, ["w1", "w1x"], 3, retriever="reranked", target=target)
    assert found.new == ("w1x",)
    assert len(found.table()) == 6
