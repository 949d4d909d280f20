"""Pages of all kinds of results: a text of a user is never taken for code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html.parser import HTMLParser

import pytest

from hostile_results import string_columns, with_strange_column, with_strange_provenance
from misword.core.errors import InputError
from misword.core.types import Result
from misword.report import render
from pages_made import PAGES
from results_made import HOSTILE, rescored, robustness

PLAIN = ["x" * len(text) for text in HOSTILE]  # long texts have another style than short ones
# Results whose names of columns are texts of users, too.
NAMED: dict[str, Callable[[Sequence[str]], Result]] = {
    "rescored": lambda names: rescored(names[:2]),
    "robustness": robustness,
}


class Elements(HTMLParser):
    """The elements of a page with the names of their attributes, and its addresses."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.addresses: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))
        addresses = {value or "" for name, value in attrs if name in ("href", "src", "action")}
        self.addresses |= {one for one in addresses if not one.startswith("#")}


def pairs_of(kind: str) -> Iterator[tuple[str, Result, Result]]:
    """What has strange texts, the result with hostile and the one with harmless texts."""
    made = PAGES[kind]()
    for column in string_columns(made):
        hostile, plain = (with_strange_column(made, column, texts) for texts in (HOSTILE, PLAIN))
        yield f"column {column}", hostile, plain
    both = (with_strange_provenance(made, texts) for texts in (HOSTILE, PLAIN))
    for (key, hostile), (_, plain) in zip(*both, strict=True):
        yield f"provenance {key}", hostile, plain
    if kind in NAMED:
        yield "names", NAMED[kind](HOSTILE), NAMED[kind](PLAIN)


def elements(result: Result) -> Elements | None:
    """The elements of the page; None if the result is refused, as one that was edited may be."""
    try:
        return Elements(render([result]))
    except InputError:
        return None


@pytest.mark.parametrize("kind", PAGES)
def test_hostile_texts_make_no_elements(kind: str) -> None:
    """The page has the elements and attributes of a page with harmless texts."""
    compared = 0
    for what, hostile, plain in pairs_of(kind):
        odd, usual = elements(hostile), elements(plain)
        assert (odd is None) == (usual is None), what
        if odd is not None and usual is not None:
            assert odd.found == usual.found, what
            assert odd.addresses == usual.addresses, what
            compared += 1
    assert compared > 1
