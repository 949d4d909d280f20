"""misword in other tools: the interface of `evaluate`, and logging to MLflow and Weights & Biases.

The packages are not dependencies of misword. `evaluate_metric`, `log_to_mlflow` and `log_to_wandb`
import theirs when they are called; `ErrorRates` needs none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from posixpath import normpath
from tempfile import TemporaryDirectory
from typing import Any

from misword.asr.score import score
from misword.core.errors import MismatchError, MissingExtraError, OptionError
from misword.core.formatting import is_number
from misword.core.lazy import pl
from misword.core.types import DisplayedResult
from misword.core.version import __version__
from misword.io.results import write_result

# Columns of text that do not distinguish the rows of a table from each other.
COMMON = ("baseline", "signature")
# Characters that a name in MLflow may not have.
REFUSED = re.compile(r"[^/\w.\- ]")


class ErrorRates:
    """Rates with the interface of a metric of Hugging Face's `evaluate`.

    `metrics` and `options` are those of `misword.score`. `compute` returns the rates by label, as
    fractions; `add` and `add_batch` collect texts for it. A rate without a defined value is nan.

    >>> rates = ErrorRates("wer,cer", normalize="lower")
    >>> rates.compute(predictions=["the bat"], references=["The cat"])
    {'wer': 0.5, 'cer': 0.14285714285714285}
    """

    def __init__(self, metrics: str | Iterable[str] = "wer,cer", **options: Any) -> None:
        self.metrics = metrics if isinstance(metrics, str) else tuple(metrics)
        self.options = options
        self._predictions: list[str] = []
        self._references: list[str] = []

    def add(self, *, prediction: str, reference: str) -> None:
        """Add one pair."""
        self.add_batch(predictions=[prediction], references=[reference])

    def add_batch(self, *, predictions: Iterable[str], references: Iterable[str]) -> None:
        """Add pairs: two columns of the same length."""
        heard, meant = list(predictions), list(references)
        if len(heard) != len(meant):
            raise MismatchError(f"{len(meant)} references, {len(heard)} predictions")
        self._predictions += heard
        self._references += meant

    def compute(
        self, *, predictions: Iterable[str] | None = None, references: Iterable[str] | None = None
    ) -> dict[str, float]:
        """Return the rates of all pairs that were added and of those given here, and forget them.

        The rates are those of all pairs together, not means over batches.
        """
        if predictions is not None or references is not None:
            self.add_batch(predictions=predictions or (), references=references or ())
        meant, heard = self._references, self._predictions
        if not meant:
            raise OptionError("no texts to compute rates of", fix="give predictions and references")
        self._references, self._predictions = [], []
        scores = score(meant, heard, self.metrics, **self.options)
        return {label: scores[label] for label in scores.labels}


def evaluate_metric(metrics: str | Iterable[str] = "wer,cer", **options: Any) -> Any:
    """Return a metric of Hugging Face's `evaluate`, for `evaluate.combine` and its evaluators.

    It returns the numbers of `ErrorRates` with the same arguments. Texts that are added are kept in
    memory.
    """
    evaluate, datasets = _import("evaluate"), _import("datasets")
    rates = ErrorRates(metrics, **options)

    class Rates(evaluate.Metric):  # type: ignore[misc, name-defined]
        """Error rates by misword."""

        def _info(self) -> Any:
            texts = datasets.Value("string")
            return evaluate.MetricInfo(
                description=f"Error rates by misword {__version__}, of all texts together.",
                citation="",
                inputs_description="predictions and references: lists of texts",
                features=datasets.Features({"predictions": texts, "references": texts}),
            )

        def _compute(self, *, predictions: list[str], references: list[str]) -> dict[str, float]:
            return rates.compute(predictions=predictions, references=references)

    return Rates(config_name="misword", keep_in_memory=True)


def log_to_mlflow(result: DisplayedResult, *, prefix: str = "", step: int | None = None) -> None:
    """Log a result to the active run of MLflow: numbers, signatures, and all tables as files.

    The names of numbers begin with `prefix`. Signatures are tags. The tables are in the folder
    `misword` of the artifacts; `misword.load` and `misword report` can read it. A character that
    MLflow refuses in a name becomes `_`: `wer_ties_jiwer`.

    Example: `with mlflow.start_run(): log_to_mlflow(misword.score(references, hypotheses))`
    """
    mlflow = _import("mlflow")
    whole = result.result()
    numbers = {_safe(name): number for name, number in logged_numbers(result, prefix).items()}
    mlflow.log_metrics(numbers, step=step)
    signed = _signatures(whole.provenance)
    tags = {f"misword.signature.{_safe(label)}": text for label, text in signed.items()}
    mlflow.set_tags({"misword.version": __version__, **tags})
    with TemporaryDirectory() as folder:
        write_result(whole, Path(folder) / "misword")
        mlflow.log_artifacts(str(Path(folder) / "misword"), "misword")


def log_to_wandb(result: DisplayedResult, *, prefix: str = "", run: Any = None) -> None:
    """Log a result to a run of Weights & Biases: numbers, the main table, and signatures.

    `run` is by default the active run. Signatures are in the configuration of the run, under
    `misword`.

    Example: `with wandb.init(project="asr"): log_to_wandb(misword.score(references, hypotheses))`
    """
    wandb = _import("wandb")
    active = run or wandb.run
    if active is None:
        raise OptionError("no run of Weights & Biases is active", fix="call wandb.init() first")
    whole, main = result.result(), result.main_table()
    table = wandb.Table(columns=main.columns, data=[list(row) for row in main.rows()])
    active.log({**logged_numbers(result, prefix), f"{prefix}misword_{whole.kind}": table})
    signed = {"version": __version__, "signatures": _signatures(whole.provenance)}
    active.config.update({"misword": signed}, allow_val_change=True)


def logged_numbers(result: DisplayedResult, prefix: str = "") -> dict[str, float]:
    """Return the fractional numbers of the main table by name, those of a rate without a suffix.

    A name has the texts of the row, the system first: `new/wer`, `new/wer.low`. With one system,
    its name is left out. Numbers that are not defined are left out.

    >>> import misword
    >>> scores = misword.score(["a b"], ["a c"], "wer")
    >>> logged_numbers(scores, "test/")["test/wer"]
    0.5
    """

    table = result.main_table()
    texts = [
        name
        for name, kind in table.schema.items()
        if kind in (pl.String, pl.Categorical, pl.Enum) and name not in COMMON
    ]
    if "system" in texts:
        texts.remove("system")
        texts = ["system"] * (table["system"].n_unique() > 1) + texts
    fractions = [name for name, kind in table.schema.items() if kind.is_float()]
    numbers = {}
    for row in table.iter_rows(named=True):
        words = [str(row[name]) for name in texts if row[name] is not None]
        for name in fractions:
            if is_number(row[name]):
                suffix = "" if name == "rate" else f".{name}"
                numbers[prefix + "/".join(words) + suffix] = row[name]
    return numbers


def _signatures(provenance: dict[str, Any]) -> dict[str, str]:
    """Return the signatures of a result by label."""
    if "signature" in provenance:
        return {"all": str(provenance["signature"])}
    return {str(label): str(text) for label, text in provenance.get("signatures", {}).items()}


def _safe(name: str) -> str:
    """Return a name that MLflow accepts: it must look like a path that is normal and relative."""
    return normpath(REFUSED.sub("_", name)).lstrip("./")


def _import(package: str) -> Any:
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        fix = f"pip install {package}"
        raise MissingExtraError(f"this needs {package}, not installed", fix=fix) from None
