"""A number that moves has a new revision: the numbers of each revision are recorded here.

If a test fails after a change that was meant to move numbers, raise `revision` of the part, replace
the recorded numbers, and describe the change in CHANGELOG.md under "Numbers that moved".
"""

from __future__ import annotations

from typing import ClassVar

import pytest

import misword
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
