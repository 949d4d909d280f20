"""Bañeras-Roux et al.: Qualitative evaluation of language model rescoring, Interspeech 2022."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from misword.core.formatting import listed
from studies.common.markdown import bullets, page, paragraph
from studies.common.pages import write_page
from studies.roux2022.arithmetic import printed_numbers
from studies.roux2022.metric_correlations import correlations
from studies.roux2022.ngram import training_text
from studies.roux2022.parts_of_speech import parts_of_speech
from studies.roux2022.published import CONTENTS
from studies.roux2022.rescored_rates import gains, reductions
from studies.roux2022.systems import Recogniser, recognisers

TITLE = "Bañeras-Roux et al. 2022: language model rescoring by nine metrics"
INTRODUCTION = """The paper rescores the hypotheses of a French recogniser with a 4-gram and a
neural language model, and compares the two systems by nine metrics. It finds that rescoring
improves all of them, that WER gains most and the metrics of meaning gain less, and that some
parts of speech gain more than others. Its transcripts are not here, so the study is repeated
with other recognisers and language models. The paper gives no intervals."""
METHOD = """The weights of the features are tuned by WER, and all rescored systems are held out:
the hypotheses of each of five folds are chosen by weights that were tuned on the other four
([tune](../tune.md), [rescore](../rescore.md)). Intervals are 95 % intervals of paired bootstraps
over utterances."""


def write(folder: Path) -> None:
    """Compute all tables and write the page."""
    found = list(recognisers())
    sections = [
        printed_numbers(),
        gains(found),
        reductions(found),
        correlations(found),
        parts_of_speech(found),
    ]
    introduction = page(
        paragraph(INTRODUCTION), paragraph(METHOD), bullets(materials(found))
    ).strip()
    write_page(folder / "roux2022.md", TITLE, introduction, CONTENTS, sections)


def materials(found: Sequence[Recogniser]) -> list[str]:
    """Return sentences on lists, language models and what the metrics use."""
    lists = listed(
        [f"{each.title} with {len(each.corpus.references)} utterances" for each in found]
    )
    words = sum(len(text.split()) for text in training_text())
    return [
        f"""**Lists**: {lists}. The French speech is read news; the English speech is made of
        synthetic voices and noise.""",
        f"""**Language models**: gemma-3-270m for French; for English a 4-gram that IRSTLM made
        from {words:,} words (captions, news, earnings calls, books), and SmolLM2-135M. Tables 1
        to 3 have the 4-gram and SmolLM2 together, as in the paper.""",
        """**Metrics**: tags and lemmas by spaCy; SemDist by the multilingual Universal Sentence
        Encoder; BERTScore by MiniLM, which was trained on English, also for French; EmbER with
        small vectors (30,000 words). The paper has a Flair tagger, Sentence-BERT, multilingual
        BERT and fastText. So compare changes with the paper's, not rates.""",
    ]
