"""Notes on normalizers and forgiven families that do not know the language of the texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import misword
from misword.cli.main import main
from misword.core.errors import OptionError

HINDI = "मैं घर जा रहा हूँ आज शाम को बाज़ार से फल लाया था"
# Three words of it differ, in vowel signs only.
OTHER = "मैं घर जा रहा हू आज शाम के बाज़ार से फूल लाया था"


@pytest.mark.parametrize("lang", [None, "hi"])
def test_whisper_removes_vowel_signs(lang: str | None) -> None:
    scores = misword.score(HINDI, OTHER, preset="whisper", lang=lang)
    found = [note for note in scores.notes if "vowel signs of this script (devanagari)" in note]
    assert len(found) == 1
    asks = [note for note in scores.notes if "name the language (--lang)" in note]
    assert bool(asks) == (lang is None)


def test_forgiving_takes_texts_for_english() -> None:
    without = misword.score(HINDI, OTHER, forgive="writing").notes
    assert any("--forgive takes them for English" in note for note in without)
    named = misword.score(HINDI, OTHER, forgive="writing", lang="hi").notes
    assert "--forgive has no rules for 'hi' in: spelling, abbreviations, contractions" in named


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("the café is open", {"preset": "whisper"}),
        ("the café is open", {"forgive": "writing"}),
        ("le café est ouvert", {"forgive": "writing", "lang": "fr"}),
        (HINDI, {"normalize": "lower,nopunct"}),
        (HINDI, {"forgive": "case,punctuation", "lang": "hi"}),
    ],
)
def test_no_note_without_a_reason(text: str, options: dict[str, str]) -> None:
    notes = misword.score(text, text, **options).notes  # type: ignore[arg-type]
    assert not [
        note for note in notes if "--forgive" in note or "--lang" in note or "vowel" in note
    ]


@pytest.mark.parametrize("command", ["score", "compare"])
@pytest.mark.parametrize(
    ("metrics", "expected"),
    [
        ("wer", {"wer:ties=sclite"}),
        ("wer,cer", {"wer:ties=sclite", "cer"}),
        ("wer:ties=misword", {"wer:ties=sclite", "wer:ties=misword"}),
    ],
)
def test_a_metric_of_a_preset_is_not_counted_twice(
    command: str,
    metrics: str,
    expected: set[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    paths = [tmp_path / name for name in ("r.txt", "a.txt", "b.txt")]
    for path in paths:
        path.write_text("a b\n")
    used = [str(path) for path in paths[: 2 if command == "score" else 3]]
    options = ["--preset", "sclite", "--metrics", metrics, "--bootstrap", "9", "--format", "json"]
    assert main([command, *used, *options]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert set(shown["signatures"]) == expected


@pytest.mark.parametrize("function", [misword.score, misword.wer, misword.cer, misword.align])
def test_names_of_files_are_no_texts(function: object, tmp_path: Path) -> None:
    paths = tmp_path / "ref.txt", tmp_path / "hyp.txt"
    for path in paths:
        path.write_text("a b\n")
    for kind in (str, Path):
        with pytest.raises(
            OptionError, match="are names of files, and texts are expected"
        ) as error:
            function(*map(kind, paths))  # type: ignore[operator]
        assert "misword.read_corpus(" in error.value.fix
    function(str(paths[0]), str(tmp_path / "missing.txt"))  # type: ignore[operator]
