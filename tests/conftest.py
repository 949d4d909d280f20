"""Fixtures and hooks for all tests."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from extras import reason_to_skip

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared" / "data"
SLOW_FOLDERS = {"browser", "faults", "fuzz", "oracle", "published"}

settings.register_profile("misword", deadline=None, max_examples=150, derandomize=True)
# For `make sanitize`, where each example takes several times as long.
settings.register_profile("fewer", settings.get_profile("misword"), max_examples=40)
settings.load_profile("misword")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark every test of a slow folder; `make check` runs the tests that are not marked."""
    if SLOW_FOLDERS.intersection(item.path.relative_to(ROOT).parts):
        item.add_marker(pytest.mark.slow)


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


@pytest.fixture(autouse=True, scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Set a cache folder for this run in place of the user's."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MISWORD_CACHE", str(folder))
        yield folder


@pytest.fixture(autouse=True, scope="session")
def fixed_date() -> Iterator[None]:
    """Set the date that results record, so that two runs give the same bytes at midnight too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1780000000")  # 2026-05-28
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of corpora beside the project; a test that needs it is skipped without it."""
    if not SHARED.is_dir():
        pytest.skip(f"needs the corpora in {SHARED}")
    return SHARED


@pytest.fixture(scope="session")
def local_ray() -> Iterator[None]:
    """A Ray on this machine with two cores, which the engine `ray` then uses."""
    ray = pytest.importorskip("ray")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        # The workers read the tests and the sources of this tree.
        patch.setenv("PYTHONPATH", os.pathsep.join(str(ROOT / name) for name in ("tests", "src")))
        ray.init(
            "local",
            num_cpus=2,
            object_store_memory=100 << 20,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="ERROR",
        )
        yield
        ray.shutdown()
