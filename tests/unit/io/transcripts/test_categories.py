"""Numbers that are names, and numbers that are quantities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import misword
from misword.cli.main import main
from misword.core.errors import OptionError
from misword.io.results import read_result
from misword.io.transcripts.columns import as_categories, interpret
from misword.report.explorer.data import metadata_columns


@pytest.mark.parametrize(
    "name", ["speaker", "Speaker_ID", "speakerId", "spk", "session-id", "doc", "client_id", "id"]
)
def test_columns_named_as_names(name: str) -> None:
    for values in ([3, 17], ["3", "17"], [3.0, 17.0]):
        assert interpret(pl.Series(name, values)).to_list() == ["3", "17"]


@pytest.mark.parametrize("name", ["age", "idle", "fidelity", "width", "seconds", "grid"])
def test_other_names_are_no_names(name: str) -> None:
    assert interpret(pl.Series(name, [3, 17])).to_list() == [3, 17]


def test_few_distinct_whole_numbers_are_names() -> None:
    levels = pl.Series("level", [0, 5, 10] * 5)
    assert interpret(levels).dtype == pl.String
    assert interpret(levels.head(14)).dtype == pl.Int64  # too few rows for each number
    assert interpret(pl.Series("age", list(range(11)) * 9)).dtype == pl.Int64  # too many numbers
    assert interpret(pl.Series("age", list(range(10)) * 9)).dtype == pl.String


def test_fractions_are_quantities() -> None:
    assert interpret(pl.Series("speaker", [0.5, 1.0] * 20)).dtype == pl.Float64
    assert interpret(pl.Series("seconds", ["0.5", "1"] * 20)).dtype == pl.Float64


def test_missing_values_stay_missing() -> None:
    nan = float("nan")
    assert interpret(pl.Series("speaker", [1.0, nan, 2.0])).to_list() == ["1", None, "2"]
    assert interpret(pl.Series("speaker", ["1", "", "2"])).to_list() == ["1", None, "2"]
    assert interpret(pl.Series("speaker", [1.0, float("inf")])).dtype == pl.Float64


def test_a_column_that_does_not_exist() -> None:
    with pytest.raises(OptionError, match="there is no metadata column 'text'"):
        as_categories(pl.DataFrame({"text": ["a"], "level": [1]}), ["text"], ["level"])


def test_contrast_compares_shares_of_speakers() -> None:
    refs = ["a b", "a c", "b c", "c d"] * 3
    base = ["a b", "x c", "b c", "c d"] * 3
    metadata = {"speaker": [7, 7, 9, 9] * 3}
    found = misword.compare(refs, {"a": refs, "b": base}, "wer", metadata=metadata).contrast
    rows = found.filter(column="speaker").select("value", "worsened", "others").rows()
    assert sorted(rows) == [("7", 1.0, 3 / 9), ("9", 0.0, 6 / 9)]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "ref.csv").write_text(
        "utt,text,level\n" + "".join(f"{at},a b,{at}\n" for at in range(12)), encoding="utf-8"
    )
    for name, text in (("one", "a b"), ("two", "a x")):
        lines = "".join(f"{at},{text if at % 2 else 'a b'}\n" for at in range(12))
        (tmp_path / f"{name}.csv").write_text(f"utt,text\n{lines}", encoding="utf-8")
    return [str(tmp_path / f"{name}.csv") for name in ("ref", "one", "two")]


def explorer_column(folder: Path) -> dict[str, Any]:
    (column,) = metadata_columns(read_result(folder), 12)
    return column


def test_the_option(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain, named, again = (str(tmp_path / name) for name in ("plain", "named", "again"))
    assert main(["score", *files, "--out", plain]) == 0
    assert "numbers" in explorer_column(tmp_path / "plain")
    assert main(["score", *files, "--categorical", "level", "--out", named]) == 0
    assert explorer_column(tmp_path / "named")["values"] == [str(at) for at in range(12)]
    assert main(["compare", plain, "--categorical", "level", "--out", again]) == 0
    assert "values" in explorer_column(tmp_path / "again")
    assert main(["compare", *files, "--categorical", "level", "--block", "level"]) == 0
    capsys.readouterr()
    assert main(["compare", *files, "--categorical", "rooms"]) != 0
    assert "there is no metadata column 'rooms'" in capsys.readouterr().err
