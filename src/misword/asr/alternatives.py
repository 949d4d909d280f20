"""References with alternatives, and words that count as the same.

`{ gonna / going to }` in a reference has two readings, `{ um / @ }` may be left out, as in NIST
sclite; braces without a free-standing slash are ordinary text. An equivalence list does the same
for all references. For each hypothesis, the reading with the fewest word errors is chosen, and
every metric uses that reading as the reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from misword.alignment.lattice import Edge, Lattice
from misword.core.errors import InputError, OptionError
from misword.io.files.sources import PathLike, open_source

SLASH = re.compile(r"(?<![^\s{}])/(?![^\s{}])")
SIGNS = re.compile(rf"[{{}}]|{SLASH.pattern}")
COMMA = re.compile(r",(?!\d)|(?<!\d),")
NOTHING = "@"  # stands for no word
DEEPEST = 50  # levels of groups within groups

# A sequence of words and of groups; a group is a list of alternative sequences.
Sequences = list["str | list[Sequences]"]
Phrase = tuple[str, ...]
# Returns the normalised words of a word: none, one or several.
NormalWords = Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class Equivalents:
    """Classes of phrases that count as the same; `name` goes into the signature."""

    classes: tuple[tuple[Phrase, ...], ...]
    name: str = "none"

    @classmethod
    def of(
        cls, classes: Iterable[Iterable[str]], normalize: Callable[[list[str]], list[str]]
    ) -> Equivalents:
        """Normalise the phrases of the classes; classes that share a phrase are merged."""
        listed = [[forms] if isinstance(forms, str) else list(forms) for forms in classes]
        # The class of each phrase; the phrases of a class share one dictionary.
        class_of: dict[Phrase, dict[Phrase, None]] = {}
        for forms in listed:
            phrases = dict.fromkeys(
                () if form == NOTHING else tuple(spelled.split())
                for form, spelled in zip(forms, normalize(forms), strict=True)
            )
            if len(forms) < 2 or sum(not phrase for phrase in phrases) > (NOTHING in forms):
                raise OptionError(
                    f"{' / '.join(forms)!r} is no class of equivalents",
                    fix="give two forms or more that keep a word after --normalize; @ is nothing",
                )
            related = [class_of[phrase] for phrase in phrases if phrase in class_of]
            merged = {phrase: None for group in [*related, phrases] for phrase in group}
            class_of |= dict.fromkeys(filter(None, merged), merged)
        name = sha256(repr(listed).encode()).hexdigest()[:8] if listed else "none"
        distinct = {id(merged): tuple(merged) for merged in class_of.values()}
        return cls(tuple(distinct.values()), name)

    @cached_property
    def by_first_word(self) -> dict[str, list[tuple[Phrase, tuple[Phrase, ...]]]]:
        """Each phrase and its class, by the first word of the phrase."""
        index: dict[str, list[tuple[Phrase, tuple[Phrase, ...]]]] = {}
        for forms in self.classes:
            for form in filter(None, forms):
                index.setdefault(form[0], []).append((form, forms))
        return index


def split_equivalents(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the forms of each line of an equivalence list.

    ` / ` separates forms; in a line without it tabs do, else commas (but not those inside a
    number). `# ` starts a comment.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("# ") or line.strip() == "#":
            continue
        if SLASH.search(line):
            forms = SLASH.split(line)
        else:
            forms = line.split("\t") if "\t" in line.strip() else COMMA.split(line)
        yield number, [form.strip() for form in forms if form.strip()]


def read_equivalents(path: PathLike) -> list[list[str]]:
    """Read an equivalence list from a file."""
    source = open_source(path)
    classes = []
    for number, forms in split_equivalents(source.lines):
        if len(forms) < 2:
            raise InputError(
                f"only one form: {''.join(forms)!r}",
                where=source.at(number),
                fix="write two or more: gonna / going to; a comment starts with '# '",
            )
        classes.append(forms)
    return classes


def has_alternatives(text: str) -> bool:
    """Whether a text contains alternatives."""
    return "{" in text and SLASH.search(text) is not None


def parse(text: str, where: str) -> Sequences:
    """Parse the alternatives of one reference, which may be nested.

    >>> parse("so { um / @ } we {gonna / going to} go", "line 1")
    ['so', [['um'], []], 'we', [['gonna'], ['going', 'to']], 'go']
    """
    top: Sequences = []
    current, start = top, 0
    outer: list[tuple[Sequences, list[Sequences]]] = []
    for position, sign in [*_signs(text, where), (len(text), "")]:
        words = text[start:position].split()
        current.extend(word for word in words if not (outer and word == NOTHING))
        start = position + 1
        if sign == "{":
            group: list[Sequences] = [[]]
            current.append(group)
            outer.append((current, group))
            current = group[0]
        elif sign == "/":
            outer[-1][1].append([])
            current = outer[-1][1][-1]
        elif sign == "}":
            current = outer.pop()[0]
    return top


def _signs(text: str, where: str) -> list[tuple[int, str]]:
    """Find the braces and slashes of alternatives: pairs of braces with a free-standing slash."""
    signs: list[tuple[int, str]] = []
    opened: list[list[int]] = []  # the position of each open brace and of its slashes
    for match in SIGNS.finditer(text):
        if match[0] == "{":
            opened.append([match.start()])
        elif match[0] == "/" and opened:
            opened[-1].append(match.start())
        elif match[0] == "}" and opened:
            brace, *slashes = opened.pop()
            if slashes:
                signs += [(brace, "{"), *((at, "/") for at in slashes), (match.start(), "}")]
    if any(len(marks) > 1 for marks in opened):
        raise InputError(
            f"braces do not match in {text!r}",
            where=where,
            fix="write alternatives as { a / b }, or switch them off with --no-alternatives",
        )
    signs.sort()
    depth = deepest = 0
    for _, sign in signs:
        depth += (sign == "{") - (sign == "}")
        deepest = max(deepest, depth)
    if deepest > DEEPEST:
        raise InputError(f"alternatives within alternatives, {deepest} levels deep", where=where)
    return signs


def words_of(sequence: Sequences) -> Iterator[str]:
    """Yield all words of a sequence, in order."""
    for item in sequence:
        if isinstance(item, str):
            yield item
        else:
            for alternative in item:
                yield from words_of(alternative)


def build_lattice(
    sequence: Sequences, normal_words: NormalWords, equivalents: Equivalents
) -> Lattice:
    """Build the graph of all readings of a reference."""
    graph = Lattice()
    _append(graph, 0, sequence, normal_words)
    _add_equivalents(graph, equivalents)
    return graph


def _append(graph: Lattice, start: int, sequence: Sequences, normal_words: NormalWords) -> int:
    """Append a sequence after node `start`; return the node where it ends."""
    for item in sequence:
        if isinstance(item, str):
            for word in normal_words(item):
                end = graph.node()
                graph.edges.append(Edge(start, end, (word,)))
                start = end
        else:
            ends = [_append(graph, start, alternative, normal_words) for alternative in item]
            join = graph.node()
            graph.edges += [Edge(end, join, ()) for end in ends]
            start = join
    return start


def _add_equivalents(graph: Lattice, equivalents: Equivalents) -> None:
    """Add edges for the other forms of a class beside each path that spells one of its forms."""
    outgoing: dict[int, list[Edge]] = {}
    for edge in graph.edges:
        outgoing.setdefault(edge.start, []).append(edge)

    def ends(node: int, form: Phrase) -> Iterator[int]:
        """Yield the ends of all paths from a node that spell a form."""
        if not form:
            yield node
            return
        for edge in outgoing.get(node, []):
            if edge.phrase == form[: len(edge.phrase)]:
                yield from ends(edge.end, form[len(edge.phrase) :])

    for edge in graph.edges:
        first = edge.phrase[0] if edge.phrase else ""
        for form, forms in equivalents.by_first_word.get(first, []):
            for end in dict.fromkeys(ends(edge.start, form)):
                new = (Edge(edge.start, end, other) for other in forms if other != form)
                graph.others += [(other, len(form)) for other in new]
