"""Detectors of kinds of errors: they label the open pieces of a pair, the most certain first.

Most of them compare classes: what only the reference has with what only the hypothesis has. A class
that both have is no error, wherever its words stand; so a paraphrase (`must`, `have to`) is
harmless, and `not` in place of `n't` as well.

The risks are set by hand; `levels` says what they mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import combinations
from operator import eq

from misword.asr.severity.case import Case, PlacedCue, Side, Span
from misword.asr.severity.language import CUES
from misword.asr.severity.words import similarity
from misword.text.writing.numbers.family import Numbers

Terms = frozenset[tuple[str, ...]]

# Risks of harmless errors.
TINY, SMALL = 0.01, 0.03
FUNCTION, LOST_PRONOUN = 0.03, 0.05
# A region of this many pieces may be heard as other words that sound the same.
LONGEST_SOUND = 4
# How far a negation may move, in correct words.
FAR = 4


EXCHANGED = 0.88  # the risk of words that changed places


def labelled(case: Case, terms: Terms = frozenset()) -> Case:
    """Label all errors of a pair."""
    _equal_pieces(case)
    _joined_words(case)
    if terms:
        _critical_terms(case, terms)
    _repetitions(case)
    _cut_off(case)
    _added_clause(case)
    _fillers(case)
    _numbers(case)
    _exchanged(case)
    _sounds(case)
    _classes(case)
    _related(case)
    _nearly_spelt(case)
    _names(case)
    _content(case)
    for at in case.reference.in_order():
        case.label("function", FUNCTION, [at])
    for at in case.hypothesis.in_order():
        case.label("function", FUNCTION, (), [at])
    return case


# Words that are the same, repeated, or say nothing.


def _equal_pieces(case: Case) -> None:
    """Close pieces that both sides of a region have in order: `do not` and `don't`."""
    left, right = case.sides
    for region in range(case.regions):
        mine, theirs = left.of_region(region), right.of_region(region)
        start = 0
        for at in mine:
            for place in range(start, len(theirs)):
                if left.pieces[at] == right.pieces[theirs[place]]:
                    case.label("spelling", 0.0, [at], [theirs[place]])
                    start = place + 1
                    break


def _joined_words(case: Case) -> None:
    """Close words that one side writes as one word: `mars peaker` and `marspeaker`."""
    for number, side in enumerate(case.sides):
        other = case.sides[1 - number]
        for at in side.in_order():
            word = side.pieces[at]
            if len(word) < SHORTEST_JOINED or at not in side.open:
                continue
            for to in other.of_region(side.region[at]):
                if not word.startswith(other.pieces[to]):
                    continue
                end, letters = to, ""
                while end < len(other.pieces) and end in other.open and len(letters) < len(word):
                    letters += other.pieces[end]
                    end += 1
                if end - to > 1 and letters == word:
                    places = list(range(to, end))
                    case.label(
                        "spelling", SMALL, *(([at], places) if number == 0 else (places, [at]))
                    )
                    break


SHORTEST_JOINED = 5  # letters


def _critical_terms(case: Case, terms: Terms) -> None:
    """Label the user's terms that one side lacks."""
    counts = [[_places(side, term) for term in terms] for side in case.sides]
    for mine, theirs in zip(*counts, strict=True):
        lost = [span for span in mine if any(at in case.reference.open for at in range(*span))]
        added = [span for span in theirs if any(at in case.hypothesis.open for at in range(*span))]
        if len(mine) > len(theirs):
            for span in lost[: len(mine) - len(theirs)]:
                region = _regions(case.reference, span)
                heard = [
                    at for at in case.hypothesis.in_order() if case.hypothesis.region[at] in region
                ]
                case.label("term", 0.95, range(*span), heard[: span.end - span.start])
        for span in added[: max(0, len(theirs) - len(mine))]:
            case.label("term", 0.9, (), range(*span))


def _places(side: Side, term: tuple[str, ...]) -> list[Span]:
    size = len(term)
    return [
        Span(at, at + size)
        for at in range(len(side.pieces) - size + 1)
        if tuple(side.pieces[at : at + size]) == term
    ]


def _regions(side: Side, span: Span) -> set[int]:
    return {side.region[at] for at in range(*span)} - {-1}


def _repetitions(case: Case) -> None:
    """Label open pieces that repeat the words beside them: `no no no` for `no`."""
    for number, side in enumerate(case.sides):
        pieces = side.pieces
        sizes = [size for size in (1, 2, 3) if _repeats(pieces, size)]
        if not sizes:
            continue
        for at in side.in_order():
            for size in sizes:
                for first in (at - size, at):
                    second = first + size
                    if first < 0 or second + size > len(pieces) or at not in side.open:
                        continue
                    mine = range(second, second + size) if first < at else range(first, second)
                    if pieces[first:second] != pieces[second : second + size]:
                        continue
                    if any(side.knowledge.is_number(pieces[place]) for place in mine):
                        continue
                    if all(place in side.open for place in mine):
                        case.label("repetition", TINY, *((mine, ()) if number == 0 else ((), mine)))


def _fillers(case: Case) -> None:
    """Label words that only hold the turn, if one side alone has them."""
    for number, side in enumerate(case.sides):
        other = case.sides[1 - number]
        hesitations = side.knowledge.language.hesitations
        for at in side.in_order():
            if side.pieces[at] in hesitations and not _joins_numbers(side, Span(at, at + 1)):
                case.label("filler", TINY, *_one_side(number, [at]))
            elif number == 0 and side.words[side.word_of[at]].rstrip(".,…").endswith("-"):
                case.label("repetition", TINY, [at])  # a false start: `w- where`
        if not any(phrase.filler for phrase in side.phrases):
            continue
        regions = {other.region[at] for at in other.open if other.weight(at)}
        for phrase in side.phrases:
            span, places = phrase.span, range(*phrase.span)
            if phrase.filler and side.open.issuperset(places):
                if side.region[span.start] in regions and len(places) == 1:
                    continue  # it may stand for a word of the other side
                if case.knowledge.language.of_section(side.pieces[span.start], "negation"):
                    continue
                if _joins_numbers(side, span):
                    continue
                case.label("filler", TINY, *((places, ()) if number == 0 else ((), places)))


def _joins_numbers(side: Side, span: Span) -> bool:
    """Whether words stand between two numbers: `two oh seven`."""
    around = (span.start - 1, span.end)
    return all(0 <= at < len(side.facts) and side.facts[at].number for at in around)


def _repeats(pieces: Sequence[str], size: int) -> bool:
    """Whether a run of this many pieces is followed by the same run."""
    equal = list(map(eq, pieces, pieces[size:]))
    return any(all(equal[at : at + size]) for at, same in enumerate(equal) if same)


def _cut_off(case: Case) -> None:
    """Label the end of a reference that the hypothesis lacks."""
    left, right = case.sides
    size = len(left.pieces)
    lost = []
    for at in range(size - 1, -1, -1):
        if at not in left.open:
            break
        lost.append(at)
    if len(lost) < 2:
        return
    region = left.region[size - 1]
    heard = right.of_region(region)
    if len(heard) * FRAGMENT > len(lost) or (right.pieces and right.region[-1] not in (-1, region)):
        return
    weight = sum(left.weight(at) for at in lost)
    whole = len(lost) == size
    if weight < 0.8 or _moved(case, 0, lost):
        return
    joints = case.knowledge.language.open_words
    unfinished = not whole and right.pieces[-1:] != [] and right.pieces[-1] in joints
    clause = left.pieces[lost[-1]] in joints
    if len(lost) >= 3 or unfinished or clause:
        risk = min(0.92, 0.45 + 0.15 * weight + 0.2 * unfinished + 0.1 * clause)
        case.label("lost" if whole else "cut", risk, lost, heard)


# A heard word is a fragment, if this many words for each one are lost.
FRAGMENT = 5


def _moved(case: Case, number: int, places: Sequence[int]) -> bool:
    """Whether half of what these pieces say stands at another place of the other side."""
    side, other = case.sides[number], case.sides[1 - number]
    lemma = case.knowledge.lemma
    elsewhere = {lemma(other.pieces[at]) for at in other.open}
    known = set(map(lemma, other.pieces))
    said = [at for at in places if side.weight(at)]
    moved = sum(side.weight(at) for at in said if lemma(side.pieces[at]) in elsewhere)
    return all(lemma(side.pieces[at]) in known for at in said) or (
        moved >= 0.5 * sum(side.weight(at) for at in said)
    )


def _added_clause(case: Case) -> None:
    """Label words after the end of a reference, if they are a clause or phrase of their own."""
    left, right = case.sides
    added = []
    for at in range(len(right.pieces) - 1, -1, -1):
        if at not in right.open:
            break
        added.append(at)
    if len(added) < 2 or len(added) == len(right.pieces):
        return
    region = right.region[added[0]]
    new = [at for at in added if right.weight(at)]
    if left.of_region(region) or _moved(case, 1, added):
        return
    joint = case.knowledge.language.open_words
    if right.pieces[added[-1]] in joint or len(new) >= 3 or len(added) >= 3:
        weight = sum(right.weight(at) for at in new)
        case.label("invented", min(0.92, 0.6 + 0.15 * weight), (), added)


# Numbers: runs of number words and digits, compared by value.


def _numbers(case: Case) -> None:
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
        here = _regions(case.reference, mine)
        near = [run for run in right if _regions(case.hypothesis, run) & here] or (
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
        here = _regions(case.hypothesis, theirs)
        if any(
            case.reference.weight(at) for region in here for at in case.reference.of_region(region)
        ):
            continue  # it stands for another word, which is labelled as content
        _close(case, "number", _risk_of_lost(case, 1, theirs), None, theirs)


def _roman_mate(case: Case, run: Span) -> int | None:
    """Return the heard piece that is a number in Roman numerals: `xiv` for `quatorze`."""
    here, right = _regions(case.reference, run), case.hypothesis
    values = {key.partition(":")[2] for key in _values(case.reference, run)}
    for at in right.in_order():
        numeral = ROMAN.fullmatch(right.pieces[at])
        if not numeral or not numeral[1] or right.region[at] not in here:
            continue
        if str(_roman_value(numeral[1])) in values:
            return at
    return None


ROMAN = re.compile(r"(x{0,3}(?:ix|iv|v?i{0,3}))(?:th|e|è?me|er)?")


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


LOST_PERCENT = 0.35  # the risk of a sign that one side lacks: `29%` and `29`


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
    region = _regions(side, run)
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


# Words for `two times` and the like, with the key of the number that they contain.
TIMES = {"twice": "n:2", "thrice": "n:3", "double": "n:2", "triple": "n:3"}


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


# Who does what: two words that changed places around another one.


def _exchanged(case: Case) -> None:
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
            case.label("role", 0.7, *_one_side(number, [at]))
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


MOST_NEW = 1  # words that only one side of an exchange has


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


# Words that sound the same.


def _sounds(case: Case) -> None:
    """Label regions whose words sound the same on both sides."""
    left, right = case.sides
    for region in range(case.regions):
        mine, theirs = left.of_region(region), right.of_region(region)
        if not mine or not theirs or max(len(mine), len(theirs)) > LONGEST_SOUND:
            continue
        texts = [
            " ".join(side.pieces[at] for at in own) for side, own in ((left, mine), (right, theirs))
        ]
        if abs(len(texts[0]) - len(texts[1])) > 5 or not case.knowledge.sounds_like(*texts):
            continue
        weight = max((left.weight(at) for at in mine), default=0.0)
        case.label("homophone", 0.06 + 0.1 * weight, mine, theirs)


# Closed classes.


def _classes(case: Case) -> None:
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
    _negation(case, *(_still_open(case, number, cues) for number, cues in enumerate(negations)))
    for section in ("unit", "date", "modality", "quantifier", "frequency", "pronoun"):
        if section in rest:
            own = [_still_open(case, number, cues) for number, cues in enumerate(rest[section])]
            RULES[section](case, *own)


def _still_open(case: Case, number: int, cues: list[PlacedCue]) -> list[PlacedCue]:
    side = case.sides[number]
    return [cue for cue in cues if any(at in side.open for at in range(*cue.span))]


def _places_of(case: Case, number: int, cue: PlacedCue) -> list[int]:
    return [at for at in range(*cue.span) if at in case.sides[number].open]


def _uncommon(
    case: Case, section: str, left: list[PlacedCue], right: list[PlacedCue]
) -> list[list[PlacedCue]]:
    """Return the cues of both sides without those whose class the other side has as well."""
    left, right = list(left), list(right)
    for mine in list(left):
        same = [theirs for theirs in right if theirs.cue.name == mine.cue.name]
        if not same:
            continue
        theirs = min(same, key=lambda cue: _distance(case, mine, cue))
        far = section == "negation" and _distance(case, mine, theirs) > FAR
        if far:
            continue
        left.remove(mine)
        right.remove(theirs)
        places = [_places_of(case, number, cue) for number, cue in enumerate((mine, theirs))]
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
            elif section != "pronoun" and (own := _places_of(case, number, cue)):
                case.label("repetition", SMALL, *_one_side(number, own))
        kept.append(rest)
    return kept


def _distance(case: Case, mine: PlacedCue, theirs: PlacedCue) -> int:
    """Return by how many correct words two cues are apart."""
    return abs(case.reference.anchor[mine.span.start] - case.hypothesis.anchor[theirs.span.start])


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
            sizes = [len(_still_open(case, number, cues)) for number, cues in enumerate(negations)]
            if abs(sizes[0] - sizes[1]) == 1:
                number = int(sizes[1] > sizes[0])
                cue = _still_open(case, number, negations[number])[0]
                negations[number].remove(cue)
                extra = _places_of(case, number, cue)
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


def _is_negation(side: Side, at: int) -> bool:
    return bool(side.knowledge.language.of_section(side.pieces[at], "negation"))


def _negation(case: Case, left: list[PlacedCue], right: list[PlacedCue]) -> None:
    """Label a negation that one side lacks; two on one side are one (`neither ... nor`)."""
    for number, cues in ((0, left), (1, right)):
        _join_negations(case, number, cues)
        names = [cue.cue.name for cue in cues]
        if "neither" in names and "nor" in names:
            nor = cues.pop(names.index("nor"))
            case.label("function", SMALL, *_one_side(number, _places_of(case, number, nor)))
        elif "nor" in names and not _closed_negation(case, number):
            pass
        elif "nor" in names:
            nor = cues.pop(names.index("nor"))
            case.label("function", SMALL, *_one_side(number, _places_of(case, number, nor)))
    for mine, theirs in zip(list(left), list(right), strict=False):
        both = _places_of(case, 0, mine), _places_of(case, 1, theirs)
        far = _distance(case, mine, theirs) > FAR
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
            case.label("function", SMALL, *_one_side(number, _places_of(case, number, cue)))


def _one_negation(case: Case, number: int, cue: PlacedCue) -> None:
    """Label a negation that one side alone has."""
    side, other = case.sides[number], case.sides[1 - number]
    places = _places_of(case, number, cue)
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


def _one_side(number: int, places: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
    return (places, ()) if number == 0 else ((), places)


def _closed_negation(case: Case, number: int) -> bool:
    """Whether a side has a negation that is correct."""
    side = case.sides[number]
    return any(at not in side.open and _is_negation(side, at) for at in range(len(side.pieces)))


Risks = dict[frozenset[str], float]


def _table(text: str) -> Risks:
    """Return risks by pair of classes, from lines of the form `A, B: risk`."""
    lines = (line.partition(":") for line in text.strip().splitlines())
    return {frozenset(n.strip() for n in names.split(",")): float(r) for names, _, r in lines}


MODALS = _table("""
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
QUANTIFIERS = _table("""
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
FREQUENCIES = _table("""
    always, often: 0.6
    often, sometimes: 0.6
    again, once: 0.5
""")
LOST_FREQUENCY = {"always": 0.3, "often": 0.3, "sometimes": 0.35, "rarely": 0.6, "again": 0.15}
PRONOUNS = _table("""
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


def _exchanges(
    case: Case,
    label: str,
    known: Risks,
    usual: float,
    lost: Callable[[str], float],
    left: list[PlacedCue],
    right: list[PlacedCue],
) -> None:
    """Label classes in place of others, then those that one side alone has."""
    left, right = list(left), list(right)
    for mine in list(left):
        near = [theirs for theirs in right if _distance(case, mine, theirs) <= 2]
        if near:
            theirs = min(near, key=lambda cue: _distance(case, mine, cue))
            left.remove(mine)
            right.remove(theirs)
            risk = known.get(frozenset((mine.cue.name, theirs.cue.name)), usual)
            places = _places_of(case, 0, mine), _places_of(case, 1, theirs)
            if places[0] and places[1]:
                case.label(label if risk >= 0.25 else "function", risk, *places)
    for number, cues in ((0, left), (1, right)):
        for cue in cues:
            own = _places_of(case, number, cue)
            risk = lost(cue.cue.name) * (1 if number == 0 else 0.85)
            if own and len(own) == cue.span.end - cue.span.start:
                case.label(label if risk >= 0.25 else "function", risk, *_one_side(number, own))


def _modality(case: Case, left: list[PlacedCue], right: list[PlacedCue]) -> None:
    _exchanges(case, "modality", MODALS, 0.8, lambda n: LOST_MODAL.get(n, 0.3), left, right)


def _quantifier(case: Case, left: list[PlacedCue], right: list[PlacedCue]) -> None:
    _exchanges(
        case, "modality", QUANTIFIERS, 0.75, lambda n: LOST_QUANTIFIER.get(n, 0.2), left, right
    )


def _frequency(case: Case, left: list[PlacedCue], right: list[PlacedCue]) -> None:
    _exchanges(
        case, "modality", FREQUENCIES, 0.8, lambda n: LOST_FREQUENCY.get(n, 0.2), left, right
    )


def _pronoun(case: Case, left: list[PlacedCue], right: list[PlacedCue]) -> None:
    _exchanges(case, "role", PRONOUNS, 0.5, lambda n: LOST_PRONOUN, left, right)


def _unit(case: Case, left: list[PlacedCue], right: list[PlacedCue]) -> None:
    """Label units in place of others; a lost unit is content, unless a number stands before it."""
    _measures(case, left, right, 0.92)


def _date(case: Case, left: list[PlacedCue], right: list[PlacedCue]) -> None:
    _measures(case, left, right, 0.92)


def _measures(case: Case, left: list[PlacedCue], right: list[PlacedCue], risk: float) -> None:
    left, right = list(left), list(right)
    for mine in list(left):
        near = [theirs for theirs in right if _distance(case, mine, theirs) <= 2]
        if near:
            theirs = near[0]
            left.remove(mine)
            right.remove(theirs)
            case.label("number", risk, _places_of(case, 0, mine), _places_of(case, 1, theirs))
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
                places = _places_of(case, number, cue)
                if number == 1 and _replaces_content(case, cue):
                    continue
                kept = any(
                    at not in side.open for at in range(max(0, cue.span.start - 2), cue.span.start)
                )
                usual = 0.6 if number == 0 and kept and cue.cue.section == "unit" else 0.45
                if cue.cue.section == "date" and side.weight(cue.span.start) < 0.3:
                    usual = 0.2
                case.label("number", usual, *_one_side(number, places))


def _replaces_content(case: Case, cue: PlacedCue) -> bool:
    """Whether a heard word stands for a content word, whose label it takes."""
    left = case.reference
    region = case.hypothesis.region[cue.span.start]
    return any(left.weight(at) >= CONTENT_WORD for at in left.of_region(region))


CONTENT_WORD = 0.6  # least weight


RULES: dict[str, Callable[[Case, list[PlacedCue], list[PlacedCue]], None]] = {
    "unit": _unit, "date": _date, "modality": _modality, "quantifier": _quantifier,
    "frequency": _frequency, "pronoun": _pronoun,
}  # fmt: skip


# Words with the same meaning, and words that were moved.

KINDS = {
    "same": ("inflection", 0.03, 9),
    "synonym": ("synonym", 0.04, 2),
    "sound": ("homophone", 0.15, 0),
    "spelling": ("spelling", 0.15, 0),
    "broader": ("synonym", 0.13, 1),
}
FARTHEST = 9  # correct words between words of one lemma
MOST_RELATED = 60  # open words of a side beyond which only equal words are looked for


def _related(case: Case) -> None:
    """Label words and phrases that mean the same on both sides."""
    left, right = case.sides
    if not left.open or not right.open:
        return
    _same_phrases(case)
    places: dict[str, list[int]] = {}
    for to in right.in_order():
        if right.weight(to):
            places.setdefault(right.pieces[to], []).append(to)
    for at in left.in_order():
        if left.weight(at) and (found := places.get(left.pieces[at])):
            case.label("order", SMALL, [at], [found.pop(0)])
    if len(left.open) > MOST_RELATED or len(right.open) > MOST_RELATED:
        return
    pairs = _related_pairs(case)
    for wanted, (label, risk, _) in KINDS.items():
        for at, to in pairs.get(wanted, ()):
            if at in left.open and to in right.open:
                case.label(label, risk, [at], [to])


def _related_pairs(case: Case) -> dict[str, list[tuple[int, int]]]:
    """Return the open pieces of both sides that are related and near enough, by kind."""
    left, right = case.sides
    kind_of = case.knowledge.kind
    found: dict[str, list[tuple[int, int]]] = {}
    theirs = right.in_order()
    for at in left.in_order():
        own, anchor, weight = left.pieces[at], left.anchor[at], left.weight(at)
        for to in theirs:
            apart = abs(anchor - right.anchor[to])
            if apart > FARTHEST or not (weight or right.weight(to)):
                continue
            kind = kind_of(own, right.pieces[to])
            label = KINDS.get(kind)
            if label is None or apart > label[2]:
                continue
            if label[2] == 0 and left.region[at] != right.region[to]:
                continue
            new_initials = case.cased and left.is_initialism(at) != right.is_initialism(to)
            if kind == "same" and new_initials:
                continue
            if kind in ("broader", "spelling", "synonym") and (
                left.is_name(at, cased=case.cased) or right.is_name(to, cased=case.cased)
            ):
                continue
            found.setdefault(kind, []).append((at, to))
    return found


def _same_phrases(case: Case) -> None:
    """Label phrases of one class: `get there` and `arrive`."""
    sides = [
        [
            (phrase.span, phrase.same)
            for phrase in side.phrases
            if phrase.same and not side.open.isdisjoint(range(*phrase.span))
        ]
        for side in case.sides
    ]
    for mine, classes in sides[0]:
        for theirs, others in sides[1]:
            if max(mine.end - mine.start, theirs.end - theirs.start) < 2 or not classes & others:
                continue
            places = [
                [at for at in range(*span) if at in side.open]
                for side, span in zip(case.sides, (mine, theirs), strict=True)
            ]
            if all(places):
                case.label("synonym", 0.04, *places)


# Names and content words.


def _nearly_spelt(case: Case) -> None:
    """Label words that are written in other pieces, in nearly the same letters.

    `rénanie-palatina` for `rhénanie palatinat`: one side is no known word.
    """
    left, right = case.sides
    for region in range(case.regions):
        mine, theirs = left.of_region(region), right.of_region(region)
        if not mine or not theirs or len(mine) == len(theirs) == 1:
            continue
        texts = [
            "".join(side.pieces[at] for at in own) for side, own in ((left, mine), (right, theirs))
        ]
        if min(map(len, texts)) < LONG_PHRASE or similarity(*texts) < SAME_LETTERS:
            continue
        if not all(case.knowledge.is_known(right.pieces[at]) for at in theirs):
            case.label("spelling", MISSPELT, mine, theirs)


LONG_PHRASE, SAME_LETTERS = 9, 0.75  # letters, and the share of equal ones


def _names(case: Case) -> None:
    """Label names that are replaced, lost or invented."""
    left, right = case.sides
    for at in left.in_order():
        if at not in left.open or not left.is_name(at, cased=case.cased):
            continue
        mates = [to for to in right.of_region(left.region[at]) if right.weight(to)]
        if not mates:
            heard = right.in_region[left.region[at]]
            case.label("name", LOST_NAME_IN_PLACE if heard else LOST_NAME, [at])
            continue
        to = max(
            mates,
            key=lambda place: case.knowledge.likeness(left.pieces[at], right.pieces[place]),
        )
        kind = case.knowledge.kind(left.pieces[at], right.pieces[to])
        likeness = case.knowledge.likeness(left.pieces[at], right.pieces[to])
        other = right.is_name(to, cased=case.cased)
        known = case.knowledge.is_name(right.pieces[to]) or case.knowledge.is_known(
            right.pieces[to]
        )
        close = kind in ("sound", "spelling") or (likeness >= LIKE and not known)
        close |= likeness >= NEARLY_LIKE and not other
        case.label("name", 0.35 if close else 0.9 if other else 0.7, [at], [to])
    for to in right.in_order():
        if not right.is_name(to, cased=case.cased):
            continue
        if not any(left.weight(at) for at in left.of_region(right.region[to])):
            case.label("name", 0.4, (), [to])


# Risks of a name that is lost: with other words in its place, and without any.
LOST_NAME_IN_PLACE, LOST_NAME = 0.65, 0.55
# Words with this share of equal letters may be the same word in another spelling.
LIKE = 0.5
NEARLY_LIKE = 0.7
# The risk of a word that is misspelt so that a reader may recognise it.
MISSPELT = 0.3
# Long words with nearly the same letters are often two spellings of a name or a foreign word.
NEARLY_EQUAL, LONG_WORD, MOST_LIKELY_MISSPELT = 0.7, 6, 0.5


# Risks of a content word in place of another one: usually, and where a phrase was written anew.
REPLACED, REWRITTEN = 0.74, 0.42
FEWEST_REWRITTEN, ALIKE = 4, 0.42
# Risks of a content word that is lost: with other words in its place, and without any.
LOST_IN_PLACE, LOST = 0.72, 0.45


def _is_rewritten(case: Case, region: int) -> bool:
    """Whether a region has several words that do not look like what was said.

    A recogniser hears words that sound like those that were said; other words in their place are
    more often a paraphrase (of a person who corrects a transcript, or of a language model).
    """
    own = [side.in_region[region] for side in case.sides]
    if len(own[0]) + len(own[1]) < FEWEST_REWRITTEN or not all(own):
        return False
    texts = [
        "".join(side.pieces[at] for at in at_all)
        for side, at_all in zip(case.sides, own, strict=True)
    ]
    return similarity(*texts) < ALIKE


def _content(case: Case) -> None:
    """Label content words that are replaced, lost or invented."""
    left, right = case.sides
    for region in range(case.regions):
        mine = [at for at in left.of_region(region) if left.weight(at)]
        theirs = [to for to in right.of_region(region) if right.weight(to)]
        rewritten = bool(mine and theirs) and _is_rewritten(case, region)
        likenesses = sorted(
            (
                (case.knowledge.likeness(left.pieces[a], right.pieces[b]), -a, b)
                for a in mine
                for b in theirs
            ),
            reverse=True,
        )
        for likeness, a, b in likenesses:
            at = -a
            if at in left.open and b in right.open:
                weight = 0.75 * left.weight(at) + 0.25 * right.weight(b)
                if likeness >= LIKE and not case.knowledge.is_known(right.pieces[b]):
                    case.label("spelling", MISSPELT, [at], [b])
                    continue
                usual = REWRITTEN if rewritten else REPLACED
                if (
                    likeness >= NEARLY_EQUAL
                    and min(map(len, (left.pieces[at], right.pieces[b]))) >= LONG_WORD
                ):
                    usual = MOST_LIKELY_MISSPELT
                name = case.knowledge.seems_name(left.pieces[at])
                case.label("name" if name else "replaced", usual * weight, [at], [b])
        rest = [to for to in theirs if to in right.open]
        if len(rest) >= 3 and not mine:
            weight = sum(right.weight(to) for to in rest)
            case.label("invented", min(0.9, 0.25 + 0.15 * weight), (), rest)
        in_place = 2 * len(right.in_region[region]) >= len(left.in_region[region])
        lost = LOST_IN_PLACE if in_place else LOST
        for at in mine:
            if at in left.open:
                heard = right.of_region(region)[:1]
                case.label("lost", lost * left.weight(at), [at], heard)
        for to in rest:
            if to in right.open:
                case.label("invented", 0.35 * right.weight(to), (), [to])
