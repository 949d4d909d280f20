"""How suspects of references, several references, and the systems behind them are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from misword.core import formatting
from misword.core.formatting import counted, listed
from misword.core.tables import (
    Row,
    Table,
    count,
    number,
    percent,
    probability,
    prose,
    span,
    text,
    utterance,
)
from misword.core.types import Description, Result
from misword.stat.bootstrap import BOOTSTRAP_SETTINGS
from misword.stat.descriptions.result_access import interval, rows

SHOWN = 20  # suspects and places that a terminal shows
SURE = 0.05  # p-values below it are named in the headline
ORDER = ("raw", "corrected", "left_out")
LEFT_OUT_NOTE = (
    "Left out: the references are corrected by what the other systems agree on, without the system "
    "itself."
)
CONTAMINATION_NOTE = (
    "Places where all other systems agree against the reference, and where the reference is "
    "probably wrong, or wrong by verdict. A system that has its words more often than the others "
    "(Fisher's exact test, corrected for the number of systems by Holm) has probably seen it."
)
KINDS_NOTE = (
    "Probabilities were calibrated with errors that were planted into one word of a hundred; style "
    "is the way of transcribing, and comes last."
)


def suspects_table(result: Result) -> Table:
    """Return a row for each suspect."""
    return Table(
        "suspects",
        (
            utterance(),
            count("start", "word"),
            text("kind"),
            number("probability", "P"),
            text("before", "", page_only=True),
            text("reference"),
            text("consensus"),
            text("after", "", page_only=True),
            text("verdict", optional=True),
            text("reviewers", optional=True),
            prose("evidence", page_only=True),
        ),
        rows(result, "suspects"),
        title="Suspects: spans where systems agree against the reference",
        notes=(KINDS_NOTE,),
        most=SHOWN,
    )


def kinds_table(result: Result) -> Table:
    """Return the number of suspects of each kind, and how many of them are probably errors."""
    found = rows(result, "suspects")
    threshold = result.provenance.get("threshold", 0.5)
    counts = Counter(row["kind"] for row in found)
    probable = Counter(row["kind"] for row in found if row["probability"] >= threshold)
    expected: Counter[str] = Counter()
    for row in found:
        expected[row["kind"]] += row["probability"]
    return Table(
        "kinds",
        (
            text("kind"),
            count("suspects"),
            count("probable", f"P from {threshold:g}"),
            number("expected", "expected errors", 1),
        ),
        [
            {"kind": kind, "suspects": n, "probable": probable[kind], "expected": expected[kind]}
            for kind, n in counts.most_common()
        ],
        title="Kinds of suspects",
    )


def before_and_after_table(result: Result) -> Table:
    """Return the rate and the rank of each system with each version of the references."""
    between = interval(result)
    return Table(
        "rates",
        (
            text("system"),
            percent("raw", "raw %", title="as they are, %"),
            span("raw_low", "raw_high", between),
            count("raw_rank", "rank"),
            percent("corrected", "corrected %", title="corrected, %"),
            count("corrected_rank", "rank"),
            percent("left_out", "left out %", title="corrected without the system, %"),
            span("left_out_low", "left_out_high", between, optional=True),
            count("left_out_rank", "rank"),
        ),
        rows(result, "rates"),
        title="Word error rates before and after corrections",
        notes=(LEFT_OUT_NOTE,),
    )


def contamination_table(result: Result) -> Table:
    """Return how often each system has the words of wrong references."""
    return Table(
        "contamination",
        (
            text("system"),
            count("agrees", "as the reference"),
            count("places", "wrong places"),
            percent("share", "%", title="share, %"),
            percent("others", "others %", title="other systems, %"),
            probability("p_holm", "p"),
        ),
        rows(result, "contamination"),
        title="Systems that have the words of wrong references",
        notes=(CONTAMINATION_NOTE,),
    )


def likeness_table(result: Result) -> Table:
    """Return how alike the errors of each two systems are."""
    return Table(
        "likeness",
        (text("system"), text("other"), percent("alike", "shared errors %", 1)),
        rows(result, "likeness"),
        title="How alike systems are: errors that both make, where another system is right",
        is_detail=True,
    )


def agreement_table(result: Result) -> Table:
    """Return the rate of each reference against the others."""
    return Table(
        "agreement",
        (text("name", "reference"), percent("rate", "%", title="rate, %"),
         span("low", "high", interval(result))),
        rows(result, "agreement"),
        title="Each reference against the others, as if it were a hypothesis",
    )  # fmt: skip


def places_table(result: Result) -> Table:
    """Return the places where references differ."""
    return Table(
        "places",
        (utterance(), count("start", "word"), prose("texts"), text("votes")),
        rows(result, "places"),
        title="Places where references differ",
        most=SHOWN,
    )


def references_tables(result: Result) -> Iterator[Table]:
    """Yield the tables."""
    yield agreement_table(result)
    yield before_and_after_table(result)
    yield contamination_table(result)
    yield kinds_table(result)
    yield suspects_table(result)
    yield likeness_table(result)
    if not rows(result, "suspects"):
        yield places_table(result)


def references_headline(result: Result) -> str:
    """Return what changes rank, then the number of suspects, then the agreement of references."""
    parts = [*_ranks(result), *_contaminated(result), *_suspects(result), *_agreement(result)]
    return " ".join(parts)


def _ranks(result: Result) -> Iterator[str]:
    """Yield a sentence on the systems that change rank once they do not correct themselves."""
    shown = rows(result, "rates")
    after = "left_out" if any(row["left_out"] is not None for row in shown) else "corrected"
    known = [row for row in shown if row["raw"] is not None and row[after] is not None]
    if len(known) < 2:
        return
    before_order = sorted(known, key=lambda row: row["raw"])
    after_order = sorted(known, key=lambda row: row[after])
    moved = [
        f"{row['system']} from {row['raw_rank']} to {row[f'{after}_rank']}"
        for row in after_order
        if row["raw_rank"] != row[f"{after}_rank"]
    ]
    how = "with its own vote left out" if after == "left_out" else "with corrected references"
    if moved:
        yield f"Ranks change {how}: {listed(moved)}."
        return
    best = before_order[0]
    rates = f"{_percent(best['raw'])} becomes {_percent(best[after])}"
    yield f"No system changes rank {how}; {best['system']} stays first ({rates})."


def _percent(rate: float) -> str:
    return f"{formatting.percent(rate, 1)} %"


def _contaminated(result: Result) -> Iterator[str]:
    names = [
        row["system"]
        for row in rows(result, "contamination")
        if row["p_holm"] is not None
        and row["p_holm"] < SURE
        and row["share"] > (row["others"] or 0)
    ]
    if names:
        verb = "has" if len(names) == 1 else "have"
        yield f"{listed(names)} {verb} the words of wrong references more often than others do."


def _suspects(result: Result) -> Iterator[str]:
    facts = result.provenance
    if "suspects" not in facts:
        return
    size = counted(facts["suspects"], "suspect")
    if "probable" in facts:
        yield (
            f"{size}, {facts['probable']:,} of them probably errors (P from "
            f"{facts['threshold']:g}), {facts['expected']:.0f} expected without style."
        )
    else:
        yield f"{size}."
    if facts.get("judged"):
        yield f"{counted(facts['judged'], 'verdict')}, {counted(facts['changes'], 'change')}."
    if facts.get("conflicts"):
        yield f"{counted(facts['conflicts'], 'conflict')} between reviewers."


def _agreement(result: Result) -> Iterator[str]:
    shown: list[Row] = [row for row in rows(result, "agreement") if row["rate"] is not None]
    if shown:
        low, high = min(row["rate"] for row in shown), max(row["rate"] for row in shown)
        yield (
            f"{counted(len(shown), 'reference')}, with {_percent(low)} to {_percent(high)} errors "
            "against each other."
        )


REFERENCES = Description(
    references_tables,
    main=("suspects", "places"),
    data={
        name: name
        for name in ("agreement", "rates", "contamination", "suspects", "places", "likeness")
    },
    facts=("misword", "signatures", "threshold", "merge", *BOOTSTRAP_SETTINGS),
    headline=references_headline,
    has_lead=True,
)
