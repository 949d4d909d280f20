"""Le, Servan, Lecouteux, Besacier: WER with embeddings for speech translation, Interspeech 2016."""

from __future__ import annotations

from pathlib import Path

from studies.common.markdown import page, paragraph
from studies.common.pages import write_page
from studies.le2016 import examples, recomputed, repeated
from studies.le2016.lists import WhisperLists
from studies.le2016.outputs import PublishedOutputs
from studies.le2016.published import CONTENTS
from studies.le2016.scales import scales

TITLE = "Le et al. 2016: better evaluation of ASR for translation, with word embeddings"
INTRODUCTION = """The paper prices a substitution by the distance of the two words' vectors
(WER-E; WER-S, where the prices also decide the alignment), and claims three things about French
speech that is translated into English. WER-E is correlated more strongly with the quality of the
translation than WER. The hypotheses that WER-E finds best in N-best lists have better
translations than those that WER finds best. And a recogniser that is tuned by WER-E gives better
translations."""
METHOD = """Two sources are used: what the authors published about their development set, and
N-best lists of a recogniser of today for the same speech. All intervals are 95 % intervals of
paired bootstraps over utterances, and p-values are those of paired permutation tests
([compare](../compare.md)). The commands are [oracle](../oracle.md), [tune](../tune.md) and
`misword correlate`."""


def write(folder: Path) -> None:
    """Compute all tables and write the page."""
    outputs, lists = PublishedOutputs(), WhisperLists()
    sections = [
        examples.running_example(),
        examples.translated_examples(),
        *recomputed.sections(outputs),
        scales(outputs),
        *repeated.sections(lists),
    ]
    introduction = page(paragraph(INTRODUCTION), paragraph(METHOD)).strip()
    write_page(folder / "le2016.md", TITLE, introduction, CONTENTS, sections)
