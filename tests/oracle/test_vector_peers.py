"""gensim and fastText read and compute the same."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from misword.embed.vectors.store import Request, export
from misword.embed.vectors.words import WordVectors, ngram_hashes

if TYPE_CHECKING:
    import fasttext
    from gensim.models import KeyedVectors

WORDS = [
    "the", "cat", "déjà", "été", "日本語", "東京", "straße", "naïve", "a", "I", "über", "running",
    "runner", "x" * 30, "don't", "Ελλάδα", "🙂", "c++", *(f"w{i}" for i in range(200)),
]  # fmt: skip
UNKNOWN = [
    "cats", "déjàvu", "東", "語日", "q", "runnings", "ß", "🙂🙂", "<", ">", "<>", "naïvë",
    "e\u0301", "",
]  # fmt: skip
GRAMS = {
    "usual": {"minn": 3, "maxn": 6, "bucket": 2000},
    "long only": {"minn": 5, "maxn": 5, "bucket": 500},
    "single letters": {"minn": 1, "maxn": 2, "bucket": 3000},
    "words only": {"maxn": 0},
}


@pytest.fixture(scope="module", params=GRAMS)
def model(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[fasttext.FastText._FastText, Path]:
    import fasttext

    folder = tmp_path_factory.mktemp("fasttext")
    rng = np.random.default_rng(0)
    rows = [" ".join(rng.choice(WORDS, 12)) for _ in range(1500)]
    (folder / "text").write_text("\n".join(rows) + "\n", "utf-8")
    # Twelve threads: each fills a tenth of the matrix, and what is left over stays undefined.
    # They race, so the numbers differ from run to run. fastText adds up to 114 n-grams in float32;
    # the low learning rate keeps numbers near 1 / 12, where such a sum is exact to 1e-6.
    trained = fasttext.train_unsupervised(
        str(folder / "text"), dim=12, epoch=1, lr=1e-4, minCount=1, thread=12, verbose=0,
        **GRAMS[request.param],
    )  # fmt: skip
    path = folder / "model.bin"
    trained.save_model(str(path))
    return trained, path


def test_fasttext_vectors(model: tuple[fasttext.FastText._FastText, Path]) -> None:
    trained, path = model
    vectors = WordVectors.open(path, keep=False)
    assert list(vectors.words) == trained.words
    assert "</s>" in vectors
    for word in [*trained.words, *UNKNOWN]:
        theirs = trained.get_word_vector(word)
        try:
            ours = vectors[word]
        except KeyError:
            ours = np.zeros(12, np.float32)
        assert np.abs(ours - theirs).max() <= 1e-6, word
    assert np.array_equal(vectors.matrix, trained.get_input_matrix())


def test_fasttext_numbers_stay_in_the_file(
    model: tuple[fasttext.FastText._FastText, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path / "cache"))
    trained, path = model
    copy = tmp_path / "copy.bin"
    copy.write_bytes(path.read_bytes())
    opened = [WordVectors.open(path), WordVectors.open(path), WordVectors.open(copy)]
    kept = [file.stat().st_size for file in tmp_path.rglob("matrix.f32")]
    assert kept == [0]
    export(Request.of(path, None, None), tmp_path / "taken")
    opened.append(WordVectors.open(tmp_path / "taken"))
    for vectors in opened:
        assert vectors.digest == opened[0].digest
        for word in ("cat", "日本語", "unheard"):
            theirs = trained.get_word_vector(word)
            assert np.abs(vectors.units([word])[0] * np.linalg.norm(theirs) - theirs).max() < 1e-6


@pytest.mark.parametrize("first", ["model.bin", "model.bin.gz"])
def test_fasttext_packed_and_not(
    model: tuple[fasttext.FastText._FastText, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    first: str,
) -> None:
    """Both have one digest; the numbers must come from where they are."""
    trained, path = model
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path / "cache"))
    (tmp_path / "model.bin").write_bytes(path.read_bytes())
    (tmp_path / "model.bin.gz").write_bytes(gzip.compress(path.read_bytes(), 1))
    second = "model.bin.gz" if first == "model.bin" else "model.bin"
    for name in (first, second, first, second):
        vectors = WordVectors.open(tmp_path / name)
        np.testing.assert_allclose(vectors["cat"], trained.get_word_vector("cat"), atol=1e-6)


def test_fasttext_units(model: tuple[fasttext.FastText._FastText, Path]) -> None:
    trained, path = model
    vectors = WordVectors.open(path, keep=False)
    asked = [*WORDS, *UNKNOWN, "CATS"]
    units, has = vectors.units(asked, "exact")
    for word, unit, known in zip(asked, units, has, strict=True):
        theirs = trained.get_word_vector(word)
        norm = np.linalg.norm(theirs)
        assert known == (norm > 0), word
        assert np.allclose(unit, theirs / norm if norm else 0, atol=1e-6), word
    listed, known = vectors.units(asked, "exact", subwords=False)
    assert known.tolist() == [word in vectors for word in asked]
    assert np.array_equal(listed[known], units[known])


def test_fasttext_neighbors(model: tuple[fasttext.FastText._FastText, Path]) -> None:
    trained, path = model
    vectors = WordVectors.open(path, keep=False)
    unknown = ["cats"] if vectors.pieces else []
    for word in ["cat", "déjà", "日本語", *unknown]:
        theirs = trained.get_nearest_neighbors(word, 10)
        ours = vectors.neighbors(word, 10)
        assert [score for _, score in ours] == pytest.approx([s for s, _ in theirs], abs=1e-5)
        scores = dict(vectors.neighbors(word, len(vectors)))  # near ties may swap places
        for score, near in theirs:
            assert scores[near] == pytest.approx(score, abs=1e-5)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0 \n")), max_size=5))
def test_fasttext_subwords(words: list[str]) -> None:
    """Hashes of n-grams, against a reading of the paper in plain Python."""
    of, hashes = ngram_hashes(words, 3, 6)
    found = sorted(zip(of.tolist(), hashes.tolist(), strict=True))
    expected = sorted(
        (i, fnv(piece)) for i, word in enumerate(words) if word != "</s>" for piece in cut(word)
    )
    assert found == expected


def cut(word: str) -> list[str]:
    marked = f"<{word}>"
    size = range(3, 7)
    return [marked[i : i + n] for i in range(len(marked)) for n in size if i + n <= len(marked)]


def fnv(piece: str) -> int:
    value = 2166136261
    for byte in piece.encode():
        signed = byte | 0xFFFFFF00 if byte > 127 else byte
        value = (value ^ signed) * 16777619 % 2**32
    return value


def same(ours: WordVectors, theirs: KeyedVectors) -> None:
    assert list(ours.words) == theirs.index_to_key
    matrix: NDArray[np.float32] = theirs.vectors
    assert np.array_equal(ours.matrix, matrix)


@pytest.mark.parametrize("name", ["en", "cs"])
def test_gensim_reads_the_same_text(shared: Path, name: str) -> None:
    from gensim.models import KeyedVectors

    path = shared / "vectors" / f"{name}.vec.gz"
    theirs = KeyedVectors.load_word2vec_format(str(path), limit=5000)
    ours = WordVectors.open(path, keep=False, max_words=5000)
    same(ours, theirs)
    for (word, score), (near, cosine) in zip(
        theirs.most_similar(theirs.index_to_key[100]),
        ours.neighbors(theirs.index_to_key[100]),
        strict=True,
    ):
        assert word == near
        assert score == pytest.approx(cosine, abs=1e-5)


@pytest.mark.parametrize("binary", [True, False])
def test_files_that_gensim_writes(shared: Path, tmp_path: Path, binary: bool) -> None:
    from gensim.models import KeyedVectors

    source = shared / "bli" / "concept-fasttext" / "et.vec"
    theirs = KeyedVectors.load_word2vec_format(str(source))
    path = tmp_path / "v.bin"
    theirs.save_word2vec_format(str(path), binary=binary)
    ours = WordVectors.open(path, keep=False)
    assert ours.format == ("word2vec-binary" if binary else "word2vec")
    same(ours, theirs)
    glove = tmp_path / "glove.txt"
    theirs.save_word2vec_format(str(glove), write_header=False)
    same(WordVectors.open(glove, keep=False), theirs)


def test_gensim_files(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gensim.models import KeyedVectors

    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path / "cache"))
    source = shared / "bli" / "concept-fasttext" / "es.vec"
    theirs = KeyedVectors.load_word2vec_format(str(source))
    path = tmp_path / "v.kv"
    theirs.save(str(path))
    same(WordVectors.open(path), theirs)
    theirs.save(str(path), sep_limit=0)  # the numbers in a file of their own
    assert (tmp_path / "v.kv.vectors.npy").exists()
    first = WordVectors.open(path)
    same(first, theirs)
    assert first.notes == ()
    theirs.vectors[0] = 1
    np.save(tmp_path / "v.kv.vectors.npy", theirs.vectors)
    changed = WordVectors.open(path)
    same(changed, theirs)
    assert changed.digest != first.digest


SENTENCES = [["a", "b", "c", "d"], ["c", "b", "a", "été"]] * 50


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_gensim_models(tmp_path: Path, protocol: int) -> None:
    from gensim.models import Doc2Vec, Word2Vec
    from gensim.models.doc2vec import TaggedDocument

    path = tmp_path / "w.model"
    theirs = Word2Vec(SENTENCES, vector_size=8, min_count=1, workers=1, seed=1)
    theirs.save(str(path), pickle_protocol=protocol)
    same(WordVectors.open(path, keep=False), theirs.wv)
    assert len(WordVectors.open(path, keep=False, max_words=2)) == 2
    theirs.save(str(path), sep_limit=0, pickle_protocol=protocol)
    assert (tmp_path / "w.model.wv.vectors.npy").exists()
    same(WordVectors.open(path, keep=False), theirs.wv)
    documents = [TaggedDocument(words, [at]) for at, words in enumerate(SENTENCES)]
    paragraphs = Doc2Vec(documents, vector_size=8, min_count=1, workers=1, seed=1)
    paragraphs.save(str(path), pickle_protocol=protocol)
    same(WordVectors.open(path, keep=False), paragraphs.wv)


@pytest.mark.parametrize("options", [{}, {"min_n": 1, "max_n": 2}, {"max_n": 0}])
def test_gensim_fasttext_models(tmp_path: Path, options: dict[str, int]) -> None:
    """gensim saves no vectors of words here; they are computed from the n-grams, as gensim does."""
    from gensim.models import FastText

    path = tmp_path / "f.model"
    theirs = FastText(
        SENTENCES, vector_size=8, min_count=1, workers=1, seed=1, bucket=200, **options
    )
    for sep_limit in (0, 1 << 20):
        theirs.save(str(path), sep_limit=sep_limit)
        ours = WordVectors.open(path, keep=False)
        words = theirs.wv.index_to_key
        assert list(ours.words) == words
        assert np.allclose(ours.rows(np.arange(len(words))), theirs.wv.vectors, atol=1e-7)
        assert (ours.pieces is None) == (options.get("max_n") == 0)
        if ours.pieces is not None:
            assert np.allclose(ours["cabé"], theirs.wv["cabé"], atol=1e-7)
