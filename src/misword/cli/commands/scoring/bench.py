"""Score systems on many test sets: a matrix with averages, ranks with ties, costs and history.

BENCH is a TOML file that names the test sets, or a folder for each test set: `reference.*` and a
file for each system, named as the system. The table has the macro average (the mean of the rates of
the sets) and the micro average (the rate of all their words) with intervals. All pairs of systems
are tested, with one correction over the whole matrix; systems that no test tells apart share a
rank. Missing cells are shown and counted. Any metric and option of `misword score` can be used; a
test set can have options of its own, such as its language, in the TOML file or in a `set.toml`.

`--history FILE` adds the run to a Parquet file, and shows the average of each system over the runs,
the changes that pass a test which is corrected for looking after each run, and with --step whether
the last gain is more than chance. `--best-of-last N` ends with exit code 1 if a system is worse
than its best of the last N runs. Without BENCH, the last run of the history is shown.

`--report bench.html` writes one page, and beside it `bench.json` with the same numbers (its schema
is `misword schema bench`). With --set-pages, the comparison of each test set has a page of its own.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from misword.asr.options import BenchOptions, Metrics
from misword.cli.inputs import provenance
from misword.cli.options import Output
from misword.cli.output import bars, check_output, note_unused, status, write_output
from misword.cli.printing import json_text, note, print_text
from misword.cli.rendering import json_data, print_result
from misword.core.errors import InputError, OptionError, visible
from misword.core.options import Option, chosen
from misword.io.files.sources import recorded
from misword.io.files.writing import check_path, together, write_whole
from misword.stat.descriptions import describe
from misword.stat.descriptions.schemas import schema_address

if TYPE_CHECKING:
    from misword.asr.benchmark.bench import Benchmark
    from misword.stat.scores import Scores

EXAMPLES = """\
examples:
  misword bench bench.toml
  misword bench sets/*/ --systems base,new --metrics wer,cer
  misword bench sets/*/ --preset open-asr-leaderboard --report bench.html
  misword bench bench.toml --costs costs.csv --report bench.html --set-pages
  misword bench bench.toml --history runs.parquet --best-of-last 10 --margin 0.1%
  misword bench --history runs.parquet --since 30d --report history.html
  misword bench checkpoints/*/ --checkpoints
"""


class BenchTexts(TypedDict, total=False):
    """The test sets."""

    sets: Annotated[
        list[str],
        Option(
            "a TOML file, or a folder for each test set; none: the last run of --history",
            metavar="BENCH",
            positional=True,
            values="*",
        ),
    ]


class BenchPages(TypedDict, total=False):
    """The pages of a benchmark."""

    set_pages: Annotated[
        bool,
        Option(
            "also write a page with the comparison of the systems for each test set, to a folder "
            "beside the report, and link it",
            default=False,
            recorded=False,
            needs=("report",),
        ),
    ]
    brief: Annotated[
        bool,
        Option("print only averages, matrix and test sets", default=False, recorded=False),
    ]


OPTIONS = (BenchTexts, Metrics, BenchOptions, BenchPages, Output)
IGNORED = {
    "categorical": "values of metadata only name groups",
    "names": "systems are named by --systems",
}
NEEDS: dict[str, tuple[str, ...]] = {"bootstrap": (), "metadata": ("by", "block", "join")}


def run(options: argparse.Namespace) -> int:
    """Score all sets, print and write the result; 1 if a condition on the history failed."""
    _check(options)
    pages: dict[str, str] = {}
    with bars(), status("scoring"), recorded() as hashes:
        found = _bench(options, pages)
    note_unused(options, found)
    origin = provenance(options, "bench", hashes)
    if pages:
        origin["pages"] = {name: _page_path(options, name).name for name in pages}
    result = found.result(origin)
    with _history_lock(options, found), together():
        if options.out or options.report:
            write_output(result, options)
        if options.report:
            _write_beside(options, result, pages)
        if options.history is not None and found.rows is not None:
            from misword.io.history import append

            append(options.history, found.rows)
    note(*found.notes)
    print_result(result, options.format, brief=options.brief)
    for condition in found.conditions:
        if condition.outcome == "failed":
            print_text(visible(f"gate failed: {condition.text(options.confidence)}"))
    return 0 if found.passed else 1


def _check(options: argparse.Namespace) -> None:
    """Raise, before any work, if outputs cannot be written."""
    check_output(options)
    if options.report is not None:
        check_path(json_path(options.report), "bench.html")
    if options.history is not None:
        check_path(options.history, "runs.parquet")


def _bench(options: argparse.Namespace, pages: dict[str, str]) -> Benchmark:
    """Score the sets; `pages` gets the page of each, if they are wanted."""
    from misword.asr.benchmark.bench import bench

    settings = chosen(options, BenchOptions)

    def each(name: str, scores: Scores) -> None:
        pages[name] = _set_page(options, name, scores)

    hook = each if options.set_pages and options.report is not None else None
    sets: Any = options.sets[0] if len(options.sets) == 1 else options.sets
    return bench(sets or None, options.metrics, each=hook, **settings)


@contextmanager
def _history_lock(options: argparse.Namespace, found: Benchmark) -> Iterator[None]:
    """Hold the lock of the history until all outputs are in place."""
    from misword.io.history import appending

    writes = options.history is not None and found.rows is not None
    with appending(options.history, note) if writes else nullcontext():
        yield


# The files beside the report.


def json_path(report: str) -> Path:
    """Return the file of the numbers beside a report."""
    return Path(report).with_suffix(".json")


def _write_beside(options: argparse.Namespace, result: Any, pages: Mapping[str, str]) -> None:
    """Write the JSON file, and the pages of the test sets."""
    schema = {"$schema": schema_address("bench"), "kind": result.kind}
    data = schema | json_data(result, describe(result.kind), (), {})
    text = json_text(data, indent=None)
    write_whole((text + "\n").encode("utf-8", "backslashreplace"), json_path(options.report))
    for name, page in pages.items():
        write_whole(page.encode("utf-8", "backslashreplace"), _page_path(options, name))


def _page_path(options: argparse.Namespace, name: str) -> Path:
    """Return the path of the page of a test set."""
    report = Path(options.report)
    plain = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "set"
    return report.with_name(f"{report.stem}.{plain}.html")


def _set_page(options: argparse.Namespace, name: str, scores: Scores) -> str:
    """Return the comparison of the systems on a test set as a page."""
    from misword.asr.comparison.compare import compare
    from misword.report import render

    origin = {**provenance(options, "bench", {}), "options": {"title": name}}
    settings = {key: getattr(options, key) for key in ("bootstrap", "confidence", "seed", "block")}
    try:
        if len(scores.systems) > 1:
            result = compare(scores, lang=options.lang, **settings).result(origin)
        else:
            result = scores.result(origin, bootstrap=options.bootstrap)
        return render([result], title=name)
    except (InputError, OptionError) as error:
        raise type(error)(error.what, where=f"the page of {name}", fix=error.fix) from error
