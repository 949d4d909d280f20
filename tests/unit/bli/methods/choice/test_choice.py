"""`--method auto`: which method is chosen, and what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from misword.bli.arrays import RowPairs
from misword.bli.map import map_vectors
from misword.bli.methods import MappingMatrices, Method, choice
from misword.bli.methods.choice import COMPARED, choose_method, main_script
from misword.bli.spaces import Space
from misword.cli.main import main
from misword.embed.vectors.words import WordVectors
from spaces_made import turned, write_turned


def test_methods_are_compared_on_words_that_they_did_not_learn_from() -> None:
    """Only one of them finds any word here."""
    source, target, names = turned(240, 6, noise=0.0)
    first, second = Space.of(source), Space.of(target)
    pairs = np.column_stack([first.find([a for a, _ in names]), second.find([b for _, b in names])])
    seen: dict[str, list[RowPairs]] = {}
    rotation = np.linalg.lstsq(first.rows[pairs[:, 0]], second.rows[pairs[:, 1]], rcond=None)[0]

    def train(method: Method, some: RowPairs) -> MappingMatrices:
        seen.setdefault(method.name, []).append(some)
        right = method.name == COMPARED[1]
        matrix = rotation if right else np.roll(rotation, 1, axis=0)
        return MappingMatrices(matrix.astype(np.float32), np.eye(6, dtype=np.float32))

    made = choose_method(first, second, pairs, train, workers=1)
    assert made.method.name == COMPARED[1]
    assert made.note.startswith(f"method {COMPARED[1]}: the best on 240 words of the lexicon")
    assert f"100.0 % by {COMPARED[1]}" in made.note
    for parts in seen.values():
        assert [len(part) for part in parts] == [120, 120]
        assert len(np.unique(np.concatenate(parts), axis=0)) == 240


def test_of_equal_methods_the_first_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    found = iter([np.arange(100) < 88, np.arange(100) < 80, np.arange(100) < 89])
    monkeypatch.setattr(choice, "held_out_hits", lambda *_: next(found))
    source, target, _ = turned(120, 6)
    first, second = Space.of(source), Space.of(target)
    pairs = np.column_stack([np.arange(120), np.arange(120)])
    made = choose_method(first, second, pairs, lambda *_: pytest.fail("nothing to train"))
    assert made.method.name == COMPARED[0]
    assert "not worse than the best by more than one standard error" in made.note


@pytest.mark.parametrize(("words", "name"), [(99, "vecmap-semi"), (0, "misword-u")])
def test_without_enough_words_nothing_is_compared(words: int, name: str) -> None:
    source, target, _ = turned(150, 6)
    first, second = Space.of(source), Space.of(target)
    pairs = np.column_stack([np.arange(words)] * 2) if words else None
    made = choose_method(first, second, pairs, lambda *_: pytest.fail("nothing to train"))
    assert made.method.name == name
    assert made.note.startswith(f"method {name}: ")


def test_other_scripts_are_named() -> None:
    source, target, _ = turned(50, 6)
    other = WordVectors.of([f"в{'бгдж'[i % 4]}{i}" for i in range(50)], target.matrix)
    note = choose_method(
        Space.of(source), Space.of(other), None, lambda *_: pytest.fail("no lexicon")
    ).note
    assert "the scripts differ (latin, cyrillic)" in note
    assert main_script(["1", "2"]) == "none"


def test_the_mapping_is_that_of_the_chosen_method() -> None:
    source, target, pairs = turned(400, 12, noise=0.3)
    said: list[str] = []
    made = map_vectors(source, target, "auto", lexicon=pairs[:150], on_note=said.append, workers=1)
    chosen = made.signature.metric
    assert chosen in COMPARED
    other = map_vectors(source, target, chosen, lexicon=pairs[:150], workers=1)
    assert made.signature == other.signature
    np.testing.assert_array_equal(made.source.matrix, other.source.matrix)
    (why,) = [note for note in said if note.startswith("method ")]
    assert why in made.notes
    assert all(name in why for name in COMPARED)


def test_the_command_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_turned(tmp_path)
    files = [str(tmp_path / name) for name in ("en.vec", "fr.vec")]
    words = ["map", *files, "--method", "auto", "--lexicon", str(tmp_path / "train.txt")]
    assert main([*words, "-o", str(tmp_path / "en-fr.map")]) == 0
    assert "method vecmap-semi: it is made for lexicons of few words" in capsys.readouterr().err
