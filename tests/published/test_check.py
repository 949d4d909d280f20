"""`misword check` on real data: sound files, and mistakes planted into them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import misword
from misword.asr.checking.check import CheckResult
from planted import (
    Plant,
    Texts,
    as_cp1252,
    as_subwords,
    copied,
    decomposed,
    duplicate_block,
    emptied,
    every,
    first_half,
    inserted,
    removed,
    shuffled,
    swapped,
)

SCALES = [f"scale_{number:02}" for number in range(1, 21)]


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def serious(found: CheckResult) -> list[tuple[str, str]]:
    """The checks and messages of errors and warnings."""
    return [(f.check, f.message) for f in found.findings if f.severity != "note"]


@pytest.fixture(scope="module")
def folder(shared: Path) -> Path:
    return shared / "wce-dev"


def wce(folder: Path, scale: str = "scale_10") -> dict[str, Any]:
    return {
        "references": lines(folder / "ref.fr"),
        "hypotheses": lines(folder / "hyp" / f"{scale}.fr"),
        "translations": lines(folder / "slt" / f"{scale}.en"),
        "translation_references": lines(folder / "post-edition.en"),
    }


@pytest.mark.parametrize("scale", SCALES)
def test_sound_transcripts_and_translations(scale: str, folder: Path) -> None:
    found = misword.check(**wce(folder, scale), lang="fr")
    assert serious(found) == []
    # True of this corpus: three people read each sentence, and some outputs stop early or repeat.
    assert {f.check for f in found.findings} <= {"duplicate", "lengths", "repeated"}


def test_sound_translations_of_oracles(folder: Path) -> None:
    names = ("oracle_WER", "oracle_WER-E", "oracle_WER-S", "1best")
    translations = {name: lines(folder / "slt" / f"{name}.en") for name in names}
    references = lines(folder / "post-edition.en")
    assert serious(misword.check(references, translations, lang="en")) == []


SHIFTS = [
    (plant(line, number) if plant is inserted else removed(line, number), line, sign * number)
    for plant, sign in ((inserted, 1), (removed, -1))
    for number in (1, 2, 3)
    for line in (300, 1200, 2400)
]


@pytest.mark.parametrize(("plant", "line", "offset"), SHIFTS)
@pytest.mark.parametrize("side", ["transcripts", "translations"])
def test_a_shift_is_found_within_five_lines(
    side: str, plant: Plant, line: int, offset: int, folder: Path
) -> None:
    data = wce(folder)
    names = ("references", "hypotheses")
    if side == "translations":
        names = ("translation_references", "translations")
    planted = plant(Texts(*(data[name] for name in names)))
    found = misword.check(**(data | dict(zip(names, planted, strict=True))), checks="shifts")
    (shift,) = found.findings
    assert shift.side == ("hypothesis" if side == "transcripts" else "translation")
    assert abs(shift.first - line - max(offset, 0)) <= 5
    assert f"{abs(offset)} line" in shift.message


PLANTS: dict[str, tuple[Plant, str, str]] = {
    "swapped": (swapped(501, 621, 701), "shifts", "error"),
    "shuffled": (shuffled, "pairing", "error"),
    "copied": (copied(700, 800), "copied", "warning"),
    "duplicate": (duplicate_block(900, 960), "duplicate", "warning"),
    "empty": (emptied(500, 520), "empty", "warning"),
    "cut off": (every(60, first_half), "lengths", "warning"),
    "capitals": (every(1, str.upper), "case", "warning"),
    "subwords": (every(1, as_subwords), "tokenisation", "error"),
    "replaced": (every(100, lambda text: text.replace("a", "\ufffd")), "mojibake", "warning"),
    "never said": (every(200, lambda _: "thanks for watching this"), "repeated", "warning"),
}
ACCENTED: dict[str, tuple[Plant, str, str]] = {
    "mojibake": (every(50, as_cp1252), "mojibake", "warning"),
    "decomposed": (every(1, decomposed), "characters", "note"),
}


@pytest.mark.parametrize("name", [*PLANTS, *ACCENTED])
def test_planted_mistakes_in_french(name: str, folder: Path) -> None:
    data = wce(folder)
    check_planted(Texts(data["references"], data["hypotheses"]), *(PLANTS | ACCENTED)[name])


@pytest.mark.parametrize("name", PLANTS)
def test_planted_mistakes_in_english(name: str, shared: Path) -> None:
    check_planted(librispeech(shared, "other"), *PLANTS[name])


def check_planted(texts: Texts, plant: Plant, check: str, severity: str) -> None:
    found = misword.check(*plant(texts))
    assert (check, severity) in [(f.check, f.severity) for f in found.findings]
    # A text that was never said may also be far too short.
    allowed = {check, "lengths"} if check == "repeated" else {check}
    assert {other for other, _ in serious(found)} <= allowed


def librispeech(shared: Path, name: str) -> Texts:
    entries = json.loads((shared / "nbest" / f"librispeech-{name}.json").read_text("utf-8"))
    return Texts([entry["output"] for entry in entries], [entry["input"][0] for entry in entries])


@pytest.mark.parametrize("name", ["clean", "other"])
def test_sound_read_speech(name: str, shared: Path) -> None:
    assert serious(misword.check(*librispeech(shared, name), lang="en")) == []


@pytest.mark.parametrize("system", ["amazon", "google", "microsoft", "speechmatics"])
def test_sound_recordings_of_calls(system: str, shared: Path) -> None:
    folder = shared / "earnings21"
    assert serious(misword.check(folder / "nlp_references", folder / system, lang="en")) == []


def test_translations_in_another_language_are_found(folder: Path) -> None:
    data = wce(folder)
    data["translations"][1000:1012] = data["hypotheses"][1000:1012]
    found = misword.check(**data)
    assert {f.check for f in found.findings if f.severity == "warning"} == {
        "language", "untranslated"
    }  # fmt: skip
    found = misword.check(**(data | {"translations": data["hypotheses"]}))
    assert ("language", "error") in [(f.check, f.severity) for f in found.findings]


def test_slipped_reference_translations_are_found(folder: Path) -> None:
    """All English texts have slipped together: only the French ones show it."""
    data = wce(folder)
    cut: Callable[[list[str]], list[str]] = lambda texts: texts[:1200] + texts[1260:]  # noqa: E731
    for name in ("translations", "translation_references"):
        data[name] = cut(data[name])
    found = misword.check(**data, checks="shifts")
    assert any(
        f.side.startswith("translation") and abs(f.first - 1201) <= 5 for f in found.findings
    )
