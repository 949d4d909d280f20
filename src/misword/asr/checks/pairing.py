"""Lines that are paired by id or by place and do not belong together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.asr.checking.findings import Finding, found
from misword.asr.checking.texts import CheckedTexts, TextPair
from misword.asr.checks import Check
from misword.asr.checks.language import main_language
from misword.asr.checks.script import main_script
from misword.core.formatting import counted

SAMPLE = 2_000  # pairs that are compared
FEWEST = 20  # pairs that a statement needs
FEW_COMMON_IDS = 0.9  # the least share of common ids of files that belong together
LOW = 0.25  # a similarity below this is that of different texts
FACTOR = 2.0  # how much more similar another pairing must be


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
            if len(pair.rows) >= FEWEST:
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
    rows = _sample(pair.rows)
    paired = _similarity(pair, rows)
    if paired >= LOW:
        return
    if pair.by_id:
        size = min(len(pair.left), len(pair.right))
        in_place = _similarity(pair, _sample(np.stack([np.arange(size)] * 2, axis=1)))
        if in_place > max(LOW, FACTOR * paired):
            yield _by_accident(pair, paired, in_place)
            return
    shuffled = rows.copy()
    shuffled[:, 1] = np.random.default_rng(0).permutation(shuffled[:, 1])
    at_random = _similarity(pair, shuffled)
    if paired <= FACTOR * at_random and not _in_two_languages(pair):
        yield found(
            Pairing.name,
            "error",
            pair.right,
            f"the lines are no more like those of {pair.left.name} than lines paired at random: "
            "the files do not belong together, or their order differs",
            other=pair.left,
            pairs=[(row, mate) for mate, row in rows.tolist()],
            evidence={"common words": paired, "at random": at_random},
        )


def _by_accident(pair: TextPair, paired: float, in_place: float) -> Finding:
    mend = f"--input-format {pair.right.format} without ids"
    if pair.right.format in ("csv", "tsv", "jsonl", "parquet") and pair.right.path:
        mend = f"misword score {pair.left.path} {pair.right.path} --id-column none"
    else:
        mend = ""
    return found(
        Pairing.name,
        "error",
        pair.right,
        f"the ids match by accident: lines with the same id share {100 * paired:.0f} % of their "
        f"words with {pair.left.name}, lines in the same place {100 * in_place:.0f} %",
        other=pair.left,
        pairs=[(row, mate) for mate, row in pair.rows[:3].tolist()],
        evidence={"common words by id": paired, "by place": in_place},
        mend=mend,
    )


def _in_two_languages(pair: TextPair) -> bool:
    """Return whether the two texts are in different languages, which is a finding of its own."""
    languages = {main_language(text) for text in (pair.left, pair.right)} - {""}
    scripts = {main_script(text) for text in (pair.left, pair.right)} - {""}
    return len(languages) > 1 or len(scripts) > 1


def _sample(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return some of the rows, evenly spaced."""
    return rows[:: max(1, len(rows) // SAMPLE)]


def _similarity(pair: TextPair, rows: NDArray[np.int64]) -> float:
    """Return the mean share of common words of pairs of rows."""
    shares = [
        share for left, right in rows.tolist()
        if (share := _common(pair.left.words[left], pair.right.words[right])) is not None
    ]  # fmt: skip
    return float(np.mean(shares)) if shares else 1.0


def _common(left: Sequence[str], right: Sequence[str]) -> float | None:
    """Return twice the common words divided by all words; None if a text is empty."""
    if not left or not right:
        return None
    ours, theirs = set(left), set(right)
    return 2 * len(ours & theirs) / (len(ours) + len(theirs))
