"""Results and tables on the terminal, in Markdown, CSV and JSON, rendered from descriptions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import zip_longest
from typing import Any, TextIO

from misword.cli.printing import (
    code_span,
    console,
    markdown_text,
    print_csv,
    print_csv_rows,
    print_json,
    print_markdown,
    print_text,
)
from misword.core.errors import visible
from misword.core.lazy import pl
from misword.core.tables import Table, facts_table
from misword.core.types import Description, Result
from misword.stat.descriptions import describe


def print_result(
    result: Result,
    form: str,
    *,
    brief: bool = False,
    hidden: Collection[str] = (),
    facts: Mapping[str, Any] | None = None,
    file: TextIO | None = None,
) -> None:
    """Print a result in one of the formats `table`, `md`, `csv` and `json`.

    If `brief`, details are left out. `hidden` names further tables to leave out. JSON begins with
    the facts of the description and further `facts`.
    """
    description = describe(result.kind)
    if form == "json":
        left_out = {*hidden, *(description.details if brief else ())}
        print_json(json_data(result, description, left_out, facts or {}), file)
    elif form == "csv":
        print_csv(csv_table(result, description), file)
    else:
        _print_tables(result, description, form == "md", brief, hidden, file)


def json_data(
    result: Result, description: Description, hidden: Collection[str], further: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the facts and the rows of the tables of a result; missing tables are left out."""
    facts = {
        name: result.provenance[name] for name in description.facts if name in result.provenance
    }
    frames = {
        key: _with_computed(result, description, name).drop(description.repeated)
        for key, name in description.data.items()
        if name in result.tables and name not in hidden
    }
    return {**facts, **further, **{key: frame.to_dicts() for key, frame in frames.items()}}


def csv_table(result: Result, description: Description) -> pl.DataFrame:
    """Return the main table of a result, with the signature of each row."""
    if description.csv is not None:
        computed = {name: _with_computed(result, description, name) for name in result.tables}
        return description.csv(replace(result, tables=computed))
    main = next(name for name in description.main if name in result.tables)
    frame = _with_computed(result, description, main)
    signatures, key = result.provenance.get("signatures"), description.signed_by
    if "signature" in result.provenance:
        signed = pl.lit(result.provenance["signature"])
    elif key in frame.columns and signatures:
        signed = pl.col(key).replace_strict(signatures, default=None, return_dtype=pl.String)
    else:
        return frame
    return frame.with_columns(signed.alias("signature"))


def _with_computed(result: Result, description: Description, name: str) -> pl.DataFrame:
    """Return a table of the result with the columns that its description computes."""
    frame = result.tables[name]
    described = description.table(result, name)
    if described is None:
        return frame
    rows = frame.to_dicts()
    return frame.with_columns(
        pl.Series(column.key, [column.value(row) for row in rows])
        for column in described.shown()
        if column.is_data and column.key not in frame.columns
    )


def _print_tables(
    result: Result,
    description: Description,
    marked: bool,
    brief: bool,
    hidden: Collection[str],
    file: TextIO | None,
) -> None:
    """Print the headline, the tables with their notes, and the signatures of the numbers."""
    headline = description.headline(result) if description.has_lead else ""
    if headline:
        print_paragraph(headline, marked=marked, form="**{}**", file=file)
    tables = [
        table if marked else table.first()
        for table in description.tables(result)
        if not (brief and table.is_detail) and table.name not in hidden
    ]
    print_described(tables, marked=marked, file=file)
    if notes := description.notes(result):
        print_paragraph(*notes, marked=marked, file=file)
    if signatures := signatures_of(result):
        print_signatures(signatures, marked=marked, file=file)


def print_described(tables: Iterable[Table], *, marked: bool, file: TextIO | None = None) -> None:
    """Print tables that have rows, in Markdown if `marked`, each with its notes below it."""
    after_notes = False
    for table in tables:
        if not table.rows:
            continue
        if marked:
            print_markdown(markdown(table), file, end="\n\n")
        else:
            if after_notes:
                print_text(file=file)
            show(table, file)
        after_notes = bool(table.notes)
        if table.notes:
            print_paragraph(*table.notes, marked=marked, file=file)


def print_table(table: Table, form: str) -> None:
    """Print a table that belongs to no result; CSV has its cells, JSON its rows."""
    if form == "json":
        print_json(list(table.rows))
    elif form == "csv":
        print_csv_rows([table.header(), *text_rows(table)])
    elif form == "md":
        print_markdown(markdown(table))
    else:
        show(table)


def print_facts(facts: dict[str, Any], form: str) -> None:
    """Print names and values, a row for each; values that are None or empty are left out."""
    if form == "json":
        print_json(facts)
        return
    table = facts_table(facts)
    if form == "csv":  # whole numbers are for programs here, without commas
        plain = {name: str(value) for name, value in facts.items() if type(value) is int}
        rows = [{**row, "value": plain.get(row["what"], row["value"])} for row in table.rows]
        table = replace(table, rows=rows)
    print_table(table, form)


def text_rows(table: Table) -> list[list[str]]:
    """Return the cells of a table; each of several texts in a cell has a line of its own."""
    columns, lines = table.shown(), []
    for row in table.rows:
        cells = [c.cell(row).split("\n") if c.is_texts else [c.cell(row)] for c in columns]
        lines += [list(line) for line in zip_longest(*cells, fillvalue="")]
    return lines


def markdown(table: Table) -> str:
    """Return a table in Markdown; text of the user in it cannot become markup."""
    marks = [":--" if i < table.keys else "--:" for i in range(len(table.shown()))]
    header, *rows = (list(map(markdown_text, row)) for row in (table.header(), *text_rows(table)))
    title = [f"**{markdown_text(table.title)}**", ""] if table.title else []
    return "\n".join([*title, *("| " + " | ".join(row) + " |" for row in [header, marks, *rows])])


def show(table: Table, file: TextIO | None = None) -> None:
    """Print a table, as wide as the terminal at most; in a pipe each row is one line.

    Control characters are shown as escapes.
    """
    from rich.text import Text

    from misword.cli.table_layout import UNLIMITED, fitted

    out = console(file)
    if not out.is_terminal:
        out.width = UNLIMITED  # programs that read lines want each row on one line
    if table.title:
        out.print(Text(visible(table.title), "bold"))
    header, *rows = (list(map(visible, row)) for row in (table.header(), *text_rows(table)))
    prose = {place for place, column in enumerate(table.shown()) if column.prose}
    for block in list(fitted(out, header, rows, table.keys, prose)):
        # A row that is still too wide wraps; rich would cut off digits and names instead.
        needed = out.measure(block, options=out.options.update(max_width=UNLIMITED)).minimum
        wide, out.width = out.width, max(out.width, needed)
        out.print(block)
        out.width = wide


def print_paragraph(
    *lines: str, marked: bool, form: str = "{}", file: TextIO | None = None
) -> None:
    """Print lines of text; in Markdown, each in `form` (such as `**{}**`), then an empty line."""
    if marked:
        shown = "\n".join(form.format(markdown_text(line)) for line in lines)
        print_markdown(shown, file, end="\n\n")
    else:
        print_text(*map(visible, lines), file=file)


def print_signatures(
    signatures: Iterable[str], *, marked: bool, file: TextIO | None = None
) -> None:
    """Print signatures, a line for each, in Markdown as code."""
    if marked:
        print_markdown("\n".join(map(code_span, signatures)), file)
    else:
        print_text(*map(visible, signatures), file=file)


def signatures_of(result: Result) -> list[str]:
    """Return the signatures of a result, of its metrics and of its scores of translations."""
    facts = result.provenance
    scores = facts.get("scores", {})
    return [
        *([facts["signature"]] if "signature" in facts else []),
        *facts.get("signatures", {}).values(),
        *(f"{label}|{signature}" for label, signature in scores.items()),
    ]
