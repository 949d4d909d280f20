"""Results of `fit` for the tests of the report, with the tables that the command writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from misword.cli.commands.files.report import with_parts
from misword.core.types import Result
from results_made import HOSTILE, Place, words_table

LEVELS = (("100 %", 1.0, 189), ("any", 0.0, 496))


def quality(
    metric: str, agreed: float, p: float | None = None, levels: Any = LEVELS
) -> list[dict[str, Any]]:
    """Rows of agreement; at the second level 10 points lower."""
    return [
        {"metric": metric, "consensus": name, "least": least, "choices": size,
         "agreed": agreed - 0.1 * at, "low": agreed - 0.1 * at - 0.05,
         "high": min(agreed - 0.1 * at + 0.05, 1.0), "half": agreed, "ties": 0.02, "p": p}
        for at, (name, least, size) in enumerate(levels)
    ]  # fmt: skip


def fitted_choices(
    rows: Sequence[dict[str, Any]] | None = None,
    texts: Sequence[str] = ("the cat", "a cat", "the cap"),
    **tables: pl.DataFrame,
) -> Result:
    """A blend of two metrics, learnt from four choices; in two the blend is against people."""
    second = f"mine:x={texts[-1]}"
    known = [*quality("blend", 0.92), *quality("cer", 0.8, 0.001), *quality(second, 0.9, 0.2)]
    known += quality("one voter", 1.0)
    weights = [
        {"metric": "cer", "weight": 0.25, "low": 0.1, "high": 0.4, "influence": 0.3},
        {"metric": second, "weight": 0.75, "low": 0.6, "high": 0.9, "influence": 0.7},
    ]
    curve = [
        {"judgements": size, "measure": name, "mean": 0.8, "low": 0.75, "high": 0.85}
        for size in (20, 50) for name, _, _ in LEVELS
    ]  # fmt: skip
    # The blend is for a where `blend` is positive.
    judged = [
        {"judgement": number, "reference": texts[0], "a": texts[1], "votes_a": votes, "b": texts[2],
         "votes_b": 7 - votes if votes != 3 else 3, "blend": blend}
        for number, (votes, blend) in enumerate([(6, 0.2), (5, -0.1), (3, 0.3), (7, -0.1)], 1)
    ]  # fmt: skip
    selection = [
        {"metrics": f"cer,{second}", "size": 2, "loss": 0.5, "excess": 0.0, "standard_error": 0.0},
        {"metrics": second, "size": 1, "loss": 0.6, "excess": 0.1, "standard_error": 0.05},
    ]
    frames = {
        "quality": pl.DataFrame(known if rows is None else rows, infer_schema_length=None),
        "weights": pl.DataFrame(weights),
        "curve": pl.DataFrame(curve),
        "judgements": pl.DataFrame(judged),
        "words": _words([str(row["judgement"]) for row in judged], texts),
        "selection": pl.DataFrame(selection),
    }
    origin = {
        "metrics": ["cer", second], "folds": 10, "repeats": 2, "prior": "equal influence",
        "blend": {"slope": 10.0}, "confidence": 0.95, "notes": [texts[0]],
        "signatures": {"cer": texts[1], second: texts[2]},
    }  # fmt: skip
    return with_parts(Result("fit", frames | tables, origin))


def _words(ids: Sequence[str], texts: Sequence[str]) -> pl.DataFrame:
    """The texts as single words: the first is the reference."""
    alignments: dict[tuple[str, str], Sequence[Place]] = {}
    for system, text in zip("ab", texts[1:], strict=False):
        for utt in ids:
            alignments[utt, system] = [("substitution", texts[0], text), ("insertion", None, text)]
    return words_table(alignments)


def hostile_choices() -> Result:
    """A blend whose texts, metric and signatures look like code."""
    return fitted_choices(texts=HOSTILE[:3])


def fitted_ratings(**provenance: Any) -> Result:
    """A blend learnt from four ratings; the third has a rank that differs most."""
    rows = [
        {"metric": name, "pearson": value, "pearson_low": value - 0.02,
         "pearson_high": value + 0.02, "spearman": value, "spearman_low": None,
         "spearman_high": None, "kendall": value, "kendall_low": None, "kendall_high": None}
        for name, value in (("blend", 0.81), ("wer", 0.5), ("cer", 0.7))
    ]  # fmt: skip
    judged = [
        {"judgement": number, "a": "the cat sat", "b": HOSTILE[0], "score": score, "blend": -rate}
        for number, (score, rate) in enumerate([(3.0, 0.2), (2.0, 0.3), (0.5, 0.1), (1.0, 0.4)], 1)
    ]
    curve = [{"judgements": 20, "measure": "pearson", "mean": 0.6, "low": 0.5, "high": 0.7}]
    frames: dict[str, Any] = {"quality": rows, "judgements": judged, "curve": curve}
    tables = {name: pl.DataFrame(made, infer_schema_length=None) for name, made in frames.items()}
    origin = {"metrics": ["wer", "cer"], "confidence": 0.95, "prior": "people", **provenance}
    return with_parts(Result("fit", tables, origin))
