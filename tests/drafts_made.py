"""Small drafts for tests of pages and files."""

from __future__ import annotations

from misword.bli.draft import Draft
from misword.bli.drafting.rows import Candidate, Headword
from misword.core.signature import Signature


def made_draft(*rows: Headword, probabilities: bool = True) -> Draft:
    """A draft of these rows, as they are."""
    return Draft(rows, probabilities, ("en", "fr"), Signature("translate", (("k", "3"),)))


def headword(word: str, *candidates: str, rank: int = 1, **facts: object) -> Headword:
    """A row with falling probabilities, whose first candidate is translated back to it."""
    made = tuple(
        Candidate(candidate, round(0.9 / (place + 1), 3), "" if place else word)
        for place, candidate in enumerate(candidates)
    )
    return Headword(word, rank, made, **facts)  # type: ignore[arg-type]


def many(size: int) -> Draft:
    """A large draft with three candidates for each headword."""
    words = (headword(f"w{i}", f"v{i}", f"v{i + 1}", f"v{i + 2}", rank=i + 1) for i in range(size))
    return made_draft(*words)
