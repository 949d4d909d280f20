"""How commands end: exit codes, one message without traceback, `--debug`, limits of numbers."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import misword
from misword.cli.commands.scoring import score as command
from misword.cli.main import ERROR_KINDS, EXIT_CODES, Terminated, main
from misword.cli.printing import OutputError
from misword.core.errors import (
    InputError,
    KernelError,
    MismatchError,
    MissingExtraError,
    OptionError,
)

RUN = f"{sys.executable} -m misword"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ref.txt").write_text("the cat sat\non the mat\n", "utf-8")
    (tmp_path / "hyp.txt").write_text("the cat sad\non mat\n", "utf-8")
    (tmp_path / "gap.txt").write_text("the cat sat\n\n", "utf-8")  # there is a note about it
    monkeypatch.chdir(tmp_path)


def panic() -> BaseException:
    """An error of polars that is not an `Exception`."""
    assert not issubclass(pl.exceptions.PanicException, Exception)
    return pl.exceptions.PanicException("index out of bounds")


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (TypeError("no \x1b[2J"), 70, "internal error: TypeError: no \\x1b[2J (this is a bug"),
        (RecursionError("maximum depth"), 70, "internal error: RecursionError: maximum depth"),
        (AssertionError(), 70, "internal error: AssertionError (this is a bug"),
        (panic(), 70, "internal error: PanicException: index out of bounds"),
        (ValueError("x" * 200_000), 70, "internal error: ValueError: xxx"),
        (MemoryError(), 2, "not enough memory"),
        (PermissionError(13, "Permission denied", "f.txt"), 2, "Permission denied: 'f.txt'"),
        (OSError(28, "No space left on device"), 2, "No space left on device"),
        (KeyboardInterrupt(), 130, "misword: interrupted; nothing was written"),
        (Terminated(), 143, "misword: terminated; nothing was written"),
    ],
)
def test_unexpected_errors(
    error: BaseException,
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(options: Any) -> None:
        raise error

    monkeypatch.setattr(command, "run", fail)
    assert main(["score", "ref.txt", "hyp.txt"]) == code
    out, err = capsys.readouterr()
    assert not out
    assert said in err
    assert "Traceback" not in err
    assert len(err) < 3000
    assert main(["--debug", "score", "ref.txt", "hyp.txt"]) == code
    err = capsys.readouterr().err
    assert said in err
    assert "Traceback" in err


@pytest.mark.parametrize(
    "words",
    [
        ["--debug", "score", "no.txt"],
        ["score", "--debug", "no.txt"],
        ["score", "no.txt", "--debug"],
    ],
)
def test_debug_before_and_after_the_command(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    err = capsys.readouterr().err
    assert err.startswith("Traceback")
    assert err.splitlines()[-2].startswith("misword score: no.txt: no such file")


def test_quiet_before_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-q", "score", "gap.txt", "hyp.txt"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [
        (InputError("no words", where="f.txt", fix="write some"), "input", 2),
        (OptionError("wrong"), "option", 2),
        (MismatchError("other utterances"), "mismatch", 2),
        (KernelError("of another version"), "kernel", 2),
        (MissingExtraError("it needs spacy", fix="pip install spacy"), "missing-extra", 2),
        (OutputError("full"), "output", 2),
        (MemoryError(), "memory", 2),
        (OSError(28, "No space left on device"), "file", 2),
        (TypeError("no"), "bug", 70),
        (panic(), "bug", 70),
        (KeyboardInterrupt(), "interrupted", 130),
        (Terminated(), "terminated", 143),
    ],
)
def test_errors_are_one_json_object_if_the_output_is_json(
    error: BaseException,
    kind: str,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(options: Any) -> None:
        raise error

    monkeypatch.setattr(command, "run", fail)
    monkeypatch.setattr("misword.cli.main.discard_output", lambda: None)
    assert main(["score", "ref.txt", "hyp.txt", "--format", "json"]) == code
    out, err = capsys.readouterr()
    assert not out
    found = json.loads(err)
    assert (found["kind"], found["exit_code"], found["command"]) == (kind, code, "score")
    assert found["message"]
    assert "\n" not in found["message"]
    if kind == "input":
        assert (found["where"], found["hint"]) == ("f.txt", "write some")
    assert main(["score", "ref.txt", "hyp.txt", "--format=json", "--debug"]) == code
    *trace, last = capsys.readouterr().err.splitlines()
    assert trace[0].startswith("Traceback")
    assert json.loads(last) == found


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["score", "ref.txt", "--frmat", "--format=json"], "did you mean '--format'?"),
        (["scroe", "--format", "json"], "did you mean 'score'?"),
        (["score", "--format", "json"], ""),
    ],
)
def test_wrong_arguments_are_a_json_object_too(
    words: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    out, err = capsys.readouterr()
    assert not out
    found = json.loads(err)
    assert (found["kind"], found["hint"], found["exit_code"]) == ("usage", hint, 2)


def test_the_last_format_decides_how_errors_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "no.txt", "--format", "json", "--format", "table"]) == 2
    assert capsys.readouterr().err.startswith("misword score: no.txt: no such file")
    assert main(["score", "no.txt", "--format", "table", "--format", "json"]) == 2
    assert json.loads(capsys.readouterr().err)["where"] == "no.txt"


def test_debug_is_not_in_the_provenance(capsys: pytest.CaptureFixture[str]) -> None:
    for folder, more in (("a", []), ("b", ["--debug", "--keep-formulas"])):
        assert main(["score", "ref.txt", "hyp.txt", "--out", folder, *more]) == 0
    assert Path("a/result.json").read_bytes() == Path("b/result.json").read_bytes()


def test_help_and_documentation_have_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    assert EXIT_CODES.keys() == {0, 1, 2, 70, 130, 143}
    assert all(f"\n  {code} " in out for code in EXIT_CODES)
    page = (Path(misword.__file__).parents[2] / "docs" / "output.md").read_text("utf-8")
    listed = re.findall(r"^\| (\d+) \|", page.partition("## Exit codes")[2], re.M)
    assert list(map(int, listed)) == list(EXIT_CODES)
    kinds = set(re.findall(r"^\| `([\w-]+)` \|", page.partition("## Errors as JSON")[2], re.M))
    assert kinds == {*ERROR_KINDS.values(), "usage", "bug"}


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, env={**os.environ, **environment}, check=False
    )


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("score ref.txt hyp.txt >&-", 2, b"standard output: closed"),
        ("score ref.txt hyp.txt --format table --out r >&-", 2, b"standard output: closed"),
        ("--help >&-", 2, b"standard output: closed"),
        ("score ref.txt hyp.txt <&- >&- 2>&-", 2, b""),
        ("score ref.txt - <&-", 2, b"standard input is closed"),
        ("corrupt - --wer 0.1 --channel uniform -o x.txt <&-", 2, b"standard input is closed"),
        ("score ref.txt missing.txt 2>&-", 2, b""),
        ("score ref.txt hyp.txt <&- >out.json", 0, b""),
        ("score ref.txt hyp.txt >/dev/full", 2, b"standard output: cannot be written"),
        ("align ref.txt hyp.txt --format table >/dev/full", 2, b"standard output: cannot be"),
        ("parts --format csv >/dev/full", 2, b"standard output: cannot be written"),
        ("score ref.txt hyp.txt 1</dev/null", 2, b"standard output: cannot be written"),
        ("parts | true", 0, b""),
        ("score ref.txt hyp.txt --format table 2>/dev/full", 0, b""),
        ("score ref.txt missing.txt 2>/dev/full", 2, b""),
        ("score gap.txt hyp.txt 2>/dev/full", 0, b""),
        ("score $'\\xff.txt' hyp.txt", 2, b"\\xff.txt: no such file"),
        ("score ref.txt hyp.txt --by $'\\xff'", 2, b"no column '\\udcff'"),
        ("score ref.txt hyp.txt --out $'\\xff'", 2, b"\\udcff: this name is not valid Unicode"),
        ("$'\\xff'", 2, b"invalid choice: '\\udcff'"),
    ],
)
def test_streams_and_names(line: str, code: int, said: bytes) -> None:
    done = shell(f"set -o pipefail; {RUN} {line}")
    assert done.returncode == code
    assert said in done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr
    assert b"internal error" not in done.stderr


def test_closed_standard_error_leaves_the_output_clean() -> None:
    done = shell(f"{RUN} score gap.txt hyp.txt 2>&-")
    assert done.returncode == 0
    assert done.stdout.split()[:2] == [b"system", b"metric"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("score ref.txt hyp.txt --bootstrap 1000000000000", "use at most 100,000"),
        ("score ref.txt hyp.txt --workers 1000000000", "use at most 1,024"),
        ("score ref.txt hyp.txt --seed 99999999999999999999", "use at most 9,223,372,036"),
        ("score ref.txt hyp.txt --max-words 99999999999999", "use at most 2,147,483,647"),
        (f"score ref.txt hyp.txt --seed {'9' * 5000}", "invalid whole number value"),
        ("align ref.txt hyp.txt --limit 99999999999999", "use at most 2,147,483,647"),
        ("robust a.tsv --trials 10000000", "use at most 10,000"),
        ("corrupt ref.txt --wer 0:1:1e-9 -o x.txt", "more than 1,000 word error rates"),
        ("corrupt ref.txt --wer 0:inf:0.1 -o x.txt", "more than 1,000 word error rates"),
        ("corrupt ref.txt --wer 0:1:1e-320 -o x.txt", "more than 1,000 word error rates"),
        ("corrupt ref.txt --wer 0.1 -o x.txt --channel uniform:size=1e30", "not a int"),
        (f"corrupt ref.txt --wer 0.1 -o x.txt --channel uniform:size={10**30}", "at most 9223"),
        ("gate ref.txt hyp.txt --max wer=inf", "--max wer=inf has no rate"),
    ],
)
def test_absurd_numbers(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code: object = main(line.split())
    except SystemExit as stopped:  # of argparse
        code = stopped.code
    assert code == 2
    err = capsys.readouterr().err
    assert said in err
    assert len(err) < 4000


def test_more_neighbours_than_words(capsys: pytest.CaptureFixture[str]) -> None:
    Path("v.vec").write_text("3 2\na 1 0\nb 0 1\nc 1 1\n", "utf-8")
    line = "vectors neighbors v.vec a -k 2147483647 --format csv"
    assert main(line.split()) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_long_names_make_short_errors(capsys: pytest.CaptureFixture[str]) -> None:
    long = "x" * 200_000
    Path("ref.csv").write_text(f"utt,text\n{long},the cat\nb,now\n", "utf-8")
    Path("hyp.csv").write_text(f"utt,text\n{long}y,the cat\nb,now\n", "utf-8")
    assert main(["score", "ref.csv", "hyp.csv"]) == 2
    err = capsys.readouterr().err
    assert len(err) < 4000
    assert "hyp.csv" in err
