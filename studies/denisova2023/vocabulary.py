"""The sections on the vocabulary: Figures 1 to 4 and Table 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

import misword
from misword.bli.mapping import open_vectors
from misword.io.lexicons import Lexicon, read_lexicon
from studies.common.bilingual import ALL_WORDS, muse_gold, pairs_within, recall_change, vectors
from studies.common.charts import Point, figure, line_chart
from studies.common.conclusions import NOT_AVAILABLE, Conclusion, Section, compared, conclusion
from studies.common.data import shared
from studies.common.markdown import number, page, paragraph, percent, signed, span, table
from studies.common.tallies import tally
from studies.denisova2023.evaluations import (
    FEW_WORDS,
    PAIRS,
    SYSTEMS,
    evaluated,
    evaluation,
    rate,
    system_name,
)
from studies.denisova2023.published import NO_VECTORS, TABLE_1, UNKNOWN, numbers

WORD = "bone"
CZECH = "bli/lexicographic/CS_SK_EVAL+TRAIN/CS-SK_eval_DF.csv"
ESTONIAN = "bli/lexicographic/ET_SK_EVAL+TRAIN/ET-SK_EVAL_DF.csv"
# Words that the paper names as out of the vocabulary of FastText or SketchEngine.
NAMED = {
    ESTONIAN: ("aedvili", "ellu jääma", "mürgitama", "enne kui", "buteen", "uusik"),
    CZECH: ("cákly", "mlsný", "slušet", "onemocnět"),
}
CHART = "denisova2023-figure-4.svg"
RARE = "words without a vector are rare"
FREQUENCIES = {ESTONIAN: "word_freqs_EstNC", CZECH: "word_freqs_CsTenTen17"}


def neighbours() -> Section:
    """Return the section on Figures 1 and 2."""
    rows = []
    for words in (FEW_WORDS, ALL_WORDS):
        found = open_vectors(vectors("en"), words).neighbors(WORD, 10)
        rows.append([f"{words:,}", ", ".join(word for word, _ in found)])
    text = f"""The figures show the words nearest to *{WORD}* among the first 10,000 and among all
    words of SketchEngine's vectors: rare words make the list worse. The same search in our English
    vectors, which have {ALL_WORDS:,} words:"""
    return Section(
        page(
            f"## Figures 1 and 2: words near *{WORD}*",
            paragraph(text),
            table(["words", "nearest words"], rows, text_columns=2),
        ).strip(),
        (Conclusion("Figures 1 and 2", "the same words", NOT_AVAILABLE, NO_VECTORS),),
        (
            f"misword vectors neighbors vectors/en.vec.gz {WORD} --max-words {FEW_WORDS}",
            f"misword vectors neighbors vectors/en.vec.gz {WORD}",
        ),
    )


def words_loaded() -> Section:
    """Return the section on Table 1."""
    rows, statuses = [], {}
    for system in SYSTEMS:
        cells = [system]
        for pair in PAIRS:
            few, many = evaluation(pair, FEW_WORDS), evaluation(pair)
            change = recall_change(few, many, system_name(system))
            statuses[f"{pair} {system}"] = conclusion(change.low, change.high, "higher")
            cells += [
                percent(rate(few, system, "recall@10")),
                percent(rate(many, system, "recall@10")),
            ]
            cells += [span(100 * change.low, 100 * change.high)]
        rows.append(cells)
    text = f"""Recall at 10, in percent. Our vectors have {ALL_WORDS:,} words, so {FEW_WORDS:,} and
    {ALL_WORDS:,} words stand for the paper's 50,000 and 300,000 to 400,000. Each mapping was
    learnt from the words that it loads. The third column of a pair is the 95 % interval of the
    difference (paired bootstrap over headwords)."""
    header = [
        "",
        *(
            f"{pair}, {words}"
            for pair in PAIRS
            for words in (f"{FEW_WORDS:,}", f"{ALL_WORDS:,}", "gain")
        ),
    ]
    frequent, decrease = _frequent_words()
    return Section(
        page(
            "## Table 1: the number of words loaded",
            paragraph(text),
            table(header, rows),
            paragraph(_paper_gains()),
            _paper_table(),
            frequent,
        ).strip(),
        (
            Conclusion(
                "Table 1, our vectors",
                "recall grows with the number of words loaded",
                tally(statuses.values()),
            ),
            decrease,
        ),
        (
            "misword map vectors/en.vec.gz vectors/de.vec.gz --method vecmap-s "
            f"--lexicon bli/en-de.0-5000.txt --max-words {FEW_WORDS} -o en-de.map",
            "misword evaluate en-de.map bli/en-de.5000-6500.txt --k 10 --retriever nn",
        ),
    )


def _paper_table() -> str:
    header = [
        "paper",
        *(f"{pair}, {kind}" for kind in TABLE_1 for pair in ("ET-SK", "CZ-SK", "EN-KO")),
    ]
    rows = []
    for system in numbers(TABLE_1["FastText"]):
        cells = [system]
        for kind in TABLE_1:
            row = numbers(TABLE_1[kind])[system]
            cells += [f"{few:.2f} → {many:.2f}" for few, many in zip(row[:3], row[3:], strict=True)]
        rows.append(cells)
    return table(header, rows)


def _paper_gains() -> str:
    """Compare the text of the paper on Table 1 with its cells."""
    gains: dict[str, list[float]] = {"ET-SK": [], "CZ-SK": [], "EN-KO": []}
    korean_fasttext = []
    for kind, text in TABLE_1.items():
        for row in numbers(text).values():
            for place, pair in enumerate(gains):
                gains[pair].append(row[place + 3] - row[place])
            if kind == "FastText":
                korean_fasttext.append(row[5] - row[2])
    ranges = ", ".join(
        f"{signed(min(g))} to {signed(max(g))} for {pair}" for pair, g in gains.items()
    )
    both = gains["ET-SK"] + gains["CZ-SK"]
    inside = sum(10 <= gain <= 20 for gain in both)
    fewer = sum(gain < 0 for gain in korean_fasttext)
    return f"""The paper says that each model gains 10 to 20 points for ET-SK and CZ-SK. By its own
    cells the gains are {ranges}; {inside} of the {len(both)} gains of ET-SK and CZ-SK are between
    10 and 20. Recall of EN-KO with FastText falls in {fewer} of {len(korean_fasttext)} systems, as
    the text says ("in most cases")."""


def _frequent_words() -> tuple[str, Conclusion]:
    """Test whether recall of frequent words falls when more words are loaded."""
    rows, statuses = [], {}
    for pair in PAIRS:
        gold = pairs_within(muse_gold(pair), pair, FEW_WORDS)
        few, many = evaluated(gold, pair, FEW_WORDS), evaluated(gold, pair)
        for system in SYSTEMS:
            change = recall_change(few, many, system_name(system))
            statuses[f"{pair} {system}"] = conclusion(change.low, change.high, "lower")
            rows.append(
                [
                    pair,
                    system,
                    f"{len(gold):,}",
                    percent(change.baseline_rate),
                    percent(change.rate),
                    span(100 * change.low, 100 * change.high),
                ]
            )
    text = f"""All words of the EN-KO lexicon are among the first 50,000; for them more words are
    only more wrong candidates. The same on our vectors, with the gold pairs of which both words
    are among the first {FEW_WORDS:,}:"""
    header = [
        "",
        "system",
        "pairs",
        f"{FEW_WORDS:,} words",
        f"{ALL_WORDS:,} words",
        "95 % interval",
    ]
    claim = "recall of words that were loaded before falls if more words are loaded"
    return (
        page(paragraph(text), table(header, rows, text_columns=2)).strip(),
        Conclusion("Table 1 (EN-KO), our vectors", claim, tally(statuses.values())),
    )


def unknown_words() -> Section:
    """Return the section on Figures 3 and 4."""
    gold = read_lexicon(shared(CZECH))
    known = set(open_vectors(vectors("cs"), ALL_WORDS).words)
    frequency = headword_frequencies(gold, FREQUENCIES[CZECH])
    counted = {word: n for word, n in frequency.items() if n is not None}
    inside = [n for word, n in counted.items() if word in known]
    outside = [n for word, n in counted.items() if word not in known]
    rows = [_quantiles("with a vector", inside), _quantiles("without", outside)]
    occurrences = table(
        ["headwords", "number", "lowest", "quarter", "median", "three quarters", "highest"], rows
    )
    text = f"""The figures show how frequent the headwords without a vector are. The paper's
    vectors are not here. Of the {len(counted):,} Czech headwords with a number of occurrences,
    {len(outside)} are not among the {ALL_WORDS:,} words of our Czech vectors, which were trained
    on ten million words. Occurrences of headwords in csTenTen17, by the column of the released
    file:"""
    named = [row for file, words in NAMED.items() for row in _named_words(file, words)]
    second = """The words that the paper names as out of the vocabulary, and their occurrences by
    the released files (Estonian: Estonian National Corpus 2017). The files have other words than
    the lexicons of the tables, see above."""
    return Section(
        page(
            "## Figures 3 and 4: frequency of words without a vector",
            paragraph(text),
            figure(CHART, "Occurrences of Czech headwords with and without a vector"),
            occurrences,
            paragraph(second),
            table(["word", "in the released file", "occurrences"], named, text_columns=2),
        ).strip(),
        (
            Conclusion("Figures 3 and 4, paper's vectors", RARE, NOT_AVAILABLE, NO_VECTORS),
            Conclusion("Figure 4, our Czech vectors", RARE, _rarer(inside, outside)),
            Conclusion(
                "Figure 4, our Czech vectors",
                f"{UNKNOWN[5]['CZ-SK']} headwords have no vector",
                compared([len(outside)], [UNKNOWN[5]["CZ-SK"]], 0),
                f"{len(outside)} of {len(counted):,} with our vectors, which have far fewer words",
            ),
        ),
        (
            f"misword audit {CZECH} --source-lang cs --target-lang sk "
            "--source-vectors vectors/cs.vec.gz",
        ),
        {CHART: _chart({"with a vector": inside, "without": outside})},
    )


def _chart(occurrences: Mapping[str, Sequence[float]]) -> str:
    """Return how many headwords have at most so many occurrences, with and without a vector."""
    shares = [share / 100 for share in range(5, 100, 10)]
    series = {
        name: [
            Point(float(n), 100 * share)
            for share, n in zip(shares, np.quantile(values, shares), strict=True)
        ]
        for name, values in occurrences.items()
    }
    title = "Czech headwords with and without a vector"
    labels = ("occurrences in csTenTen17", "% of headwords, with at most so many")
    return line_chart(title, labels, series, (0.0, 100.0), log=True)


def headword_frequencies(gold: Lexicon, column: str) -> dict[str, float | None]:
    """Return the occurrences of each headword; None if the file has no number (`-`)."""
    values = zip(gold.source, gold.columns[column], strict=True)
    return {word: None if value in ("", "-") else float(value) for word, value in values}


def _quantiles(name: str, values: Sequence[float]) -> list[str]:
    found = np.quantile(values, [0, 0.25, 0.5, 0.75, 1])
    return [name, f"{len(values):,}", *(f"{value:,.0f}" for value in found)]


def _rarer(inside: Sequence[float], outside: Sequence[float], draws: int = 1000) -> str:
    """Return whether the median frequency of unknown words is lower, by a bootstrap."""
    rng = np.random.default_rng(0)
    medians = [
        np.median(rng.choice(outside, len(outside))) - np.median(rng.choice(inside, len(inside)))
        for _ in range(draws)
    ]
    low, high = np.quantile(medians, [0.025, 0.975])
    return conclusion(float(low), float(high), "lower")


def _named_words(file: str, words: Iterable[str]) -> Iterable[list[str]]:
    frequency = headword_frequencies(read_lexicon(shared(file)), FREQUENCIES[file])
    for word in words:
        yield [f"*{word}*", "yes" if word in frequency else "no", number(frequency.get(word), 0)]


def released_lexicons() -> Section:
    """Return the section on the files that the authors released."""
    rows = []
    for name, languages, file, train in (
        ("ET-SK", ("et", "sk"), ESTONIAN, "ET_SK_EVAL+TRAIN/et-sk.0-5000.txt"),
        ("CZ-SK", ("cs", "sk"), CZECH, "CS_SK_EVAL+TRAIN/cs-sk.0-5000.txt"),
        ("EN-KO, Table 3", ("en", "ko"), "bli/lexicographic/EN_KO_EVAL/EN-KO_EVAL_DF.csv", None),
    ):
        gold = read_lexicon(shared(file))
        counts = {} if train is None else _leaks(gold, languages, f"bli/lexicographic/{train}")
        leaks = [f"{counts[kind]:,}" if counts else "" for kind in ("pairs", "headwords")]
        rows.append([name, f"{len(gold):,}", f"{len(gold.headwords):,}", *leaks])
    text = """Pairs and headwords of the files that the authors released, and how many of them are
    also in the released training lexicon (`misword audit --train`). The ET-SK file is another
    selection than the lexicon of Tables 5 and 6, which has 1,500 pairs. The paper says that the
    evaluation lexicons differ from the training lexicons; that is not so for the released ET-SK
    files. No training lexicon of EN-KO is here."""
    header = ["", "pairs", "headwords", "pairs in training", "headwords in training"]
    return Section(page("## The released lexicons", paragraph(text), table(header, rows)).strip())


def _leaks(gold: Lexicon, languages: tuple[str, str], train: str) -> dict[str, int]:
    """Return the numbers of pairs and headwords that a training lexicon has, too."""
    found = misword.audit(gold, *languages, flags="training-pair", training=shared(train))
    return dict(found.leaks.select("shared", "count").iter_rows())
