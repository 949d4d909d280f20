"""Compounds: the same letters written apart, with a hyphen, or as one word."""

from __future__ import annotations

import pytest

from misword.core.errors import OptionError
from misword.text.writing.compounds import Compounds
from misword.text.writing.words import base_forms

PAIRS = """
en: e-mail = email
en: E-mail, = e mail
en: health care = healthcare
en: multi-year = multi year
en: multi-year = multiyear
en: year-over-year = year over year
en: state-of-the-art = state of the art
en: at-risk = at risk
en: in-house = in house
en: inhouse = in house
en: online = on line
en: follow-up = follow up
en: no one = no-one
en: today = to day
en: alot = a lot
en: cannot = can not
en: iPhone = i phone
en: CEO = c e o
en: CEO = C.E.O.
en: C.E.O. = c e o
en: U.S.A. = USA
en: IFRS = I FRS
en: NDA = nd a
en: AFM13 = AFM 13
en: in vivo = invivo
en: know how = knowhow
en: 10-K = 10 k
en: 10-year = 10 year
en: March/April = March April
en: and/or = and or
en: we 're = we're
en: company 's = company's
en: 60 % = 60%
en: long–term = long term
fr: l' homme = l'homme
fr: week-end = weekend
fr: rendez vous = rendez-vous
fr: là bas = là-bas
fr: pour cent = pourcent
de: zu Hause = zuhause
de: E-Mail = Email
de: z. B. = z.B.
nl: te veel = teveel
it: dell' anno = dell'anno
xx: a b = ab
"""
DIFFERENT = """
en: may be = maybe
en: in to = into
en: on to = onto
en: a part = apart
en: a way = away
en: a long = along
en: a lone = alone
en: a bout = about
en: a gain = again
en: some time = sometime
en: some times = sometimes
en: any one = anyone
en: any way = anyway
en: every one = everyone
en: its elf = itself
en: now here = nowhere
en: to get her = together
en: the rapist = therapist
en: over time = overtime
en: up on = upon
en: be long = belong
en: in direct = indirect
en: for give = forgive
en: no table = notable
en: u s = us
en: i t = it
en: U.S. = us
en: I.T. = it
en: w h o = who
en: th e = the
en: a nd = and
en: i s = is
en: a topic = atopic
en: re-sign = resign
en: re-cover = recover
en: its = it's
en: we'll = well
en: can t = can't
en: 20 20 = 2020
en: 1 5 = 15
en: 20 25% = 2025%
en: 10-15 = 1015
en: 3.5 = 35
en: can not = can
fr: de voir = devoir
fr: si non = sinon
fr: sur tout = surtout
fr: plus tôt = plutôt
fr: quoi que = quoique
de: nach dem = nachdem
es: si no = sino
es: por que = porque
pt: se não = senão
"""


def same(first: str, second: str, lang: str) -> bool:
    """Whether the one word has the letters of the other words, which may be joined."""
    part = Compounds()
    whole, parts = sorted((first.split(), second.split()), key=len)
    letters = part.letters(parts, lang)
    return (
        all(letters)
        and "".join(letters) == "".join(part.letters(whole, lang))
        and part.allowed(tuple(base_forms(parts)), lang, base_forms(whole))
    )


def rows(text: str) -> list[list[str]]:
    return [line.replace(": ", " = ", 1).split(" = ") for line in text.strip().splitlines()]


@pytest.mark.parametrize(("lang", "first", "second"), rows(PAIRS))
def test_the_same(lang: str, first: str, second: str) -> None:
    assert same(first, second, lang)


@pytest.mark.parametrize(("lang", "first", "second"), rows(DIFFERENT))
def test_not_the_same(lang: str, first: str, second: str) -> None:
    assert not same(first, second, lang)


def test_punctuation_takes_no_part() -> None:
    assert Compounds().letters(["-", "...", "'"], "en") == ["", "", ""]


def test_most() -> None:
    assert Compounds(most=2).most == 2
    with pytest.raises(OptionError, match="most=1"):
        Compounds(most=1)
