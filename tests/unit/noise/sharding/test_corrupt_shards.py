"""Corruption of shards: the same texts for any division, format and engine; bad shards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import misword
from misword.core.errors import InputError, MismatchError, OptionError
from misword.noise.error_model import Mix

WORDS = ["cat", "dog", "sat", "mat", "house", "Anna,", "went", "home", "CNN", "été"]
READ: dict[str, Callable[[Path], pl.DataFrame]] = {
    "parquet": pl.read_parquet,
    "csv": pl.read_csv,
    "jsonl": pl.read_ndjson,
}


def texts(count: int = 120) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    rows = [" ".join(rng.choice(WORDS, rng.integers(1, 12))) for _ in range(count)]
    return pl.DataFrame(
        {"id": [f"u{n}" for n in range(count)], "text": rows, "speaker": ["x\n,y"] * count}
    )


def write_shards(frame: pl.DataFrame, folder: Path, count: int, kind: str) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    step = -(-len(frame) // count)
    for number in range(count):
        part, path = frame[number * step : (number + 1) * step], folder / f"s{number}.{kind}"
        if kind == "parquet":
            part.write_parquet(path)
        elif kind == "csv":
            part.write_csv(path)
        else:
            part.write_ndjson(path)
    return str(folder / f"*.{kind}")


def noisy(folder: Path, kind: str) -> pl.DataFrame:
    parts = [READ[kind](path) for path in sorted(folder.glob(f"*.{kind}"))]
    return pl.concat(parts).fill_null("")  # polars reads an empty field of CSV as null


def corrupted(
    pattern: str, folder: Path | str, wer: float | list[float] = 0.3, **options: object
) -> misword.Corruption:
    running = {n: options.pop(n) for n in ("engine", "workers", "keep_going") if n in options}
    options = {"channel": "uniform", "mix": Mix(0.7, 0.2, 0.1), **options}
    source = misword.shards(pattern, out=folder, **running)  # type: ignore[arg-type]
    return misword.corrupt(source, wer, **options)  # type: ignore[arg-type]


def test_the_division_the_format_and_the_order_do_not_matter(tmp_path: Path) -> None:
    frame, found = texts(), []
    for kind in READ:
        for count in (1, 4):
            rows = frame if count == 1 else frame.sample(fraction=1, shuffle=True, seed=3)
            pattern = write_shards(rows, tmp_path / f"{kind}{count}", count, kind)
            out = tmp_path / f"noisy-{kind}{count}"
            summary = corrupted(pattern, out).summary
            found.append((noisy(out, kind).sort("id").rows(), summary.rows()))
    assert all(one == found[0] for one in found)
    assert found[0][0] != frame.sort("id").rows()
    assert [row[2] for row in found[0][0]] == frame["speaker"].to_list()


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["process", "ray"])
def test_the_engine_does_not_matter(tmp_path: Path, engine: str) -> None:
    pattern = write_shards(texts(), tmp_path / "in", 3, "parquet")
    corrupted(pattern, tmp_path / "serial")
    corrupted(pattern, tmp_path / "other", engine=engine, workers=2)
    assert noisy(tmp_path / "serial", "parquet").equals(noisy(tmp_path / "other", "parquet"))


def test_rows_without_ids_are_numbered_over_all_shards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one shard, in five, and in one that is read in parts."""
    frame = texts().select("text")
    for name, count, rows in (("one", 1, 4096), ("five", 5, 4096), ("parts", 1, 7)):
        monkeypatch.setattr("misword.io.shards.tables.FIRST_ROWS", rows)
        monkeypatch.setattr("misword.io.shards.tables.MOST_ROWS", rows)
        pattern = write_shards(frame, tmp_path / name, count, "parquet")
        corrupted(pattern, tmp_path / f"noisy-{name}")
    found = [noisy(tmp_path / f"noisy-{name}", "parquet") for name in ("one", "five", "parts")]
    assert found[0].equals(found[1])
    assert found[0].equals(found[2])


def test_equal_sentences_have_different_errors(tmp_path: Path) -> None:
    frame = pl.DataFrame({"text": ["the cat sat on the mat"] * 200})
    corrupted(write_shards(frame, tmp_path / "in", 2, "csv"), tmp_path / "out")
    assert noisy(tmp_path / "out", "csv")["text"].n_unique() > 50


def test_the_summary_is_what_score_counts(tmp_path: Path) -> None:
    frame = texts()
    pattern = write_shards(frame, tmp_path / "in", 2, "jsonl")
    done = corrupted(pattern, tmp_path / "out")
    rows = noisy(tmp_path / "out", "jsonl")["text"].to_list()
    scored = misword.score(frame["text"].to_list(), rows, "wer")["wer"]
    assert done.summary["wer"].to_list() == [scored]
    assert abs(scored - 0.3) < 0.005


def test_several_rates_have_a_folder_each(tmp_path: Path) -> None:
    pattern = write_shards(texts(), tmp_path / "in", 2, "csv")
    done = corrupted(pattern, tmp_path / "out", [0.1, 0.2])
    assert done.summary["system"].to_list() == ["wer-0.10", "wer-0.20"]
    corrupted(pattern, tmp_path / "alone", 0.2)
    both = [noisy(tmp_path / "out" / "wer-0.20", "csv"), noisy(tmp_path / "alone", "csv")]
    assert both[0].equals(both[1])


def test_a_second_run_keeps_finished_shards(tmp_path: Path) -> None:
    pattern = write_shards(texts(), tmp_path / "in", 3, "csv")
    first = corrupted(pattern, tmp_path / "out")
    (tmp_path / "out" / "s1.csv").unlink()
    before = (tmp_path / "out" / "s0.csv").stat().st_mtime_ns
    again = corrupted(pattern, tmp_path / "out")
    assert again.summary.equals(first.summary)
    assert "2 of 3 shards had been finished before" in again.notes
    assert (tmp_path / "out" / "s0.csv").stat().st_mtime_ns == before
    assert (tmp_path / "out" / "s1.csv").exists()
    other = corrupted(pattern, tmp_path / "out", seed=9)
    assert not any("before" in note for note in other.notes)


def test_all_bad_shards_are_named_and_nothing_is_written(tmp_path: Path) -> None:
    pattern = write_shards(texts(), tmp_path / "in", 4, "csv")
    (tmp_path / "in" / "s1.csv").write_bytes(b"id,text\nu1,\xff\xfe\n")
    (tmp_path / "in" / "s3.csv").write_text("id,other\nu1,x\n")
    with pytest.raises(InputError) as caught:
        corrupted(pattern, tmp_path / "out")
    assert "2 problems in 4 shards" in str(caught.value)
    assert "s1.csv" in str(caught.value)
    assert "s3.csv" in str(caught.value)
    assert not (tmp_path / "out").exists()
    done = corrupted(pattern, tmp_path / "out", keep_going=True)
    assert any(note.startswith("2 of 4 shards left out: ") for note in done.notes)
    assert sorted(path.name for path in (tmp_path / "out").glob("*.csv")) == ["s0.csv", "s2.csv"]


def test_shards_with_and_without_ids_are_refused(tmp_path: Path) -> None:
    pattern = write_shards(texts(), tmp_path / "in", 2, "csv")
    (tmp_path / "in" / "s1.csv").write_text("text\na b\n")
    with pytest.raises(MismatchError, match=r"s1\.csv has no ids"):
        corrupted(pattern, tmp_path / "out")


def test_the_folder_of_the_shards_is_refused(tmp_path: Path) -> None:
    pattern = write_shards(texts(), tmp_path / "in", 2, "csv")
    with pytest.raises(OptionError, match="folder of the shards"):
        corrupted(pattern, tmp_path / "in")


def test_files_of_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_shards(texts(), tmp_path / "in" / name, 1, "csv")
    with pytest.raises(OptionError, match="one name"):
        corrupted(str(tmp_path / "in" / "**" / "*.csv"), tmp_path / "out")


def test_urls_are_read_and_written() -> None:
    fsspec = pytest.importorskip("fsspec")
    store = fsspec.filesystem("memory")
    for number in range(2):
        store.pipe_file(f"/noise/in/s{number}.csv", texts(40).write_csv().encode())
    corrupted("memory://noise/in/*.csv", "memory://noise/out")
    frame = pl.read_csv(store.cat_file("/noise/out/s0.csv"))
    assert frame.columns == ["id", "text", "speaker"]
    assert frame["text"].to_list() != texts(40)["text"].to_list()
    store.rm("/noise", recursive=True)


def test_a_few_words_have_the_nearest_number_of_errors(tmp_path: Path) -> None:
    """A WER of 0.3 of nine words is 2.7 errors: one error more or less is near enough."""
    frame = pl.DataFrame({"id": ["1", "2"], "text": ["<b>a</b> b c d e f", "x y z"]})
    pattern = write_shards(frame, tmp_path / "in", 1, "csv")
    done = corrupted(pattern, tmp_path / "out", mix=Mix())
    assert abs(done.summary["substitutions"].item() - 2.7) <= 1


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    pattern = write_shards(texts(), tmp_path / "in", 1, "csv")
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OptionError):
        corrupted(pattern, tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_the_texts_are_in_the_files(tmp_path: Path) -> None:
    pattern = write_shards(texts(), tmp_path / "in", 2, "csv")
    done = corrupted(pattern, tmp_path / "out")
    assert done.rows == 120
    assert list(done.result().tables) == ["summary"]
    assert done.result().provenance["shards"]["number"] == 2
    with pytest.raises(OptionError, match="noisy shards need a folder"):
        misword.corrupt(misword.shards(pattern), 0.3, channel="uniform")
    with pytest.raises(OptionError, match="ids cannot be used with shards"):
        misword.corrupt(
            misword.shards(pattern, out=tmp_path / "b"), 0.3, channel="uniform", ids=["a"]
        )
