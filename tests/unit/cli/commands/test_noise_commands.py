"""The commands `corrupt`, `learn-noise` and `realism`."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import misword
from misword.cli.main import main
from misword.io.results import read_result
from misword.io.transcripts.rewriting import Rewritable
from misword.noise import corrupt
from misword.noise.corruption import text_block
from misword.noise.corruption.text_block import TextBlock

LINES = ["The cat sat on the mat.", "", "So we went home, didn't we?", "  on  THE mat "] * 10
Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "text.txt").write_text("".join(f"{line}\n" for line in LINES), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: Captured, command: str, code: int = 0) -> tuple[str, str]:
    assert main(command.split()) == code
    return capsys.readouterr()


def rows(capsys: Captured, command: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run(capsys, f"{command} --format json")[0])["rows"]
    return found


def agrees(capsys: Captured, clean: str, noisy: str, claimed: dict[str, Any]) -> None:
    """`score` gives the rates that `corrupt` printed."""
    (found,) = rows(capsys, f"score {clean} {noisy} --metrics wer --bootstrap 0")
    for name in ("substitutions", "deletions", "insertions", "hits"):
        assert found[name] == claimed[name], name
    assert found["rate"] == claimed["wer"]


@pytest.mark.parametrize("mix", ["s=1", "s=0.6,d=0.2,i=0.2", "d=1"])
def test_score_agrees(capsys: Captured, mix: str) -> None:
    command = f"corrupt text.txt --wer 0.3 --seed 7 --channel uniform --mix {mix} -o noisy.txt"
    (claimed,) = rows(capsys, command)
    assert claimed["asked"] == 0.3
    assert claimed["wer"] == pytest.approx(0.3, abs=0.004)
    agrees(capsys, "text.txt", "noisy.txt", claimed)
    again = Path("noisy.txt").read_bytes()
    run(capsys, f"{command} --workers 1")
    assert Path("noisy.txt").read_bytes() == again
    run(capsys, command.replace("--seed 7", "--seed 8"))
    assert Path("noisy.txt").read_bytes() != again


def test_nothing_to_do_changes_nothing(capsys: Captured) -> None:
    for data in (b"a b\r\n\r\nc \xc2\xa0d", "\ufeffé a\nb\n".encode(), b"a\n\n\n"):
        Path("odd.txt").write_bytes(data)
        run(capsys, "corrupt odd.txt --wer 0 --channel uniform -o same.txt --input-format lines")
        assert Path("same.txt").read_bytes() == data


def test_several_rates(capsys: Captured) -> None:
    found = rows(capsys, "corrupt text.txt --wer 0:0.4:0.2 --channel uniform -o n.txt --out all")
    names = ["wer-0.00", "wer-0.20", "wer-0.40"]
    assert [row["system"] for row in found] == names
    assert sorted(path.name for path in Path().glob("n.*")) == [f"n.{name}.txt" for name in names]
    assert Path("n.wer-0.00.txt").read_bytes() == Path("text.txt").read_bytes()
    result = read_result("all")
    assert result.kind == "corruption"
    hypotheses = result.tables["hypotheses"]
    last = hypotheses.filter(pl.col("system") == "wer-0.40")["text"].to_list()
    assert last == Path("n.wer-0.40.txt").read_text("utf-8").split("\n")[:-1]
    assert result.tables["references"]["text"].to_list() == LINES
    truth = result.tables["truth"]
    assert truth["system"].unique().sort().to_list() == names[1:]
    assert truth.columns[:6] == ["system", "utt", "position", "kind", "old", "new"]
    assert set(result.provenance["sha256"]) == {"text.txt"}
    agrees(capsys, "text.txt", "n.wer-0.40.txt", found[2])


@pytest.mark.parametrize("folder", [".", "/"])
def test_several_rates_into_a_folder(capsys: Captured, folder: str) -> None:
    _, err = run(capsys, f"corrupt text.txt --wer 0.1,0.2 --channel uniform -o {folder}", 2)
    assert "folder" in err


def test_formats_stay_what_they_are(capsys: Captured) -> None:
    words = [("u1", "the cat, sat"), ("u2", ""), ("u3", "on the mat")]
    Path("text").write_text("".join(f"{u} {t}\n" for u, t in words), "utf-8")
    Path("t.csv").write_text('utt,spk,text\nu1,x,"the cat, sat"\nu2,"y ""q""",\nu3,z,on the mat\n')
    Path("t.tsv").write_text("utt\ttext\nu1\tthe cat, sat\nu2\t\nu3\ton the mat\n")
    objects = [{"utt": u, "n": 1.5, "text": t} for u, t in words]
    Path("t.jsonl").write_text("".join(json.dumps(one) + "\n\n" for one in objects))
    Path("t.trn").write_text("".join(f"{t} ({u})\n" for u, t in words))
    pl.DataFrame(objects).write_parquet("t.parquet")
    for name, other in (
        ("text", "n/text"), ("t.csv", "n.csv"), ("t.tsv", "n.tsv"), ("t.jsonl", "n.jsonl"),
        ("t.trn", "n.trn"), ("t.parquet", "n.parquet"),
    ):  # fmt: skip
        (found,) = rows(
            capsys, f"corrupt {name} --wer 0.5 --channel uniform -o {other} --out r-{name}"
        )
        assert found["words"] == 6
        assert found["wer"] == 0.5
        agrees(capsys, name, other, found)
        references = read_result(f"r-{name}").tables["references"]
        assert references["utt"].to_list() == ["u1", "u2", "u3"]
        assert references["text"].to_list() == [text for _, text in words]
    assert Path("n.csv").read_text().startswith("utt,spk,text\nu1,x,")
    assert '\nu2,"y ""q""",\n' in Path("n.csv").read_text()
    assert json.loads(Path("n.jsonl").read_text().splitlines()[0])["n"] == 1.5
    assert pl.read_parquet("n.parquet").columns == ["utt", "n", "text"]


def test_times_become_kaldi(capsys: Captured) -> None:
    Path("t.stm").write_text("f 1 s 0.0 1.0 the cat sat\nf 1 s 1.0 2.0 on the mat\n")
    _, err = run(capsys, "corrupt t.stm --wer 0.5 --channel uniform -o n.txt")
    assert "written as kaldi" in err
    assert len(Path("n.txt").read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("name", "written", "fix"),
    [
        ("t.jsonl", "n.csv", "name it n.jsonl"),
        ("t.jsonl", "n.jsonl.gz", "name it n.jsonl"),
        ("t.csv", "n.tsv", "name it n.csv"),
        ("t.csv", "n.parquet", "name it n.csv"),
        ("text.txt", "n.trn", "name it n.txt"),
        ("text.txt", "text", "name it text.txt"),
        ("t.stm", "n.stm", "name it n.txt"),
    ],
)
def test_names_of_other_formats_are_refused(
    name: str, written: str, fix: str, capsys: Captured
) -> None:
    Path("t.jsonl").write_text('{"utt": "u1", "text": "so we went"}\n')
    Path("t.csv").write_text("utt,text\nu1,so we went\n")
    Path("t.stm").write_text("f 1 s 0.0 1.0 the cat sat\n")
    argv = f"corrupt {name} --wer 0.5 --channel uniform -o {written}".split()
    assert main(argv) == 2
    assert fix in capsys.readouterr().err
    assert not Path(written).exists()


def test_compressed_input(capsys: Captured) -> None:
    Path("t.txt.gz").write_bytes(gzip.compress(Path("text.txt").read_bytes()))
    run(capsys, "corrupt t.txt.gz --wer 0.3 --channel uniform -o a.txt")
    run(capsys, "corrupt text.txt --wer 0.3 --channel uniform -o b.txt")
    assert Path("a.txt").read_bytes() == Path("b.txt").read_bytes()


def test_small_passages_are_one_text(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is read in the same blocks as a text in memory, without gaps between them."""
    for size in (1, 3, 40, 41):
        monkeypatch.setattr(text_block, "BLOCK_ROWS", size)
        (found,) = rows(capsys, "corrupt text.txt --wer 0.4 --channel uniform -o n.txt --workers 2")
        agrees(capsys, "text.txt", "n.txt", found)
        noisy = misword.corrupt(LINES, 0.4, channel="uniform").levels["wer-0.40"].texts
        assert Path("n.txt").read_text("utf-8").split("\n")[:-1] == noisy


def test_standard_input_and_output(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = Path("text.txt").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    common = ["--wer", "0.3", "--channel", "uniform", "-o"]
    assert main(["corrupt", "-", *common, "-", "--format", "table"]) == 0
    out, err = capsysbinary.readouterr()
    assert main(["corrupt", "text.txt", *common, "n.txt"]) == 0
    assert out == Path("n.txt").read_bytes()
    assert b"asked %" in err


def test_links_and_pipes(capsys: Captured) -> None:
    Path("real.txt").write_text("old")
    Path("link.txt").symlink_to("real.txt")
    run(capsys, "corrupt text.txt --wer 0.3 --channel uniform -o link.txt")
    assert Path("link.txt").is_symlink()
    os.mkfifo("pipe")
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(Path("pipe").read_bytes()))
    reader.start()
    run(capsys, "corrupt text.txt --wer 0.3 --channel uniform -o pipe")
    reader.join(10)
    assert got == [Path("real.txt").read_bytes()]
    writer = threading.Thread(
        target=lambda: Path("pipe").write_bytes(Path("text.txt").read_bytes())
    )
    writer.start()
    run(capsys, "corrupt pipe --wer 0.3 --channel uniform -o n.txt")
    writer.join(10)
    assert Path("n.txt").read_bytes() == Path("real.txt").read_bytes()


@pytest.mark.parametrize("form", ["table", "md", "csv"])
def test_tables(capsys: Captured, form: str) -> None:
    out, _ = run(capsys, f"corrupt text.txt --wer 0.3 --channel uniform -o n.txt --format {form}")
    assert "wer-0.30" in out
    assert "corrupt|channel:uniform|" in out


def test_words_that_no_channel_changes_are_noted(capsys: Captured) -> None:
    Path("signs.txt").write_text("a b -- c\nd ... e f\n")
    out, err = run(capsys, "corrupt signs.txt --wer 0.5 --channel uniform -o n.txt --format json")
    assert "2 of 8 words are not changed" in err
    assert json.loads(out)["rows"][0]["left_alone"] == 2
    with_braces = "so { um / @ } we go\nand so on we go\n"
    Path("signs.txt").write_text(with_braces)
    _, err = run(capsys, "corrupt signs.txt --wer 0.2 --channel uniform -o n.txt")
    assert "--no-alternatives" in err


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("corrupt text.txt --wer 0.3 --channel uniform", "nothing would be kept"),
        ("corrupt text.txt --wer 1.3 --channel uniform -o new.txt", "1.0000 is the most"),
        ("corrupt text.txt --wer 30 --channel uniform -o new.txt", "did you mean 0.3?"),
        ("corrupt text.txt --wer x --channel uniform -o new.txt", "not a word error rate"),
        ("corrupt text.txt --wer 0.3 --mix s=2 --channel uniform -o new.txt", "not a mix"),
        ("corrupt text.txt --wer 0.3 --channel nothing -o new.txt", "unknown channel 'nothing'"),
        ("corrupt text.txt --wer 0.3 -o new.txt", "needed"),
        ("corrupt none.txt --wer 0.3 --channel uniform -o new.txt", "no such file"),
        ("corrupt text.txt --wer 0.3 --channel uniform -o text.txt", "this is an input"),
        ("corrupt text.txt --wer 0.3 --channel uniform -o .", "this is a folder"),
        ("corrupt text.txt --wer 0.3 --channel uniform --out .", "not a result"),
        ("corrupt text.txt --wer 0.1,0.3 --channel uniform -o -", "one standard output"),
        ("corrupt text.txt --wer 0.3 --text-column x --channel uniform -o new.txt", "no columns"),
        ("corrupt empty.txt --wer 0.3 --channel uniform -o new.txt", "the file is empty"),
        ("corrupt text --wer 0.3 --channel uniform -o new.txt", "text:2: an empty line"),
        ("corrupt bad.txt --wer 0.3 --channel uniform -o new.txt", "bad.txt:2: invalid UTF-8"),
        (
            "corrupt nul.txt --wer 0.3 --channel uniform -o new.txt --input-format lines",
            "nul.txt:2",
        ),
        ("learn-noise text.txt text.txt -o new.txt", "no substitution"),
        ("learn-noise text.txt text.txt -o .", "this is a folder"),
        ("realism text.txt text.txt --channels uniform", "no substitutions"),
    ],
)
def test_refusals_write_nothing(capsys: Captured, command: str, message: str) -> None:
    Path("empty.txt").write_bytes(b"")
    Path("text").write_text("u1 a b\n\nu2 c d\n")
    Path("bad.txt").write_bytes(b"a b c\nd \xff e\nf g\n")
    Path("nul.txt").write_bytes(b"a b c\nd \0 e\nf g\n")
    before = sorted(os.listdir())
    text = Path("text.txt").read_bytes()
    out, err = run(capsys, command, 2)
    assert message in err
    assert out == ""
    assert sorted(os.listdir()) == before
    assert Path("text.txt").read_bytes() == text


def test_interrupted_half_way(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_block, "BLOCK_ROWS", 5)
    Path("n.txt").write_text("before")
    real = corrupt.read_blocks

    def stop(source: Rewritable) -> Iterator[TextBlock]:
        for number, block in enumerate(real(source)):
            if number == 3:
                raise KeyboardInterrupt
            yield block

    monkeypatch.setattr(corrupt, "read_blocks", stop)
    before = sorted(os.listdir())
    _, err = run(capsys, "corrupt text.txt --wer 0.3 --channel uniform -o n.txt", 130)
    assert "nothing was written" in err
    assert Path("n.txt").read_text() == "before"
    assert sorted(os.listdir()) == before


def test_learning_and_judging(capsys: Captured) -> None:
    main(["demo", "--copy", "demo"])
    capsys.readouterr()
    pair = "demo/en/ref.csv demo/en/pocketsphinx.csv"
    out, _ = run(capsys, f"learn-noise {pair} -o noise.json --top 3 --format json")
    learnt = json.loads(out)
    assert learnt["utterances"] == 210
    assert learnt["confusions"][0]["times"] >= learnt["confusions"][1]["times"]
    assert json.loads(Path("noise.json").read_text("utf-8"))["format"] == "misword-noise"
    for form in ("table", "md", "csv"):
        out, _ = run(capsys, f"learn-noise {pair} -o noise.json --top 3 --format {form}")
        assert learnt["confusions"][0]["heard"] in out
    (found,) = rows(
        capsys, "corrupt text.txt --wer 0.2 --channel confusion:file=noise.json -o n.txt"
    )
    assert found["wer"] == pytest.approx(0.2, abs=0.005)
    assert found["deletions"] > 0
    agrees(capsys, "text.txt", "n.txt", found)
    judged = rows(
        capsys, f"realism {pair} --channels uniform,confusion --bootstrap 50 --out judged"
    )
    assert [row["channel"] for row in judged] == ["uniform", "confusion", "fallback alone"]
    assert judged[1]["bits"] < judged[0]["bits"]
    assert read_result("judged").kind == "realism"
    for form in ("table", "md", "csv"):
        out, _ = run(
            capsys,
            f"realism {pair} --channels uniform --bootstrap 0 --format {form} --fallback unigram",
        )
        assert "realism|channel:uniform|" in out
    run(capsys, f"learn-noise {pair} -o - --format table")


def test_a_reader_that_has_seen_enough() -> None:
    command = "misword corrupt text.txt --wer 0.3 --channel uniform -o - | head -c 1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {sys.executable} -m {command}"],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(misword.__file__).parent.parent)},
    )
    assert len(done.stdout) == 1


COMMANDS = [
    "take two pills in the morning", "do not call anna", "turn the light off",
    "the train leaves at nine", "he is not well today", "send fifty dollars to peter",
] * 5  # fmt: skip


def test_labels_and_a_number_of_critical_errors(capsys: Captured) -> None:
    """`score --severity` finds as many utterances with a critical error as were asked for."""
    Path("commands.txt").write_text("".join(f"{text}\n" for text in COMMANDS), "utf-8")
    (claimed,) = rows(
        capsys,
        "corrupt commands.txt --wer 0.2 --channel phonetic:vocabulary=corpus --lang en "
        "--critical 7 --labels labels.csv -o noisy.txt",
    )
    agrees(capsys, "commands.txt", "noisy.txt", claimed)
    noisy = Path("noisy.txt").read_text("utf-8").splitlines()
    scores = misword.score(COMMANDS, noisy, "severity", lang="en")
    assert scores.table["severity.with_critical"].sum() == 7
    labels = pl.read_csv("labels.csv")
    assert labels.filter(level="critical")["utt"].n_unique() == 7
    assert labels.columns[:5] == ["utt", "system", "place", "label", "level"]


def test_labels_can_be_written_as_lines_of_json(capsys: Captured) -> None:
    command = "corrupt text.txt --wer 0.2 --channel uniform --lang en --out results --labels"
    run(capsys, f"{command} labels.jsonl")
    found = pl.read_ndjson("labels.jsonl")
    assert found.height
    assert "severity" in read_result(Path("results")).tables
    assert "ends in .csv" in run(capsys, f"{command} labels.doc --force", 2)[1]
    assert "gets the texts" in run(capsys, f"{command} - --force -o -", 2)[1]
