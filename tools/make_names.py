"""Make the data of the model of proper nouns: `python tools/make_names.py`

Writes src/misword/bli/names/english_words.txt.xz from the lists of the Debian package `scowl`
(2020.12.07), weights.json beside it, and bench/results/names.md with precision and recall by
cross-validation over languages. The weights are learnt from the parts of speech that
Kementchedjhieva et al. (2019) annotated in the test dictionaries of MUSE, German and Bulgarian with
English (../shared/data/bli/lost-in-evaluation). With `--weights-only` the word list stays as it is.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import misword
from misword.bli.names.model import (
    INTERCEPT,
    WEIGHTS,
    Features,
    name_probabilities,
    pair_features,
    weight_set,
)
from misword.bli.names.word_lists import ABSENT, DATA, Gazetteer

ROOT = Path(__file__).parents[1]
SCOWL = Path("/usr/share/dict/scowl")
ANNOTATED = ROOT.parent / "shared" / "data" / "bli" / "lost-in-evaluation"
TARGET = Path(misword.__file__).parent / "bli" / "names"
TABLE = ROOT / "bench" / "results" / "names.md"
# The kinds of lists in the order of `Levels`, and the highest level that is taken of each.
LISTS = {"words": 70, "upper": 80, "proper-names": 80, "abbreviations": 70}
LIST_NAME = re.compile(r"(?!special)\w+-([a-z-]+)\.(\d+)")
CATEGORIES = ("n", "v", "a", "o", "pn")  # without `nw`, pairs that are no translations
LANGUAGES = ("de", "bg")
PENALTY = 1.0  # of the squares of the weights


@dataclass(frozen=True, slots=True)
class Annotated:
    """Pairs of two languages in one direction, and which of them are proper nouns."""

    languages: tuple[str, str]
    pairs: Sequence[tuple[str, str]]
    names: NDArray[np.bool_]

    def without(self, words: set[str]) -> Annotated:
        """Leave out the pairs with one of these English words."""
        side = self.languages.index("en")
        kept = [number for number, pair in enumerate(self.pairs) if pair[side] not in words]
        return Annotated(self.languages, [self.pairs[i] for i in kept], self.names[kept])

    @property
    def english(self) -> set[str]:
        """The English words."""
        return {pair[self.languages.index("en")] for pair in self.pairs}


def read_annotated(language: str, folder: Path = ANNOTATED) -> list[Annotated]:
    """Read the pairs of a language with English, in both directions."""
    return [_read(first, second, folder) for first, second in (("en", language), (language, "en"))]


def _read(first: str, second: str, folder: Path) -> Annotated:
    pairs: list[tuple[str, str]] = []
    names = []
    for category in CATEGORIES:
        path = folder / f"{first}-{second}.5000-6500.{category}.txt"
        for line in path.read_text("utf-8").splitlines():
            source, target = line.split()
            pairs.append((source, target))
            names.append(category == "pn")
    return Annotated((first, second), pairs, np.array(names))


def learn(data: Sequence[Annotated], *, places: bool) -> dict[str, Features]:
    """Learn one set of weights by logistic regression with a penalty on their squares."""
    rows: list[Features] = []
    for annotated in data:
        gazetteer = Gazetteer.of(*annotated.languages) if places else None
        languages = annotated.languages
        rows += [pair_features(pair, languages, gazetteer) for pair in annotated.pairs]
    columns = sorted({name for row in rows for name in row})
    values = np.array([[row.get(name, 0.0) for name in columns] for row in rows])
    weights = _fit(values, np.concatenate([annotated.names for annotated in data]))
    named = dict(zip([INTERCEPT, *columns], weights.tolist(), strict=True))
    return {weight_set(data[0].languages, places): {k: round(v, 4) for k, v in named.items()}}


def _fit(values: NDArray[np.float64], names: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return intercept and weights, by Newton's method."""
    design = np.column_stack([np.ones(len(values)), values])
    penalty = PENALTY * np.eye(design.shape[1])
    penalty[0, 0] = 1e-9  # the intercept is free
    weights = np.zeros(design.shape[1])
    for _ in range(30):
        expected = 1 / (1 + np.exp(-design @ weights))
        gradient = design.T @ (names - expected) - penalty @ weights
        curvature = (design * (expected * (1 - expected))[:, None]).T @ design + penalty
        weights += np.linalg.solve(curvature, gradient)
    return weights


def cross_validated(
    train: Sequence[Annotated], test: Sequence[Annotated], *, places: bool
) -> tuple[float, float, float]:
    """Return precision, recall and F1 on a language whose words were not seen in training."""
    weights = learn(train, places=places)
    seen = set[str]().union(*(annotated.english for annotated in train))
    found, names = [], []
    for annotated in test:
        rest = annotated.without(seen)
        said = name_probabilities(rest.pairs, rest.languages, places=places, weights=weights)
        found.append(said.probabilities >= 0.5)
        names.append(rest.names)
    return precision_recall(np.concatenate(found), np.concatenate(names))


def precision_recall(
    found: NDArray[np.bool_], names: NDArray[np.bool_]
) -> tuple[float, float, float]:
    """Return precision, recall and F1."""
    right = int((found & names).sum())
    precision, recall = right / max(1, int(found.sum())), right / int(names.sum())
    return precision, recall, 2 * precision * recall / (precision + recall)


def without_english(data: Mapping[str, Sequence[Annotated]]) -> Annotated:
    """Join German and Bulgarian words that translate the same English word."""
    german, bulgarian = (_by_english(data[language]) for language in LANGUAGES)
    pairs: dict[tuple[str, str], bool] = {}
    for word in sorted(german.keys() & bulgarian.keys()):
        for source, is_name in german[word]:
            for target, also_name in bulgarian[word]:
                if is_name == also_name:
                    pairs[source, target] = is_name
    return Annotated(("de", "bg"), list(pairs), np.array(list(pairs.values())))


def _by_english(data: Sequence[Annotated]) -> dict[str, list[tuple[str, bool]]]:
    """Return the translations of each English word, and whether they are names."""
    found: dict[str, list[tuple[str, bool]]] = {}
    for annotated in data:
        side = annotated.languages.index("en")
        for pair, is_name in zip(annotated.pairs, annotated.names.tolist(), strict=True):
            found.setdefault(pair[side], []).append((pair[1 - side], is_name))
    return found


def write_words() -> None:
    """Write the levels of all words; words with the same levels share a line."""
    levels: dict[str, list[int]] = {}
    for path in sorted(SCOWL.iterdir()):
        match = LIST_NAME.fullmatch(path.name)
        if match and match[1] in LISTS and int(match[2]) <= LISTS[match[1]]:
            place = list(LISTS).index(match[1])
            for word in path.read_text("latin-1").split():
                if not word.endswith("'s") and (match[1] != "words" or word.islower()):
                    row = levels.setdefault(word.lower(), [ABSENT] * len(LISTS))
                    row[place] = min(row[place], int(match[2]))
    lines: dict[tuple[int, ...], list[str]] = {}
    for word, row in sorted(levels.items()):
        lines.setdefault(tuple(row), []).append(word)
    text = "".join(f"{_numbers(row)}\t{' '.join(words)}\n" for row, words in sorted(lines.items()))
    (TARGET / DATA).write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def _numbers(row: Sequence[int]) -> str:
    return " ".join("-" if level == ABSENT else str(level) for level in row)


def table(data: Mapping[str, Sequence[Annotated]]) -> Iterator[str]:
    """Yield the lines of the table of precision and recall."""
    yield "# Proper nouns: precision and recall by cross-validation over languages"
    yield ""
    yield "Trained on the pairs of one language with English, tested on those of the other, both"
    yield "directions, without pairs whose English word was seen in training"
    yield "(`python tools/make_names.py`)."
    yield ""
    yield "| trained on | tested on | gazetteers | precision % | recall % | F1 % |"
    yield "|:--|:--|:--|--:|--:|--:|"
    for places in (False, True):
        for train, test in (LANGUAGES, LANGUAGES[::-1]):
            figures = cross_validated(data[train], data[test], places=places)
            cells = " | ".join(f"{100 * figure:.1f}" for figure in figures)
            yield f"| {train} | {test} | {'yes' if places else 'no'} | {cells} |"


def main() -> None:
    """Write the word list, the weights and the table."""
    if "--weights-only" not in sys.argv:
        write_words()
    data = {language: read_annotated(language) for language in LANGUAGES}
    pivoted = without_english(data)
    weights: dict[str, Features] = {}
    for places in (False, True):
        weights |= learn([each for rows in data.values() for each in rows], places=places)
        weights |= learn([pivoted], places=places)
    about = {
        "data": "Kementchedjhieva et al. 2019, annotated test dictionaries en-de and en-bg",
        "tool": "tools/make_names.py",
    }
    text = json.dumps({"about": about, "weights": weights}, indent=1, ensure_ascii=False)
    (TARGET / WEIGHTS).write_text(f"{text}\n", "utf-8")
    lines = list(table(data))
    TABLE.write_text("\n".join([*lines, ""]), "utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
