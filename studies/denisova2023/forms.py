"""The sections on inflected forms (Table 2) and on the number of candidates (Tables 5 and 6)."""

from __future__ import annotations

from itertools import product

from misword.bli.options import LemmaRule
from studies.common.bilingual import recall_change
from studies.common.conclusions import INCONCLUSIVE, SHOWS, Conclusion, Section, conclusion
from studies.common.markdown import page, paragraph, percent, signed, span, table
from studies.common.tallies import tally
from studies.denisova2023.evaluations import PAIRS, SYSTEMS, evaluation, rate, system_name
from studies.denisova2023.published import K_VALUES, TABLE_2, numbers

RULES: tuple[LemmaRule, ...] = ("candidate", "both")


def lemmatised() -> Section:
    """Return the section on Table 2."""
    rows = []
    statuses: dict[LemmaRule, list[str]] = {rule: [] for rule in RULES}
    for pair, system in product(PAIRS, SYSTEMS):
        cells = [pair, system, percent(rate(evaluation(pair), system, "recall@10"))]
        for rule in RULES:
            lemmas = evaluation(pair, lemma_rule=rule)
            change = recall_change(evaluation(pair), lemmas, system_name(system))
            statuses[rule].append(conclusion(change.low, change.high, "higher"))
            cells += [percent(change.rate), span(100 * change.low, 100 * change.high)]
        rows.append(cells)
    text = """Recall at 10 as it is and by lemmas, with the interval of the difference. With the
    first rule (`misword evaluate --lemmas de`) a candidate is also correct if its lemma is a gold
    translation as it is written: this is the paper's rule. With the second (`--lemma-rule both`)
    the lemmas of the candidate and of the gold translation are compared, since gold translations
    are inflected forms, too. Candidates with the same lemma count once."""
    header = ["", "system", "as it is", "lemma of the candidate", "gain", "lemmas of both", "gain"]
    paper = [
        [
            system,
            *(
                f"{before:.2f} → {after:.2f}"
                for before, after in zip(row[::2], row[1::2], strict=True)
            ),
        ]
        for system, row in numbers(TABLE_2).items()
    ]
    kinds = ("FastText", "SketchEngine")
    paper_header = ["paper", *(f"{pair}, {kind}" for kind in kinds for pair in ("ET-SK", "CZ-SK"))]
    return Section(
        page(
            "## Table 2: inflected forms",
            paragraph(text),
            table(header, rows, text_columns=2),
            paragraph(_paper_gains()),
            table(paper_header, paper),
        ).strip(),
        (
            Conclusion(
                "Table 2, our vectors",
                "recall grows if candidates are lemmatised",
                tally(statuses["candidate"]),
            ),
            Conclusion(
                "Table 2, our vectors",
                "the same, with lemmas of both sides",
                tally(statuses["both"]),
            ),
        ),
        (
            "misword evaluate en-de.map bli/en-de.5000-6500.txt --k 10 --retriever nn "
            "--lemmas de --lemma-rule both",
        ),
    )


def _paper_gains() -> str:
    """Compare the text of the paper on Table 2 with its cells."""
    gains = [
        after - before
        for row in numbers(TABLE_2).values()
        for before, after in zip(row[::2], row[1::2], strict=True)
    ]
    below = sum(gain < 1 for gain in gains)
    return f"""The paper says that recall grows by about 1 to 7 points. By its cells the gains are
    {signed(min(gains))} to {signed(max(gains))} points; {below} of {len(gains)} are below 1."""


def candidates() -> Section:
    """Return the section on precision and recall at 1, 5 and 10."""
    blocks, falling = [], []
    for pair in PAIRS:
        rows = []
        for system in SYSTEMS:
            values = {
                (kind, k): rate(evaluation(pair), system, f"{kind}@{k}")
                for k in K_VALUES
                for kind in ("precision", "recall")
            }
            cells = [
                f"{percent(values['precision', k])}/{percent(values['recall', k])}"
                for k in K_VALUES
            ]
            rows.append([system, *cells])
            falling += [_opposed(values, first, second) for first, second in ((1, 5), (5, 10))]
        blocks.append(table([pair, *(f"at {k}" for k in K_VALUES)], rows))
    text = """Precision and recall in percent, rounded. The paper concludes that precision falls
    and recall grows with the number of candidates. Recall cannot fall, by its definition;
    precision could grow."""
    return Section(
        page(
            "## Tables 5 and 6: precision and recall on our vectors", paragraph(text), *blocks
        ).strip(),
        (
            Conclusion(
                "Tables 5 and 6, our vectors",
                "precision falls and recall grows with k",
                tally(falling),
            ),
        ),
        ("misword evaluate en-de.map bli/en-de.5000-6500.txt --k 1,5,10 --retriever nn",),
    )


def _opposed(values: dict[tuple[str, int], float], first: int, second: int) -> str:
    """Return whether precision falls and recall grows from one number of candidates to the next."""
    falls = values["precision", second] < values["precision", first]
    grows = values["recall", second] > values["recall", first]
    return SHOWS if falls and grows else INCONCLUSIVE
