"""Make the data of the English phonemizer: the CMU dictionary, and letter rules learnt from it.

    python tools/make_english_sounds.py CMUDICT --out src/misword/text/phonemizers

CMUDICT is the file `cmudict.dict` of https://github.com/cmusphinx/cmudict. Letters are aligned with
phonemes by expectation maximisation (a letter stands for none, one or two). A rule gives the
phonemes of a letter in a context. Contexts grow wider step by step, and a rule is written only if
its phonemes differ from those of the narrower context (IGTree: Daelemans & van den Bosch 1997). The
rules are first measured on a tenth of the words, which is held out from learning; the rules that
are written are learnt from all words.
"""

from __future__ import annotations

import argparse
import gzip
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from misword.text.phonemizers.cmudict import WIDEST, by_rules, context

Sounds = tuple[str, ...]
Words = list[tuple[str, Sounds]]
# Probabilities before learning that a letter stands for no, one or two phonemes.
PRIOR = (0.1, 0.8, 0.05)
UNSEEN = 1e-9  # the probability of a letter and phonemes that were never aligned
ROUNDS = 4  # of expectation maximisation


def read(path: Path) -> dict[str, Sounds]:
    """Return the words of the dictionary with their first pronunciation, without stress."""
    words: dict[str, Sounds] = {}
    for line in path.read_text("utf-8").splitlines():
        word, *sounds = line.partition(" #")[0].split()
        if not word.endswith(")"):
            words[word] = tuple(sound.rstrip("012") for sound in sounds)
    return words


class Letters:
    """The probability of each run of phonemes, given a letter."""

    def __init__(self) -> None:
        self.probabilities: dict[tuple[str, Sounds], float] = {}

    def probability(self, letter: str, sounds: Sounds) -> float:
        """Return the probability of the phonemes, given the letter."""
        if not self.probabilities:
            return PRIOR[len(sounds)]
        return self.probabilities.get((letter, sounds), UNSEEN)

    def learn(self, words: Words) -> None:
        """Run one round of expectation maximisation."""
        counts: dict[tuple[str, Sounds], float] = defaultdict(float)
        for word, sounds in words:
            self._expect(word, sounds, counts)
        totals: dict[str, float] = defaultdict(float)
        for (letter, _), count in counts.items():
            totals[letter] += count
        self.probabilities = {key: count / totals[key[0]] for key, count in counts.items()}

    def _expect(self, word: str, sounds: Sounds, counts: dict[tuple[str, Sounds], float]) -> None:
        """Add the expected counts of letters and phonemes in one word (forward-backward)."""
        size = len(sounds) + 1
        forward = [[0.0] * size for _ in range(len(word) + 1)]
        backward = [[0.0] * size for _ in range(len(word) + 1)]
        forward[0][0] = backward[-1][-1] = 1.0
        for i, j, end in steps(len(word), len(sounds)):
            forward[i + 1][end] += forward[i][j] * self.probability(word[i], sounds[j:end])
        if not forward[-1][-1]:
            return
        for i, j, end in reversed(list(steps(len(word), len(sounds)))):
            rest = self.probability(word[i], sounds[j:end]) * backward[i + 1][end]
            backward[i][j] += rest
            if forward[i][j] and rest:
                counts[word[i], sounds[j:end]] += forward[i][j] * rest / forward[-1][-1]

    def align(self, word: str, sounds: Sounds) -> list[Sounds] | None:
        """Return the most likely phonemes of each letter; None if there are too many phonemes."""
        best: list[dict[int, tuple[float, int]]] = [{} for _ in range(len(word) + 1)]
        best[0][0] = (0.0, 0)
        for i, j, end in steps(len(word), len(sounds)):
            if j in best[i]:
                score = best[i][j][0] + math.log(self.probability(word[i], sounds[j:end]))
                if end not in best[i + 1] or score > best[i + 1][end][0]:
                    best[i + 1][end] = (score, j)
        if len(sounds) not in best[-1]:
            return None
        by_letter, end = [], len(sounds)
        for row in reversed(best[1:]):
            by_letter.append(sounds[row[end][1] : end])
            end = row[end][1]
        return by_letter[::-1]


def steps(letters: int, sounds: int) -> Iterator[tuple[int, int, int]]:
    """Yield each letter with each run of at most two phonemes: letter, first phoneme, end."""
    for i in range(letters):
        for j in range(sounds + 1):
            for end in range(j, min(j + 2, sounds) + 1):
                yield i, j, end


def grow(words: Words) -> dict[str, Sounds]:
    """Learn the rules: the phonemes of a letter, by its context."""
    letters = Letters()
    for _ in range(ROUNDS):
        letters.learn(words)
    votes: dict[str, Counter[Sounds]] = defaultdict(Counter)
    for word, sounds in words:
        for i, spoken in enumerate(letters.align(word, sounds) or ()):
            for width in range(1, WIDEST + 1):
                votes[context(word, i, width)][spoken] += 1
    decided: dict[str, Sounds] = {}
    rules: dict[str, Sounds] = {}
    for key in sorted(votes, key=len):
        decided[key] = votes[key].most_common(1)[0][0]
        narrower = key[:-1] if len(key) % 2 == 0 else key[1:]
        if len(key) == 1 or decided[key] != decided[narrower]:
            rules[key] = decided[key]
    return rules


def distance(left: Sounds, right: Sounds) -> int:
    """Return the edit distance of two pronunciations."""
    row = list(range(len(right) + 1))
    for i, x in enumerate(left, 1):
        corner, row[0] = row[0], i
        for j, y in enumerate(right, 1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (x != y))
    return row[-1]


def measure(words: Words, rules: dict[str, Sounds]) -> str:
    """Return the phoneme error rate and the word error rate of the rules, as text."""
    errors = [distance(sounds, tuple(by_rules(word, rules))) for word, sounds in words]
    phonemes = sum(len(sounds) for _, sounds in words)
    wrong = sum(map(bool, errors))
    return (
        f"held out {len(words)} words: phoneme error rate {100 * sum(errors) / phonemes:.2f} %, "
        f"words wrong {100 * wrong / len(words):.1f} %"
    )


def write(path: Path, table: dict[str, Sounds]) -> None:
    """Write a table compressed and without a time stamp: the same input gives the same bytes."""
    text = "\n".join(" ".join([key, *table[key]]) for key in sorted(table))
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{path}: {path.stat().st_size} bytes")


def main() -> None:
    """Measure the rules on held-out words, then write dictionary and rules."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cmudict", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    dictionary = read(options.cmudict)
    words = [(word, sounds) for word, sounds in dictionary.items() if re.fullmatch("[a-z]+", word)]
    random.Random(0).shuffle(words)
    tenth = len(words) // 10
    print(measure(words[:tenth], grow(words[tenth:])))
    rules = grow(sorted(words))
    print(f"{len(dictionary)} words, {len(rules)} rules")
    write(options.out / "cmudict.txt.gz", dictionary)
    write(options.out / "letters.txt.gz", rules)


if __name__ == "__main__":
    main()
