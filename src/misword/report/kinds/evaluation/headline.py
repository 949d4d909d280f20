"""The headline of an evaluation of mappings."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.formatting import count, counted, is_number, listed, percent, signed, span
from misword.core.types import Result
from misword.report.html.text import interval_in_sentence, p_in_sentence
from misword.report.kinds.evaluation.rates import whole_lexicon
from misword.report.result_access import (
    Row,
    confidence,
    deciding_p,
    rows,
)
from misword.stat.corrections import SIGNIFICANCE_LEVEL

# The sentence names at most this many systems.
NAMED = 3
# The headwords that hit@k is a share of, by the rule for words out of the vocabulary: a column of
# the table `coverage`.
COUNTED_HEADWORDS = {"drop": "answerable", "source": "source_known"}


def evaluation_headline(result: Result) -> str:
    """Return the hit rate of one system, or the system with the highest and its differences."""
    hit_rates = [row for row in whole_lexicon(result) if row["kind"] == "hit"]
    if not hit_rates:
        return ""
    name = hit_rates[0]["metric"]
    of_systems = [row for row in hit_rates if row["metric"] == name]
    defined = [row for row in of_systems if is_number(row["rate"])]
    if not defined:
        return f"{name} is undefined: no headword can be answered."
    if len(of_systems) == 1:
        only = of_systems[0]
        return f"{only['system']}: {name} {_rate(only, result)}{_left_out(result)}."
    if len({row["whole"] for row in defined}) > 1:
        return _of_different_words(defined, result, name)
    best = max(defined, key=lambda row: row["rate"])
    tied = [row["system"] for row in defined if row["rate"] == best["rate"]]
    verb = "have" if len(tied) > 1 else "has"
    highest = f"{listed(tied)} {verb} the highest {name}: {_rate(best, result)}"
    return f"{highest}{_left_out(result)}; {_against_first(result, name)}."


def _of_different_words(defined: Sequence[Row], result: Result, name: str) -> str:
    """Return the tested differences only, since rates over different headwords have no order."""
    sizes = [row["whole"] for row in defined]
    return (
        f"{name} is of {min(sizes):,} to {max(sizes):,} headwords, since the systems know "
        f"different words; on those that both know, {_against_first(result, name)}."
    )


def _rate(row: Row, result: Result) -> str:
    interval = interval_in_sentence(confidence(result), span(row["low"], row["high"], 1))
    return f"{percent(row['rate'], 1)} %{interval} of {counted(row['whole'], 'headword')}"


def _left_out(result: Result) -> str:
    """Return how many headwords the hit rate leaves out."""
    coverage = rows(result, "coverage")
    column = COUNTED_HEADWORDS.get(result.provenance.get("oov", ""))
    if not coverage or column is None:
        return ""
    left_out = coverage[0]["headwords"] - coverage[0][column]
    return f", {count(left_out)} left out" if left_out else ""


def _against_first(result: Result, name: str) -> str:
    """Return a clause on how the other systems differ from the first."""
    differences = [row for row in rows(result, "compared") if row["metric"] == name]
    if not differences:
        return "nothing tested"
    changes = ", ".join(f"{row['system']} {_change(row)}" for row in differences[:NAMED])
    more = len(differences) - NAMED
    rest = f", and {more} more" if more > 0 else ""
    return f"against {differences[0]['baseline']}: {changes}{rest}"


def _change(row: Row) -> str:
    if not is_number(row["difference"]):
        return "undefined"
    p = deciding_p(row)
    points = f"{signed(row['difference'])} points"
    if p is None:
        return points
    unclear = "not distinguishable, " if p >= SIGNIFICANCE_LEVEL else ""
    return f"{points} ({unclear}{p_in_sentence(p)})"
