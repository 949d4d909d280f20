"""How to cite a result: BibTeX entries of misword, of its parts and of its methods."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.parts.contract import bibtex
from misword.core.types import Result
from misword.report.html.markup import Markup, element, folded
from misword.report.kinds import kind_of
from misword.report.result_access import described_parts, metrics, unique


def citation_section(results: Sequence[Result]) -> Markup:
    """Return the section with all entries of all results, each once."""
    entries = unique(entry for result in results for entry in citations(result))
    note = element(
        "p",
        "Write the signature beside every number you publish: two numbers are comparable only if "
        "their signatures are equal.",
        class_="note",
    )
    text = element("pre", "\n\n".join(entries), tabindex="0")
    return element(
        "section",
        element("h2", "How to cite", id="cite"),
        note,
        folded("BibTeX entries", text),
        class_="result",
        aria_labelledby="cite",
    )


def citations(result: Result) -> list[str]:
    """Return entries for misword, for the parts of a result, and for its methods."""
    parts = described_parts(result)
    encoders = [str(label) for label in result.provenance.get("encoders", ())]
    # The other parts are sorted by label, because a result folder does not store their order.
    labels = unique([*metrics(result), *encoders, *sorted(parts)])
    of_parts = [cite for label in labels for cite in parts.get(label, {}).get("cites", ())]
    of_methods = [bibtex(cite) for cite in kind_of(result).citations(result)]
    return unique([_misword(result), *map(str, of_parts), *of_methods])


def _misword(result: Result) -> str:
    """Return the entry of misword in the version that made the result."""
    version = str(result.provenance.get("misword", ""))
    field = f",\n  version = {{{version}}}" if version else ""
    return f"@software{{misword,\n  title = {{misword}}{field}\n}}"
