"""Alignments word by word, with the errors marked, and the commonest confusions.

REF and HYP lines stand over each other; S, D and I mark substitutions, deletions and insertions,
*** the side that has no word. Right-to-left words keep their own direction within left-to-right
columns.
"""

from __future__ import annotations

import argparse
import unicodedata
from typing import TYPE_CHECKING, Any

from misword.alignment.engine import TIES
from misword.asr.align import Aligned, Step, align_pairs
from misword.cli.inputs import add_inputs, add_looks, read_pairs, whole
from misword.cli.output import Table, add_format, console, print_json, status

if TYPE_CHECKING:
    import polars as pl

EXAMPLES = """\
examples:
  misword align ref.txt hyp.txt
  misword align ref.trn hyp.trn --errors-only --limit 20 --confusions 50
  misword align ref.txt hyp.txt --format json | jq '.pairs[0].steps'
  misword align ref.txt hyp.txt --format csv > confusions.csv
"""

GAP = "***"
MARKS = {"hit": "", "substitution": "S", "insertion": "I", "deletion": "D"}
STYLES = {"hit": "", "substitution": "yellow", "insertion": "cyan", "deletion": "red"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_inputs(parser)
    parser.add_argument("--errors-only", action="store_true", help="leave out perfect utterances")
    parser.add_argument("--limit", type=whole(0), metavar="N", help="show at most N alignments")
    parser.add_argument(
        "--confusions",
        type=whole(0),
        default=20,
        metavar="N",
        help="confusions shown (default 20)",
    )
    parser.add_argument("--ties", choices=TIES, default="misword", help="default: %(default)s")
    add_looks(parser)
    add_format(parser)


def run(options: argparse.Namespace) -> None:
    """Read, align, print."""
    with status("aligning"):
        aligned = align_pairs(read_pairs(options)[0], options.ties)
        confusions = aligned.confusions()
    if options.format in ("csv", "md"):
        shown = confusions if options.format == "csv" else confusions.head(options.confusions)
        print(
            _table(shown).markdown() if options.format == "md" else shown.write_csv().rstrip("\n")
        )
        return
    chosen = _choose(aligned, options)
    if options.format == "json":
        _print_json(aligned, chosen, confusions, options)
        return
    for pair in chosen:
        _show(aligned, pair)
    if options.confusions and len(confusions):
        _table(confusions.head(options.confusions)).show()


def _choose(aligned: Aligned, options: argparse.Namespace) -> list[int]:
    pairs = range(len(aligned))
    if options.errors_only:
        pairs = [p for p in pairs if aligned.alignment.costs[p] > 0]  # type: ignore[assignment]
    return list(pairs[: options.limit])


def _print_json(
    aligned: Aligned, chosen: list[int], confusions: pl.DataFrame, options: argparse.Namespace
) -> None:
    keys = aligned.pairs.keys.select("utt", "system")
    pairs = [
        {**keys.row(pair, named=True), "steps": [step._asdict() for step in aligned.steps(pair)]}
        for pair in chosen
    ]
    print_json(
        {
            "ties": options.ties,
            **dict(aligned.pairs.settings),
            "pairs": pairs,
            "confusions": confusions.head(options.confusions).to_dicts(),
        }
    )


def _table(confusions: pl.DataFrame) -> Table:
    rows = [
        [kind, reference or GAP, hypothesis or GAP, f"{count:,}"]
        for kind, reference, hypothesis, count in confusions.iter_rows()
    ]
    return Table(["error", "reference", "hypothesis", "count"], rows, left=3)


def _show(aligned: Aligned, pair: int) -> None:
    """One utterance as lines of columns, folded to the width of the terminal."""
    from rich.text import Text

    out = console()
    key = aligned.pairs.keys.row(pair, named=True)
    _, *errors = aligned.alignment.counts[pair].tolist()
    steps = aligned.steps(pair)
    words = sum(step.reference is not None for step in steps)
    out.print(Text(f"{key['utt']}  {key['system']}  errors {sum(errors)}, words {words}", "bold"))
    for columns in _fold(steps, out.width - 5):
        for name, line in zip(("REF", "HYP", "   "), _lines(columns), strict=True):
            out.print(Text(f"{name}  ").append_text(line), no_wrap=True, crop=False)
    out.print()


def _fold(steps: list[Step], width: int) -> list[list[tuple[Step, int]]]:
    """Cut an alignment into runs of columns that fit the width."""
    from rich.cells import cell_len

    rows: list[list[tuple[Step, int]]] = [[]]
    used = 0
    for step in steps:
        size = max(cell_len(step.reference or GAP), cell_len(step.hypothesis or GAP)) + 1
        if used + size > width and rows[-1]:
            rows.append([])
            used = 0
        rows[-1].append((step, size))
        used += size
    return rows


def _lines(columns: list[tuple[Step, int]]) -> list[Any]:
    """Reference, hypothesis and marks of a run of columns."""
    from rich.cells import cell_len
    from rich.text import Text

    lines = [Text(), Text(), Text()]
    for step, size in columns:
        cells = (step.reference or GAP, step.hypothesis or GAP, MARKS[step.kind])
        for line, cell in zip(lines, cells, strict=True):
            line.append(_isolate(cell), STYLES[step.kind])
            line.append(" " * (size - cell_len(cell)))
    return lines


def _isolate(word: str) -> str:
    """Keep a right-to-left word from reordering the columns around it (Unicode isolates)."""
    if any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in word):
        return f"\u2068{word}\u2069"
    return word
