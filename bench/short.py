"""CPU seconds of short pieces of work as JSON: what `bench/ab.py` runs with two versions.

Work that a version cannot do is left out.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import corpus
import misword

PAIRS = 20_000
ROUNDS = 3


def cpu(work: Callable[[], Any]) -> float:
    """Return the CPU seconds of work in this process and in processes that it starts."""
    before, start = getrusage(RUSAGE_CHILDREN), time.process_time()
    work()
    after = getrusage(RUSAGE_CHILDREN)
    others = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.process_time() - start + others


def pieces(folder: Path) -> dict[str, Callable[[], Any]]:
    """Return the pieces of work by name."""
    refs, hyps = corpus.make(PAIRS)
    again = corpus.better(refs, hyps)
    files = [folder / name for name in ("ref.txt", "hyp.txt")]
    for path, texts in zip(files, (refs, hyps), strict=True):
        path.write_text("\n".join(texts[:60]) + "\n", "utf-8")
    command = [sys.executable, "-m", "misword"]
    run = partial(subprocess.run, capture_output=True, check=True)
    lists = [[hyp, other] for hyp, other in zip(hyps, again, strict=True)]
    shapes = {
        f"score, {shape}": partial(misword.score, *pair, "wer")
        for shape, pair in corpus.shapes(refs, hyps).items()
    }
    return shapes | {
        "score, cer": partial(misword.score, refs, hyps, "cer"),
        "score, forgiving": partial(misword.score, refs, hyps, "wer", forgive="writing", lang="en"),
        "compare": partial(misword.compare, refs, {"a": hyps, "b": again}, "wer"),
        "oracle": partial(misword.oracle, refs, lists, "wer"),
        "check": partial(misword.check, refs[:2000], hyps[:2000]),
        "1,000 calls of wer": lambda: [
            misword.wer(r, h) for r, h in zip(refs[:1000], hyps[:1000], strict=True)
        ],
        "process: score --help": partial(run, [*command, "score", "--help"]),
        "process: parts": partial(run, [*command, "parts"]),
        "process: score of 60 lines": partial(run, [*command, "score", *map(str, files)]),
    }


def main() -> None:
    """Print the least CPU seconds of each piece."""
    with tempfile.TemporaryDirectory() as name:
        found = {}
        for title, work in pieces(Path(name)).items():
            try:
                found[title] = min(cpu(work) for _ in range(ROUNDS))
            except Exception as error:  # another version may lack an option or a function
                print(f"{title}: {error}", file=sys.stderr)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
