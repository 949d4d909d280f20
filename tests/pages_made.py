"""A small result of each kind that the report shows, and results of many systems."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

import misword
from bilingual import gold, open_mapping
from drafts_made import headword, made_draft
from fits_made import fitted_choices
from misword.bli.evaluate import evaluate_open
from misword.bli.evaluation.inputs import EvaluationSettings
from misword.bli.retrievers import RETRIEVERS
from misword.core.types import Result
from misword.noise.corrupt import corrupt
from misword.noise.realism import realism
from misword.stat.bootstrap import Bootstrap
from planted import demo, removed
from results_made import (
    HOSTILE,
    agreement,
    correlation,
    oracle,
    rescored,
    robustness,
    strange,
    system_tuning,
    tuning,
)

REFERENCES = ["the cat sat on the mat", "a dog ran to the cow", "two by two they go"] * 4
HEARD = ["the cap sat on mat", "a dog ran to the the cow", "two buy two they go"] * 4
LISTS = [[heard, text] for heard, text in zip(HEARD, REFERENCES, strict=True)]


def audit() -> Result:
    pairs = [("dog", "hund"), ("house", "haus"), ("london", "london"), ("x", "x")]
    return misword.audit(pairs, "et", "sk", flags="identical,script").result()


def benchmark() -> Result:
    texts = {"a": HEARD, HOSTILE[0]: REFERENCES}
    sets = {"one": (REFERENCES, texts), HOSTILE[1]: (REFERENCES, {"a": HEARD})}
    costs = {"a": {HOSTILE[2]: 1}, HOSTILE[0]: {HOSTILE[2]: 2}}
    return misword.bench(sets, "wer", costs=costs, incomplete="common", bootstrap=20).result()


def combination() -> Result:
    texts = {"a": HEARD, "b": REFERENCES, "c": HEARD}
    return misword.combine(texts, references=REFERENCES, bootstrap=20).result()


def evaluation() -> Result:
    settings = EvaluationSettings((1, 2), bootstrap=Bootstrap(20))
    mappings = [open_mapping("one"), open_mapping("two")]
    return evaluate_open(mappings, gold(), RETRIEVERS.create_all("nn"), settings).result()


def scores() -> Result:
    texts = {"base": HEARD, HOSTILE[0]: [*HEARD[:6], *REFERENCES[6:]]}
    metadata = {"noise": ["street", "street", "quiet"] * 4}
    found = misword.score(REFERENCES, texts, "wer,cer,wil", metadata=metadata)
    origin = {"date": "2026-05-28", "options": {"reference": "june.txt", "title": "June"}}
    return found.result(origin, by="noise", bootstrap=50)


def translations() -> Result:
    table = pl.DataFrame({"word": ["dog"], "candidate": ["chien"]})
    return Result("translations", {"candidates": table}, {"signature": "translate|k:1"})


def draft() -> Result:
    rows = [headword("dog", "chien", "chienne", rank=3, pos="NOUN"), headword("unicorn", rank=7)]
    return made_draft(*rows).result()


def doubted() -> Result:
    said = [*REFERENCES[:3], f"{HOSTILE[0]} the end of it", "we met on monday", *REFERENCES[5:]]
    heard = [*said[:4], "we met on sunday", *said[5:]]
    systems = {"base": HEARD, "one": heard, "two": heard, HOSTILE[1]: heard}
    return misword.references(said, systems, more_references=[REFERENCES], bootstrap=20).result()


def downstream() -> Result:
    count = "import sys; [print(float('we' in line)) for line in sys.stdin]"
    task = [sys.executable, "-c", count]
    return misword.task_robustness(REFERENCES, task, [0.2, 0.4], channel="uniform").result()


# Makes a result of each kind.
PAGES: dict[str, Callable[[], Result]] = {
    "agreement": lambda: agreement({"wer": (0.6, 0.5, 0.7), "cer": (0.7, 0.6, 0.8)}),
    "audit": audit,
    "benchmark": benchmark,
    "check": lambda: misword.check(*removed(40)(demo("en"))).result(),
    "combination": combination,
    "comparison": strange,
    "correlation": correlation,
    "corruption": lambda: corrupt(REFERENCES, [0.2, 0.4], channel="uniform").result(),
    "downstream": downstream,
    "draft": draft,
    "evaluation": evaluation,
    "fit": fitted_choices,
    "mbr": lambda: misword.mbr(LISTS, references=REFERENCES, bootstrap=20).result(),
    "oracle": oracle,
    "realism": lambda: realism(REFERENCES, HEARD, "uniform", bootstrap=20).result(),
    "references": doubted,
    "rescored": rescored,
    "robustness": robustness,
    "scores": scores,
    "system-tuning": system_tuning,
    "translations": translations,
    "tuning": tuning,
}


def compared(
    systems: int,
    utterances: int = 60,
    names: Sequence[str] = (),
    metrics: str = "wer,cer",
    size: int = 8,
) -> Result:
    """A comparison of systems by noise: each next one has more words wrong.

    `size` is the number of words of an utterance.
    """
    rng = np.random.default_rng(0)
    words = np.array([f"word{k}" for k in range(50)])
    chosen = words[rng.integers(50, size=(utterances, size))]
    texts = {}
    for k in range(systems):
        wrong = rng.random(chosen.shape) < 0.05 + 0.02 * k
        said = np.where(wrong, words[rng.integers(50, size=chosen.shape)], chosen)
        said = np.where(rng.random(chosen.shape) < 0.02 + 0.003 * k, "", said)
        name = names[k] if k < len(names) else f"system-{k + 1:02}"
        texts[name] = [" ".join(filter(None, row)) for row in said]
    references = [" ".join(row) for row in chosen]
    noise = [("street", "quiet", "café")[k % 3] for k in range(utterances)]
    found = misword.compare(references, texts, metrics, metadata={"noise": noise}, by="noise")
    return found.result({"date": "2026-05-28", "options": {"reference": "june.txt"}})
