"""A mapping with a reranker uses it everywhere, unless another retriever is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from misword.bli.auditing.answers import answers_of
from misword.bli.draft import draft_lexicon
from misword.bli.evaluate import evaluate
from misword.bli.map import map_vectors
from misword.bli.open_mapping import OpenMapping
from misword.bli.retrievers import RETRIEVERS
from misword.bli.translate import translate
from misword.cli.main import main
from misword.core.errors import OptionError
from misword.io.lexicons import Lexicon
from misword.io.results import read_result
from spaces_made import turned

WORDS = ["w301", "w320", "w355"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A mapping with a reranker (a.map), one without (b.map), and a gold lexicon."""
    path = tmp_path_factory.mktemp("maps")
    sides = []
    for name, vectors in zip(("one", "two"), turned(400, noise=0.5)[:2], strict=True):
        rows = vectors.matrix
        lines = [f"{len(rows)} {rows.shape[1]}"]
        lines += [
            " ".join([word, *map(str, row.tolist())])
            for word, row in zip(vectors.vocabulary, rows, strict=True)
        ]
        sides.append(path / f"{name}.vec")
        sides[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")
    lexicon = Lexicon.of([(f"w{i}", f"v{i}") for i in range(300)])
    map_vectors(
        sides[0], sides[1], "procrustes", lexicon=lexicon, rerank=lexicon, output=path / "a.map"
    )
    map_vectors(sides[0], sides[1], "procrustes", lexicon=lexicon, output=path / "b.map")
    (path / "gold.txt").write_text("".join(f"w{i} v{i}\n" for i in range(300, 400)))
    return path


def test_the_reranker_is_the_default_everywhere(folder: Path) -> None:
    best = translate(folder / "a.map", WORDS, 5, retriever="reranked")
    found = translate(folder / "a.map", WORDS, 5)
    assert found.table().equals(best.table())
    assert "|retriever:reranked|" in str(found.signature)
    drafted = {row.word: row.target for row in draft_lexicon(folder / "a.map", WORDS).headwords}
    first = found.table().filter(rank=1)
    assert drafted == dict(zip(first["word"], first["candidate"], strict=True))
    named = evaluate(folder / "a.map", folder / "gold.txt", 1, retriever="reranked")
    default = evaluate(folder / "a.map", folder / "gold.txt", 1)
    assert default.systems == named.systems == ["a reranked"]
    assert default.rates.equals(named.rates)
    opened = OpenMapping.of(folder / "a.map")
    gold = {word: {word.replace("w", "v"): ""} for word in WORDS}
    answers = answers_of(opened, gold, 5, RETRIEVERS.create("reranked"))
    assert answers_of(opened, gold, 5).candidates == answers.candidates


def test_csls_where_there_is_no_reranker(folder: Path) -> None:
    assert "|retriever:csls|" in str(translate(folder / "b.map", WORDS).signature)
    reverse = translate(folder / "a.map", ["v301"], reverse=True)
    assert "|retriever:csls|" in str(reverse.signature)
    assert evaluate(folder / "b.map", folder / "gold.txt", 1).systems == ["b csls"]


def test_one_comparison_has_mappings_with_and_without_a_reranker(folder: Path) -> None:
    a, b, gold = folder / "a.map", folder / "b.map", folder / "gold.txt"
    assert evaluate([a, b], gold, 1).systems == ["a reranked", "b csls"]
    found = evaluate([a, f"{b}:retriever=csls:neighbors=5,nn", f"{a}:retriever=csls"], gold, 1)
    assert found.systems == ["a reranked", "b csls:neighbors=5", "b nn", "a' csls"]
    assert set(found.parts) >= {"reranked", "csls:neighbors=5", "nn", "csls"}
    assert found.differences["system"].unique().len() == 3
    alone = evaluate(b, gold, 1, retriever="nn")
    of_nn = found.rates.filter(system="b nn", metric="hit@1")
    assert of_nn["rate"].to_list() == [alone["hit@1"]]


def test_a_retriever_of_a_mapping_is_checked_before_any_work(folder: Path) -> None:
    for spec, message in (("cslx", "cslx"), ("", "no retriever is named")):
        with pytest.raises(OptionError, match=message):
            evaluate([f"{folder / 'none.map'}:retriever={spec}"], folder / "gold.txt", 1)


def test_on_the_command_line(folder: Path, tmp_path: Path) -> None:
    mappings = [f"{folder / 'a.map'}", f"{folder / 'b.map'}:retriever=csls"]
    out = tmp_path / "results"
    arguments = ["evaluate", *mappings, str(folder / "gold.txt"), "--out", str(out)]
    assert main(arguments) == 0
    assert read_result(out).provenance["systems"] == ["a reranked", "b csls"]
