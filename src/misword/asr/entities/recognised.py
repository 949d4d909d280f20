"""Entities that a spaCy pipeline recognises in the references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from misword.asr.entities.spans import WordSpans
from misword.asr.entities.tags import spans_of_characters
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.parts import Settings
from misword.core.progress import progress
from misword.text.analyzers import ANALYZERS
from misword.text.analyzers.spacy import BATCH, Spacy, load, pipeline_name


@dataclass(frozen=True, slots=True)
class EntityRecogniser:
    """The named-entity recogniser of a spaCy pipeline.

    Known problems: the pipelines were trained on written text. In text without capitals and
    punctuation they find few entities, and the classes of a pipeline are its own.

    Reference: https://spacy.io/models
    """

    analyzer: Spacy

    @classmethod
    def of(cls, spec: str, context: Context) -> EntityRecogniser:
        """Return the recogniser of a spec such as `spacy` or `spacy:model=NAME`."""
        if not context.lang:
            raise OptionError("--entities spacy needs the language", fix="name it: --lang en")
        analyzer = ANALYZERS.create_for(context.lang, spec, "recogniser", lambda part: True)
        if not isinstance(analyzer, Spacy):
            raise OptionError(f"{analyzer.name!r} finds no entities", fix="use spacy")
        analyzer.check(context)
        return cls(analyzer)

    @property
    def model(self) -> str:
        """The name of the pipeline."""
        return pipeline_name(self.analyzer)

    def settings(self, context: Context) -> Settings:
        """Versions of spaCy and of the pipeline."""
        return self.analyzer.settings(context)

    def spans(self, texts: Sequence[str]) -> WordSpans:
        """Return the entities of texts as spans of words."""
        spans = WordSpans.from_rows(
            (row, *span)
            for row, found in enumerate(self._entities(texts))
            for span in spans_of_characters(found, texts[row])
        )
        if not len(spans):
            raise InputError(
                f"the pipeline {self.model!r} found no entities in the references",
                fix="check the language; pipelines need capitals and punctuation",
            )
        return spans

    def _entities(self, texts: Sequence[str]) -> Iterator[list[list[object]]]:
        """Yield the entities of each text: start and end in characters, and class."""
        pipeline = load(self.model, entities=True)
        if "ner" not in pipeline.pipe_names:
            raise OptionError(
                f"the spaCy pipeline {self.model!r} recognises no entities",
                fix="name a pipeline with the component ner",
            )
        with progress("entities", len(texts)) as step:
            for document in pipeline.pipe(texts, batch_size=BATCH):
                yield [
                    [e.start_char, e.end_char, e.label_] for e in document.ents if e.text.strip()
                ]
                step(1)
