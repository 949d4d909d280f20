"""Results with severity: tables, silence, comparisons, levels that were learnt, and judges."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import polars as pl
import pytest

import misword
from misword.asr.severity.fit import fit_severity
from misword.asr.severity.judge import Judge, judged_tables
from misword.cli.main import main
from misword.core.errors import InputError, OptionError
from misword.stat.calibration import kappa
from misword.stat.scores import Scores

REFS = ["i did not go there", "call sarah now", "we like it a lot", "turn left here", ""]
OLD = ["i did go there", "call sarah now", "we like it a lot", "turn left here", ""]
NEW = ["i did not go there", "call sharon now", "we like it lot", "turn left here", "thank you"]


def scored(**systems: list[str]) -> Scores:
    durations = pl.DataFrame({"duration": [2.0] * len(REFS), "question": ["", "", "ok?", "", ""]})
    return misword.score(REFS, systems, "wer", metadata=durations, severity=True, lang="en")


def test_tables_of_labels_and_of_silence() -> None:
    tables = scored(new=NEW).result(bootstrap=99).tables
    rows = {row["label"]: row for row in tables["severity"].to_dicts()}
    assert rows["name"]["critical"] == 1
    assert rows["name"]["low"] <= rows["name"]["rate"] <= rows["name"]["high"]
    silent = tables["silence"].to_dicts()
    assert [(row["utt"], row["words"], row["stock"]) for row in silent] == [("5", 2, "thank you")]
    assert silent[0]["seconds"] == 2.0
    assert tables["severity_worst"]["utt"][0] == "2"


def test_a_comparison_lists_what_is_wrong_now_and_right_now() -> None:
    compared = misword.compare(scored(old=OLD, new=NEW), bootstrap=99)
    changes = compared.tables["dangerous_changes"].to_dicts()
    assert {(row["change"], row["label"]) for row in changes} >= {
        ("new", "name"),
        ("mended", "negation"),
    }
    tests = compared.tables["severity_differences"]
    assert set(tests["label"].cast(pl.String)) >= {"name", "negation"}
    assert tests["p_holm"].is_between(0, 1).all()


def test_scores_are_read_back_with_their_labels(tmp_path: Path) -> None:
    scores = scored(new=NEW)
    scores.save(tmp_path / "out")
    again = misword.load(tmp_path / "out")
    assert again.records["severity_errors"].equals(scores.records["severity_errors"])


def labelled(size: int = 40) -> pl.DataFrame:
    """Return labels that a lost negation decides, of two annotators."""
    said = [f"i did not see the {word}" for word in ("car", "dog", "house", "tree") * (size // 4)]
    heard = [text.replace("not ", "") if at % 2 else text for at, text in enumerate(said)]
    labels = [str(2 * (at % 2)) for at in range(size)]
    groups = [str(at // 4) for at in range(size)]
    columns = {"reference": said, "hypothesis": heard, "label": labels, "call": groups}
    return pl.DataFrame({**columns, "label_b": labels, "question": [""] * size})


def test_levels_are_learnt_from_labels(tmp_path: Path) -> None:
    fitted = fit_severity(labelled(), lang="en", block="call", context="question")
    row = fitted.quality.row(1, named=True)
    assert row["auc"] == 1.0
    assert row["kappa_matters"] == 1.0
    assert "the context does not help" in fitted.notes[0]
    fitted.save(tmp_path / "levels.json")
    spec = f"severity:file={tmp_path / 'levels.json'}"
    scores = misword.score(["i did not go"], ["i did go"], spec, lang="en")
    assert scores.table[f"{spec}.level"].to_list() == [3]
    (tmp_path / "levels.json").write_text("{}")
    with pytest.raises(InputError, match="no levels of severity"):
        misword.score(["a"], ["b"], spec, lang="en")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": pl.lit("3")}, "not 0, 1 or 2"),
        ({"label": pl.lit("1")}, "say the same"),
    ],
)
def test_labels_that_cannot_be_learnt(change: dict[str, pl.Expr], message: str) -> None:
    with pytest.raises(InputError, match=message):
        fit_severity(labelled().with_columns(**change), lang="en")


def test_kappa_of_a_published_table() -> None:
    """The example of 50 proposals: 20 both yes, 15 both no, 5 and 10 apart; kappa 0.4."""
    one = [1] * 25 + [0] * 25
    other = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert kappa(one, other) == pytest.approx(0.4)


PROGRAM = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    with open(sys.argv[1], "a") as log:
        log.write(request["reference"] + "\\n")
    worst = {label["level"] for label in request["labels"]}
    print(json.dumps({"level": "critical" if "critical" in worst else "none"}))
"""


def test_verdicts_of_a_program_are_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path / "cache"))
    (tmp_path / "judge.py").write_text(PROGRAM)
    log = tmp_path / "log"
    judge = Judge.of(f"{sys.executable} {tmp_path / 'judge.py'} {log}")
    tables = judged_tables(scored(old=OLD, new=NEW), judge, "question")
    row = tables["judge_agreement"].row(0, named=True)
    assert row["critical"] == row["judged_critical"] == 1
    asked = log.read_text().splitlines()
    assert len(asked) == len(set(asked)) or len(asked) == len(tables["verdicts"])
    assert judged_tables(scored(old=OLD, new=NEW), judge, "question")["verdicts"].equals(
        tables["verdicts"]
    )
    assert log.read_text().splitlines() == asked
    with pytest.raises(OptionError, match="no column"):
        judged_tables(scored(new=NEW), judge, "place")


class Answers(BaseHTTPRequestHandler):
    """Answers as an OpenAI-compatible endpoint does; the first request is refused as busy."""

    keys: list[str] = []  # noqa: RUF012
    busy = True

    def do_POST(self) -> None:
        """Answer a request."""
        self.rfile.read(int(self.headers["Content-Length"]))
        if type(self).busy:
            type(self).busy = False
            self.send_error(503)
            return
        self.keys.append(self.headers["Authorization"])
        content = json.dumps({"level": "major", "reason": "so"})
        body = json.dumps({"choices": [{"message": {"content": content}}]}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Answers)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_an_endpoint_gets_the_key_and_no_result_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, endpoint: str
) -> None:
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("MISWORD_JUDGE_KEY", "secret-key")
    monkeypatch.setattr("misword.asr.severity.judge.FIRST_WAIT", 0.01)
    for name, lines in (("ref", REFS[:4]), ("hyp", NEW[:4])):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    files = [str(tmp_path / "ref"), str(tmp_path / "hyp")]
    options = ["--lang", "en", "--severity", "--judge", endpoint, "--judge-model", "tiny"]
    code = main(["score", *files, *options, "--out", str(tmp_path / "out"), "--bootstrap", "0"])
    assert code == 0
    assert set(Answers.keys) == {"Bearer secret-key"}
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert any(b"tiny at http" in content for content in written)
    assert not any(b"secret-key" in content for content in written)
    with pytest.raises(OptionError, match="the name of a model"):
        Judge.of(endpoint)


def test_commands_show_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, lines in (("ref", REFS), ("hyp", NEW)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    files = [str(tmp_path / "ref"), str(tmp_path / "hyp")]
    assert main(["align", *files, "--lang", "en", "--severity"]) == 0
    assert "critical, name: sarah > sharon" in capsys.readouterr().out
    assert main(["parts", "severity", "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("language,negation")
    assert main(["gate", *files, "--max", "critical=0.01", "--lang", "en"]) == 1


def test_labels_of_shards_are_those_of_all_texts(tmp_path: Path) -> None:
    references = ["i did not go", "take fifteen pills", "come on tuesday", "we like it"] * 5
    hypotheses = ["i did go", "take fifty pills", "come on thursday", "we like it"] * 5
    for part in range(2):
        own = slice(part * 10, part * 10 + 10)
        rows = {"reference": references[own], "hypothesis": hypotheses[own]}
        ids = [f"{part}-{at}" for at in range(10)]
        pl.DataFrame({"utt": ids, **rows}).write_parquet(tmp_path / f"{part}.parquet")
    options: Any = {"lang": "en", "severity": True, "critical_terms": ["tuesday"]}
    shards = misword.shards(f"{tmp_path}/*.parquet", engine="serial")
    found = misword.score(shards, **options)
    whole = misword.score(references, hypotheses, **options)
    errors = whole.records["severity_errors"].filter(level="critical")
    for label in ("negation", "number", "term", "role"):
        expected = len(errors.filter(label=label)) / whole.table["critical.reference_words"].sum()
        assert found[f"critical:{label}"] == pytest.approx(expected)
    assert found["severity"] == whole["severity"] == 0.75
