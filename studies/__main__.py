"""Write the pages of all studies: `python -m studies [PAPER ...]`."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from misword.core.errors import MiswordError
from studies.common.data import ROOT, MissingError
from studies.common.index import write_index

FOLDER = ROOT / "docs" / "studies"
PAPERS = ("denisova2023", "kementchedjhieva2019", "le2016", "roux2022", "voleti2019")


def main(papers: list[str]) -> int:
    """Run the studies, one after the other; return 1 if one of them could not run, 2 if unknown."""
    if unknown := set(papers) - set(PAPERS):
        print(f"no study {', '.join(sorted(unknown))}; known: {', '.join(PAPERS)}", file=sys.stderr)
        return 2
    FOLDER.mkdir(exist_ok=True)
    failed = 0
    for paper in papers or PAPERS:
        start = cpu_seconds()
        try:
            import_module(f"studies.{paper}").write(FOLDER)
        except (MissingError, MiswordError) as error:
            print(f"{paper}: left out: {error}", file=sys.stderr)
            failed = 1
        else:
            print(f"{paper}: {cpu_seconds() - start:.0f} s of CPU time", file=sys.stderr)
    write_index(FOLDER)
    return failed


def cpu_seconds() -> float:
    """Return the CPU time of this process and of the programs that it ran."""
    return sum(os.times()[:4])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
