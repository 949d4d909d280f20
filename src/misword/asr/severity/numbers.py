"""Labels of numbers, units and dates.

Numbers are runs of number words and digits; they are compared by their value, wherever they stand
in the text. Label `number`: another value, a number that one side lacks, two numbers that changed
places, another or a lost unit or date. A number with the same value that is written in another way
or stands at another place is harmless (`order`), and so is a lost `one` (`function`).
"""

from __future__ import annotations

import re
from itertools import combinations

from misword.asr.severity.case import EXCHANGED, SMALL, Case, PlacedCue, Side, Span, one_side
from misword.text.writing.numbers.family import Numbers

LOST_PERCENT = 0.35  # the risk of a sign that one side lacks: `29%` and `29`
CONTENT_WORD = 0.6  # the least weight of a content word
MEASURE = 0.92  # the risk of a unit or date in place of another one
ROMAN = re.compile(r"(x{0,3}(?:ix|iv|v?i{0,3}))(?:th|e|è?me|er)?")
# Words for `two times` and the like, with the key of the number that they contain.
TIMES = {"twice": "n:2", "thrice": "n:3", "double": "n:2", "triple": "n:3"}


def label_numbers(case: Case) -> None:
    """Label numbers with another value, and numbers that one side lacks."""
    runs = [_runs(side) for side in case.sides]
    if not any(runs):
        return
    values = [
        [_values(side, run) for run in own] for side, own in zip(case.sides, runs, strict=True)
    ]
    left, right = ([*own] for own in runs)
    same: list[tuple[Span, Span]] = []
    for at, mine in enumerate(runs[0]):
        for to, theirs in enumerate(runs[1]):
            if mine in left and theirs in right and values[0][at] & values[1][to]:
                left.remove(mine)
                right.remove(theirs)
                same.append((mine, theirs))
                break
    for one, other in combinations(list(same), 2):
        if one in same and other in same and _changed_places(case, one, other):
            same = [pair for pair in same if pair not in (one, other)]
            _close(case, "number", EXCHANGED, one[0], other[1])
            _close(case, "number", EXCHANGED, other[0], one[1])
    for mine, theirs in same:
        _close(case, "order", SMALL, mine, theirs)
    for mine in list(left):
        for theirs in right:
            texts = [
                "".join(s.text(run)) for s, run in zip(case.sides, (mine, theirs), strict=True)
            ]
            if _nearly_equal(*texts):
                left.remove(mine)
                right.remove(theirs)
                _close(case, "number", LOST_PERCENT, mine, theirs)
                break
    for mine in list(left):
        here = case.reference.regions_of(mine)
        near = [run for run in right if case.hypothesis.regions_of(run) & here] or (
            right if len(left) == len(right) else []
        )
        if near:
            theirs = near[0]
            left.remove(mine)
            right.remove(theirs)
            _close(case, "number", 0.93, mine, theirs)
    for mine in left:
        roman = _roman_mate(case, mine)
        if roman is not None:
            _close(case, "order", SMALL, mine, Span(roman, roman + 1))
            continue
        _close(case, "number", _risk_of_lost(case, 0, mine), mine, None)
    for theirs in right:
        here = case.hypothesis.regions_of(theirs)
        if any(
            case.reference.weight(at) for region in here for at in case.reference.of_region(region)
        ):
            continue  # it stands for another word, which is labelled as content
        _close(case, "number", _risk_of_lost(case, 1, theirs), None, theirs)


def _roman_mate(case: Case, run: Span) -> int | None:
    """Return the heard piece that is a number in Roman numerals: `xiv` for `quatorze`."""
    here, right = case.reference.regions_of(run), case.hypothesis
    values = {key.partition(":")[2] for key in _values(case.reference, run)}
    for at in right.in_order():
        numeral = ROMAN.fullmatch(right.pieces[at])
        if not numeral or not numeral[1] or right.region[at] not in here:
            continue
        if str(_roman_value(numeral[1])) in values:
            return at
    return None


def _roman_value(numeral: str) -> int:
    """Return the value of a Roman numeral below forty.

    >>> [_roman_value(numeral) for numeral in ("xiv", "ix", "xxi")]
    [14, 9, 21]
    """
    values = [{"i": 1, "v": 5, "x": 10}[letter] for letter in numeral]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )


def _nearly_equal(left: str, right: str) -> bool:
    """Whether numbers are the same but for a sign, an ending or the letters of a name.

    >>> _nearly_equal("29%", "29"), _nearly_equal("6th", "6"), _nearly_equal("19", "20")
    (True, True, False)
    """
    digits = ["".join(filter(str.isdigit, text)) for text in (left, right)]
    return left.strip("%") == right.strip("%") or "" != digits[0] == digits[1]


def _changed_places(case: Case, one: tuple[Span, Span], other: tuple[Span, Span]) -> bool:
    """Whether each of two numbers stands where the other one stood, without the words behind it."""
    left, right = case.sides
    if (one[0].start - other[0].start) * (one[1].start - other[1].start) >= 0:
        return False
    behind = [(left.pieces[m.end :][:1], right.pieces[t.end :][:1]) for m, t in (one, other)]
    if all(mine == theirs for mine, theirs in behind):
        return False
    return all(
        abs(left.anchor[mine.start] - right.anchor[theirs.start]) <= 1
        for mine, theirs in ((one[0], other[1]), (other[0], one[1]))
    )


def _close(case: Case, label: str, risk: float, left: Span | None, right: Span | None) -> None:
    places = [
        [] if span is None else [at for at in range(*span) if at in side.open]
        for side, span in zip(case.sides, (left, right), strict=True)
    ]
    shown = risk if label == "number" or risk > SMALL else SMALL
    case.label(label if risk > SMALL or label != "number" else "function", shown, *places)


def _risk_of_lost(case: Case, number: int, run: Span) -> float:
    """Return the risk of a number that one side lacks: small for `one` and for homophones."""
    side, other = case.sides[number], case.sides[1 - number]
    text = side.text(run)
    region = side.regions_of(run)
    beside = [at for at in other.in_order() if other.region[at] in region]
    if len(text) == 1 and text[0] in (
        "one",
        "1",
        "un",
        "une",
        "uno",
        "una",
        "eins",
        "second",
        "first",
        "third",
    ):
        if text[0] in ("first", "third", "second"):
            replaced = any(other.weight(at) >= CONTENT_WORD for at in beside)
            return 0.65 if replaced and number == 0 else 0.3 if text[0] != "second" else SMALL
        return SMALL
    if any(case.knowledge.sounds_like(" ".join(text), other.pieces[at]) for at in beside):
        return 0.3
    return 0.7 if number == 0 else 0.6


def _runs(side: Side) -> list[Span]:
    """Return the runs of number words that have an open piece."""
    pieces, facts = side.pieces, side.facts
    if not any(facts[at].number for at in side.open):
        return []
    runs, start = [], -1
    flags = [own.number for own in facts]
    joins = ("and", "point", "oh", "et", "y", "und")
    for at in range(len(pieces) + 1):
        inside = at < len(pieces) and (
            flags[at]
            or (
                pieces[at] in joins and 0 < at < len(pieces) - 1 and flags[at - 1] and flags[at + 1]
            )
        )
        if inside and start < 0:
            start = at
        elif not inside and start >= 0:
            if any(place in side.open for place in range(start, at)):
                runs.append(Span(start, at))
            start = -1
    return runs


def _values(side: Side, run: Span) -> frozenset[str]:
    """Return what a run of number words can be read as, without conventions of writing."""
    text, knowledge = side.text(run), side.knowledge
    if (known := knowledge.values.get(text)) is not None:
        return known
    found = {" ".join(piece for piece in text if piece not in ("and", "et", "y", "und"))}
    if len(text) == 1 and text[0] in TIMES:
        found.add(TIMES[text[0]])
    if knowledge.read_numbers:
        for reading in Numbers().readings(text, knowledge.language.code):
            if reading.start == 0 and reading.end == len(text):
                found.add(reading.key.removesuffix(" bare").removesuffix(" a"))
    values = knowledge.values[text] = frozenset(found)
    return values


# Units and dates.


def label_measures(case: Case, left: list[PlacedCue], right: list[PlacedCue]) -> None:
    """Label units and dates in place of others, or lost.

    A lost unit is content, unless a number stands before it.
    """
    left, right = list(left), list(right)
    for mine in list(left):
        near = [theirs for theirs in right if case.distance(mine, theirs) <= 2]
        if near:
            theirs = near[0]
            left.remove(mine)
            right.remove(theirs)
            case.label("number", MEASURE, case.open_places(0, mine), case.open_places(1, theirs))
    for number, cues in ((0, left), (1, right)):
        side = case.sides[number]
        for cue in cues:
            before = side.pieces[max(0, cue.span.start - 2) : cue.span.start]
            if side.knowledge.language.of_section(side.pieces[cue.span.start], "modality"):
                continue  # `may`
            if (
                any(side.knowledge.is_number(piece) for piece in before)
                or cue.cue.section == "date"
            ):
                places = case.open_places(number, cue)
                if number == 1 and _replaces_content(case, cue):
                    continue
                kept = any(
                    at not in side.open for at in range(max(0, cue.span.start - 2), cue.span.start)
                )
                usual = 0.6 if number == 0 and kept and cue.cue.section == "unit" else 0.45
                if cue.cue.section == "date" and side.weight(cue.span.start) < 0.3:
                    usual = 0.2
                case.label("number", usual, *one_side(number, places))


def _replaces_content(case: Case, cue: PlacedCue) -> bool:
    """Whether a heard word stands for a content word, whose label it takes."""
    left = case.reference
    region = case.hypothesis.region[cue.span.start]
    return any(left.weight(at) >= CONTENT_WORD for at in left.of_region(region))
