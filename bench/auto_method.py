"""`--method auto` against each method: `python bench/auto_method.py`.

Mappings learn from the first pairs of MUSE's training lexicons with 500, 1,000 and 5,000 source
words drawn at random, on English-French, English-German, the two halves of English, and
English-German with the German words in Cyrillic letters. hit@1 by CSLS on the covered words of the
test lexicon. `auto` has the figure of the method that it chooses. One thread. Writes
bench/results/auto-method.md after each row.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from misword import WordVectors, map_vectors
from misword.bli.mapping import open_vectors
from misword.bli.retrievers.csls import CSLS
from misword.io.lexicons import Lexicon, read_lexicon
from timing import machine

SHARED = Path(__file__).parents[2] / "shared" / "data"
RESULT = Path(__file__).parent / "results" / "auto-method.md"
METHODS = ("procrustes", "vecmap-s", "vecmap-semi", "misword-s", "misword-r")
SIZES = (500, 1000, 5000)
CYRILLIC = str.maketrans("abcdefghijklmnopqrstuvwxyzäöüß", "абцдефгхийклмнопярстувщхызеёюж")
Pair = tuple[WordVectors, WordVectors, Lexicon, Lexicon]


def pairs() -> Iterator[tuple[str, Pair]]:
    lexicons, vectors = SHARED / "bli", SHARED / "vectors"
    english = open_vectors(vectors / "en.vec.gz")
    for other in ("fr", "de"):
        target = open_vectors(vectors / f"{other}.vec.gz")
        train, test = (
            read_lexicon(lexicons / f"en-{other}.{part}.txt", lower=True)
            for part in ("0-5000", "5000-6500")
        )
        yield f"en-{other}", (english, target, train, test)
    yield "en-de, Cyrillic", (english, in_cyrillic(target), cyrillic(train), cyrillic(test))
    halves = [open_vectors(lexicons / "pseudo" / f"en{number}.vec.gz") for number in (0, 1)]
    train, test = (read_lexicon(lexicons / "pseudo" / f"{part}.txt") for part in ("train", "test"))
    yield "pseudo", (halves[0], halves[1], train, test)


def in_cyrillic(vectors: WordVectors) -> WordVectors:
    """Return the first of the words that are alike in Cyrillic letters."""
    words = [word.translate(CYRILLIC) for word in vectors.words]
    first = list({word: number for number, word in reversed(list(enumerate(words)))}.values())
    rows = np.sort(first)
    return WordVectors.of([words[row] for row in rows.tolist()], vectors.rows(rows))


def cyrillic(lexicon: Lexicon) -> Lexicon:
    targets = [word.translate(CYRILLIC) for word in lexicon.target]
    return Lexicon.of(zip(lexicon.source, targets, strict=True))


def part_of(lexicon: Lexicon, vectors: tuple[WordVectors, WordVectors], size: int) -> Lexicon:
    """Return the pairs of some source words, drawn at random among those with vectors."""
    both = [
        (a, b)
        for a, b in zip(lexicon.source, lexicon.target, strict=True)
        if a in vectors[0] and b in vectors[1]
    ]
    words = list(dict.fromkeys(a for a, _ in both))
    chosen = set(np.random.default_rng(0).permutation(words)[:size].tolist())
    return Lexicon.of([pair for pair in both if pair[0] in chosen])


def hit(pair: Pair, train: Lexicon, method: str) -> tuple[float, str, float]:
    """Return hit@1 in percent, the name of the method that was used, and CPU seconds."""
    source, target, _, test = pair
    start = time.process_time()
    mapping = map_vectors(source, target, method, lexicon=train, workers=1)
    seconds = time.process_time() - start
    left, right = mapping.mapped("source", source), mapping.mapped("target", target)
    rows = left.find(test.source), right.find(test.target)
    both = (rows[0] >= 0) & (rows[1] >= 0)
    queries = np.unique(rows[0][both])
    best = CSLS().retrieve(queries, left.rows, right.rows, 1, 1).ids[:, 0]
    gold = rows[0][both] * len(right) + rows[1][both]
    found = np.isin(queries * len(right) + best, gold)
    return 100 * float(found.mean()), mapping.signature.metric, seconds


def write(lines: Sequence[str]) -> None:
    header = ["lexicon", "source words", *METHODS, "auto takes", "below the best", "CPU s of auto"]
    marks = [":--", "--:", *["--:"] * len(METHODS), ":--", "--:", "--:"]
    table = [f"| {' | '.join(cells)} |" for cells in (header, marks)]
    text = [
        "# --method auto",
        f"`python bench/auto_method.py`, {machine()}, one thread. hit@1 by CSLS in percent of the "
        "covered words of the test lexicon.",
        "\n".join([*table, *lines]),
    ]
    RESULT.write_text("\n\n".join(text) + "\n", encoding="utf-8")


def main() -> None:
    lines: list[str] = []
    made = list(pairs())
    for size in SIZES:
        for name, pair in made:
            train = part_of(pair[2], pair[:2], size)
            rates = {method: hit(pair, train, method)[0] for method in METHODS}
            rate, chosen, seconds = hit(pair, train, "auto")
            words = len(set(train.source))
            cells = [name, f"{words:,}", *(f"{rates[method]:.2f}" for method in METHODS)]
            cells += [chosen, f"{max(rates.values()) - rate:.2f}", f"{seconds:.1f}"]
            lines.append(f"| {' | '.join(cells)} |")
            print(lines[-1], flush=True)
            write(lines)


if __name__ == "__main__":
    main()
