"""Notes of `score`, `compare` and `correlate` on mistakes in the data."""

from __future__ import annotations

import random

import pytest

import misword
from planted import DEMO, Plant, as_cp1252, demo, every, inserted, removed, swapped

LANGUAGES = ("en", "fr")
WORDS = [f"{a}{b}{c}" for a in "bdfgklmn" for b in ("at", "el", "ir", "on") for c in "aeiouszt"]


def notes(references: list[str], hypotheses: list[str]) -> list[str]:
    """The notes that refer to `misword check`."""
    return [note for note in misword.score(references, hypotheses, "wer").notes if "check" in note]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_sound_data_has_no_note(lang: str) -> None:
    assert notes(*demo(lang)) == []


@pytest.mark.parametrize(
    ("plant", "shift"),
    [
        (removed(40), "1 line early"),
        (inserted(50, 3), "3 lines late"),
        (removed(1, 2), "2 lines early"),
        (swapped(31, 66, 101), "35 lines"),
    ],
)
def test_a_shift_gives_a_note(plant: Plant, shift: str) -> None:
    refs, hyps = plant(demo("en"))
    hyps = [*hyps, *[""] * len(refs)][: len(refs)]
    found = notes(refs, hyps)
    if shift != "35 lines":  # farther than the note looks
        assert shift in " ".join(found)
    assert len(found) <= 1


def test_each_system_has_its_note() -> None:
    refs, hyps = demo("en")
    late = ["", *hyps[:-1]]
    found = misword.score(refs, {"good": hyps, "late": late}, "wer").notes
    (note,) = [note for note in found if "check" in note]
    assert note.startswith("from utterance 1 on, the hypotheses of late seem to be 1 line late")


def test_mojibake_gives_a_note() -> None:
    refs, hyps = every(10, as_cp1252)(demo("fr"))
    assert notes(refs, hyps) == [
        "the hypotheses have characters in a wrong encoding: see `misword check`"
    ]


def test_compare_and_correlate_have_the_note() -> None:
    refs, hyps = demo("en")
    systems = {"a": hyps, "b": ["", *hyps[:-1]]}
    for function in (misword.compare, misword.correlate):
        assert any("check" in note for note in function(refs, systems, "wer,cer").scores.notes)


def test_bad_recognition_is_no_shift() -> None:
    """A recogniser that fails from some line on has a high error rate, but no slipped lines."""
    refs, hyps = demo("en")
    other = [" ".join(reversed(text.split())) for text in hyps]
    assert notes(refs, [*hyps[:100], *other[100:]]) == []
    assert notes(refs, [*hyps[:100], *["and so on"] * 110]) == []
    assert notes(refs, [""] * len(refs)) == []


def test_the_demonstration_of_the_command_line_is_sound() -> None:
    corpus, _ = misword.read_corpus(DEMO / "en" / "ref.csv", DEMO / "en" / "pocketsphinx.csv")
    assert not any("check" in note for note in misword.score(corpus, metrics="wer").notes)


def test_slipped_translations_give_a_note() -> None:
    refs, hyps = demo("fr")
    targets, translated = (list(side[: len(refs)]) for side in demo("en"))

    def found(translations: list[str]) -> list[str]:
        result = misword.correlate(
            refs, hyps, "wer", translations=translations, translation_references=targets,
            bootstrap=0, block=10,
        )  # fmt: skip
        return [note for note in result.scores.notes if "check" in note]

    assert found(translated) == []
    (note,) = found([*translated[:30], *translated[31:], ""])
    assert "the translations of hypothesis seem to be 1 line early" in note


def test_a_shift_of_the_first_lines_gives_a_note() -> None:
    refs, hyps = demo("en")
    (note,) = notes(refs, [*hyps[1:90], "", *hyps[90:]])
    assert "1 line early" in note


def test_a_corpus_that_is_scored_in_parts_has_the_same_notes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = random.Random(3)
    lines = [" ".join(rng.choices(WORDS, k=8)) for _ in range(600)]
    slipped = [*lines[:300], *lines[301:], "Ã© Ã¨"]
    whole = misword.score(lines, slipped, "wer").notes
    monkeypatch.setattr("misword.asr.measuring.AT_ONCE", 128)
    assert misword.score(lines, slipped, "wer").notes == whole
    assert any("1 line early" in note for note in whole)
    assert any("encoding" in note for note in whole)
