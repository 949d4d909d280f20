"""The sections on the order of the systems: Figure 2, Table 4, and the filling of gaps."""

from __future__ import annotations

from functools import cache
from typing import Any

import polars as pl

import misword
from misword.bli.auditing.result import Audit
from misword.bli.evaluation.result import Evaluation
from studies.common.bilingual import mapping_files, muse_gold
from studies.common.charts import Bar, bar_chart, figure
from studies.common.conclusions import (
    INCONCLUSIVE,
    NOT_AVAILABLE,
    SHOWS,
    Conclusion,
    Section,
    conclusion,
)
from studies.common.data import shared
from studies.common.markdown import page, paragraph, percent, signed, span, table
from studies.kementchedjhieva2019.composition import clean_gold
from studies.kementchedjhieva2019.published import NO_APPENDIX

# MUSE-S is the baseline of Figure 2.
SYSTEMS = ("MUSE-S", "MUSE-U", "VecMap-S", "VecMap-U", "RCSLS")
PAIR = "en-de"
CHART = "kementchedjhieva2019-figure-2.svg"
ALL_WORDS = 30_000
CLAIM = "without proper nouns, other systems are better or worse than MUSE-S"


@cache
def evaluations() -> dict[str, Evaluation]:
    """Return the evaluations on the dictionary as it is and on the cleaned one."""
    mappings = mapping_files(PAIR, ALL_WORDS, *SYSTEMS)
    lexicons = {"as it is": muse_gold(PAIR), "cleaned": clean_gold(PAIR)}
    return {
        name: misword.evaluate(mappings, gold, k=1, retriever="csls")
        for name, gold in lexicons.items()
    }


def order() -> Section:
    """Return the section on Figure 2 and Table 4."""
    places = {name: _places(found) for name, found in evaluations().items()}
    rows = []
    for system in SYSTEMS:
        cells = [system]
        for name, found in evaluations().items():
            cells += [
                percent(_rate(found, system)["rate"]),
                *_difference(found, system),
                str(places[name].index(system) + 1),
            ]
        rows.append(cells)
    sizes = "; ".join(
        f"{name} {len(found.lexicon):,} pairs and {len(found.lexicon.headwords):,} headwords "
        f"({_rate(found, 'MUSE-S')['whole']:,} can be found)"
        for name, found in evaluations().items()
    )
    text = f"""P@1 (`hit@1`) with CSLS, English to German, on MUSE's dictionary and without the
    pairs that people annotated as proper nouns or as invalid. Sizes: {sizes}. The difference is
    that from MUSE-S in points, with a paired interval. Figure 2 is a drawing, and Table 4 is in an
    appendix that is not part of the text here, so there are no cells to compare; Danish,
    Bulgarian, Arabic and Hindi vectors are not here."""
    header = [
        "",
        *(
            f"{name}: {cell}"
            for name in evaluations()
            for cell in ("%", "difference", "interval", "place")
        ),
    ]
    return Section(
        page(
            "## Figure 2 and Table 4: the order of the systems",
            paragraph(text),
            figure(CHART, "Differences from MUSE-S before and after cleaning"),
            table(header, rows),
            paragraph(_order_text(places)),
            paragraph(_top_two()),
        ).strip(),
        (
            Conclusion("Figure 2, our vectors (en-de)", CLAIM, _changed()),
            Conclusion(
                "Figure 2, five languages",
                "the same for Danish, Bulgarian, Arabic and Hindi",
                NOT_AVAILABLE,
                "their vectors are not here",
            ),
            Conclusion(
                "Table 4", "rates of five systems for five languages", NOT_AVAILABLE, NO_APPENDIX
            ),
        ),
        ("misword evaluate muse-s.map rcsls.map bli/en-de.5000-6500.txt --k 1 --retriever csls",),
        {CHART: _chart()},
    )


def _chart() -> str:
    """Return the bars of Figure 2: differences from MUSE-S, with paired intervals."""
    others = SYSTEMS[1:]
    series = {
        name: [
            Bar(*(100 * row[key] for key in ("difference", "low", "high")))
            for system in others
            for row in _against_baseline(found)
            if row["system"] == f"{system} csls"
        ]
        for name, found in evaluations().items()
    }
    title = "P@1, English to German: difference from MUSE-S"
    return bar_chart(title, "points", others, series, (-6, 6))


def _rate(found: Evaluation, system: str) -> dict[str, Any]:
    return found.rates.filter(system=f"{system} csls", metric="hit@1").row(0, named=True)


def _difference(found: Evaluation, system: str) -> list[str]:
    rows = found.differences.filter(system=f"{system} csls", metric="hit@1")
    if rows.is_empty():
        return ["", ""]
    row = rows.row(0, named=True)
    return [signed(100 * row["difference"]), span(100 * row["low"], 100 * row["high"])]


def _changed() -> str:
    """Return whether a comparison with MUSE-S has another conclusion on the cleaned dictionary."""
    conclusions = [
        [conclusion(row["low"], row["high"], "higher") for row in _against_baseline(found)]
        for found in evaluations().values()
    ]
    return INCONCLUSIVE if conclusions[0] == conclusions[1] else SHOWS


def _against_baseline(found: Evaluation) -> list[dict[str, Any]]:
    return found.differences.filter(metric="hit@1").to_dicts()


def _places(found: Evaluation) -> list[str]:
    """Return the systems in the order of their rates."""
    return sorted(SYSTEMS, key=lambda system: -_rate(found, system)["rate"])


def _order_text(places: dict[str, list[str]]) -> str:
    described = "; ".join(f"{name}: {' > '.join(systems)}" for name, systems in places.items())
    return f"The order by rate is {described}."


def _top_two() -> str:
    """Return the margin between the two best systems on both dictionaries."""
    parts = []
    for name, found in evaluations().items():
        first, second = (_rate(found, system) for system in _places(found)[:2])
        margin = first["rate"] - second["rate"]
        relative = percent(margin / second["rate"], 1)
        parts.append(f"{percent(margin)} points {name} ({relative} % of the second rate)")
    return f"""The margin between the two best systems is {" and ".join(parts)}. The abstract of
    the paper says that this margin grows from 3.4 % to 17.2 %; this cannot be checked,
    because Table 4 is not here."""


@cache
def audited() -> Audit:
    """Return the audit of the English-German dictionary with the two best systems of the paper."""
    dictionaries = [
        shared(f"bli/xling/{PAIR}/yacle.{part}.{PAIR}.tsv")
        for part in ("train.freq.5k", "test.freq.2k")
    ]
    found = misword.audit(
        muse_gold(PAIR), "en", "de", flags="proper-noun", dictionaries=dictionaries
    )
    systems = mapping_files(PAIR, ALL_WORDS, "VecMap-S", "RCSLS")
    return found.compare_systems(systems, k=1)


def gaps() -> Section:
    """Return the section on gaps of the dictionary that are filled automatically."""
    compared = audited().systems
    assert compared is not None
    rates = compared.rankings.filter(metric="hit@1")
    rows = []
    for row in compared.conclusions.to_dicts():
        cells = [percent(_ranking(rates, row["gold"], name)) for name in ("VecMap-S", "RCSLS")]
        rows.append(
            [
                row["gold"],
                *cells,
                signed(100 * row["difference"]),
                span(100 * row["low"], 100 * row["high"]),
                str(row["better"]),
            ]
        )
    text = """The paper says that proper nouns could be found automatically, and that filling in
    missing forms from UniMorph changed almost nothing. `misword audit --predictions` does both for
    English-German: proper nouns by its model, forms by lemmas (no German UniMorph file is here),
    synonyms from the dictionary of Glavaš et al. (2019)."""
    filled = [
        _ranking(rates, "with forms", name) - _ranking(rates, "as it is", name)
        for name in ("VecMap-S", "RCSLS")
    ]
    second = f"""Other forms of gold translations that count as right change P@1 by
    {signed(100 * filled[0])} (VecMap-S) and {signed(100 * filled[1])} points (RCSLS)."""
    header = ["dictionary", "VecMap-S", "RCSLS", "difference", "95 % interval", "better"]
    return Section(
        page(
            "## Section 5: filling the gaps automatically",
            paragraph(text),
            table(header, rows),
            paragraph(second),
        ).strip(),
        (),
        (
            "misword audit bli/en-de.5000-6500.txt --source-lang en --target-lang de "
            "--flags proper-noun --dictionaries bli/xling/en-de/yacle.test.freq.2k.en-de.tsv "
            "--predictions vecmap-s.map rcsls.map --k 1",
        ),
    )


def _ranking(rates: pl.DataFrame, gold: str, system: str) -> float:
    return float(rates.filter(pl.col("gold") == gold, pl.col("system") == system)["rate"][0])
