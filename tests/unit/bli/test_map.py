"""Mapping two languages into one space: refused options, notes, resuming."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from misword.bli import map as run
from misword.bli.map import Training, map_vectors, prepare, state_file_of
from misword.bli.mapping import Mapping
from misword.bli.seeds import Validation, from_lexicon
from misword.bli.spaces import Space
from misword.cli.commands.lexicons.map import TrainingDisplay
from misword.cli.main import main
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.signature import Signature
from misword.embed.vectors.words import WordVectors
from misword.io.lexicons import Lexicon
from spaces_made import turned, write_turned


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with vectors and a lexicon."""
    write_turned(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def misword(*words: str) -> int:
    return main(["map", *words])


TRAIN = ("en.vec", "fr.vec", "--lexicon", "train.txt", "-o", "en-fr.map")


def test_the_command_trains_and_describes(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert misword(*TRAIN, "--valid", "valid.txt", "--format", "json") == 0
    out, err = capsys.readouterr()
    facts = json.loads(out)
    assert facts["method"] == "vecmap-s"
    assert facts["source words"] == 120
    assert facts["trace"] == [{"iteration": 1, "pairs": 60, "hit@1": facts["hit@1"]}]
    assert "note: train.txt: 60 of 60 pairs are used\n" in err
    assert "note: valid.txt: hit@1 is of 60 words\n" in err
    assert "iteration 1, pairs 60, hit@1" in err
    assert misword("en-fr.map", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out) == facts


@pytest.mark.parametrize("form", ["table", "md", "csv"])
def test_formats(desk: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert misword(*TRAIN, "--format", form) == 0
    out = capsys.readouterr().out
    assert str(Mapping.read("en-fr.map").signature) in out
    assert "procrustes" not in out
    assert "200000" in out


def test_export_now_or_later(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert misword(*TRAIN, "--export-source", "a.vec", "--export-target", "b.vec") == 0
    mapped = Mapping.read("en-fr.map").mapped("target")
    assert np.array_equal(WordVectors.open("b.vec").matrix, mapped.rows)
    Path("fr.vec").rename("moved.vec")
    assert misword("en-fr.map", "--export-target", "c.vec") == 2
    assert "--target FILE" in capsys.readouterr().err
    assert misword("en-fr.map", "--export-target", "c.vec", "--target", "moved.vec") == 0
    assert Path("c.vec").read_bytes() == Path("b.vec").read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("en.vec", "fr.vec", "-o", "x.map"), "vecmap-s learns from a lexicon"),
        ((*TRAIN, "--method", "vecmap-u"), "vecmap-u takes no lexicon"),
        ((*TRAIN, "--method", "vecmap-q"), "unknown mapping 'vecmap-q'"),
        ((*TRAIN, "--method", "vecmap-s:cutoff=3"), "no option 'cutoff'"),
        (("en.vec", "fr.vec", "--lexicon", "train.txt"), "nowhere to write the mapping"),
        (("en.vec", "-o", "x.map"), "one file of vectors"),
        (("en.vec",), "this is no mapping"),
        ((*TRAIN[:-1], "en.vec"), "this is an input"),
        ((*TRAIN, "--export-source", "train.txt"), "this is an input"),
        ((*TRAIN[:-1], "valid.txt"), "it exists and is not a mapping"),
        ((*TRAIN[:-1], "."), "this is a folder"),
        ((*TRAIN, "--source", "en.vec"), "for a mapping that is there already"),
        (("en.vec", "no.vec", *TRAIN[2:]), "no such file"),
        (("en.vec", "fr.vec", "--method", "vecmap-i", "-o", "x.map"), "no token is in both"),
        (("fr.vec", "en.vec", *TRAIN[2:]), "name the two files of vectors in the other order"),
        ((*TRAIN, "--max-words", "1"), "there is only one word"),
    ],
)
def test_refusals(
    desk: Path, words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(os.listdir(desk))
    assert misword(*words) == 2
    assert said in capsys.readouterr().err
    assert sorted(os.listdir(desk)) == before


def test_bad_vectors_are_refused() -> None:
    source, target, pairs = turned(40, 6)
    with pytest.raises(MismatchError, match="6 dimensions, but 5"):
        map_vectors(source, WordVectors.of(target.words[:], target.matrix[:, :5]), lexicon=pairs)
    rows = target.matrix.copy()
    rows[3, 2] = np.nan
    with pytest.raises(InputError, match=f"1 vector with nan or infinity: '{target.words[3]}'"):
        map_vectors(source, WordVectors.of(target.words[:], rows), lexicon=pairs)
    with pytest.raises(InputError, match="there is only one word"):
        map_vectors(source, WordVectors.of(["v1"], target.matrix[:1]), lexicon=pairs)
    nothing = WordVectors.of(target.words[:], np.zeros_like(target.matrix))
    with pytest.raises(InputError, match="all vectors are zero"):
        map_vectors(source, nothing, lexicon=pairs)


def test_a_lexicon_without_known_words_says_what_was_found() -> None:
    source, target, _ = turned(40, 6)
    lexicon = [("w1", "nothing"), ("w2", "nowhere"), ("void", "v3")]
    with pytest.raises(InputError, match=r"2 of its 3 source words and 1 of its 3 target words"):
        map_vectors(source, target, lexicon=lexicon)


def test_what_was_left_out_of_a_lexicon_is_counted() -> None:
    source, target, _ = turned(40, 6)
    pairs = [("w1", "v1"), ("W1", "v1"), ("W2", "V2"), ("void", "v3"), ("w4", "nil"), ("w5", "nil")]
    spaces = Space.of(source), Space.of(target)
    rows, notes = from_lexicon(Lexicon.of(pairs), *spaces)
    assert rows[:, 0].tolist() == [1, 2]
    assert [target.words[i] for i in rows[:, 1].tolist()] == ["v1", "v2"]
    assert notes == (
        "memory: 2 of 6 pairs are used",
        "memory: no vector for 1 of its 6 source words",
        "memory: no vector for 1 of its 4 target words",
        "memory: 1 duplicate pair in another case: each counts once",
    )


def test_max_words_is_said_and_signed() -> None:
    source, target, pairs = turned(40, 6)
    known = {target.words[i] for i in range(30)}
    few = [pair for pair in pairs[:30] if pair[1] in known]
    mapping = map_vectors(source, target, "procrustes", lexicon=few, max_words=30)
    assert ("max_words", "30") in mapping.signature.settings
    assert mapping.source.words == mapping.target.words == 30
    assert mapping.notes[0] == "memory: words beyond the first 30 are left out (--max-words)"


def test_hits_are_of_all_right_answers() -> None:
    eye = np.eye(3, dtype=np.float32)
    source = Space.of(WordVectors.of(["a", "b", "c"], eye), "unit")
    target = Space.of(WordVectors.of(["x", "y", "z"], 2 * eye), "none")
    pairs = np.array([[0, 1], [0, 0], [1, 2]])
    valid = Validation.of(source, target, pairs)
    assert valid.hit(eye, eye) == 0.5
    assert valid.hit(eye, eye[[0, 2, 1]]) == 1.0
    # without unit rows a long vector would win
    long = Space.of(WordVectors.of(["x", "y", "z"], [[1, 0, 0], [9, 9, 9], [0, 0, 1]]), "none")
    assert Validation.of(source, long, pairs[1:2]).hit(eye, eye) == 1.0


def test_states_are_written_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part, one = tmp_path / "x.map.part", np.eye(1, dtype=np.float32)
    training = Training(Signature("m", (("seed", "0"),)), state_file=part)
    training.save({"turn": 1, "rows": np.arange(3)})
    assert not part.exists()
    monkeypatch.setattr(run, "SECONDS_BETWEEN_WRITES", 0)
    training.report({"iteration": 2}, one, one)
    training.save({"turn": 2, "rows": np.arange(4)})
    training.report({"iteration": 3}, one, one)
    training.write()
    again = Training(training.signature, state_file=part)
    assert again.open(resume=True)
    state = again.saved_state()
    assert state is not None
    assert (state["turn"], state["rows"].tolist()) == (2, [0, 1, 2, 3])
    assert again.trace == [{"iteration": 2}]  # iterations after the state are repeated


def test_a_state_of_another_training_is_refused(tmp_path: Path) -> None:
    part = tmp_path / "x.map.part"
    first = Training(Signature("m", (("seed", "0"), ("source", "aa"))), state_file=part)
    first.save({"turn": 1})
    first.write()
    other = Training(Signature("m", (("seed", "1"), ("source", "bb"))), state_file=part)
    with pytest.raises(MismatchError, match="seed: 1 / 0; source: bb / aa"):
        other.open(resume=True)
    with pytest.raises(OptionError, match="continue it with --resume, or remove the file"):
        first.open(resume=False)
    part.write_bytes(part.read_bytes()[:50])
    with pytest.raises(InputError, match=r"cut or damaged|no interrupted training"):
        first.open(resume=True)


def test_ctrl_c_and_sigterm_leave_a_state(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A signal stops the training; the same command with --resume continues it."""
    monkeypatch.setattr(run, "SECONDS_BETWEEN_WRITES", 0)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # Ray leaves a handler of its own
    part = state_file_of("en-fr.map")
    endless = (*TRAIN, "--method", "vecmap-semi:patience=1000000,csls=3")

    def written() -> int:
        return part.stat().st_mtime_ns if part.exists() else 0

    def stop(sign: signal.Signals, before: int) -> None:
        while written() == before:
            time.sleep(0.01)
        os.kill(os.getpid(), sign)

    for sign, code, resume in (
        (signal.SIGTERM, 143, ()),
        (signal.SIGINT, 130, ("--resume",)),
    ):
        stopper = threading.Thread(target=stop, args=[sign, written()])
        stopper.start()
        assert misword(*endless, *resume) == code
        stopper.join()
        assert "en-fr.map.part has the training so far" in capsys.readouterr().err
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    assert not Path("en-fr.map").exists()
    assert misword(*endless) == 2
    assert "there is the state of an interrupted training" in capsys.readouterr().err
    assert misword(*endless, "--resume", "--seed", "1") == 2
    assert "seed: 1 / 0" in capsys.readouterr().err


def test_a_lost_interruption_is_seen_at_the_next_iteration() -> None:
    """Python drops an exception of a signal handler that is raised in a destructor."""
    display = TrainingDisplay()
    display.iteration({"iteration": 1})
    display.stopped.set()
    with pytest.raises(KeyboardInterrupt):
        display.iteration({"iteration": 2})


def test_nothing_to_resume_is_noted(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert misword(*TRAIN, "--resume") == 0
    assert (
        "note: there is no en-fr.map.part: the training starts from the beginning"
        in capsys.readouterr().err
    )


def test_an_unwritable_place_is_refused_before_work(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (desk / "file").write_text("", encoding="utf-8")
    assert misword(*TRAIN[:-1], "file/en-fr.map") == 2
    assert "a file is where a folder is needed" in capsys.readouterr().err


def test_no_numbers_are_refused() -> None:
    source, target, pairs = turned(40, 6)
    task = prepare(source, target, "procrustes", lexicon=pairs)
    with pytest.raises(InputError, match=r"procrustes computed a matrix with nan"):
        task._side(task.source, np.full((6, 6), np.nan, np.float32))
