"""Figure 1 and Table 2 under a simulated listener (not in the paper)."""

from __future__ import annotations

from pathlib import Path

import misword
from studies.common.charts import figure
from studies.common.conclusions import Conclusion, Section, conclusion
from studies.common.data import BUILD
from studies.common.markdown import number, page, paragraph, percent, signed, span, table
from studies.common.tallies import tally
from studies.voleti2019.correlations import TEN, THIRTY, claims
from studies.voleti2019.materials import transcripts
from studies.voleti2019.measured import WERS, WORD_ENCODERS, Measured, measure
from studies.voleti2019.published import STSB
from studies.voleti2019.real_errors import ENCODERS, SIMULATED, similarity_change
from studies.voleti2019.similarity import chart

LISTEN, LEARNT = "listen", "librispeech.listener.json"
CHART = "voleti2019-figure-1-listen.svg"
FIFTY = WERS.index(0.5)


def learnt_listener() -> Path:
    """Return the file of the listener that is learnt from the transcripts of LibriSpeech."""
    path = BUILD / LEARNT
    path.parent.mkdir(parents=True, exist_ok=True)
    learnt = misword.learn_noise(*transcripts(), channel="listen", lang="en")
    path.write_text(learnt.to_json(), "utf-8")
    return path


def listening(simulated: Measured) -> Section:
    """Return the section on the study under the channel `listen`."""
    found = measure(STSB, ENCODERS, f"listen:file={learnt_listener()}")
    rows = [_row(name, simulated, found) for name in ENCODERS]
    changes = [similarity_change(name, simulated, found) for name in ENCODERS]
    higher = tally(conclusion(one.low, one.high, "higher") for one in changes)
    less = sum(
        found.ratio(name, THIRTY).value < simulated.ratio(name, THIRTY).value for name in ENCODERS
    )
    text = f"""The channel `listen` mishears stretches of words, and some sentences more than
    others; it is learnt from the transcripts of LibriSpeech. The WER is that of `{SIMULATED}`, but
    the errors are gathered in fewer sentences, fall on rarer words, and are nearer in sound and
    spelling. The numbers in parentheses are those under `{SIMULATED}`. `change` is that of the
    similarity at 30 %, with its interval. {less} of {len(ENCODERS)} encoders keep a smaller share
    of their correlation at 30 % than under `{SIMULATED}`; the claims about the order of the
    encoders are in the summary."""
    header = [
        "STS-benchmark", "at 10 %", "at 30 %", "at 50 %", "change", "interval", "PCC10", "PCC30",
        "PCC30 / PCC0, %",
    ]  # fmt: skip
    return Section(
        page(
            "## Figure 1 and Table 2 under a simulated listener",
            paragraph(text),
            figure(CHART, f"Similarity over WER under listen, {STSB}"),
            table(header, rows),
        ).strip(),
        (
            Conclusion(
                f"Under `{LISTEN}`, Figure 1",
                "similarity is higher than under the simulator at the same WER",
                higher,
            ),
            *(
                line._replace(part=f"Under `{LISTEN}`, Table 2")
                for line in claims({LISTEN: found}, LISTEN)
            ),
        ),
        (
            "misword learn-noise build/studies/librispeech.ref.txt "
            "build/studies/librispeech.hyp.txt --channel listen --lang en -o "
            f"build/studies/{LEARNT}",
            "misword robust sts/stsb-en-dev.csv --vectors vectors/en.vec.gz --lang en --refit "
            f"--trials 3 --channel listen:file=build/studies/{LEARNT} --encoders "
            f"{','.join([*WORD_ENCODERS.values(), 'use'])}",
        ),
        {CHART: chart(f"{STSB}, listen", found)},
    )


def _row(name: str, first: Measured, second: Measured) -> list[str]:
    def both(values: list[str]) -> str:
        return f"{values[1]} ({values[0]})"

    noises = (first, second)
    change = similarity_change(name, first, second)
    return [
        name,
        *(
            both([number(each.similarity(name, level).value, 3) for each in noises])
            for level in (TEN, THIRTY, FIFTY)
        ),
        signed(change.difference, 3),
        span(change.low, change.high, 3),
        *(
            both([percent(each.pearson(name, level).value) for each in noises])
            for level in (TEN, THIRTY)
        ),
        both([percent(each.ratio(name, THIRTY).value, 1) for each in noises]),
    ]
