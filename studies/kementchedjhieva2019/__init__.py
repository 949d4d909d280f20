"""Kementchedjhieva, Hartmann, Søgaard: Lost in evaluation, EMNLP-IJCNLP 2019."""

from __future__ import annotations

from pathlib import Path

from studies.common.markdown import page, paragraph
from studies.common.pages import write_page
from studies.kementchedjhieva2019 import composition, false_positives, ranking
from studies.kementchedjhieva2019.published import CONTENTS

TITLE = "Kementchedjhieva et al. 2019: misleading dictionaries for bilingual lexicon induction"
INTRODUCTION = """The paper examines MUSE's test dictionaries. A quarter of their words are proper
nouns; without them, systems change places; and right translations that are missing make a margin
between two systems look much larger than it is."""
METHOD = """The annotated dictionaries of German and Bulgarian are here, in both directions, and
English and German vectors of 30,000 words and 100 dimensions, trained on ten million words each;
the vectors of Wikipedia are not, and no Bulgarian vectors. So the dictionaries are examined for
both languages, and the systems are compared for German only, at much lower rates than the paper's.
The adversarial training of MUSE-U fails on these vectors ([MUSE](../mapping-muse.md)); here it is
cut short, and MUSE-U is what the method does then: refinement of a mapping by self-learning.
Intervals are 95 % intervals by bootstrap over headwords. The commands are [map](../mapping.md),
[evaluate](../lexicons.md) and [audit](../audit.md)."""


def write(folder: Path) -> None:
    """Compute all tables and write the page."""
    sections = [
        composition.shares(),
        composition.precision_by_part_of_speech(),
        ranking.order(),
        false_positives.margin(),
        false_positives.examples(),
        false_positives.errors(),
        ranking.gaps(),
    ]
    introduction = page(paragraph(INTRODUCTION), paragraph(METHOD)).strip()
    write_page(folder / "kementchedjhieva2019.md", TITLE, introduction, CONTENTS, sections)
