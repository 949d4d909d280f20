"""Make the data of the English phonemizer: the CMU dictionary, and letter rules learnt from it.

    python tools/make_english_sounds.py CMUDICT --out src/misword/text/phonemizers

CMUDICT is the file `cmudict.dict` of https://github.com/cmusphinx/cmudict. Letters are aligned with
phonemes by expectation maximisation (a letter gives none, one or two), then a tree of ever wider
contexts is grown, and a context is kept only where it decides otherwise than the narrower one
(IGTree: Daelemans & van den Bosch 1997). First a tenth of the words is held out to measure the
rules; the rules that are written have seen all of them.
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
# Before anything is learnt: a letter is most often one phoneme, sometimes none, rarely two.
PRIOR = (0.1, 0.8, 0.05)
UNSEEN = 1e-9
ROUNDS = 4


def read(path: Path) -> dict[str, Sounds]:
    """Words with their first pronunciation, without stress."""
    words: dict[str, Sounds] = {}
    for line in path.read_text("utf-8").splitlines():
        word, *sounds = line.partition(" #")[0].split()
        if not word.endswith(")"):
            words[word] = tuple(sound.rstrip("012") for sound in sounds)
    return words


class Letters:
    """How likely each letter is to be spoken as each run of phonemes."""

    def __init__(self) -> None:
        self.chances: dict[tuple[str, Sounds], float] = {}

    def chance(self, letter: str, sounds: Sounds) -> float:
        """The probability of the phonemes, given the letter."""
        if not self.chances:
            return PRIOR[len(sounds)]
        return self.chances.get((letter, sounds), UNSEEN)

    def learn(self, words: Words) -> None:
        """One round of expectation maximisation."""
        counts: dict[tuple[str, Sounds], float] = defaultdict(float)
        for word, sounds in words:
            self._expect(word, sounds, counts)
        totals: dict[str, float] = defaultdict(float)
        for (letter, _), count in counts.items():
            totals[letter] += count
        self.chances = {key: count / totals[key[0]] for key, count in counts.items()}

    def _expect(self, word: str, sounds: Sounds, counts: dict[tuple[str, Sounds], float]) -> None:
        """Add each letter's expected share in the phonemes of one word."""
        size = len(sounds) + 1
        ahead = [[0.0] * size for _ in range(len(word) + 1)]
        behind = [[0.0] * size for _ in range(len(word) + 1)]
        ahead[0][0] = behind[-1][-1] = 1.0
        for i, j, end in steps(len(word), len(sounds)):
            ahead[i + 1][end] += ahead[i][j] * self.chance(word[i], sounds[j:end])
        if not ahead[-1][-1]:
            return
        for i, j, end in reversed(list(steps(len(word), len(sounds)))):
            chance = self.chance(word[i], sounds[j:end]) * behind[i + 1][end]
            behind[i][j] += chance
            if ahead[i][j] and chance:
                counts[word[i], sounds[j:end]] += ahead[i][j] * chance / ahead[-1][-1]

    def align(self, word: str, sounds: Sounds) -> list[Sounds] | None:
        """The most likely phonemes of each letter; None where the letters cannot carry them."""
        best: list[dict[int, tuple[float, int]]] = [{} for _ in range(len(word) + 1)]
        best[0][0] = (0.0, 0)
        for i, j, end in steps(len(word), len(sounds)):
            if j in best[i]:
                score = best[i][j][0] + math.log(self.chance(word[i], sounds[j:end]))
                if end not in best[i + 1] or score > best[i + 1][end][0]:
                    best[i + 1][end] = (score, j)
        if len(sounds) not in best[-1]:
            return None
        found, end = [], len(sounds)
        for row in reversed(best[1:]):
            found.append(sounds[row[end][1] : end])
            end = row[end][1]
        return found[::-1]


def steps(letters: int, sounds: int) -> Iterator[tuple[int, int, int]]:
    """Each letter with each run of at most two phonemes that it may give."""
    for i in range(letters):
        for j in range(sounds + 1):
            for end in range(j, min(j + 2, sounds) + 1):
                yield i, j, end


def grow(words: Words) -> dict[str, Sounds]:
    """Learn the rules: context of a letter -> its phonemes."""
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
    """Edits between two pronunciations."""
    row = list(range(len(right) + 1))
    for i, x in enumerate(left, 1):
        corner, row[0] = row[0], i
        for j, y in enumerate(right, 1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (x != y))
    return row[-1]


def measure(words: Words, rules: dict[str, Sounds]) -> str:
    """Phoneme and word error rate of the rules."""
    errors = [distance(sounds, tuple(by_rules(word, rules))) for word, sounds in words]
    phonemes = sum(len(sounds) for _, sounds in words)
    wrong = sum(map(bool, errors))
    return (
        f"held out {len(words)} words: phoneme error rate {100 * sum(errors) / phonemes:.2f} %, "
        f"words wrong {100 * wrong / len(words):.1f} %"
    )


def write(path: Path, table: dict[str, Sounds]) -> None:
    """Compress, with no time stamp: the same input gives the same bytes."""
    text = "\n".join(" ".join([key, *table[key]]) for key in sorted(table))
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{path}: {path.stat().st_size} bytes")


def main() -> None:
    """Measure, then write."""
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
