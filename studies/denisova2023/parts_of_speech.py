"""The section on the parts of speech of the gold lexicons: Figures 5 to 8."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

import misword
from misword.bli.audit import parts_of_speech
from misword.bli.auditing.result import Audit
from misword.bli.evaluation.rates import quotient
from misword.bli.word_analysis import tags_of_words
from misword.core.types import Statistics
from misword.io.lexicons import Lexicon, read_lexicon
from misword.stat.bootstrap import Bootstrap, interval
from misword.text.analyzers import analyzer_for
from studies.common.bilingual import muse_gold
from studies.common.charts import Bar, bar_chart, figure
from studies.common.conclusions import NOT_AVAILABLE, Conclusion, Section, conclusion
from studies.common.data import shared
from studies.common.differences import separate_difference
from studies.common.markdown import page, paragraph, percent, table
from studies.common.resampled import estimate
from studies.denisova2023.published import TABLE_4
from studies.denisova2023.vocabulary import CZECH, ESTONIAN

KOREAN = "bli/lexicographic/EN_KO_EVAL/EN-KO_EVAL_DF.csv"
CZECH_TAGGER = "spacy:model=cs_core_news_sm"
CHART = "denisova2023-figures-5-to-8.svg"
# The figure of each lexicon.
FIGURES = {"ET-SK": "Figure 5", "CZ-SK": "Figure 6", "MUSE en-de": "Figure 7", "EN-KO": "Figure 8"}
# The classes of the paper, by universal tags and by those of EstNLTK.
CLASSES = {
    "NOUN": "nouns",
    "S": "nouns",
    "ADJ": "adjectives",
    "A": "adjectives",
    "VERB": "verbs",
    "V": "verbs",
    "AUX": "verbs",
    "ADV": "adverbs",
    "D": "adverbs",
    "NUM": "numerals",
    "N": "numerals",
    "O": "numerals",
    "PRON": "pronouns, proper nouns",
    "P": "pronouns, proper nouns",
    "PROPN": "pronouns, proper nouns",
    "H": "pronouns, proper nouns",
}


def class_of(tag: str) -> str:
    """Return the class of the paper that a tag belongs to.

    >>> class_of("PROPN"), class_of("ADP")
    ('pronouns, proper nouns', 'others')
    """
    return CLASSES.get(tag, "others")


def tags_of(gold: Lexicon, source_lang: str, target_lang: str) -> tuple[str, list[str]]:
    """Return where the parts of speech of a lexicon come from, and that of each pair."""
    if source_lang == "cs":
        tagger = analyzer_for("cs", "tag", CZECH_TAGGER)
        return f"{CZECH_TAGGER}", tags_of_words(tagger, gold.source, "X")
    audited = misword.audit(gold, source_lang, target_lang, flags="identical")
    return parts_of_speech(audited.lexicon, None)


def shares() -> Section:
    """Return the section on Figures 5 to 8."""
    lexicons = {
        "ET-SK": (read_lexicon(shared(ESTONIAN)), "et", "sk"),
        "CZ-SK": (read_lexicon(shared(CZECH)), "cs", "sk"),
        "MUSE en-de": (muse_gold("en-de"), "en", "de"),
        "EN-KO": (read_lexicon(shared(KOREAN)), "en", "ko"),
    }
    tagged = {name: tags_of(*lexicon) for name, lexicon in lexicons.items()}
    columns = {name: Counter(map(class_of, tags)) for name, (_, tags) in tagged.items()}
    rows = [
        [kind, *(percent(counts[kind] / counts.total(), 1) for counts in columns.values())]
        for kind in TABLE_4
    ]
    origins = "; ".join(f"{name}: {origin}" for name, (origin, _) in tagged.items())
    text = f"""Shares of pairs in percent. The figures are drawings without numbers, so there are
    no cells to compare. Figure 7 is MUSE's EN-KO lexicon, which is not here; MUSE's English-German
    lexicon stands for it. Parts of speech of single words, without a sentence, are uncertain, as
    the paper says. They come from: {origins}."""
    names = {
        name: misword.audit(*lexicons[name], flags="proper-noun")
        for name in ("MUSE en-de", "EN-KO")
    }
    numbers = table(["", *(f"{FIGURES[name]}: {name}" for name in columns)], rows)
    return Section(
        page(
            "## Figures 5 to 8: parts of speech",
            paragraph(text),
            figure(CHART, "Parts of speech of four lexicons", numbers),
            paragraph(_names_text(names)),
        ).strip(),
        (
            *(
                Conclusion(FIGURES[name], "nouns are the largest class", _nouns_first(counts))
                for name, counts in columns.items()
            ),
            Conclusion(
                "Figures 7 and 8",
                "the own EN-KO lexicon has fewer proper nouns than MUSE's",
                _fewer_names(*names.values()),
            ),
            Conclusion("Figure 7, EN-KO", "parts of speech of MUSE's EN-KO", NOT_AVAILABLE,
                       "MUSE's EN-KO lexicon is not here; MUSE's en-de stands for it"),
        ),
        ("misword audit bli/en-de.5000-6500.txt --source-lang en --target-lang de",),
        {CHART: _chart(columns)},
    )  # fmt: skip


def _names_text(names: Mapping[str, Audit]) -> str:
    """Return the numbers of pairs of proper nouns by `misword audit`."""
    found = "; ".join(
        f"{name} {one.has_flag('proper-noun').sum()} ({percent(_share_of_names(one)['rate'], 1)} %)"
        for name, one in names.items()
    )
    return f"""Taggers take many common nouns without a sentence for proper nouns. Pairs of
    proper nouns by `misword audit`: {found}. The paper says that MUSE's lexicon has many and that
    its own EN-KO lexicon was made without them."""


def _chart(columns: Mapping[str, Counter[str]]) -> str:
    series = {
        f"{FIGURES[name]}: {name}": [Bar(100 * counts[kind] / counts.total()) for kind in TABLE_4]
        for name, counts in columns.items()
    }
    return bar_chart("Parts of speech of the gold lexicons", "% of pairs", list(TABLE_4), series,
                     (0, 70))  # fmt: skip


def _nouns_first(counts: Counter[str]) -> str:
    """Return whether there are more nouns than pairs of the next class, by a bootstrap."""
    other = max((kind for kind in counts if kind != "nouns"), key=lambda kind: counts[kind])
    kinds = np.array(list(counts.elements()))
    terms = np.column_stack([kinds == "nouns", kinds == other, kinds != ""]).astype(np.int64)

    def difference(sums: Statistics) -> Statistics:
        return np.asarray((sums[..., 0] - sums[..., 1]) / sums[..., 2])

    found = estimate(terms, difference)
    return conclusion(found.low, found.high, "higher")


def _fewer_names(first: Audit, second: Audit) -> str:
    """Return whether the second lexicon has a smaller share of proper nouns."""
    difference = separate_difference(*map(_share_of_names, (first, second)))
    return conclusion(difference.low, difference.high, "lower")


def _share_of_names(audited: Audit) -> dict[str, float]:
    """Return the share of pairs that are proper nouns, with its interval."""
    names = audited.has_flag("proper-noun")
    terms = np.column_stack([names, np.ones_like(names)]).astype(np.int64)
    low, high = interval(terms, quotient, Bootstrap())
    return {"rate": float(names.mean()), "low": low, "high": high}
