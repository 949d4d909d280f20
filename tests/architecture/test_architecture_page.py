"""docs/architecture.md names files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import misword

SOURCE = Path(misword.__file__).parent
PAGE = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text("utf-8")


def test_answers_name_files_that_exist() -> None:
    table = PAGE.partition("## Where is")[2].partition("\n## ")[0]
    paths = re.findall(r"`([\w/.]+\.(?:py|bib))`", table)
    assert len(paths) >= 13
    for path in paths:
        assert (SOURCE / path).is_file(), path
