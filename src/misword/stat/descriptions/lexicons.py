"""How bilingual lexicons are shown: audits, evaluations, gold sets, candidates and drafts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from misword.core import formatting
from misword.core.formatting import (
    counted,
    interval_in_sentence,
    is_number,
    listed,
    p_in_sentence,
    percent_of,
)
from misword.core.lazy import pl
from misword.core.tables import (
    Column,
    Row,
    Table,
    composed,
    count,
    number,
    part,
    percent,
    probability,
    prose,
    side_by_side,
    signed,
    signed_span,
    span,
    text,
)
from misword.core.types import Description, Result
from misword.stat.bootstrap import BOOTSTRAP_SETTINGS
from misword.stat.descriptions.result_access import (
    VERDICT_TEXTS,
    Verdict,
    confidence,
    deciding_p,
    interval,
    rows,
    table,
    titles,
    unique,
    verdict,
)
from misword.stat.options import SIGNIFICANCE_LEVEL

# Audits of gold lexicons.

# The flags that the headline names, and their words in it.
NAMED_FLAGS = {
    "proper-noun": "are proper nouns",
    "training-pair": "are in the training lexicon",
    "identical": "have two identical words",
}


def flags_table(result: Result) -> Table:
    """Return a row for each flag; flags that could not be given say what they need."""
    missing = result.provenance.get("not_given", {})
    return Table(
        "summary",
        (
            part("flag", titles(result)),
            prose("example", title="an example"),
            count("pairs"),
            percent("share", "%", title="of all, %"),
            count("headwords"),
            percent("headword_share", "%", title="of all, %"),
            count("expected", "expected pairs", page_only=True),
        ),
        [
            *rows(result, "summary"),
            *({"flag": name, "example": f"not given: {why}"} for name, why in missing.items()),
        ],
        is_faint=lambda row: row.get("pairs") is None,
    )


def _share(of: str) -> Column:
    """Return a column of the share that a count has of the column `of`."""
    return percent("share", "%", of=lambda row: row["count"] / max(1, row[of]))


def leaks_table(result: Result) -> Table:
    """Return what the lexicon shares with the training lexicon."""
    return Table(
        "leaks",
        (
            text("shared", "shared with training", title="shared"),
            count("count", "number"),
            count("of"),
            _share("of"),
        ),
        rows(result, "leaks"),
    )


def composition_table(result: Result, kind: str) -> Table:
    """Return what the lexicon consists of, such as by part of speech."""
    return Table(
        f"composition by {kind}",
        (text("value", kind), count("count", "number"), count("whole", "of"), _share("whole")),
        [row for row in rows(result, "composition") if row["by"] == kind],
    )


def rankings_table(result: Result) -> Table:
    """Return the hit rates of systems on variants of the lexicon."""
    return Table(
        "rankings",
        (
            text("gold", "gold lexicon"),
            text("system"),
            text("metric", "rate"),
            percent("rate", "%"),
            span("low", "high", "interval", title=interval(result)),
            count("part", "found"),
            count("whole", "of"),
            count("place"),
        ),
        rows(result, "rankings"),
    )


def conclusions_table(result: Result) -> Table:
    """Return the differences of two systems on each variant, and whether a conclusion changes."""
    return Table(
        "conclusions",
        (
            text("gold", "gold lexicon"),
            text("system"),
            text("baseline", "against"),
            signed("difference", "difference", title="difference, points"),
            signed_span("low", "high", "interval", title=interval(result)),
            probability("p_holm"),
            count("headwords"),
            text("better"),
            text("changed", of=lambda row: "yes" if row["changed"] else "no"),
        ),
        rows(result, "conclusions"),
        is_faint=lambda row: not row["changed"],
    )


def margins_table(result: Result) -> Table:
    """Return the calculation of each margin between two systems, before and after verdicts."""
    return Table(
        "margins",
        (
            text("first", "better"),
            text("second", "other"),
            prose("arithmetic", "margin in hit@1"),
            count("open", "still to be judged"),
        ),
        rows(result, "margins"),
    )


def flagged_pairs_table(found: Sequence[Row]) -> Table:
    """Return pairs that have a flag, the most probable first."""
    return Table(
        "flagged pairs",
        (
            count("line"),
            text("source", "word"),
            text("target", "translation"),
            number("probability"),
            prose("evidence"),
        ),
        sorted(found, key=lambda row: -float(row["probability"])),
    )


def doubtful_table(result: Result) -> Table:
    """Return answers of systems that a person should judge."""
    return Table(
        "errors to be judged",
        (
            text("source", "headword"),
            text("candidate", "answer"),
            text("verdict"),
            text("gold"),
            text("systems"),
            prose("evidence", "confirmed by"),
        ),
        rows(result, "doubtful"),
    )


def audit_tables(result: Result) -> Iterator[Table]:
    """Yield flags, leaks and composition, and the comparison of systems."""
    yield flags_table(result)
    yield leaks_table(result)
    for kind in unique(row["by"] for row in rows(result, "composition")):
        yield composition_table(result, kind)
    yield rankings_table(result)
    yield conclusions_table(result)
    yield margins_table(result)


def audit_headline(result: Result) -> str:
    """Return the shares of names, leaks and identical pairs, and whether systems change places."""
    flags = {row["flag"]: row for row in rows(result, "summary")}
    if not flags:
        return ""
    found = [
        f"{formatting.percent(flags[name]['share'], 1)} % {what}"
        for name, what in NAMED_FLAGS.items()
        if name in flags and flags[name]["pairs"]
    ]
    pairs = counted(int(result.provenance.get("pairs", 0)), "pair")
    sentence = f"Of {pairs}, {listed(found)}." if found else f"{pairs}{_without(flags)}."
    return f"{sentence}{_changes(result)}"


def _without(flags: Mapping[str, Row]) -> str:
    """Return what the flags of the headline say if no pair has one of them for certain."""
    names = flags.get("proper-noun")
    if names is None:
        looked_for = [flag for flag in NAMED_FLAGS if flag in flags] or list(flags)
        return f", none of them with the flag {listed(looked_for)}"
    expected = round(names["expected"] or 0)
    if not expected:
        return ", none of them a name"
    return f", none of them surely a name; by their probabilities, about {expected:,} are names"


def _changes(result: Result) -> str:
    """Return how many conclusions about systems change; nothing without systems."""
    compared = rows(result, "conclusions")
    if not compared:
        return ""
    changed = {(row["baseline"], row["system"]) for row in compared if row["changed"]}
    whole = {(row["baseline"], row["system"]) for row in compared}
    if not changed:
        return " No conclusion about the systems changes."
    number = counted(len(whole), "comparison")
    return f" {len(changed)} of {number} of systems end differently on a cleaned lexicon."


def audit_notes(result: Result) -> Sequence[str]:
    """Return the numbers of pairs, of flagged pairs, and of pairs of the cleaned lexicon."""
    facts = result.provenance
    flagged = {
        (row["line"], row["source"], row["target"])
        for row in rows(result, "flags")
        if row["probability"] >= facts["threshold"]
    }
    pairs, kept = counted(facts["pairs"], "pair"), facts["kept"]
    return [f"{pairs}: {len(flagged):,} with a flag, {kept:,} in the cleaned lexicon"]


AUDIT = Description(
    audit_tables,
    main=("flags",),
    data={
        name: name
        for name in ("summary", "composition", "leaks", "rankings", "conclusions", "margins")
    },
    facts=(
        "misword", "gold", "languages", "pairs", "headwords", "kept", "threshold", "not_given",
    ),
    headline=audit_headline,
    notes=audit_notes,
)  # fmt: skip


# Evaluations of mappings.

# The sentence names at most this many systems.
SYSTEMS_NAMED = 3
# The headwords that hit@k is a share of, by the rule for words out of the vocabulary: a column of
# the table `coverage`.
COUNTED_HEADWORDS = {"drop": "answerable", "source": "source_known"}
# Columns of the coverage: heading and, on the page, title.
COVERAGE = {
    "headwords": ("headwords", ""),
    "source_known": ("with a vector", ""),
    "answerable": ("answerable", ""),
    "pairs": ("pairs", "gold pairs"),
    "pairs_known": ("both words known", ""),
    "targets": ("translations", ""),
    "target_known": ("with a vector", ""),
}
CUT_OFF = {"source_beyond": "headwords cut off", "target_beyond": "translations cut off"}
# Columns that are shown if a mapping says what it was trained on.
IN_TRAINING = {
    "shared_pairs": "pairs in training",
    "shared_headwords": "headwords in training",
    "shared_lemmas": "headwords in training, by lemma",
}


def rates_table(result: Result, found: Sequence[Row], **names: str) -> Table:
    """Return a row for each rate; `names` are columns that come first, with their headings.

    Percentages are truncated if the option `truncate` asks for it.
    """
    options = result.provenance.get("options")
    truncate = isinstance(options, dict) and bool(options.get("truncate"))

    def share(row: Row) -> str:
        return percent_of(row["part"], row["whole"], truncate=truncate)

    return Table(
        "rates",
        (
            *(text(name, heading) for name, heading in names.items()),
            text("system"),
            text("metric", "rate"),
            count("k"),
            composed("rate", "", share, title="%"),
            span("low", "high", interval(result), optional=True),
            count("part", "found"),
            count("whole", "of"),
        ),
        found,
    )


def whole_lexicon(result: Result) -> list[Row]:
    """Return the rates over the whole lexicon."""
    return [row for row in rows(result, "rates") if row["column"] is None]


def on_slices(result: Result, column: str) -> list[Row]:
    """Return the rates on the slices of the lexicon by one of its columns."""
    return [row for row in rows(result, "rates") if row["column"] == column]


def rates_by_system(shown: Table, *keys: str, title: str = "") -> Table:
    """Return a row for each system and number of candidates, with the three rates side by side.

    Rates that are not over one lexicon have the numbers of headwords of the hit rate and of pairs.
    """
    wide = side_by_side(
        shown, [*keys, "k"], lambda row: f"{row['kind']} %", "rate", "low to high", title=title
    )

    def size(kind: str, header: str) -> Column:
        return count(header, of=lambda row: row.get(f"row {kind} %", {}).get("whole"))

    sizes = [size("hit", "headwords"), size("recall", "pairs")] if len(keys) > 1 else []
    at = len(keys) + 1
    return replace(wide, columns=[*wide.columns[:at], *sizes, *wide.columns[at:]])


def rates_by_kind(shown: Table, *keys: str) -> Table:
    """Return a row for each rate, with the systems side by side.

    Rates that are not over one lexicon have the number that they are a share of: a range where the
    systems differ in it.
    """
    names = [*keys, "metric"]
    wide = side_by_side(shown, names, lambda row: f"{row['system']}, %", "rate", "low to high")

    def sizes(row: Row) -> list[int]:
        return [one["whole"] for place, one in row.items() if place.startswith("row ")]

    def size(row: Row) -> str:
        low, high = min(sizes(row)), max(sizes(row))
        shown = formatting.count(high)
        return shown if low == high else f"{formatting.count(low)} to {shown}"

    if not keys:
        return wide
    lines = [{**row, "size": max(sizes(row))} for row in wide.rows]
    of = composed("size", "of", size)
    return replace(
        wide, columns=[*wide.columns[: len(names)], of, *wide.columns[len(names) :]], rows=lines
    )


def differences_table(result: Result, column: str = "") -> Table:
    """Return the differences to the first system; with `column`, on the slices by this column."""
    found = rows(result, "compared_slices" if column else "compared")
    if column:
        found = [row for row in found if row["column"] == column]
    base = found[0]["baseline"] if found else ""
    return Table(
        f"differences by {column}" if column else "differences",
        (
            *([text("value", column)] if column else []),
            text("metric", "rate"),
            text("system"),
            text("verdict", of=lambda row: VERDICT_TEXTS[_verdict(row)], page_only=True),
            percent("baseline_rate", f"{base} %", title=f"{base}, %"),
            percent("rate", "%"),
            signed("difference", "difference", title="difference, points"),
            signed_span("low", "high", interval(result)),
            probability("p_holm", of=deciding_p),
            count("headwords"),
            count("better"),
            count("worse"),
        ),
        found,
        title=f"By {column}, against {base}" if column else f"Against {base}",
        notes=() if column else [_how(result)],
        is_faint=lambda row: _verdict(row) not in ("better", "worse"),
    )


def _verdict(row: Row) -> Verdict:
    return verdict(row, lower_is_better=False)


def _how(result: Result) -> str:
    """Return a sentence on the sign of the differences, their intervals and their tests."""
    said = "Difference in points, positive is better"
    if times := result.provenance.get("bootstrap"):
        said += f"; intervals by paired bootstrap of headwords, {times:,} times"
    compared, slices = len(rows(result, "compared")), len(rows(result, "compared_slices"))
    on_slices = f", those on slices for {slices}" if slices else ""
    return (
        f"{said}. p by paired permutation test, corrected for {compared} comparisons{on_slices} "
        "(Holm)."
    )


def coverage_table(result: Result) -> Table:
    """Return how much of the lexicon the vocabularies of each mapping cover."""
    found = rows(result, "coverage")
    known = {name for row in found for name in IN_TRAINING if row.get(name) is not None}
    page = CUT_OFF | {name: title for name, title in IN_TRAINING.items() if name in known}
    unknown = "not known"
    return Table(
        "coverage",
        (
            text("mapping"),
            *(
                count(name, header, title=title, empty=unknown)
                for name, (header, title) in COVERAGE.items()
            ),
            *(count(name, title, page_only=True, empty=unknown) for name, title in page.items()),
        ),
        found,
        title="Coverage",
    )


def thresholds_table(result: Result) -> Table:
    """Return precision and recall over the probability of candidates."""
    columns = [
        text("system"),
        number("threshold", "p", 1),
        count("candidates"),
        count("headwords"),
    ]
    for name in ("precision", "recall"):
        columns += [
            percent(name, f"{name} %", title=f"{name}, %", empty="undefined"),
            span(f"{name}_low", f"{name}_high", interval(result), optional=True),
        ]
    title = "Candidates with a probability of at least p"
    return Table("thresholds", columns, rows(result, "thresholds"), title=title)


def calibration_table(result: Result) -> Table:
    """Return the expected calibration error of each system with probabilities."""
    return Table(
        "calibration_errors",
        (
            text("system"),
            text("candidates"),
            count("cases", "number"),
            number("error", "calibration error", 4),
            number("by_chance", "by chance", 4),
        ),
        rows(result, "calibration_errors"),
        title="Calibration",
    )


def bins_table(result: Result) -> Table:
    """Return the bins of the probability, with the share of right candidates in each."""
    return Table(
        "calibration",
        (
            text("system"),
            text("candidates"),
            number("low", "from", 1),
            number("high", "to", 1),
            count("cases", "number"),
            number("probability", digits=3),
            number("right", digits=3),
        ),
        rows(result, "calibration"),
    )


def evaluation_tables(result: Result) -> Iterator[Table]:
    """Yield the rates as a whole, by lexicon and by slice, coverage, calibration, differences."""
    yield rates_by_system(rates_table(result, whole_lexicon(result)), "system")
    by_lexicon = rates_table(result, rows(result, "gold_sets"), gold="gold")
    yield rates_by_system(by_lexicon, "gold", "system", title="By gold lexicon")
    for column in result.provenance.get("by", ()):
        sliced = rates_table(result, on_slices(result, column), value=column)
        yield rates_by_system(sliced, "system", "value", title=f"By {column}")
        yield differences_table(result, column)
    yield coverage_table(result)
    yield thresholds_table(result)
    yield calibration_table(result)
    yield differences_table(result)


def evaluation_headline(result: Result) -> str:
    """Return which trainings failed, and the hit rates in a sentence."""
    if failed := result.provenance.get("failed"):
        return f"The training of {listed(list(failed))} failed. {_hit_rates(result)}".strip()
    return _hit_rates(result)


def _hit_rates(result: Result) -> str:
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
        return f"{only['system']}: {name} {_hit_rate(only, result)}{_left_out(result)}."
    if len({row["whole"] for row in defined}) > 1:
        return _of_different_words(defined, result, name)
    best = max(defined, key=lambda row: row["rate"])
    tied = [row["system"] for row in defined if row["rate"] == best["rate"]]
    verb = "have" if len(tied) > 1 else "has"
    highest = f"{listed(tied)} {verb} the highest {name}: {_hit_rate(best, result)}"
    return f"{highest}{_left_out(result)}; {_against_first(result, name)}."


def _of_different_words(defined: Sequence[Row], result: Result, name: str) -> str:
    """Return the tested differences only, since rates over different headwords have no order."""
    sizes = [row["whole"] for row in defined]
    return (
        f"{name} is of {min(sizes):,} to {max(sizes):,} headwords, since the systems know "
        f"different words; on those that both know, {_against_first(result, name)}."
    )


def _hit_rate(row: Row, result: Result) -> str:
    ends = interval_in_sentence(confidence(result), formatting.span(row["low"], row["high"], 1))
    rate = formatting.percent(row["rate"], 1)
    return f"{rate} %{ends} of {counted(row['whole'], 'headword')}"


def _left_out(result: Result) -> str:
    """Return how many headwords the hit rate leaves out."""
    coverage = rows(result, "coverage")
    column = COUNTED_HEADWORDS.get(result.provenance.get("oov", ""))
    if not coverage or column is None:
        return ""
    left_out = coverage[0]["headwords"] - coverage[0][column]
    return f", {formatting.count(left_out)} left out" if left_out else ""


def _against_first(result: Result, name: str) -> str:
    """Return a clause on how the other systems differ from the first."""
    differences = [row for row in rows(result, "compared") if row["metric"] == name]
    if not differences:
        return "nothing tested"
    changes = ", ".join(f"{row['system']} {_change(row)}" for row in differences[:SYSTEMS_NAMED])
    more = len(differences) - SYSTEMS_NAMED
    rest = f", and {more} more" if more > 0 else ""
    return f"against {differences[0]['baseline']}: {changes}{rest}"


def _change(row: Row) -> str:
    if not is_number(row["difference"]):
        return "undefined"
    p = deciding_p(row)
    points = f"{formatting.signed(row['difference'], 1)} points"
    if p is None:
        return points
    unclear = "not distinguishable, " if p >= SIGNIFICANCE_LEVEL else ""
    return f"{points} ({unclear}{p_in_sentence(p)})"


def rate_signatures(result: Result) -> dict[str, dict[str, str]]:
    """Return the signature of each rate, by system and rate.

    A result has one signature for all numbers of candidates, such as `hit@1,5|...`.
    """
    short = result.provenance["signatures"]
    all_k = ",".join(map(str, result.provenance["within"]))
    found: dict[str, dict[str, str]] = {}
    for row in whole_lexicon(result):
        several = f"{row['kind']}@{all_k}"
        signature = short[f"{row['system']} {several}"].replace(several, row["metric"], 1)
        found.setdefault(row["system"], {})[row["metric"]] = signature
    return found


def _signed_rates(result: Result) -> pl.DataFrame:
    """Return the rates with a column for their signatures."""
    rates, signatures = result.tables["rates"], rate_signatures(result)
    pairs = rates.select("system", "metric").iter_rows()
    return rates.with_columns(
        pl.Series("signature", [signatures[system][metric] for system, metric in pairs])
    )


EVALUATION = Description(
    evaluation_tables,
    main=("rates",),
    data={
        name: name
        for name in (
            "rates", "coverage", "compared", "compared_slices", "gold_sets", "thresholds",
            "calibration", "calibration_errors",
        )
    },
    facts=("misword", "gold", "oov", *BOOTSTRAP_SETTINGS, "failed"),
    headline=evaluation_headline,
    csv=_signed_rates,
)  # fmt: skip


# Gold sets: a training lexicon, an evaluation set, and their datasheet.


def parts_table(sheet: Mapping[str, Any]) -> Table:
    """Return the sizes of both parts."""
    sizes = ("headwords", "pairs", "translations")
    counts = [{"part": name, **numbers} for name, numbers in sheet["counts"].items()]
    columns = (text("part"), *map(count, sizes), count("identical", title="identical pairs"))
    return Table("counts", columns, counts)


def left_out_table(sheet: Mapping[str, Any]) -> Table:
    """Return what each criterion left out; the datasheet has examples too."""
    return Table(
        "left_out",
        (
            text("criterion"),
            text("reason", "left out", title="reason"),
            count("pairs"),
            count("headwords"),
            prose("examples", of=lambda row: "; ".join(row["examples"]), page_only=True),
        ),
        sheet["left_out"],
    )


def gold_composition_table(sheet: Mapping[str, Any]) -> Table:
    """Return what the evaluation set consists of."""
    headwords = sheet["counts"]["evaluation"]["headwords"]
    return Table(
        "composition",
        (
            text("by", "evaluation set"),
            text("value"),
            count("headwords"),
            percent("share", "%"),
        ),
        [
            {"by": by, "value": value, "headwords": number, "share": number / max(1, headwords)}
            for by, counts in sheet["evaluation"].items()
            for value, number in counts.items()
        ],
        on_terminal=lambda row: bool(row["headwords"]),
    )


def gold_flags_table(sheet: Mapping[str, Any]) -> Table:
    """Return what an audit flags in the evaluation set."""
    return Table(
        "audit",
        (
            text("flag"),
            prose("example"),
            count("pairs"),
            count("headwords", page_only=True),
        ),
        sheet["audit"],
        on_terminal=lambda row: bool(row["pairs"]),
    )


def gold_set_tables(result: Result) -> Iterator[Table]:
    """Yield the sizes of both parts, what was left out, the composition, and the flags."""
    sheet = result.provenance
    yield parts_table(sheet)
    yield left_out_table(sheet)
    yield gold_composition_table(sheet)
    yield gold_flags_table(sheet)


def gold_set_headline(result: Result) -> str:
    """Return the numbers of headwords of both parts."""
    counts = result.provenance["counts"]
    return (
        f"{counts['evaluation']['headwords']:,} headwords for evaluation, "
        f"{counts['train']['headwords']:,} for training"
    )


def _left_out_rows(result: Result) -> pl.DataFrame:
    """Return what was left out, with the examples as one text."""
    found = result.provenance["left_out"]
    return pl.DataFrame([{**row, "examples": "; ".join(row["examples"]) or None} for row in found])


GOLD_SET = Description(
    gold_set_tables,
    main=("evaluation",),
    data={},
    facts=(
        "format", "version", "misword", "settings", "source_lang", "target_lang", "sources",
        "vectors", "analyzers", "notes", "audit", "counts", "evaluation", "overlap", "left_out",
    ),
    headline=gold_set_headline,
    csv=_left_out_rows,
)  # fmt: skip


# Candidates of words, and drafts of dictionaries.

HEADWORDS_SHOWN = 50


def candidates_table(result: Result) -> Table:
    """Return a row for each candidate; one without a candidate for a word without a vector."""
    return Table(
        "candidates",
        (text("word"), text("candidate"), count("rank"), number("score", digits=4)),
        rows(result, "candidates"),
    )


def translations_tables(result: Result) -> Iterator[Table]:
    """Yield the table of candidates."""
    yield candidates_table(result)


def translations_headline(result: Result) -> str:
    """Return the number of words, and how many of them have no vector."""
    words, unknown = (result.provenance.get(name) for name in ("words", "unknown"))
    if words is None:
        return ""
    without = f"; {formatting.count(unknown)} without a vector" if unknown else ""
    return f"Candidates for {counted(words, 'word')}{without}."


TRANSLATIONS = Description(
    translations_tables,
    main=("candidates",),
    data={"rows": "candidates"},
    facts=("misword", "signature", "words", "unknown", "about"),
    headline=translations_headline,
)


def headwords_table(result: Result) -> Table:
    """Return the first headwords, each with its best candidate; a file has the whole draft."""
    frame = table(result, "headwords")
    score = "probability" if result.provenance.get("probabilities") else "score"
    return Table(
        "headwords",
        (
            text("source"),
            text("target"),
            number("score", score, 4),
            text("back"),
            text("verdict"),
        ),
        [] if frame is None else frame.head(HEADWORDS_SHOWN).to_dicts(),
    )


def draft_tables(result: Result) -> Iterator[Table]:
    """Yield the table of headwords."""
    yield headwords_table(result)


def draft_headline(result: Result) -> str:
    """Return the number of headwords, and how many right ones to expect."""
    found = table(result, "headwords")
    if found is None:
        return ""
    size = counted(len(found), "headword")
    if not result.provenance.get("probabilities"):
        back = found.select((pl.col("back") == pl.col("source")).sum()).item()
        mutual = formatting.percent(back / len(found), 1)
        return f"A draft of {size}; {mutual} % of them are translated back to themselves."
    expected = round(float(found["score"].sum()))
    return f"A draft of {size}; about {expected:,} of the first candidates should be right."


DRAFT = Description(
    draft_tables,
    main=("headwords",),
    data={"rows": "headwords"},
    facts=("misword", "signature", "probabilities", "languages", "verdicts"),
    headline=draft_headline,
)
