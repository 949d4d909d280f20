"""`--forgive writing` from end to end: what is the same, and what stays an error."""

from __future__ import annotations

import misword

SAME = """
we're = we are
We 're = we are
They do n't = they don't
it has been = it's been
e-mail = email
the follow-up call = the follow up call
state-of-the-art = state of the art
at-risk youth = at risk youth
the U.S. economy = the US economy
the U S economy = the U.S. economy
our CEOs = our CEO's
c e o = CEO
R&D costs = R and D costs
Dr. Smith = doctor Smith
colour = color
Organised, = organized
COLOUR = color
all right = alright
OK = okay
uh yes = yes
yes = yes um
so [laughter] yes = so yes
yes - no = yes no
'hello' = hello
I'm gonna go = I am going to go
café = cafe
"""
DIFFERENT = """
can = can't
he'll = hell
we'll = well
its = it's
no = number
dr = drive
dr = doctors
st = street
company = co
fifteen = fifty
may be = maybe
in to = into
a part = apart
any one = anyone
give us = give U.S.
u s = us
I.T. = it
your = you're
cause = because
check = cheque
story = storey
prised = prized
ton = tonne
he had = he would
it is = it has
like = @
oh = @
not = @
<unk> = @
won't = wont
re-sign = resign
over time = overtime
.5 = 5
-5 = 5
60% = 60
$5 = 5
learnt = learned
Stephen = Steven
"""


def errors(text: str) -> dict[str, int]:
    """The word errors of each pair; `@` stands for no words."""
    lines = text.strip().splitlines()
    pairs = [f"x {line} y".replace(" @", "").split(" = ") for line in lines]
    references, hypotheses = ([pair[side] for pair in pairs] for side in (0, 1))
    scores = misword.score(
        [f"{text} y" for text in references],
        [f"x {text}" for text in hypotheses],
        metrics="wer",
        forgive="writing",
        lang="en",
    )
    found = scores.table.select("wer.substitutions", "wer.insertions", "wer.deletions")
    return dict(zip(lines, found.sum_horizontal().to_list(), strict=True))


def test_differences_of_writing_are_no_errors() -> None:
    assert {pair for pair, count in errors(SAME).items() if count} == set()


def test_different_words_are_errors() -> None:
    assert {pair for pair, count in errors(DIFFERENT).items() if not count} == set()


def test_compounds_alone_do_not_forgive_case() -> None:
    """`i n` in one pair does not make `In` and `in` the same in another."""
    references = ["the i n of it", "In fact", "an e mail"]
    hypotheses = ["the i n of", "in fact", "an Email"]
    scores = misword.score(references, hypotheses, metrics="wer", forgive="compounds", lang="en")
    assert scores.table["wer.substitutions"].to_list() == [0, 1, 0]
    assert scores.table["forgiven.compounds"].to_list() == [0, 0, 1]
