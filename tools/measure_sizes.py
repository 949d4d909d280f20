"""Measure what each extra adds to an installation: `python tools/measure_sizes.py`

Adds up the files of the packages that are installed here, without bytecode; all extras must be
installed. Writes bench/results/install-sizes.md.
"""

from __future__ import annotations

import platform
import sys

from release.packages import installed_bytes, with_dependencies
from release.project import ROOT, extras, packages_of_extra, required_packages

RESULTS = ROOT / "bench" / "results" / "install-sizes.md"
SOURCE = ROOT / "src" / "misword"
LARGEST = 3
NOT_IN_WHEEL = {".c", ".h", ".pyc"}
HEAD = """# Sizes of installations

Megabytes (10^6 bytes) of files, without bytecode, by `python tools/measure_sizes.py`, on {system}
with Python {python}. A row with an extra has what `pip install 'misword[extra]'` adds to
`pip install misword`; packages that several extras need count for each. torch is the build for
processors, without CUDA.

| install | packages | MB | largest packages |
|:--|--:|--:|:--|
"""


def main() -> None:
    """Measure and write the table."""
    required = with_dependencies(required_packages())
    rows = [row("misword", own_bytes(), required)]
    for extra in extras():
        added = with_dependencies(packages_of_extra(extra)) - required
        rows.append(row(f"misword[{extra}]", 0, added))
    python = ".".join(map(str, sys.version_info[:2]))
    system = f"{platform.system()} {platform.machine()}"
    RESULTS.write_text(HEAD.format(system=system, python=python) + "".join(rows), "utf-8")
    print(RESULTS.relative_to(ROOT))


def row(name: str, own: int, packages: set[str]) -> str:
    """Return the row of an installation; `own` are the bytes of misword itself."""
    sizes = {package: installed_bytes(package) for package in packages}
    if own:
        sizes["misword"] = own
    largest = sorted(sizes, key=lambda package: (-sizes[package], package))[:LARGEST]
    shown = ", ".join(f"{package} {sizes[package] / 1e6:,.1f}" for package in largest)
    sign = "" if own else "+ "
    return f"| `{name}` | {len(sizes)} | {sign}{sum(sizes.values()) / 1e6:,.1f} | {shown} |\n"


def own_bytes() -> int:
    """Return the size of misword's files as they are in the wheel."""
    files = [path for path in SOURCE.rglob("*") if path.is_file()]
    return sum(path.stat().st_size for path in files if path.suffix not in NOT_IN_WHEEL)


if __name__ == "__main__":
    main()
