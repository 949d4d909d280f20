"""The interface of `evaluate`, and what is logged to MLflow and Weights & Biases."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import misword
from extras import needs
from misword.core.errors import MismatchError, MissingExtraError, OptionError
from misword.integrations import (
    ErrorRates,
    evaluate_metric,
    log_to_mlflow,
    log_to_wandb,
    logged_numbers,
)

REFERENCES = ["the cat sat", "so we go", "two by two", "on and on"]
BASE = ["a cat sat", "so we go", "to buy two", "on an on"]
SIGNATURE = "wer|ties:misword|norm:nfc|words:whitespace|alternatives:sclite|equivalents:none|v:1"


def test_compute_returns_rates_of_all_pairs() -> None:
    rates = ErrorRates("wer,cer")
    found = rates.compute(predictions=BASE, references=REFERENCES)
    assert found == {"wer": 4 / 12, "cer": misword.cer(REFERENCES, BASE)}


def test_batches_are_summed_and_not_averaged() -> None:
    rates = ErrorRates("wer")
    rates.add(prediction="a", reference="b")
    rates.add_batch(predictions=["a b c", "x"], references=["a b c", "x"])
    assert rates.compute() == {"wer": 1 / 5}
    with pytest.raises(OptionError, match="no texts"):
        rates.compute()


def test_options_are_those_of_score() -> None:
    rates = ErrorRates(["wer"], normalize="lower", forgive="contractions")
    assert rates.compute(predictions=["We're late"], references=["we are late"]) == {"wer": 0}
    assert math.isnan(ErrorRates("wer").compute(predictions=["a"], references=[""])["wer"])


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(MismatchError, match="2 references, 1 predictions"):
        ErrorRates().compute(predictions=["a"], references=["a", "b"])
    with pytest.raises(MismatchError, match="0 references"):
        ErrorRates().compute(predictions=["a"])


def test_numbers_have_the_names_of_systems_if_there_are_several() -> None:
    one = logged_numbers(misword.score(REFERENCES, BASE, "wer"))
    assert list(one) == ["wer", "wer.low", "wer.high"]
    assert one["wer"] == 1 / 3
    both = {"base": BASE, "new": REFERENCES}
    two = logged_numbers(misword.score(REFERENCES, both, "wer"), "dev/")
    assert (two["dev/base/wer"], two["dev/new/wer"]) == (1 / 3, 0)
    compared = logged_numbers(misword.compare(REFERENCES, both, "wer"))
    assert (compared["wer"], compared["wer.baseline_rate"]) == (0, 1 / 3)


def test_undefined_numbers_are_not_logged() -> None:
    assert logged_numbers(misword.score([""], ["a"], "wer")) == {}


@pytest.mark.parametrize("log", [log_to_mlflow, log_to_wandb, lambda _: evaluate_metric("wer")])
def test_a_missing_package_is_named(log: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr("misword.integrations.import_module", absent)
    with pytest.raises(MissingExtraError, match=r"pip install (mlflow|wandb|evaluate)"):
        log(misword.score(["a"], ["a"]))


def test_what_is_logged_to_mlflow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With a stand-in for the package: the functions that are called, and their arguments."""
    logged: dict[str, Any] = {}

    def keep_artifacts(folder: str, path: str) -> None:
        logged[path] = misword.load(folder)

    package = SimpleNamespace(
        log_metrics=lambda numbers, step: logged.update(numbers=numbers, step=step),
        set_tags=lambda tags: logged.update(tags=tags),
        log_artifacts=keep_artifacts,
    )
    monkeypatch.setattr("misword.integrations.import_module", lambda name: package)
    scores = misword.score(REFERENCES, BASE, "wer,wer:ties=jiwer")
    log_to_mlflow(scores, step=7)
    assert logged["step"] == 7
    assert logged["numbers"]["wer"] == logged["numbers"]["wer_ties_jiwer"] == 1 / 3
    assert logged["tags"]["misword.signature.wer"] == SIGNATURE
    assert logged["tags"]["misword.version"] == misword.__version__
    assert logged["misword"]["wer"] == 1 / 3


@needs("evaluate", "datasets")
def test_a_metric_of_evaluate_has_the_same_numbers(tmp_path: Path) -> None:
    import evaluate

    metric = evaluate_metric("wer,cer", normalize="lower")
    assert isinstance(metric, evaluate.Metric)
    expected = ErrorRates("wer,cer", normalize="lower").compute(
        predictions=BASE, references=REFERENCES
    )
    assert metric.compute(predictions=BASE, references=REFERENCES) == expected
    for heard, meant in zip(BASE, REFERENCES, strict=True):
        metric.add(prediction=heard, reference=meant)
    assert metric.compute() == expected
    both = evaluate.combine({"a": metric, "b": evaluate_metric("wer")})
    assert both.compute(predictions=["a"], references=["b"]) == {"a_wer": 1, "b_wer": 1, "cer": 1}


EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("evaluate_metric", "'forgiving_wer': 0.0", marks=needs("evaluate")),
        pytest.param("mlflow_run", "'dev/old/wer': 0.4444", marks=needs("mlflow")),
        pytest.param("wandb_run", "'dev/old/wer': 0.4444", marks=needs("wandb")),
    ],
)
def test_the_examples_run_without_a_server(name: str, expected: str, tmp_path: Path) -> None:
    source = str(Path(misword.__file__).parents[1])
    home = {"HOME": str(tmp_path), "HF_HOME": str(tmp_path), "WANDB_SILENT": "true"}
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py")],
        cwd=tmp_path,
        env={**os.environ, **home, "HF_HUB_OFFLINE": "1", "PYTHONPATH": source},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout


def test_every_example_is_run_by_a_test() -> None:
    names = {path.stem for path in EXAMPLES.glob("*.py")}
    assert names == {"evaluate_metric", "mlflow_run", "wandb_run"}


@needs("mlflow")
def test_a_run_of_mlflow_has_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    import mlflow

    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    with mlflow.start_run() as run:
        log_to_mlflow(misword.score(REFERENCES, {"base": BASE, "new/1": REFERENCES}, "wer"))
    data = mlflow.get_run(run.info.run_id).data
    assert data.metrics["base/wer"] == pytest.approx(1 / 3)
    assert data.metrics["new/1/wer"] == 0
    assert data.tags["misword.signature.wer"] == SIGNATURE
    files = {path.name for path in tmp_path.rglob("artifacts/misword/*")}
    assert {"result.json", "summary.parquet"} <= files


@needs("wandb")
def test_a_run_of_wandb_has_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANDB_SILENT", "true")
    import wandb

    with pytest.raises(OptionError, match=r"wandb\.init"):
        log_to_wandb(misword.score(REFERENCES, BASE, "wer"))
    with wandb.init(mode="offline", dir=tmp_path, project="misword") as run:
        log_to_wandb(misword.score(REFERENCES, BASE, "wer"), prefix="dev/")
        assert run.summary["dev/wer"] == pytest.approx(1 / 3)
        assert run.config["misword"]["signatures"] == {"wer": SIGNATURE}
        assert run.summary["dev/misword_scores"]["nrows"] == 1


def test_what_is_logged_to_wandb(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stand-in for the package."""
    logged: dict[str, Any] = {}
    run = SimpleNamespace(
        log=logged.update,
        config=SimpleNamespace(update=lambda facts, allow_val_change: logged.update(facts)),
    )
    package = SimpleNamespace(run=None, Table=lambda columns, data: (columns, data))
    monkeypatch.setattr("misword.integrations.import_module", lambda name: package)
    log_to_wandb(misword.score(REFERENCES, BASE, "wer"), run=run)
    assert logged["wer"] == 1 / 3
    assert logged["misword"]["signatures"]["wer"] == SIGNATURE
    columns, rows = logged["misword_scores"]
    assert columns[:3] == ["system", "metric", "rate"]
    assert rows[0][:3] == ["hypothesis", "wer", 1 / 3]
