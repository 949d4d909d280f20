"""The sections on the authors' own files: Tables 5 and 7 to 9."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import misword
from studies.common.conclusions import (
    NOT_AVAILABLE,
    Conclusion,
    Section,
    compared,
    conclusion,
    joined,
)
from studies.common.markdown import number, page, paragraph, signed, span, table
from studies.le2016 import published
from studies.le2016.outputs import PublishedOutputs, correlation, correlation_gain
from studies.le2016.published import TITLES
from studies.le2016.translated import CHANGES, Translations

# The authors' programs round or count in another way in the second decimal.
ROUNDING = 0.025
FILES = """The authors published transcripts, translations and post-editions of their development
set: 2,643 utterances. Their lists of 1,000 hypotheses, their word vectors and their test set are
not here. Each sentence was read by three speakers; the intervals take all utterances as
independent, so they are rather too narrow."""


def sections(outputs: PublishedOutputs) -> Iterator[Section]:
    """Yield the sections."""
    yield Section(
        page("## The authors' own files", paragraph(FILES)).strip(),
        (
            Conclusion(
                "Tables 5 to 10, test set",
                "the same on their test set",
                NOT_AVAILABLE,
                "the test set is not here",
            ),
            Conclusion(
                "Table 6, their lists",
                "lowest rates of lists of 1,000",
                NOT_AVAILABLE,
                "the lists are not published",
            ),
        ),
    )
    yield word_errors(outputs)
    yield baseline_translations(outputs)
    yield correlations(outputs)
    translated = outputs.oracle_translations(published.SCORES)
    yield oracle_scores(translated, outputs.post_editions)
    yield oracle_wins(translated)


def word_errors(outputs: PublishedOutputs) -> Section:
    """Return the section on Table 5: the word errors of the recogniser."""
    scores = misword.score(outputs.corpus(10), metrics="wer", normalize="none")
    rate = 100 * scores["wer"]
    status = compared([rate], [published.TABLE_5_WER], 0.005)
    text = f"""The first hypotheses have a WER of {number(rate)} % (paper:
    {published.TABLE_5_WER} %)."""
    return Section(
        f"### Table 5: word errors\n\n{paragraph(text)}",
        (Conclusion("Table 5, their files", "WER of the recogniser", status),),
        ("misword score wce-dev/ref.fr wce-dev/hyp/scale_10.fr --metrics wer --normalize none",),
    )


def baseline_translations(outputs: PublishedOutputs) -> Section:
    """Return the section on Table 5: translations of the references and of the recogniser."""
    # Three speakers read each sentence; the translation of its text is there once.
    references = outputs.post_editions
    scored = {
        "references": (outputs.translation("text-1loc"), references[::3]),
        "rank 1": (outputs.translation("1best"), references),
    }
    found = {
        name: Translations({"rank 1": texts}, wanted, published.SCORES, 0)
        for name, (texts, wanted) in scored.items()
    }
    rows, statuses = [], {}
    for score, cells in published.TABLE_5.items():
        ours = [each.values(score)["rank 1"] for each in found.values()]
        both = zip(ours, cells, strict=True)
        rows.append([TITLES[score], *(f"{number(a)} ({number(b)})" for a, b in both)])
        statuses[TITLES[score]] = compared(ours, cells, ROUNDING)
    text = """Scores of the translation of the references and of the first hypotheses, the paper's
    in parentheses. The translation of the references has a line for each sentence, the others
    have three, since three speakers read each sentence."""
    return Section(
        page(
            "### Table 5: translations",
            paragraph(text),
            table(["", "references", "rank 1"], rows),
        ).strip(),
        (Conclusion("Table 5, their files", "scores of translations", joined(statuses),
                    "TER: see Table 8"),),
    )  # fmt: skip


def correlations(outputs: PublishedOutputs) -> Section:
    """Return the section on Table 7."""
    blocks = outputs.blocks(published.SCORES)
    rows, statuses = [], {}
    for score in published.SCORES:
        found = [correlation(blocks, metric, score) for metric in published.METRICS]
        gain, low, high = correlation_gain(blocks, "wer-e", score, outputs.bootstrap)
        statuses[TITLES[score]] = conclusion(low, high, "higher")
        cells = [
            f"{value:.3f} ({cell:.3f})"
            for value, cell in zip(found, published.TABLE_7[score], strict=True)
        ]
        rows.append([TITLES[score], *cells, signed(gain, 3), span(low, high, 3)])
    wer, wer_e, _ = map(abs, published.TABLE_7["bleu"])
    printed = wer_e - wer
    text = f"""Pearson's correlation over {len(blocks)} blocks of 100 utterances, the paper's in
    parentheses. WER-E and WER-S are computed with other, smaller vectors than the paper's. The
    last two columns say how much stronger the correlation of WER-E is than that of WER, with the
    interval from resampled blocks. The paper gives no intervals; its own difference is
    {signed(printed, 3)} for BLEU."""
    header = ["", *(TITLES[metric] for metric in published.METRICS), "WER-E - WER", "95 % interval"]
    claim = "WER-E is correlated more strongly with translation scores than WER"
    return Section(
        f"### Table 7: correlations\n\n{paragraph(text)}\n\n{table(header, rows)}",
        (Conclusion("Table 7, their files", claim, joined(statuses)),),
        (
            "misword correlate wce-dev/ref.fr wce-dev/hyp/scale_10.fr --metrics wer,wer-e,wer-s "
            "--vectors vectors/fr.vec.gz --normalize none --translations wce-dev/slt/1best.en "
            "--translation-references wce-dev/post-edition.en --downstream ter,bleu,meteor "
            "--block 100",
        ),
    )


def oracle_scores(translated: Translations, references: Sequence[str]) -> Section:
    """Return the section on Table 8."""
    agreed = {
        TITLES[score]: compared(translated.values(score).values(), cells, ROUNDING)
        for score, cells in published.TABLE_8.items()
    }
    claims = {TITLES[score]: translated.conclusion(score, "wer-e") for score in published.SCORES}
    changes = [row for score in published.SCORES for row in translated.change_rows(score)]
    ter = zip(published.TABLE_8["ter"], translated.values("ter").values(), strict=True)
    higher = sorted(printed - ours for printed, ours in ter)
    one_edit = 100 * len(references) / sum(len(text.split()) for text in references)
    text = f"""Scores of the translations of the first hypotheses and of the three oracles'
    choices, the paper's in parentheses. BLEU is that of sacrebleu, METEOR that of METEOR 1.5:
    both differ from the paper's by {ROUNDING} at most. TER, by sacrebleu, differs more: the
    paper's is {number(higher[0])} to {number(higher[-1])} points higher, for all four sets
    nearly the same. The TERs of single sentences in Table 4 count an edit too many for each
    sentence, which would be {number(one_edit)} points here: more than the
    difference. What else differs is not known."""
    header = ["", "rank 1", *(f"chosen by {TITLES[metric]}" for metric in published.METRICS)]
    claim = "the choice by WER-E has better translations than that by WER"
    same = "scores of four sets of translations"
    return Section(
        page(
            "### Table 8: translations of the oracles' choices",
            paragraph(text),
            table(header, [score_row(translated, score) for score in published.SCORES]),
            "The differences from the choice by WER:",
            table(CHANGES, changes, text_columns=2),
        ).strip(),
        (
            Conclusion("Table 8, their files", same, joined(agreed)),
            Conclusion("Table 8, their files", claim, joined(claims)),
        ),
    )


def score_row(translated: Translations, score: str) -> list[str]:
    """Return a row of Table 8, with the paper's cells in parentheses."""
    both = zip(translated.values(score).values(), published.TABLE_8[score], strict=True)
    return [TITLES[score], *(f"{number(ours)} ({cell:.2f})" for ours, cell in both)]


def oracle_wins(translated: Translations) -> Section:
    """Return the section on Table 9."""
    statuses = {
        TITLES[score]: compared(wins(translated, score), cells, 0)
        for score, cells in published.TABLE_9.items()
    }
    text = """Utterances whose own translation has a better score with the choice by WER-E, with
    that by WER, and with neither; the paper's in parentheses. Sentence BLEU has one added to its
    counts."""
    rows = [wins_row(translated, score) for score in published.SCORES]
    counts = table(["", "WER-E better", "WER better", "equal"], rows)
    claim = "numbers of better, worse and equal translations"
    return Section(
        f"### Table 9: wins and ties\n\n{paragraph(text)}\n\n{counts}",
        (Conclusion("Table 9, their files", claim, joined(statuses)),),
    )


def wins(translated: Translations, score: str) -> tuple[int, ...]:
    """Return how many translations are better by WER-E, by WER, and by neither."""
    row = translated.change(score, "wer-e")
    return tuple(row[name] for name in ("wins", "losses", "ties"))


def wins_row(translated: Translations, score: str) -> list[str]:
    """Return a row of Table 9, with the paper's cells in parentheses."""
    both = zip(wins(translated, score), published.TABLE_9[score], strict=True)
    return [TITLES[score], *(f"{ours:,} ({cell:,})" for ours, cell in both)]
