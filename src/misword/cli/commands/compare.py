"""Systems against the first of them: is one better, where, and is that more than chance?

For each metric the relative change with its interval, and p-values: by paired bootstrap over
utterances, over blocks (`--block speaker`: utterances of one speaker are not independent), and for
WER by the matched-pairs segment test (MAPSSWE). Printed p-values are corrected for there being
several (Holm). Then errors by part of speech, by frequency and by length of words, what utterances
that got worse have more of than the others, and those that lost most.

Instead of REF and HYP, name result folders (`misword score --out`): systems scored on different
days are compared if utterances, references and signatures are the same.
"""

from __future__ import annotations

import argparse
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from misword.asr.compare import TABLES, Comparison, Settings, compare_scores
from misword.asr.metrics import METRICS
from misword.asr.score import DEFAULT_METRICS, load, score_pairs
from misword.cli.inputs import (
    add_inputs,
    add_scoring,
    check_output,
    context_of,
    provenance,
    read_pairs,
    whole,
    write_output,
)
from misword.cli.notes import chosen, note, warn
from misword.cli.output import Table, p_value, percent, print_json, span, status
from misword.cli.progress import bars
from misword.core.errors import OptionError
from misword.io.files.sources import open_source, recorded
from misword.io.results import INDEX

if TYPE_CHECKING:
    from misword.stat.scores import Scores

EXAMPLES = """\
examples:
  misword compare ref.txt base.txt rescored.txt
  misword compare ref.csv a.csv b.csv --block speaker --metrics wer,cer,semdist
  misword compare ref.fr base.fr new.fr --lang fr --vectors cc.fr.300.vec \\
      --metrics wer,cer,ler,uposer,ember,semdist --report compare.html
  misword compare results/monday results/friday --format md
"""
SHOWN = 5  # of the worst utterances
# How texts are read and scored: without a meaning for results that are there already.
TEXT_OPTIONS: dict[str, Any] = {
    "normalize": "nfc", "alternatives": True, "equivalents": None, "vectors": None,
    "max_words": None, "vector_format": None, "metadata": [], "input_format": None,
    "id_column": None, "reference_column": None, "hypothesis_column": None,
}  # fmt: skip
KINDS = {"tag": "part of speech", "frequency": "times in references", "length": "letters"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_inputs(parser)
    parser.add_argument(
        "--metrics",
        metavar="LIST",
        help=f"{', '.join(METRICS.names())} (default: {','.join(DEFAULT_METRICS)}; of folders, all "
        "that they have); the first decides which utterances are the worst",
    )
    parser.add_argument("--baseline", metavar="NAME", default="", help="default: the first system")
    parser.add_argument(
        "--block",
        metavar="COLUMN",
        default="",
        help="metadata column whose values are resampled whole: speaker, document, ...",
    )
    parser.add_argument(
        "--worst",
        type=whole(0),
        default=20,
        metavar="N",
        help=f"worst utterances that are kept (default 20; {SHOWN} are printed)",
    )
    parser.add_argument("--brief", action="store_true", help="print the first table alone")
    add_scoring(parser)


def run(options: argparse.Namespace) -> None:
    """Read, score, compare, print."""
    check_output(options)
    with bars():
        scores, hashes, lang = _scores(options)
        settings = Settings(
            options.baseline,
            options.block,
            options.bootstrap,
            options.confidence,
            options.seed,
            options.worst,
            lang,
        )
        with status("comparing"):
            comparison = compare_scores(scores, settings)
    known = provenance(options, "compare", hashes)
    if options.out or options.report:
        write_output(comparison.result(known), options)
    for column, reason in comparison.skipped.items():
        if column in comparison.scores.metadata:
            note(f"{column} is not contrasted: {reason}")
    signatures = {column.label: str(column.signature) for column in comparison.scores.columns}
    if options.format == "json":
        tables = TABLES[:1] if options.brief else TABLES
        found = {name: getattr(comparison, name).to_dicts() for name in tables}
        print_json({"misword": known["misword"], "signatures": signatures, **found})
    elif options.format == "csv":
        signed = comparison.differences["metric"].replace_strict(signatures).alias("signature")
        print(comparison.differences.with_columns(signed).write_csv(), end="")
    else:
        _print(comparison, signatures, options)


def _scores(options: argparse.Namespace) -> tuple[Scores, dict[str, str], str]:
    """Scores of texts, or of result folders; the hash of each file read; the language."""
    folders = [options.reference, *options.hypotheses]
    if all((Path(folder) / INDEX).is_file() for folder in folders):
        _refuse_idle(options)
        with recorded() as hashes:
            for folder in folders:
                open_source(Path(folder) / INDEX)
        return _loaded(folders, options.names, options.metrics), hashes, options.lang or ""
    context = context_of(options)
    metrics = chosen(options, context, others=["lang"])  # whose fillers are counted
    with status("reading"):
        pairs, hashes = read_pairs(options, context)
    with status("scoring"):
        scores = score_pairs(pairs, metrics)
    warn(scores, context)
    return scores, hashes, context.lang


def _refuse_idle(options: argparse.Namespace) -> None:
    """Refuse options that say how texts are scored, where they were scored already."""
    for name, usual in TEXT_OPTIONS.items():
        if getattr(options, name) != usual:
            raise OptionError(
                f"--{name.replace('_', '-')} is for texts; these folders were scored already",
                fix="leave it out, or score the texts again",
            )


def _loaded(folders: list[str], names: str | None, metrics: str | None) -> Scores:
    """The scores of several folders, their systems renamed if names are given."""
    scores = [load(folder) for folder in folders]
    if metrics is not None:
        scores = [part.only(METRICS.create_all(metrics)) for part in scores]
    if names is not None:
        given = [name.strip() for name in names.split(",")]
        systems = [(part, name) for part in scores for name in part.systems]
        if len(given) != len(systems):
            raise OptionError(f"{len(given)} names, {len(systems)} systems", fix="name each once")
        new = iter(given)
        scores = [part.rename({name: next(new) for name in part.systems}) for part in scores]
    known: set[str] = set()
    for part, folder in zip(scores, folders, strict=True):
        if both := known.intersection(part.systems):
            raise OptionError(
                f"a system {both.pop()!r} is also in another folder",
                where=folder,
                fix="tell them apart: --names base,new",
            )
        known.update(part.systems)
    return reduce(lambda one, other: one + other, scores)


def _print(comparison: Comparison, signatures: dict[str, str], options: argparse.Namespace) -> None:
    """Tables for people."""
    marked = options.format == "md"

    def show(title: str, table: Table) -> None:
        if not table.rows:
            return
        if title:
            print(f"### {title}\n" if marked else f"\n{title}")
        if marked:
            print(table.markdown(), end="\n\n")
        else:
            table.show()

    show("", _differences(comparison))
    print(_footnote(comparison) + "\n" * marked)
    if not options.brief:
        for kind, about in KINDS.items():
            show(f"Errors by {about}", _slices(comparison, kind))
        show(
            "Utterances that got worse have, beside the others (over utterances)",
            _contrast(comparison),
        )
        show("Worst", _worst(comparison))
    print("\n".join(f"`{s}`" if marked else s for s in signatures.values()))


def _differences(comparison: Comparison) -> Table:
    rows = comparison.differences.to_dicts()
    tests = {"p": "p", "p_blocks": "p, blocks", "p_mapsswe": "p, MAPSSWE"}
    tests = {k: v for k, v in tests.items() if any(row[k] is not None for row in rows)}
    between = f"{comparison.settings.confidence * 100:g} % interval"
    base = comparison.scores.systems[0]
    header = ["metric", "system", f"{base} %", "%", "change %", between]
    header += [*tests.values(), "better", "worse", "same"]
    body = [
        [
            row["metric"],
            row["system"],
            percent(row["baseline_rate"]),
            percent(row["rate"]),
            percent(row["relative"], signed=True),
            span(row["relative_low"], row["relative_high"], signed=True),
            *(p_value(row[f"{test}_holm"]) for test in tests),
            *(f"{row[end]:,}" for end in ("better", "worse", "same")),
        ]
        for row in rows
    ]
    return Table(header, body, left=2)


def _footnote(comparison: Comparison) -> str:
    """What the numbers of the first table are."""
    settings, rows = comparison.settings, len(comparison.differences)
    what = "utterances"
    if settings.block:
        what = f"{comparison.blocks:,} blocks ({settings.block})"
    said = (
        f"Change against {comparison.scores.systems[0]}, negative is better; intervals by paired "
        f"bootstrap of {what}, {settings.bootstrap:,} times."
    )
    if not settings.bootstrap or len(comparison.scores) == len(comparison.scores.systems):
        return said.partition(";")[0] + "."
    least = f" p is at least 1 in {settings.bootstrap + 1:,}"
    return said + least + (f", corrected for {rows} comparisons (Holm)." if rows > 1 else ".")


def _slices(comparison: Comparison, kind: str) -> Table:
    """A row for each value; rates, then distances, of each system."""
    rows = comparison.slices.filter(slice=kind).to_dicts()
    base, *others = comparison.scores.systems
    header, body = [KINDS[kind], "words"], []
    names = {"rate": "%"}
    if any(row["distance"] is not None for row in rows):
        names["distance"] = "distance"
    for what in names.values():
        header += [f"{base} {what}"]
        header += [cell for name in others for cell in (f"{name} {what}", "difference", "interval")]
    for value in dict.fromkeys(row["value"] for row in rows):
        found = {row["system"]: row for row in rows if row["value"] == value}
        cells = [value, f"{found[base]['words']:,}"]
        for name in names:
            cells.append(percent(found[base][name]))
            for other in others:
                row = found[other]
                difference = percent(row[f"{name}_difference"], signed=True)
                between = span(row[f"{name}_low"], row[f"{name}_high"], signed=True)
                cells += [percent(row[name]), difference, between]
        body.append(cells)
    return Table(header, body)


def _contrast(comparison: Comparison, most: int = 10) -> Table:
    """The contrasts that are more than chance."""
    import polars as pl

    sure = comparison.contrast.filter((pl.col("low") > 1) | (pl.col("high") < 1)).head(most)
    header = ["system", "column", "value", "worse", "others", "ratio", "interval"]
    body = [
        [
            row["system"],
            row["column"],
            row["value"],
            f"{row['worsened']:.3g}",
            f"{row['others']:.3g}",
            "" if row["ratio"] is None else f"{row['ratio']:.2f}",
            _above(row["low"], row["high"]),
        ]
        for row in sure.to_dicts()
    ]
    return Table(header, body, left=3)


def _above(low: float | None, high: float | None) -> str:
    """The interval of a ratio, which may have no end."""
    if low is None:
        return "" if high is None else f"{high:.2f} or less"
    return f"{low:.2f} or more" if high is None else f"{low:.2f} to {high:.2f}"


def _worst(comparison: Comparison) -> Table:
    base = comparison.scores.systems[0]
    body = []
    for row in comparison.worst.group_by("system", maintain_order=True).head(SHOWN).to_dicts():
        rates = (percent(row[name]) for name in ("baseline_rate", "rate"))
        body.append([row["utt"], row["system"], " to ".join(rates), "reference", row["reference"]])
        body.append(["", "", "", base, row["baseline_text"]])
        body.append(["", "", "", row["system"], row["text"]])
    return Table(["utterance", "system", "%", "", "text"], body, left=5)
