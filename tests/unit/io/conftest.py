"""Small files for the tests of readers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from nbest_reading import ListReader

Write = Callable[[str, str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file below the test's own folder, byte for byte."""

    def put(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return put


@pytest.fixture
def both(write: Write, tmp_path: Path) -> ListReader:
    """Return a reader of references and N-best lists."""
    return ListReader(tmp_path, write)
