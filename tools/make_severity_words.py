"""Write the English word relations that the severity of errors uses, from WordNet and SCOWL.

    apt-get download wordnet-base scowl; dpkg-deb -x wordnet-base*.deb X; dpkg-deb -x scowl*.deb X
    python tools/make_severity_words.py X

Writes to src/misword/asr/severity/languages:

- `en.relations.txt.gz`: a word, its synonyms, and more general words (two levels of nouns, one of
  verbs, the head of a similar adjective), of the first senses of each word (a synonym may
  be so in a later sense of one of the two words);
- `en.opposites.txt`: pairs of antonyms;
- `en.irregular.txt`: irregular forms and their lemmas;
- `names.txt.gz`: words that are written with a capital and are no common words.

Words that are rarer than one in 2.5 million (wordfreq) are left out.
"""

from __future__ import annotations

import argparse
import gzip
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from wordfreq import zipf_frequency

TARGET = Path(__file__).parent.parent / "src" / "misword" / "asr" / "severity" / "languages"
FILES = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
RAREST, RAREST_OPPOSITE, RAREST_NAME, RAREST_FORM = 2.6, 1.5, 2.3, 2.0
SENSES, SENSES_OF_OTHER, SENSES_ABOVE, SIMILAR = 4, 10, 2, 6
NAME_LEVELS = ("10", "20", "35", "40", "50", "55", "60", "70")
WORD_LEVELS = ("10", "20", "35")
# Words that are more general than so many others that they say nothing.
TOO_GENERAL = frozenset(
    [
        "entity",
        "object",
        "abstraction",
        "whole",
        "physical",
        "unit",
        "thing",
        "act",
        "event",
        "attribute",
        "state",
        "group",
        "relation",
        "change",
        "move",
        "make",
        "be",
        "have",
        "get",
        "artifact",
        "measure",
        "quality",
        "part",
    ]
)
WORD = re.compile(r"[a-z]+")
NAME = re.compile(r"[A-Z][a-z]+")

Synset = tuple[str, str]  # part of speech and offset


class Entry(NamedTuple):
    """The words of a synset, the synsets above it, and its antonyms (word, synset, its word)."""

    words: list[str]
    above: list[Synset]
    opposites: list[tuple[int, Synset, int]]
    is_instance: bool


def main() -> None:
    """Write all files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the Debian packages were unpacked")
    folder: Path = parser.parse_args().folder
    wordnet, scowl = folder / "usr/share/wordnet", folder / "usr/share/dict/scowl"
    synsets = dict(read_synsets(wordnet))
    _zip("en.relations.txt.gz", relations(synsets, read_senses(wordnet)))
    _write("en.opposites.txt", opposites(synsets))
    _write("en.irregular.txt", irregular(wordnet))
    _zip("names.txt.gz", names(synsets, scowl))


def read_synsets(wordnet: Path) -> Iterator[tuple[Synset, Entry]]:
    """Yield all synsets."""
    for file, kind in FILES.items():
        for line in _lines(wordnet / f"data.{file}"):
            fields = line.split("|")[0].split()
            size = int(fields[3], 16)
            words = [re.sub(r"\(.*\)", "", word) for word in fields[4 : 4 + 2 * size : 2]]
            pointers = fields[5 + 2 * size :]
            above, against, instance = [], [], False
            for at in range(0, 4 * int(fields[4 + 2 * size]), 4):
                sign, offset, part, places = pointers[at : at + 4]
                other = ("a" if part == "s" else part, offset)
                instance |= sign == "@i"
                if sign in ("@", "&"):
                    above.append(other)
                if sign == "!":
                    against.append((int(places[:2], 16) - 1, other, int(places[2:], 16) - 1))
            yield (kind, fields[0]), Entry(words, above, against, instance)


def read_senses(wordnet: Path) -> dict[str, list[list[Synset]]]:
    """Return the senses of each word, the most frequent first, by part of speech."""
    senses: dict[str, list[list[Synset]]] = {}
    for file, kind in FILES.items():
        for line in _lines(wordnet / f"index.{file}"):
            fields = line.split()
            offsets = fields[6 + int(fields[3]) :]
            senses.setdefault(fields[0], []).append([(kind, offset) for offset in offsets])
    return senses


def relations(synsets: dict[Synset, Entry], senses: dict[str, list[list[Synset]]]) -> Iterator[str]:
    """Yield a line for each word: the word, its synonyms, more general words."""
    rank_in = {
        (word, synset): rank
        for word, kinds in senses.items()
        for of_kind in kinds
        for rank, synset in enumerate(of_kind)
    }
    for word in sorted(senses):
        if not _common(word, RAREST):
            continue
        same, above = set[str](), set[str]()
        for of_kind in senses[word]:
            for rank, synset in enumerate(of_kind[:SENSES_OF_OTHER]):
                entry = synsets[synset]
                for other in entry.words:
                    ranks = sorted((rank, rank_in.get((other.lower(), synset), 99)))
                    if ranks[0] < SENSES and ranks[1] < SENSES_OF_OTHER:
                        same.add(other)
                if rank < SENSES_ABOVE:
                    parents = entry.above[:SIMILAR]
                    if synset[0] == "n":
                        parents = [*parents, *(up for one in parents for up in synsets[one].above)]
                    above.update(other for one in parents for other in synsets[one].words)
        same = {other.lower() for other in same if _common(other.lower(), RAREST)} - {word}
        above = {other.lower() for other in above if _common(other.lower(), RAREST)}
        above -= {word, *same, *TOO_GENERAL}
        if same or above:
            yield f"{word}\t{' '.join(sorted(same))}\t{' '.join(sorted(above))}"


def opposites(synsets: dict[Synset, Entry]) -> Iterator[str]:
    """Yield pairs of antonyms."""
    pairs = set()
    for entry in synsets.values():
        for own, other, place in entry.opposites:
            pair = sorted((entry.words[own].lower(), synsets[other].words[place].lower()))
            if all(_common(word, RAREST_OPPOSITE) for word in pair):
                pairs.add(tuple(pair))
    yield from ("\t".join(pair) for pair in sorted(pairs))


def irregular(wordnet: Path) -> Iterator[str]:
    """Yield irregular forms with their lemmas."""
    found: dict[str, str] = {}
    for file in ("verb", "noun", "adj"):
        for line in (wordnet / f"{file}.exc").read_text("utf-8").splitlines():
            form, lemma = line.split()[:2]
            if _common(form, RAREST_FORM) and WORD.fullmatch(lemma):
                found.setdefault(form, lemma)
    yield from (f"{form}\t{lemma}" for form, lemma in sorted(found.items()))


def names(synsets: dict[Synset, Entry], scowl: Path) -> Iterator[str]:
    """Yield names in small letters: instances of WordNet and proper names of SCOWL."""
    found = {word for entry in synsets.values() if entry.is_instance for word in entry.words}
    for level in NAME_LEVELS:
        for path in scowl.glob(f"*-proper-names.{level}"):
            found.update(path.read_text("latin-1").split())
    common = set[str]()
    for level in WORD_LEVELS:
        for path in scowl.glob(f"*-words.{level}"):
            common.update(path.read_text("latin-1").split())
    lower = {word.lower() for word in found if NAME.fullmatch(word)} - common
    yield from sorted(word for word in lower if zipf_frequency(word, "en") >= RAREST_NAME)


def _common(word: str, least: float) -> bool:
    return bool(WORD.fullmatch(word)) and zipf_frequency(word, "en") >= least


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file of WordNet after its licence."""
    lines = path.read_text("latin-1").splitlines()
    return (line for line in lines if not line.startswith("  "))


def _write(name: str, lines: Iterable[str]) -> None:
    (TARGET / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")


def _zip(name: str, lines: Iterable[str]) -> None:
    data = "".join(f"{line}\n" for line in lines).encode()
    (TARGET / name).write_bytes(gzip.compress(data, 9, mtime=0))


if __name__ == "__main__":
    main()
