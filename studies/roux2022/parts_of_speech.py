"""Distances of words by their part of speech: Table 3."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from misword.core.types import Statistics
from misword.stat.paired import Difference, paired
from studies.common.conclusions import NOT_AVAILABLE, Conclusion, Section, conclusion, joined
from studies.common.markdown import number, page, paragraph, signed, span, table
from studies.common.resampled import Estimate, estimate
from studies.roux2022.published import TABLE_3
from studies.roux2022.systems import BASE, DISTANCE, Recogniser

GAINING, NOT_GAINING = ("VERB", "ADJ"), ("DET", "NUM")
HEADER = [
    "tag", "words", "base", "rescored", "difference", "95 % interval", "relative, %",
    "paper: base", "rescored", "difference",
]  # fmt: skip
Changes = dict[str, tuple[int, Difference]]


def parts_of_speech(recognisers: Sequence[Recogniser]) -> Section:
    """Return the section on Table 3."""
    blocks, statuses = [], {}
    for recogniser in recognisers:
        changes = {tag: tag_change(recogniser, tag) for tag in TABLE_3}
        known = {tag: found for tag, found in changes.items() if found[0]}
        clear = sum(found.low > 0 or found.high < 0 for _, found in known.values())
        gain = gain_of_tags(recogniser, GAINING, NOT_GAINING)
        statuses[recogniser.title] = conclusion(gain.low, gain.high, "lower")
        summed_up = f"""{len(known) - clear} of {len(known)} intervals contain 0. The change of
        verbs and adjectives minus that of determiners and numbers is {signed(gain.value)}
        ({span(gain.low, gain.high)})."""
        blocks += [
            f"**{recogniser.title}, rescored by {recogniser.main}**",
            table(HEADER, tag_rows(known)),
            paragraph(summed_up),
        ]
    text = """Mean distance x 100 of each reference word and the word of the hypothesis that is
    aligned with it: 0 for equal words, 1 - cosine for others, 1 if a word has no vector. A
    deleted word has no distance. The last three columns are the paper's, which calls the
    difference a reduction. Tags that no word has are left out."""
    return Section(
        page("## Table 3: parts of speech", paragraph(text), *blocks).strip(),
        (
            Conclusion(
                "Table 3, our lists",
                "verbs and adjectives gain more than determiners and numbers",
                joined(statuses),
            ),
            Conclusion(
                "Section 4.2",
                "rescoring harms utterances of spontaneous speech",
                NOT_AVAILABLE,
                "no corpus with such annotation is here",
            ),
        ),
        (
            "misword score ref.csv base.csv rescored.csv --metrics wer-e --lang fr "
            "--vectors vectors/fr.vec.gz --by tag --out scores",
        ),
    )


def tag_rows(changes: Changes) -> list[list[str]]:
    """Return a row for each tag, beside the paper's."""
    return [
        [
            tag, f"{words:,}", number(found.baseline_rate), number(found.rate),
            signed(found.difference), span(found.low, found.high), signed(100 * found.relative, 1),
            *map(number, TABLE_3[tag]), signed(TABLE_3[tag][1] - TABLE_3[tag][0]),
        ]
        for tag, (words, found) in changes.items()
    ]  # fmt: skip


def word_distances(recogniser: Recogniser, tags: Iterable[str]) -> dict[str, Statistics]:
    """Return for both systems the sum of distances and the number of words of some tags.

    There is a row for each utterance. A word is a reference word with a word of the hypothesis: a
    deleted word has no distance.
    """
    words = recogniser.scores.words(DISTANCE).filter(
        pl.col("kind").is_in(["hit", "substitution"]), pl.col("tag").is_in(list(tags))
    )
    utts = recogniser.corpus.references.select("utt")
    found = {}
    for system in (BASE, recogniser.main):
        of_system = words.filter(system=system).group_by("utt")
        sums = of_system.agg(pl.col(f"{DISTANCE}.cost").sum(), words=pl.len())
        rows = utts.join(sums, on="utt", how="left", maintain_order="left").fill_null(0)
        found[system] = rows.drop("utt").cast(pl.Float64).to_numpy()
    return found


def tag_change(recogniser: Recogniser, tag: str) -> tuple[int, Difference]:
    """Return the number of words with a tag, and the change of their mean distance."""
    before, after = word_distances(recogniser, [tag]).values()
    return int(before[:, 1].sum()), paired(before, after, mean_distance)


def mean_distance(terms: Statistics) -> Statistics:
    """Return the mean distance x 100 of sums of distances and numbers of words."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(100 * terms[..., 0] / terms[..., 1])


def gain_of_tags(recogniser: Recogniser, tags: Iterable[str], others: Iterable[str]) -> Estimate:
    """Return the change of the mean distance of some tags minus that of other tags."""
    blocks = [
        terms for some in (tags, others) for terms in word_distances(recogniser, some).values()
    ]

    def change(terms: Statistics) -> Statistics:
        before, after, other_before, other_after = (
            mean_distance(terms[..., at : at + 2]) for at in (0, 2, 4, 6)
        )
        return np.asarray(after - before - (other_after - other_before))

    return estimate(np.hstack(blocks), change)
