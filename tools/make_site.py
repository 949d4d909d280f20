"""Write the documentation as a site to build/site.

    python tools/make_site.py [FOLDER]

Sphinx makes the site. A warning, such as a link that leads nowhere, is an error. The site loads
nothing from the network, and its search works without a server: open index.html from the disk.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from docs_site.sources import write_sources
from misword.cli.commands.programs.schema import schema, schemas
from misword.stat.descriptions.schemas import PLACE

ROOT = Path(__file__).parent.parent
SETTINGS = Path(__file__).parent / "docs_site"


def build(folder: Path, sources: Path) -> int:
    """Write the sources of the pages, and the site from them; return the exit code of Sphinx."""
    from sphinx.cmd.build import main

    write_sources(sources)
    checks = ["--quiet", "--fail-on-warning", "--keep-going"]
    # All pages are written, since each has the navigation.
    places = ["--write-all", "--conf-dir", str(SETTINGS), "--doctree-dir", f"{sources}-read"]
    code = main([*checks, *places, str(sources), str(folder)])
    write_schemas(folder)
    return code


def write_schemas(folder: Path) -> None:
    """Write all schemas to the site, at the addresses that they have."""
    for name in schemas():
        found = schema(name)
        place = folder / "schemas" / found["$id"].removeprefix(f"{PLACE}/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{json.dumps(found, indent=1)}\n", "utf-8")


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "build" / "site"
    code = build(folder, folder.parent / "site-sources")
    if code == 0:
        print(f"{folder / 'index.html'}: open it in a browser")
    sys.exit(code)
