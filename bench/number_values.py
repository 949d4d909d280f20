"""How many pairs of numbers are forgiven that mean something else, and how many that mean the same.

    PYTHONPATH=src python bench/number_values.py --pairs 100000 --out table.md

Draws `--pairs` pairs of different and of equal value for each group of languages (en; fr es pt it;
de nl), of all kinds of tests/number_pairs.py in turn. Prints a row for each language and kind that
has wrong pairs: different ones that are forgiven, equal ones that are not. Each row has examples.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from number_keys import forgiven
from number_pairs import Pair, different, equal

GROUPS = (("en",), ("fr", "es", "pt", "it"), ("de", "nl"))
BATCH = 10_000


def measured(
    draw: Callable[[str, int], Iterator[Pair]], lang: str, pairs: int, seed: int, wanted: bool
) -> tuple[Counter[str], dict[str, list[Pair]]]:
    """Return the number of pairs of each kind, and those that are not judged as `wanted`."""
    counts: Counter[str] = Counter()
    wrong: dict[str, list[Pair]] = defaultdict(list)
    stream = islice(draw(lang, seed), pairs)
    while batch := list(islice(stream, BATCH)):
        counts.update(pair.kind for pair in batch)
        judged = forgiven([(pair.left, pair.right) for pair in batch], lang)
        for pair, found in zip(batch, judged, strict=True):
            if found is not wanted:
                wrong[pair.kind].append(pair)
    return counts, wrong


def rows(
    title: str, lang: str, counts: Counter[str], wrong: dict[str, list[Pair]], shown: int
) -> str:
    """Return the lines of a table: first the sum, then each kind that has wrong pairs."""
    total, faults = counts.total(), sum(map(len, wrong.values()))
    lines = [f"| {lang} | **{title}** | {total:,} | {faults:,} | {faults / total:.2%} | |"]
    for kind, found in wrong.items():
        texts = dict.fromkeys(f"`{pair.left}` / `{pair.right}`" for pair in found)
        examples = "; ".join(islice(texts, shown))
        share = len(found) / counts[kind]
        lines.append(
            f"| {lang} | {kind} | {counts[kind]:,} | {len(found):,} | {share:.1%} | {examples} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pairs", type=int, default=100_000, help="pairs of a group of languages")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--examples", type=int, default=3)
    parser.add_argument("--languages", help="only these, separated by commas")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    chosen = options.languages.split(",") if options.languages else None
    head = "| language | kind | pairs | wrong | share | examples |\n|:--|:--|--:|--:|--:|:--|"
    parts = [head]
    print(head, flush=True)
    for group in GROUPS:
        for lang in group:
            if chosen and lang not in chosen:
                continue
            size = options.pairs // len(group)
            for title, draw, wanted in (
                ("different, forgiven", different, False),
                ("equal, not forgiven", equal, True),
            ):
                counts, wrong = measured(draw, lang, size, options.seed, wanted)
                parts.append(rows(title, lang, counts, wrong, options.examples))
                print(parts[-1], flush=True)
    if options.out:
        options.out.write_text("\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
