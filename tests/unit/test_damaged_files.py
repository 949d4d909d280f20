"""Damaged files of misword: each is refused with a MiswordError, or read without harm."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import misword
from damaged import byte_mutants, json_mutants, load, without_checksums
from fasttext_file import fasttext_bin
from misword.bli.map import Training, map_vectors
from misword.bli.open_mapping import OpenMapping
from misword.bli.retrievers import RETRIEVERS
from misword.cli.commands.files.report import with_parts
from misword.core.errors import InputError, MiswordError
from misword.core.signature import Signature
from misword.core.types import Result
from misword.embed.sentence_cache import SentenceCache
from misword.embed.vectors.store import Request, export
from misword.embed.vectors.stored_entry import FILES
from misword.embed.vectors.stored_entry import INDEX as ENTRY
from misword.embed.vectors.words import WordVectors
from misword.io.files.archives import HEADER, write_archive
from misword.io.results import INDEX, read_result, write_result
from misword.noise.channels import model_cache
from misword.noise.error_model import CandidateTable, ErrorModel
from misword.noise.learnt_noise import LearntNoise
from misword.report import render
from spaces_made import turned

KEPT = ("format", "version")
STEP = 7  # every seventh byte of larger files


def refused_or_read(use: Callable[[], object]) -> bool:
    """Return whether a file is refused; any error but a MiswordError fails the test."""
    try:
        use()
    except MiswordError:
        return True
    return False


def write_vectors(path: Path, vectors: WordVectors) -> Path:
    rows = zip(vectors.words, vectors.matrix.tolist(), strict=True)
    lines = [" ".join([word, *map(str, row)]) for word, row in rows]
    path.write_text("\n".join([f"{len(vectors)} {vectors.dimension}", *lines, ""]), "utf-8")
    return path


@pytest.fixture
def result(tmp_path: Path) -> Path:
    scores = misword.score(["a b c", "d e"], ["a x c", "d e"], "wer,cer")
    write_result(scores.result(bootstrap=10), tmp_path / "result")
    return tmp_path / "result"


@pytest.mark.slow
def test_results_with_other_values(result: Path) -> None:
    """Values that the schema does not declare reach `load` and the report."""
    index = result / INDEX
    content = load(index.read_bytes())
    del content["checksum"]
    for mutant in json_mutants(content, KEPT):
        index.write_text(json.dumps(mutant), "utf-8")
        refused_or_read(lambda: misword.load(result))
        refused_or_read(lambda: render([with_parts(read_result(result))]))


def test_damaged_results_are_refused(result: Path) -> None:
    whole = {file: file.read_bytes() for file in sorted(result.iterdir())}
    for file, data in whole.items():
        for mutant in byte_mutants(data, 101):
            file.write_bytes(mutant)
            assert refused_or_read(lambda: read_result(result)), file
        file.write_bytes(data)
    assert not refused_or_read(lambda: read_result(result))


@pytest.fixture(params=["word2vec", "fasttext"])
def vectors(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    source = tmp_path / "source"
    rows = np.random.default_rng(1).normal(size=(10, 3)).astype(np.float32)
    if request.param == "word2vec":
        write_vectors(source, WordVectors.of(["le", "chat", "été"], rows[:3]))
    else:
        source.write_bytes(fasttext_bin([b"le", b"chat"], rows, grams=(2, 3, 8)))
    export(Request.of(source, None, None), tmp_path / "vectors")
    return tmp_path / "vectors"


def use_vectors(folder: Path) -> None:
    opened = WordVectors.open(folder)
    assert [word for word in opened.words if word] == list(opened.words)
    opened.units([*opened.words, "chats"])
    with suppress(KeyError):
        opened.neighbors("chat", 2)


def test_vectors_with_other_values(vectors: Path) -> None:
    index = vectors / ENTRY
    for mutant in json_mutants(without_checksums(load(index.read_bytes())), KEPT):
        index.write_text(json.dumps(mutant), "utf-8")
        refused_or_read(lambda: use_vectors(vectors))


def test_damaged_vectors_are_refused(vectors: Path) -> None:
    for name in (*FILES, ENTRY):
        file = vectors / name
        data = file.read_bytes()
        for mutant in byte_mutants(data, STEP):
            file.write_bytes(mutant)
            assert refused_or_read(lambda: use_vectors(vectors)), name
        file.write_bytes(data)
    assert not refused_or_read(lambda: use_vectors(vectors))


def test_damaged_vectors_without_checksums(vectors: Path) -> None:
    """Their words are checked; a number of the matrix that changed cannot be noticed."""
    index = vectors / ENTRY
    index.write_text(json.dumps(without_checksums(load(index.read_bytes()))), "utf-8")
    assert not refused_or_read(lambda: use_vectors(vectors))
    for name in FILES:
        file = vectors / name
        data = file.read_bytes()
        for mutant in byte_mutants(data, STEP):
            file.write_bytes(mutant)
            assert refused_or_read(lambda: use_vectors(vectors)) or name in FILES[:2]
        file.write_bytes(data)


def test_a_header_that_claims_four_billion_words(vectors: Path) -> None:
    """The claimed shape is compared with the files before memory is allocated."""
    index = vectors / ENTRY
    content = without_checksums(load(index.read_bytes()))
    for shape in ([1 << 32, 300], [1 << 52, 1 << 52], [3, 1 << 40]):
        index.write_text(json.dumps({**content, "shape": shape}), "utf-8")
        with pytest.raises(InputError, match="do not fit"):
            WordVectors.open(vectors)


def test_files_outside_the_folder_are_not_read(vectors: Path) -> None:
    index = vectors / ENTRY
    content = without_checksums(load(index.read_bytes()))
    content["sizes"]["/dev/zero"] = 0
    content["checksums"] = {**dict.fromkeys(FILES, 64 * "0"), "/dev/zero": 64 * "0"}
    index.write_text(json.dumps(content), "utf-8")
    with pytest.raises(InputError, match="its checksum does not fit"):
        WordVectors.open(vectors)


@pytest.fixture
def mapping(tmp_path: Path) -> Path:
    source, target, pairs = turned(20, 3, noise=0.1)
    left = write_vectors(tmp_path / "left.vec", source)
    right = write_vectors(tmp_path / "right.vec", target)
    map_vectors(left, right, "procrustes", lexicon=pairs, output=tmp_path / "lr.map")
    return tmp_path / "lr.map"


def use_mapping(path: Path) -> None:
    opened = OpenMapping.of(path)
    opened.nearest(np.arange(2), RETRIEVERS.create("csls"), 2)


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_members(path: Path, content: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)


def test_mappings_with_other_values(mapping: Path) -> None:
    whole = members(mapping)
    for mutant in json_mutants(without_checksums(load(whole[HEADER])), KEPT):
        write_members(mapping, {**whole, HEADER: json.dumps(mutant).encode()})
        refused_or_read(lambda: use_mapping(mapping))


def test_mappings_with_other_arrays(mapping: Path) -> None:
    whole = members(mapping)
    older = json.dumps(without_checksums(load(whole[HEADER]))).encode()
    for name in whole:
        for mutant in byte_mutants(whole[name], 11):
            write_members(mapping, {**whole, HEADER: older, name: mutant})
            refused_or_read(lambda: use_mapping(mapping))
    write_members(mapping, {**whole, HEADER: older})
    assert not refused_or_read(lambda: use_mapping(mapping))


def test_damaged_mappings_are_refused(mapping: Path) -> None:
    """Zip archives have bytes that no reader looks at, such as times: those may change."""
    data = mapping.read_bytes()
    expected = misword.Mapping.read(mapping)
    for mutant in byte_mutants(data, STEP):
        mapping.write_bytes(mutant)
        if not refused_or_read(lambda: use_mapping(mapping)):
            found = misword.Mapping.read(mapping)
            assert np.array_equal(found.source.matrix, expected.source.matrix)
            assert found.signature == expected.signature


def test_mappings_are_not_compressed(mapping: Path) -> None:
    whole = members(mapping)
    with zipfile.ZipFile(mapping, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in whole.items():
            archive.writestr(name, data)
    with pytest.raises(InputError, match="is compressed"):
        use_mapping(mapping)


def test_arrays_that_claim_more_than_they_have(mapping: Path) -> None:
    whole = members(mapping)
    older = json.dumps(without_checksums(load(whole[HEADER]))).encode()
    name = "source.matrix.npy"
    large = whole[name].replace(b"(3, 3), }" + b" " * 12, b"(4000000000, 300), }" + b" ")
    assert large != whole[name]
    write_members(mapping, {**whole, HEADER: older, name: large})
    with pytest.raises(InputError, match="4800000000000 bytes of numbers are claimed"):
        use_mapping(mapping)


def test_interrupted_trainings(tmp_path: Path) -> None:
    path = tmp_path / "state"
    signature = Signature("rcsls", (("v", "1"),))
    state = {"update": 3, "rate": 1.5, "matrix": np.eye(2)}
    Training(signature, state_file=path, _latest=state).write()
    assert Training(signature, state_file=path).open(resume=True)
    whole = members(path)
    for mutant in json_mutants(without_checksums(load(whole[HEADER])), KEPT):
        write_members(path, {**whole, HEADER: json.dumps(mutant).encode()})
        refused_or_read(lambda: Training(signature, state_file=path).open(resume=True))


def test_noise_with_other_values(tmp_path: Path) -> None:
    path = tmp_path / "noise.json"
    learnt = misword.learn_noise(["a b c d", "a b c"], ["a b d", "a x c y"])
    text = learnt.to_json()
    for mutant in json_mutants(without_checksums(load(text)), KEPT):
        path.write_text(json.dumps(mutant), "utf-8")

        def use() -> None:
            misword.corrupt(["a b c d"] * 3, 0.3, channel=f"confusion:file={path}")

        refused_or_read(use)
    for damaged in byte_mutants(text.encode(), STEP):
        path.write_bytes(damaged)
        assert refused_or_read(lambda: LearntNoise.read(path))


@pytest.fixture
def model() -> ErrorModel:
    table = CandidateTable(
        ["a", "b"], ["x", "y"], np.array([0, 2, 3]), np.array([0, 1, 1], np.int32),
        np.array([0.5, 0.5, 1.0]), np.zeros(3, np.float32), np.zeros(3, np.float32),
    )  # fmt: skip
    return ErrorModel.unweighted(table)


def test_damaged_error_models_are_made_again(
    model: ErrorModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path))
    made: list[list[str]] = []

    def build(words: list[str]) -> ErrorModel:
        made.append(words)
        return model

    def get() -> ErrorModel:
        return model_cache.cached_error_model(["b", "a"], (("v", "1"),), build)

    get()
    (file,) = (tmp_path / model_cache.FOLDER).iterdir()
    data = file.read_bytes()
    for mutant in byte_mutants(data, 31):
        file.write_bytes(mutant)
        assert get().candidates.ids.tolist() == [1, 0, 1]
    file.write_bytes(data)
    count = len(made)
    get()
    assert len(made) == count  # the whole file is read


@pytest.mark.parametrize(
    "change",
    [
        {"offsets": np.array([0, 3, 2])}, {"offsets": np.array([0, 2, 3], np.int32)},
        {"ids": np.array([0, 1, 9], np.int32)}, {"ids": np.array([0, -1, 1], np.int32)},
        {"probability": np.array([0.5, np.nan, 1.0])}, {"semantic": np.zeros(9, np.float32)},
        {"inserted": np.zeros(5)}, {"inserted": np.full(2, -1.0)},
        {"heard": np.array([255], np.uint8)},
    ],
)  # fmt: skip
def test_error_models_that_do_not_fit(
    model: ErrorModel, tmp_path: Path, change: dict[str, NDArray[Any]]
) -> None:
    path = tmp_path / "model.npz"
    model_cache._write(path, model)
    assert model_cache._read(path, ["a", "b"]) is not None
    assert model_cache._read(path, ["a"]) is None
    arrays = {name: getattr(model.candidates, name) for name in model_cache.ARRAYS}
    arrays |= {"heard": np.frombuffer(b"x\ny", np.uint8), "inserted": model.insertion_probability}
    write_archive(path, model_cache.KIND, {"version": 1}, {**arrays, **change})
    assert model_cache._read(path, ["a", "b"]) is None


def rows_of(file: Path) -> Iterator[tuple[bytes, int, int, bytes]]:
    with closing(sqlite3.connect(file)) as connection:
        yield from connection.execute("SELECT key, rows, checksum, data FROM vectors").fetchall()


def test_damaged_sentence_caches(tmp_path: Path) -> None:
    file = tmp_path / "s.sqlite"
    cache = SentenceCache("model", file, 1 << 30)
    cache.write(["one", "two"], [np.ones(3, np.float32), np.zeros((2, 3), np.float32)])
    data = file.read_bytes()
    for mutant in byte_mutants(data, 97):
        file.write_bytes(mutant)
        found = cache.read(["one", "two"])
        assert all(v is None or v.shape in ((3,), (2, 3)) for v in found)
        assert found[0] is None or found[0].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("rows", "data"), [(-1, bytes(8)), (3, bytes(8)), (0, bytes(7)), ("2", bytes(8)), (0, "text")]
)
def test_rows_of_sentence_caches_that_do_not_fit(
    tmp_path: Path, rows: object, data: object
) -> None:
    from misword.embed import sentence_cache

    file = tmp_path / "s.sqlite"
    cache = SentenceCache("model", file, 1 << 30)
    cache.write(["one"], [np.ones(2, np.float32)])
    key = next(rows_of(file))[0]
    checksum = 0
    if isinstance(rows, int) and isinstance(data, bytes):
        checksum = sentence_cache._checksum(key, rows, data)
    with closing(sqlite3.connect(file)) as connection, connection:
        change = "UPDATE vectors SET rows = ?, data = ?, checksum = ?"
        connection.execute(change, (rows, data, checksum))
    assert cache.read(["one"]) == [None]


@pytest.mark.slow
def test_damaged_tables_without_checksums(tmp_path: Path) -> None:
    """polars panics on some of them; a process of its own reads them first."""
    frame = pl.DataFrame({"a": list(range(50)), "b": [f"text {n}" for n in range(50)]})
    write_result(Result("x", {"t": frame}), tmp_path / "r")
    index = tmp_path / "r" / INDEX
    index.write_text(json.dumps(without_checksums(load(index.read_bytes()))), "utf-8")
    file = tmp_path / "r" / "t.parquet"
    data = file.read_bytes()
    for mutant in byte_mutants(data, 151):
        file.write_bytes(mutant)
        refused_or_read(lambda: read_result(tmp_path / "r"))
