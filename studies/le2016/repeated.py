"""The sections on the same speech with a recogniser of today: Tables 6 and 8 to 10."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

import misword
from misword.asr.nbest.tune import Tuning
from studies.common.conclusions import Conclusion, Section, conclusion, fact, joined
from studies.common.markdown import number, p_value, page, paragraph, percent, signed, span, table
from studies.le2016 import published
from studies.le2016.lists import WhisperLists, word_normalizers
from studies.le2016.published import TITLES
from studies.le2016.translated import CHANGES

SCORES = (*published.SCORES, "chrf")
HERE = "whisper"
HALF = 0.5
GAIN = "the choice by WER has better translations than rank 1"
CLAIM = "the choice by WER-E has better translations than that by WER"


def sections(lists: WhisperLists) -> Iterator[Section]:
    """Yield the sections."""
    yield Section(
        page("## The same speech, recognised by Whisper", paragraph(about(lists))).strip()
    )
    yield oracles(lists)
    yield oracle_translations(lists)
    tuned = {metric: lists.tuned(metric) for metric in published.METRICS}
    yield tuning(lists, tuned)
    yield tuned_translations(lists, tuned)


def about(lists: WhisperLists) -> str:
    """Return a paragraph on the data."""
    corpus = lists.corpus
    utterances, speakers = len(corpus.references), corpus.references["speaker"].n_unique()
    first = lists.oracle.scores.table.filter(rank=1)
    unpriced = int(first["wer-e.unpriced"].sum()) / int(first["wer-e.substitutions"].sum())
    return f"""{utterances} utterances of the development set by {speakers} speakers, with up to
    ten hypotheses each of whisper-base, a log-probability of each hypothesis by gemma-3-270m,
    and a translation of each by opus-mt. Words are divided as in the authors' files: after an
    apostrophe, and at a hyphen; case and punctuation do not count. The word vectors are small
    ones (30,000 words of 100 dimensions): in {percent(unpriced, 0)} % of the substitutions a
    word has no vector, and the substitution costs 1."""


def oracles(lists: WhisperLists) -> Section:
    """Return the section on Table 6."""
    rates = lists.oracle.rates
    rows, ties = [], []
    for metric, cells in published.TABLE_6.items():
        ours = rates.filter(metric=metric)["rate"].to_list()
        both = zip(ours, cells, strict=True)
        rows.append([TITLES[metric], *(f"{percent(rate)} ({cell:.2f})" for rate, cell in both)])
    for row in lists.oracle.ties.filter(pl.col("metric") != "wer", chosen_by="wer").iter_rows(
        named=True
    ):
        gain, only_ties = row["rate"] - row["own"], row["rate"] - row["lowest"]
        ties.append(
            f"""judged by {TITLES[row["metric"]]}, its own choice is {percent(gain)} points
            better than the choice by WER; {percent(only_ties)} of them are only ties, as a
            choice with as few word errors has them too"""
        )
    texts = lists.oracle.chosen.pivot("chosen_by", index="utt", values="text")
    different = int((texts["wer"] != texts["wer-e"]).sum())
    left, low, high = errors_left(lists)
    status = fact(low <= HALF <= high)
    text = f"""Rates in %, the paper's (from lists of 1,000 hypotheses) in parentheses. WER and
    WER-E choose different texts in {different} of {len(texts)} lists. But {"; ".join(ties)}. The
    choice by WER leaves {percent(left, 0)} % of the word errors ({percent(low, 0)} to
    {percent(high, 0)}); in the paper it is about half. A list of ten hypotheses of a beam search
    differs in few places."""
    header = ["judged by", "rank 1", *(f"chosen by {TITLES[m]}" for m in published.METRICS)]
    return Section(
        f"### Table 6: the best hypotheses\n\n{paragraph(text)}\n\n{table(header, rows)}",
        (Conclusion(f"Table 6, {HERE}", "the oracle leaves about half of the errors", status),),
        (
            "misword oracle wce-whisper/ref.jsonl wce-whisper/nbest.jsonl "
            "--metrics wer,wer-e,wer-s --vectors vectors/fr.vec.gz --translations translation "
            "--translation-references post_edition --downstream ter,bleu,meteor,chrf",
        ),
    )


def errors_left(lists: WhisperLists) -> tuple[float, float, float]:
    """Return the share of the errors of rank 1 that the choice by WER has, with its interval."""
    corpus = lists.corpus
    ranks = lists.oracle_ranks()
    keys = ["utt", "rank"]
    texts = {
        name: ranks[name].select(keys).join(
            corpus.hypotheses, on=keys, maintain_order="left"
        )["text"].to_list()
        for name in ("rank 1", "wer")
    }  # fmt: skip
    utts = ranks["wer"].select("utt").join(corpus.references, on="utt", maintain_order="left")
    found = misword.compare(
        utts["text"].to_list(),
        texts,
        "wer",
        normalize=word_normalizers(),
        bootstrap=lists.bootstrap,
    ).differences.row(0, named=True)
    return tuple(1 + found[name] for name in ("relative", "relative_low", "relative_high"))


def oracle_translations(lists: WhisperLists) -> Section:
    """Return the section on Tables 8 and 9."""
    translated = lists.translations(lists.oracle_ranks(), SCORES)
    header = ["", "rank 1", *(f"chosen by {TITLES[metric]}" for metric in published.METRICS)]
    rows = [translated.value_row(score) for score in SCORES]
    changes = [row for score in SCORES for row in translated.change_rows(score)]
    gains = {TITLES[score]: translated.conclusion(score, "wer", "rank 1") for score in SCORES}
    claims = {TITLES[score]: translated.conclusion(score, "wer-e") for score in SCORES}
    best = translated.change("bleu", "wer", "rank 1")
    first, by_wer, *_ = published.TABLE_8["bleu"]
    text = f"""The translations of the choice by WER gain
    {signed(best["difference"])} BLEU over rank 1 ({span(best["low"], best["high"])}). The paper
    gains {number(by_wer - first)}, from longer lists."""
    counted = """The differences from the choice by WER, and the numbers of utterances whose own
    translation is better, equal or worse:"""
    return Section(
        page(
            "### Tables 8 and 9: translations of these choices",
            paragraph(text),
            table(header, rows),
            paragraph(counted),
            table(CHANGES, changes, text_columns=2),
        ).strip(),
        (
            Conclusion(f"Table 8, {HERE}", GAIN, joined(gains)),
            Conclusion(f"Table 8, {HERE}", CLAIM, joined(claims)),
        ),
    )


def tuning(lists: WhisperLists, tuned: dict[str, Tuning]) -> Section:
    """Return the section on weights tuned by each metric."""
    header = ["judged by", "rank 1", *(f"tuned by {TITLES[metric]}" for metric in tuned), "oracle"]
    rows = [
        [
            TITLES[judge],
            percent(rate_of(tuned["wer"], judge, "rank 1")),
            *(percent(rate_of(found, judge, "held out")) for found in tuned.values()),
            percent(rate_of(tuned[judge], judge, "oracle")),
        ]
        for judge in published.METRICS
    ]
    by_speaker = lists.tuned("wer", block="speaker")
    gains = [held_out_row("utterances", tuned["wer"]), held_out_row("speakers", by_speaker)]
    row = tuned["wer"].rates.filter(metric="wer", choice="held out").row(0, named=True)
    status = conclusion(row["difference_low"], row["difference_high"], "lower")
    text = """The paper tunes one parameter, the weight of the language model, and says that
    there were too few. Here the weights of three features are tuned: the recogniser's score, the
    log-probability of the language model, and the number of words. All rates are held out: the
    lists are divided into five folds, and hypotheses of a fold are chosen by weights that were
    tuned on the other four."""
    folds = """What the tuning by WER gains over rank 1, in points of WER, if folds are divided
    between utterances, or between speakers:"""
    return Section(
        page(
            "### Table 10: weights tuned by each metric",
            paragraph(text),
            table(header, rows),
            paragraph(folds),
            table(["folds of", "rank 1", "held out", "difference", "95 % interval", "p"], gains),
        ).strip(),
        (Conclusion(f"Table 10, {HERE}", "tuned weights lower the held-out WER", status),),
        (
            "misword tune wce-whisper/ref.jsonl wce-whisper/nbest.jsonl --metric wer-e "
            "--features score,lm,words --metrics wer,wer-e,wer-s --vectors vectors/fr.vec.gz "
            "--translations translation --translation-references post_edition "
            "--downstream ter,bleu,meteor,chrf",
        ),
    )


def rate_of(found: Tuning, metric: str, choice: str) -> float:
    """Return the rate of a choice by a metric."""
    return float(found.rates.filter(metric=metric, choice=choice)["rate"].item())


def held_out_row(name: str, found: Tuning) -> list[str]:
    """Return a row on the held-out WER of a tuning."""
    row = found.rates.filter(metric="wer", choice="held out").row(0, named=True)
    return [
        name,
        percent(rate_of(found, "wer", "rank 1")),
        percent(row["rate"]),
        signed(100 * row["difference"]),
        span(100 * row["difference_low"], 100 * row["difference_high"]),
        p_value(row["p"]),
    ]


def tuned_translations(lists: WhisperLists, tuned: dict[str, Tuning]) -> Section:
    """Return the section on the translations of the held-out choices."""
    first = lists.oracle_ranks()["rank 1"]
    held_out = {metric: found.chosen.filter(choice="held out") for metric, found in tuned.items()}
    translated = lists.translations({"rank 1": first, **held_out}, SCORES)
    header = ["", "rank 1", *(f"tuned by {TITLES[metric]}" for metric in tuned)]
    rows = [translated.value_row(score) for score in SCORES]
    changes = [row for score in SCORES for row in translated.change_rows(score)]
    claims = {TITLES[score]: translated.conclusion(score, "wer-e") for score in SCORES}
    text = """Scores of the translations of the held-out choices; then the differences from the
    choice that was tuned by WER."""
    tuned_by = ["score", "tuned by", *CHANGES[2:]]
    claim = "weights tuned by WER-E give better translations than by WER"
    return Section(
        page(
            "### Table 10: translations of the tuned choices",
            paragraph(text),
            table(header, rows),
            table(tuned_by, changes, text_columns=2),
        ).strip(),
        (Conclusion(f"Table 10, {HERE}", claim, joined(claims)),),
    )
