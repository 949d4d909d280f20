"""Contractions: what they stand for, and the words that only look like them."""

from __future__ import annotations

import pytest

from misword.text.writing.contractions import Contractions

PAIRS = """
we're = we are
're = are
n't = not
they've = they have
i'm = i am
it'll = it will
customers'll = customers will
there're = there are
he'd = he had
he'd = he would
where'd = where did
it's = it is
it's = it has
company's going = company is going
let's = let us
don't = do not
do n't = don't
isn't = is not
can't = cannot
can't = can not
cannot = can not
ca n't = can't
won't = will not
wo n't = won't
shan't = shall not
wouldn't've = wouldn't have
wouldn't've = would not have
should've = should have
gonna = going to
gon na = gonna
wanna = want to
gotta = got to
gotta = have got to
gimme = give me
lemme = let me
kinda = kind of
sorta = sort of
outta = out of
dunno = don't know
'cause = because
cuz = because
'em = them
y'all = you all
d'you = do you
'tis = it is
'til = until
goin' = going
o'clock = o clock
would've = would have
"""
DIFFERENT = """
he'll = hell
we'll = well
she'd = shed
it's = its
can = can't
can not = can
were = we're
ill = i'll
wont = won't
your = you're
they're = there
cause = because
do = don't
will = won't
is = isn't
let's = lets
he had = he would
it is = it has
who's = whose
company's = company has
company's = company is
ain't = is not
going = gonna
2020's = 2020 is
"""


def same(first: str, second: str, lang: str = "en") -> bool:
    """Whether both phrases are in one class, if the texts consist of these phrases."""
    phrases = {tuple(first.lower().split()), tuple(second.lower().split())}
    words = sorted({word for phrase in phrases for word in phrase})
    return any(phrases <= set(found) for found in Contractions().classes(words, lang))


def pairs(text: str) -> list[list[str]]:
    return [line.split(" = ") for line in text.strip().splitlines()]


@pytest.mark.parametrize(("first", "second"), pairs(PAIRS))
def test_the_same(first: str, second: str) -> None:
    assert same(first, second)
    assert not same(first, second, "de")


@pytest.mark.parametrize(("first", "second"), pairs(DIFFERENT))
def test_not_the_same(first: str, second: str) -> None:
    assert not same(first, second)


def test_only_words_that_occur_are_listed() -> None:
    assert list(Contractions().classes(["we're", "we", "is"], "en")) == []
    assert list(Contractions().classes(["'s", "'", "n't"], "en")) == []
