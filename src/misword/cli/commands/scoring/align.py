"""Show alignments word by word, with the errors marked, and the most frequent confusions.

The line REF is above the line HYP. S, D and I mark substitutions, deletions and insertions; *** is
in place of a missing word. S_, D_ and I_ mark a word that was split or joined: `some thing` and
`something`. Right-to-left words keep their direction within left-to-right columns.
With a metric that has costs, such as `--metric wer-s`, the cost of each error is below it. With
`--forgive`, the family of each forgiven difference is below it, and the most frequent of these
differences are listed.
"""

from __future__ import annotations

import argparse
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from misword.asr.options import AlignMetric, AlignOptions
from misword.cli.inputs import Inputs
from misword.cli.options import Format, Texts
from misword.cli.output import bars, note_unread, status
from misword.cli.printing import console, note, print_text
from misword.cli.rendering import print_result
from misword.core.errors import OptionError, visible
from misword.core.options import Option, chosen, whole
from misword.io.options import Reading
from misword.stat.descriptions.alignments import GAP
from misword.stat.descriptions.scores import short_name

if TYPE_CHECKING:
    from misword.asr.align import Aligned
    from misword.asr.word_tables import AlignmentStep

EXAMPLES = """\
examples:
  misword align ref.txt hyp.txt
  misword align ref.trn hyp.trn --errors-only --limit 20 --confusions 50
  misword align ref.txt hyp.txt --format json | jq '.pairs[0].steps'
  misword align ref.txt hyp.txt --format csv > confusions.csv
  misword align ref.fr hyp.fr --metric wer-s --vectors cc.fr.300.vec
  misword align ref.txt hyp.txt --forgive writing --limit 0 --forgiven 100
  misword align ref.txt hyp.txt --metric per:cost=features --lang en
  misword align ref.txt hyp.txt --lang en --severity --errors-only
"""

MARKS = {"hit": "", "substitution": "S", "insertion": "I", "deletion": "D"}
STYLES = {"hit": "", "substitution": "yellow", "insertion": "cyan", "deletion": "red"}
FORGIVEN_STYLE = "green"
SPACING = "_"  # after the letter of an error, if a word was split or joined


class AlignTables(TypedDict, total=False):
    """How much is printed."""

    errors_only: Annotated[
        bool, Option("leave out utterances without errors", default=False, common=True)
    ]
    severity: Annotated[
        bool,
        Option(
            "below each alignment, the level and the label of its errors (differences of writing "
            "forgiven)",
            default=False,
            common=True,
        ),
    ]
    limit: Annotated[
        int | None,
        Option("show at most N alignments", metavar="N", read=whole(0), common=True),
    ]
    confusions: Annotated[
        int,
        Option("number of confusions to show", default=20, metavar="N", read=whole(0), common=True),
    ]
    forgiven: Annotated[
        int,
        Option(
            "number of forgiven differences to show",
            default=20,
            metavar="N",
            read=whole(0),
            needs=("forgive", "preset"),
        ),
    ]


OPTIONS = (Texts, AlignMetric, AlignTables, Reading, AlignOptions, Format)
IGNORED = {"categorical": "no values of metadata are compared"}


def run(options: argparse.Namespace) -> None:
    """Align the texts, print the alignments and confusions."""
    from misword.asr.align import align

    if options.critical_terms and not options.severity:
        raise OptionError("--critical-terms is for --severity", fix="add --severity")
    inputs = Inputs(options)
    with bars(), status("aligning"), inputs.reading():
        aligned = align(
            inputs.files(cuts=True), metric=options.metric, **chosen(options, AlignOptions)
        )
        labels = _labels(aligned) if options.severity else {}
        result = aligned.result()
    note_unread(options, "metric", [aligned.metric], inputs.used_for_texts())
    note(*aligned.pairs.notes)
    if options.format == "csv":
        print_result(result, "csv")
        return
    most = {"forgiven": options.forgiven}
    tables = {
        name: table.head(most.get(name, options.confusions))
        for name, table in result.tables.items()
    }
    shown = _shown_pairs(aligned, options)
    facts: dict[str, Any] = {}
    if options.format == "json":
        metric = options.metric or aligned.metric.name
        facts = {"metric": metric, **dict(aligned.signature), "pairs": _steps(aligned, shown)}
        if options.severity:
            facts["errors"] = aligned.labels().to_dicts()
    elif options.format == "table":
        for pair in shown:
            _show(aligned, pair, labels)
        families = set(result.tables["forgiven"]["family"])
        if shown and families:
            print_text(legend([name for name in aligned.forgivable if name in families]))
    print_result(replace(result, tables=tables), options.format, facts=facts)


def legend(families: Sequence[str]) -> str:
    """Return a line with the meaning of short names.

    >>> legend(["case", "contractions"])
    'forgiven: case, contr. contractions'
    """
    listed = [
        family if short_name(family) == family else f"{short_name(family)} {family}"
        for family in families
    ]
    return f"forgiven: {', '.join(listed)}"


Key = tuple[str, str]


def _labels(aligned: Aligned) -> dict[Key, list[str]]:
    """Return lines with the level, the label and the words of the errors of each utterance."""
    lines: dict[Key, list[str]] = {}
    table = aligned.labels().sort("risk", descending=True, maintain_order=True)
    for row in table.iter_rows(named=True):
        if row["level"] != "none":
            words = f"{row['reference'] or GAP} > {row['hypothesis'] or GAP}"
            line = f"     {row['level']}, {row['label']}: {words}"
            lines.setdefault((row["utt"], row["system"]), []).append(line)
    return lines


def _shown_pairs(aligned: Aligned, options: argparse.Namespace) -> list[int]:
    pairs = list(range(len(aligned)))
    if options.errors_only:
        pairs = [pair for pair in pairs if aligned.alignment.costs[pair] > 0]
    return pairs[: options.limit]


def _steps(aligned: Aligned, shown: list[int]) -> list[dict[str, Any]]:
    """Return the steps of some pairs, for programs."""
    keys = aligned.pairs.keys.select("utt", "system")
    return [
        {**keys.row(pair, named=True), "steps": [step._asdict() for step in aligned.steps(pair)]}
        for pair in shown
    ]


def _show(aligned: Aligned, pair: int, labels: Mapping[Key, list[str]]) -> None:
    """Print one utterance in columns, folded to the width of the terminal."""
    from rich.text import Text

    out = console()
    key = aligned.pairs.keys.row(pair, named=True)
    hits, substitutions, insertions, deletions = aligned.alignment.counts[pair].tolist()
    errors, tokens = substitutions + insertions + deletions, hits + substitutions + deletions
    steps = list(map(_visible_step, aligned.steps(pair)))
    unit = aligned.metric.view(aligned.pairs.context).unit
    head = f"{key['utt']}  {key['system']}  errors {errors}, {unit} {tokens}"
    priced = any(step.cost not in (0, 1) for step in steps)
    if priced:
        head += f", cost {sum(step.cost for step in steps):.2f}"
    out.print(Text(visible(head), "bold"))
    for columns in _fold(steps, out.width - 6):
        lines = _lines(columns)[: 4 if priced else 3]
        for name, line in zip(("REF ", "HYP ", "    ", "COST"), lines, strict=False):
            out.print(Text(f"{name} ").append_text(line), no_wrap=True, crop=False)
    for line in labels.get((key["utt"], key["system"]), ()):
        out.print(Text(visible(line)))
    out.print()


def _visible_step(step: AlignmentStep) -> AlignmentStep:
    """Return a step with control characters as escapes."""
    return step._replace(
        reference=visible(step.reference or ""), hypothesis=visible(step.hypothesis or "")
    )


def _fold(steps: list[AlignmentStep], width: int) -> list[list[tuple[AlignmentStep, int]]]:
    """Cut an alignment into lines of columns that fit the width."""
    from rich.cells import cell_len

    rows: list[list[tuple[AlignmentStep, int]]] = [[]]
    used = 0
    for step in steps:
        cells = step.reference or GAP, step.hypothesis or GAP, _mark(step), _price(step)
        size = max(map(cell_len, cells)) + 1
        if used + size > width and rows[-1]:
            rows.append([])
            used = 0
        rows[-1].append((step, size))
        used += size
    return rows


def _lines(columns: list[tuple[AlignmentStep, int]]) -> list[Any]:
    """Return the texts of reference, hypothesis, marks and costs of a line of columns."""
    from rich.cells import cell_len
    from rich.text import Text

    lines = [Text(), Text(), Text(), Text()]
    for step, size in columns:
        cells = step.reference or GAP, step.hypothesis or GAP, _mark(step), _price(step)
        style = FORGIVEN_STYLE if step.family else STYLES[step.kind]
        for line, cell in zip(lines, cells, strict=True):
            line.append(_isolate(cell), style)
            line.append(" " * (size - cell_len(cell)))
    return lines


def _mark(step: AlignmentStep) -> str:
    """Return the letter of an error, and the mark of spacing, or the name of a family."""
    return short_name(step.family) if step.family else MARKS[step.kind] + SPACING * step.spacing


def _price(step: AlignmentStep) -> str:
    """Return the cost of an error with two digits, or `1`; nothing for a hit."""
    return "" if step.kind == "hit" else f"{step.cost:.2f}" if step.cost != 1 else "1"


def _isolate(word: str) -> str:
    """Keep a right-to-left word from reordering the columns around it (Unicode isolates)."""
    if any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in word):
        return f"\u2068{word}\u2069"
    return word
