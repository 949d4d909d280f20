"""The stack machine of pickles: its state, and what stands for names, calls and objects."""

from __future__ import annotations

import re
from dataclasses import dataclass
from mmap import mmap
from typing import Any

# Classes and functions that gensim's files name. Each is only a name here.
ADMITTED = re.compile(
    r"gensim\.[\w.]+"
    r"|numpy\.(ndarray|dtype|bool_?|(float|int|uint)\d+)"
    r"|numpy\.(core|_core)\.(multiarray\.(_reconstruct|scalar)|numeric\._frombuffer)"
    r"|numpy\.random\.[\w.]+"
    r"|collections\.(defaultdict|OrderedDict|Counter)"
    r"|(builtins|__builtin__)\.(bytearray|bytes|dict|float|frozenset|hash|int|list|long|object|set|"
    r"str|tuple|unicode)"
    r"|_codecs\.encode"
    r"|(copyreg|copy_reg)\._reconstructor"
)
DICTIONARIES = ("collections.defaultdict", "collections.OrderedDict", "collections.Counter")
BUILTINS = ("builtins", "__builtin__")  # the names in Python 3 and in Python 2
LISTS = {f"{module}.{name}" for module in BUILTINS for name in ("frozenset", "set", "list")}
EMPTY_BYTES = {f"{module}.bytes" for module in BUILTINS}  # of protocols 0 to 2
ENCODE = "_codecs.encode"
RECONSTRUCTORS = ("copyreg._reconstructor", "copy_reg._reconstructor")


@dataclass(frozen=True, slots=True)
class Name:
    """A class or function that a pickle names."""

    name: str


@dataclass(slots=True, eq=False)
class Record:
    """What a pickle would make by a call: the name of what is called, its arguments, its state."""

    name: str
    arguments: tuple[Any, ...] = ()
    state: Any = None

    @property
    def attributes(self) -> dict[str, Any]:
        """The state, if it is a dictionary; otherwise an empty one."""
        return self.state if isinstance(self.state, dict) else {}


class RefusedNameError(Exception):
    """A pickle names a class or function that is not admitted."""

    def __init__(self, name: str) -> None:
        self.name = name


class Machine:
    """The stack machine: the position in the program, the stack, the outer stacks, the memo."""

    def __init__(self, data: bytes | mmap) -> None:
        self.data, self.size, self.at = data, len(data), 0
        self.stack: list[Any] = []
        self.outer: list[list[Any]] = []
        self.memo: dict[int, Any] = {}
        self.encoded = 0

    def take(self, size: int) -> bytes:
        """Return the next bytes of the program."""
        end = self.at + size
        if end > self.size:
            raise ValueError("cut off")
        taken = self.data[self.at : end]
        self.at = end
        return taken

    def number(self, size: int) -> int:
        """Return the next bytes as a number that is not negative."""
        return int.from_bytes(self.take(size), "little")

    def line(self) -> bytes:
        """Return the next line, without its end."""
        end = self.data.find(b"\n", self.at)
        if end < 0:
            raise ValueError("cut off")
        taken = self.data[self.at : end]
        self.at = end + 1
        return taken

    def to_mark(self) -> list[Any]:
        """Return the values above the last mark and remove them."""
        values, self.stack = self.stack, self.outer.pop()
        return values

    def pop(self, count: int) -> tuple[Any, ...]:
        """Return the last values of the stack and remove them."""
        if len(self.stack) < count:
            raise IndexError("the stack is empty")
        values = tuple(self.stack[-count:])
        del self.stack[-count:]
        return values

    def push_name(self, module: str, name: str) -> None:
        """Push the name of a class or function, or raise if it is not admitted."""
        full = f"{module}.{name}"
        if not ADMITTED.fullmatch(full):
            raise RefusedNameError(full)
        self.stack.append(Name(full))

    def make(self, called: Any, arguments: Any) -> None:
        """Push what stands for the result of a call."""
        if type(called) is not Name or type(arguments) is not tuple:
            raise TypeError("a call of what is no name")
        name = called.name
        made: Any = Record(name, arguments)
        if name in DICTIONARIES:
            made = next((value for value in arguments if isinstance(value, dict)), {})
        elif name in LISTS:
            made = arguments[0] if arguments else []
        elif name in EMPTY_BYTES and not arguments:
            made = b""
        elif name == ENCODE:
            made = self.encode(*arguments)
        elif name in RECONSTRUCTORS:
            made = Record(arguments[0].name)
        self.stack.append(made)

    def encode(self, text: str, encoding: str) -> bytes:
        """Return bytes that protocol 2 writes as text; one text may not be encoded many times."""
        self.encoded += len(text)
        if encoding != "latin1" or self.encoded > self.size:
            raise ValueError(encoding)
        return text.encode("latin1")
