"""Lines that are paired by id or by place and do not belong together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.asr.checking.commands import score_with
from misword.asr.checking.findings import Finding, found
from misword.asr.checking.similarity import LOW, mean_similarity, sampled
from misword.asr.checking.texts import CheckedTexts, TextPair
from misword.asr.checks import Check
from misword.asr.checks.language import main_language
from misword.asr.checks.script import main_script
from misword.core.formatting import counted

TABLES = ("csv", "tsv", "jsonl", "parquet")
FEW_COMMON_IDS = 0.9  # the least share of common ids of files that belong together
FACTOR = 2.0  # how much more similar lines in the same place must be


@dataclass(frozen=True, slots=True)
class Pairing(Check):
    """Ids that match by accident, and files that do not belong together.

    The share of common words of the paired lines is compared with that of lines in the same place
    and with that of lines paired at random. Slipped lines are compared where they belong.

    Example: `misword check ref.csv hyp.csv --checks pairing`
    """

    name: ClassVar[str] = "pairing"
    title: ClassVar[str] = "pairing of lines"
    family: ClassVar[str] = "order"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Look at the ids and the similarity of each pair."""
        for pair in texts.pairs:
            if pair.by_id:
                yield from _different_ids(pair)
            yield from _unlike(pair)


def _different_ids(pair: TextPair) -> Iterator[Finding]:
    """Yield a finding on ids that only one side has."""
    common, sizes = len(pair.named_rows), (len(pair.left), len(pair.right))
    if common == max(sizes):
        return
    with_id = set(pair.named_rows[:, 1].tolist())
    rows = [row for row in range(sizes[1]) if row not in with_id]
    few = common < FEW_COMMON_IDS * min(sizes)
    left_only = sizes[0] - common
    yield found(
        Pairing.name,
        "error" if few else "warning",
        pair.right,
        f"{counted(common, 'id')} are in both files; {left_only:,} are only in {pair.left.name}, "
        f"{len(rows):,} only here",
        rows=rows,
        other=pair.left,
        evidence={"share of common ids": common / max(sizes)},
    )


def _unlike(pair: TextPair) -> Iterator[Finding]:
    """Yield a finding if the paired lines are no more alike than other lines."""
    paired = pair.likeness.paired
    if paired >= LOW:
        return
    if pair.by_id:
        places = np.stack([np.arange(min(len(pair.left), len(pair.right)))] * 2, axis=1)
        in_place = mean_similarity(pair.left.words, pair.right.words, places)
        if in_place > max(LOW, FACTOR * paired):
            yield _by_accident(pair, paired, in_place)
            return
    if pair.likeness.is_random and not _in_two_languages(pair):
        yield found(
            Pairing.name,
            "error",
            pair.right,
            f"the lines are no more like those of {pair.left.name} than lines paired at random: "
            "the files do not belong together, or their order differs",
            other=pair.left,
            pairs=[(row, mate) for mate, row in sampled(pair.rows).tolist()],
            evidence={"common words": paired, "at random": pair.likeness.at_random},
        )


def _by_accident(pair: TextPair, paired: float, in_place: float) -> Finding:
    is_table = pair.left.format in TABLES and pair.right.format in TABLES
    return found(
        Pairing.name,
        "error",
        pair.right,
        f"the ids match by accident: lines with the same id share {100 * paired:.0f} % of their "
        f"words with {pair.left.name}, lines in the same place {100 * in_place:.0f} %",
        other=pair.left,
        pairs=[(row, mate) for mate, row in pair.rows[:3].tolist()],
        evidence={"common words by id": paired, "by place": in_place},
        mend=score_with(pair, "--id-column none") if is_table else "",
    )


def _in_two_languages(pair: TextPair) -> bool:
    """Return whether the two texts are in different languages, which is a finding of its own."""
    languages = {main_language(text) for text in (pair.left, pair.right)} - {""}
    scripts = {main_script(text) for text in (pair.left, pair.right)} - {""}
    return len(languages) > 1 or len(scripts) > 1
