"""Abbreviations and initialisms, and the words that they are not."""

from __future__ import annotations

import pytest

from misword.text.writing.abbreviations import ABBREVIATIONS, Abbreviations
from misword.text.writing.words import base, base_forms, parse_classes

PAIRS = """
en: Mr. = mister
en: Mrs. = missus
en: Dr. = doctor
en: Prof. = professor
en: St. = saint
en: vs. = versus
en: etc. = et cetera
en: etc = etcetera
en: Jr. = junior
en: Inc. = incorporated
en: Ltd. = limited
en: approx. = approximately
en: Dec. = December
en: & = and
en: @ = at
en: R&D = R and D
en: R & D = R&D
en: AT&T = A T and T
en: AT&T = AT & T
en: a.m. = am
en: p. m. = PM
fr: M. = Monsieur
fr: Mme = madame
fr: A&B = a et b
de: z.B. = zum Beispiel
de: usw. = und so weiter
de: Dr. = Doktor
es: Sr. = señor
es: EE.UU. = Estados Unidos
it: sig. = signor
it: ecc. = eccetera
pt: Sra. = senhora
nl: bijv. = bijvoorbeeld
"""
DIFFERENT = """
en: Dr. = drive
en: St. = street
en: co = company
en: no = number
en: no. = number
en: Ms. = miss
en: mr = doctor
en: d = and
en: R&D = R D
en: us = U.S.
de: mr = mister
"""
READINGS = """
US = U.S.
US = U S
u s = U.S.
u.s. = US
IT = I.T.
IT = I T
CEOs = CEO's
CEOs = C.E.O.s
KPI's, = KPIs
"""
DIFFERENT_READINGS = """
us = U.S.
US = us
it = I.T.
it = I T
Us = U.S.
company's = companys
A's = as
CEO = CEOs
USA = US
"""


def same_phrases(first: str, second: str, lang: str) -> bool:
    phrases = {tuple(base_forms(first.split())), tuple(base_forms(second.split()))}
    words = sorted({word for phrase in phrases for word in phrase})
    return any(phrases <= set(found) for found in Abbreviations().classes(words, lang))


def keys(text: str, lang: str = "en") -> set[str]:
    """The readings of a whole text."""
    words = tuple(text.split())
    values = Abbreviations().run_words(words, lang)
    if values is None or 0 in values or 1 not in values:
        return set()
    found = Abbreviations().readings(words, lang)
    return {reading.key for reading in found if reading[:2] == (0, len(words))}


def rows(text: str) -> list[list[str]]:
    return [line.replace(": ", " = ", 1).split(" = ") for line in text.strip().splitlines()]


@pytest.mark.parametrize(("lang", "first", "second"), rows(PAIRS))
def test_the_same(lang: str, first: str, second: str) -> None:
    assert same_phrases(first, second, lang)


@pytest.mark.parametrize(("lang", "first", "second"), rows(DIFFERENT))
def test_not_the_same(lang: str, first: str, second: str) -> None:
    assert not same_phrases(first, second, lang)


@pytest.mark.parametrize(("first", "second"), rows(READINGS))
def test_initialisms(first: str, second: str) -> None:
    assert keys(first) & keys(second)


@pytest.mark.parametrize(("first", "second"), rows(DIFFERENT_READINGS))
def test_what_is_no_initialism(first: str, second: str) -> None:
    assert not keys(first) & keys(second)


def test_initialisms_within_a_run() -> None:
    run = ("A", "U", "S", "I", "T", "a")
    found = {(start, end): key for start, end, key in Abbreviations().readings(run, "en")}
    assert found[1, 3] == "us"
    assert found[3, 5] == "it"


@pytest.mark.parametrize("lang", sorted(ABBREVIATIONS))
def test_lists_have_base_forms(lang: str) -> None:
    """A word that is not a base form would never be found."""
    classes = parse_classes(ABBREVIATIONS[lang])
    assert all(base(word) == word for found in classes for phrase in found for word in phrase)
    assert all(len(set(found)) == len(found) > 1 for found in classes)
