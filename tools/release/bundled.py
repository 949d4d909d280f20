"""What the wheel contains beside misword's Python files, and the licence of each file."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from release.project import ROOT, project

OWN = "Apache-2.0"


@dataclass(frozen=True, slots=True)
class Part:
    """Files of the wheel with one origin: patterns of their paths, origin and licence.

    `text` is the path of the licence's text in the repository; a part that is under the licence
    of the project has none.
    """

    patterns: tuple[str, ...]
    origin: str
    licence: str = OWN
    text: str = ""


ASSETS = "misword/report/assets"
LANGUAGES = "misword/asr/severity/languages"
NAMES = "misword/bli/names"
SOUNDS = "misword/text/phonemizers"
# Packages that the script of Vega contains; each has its licence in the file LICENSE.<name>.
INSIDE_VEGA = {
    "d3": "ISC",
    "d3-delaunay": "ISC",
    "d3-ease": "BSD-3-Clause",
    "d3-geo": "ISC AND MIT",
    "d3-geo-projection": "ISC",
    "d3-scale-chromatic": "ISC AND Apache-2.0",
    "delaunator": "ISC",
    "robust-predicates": "Unlicense",
    "topojson-client": "ISC",
}


def of_charts(script: str, origin: str, licence: str, text: str) -> Part:
    """Return a part of the chart library."""
    return Part((f"{ASSETS}/{script}",), origin, licence, f"src/{ASSETS}/LICENSE.{text}")


PARTS = (
    of_charts("vega.min.js", "Vega 6.4", "BSD-3-Clause", "vega"),
    *(
        of_charts("vega.min.js", f"{name}, inside Vega", licence, name)
        for name, licence in INSIDE_VEGA.items()
    ),
    of_charts("vega-interpreter.js", "vega-interpreter 2.3, part of Vega", "BSD-3-Clause", "vega"),
    of_charts("vega-lite.min.js", "Vega-Lite 6.4", "BSD-3-Clause", "vega-lite"),
    Part(
        (f"{NAMES}/english_words.txt.xz",),
        "word lists of SCOWL 2020.12.07",
        "LicenseRef-SCOWL",
        f"src/{NAMES}/LICENSE.scowl",
    ),
    Part(
        (
            f"{LANGUAGES}/en.relations.txt.gz",
            f"{LANGUAGES}/en.opposites.txt",
            f"{LANGUAGES}/en.irregular.txt",
        ),
        "relations of words from WordNet 3.0",
        "LicenseRef-WordNet",
        f"src/{LANGUAGES}/LICENSE.wordnet",
    ),
    Part(
        (f"{LANGUAGES}/names.txt.gz",),
        "names from WordNet 3.0 and SCOWL 2020.12.07",
        "LicenseRef-WordNet AND LicenseRef-SCOWL",
        f"src/{LANGUAGES}/LICENSE.wordnet",
    ),
    Part(
        (f"{SOUNDS}/cmudict.txt.gz",),
        "the CMU Pronouncing Dictionary",
        "BSD-2-Clause",
        f"src/{SOUNDS}/LICENSE.cmudict",
    ),
    Part(
        (f"{SOUNDS}/letters.txt.gz",),
        "letter-to-sound rules learnt from the CMU Pronouncing Dictionary",
        "BSD-2-Clause",
        f"src/{SOUNDS}/LICENSE.cmudict",
    ),
    Part(
        ("misword/embed/neural/layers.tsv",),
        "best layers of models, from bert_score 0.3.13",
        "MIT",
        "src/misword/embed/neural/LICENSE.bert-score",
    ),
    Part(
        ("misword/text/normalizers/open_asr_leaderboard.tsv",),
        "words of the Open ASR Leaderboard (Hugging Face)",
        OWN,
    ),
    Part(
        ("misword/asr/people/people-*.json",),
        "weights learnt from the choices of HATS (MIT); no text of it is included",
    ),
    Part(
        (f"{NAMES}/weights.json",),
        "weights learnt from the annotations of Kementchedjhieva et al. (2019); no word of them is "
        "included",
    ),
    Part(
        ("misword/asr/references/weights.json",),
        "weights learnt from errors that were planted into the references of Earnings-21 (CC BY-SA "
        "4.0); no text of them is included",
    ),
    Part(
        ("misword/demo/*",),
        "the demonstration corpus: own sentences, outputs of recognisers (its README.md)",
    ),
    Part(
        ("misword/native/_kernels*",),
        "compiled from the C files of the repository",
    ),
    Part(
        (
            f"{ASSETS}/*.js",
            f"{ASSETS}/*.css",
            "misword/report/templates/*.html",
            "misword/asr/severity/languages/*.txt",
            "misword/text/writing/spellings/*.txt",
            "misword/core/parts/references.bib",
            "misword/cli/commands/files/parts.jsonl",
            "misword/stat/descriptions/columns.json",
            "misword/py.typed",
        ),
        "written for misword",
    ),
)
# Not parts of their own: programs, the licences themselves, and what the build writes.
OTHER = ("*.py", "*/LICENSE.*", "misword-*.dist-info/*")


def parts_of(name: str) -> list[Part]:
    """Return the parts of a file: those that name it; else those whose pattern fits it."""
    exact = [part for part in PARTS if name in part.patterns]
    return exact or [part for part in PARTS if any(fnmatchcase(name, p) for p in part.patterns)]


def bundled_files(wheel: Path) -> list[str]:
    """Return the files of a wheel that need an entry in `PARTS`."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    return sorted(n for n in names if not any(fnmatchcase(n, pattern) for pattern in OTHER))


def bundled_problems(wheel: Path) -> list[str]:
    """Return files without a licence, licences without their text, and parts without files."""
    names = bundled_files(wheel)
    problems = [f"{name}: no licence in {__name__}" for name in names if not parts_of(name)]
    used = {part for name in names for part in parts_of(name)}
    problems += [f"{part.origin}: not in the wheel" for part in PARTS if part not in used]
    with zipfile.ZipFile(wheel) as archive:
        texts = {n.partition("/licenses/")[2] for n in archive.namelist() if "/licenses/" in n}
    problems += [
        f"{part.text or 'LICENSE'}: not among the licences of the wheel"
        for part in PARTS
        if (part.text or "LICENSE") not in texts
    ]
    return problems + expression_problems()


def expression_problems() -> list[str]:
    """Return licences that pyproject.toml names and no part has, and the reverse."""
    stated = set(project()["license"].split(" AND "))
    actual = {name for part in PARTS for name in part.licence.split(" AND ")}
    return [f"license of pyproject.toml and {__name__} differ: {name}" for name in stated ^ actual]


def bundled_table() -> list[str]:
    """Return the lines of a table of the parts."""
    rows = ["| files in the wheel | origin | licence |", "|:--|:--|:--|"]
    for part in PARTS:
        files = ", ".join(f"`{pattern}`" for pattern in part.patterns)
        licence = f"[{part.licence}](../{part.text or 'LICENSE'})"
        rows.append(f"| {files} | {part.origin} | {licence} |")
    return rows


def missing_texts(root: Path = ROOT) -> list[str]:
    """Return the licences whose text is not in the repository."""
    return [part.text for part in PARTS if part.text and not (root / part.text).is_file()]
