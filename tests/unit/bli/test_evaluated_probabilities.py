"""Precision and recall over the probability, and calibration, in an evaluation."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from misword.bli.evaluation.probabilities import THRESHOLDS, JudgedCandidates
from misword.cli.main import main
from misword.io.results import read_result
from spaces_made import turned, write_vectors

SYSTEMS = ["en-fr reranked", "en-fr reranked:spelling=false"]


@pytest.fixture
def judged() -> JudgedCandidates:
    """Two headwords with a vector and one without; four gold pairs, of which two are candidates."""
    return JudgedCandidates(
        probabilities=np.array([[0.9, 0.5, 0.1], [0.6, 0.2, 0.05]]),
        right=np.array([[True, False, False], [False, True, False]]),
        headwords=3,
        pair_headwords=np.array([0, 0, 1, 2]),
        pair_probabilities=np.array([0.9, -1.0, 0.2, -1.0]),
    )


@pytest.mark.parametrize(
    ("threshold", "precision", "recall"),
    [(0.1, (2, 5), (2, 4)), (0.2, (2, 4), (2, 4)), (0.5, (1, 3), (1, 4)), (0.95, (0, 0), (0, 4))],
)
def test_rates_worked_by_hand(
    judged: JudgedCandidates,
    threshold: float,
    precision: tuple[int, int],
    recall: tuple[int, int],
) -> None:
    assert tuple(judged.precision_terms(threshold).sum(axis=0).tolist()) == precision
    assert tuple(judged.recall_terms(threshold).sum(axis=0).tolist()) == recall


def test_terms_are_by_headword(judged: JudgedCandidates) -> None:
    """They are what the bootstrap resamples; a headword without a vector has its gold pairs."""
    assert judged.precision_terms(0.2).tolist() == [[1, 2], [1, 2]]
    assert judged.recall_terms(0.2).tolist() == [[1, 2], [1, 1], [0, 1]]


def test_bins_of_all_and_of_first_candidates(judged: JudgedCandidates) -> None:
    bins = judged.bins()
    assert sum(each.cases for each in bins["all"]) == 6
    assert [(each.cases, each.mean, each.share) for each in bins["first"]] == [
        (1, 0.6, 0.0),
        (1, 0.9, 1.0),
    ]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a mapping that has a reranker, and a gold lexicon."""
    source, target, pairs = turned(300, noise=0.4)
    monkeypatch.chdir(tmp_path)
    for vectors, name in ((source, "en.vec"), (target, "fr.vec")):
        write_vectors(vectors, tmp_path / name)
    for name, some in (("train.txt", pairs[:200]), ("gold.txt", pairs[200:])):
        (tmp_path / name).write_text("".join(f"{a} {b}\n" for a, b in some))
    command = ["map", "en.vec", "fr.vec", "--method", "procrustes", "--lexicon", "train.txt"]
    assert main([*command, "--rerank", "train.txt", "-o", "en-fr.map", "-q"]) == 0
    return tmp_path


def test_the_command_describes_the_reranker(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["map", "en-fr.map", "--format", "json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["reranker"] == "learnt from 200 headwords"
    assert facts["notes"][-1].startswith("train.txt: the reranker learns from 200 headwords")


def test_the_command_evaluates_probabilities(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    retrievers = "csls,reranked,reranked:spelling=false"
    command = ["evaluate", "en-fr.map", "gold.txt", "--retriever", retrievers, "--bootstrap", "50"]
    assert main([*command, "--format", "json", "--out", "result", "--report", "page.html"]) == 0
    printed = json.loads(capsys.readouterr().out)
    result = read_result("result")
    for name in ("thresholds", "calibration", "calibration_errors"):
        assert printed[name] == result.tables[name].to_dicts()
    thresholds = result.tables["thresholds"]
    assert thresholds["system"].unique(maintain_order=True).to_list() == SYSTEMS
    assert thresholds.filter(system=SYSTEMS[0])["threshold"].to_list() == list(THRESHOLDS)
    assert (thresholds["pairs"] == 100).all()
    predictions = result.tables["predictions"].group_by("system").len()
    assert dict(predictions.iter_rows()) == {
        "en-fr csls": 1000, **dict.fromkeys(SYSTEMS, 3000)
    }  # fmt: skip
    errors = result.tables["calibration_errors"]
    assert errors["cases"].to_list() == [3000, 100, 3000, 100]
    page = Path("page.html").read_text()
    assert "Are the probabilities right?" in page
    assert "Which probability is high enough?" in page
    assert main([*command, "--format", "table"]) == 0
    table = capsys.readouterr().out
    assert "Candidates with a probability of at least p" in table
    assert "calibration error" in table


def test_no_tables_without_probabilities(desk: Path) -> None:
    command = ["evaluate", "en-fr.map", "gold.txt", "--bootstrap", "0", "-q"]
    command += ["--retriever", "csls"]
    assert main([*command, "--out", "result", "--report", "page.html"]) == 0
    assert "thresholds" not in read_result("result").tables
    assert "Are the probabilities right?" not in Path("page.html").read_text()


def test_the_lexicon_of_the_reranker_is_no_gold_lexicon(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["map", "en.vec", "fr.vec", "--method", "vecmap-i", "--rerank", "gold.txt"]
    assert main([*command, "-o", "other.map"]) == 2
    assert "no token is in both vocabularies" in capsys.readouterr().err
    command = ["map", "en.vec", "fr.vec", "--method", "procrustes", "--lexicon", "train.txt"]
    assert main([*command, "--rerank", "gold.txt", "-o", "other.map"]) == 0
    capsys.readouterr()
    assert main(["evaluate", "other.map", "gold.txt", "--bootstrap", "0"]) == 0
    said = "other has a reranker that was trained on exactly this lexicon"
    assert said in capsys.readouterr().err


def test_a_mapping_without_a_reranker_is_refused_before_any_search(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["map", "en.vec", "fr.vec", "--method", "procrustes", "--lexicon", "train.txt"]
    assert main([*command, "-o", "plain.map"]) == 0
    capsys.readouterr()
    assert main(["evaluate", "plain.map", "gold.txt", "--retriever", "csls,reranked"]) == 2
    assert "no reranker for this direction" in capsys.readouterr().err


def test_the_output_is_not_the_lexicon_of_the_reranker(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = Path("train.txt").read_bytes()
    command = ["map", "en.vec", "fr.vec", "--method", "procrustes", "--lexicon", "gold.txt"]
    assert main([*command, "--rerank", "train.txt", "-o", "train.txt"]) == 2
    assert Path("train.txt").read_bytes() == before
