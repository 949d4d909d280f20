"""A number that moves has a new revision: the numbers of each revision are recorded here.

If a test fails after a change that was meant to move numbers, raise `revision` of the part, replace
the recorded numbers, and describe the change in CHANGELOG.md under "Numbers that moved".
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

import misword
from metric_laws import OF_TIMES, RECORDINGS, SPECS, recordings
from misword.asr.metrics import METRICS
from misword.core.parts import Part, signed_name
from misword.core.signature import Signature
from misword.text.normalizers import NORMALIZERS, normalize, normalizers
from misword.text.texts import Texts

REFERENCES = ["the cat sat on the mat", "so { um / @ } we go", "Hé! It's 3.5 %", ""]
HYPOTHESES = ["the cat sad on mat", "so so we went go", "he its 3.5%", "x"]
TEXT = "Ｏh, Hé!\u200b It’s ÉTÉ (ﬁne) -- STRASSE ß 1,000.5 % [noise]"
# Metrics that need neither a language nor vectors nor a model: revision and rate.
RATES = {
    "wer": (1, 9 / 14),
    "cer": (1, 19 / 47),
    "mer": (1, 9 / 16),
    "wil": (1, 3 / 4),
    "formatted": (1, 9 / 14),
}
# Texts with capitals, punctuation and a loop, on which every metric is defined.
WRITTEN = ["The cat sat, on the mat.", "We go to Paris today!", "yes"]
HEARD = ["the dog sat on the Mat", "we go go go go go go go go go to Paris, today", "yes"]
# Texts for metrics that find nothing in these.
OTHER_TEXTS = {
    "critical": (["do not take fifteen", "yes"], ["do take fifty", "yes"]),
    "severity": (["do not take fifteen", "yes"], ["do take fifty", "yes"]),
    **{name: (["a b c d e", "yes"], ["a x b c d e", "yes"]) for name in OF_TIMES},
    "wder": (["a b c d e", "yes"], ["a x b c d e", "yes"]),
}
KNOWN = ["the", "cat", "dog", "sat", "on", "mat", "we", "go"]
# All metrics, in English, with word vectors: revision and rate.
SINGLE = {"bertscore", "people", "semdist"}
ALL_RATES = {
    "bertscore": (1, 0.118890354124581),
    "blend": (1, 0.5466244403744405),
    "capitals": (1, 1.0),
    "cer": (1, 0.7083333333333334),
    "cpcer": (1, 0.7391304347826086),
    "cpwer": (1, 1.25),
    "critical": (1, 0.4),
    "der": (1, 0.6666666666666666),
    "dicpwer": (1, 1.25),
    "dposer": (1, 0.8),
    "ember": (1, 1.0833333333333333),
    "formatted": (1, 1.25),
    "latency": (1, 4 / 7),
    "lcer": (1, 0.6862745098039216),
    "ler": (1, 0.8666666666666667),
    "loops": (1, 0.6666666666666666),
    "mer": (1, 0.75),
    "orcwer": (1, 1.25),
    "people": (1, 0.4766518231915003),
    "per": (1, 0.5757575757575758),
    "punctuation": (1, 1.3333333333333333),
    "segment-times": (1, 0.6666666666666666),
    "semdist": (1, 0.21003041957205046),
    "severity": (1, 0.5),
    "tcpwer": (1, 1.3333333333333333),
    "uposer": (1, 0.8),
    "wder": (1, 0.16666666666666666),
    "wer": (1, 1.25),
    "wer-e": (1, 1.155131609262071),
    "wer-s": (1, 1.0923020138651889),
    "word-times": (1, 0.6666666666666666),
    "wil": (1, 0.8958333333333334),
}
NORMALIZED = {
    "apostrophe": (1, "Ｏh, Hé!\u200b It's ÉTÉ (ﬁne) -- STRASSE ß 1,000.5 % [noise]"),
    "casefold": (1, "ｏh, hé!\u200b it’s été (fine) -- strasse ss 1,000.5 % [noise]"),
    "lower": (1, "ｏh, hé!\u200b it’s été (ﬁne) -- strasse ß 1,000.5 % [noise]"),
    "nfc": (1, "Ｏh, Hé!\u200b It’s ÉTÉ (ﬁne) -- STRASSE ß 1,000.5 % [noise]"),
    "nfd": (1, "Ｏh, He\u0301!\u200b It’s E\u0301TE\u0301 (ﬁne) -- STRASSE ß 1,000.5 % [noise]"),
    "nfkc": (1, "Oh, Hé!\u200b It’s ÉTÉ (fine) -- STRASSE ß 1,000.5 % [noise]"),
    "noaccent": (1, "Ｏh, He!\u200b It’s ETE (ﬁne) -- STRASSE ß 1,000.5 % [noise]"),
    "noharakat": (1, "Ｏh, Hé!\u200b It’s ÉTÉ (ﬁne) -- STRASSE ß 1,000.5 % [noise]"),
    "nopunct": (1, "Ｏh  Hé \u200b It’s ÉTÉ  ﬁne     STRASSE ß 1 000 5    noise "),
    "nozerowidth": (1, "Ｏh, Hé! It’s ÉTÉ (ﬁne) -- STRASSE ß 1,000.5 % [noise]"),
}


@pytest.mark.parametrize("name", RATES)
def test_rates_of_a_revision_do_not_move(name: str) -> None:
    scores = misword.score(REFERENCES, HYPOTHESES, name)
    assert (METRICS.create(name).revision, scores[name]) == RATES[name]


def test_every_metric_is_recorded() -> None:
    assert set(ALL_RATES) == set(METRICS.names())
    assert all(rate > 0 for _, rate in ALL_RATES.values())


@pytest.mark.parametrize("name", ALL_RATES)
def test_rates_of_all_metrics_do_not_move(name: str) -> None:
    """Models compute with single precision, whose last digits depend on the processor."""
    revision, rate = ALL_RATES[name]
    vectors = misword.WordVectors.of(KNOWN, np.random.default_rng(0).normal(size=(8, 5)))
    spec = SPECS.get(name, name)
    said, heard = OTHER_TEXTS.get(name, (WRITTEN, HEARD))
    texts = (recordings(said, heard, None), None) if name in RECORDINGS else (said, heard)
    scores = misword.score(texts[0], texts[1], spec, lang="en", vectors=vectors)
    assert METRICS.create(name).revision == revision
    assert scores[spec] == pytest.approx(rate, rel=1e-4 if name in SINGLE else 1e-12)


@pytest.mark.parametrize("name", NORMALIZED)
def test_texts_of_a_revision_do_not_move(name: str) -> None:
    made = normalize(Texts.of([TEXT]), normalizers(name)).split()
    assert (NORMALIZERS.create(name).revision, made[0]) == NORMALIZED[name]


def test_signatures_have_the_revision_and_not_the_version() -> None:
    signature = misword.score(["a"], ["a"], "wer").columns[0].signature
    assert dict(signature.settings)["v"] == "1"


def test_a_part_is_signed_with_its_revision() -> None:
    class First(Part):
        name: ClassVar[str] = "first"

    class Second(First):
        revision: ClassVar[int] = 2

    assert (signed_name(First()), signed_name(Second())) == ("first", "first-2")


@pytest.mark.parametrize("other", ["1", "0.5.0", "0.5.1"])
def test_versions_before_revisions_count_as_the_first(other: str) -> None:
    old = Signature.parse("wer|ties:misword|v:0.5.0")
    assert old.differences(Signature.parse(f"wer|ties:misword|v:{other}")) == []


@pytest.mark.parametrize("other", ["2", "0.4.0", "10", ""])
def test_other_revisions_and_older_versions_differ(other: str) -> None:
    first = Signature.parse("wer|v:1")
    assert first.differences(Signature.parse(f"wer|v:{other}")) == [f"v: 1 / {other}"]
    assert Signature.parse("wer|v:0.5.0").differences(Signature.parse("wer")) == ["v: 1 / not set"]
