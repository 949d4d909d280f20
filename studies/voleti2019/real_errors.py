"""The section on real errors: the same study with the errors of a recogniser (not in the paper)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import misword
from misword.noise.error_model import Mix
from misword.stat.student_t import mean_of
from studies.common.conclusions import Conclusion, Section, conclusion
from studies.common.differences import SeparateDifference, separate_difference
from studies.common.markdown import number, page, paragraph, percent, signed, span, table
from studies.common.tallies import tally
from studies.voleti2019.correlations import THIRTY, claims
from studies.voleti2019.materials import GLOVE, NOISE, glove, learnt_noise, transcripts
from studies.voleti2019.measured import CLEAN_FITS, WORD_ENCODERS, Measured, measure
from studies.voleti2019.published import STSB

CHANNELS = ("voleti", "uniform", "phonetic", "confusion")
ENCODERS = {**WORD_ENCODERS, **CLEAN_FITS, "use": "use"}
SIMULATED = "voleti"
SUBSTITUTIONS, ALL_ERRORS = "learnt substitutions", "learnt errors of all kinds"


def realism() -> Section:
    """Return the section on how probable real errors are under the simulator."""
    found = misword.realism(*transcripts(), CHANNELS, lang="en", vectors=glove())
    by_name = {row["channel"]: row for row in found.table.iter_rows(named=True)}
    rows = [
        [
            name, number(by_name[name]["bits"]),
            span(by_name[name]["difference_low"], by_name[name]["difference_high"]),
            percent(by_name[name]["coverage"], 1), number(by_name[name]["median_rank"], 1),
        ]
        for name in CHANNELS
    ]  # fmt: skip
    statuses = {
        other: conclusion(
            by_name[other]["difference_low"], by_name[other]["difference_high"], "higher"
        )
        for other in ("uniform", "phonetic")
    }
    text = f"""The paper calls its errors plausible, and does not test it. Here real errors are
    looked up: the substitutions of a recogniser in LibriSpeech test-clean and test-other
    ({by_name["voleti"]["errors"]:,} errors of the half that no channel has seen). `bits` is the
    mean of -log2 P; fewer are better. The interval is that of the difference from `voleti`.
    `coverage` is the share of real errors to which the channel gives a probability at all."""
    return Section(
        page(
            "## Are the errors like those of a recogniser?",
            paragraph(text),
            table(["channel", "bits", "difference", "coverage, %", "median rank"], rows),
        ).strip(),
        (
            Conclusion(
                "Section 2, real errors",
                "real errors are more probable under the simulator than under equal probabilities",
                statuses["uniform"],
            ),
            Conclusion(
                "Section 2, real errors",
                "they are more probable than by sound and frequency alone (`phonetic`)",
                statuses["phonetic"],
            ),
        ),
        (
            "misword realism build/studies/librispeech.ref.txt build/studies/librispeech.hyp.txt "
            f"--channels {','.join(CHANNELS)} --lang en --vectors build/studies/{GLOVE}",
        ),
    )


def learnt(simulated: Measured) -> Section:
    """Return the section on the same study with learnt errors."""
    channel = f"confusion:file={learnt_noise()}"
    noises = {
        SIMULATED: simulated,
        SUBSTITUTIONS: measure(STSB, ENCODERS, channel, Mix(1.0, 0.0, 0.0)),
        ALL_ERRORS: measure(STSB, ENCODERS, channel),
    }
    rows = [row for name in ENCODERS for row in _rows(name, noises)]
    text = """The confusions are learnt from the same transcripts (`misword learn-noise`): a word
    is substituted by the words that the recogniser wrote for it, or by similar ones; frequent
    errors are frequent here. The WER is the same as before, 30 %. `learnt errors of all kinds`
    has deletions and insertions, too, as often as the recogniser. The last two columns compare
    the similarity at 30 % with that under `voleti`."""
    header = [
        "encoder", "noise", "similarity at 30 %", "PCC30", "interval", "PCC30 / PCC0, %",
        "similarity: difference", "interval",
    ]  # fmt: skip
    return Section(
        page(
            "## The same study with learnt errors",
            paragraph(text),
            table(header, rows, text_columns=2),
        ).strip(),
        tuple(_conclusions(noises)),
        (
            "misword learn-noise build/studies/librispeech.ref.txt "
            f"build/studies/librispeech.hyp.txt --lang en -o build/studies/{NOISE}",
            "misword robust sts/stsb-en-dev.csv --vectors vectors/en.vec.gz --lang en --refit "
            f"--trials 3 --channel confusion:file=build/studies/{NOISE} --encoders "
            f"{','.join([*WORD_ENCODERS.values(), 'use'])}",
        ),
    )


def _rows(name: str, noises: Mapping[str, Measured]) -> Iterable[list[str]]:
    for noise, found in noises.items():
        pearson, ratio = found.pearson(name, THIRTY), found.ratio(name, THIRTY)
        row = [
            name, noise, number(found.similarity(name, THIRTY).value, 3), percent(pearson.value),
            f"{percent(pearson.low, 1)} to {percent(pearson.high, 1)}", percent(ratio.value, 1),
        ]  # fmt: skip
        if noise == SIMULATED:
            yield [*row, "", ""]
        else:
            change = similarity_change(name, noises[SIMULATED], found)
            yield [*row, signed(change.difference, 3), span(change.low, change.high, 3)]


def similarity_change(name: str, simulated: Measured, found: Measured) -> SeparateDifference:
    """Return the similarity at 30 % under one noise minus that under the simulator."""
    means = [mean_of(each.similarities[name].with_clean[THIRTY]) for each in (simulated, found)]
    first, second = ({"rate": mean.value, "low": mean.low, "high": mean.high} for mean in means)
    return separate_difference(first, second)


def _conclusions(noises: Mapping[str, Measured]) -> Iterable[Conclusion]:
    """Yield whether learnt errors change the vectors less, and whether the paper's claims hold."""
    for noise in (SUBSTITUTIONS, ALL_ERRORS):
        changes = [similarity_change(name, noises[SIMULATED], noises[noise]) for name in ENCODERS]
        yield Conclusion(
            f"Section 4.1, {noise}",
            "similarity is higher than under the simulator at the same WER",
            tally(conclusion(change.low, change.high, "higher") for change in changes),
        )
    learnt_noises = {name: noises[name] for name in (SUBSTITUTIONS, ALL_ERRORS)}
    for line in claims(learnt_noises, "learnt errors"):
        yield line._replace(part="Section 4.2, learnt errors")
