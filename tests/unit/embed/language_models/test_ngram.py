"""N-gram models: probabilities by hand and by kenlm, unknown words, files that are refused."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from math import log
from pathlib import Path

import numpy as np
import pytest

from arpa import write_arpa
from extras import needs
from misword.core.context import Context
from misword.core.errors import InputError, MissingExtraError, MiswordError, OptionError
from misword.embed.language_models import LANGUAGE_MODELS
from misword.embed.language_models.ngram import NGram

pytestmark = needs("kenlm")
CONTEXT = Context()


@pytest.fixture
def model(tmp_path: Path) -> NGram:
    return NGram(str(write_arpa(tmp_path / "small.arpa")))


def test_probabilities_by_hand(model: NGram) -> None:
    texts = ["the cat sat", "the dog", "", "cat"]
    decimal = [
        -0.2 - 0.3 - 0.4 - 0.1,
        -0.2 + (-0.2 - 1.0) - 0.8,  # dog after `the` backs off to <unk>, which has no weight
        -0.3 - 0.8,
        (-0.3 - 0.7) + (-0.1 - 0.8),
    ]
    found = model.features(texts, CONTEXT)
    np.testing.assert_allclose(found[:, 0], np.array(decimal) * log(10), rtol=1e-6)
    assert found[:, 1].tolist() == [0, 1, 0, 0]


def test_the_sums_are_those_of_kenlm(model: NGram) -> None:
    import kenlm

    texts = ["sat the the cat", "x y", "cat sat on the cat"]
    found = model.features(texts, CONTEXT)
    direct = kenlm.Model(model.file)
    for text, (total, unknown) in zip(texts, found.tolist(), strict=True):
        words = list(direct.full_scores(text, bos=True, eos=True))
        assert total == pytest.approx(log(10) * sum(word[0] for word in words), rel=1e-6)
        assert unknown == sum(word[2] for word in words)


def test_white_space_separates_words(model: NGram) -> None:
    plain, odd = model.features(["the cat", "  the\u00a0\t cat\n"], CONTEXT)
    np.testing.assert_array_equal(plain, odd)


def test_a_compressed_file_is_the_same_model(model: NGram, tmp_path: Path) -> None:
    packed = tmp_path / "small.arpa.gz"
    packed.write_bytes(gzip.compress(Path(model.file).read_bytes()))
    texts = ["the cat sat", "dog"]
    found = NGram(str(packed)).features(texts, CONTEXT)
    np.testing.assert_array_equal(found, model.features(texts, CONTEXT))


def test_a_file_that_changes_is_read_again(model: NGram) -> None:
    before = model.settings(CONTEXT), model.features(["the"], CONTEXT)[0, 0]
    path = Path(model.file)
    path.write_text(path.read_text().replace("-0.2\t<s> the", "-0.25\t<s> the"))
    after = model.settings(CONTEXT), model.features(["the"], CONTEXT)[0, 0]
    assert before[0] != after[0]
    assert after[1] == pytest.approx(before[1] - 0.05 * log(10), rel=1e-5)


def test_notes_name_the_share_of_unknown_words_and_their_case(model: NGram) -> None:
    assert list(model.notes(["the cat"], CONTEXT)) == []
    assert list(model.notes(["the dog"], CONTEXT)) == [
        "ngram: 50.0 % of 2 words are unknown to the model"
    ]
    share, case = model.notes(["THE CAT sat"], CONTEXT)
    assert share == "ngram: 66.7 % of 3 words are unknown to the model"
    assert case == (
        "ngram: it knows 100 % of these in lower case; --normalize lower writes the texts so"
    )


def test_a_note_on_a_file_without_unknown_words(tmp_path: Path) -> None:
    model = NGram(str(write_arpa(tmp_path / "closed.arpa", unknown=False)))
    assert "no <unk>" in list(model.notes(["the dog"], CONTEXT))[-1]
    assert model.features(["dog"], CONTEXT)[0, 0] < -100 * log(10)


def binary_start(path: Path) -> None:
    path.write_bytes(b"mmap lm http://kheafield.com/code format version 5\n\0")


BROKEN: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("hello\n"),
    "bytes": lambda path: path.write_bytes(bytes(range(256))),
    "cut": lambda path: path.write_text(write_arpa(path).read_text()[:90]),
    "binary": binary_start,
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_file_that_is_no_model(case: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.arpa"
    BROKEN[case](path)
    with pytest.raises(InputError, match="no n-gram model that kenlm can read") as error:
        NGram(str(path)).features(["a"], CONTEXT)
    assert "threw" not in str(error.value)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    ("file", "message"),
    [("", "ngram needs a file"), (".", "a folder"), ("no.arpa", "no such file")],
)
def test_a_file_that_is_not_there(file: str, message: str) -> None:
    with pytest.raises(MiswordError, match=message):
        NGram(file).check(CONTEXT)


def test_a_package_that_is_not_installed(model: NGram, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("misword.core.parts.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError) as error:
        model.check(CONTEXT)
    assert "misword[ngram]" in error.value.fix


def test_a_spec_may_begin_with_the_file() -> None:
    assert LANGUAGE_MODELS.create("ngram:a.arpa,column=lm") == NGram("a.arpa", "lm")
    assert LANGUAGE_MODELS.create("ngram:column=lm,file=a=b.arpa") == NGram("a=b.arpa", "lm")
    with pytest.raises(OptionError, match=r"'b\.arpa' has no '='"):
        LANGUAGE_MODELS.create("ngram:a.arpa,b.arpa")


@pytest.mark.parametrize("column", ["", "text", "score", "*"])
def test_a_column_that_cannot_be_called_so(column: str, model: NGram) -> None:
    with pytest.raises(OptionError, match="the column of 'ngram' cannot be called"):
        NGram(model.file, column).check(CONTEXT)
