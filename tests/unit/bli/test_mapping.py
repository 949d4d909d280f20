"""The mapping file: atomic writing, checks while reading, and the search for its vectors."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.bli.map import map_vectors
from misword.bli.mapping import Mapping, export
from misword.core.errors import InputError, MismatchError, OptionError
from misword.embed.vectors.words import WordVectors
from misword.io.files.archives import HEADER, read_archive, write_archive
from spaces_made import turned, write_vectors


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A mapping of two files, all in one folder."""
    source, target, pairs = turned(60, 6, noise=0.1)
    left = write_vectors(source, tmp_path / "left.vec")
    right = write_vectors(target, tmp_path / "right.vec")
    map_vectors(left, right, "vecmap-s", lexicon=pairs, valid=pairs, output=tmp_path / "lr.map")
    return tmp_path / "lr.map"


def test_round_trip(made: Path) -> None:
    mapping = Mapping.read(made)
    again = made.with_name("again.map")
    mapping.write(again)
    assert again.read_bytes() == made.read_bytes()
    assert mapping.signature.metric == "vecmap-s"
    assert mapping.trace[-1]["pairs"] == 60
    assert 0 < mapping.trace[-1]["hit@1"] <= 1
    assert mapping.source.name.endswith("left.vec")
    assert (mapping.source.words, mapping.source.max_words) == (60, 200_000)
    assert mapping.source.steps == ("unit", "center", "unit")
    assert sorted(os.listdir(made.parent)) == ["again.map", "left.vec", "lr.map", "right.vec"]


def test_numpy_opens_the_matrices(made: Path) -> None:
    with np.load(made) as arrays:
        assert np.array_equal(arrays["target.matrix"], Mapping.read(made).target.matrix)


def test_all_ways_to_the_common_space_agree(made: Path) -> None:
    mapping = Mapping.read(made)
    mapped = mapping.mapped("target")
    assert np.allclose(np.linalg.norm(mapped.rows, axis=1), 1, atol=1e-6)
    words = mapped.words[:5]
    rows, known = mapped.others([*words, "nothing"])
    assert known.tolist() == [True] * 5 + [False]
    assert np.array_equal(rows[:5], mapped.rows[:5])
    assert not rows[5].any()
    # by hand: the recorded means, the recorded matrix
    side = mapping.target
    raw = mapped.vectors.matrix.astype(np.float64)
    raw /= np.linalg.norm(raw, axis=1, keepdims=True)
    raw -= raw.mean(axis=0)
    raw /= np.linalg.norm(raw, axis=1, keepdims=True)
    there = raw @ side.matrix.astype(np.float64)
    there /= np.linalg.norm(there, axis=1, keepdims=True)
    assert np.abs(there - mapped.rows).max() < 1e-5


@pytest.mark.parametrize("size", [0, 1, 40, 700, -1, -60])
def test_cut_files_are_refused(made: Path, size: int) -> None:
    content = made.read_bytes()
    made.write_bytes(content[:size])
    with pytest.raises(InputError, match=r"lr\.map: (cut or damaged|this is no mapping)"):
        Mapping.read(made)


def test_a_flipped_bit_is_found(made: Path) -> None:
    content = bytearray(made.read_bytes())
    content[len(content) // 2] ^= 4
    made.write_bytes(bytes(content))
    with pytest.raises(InputError, match="cut or damaged"):
        Mapping.read(made)


def test_foreign_files_are_refused(made: Path, tmp_path: Path) -> None:
    text = tmp_path / "words.txt"
    text.write_text("hello\n", encoding="utf-8")
    arrays = tmp_path / "arrays.npz"
    np.savez(arrays, matrix=np.eye(2))
    for other in (text, arrays):
        with pytest.raises(InputError, match="this is no mapping"):
            Mapping.read(other)
    with pytest.raises(InputError, match="no such file"):
        Mapping.read(tmp_path / "nowhere.map")
    with pytest.raises(InputError, match="this is no interrupted training"):
        read_archive(made, "misword-training", "interrupted training", 1)


def test_other_versions_and_missing_pieces(tmp_path: Path) -> None:
    path = tmp_path / "a.map"
    write_archive(path, "misword-mapping", {"version": 99}, {})
    with pytest.raises(InputError, match="written as version 99"):
        Mapping.read(path)
    write_archive(path, "misword-mapping", {"version": 1}, {})
    with pytest.raises(InputError, match="this is no mapping: signature is missing"):
        Mapping.read(path)


def test_nothing_is_half_written(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, mapping = made.read_bytes(), Mapping.read(made)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OptionError, match="No space left"):
        mapping.write(made)
    assert made.read_bytes() == before
    assert sorted(os.listdir(made.parent)) == ["left.vec", "lr.map", "right.vec"]


def test_the_header_is_plain_text(made: Path) -> None:
    with zipfile.ZipFile(made) as archive:
        header = json.loads(archive.read(HEADER))
    assert header["signature"].startswith("vecmap-s|normalize:unit+center+unit|whiten:true|")
    assert not any("time" in key for record in header["trace"] for key in record)


def test_vectors_that_moved(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mapping = Mapping.read(made)
    expected = mapping.mapped("source").rows
    moved = tmp_path / "elsewhere.vec"
    (tmp_path / "left.vec").rename(moved)
    with pytest.raises(InputError, match=r"the source vectors are not there\n.*--source FILE"):
        mapping.mapped("source")
    assert np.array_equal(mapping.mapped("source", moved).rows, expected)
    assert np.array_equal(
        mapping.mapped("source", WordVectors.open(moved, max_words=200_000)).rows, expected
    )
    with pytest.raises(MismatchError, match="not the vectors that the mapping was made from"):
        mapping.mapped("source", tmp_path / "right.vec")


def test_relative_paths_are_also_sought_beside_the_mapping(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target, pairs = turned(60, 6)
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    write_vectors(source, Path("a.vec"))
    write_vectors(target, Path("b.vec"))
    map_vectors("a.vec", "b.vec", "procrustes", lexicon=pairs, output="ab.map")
    monkeypatch.chdir(tmp_path)
    assert len(Mapping.read("here/ab.map").mapped("target")) == 60


def test_exported_vectors_come_back_as_they_were(made: Path, tmp_path: Path) -> None:
    mapped = Mapping.read(made).mapped("source")
    assert export(mapped, tmp_path / "out.vec") == ()
    back = WordVectors.open(tmp_path / "out.vec")
    assert back.words[:] == mapped.words[:]
    assert np.array_equal(back.matrix, mapped.rows)


def test_words_with_spaces_cannot_be_exported(tmp_path: Path) -> None:
    source, target, pairs = turned(60, 6)
    spaced = WordVectors.of([*source.words[:59], "new york"], source.matrix)
    mapping = map_vectors(spaced, target, "procrustes", lexicon=pairs[:50])
    notes = export(mapping.mapped("source", spaced), tmp_path / "out.vec")
    assert notes == (f"1 word with white space left out of {tmp_path / 'out.vec'}",)
    assert WordVectors.open(tmp_path / "out.vec").words[:] == source.words[:59]


def test_zero_vectors_stay_without_neighbours() -> None:
    source, target, pairs = turned(60, 6)
    rows = source.matrix.copy()
    rows[7] = 0
    holed = WordVectors.of(source.words[:], rows)
    mapping = map_vectors(holed, target, "vecmap-s", lexicon=pairs)
    assert "memory: 1 word with a vector of zeros: no neighbours" in mapping.notes
    assert not mapping.mapped("source", holed).rows[7].any()


def test_words_beyond_the_vocabulary_from_their_pieces(tmp_path: Path) -> None:
    from fasttext_file import fasttext_bin

    rng = np.random.default_rng(0)
    names = [f"w{i}" for i in range(30)]
    numbers = rng.standard_normal((30 + 50, 6)).astype(np.float32)
    model = tmp_path / "w.bin"
    model.write_bytes(fasttext_bin([n.encode() for n in names], numbers, grams=(2, 4, 50)))
    _, target, _ = turned(60, 6)
    pairs = [(f"w{i}", f"v{i}") for i in range(30)]
    mapping = map_vectors(model, target, "procrustes", lexicon=pairs)
    mapped = mapping.mapped("source")
    rows, known = mapped.others(["w3", "wholly-new"])
    assert known.all()
    assert np.array_equal(rows[0], mapped.rows[3])
    assert np.linalg.norm(rows[1]) == pytest.approx(1, abs=1e-6)


def test_a_converted_folder_is_cut_to_its_first_words(tmp_path: Path) -> None:
    from misword.embed.vectors.store import Request
    from misword.embed.vectors.store import export as convert

    source, target, pairs = turned(60, 6)
    path = write_vectors(source, tmp_path / "left.vec")
    convert(Request.of(path, None, None), tmp_path / "folder")
    few = {pair[1]: pair for pair in pairs[:20]}
    mapping = map_vectors(
        tmp_path / "folder", target, "procrustes", lexicon=few.values(), max_words=40
    )
    mapped = mapping.mapped("source")
    assert len(mapped) == len(mapped.words) == 40
    assert mapped.find(["w39", "w40"]).tolist() == [39, -1]
    assert any("beyond the first 40 are left out" in note for note in mapping.notes)


@given(
    text=st.text(max_size=20),
    number=st.floats(allow_nan=False, allow_infinity=False),
    rows=st.lists(st.floats(width=32, allow_nan=False), max_size=12),
)
def test_archives_round_trip(
    tmp_path_factory: pytest.TempPathFactory, text: str, number: float, rows: list[float]
) -> None:
    folder = tmp_path_factory.mktemp("archive")
    array = np.array(rows, np.float32)
    for name in ("one", "two"):
        header = {"version": 3, "text": text, "number": number}
        write_archive(folder / name, "kind", header, {"rows": array})
    assert (folder / "one").read_bytes() == (folder / "two").read_bytes()
    header, arrays = read_archive(folder / "one", "kind", "thing", 3)
    assert (header["text"], header["number"]) == (text, number)
    assert arrays["rows"].dtype == np.float32
    assert np.array_equal(arrays["rows"], array)
