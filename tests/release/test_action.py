"""The action for GitHub: its steps run here with stand-ins for the runner and for `gh`."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import misword
from release.project import ROOT

yaml = pytest.importorskip("yaml")
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
CHECK, COMMENT, END = "check the conditions", "comment the verdict", "end with the verdict"
# A stand-in for `gh`: writes its arguments and the body, and lists the comments of a file.
GH = """\
#!/usr/bin/env bash
printf '%s\\n' "$*" >> "$GH_LOG"
for word in "$@"; do
  case "$word" in body=@*) cp "${word#body=@}" "$GH_LOG.body" ;; esac
done
if [ "$GH_FAILS" = 1 ]; then echo "HTTP 403" >&2; exit 1; fi
case "$*" in *--paginate*) cat "$GH_KNOWN" ;; esac
"""


class Runner:
    """A folder with the files that a runner gives to a step."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "bin").mkdir()
        for name, text in {
            "python": f'#!/usr/bin/env bash\nexec "{sys.executable}" "$@"\n',
            "gh": GH,
        }.items():
            (folder / "bin" / name).write_text(text)
            (folder / "bin" / name).chmod(0o755)
        (folder / "known").write_text("")
        (folder / "ref.txt").write_text("the cat sat\nso we go\n")
        (folder / "new.txt").write_text("the cat sat\nso we went\n")

    def run(self, step: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run the script of a step as a runner does; each variable that it names is given."""
        names = STEPS[step].get("env", {})
        given = {name: environment.pop(name, "") for name in names}
        files = {name: str(self.folder / name.lower()) for name in
                 ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GH_LOG")}  # fmt: skip
        for path in files.values():
            Path(path).touch()
        path = os.pathsep.join([str(self.folder / "bin"), os.environ["PATH"]])
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[step]["run"]],
            cwd=self.folder,
            env={
                "PATH": path, "RUNNER_TEMP": str(self.folder), "GH_KNOWN": "known", "GH_FAILS": "",
                "PYTHONPATH": str(Path(misword.__file__).parents[1]), **files, **given,
                **environment,
            },
            capture_output=True,
            text=True,
        )  # fmt: skip

    def outputs(self) -> dict[str, str]:
        """Return the outputs that the steps have set."""
        lines = (self.folder / "github_output").read_text().splitlines()
        return dict(line.partition("=")[::2] for line in lines)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


def test_no_script_has_an_expression() -> None:
    """An input in the text of a script would be run as a part of it."""
    assert ACTION["runs"]["using"] == "composite"
    for step in STEPS.values():
        assert "${{" not in step["run"]
        assert "eval" not in step["run"]
        assert step["shell"] == "bash"
    used = set(re.findall(r"inputs\.([\w-]+)", json.dumps(ACTION["runs"])))
    assert used == ACTION["inputs"].keys()
    assert all(entry["description"] for entry in ACTION["inputs"].values())


def test_the_verdict_is_an_output_and_in_the_summary(runner: Runner) -> None:
    done = runner.run(CHECK, REFERENCE="ref.txt", NEW="new.txt", MAX="wer=50%,cer=80%")
    assert done.returncode == 0, done.stderr
    found = runner.outputs()
    assert (found["code"], found["passed"]) == ("0", "true")
    summary = (runner.folder / "github_step_summary").read_text()
    assert summary == Path(found["report"]).read_text()
    assert summary.startswith("### misword gate passed\n")
    assert "| max | wer | passed | 16.67 | 50.00 |" in summary
    assert runner.run(END, CODE=found["code"]).returncode == 0


def test_a_failed_condition_ends_the_job(runner: Runner) -> None:
    more = {"BASELINE": "ref.txt", "NO_WORSE": "wer", "MARGIN": "1%"}
    options = "--bootstrap=9\n\n--normalize=lower"
    done = runner.run(
        CHECK, REFERENCE="ref.txt", NEW="new.txt", MAX="wer=1%", OPTIONS=options, **more
    )
    assert done.returncode == 0  # the comment is written before the job ends
    found = runner.outputs()
    assert (found["code"], found["passed"]) == ("1", "false")
    report = Path(found["report"]).read_text()
    assert report.startswith("### misword gate failed: 1 of 2 conditions\n")
    assert "norm:lower" in report
    assert runner.run(END, CODE="1").returncode == 1
    assert runner.run(END, CODE="").returncode == 2


def test_a_gate_that_cannot_be_checked_says_why(runner: Runner) -> None:
    done = runner.run(CHECK, REFERENCE="ref.txt", NEW="nosuch.txt", MAX="wer=1%")
    assert done.returncode == 0
    found = runner.outputs()
    assert (found["code"], found["passed"]) == ("2", "")
    assert "nosuch.txt: no such file" in (runner.folder / "github_step_summary").read_text()


HOSTILE = (
    "$(touch hacked)",
    "`touch hacked`",
    "; touch hacked",
    "' ; touch hacked ; '",
    '" ; touch hacked',
    "--junit=hacked",
    "a\ncode=0\npassed=true",
)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_input_runs_a_command_or_sets_an_output(runner: Runner, hostile: str) -> None:
    names = ("REFERENCE", "NEW", "BASELINE", "MAX", "NO_WORSE", "MARGIN")
    options = hostile.replace("--junit", "-x")
    runner.run(CHECK, **dict.fromkeys(names, hostile), OPTIONS=options)
    assert not (runner.folder / "hacked").exists()
    assert runner.outputs()["code"] == "2"
    assert runner.outputs()["passed"] == ""
    runner.run(COMMENT, KEY=hostile, REPORT=str(runner.folder / "misword-gate.md"), NUMBER="1",
               REPOSITORY="o/r")  # fmt: skip
    assert not (runner.folder / "hacked").exists()


def test_the_comment_is_written_and_later_changed(runner: Runner) -> None:
    report = runner.folder / "report.md"
    report.write_text("### misword gate passed\n\n| @someone/a |\n" + "x" * 70_000)
    given = {"KEY": "Gate 1!", "REPORT": str(report), "REPOSITORY": "o/r", "NUMBER": "7"}
    done = runner.run(COMMENT, **given)
    assert done.returncode == 0, done.stderr
    listing, posting = (runner.folder / "gh_log").read_text().splitlines()
    assert "repos/o/r/issues/7/comments" in listing
    assert 'startswith("<!-- misword Gate1 -->")' in listing
    assert "--method POST repos/o/r/issues/7/comments" in posting
    body = (runner.folder / "gh_log.body").read_text()
    assert body.startswith("<!-- misword Gate1 -->\n### misword gate passed\n")
    assert "@<!-- -->someone" in body
    assert len(body) < 65_536
    (runner.folder / "known").write_text("41\n42\n")
    assert runner.run(COMMENT, **given).returncode == 0
    assert "--method PATCH repos/o/r/issues/comments/41" in (runner.folder / "gh_log").read_text()


def test_a_token_that_cannot_write_is_a_warning(runner: Runner) -> None:
    (runner.folder / "report.md").write_text("x")
    given = {"KEY": "a", "REPORT": "report.md", "REPOSITORY": "o/r", "NUMBER": "7"}
    done = runner.run(COMMENT, **given, GH_FAILS="1")
    assert done.returncode == 0
    assert "::warning title=misword gate::" in done.stdout
    assert "pull_request" in STEPS[COMMENT]["if"]
