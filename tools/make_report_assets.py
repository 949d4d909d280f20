"""Fetch the chart library that every report contains: Vega-Lite, Vega and their interpreter.

    python tools/make_report_assets.py            # fetch the pinned packages from npm again
    python tools/make_report_assets.py --check    # only check that the files have the pinned hashes

Packages are pinned by version and SHA-256. `npm pack` fetches them; none of their code is run.
Vega's interpreter is published as an ES module only. Its one import and its one export are replaced
here, so that it is a plain script. For a newer version change PACKAGES and WRITTEN, run this
script, and look at a report.
"""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

ASSETS = Path(__file__).parents[1] / "src" / "misword" / "report" / "assets"


@dataclass(frozen=True)
class Package:
    """One package of npm: its hash, and the files taken from it with their names here."""

    name: str
    version: str
    hash: str
    files: tuple[tuple[str, str], ...]


PACKAGES = (
    Package(
        "vega",
        "6.4.0",
        "3521fb6ff68a94a40323954f0ba4484ba4014b157bfd37f89a3b063082320c42",
        (("build/vega.min.js", "vega.min.js"), ("LICENSE", "LICENSE.vega")),
    ),
    Package(
        "vega-lite",
        "6.4.3",
        "24260f85e6f5bfe1069505f7c5c2b9863181ac413ef1030746f0a80c93991ce5",
        (("build/vega-lite.min.js", "vega-lite.min.js"), ("LICENSE", "LICENSE.vega-lite")),
    ),
    Package(
        "vega-interpreter",
        "2.3.2",
        "b83489633c1320e9d6f839781f0c84c661a5ca2666fe38cb83f7c52a531fffec",
        (("build/vega-interpreter.js", "vega-interpreter.js"),),
    ),
    # Vega's script contains these. Those with another licence or other authors than d3-array
    # have a file of their own; the rest of d3 and internmap have d3-array's.
    Package(
        "d3-array",
        "3.2.5",
        "90139c20a9a7678badb0ddeb9aafd504c935dc24f5a53c3e61ccf866e4479572",
        (("LICENSE", "LICENSE.d3"),),
    ),
    Package(
        "d3-ease",
        "3.0.2",
        "8c9a9f83a8184a22e166eab8f50f66bcf21399fff54410c202548a15fbe44ea9",
        (("LICENSE", "LICENSE.d3-ease"),),
    ),
    Package(
        "delaunator",
        "5.1.0",
        "d4654ecf8da70c86c3d92805110e7c1cbac97332d6298e04f7572ff1352d81ee",
        (("LICENSE", "LICENSE.delaunator"),),
    ),
    Package(
        "d3-delaunay",
        "6.0.6",
        "642eef95edb32cba9b7c7d2d6dc0c201fad3f7ce4f9a45c5c13c0f253b8621d1",
        (("LICENSE", "LICENSE.d3-delaunay"),),
    ),
    Package(
        "d3-geo",
        "3.1.2",
        "e0ffa43f5a2134cf03d2797e985025250d8d3608b1d90336938c9dd4d4b97dc7",
        (("LICENSE", "LICENSE.d3-geo"),),
    ),
    Package(
        "d3-geo-projection",
        "4.0.0",
        "ee0ed9071b6bd4921f9e2c18d04a283248fa3d13ff558bc936f585a2b09bf99a",
        (("LICENSE", "LICENSE.d3-geo-projection"),),
    ),
    Package(
        "d3-scale-chromatic",
        "3.1.1",
        "52ff96282fbd5f481bd0ac76f5c1c983f2e005d3dd51614b1982a8b22859b98e",
        (("LICENSE", "LICENSE.d3-scale-chromatic"),),
    ),
    Package(
        "robust-predicates",
        "3.0.3",
        "54952e6a8c9e69e404f9be09bfb92a68482cf77702283399a44a689d67ba661c",
        (("LICENSE", "LICENSE.robust-predicates"),),
    ),
    Package(
        "topojson-client",
        "3.1.0",
        "889fadb422f6236d0f8337a236ce6499f258b75e44b81733b13bd971067322bf",
        (("LICENSE", "LICENSE.topojson-client"),),
    ),
)
# SHA-256 of the files as they are written here.
WRITTEN = {
    "vega.min.js": "8f6a3587cf8d4f42c7e08120e3eb05d067e746d554e39d2dcf52acc0bd5ba28f",
    "vega-lite.min.js": "843d20762ca6e52ff5ceab7a3296219272a9c0b5364402d6814f3c7738f4be5e",
    "vega-interpreter.js": "30e005e195019a41f7e2640d62060ffa4ad84efb33bb5dc6cae228c6e6cc4530",
}  # fmt: skip


def main() -> None:
    """Fetch the files unless only a check is wanted, then check their hashes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="fetch nothing, only check hashes")
    if not parser.parse_args().check:
        for package in PACKAGES:
            for name, data in fetch(package).items():
                (ASSETS / name).write_bytes(data)
    wrong = [name for name, expected in WRITTEN.items() if digest(ASSETS / name) != expected]
    if wrong:
        sys.exit(f"not what is pinned: {', '.join(wrong)}")


def fetch(package: Package) -> dict[str, bytes]:
    """Return the files of a package by their names here."""
    archive_name = f"{package.name}-{package.version}.tgz"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["npm", "pack", "--silent", f"{package.name}@{package.version}"],
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        packed = (Path(folder) / archive_name).read_bytes()
    actual = sha256(packed).hexdigest()
    if actual != package.hash:
        sys.exit(f"{archive_name} has SHA-256 {actual}, not {package.hash}")
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        members = {to: archive.extractfile(f"package/{name}") for name, to in package.files}
        return {
            to: plain_script(to, file.read()) for to, file in members.items() if file is not None
        }


def plain_script(name: str, data: bytes) -> bytes:
    """Return a script for a page: not a module, and without the address of a source map."""
    text = data.decode()
    if name == "vega-interpreter.js":
        text = replaced(text, "import {", "(() => {\nconst {")
        text = replaced(text, "} from 'vega-util';", "} = vega;")
        text = replaced(
            text,
            "export { expression as expressionInterpreter };",
            "vega.expressionInterpreter = expression;\n})();",
        )
    lines = [line for line in text.splitlines() if not line.startswith("//# sourceMappingURL=")]
    return ("\n".join(lines) + "\n").encode()


def replaced(text: str, old: str, new: str) -> str:
    """Return the text with `old` replaced; `old` must occur exactly once."""
    if text.count(old) != 1:
        sys.exit(f"expected once: {old}")
    return text.replace(old, new)


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, empty if there is no such file."""
    return sha256(path.read_bytes()).hexdigest() if path.exists() else ""


if __name__ == "__main__":
    main()
