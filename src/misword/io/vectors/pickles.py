"""Pickles as plain data: nothing in the file is imported or called.

A pickle is a program for a small stack machine, which can name and call any function of Python.
This reader runs the program, but a class or a function is only a name here. Where the program would
call it, the result is a `PickledCall` with the name and the arguments. Only the names in `ADMITTED`
may occur; a file with another name is refused.

Python's own unpickler is not used, although it can be told to refuse names: it allocates whatever
sizes and memo numbers a file claims, and hashes keys of any depth, which overflows the C stack.
Here every size is compared with the bytes that are left, and keys are texts and numbers.

Known problems: it takes about seven times the time of the unpickler in C.

Reference: the comments of https://docs.python.org/3/library/pickletools.html
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from mmap import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError

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
class PickledCall:
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
        made: Any = PickledCall(name, arguments)
        if name in DICTIONARIES:
            made = next((value for value in arguments if isinstance(value, dict)), {})
        elif name in LISTS:
            made = arguments[0] if arguments else []
        elif name in EMPTY_BYTES and not arguments:
            made = b""
        elif name == ENCODE:
            made = self.encode(*arguments)
        elif name in RECONSTRUCTORS:
            made = PickledCall(arguments[0].name)
        self.stack.append(made)

    def encode(self, text: str, encoding: str) -> bytes:
        """Return bytes that protocol 2 writes as text; one text may not be encoded many times."""
        self.encoded += len(text)
        if encoding != "latin1" or self.encoded > self.size:
            raise ValueError(encoding)
        return text.encode("latin1")


# The program of a pickle: its operations.

STOP = ord(".")
SCALARS = (str, int, float, bytes, type(None))  # what a key may be


def read_pickle(data: bytes | mmap, shown: str) -> Any:
    """Return the content of a pickle: None, texts, numbers, lists, dictionaries and records.

    Sets are returned as lists. An InputError is raised for names that are not admitted, and for
    what is no pickle; `shown` is the file in its message.
    """
    machine = Machine(data)
    try:
        while (code := data[machine.at]) != STOP:
            machine.at += 1
            OPERATIONS[code](machine)
        return machine.stack.pop()
    except RefusedNameError as error:
        raise InputError(
            f"the pickle names {error.name!r}, which could run code; it was not called",
            where=shown,
            fix="if you trust the file, open it with gensim and save its vectors: "
            "vectors.save_word2vec_format('vectors.bin', binary=True)",
        ) from None
    except (
        AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError, struct.error,
    ) as error:  # fmt: skip
        what = f"the pickle is cut off or damaged at byte {machine.at} ({type(error).__name__})"
        raise InputError(what, where=shown, fix="get or make it again") from None


Operation = Callable[[Machine], None]


def _push(value: Callable[[Machine], Any]) -> Operation:
    def operation(machine: Machine) -> None:
        pushed = value(machine)  # first, because it may change which stack is the inner one
        machine.stack.append(pushed)

    return operation


def _text(size: int) -> Operation:
    """Return the operation that pushes a text whose length is a number of `size` bytes."""

    def operation(machine: Machine) -> None:
        data = machine.take(machine.number(size))
        machine.stack.append(data.decode("utf-8", "surrogatepass"))

    return operation


def _put(key: Callable[[Machine], int]) -> Operation:
    def operation(machine: Machine) -> None:
        machine.memo[key(machine)] = machine.stack[-1]

    return operation


def _get(key: Callable[[Machine], int]) -> Operation:
    return _push(lambda machine: machine.memo[key(machine)])


def _signed(size: Callable[[Machine], int]) -> Operation:
    return _push(lambda m: int.from_bytes(m.take(size(m)), "little", signed=True))


def _mark(machine: Machine) -> None:
    machine.outer.append(machine.stack)
    machine.stack = []


def _append(machine: Machine) -> None:
    (value,) = machine.pop(1)
    machine.stack[-1].append(value)


def _appends(machine: Machine) -> None:
    values = machine.to_mark()
    machine.stack[-1].extend(values)


def _set_item(machine: Machine) -> None:
    _add_items(machine.stack[-3], list(machine.pop(2)))


def _set_items(machine: Machine) -> None:
    values = machine.to_mark()
    _add_items(machine.stack[-1], values)


def _add_items(target: Any, values: list[Any]) -> None:
    keys = values[::2]
    if not all(isinstance(key, SCALARS) or type(key) is PickledCall for key in keys):
        raise TypeError("a key that is no text and no number")
    if not isinstance(target, dict):
        raise TypeError("items of what is no dictionary")
    target.update(zip(keys, values[1::2], strict=True))


def _dictionary(machine: Machine) -> None:
    made: dict[Any, Any] = {}
    _add_items(made, machine.to_mark())
    machine.stack.append(made)


def _global(machine: Machine) -> None:
    module = machine.line().decode()
    machine.push_name(module, machine.line().decode())


def _stack_global(machine: Machine) -> None:
    machine.push_name(*machine.pop(2))


def _reduce(machine: Machine) -> None:
    machine.make(*machine.pop(2))


def _object(machine: Machine) -> None:
    """OBJ: the class is the first value above the mark."""
    called, *arguments = machine.to_mark()
    machine.make(called, tuple(arguments))


def _instance(machine: Machine) -> None:
    """INST: the class is named by the next two lines."""
    arguments = tuple(machine.to_mark())
    _global(machine)
    machine.make(machine.stack.pop(), arguments)


def _new_with_keywords(machine: Machine) -> None:
    called, arguments, _ = machine.pop(3)
    machine.make(called, arguments)


def _build(machine: Machine) -> None:
    (state,) = machine.pop(1)
    target = machine.stack[-1]
    if type(target) is not PickledCall:
        raise TypeError("the state of what is no object")
    target.state = state


def _float_text(machine: Machine) -> float:
    return float(machine.line())


def _integer_text(machine: Machine) -> int | bool:
    text = machine.line()
    return text == b"01" if text in (b"00", b"01") else int(text)


def _tuple(count: int) -> Operation:
    return lambda machine: machine.stack.append(machine.pop(count) if count else ())


def _skip(size: int) -> Operation:
    """Return the operation for numbers that a reader need not know: protocol, size of a frame."""

    def operation(machine: Machine) -> None:
        machine.take(size)

    return operation


def _pop(machine: Machine) -> None:
    machine.pop(1)


def _pop_mark(machine: Machine) -> None:
    machine.to_mark()


OPERATIONS: dict[int, Operation] = {
    ord(code): operation
    for code, operation in {
        "\x80": _skip(1),
        "\x95": _skip(8),
        "(": _mark,
        "0": _pop,
        "1": _pop_mark,
        "2": lambda machine: machine.stack.append(machine.stack[-1]),
        # Constants and numbers
        "N": _push(lambda _: None),
        "\x88": _push(lambda _: True),
        "\x89": _push(lambda _: False),
        "K": _push(lambda machine: machine.number(1)),
        "M": _push(lambda machine: machine.number(2)),
        "J": _signed(lambda _: 4),
        "\x8a": _signed(lambda machine: machine.number(1)),
        "\x8b": _signed(lambda machine: machine.number(4)),
        "G": _push(lambda machine: struct.unpack(">d", machine.take(8))[0]),
        "F": _push(_float_text),
        "I": _push(_integer_text),
        "L": _push(lambda machine: int(machine.line().rstrip(b"L"))),
        # Texts and bytes
        "\x8c": _text(1),
        "X": _text(4),
        "\x8d": _text(8),
        "V": _push(lambda machine: machine.line().decode("raw-unicode-escape")),
        "C": _push(lambda machine: machine.take(machine.number(1))),
        "B": _push(lambda machine: machine.take(machine.number(4))),
        "\x8e": _push(lambda machine: machine.take(machine.number(8))),
        "\x96": _push(lambda machine: machine.take(machine.number(8))),
        "U": _push(lambda machine: machine.take(machine.number(1)).decode("latin1")),
        "T": _push(lambda machine: machine.take(machine.number(4)).decode("latin1")),
        # Containers
        "]": _push(lambda _: []),
        "}": _push(lambda _: {}),
        "\x8f": _push(lambda _: []),
        "l": _push(Machine.to_mark),
        "d": _dictionary,
        "\x91": _push(Machine.to_mark),
        ")": _tuple(0),
        "\x85": _tuple(1),
        "\x86": _tuple(2),
        "\x87": _tuple(3),
        "t": _push(lambda machine: tuple(machine.to_mark())),
        "a": _append,
        "e": _appends,
        "\x90": _appends,
        "s": _set_item,
        "u": _set_items,
        # The memo
        "\x94": _put(lambda machine: len(machine.memo)),
        "q": _put(lambda machine: machine.number(1)),
        "r": _put(lambda machine: machine.number(4)),
        "p": _put(lambda machine: int(machine.line())),
        "h": _get(lambda machine: machine.number(1)),
        "j": _get(lambda machine: machine.number(4)),
        "g": _get(lambda machine: int(machine.line())),
        # Names and calls
        "c": _global,
        "\x93": _stack_global,
        "R": _reduce,
        "\x81": _reduce,
        "\x92": _new_with_keywords,
        "o": _object,
        "i": _instance,
        "b": _build,
    }.items()
}


# NumPy arrays from the records of a pickle, without NumPy's own functions for pickles.
#
# Those functions take the state of an array as it is in the file. Here type, shape and size are
# checked first.

NUMBER = re.compile(r"[fiu][1248]")
RECONSTRUCT = ("numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct")
FROM_BUFFER = ("numpy.core.numeric._frombuffer", "numpy._core.numeric._frombuffer")


def array_of(value: Any) -> NDArray[Any] | None:
    """Return the array of numbers that a record stands for; None if it stands for none.

    A ValueError is raised if the record claims another number of bytes than it has.
    """
    if not isinstance(value, PickledCall):
        return None
    if value.name in RECONSTRUCT and isinstance(value.state, tuple) and len(value.state) == 5:
        _, shape, dtype, columns_first, data = value.state
    elif value.name in FROM_BUFFER and len(value.arguments) == 4:
        data, dtype, shape, order = value.arguments
        columns_first = order == "F"
    else:
        return None
    return _array(data, _dtype(dtype), shape, bool(columns_first))


def _dtype(record: Any) -> np.dtype[Any]:
    """Return the type of numbers that a record of `numpy.dtype` stands for."""
    if not isinstance(record, PickledCall) or record.name != "numpy.dtype" or not record.arguments:
        raise ValueError("no type of numbers")
    code = record.arguments[0]
    if not isinstance(code, str) or not NUMBER.fullmatch(code):
        raise ValueError(f"an array of type {code!r}")
    order = record.state[1] if isinstance(record.state, tuple) and len(record.state) > 1 else "<"
    return np.dtype(code).newbyteorder(">" if order == ">" else "<")


def _array(data: Any, dtype: np.dtype[Any], shape: Any, columns_first: bool) -> NDArray[Any]:
    if isinstance(data, str):  # as Python 2 wrote it
        data = data.encode("latin1")
    sound = isinstance(shape, tuple) and all(type(n) is int and n >= 0 for n in shape)
    if not (isinstance(data, bytes) and sound):
        raise ValueError("no array of numbers")
    if math.prod(shape) * dtype.itemsize != len(data):
        raise ValueError(f"{len(data)} bytes for an array of shape {shape}")
    flat = np.frombuffer(data, dtype)
    return flat.reshape(shape, order="F" if columns_first else "C")
