"""The sections on parts of speech: section 3.1, Figure 1 and Table 1 of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import misword
from misword.io.lexicons import Lexicon
from studies.common.bilingual import annotated_gold, mapping_file, muse_gold
from studies.common.charts import Bar, bar_chart, figure
from studies.common.conclusions import (
    NOT_AVAILABLE,
    Conclusion,
    Section,
    compared,
    conclusion,
    joined,
)
from studies.common.differences import separate_difference
from studies.common.markdown import number, page, paragraph, percent, table
from studies.kementchedjhieva2019.published import (
    COMPOSITION,
    DICTIONARY_SIZE,
    ENGLISH_GERMAN_NAMES,
    GERMAN_NAMES_MARGIN,
    TABLE_1,
    TITLES,
)

CHART = "kementchedjhieva2019-figure-1.svg"
PAIRS = ("de-en", "bg-en", "en-de", "en-bg")
WITH_VECTORS = ("de-en", "en-de")


def shares() -> Section:
    """Return the section on the composition of the dictionaries."""
    rows = []
    for pair in PAIRS:
        heads = {kind: set(annotated_gold(pair, kind).source) for kind in TITLES}
        every = set().union(*heads.values())
        cells = [
            f"{len(heads[kind])} ({percent(len(heads[kind]) / len(every), 1)})" for kind in TITLES
        ]
        rows.append([pair, f"{len(every):,}", *cells])
    printed = [f"({COMPOSITION[kind]})" if kind in COMPOSITION else "" for kind in TITLES]
    rows.append(["paper, mean of five into English", "", *printed])
    text = """Headwords by part of speech, their share in percent in parentheses, from the
    annotation that the authors published. A word can have several parts of speech. Only German and
    Bulgarian are here; the paper's mean also has Danish, Arabic and Hindi."""
    return Section(
        page(
            "## Section 3.1: parts of speech",
            paragraph(text),
            table(["", "headwords", *TITLES.values()], rows),
            paragraph(_sizes()),
        ).strip(),
        (_names(),),
        ("misword audit bli/en-de.5000-6500.txt --source-lang en --target-lang de "
         "--flags proper-noun",),
    )  # fmt: skip


def _names() -> Conclusion:
    """Return the conclusion on the share of proper nouns; a quarter is 22.5 to 27.5 %."""
    found = [
        100 * len(annotated_gold(pair, "pn").headwords) / len(muse_headwords(pair))
        for pair in PAIRS
    ]
    claim = "a quarter of the headwords are proper nouns"
    measured = f"{number(min(found), 1)} to {number(max(found), 1)} %"
    status = compared(found, [25] * len(found), 2.5)
    return Conclusion("Section 3.1, their files", f"{claim} ({measured})", status)


def muse_headwords(pair: str) -> set[str]:
    """Return all annotated headwords of a dictionary."""
    return set(annotated_gold(pair, *TITLES).source)


def _sizes() -> str:
    """Compare the sizes that the paper prints with the published files."""
    names = annotated_gold("en-de", "pn")
    clean = annotated_gold("en-bg", "n", "v", "a", "o")
    invalid = annotated_gold("de-en", "nw")
    return f"""The paper counts {ENGLISH_GERMAN_NAMES} pairs of proper nouns in the English-German
    dictionary; the published file has {len(names)} pairs with {len(names.headwords)} headwords. It
    gives {DICTIONARY_SIZE:,} as the size of the cleaned English-Bulgarian dictionary; without
    proper nouns and invalid pairs the published files have {len(clean.headwords):,} headwords. The
    paper says that invalid pairs are less than 1 % of the removed data; the published
    German-English file has {len(invalid)} of them. The paper does not explain this."""


@cache
def rates_by_part_of_speech(pair: str) -> dict[str, dict[str, Any]]:
    """Return hit@1 of RCSLS for each part of speech."""
    mapping = mapping_file(pair, "RCSLS")
    return {kind: _hit_rate(mapping, annotated_gold(pair, kind)) for kind in ("n", "v", "a", "pn")}


def _hit_rate(mapping: Any, gold: Lexicon) -> dict[str, Any]:
    found = misword.evaluate(mapping, gold, k=1, retriever="csls")
    return found.rates.filter(metric="hit@1").row(0, named=True)


def precision_by_part_of_speech() -> Section:
    """Return the section on Figure 1 and Table 1."""
    rows, statuses = [], {}
    for pair in WITH_VECTORS:
        found = rates_by_part_of_speech(pair)
        rows.append([f"{pair}, our vectors", *(_cell(found[kind]) for kind in COMPOSITION)])
        statuses[pair] = _lower(found, "n", "v")
    for corpora, cells in TABLE_1.items():
        rows.append([f"de-en, paper, {corpora}", *(number(cells[kind], 1) for kind in COMPOSITION)])
    german = rates_by_part_of_speech("de-en")
    text = f"""P@1 (`hit@1`) of RCSLS with CSLS in percent, with the interval and the number of
    headwords that can be found. Figure 1 is a drawing; the text says that German proper nouns are
    {GERMAN_NAMES_MARGIN} points above the other parts of speech with vectors of Wikipedia. Table 1
    has the same with vectors of other corpora, where proper nouns are the weakest. Our vectors
    come from novels, read sentences and image captions, so they correspond to the second row.
    Bulgarian vectors are not here. If no word of a class is found, the bootstrap gives an interval
    from 0 to 0, which is too narrow."""
    claim = "without texts on the same subjects, proper nouns are found less often than nouns"
    return Section(
        page(
            "## Figure 1 and Table 1: precision by part of speech",
            paragraph(text),
            figure(
                CHART,
                "Precision of RCSLS by part of speech",
                table(["", *(TITLES[kind] for kind in COMPOSITION)], rows),
            ),
        ).strip(),
        (
            Conclusion(
                "Figure 1, our vectors", "verbs are found less often than nouns", joined(statuses)
            ),
            Conclusion(
                "Figure 1, five languages",
                "precision by part of speech",
                NOT_AVAILABLE,
                "vectors of Wikipedia, and of Danish, Bulgarian, Arabic and Hindi, are not here",
            ),
            Conclusion("Table 1, our vectors (de-en)", claim, _lower(german, "n", "pn")),
        ),
        (
            "misword map vectors/de.vec.gz vectors/en.vec.gz --method rcsls "
            "--lexicon bli/de-en.0-5000.txt -o de-en.map",
            "misword evaluate de-en.map bli/lost-in-evaluation/de-en.5000-6500.n.txt "
            "--k 1 --retriever csls",
        ),
        {CHART: _chart()},
    )


def _chart() -> str:
    """Return the bars of Figure 1: our vectors with intervals, and the paper's Table 1."""
    series: dict[str, list[Bar | None]] = {}
    for pair in WITH_VECTORS:
        found = rates_by_part_of_speech(pair)
        series[f"{pair}, our vectors"] = [
            Bar(*(100 * found[kind][name] for name in ("rate", "low", "high")))
            for kind in COMPOSITION
        ]
    for corpora, cells in TABLE_1.items():
        series[f"de-en, paper, {corpora}"] = [Bar(cells[kind]) for kind in COMPOSITION]
    groups = [TITLES[kind] for kind in COMPOSITION]
    return bar_chart("Precision of RCSLS by part of speech", "P@1, %", groups, series, (0, 100))


def _cell(row: Mapping[str, Any]) -> str:
    interval = f"{percent(row['low'], 1)} to {percent(row['high'], 1)}"
    return f"{percent(row['rate'], 1)} ({interval}; {row['whole']})"


def _lower(rates: Mapping[str, Mapping[str, Any]], first: str, second: str) -> str:
    """Return whether the second part of speech has a lower rate than the first."""
    difference = separate_difference(rates[first], rates[second])
    return conclusion(difference.low, difference.high, "lower")


def clean_gold(pair: str) -> Lexicon:
    """Return MUSE's dictionary without the pairs annotated as proper nouns or invalid.

    A pair with several annotations is left out if one of them is such.
    """
    gold, left_out = muse_gold(pair), annotated_gold(pair, "pn", "nw")
    removed = set(zip(left_out.source, left_out.target, strict=True))
    pairs = zip(gold.source, gold.target, strict=True)
    return Lexicon.of([words for words in pairs if words not in removed], f"{pair}, cleaned")
