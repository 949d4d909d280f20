"""Drafts of dictionaries: headwords, senses, files and the page: `python bench/draft.py`.

Headwords: the first 500 rows of the draft of en-fr (mapping learnt from MUSE's training lexicon);
those that another lemmatizer (simplemma) takes for lemmas, and that the lexicon does not have.

Senses: 100 headwords of MUSE's en-fr and 100 of its en-de lexicons, drawn by a seed, that have two
equivalents in different senses of FreeDict; mappings and rerankers are learnt without all such
headwords. Counted are headwords of which the first candidates of the first two senses, or the first
two candidates by probability, are equivalents of different senses; McNemar's exact test.

Files: 10,000 entries with hostile texts in every field are written and read again.

Page: 30,000 headwords with five candidates each, in headless Chromium from disk. Times of the page
are those of its own clock; medians of five loads.

Needs ../shared/data, Debian's dict-freedict-eng-fra and dict-freedict-eng-deu (or their files in
the folder FREEDICT), Chromium and the package playwright; writes bench/results/draft.md.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from scipy.stats import binomtest

from misword.bli.draft import Draft, draft_lexicon, read_judgements
from misword.bli.drafting.rows import Candidate, Headword
from misword.bli.map import map_vectors
from misword.bli.mapping import Mapping
from misword.core.signature import Signature
from misword.embed.vectors.words import WordVectors
from misword.io.dictionaries.read import read_dictionary
from misword.io.dictionaries.writing import WRITTEN, write_dictionary
from misword.io.lexicons import Lexicon
from misword.report import write_report
from report import CHROMIUM, LOADS, load
from timing import machine

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from entries_made import HOSTILE, entry_of

DATA = Path(__file__).parents[2] / "shared" / "data"
FREEDICT = Path(os.environ.get("FREEDICT", "/usr/share/dictd"))
DICTIONARIES = {"fr": "freedict-eng-fra.index", "de": "freedict-eng-deu.index"}
FIRST, WORDS, ENTRIES = 500, 100, 10_000
RESULTS = Path(__file__).parent / "results" / "draft.md"
HEADWORDS, CANDIDATES = 30_000, 5
TAGS = ("NOUN", "VERB", "ADJ", "ADV", "PROPN")

# JavaScript that is run on the list of the draft `d`; the page is drawn again before the time is
# read.
WORK = {
    "first contentful paint": "return performance.getEntriesByName('first-contentful-paint')[0]"
    ".startTime",
    "first search, right after loading": "d.query.value = 'w12'; d.update()",
    "range of a probability": "d.query.value = ''; choose(f => f.name === 'probability');"
    " d.filters.conditions[0].low.value = '0.5'; d.update()",
    "a part of speech": "choose(f => f.name === 'part of speech');"
    " d.filters.conditions[0].choice.value = '2'; d.update()",
    "order by frequency rank": "d.filters.reset(); d.order.value = '2'; d.update()",
    "a verdict, and the next row": "d.judge(d.list.items[d.list.at], 1)",
    "to the end of the list": "d.list.select(d.rows.size - 1)",
    "1,000 verdicts stored by the browser": "for (let i = 0; i < 1000; i += 1) "
    "d.verdicts.put(i, 1, ''); d.verdicts.write()",
}
TIMED = """() => {{
  const d = misword.drafts[0];
  const choose = (test) => {{
    d.filters.reset();
    const [condition] = d.filters.conditions;
    condition.field.value = String(d.fields.findIndex(test));
    condition.offer();
  }};
  const start = performance.now();
  {work};
  d.list.box.getBoundingClientRect();
  return performance.now() - start;
}}"""


def make_draft() -> Draft:
    """Return a draft of made-up words with falling probabilities."""
    rng = np.random.default_rng(1)
    numbers = rng.integers(HEADWORDS, size=(HEADWORDS, CANDIDATES)).tolist()
    first = np.sort(rng.random(HEADWORDS))[::-1].tolist()
    rows = tuple(
        Headword(
            f"word{row}",
            HEADWORDS - row,
            tuple(
                Candidate(f"mot{number}", best / (place + 1), f"word{number}")
                for place, number in enumerate(of_row)
            ),
            TAGS[row % len(TAGS)],
            f"word{row}",
            best / 2,
        )
        for row, (of_row, best) in enumerate(zip(numbers, first, strict=True))
    )
    return Draft(rows, True, ("en", "fr"), Signature("translate", (("k", str(CANDIDATES)),)))


def seconds(work: Callable[[], Any]) -> float:
    """Return the CPU time of a piece of work."""
    start = time.process_time()
    work()
    return time.process_time() - start


def muse(target: str, part: str) -> list[tuple[str, str]]:
    """Return the pairs of a part of MUSE's lexicon."""
    lines = (DATA / "bli" / f"en-{target}.{part}.txt").read_text("utf-8").splitlines()
    return [(words[0], words[1]) for words in map(str.split, lines)]


def learnt(target: str, pairs: list[tuple[str, str]]) -> Mapping:
    """Return the mapping of the real vectors with a reranker."""
    english, other = (DATA / "vectors" / f"{name}.vec.gz" for name in ("en", target))
    lexicon = Lexicon.of(pairs, "train.txt")
    return map_vectors(english, other, lexicon=lexicon, rerank=lexicon)


def first_rows() -> list[str]:
    """Return how many of the first headwords of the draft of en-fr are new lemmas."""
    import simplemma

    train = muse("fr", "0-5000")
    rows = draft_lexicon(learnt("fr", train)).headwords
    known = {word for word, _ in train}
    first = [row.word for row in rows[:FIRST]]
    lemmas = [word for word in first if simplemma.lemmatize(word, "en").lower() == word]
    new = [word for word in lemmas if word not in known]
    return [
        f"| headwords of the draft | {len(rows):,} |",
        f"| lemmas among the first {FIRST} | {len(lemmas)} |",
        f"| of them without a training pair | {len(new)} |",
    ]


def gold_senses(target: str) -> dict[str, dict[str, set[int]]]:
    """Return the senses of MUSE's equivalents of headwords that have two in different senses."""
    dictionary = read_dictionary(FREEDICT / DICTIONARIES[target], keep_going=True)
    senses: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    rows = zip(dictionary.source, dictionary.target, dictionary.senses, strict=True)
    for word, translation, number in rows:
        senses[word.lower()][translation.lower().partition(" <")[0]].add(number)
    gold: dict[str, set[str]] = defaultdict(set)
    for part in ("0-5000", "5000-6500"):
        for word, translation in muse(target, part):
            gold[word].add(translation)
    vocabularies = [
        set(WordVectors.open(DATA / "vectors" / f"{name}.vec.gz").vocabulary)
        for name in ("en", target)
    ]
    found = {}
    for word in gold.keys() & vocabularies[0]:
        known = {one: senses[word][one] for one in gold[word] & senses[word].keys()}
        known = {one: numbers for one, numbers in known.items() if one in vocabularies[1]}
        if any(not one & other for one in known.values() for other in known.values()):
            found[word] = known
    return found


def differ(candidates: Sequence[Candidate], senses: dict[str, set[int]]) -> bool:
    """Return whether two candidates, or forms of them, are equivalents in different senses."""
    found = [
        [senses[form] for form in (one.word, *one.forms) if form in senses] for one in candidates
    ]
    return len(found) == 2 and any(not one & other for one in found[0] for other in found[1])


def sense_rows() -> list[str]:
    """Return how many headwords have two senses covered, by senses and by the flat list."""
    covered: list[tuple[bool, bool]] = []
    for target in DICTIONARIES:
        senses = gold_senses(target)
        pairs = [pair for pair in muse(target, "0-5000") if pair[0] not in senses]
        words = sorted(senses)
        random.Random(1).shuffle(words)
        mapping = learnt(target, pairs)
        draft = draft_lexicon(
            mapping,
            words[:WORDS],
            10,
            source_lang="en",
            target_lang=target,
            include=["known", "names", "function-words", "symbols"],
        )
        rows = {row.word: row for row in draft.headwords}
        for word in words[:WORDS]:
            candidates = rows[word].candidates if word in rows else ()
            flat = sorted(candidates, key=lambda one: -(one.score or 0))[:2]
            first = [next((c for c in candidates if c.sense == n), None) for n in (1, 2)]
            by_sense = [one for one in first if one is not None]
            covered.append((differ(by_sense, senses[word]), differ(flat, senses[word])))
    wins = sum(one and not other for one, other in covered)
    losses = sum(other and not one for one, other in covered)
    p = binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    return [
        f"| headwords | {len(covered)} |",
        f"| first candidates of two senses cover both | {sum(one for one, _ in covered)} |",
        f"| first two candidates cover both | {sum(other for _, other in covered)} |",
        f"| only by senses, only by the flat list | {wins}, {losses} |",
        f"| p | {p:.2f} |",
    ]


def file_rows(folder: Path) -> list[str]:
    """Return the time to write and read entries in each format, which must be the same again."""
    entries = [entry_of(HOSTILE, number) for number in range(ENTRIES)]
    lines = []
    for suffix in WRITTEN:
        path = folder / f"d{suffix}"
        written = seconds(lambda: write_dictionary(entries, path, ("en", "fr")))  # noqa: B023
        start = time.process_time()
        same = list(read_dictionary(path, "en", "fr").entries) == entries
        read = time.process_time() - start
        lines.append(f"| `{suffix}` | {written:.1f} s | {read:.1f} s | {'yes' if same else 'NO'} |")
    return lines


def main() -> None:
    from playwright.sync_api import sync_playwright

    if not Path(CHROMIUM).exists():
        sys.exit("skipped: needs Chromium (apt-get install chromium)")
    draft = make_draft()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        page, book = Path(folder) / "draft.html", Path(folder) / "draft.xlsx"
        lines = [
            f"| page written | {seconds(lambda: write_report([draft.result()], page)):.2f} s |",
            f"| workbook written | {seconds(lambda: draft.write(book)):.2f} s |",
            f"| workbook read | {seconds(lambda: read_judgements(book)):.2f} s |",
            f"| size of the page | {page.stat().st_size / 1e6:.1f} MB |",
        ]
        files = file_rows(Path(folder))
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        loads = [load(browser, page, WORK, TIMED) for _ in range(LOADS)]
        version = browser.version
        browser.close()
    lines += [f"| {name} | {median(one[name] for one in loads):.0f} ms |" for name in loads[0]]
    empty = "| | |\n|:--|--:|\n"
    parts = [
        f"# Drafts of dictionaries\n\n`python bench/draft.py`. {machine()}; CPU time. What "
        "each part measures is in the script.",
        "## Headwords\n\n" + empty + "\n".join(first_rows()),
        "## Senses\n\n" + empty + "\n".join(sense_rows()),
        f"## {ENTRIES:,} entries with hostile texts\n\n| format | written | read | the same |\n"
        "|:--|--:|--:|:--|\n" + "\n".join(files),
        f"## The page of {HEADWORDS:,} headwords with {CANDIDATES} candidates\n\nChromium "
        f"{version.partition('.')[0]}, headless; medians of {LOADS} loads.\n\n{empty}"
        + "\n".join(lines),
    ]
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
