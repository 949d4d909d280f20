"""At which commit a result was measured: the last line of each file in bench/results.

`bench/run.py` writes the line after each benchmark. `python bench/stamps.py` lists how old the
results are, as numbers of commits. `bench/quotes.py` writes the days into docs/speed.md.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "bench" / "results"
SPEED = ROOT / "docs" / "speed.md"
STAMP = re.compile(
    r"^Measured at commit ([0-9a-f]{7,40})( with changes)? on (\d{4}-\d\d-\d\d)\.$", re.M
)


@dataclass(frozen=True)
class Stamp:
    """The commit of a measurement, whether files were changed beside it, and the day."""

    commit: str
    changed: bool
    day: str

    def __str__(self) -> str:
        return f"Measured at commit {self.commit}{' with changes' * self.changed} on {self.day}."


def git(*words: str) -> str:
    """Return the output of a command of git, empty if it fails."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def now() -> Stamp:
    """Return the stamp of this working copy; results that were just written are no change."""
    changes = git("status", "--porcelain", "--untracked-files=no", "--", ":!bench/results")
    day = subprocess.run(["date", "+%F"], capture_output=True, text=True, check=True)
    return Stamp(git("rev-parse", "--short=12", "HEAD"), bool(changes), day.stdout.strip())


def stamp_of(text: str) -> Stamp | None:
    """Return the stamp in the text of a result.

    >>> stamp_of("a\\n\\nMeasured at commit 0123abc on 2026-01-02.\\n")
    Stamp(commit='0123abc', changed=False, day='2026-01-02')
    """
    found = STAMP.search(text)
    return Stamp(found[1], bool(found[2]), found[3]) if found else None


def stamped(text: str, stamp: Stamp) -> str:
    """Return the text of a result with a stamp as its last line."""
    return f"{STAMP.sub('', text).rstrip()}\n\n{stamp}\n"


def results() -> list[Path]:
    """Return the pages of results."""
    return sorted(RESULTS.glob("*.md"))


def age(stamp: Stamp) -> int | None:
    """Return the number of commits since a measurement; None if its commit is not known here."""
    count = git("rev-list", "--count", f"{stamp.commit}..HEAD")
    return int(count) if count else None


# A line of the list of all measurements in docs/speed.md: its link, the day, what it is about.
LISTED = re.compile(
    r"^(- \[[\w-]+\]\(\.\./bench/results/([\w-]+\.md)\))(?:, \d{4}-\d\d-\d\d)?:", re.MULTILINE
)


def dated(page: str) -> str:
    """Return the text of docs/speed.md with the day of each measurement that it lists."""
    days = {path.name: stamp_of(path.read_text("utf-8")) for path in results()}

    def line(found: re.Match[str]) -> str:
        stamp = days.get(found[2])
        return f"{found[1]}, {stamp.day}:" if stamp else f"{found[1]}:"

    return LISTED.sub(line, page)


def ages() -> str:
    """Return a line for each result: how many commits ago it was measured, the oldest first."""
    found = []
    for path in results():
        stamp = stamp_of(path.read_text("utf-8"))
        commits = age(stamp) if stamp else None
        ago = "unknown" if commits is None else f"{commits:,} commits ago"
        found.append((-(commits or 0), f"{path.name:24} {ago:20} {stamp.day if stamp else ''}"))
    return "\n".join(line for _, line in sorted(found))


if __name__ == "__main__":
    print(ages())
