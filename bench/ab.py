"""Two versions beside each other: `make bench-ab BASE=main`.

The version of a commit is checked out into build/ab and its kernels are compiled there; the other
version is this working copy. Both do the same short pieces of work (bench/short.py), in turns and
in processes of their own. Prints CPU seconds and ratios: above 1, this working copy is slower.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build" / "ab"


def build(base: str) -> Path:
    """Check out a commit with its compiled kernels; return its folder. A folder is used again."""
    commit = git("rev-parse", "--verify", f"{base}^{{commit}}")
    folder = FOLDER / commit[:12]
    if not (folder / "built").exists():
        git("worktree", "prune")
        if not folder.exists():
            git("worktree", "add", "--detach", "--force", str(folder), commit)
        subprocess.run([sys.executable, folder / "tools" / "build_native.py"], check=True)
        (folder / "built").touch()
    return folder


def git(*words: str) -> str:
    """Return the output of a command of git."""
    command = ["git", *words]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()


def seconds(folder: Path) -> dict[str, float]:
    """Return the CPU seconds of each piece of work with the package of a folder."""
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
    done = subprocess.run(
        [sys.executable, ROOT / "bench" / "short.py"],
        env=environment, stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def table(base: dict[str, float], here: dict[str, float], name: str) -> str:
    """Return a Markdown table of the pieces that both versions can do, and a list of the others.

    >>> print(table({"score": 0.2, "old": 1.0}, {"score": 0.1}, "main"))
    | work | main, CPU s | here, CPU s | ratio |
    |:--|--:|--:|--:|
    | score | 0.2000 | 0.1000 | 0.50 |
    <BLANKLINE>
    not in both: old
    """
    lines = [f"| work | {name}, CPU s | here, CPU s | ratio |", "|:--|--:|--:|--:|"]
    lines += [
        f"| {work} | {before:.4f} | {here[work]:.4f} | {here[work] / before:.2f} |"
        for work, before in base.items()
        if work in here
    ]
    if others := sorted(base.keys() ^ here.keys()):
        lines += ["", f"not in both: {', '.join(others)}"]
    return "\n".join(lines)


def main() -> None:
    """Build the other version, run both in turns and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("base", help="the other version: a commit, a branch, a tag")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each version (3)")
    options = parser.parse_args()
    other = build(options.base)
    base: dict[str, float] = {}
    here: dict[str, float] = {}
    for _ in range(options.rounds):
        for known, folder in ((base, other), (here, ROOT)):
            for work, used in seconds(folder).items():
                known[work] = min(used, known.get(work, used))
    print(table(base, here, options.base))


if __name__ == "__main__":
    main()
