"""The section on Algorithm 1: the WER that was asked for, and the WER that results."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from studies.common.conclusions import Conclusion, Section, fact
from studies.common.markdown import page, paragraph, percent, table
from studies.voleti2019.materials import GLOVE
from studies.voleti2019.measured import Measured

TARGET_ERROR = 0.005


def realised(measured: Mapping[str, Measured]) -> Section:
    """Return the section on Algorithm 1: the WER that was asked for, and the WER that results."""
    rows, errors, short = [], [], []
    for corpus, found in measured.items():
        trials = found.trials
        changed = 1 - trials.left_alone / trials.words
        for level, asked in enumerate(trials.target_wers[1:], start=1):
            wers = trials.realised[level]
            errors.append(float(np.abs(wers - asked).max()))
            short.append(asked * (1 - changed))
            rows.append([
                corpus, percent(asked, 0), percent(float(wers.min()), 3),
                percent(float(wers.max()), 3), percent(asked * changed),
            ])  # fmt: skip
    alone = " and ".join(
        f"{found.trials.left_alone:,} of {found.words:,} words of {corpus}"
        for corpus, found in measured.items()
    )
    text = f"""The WER that was asked for, the lowest and the highest WER of the trials, by `misword
    score`, and what a coin would give. The notebook tosses a coin for each word, and leaves words
    without candidates as they are, so the WER is too low by their share. Here {alone} have no
    candidates; the notebook, which has no letter-to-sound rules, has more of them. `misword
    corrupt` draws an exact number of errors instead."""
    header = ["", "asked %", "lowest %", "highest %", "with a coin %"]
    return Section(
        page("## Algorithm 1: the realised WER", paragraph(text), table(header, rows)).strip(),
        (
            Conclusion(
                "Algorithm 1, our noise",
                "the corpus has the WER that was asked for, within 0.5 points",
                fact(max(errors) <= TARGET_ERROR),
            ),
            Conclusion(
                "Algorithm 1, the notebook's coin",
                "the same by a coin for each word, within 0.5 points",
                fact(max(short) <= TARGET_ERROR),
                f"too low by up to {percent(max(short), 1)} points: words without candidates",
            ),
        ),
        (
            "misword corrupt sts/stsb-en-dev.csv --wer 0.1,0.3,0.5 --lang en "
            f"--vectors build/studies/{GLOVE} -o noisy.csv",
        ),
    )
