"""The sections on gold lexicons and parts of speech: Tables 3 and 4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import misword
from misword.io.lexicons import Lexicon, read_lexicon
from studies.common.bilingual import (
    ALL_WORDS,
    mapping_file,
    muse_gold,
    pairs_within,
    training_lexicon,
)
from studies.common.conclusions import NOT_AVAILABLE, Conclusion, Section, conclusion, joined
from studies.common.data import shared
from studies.common.differences import separate_difference
from studies.common.markdown import number, page, paragraph, percent, span, table
from studies.common.tallies import tally
from studies.denisova2023.evaluations import PAIRS, RETRIEVER, SYSTEMS, evaluated, system_name
from studies.denisova2023.parts_of_speech import class_of, tags_of
from studies.denisova2023.published import NO_VECTORS, TABLE_3, TABLE_4, numbers


@cache
def tagged(pair: str) -> Lexicon:
    """Return MUSE's test lexicon with the classes of the English words, as a column `pos`."""
    gold = muse_gold(pair)
    _, tags = tags_of(gold, *pair.split("-"))
    return replace(gold, columns={"pos": tuple(map(class_of, tags))})


def two_lexicons() -> Section:
    """Return the section on Table 3."""
    rows, statuses = [], []
    for pair in PAIRS:
        first = pairs_within(muse_gold(pair), pair, ALL_WORDS)
        second = pairs_within(_unseen(other_gold(pair), pair), pair, ALL_WORDS)
        runs = [evaluated(gold, pair) for gold in (first, second)]
        for system in SYSTEMS:
            found = [
                run.rates.filter(system=system_name(system), metric="recall@10").row(0, named=True)
                for run in runs
            ]
            difference = separate_difference(*found)
            statuses.append(conclusion(difference.low, difference.high, "lower"))
            rows.append(
                [
                    pair,
                    system,
                    *(percent(row["rate"]) for row in found),
                    span(100 * difference.low, 100 * difference.high),
                ]
            )
    sizes = [_described(pair) for pair in PAIRS]
    text = f"""Recall at 10 on two gold lexicons, without words out of the vocabulary, as in the
    paper. No EN-KO vectors are here. The second lexicon is that of Glavaš et al. (2019), without
    headwords of our training lexicon. {" ".join(sizes)} The interval is that of the difference
    between the second and the first; the lexicons have different words, so it is not paired."""
    header = ["", "system", "MUSE", "Glavaš et al.", "95 % interval"]
    paper = [[name, *(number(value) for value in row)] for name, row in numbers(TABLE_3).items()]
    kinds = [
        f"{gold}, {kind}"
        for gold in ("MUSE", "own lexicon")
        for kind in ("FastText", "SketchEngine")
    ]
    claim = "recall is lower on a lexicon without proper nouns than on MUSE's"
    return Section(
        page(
            "## Table 3: two gold lexicons",
            paragraph(text),
            table(header, rows, text_columns=2),
            paragraph(_paper_order()),
            table(["paper, EN-KO", *kinds], paper),
        ).strip(),
        (
            Conclusion("Table 3, our vectors", claim, tally(statuses)),
            Conclusion("Table 3, EN-KO", "recall on both lexicons", NOT_AVAILABLE, NO_VECTORS),
        ),
        (
            "misword evaluate en-de.map bli/xling/en-de/yacle.test.freq.2k.en-de.tsv "
            "--k 10 --retriever nn",
        ),
    )


def other_gold(pair: str) -> Lexicon:
    """Return the test lexicon of Glavaš et al. in lower case."""
    return read_lexicon(shared(f"bli/xling/{pair}/yacle.test.freq.2k.{pair}.tsv"), lower=True)


def _unseen(gold: Lexicon, pair: str) -> Lexicon:
    """Return the pairs whose headwords are not in the training lexicon."""
    seen = set(read_lexicon(training_lexicon(pair)).source)
    pairs = zip(gold.source, gold.target, strict=True)
    return Lexicon.of([words for words in pairs if words[0] not in seen], gold.name)


def _described(pair: str) -> str:
    """Return the sizes of both lexicons and their shares of proper nouns."""
    parts = []
    for name, gold in (
        ("MUSE", muse_gold(pair)),
        ("Glavaš et al.", _unseen(other_gold(pair), pair)),
    ):
        inside = pairs_within(gold, pair, ALL_WORDS)
        audited = misword.audit(inside, *pair.split("-"), flags="proper-noun")
        share = audited.summary()["headword_share"][0]
        parts.append(
            f"{name} {len(inside):,} pairs, {percent(share, 1)} % of headwords proper nouns"
        )
    return f"{pair}: {'; '.join(parts)} (by `misword audit`)."


def _paper_order() -> str:
    """Say what the paper's cells show about the two lexicons."""
    cells = numbers(TABLE_3).values()
    lower = [sum(row[place + 2] < row[place] for row in cells) for place in (0, 1)]
    return f"""In the paper, recall is lower on the own lexicon than on MUSE's in {lower[0]} of
    {len(cells)} systems with FastText and in {lower[1]} with SketchEngine."""


def by_part_of_speech() -> Section:
    """Return the section on Table 4."""
    rows: dict[str, list[str]] = {kind: [kind] for kind in TABLE_4}
    statuses: dict[str, str] = {}
    for pair in PAIRS:
        found = misword.evaluate(
            mapping_file(pair, "VecMap-S"), tagged(pair), k=10, retriever=RETRIEVER, by="pos"
        ).rates
        slices = {
            metric: {
                row["value"]: row for row in found.filter(column="pos", metric=metric).to_dicts()
            }
            for metric in ("recall@10", "hit@10")
        }
        for kind, cells in rows.items():
            cells += _slice_cells(slices["recall@10"].get(kind), slices["hit@10"].get(kind))
        for metric, of_kinds in slices.items():
            difference = separate_difference(of_kinds["nouns"], of_kinds["verbs"])
            statuses[f"{pair} {metric}"] = conclusion(difference.low, difference.high, "lower")
    header = [
        "",
        *(
            cell
            for pair in PAIRS
            for cell in (f"{pair}, recall", "95 % interval", "pairs", "hit@10")
        ),
    ]
    text = """Recall at 10 of VecMap-S by the part of speech of the English word (spaCy), in
    percent. Words without a vector count as not found, as in the paper. `hit@10` is over the
    headwords of which a gold translation can be found: here words without a vector do not
    count."""
    kinds = [
        f"{pair}, {kind}"
        for pair in ("ET-SK", "CZ-SK", "EN-KO")
        for kind in ("FastText", "SketchEngine")
    ]
    paper = [[kind, *(number(value) for value in cells)] for kind, cells in TABLE_4.items()]
    return Section(
        page(
            "## Table 4: recall by part of speech",
            paragraph(text),
            table(header, list(rows.values())),
            paragraph(_paper_verbs()),
            table(["paper", *kinds], paper),
        ).strip(),
        (
            Conclusion(
                "Table 4, our vectors", "verbs are found less often than nouns", joined(statuses)
            ),
            Conclusion(
                "Table 4, ET-SK, CZ-SK, EN-KO",
                "recall by part of speech",
                NOT_AVAILABLE,
                NO_VECTORS,
            ),
        ),
        (
            "misword evaluate en-de.map bli/en-de.5000-6500.txt --k 10 --retriever nn "
            "--by pos --source-lang en",
        ),
    )


def _slice_cells(recall: dict[str, float] | None, hits: dict[str, float] | None) -> Sequence[str]:
    """Return the cells of one class: recall, its interval, pairs, hit rate."""
    if recall is None or hits is None:
        return ["", "", "0", ""]
    interval = f"{percent(recall['low'])} to {percent(recall['high'])}"
    hit_rate = percent(hits["rate"]) if hits["whole"] else ""
    return [percent(recall["rate"]), interval, f"{recall['whole']:,}", hit_rate]


def _paper_verbs() -> str:
    """Compare the text of the paper on verbs with its cells."""
    below = sum(verb < noun for verb, noun in zip(TABLE_4["verbs"], TABLE_4["nouns"], strict=True))
    weakest = sum(
        verb == min(values)
        for verb, values in zip(TABLE_4["verbs"], zip(*TABLE_4.values(), strict=True), strict=True)
    )
    return f"""The text of the paper calls the results for verbs low in all languages. By its
    cells, verbs are below nouns in {below} of 6 columns and the weakest class in {weakest}; for
    ET-SK they are above nouns with both vectors."""
