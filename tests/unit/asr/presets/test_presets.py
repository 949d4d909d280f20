"""Presets: what they set, what may stand beside them, and what they do to the rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import misword
from extras import needs
from misword.asr.corpus import make_corpus
from misword.asr.metrics import METRICS
from misword.asr.options import combine, metric_specs
from misword.asr.presets import PRESETS, Preset
from misword.asr.presets.leaderboards import (
    OpenAsrLeaderboardPreset,
    join_equal_regions,
    join_sessions,
)
from misword.cli.main import main
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.parts.registry import split_specs

REFS, HYPS = ["The { a / b } cat"], ["the { a / b } cat"]


@pytest.mark.parametrize("name", PRESETS.names())
def test_a_preset_names_parts_that_exist(name: str) -> None:
    preset = PRESETS.create(name)
    assert METRICS.create_all(preset.metrics or "")
    assert metric_specs(name, None) == tuple(split_specs(preset.metrics or ""))


def test_kaldi_changes_nothing() -> None:
    scores = misword.score(REFS, HYPS, preset="kaldi")
    assert [column.label for column in scores.columns] == ["wer:ties=kaldialign"]
    assert scores.statistics("wer:ties=kaldialign").tolist() == [[6, 1, 0, 0]]
    assert str(scores.columns[0].signature).startswith(
        "wer|ties:kaldialign|norm:none|words:whitespace|alternatives:off|"
    )


def test_kaldi_splits_as_kaldi() -> None:
    """Kaldi prefers an insertion and a deletion to substitutions where both cost the same."""
    scores = misword.score(["a b c"], ["b x"], preset="kaldi")
    assert scores.statistics("wer:ties=kaldialign").tolist() == [[1, 1, 0, 1]]


@needs("whisper_normalizer")
def test_whisper() -> None:
    scores = misword.score(["It's 21 colours."], ["it is twenty-one colors"], preset="whisper")
    assert scores.statistics("wer").tolist() == [[4, 0, 0, 0]]
    french = misword.score(["L'été"], ["l été"], preset="whisper", lang="fr")
    assert "norm:whisper[lang=fr," in str(french.columns[0].signature)


def test_metrics_beside_a_preset_are_added() -> None:
    scores = misword.score(REFS, HYPS, "cer,wer:ties=kaldialign", preset="kaldi")
    assert [column.label for column in scores.columns] == ["wer:ties=kaldialign", "cer"]


def test_conflicts() -> None:
    with pytest.raises(
        OptionError, match="--normalize cannot be used with --preset kaldi"
    ) as caught:
        misword.score(REFS, HYPS, preset="kaldi", normalize="nfc")
    assert "--rules" in caught.value.fix
    with pytest.raises(OptionError, match="did you mean 'kaldi'"):
        misword.score(REFS, HYPS, preset="kalid")

    class Reads(Preset):
        alternatives = True

    with pytest.raises(OptionError, match="it reads alternatives"):
        combine(Context(), preset=Reads(), alternatives=False)


def test_rules_beside_a_preset(tmp_path: Path) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text("The => the\n", "utf-8")
    scores = misword.score(REFS, HYPS, preset="kaldi", rules=rules)
    assert scores["wer:ties=kaldialign"] == 0
    assert "norm:rules[sha256=" in str(scores.columns[0].signature)


def test_every_function_takes_a_preset() -> None:
    refs, hyps = ["a b", "c", "d e"], {"x": ["a", "c", "d e"], "y": ["a b", "C", "d"]}
    label = "wer:ties=kaldialign"
    assert misword.compare(refs, hyps, preset="kaldi").scores.labels == [label]
    assert misword.correlate(refs, hyps, "cer", preset="kaldi").scores.labels == [label, "cer"]
    assert dict(misword.align(refs, hyps, preset="kaldi").signature)["ties"] == "kaldialign"
    rows = {"reference": ["a b"], "hypA": ["a"], "nbrA": [3], "hypB": ["a b"], "nbrB": [5]}
    assert misword.agree(rows, preset="kaldi").scores.labels == [label]


@needs("whisper_normalizer")
def test_languages_of_the_leaderboard() -> None:
    with pytest.raises(OptionError, match="no rules for the language 'ja'"):
        misword.score(["a"], ["a"], preset="open-asr-leaderboard", lang="ja")


def test_scores_are_saved_with_the_preset(tmp_path: Path) -> None:
    scores = misword.score(["a b"], ["a"], preset="kaldi")
    scores.save(tmp_path / "result")
    assert str(misword.load(tmp_path / "result").columns[0].signature) == str(
        scores.columns[0].signature
    )


def test_no_options_of_texts_beside_scores() -> None:
    scores = misword.score(REFS, HYPS)
    with pytest.raises(OptionError, match="take no options for scoring"):
        misword.compare(scores, preset="kaldi")


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, texts in (("ref.txt", REFS), ("hyp.txt", HYPS)):
        (tmp_path / name).write_text("\n".join(texts) + "\n", "utf-8")
    files = [str(tmp_path / "ref.txt"), str(tmp_path / "hyp.txt")]
    assert main(["score", *files, "--preset", "kaldi", "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert list(printed["signatures"]) == ["wer:ties=kaldialign"]
    assert main(["align", *files, "--preset", "kaldi", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["ties"] == "kaldialign"
    assert main(["score", *files, "--preset", "kaldi", "--normalize", "lower"]) == 2
    assert "leave out one of the two" in capsys.readouterr().err
    assert main(["parts", "presets", "--format", "json"]) == 0
    assert "compute-wer" in capsys.readouterr().out


def test_equal_regions() -> None:
    assert join_equal_regions("a b c d", "ab c d") == ("ab c d", "ab c d")
    assert join_equal_regions("a b x d", "ab c d") == ("a b x d", "ab c d")
    assert join_equal_regions("ab c", "a bc") == ("abc", "abc")
    assert join_equal_regions("", "a") == ("", "a")


CHUNKS = {"parent_id": ["s2", "s1", "s1", "s1"], "chunk_index": [0, 10, 2, 0], "room": [1, 2, 2, 2]}


def test_sessions() -> None:
    refs = ["z", "a b c", "a b c", "a b c"]
    hyps = {"y": ["z", "c", " ", " a "], "x": ["", "3", "2", "1"]}
    corpus, notes = join_sessions(make_corpus(refs, hyps, metadata=CHUNKS))
    assert corpus.references.rows() == [("s1", "a b c", 2), ("s2", "z", 1)]
    assert corpus.systems == ["y", "x"]
    assert corpus.hypotheses.select("utt", "system", "text").rows() == [
        ("s1", "y", "a c"), ("s2", "y", "z"), ("s1", "x", "1 2 3"), ("s2", "x", "")
    ]  # fmt: skip
    assert notes == (
        "4 chunks were joined to 2 sessions",
        "1 sessions have chunks that are not numbered 0, 1, 2, ...",
    )


def test_sessions_that_cannot_be_joined() -> None:
    plain = make_corpus(["a"], ["a"])
    assert join_sessions(plain) == (plain, ())
    with pytest.raises(InputError, match="no chunk_index"):
        join_sessions(make_corpus(["a"], ["a"], metadata={"parent_id": ["s"]}))
    wrong = {"parent_id": ["s"], "chunk_index": ["first"]}
    with pytest.raises(InputError, match="'1' has no parent_id or no chunk_index"):
        join_sessions(make_corpus(["a"], ["a"], metadata=wrong))


def test_rows_that_the_leaderboard_does_not_score() -> None:
    texts = ["", " ", "ignore time segment in scoring", "a"]
    assert OpenAsrLeaderboardPreset().keeps(texts) == [True, True, False, True]
    strict = OpenAsrLeaderboardPreset(empty="leave-out")
    assert strict.keeps(texts) == [False, False, False, True]
    assert strict.spelled == "open-asr-leaderboard[empty=leave-out]"
