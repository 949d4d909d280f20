"""Random changes of files that misword wrote, with checksums that fit the changed content.

A changed byte alone is found by the checksum. These functions make what an attacker, or another
program, can make: files whose checksums are right and whose content is not.
"""

from __future__ import annotations

import json
import zipfile
from copy import deepcopy
from hashlib import sha256
from io import BytesIO
from random import Random
from typing import Any

from fuzz.mutation import mutated
from misword.io.files.archives import HEADER, SUFFIX
from misword.io.files.checksums import KEY, json_checksum

INDEXES = ("result.json", "entry.json")
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 3, 1 << 31, 1 << 63, -(1 << 63), 1 << 70, 0.5, -0.5, 1e308, 1e-320,
    float("nan"), float("inf"), "", "a", "x" * 5000, "\x1b[2J", "\x00", "\ud800", "../../x",
    "0" * 64, [], {}, [[]], [1, "a"], {"a": 1}, {"": {}}, [0] * 3000,
)  # fmt: skip
NAMES = ("", "a", "format", "version", "\x1b[2J")

Files = dict[str, bytes]


def mutated_own_files(files: Files, random: Random) -> Files:
    """Return files of misword, one of them changed; its checksums fit or not."""
    # Mostly JSON files: they have most of the structure, and changed Parquet data is read by a
    # process of its own, which takes long.
    tables = sorted(name for name in files if name.endswith(".parquet"))
    others = sorted(set(files) - set(tables))
    name = random.choice([*others * 9, *random.choices(tables, k=len(tables) > 0)])
    data = files[name]
    contents = list(files.values())
    if random.random() < 0.2:
        return {**files, name: mutated(data, random, contents)}
    if name.endswith(".json"):
        return {**files, name: mutated_json(data, random)}
    if data.startswith(b"PK"):
        return {**files, name: mutated_archive(data, random)}
    changed = {**files, name: mutated(data, random, contents)}
    return {path: _with_new_checksums(path, changed) for path in changed}


def mutated_json(data: bytes, random: Random) -> bytes:
    """Return a JSON file with some values changed, and with its checksum."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return mutated(data, random)
    for _ in range(random.choice((1, 1, 2, 3))):
        content = _changed(content, random)
    if isinstance(content, dict) and random.random() < 0.9:
        content[KEY] = json_checksum(content)
    return json.dumps(content).encode()


def _changed(value: Any, random: Random) -> Any:
    """Return a value of JSON with a value inside it replaced, removed, added or exchanged."""
    inner = list(value) if isinstance(value, dict) else range(len(value)) if _is_list(value) else ()
    if not inner or random.random() < 0.1:
        return deepcopy(random.choice(VALUES))
    key = random.choice(list(inner))
    action = random.random()
    if action < 0.6:
        value[key] = _changed(value[key], random)
    elif action < 0.75:
        del value[key]
    elif action < 0.9:
        other = random.choice(list(inner))
        value[key], value[other] = value[other], value[key]
    elif _is_list(value):
        value.insert(key, deepcopy(random.choice(VALUES)))
    else:
        value[random.choice(("", "a", "format", "version", "\x1b[2J"))] = deepcopy(
            random.choice(VALUES)
        )
    return value


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def mutated_archive(data: bytes, random: Random) -> bytes:
    """Return a file of arrays with a member changed, and with all checksums."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = random.choice(sorted(members))
    if name == HEADER:
        members[name] = mutated_json(members[name], random)
    else:
        members[name] = mutated(members[name], random, list(members.values()))
    if HEADER in members and random.random() < 0.9:
        members[HEADER] = _with_member_checksums(members)
    if random.random() < 0.1:
        del members[random.choice(sorted(members))]
    made = BytesIO()
    with zipfile.ZipFile(made, "w", random.choice((0, 0, 0, zipfile.ZIP_DEFLATED))) as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return made.getvalue()


def _with_member_checksums(members: Files) -> bytes:
    header = json.loads(members[HEADER])
    if isinstance(header, dict):
        header["checksums"] = {
            name.removesuffix(SUFFIX): sha256(content).hexdigest()
            for name, content in members.items()
            if name != HEADER
        }
        header[KEY] = json_checksum(header)
    return json.dumps(header).encode()


def _with_new_checksums(path: str, files: Files) -> bytes:
    """Return a file; the index of a folder gets the checksums and sizes of the files beside it."""
    folder, _, name = path.rpartition("/")
    if name not in INDEXES:
        return files[path]
    content = json.loads(files[path])
    beside = {other: data for other, data in files.items() if other.rpartition("/")[0] == folder}
    for other, data in beside.items():
        file = other.rpartition("/")[2]
        digest = sha256(data).hexdigest()
        if file in content.get("sizes", {}):
            content["sizes"][file], content["checksums"][file] = len(data), digest
        for table in content.get("tables", {}).values():
            if table["file"] == file:
                table[KEY] = digest
    content[KEY] = json_checksum(content)
    return json.dumps(content).encode()
