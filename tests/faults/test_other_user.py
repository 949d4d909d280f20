"""Outputs in folders that the user may not write into: one message, and nothing is left there.

The tests run as root, who may write everywhere, so the command runs in a process that becomes
another user.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0,
    reason="only root can start a process of another user",
)
NOBODY = 65534
# Runs a command as root, which imports all modules that it needs (those of Python may be in a
# folder that only root can read), then runs it as another user in the folder of the test.
CHILD = f"""
import os, sys
from misword.cli.main import main
words = sys.argv[1:]
os.chdir("writable")
assert main([*words, "-q"]) == 0
main(["score", "missing.txt", "missing.txt"])
os.chdir("../read-only")
os.setgroups([])
os.setgid({NOBODY})
os.setuid({NOBODY})
sys.stderr.write("---\\n")
sys.exit(main(words))
"""
COMMANDS = {
    "score --out": "score ref.txt hyp.txt --bootstrap 0 --out results",
    "score --out below": "score ref.txt hyp.txt --bootstrap 0 --out new/results",
    "score --report": "score ref.txt hyp.txt --bootstrap 0 --report page.html",
    "report": "report scored -o page.html",
    "corrupt": "corrupt ref.txt --wer 0.3 --channel uniform -o noisy.txt",
    "map": "map a.vec a.vec --lexicon lexicon.tsv --method procrustes -o ab.map",
    "draft": "translate made.map --all --include all --draft -o draft.csv",
    "draft --report": "translate made.map --all --include all -o draft.csv --report draft.html",
    "learn-noise": "learn-noise ref.txt hyp.txt -o noise.json",
}


@pytest.fixture(scope="module")
def desk() -> Iterator[Path]:
    """Two folders with the same inputs: one that only root can write, and one for everybody."""
    folder = Path(tempfile.mkdtemp())  # pytest's own folders cannot be entered by other users
    inputs = folder / "read-only"
    inputs.mkdir()
    (inputs / "ref.txt").write_text("the cat sat\non the mat\n" * 5)
    (inputs / "hyp.txt").write_text("the bat sat\non a mat\n" * 5)
    words = [f"w{number}" for number in range(12)]
    lines = [f"{word} {n % 5} {n % 3} {n + 1}" for n, word in enumerate(words)]
    (inputs / "a.vec").write_text("\n".join([f"{len(words)} 3", *lines, ""]))
    (inputs / "lexicon.tsv").write_text("".join(f"{word}\t{word}\n" for word in words))
    for line in (
        "score ref.txt hyp.txt --bootstrap 0 --out scored -q",
        "map a.vec a.vec --lexicon lexicon.tsv --method procrustes -o made.map -q",
    ):
        call = [sys.executable, "-m", "misword", *line.split()]
        subprocess.run(call, cwd=inputs, check=True, capture_output=True)
    folder.chmod(0o755)
    inputs.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_that_cannot_be_written(desk: Path, command: str) -> None:
    inputs = desk / "read-only"
    shutil.rmtree(desk / "writable", ignore_errors=True)
    shutil.copytree(inputs, desk / "writable")
    before = sorted(os.listdir(inputs))
    words = COMMANDS[command].split()
    call = [sys.executable, "-c", CHILD, *words]
    done = subprocess.run(call, cwd=desk, capture_output=True, text=True, timeout=120)
    said = done.stderr.rpartition("---\n")[2]
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in said
    errors = [line for line in said.splitlines() if line.startswith("misword ")]
    assert len(errors) == 1, said
    assert errors[0].startswith(f"misword {words[0]}: "), said
    assert "cannot be written" in errors[0], said
    assert sorted(os.listdir(inputs)) == before
