"""The seven systems of the paper on our vectors: English with German and with French."""

from __future__ import annotations

from functools import cache

import misword
from misword.bli.evaluation.result import Evaluation
from misword.bli.options import LemmaRule
from misword.io.lexicons import Lexicon
from studies.common.bilingual import ALL_WORDS, mapping_files, muse_gold
from studies.denisova2023.published import K_VALUES

PAIRS = ("en-de", "en-fr")
FEW_WORDS = 10_000
# The paper calls RCSLS by the name of the tool.
SYSTEMS = ("MUSE-S", "MUSE-I", "MUSE-U", "VecMap-S", "VecMap-I", "VecMap-U", "RCSLS")
RETRIEVER = "nn"  # for every system, as in the paper


@cache
def evaluation(
    pair: str, max_words: int = ALL_WORDS, lemma_rule: LemmaRule | None = None
) -> Evaluation:
    """Evaluate all systems on MUSE's test lexicon; without a rule, words must be the same."""
    return evaluated(muse_gold(pair), pair, max_words, lemma_rule)


def evaluated(
    gold: Lexicon, pair: str, max_words: int = ALL_WORDS, lemma_rule: LemmaRule | None = None
) -> Evaluation:
    """Evaluate all systems on a lexicon, with the paper's retrieval."""
    return misword.evaluate(
        mapping_files(pair, max_words),
        gold,
        k=K_VALUES,
        retriever=RETRIEVER,
        lemmas=pair.partition("-")[2] if lemma_rule else None,
        lemma_rule=lemma_rule or "candidate",
    )


def system_name(system: str) -> str:
    """Return the name of a system in an evaluation."""
    return f"{system} {RETRIEVER}"


def rate(found: Evaluation, system: str, metric: str) -> float:
    """Return a rate of a system over the whole lexicon."""
    rows = found.rates.filter(system=system_name(system), metric=metric)
    return float(rows["part"][0] / rows["whole"][0])
