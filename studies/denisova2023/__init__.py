"""Denisová, Rychlý: evaluation of cross-lingual embedding models for lexicography, eLex 2023."""

from __future__ import annotations

from pathlib import Path

from studies.common.markdown import page, paragraph
from studies.common.pages import write_page
from studies.denisova2023 import (
    arithmetic_sections,
    composition,
    forms,
    parts_of_speech,
    vocabulary,
)
from studies.denisova2023.published import CONTENTS

TITLE = "Denisová and Rychlý 2023: what an evaluation lexicon should be"
INTRODUCTION = """The paper evaluates three methods in seven variants on three pairs of languages,
and asks what changes the result: the number of words loaded, inflected forms, parts of speech, the
gold lexicon and the number of candidates."""
METHOD = """Its vectors (FastText and SketchEngine, for Estonian, Czech, Slovak, English and
Korean) are not here. Its claims are tested with English-German and English-French vectors of
30,000 words and 100 dimensions, trained on ten million words each, and the lexicons of MUSE. Rates
are therefore much lower than the paper's, and only the direction of differences can be compared.
Its printed numbers are checked by themselves. All systems find candidates by plain cosine (`nn`),
as in the paper; FastText is the method RCSLS. The adversarial training of MUSE-U fails on these
vectors ([MUSE](../mapping-muse.md)); here it is cut short, and MUSE-U is what the method does
then: refinement of a mapping by self-learning. Intervals are 95 % intervals by bootstrap over
headwords. The commands are [map](../mapping.md), [evaluate](../lexicons.md) and
[audit](../audit.md)."""


def write(folder: Path) -> None:
    """Compute all tables and write the page."""
    sections = [
        arithmetic_sections.printed_numbers(),
        arithmetic_sections.recall_numbers(),
        vocabulary.released_lexicons(),
        vocabulary.neighbours(),
        vocabulary.words_loaded(),
        vocabulary.unknown_words(),
        forms.lemmatised(),
        parts_of_speech.shares(),
        composition.two_lexicons(),
        composition.by_part_of_speech(),
        forms.candidates(),
    ]
    introduction = page(paragraph(INTRODUCTION), paragraph(METHOD)).strip()
    write_page(folder / "denisova2023.md", TITLE, introduction, CONTENTS, sections)
