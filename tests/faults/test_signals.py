"""Signals at any time of a command: no part of an output, one line, the exit code of the signal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arpa import write_arpa
from misword.cli.main import main

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

# Runs a command, and sends the process a signal at the n-th call of a function of misword
# within `main`.
CHILD = """
import os, sys
from misword.cli.main import main
sign, at, *words = sys.argv[1:]
left = int(at) + 1  # the first call is that of `main`
def count(frame, event, argument):
    global left
    if event == "call" and "misword" in frame.f_code.co_filename:
        left -= 1
        if not left:
            sys.setprofile(None)
            os.kill(os.getpid(), int(sign))
sys.setprofile(count)
sys.exit(main(words))
"""
COMMANDS = {
    "rescore": "rescore nbest.jsonl --lm ngram:lm.arpa -o out/s.jsonl --out out/r "
    "--report out/r.html",
    "report": "report res -o out/page.html",
    "map": "map a.vec a.vec --lexicon lex.tsv --method procrustes -o out/ab.map",
}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_arpa(Path("lm.arpa"))
    rows = [{"utt": f"u{n}", "rank": r, "text": "the cat sat"} for n in range(4) for r in (1, 2)]
    Path("nbest.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    words = [f"w{n}" for n in range(12)]
    vectors = [f"{word} {n % 5} {n % 3} {n + 1}" for n, word in enumerate(words)]
    Path("a.vec").write_text("\n".join([f"{len(words)} 3", *vectors, ""]))
    Path("lex.tsv").write_text("".join(f"{word}\t{word}\n" for word in words))
    Path("ref.txt").write_text("the cat sat\non the mat\n")
    assert main(["score", "ref.txt", "ref.txt", "--out", "res", "--bootstrap", "0", "-q"]) == 0
    Path("out").mkdir()
    return tmp_path


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_signal_leaves_nothing_half_written(
    desk: Path, command: str, sign: signal.Signals
) -> None:
    if command == "rescore":
        pytest.importorskip("kenlm")
    for at in (1, 2, 3, 10, 50, 150, 400, 600, 800, 1200, 1600, 2000, 2500, 3000, 4000):
        call = [sys.executable, "-c", CHILD, str(int(sign)), str(at), *COMMANDS[command].split()]
        done = subprocess.run(call, capture_output=True, text=True, timeout=120)
        if done.returncode == 0:  # the command has fewer calls
            break
        assert done.returncode == 128 + sign, (at, done.stderr)
        what = "interrupted" if sign == signal.SIGINT else "terminated"
        assert done.stderr.splitlines()[-1].startswith(f"misword: {what}; "), (at, done.stderr)
        assert "Traceback" not in done.stderr
        said = done.stderr.splitlines()[-1].partition("; ")[2]
        whole = [word for word in COMMANDS[command].split() if word.startswith("out/")]
        if os.listdir("out"):  # the signal came after the last step, which is moving the outputs
            assert said == f"already written: {', '.join(whole)}", at
            assert sorted(os.listdir("out")) == sorted(Path(path).name for path in whole), at
            break
        assert said == "nothing was written", at
