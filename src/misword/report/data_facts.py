"""The line above the headline: data set, size of the data, number of systems, date of the run."""

from __future__ import annotations

from datetime import date
from pathlib import PurePath

from misword.core.formatting import counted, is_number
from misword.core.types import Result
from misword.report.html.markup import Markup, element
from misword.report.html.text import without_direction_marks
from misword.report.result_access import lead_metric, metrics, rows, systems, table

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)


def data_facts(result: Result) -> Markup:
    """Return the facts that the result records, as a list; nothing if it records none."""
    facts = [*map(without_direction_marks, filter(None, [_data_set(result)])), *_sizes(result)]
    items = [element("li", element("bdi", fact)) for fact in facts]
    if shown := shown_date(recorded_date(result)):
        items.append(element("li", element("time", shown, datetime=recorded_date(result))))
    return element("ul", *items, class_="about", aria_label="data") if items else Markup()


def recorded_title(result: Result) -> str:
    """Return the title that the user gave to the command; empty if there is none."""
    return str(_option(result, "title") or "")


def recorded_date(result: Result) -> str:
    """Return the date of the run, such as `2026-11-18`; empty if the result has none."""
    return str(result.provenance.get("date") or "")


def shown_date(recorded: str) -> str:
    """Return a date in words; empty if the text is no date.

    >>> shown_date("2026-11-18"), shown_date("soon")
    ('18 November 2026', '')
    """
    try:
        day = date.fromisoformat(recorded)
    except ValueError:
        return ""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def reference_words(result: Result) -> int | None:
    """Return the number of reference words, counted by WER; None if it was not measured.

    With alternatives, systems may be measured against different readings: the first one counts.
    """
    label = lead_metric(metrics(result))
    names = systems(result)
    if label.partition(":")[0] != "wer" or not names:
        return None
    own = [
        row
        for row in rows(result, "summary")
        if (row["system"], row["metric"]) == (names[0], label)
    ]
    total = [row for row in own if row.get("total")] or own
    sizes = [row["reference"] for row in total]
    return round(sum(sizes)) if sizes and all(map(is_number, sizes)) else None


def _sizes(result: Result) -> list[str]:
    """Return the numbers of utterances, words and systems, as far as the result has them."""
    utterances, words, names = table(result, "utterances"), reference_words(result), systems(result)
    return [
        *([counted(utterances["utt"].n_unique(), "utterance")] if utterances is not None else ()),
        *([counted(words, "word")] if words is not None else ()),
        *([counted(len(names), "system")] if names else ()),
    ]


def _data_set(result: Result) -> str:
    """Return the name of the file of references; empty if they do not come from one file."""
    path = _option(result, "reference")
    return PurePath(path).name if isinstance(path, str) and path != "-" else ""


def _option(result: Result, name: str) -> object:
    options = result.provenance.get("options")
    return options.get(name) if isinstance(options, dict) else None
