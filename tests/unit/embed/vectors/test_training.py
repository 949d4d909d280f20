"""Vectors that are trained on a corpus."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from misword.cli.main import main
from misword.core.errors import InputError, OptionError
from misword.core.progress import Step, reporting
from misword.embed.options import VectorTraining
from misword.embed.vectors.training import read_sentences, train_vectors
from misword.embed.vectors.words import WordVectors

SMALL: VectorTraining = {"dimension": 8, "min_count": 2}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    lines = ["The dog eats meat.", "A cat eats fish!", "L'été: tout est « bien »", ""]
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(lines * 40), encoding="utf-8")
    return path


def test_words_are_letters_digits_and_inner_signs(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("(L'E\u0301té, 2 mots-clés…)\n\n--\nहिन्दी 'quoted'\n", encoding="utf-8")
    assert read_sentences(path) == ["l'été 2 mots-clés", "हिन्दी quoted"]
    assert read_sentences(path, "keep")[0] == "L'Été 2 mots-clés"


def test_a_long_line_makes_several_sentences(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("word " * 25_000, encoding="utf-8")
    assert [len(sentence.split()) for sentence in read_sentences(path)] == [10_000, 10_000, 5_000]


def test_the_same_seed_gives_the_same_vectors_and_another_seed_others(
    corpus: Path, tmp_path: Path
) -> None:
    made = [
        train_vectors(corpus, tmp_path / f"{name}.vec", **(SMALL | {"seed": seed}))
        for name, seed in (("one", 0), ("two", 0), ("other", 1))
    ]
    assert made[0].digest == made[1].digest != made[2].digest
    assert made[0].words[0] == "eats"  # the most frequent word is the first
    assert {"dog", "l'été"} <= set(made[0].words)


def test_a_model_has_the_same_vectors_and_those_of_new_words(corpus: Path, tmp_path: Path) -> None:
    text = train_vectors(corpus, tmp_path / "en.vec", **SMALL)
    model = train_vectors(corpus, tmp_path / "en.bin", **SMALL)
    rows = np.arange(len(text))
    np.testing.assert_allclose(text.rows(rows), model.rows(rows), rtol=1e-4, atol=1e-6)
    assert model.pieces is not None
    assert model.neighbors("dogs", 1)


def test_progress_counts_the_sentences_of_all_epochs(corpus: Path, tmp_path: Path) -> None:
    done: dict[str, int] = {}
    totals: dict[str, int | None] = {}

    @contextmanager
    def report(what: str, total: int | None) -> Iterator[Step]:
        totals[what] = total

        def step(amount: int) -> None:
            done[what] = done.get(what, 0) + amount

        yield step

    with reporting(report):
        train_vectors(corpus, tmp_path / "en.vec", **(SMALL | {"epochs": 3}))
    assert totals["training"] == done["training"] == 3 * 120


@pytest.mark.parametrize(
    ("text", "problem"),
    [("one two three", "no word occurs 5 times"), ("?!\n...", "there are no words")],
)
def test_a_corpus_without_frequent_words_is_refused(
    text: str, problem: str, tmp_path: Path
) -> None:
    (tmp_path / "corpus.txt").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        train_vectors(tmp_path / "corpus.txt", tmp_path / "en.vec")
    assert not (tmp_path / "en.vec").exists()


def test_the_name_of_the_output_says_the_format(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="does not say a format"):
        train_vectors(corpus, tmp_path / "vectors.txt")


def test_the_command_trains_and_refuses_what_belongs_to_other_actions(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "en.vec"
    words = ["vectors", "train", str(corpus)]
    assert main([*words, "-o", str(output), "--min-count", "2", "--dimension", "8"]) == 0
    assert len(WordVectors.open(output)) == 11
    assert main(words) == 2
    assert "nowhere to write" in capsys.readouterr().err
    assert main([*words, "-o", str(output), "--max-words", "9"]) == 2
    assert main(["vectors", "info", str(output), "--epochs", "2"]) == 2
    assert "--epochs beside info" in capsys.readouterr().err
