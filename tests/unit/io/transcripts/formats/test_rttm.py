"""RTTM: who speaks when, alone and beside the words of ctm files."""

from __future__ import annotations

from pathlib import Path

import pytest

import misword
from misword.cli.main import main
from misword.core.errors import InputError, MismatchError

REFERENCE = """\
SPEAKER m1 1 0.0 2.0 <NA> <NA> anna <NA> <NA>
SPEAKER m1 1 2.0 2.0 <NA> <NA> ben <NA> <NA>
SPEAKER m2 1 0.0 2.0 <NA> <NA> anna <NA> <NA>
"""
HYPOTHESIS = """\
;; a comment
SPKR-INFO m1 1 <NA> <NA> <NA> unknown s1 <NA> <NA>
SPEAKER m2 1 0.0 1.0 <NA> <NA> s1 <NA> <NA>
SPEAKER m1 1 0.0 3.0 <NA> <NA> s1 <NA> <NA>
SPEAKER m1 1 3.0 1.0 <NA> <NA> s2 <NA> <NA>
"""
WORDS = """\
m1 1 0.1 0.3 hello
m1 1 0.5 0.3 ben
m1 1 2.2 0.3 hello
m1 1 2.8 0.5 anna
m2 1 0.2 0.3 yes
m2 1 1.2 0.3 no
"""


def test_der_of_files_without_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / "ref.rttm", tmp_path / "hyp.rttm"]
    for path, text in zip(files, (REFERENCE, HYPOTHESIS), strict=True):
        path.write_text(text)
    # One second of ben has the speaker of anna, and one second of m2 is missed, of six.
    corpus, _ = misword.read_corpus(*files, segments="recording", without_words=True)
    scores = misword.score(corpus, metrics="der")
    assert scores.table.select("utt", r"^der\..*$").rows() == [
        ("m1", 0.0, 0.0, 1.0, 4.0),
        ("m2", 1.0, 0.0, 0.0, 2.0),
    ]
    assert "recordings" not in scores.records
    arguments = ["score", *map(str, files), "--metrics", "der", "--bootstrap", "0"]
    assert main(arguments) == 0
    assert "33.33" in capsys.readouterr().out
    stm = tmp_path / "ref.stm"
    stm.write_text("m1 1 a 0 2 so\nm1 1 b 2 4 it\nm2 1 a 0 2 is\n")
    mixed, _ = misword.read_corpus(stm, files[1], segments="recording", without_words=True)
    assert misword.score(mixed, metrics="der")["der"] == pytest.approx(2 / 6)


@pytest.mark.parametrize("metrics", ["wer", "cpwer", "der,cpwer"])
def test_metrics_of_words_refuse_them(
    tmp_path: Path, metrics: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.rttm"
    path.write_text(REFERENCE)
    assert main(["score", str(path), str(path), "--metrics", metrics]) == 2
    assert "no words" in capsys.readouterr().err
    with pytest.raises(InputError, match="no words"):
        misword.read_corpus(path, path)


def test_words_of_ctm_have_the_speakers_of_rttm(tmp_path: Path) -> None:
    folder = tmp_path / "hyp"
    folder.mkdir()
    (folder / "words.ctm").write_text(WORDS)
    (folder / "turns.rttm").write_text(HYPOTHESIS)
    reference = tmp_path / "ref.stm"
    reference.write_text(
        "m1 1 anna 0.0 2.0 hello ben\nm1 1 ben 2.0 4.0 hello anna\nm2 1 anna 0.0 2.0 yes no\n"
    )
    corpus, notes = misword.read_corpus(reference, folder, segments="recording")
    words = corpus.words_of("hyp")
    assert words is not None
    # The second "anna" overlaps s2 by 0.3 s and s1 by 0.2 s; "no" is after the segment of s1.
    found = words.sort("recording", "place").select("word", "speaker")
    assert found["speaker"].to_list() == ["s1", "s1", "s1", "s2", "s1", "s1"]
    assert any("1 word outside the segments of all speakers" in note for note in notes)
    scores = misword.score(corpus, metrics="cpwer,wder")
    assert scores["wder"] == pytest.approx(1 / 6)
    assert scores["cpwer"] == pytest.approx(2 / 6)  # hello of ben: missing there, inserted at anna


def test_errors_name_the_line(tmp_path: Path) -> None:
    bad = tmp_path / "bad.rttm"
    for line, message in (
        ("SPEAKER m1 1 soon 2.0 <NA> <NA> a <NA> <NA>", "begin is 'soon'"),
        ("SPEAKER m1 1 0.0 -2.0 <NA> <NA> a <NA> <NA>", "a duration below 0"),
        ("SPEAKER m1 1 0.0", "4 fields"),
    ):
        bad.write_text(f"{line}\n")
        with pytest.raises(InputError, match=message) as raised:
            misword.read_corpus(bad, bad, without_words=True)
        assert "bad.rttm:1: " in str(raised.value)


def test_recordings_without_segments_are_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "hyp"
    folder.mkdir()
    (folder / "words.ctm").write_text(WORDS)
    (folder / "turns.rttm").write_text("SPEAKER m1 1 0.0 2.0 <NA> <NA> anna <NA> <NA>\n")
    with pytest.raises(MismatchError, match="no segment of a speaker in recording 'm2'"):
        misword.read_corpus(folder, folder)
