"""The sections on right answers that count as errors: Section 4 and Table 2 of the paper."""

from __future__ import annotations

from collections.abc import Sequence

import misword
from misword.bli.auditing.false_positives import Margin
from misword.io.paradigms import Paradigms, read_paradigms
from studies.common.bilingual import annotated_gold
from studies.common.conclusions import (
    DIFFERS,
    NOT_AVAILABLE,
    REPRODUCED,
    Conclusion,
    Section,
    compared,
)
from studies.common.data import shared
from studies.common.markdown import number, page, paragraph, percent, table
from studies.kementchedjhieva2019 import published
from studies.kementchedjhieva2019.published import TABLE_2, TITLES, Example
from studies.kementchedjhieva2019.ranking import audited


def margin() -> Section:
    """Return the section on the arithmetic of the margin."""
    found = Margin(
        "RCSLS",
        "VecMap-S",
        published.DICTIONARY_SIZE,
        published.FIRST_ONLY,
        published.SECOND_ONLY,
        published.WRONG / 100 * published.FIRST_ONLY,
        published.SECOND_ONLY_WRONG / 100 * published.SECOND_ONLY,
    )
    before, after = 100 * found.before, 100 * found.after
    parts = published.OTHER_FORM + published.MISSING + published.WRONG
    text = f"""{found.arithmetic}. The paper prints {published.PRINTED_MARGIN} % and
    {published.PRINTED_CORRECTED} %, in the text and in the abstract: the second is a slip. The
    three kinds of the {published.FIRST_ONLY} words add up to {parts} %. The conclusion of the
    paper, that most of the margin comes from gaps, holds with {number(after)} % too. This is the
    calculation of `misword audit --judge`."""
    printed = f"{published.PRINTED_MARGIN} % becomes {published.PRINTED_CORRECTED} %"
    claim = f"the margin of {printed} after verification (it is {number(after)} %)"
    statuses = [
        compared([before], [published.PRINTED_MARGIN], 0.005),
        compared([after], [published.PRINTED_CORRECTED], 0.05),
    ]
    status = REPRODUCED if set(statuses) == {REPRODUCED} else DIFFERS
    return Section(
        page("## Section 4: the margin between RCSLS and VecMap-S", paragraph(text)).strip(),
        (Conclusion("Section 4, printed numbers", claim, status),),
    )


def examples() -> Section:
    """Return the section on Table 2."""
    gold = annotated_gold("en-bg", *TITLES)
    targets = {word: {gold.target[n] for n in places} for word, places in gold.headwords.items()}
    paradigms = read_paradigms(shared("unimorph/bul.tsv"))
    rows = [
        _example_row(example, targets.get(example.source, set()), paradigms) for example in TABLE_2
    ]
    agreeing = sum(set(example.targets) == targets.get(example.source) for example in TABLE_2)
    text = """Bulgarian vectors are not here, so the answers cannot be computed. What can be
    checked is the gold dictionary, and whether UniMorph has the answer that counted as an error in
    the paradigm of a gold translation: then `misword audit` finds the gap without a person."""
    header = [
        "",
        "source",
        "gold as printed",
        "in the published files",
        "counted as an error",
        "UniMorph: a form of",
        "the paper says",
    ]
    return Section(
        page(
            "## Table 2: examples, English to Bulgarian",
            paragraph(text),
            table(header, rows, text_columns=7),
            paragraph(_explained(rows)),
            paragraph(_missing_forms(paradigms)),
        ).strip(),
        (
            Conclusion(
                "Table 2, their files",
                f"gold translations (the same in {agreeing} of {len(TABLE_2)} examples)",
                REPRODUCED if agreeing == len(TABLE_2) else DIFFERS,
                "the published files have further translations",
            ),
            Conclusion(
                "Table 2, answers",
                "answers of RCSLS and VecMap-S",
                NOT_AVAILABLE,
                "Bulgarian vectors are not here",
            ),
            Conclusion("Table 5", "further examples", NOT_AVAILABLE, published.NO_APPENDIX),
        ),
        (
            "misword audit bli/lost-in-evaluation/en-bg.5000-6500.n.txt --source-lang en "
            "--target-lang bg --flags missing-form --paradigms unimorph/bul.tsv",
        ),
    )


def _explained(rows: Sequence[Sequence[str]]) -> str:
    """Say how many of the wrong answers UniMorph explains, and which are in the gold dictionary."""
    wrong = [row for row in rows if row[4]]
    known = [row for row in wrong if row[5]]
    in_gold = ", ".join(row[1] for row in rows if not row[4]) or "none"
    return f"""UniMorph has the answer as a form of a gold translation in {len(known)} of these
    {len(wrong)} examples; the paper also found that its coverage is small. Examples whose answer
    is in the published gold files, though the paper calls it missing: {in_gold}."""


def _example_row(example: Example, targets: set[str], paradigms: Paradigms) -> list[str]:
    errors = [
        answer for answer in dict.fromkeys((example.rcsls, example.vecmap)) if answer not in targets
    ]
    forms = {
        target: answer
        for answer in errors
        for target in sorted(targets)
        if paradigms.share_lemma(answer, target)
    }
    return [
        example.letter,
        example.source,
        ", ".join(example.targets),
        ", ".join(sorted(targets)) or "not there",
        ", ".join(errors),
        ", ".join(forms),
        example.description,
    ]


def _missing_forms(paradigms: Paradigms) -> str:
    """Count the gold translations with forms that the dictionary does not have."""
    gold = annotated_gold("en-bg", "n", "v", "a", "o")
    found = misword.audit(gold, "en", "bg", flags="missing-form", paradigms=paradigms)
    row = found.summary().row(0, named=True)
    return f"""In the whole English-Bulgarian dictionary without proper nouns, {row["pairs"]:,} of
    {len(gold):,} pairs ({percent(row["share"], 1)} %) have a translation with further forms in
    UniMorph that the dictionary does not have."""


def errors() -> Section:
    """Return the section on the errors of RCSLS and VecMap-S with our vectors."""
    found = audited().systems
    assert found is not None
    margin = found.margins[0]
    deciding = [row for row in found.doubtful if row.decides]
    sources = {
        "another form (same lemma)": [row for row in deciding if _has(row.evidence, "same ")],
        "in another dictionary": [row for row in deciding if _has(row.evidence, "in yacle")],
        "translated back to the same word": [
            row for row in deciding if _has(row.evidence, "translated back")
        ],
        "no other source": [row for row in deciding if not row.evidence],
    }
    rows = [
        [
            name,
            ", ".join(f"{row.source}: {row.candidate} (gold: {row.gold[0]})" for row in some[:3]),
            str(len(some)),
            percent(len(some) / len(deciding), 1),
        ]
        for name, some in sources.items()
    ]
    calculation = margin.arithmetic.partition(";")[0]
    text = f"""On MUSE's English-German dictionary with our vectors, {margin.first} is right and
    {margin.second} wrong for {margin.wins} words, and the reverse for {margin.losses} words:
    {calculation}. `misword audit --predictions --judge` lists the {len(deciding)} wrong answers
    that decide this margin, with the sources that hold them for right; a person then decides. No
    person judged them here. An answer can have several sources."""
    return Section(
        page(
            "## Section 4 with our vectors: errors that may be right",
            paragraph(text),
            table(["another source", "examples", "answers", "%"], rows, text_columns=2),
        ).strip()
    )


def _has(evidence: tuple[str, ...], text: str) -> bool:
    return any(text in one for one in evidence)
