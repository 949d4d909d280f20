"""Stored vectors: the cache, exported folders, kills and races; the command `vectors`."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from damaged import without_checksums
from misword.cli import output as cli_progress
from misword.cli.command_line import parser_of
from misword.cli.commands.lexicons import vectors as command
from misword.core.errors import InputError, OptionError
from misword.embed.vectors import store
from misword.embed.vectors.stored_entry import FILES, INDEX, MATRIX, ORDER, TEXT
from misword.embed.vectors.words import WordVectors
from misword.io.files import checksums
from misword.io.files.writing import cache_folder

OPEN = """
import sys
from misword.embed.vectors.words import WordVectors
vectors = WordVectors.open(sys.argv[1])
print(vectors.digest, len(vectors), float(vectors.matrix.sum()), vectors.folder, *vectors.notes)
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("MISWORD_CACHE", str(folder))
    return folder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "v.vec")


def write(path: Path, rows: int = 300, value: int = 1) -> Path:
    lines = [f"w{i} {value} {i}.5 -1e-3" for i in range(rows)]
    path.write_text("\n".join([f"{rows} 3", *lines]) + "\n", "utf-8")
    return path


def child(path: Path, **options: Any) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-c", OPEN, str(path)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, **options)


def entries(cache: Path) -> list[Path]:
    return [p for p in (cache / "vectors").iterdir() if p.name[0] != "." and p.name != "index"]


def left_over(cache: Path) -> list[Path]:
    return [*(cache / "vectors").glob(".*"), *(cache / "vectors" / "index").glob(".*")]


def no_reading(*arguments: object, **options: object) -> None:
    raise AssertionError("the file was read again")


def test_the_second_opening_reads_nothing(
    file: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = WordVectors.open(file)
    assert first.folder in entries(cache)
    assert not left_over(cache)
    fresh = WordVectors.open(file, keep=False)
    monkeypatch.setattr(store, "write_entry", no_reading)
    monkeypatch.setattr(store, "Stream", no_reading)
    again = WordVectors.open(os.path.relpath(file))
    for other in (again, fresh):
        assert other.matrix.tobytes() == first.matrix.tobytes()
        assert list(other.words) == list(first.words)
        assert (other.digest, other.settings) == (first.digest, first.settings)
        assert not other.matrix.flags.writeable
    assert fresh.folder is None
    assert again.find(["w7", "x", "W8"]).tolist() == [7, -1, 8]


def test_notes_and_duplicate_words_are_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "v.vec")
    path.write_text(path.read_text().replace("w7 ", "w3 ").replace("w9 1", "w9 x"), "utf-8")
    for _ in range(2):
        vectors = WordVectors.open(path)
        assert vectors.notes == (
            "1 line left out, not a finite number (line 11)",
            "1 duplicate word: the first counts (line 9)",
        )
        assert len(vectors) == len(vectors.matrix) == 298
        assert vectors["w3"][1] == 3.5
        assert vectors["w299"][1] == 299.5


def test_equal_content_is_kept_once(
    file: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    WordVectors.open(file)
    copy = tmp_path / "copy.vec"
    copy.write_bytes(file.read_bytes())
    with monkeypatch.context() as patch:
        patch.setattr(store, "write_entry", no_reading)
        assert WordVectors.open(copy).name == str(copy)
    assert len(entries(cache)) == 1
    few = WordVectors.open(file, max_words=5)
    named = WordVectors.open(file, vector_format="word2vec")
    assert len(few) == 5
    assert len(named) == 300
    assert len(entries(cache)) == 2


def test_a_file_changed_in_place(file: Path) -> None:
    before = WordVectors.open(file)
    size = file.stat().st_size
    time.sleep(0.01)
    write(file, value=2)
    assert file.stat().st_size == size
    after = WordVectors.open(file)
    assert after["w5"][0] == 2
    assert before["w5"][0] == 1
    assert after.digest != before.digest


@pytest.mark.parametrize("name", [MATRIX, TEXT, ORDER, INDEX])
def test_a_damaged_entry_is_made_anew(file: Path, cache: Path, name: str) -> None:
    first = WordVectors.open(file)
    assert first.folder is not None
    expected = first.matrix.tobytes()
    del first
    damaged = entries(cache)[0] / name
    damaged.write_bytes(damaged.read_bytes()[:-1] if name != INDEX else b"{}")
    again = WordVectors.open(file)
    assert (again.folder, again.notes) == (entries(cache)[0], ())
    assert again.matrix.tobytes() == expected
    assert again.find(["w299"]).tolist() == [299]
    damaged.unlink()
    assert len(WordVectors.open(file)) == 300
    assert len(entries(cache)) == 1
    assert not left_over(cache)


def test_a_cache_that_cannot_be_written(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "flat").write_text("a file, not a folder")
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path / "flat"))
    done, _ = child(file).communicate()
    assert "None not kept for the next time" in done
    assert "cannot be written (Not a directory)" in done
    vectors = WordVectors.open(file)
    assert len(vectors) == 300
    assert vectors["w5"][1] == 5.5


def test_a_full_disk(file: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, parts: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("misword.embed.vectors.store._write", full)
    vectors = WordVectors.open(file)
    assert "No space left" in vectors.notes[0]
    assert vectors["w5"][1] == 5.5
    assert not entries(cache)
    assert not left_over(cache)


def test_several_processes_at_once(file: Path, cache: Path) -> None:
    running = [child(file) for _ in range(4)]
    told = {process.communicate()[0] for process in running}
    assert [process.returncode for process in running] == [0] * 4
    assert len(told) == 1
    assert len(entries(cache)) == 1
    assert not left_over(cache)


@pytest.mark.slow
def test_a_kill_half_way(tmp_path: Path, cache: Path) -> None:
    path = write(tmp_path / "v.vec", rows=400_000)
    running = child(path)
    while not left_over(cache) if (cache / "vectors").is_dir() else True:
        assert running.poll() is None
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    assert running.wait() == -signal.SIGKILL
    assert running.stdout is not None
    running.stdout.close()
    (stale,) = left_over(cache)
    assert not entries(cache)
    small = WordVectors.open(write(tmp_path / "small.vec"))
    assert not stale.exists()
    assert len(small) == 300
    assert len(WordVectors.open(path)) == 400_000


def test_what_other_processes_write_now_is_left_alone(file: Path, cache: Path) -> None:
    busy = cache / "vectors" / ".entry.other.new"
    busy.mkdir(parents=True)
    WordVectors.open(file)
    assert busy.exists()


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("MISWORD_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert cache_folder() == Path("/xdg/misword")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "misword"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder() == Path.home() / "Library" / "Caches" / "misword"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    assert cache_folder() == Path("/local/misword/Cache")


MEMORY = """
import sys
from misword.embed.vectors.words import WordVectors
def memory(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field))
WordVectors.open(sys.argv[1], keep=False)
with open("/proc/self/clear_refs", "w") as peak:  # the peak from here on
    peak.write("5")
before = memory("VmRSS")
vectors = WordVectors.open(sys.argv[2], keep=sys.argv[3] == "keep")
print((memory("VmHWM") - before) / vectors.matrix.nbytes)
"""


@pytest.mark.slow
@pytest.mark.parametrize("keep", ["keep", "memory"])
def test_memory_while_loading(tmp_path: Path, keep: str) -> None:
    rng = np.random.default_rng(0)
    tails = [" ".join(map("{:.5f}".format, rng.normal(size=300))) for _ in range(50)]
    path = tmp_path / "large.vec"
    with path.open("w") as out:
        out.write("100000 300\n")
        out.writelines(f"w{i} {tails[i % 50]}\n" for i in range(100_000))
    arguments = [sys.executable, "-c", MEMORY, str(write(tmp_path / "v.vec")), str(path), keep]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert float(done.stdout) < 1.3


def run(capsys: pytest.CaptureFixture[str], line: str) -> tuple[str, str]:
    command.run(parser_of("vectors").parse_args(line.split()))
    return capsys.readouterr()


def test_info(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(capsys, f"info {file} --format json")
    facts = json.loads(out)
    assert (facts["words"], facts["dimension"], facts["format"]) == (300, 3, "word2vec")
    assert facts["first words"][:2] == ["w0", "w1"]
    assert facts["bytes on disk"] == file.stat().st_size
    assert facts["norm, greatest"] == pytest.approx(np.hypot(299.5, 1))
    assert facts["lower-case words"] == 1
    assert facts["kept in"] is not None
    assert err == ""
    for form, part in (("table", "dimension"), ("md", "| dimension | 3 |"), ("csv", "dimension,3")):
        assert part in run(capsys, f"info {file} --format {form}")[0]
    assert json.loads(run(capsys, f"info {file} --max-words 7 --format json")[0])["words"] == 7


def test_convert(
    file: Path, tmp_path: Path, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, _ = run(capsys, f"convert {file} --format json")
    assert Path(json.loads(out)["folder"]) in entries(cache)
    out, _ = run(capsys, f"convert {file} --out {tmp_path}/mine --max-words 9 --format json")
    assert json.loads(out)["words"] == 9
    (tmp_path / "mine").rename(tmp_path / "moved")
    file.rename(tmp_path / "gone")
    moved = WordVectors.open(tmp_path / "moved")
    assert list(moved.words) == [f"w{i}" for i in range(9)]
    assert moved["w3"][1] == 3.5
    with pytest.raises(InputError, match="opened as a whole"):
        WordVectors.open(tmp_path / "moved", max_words=3)
    (tmp_path / "moved" / MATRIX).write_bytes(b"")
    with pytest.raises(InputError, match=r"matrix\.f32: the file is damaged"):
        WordVectors.open(tmp_path / "moved")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("sizes", None), ("digest", None), ("shape", [2]), ("shape", [5, 8]), ("notes", None),
        ("pieces", {"a": 1}), ("order", None),
    ],
)  # fmt: skip
def test_a_damaged_folder_is_refused(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str, value: Any
) -> None:
    folder = tmp_path / "out"
    run(capsys, f"convert {file} --out {folder}")
    if key == "order":
        data = (folder / ORDER).read_bytes()
        (folder / ORDER).write_bytes(b"\xff" * len(data))
    else:
        index = json.loads((folder / INDEX).read_text("utf-8"))
        index[key] = value
        (folder / INDEX).write_text(json.dumps(index), "utf-8")
    with pytest.raises(InputError, match=r"damaged|convert"):
        WordVectors.open(folder)


def test_a_file_replaced_with_its_times_kept(file: Path) -> None:
    """`cp -p` keeps size and time of change, but not the time of the inode's change."""
    before = WordVectors.open(file).digest
    times, data = file.stat().st_mtime_ns, file.read_bytes()
    file.write_bytes(data.replace(b" 1 ", b" 2 "))
    os.utime(file, ns=(times, times))
    assert WordVectors.open(file).digest != before


def test_a_flipped_bit_in_a_converted_folder(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, f"convert {file} --out {tmp_path}/mine")
    matrix = tmp_path / "mine" / MATRIX
    data = bytearray(matrix.read_bytes())
    data[100] ^= 1
    matrix.write_bytes(bytes(data))
    with pytest.raises(InputError, match="its checksum does not fit") as caught:
        WordVectors.open(tmp_path / "mine")
    assert caught.value.where == str(matrix)


def test_files_are_hashed_once(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not after they were written, and after a copy at the first opening."""
    hashed: list[str] = []
    original = checksums.file_checksum

    def counted(path: Path, activity: str = "verifying") -> str:
        hashed.append(path.name)
        return original(path, activity)

    monkeypatch.setattr(checksums, "file_checksum", counted)
    run(capsys, f"convert {file} --out {tmp_path}/mine")
    WordVectors.open(tmp_path / "mine")
    WordVectors.open(file)
    WordVectors.open(file)
    assert hashed == []
    shutil.copytree(tmp_path / "mine", tmp_path / "copy")
    for _ in range(2):
        WordVectors.open(tmp_path / "copy")
    assert sorted(hashed) == sorted(FILES)


def test_an_entry_without_checksums_is_made_again(file: Path, cache: Path) -> None:
    expected = WordVectors.open(file).matrix.tobytes()
    (entry,) = entries(cache)
    index = entry / INDEX
    index.write_text(json.dumps(without_checksums(json.loads(index.read_text("utf-8")))), "utf-8")
    assert WordVectors.open(file).matrix.tobytes() == expected
    assert "checksums" in json.loads(index.read_text("utf-8"))


def test_a_damaged_index_of_the_store(file: Path, cache: Path) -> None:
    """The file that names the entry is written again."""
    WordVectors.open(file)
    (record,) = (cache / "vectors" / "index").iterdir()
    for content in (b"\xff", b"../../elsewhere", b"", b"gone"):
        record.write_bytes(content)
        assert len(WordVectors.open(file)) == 300


def test_convert_replaces_only_its_own(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, f"convert {file} --out {tmp_path}/mine --max-words 9")
    run(capsys, f"convert {file} --out {tmp_path}/mine")
    assert len(WordVectors.open(tmp_path / "mine")) == 300
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("years of work")
    with pytest.raises(OptionError, match="holds no vectors"):
        run(capsys, f"convert {file} --out {tmp_path}/other")
    assert (tmp_path / "other" / "thesis.tex").exists()
    with pytest.raises(OptionError, match="cannot be written"):
        run(capsys, f"convert {file} --out {file}/below")
    file.write_text("3 2\na 1 2\n")
    with pytest.raises(InputError, match="lines follow"):
        run(capsys, f"convert {file} --out {tmp_path}/broken")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cache", "mine", "other", "v.vec"]


def test_neighbors_command(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = shared / "vectors" / "fr.vec.gz"
    out, err = run(capsys, f"neighbors {path} maison chien zzqzz maizon -k 3 --format json")
    rows = json.loads(out)
    assert [(row["word"], row["rank"]) for row in rows] == [
        ("maison", 1), ("maison", 2), ("maison", 3), ("chien", 1), ("chien", 2), ("chien", 3),
    ]  # fmt: skip
    assert rows[0]["neighbor"] == "maisonnette"
    assert rows[0]["cosine"] == pytest.approx(0.8137, abs=1e-4)
    assert "'zzqzz' is not among the 30,000 words\n" in err
    assert "did you mean 'marion' or 'maison' or 'main'?" in err
    for form, part in (("table", "cosine"), ("md", "| maison |"), ("csv", "word,neighbor,rank")):
        assert part in run(capsys, f"neighbors {path} maison --format {form}")[0]
    with pytest.raises(InputError, match="none of the words is known: zzqzz"):
        run(capsys, f"neighbors {path} zzqzz")


def test_bars_appear_after_a_while_and_leave_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with cli_progress.bar("reading", 10) as step:
        step(5)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(cli_progress, "PATIENCE", -1)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with cli_progress.bar("reading", 10) as step:
        step(5)
        step(5)
    assert "reading" in capsys.readouterr().err
    with cli_progress.bar("outer", 10) as step:
        step(5)
        with cli_progress.bar("inner", 10) as within:
            within(5)
    assert "inner" not in capsys.readouterr().err
    assert not cli_progress.ACTIVE_BARS


def test_bars_are_for_terminals(file: Path) -> None:
    arguments = f"{sys.executable} -m misword vectors info {file} --format csv"
    done = subprocess.run(arguments.split(), capture_output=True, text=True, check=True)
    assert done.stderr == ""
