"""Learn a blend of metrics from people's judgements, and measure how well it agrees with them.

The input has choices (a reference, two hypotheses, and the number of people who chose each of them
as the closer one) or direct ratings (a reference, a hypothesis and a number, higher for better
unless --lower-is-better). The blend is a weighted mean of metrics; its weights are not negative and
add up to 1. The printed agreement is that of weights that were learnt from other references
(cross-validation), beside that of each metric alone and that of one voter with the majority of the
other voters. Weights are drawn to equal influence of all metrics, or with --prior to those of
another blend, so that few judgements are enough. The file of -o is a metric:
--metrics blend:file=FILE.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from misword.asr.metrics import METRICS
from misword.asr.people.agree import CONSENSUS
from misword.asr.people.blend_file import BLENDS
from misword.asr.people.fit import DEFAULT_METRICS, FOLDS, REPEATS, fit
from misword.asr.people.judgements import JudgedTexts, read_judgements
from misword.cli.commands.people.agree import shares
from misword.cli.inputs import Inputs, add_scoring, provenance
from misword.cli.options import whole
from misword.cli.output import (
    TextTable,
    bars,
    check_output,
    note_unused,
    p_value,
    percent,
    print_tables,
    status,
    write_output,
)
from misword.cli.printing import note, print_csv, print_json
from misword.core.lazy import pl
from misword.io.files.writing import check_path, together
from misword.io.judgements import TRIPLET_COLUMNS

if TYPE_CHECKING:
    from misword.asr.people.fit import Fit

EXAMPLES = """\
examples:
  misword fit hats.tsv --lang fr -o people.json
  misword fit hats.tsv --metrics cer,per,wil --lang fr -o small.json --report fit.html
  misword fit my50.tsv --prior people --lang en -o mine.json
  misword fit hats.tsv --metrics wer,cer,per,per:cost=features,wil,ler --lang fr --select
  misword fit ratings.csv --columns reference,hypothesis,adequacy --metrics wer,cer,semdist
  misword score ref.txt hyp.txt --metrics wer,blend:file=people.json --lang fr
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "judgements",
        metavar="JUDGEMENTS",
        help="choices or ratings: a table with tabs between columns, where quotes are plain "
        "characters; or .csv, .jsonl, .parquet; - for stdin",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write the blend, for --metrics blend:file=FILE"
    )
    parser.add_argument(
        "--columns",
        metavar="LIST",
        help=f"names of the columns: five of choices ({','.join(TRIPLET_COLUMNS)}), or three of "
        "ratings (reference,hypothesis,score); usual names are recognised",
    )
    parser.add_argument(
        "--input-format", metavar="FORMAT", help="tsv (with quoted fields), csv, jsonl, parquet"
    )
    parser.add_argument(
        "--metrics",
        metavar="LIST",
        help=f"the metrics to blend: {', '.join(_blendable())} "
        f"(default: those of the prior, else {','.join(DEFAULT_METRICS)})",
    )
    learning = parser.add_argument_group("learning")
    learning.add_argument(
        "--select", action="store_true", help="blend the smallest set of metrics that is not worse"
    )
    learning.add_argument(
        "--prior",
        metavar="BLEND",
        help="draw weights to those of people, people:size=small or a file of a blend (default: "
        "equal influence of all metrics)",
    )
    learning.add_argument(
        "--lower-is-better", action="store_true", help="good hypotheses have low ratings"
    )
    learning.add_argument(
        "--folds", type=whole(2), default=FOLDS, help=f"parts of the references ({FOLDS})"
    )
    learning.add_argument(
        "--repeats", type=whole(1), default=REPEATS, help=f"divisions into folds ({REPEATS})"
    )
    learning.add_argument(
        "--consensus",
        type=shares,
        default=CONSENSUS,
        metavar="LIST",
        help="least shares of votes for the majority; 1: all, 0: any majority (default 1,0.7,0)",
    )
    add_scoring(parser)


def _blendable() -> list[str]:
    """Return all metrics that are no blends."""
    return [name for name in METRICS.names() if name not in BLENDS]


def run(options: argparse.Namespace) -> None:
    """Learn a blend, print its quality and write it."""
    check_output(options)
    if options.output is not None:
        check_path(options.output, "people.json", [options.judgements])
    inputs = Inputs(options)
    columns = options.columns.split(",") if options.columns is not None else None

    def read() -> JudgedTexts:
        with inputs.recording():
            return read_judgements(options.judgements, columns, options.input_format)

    with bars(), status("learning"):
        fitted = fit(
            read,
            columns=columns,
            select=options.select,
            prior=options.prior,
            lower_is_better=options.lower_is_better,
            folds=options.folds,
            repeats=options.repeats,
            consensus=options.consensus,
            bootstrap=options.bootstrap,
            confidence=options.confidence,
            seed=options.seed,
            **inputs.scoring_arguments(),
        )
    with together():
        write_output(fitted.result(provenance(options, "fit", inputs.hashes)), options)
        if options.output is not None:
            fitted.save(options.output)
    note_unused(options, fitted.scores, inputs.used_for_texts())
    for text in (*fitted.scores.notes, *fitted.notes):
        note(text)
    _print(fitted, options)


def _print(fitted: Fit, options: argparse.Namespace) -> None:
    quality = fitted.quality.to_dicts()
    if options.format == "json":
        frames = {"weights": fitted.weights, "quality": fitted.quality, "curve": fitted.curve}
        if fitted.selection is not None:
            frames["selection"] = fitted.selection
        head = {"digest": fitted.blend.digest, "slope": fitted.blend.slope, **fitted.settings}
        print_json({**head, **{name: table.to_dicts() for name, table in frames.items()}})
        return
    if options.format == "csv":
        print_csv(fitted.quality)
        return
    choices = "agreed" in fitted.quality.columns
    tables = [
        _agreement(quality, options.confidence) if choices else _correlations(quality),
        _weights(fitted.weights, options.confidence),
    ]
    if len(fitted.curve):
        tables.append(_curve(fitted.curve, percentages=choices))
    if fitted.selection is not None:
        tables.append(_selection(fitted.selection))
    signatures = [str(column.signature) for column in fitted.scores.columns]
    print_tables(tables, signatures, marked=options.format == "md")


def _agreement(rows: list[dict[str, Any]], confidence: float) -> TextTable:
    """Return a row for the blend, each metric and one voter."""
    levels = {row["consensus"]: row["choices"] for row in rows}
    header = ["metric"]
    for name, count in levels.items():
        header += [f"{name} ({count:,}): agreed", f"{100 * confidence:g} % interval", "p"]
    cells: dict[str, list[str]] = {}
    for row in rows:
        agreed = "undefined" if row["agreed"] is None else f"{100 * row['agreed']:.1f}"
        span = "" if row["low"] is None else f"{100 * row['low']:.1f} to {100 * row['high']:.1f}"
        p = "" if row["p"] is None else p_value(row["p"])
        cells.setdefault(row["metric"], []).extend([agreed, span, p])
    title = "Agreement with people (held out), p of the difference from the blend"
    return TextTable(header, [[name, *line] for name, line in cells.items()], title=title)


def _correlations(rows: list[dict[str, Any]]) -> TextTable:
    header = ["metric", "Pearson", "Spearman", "Kendall"]
    cells = [
        [row["metric"], *(_coefficient(row, name) for name in ("pearson", "spearman", "kendall"))]
        for row in rows
    ]
    return TextTable(header, cells, title="Correlation with ratings (held out)")


def _coefficient(row: dict[str, Any], name: str) -> str:
    if row[name] is None:
        return "undefined"
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return f"{row[name]:.3f}" + ("" if low is None else f" ({low:.3f} to {high:.3f})")


def _weights(weights: pl.DataFrame, confidence: float) -> TextTable:
    header = ["metric", "weight", f"{100 * confidence:g} % interval", "influence, %"]
    rows = [
        [
            row["metric"],
            f"{row['weight']:.3f}",
            "" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}",
            percent(row["influence"]),
        ]
        for row in weights.to_dicts()
    ]
    return TextTable(header, rows, title="Weights")


def _curve(curve: pl.DataFrame, *, percentages: bool) -> TextTable:
    """Return a row for each number of judgements to learn from."""
    scale, digits = (100, 1) if percentages else (1, 3)
    cells: dict[int, list[str]] = {}
    for row in curve.to_dicts():
        shown = "undefined"
        if row["mean"] is not None:
            values = [scale * row[name] for name in ("mean", "low", "high")]
            mean, low, high = (f"{value:.{digits}f}" for value in values)
            shown = f"{mean} ({low} to {high})"
        cells.setdefault(row["judgements"], []).append(shown)
    names = curve["measure"].unique(maintain_order=True).to_list()
    rows = [[f"{size:,}", *line] for size, line in cells.items()]
    return TextTable(["learnt from", *names], rows, title="With fewer judgements")


def _selection(selection: pl.DataFrame) -> TextTable:
    rows = [
        [
            row["metrics"],
            f"{row['loss']:.4f}",
            f"{row['excess']:.4f}",
            f"{row['standard_error']:.4f}",
        ]
        for row in selection.to_dicts()
    ]
    header = ["metrics", "held-out loss", "above the best", "standard error"]
    return TextTable(header, rows, title="Sets of metrics", prose={"metrics"})
