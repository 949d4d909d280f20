"""Alternatives in references by direct Python code, to compare the compiled code with.

`{ a / b }` is parsed by a regular expression and a stack.
"""

from __future__ import annotations

import re
from itertools import product

SLASH = re.compile(
    r"(?<![^\s{}])/(?![^\s{}])|/(?=@(?![^\s{}]))|(?:(?<=[\s{}]@)|(?<=^@))/(?![^\s{}])"
)
SIGNS = re.compile(rf"[{{}}]|{SLASH.pattern}")
NOTHING = "@"

# A sequence of words and of groups; a group is a list of alternative sequences.
Sequences = list["str | list[Sequences]"]


def parse(text: str) -> Sequences:
    """Parse the alternatives of one reference, which may be nested.

    >>> parse("so { um / @ } we {gonna / going to} go")
    ['so', [['um'], []], 'we', [['gonna'], ['going', 'to']], 'go']
    """
    top: Sequences = []
    current, start = top, 0
    outer: list[tuple[Sequences, list[Sequences]]] = []
    for position, sign in [*signs_of(text), (len(text), "")]:
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


def signs_of(text: str) -> list[tuple[int, str]]:
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
        raise ValueError(f"braces do not match in {text!r}")
    return sorted(signs)


def write(sequence: Sequences) -> str:
    """Return the text of a sequence: the inverse of `parse`."""
    return " ".join(
        item if isinstance(item, str) else "{ " + " / ".join(write(s) or "@" for s in item) + " }"
        for item in sequence
    )


def expand(sequence: Sequences) -> list[list[str]]:
    """Return all readings of a sequence."""
    options = [
        [[item]] if isinstance(item, str) else [words for s in item for words in expand(s)]
        for item in sequence
    ]
    return [[word for part in chosen for word in part] for chosen in product(*options)]
