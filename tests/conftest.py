"""What several tests need."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from extras import reason_to_skip
from kernel_switch import use_kernels

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared" / "data"

settings.register_profile("misword", deadline=None, max_examples=150, derandomize=True)
settings.load_profile("misword")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Skip a test whose fixtures need a package that is not installed."""
    return (yield from skipping_without_extras())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Skip a test that needs a package which is not installed."""
    return (yield from skipping_without_extras())


def skipping_without_extras() -> Generator[None, object, object]:
    try:
        return (yield)
    except Exception as error:
        if reason := reason_to_skip(error):
            pytest.skip(reason)
        raise


@pytest.fixture(params=["plain", "compiled"], scope="module")
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run a test with either implementation of every kernel, whatever the input's size."""
    with pytest.MonkeyPatch.context() as patch:
        use_kernels(patch, compiled=request.param == "compiled")
        yield request.param


@pytest.fixture(autouse=True, scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache folder for this run, not the user's."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MISWORD_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="session")
def shared() -> Path:
    """The corpora beside the project; without them the tests that read them skip, by name."""
    if not SHARED.is_dir():
        pytest.skip(f"needs the corpora in {SHARED}")
    return SHARED
