"""Files of sentence pairs with scores."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest

from misword.core.errors import InputError, OptionError
from misword.io.judgements import read_sts

SICK = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
ORIGINAL = "main-news\tMSRpar\t2012test\t0{n}\t4.{n}\tA \"quoted man.\tIt's b, {n}.{more}\n"
EXPECTED = [("a b", "c, d", 4.5), ('e "f', "", 0.0)]


def read(
    home: Path, text: str, name: str = "pairs.tsv", **how: object
) -> list[tuple[str, str, float]]:
    file = home / name
    file.write_text(text, "utf-8")
    return read_sts(file, **how).rows()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.csv", 'a b,"c, d",4.5\n"e ""f",,0\n'),
        ("x.csv", 'sentence1,sentence2,score\na b,"c, d",4.5\n"e ""f",,0\n'),
        ("x.csv", "a b\tc, d\t4.5\ne \"f\t\t0.0\n"),
        ("x.tsv", 'a b\tc, d\t4.5\ne "f\t\t0\n\n'),
        ("x.txt", 'score\tS1\tS2\n4.5\ta b\tc, d\n0\te "f\t\n'),
        ("x", '4.5\ta b\tc, d\r\n0\te "f\t\r\n'),
        ("x.txt", SICK + '1\ta b\tc, d\t4.5\tNEUTRAL\n2\te "f\t\t0\tNEUTRAL\n'),
        ("x.jsonl", '{"a":"a b","b":"c, d","gold":4.5}\n{"a":"e \\"f","b":"","gold":0}\n'),
    ],
)  # fmt: skip
def test_layouts_that_are_known(tmp_path: Path, name: str, text: str) -> None:
    assert read(tmp_path, text, name) == EXPECTED


def test_the_original_benchmark_has_ragged_rows(tmp_path: Path) -> None:
    """sts-dev.csv: tabs whatever its name says, no header, licences at the ends of some rows."""
    text = ORIGINAL.format(n=1, more="") + ORIGINAL.format(n=2, more="\tlicence\tlink")
    found = read(tmp_path, text, "sts-dev.csv")
    assert found == [('A "quoted man.', "It's b, 1.", 4.1), ('A "quoted man.', "It's b, 2.", 4.2)]


def test_columns_by_name_and_by_place(tmp_path: Path) -> None:
    text = "x\ty\tz\n1\tc\ta\n2\td\tb\n"
    assert read(tmp_path, text, columns=["z", "y", "x"]) == [("a", "c", 1), ("b", "d", 2)]
    bare = "7\t1\tc\ta\n8\t2\td\tb\n"
    assert read(tmp_path, bare, columns=["4", "3", "2"]) == [("a", "c", 1), ("b", "d", 2)]
    quoted = 'x\ty\tz\n1\t"c\td"\ta\n'
    found = read(tmp_path, quoted, columns=["z", "y", "x"], input_format="tsv")
    assert found == [("a", "c\td", 1)]


def test_compressed_and_parquet(tmp_path: Path) -> None:
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(b"a,b,1\n"))
    assert read_sts(tmp_path / "x.csv.gz").rows() == [("a", "b", 1.0)]
    pl.DataFrame({"s1": ["a"], "s2": ["b"], "score": [3]}).write_parquet(tmp_path / "x.parquet")
    assert read_sts(tmp_path / "x.parquet").rows() == [("a", "b", 3.0)]


@pytest.mark.parametrize(
    ("text", "message", "where"),
    [
        ("a\tb\t1\nc\td\tx\n", "'x' in column 'score' is no score", ":2"),
        ("a\tb\t1\nc\td\t\n", "'' in column 'score' is no score", ":2"),
        ("a\tb\t1\nc\td\tnan\n", "'nan' in column 'score' is no score", ":2"),
        ("a\tb\t1\nc\td\n", "2 fields, where others have 3", ":2"),
        ("s1\ts2\tscore\na\tb\n", "2 fields, where the header has 3", ":2"),
        ("s1\ts2\tscore\n", "no pairs in it", ""),
        ("\n\n", "no pairs in it", ""),
        ("one\ttwo\tthree\na\tb\t1\n", "no column sentence1 or .*; it has: one, two, three", ""),
        ("s1\ts2\ts3\na\tb\t1\n", "no column score or", ""),
    ],
)
def test_errors_say_what_and_where(tmp_path: Path, text: str, message: str, where: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, text)
    assert caught.value.where.endswith(f"pairs.tsv{where}")
    assert caught.value.fix


def test_options_that_do_not_fit(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="2 columns named, not three"):
        read(tmp_path, "a\tb\t1\n", columns=["1", "2"])
    with pytest.raises(InputError, match="two of the three columns are the same"):
        read(tmp_path, "a\tb\t1\n", columns=["1", "1", "3"])
    with pytest.raises(OptionError, match="no columns"):
        read(tmp_path, "a b 1\n", input_format="lines")


def test_corpora_are_read_as_they_are(shared: Path) -> None:
    sizes = {"SICK_trial.txt": 500, "SICK_train.txt": 4500, "stsb-en-dev.csv": 1500}
    for name, size in sizes.items():
        found = read_sts(shared / "sts" / name)
        assert len(found) == size
        assert found["score"].max() == 5
