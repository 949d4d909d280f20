"""The command line: exit codes, output formats, errors."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from misword.asr.metrics import METRICS
from misword.cli.command_line import GLOSSARY, parser_of
from misword.cli.commands import COMMANDS, module_of
from misword.cli.main import EXAMPLES as TOP_EXAMPLES
from misword.cli.main import main
from misword.core.version import __version__
from misword.text.normalizers import normalizers


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "ref.txt").write_text("the cat sat\non the mat\n\n", "utf-8")
    (tmp_path / "hyp.txt").write_text("the cat sad\non mat\n\n", "utf-8")
    (tmp_path / "good.txt").write_text("the cat sat\non the mat\n\n", "utf-8")
    (tmp_path / "ref.csv").write_text(
        "utt,speaker,text\na,anna,the cat\nb,bo,sat down\nc,anna,now\n", "utf-8"
    )
    (tmp_path / "hyp.csv").write_text("utt,text\nb,sat\na,the cat\nc,no\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], command: str, code: int = 0) -> tuple[str, str]:
    assert main(command.split()) == code
    return capsys.readouterr()


def test_score_json(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(capsys, "score ref.txt hyp.txt good.txt --seed 3 --format json")
    result = json.loads(out)
    assert result["misword"] == __version__
    assert result["seed"] == 3
    rows = result["rows"]
    assert [(r["system"], r["metric"]) for r in rows] == [
        ("hyp", "wer"), ("hyp", "cer"), ("good", "wer"), ("good", "cer"),
    ]  # fmt: skip
    assert rows[0]["rate"] == 2 / 6
    assert (rows[0]["hits"], rows[0]["substitutions"], rows[0]["deletions"]) == (4, 1, 1)
    assert result["signatures"]["wer"].startswith("wer|ties:misword|norm:nfc|words:whitespace|")
    assert "2 of 6 pairs have an empty reference" in err


def test_score_table(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "score ref.csv hyp.csv --metrics wer,mer,wil --by speaker --format table")
    assert "95 % interval" in out
    anna = next(line for line in out.splitlines() if "anna" in line)
    assert "33.33" in anna
    total = next(line for line in out.splitlines() if " all " in line)
    assert total.split()[:4] == ["hyp", "all", "wer", "40.00"]
    assert "|v:1" in out


def test_score_markdown_and_csv(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "score ref.csv hyp.csv --format md")
    assert out.splitlines()[0].startswith("| system | metric | % |")
    assert out.splitlines()[2].startswith("| hyp | wer | 40.00 |")
    out, _ = run(capsys, "score ref.csv hyp.csv --format csv")
    header, first, _ = out.splitlines()
    assert header.split(",")[:3] == ["system", "metric", "rate"]
    assert first.split(",")[2] == "0.4"
    assert first.split(",")[-1].startswith("wer|ties:misword")


def test_score_out_can_be_loaded(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import misword

    run(capsys, "score ref.csv hyp.csv --out results --bootstrap 10")
    scores = misword.load("results")
    assert scores["wer"] == 0.4
    assert scores.table["speaker"].to_list() == ["anna", "bo", "anna"]
    index = json.loads(Path("results/result.json").read_text("utf-8"))
    assert set(index["provenance"]["sha256"]) == {"ref.csv", "hyp.csv"}
    before = {path.name: path.read_bytes() for path in Path("results").iterdir()}
    _, err = run(capsys, "score ref.csv hyp.csv --out results --metrics mer", 2)
    assert "results: it has a result already" in err
    assert "--force" in err
    assert before == {path.name: path.read_bytes() for path in Path("results").iterdir()}
    run(capsys, "score ref.csv hyp.csv --out results --bootstrap 10 --workers 2 --force")
    assert before == {path.name: path.read_bytes() for path in Path("results").iterdir()}


def test_score_normalize_and_equivalents(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("same.txt").write_text("sad / sat\n", "utf-8")
    Path("loud.txt").write_text("THE CAT SAD!\nON THE MAT\n\n", "utf-8")
    command = "score ref.txt loud.txt --normalize nfc,lower,nopunct --equivalents same.txt"
    out, _ = run(capsys, f"{command} --format json")
    assert [row["rate"] for row in json.loads(out)["rows"]] == [0.0, 0.0]


def test_score_all_references_empty(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("silence.txt").write_text("\n\n\n", "utf-8")
    out, _ = run(capsys, "score silence.txt hyp.txt --format table")
    assert "undefined" in out
    out, _ = run(capsys, "score silence.txt hyp.txt --format json")
    assert json.loads(out)["rows"][0]["rate"] is None
    assert json.loads(out)["rows"][0]["insertions"] == 5


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("score ref.txt missing.txt", "missing.txt: no such file"),
        ("score ref.txt hyp.csv", "hyp.csv has ids"),
        ("score ref.csv hyp.csv --metrics were", "did you mean 'wer-e'"),
        ("score ref.csv hyp.csv --by spaeker", "no column 'spaeker'"),
        ("score ref.csv hyp.csv --normalize lowr", "did you mean 'lower'"),
        ("score ref.csv hyp.csv --metrics ,", "no metric is named"),
        ("score ref.csv hyp.csv --by rate", "a column 'rate' of its own"),
        ("score ref.csv hyp.csv --normalize none,lower", "unknown normalizer 'none'"),
        ("score ref.csv hyp.csv --equivalents no.txt", "no.txt: no such file"),
        ("score ref.csv hyp.csv --out .", "exists and is not a result"),
        ("score ref.csv hyp.csv --force", "--force without --out"),
        ("score ref.txt", "no hypotheses"),
        ("align ref.txt hyp.csv", "hyp.csv has ids"),
        ("demo --copy .", "exists already"),
    ],
)
def test_mistakes_end_with_code_2_and_nothing_written(
    files: Path, capsys: pytest.CaptureFixture[str], command: str, message: str
) -> None:
    before = sorted(files.iterdir())
    out, err = run(capsys, command, code=2)
    assert out == ""
    assert message in err
    assert "Traceback" not in err
    assert sorted(files.iterdir()) == before


@pytest.mark.parametrize(
    "options",
    [
        "score --confidence 95", "score --bootstrap -1", "score --workers 0", "score --seed -1",
        "align --limit -1", "align --confusions -5", "align --workers 0", "align --ties foo",
    ],
)  # fmt: skip
def test_numbers_out_of_range_are_refused(
    files: Path, capsys: pytest.CaptureFixture[str], options: str
) -> None:
    command, *rest = options.split()
    with pytest.raises(SystemExit) as ended:
        main([command, "ref.txt", "hyp.txt", *rest])
    assert ended.value.code == 2
    assert rest[0] in capsys.readouterr().err


def test_metadata_names_that_misword_uses(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import misword

    Path("odd.csv").write_text(
        "utt,system,rank,wer,metric,text\na,s,1,x,m,the cat\nb,s,2,y,m,sat down\nc,t,3,z,n,now\n"
    )
    run(capsys, "score odd.csv hyp.csv --by system,system_ --out odd --bootstrap 0")
    table = misword.load("odd").table
    assert table["wer"].to_list() == ["x", "y", "z"]
    assert table["system_"].to_list() == ["s", "s", "t"]
    assert table["rank_"].to_list() == ["1", "2", "3"]


def test_inputs_that_can_be_read_once_are_hashed(files: Path) -> None:
    from hashlib import sha256

    command = f"{sys.executable} -m misword score <(cat ref.txt) - --out pipe < hyp.txt"
    subprocess.run(["bash", "-c", command], check=True, capture_output=True)
    hashes = json.loads(Path("pipe/result.json").read_text("utf-8"))["provenance"]["sha256"]
    known = {sha256(Path(name).read_bytes()).hexdigest() for name in ("ref.txt", "hyp.txt")}
    assert set(hashes.values()) == known


@pytest.mark.slow
def test_full_disk_and_poor_terminal(files: Path) -> None:
    script = f"{sys.executable} -m misword"
    full = subprocess.run(
        f"{script} score ref.txt hyp.txt > /dev/full", shell=True, capture_output=True, text=True
    )
    assert full.returncode == 2
    assert "No space left" in full.stderr
    assert "Traceback" not in full.stderr
    Path("greek.txt").write_text("α β\n", "utf-8")
    poor = subprocess.run(
        f"PYTHONIOENCODING=ascii {script} align greek.txt greek.txt --format table",
        shell=True, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "\\u03b1" in poor.stdout
    pipe = f"set -o pipefail; {script} align ref.txt hyp.txt --format table | head -1"
    subprocess.run(["bash", "-c", pipe], check=True, capture_output=True)


def test_narrow_terminal_cuts_nothing(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = f"{sys.executable} -m misword score ref.txt hyp.txt --format table"
    done = subprocess.run(
        ["script", "-qec", f"stty cols 40; {command}", "/dev/null"], capture_output=True, text=True
    )
    flat = done.stdout.replace("\r", "")
    for text in ("system", "hyp", "wer", "33.33", "95 % interval", "utts"):
        assert text in flat


def test_align_table(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "align ref.txt hyp.txt --errors-only --format table")
    lines = [line.rstrip() for line in out.splitlines()]
    assert lines[0] == "1  hyp  errors 1, words 3"
    assert lines[1:4] == ["REF  the cat sat", "HYP  the cat sad", "             S"]
    assert lines[6:9] == ["REF  on the mat", "HYP  on *** mat", "        D"]
    assert any(line.split() == ["substitution", "sat", "sad", "1"] for line in lines)
    assert not any(line.startswith("3  ") for line in lines)


def test_align_json(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "align ref.txt hyp.txt --limit 1 --format json")
    result = json.loads(out)
    assert len(result["pairs"]) == 1
    assert result["pairs"][0]["steps"][-1] == {
        "kind": "substitution", "reference": "sat", "hypothesis": "sad", "cost": 1.0,
        "family": None, "spacing": False,
    }  # fmt: skip
    assert result["metric"] == "wer"
    assert result["confusions"][0]["count"] == 1


def test_align_pairs_words_that_look_alike(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("r.txt").write_text("we met greenhorns flat\nsome thing new\n", "utf-8")
    Path("h.txt").write_text("we met greenhorn\nsomething new\n", "utf-8")
    command = "align r.txt h.txt --input-format lines"
    out, _ = run(capsys, f"{command} --format table")
    lines = [line.split() for line in out.splitlines()]
    assert ["HYP", "we", "met", "greenhorn", "***"] in lines
    assert ["S_", "D_"] in lines
    assert ["spacing", "some", "thing", "something", "1"] in lines
    result = json.loads(run(capsys, f"{command} --format json")[0])
    assert [step["spacing"] for step in result["pairs"][1]["steps"]] == [True, True, False]
    assert result["spacings"] == [
        {"reference": "some thing", "hypothesis": "something", "count": 1}
    ]
    Path("r.txt").write_text("flat greenhorns\n", "utf-8")
    Path("h.txt").write_text("greenhorn\n", "utf-8")
    for option, kinds in (("", ["deletion", "substitution"]),
                          (" --metric wer:ties=jiwer", ["substitution", "deletion"])):  # fmt: skip
        (pair,) = json.loads(run(capsys, f"{command}{option} --format json")[0])["pairs"]
        assert [step["kind"] for step in pair["steps"]] == kinds


def test_align_csv_and_md(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "align ref.txt hyp.txt --format csv")
    lines = out.splitlines()
    assert lines[0] == "kind,reference,hypothesis,count,cost,signature"
    assert lines[1].startswith("substitution,sat,sad,1,1.0,wer|ties:misword|")
    assert lines[2].startswith("deletion,the,,1,1.0,wer|")
    out, _ = run(capsys, "align ref.txt hyp.txt --format md --confusions 1")
    assert out.splitlines()[2] == "| substitution | sat | sad | 1 |"
    assert out.splitlines()[-1].startswith("`wer|ties:misword|")


def test_markdown_shows_tags_and_bars_as_text(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("r.txt").write_text("<script>x</script> a|b\n", "utf-8")
    Path("h.txt").write_text("y z\n", "utf-8")
    out, _ = run(capsys, "align r.txt h.txt --format md")
    assert "| substitution | &lt;script&gt;x&lt;/script&gt; | y | 1 |" in out
    assert "| substitution | a\\|b | z | 1 |" in out


def test_align_keeps_right_to_left_words_whole(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("r.txt").write_text("שלום עולם 2024\n", "utf-8")
    Path("h.txt").write_text("שלום עולמי 2024\n", "utf-8")
    out, _ = run(capsys, "align r.txt h.txt --format table --input-format lines")
    for word in ("שלום", "עולם", "עולמי"):
        assert f"\u2068{word}\u2069" in out
    assert "\u20682024" not in out
    out, _ = run(capsys, "align r.txt h.txt --input-format lines --format json")
    assert json.loads(out)["confusions"][0]["hypothesis"] == "עולמי"


def test_align_folds_long_utterances(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("long.txt").write_text(" ".join(["word"] * 100) + "\n", "utf-8")
    out, _ = run(capsys, "align long.txt long.txt --format table")
    assert len([line for line in out.splitlines() if line.startswith("REF")]) > 1
    assert sum(line.count("word") for line in out.splitlines() if line.startswith("REF")) == 100


def test_a_pipe_gets_the_plain_table(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Standard output is no terminal here."""
    out, _ = run(capsys, "score ref.csv hyp.csv")
    assert out.split()[:2] == ["system", "metric"]
    assert "\x1b" not in out
    out, _ = run(capsys, "score ref.csv hyp.csv --format json")
    assert out.startswith("{")


def test_parts(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "parts metrics --format json")
    rows = json.loads(out)
    assert {row["name"] for row in rows} >= {"wer", "cer", "mer", "wil"}
    assert next(row for row in rows if row["name"] == "cer")["options"] == (
        "ties=misword,spaces=true,unit=code-point"
    )
    for form in ("table", "md", "csv"):
        out, _ = run(capsys, f"parts --format {form}")
        assert "Character errors per reference character" in out


def test_parts_of_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "parts wer-s --format json")
    (row,) = json.loads(out)
    assert (row["kind"], row["name"], row["needs"]) == ("metrics", "wer-s", "--vectors")
    out, _ = run(capsys, "parts wer-s --format table")
    assert row["description"] in out
    assert "Known problems" in out
    _, err = run(capsys, "parts wer-x", 2)
    assert "no kind or part 'wer-x'" in err
    assert "did you mean 'wer-" in err
    _, err = run(capsys, "parts metric", 2)
    assert "did you mean 'metrics'" in err


def test_demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(capsys, "demo")
    assert "whisper-tiny" in out
    assert "pocketsphinx" in out
    assert "REF  " in out
    assert err.startswith("note: 3 of 200 hypotheses look made up or stuck")
    assert err.count("\n") == 1
    run(capsys, f"demo --copy {tmp_path}/mine")
    run(capsys, f"score {tmp_path}/mine/en/ref.csv {tmp_path}/mine/en/whisper-tiny.csv")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    assert "examples:" in printed
    assert printed.rstrip().endswith(GLOSSARY)


@pytest.mark.parametrize("words", [["--help"], ["vectors", "info", "--help"]])
def test_every_help_names_the_glossary(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(words)
    assert capsys.readouterr().out.rstrip().endswith(GLOSSARY)


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([])
    assert "score        error rates" in capsys.readouterr().out


def test_quiet(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = "score ref.txt hyp.txt --vectors v.vec"
    Path("v.vec").write_text("1 2\na 0.5 1\n", "utf-8")
    out, err = run(capsys, command)
    assert "note: no metric here uses --vectors" in err
    for option in ("-q", "--quiet"):
        assert run(capsys, f"{command} {option}") == (out, "")
    _, err = run(capsys, "score ref.txt none.txt -q", 2)
    assert "none.txt: no such file" in err
    _, err = run(capsys, "vectors info v.vec -q")
    assert err == ""
    _, err = run(capsys, command)
    assert "note: " in err  # the option holds for one command


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("info v.vec a", "info takes one file and no words"),
        ("neighbors v.vec", "no words to look up"),
        ("neighbors v.vec a --out folder", "--out beside neighbors"),
        ("convert v.vec -k 3", "-k beside convert"),
    ],
)
def test_vectors_refuse_what_they_do_not_use(
    words: str, error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert error in run(capsys, f"vectors {words}", 2)[1]


@pytest.mark.parametrize(
    ("command", "suggestion"),
    [
        ("scroe ref.txt hyp.txt", "did you mean 'score'?"),
        ("comapre ref.txt hyp.txt", "did you mean 'compare'?"),
        ("score ref.txt hyp.txt --metircs wer", "did you mean '--metrics'?"),
        ("score ref.txt hyp.txt --format tabel", "did you mean 'table'?"),
        ("vectors inof v.vec", "did you mean 'info'?"),
    ],
)
def test_misspelt_commands_and_options(
    command: str, suggestion: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(command.split())
    assert ended.value.code == 2
    assert suggestion in capsys.readouterr().err


def test_names_that_resemble_nothing_get_no_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["xyzzy"])
    assert "did you mean" not in capsys.readouterr().err


def test_misspelt_options_of_parts(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, err = run(capsys, "score ref.txt hyp.txt --metrics cer:space=false", 2)
    assert "did you mean 'spaces'?" in err


def test_standard_input_and_a_closed_pipe(files: Path) -> None:
    script = f"{sys.executable} -m misword"
    done = subprocess.run(
        f"cat hyp.txt | {script} score ref.txt - --format csv | head -1",
        shell=True, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.startswith("system,metric,rate")
    assert "Traceback" not in done.stderr


def help_examples() -> list[tuple[str, list[str]]]:
    """Every `misword ...` line of every command's examples, without pipes and redirections."""
    texts = [module_of(command).EXAMPLES for command in COMMANDS]
    pattern = rf"misword ((?:{'|'.join(COMMANDS)})[^\n|&>]*)"
    calls = re.findall(pattern, "\n".join([TOP_EXAMPLES, *texts]).replace("\\\n", ""))
    return [(call, shlex.split(call)) for call in calls]


@pytest.mark.parametrize(("call", "words"), help_examples())
def test_examples_in_help_are_valid(call: str, words: list[str]) -> None:
    options = parser_of(words[0]).parse_args(words[1:])
    METRICS.create_all(getattr(options, "metrics", "") or "")
    normalizers(getattr(options, "normalize", "") or "")
