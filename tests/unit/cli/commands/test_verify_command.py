"""`misword verify`: files that are whole, damaged, and without checksums."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import misword
from damaged import without_checksums
from misword.cli.main import main
from misword.embed import sentence_cache
from misword.embed.sentence_cache import SentenceCache
from misword.embed.vectors.words import WordVectors
from misword.io.files.archives import write_archive
from misword.io.results import write_result
from own_files import rewrite
from spaces_made import turned


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one file of each kind, and a cache beside it."""
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path / "cache"))
    made = tmp_path / "made"
    made.mkdir()
    source, target, pairs = turned(20, 3, noise=0.1)
    for name, vectors in (("left", source), ("right", target)):
        rows = zip(vectors.words, vectors.matrix.tolist(), strict=True)
        lines = "".join(f"{word} {' '.join(map(str, row))}\n" for word, row in rows)
        (tmp_path / f"{name}.vec").write_text(f"20 3\n{lines}", "utf-8")
    left, right = tmp_path / "left.vec", tmp_path / "right.vec"
    misword.map_vectors(left, right, "procrustes", lexicon=pairs, output=made / "lr.map")
    write_result(misword.score(["a b"], ["a c"]).result(bootstrap=0), made / "deep" / "result")
    learnt = misword.learn_noise(["a b", "a"], ["a c", "a"])
    (made / "noise.json").write_text(learnt.to_json(), "utf-8")
    (made / "other.json").write_text("{}", "utf-8")
    assert main(["vectors", "convert", str(left), "--out", f"{made}/vec", "-q"]) == 0
    return made


def verify(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    """The rows of the command by the last part of their path."""
    capsys.readouterr()
    assert main(["verify", *words, "--format", "json"]) == code
    rows = json.loads(capsys.readouterr().out)
    return {Path(row["path"]).name: row for row in rows}


def states(rows: dict[str, Any]) -> dict[str, str]:
    return {name: row["state"] for name, row in rows.items()}


def test_all_kinds_are_found_in_a_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = verify(capsys, str(folder))
    assert {name: row["kind"] for name, row in found.items()} == {
        "result": "result", "vec": "vectors", "lr.map": "mapping", "noise.json": "noise",
    }  # fmt: skip
    assert set(states(found).values()) == {"whole"}
    named = verify(capsys, str(folder / "lr.map"), str(folder / "noise.json"))
    assert states(named) == {"lr.map": "whole", "noise.json": "whole"}


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("result", "deep/result/summary.parquet"), ("result", "deep/result/result.json"),
        ("vec", "vec/matrix.f32"), ("vec", "vec/words"), ("lr.map", "lr.map"),
        ("noise.json", "noise.json"),
    ],
)  # fmt: skip
def test_a_flipped_bit_is_found(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, file: str
) -> None:
    """Also in files that were verified before."""
    WordVectors.open(folder / "vec")
    path = folder / file
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    found = verify(capsys, str(folder), code=1)
    expected = dict.fromkeys(found, "whole") | {name: "damaged"}
    assert states(found) == expected
    assert found[name]["what"]
    assert main(["verify", str(folder), "--format", "table"]) == 1
    assert "damaged" in capsys.readouterr().out


def test_files_without_checksums(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("deep/result/result.json", "vec/entry.json", "noise.json"):
        path = folder / name
        content = without_checksums(json.loads(path.read_text("utf-8")))
        path.write_text(json.dumps(content), "utf-8")
    found = states(verify(capsys, str(folder)))
    assert found.pop("lr.map") == "whole"
    assert set(found.values()) == {"without checksums"}


def test_damaged_beyond_recognition(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is named is judged by its suffix."""
    for name in ("lr.map", "noise.json"):
        (folder / name).write_bytes(b"junk")
        assert states(verify(capsys, str(folder / name), code=1)) == {name: "damaged"}


def test_the_cache(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    SentenceCache("model").write(["one"], [np.ones(3, np.float32)])
    cache = folder.parent / "cache"
    (cache / "hearing").mkdir()
    write_archive(cache / "hearing" / "m.npz", "misword-error-model", {"version": 1}, {})
    np.savez(cache / "hearing" / "old.npz", ids=np.zeros(3))
    found = states(verify(capsys, "--cache"))
    assert len(found) == 5  # two files of vectors
    assert found.pop("old.npz") == "without checksums"
    assert set(found.values()) == {"whole"}
    (cache / "hearing" / "m.npz").write_bytes(b"misword.json")
    file = sentence_cache.default_file()
    file.write_bytes(file.read_bytes().replace(np.ones(3, "<f4").tobytes(), bytes(12)))
    entry = next(cache.glob("vectors/*/matrix.f32"))
    entry.write_bytes(bytes(entry.stat().st_size))
    found = states(verify(capsys, "--cache", code=1))
    assert sorted(found.values()).count("damaged") == 3


def test_files_that_cannot_be_opened(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("lr.map", "noise.json"):
        path = folder / name
        path.unlink()
        path.symlink_to(folder / "gone")
    assert set(states(verify(capsys, str(folder)))) == {"result", "vec"}
    assert main(["verify", str(folder / "lr.map")]) == 2


def test_what_misword_did_not_write(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    for words, message in (
        ([str(tmp_path / "empty")], "nothing here was written by misword"),
        ([str(tmp_path / "left.vec")], "nothing here was written by misword"),
        ([str(tmp_path / "gone")], "no such file or folder"),
        ([], "nothing to check"),
    ):
        assert main(["verify", *words]) == 2
        assert message in capsys.readouterr().err


def test_a_changed_result_is_not_whole(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    index = folder / "deep" / "result" / "result.json"
    rewrite(index, lambda content: content["tables"]["summary"].update(rows=99))
    found = verify(capsys, str(folder / "deep"), code=1)
    assert "other rows" in found["result"]["what"]
