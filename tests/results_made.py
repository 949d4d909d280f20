"""Results for the tests of the report, with the tables that the commands write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from misword.cli.commands.files.report import with_parts
from misword.core.types import Result

KINDS = ("hit", "substitution", "insertion", "deletion")
# Texts that a page must not take for code.
HOSTILE = (
    "<script>window.hacked=1</script>",
    '" onmouseover=alert(1) x="',
    "</script><img src=x onerror=window.hacked=2>",
    "{{7*7}} ${7*7} <!-- ]]> &lt;b&gt;",
    "\u202eevil\u200b\u2028line\u2029<svg/onload=window.hacked=3>",
)
Place = tuple[str, str | None, str | None]


def difference(metric: str, relative: float | None, p: float | None, **more: Any) -> dict[str, Any]:
    """A row of `differences`: the first system has a rate of 20 %."""
    change = None if relative is None else 0.2 * relative
    tests = dict.fromkeys(("p_blocks", "p_blocks_holm", "p_mapsswe", "p_mapsswe_holm"))
    row = {
        "metric": metric,
        "system": "rescored",
        "baseline": "base",
        "rate": None if change is None else 0.2 + change,
        "baseline_rate": 0.2,
        "difference": change,
        "low": None if change is None else change - 0.01,
        "high": None if change is None else change + 0.01,
        "relative": relative,
        "relative_low": None if relative is None else relative - 0.05,
        "relative_high": None if relative is None else relative + 0.05,
        "p": p,
        "p_holm": p,
        **tests,
        "better": 5,
        "worse": 2,
        "same": 3,
        "undefined": 0,
    }
    return row | more


def comparison(rows: Sequence[Mapping[str, Any]], **provenance: Any) -> Result:
    """A comparison with a table of differences only."""
    labels = list(dict.fromkeys(row["metric"] for row in rows))
    frame = pl.DataFrame(list(rows), infer_schema_length=None)
    known = {"misword": "1.0", "metrics": labels, "signatures": {}, "baseline": "base"}
    return with_parts(Result("comparison", {"differences": frame}, known | provenance))


def scores(rows: Sequence[Mapping[str, Any]], **provenance: Any) -> Result:
    """Scores with a summary only."""
    frame = pl.DataFrame(list(rows), infer_schema_length=None)
    labels = list(dict.fromkeys(row["metric"] for row in rows))
    return with_parts(Result("scores", {"summary": frame}, {"metrics": labels, **provenance}))


def summary(**changed: Any) -> dict[str, Any]:
    """A row of a summary."""
    row = {"system": "a", "metric": "wer", "rate": 0.142, "low": 0.131, "high": 0.154,
           "reference": 9000, "utterances": 2643}  # fmt: skip
    return row | changed


def words_table(
    alignments: Mapping[tuple[str, str], Sequence[Place]], **columns: Sequence[Any]
) -> pl.DataFrame:
    """A table of words from the places of each utterance and system, with more columns."""
    rows = [
        {"utt": utt, "system": system, "rank": 1, "place": at, "kind": kind,
         "reference": reference, "hypothesis": hypothesis}
        for (utt, system), places in alignments.items()
        for at, (kind, reference, hypothesis) in enumerate(places)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema_overrides={"kind": pl.Enum(KINDS)}).with_columns(
        pl.Series(name, values) for name, values in columns.items()
    )


def strange(texts: Sequence[str] = HOSTILE) -> Result:
    """A whole comparison in which each string that a user can choose has one of the texts."""
    strings = [texts[i % len(texts)] for i in range(len(texts))]
    utts = [f"{text} {i}" for i, text in enumerate(strings)]
    systems = [f"{strings[0]} a", f"{strings[1]} b"]
    label, column = f"wer:x={strings[2]}", f"{strings[3]} column"
    alignments: dict[tuple[str, str], list[Place]] = {}
    for system in systems:
        for i, utt in enumerate(utts):
            word, other = strings[i], strings[(i + 1) % len(strings)]
            places: list[Place] = [("hit", word, word), ("substitution", word, other)]
            if system == systems[1] and i % 2:
                places += [("insertion", None, word), ("deletion", other, None)]
            alignments[utt, system] = places
    size = sum(len(places) for places in alignments.values())
    words = words_table(
        alignments,
        tag=[strings[i % len(strings)] for i in range(size)],
        **{f"{label}.cost": np.linspace(0, 1, size).tolist()},
    )
    rows = [
        {"utt": utt, "system": system, "rank": 1, column: strings[i], "numbers": float(i),
         f"{label}.errors": 1, f"{label}.rate": 0.1 * i + 0.1 * (system == systems[1]),
         "cer.rate": 0.05 * (i % 3)}
        for system in systems
        for i, utt in enumerate(utts)
    ]  # fmt: skip
    both = {"system": systems[1], "baseline": systems[0]}
    summary = [
        {"system": s, "metric": m, "rate": 0.2, "low": 0.1, "high": 0.3, "reference": 9,
         "utterances": len(utts)}
        for s in systems for m in (label, "cer")
    ]  # fmt: skip
    tables = {
        "summary": pl.DataFrame(summary),
        "utterances": pl.DataFrame(rows),
        "words": words,
        "differences": pl.DataFrame(
            [difference(label, -0.1, 0.01, **both), difference("cer", 0.1, 0.6, **both)],
            infer_schema_length=None,
        ),
        **_details(label, column, systems, utts, strings),
    }
    known = {
        "misword": "1.0", "metrics": [label, "cer"], "baseline": systems[0], "systems": systems,
        "signatures": {label: strings[4], "cer": strings[0]}, "block": strings[1], "blocks": 3,
        "by": [column],
        "words": {label: "words", "cer": ""},
        "options": {strings[0]: strings[1], "deep": [strings[2]]},
        "sha256": {f"{strings[2]}.txt": "ab" * 32}, "command": strings[3],
    }  # fmt: skip
    return with_parts(Result("comparison", tables, known))


def _details(
    label: str, column: str, systems: list[str], utts: list[str], strings: list[str]
) -> dict[str, pl.DataFrame]:
    """The tables `worst`, `contrast`, `slices` and `groups` of a comparison."""
    worst = [
        {"metric": label, "system": systems[1], "utt": utts[1], "baseline_rate": 0.1, "rate": 0.4,
         "change": 0.3, "reference": strings[0], "baseline_text": strings[1], "text": strings[2]}
    ]  # fmt: skip
    contrast = [
        {"system": systems[1], "metric": label, "column": column, "value": strings[k],
         "worsened": 0.5, "others": 0.25, "ratio": 2.0, "low": 1.5, "high": 2.5,
         "worsened_n": 2, "others_n": 3}
        for k in range(3)
    ]  # fmt: skip
    slices = [
        {"slice": "tag", "value": strings[k], "system": system, "words": 100, "errors": 20 + k + s,
         "rate": 0.2 + 0.01 * (k + s), "distance": 0.1, "rate_difference": 0.01 if s else None,
         "distance_difference": 0.0 if s else None}
        for k in range(3) for s, system in enumerate(systems)
    ]  # fmt: skip
    groups = [
        {"metric": label, "system": systems[1], "baseline": systems[0], column: strings[k],
         "utterances": 100, "baseline_rate": 0.2, "rate": 0.3 - 0.1 * k,
         "difference": 0.1 - 0.1 * k, "low": 0.05 - 0.1 * k, "high": 0.15 - 0.1 * k,
         "p": 0.01, "p_holm": 0.03}
        for k in range(3)
    ]  # fmt: skip
    frames: dict[str, Any] = {"worst": worst, "contrast": contrast, "slices": slices}
    frames["groups"] = groups
    return {k: pl.DataFrame(v, infer_schema_length=None) for k, v in frames.items()}


def correlation(names: Sequence[str] = ("wer", "cer", "semdist")) -> Result:
    """Correlations between metrics and with BLEU, over three blocks."""
    pairs = [(names[i], names[j]) for i in range(len(names)) for j in range(i + 1, len(names))]
    metrics = [
        {"a": a, "b": b, "pearson": 0.9 - 0.2 * k, "spearman": 0.8, "kendall": 0.7,
         "pearson_low": 0.1, "pearson_high": 0.95, "utterances": 100.0, "systems": 2}
        for k, (a, b) in enumerate(pairs)
    ]  # fmt: skip
    downstream = [
        {"metric": name, "score": "bleu", "system": "base", "pearson": -0.6 - 0.05 * k,
         "pearson_low": -0.8, "pearson_high": -0.3, "spearman": -0.5, "kendall": -0.4, "blocks": 3}
        for k, name in enumerate(names)
    ]  # fmt: skip
    blocks = [
        {"system": "base", "block": k + 1, "first": 100 * k + 1, "last": 100 * k + 100,
         **dict.fromkeys(names, 0.1 * (k + 1)), "bleu": 40.0 - 5 * k}
        for k in range(3)
    ]  # fmt: skip
    tables = {"metrics": metrics, "downstream": downstream, "blocks": blocks}
    frames = {name: pl.DataFrame(rows) for name, rows in tables.items()}
    known = {"metrics": list(names), "scores": {"bleu": ""}, "block_size": 100}
    return with_parts(Result("correlation", frames, known))


def agreement(shares: Mapping[str, tuple[float, float, float]]) -> Result:
    """Metrics by their share of triplets agreed, with an interval, at two levels of consensus."""
    rows = [
        {"metric": name, "consensus": level, "least": least, "triplets": size, "agreed": agreed,
         "low": low, "high": high, "half": agreed + 0.05, "half_low": low, "half_high": high,
         "ties": 0.1}
        for name, (agreed, low, high) in shares.items()
        for level, least, size in (("100 %", 1.0, 189), ("any", 0.0, 496))
    ]  # fmt: skip
    triplets = [
        {"triplet": 1, "reference": HOSTILE[0], "a": HOSTILE[1], "votes_a": 7, "b": HOSTILE[2],
         "votes_b": 0, **{f"{name}.a": 0.5 for name in shares},
         **{f"{name}.b": 0.1 for name in shares}}
    ]  # fmt: skip
    frames = {"agreement": pl.DataFrame(rows), "triplets": pl.DataFrame(triplets)}
    return with_parts(Result("agreement", frames, {"metrics": list(shares)}))


def oracle(names: Sequence[str] = ("wer", "cer"), system: str = "base") -> Result:
    """Best hypotheses of lists by some metrics, at two depths."""
    numbers = {"rate": 0.2, "low": 0.15, "high": 0.25, "difference": -0.1,
               "difference_low": -0.12, "difference_high": -0.08}  # fmt: skip
    rates = [
        {"system": system, "metric": name, "chosen_by": by, "depth": 10,
         **numbers, "rate": 0.3 if by == "rank 1" else 0.2 + 0.01 * (by != name)}
        for name in names for by in ("rank 1", *names)
    ]  # fmt: skip
    curves = [
        {"system": system, "metric": name, "depth": depth, **numbers, "shorter": 3}
        for name in names for depth in (1, 10)
    ]  # fmt: skip
    ties = [
        {"system": system, "chosen_by": by, "metric": name, "lists": 100, "tied": 20,
         "differing": 5, "rate": 0.21, "lowest": 0.2, "highest": None, "own": 0.2}
        for by in names for name in names
    ]  # fmt: skip
    chosen = [{"system": system, "utt": HOSTILE[0], "chosen_by": names[0], "rank": 2, "best": 1,
               "text": HOSTILE[1]}]  # fmt: skip
    lists = [
        {"utt": HOSTILE[0], "system": system, "rank": rank, "lm": -1.5, "text": HOSTILE[1],
         "reference": HOSTILE[2], "chosen_by": names[0] if rank == 2 else None,
         **{f"{name}.rate": 0.2 for name in names}}
        for rank in (1, 2)
    ]  # fmt: skip
    scored = {"system": system, "score": "bleu", "chosen_by": names[0], "low": 1.0, "high": 2.0}
    changed = {"against": "rank 1", "difference": 1.5, "p": 0.01, "p_holm": 0.02, "wins": 3,
               "ties": 2, "losses": 1}  # fmt: skip
    tables: dict[str, Any] = {
        "rates": rates, "curves": curves, "ties": ties, "chosen": chosen, "lists": lists,
        "translations": [{**scored, "value": 1.5}], "translation_changes": [{**scored, **changed}],
    }  # fmt: skip
    frames = {name: pl.DataFrame(rows, infer_schema_length=None) for name, rows in tables.items()}
    return with_parts(Result("oracle", frames, {"metrics": list(names), "confidence": 0.95}))


def tuning(feature: str = "lm", text: str = "a b") -> Result:
    """Weights of two features, tuned by WER, with folds, curves and one chosen text."""
    numbers = {"low": 0.15, "high": 0.25, "difference_low": -0.12, "difference_high": -0.08}
    rates = [
        {"data": "tuning", "metric": "wer", "choice": choice, "rate": rate, **numbers,
         "difference": rate - 0.3, "p": 0.01, "changed": 5}
        for choice, rate in (("rank 1", 0.3), ("tuned", 0.2), ("held out", 0.22), ("oracle", 0.1))
    ]  # fmt: skip
    ends = ("low", "high", "noise_low", "noise_high", "resampled_low", "resampled_high",
            "fold_low", "fold_high")  # fmt: skip
    weights = [
        {"feature": "score", "weight": 1.0, "spread": 2.0, **dict.fromkeys(ends)},
        {"feature": feature, "weight": 0.5, "spread": 1.0,
         **dict(zip(ends, (0.4, 0.6, 0.3, None, 0.2, 0.8, 0.1, 0.9), strict=True))},
    ]  # fmt: skip
    tables: dict[str, Any] = {
        "rates": rates,
        "weights": weights,
        "folds": [{"fold": 1, "lists": 9, "tuned": 0.2, "held_out": 0.22, "rank_1": 0.3}],
        "fold_weights": [{"fold": 1, "feature": feature, "weight": 0.4}],
        "curves": [{"feature": feature, "weight": at, "rate": 0.2 + at, "held_out": None}
                   for at in (0.0, 0.5, 1.0)],
        "stability": [{"resamples": 100, "others": 99, "changed": 0.1, "changed_low": 0.0,
                       "changed_high": 0.3, "loss": 0.001}],
        "chosen": [{"data": "tuning", "choice": "held out", "system": "base", "utt": text,
                    "rank": 2, "text": text}],
    }  # fmt: skip
    frames = {name: pl.DataFrame(rows, infer_schema_length=None) for name, rows in tables.items()}
    origin = {"metrics": ["wer"], "tuned_by": "wer", "lists": 45, "folds": 5, "confidence": 0.95}
    return with_parts(Result("tuning", frames, origin))


def system_tuning(names: Sequence[str] = ("scale_1", "scale_2")) -> Result:
    """The choice of WER among systems of which the first is the best."""
    rates = [
        {"metric": "wer", "system": name, "rate": 0.2 + 0.01 * k, "low": 0.15, "high": 0.25,
         "chosen": not k, "difference": 0.01 * k, "difference_low": 0.0, "difference_high": 0.02,
         "p": 0.3, "best_share": 0.5}
        for k, name in enumerate(names)
    ]  # fmt: skip
    choice = {"metric": "wer", "system": names[0], "rate": 0.2, "next": names[1],
              "next_difference": 0.01, "next_p": 0.3, "others": 0.5, "held_out": 0.21, "folds": 5,
              "same_folds": 3}  # fmt: skip
    judged = {"chosen_by": "wer", "system": names[0], "metric": "wer", "rate": 0.2, "lowest": 0.2}
    frames = {
        "rates": pl.DataFrame(rates),
        "choices": pl.DataFrame([choice]),
        "judged": pl.DataFrame([judged]),
    }
    return with_parts(Result("system-tuning", frames, {"metrics": ["wer"], "confidence": 0.95}))


def robustness(names: Sequence[str] = ("mean", "sif", HOSTILE[0]), **changed: Any) -> Result:
    """Encoders under noise: the similarity of each falls faster than that of the one before."""
    levels = [
        {"encoder": name, "wer": wer, "trials": 5, "realised": wer + 0.0004,
         "similarity": 1 - k * wer, "similarity_low": 0.99 - k * wer, "similarity_high": 1.0,
         "pearson": 0.7 - 0.3 * wer + 0.05 * k, "pearson_low": 0.65 - 0.3 * wer,
         "pearson_high": 0.72, "pearson_pairs_low": 0.5, "pearson_pairs_high": 0.9,
         "spearman": 0.6, "ratio": (0.7 - 0.3 * wer + 0.05 * k) / (0.7 + 0.05 * k),
         "ratio_low": 0.7, "ratio_high": 0.95, "pairs": 1500}
        | changed
        for k, name in enumerate(names) for wer in (0.0, 0.1, 0.3)
    ]  # fmt: skip
    lines = [
        {"encoder": name, "slope": -0.5 * k, "slope_low": -0.6 * k, "slope_high": -0.4 * k,
         "intercept": 1.0, "r2": 0.99}
        for k, name in enumerate(names)
    ]  # fmt: skip
    examples = [{"sentence": HOSTILE[1], "wer": 0.3, "heard": HOSTILE[2]}]
    tables = {"levels": levels, "lines": lines, "examples": examples}
    frames = {name: pl.DataFrame(rows, infer_schema_length=None) for name, rows in tables.items()}
    known = {"encoders": list(names), "notes": [HOSTILE[3]], "pairs": 1500, "trials": 5}
    known |= {"channel": HOSTILE[4], "refit": False}
    return with_parts(Result("robustness", frames, known))


def rescored(models: Sequence[str] = ("small", "big")) -> Result:
    """Three lists with the log-probabilities of models; the rows of u2 are not in their order."""
    texts = {("u2", 3): "c", ("u2", 1): HOSTILE[0], ("u2", 2): HOSTILE[1], ("u1", 1): "d",
             ("u1", 2): "e", ("u3", 1): "f"}  # fmt: skip
    values = ([-3.0, -2.0, -1.0, -5.0, -5.0, -1.0], [-2.0, -3.0, -4.0, -9.0, -8.0, -1.0])
    given = dict(zip(models, values, strict=False))
    hypotheses = [
        {"utt": utt, "rank": rank, "text": text, **{name: given[name][k] for name in models}}
        for k, ((utt, rank), text) in enumerate(texts.items())
    ]
    summary = [
        {"column": name, "model": "ngram", "texts": 6, "words": 9, "tokens": None, "oov": 1,
         "per_word": -1.5}
        for name in models
    ]  # fmt: skip
    frames = {"summary": pl.DataFrame(summary), "hypotheses": pl.DataFrame(hypotheses)}
    return Result("rescored", frames, {"notes": [HOSTILE[3]]})


def large(utterances: int = 20_000, places: int = 20) -> Result:
    """Two systems on many utterances: random words, one in seven of them wrong."""
    rng = np.random.default_rng(0)
    size = 2 * utterances * places
    vocabulary = pl.Series([f"word{k}" for k in range(20_000)])
    right = rng.integers(20_000, size=size // 2)
    right = np.concatenate([right, right])
    wrong = rng.random(size) < 1 / 7
    heard = np.where(wrong, rng.integers(20_000, size=size), right)
    utts = pl.Series([f"utt{k:05}" for k in range(utterances)])
    systems = pl.Series(["base", "new"])
    words = pl.DataFrame(
        {
            "utt": utts.gather(np.tile(np.repeat(np.arange(utterances), places), 2)),
            "system": systems.gather(np.repeat([0, 1], size // 2)),
            "rank": np.ones(size, np.int64),
            "place": np.tile(np.arange(places), 2 * utterances),
            "kind": pl.Series(KINDS, dtype=pl.Enum(KINDS)).gather((heard != right).astype(int)),
            "reference": vocabulary.gather(right),
            "hypothesis": vocabulary.gather(heard),
            "tag": pl.Series(["NOUN", "VERB", "DET"]).gather(right % 3),
            "ember.cost": np.where(heard != right, rng.random(size), 0.0),
        }
    )
    errors = (heard != right).reshape(2, utterances, places).sum(axis=2).ravel()
    pairs = pl.DataFrame(
        {
            "utt": pl.concat([utts, utts]),
            "system": systems.gather(np.repeat([0, 1], utterances)),
            "rank": np.ones(2 * utterances, np.int64),
            "speaker": pl.Series([f"speaker {k % 50:02}" for k in range(utterances)] * 2),
            "wer.rate": errors / places,
            "ember.rate": errors / places / 2,
        }
    )
    tables = {"utterances": pairs, "words": words}
    return with_parts(Result("scores", tables, {"metrics": ["wer", "ember"]}))
