"""What it costs to know what words sound like: `python bench/phonology.py`.

A vocabulary of 30,000 English words with 1,000 candidates each: the 30 million phonological
distances alone, beside the feature edit distances of panphon on the same words, and the whole
tables of the channels, made and found again in the cache. Compiling is left out; the peak of memory
is that of a process of its own. Writes bench/results/phonology.md.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from misword.alignment import align
from misword.core.context import Context
from misword.embed.vectors.opened import word_vectors
from misword.noise.candidates.phonology import Phonology, Pronunciations
from misword.noise.channels.specs import create_channel
from misword.text.features import IPA_OF
from timing import Timing, clock, machine

RESULTS = Path(__file__).parent / "results" / "phonology.md"
VECTORS = Path(__file__).parents[2] / "shared" / "data" / "vectors"
CANDIDATES, RUN = 1000, 1000  # of each word; words at a time
ALIGNED, ASKED = 200_000, 2_000  # pairs for the slower ones


def around(lang: str = "en") -> Context:
    return Context.of(lang, VECTORS / f"{lang}.vec.gz")


def measure(sounds: Pronunciations, words: np.ndarray, workers: int | None = None) -> None:
    """Each word with as many others, some words at a time."""
    rng = np.random.default_rng(0)
    for lo in range(0, len(words), RUN):
        said = np.repeat(words[lo : lo + RUN], CANDIDATES)
        sounds.distances(np.stack([said, rng.choice(words, len(said))], axis=1), workers)


def distances(sounds: Pronunciations, words: np.ndarray) -> list[str]:
    pairs = len(words) * CANDIDATES
    measure(sounds, words[:RUN])
    both = clock("all, two threads", "", lambda: measure(sounds, words), 2)
    one = clock("all, one thread", "", lambda: measure(sounds, words, 1), 1)
    some = np.random.default_rng(0).choice(words, (ALIGNED, 2))
    aligned = clock("align", "", lambda: align_all(sounds, some), 2)
    named = [
        ("distances, two threads", pairs, both),
        ("distances, one thread", pairs, one),
        ("`align`, with its path", ALIGNED, aligned),
        *((name, ASKED, timing) for name, timing in panphon(sounds, some[:ASKED])),
    ]
    return [line(name, count, timing, both.cpu / pairs) for name, count, timing in named]


def align_all(sounds: Pronunciations, pairs: np.ndarray) -> None:
    align(sounds.tokens, sounds.tokens, pairs=pairs, costs=sounds.costs, operations=False)


def panphon(sounds: Pronunciations, pairs: np.ndarray) -> list[tuple[str, Timing]]:
    """Two of panphon's distances; the words are written in IPA beforehand."""
    from panphon.distance import Distance

    peer: Any = Distance()
    ipa = {i: "".join(IPA_OF[sound] for sound in sounds.tokens[i]) for i in np.unique(pairs)}
    spelt = [(ipa[left], ipa[right]) for left, right in pairs.tolist()]
    ways = ("feature_edit_distance", "weighted_feature_edit_distance")
    found = []
    for name in ways:
        work = partial(each, getattr(peer, name), spelt)
        found.append((f"panphon {name}", clock(name, "", work, 1)))
    return found


def each(way: Any, pairs: list[tuple[str, str]]) -> None:
    for pair in pairs:
        way(*pair)


def line(name: str, count: int, timing: Timing, base: float) -> str:
    cpu, wall = timing.cpu / count, timing.wall / count
    return (
        f"| {name} | {count:,} | {timing.cpu:.2f} | {timing.wall:.2f} | {cpu * 1e9:,.0f} "
        f"| {wall * 1e9:,.0f} | {cpu / base:,.1f} |"
    )


def tables(words: list[str]) -> list[str]:
    """Whole tables, each made in an empty cache and then found there."""
    found = []
    for spec, lang in (("voleti", "en"), ("phonetic", "en"), ("voleti", "fr")):
        context = around(lang)
        asked = words if lang == "en" else list(word_vectors(context).words)
        channel = create_channel(spec)
        channel.error_model(asked[:500], context)  # what is compiled, and the phonemizer's data
        work = partial(channel.error_model, asked, context)
        made, again = clock(f"{spec} {lang}", "", work, 1), clock("again", "", work, 3)
        table = channel.error_model(asked, context).candidates
        found.append(
            f"| {spec}, {lang} | {len(asked):,} | {np.count_nonzero(~table.has_candidates):,} "
            f"| {len(table.ids):,} | {made.cpu:.1f} | {made.wall:.1f} | {again.wall:.2f} |"
        )
    return found


def memory(spec: str, lang: str) -> float:
    """MB that making a table adds to a process that has done so with few words."""
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(
            [sys.executable, __file__, spec, lang],
            capture_output=True, text=True, check=True, env={**os.environ, "TABLES": empty},
        )  # fmt: skip
    return float(done.stdout)


def alone(spec: str, lang: str) -> None:
    context = around(lang)
    words = list(word_vectors(context).words)
    create_channel(spec).error_model(
        words[-500:], context
    )  # what is compiled, the phonemizer's data
    os.environ["MISWORD_CACHE"] = os.environ["TABLES"]
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = status("VmRSS")
    create_channel(spec).error_model(words, context)
    print((status("VmHWM") - before) / 2**10)


def status(name: str) -> int:
    """Kilobytes that Linux knows of this process."""
    lines = Path("/proc/self/status").read_text().split("\n")
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def main() -> None:
    words = list(word_vectors(around()).words)
    sounds = Phonology("en").pronounce(words)
    known = np.flatnonzero(sounds.known)
    with tempfile.TemporaryDirectory() as empty:
        for lang in ("en", "fr"):
            _ = word_vectors(around(lang))  # read once, into the user's cache
        rows = distances(sounds, known)
        os.environ["MISWORD_CACHE"] = empty
        made = tables(words)
        peaks = [f"| {name} | {memory(name, 'en'):.0f} |" for name in ("voleti", "phonetic")]
    length = float(sounds.tokens.lengths[known].mean())
    text = f"""# Phonology

`python bench/phonology.py`, {machine()}. The {len(known):,} words of
shared/data/vectors/en.vec.gz that can be said, {length:.1f} phonemes each.

### Phonological distances

{CANDIDATES:,} random others for each word. `times` is CPU time a pair against the first row.

| | pairs | CPU s | wall s | CPU ns a pair | wall ns a pair | times |
|:--|--:|--:|--:|--:|--:|--:|
{chr(10).join(rows)}

### Tables of candidates

All 30,000 words of the vectors; `voleti` among the same words, `phonetic` among the 30,000 most
frequent of wordfreq. The cache was empty, then it was not.

| | words | left alone | candidates | CPU s | wall s | from the cache, s |
|:--|--:|--:|--:|--:|--:|--:|
{chr(10).join(made)}

### Memory

The peak while an English table is made, above what a process has that opened the vectors and made
a table of 500 words.

| | MB |
|:--|--:|
{chr(10).join(peaks)}
"""
    RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        alone(*sys.argv[1:])
    else:
        main()
