"""Files for tests of readers: changed JSON files of misword, and pickles that call a function."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from misword.io.files.checksums import KEY, json_checksum


class Attack:
    """An object whose pickle makes Python call a function."""

    def __init__(self, called: Any, *arguments: Any) -> None:
        self.called, self.arguments = called, arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return self.called, self.arguments


def rewrite(path: Path, change: Callable[[dict[str, Any]], object], *, sealed: bool = True) -> None:
    """Change the content of a JSON file; without `sealed` its checksum is left out."""
    content = json.loads(path.read_text("utf-8"))
    change(content)
    content.pop(KEY, None)
    if sealed:
        content[KEY] = json_checksum(content)
    path.write_text(json.dumps(content), "utf-8")
