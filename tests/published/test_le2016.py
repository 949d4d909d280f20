"""Le et al., Better evaluation of ASR in speech translation context using word embeddings, 2016.

The running example, and what needs no vectors.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import misword
from misword.alignment import Costs, align
from misword.asr.downstreams import create_downstreams
from misword.core.types import Alignment, Op, Tokens
from misword.text.texts import Texts
from misword.text.tokens import encode_words
from studies.le2016.examples import smoothed_bleu
from studies.le2016.published import TABLE_4, Example
from studies.le2016.running_example import DISTANCES, HYP, REF, TABLE_3

UNKNOWN = 1.2  # cannot be derived from the printed tables


def encode(refs: list[str], hyps: list[str]) -> tuple[Tokens, Tokens]:
    ref, hyp = encode_words([Texts.of(refs), Texts.of(hyps)])
    return ref, hyp


def costs_for(vocabulary: list[str]) -> Costs:
    table = np.full((len(vocabulary), len(vocabulary)), UNKNOWN)
    for line in DISTANCES.strip().splitlines():
        word, *row = line.split()
        for other, distance in zip(HYP.split(), row, strict=True):
            if word in vocabulary and other in vocabulary and distance != "-":
                table[vocabulary.index(word), vocabulary.index(other)] = float(distance)
    return Costs.table(table)


def letters(alignment: Alignment) -> str:
    return " ".join("ASID"[op] for op in alignment.operations(0))


def test_table_1_wer() -> None:
    alignment = align(*encode([REF], [HYP]))
    assert letters(alignment) == "A I S S A S A S S S"
    scores = misword.score([REF], [HYP], "wer")
    assert scores["wer"] == 7 / 9
    assert round(100 * scores["wer"]) == 78


def test_table_2_wer_e() -> None:
    """The unit-cost alignment, priced afterwards."""
    ref, hyp = encode([REF], [HYP])
    prices = costs_for(list(ref.vocabulary)).prices
    i = j = 0
    paid = []
    for op in align(ref, hyp).operations(0):
        paid.append(
            prices[ref.ids[i], hyp.ids[j]] if op == Op.SUBSTITUTION else float(op != Op.HIT)
        )
        i += op != Op.INSERTION
        j += op != Op.DELETION
    assert paid == pytest.approx([0, 1, 1.07, 0.75, 0, 0.47, 0, 0.35, 0.78, 0.43], abs=0.02)
    assert round(100 * sum(paid) / 9) == 54


def test_table_3_wer_s() -> None:
    """The prices decide the alignment too."""
    ref, hyp = encode([REF], [HYP])
    alignment = align(ref, hyp, costs=costs_for(list(ref.vocabulary)))
    assert letters(alignment) == "A S S I A S A S S S"
    assert alignment.costs[0] == pytest.approx(4.76, abs=0.02)
    assert round(100 * alignment.costs[0] / 9) == 53


def test_table_3_whole_matrix() -> None:
    """A cell is the least cost between a beginning of the reference and one of the hypothesis."""
    said, heard = REF.split(), HYP.split()
    cells = [(i, j) for i in range(1, 10) for j in range(1, 11)]
    ref, hyp = encode(
        [" ".join(said[:i]) for i, _ in cells], [" ".join(heard[:j]) for _, j in cells]
    )
    ours = align(ref, hyp, costs=costs_for(list(ref.vocabulary))).costs.reshape(9, 10)
    theirs = np.array([line.split() for line in TABLE_3.strip().splitlines()], float)
    np.testing.assert_allclose(ours, theirs, atol=0.021)


@pytest.mark.parametrize("example", TABLE_4, ids=lambda example: f"{example.rates[0]}")
def test_table_4_wer(example: Example) -> None:
    scores = misword.score([example.reference], [example.hypothesis], "wer")
    assert round(100 * scores["wer"], 2) == example.rates[0]


def test_table_4_translations() -> None:
    """BLEU adds one to the counts of all four orders; TER counts an edit too many."""
    some = [example for example in TABLE_4 if example.translation]
    texts = [each.translation for each in some], [each.translation_reference for each in some]
    parts = create_downstreams(["ter", "bleu:tokenize=none"])
    ter, bleu = (part.statistics(*texts) for part in parts.values())
    printed = np.array([example.scores for example in some])
    np.testing.assert_allclose(100 * (ter[:, 0] + 1) / ter[:, 1], printed[:, 0], atol=0.005)
    np.testing.assert_allclose(smoothed_bleu(bleu), printed[:, 1], atol=0.005)


def test_table_4_distance_of_sera() -> None:
    """D(sera, serait) = 0.267 makes one substitution in eleven words 2.43 %."""
    ref, hyp = encode(["a b c d e f g h i j serait"], ["a b c d e f g h i j sera"])
    pair = ref.vocabulary.index("serait"), ref.vocabulary.index("sera")
    costs = Costs.pairs([pair[0]], [pair[1]], [0.267], size=len(ref.vocabulary))
    assert round(100 * align(ref, hyp, costs=costs).costs[0] / 11, 2) == 2.43


def test_table_5_dev_wer(shared: Path) -> None:
    """21.92 %: whitespace tokens, no normalisation, LM scale 10."""
    corpus, _ = misword.read_corpus(
        shared / "wce-dev/ref.fr", [shared / "wce-dev/hyp/scale_10.fr"], input_format="lines"
    )
    labels = "wer,wer:ties=jiwer,wer:ties=kaldialign"
    scores = misword.score(corpus, metrics=labels, normalize="none")
    for label in scores.labels:
        hits, substitutions, insertions, deletions = scores.statistics(label).sum(axis=0)
        assert substitutions + insertions + deletions == 14460
        assert hits + substitutions + deletions == 65964
    assert round(100 * scores["wer"], 2) == 21.92
