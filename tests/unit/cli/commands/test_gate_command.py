"""`misword gate`: exit codes, the line, JSON, JUnit XML, GitHub annotations, folders."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from misword.asr.comparison.gate import Condition, GateResult
from misword.cli.commands.scoring.gate import github_annotations, junit, limits
from misword.cli.main import main
from misword.core.errors import OptionError
from misword.stat.bootstrap import Bootstrap

Run = Callable[[str], tuple[int, str, str]]
REFERENCE = "the cat sat on the mat\n" * 40


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("ref.txt").write_text(REFERENCE)
    Path("good.txt").write_text("the cat sat on the mat\nthe cat sat on a mat\n" * 20)
    Path("bad.txt").write_text("the cat sat on a mat\na cat sad on the mat\n" * 20)

    def run(command: str) -> tuple[int, str, str]:
        code = main(command.split())
        out, err = capsys.readouterr()
        return code, out, err

    return run


def test_exit_codes_and_the_line(run: Run) -> None:
    code, out, _ = run("gate ref.txt good.txt --max wer=0.1")
    assert code == 0
    assert out.startswith("gate passed: wer 8.33 % (95 % interval ")
    assert out.endswith("limit 10.00 %: passed\n")
    code, out, _ = run("gate ref.txt good.txt --max wer=0.08,cer=0.5")
    assert code == 1
    assert out.startswith("gate failed: wer 8.33 %")
    assert out.count("\n") == 1
    code, _, err = run("gate ref.txt good.txt")
    assert code == 2
    assert "no condition" in err


def test_no_worse_fails_in_one_direction_only(run: Run) -> None:
    code, out, _ = run("gate ref.txt bad.txt good.txt --no-worse wer,cer --margin 0.2%")
    assert code == 1
    assert "wer 25.00 % against 8.33 %, +16.67 points" in out
    assert "margin 0.20 points, p < 0.001: failed" in out
    code, out, _ = run("gate ref.txt good.txt bad.txt --no-worse wer,cer --margin 0.2% --strict")
    assert code == 0
    assert "wer 8.33 % against 25.00 %, -16.67 points" in out


def test_options_of_scoring(run: Run) -> None:
    Path("upper.txt").write_text(REFERENCE.upper())
    assert run("gate ref.txt upper.txt --max wer=0.1")[0] == 1
    assert run("gate ref.txt upper.txt --max wer=0.1 --normalize lower")[0] == 0
    assert run("gate ref.txt upper.txt --max wer=0.1 --forgive case")[0] == 0


def test_json(run: Run) -> None:
    code, out, _ = run("gate ref.txt bad.txt good.txt --max wer=0.3 --no-worse wer --format json")
    found = json.loads(out)
    assert code == 1
    assert found["passed"] is False
    assert [row["outcome"] for row in found["conditions"]] == ["passed", "failed"]
    assert found["conditions"][0]["limit"] == 0.3
    assert found["signatures"]["wer"].startswith("wer|")


def test_junit_file(run: Run) -> None:
    code, _, _ = run("gate ref.txt bad.txt good.txt --max wer=0.3 --no-worse wer --junit gate.xml")
    assert code == 1
    suite = ElementTree.parse("gate.xml").getroot().find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("2", "1", "0")
    limit, test = suite.findall("testcase")
    assert (limit.get("name"), limit.find("failure")) == ("max wer=0.3", None)
    failure = test.find("failure")
    assert failure is not None
    assert "margin 0.00 points" in failure.get("message", "")


def test_junit_replaces_no_input(run: Run) -> None:
    code, _, err = run("gate ref.txt good.txt --max wer=0.3 --junit good.txt")
    assert code == 2
    assert "this is an input" in err
    assert Path("good.txt").read_text().startswith("the cat")


def test_undecided_conditions_are_skipped_or_failures(run: Run) -> None:
    for name in ("ref", "good", "bad"):
        first = Path(f"{name}.txt").read_text().splitlines(keepends=True)[:3]
        Path(f"{name}.txt").write_text("".join(first))
    command = "gate ref.txt bad.txt good.txt --no-worse wer --format github --junit gate.xml"
    code, out, _ = run(command)
    assert code == 0
    assert out.startswith("::warning title=misword gate%3A no-worse wer::wer 22.22 %25 against")
    assert "undecided, too few utterances (3)" in out
    assert ElementTree.parse("gate.xml").find(".//skipped") is not None
    code, out, _ = run(f"{command} --strict")
    assert code == 1
    assert out.startswith("::error title=misword gate%3A no-worse wer::")
    assert ElementTree.parse("gate.xml").find(".//failure") is not None


def test_github_annotations(run: Run) -> None:
    code, out, _ = run("gate ref.txt good.txt --max wer=0.05,cer=0.5 --format github")
    error, notice, line = out.splitlines()
    assert code == 1
    assert error.startswith("::error title=misword gate%3A max wer=0.05::wer 8.33 %25 (95 %25")
    assert notice.startswith("::notice title=misword gate%3A max cer=0.5::cer ")
    assert line.startswith("gate failed: wer 8.33 % (95 % interval")


def test_strange_names_are_escaped() -> None:
    condition = Condition("max", "a<b>&\x00\n,:c", "failed", 0.5, 0.1)
    found = GateResult((condition,), False, Bootstrap(), None)  # type: ignore[arg-type]
    case = ElementTree.fromstring(junit(found)).find(".//testcase")
    assert case is not None
    assert case.get("name", "").startswith("max a<b>&?")
    (annotation,) = github_annotations(found)
    assert annotation.startswith("::error title=misword gate%3A max a<b>&\x00%0A%2C%3Ac=0.1::")
    assert "\n" not in annotation


def test_result_folders(run: Run) -> None:
    for name in ("good", "bad"):
        assert run(f"score ref.txt {name}.txt --metrics wer,cer --out results/{name}")[0] == 0
    assert run("gate results/bad results/good --no-worse wer")[0] == 1
    assert run("gate results/good results/bad --no-worse wer --max cer=0.2")[0] == 0
    code, _, err = run("gate results/good --max wer=0.1 --normalize lower")
    assert code == 2
    assert "--normalize is for texts" in err


def test_largest_rates() -> None:
    assert limits(["wer=0.08", "cer:spaces=false=0.03, mer=.1"]) == {
        "wer": 0.08, "cer:spaces=false": 0.03, "mer": 0.1,
    }  # fmt: skip
    for text in ("wer", "wer=", "=0.1", "wer=low", "wer=0.1,cer"):
        with pytest.raises(OptionError, match="has no rate"):
            limits([text])
