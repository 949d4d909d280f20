"""The section on the weight of the language model in the authors' own files: Table 10."""

from __future__ import annotations

from studies.common.conclusions import Conclusion, Section, compared, joined
from studies.common.markdown import number, p_value, page, paragraph, percent, signed, span, table
from studies.le2016.outputs import PublishedOutputs
from studies.le2016.published import SCORES, TABLE_10, TITLES
from studies.le2016.translated import Translations

CHOICES = ["metric", "chooses", "%", "next best", "p", "others in resamples, %"]
TUNED = ["", "scale by WER", "scale by WER-E", "difference", "95 % interval", "p"]
PAPERS_CHOICES = {"wer": 10, "wer-e": 11, "wer-s": 11}


def scales(outputs: PublishedOutputs) -> Section:
    """Return the section on Table 10."""
    translated = outputs.scale_translations(SCORES)
    chosen = {
        TITLES[metric]: compared([outputs.chosen_scale(metric)], [scale], 0)
        for metric, scale in PAPERS_CHOICES.items()
    }
    claims = {TITLES[score]: translated.conclusion(score, "wer-e") for score in SCORES}
    text = """The recogniser ran with 20 weights (scales) of its language model. Each metric
    chooses one; the last column is the share of resamples of the utterances in which it chooses
    another one. The paper says that WER chooses the scale 10, and WER-E and WER-S the scale 11."""
    claim = "the scale chosen by WER-E has better translations"
    return Section(
        page(
            "### Table 10: the language model's weight",
            paragraph(text),
            table(CHOICES, choice_rows(outputs)),
            "Scores of the translations, the paper's in parentheses:",
            table(TUNED, [change_row(translated, score) for score in SCORES]),
        ).strip(),
        (
            Conclusion("Table 10, their files", "the scale that a metric chooses", joined(chosen)),
            Conclusion("Table 10, their files", claim, joined(claims)),
        ),
        (
            "misword tune wce-dev/ref.fr wce-dev/hyp/scale_*.fr --systems "
            "--metrics wer,wer-e,wer-s --vectors vectors/fr.vec.gz --normalize none",
        ),
    )


def choice_rows(outputs: PublishedOutputs) -> list[list[str]]:
    """Return a row on the choice of each metric."""
    return [
        [
            TITLES[row["metric"]],
            str(outputs.chosen_scale(row["metric"])),
            percent(row["rate"]),
            str(int(row["next"].removeprefix("scale_").removesuffix(".fr"))),
            p_value(row["next_p"]),
            percent(row["others"], 0),
        ]
        for row in outputs.scales.choices.iter_rows(named=True)
    ]


def change_row(translated: Translations, score: str) -> list[str]:
    """Return a row of Table 10, with the paper's cells in parentheses."""
    both = zip(translated.values(score).values(), TABLE_10[score], strict=True)
    change = translated.change(score, "wer-e")
    return [
        TITLES[score],
        *(f"{number(ours)} ({cell:.2f})" for ours, cell in both),
        signed(change["difference"]),
        span(change["low"], change["high"]),
        p_value(change["p"]),
    ]
