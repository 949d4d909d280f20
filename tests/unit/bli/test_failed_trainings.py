"""A mapping whose training failed is noticed by everything that uses it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bilingual import gold, write_mapping
from misword.bli.auditing.answers import collect_answers
from misword.bli.draft import draft_lexicon
from misword.bli.evaluate import evaluate
from misword.bli.mapping import Mapping
from misword.bli.methods.starts import failure_note
from misword.bli.retrievers import RETRIEVERS
from misword.bli.translate import translate
from misword.cli.main import main
from misword.core.errors import OptionError
from misword.io.results import read_result
from misword.stat.descriptions import describe

NOTE = failure_note([{"start": 0, "objective": 0.31, "chance": 0.3}], "use a lexicon")
NN = RETRIEVERS.create("nn")
WARNING = f"toy: {NOTE}"


@pytest.fixture
def failed(tmp_path: Path) -> Path:
    """A mapping whose training failed."""
    path = write_mapping(tmp_path)
    mapping = Mapping.read(path)
    assert mapping.failure == ""
    assert "training" not in mapping.facts()
    replace(mapping, notes=("another note", NOTE)).write(path)
    return path


@pytest.mark.slow
def test_functions_say_it(failed: Path) -> None:
    """Words are translated and rates computed, with a note; the note is a part of results."""
    assert Mapping.read(failed).failure == NOTE
    assert Mapping.read(failed).facts()["training"] == "failed"
    found = translate(failed, ["dog"], 1)
    assert found.notes == (WARNING,)
    assert found.result().provenance["about"] == [WARNING]
    assert WARNING in draft_lexicon(failed, ["dog"], 1).notes
    evaluation = evaluate(failed, gold(), 1)
    assert WARNING in evaluation.notes
    assert evaluation.result().provenance["failed"] == {"toy": NOTE}
    (answers,) = collect_answers({"toy": failed}, {"dog": {"chien": "chien"}}, 1, NN)
    assert answers.notes == (WARNING,)


def test_the_whole_vocabulary_needs_force(failed: Path, tmp_path: Path) -> None:
    for function in (translate, draft_lexicon):
        with pytest.raises(OptionError, match="the training failed") as error:
            function(failed)
        assert "--force" in (error.value.fix or "")
        function(failed, force=True)
    output = tmp_path / "all.tsv"
    arguments = ["translate", str(failed), "--all", "-o", str(output)]
    assert main(arguments) == 2
    assert not output.exists()
    assert main([*arguments, "--force"]) == 0
    assert output.exists()


def test_commands_warn(failed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "gold.txt").write_text("dog chien\ncat chat\n", encoding="utf-8")
    assert main(["map", str(failed)]) == 0
    printed = capsys.readouterr()
    assert NOTE in printed.err
    assert "failed" in printed.out
    assert main(["translate", str(failed), "dog"]) == 0
    assert WARNING in capsys.readouterr().err
    arguments = [
        "evaluate",
        str(failed),
        str(tmp_path / "gold.txt"),
        "--k",
        "1",
        "--format",
        "json",
    ]
    assert main([*arguments, "--out", str(tmp_path / "results")]) == 0
    printed = capsys.readouterr()
    assert WARNING in printed.err
    assert json.loads(printed.out)["failed"] == {"toy": NOTE}
    result = read_result(tmp_path / "results")
    assert describe(result.kind).headline(result).startswith("The training of toy failed. ")
