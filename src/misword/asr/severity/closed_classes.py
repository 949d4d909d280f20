"""Labels of negation, opposites and modality, and the comparison of all closed classes of words.

The lists of a language give classes to words and phrases (cues): negations, modals, quantifiers,
words of frequency, pronouns, units and dates. What only the reference has is compared with what
only the hypothesis has. A class that both have is no error, wherever its words stand; so a
paraphrase (`must`, `have to`) is harmless, and `not` in place of `n't` as well.

Labels found here are `negation`, `polarity` (a word whose opposite is heard: `up`, `down`) and
`modality` (modals, quantifiers and frequencies). Units and dates are labelled in `numbers`,
pronouns in `roles`.
"""

from __future__ import annotations

from collections.abc import Callable

from misword.asr.severity.case import (
    SMALL,
    Case,
    PlacedCue,
    Side,
    Span,
    label_classes,
    one_side,
    risk_table,
)
from misword.asr.severity.language import CUES
from misword.asr.severity.numbers import label_measures
from misword.asr.severity.roles import label_pronouns

# How far a negation may move, in correct words.
FAR = 4


def label_closed_classes(case: Case) -> None:
    """Compare negations, modals, quantifiers, pronouns, units and dates of both sides."""
    left, right = case.reference.cues(), case.hypothesis.cues()
    found = {placed.cue.section for placed in (*left, *right)}
    sections = [section for section in CUES if section in found]
    rest: dict[str, list[list[PlacedCue]]] = {}
    for section in sections:
        own = [[p for p in side if p.cue.section == section] for side in (left, right)]
        rest[section] = _uncommon(case, section, *own)
    negations = rest.pop("negation", [[], []])
    _opposites(case, negations)
    _negation(case, *(case.open_cues(number, cues) for number, cues in enumerate(negations)))
    for section in ("unit", "date", "modality", "quantifier", "frequency", "pronoun"):
        if section in rest:
            own = [case.open_cues(number, cues) for number, cues in enumerate(rest[section])]
            RULES[section](case, *own)


def _uncommon(
    case: Case, section: str, left: list[PlacedCue], right: list[PlacedCue]
) -> list[list[PlacedCue]]:
    """Return the cues of both sides without those whose class the other side has as well."""
    left, right = list(left), list(right)
    for mine in list(left):
        same = [theirs for theirs in right if theirs.cue.name == mine.cue.name]
        if not same:
            continue
        theirs = min(same, key=lambda cue: case.distance(mine, cue))
        far = section == "negation" and case.distance(mine, theirs) > FAR
        if far:
            continue
        left.remove(mine)
        right.remove(theirs)
        places = [case.open_places(number, cue) for number, cue in enumerate((mine, theirs))]
        if any(places):
            equal = case.reference.text(mine.span) == case.hypothesis.text(theirs.span)
            case.label("order" if equal else "synonym", 0.02, *places)
    kept = []
    for number, cues in enumerate((left, right)):
        side, rest = case.sides[number], list[PlacedCue]()
        for cue in cues:
            if section in ("unit", "date") or cue.cue.name not in side.closed_cues(
                cue.span, section, 3
            ):
                rest.append(cue)
            elif section != "pronoun" and (own := case.open_places(number, cue)):
                case.label("repetition", SMALL, *one_side(number, own))
        kept.append(rest)
    return kept


# Opposites.


def _opposites(case: Case, negations: list[list[PlacedCue]]) -> None:
    """Label words whose opposite the other side has; a negation with it makes it harmless."""
    left, right = case.sides
    theirs = right.in_order()
    few = [to for to in theirs if right.facts[to].opposed]
    for at in left.in_order():
        for to in theirs if left.facts[at].opposed else few:
            if abs(left.anchor[at] - right.anchor[to]) > 2:
                continue
            if at not in left.open or to not in right.open:
                continue
            plain = not (left.weight(at) and right.weight(to))
            if plain and left.region[at] != right.region[to]:
                continue
            if case.knowledge.kind(left.pieces[at], right.pieces[to]) != "opposite":
                continue
            if _is_negation(left, at) or _is_negation(right, to):
                continue
            sizes = [len(case.open_cues(number, cues)) for number, cues in enumerate(negations)]
            if abs(sizes[0] - sizes[1]) == 1:
                number = int(sizes[1] > sizes[0])
                cue = case.open_cues(number, negations[number])[0]
                negations[number].remove(cue)
                extra = case.open_places(number, cue)
                places = ([at, *extra], [to]) if number == 0 else ([at], [to, *extra])
                case.label("synonym", 0.1, *places)
            else:
                last = at == len(left.pieces) - 1 and to == len(right.pieces) - 1
                weak = not last and (
                    left.pieces[at] in WEAK_OPPOSITES or right.pieces[to] in WEAK_OPPOSITES
                )
                case.label("polarity", 0.3 if weak else 0.75 if plain else 0.92, [at], [to])


# Opposites that often stand for each other without a change of the meaning.
WEAK_OPPOSITES = frozenset(
    [
        "to",
        "from",
        "in",
        "into",
        "away",
        "come",
        "go",
        "de",
        "a",
        "à",
        "here",
        "there",
        "this",
        "that",
        "ein",
        "an",
        "auf",
        "zu",
        "ab",
        "hin",
        "her",
        "old",
        "back",
        "like",
        "end",
        "last",
        "light",
    ]
)


# Negation.


def _is_negation(side: Side, at: int) -> bool:
    return bool(side.knowledge.language.of_section(side.pieces[at], "negation"))


def _negation(case: Case, left: list[PlacedCue], right: list[PlacedCue]) -> None:
    """Label a negation that one side lacks; two on one side are one (`neither ... nor`)."""
    for number, cues in ((0, left), (1, right)):
        _join_negations(case, number, cues)
        names = [cue.cue.name for cue in cues]
        if "neither" in names and "nor" in names:
            nor = cues.pop(names.index("nor"))
            case.label("function", SMALL, *one_side(number, case.open_places(number, nor)))
        elif "nor" in names and not _closed_negation(case, number):
            pass
        elif "nor" in names:
            nor = cues.pop(names.index("nor"))
            case.label("function", SMALL, *one_side(number, case.open_places(number, nor)))
    for mine, theirs in zip(list(left), list(right), strict=False):
        both = case.open_places(0, mine), case.open_places(1, theirs)
        far = case.distance(mine, theirs) > FAR
        case.label("negation" if far else "synonym", 0.65 if far else 0.04, *both)
    common = min(len(left), len(right))
    for number, cues in ((0, left[common:]), (1, right[common:])):
        for cue in cues:
            _one_negation(case, number, cue)


def _join_negations(case: Case, number: int, cues: list[PlacedCue]) -> None:
    """Label a negation that belongs to another one of its clause: `no hay ningún`."""
    side = case.sides[number]
    joining, gone = side.knowledge.language.joining, set[int]()
    for cue in list(cues) if joining else ():
        span = range(*cue.span)
        own = side.pieces[cue.span.start] in joining
        near = range(max(0, cue.span.start - FAR), min(len(side.pieces), cue.span.end + FAR))
        if any(
            _is_negation(side, at) and (own or side.pieces[at] in joining)
            for at in near
            if at not in span and at not in gone
        ):
            gone.update(span)
            cues.remove(cue)
            case.label("function", SMALL, *one_side(number, case.open_places(number, cue)))


def _one_negation(case: Case, number: int, cue: PlacedCue) -> None:
    """Label a negation that one side alone has."""
    side, other = case.sides[number], case.sides[1 - number]
    places = case.open_places(number, cue)
    if not places:
        return
    piece, region = side.pieces[cue.span.start], side.region[places[0]]
    beside = [at for at in other.in_order() if other.region[at] == region]
    risk = 0.93
    if cue.cue.name in ("deny", "barely", "tampoco", "nor", "ni"):
        risk = 0.5
    elif _repeats_answer(case, number, cue):
        risk = 0.2
    elif cue.cue.name == "no" and len(side.pieces) > 4 and number == 0 and _answers(side, cue.span):
        risk = 0.45
    for at in beside:
        if case.knowledge.kind(piece, other.pieces[at]) == "same":  # French `personnes`, `personne`
            both = (places, [at]) if number == 0 else ([at], places)
            case.label("inflection", SMALL, *both)
            return
    alone = number == 1 and len(beside) == 1 == len(side.of_region(region))
    if alone and other.weight(beside[0]) >= 0.6:  # a word heard as another one
        case.label("replaced", 0.62, beside, places)
        return
    strange = [at for at in beside if _is_strange(case, other, at)]
    if strange and number == 1 and len(side.of_region(region)) > 1:
        return  # words in place of a name or a rare word: what was lost decides
    if any(side.knowledge.sounds_like(piece, other.pieces[at]) for at in beside):
        risk = 0.3
    opposite = [at for at in beside if other.pieces[at] not in case.knowledge.language.markers][:1]
    case.label("negation", risk, *((places, opposite) if number == 0 else (opposite, places)))


def _is_strange(case: Case, side: Side, at: int) -> bool:
    """Whether a piece is a name or a word that hardly occurs."""
    if side.weight(at) < 1:
        return False
    return side.is_name(at, cased=case.cased) or case.knowledge.is_rare(side.pieces[at])


def _repeats_answer(case: Case, number: int, cue: PlacedCue) -> bool:
    """Whether a negation at an end of a text repeats one beside it: `no, not really, no`."""
    side = case.sides[number]
    for step, end in ((1, len(side.pieces)), (-1, -1)):
        if end > 0 and cue.span.start > 2 and cue.cue.name not in ("no", "non", "nein"):
            continue
        for at in range(cue.span.start + step, end, step):
            if _is_negation(side, at) and at not in side.open:
                return True
            if side.weight(at) >= 0.6:
                break
    return (
        cue.span.start == 0
        and cue.cue.name in ("no", "non", "nein")
        and _closed_negation(case, number)
    )


def _answers(side: Side, span: Span) -> bool:
    """Whether a `no` is an answer by itself, and does not negate the next word."""
    return span.end < len(side.pieces) and side.weight(span.end) == 0


def _closed_negation(case: Case, number: int) -> bool:
    """Whether a side has a negation that is correct."""
    side = case.sides[number]
    return any(at not in side.open and _is_negation(side, at) for at in range(len(side.pieces)))


# Modality, quantifiers and frequencies: risks of a class in place of another one, and of a class
# that one side lacks.

MODALS = risk_table("""
    possibility, ability: 0.12
    possibility, permission: 0.3
    ability, permission: 0.15
    ability, condition: 0.15
    ability, certain future: 0.3
    ability, wish: 0.4
    condition, certain future: 0.12
    condition, wish: 0.08
    condition, advice: 0.35
    condition, possibility: 0.35
    certain future, necessity: 0.5
    certain future, wish: 0.35
    certain future, advice: 0.45
    advice, necessity: 0.55
    certainty, necessity: 0.3
    likely, possibility: 0.2
""")
LOST_MODAL = {
    "necessity": 0.45, "possibility": 0.4, "ability": 0.25, "permission": 0.4, "optional": 0.6,
    "certainty": 0.2, "unlikely": 0.6, "certain future": 0.06, "condition": 0.06, "if": 0.4,
    "unless": 0.65, "advice": 0.35, "wish": 0.15, "likely": 0.3,
}  # fmt: skip
QUANTIFIERS = risk_table("""
    some, few: 0.3
    some, many: 0.4
    all, many: 0.5
    all, most: 0.6
    about, exactly: 0.4
    about, at least: 0.35
    only, exactly: 0.1
    only, some: 0.2
""")
LOST_QUANTIFIER = {
    "all": 0.15, "most": 0.45, "some": 0.06, "many": 0.2, "few": 0.4, "only": 0.4, "half": 0.6,
    "exactly": 0.1, "about": 0.2, "at least": 0.35, "at most": 0.5,
}  # fmt: skip
FREQUENCIES = risk_table("""
    always, often: 0.6
    often, sometimes: 0.6
    again, once: 0.5
""")
LOST_FREQUENCY = {"always": 0.3, "often": 0.3, "sometimes": 0.35, "rarely": 0.6, "again": 0.15}


def _modality(case: Case, left: list[PlacedCue], right: list[PlacedCue]) -> None:
    label_classes(case, "modality", MODALS, 0.8, lambda n: LOST_MODAL.get(n, 0.3), left, right)


def _quantifier(case: Case, left: list[PlacedCue], right: list[PlacedCue]) -> None:
    label_classes(
        case, "modality", QUANTIFIERS, 0.75, lambda n: LOST_QUANTIFIER.get(n, 0.2), left, right
    )


def _frequency(case: Case, left: list[PlacedCue], right: list[PlacedCue]) -> None:
    label_classes(
        case, "modality", FREQUENCIES, 0.8, lambda n: LOST_FREQUENCY.get(n, 0.2), left, right
    )


RULES: dict[str, Callable[[Case, list[PlacedCue], list[PlacedCue]], None]] = {
    "unit": label_measures, "date": label_measures, "modality": _modality,
    "quantifier": _quantifier, "frequency": _frequency, "pronoun": label_pronouns,
}  # fmt: skip
