"""References with alternatives, and words that count as the same.

`{ gonna / going to }` in a reference may be read either way, `{ um / @ }` may be left out, as in
NIST sclite; braces without a free-standing slash are ordinary text. An equivalence list says the
same once for all references: each of its lines holds words or phrases, separated by ` / `, a comma
or a tab, that count as the same. For each hypothesis the reading with the fewest word errors is
taken, and every metric then sees that reading as the reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from misword.alignment.lattice import Lattice
from misword.core.errors import InputError

GROUP = re.compile(r"\{([^{}]*)\}")
SLASH = re.compile(r"(?<!\S)/(?!\S)")
MARK = re.compile("(\ue000\\d+\ue001)")
FORMS = re.compile(r"\t|,|(?<!\S)/(?!\S)")

# A sequence of words and of groups; a group is a list of alternative sequences.
Sequences = list["str | list[Sequences]"]


@dataclass(frozen=True, slots=True)
class Equivalents:
    """Classes of phrases that count as the same; `name` goes into the signature."""

    classes: tuple[tuple[tuple[str, ...], ...], ...]
    name: str = "none"

    @classmethod
    def of(
        cls, classes: Iterable[Iterable[str]], normalize: Callable[[list[str]], list[str]]
    ) -> Equivalents:
        """Phrases as the normalizers make them."""
        listed = [list(forms) for forms in classes]
        name = sha256(repr(listed).encode()).hexdigest()[:8] if listed else "none"
        split = (tuple(tuple(form.split()) for form in normalize(forms)) for forms in listed)
        return cls(tuple(split), name)


def read_equivalents(path: str | Path) -> list[list[str]]:
    """Read an equivalence list; `#` starts a comment line."""
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", where=str(path)) from None
    classes = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        forms = [form.strip() for form in FORMS.split(line) if form.strip()]
        if len(forms) < 2:
            raise InputError(
                f"only one form: {line.strip()!r}",
                where=f"{path}, line {number}",
                fix="write at least two, separated by ' / ', a comma or a tab: gonna / going to",
            )
        classes.append(forms)
    return classes


def has_alternatives(text: str) -> bool:
    """Whether a text holds an alternation at all."""
    return "{" in text and SLASH.search(text) is not None


def parse(text: str, where: str) -> Sequences:
    """Read the alternations of one reference, nested ones too.

    >>> parse("so { um / @ } we {gonna / going to} go", "line 1")
    ['so', [['um'], []], 'we', [['gonna'], ['going', 'to']], 'go']
    """
    groups: list[str | list[Sequences]] = []

    def shelve(match: re.Match[str]) -> str:
        inside = match[1]
        groups.append(
            [sequence(part) for part in SLASH.split(inside)]
            if SLASH.search(inside)
            else restore(match[0])
        )
        return f"\ue000{len(groups) - 1}\ue001"

    def restore(literal: str) -> str:
        return MARK.sub(lambda mark: str(groups[int(mark[1][1:-1])]), literal)

    def sequence(part: str) -> Sequences:
        items: Sequences = []
        for word in part.split():
            pieces = [piece for piece in MARK.split(word) if piece]
            shelved = [MARK.match(p) and groups[int(p[1:-1])] for p in pieces]
            if any(isinstance(group, list) for group in shelved):
                items += [group or piece for group, piece in zip(shelved, pieces, strict=True)]
            elif word != "@":
                items.append(restore(word))
        return items

    flat = text
    while GROUP.search(flat):
        flat = GROUP.sub(shelve, flat)
    if SLASH.search(flat) and ("{" in flat or "}" in flat):
        raise InputError(
            f"braces do not match in {text!r}",
            where=where,
            fix="write alternatives as { a / b }, or switch them off with --no-alternatives",
        )
    return sequence(flat)


def leaves(sequence: Sequences) -> Iterator[str]:
    """All words of a sequence, in order."""
    for item in sequence:
        if isinstance(item, str):
            yield item
        else:
            for alternative in item:
                yield from leaves(alternative)


def lattice(
    sequence: Sequences, spelled: Mapping[str, Sequence[str]], same: Equivalents
) -> Lattice:
    """Build the graph of readings; `spelled` gives each word as the normalizers make it."""
    graph = Lattice()
    _grow(graph, 0, sequence, spelled)
    _add_equivalents(graph, same)
    return graph


def _grow(
    graph: Lattice, start: int, sequence: Sequences, spelled: Mapping[str, Sequence[str]]
) -> int:
    """Append a sequence after node `start`; returns the node where it ends."""
    for item in sequence:
        if isinstance(item, str):
            for word in spelled[item]:
                end = graph.node()
                graph.edges.append((start, end, (word,)))
                start = end
        else:
            ends = [_grow(graph, start, alternative, spelled) for alternative in item]
            join = graph.node()
            graph.edges += [(end, join, ()) for end in ends]
            start = join
    return start


def _add_equivalents(graph: Lattice, same: Equivalents) -> None:
    """Beside every stretch that spells one form of a class, lay the other forms."""
    onward: dict[int, list[tuple[int, tuple[str, ...]]]] = {}
    for start, end, phrase in graph.edges:
        onward.setdefault(start, []).append((end, phrase))

    def ends(node: int, form: Sequence[str]) -> Iterator[int]:
        if not form:
            yield node
            return
        for end, phrase in onward.get(node, []):
            if phrase == tuple(form[: len(phrase)]):
                yield from ends(end, form[len(phrase) :])

    for forms in same.classes:
        for form in filter(None, forms):
            for start in onward:
                for end in ends(start, form):
                    graph.edges += [(start, end, other) for other in forms if other != form]
