"""How scores are shown: rates, formatted text, forgiven differences, confidences and entities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from misword.core import formatting
from misword.core.formatting import counted, interval_in_sentence, is_number, listed
from misword.core.tables import (
    WORDS,
    Column,
    Row,
    Table,
    count,
    field_is,
    groups,
    number,
    part,
    percent,
    span,
    text,
)
from misword.core.types import Description, Result
from misword.stat.bootstrap import BOOTSTRAP_SETTINGS
from misword.stat.descriptions.result_access import (
    Titles,
    confidence,
    group_columns,
    interval,
    lead_metric,
    rows,
    table,
    titles,
    unique,
)
from misword.stat.score_tables import (
    FINAL_SEGMENT,
    LATENCY,
    PARTIALS,
    RECORDING_SEGMENTS,
    RECORDING_TIMES,
    SEGMENT_TIME_ERRORS,
    WITHIN,
    WORD_TIME_ERRORS,
)
from misword.stat.tallies.class_rates import ERRORS, RIGHT, mark_counts, shown_kind

# The sentence names at most this many metrics beside the first.
OTHER_METRICS = 3
# The tables of labelled errors, whose descriptions are in a module of their own.
SEVERITY_TABLES = frozenset(
    ("severity", "critical_errors", "severity_worst", "silence", "judge_agreement")
)
# Groups, and classes of words of each system and group, that a terminal shows.
GROUPS_SHOWN, CLASSES_SHOWN = 100, 40
# Recordings and speakers of each system that a terminal shows.
RECORDINGS_SHOWN = 20
# Recordings of each system whose times are most off.
WORST_TIMES = 5
# The name of the explorer's filter by class of words.
CLASS = "error on a word of class"
# The start of the columns of a summary that count forgiven differences of a family.
FORGIVEN = "forgiven."
# Names of families that would make a table wider than a terminal.
SHORT_NAMES = {
    "abbreviations": "abbr.",
    "apostrophes": "apos.",
    "compounds": "comp.",
    "contractions": "contr.",
    "equivalents": "equiv.",
    "punctuation": "punct.",
}


def summary_groups(result: Result) -> list[str]:
    """Return the columns that the summary is grouped by."""
    frame = table(result, "summary")
    return [] if frame is None else group_columns(frame)


def rates_table(result: Result) -> Table:
    """Return a row for each system, group and metric: the rate, its interval and counts.

    If differences were forgiven, the rate without forgiveness takes the place of the hits, so that
    the table is no wider.
    """
    forgiving = [percent("without", "without %", title="without forgiveness, %", optional=True)]
    hits = [count("hits", optional=True)]
    shown = rows(result, "summary")
    forgiven = any(row.get("without") is not None for row in shown)
    return Table(
        "summary",
        (
            text("system"),
            *groups(summary_groups(result)),
            part("metric", titles(result)),
            percent("rate", "%", title="rate, %", empty="undefined"),
            span("low", "high", interval(result)),
            *(forgiving if forgiven else ()),
            count("substitutions", "sub", title="substitutions", optional=True),
            count("deletions", "del", title="deletions", optional=True),
            count("insertions", "ins", title="insertions", optional=True),
            *(() if forgiven else hits),
            count("reference", "ref", title="reference"),
            percent("precision", "P", title="precision, %", optional=True),
            percent("recall", "R", title="recall, %", optional=True),
            percent("f", "F", title="F, %", optional=True),
            number("cost", optional=True),
            percent("oov", "oov %", title="out of vocabulary, %", of=_oov, optional=True),
            count("utterances", "utts", title="utterances"),
        ),
        shown,
        most=GROUPS_SHOWN,
        each=("metric",),
    )


def _oov(row: Row) -> float | None:
    """Return the share of reference tokens without a vector."""
    unknown, size = row.get("oov"), row["reference"]
    return unknown / size if unknown is not None and size else None


def formatted_errors_table(result: Result) -> Table:
    """Return the errors of formatted words, in percent of the reference words."""

    def share(name: str) -> Column:
        def value(row: Row) -> float | None:
            return row[name] / row["reference"] if row["reference"] else None

        return percent(name, f"{ERRORS[name]} %", title=f"{ERRORS[name]}, %", of=value)

    return Table(
        "formatted_errors",
        (
            text("system"),
            *groups(summary_groups(result)),
            *map(share, ERRORS),
            percent("rate", "all %", title="all, %"),
        ),
        [row for row in rows(result, "summary") if row.get("only_case") is not None],
        title="Errors of formatted words",
    )


def marks_table(result: Result) -> Table:
    """Return a row for each kind of punctuation mark and capital."""
    shares = ("precision", "recall", "f", "error_rate")
    found = [
        {
            **row,
            "mark": shown_kind(counts.kind),
            **{name: getattr(counts, name) for name in (*shares, "reference", "hypothesis")},
        }
        for row in rows(result, "summary")
        if any(name.endswith(RIGHT) for name in row)
        for counts in mark_counts(row)
    ]
    return Table(
        "marks",
        (
            text("system"),
            *groups(summary_groups(result)),
            part("metric", titles(result)),
            text("mark"),
            percent("precision", "P %", title="precision, %"),
            percent("recall", "R %", title="recall, %"),
            percent("f", "F %", title="F, %"),
            percent("error_rate", "error %", title="errors, %"),
            count("reference", "ref", title="reference"),
            count("hypothesis", "hyp", title="hypothesis"),
        ),
        found,
        title="Marks at aligned words",
    )


def references_table(result: Result) -> Table:
    """Return the rates of several references against each other, and of systems with one alone."""
    shown = rows(result, "references")
    return Table(
        "references",
        (
            text("name", "of"),
            text("kind", ""),
            part("metric", titles(result)),
            percent("rate", "%", title="rate, %"),
            span("low", "high", interval(result)),
            percent("alone", "first alone %", title="with the first reference alone, %"),
            percent("forgiven", "forgiven %", title="errors that other references forgive, %"),
        ),
        shown,
        title="Several references: each against the others, as if it were a hypothesis, and "
        "each system against all of them",
    )


def short_name(family: str) -> str:
    """Return the short name of a family; families of other packages keep their names."""
    return SHORT_NAMES.get(family, family)


def forgiven_table(result: Result) -> Table:
    """Return the number of forgiven differences by system, group and family."""
    summary = [row for row in rows(result, "summary") if row.get("forgiven") is not None]
    counted_rows = [row for row in summary if row["metric"] == summary[0]["metric"]]
    families = [
        name.removeprefix(FORGIVEN)
        for name in (counted_rows[0] if counted_rows else ())
        if name.startswith(FORGIVEN) and any(row[name] for row in counted_rows)
    ]
    return Table(
        "forgiven_counts",
        (
            text("system"),
            *groups(summary_groups(result)),
            count("forgiven", "all"),
            *(count(FORGIVEN + name, short_name(name), title=name) for name in families),
        ),
        counted_rows,
        title="Forgiven differences of writing",
    )


def confidences_table(result: Result) -> Table:
    """Return how well the confidences of words tell right words from wrong ones."""
    return Table(
        "confidences",
        (
            text("system"),
            count("words"),
            count("without"),
            percent("right", "right %", title="right, %"),
            percent("confidence", "mean %", title="mean confidence, %"),
            number("nce", "NCE", 4),
            number("ece", "ECE", 4),
            number("by_chance", "by chance", 4),
            number("auc", "AUC", 4),
        ),
        rows(result, "confidences"),
        title="Confidences of words",
    )


def attribution_table(result: Result) -> Table:
    """Return the errors of the recogniser and those of the diariser, of each system."""
    frame = table(result, "recordings")
    shown: list[Row] = []
    if frame is not None:
        systems = frame.drop("utt", "rank").with_columns(recordings=1)
        shown = systems.group_by("system", maintain_order=True).sum().to_dicts()

    def share(name: str, of: str, header: str, title: str) -> Column:
        def value(row: Row) -> float | None:
            return row[name] / row[of] if row[of] else None

        return percent(name, f"{header} %", title=f"{title}, %", of=value)

    return Table(
        "attribution",
        (
            text("system"),
            count("words"),
            share("recogniser", "words", "recogniser", "errors of the recogniser (ORC)"),
            share("diariser", "words", "diariser", "errors by wrong speakers (cp - ORC)"),
            share("errors", "words", "both", "both (cp)"),
            count("aligned", page_only=True),
            share("wrong", "aligned", "wrong speaker", "aligned words with a wrong speaker"),
            share("one_speaker", "aligned", "if one speaker", "if all words had one speaker"),
            count("recordings"),
        ),
        shown,
        title="Whose errors, of words as they are written",
    )


def recordings_table(result: Result) -> Table:
    """Return the same for each recording."""
    return Table(
        "recordings",
        (
            text("system"),
            text("utt", "recording"),
            count("words"),
            count("speakers"),
            count("hypothesis_speakers", "hyp. speakers", title="speakers of the hypothesis"),
            count("recogniser"),
            count("diariser"),
            count("wrong", "wrong speaker"),
            count("aligned"),
        ),
        rows(result, "recordings"),
        title="Errors of the recogniser and of the diariser, by recording",
        most=RECORDINGS_SHOWN,
        each=("system",),
    )


def speakers_table(result: Result) -> Table:
    """Return each speaker with the speaker of the hypothesis who is the same."""
    return Table(
        "speakers",
        (
            text("system"),
            text("utt", "recording"),
            text("speaker", empty="nobody"),
            text("hypothesis_speaker", "is", title="speaker of the hypothesis", empty="nobody"),
            count("words"),
            count("errors"),
            count("wrong", "wrong speaker", title="aligned words with a wrong speaker"),
        ),
        rows(result, "speakers"),
        title="Speakers",
        most=RECORDINGS_SHOWN,
        each=("system",),
    )


def word_times_table(result: Result) -> Table:
    """Return the errors of the begins and ends of right words, in milliseconds."""
    title = "Times of right words: how much later than in the reference"
    return _time_errors_table(result, WORD_TIME_ERRORS, "reference words with times", title)


def segment_times_table(result: Result) -> Table:
    """Return the errors of the begins and ends of segments, in milliseconds."""
    title = "Times of segments: how much later than in the reference"
    return _time_errors_table(result, SEGMENT_TIME_ERRORS, "segments of the reference", title)


def _time_errors_table(result: Result, name: str, counted_things: str, title: str) -> Table:
    is_of_words = name == WORD_TIME_ERRORS

    def milliseconds(name: str, header: str | None = None) -> Column:
        def value(row: Row) -> float | None:
            return None if row[name] is None else 1000 * row[name]

        return number(name, f"{header or name} ms", 0, title=f"{header or name}, ms", of=value)

    return Table(
        name,
        (
            text("system"),
            text("side", "of"),
            count("words", "words" if is_of_words else "segments", title=counted_things),
            percent("coverage", "compared %", 1, title="compared, %"),
            milliseconds("bias"),
            milliseconds("median"),
            milliseconds("mean"),
            milliseconds("p90"),
            *(percent(f"within{ms}", f"<= {ms} ms %", 1, title=f"within {ms} ms, %")
              for ms in WITHIN),
        ),
        rows(result, name),
        title=title,
    )  # fmt: skip


def latency_table(result: Result) -> Table:
    """Return the latencies of words and segments of streams, in seconds."""
    return Table(
        LATENCY,
        (
            text("system"),
            text("of", title="from the end of the speech to"),
            count("count", title="words or segments"),
            number("p50", "p50 s", title="half within, s"),
            number("p95", "p95 s", title="95 % within, s"),
            number("p99", "p99 s", title="99 % within, s"),
            number("mean", "mean s", title="mean, s"),
            number(
                "revised",
                "revised words",
                3,
                title="revised words for each final word",
                of=lambda row: row["revised"] if row["of"] == FINAL_SEGMENT else None,
            ),
        ),
        rows(result, LATENCY),
        title="Latencies: from the end of the speech to the result",
    )


def partials_table(result: Result) -> Table:
    """Return the errors of partial results, by how long before the final one they came."""
    return Table(
        PARTIALS,
        (
            text("system"),
            text("before", "before the final result"),
            count("results"),
            count("words", title="words of the reference"),
            count("errors"),
            percent("rate", "WER %", title="WER, %"),
        ),
        rows(result, PARTIALS),
        title="Errors of partial results",
    )


def recording_times_table(result: Result, name: str = RECORDING_TIMES) -> Table:
    """Return the recordings whose times are most off, in seconds."""
    of = "words" if name == RECORDING_TIMES else "segments"
    return Table(
        name,
        (
            text("system"),
            text("utt", "recording"),
            count("timed", of, title=f"{of} with times on both sides"),
            number("begin", "begins s", title="median of begins, s"),
            number("end", "ends s", title="median of ends, s"),
            number("median", "median s", title="median of sizes, s"),
            number("most", "most s", title="most, s"),
            text("out", "", of=lambda row: "out as a whole" if row["out"] else ""),
        ),
        rows(result, name),
        title=f"Recordings by how far the times of their {of} are off",
        most=WORST_TIMES,
        each=("system",),
    )


def class_names(shown: Sequence[Row]) -> dict[tuple[str, str], str]:
    """Return the names of classes of words; with their source, if there are several sources."""
    several = len(unique(row["source"] for row in shown)) > 1
    keys = unique((row["source"], row["class"]) for row in shown)
    return {(s, name): f"{name} · {s}" if several else name for s, name in keys}


def class_columns(shown: Sequence[Row]) -> list[Column]:
    """Return the columns of a class of words, and of its source if there are several sources."""
    names = class_names(shown)
    several = len(unique(source for source, _ in names)) > 1
    name = text(
        "class",
        filters=lambda row: [field_is(WORDS, CLASS, names[row["source"], row["class"]])],
    )
    return [text("source"), name] if several else [name]


def entities_table(result: Result) -> Table:
    """Return a row for each system, group and class: rate, recall and precision."""
    frame, shown, between = table(result, "entities"), rows(result, "entities"), interval(result)
    by: list[str] = []
    if frame is not None:
        by = frame.columns[frame.columns.index("system") + 1 : frame.columns.index("source")]
    sources = unique(row["source"] for row in shown)
    return Table(
        "entities",
        (
            text("system"),
            *groups(by),
            *class_columns(shown),
            percent("rate", "%", title="rate, %"),
            span("rate_low", "rate_high", between),
            count("substitutions", "sub", title="substitutions"),
            count("deletions", "del", title="deletions"),
            count("insertions", "ins", title="insertions"),
            count("words"),
            percent("recall", "recall %", title="recall, %"),
            span("recall_low", "recall_high", between),
            percent("precision", "precision %", title="precision, %", optional=True),
            span("precision_low", "precision_high", between, optional=True),
            count("terms"),
        ),
        shown,
        title=f"Errors by class of {listed(sources)}",
        most=CLASSES_SHOWN,
        each=("system", *by),
    )


def scores_tables(result: Result) -> Iterator[Table]:
    """Yield the tables of scores."""
    yield rates_table(result)
    yield formatted_errors_table(result)
    yield marks_table(result)
    yield forgiven_table(result)
    yield references_table(result)
    yield confidences_table(result)
    yield entities_table(result)
    if not SEVERITY_TABLES.isdisjoint(result.tables):
        from misword.stat.descriptions.severity import severity_tables

        yield from severity_tables(result)
    yield attribution_table(result)
    yield recordings_table(result)
    yield speakers_table(result)
    yield word_times_table(result)
    yield recording_times_table(result)
    yield segment_times_table(result)
    yield recording_times_table(result, RECORDING_SEGMENTS)
    yield latency_table(result)
    yield partials_table(result)


def scores_headline(result: Result) -> str:
    """Return the rate of the lead metric: of one system, of several, or of several groups."""
    frame = table(result, "summary")
    if frame is None:
        return ""
    label, title, share = lead_metric(unique(frame["metric"])), titles(result), confidence(result)
    of_lead = [row for row in frame.to_dicts() if row["metric"] == label]
    by = group_columns(frame)
    if by:
        return _of_groups(of_lead, by, title(label))
    if len(of_lead) > 1:
        return _of_systems(of_lead, title(label), share)
    others = [row for row in frame.to_dicts() if row["metric"] != label][:OTHER_METRICS]
    return "; ".join([_of_one(of_lead[0], title(label), share), *_others(others, title)]) + "."


def _others(others: list[Row], title: Titles) -> list[str]:
    """Return a list with one clause on the other metrics; empty if there are none."""
    rates = ", ".join(f"{title(row['metric'])} {_rate(row)}" for row in others)
    return [rates] if rates else []


def _of_one(row: Row, name: str, share: str) -> str:
    size = f"on {counted(row['utterances'], 'utterance')}"
    if not is_number(row["rate"]):
        return f"{name} is undefined {size}: there is nothing to get right"
    return f"{name} {_rate(row)}{_interval(row, share)} {size}"


def _of_systems(rows: list[Row], name: str, share: str) -> str:
    """Return the system with the lowest rate and the rates of the others.

    The sentence also says that the difference was not tested.
    """
    defined = _by_rate(rows)
    if not defined:
        return _of_one(rows[0], name, share) + "."
    first, *rest = defined
    against = f"{_rate(rest[0])} of {rest[0]['system']}" if rest else "undefined rates"
    if len(rest) > 1:
        against = f"{_rate(rest[0])} to {_rate(rest[-1])} of {len(rest)} others"
    return (
        f"{first['system']} has the lowest {name}: {_rate(first)}{_interval(first, share)}, "
        f"against {against}, on {counted(first['utterances'], 'utterance')}; the difference was "
        "not tested."
    )


def _of_groups(rows: list[Row], groups: list[str], name: str) -> str:
    """Return the groups with the lowest and the highest rate."""
    rows = [row for row in rows if not row.get("total")]
    defined = _by_rate(rows)
    if not defined:
        return f"{name} is undefined in all {len(rows)} groups: there is nothing to get right."
    several = len(unique(row["system"] for row in rows)) > 1

    def group(row: Row) -> str:
        system = [row["system"]] if several else []
        return ", ".join([*system, *(f"{column} {row[column]}" for column in groups)])

    low, high = defined[0], defined[-1]
    return (
        f"{name} from {_rate(low)} ({group(low)}) to {_rate(high)} ({group(high)}) "
        f"in {counted(len(rows), 'group')}."
    )


def _by_rate(rows: list[Row]) -> list[Row]:
    """Return the rows whose rate is defined, the lowest rate first."""
    return sorted((row for row in rows if is_number(row["rate"])), key=lambda row: row["rate"])


def _rate(row: Row) -> str:
    return f"{formatting.percent(row['rate'], 1)} %" if is_number(row["rate"]) else "undefined"


def _interval(row: Row, share: str) -> str:
    return interval_in_sentence(share, formatting.span(row.get("low"), row.get("high"), 1))


SCORES = Description(
    scores_tables,
    main=("summary",),
    data={
        "rows": "summary",
        "entities": "entities",
        "confidences": "confidences",
        "severity": "severity",
        "critical_errors": "critical_errors",
        "severity_worst": "severity_worst",
        "silence": "silence",
        "judge_agreement": "judge_agreement",
        "references": "references",
        "recordings": "recordings",
        "speakers": "speakers",
        **{
            name: name
            for name in (
                *(WORD_TIME_ERRORS, RECORDING_TIMES, SEGMENT_TIME_ERRORS, RECORDING_SEGMENTS),
                *(LATENCY, PARTIALS),
            )
        },
    },
    facts=("misword", "signatures", *BOOTSTRAP_SETTINGS),
    headline=scores_headline,
)
