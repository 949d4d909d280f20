"""How the translations of words are shown: where they come from, without a table of them."""

from __future__ import annotations

from dataclasses import dataclass

from misword.report.kinds import Kind


@dataclass(frozen=True)
class Translations(Kind):
    """A page with the provenance alone; `misword translate` prints the candidates."""

    name = "translations"
