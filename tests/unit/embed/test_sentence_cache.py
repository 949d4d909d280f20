"""The cache of sentence vectors: lookup, damaged entries, removal of old entries."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import misword
from misword.asr.measuring import create_metrics
from misword.core.context import Context
from misword.core.errors import MiswordError, OptionError
from misword.core.progress import progress, reporting
from misword.embed import sentence_cache
from misword.embed.sentence_cache import SentenceCache, encode_missing


@pytest.fixture
def kept(tmp_path: Path) -> SentenceCache:
    return SentenceCache("model", tmp_path / "sentences.sqlite", 10_000_000)


def rows_of(texts: list[str]) -> list[Any]:
    return [np.full(3, len(text), np.float32) for text in texts]


def test_cached_vectors_are_found(kept: SentenceCache) -> None:
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    kept.write(["a", "b"], [np.ones(3, np.float32), matrix])
    a, missing, b = kept.read(["a", "c", "b"])
    assert missing is None
    np.testing.assert_array_equal(a, np.ones(3))
    np.testing.assert_array_equal(b, matrix)
    assert SentenceCache("other", kept.file, kept.limit).read(["a"]) == [None]


def test_each_text_is_encoded_once(kept: SentenceCache) -> None:
    asked: list[list[str]] = []

    def encode(texts: Any) -> Any:
        asked.append(list(texts))
        return rows_of(texts)

    encode_missing(kept, ["x", "yy"], encode)
    found = encode_missing(kept, ["yy", "zzz", "x"], encode)
    assert asked == [["x", "yy"], ["zzz"]]
    assert [row[0] for row in found] == [2, 3, 1]


def test_the_oldest_entries_are_removed(tmp_path: Path) -> None:
    kept = SentenceCache("model", tmp_path / "s.sqlite", 400_000)
    for batch in range(20):
        texts = [f"{batch} {i}" for i in range(50)]
        kept.write(texts, [np.zeros(256, np.float32)] * 50)
    assert kept.file.stat().st_size < 600_000
    assert kept.read(["0 0"]) == [None]
    assert kept.read(["19 49"])[0] is not None


def test_a_damaged_file_is_made_anew(kept: SentenceCache) -> None:
    kept.file.write_bytes(b"this is no database, and long enough to be taken for one" * 100)
    assert [row[0] for row in encode_missing(kept, ["a", "bb"], rows_of)] == [1, 2]  # type: ignore[arg-type]
    assert kept.read(["bb"])[0] is not None


def test_a_file_damaged_inside_loses_nothing(kept: SentenceCache) -> None:
    texts = [str(i) * 5 for i in range(500)]
    kept.write(texts, rows_of(texts))
    data = bytearray(kept.file.read_bytes())
    rng = np.random.default_rng(0)
    for at in rng.integers(100, len(data), 300):
        data[at] ^= 0xFF
    kept.file.write_bytes(bytes(data))
    for _ in range(2):
        found = encode_missing(kept, texts, rows_of)  # type: ignore[arg-type]
        np.testing.assert_array_equal(np.stack(found), np.stack(rows_of(texts)))


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = SentenceCache("model", tmp_path / "file" / "s.sqlite", 1000)
    assert [row[0] for row in encode_missing(kept, ["a"], rows_of)] == [1]  # type: ignore[arg-type]


def test_two_processes_at_once(kept: SentenceCache) -> None:
    code = (
        "import sys, numpy as np\n"
        "from pathlib import Path\n"
        "from misword.embed.sentence_cache import SentenceCache\n"
        "kept = SentenceCache('model', Path(sys.argv[1]), 10_000_000)\n"
        "for i in range(40):\n"
        "    texts = [f'{sys.argv[2]} {i} {j}' for j in range(10)] + [f'both {i}']\n"
        "    kept.write(texts, [np.full(8, i, np.float32)] * 11)\n"
    )
    both = [
        subprocess.Popen([sys.executable, "-W", "error", "-c", code, str(kept.file), name])
        for name in "ab"
    ]
    assert [process.wait() for process in both] == [0, 0]
    texts = [f"{name} {i} {j}" for name in "ab" for i in range(40) for j in range(10)]
    assert all(row is not None for row in kept.read(texts))


def test_the_size_is_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISWORD_CACHE_MB", "5")
    assert SentenceCache("model").limit == 5_000_000
    monkeypatch.setenv("MISWORD_CACHE_MB", "much")
    with pytest.raises(MiswordError, match="MISWORD_CACHE_MB"):
        SentenceCache("model")


@pytest.mark.parametrize(
    "damage",
    [
        "data = cast(x'ff' || substr(data, 2) AS BLOB)",
        "data = 'text'",
        "data = NULL",
        "rows = 1",
        "rows = 'many'",
        "checksum = checksum + 1",
        "key = x'00112233445566778899aabbccddeeff'",
    ],
)
def test_what_does_not_fit_its_checksum_is_encoded_again(damage: str, kept: SentenceCache) -> None:
    matrix = np.arange(1, 7, dtype=np.float32).reshape(2, 3)
    kept.write(["a", "b"], [matrix, matrix])
    other = kept._key("c")
    with closing(sqlite3.connect(kept.file)) as base, base:
        if damage.startswith("data = NULL"):  # the table allows none: it is made anew without
            base.execute("CREATE TABLE free AS SELECT * FROM vectors")
            base.execute("DROP TABLE vectors")
            base.execute("ALTER TABLE free RENAME TO vectors")
        base.execute(f"UPDATE vectors SET {damage} WHERE key = ?", [kept._key("a")])
        base.execute(
            "UPDATE vectors SET key = ? WHERE key = x'00112233445566778899aabbccddeeff'", [other]
        )
    assert kept.read(["a", "c"]) == [None, None]
    (found,) = encode_missing(kept, ["a"], rows_of)  # type: ignore[arg-type]
    np.testing.assert_array_equal(found, np.ones(3))
    assert kept.read(["b"])[0] is not None


def test_a_full_cache_gives_way_by_a_tenth(tmp_path: Path) -> None:
    """Otherwise each new sentence would make the cache remove entries."""
    kept = SentenceCache("model", tmp_path / "s.sqlite", 400_000)
    for batch in range(12):
        kept.write([f"{batch} {i}" for i in range(50)], [np.zeros(256, np.float32)] * 50)
        with closing(sqlite3.connect(kept.file)) as base:
            used = sentence_cache._used_bytes(base)
        if batch >= 7:  # 50 are about 55 kB: seven fit
            assert 0.7 * kept.limit < used <= kept.limit
        if batch == 7:
            assert used <= 0.9 * kept.limit


def test_blocks_are_kept_one_by_one(kept: SentenceCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_cache, "BLOCK", 2)
    texts = ["ccc", "a", "bb", "dddd", "eeeee"]

    def encode(some: Any) -> Any:
        if "eeeee" in some:
            raise KeyboardInterrupt
        return rows_of(some)

    with pytest.raises(KeyboardInterrupt):
        encode_missing(kept, texts, encode)
    there = [row is not None for row in kept.read(texts)]
    assert there == [True, True, True, True, False]
    found = encode_missing(kept, texts, rows_of)  # type: ignore[arg-type]
    assert [row[0] for row in found] == [3, 1, 2, 4, 5]


def test_blocks_are_reported_as_one(kept: SentenceCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_cache, "BLOCK", 2)
    told: list[tuple[str, int | None]] = []
    done: list[int] = []

    @contextmanager
    def reporter(what: str, total: int | None) -> Any:
        told.append((what, total))
        yield done.append

    def encode(some: Any) -> Any:
        with progress("encoding", len(some)) as step:
            step(len(some))
        return rows_of(some)

    with reporting(reporter):
        encode_missing(kept, list("abcde"), encode, "encoding")
    assert (told, done) == ([("encoding", 5)], [2, 2, 1])


def test_a_place_that_cannot_be_written_is_refused_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path / "file"))
    context = Context(cache=True)
    with pytest.raises(OptionError, match="cannot be written") as caught:
        create_metrics("semdist", context)
    assert caught.value.where == str(tmp_path / "file")
    assert "MISWORD_CACHE" in caught.value.fix
    assert "--cache" in caught.value.fix
    assert create_metrics("wer", context)  # which keeps nothing
    assert create_metrics("semdist", Context())
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path))
    monkeypatch.setenv("MISWORD_CACHE_MB", "much")
    with pytest.raises(OptionError, match="MISWORD_CACHE_MB"):
        create_metrics("bertscore", context)


def test_a_damaged_file_is_no_reason_to_refuse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path))
    sentence_cache.check()
    (file,) = tmp_path.glob("*.sqlite")
    file.write_bytes(b"this is no database, and long enough to be taken for one" * 100)
    misword.score(["a cat"], ["a bat"], "semdist", cache=True)
    with closing(sqlite3.connect(file)) as base:
        assert base.execute("SELECT COUNT(*) FROM vectors").fetchone() == (2,)
