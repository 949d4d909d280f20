"""`misword check` on the command line."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path
from typing import Any

import pytest

from misword.cli.main import main
from misword.io.results import read_result
from planted import DEMO, Texts, demo, every, removed

Capture = pytest.CaptureFixture[str]


def write(folder: Path, texts: Texts) -> list[str]:
    names = [str(folder / name) for name in ("ref.txt", "hyp.txt")]
    for name, side in zip(names, texts, strict=True):
        Path(name).write_text("".join(f"{text}\n" for text in side), "utf-8")
    return names


def output(capsys: Capture, *arguments: str, code: int = 0) -> str:
    assert main(["check", *arguments]) == code
    return capsys.readouterr().out


def as_json(capsys: Capture, *arguments: str, code: int = 0) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(output(capsys, *arguments, "--format", "json", code=code))
    return parsed


def test_sound_files(tmp_path: Path, capsys: Capture) -> None:
    files = write(tmp_path, demo("en"))
    assert as_json(capsys, *files, "--strict")["findings"] == []
    assert "nothing found" in output(capsys, *files, "--format", "table")


def test_strict_is_exit_code_1(tmp_path: Path, capsys: Capture) -> None:
    files = write(tmp_path, removed(40)(demo("en")))
    assert as_json(capsys, *files)["sound"] is False
    found = as_json(capsys, *files, "--strict", code=1)
    (finding,) = found["findings"]
    assert finding["check"] == "shifts"
    assert finding["mend"].startswith("sed -i ")
    assert finding["examples"][0]["other_line"] == finding["examples"][0]["line"] + 1


def test_notes_are_not_strict(tmp_path: Path, capsys: Capture) -> None:
    refs, hyps = demo("en")
    files = write(tmp_path, Texts(refs, [*hyps[:8], "", *hyps[9:]]))
    found = as_json(capsys, *files, "--strict")
    assert [finding["severity"] for finding in found["findings"]] == ["note"]


@pytest.mark.parametrize("form", ["table", "md", "csv"])
def test_formats(form: str, tmp_path: Path, capsys: Capture) -> None:
    files = write(tmp_path, every(1, str.upper)(demo("en")))
    text = output(capsys, *files, "--format", form)
    assert "--forgive case" in text
    if form == "csv":
        (row,) = csv.DictReader(io.StringIO(text))
        assert (row["check"], row["severity"]) == ("case", "warning")


def test_result_folder_and_report(tmp_path: Path, capsys: Capture) -> None:
    files = write(tmp_path, removed(40)(demo("en")))
    out, page = str(tmp_path / "out"), tmp_path / "check.html"
    output(capsys, *files, "--out", out, "--report", str(page))
    result = read_result(out)
    assert (result.kind, len(result.tables["findings"])) == ("check", 1)
    assert "slipped lines" in page.read_text("utf-8")
    assert main(["report", out, "-o", str(tmp_path / "again.html")]) == 0


def test_one_table_has_both_sides(tmp_path: Path, capsys: Capture) -> None:
    refs, hyps = demo("en")
    rows = [{"audio_filepath": f"{i}.wav", "text": a, "pred_text": b.upper()}
            for i, (a, b) in enumerate(zip(refs, hyps, strict=True))]  # fmt: skip
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    (finding,) = as_json(capsys, str(manifest))["findings"]
    assert finding["check"] == "case"
    assert finding["mend"] == f"misword score {manifest} --forgive case"


def test_ids_that_match_by_accident(tmp_path: Path, capsys: Capture) -> None:
    refs, hyps = demo("en")
    ids = [str(row) for row in range(len(refs))]
    for name, texts, order in (("ref", refs, ids), ("hyp", hyps, ids[7:] + ids[:7])):
        rows = [f'{utt},"{text}"' for utt, text in zip(order, texts, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["utt,text", *rows]), "utf-8")
    files = [str(tmp_path / f"{name}.csv") for name in ("ref", "hyp")]
    found = as_json(capsys, *files, "--checks", "pairing,shifts")["findings"]
    assert found
    assert found[0]["severity"] == "error"


def test_ids_of_one_side(tmp_path: Path, capsys: Capture) -> None:
    refs, hyps = demo("en")
    for name, texts in (("ref", refs), ("hyp", hyps[:100])):
        rows = [f"utt{row} {text}" for row, text in enumerate(texts)]
        (tmp_path / name).write_text("\n".join(rows) + "\n", "utf-8")
    files = [str(tmp_path / name) for name in ("ref", "hyp")]
    (finding,) = as_json(capsys, *files, "--checks", "pairing", "--input-format", "kaldi")[
        "findings"
    ]
    assert "110 are only in" in finding["message"]


def test_demo_tables(capsys: Capture) -> None:
    files = [str(DEMO / "en" / f"{name}.csv") for name in ("ref", "whisper-tiny", "pocketsphinx")]
    assert as_json(capsys, *files, "--lang", "en", "--strict")["findings"] == []


def test_training_and_lexicon_are_one_option(tmp_path: Path, capsys: Capture) -> None:
    files = write(tmp_path, demo("en"))
    for option in ("--training", "--lexicon"):
        found = as_json(capsys, *files, option, files[0], "--checks", "training")
        assert [finding["severity"] for finding in found["findings"]] == ["warning"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--checks", "shift"], "did you mean 'shifts'"),
        (["--translation-references", "x"], "need translations"),
        (["--translations", "a", "--translations", "b"], "2 files of translations for 1 system"),
        (["--report", "REF"], "this is an input"),
    ],
)
def test_wrong_options(arguments: list[str], message: str, tmp_path: Path, capsys: Capture) -> None:
    files = write(tmp_path, demo("en"))
    arguments = [files[0] if argument == "REF" else argument for argument in arguments]
    assert main(["check", *files, *arguments]) == 2
    assert message in capsys.readouterr().err


def test_parts_lists_the_checks(capsys: Capture) -> None:
    assert main(["parts", "checks", "--format", "json"]) == 0
    assert {row["name"] for row in json.loads(capsys.readouterr().out)} >= {"shifts", "copied"}


def test_one_file_by_itself(tmp_path: Path, capsys: Capture) -> None:
    ref, _ = write(tmp_path, demo("en"))
    assert as_json(capsys, ref, "--lang", "en", "--strict")["findings"] == []
    assert as_json(capsys, ref, "--lang", "fr", "--strict", code=1)["sound"] is False


def test_no_command_changes_standard_input(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref, hyp = write(tmp_path, every(1, str.upper)(demo("en")))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path(hyp).read_bytes())))
    (finding,) = as_json(capsys, ref, "-")["findings"]
    assert (finding["check"], finding["mend"]) == ("case", "")


def test_ids_in_another_order_than_the_texts(tmp_path: Path, capsys: Capture) -> None:
    """Both files have the ids 0, 1, 2, ..., but they number different orders."""
    refs, hyps = demo("en")
    ids = [str(row) for row in range(len(refs))]
    order = random.Random(5).sample(ids, len(ids))
    for name, texts, utts in (("ref", refs, ids), ("hyp", hyps, order)):
        rows = [f'{utt},"{text}"' for utt, text in zip(utts, texts, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["utt,text", *rows]), "utf-8")
    files = [str(tmp_path / f"{name}.csv") for name in ("ref", "hyp")]
    (finding,) = as_json(capsys, *files)["findings"]
    assert finding["message"].startswith("the ids match by accident")
    assert finding["mend"] == f"misword score {files[0]} {files[1]} --id-column none"
