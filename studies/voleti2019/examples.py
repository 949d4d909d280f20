"""The section on Table 1: corrupted sentences."""

from __future__ import annotations

import numpy as np

import misword
from misword.core.types import Statistics
from misword.noise.phonology import Phonology
from studies.common.conclusions import NOT_AVAILABLE, Conclusion, Section, conclusion
from studies.common.markdown import number, page, paragraph, percent, table
from studies.common.resampled import Estimate, estimate
from studies.voleti2019 import published
from studies.voleti2019.candidates import NOTEBOOK, PRINTED, candidates_of, substitutions
from studies.voleti2019.materials import GLOVE

NEAREST = 15


def examples() -> Section:
    """Return the section on Table 1."""
    rows, known = [], []
    sounds = Phonology("en").pronounce([word for pair in substitutions() for word in pair])
    places = np.arange(2 * len(substitutions())).reshape(-1, 2)
    for (said, heard), d in zip(substitutions(), sounds.distances(places).tolist(), strict=True):
        found = {each.word: each for each in candidates_of(NOTEBOOK, said)}.get(heard)
        cells = [f"{found.rank}", f"{found.probability:.3f}"] if found else ["", ""]
        known.append(found is not None)
        rows.append([said, heard, number(d), *cells])
    originals, corrupted = (list(texts) for texts in zip(*published.TABLE_1, strict=True))
    scores = misword.score(originals, corrupted, "wer", normalize="nfc")
    text = f"""The paper prints five sentences at a WER of 30 %. Together they have a WER of
    {percent(scores["wer"])} %, by {len(rows)} substitutions. Each is looked up among the
    candidates of our channel: {NEAREST} words of the 1,000 nearest by GloVe. The paper does not
    name its GloVe file; ours has 50 dimensions. {sum(known)} of {len(rows)} printed substitutes
    are among them:"""
    evidence, gain = _evidence(known)
    header = ["said", "substitute", "phonological distance", "rank", "P"]
    return Section(
        page(
            "## Table 1: examples",
            paragraph(text),
            table(header, rows, text_columns=2),
            paragraph(evidence),
        ).strip(),
        (
            Conclusion(
                "Table 1, our channel",
                f"the printed substitutes are among our {NEAREST} candidates more often "
                "than Equation 1 would have it",
                conclusion(gain.low, gain.high, "higher"),
            ),
            Conclusion(
                "Table 1, same sentences",
                "the same random errors",
                NOT_AVAILABLE,
                "the seed is not published",
            ),
        ),
        (
            f"misword corrupt text.txt --wer 0.3 --lang en --vectors build/studies/{GLOVE} "
            "-o noisy.txt",
        ),
    )


def _evidence(known: list[bool]) -> tuple[str, Estimate]:
    """Compare how many substitutes are among the nearest candidates with what Equation 1 says.

    The second result is the difference of the two shares, resampled over substitutions.
    """
    shares = []
    for said, _ in substitutions():
        nearest = sorted(candidates_of(PRINTED, said), key=lambda each: each.distance)[:NEAREST]
        shares.append(sum(each.probability for each in nearest))
    terms = np.column_stack([known, shares, np.ones(len(known))])

    def gain(sums: Statistics) -> Statistics:
        return np.asarray((sums[..., 0] - sums[..., 1]) / sums[..., 2])

    found = estimate(terms, gain)
    expected = percent(float(np.mean(shares)), 1)
    text = f"""By Equation 1, without a limit of candidates as in Algorithm 1, all candidates are
    nearly equally probable, since d is small against σ²: the {NEAREST} nearest in sound have
    {expected} % of the probability together. So {expected} % of the printed substitutes would be
    expected among them; there are {percent(float(np.mean(known)), 1)} % (the difference is
    {percent(found.low, 1)} to {percent(found.high, 1)} points)."""
    return text, found
