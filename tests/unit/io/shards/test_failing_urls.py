"""Object stores that fail half way: shards are read and written whole, or an error names them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

import misword
from misword.core.errors import InputError

fsspec = pytest.importorskip("fsspec")
memory = pytest.importorskip("fsspec.implementations.memory")

ROWS = [f"u{n},the cat sat,the cat {'sat' if n % 3 else 'sad'}" for n in range(400)]
SHARDS = [ROWS[:200], ROWS[200:]]
HEADER = "id,reference,hypothesis"


class FailingStore(memory.MemoryFileSystem):  # type: ignore[misc,name-defined]
    """A store in memory: a read or write that passes `after` bytes fails, `failures` times.

    A failure is a raised error, or the end of the file, as some protocols report a lost connection.
    """

    protocol = "failing"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    after = 0
    failures = 0
    error: Exception | None = None
    attempts = 0
    counted: ClassVar[tuple[str, str]] = (".csv", "rb")  # a part of the path, and the mode

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        stripped: str = super()._strip_protocol(path.removeprefix("failing://"))
        return stripped

    def _open(self, path: str, mode: str = "rb", *args: Any, **options: Any) -> Any:
        file = super()._open(path, mode, *args, **options)
        store = type(self)
        store.attempts += 1
        place, kind = store.counted
        if store.failures > 0 and place in path and kind == mode:
            store.failures -= 1
            file = Failing(file, store.after, store.error)
        return file


class Failing:
    """A file whose reads and writes fail after some bytes."""

    def __init__(self, file: Any, after: int, error: Exception | None) -> None:
        self.file, self.left, self.error = file, after, error

    def __enter__(self) -> Failing:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def read(self, size: int = -1) -> bytes:
        data: bytes = self.file.read(min(size, self.left) if size >= 0 else self.left)
        self.left -= len(data)
        if not data and self.error is not None:
            raise self.error
        return data

    def write(self, data: bytes) -> int:
        self.file.write(data[: self.left])
        raise self.error or OSError("connection lost")

    def close(self) -> None:
        self.file.close()


@pytest.fixture
def store() -> Iterator[type[FailingStore]]:
    fsspec.register_implementation("failing", FailingStore, clobber=True)
    FailingStore.clear_instance_cache()
    FailingStore.store.clear()
    FailingStore.after = FailingStore.failures = FailingStore.attempts = 0
    system = FailingStore()
    for number, rows in enumerate(SHARDS):
        system.pipe_file(f"/in/s{number}.csv", "\n".join([HEADER, *rows, ""]).encode())
    FailingStore.attempts = 0
    yield FailingStore
    FailingStore.store.clear()


def wer() -> float:
    found = misword.score(misword.shards("failing://in/*.csv", engine="serial"))
    assert set(found.summary()["utterances"]) == {len(ROWS)}
    rate: float = found["wer"]
    return rate


# Where the store fails: in the header, after a line, inside of a line, before the last byte.
WHOLE = len("\n".join([HEADER, *SHARDS[0], ""]))
PLACES = [0, 5, len(HEADER) + 1, len("\n".join([HEADER, *SHARDS[0][:100], ""])), 2000, WHOLE - 1]
ERRORS: list[Exception | None] = [
    None,
    OSError("connection reset"),
    RuntimeError("expired token"),
    TimeoutError("no answer"),
]


@pytest.mark.parametrize("error", ERRORS, ids=repr)
@pytest.mark.parametrize("after", PLACES)
def test_a_read_that_fails_is_repeated(
    store: type[FailingStore], after: int, error: Exception | None
) -> None:
    expected = wer()
    store.after, store.failures, store.error = after, 2, error
    assert wer() == expected


@pytest.mark.parametrize("error", ERRORS, ids=repr)
@pytest.mark.parametrize("after", PLACES)
def test_a_read_that_always_fails_names_the_shard(
    store: type[FailingStore], after: int, error: Exception | None
) -> None:
    store.after, store.failures, store.error = after, 1000, error
    with pytest.raises(InputError, match=r"s0\.csv: cannot be read: .* \(3 attempts\)"):
        wer()
    assert store.attempts == 2 * 3


def corrupted() -> None:
    source = misword.shards("failing://in/*.csv", engine="serial", out="failing://out")
    misword.corrupt(source, 0.3, channel="uniform")


def written(store: type[FailingStore]) -> dict[str, bytes]:
    return {
        path: file.getvalue()
        for path, file in store.store.items()
        if path.startswith("/out") and path.endswith(".csv")
    }


@pytest.mark.parametrize("error", [error for error in ERRORS if error is not None], ids=repr)
@pytest.mark.parametrize("after", [0, 100, 5000])
@pytest.mark.parametrize("failures", [1, 1000])
def test_a_write_that_fails_leaves_no_part_of_a_file(
    store: type[FailingStore],
    monkeypatch: pytest.MonkeyPatch,
    after: int,
    error: Exception,
    failures: int,
) -> None:
    corrupted()
    expected = written(store)
    assert len(expected) == 2
    for path in [path for path in store.store if path.startswith("/out")]:
        del store.store[path]
    monkeypatch.setattr(store, "counted", ("/out/", "wb"))
    store.after, store.failures, store.error = after, failures, error
    if failures > 1:
        with pytest.raises(InputError, match=r"failing://out/s0\.csv: cannot be written"):
            corrupted()
        assert not [path for path in store.store if path.startswith("/out")]
    store.failures = min(failures, 1)
    corrupted()
    assert written(store) == expected
