"""Labels of who does what: words that changed places, and pronouns in place of others.

Label `role`: two words changed places around a verb or another common word (`the man chased the
dog` for `the dog chased the man`), they kept their places though the verb became a passive (`the
dog was chased by the man`), or a pronoun is heard as another one. Two numbers that changed places
have the label `number`. If the sentence says the same in another form, as a passive or with a verb
of the opposite direction (`sold`, `bought`), the labels are harmless: `order` or `synonym`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from misword.asr.severity.case import (
    EXCHANGED,
    SMALL,
    Case,
    PlacedCue,
    Side,
    label_classes,
    one_side,
    risk_table,
)

MOST_NEW = 1  # words that only one side of an exchange has
# Risks of pronouns in place of others, and of a lost pronoun.
PRONOUNS = risk_table("""
    he, they: 0.3
    she, they: 0.3
    i, we: 0.3
    we, you: 0.4
    il, ils: 0.1
    il, elle: 0.35
    le, él: 0.1
    usted, él: 0.2
    él, ellos: 0.1
    son, il: 0.1
    son, elle: 0.1
    su, él: 0.1
    su, ella: 0.1
    su, usted: 0.1
    tu, vous: 0.1
    er, sie: 0.35
    sie, ihr: 0.1
    je, nous: 0.3
    ich, wir: 0.3
    yo, nosotros: 0.3
""")
LOST_PRONOUN = 0.05


def label_exchanged_words(case: Case) -> None:
    """Label words that changed places, unless the voice of the verb changed with them."""
    left, right = case.sides
    if not left.open or not right.open:
        return
    if not _may_exchange(case):
        return
    mine, theirs = _heads(left), _heads(right)
    both = [key for key in mine if key in theirs]
    moved = [key for key in both if mine[key] in left.open or theirs[key] in right.open]
    toggled = _new_agents(case)
    for number, at in toggled:
        if _wrong_agent(case, number, at, (mine, theirs)):
            case.label("role", 0.7, *one_side(number, [at]))
    if len(moved) < 1 or len(both) < 2:
        return
    for one, other in _inverted(case, mine, theirs, moved, both):
        if not toggled and _is_reworded(case, (one, other)):
            continue
        places = [[mine[one], mine[other]], [theirs[one], theirs[other]]]
        own = [
            [at for at in of if at in side.open]
            for side, of in zip(case.sides, places, strict=True)
        ]
        if not all(own):
            continue
        numeric = all(key.startswith("number") for key in (one, other))
        if toggled:
            case.label("order", SMALL, *own)
        elif verbs := _converse(case):
            case.label("synonym", 0.1, *([*at, verb] for at, verb in zip(own, verbs, strict=True)))
        else:
            label = "number" if numeric else "role"
            case.label(label, EXCHANGED, own[0][:1], own[1][-1:])
            if len(own[0]) > 1 or len(own[1]) > 1:
                case.label(label, 0.3, own[0][1:], own[1][:-1])
        return


def _converse(case: Case) -> tuple[int, int] | None:
    """Return words that say the same with exchanged roles: `he sold it`, `she bought it`."""
    left, right = case.sides
    known, lemma = case.knowledge.language.converse, case.knowledge.lemma
    for at in left.in_order() if known else ():
        for to in right.in_order():
            words = left.pieces[at], right.pieces[to]
            if words in known or (lemma(words[0]), lemma(words[1])) in known:
                return at, to
    return None


def _is_reworded(case: Case, both: tuple[str, str]) -> bool:
    """Whether a side has several words that the other side has nowhere.

    Words that change places take their sentence with them, as it is; a sentence that was turned
    into another form has other function words or another form of the verb (`the barn got destroyed
    in the storm`).
    """
    heads = set(both)
    for side, other in (case.sides, case.sides[::-1]):
        known = set(other.pieces)
        new = 0
        for at in side.open:
            head = side.facts[at].head
            if side.pieces[at] in known or head.startswith("pronoun"):
                continue
            before_head = at + 1 < len(side.facts) and side.facts[at + 1].head in heads
            new += bool(head) or not before_head
        if new > MOST_NEW:
            return True
    return False


def _may_exchange(case: Case) -> bool:
    """Whether both sides have an open word in common, or one has an agent: few pairs do."""
    keys = [{side.facts[at].head for at in side.open} - {""} for side in case.sides]
    if keys[0] & keys[1]:
        return True
    return any(side.facts[at].agent for side in case.sides for at in side.open)


def _inverted(
    case: Case,
    mine: dict[str, int],
    theirs: dict[str, int],
    moved: Sequence[str],
    both: Sequence[str] = (),
) -> list[tuple[str, str]]:
    """Return pairs of heads that changed places around a word, or that changed their markers."""
    found = []
    for one, other in combinations(dict.fromkeys([*moved, *both]), 2):
        if one not in moved and other not in moved:
            continue
        if (mine[one] - mine[other]) * (theirs[one] - theirs[other]) >= 0:
            continue
        if _pivot(case, sorted((mine[one], mine[other])), sorted((theirs[one], theirs[other]))):
            if _new_roles(case, one, other, mine, theirs):
                found.append((one, other))
        elif _new_persons(case, one, other, mine, theirs) or all(
            _new_marker(case, mine[key], theirs[key]) for key in (one, other)
        ):
            found.append((one, other))
    return found


def _fronted(
    case: Case, one: str, other: str, mine: dict[str, int], theirs: dict[str, int]
) -> bool:
    """Whether words kept their case, though they changed places.

    The form of a pronoun shows its case, and in some languages that of the word before a noun. In
    English the place decides; in other languages a noun may come first for emphasis only.
    """
    left, right = case.sides
    signs = case.knowledge.language.case_signs
    for key in (one, other):
        before = [side.pieces[max(0, at[key] - 1)] for side, at in ((left, mine), (right, theirs))]
        if before[0] == before[1] and before[0] in signs:
            return True
    pronouns = [key for key in (one, other) if key.startswith("pronoun")]
    return (
        len(pronouns) == 1 and left.pieces[mine[pronouns[0]]] == right.pieces[theirs[pronouns[0]]]
    )


def _new_persons(
    case: Case, one: str, other: str, mine: dict[str, int], theirs: dict[str, int]
) -> bool:
    """Whether two names changed places around a function word, or two pronouns their cases."""
    left, right = case.sides
    if all(key.startswith("pronoun") for key in (one, other)):
        return all(left.pieces[mine[key]] != right.pieces[theirs[key]] for key in (one, other))
    if not all(left.facts[mine[key]].name for key in (one, other)):
        return False
    start, end = sorted((mine[one], mine[other]))
    between = [at for at in range(start + 1, end) if at not in left.open]
    return bool(between) and _new_roles(case, one, other, mine, theirs)


def _new_roles(
    case: Case, one: str, other: str, mine: dict[str, int], theirs: dict[str, int]
) -> bool:
    """Whether each of two heads stands about where the other one stood."""
    left, right = case.sides
    markers = [(_marker(left, mine[key]), _marker(right, theirs[key])) for key in (one, other)]
    if any(own and own == new for own, new in markers):
        return False
    if case.knowledge.language.code != "en" and _fronted(case, one, other, mine, theirs):
        return False
    return all(
        abs(left.anchor[mine[a]] - right.anchor[theirs[b]]) <= 1
        for a, b in ((one, other), (other, one))
    )


def _heads(side: Side) -> dict[str, int]:
    """Return the places of words that occur once: pronouns by class, other words by lemma."""
    places: dict[str, int] = {}
    twice = set()
    for at, facts in enumerate(side.facts):
        key = facts.head
        if not key:
            continue
        if key in places:
            twice.add(key)
        places[key] = at
    return {key: at for key, at in places.items() if key not in twice}


def _pivot(case: Case, mine: Sequence[int], theirs: Sequence[int]) -> bool:
    """Whether both sides have a common content word between two places."""
    left, right = case.sides
    lemma = case.knowledge.lemma
    between = {lemma(left.pieces[at]) for at in range(mine[0] + 1, mine[1]) if left.weight(at)}
    heard = {lemma(right.pieces[at]) for at in range(theirs[0] + 1, theirs[1]) if right.weight(at)}
    if between & heard:
        return True
    converse = case.knowledge.language.converse
    return any(
        case.knowledge.kind(a, b) in ("synonym", "same") or (a, b) in converse
        for a in between
        for b in heard
    )


def _marker(side: Side, at: int) -> str:
    """Return the preposition before a word, if there is one; determiners are skipped."""
    for place in (at - 1, at - 2):
        if place < 0:
            return ""
        if side.pieces[place] in side.knowledge.language.markers | side.knowledge.language.agents:
            return side.pieces[place]
        if side.weight(place):
            return ""
    return ""


def _new_marker(case: Case, at: int, to: int) -> bool:
    """Whether a word has a preposition on both sides, and another one on each."""
    own, new = _marker(case.reference, at), _marker(case.hypothesis, to)
    return bool(own and new and own != new)


def _is_agent(side: Side, at: int) -> bool:
    """Whether a piece is `by` before a person or thing, and not before an amount."""
    if not side.facts[at].agent:
        return False
    for place in range(at + 1, min(at + 4, len(side.pieces))):
        if side.knowledge.is_number(side.pieces[place]):
            return False
        if side.weight(place) or side.knowledge.language.of_section(side.pieces[place], "pronoun"):
            return True
    return False


def _new_agents(case: Case) -> list[tuple[int, int]]:
    """Return the side and the place of agents (`by the dog`) that one side alone has."""
    counts = [sum(_is_agent(side, at) for at in range(len(side.pieces))) for side in case.sides]
    if counts[0] == counts[1]:
        return []
    number = int(counts[1] > counts[0])
    side = case.sides[number]
    return [(number, at) for at in side.in_order() if _is_agent(side, at)]


def _wrong_agent(
    case: Case, number: int, by: int, heads: tuple[dict[str, int], dict[str, int]]
) -> bool:
    """Whether the subject and the agent of a passive stand in this order in the active as well."""
    own, other = heads[number], heads[1 - number]
    agent = min((key for key, at in own.items() if at > by), key=own.__getitem__, default="")
    subject = min((key for key, at in own.items() if at < by), key=own.__getitem__, default="")
    if agent not in other or subject not in other:
        return False
    places = sorted((other[subject], other[agent]))
    mine = [own[subject], own[agent]]
    pivots = (mine, places) if number == 0 else (places, mine)
    return other[subject] < other[agent] and _pivot(case, *pivots)


# Pronouns.


def label_pronouns(case: Case, left: list[PlacedCue], right: list[PlacedCue]) -> None:
    """Label pronouns in place of others, or lost."""
    label_classes(case, "role", PRONOUNS, 0.5, lambda n: LOST_PRONOUN, left, right)
