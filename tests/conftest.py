"""What several tests need."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared" / "data"

settings.register_profile("misword", deadline=None, max_examples=150, derandomize=True)
settings.load_profile("misword")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The corpora beside the project; without them the tests that read them skip, by name."""
    if not SHARED.is_dir():
        pytest.skip(f"needs the corpora in {SHARED}")
    return SHARED
