"""Spellings of one word, and different words that only look like them."""

from __future__ import annotations

import pytest

from misword.text.writing.spelling import SPELLERS, Spelling, parse_spellings, read_spellings

PAIRS = """
en: colour = color
en: colours = colors
en: watercolours = watercolors
en: neighbourhood = neighborhood
en: favourite = favorite
en: honourable = honorable
en: behavioural = behavioral
en: organise = organize
en: organisations = organizations
en: organising = organizing
en: monetise = monetize
en: analyse = analyze
en: analysing = analyzing
en: paralysed = paralyzed
en: centre = center
en: centred = centered
en: centre-left = center-left
en: centre's = center's
en: kilometres = kilometers
en: theatre = theater
en: travelled = traveled
en: cancelling = canceling
en: modelling = modeling
en: labelled = labeled
en: counsellor = counselor
en: jewellery = jewelry
en: fulfil = fulfill
en: enrolment = enrollment
en: instalments = installments
en: skilful = skillful
en: catalogue = catalog
en: dialogue = dialog
en: defence = defense
en: licence = license
en: practise = practice
en: programme = program
en: grey = gray
en: judgement = judgment
en: acknowledgement = acknowledgment
en: ageing = aging
en: adviser = advisor
en: aluminium = aluminum
en: paediatric = pediatric
en: haemoglobin = hemoglobin
en: anaesthesia = anesthesia
en: oestrogen = estrogen
en: foetal = fetal
en: manoeuvre = maneuver
en: manoeuvring = maneuvering
en: manoeuvrable = maneuverable
en: diarrhoea = diarrhea
en: archaeology = archeology
en: encyclopædia = encyclopedia
en: tyre = tire
en: kerb = curb
en: plough = plow
en: mouldy = moldy
en: sceptical = skeptical
en: sulphur = sulfur
en: pyjamas = pajamas
en: cosy = cozy
en: whisky = whiskey
en: yoghurt = yogurt
en: doughnut = donut
en: focussed = focused
en: benefitted = benefited
en: okay = ok
en: O.K. = OKAY.
en: yea = yeah
en: café = cafe
en: naïve = naive
en: useable = usable
en: Colour, = Color,
en: COLOUR = COLOR
de: Straße = Strasse
de: daß = dass
de: für = fuer
de: MÜLLER = MUELLER
fr: cœur = coeur
fr: paraître = paraitre
fr: connaît = connait
fr: août = aout
fr: oignons = ognons
fr: événement = évènement
fr: coûter = couter
es: sólo = solo
pt: acção = ação
pt: económico = econômico
"""
DIFFERENT = """
en: four = for
en: hour = hor
en: our = or
en: prise = prize
en: prised = prized
en: check = cheque
en: story = storey
en: ton = tonne
en: learnt = learned
en: rise = rize
en: advice = advise
en: device = devise
en: council = counsel
en: councillor = counselor
en: chancellor = chancelor
en: compelled = compeled
en: controlled = controled
en: contour = contor
en: pour = por
en: its = it's
en: fifteen = fifty
en: can = can't
en: affect = effect
en: Stephen = Steven
en: colour = Color
en: program = programs
en: colour-blind = colorblind
de: Maße = Masse
de: Buße = Busse
de: schon = schön
fr: sur = sûr
fr: du = dû
fr: mur = mûr
fr: jeune = jeûne
fr: ou = où
es: si = sí
es: esta = está
nl: straße = strasse
xx: colour = color
"""


def same(first: str, second: str, lang: str) -> bool:
    one, other = Spelling().same_words([first, second], lang)
    return one == other


def rows(text: str) -> list[list[str]]:
    return [line.replace(": ", " = ", 1).split(" = ") for line in text.strip().splitlines()]


@pytest.mark.parametrize(("lang", "first", "second"), rows(PAIRS))
def test_the_same(lang: str, first: str, second: str) -> None:
    assert same(first, second, lang)


@pytest.mark.parametrize(("lang", "first", "second"), rows(DIFFERENT))
def test_not_the_same(lang: str, first: str, second: str) -> None:
    assert not same(first, second, lang)


def test_capitals_and_punctuation_are_kept() -> None:
    words = ["“Colour”,", "COLOURS", "Organised.", "Straße", "-", "", "O’Neil"]
    spelt = ["“Color”,", "COLORS", "Organized.", "Straße", "-", "", "O’Neil"]
    assert Spelling().same_words(words, "en") == spelt


def test_alright() -> None:
    classes = list(Spelling().classes(["all", "right", "alright"], "en"))
    assert classes == [(("alright",), ("all", "right"))]
    assert list(Spelling().classes(["all", "right", "alright"], "de")) == []


@pytest.mark.parametrize("lang", sorted(SPELLERS))
def test_the_spelling_of_a_spelling_is_itself(lang: str) -> None:
    spell, spellings = SPELLERS[lang], read_spellings(lang)
    for variant, spelling in spellings.words.items():
        assert spell(variant) == spelling == spell(spelling)


def test_replaced_letters_are_found() -> None:
    """The speller looks for them only in words with one of these pairs of vowels."""
    letters = read_spellings("en").letters
    assert all("ae" in key or "oe" in key or "ou" in key for key in letters)


def test_a_list_of_spellings() -> None:
    words, letters = parse_spellings(
        "# note\n[our=or: - s]\ncol lab\n\n[-]\ngrey=gray\n[anywhere]\nae=e"
    )
    assert words == {
        "colour": "color",
        "colours": "colors",
        "labour": "labor",
        "labours": "labors",
        "grey": "gray",
    }
    assert letters == {"ae": "e"}
