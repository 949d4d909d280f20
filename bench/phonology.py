"""Time and memory of phonological distances and error models: `python bench/phonology.py`.

A vocabulary of 30,000 English words with 1,000 candidates each: the 30 million phonological
distances alone, against the feature edit distances of panphon on the same words; then the error
models of channels, computed and read again from the cache. Compiling is not part of the times. The
peak of memory is measured in a process of its own. Writes bench/results/phonology.md.
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
from misword.embed.vectors.words import word_vectors
from misword.noise.channels.specs import create_channel
from misword.noise.phonology import Phonology, Pronunciations
from misword.text.features import IPA_OF
from timing import Timing, clock, machine

RESULTS = Path(__file__).parent / "results" / "phonology.md"
VECTORS = Path(__file__).parents[2] / "shared" / "data" / "vectors"
CANDIDATES, BLOCK = 1000, 1000  # candidates of each word; words at a time
ALIGNED, BY_PANPHON = 200_000, 2_000  # pairs for the slower functions


def context_of(lang: str = "en") -> Context:
    """Return the context with a language and its vectors."""
    return Context.of(lang, VECTORS / f"{lang}.vec.gz")


def measure(sounds: Pronunciations, words: np.ndarray, workers: int | None = None) -> None:
    """Compute the distances of each word to `CANDIDATES` others, a block of words at a time."""
    rng = np.random.default_rng(0)
    for lo in range(0, len(words), BLOCK):
        left = np.repeat(words[lo : lo + BLOCK], CANDIDATES)
        sounds.distances(np.stack([left, rng.choice(words, len(left))], axis=1), workers)


def distances(sounds: Pronunciations, words: np.ndarray) -> list[str]:
    pairs = len(words) * CANDIDATES
    measure(sounds, words[:BLOCK])
    both = clock("all, two threads", "", lambda: measure(sounds, words), 2)
    one = clock("all, one thread", "", lambda: measure(sounds, words, 1), 1)
    some = np.random.default_rng(0).choice(words, (ALIGNED, 2))
    aligned = clock("align", "", lambda: align_all(sounds, some), 2)
    named = [
        ("distances, two threads", pairs, both),
        ("distances, one thread", pairs, one),
        ("`align`, with its path", ALIGNED, aligned),
        *((name, BY_PANPHON, timing) for name, timing in panphon(sounds, some[:BY_PANPHON])),
    ]
    return [line(name, count, timing, both.cpu / pairs) for name, count, timing in named]


def align_all(sounds: Pronunciations, pairs: np.ndarray) -> None:
    align(sounds.tokens, sounds.tokens, pairs=pairs, costs=sounds.costs, operations=False)


def panphon(sounds: Pronunciations, pairs: np.ndarray) -> list[tuple[str, Timing]]:
    """Time two of panphon's distances; the words are written in IPA before."""
    from panphon.distance import Distance

    peer: Any = Distance()
    ipa = {i: "".join(IPA_OF[sound] for sound in sounds.tokens[i]) for i in np.unique(pairs)}
    spelt = [(ipa[left], ipa[right]) for left, right in pairs.tolist()]
    timings = []
    for name in ("feature_edit_distance", "weighted_feature_edit_distance"):
        work = partial(call_for_each, getattr(peer, name), spelt)
        timings.append((f"panphon {name}", clock(name, "", work, 1)))
    return timings


def call_for_each(function: Any, pairs: list[tuple[str, str]]) -> None:
    for pair in pairs:
        function(*pair)


def line(name: str, count: int, timing: Timing, base: float) -> str:
    cpu, wall = timing.cpu / count, timing.wall / count
    return (
        f"| {name} | {count:,} | {timing.cpu:.2f} | {timing.wall:.2f} | {cpu * 1e9:,.0f} "
        f"| {wall * 1e9:,.0f} | {cpu / base:,.1f} |"
    )


def tables(words: list[str]) -> list[str]:
    """Return rows on error models: computed with an empty cache, then read from the cache."""
    rows = []
    for spec, lang in (("voleti", "en"), ("phonetic", "en"), ("voleti", "fr")):
        context = context_of(lang)
        vocabulary = words if lang == "en" else list(word_vectors(context).words)
        channel = create_channel(spec)
        channel.error_model(vocabulary[:500], context)  # loads the data of the phonemizer
        work = partial(channel.error_model, vocabulary, context)
        computed, cached = clock(f"{spec} {lang}", "", work, 1), clock("again", "", work, 3)
        table = channel.error_model(vocabulary, context).candidates
        rows.append(
            f"| {spec}, {lang} | {len(vocabulary):,} | {np.count_nonzero(~table.has_candidates):,} "
            f"| {len(table.ids):,} | {computed.cpu:.1f} | {computed.wall:.1f} | {cached.wall:.2f} |"
        )
    return rows


def memory(spec: str, lang: str) -> float:
    """Return the MB that computing a model adds to a process that has done so with few words."""
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(
            [sys.executable, __file__, spec, lang],
            capture_output=True, text=True, check=True, env={**os.environ, "TABLES": empty},
        )  # fmt: skip
    return float(done.stdout)


def print_memory(spec: str, lang: str) -> None:
    """Run in a process of its own: compute a model and print the MB that it adds at the peak."""
    context = context_of(lang)
    words = list(word_vectors(context).words)
    create_channel(spec).error_model(words[-500:], context)  # loads data
    os.environ["MISWORD_CACHE"] = os.environ["TABLES"]
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    before = status("VmRSS")
    create_channel(spec).error_model(words, context)
    print((status("VmHWM") - before) / 2**10)


def status(name: str) -> int:
    """Return a value of /proc/self/status, in kilobytes."""
    lines = Path("/proc/self/status").read_text().split("\n")
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def main() -> None:
    words = list(word_vectors(context_of()).words)
    sounds = Phonology("en").pronounce(words)
    usable = np.flatnonzero(sounds.has_distances)
    with tempfile.TemporaryDirectory() as empty:
        for lang in ("en", "fr"):
            _ = word_vectors(context_of(lang))  # read once, into the user's cache
        rows = distances(sounds, usable)
        os.environ["MISWORD_CACHE"] = empty
        models = tables(words)
        peaks = [f"| {name} | {memory(name, 'en'):.0f} |" for name in ("voleti", "phonetic")]
    length = float(sounds.tokens.lengths[usable].mean())
    text = f"""# Phonology

`python bench/phonology.py`, {machine()}. The {len(usable):,} words of
shared/data/vectors/en.vec.gz that can be said, {length:.1f} phonemes each.

### Phonological distances

{CANDIDATES:,} random others for each word. `times` is CPU time a pair against the first row.

| | pairs | CPU s | wall s | CPU ns a pair | wall ns a pair | times |
|:--|--:|--:|--:|--:|--:|--:|
{chr(10).join(rows)}

### Tables of candidates

All 30,000 words of the vectors; `voleti` among the same words, `phonetic` among the 30,000 most
frequent of wordfreq. The cache was empty, then it was not.

| | words | no candidate | candidates | CPU s | wall s | from the cache, s |
|:--|--:|--:|--:|--:|--:|--:|
{chr(10).join(models)}

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
        print_memory(*sys.argv[1:])
    else:
        main()
