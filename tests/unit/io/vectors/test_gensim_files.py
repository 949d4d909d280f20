"""Files of gensim are read without gensim and without running code of the file."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from misword.bli.mapping import Mapping, MappingSide
from misword.bli.open_mapping import OpenMapping
from misword.cli.main import main
from misword.core.errors import InputError
from misword.core.signature import Signature
from misword.embed.vectors.words import WordVectors
from own_files import Attack

MATRIX = np.arange(6, dtype=np.float32).reshape(3, 2)
WORDS = ["the", "chat", "é"]


@pytest.fixture
def gensim(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module with classes of gensim's names, to write files as gensim does."""
    module = ModuleType("gensim.models.keyedvectors")
    for name in ("KeyedVectors", "Word2VecKeyedVectors", "Vocab", "Word2Vec", "LdaModel"):
        made = type(name, (), {"__module__": module.__name__})
        setattr(module, name, made)
    for name in ("gensim", "gensim.models"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


def saved(made: type, path: Path, protocol: int = 4, /, **attributes: Any) -> Path:
    """Write an object with these attributes."""
    thing = made()
    vars(thing).update(attributes)
    path.write_bytes(pickle.dumps(thing, protocol))
    return path


def opened(path: Path) -> WordVectors:
    return WordVectors.open(path, keep=False)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_vectors_of_gensim_4(tmp_path: Path, gensim: ModuleType, protocol: int) -> None:
    path = tmp_path / "v.kv"
    saved(gensim.KeyedVectors, path, protocol, index_to_key=WORDS, vectors=MATRIX)
    vectors = opened(path)
    assert (vectors.format, list(vectors.words), vectors.notes) == ("gensim", WORDS, ())
    assert np.array_equal(vectors.matrix, MATRIX)
    assert len(WordVectors.open(path, keep=False, max_words=2)) == 2


def test_vectors_of_gensim_3(tmp_path: Path, gensim: ModuleType) -> None:
    """A dictionary of `Vocab` objects, a list `index2word`, the vectors in the model's `wv`."""
    vocab = {}
    for index, word in enumerate(WORDS):
        vocab[word] = gensim.Vocab()
        vars(vocab[word]).update(count=3 - index, index=index, sample_int=1 << 32)
    wv = gensim.Word2VecKeyedVectors()
    vars(wv).update(vocab=vocab, index2word=WORDS, vectors=MATRIX.astype(np.float64))
    path = saved(gensim.Word2Vec, tmp_path / "v.model", 2, wv=wv, callbacks=())
    vectors = opened(path)
    assert list(vectors.words) == WORDS
    assert np.array_equal(vectors.matrix, MATRIX)


def test_arrays_beside_the_file(tmp_path: Path, gensim: ModuleType) -> None:
    wv = gensim.KeyedVectors()
    vars(wv).update(index_to_key=WORDS, vectors=None, __numpys=["vectors"])
    path = saved(gensim.Word2Vec, tmp_path / "v.model", wv=wv)
    with pytest.raises(InputError, match="No such file"):
        opened(path)
    companion = tmp_path / "v.model.wv.vectors.npy"
    np.save(companion, MATRIX)
    assert np.array_equal(opened(path).matrix, MATRIX)
    companion.write_bytes(companion.read_bytes()[:-1])
    with pytest.raises(InputError, match="24 bytes of numbers are claimed, 23 are there"):
        opened(path)
    np.save(companion, np.array(MATRIX, object), allow_pickle=True)
    with pytest.raises(InputError, match="an array of type object"):
        opened(path)


def test_a_pickle_does_not_run(
    tmp_path: Path, gensim: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever the name of the file, and wherever in the saved object the attack is."""
    mark = tmp_path / "ran"
    attack = Attack(Path.touch, mark)
    inner = saved(
        gensim.KeyedVectors, tmp_path / "a.kv", index_to_key=WORDS, vectors=MATRIX, more=attack
    )
    listed = saved(gensim.KeyedVectors, tmp_path / "b.vec", index_to_key=[attack], vectors=MATRIX)
    whole = tmp_path / "c.vec"
    whole.write_bytes(pickle.dumps(["gensim", attack]))
    for path in (inner, listed, whole):
        assert main(["vectors", "info", str(path)]) == 2
        assert "which could run code; it was not called" in capsys.readouterr().err
    assert not mark.exists()


def test_a_mapping_that_names_the_pickle(tmp_path: Path, gensim: ModuleType) -> None:
    mark = tmp_path / "ran"
    evil = saved(gensim.KeyedVectors, tmp_path / "evil.kv", index_to_key=Attack(Path.touch, mark))
    side = MappingSide(str(evil), "0" * 64, None, 2, None, (), (), np.eye(2, dtype=np.float32))
    Mapping(side, side, Signature("procrustes", ())).write(tmp_path / "evil.map")
    with pytest.raises(InputError, match="which could run code"):
        OpenMapping.of(tmp_path / "evil.map")
    assert not mark.exists()


def test_the_npy_beside_the_file_does_not_run(tmp_path: Path, gensim: ModuleType) -> None:
    mark = tmp_path / "ran"
    path = saved(gensim.KeyedVectors, tmp_path / "v.kv", index_to_key=WORDS, __numpys=["vectors"])
    attack = np.array([[Attack(Path.touch, mark)]], object)
    np.save(tmp_path / "v.kv.vectors.npy", attack, allow_pickle=True)
    with pytest.raises(InputError, match="an array of type object"):
        opened(path)
    assert not mark.exists()


@pytest.mark.parametrize(
    "attributes",
    [
        {"index_to_key": WORDS, "vectors": MATRIX[:2]},
        {"index_to_key": WORDS, "vectors": MATRIX[0]},
        {"index_to_key": WORDS, "vectors": np.array(WORDS, object)},
        {"index_to_key": WORDS, "vectors": np.array(WORDS)},
        {"index_to_key": [["a"], "b", "c"], "vectors": MATRIX},
        {"index_to_key": [1 << 70, 1, 2], "vectors": MATRIX},
        {"index_to_key": "abc", "vectors": MATRIX},
        {"index_to_key": ["x" * 1000] * 3, "vectors": MATRIX},
        {"index_to_key": WORDS, "__numpys": ["vectors"]},
        {"index_to_key": WORDS, "vectors_vocab": MATRIX, "vectors_ngrams": MATRIX},
        {
            "index_to_key": WORDS, "vectors_vocab": MATRIX, "vectors_ngrams": MATRIX,
            "min_n": 3, "max_n": (1 << 31) - 1, "bucket": 3,
        },
        {
            "index_to_key": WORDS, "vectors_vocab": MATRIX, "vectors_ngrams": MATRIX,
            "min_n": 3, "max_n": 6, "bucket": 2_000_000,
        },
    ],
)  # fmt: skip
def test_damaged_vectors(tmp_path: Path, gensim: ModuleType, attributes: dict[str, Any]) -> None:
    path = saved(gensim.KeyedVectors, tmp_path / "v.kv", **attributes)
    with pytest.raises(InputError, match="the vectors cannot be read"):
        opened(path)


def test_what_holds_no_vectors(tmp_path: Path, gensim: ModuleType) -> None:
    with pytest.raises(InputError, match="a gensim LdaModel, which holds no word vectors"):
        opened(saved(gensim.LdaModel, tmp_path / "lda.model", topics=3))
    other = tmp_path / "other.kv"
    other.write_bytes(pickle.dumps({"gensim": 1}))
    with pytest.raises(InputError, match="gensim did not write"):
        opened(other)
