"""Labels of names and content words, and of errors that change nothing.

Harmless labels: `spelling` and `inflection` (the same word), `homophone` (the same sound),
`synonym` (the same meaning), `order` (a word that moved), `repetition` and `filler`. Dangerous
labels: `term` (a critical term of the user), `name`, `replaced`, `lost`, `invented` and `cut` (the
end of the reference is missing). `labelling.labelled` has the order in which they are looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import eq

from misword.asr.severity.case import SMALL, Case, Side, Span, one_side
from misword.asr.severity.words import similarity

Terms = frozenset[tuple[str, ...]]

TINY = 0.01  # the risk of fillers and repetitions
SHORTEST_JOINED = 5  # letters of a word that the other side writes as several
# A heard word is a fragment, if this many words for each one are lost.
FRAGMENT = 5
# A region of this many pieces may be heard as other words that sound the same.
LONGEST_SOUND = 4


# Words that are the same, repeated, or say nothing.


def label_equal_pieces(case: Case) -> None:
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


def label_joined_words(case: Case) -> None:
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


def label_repetitions(case: Case) -> None:
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


def _repeats(pieces: Sequence[str], size: int) -> bool:
    """Whether a run of this many pieces is followed by the same run."""
    equal = list(map(eq, pieces, pieces[size:]))
    return any(all(equal[at : at + size]) for at, same in enumerate(equal) if same)


def label_fillers(case: Case) -> None:
    """Label words that only hold the turn, if one side alone has them."""
    for number, side in enumerate(case.sides):
        other = case.sides[1 - number]
        hesitations = side.knowledge.language.hesitations
        for at in side.in_order():
            if side.pieces[at] in hesitations and not _joins_numbers(side, Span(at, at + 1)):
                case.label("filler", TINY, *one_side(number, [at]))
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


def label_sounds(case: Case) -> None:
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


def label_related(case: Case) -> None:
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


# The user's terms.


def label_critical_terms(case: Case, terms: Terms) -> None:
    """Label the user's terms that one side lacks."""
    counts = [[_places(side, term) for term in terms] for side in case.sides]
    for mine, theirs in zip(*counts, strict=True):
        lost = [span for span in mine if any(at in case.reference.open for at in range(*span))]
        added = [span for span in theirs if any(at in case.hypothesis.open for at in range(*span))]
        if len(mine) > len(theirs):
            for span in lost[: len(mine) - len(theirs)]:
                region = case.reference.regions_of(span)
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


# Text that is cut off or added at the end.


def label_cut_off(case: Case) -> None:
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


def label_added_clause(case: Case) -> None:
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


# Names and content words.

LONG_PHRASE, SAME_LETTERS = 9, 0.75  # letters, and the share of equal ones
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


def label_nearly_spelt(case: Case) -> None:
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


def label_names(case: Case) -> None:
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


def label_content(case: Case) -> None:
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
