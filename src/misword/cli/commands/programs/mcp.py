"""Serve score, compare, align, check and gate to an agent, over standard input and output.

The protocol is MCP (Model Context Protocol). Tools read files of FOLDER alone: an address, `..` and
a symbolic link that lead out of it are refused. Nothing is written and nothing is downloaded. Each
call runs the command of the same name as a process of its own, and returns its verdict, its exit
code and its tables. docs/agents.md shows how to register the server. Needs misword[mcp].
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, TypedDict

from misword.core.errors import InputError, MissingExtraError, MiswordError, OptionError
from misword.core.options import Option, whole
from misword.core.version import __version__

EXAMPLES = """\
examples:
  misword mcp evaluations/
  claude mcp add misword -- misword mcp /data/evaluations
"""


class Served(TypedDict, total=False):
    """What is served."""

    folder: Annotated[
        str,
        Option("the folder whose files the tools may read", metavar="FOLDER", positional=True),
    ]
    timeout: Annotated[
        int,
        Option("seconds after which a call is ended", default=600, metavar="S", read=whole(1)),
    ]


OPTIONS = (Served,)

INSTRUCTIONS = """\
misword measures errors of speech recognition. Name files relative to the served folder. Begin with
`check` for new data; `score` gives error rates with intervals, `compare` says whether a system is
better than the first one by more than chance, `align` shows errors word by word, and `gate` decides
conditions. Rates are fractions: 0.08 is 8 %. Say the interval and the p-value beside a rate."""
# Metrics and names of columns, as lists with commas. A value cannot name a file or an address.
LIST = re.compile(r"\w[\w.+-]*(?:[:=,]\w[\w.+%-]*)*")
# Options of metrics that name files or models to load.
LOADING = frozenset({"file", "model", "encoder", "vectors", "lm"})
MOST_ROWS = 1000


def run(options: argparse.Namespace) -> None:
    """Serve until standard input ends."""
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.types import ToolAnnotations
    except ImportError as error:
        raise MissingExtraError(
            f"the server needs the package mcp ({error})", fix="pip install 'misword[mcp]'"
        ) from None

    tools = Tools(served_folder(options.folder), options.timeout)
    server: Any = MCPServer(
        "misword", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING"
    )
    reading = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    for tool in (tools.score, tools.compare, tools.align, tools.check, tools.gate):
        server.add_tool(tool, annotations=reading)
    server.run("stdio")


def served_folder(name: str) -> Path:
    """Return the folder that is served, without symbolic links."""
    try:
        folder = Path(name).resolve(strict=True)
    except OSError:
        raise InputError("no such folder", where=name, fix="name a folder with files") from None
    if not folder.is_dir():
        raise InputError("this is not a folder", where=name, fix="name the folder of the files")
    return folder


def inside(folder: Path, name: str) -> Path:
    """Return the real path of a file or folder that is within the served folder; raise if not.

    Of a folder, all that it contains is checked, because a reader follows links in it.
    """
    outside = OptionError(
        "this path is not in the served folder",
        where=name,
        fix="name a file below it, without links that lead out of it",
    )
    try:
        path = (folder / name).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):  # no such file, a null character, a loop of links
        raise outside from None
    if not path.is_relative_to(folder):
        raise outside
    if path.is_dir():
        for place, folders, files in os.walk(path):
            for entry in (*folders, *files):
                if not (Path(place) / entry).resolve().is_relative_to(folder):
                    raise outside
    return path


def listed(name: str, values: Iterable[str]) -> str:
    """Return metrics or names as a list for the command line; raise if one could name a file."""
    text = ",".join(values)
    options = set(re.findall(r"[:,](\w+)=", text))
    if not LIST.fullmatch(text) or ".." in text or options & LOADING:
        raise OptionError(
            f"{name} {text!r} cannot be used here",
            fix="write names and options with letters, digits and - alone; none may name a file",
        )
    return text


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools of the server: each runs a command on files of the served folder."""

    folder: Path
    timeout: int

    def score(
        self,
        reference: str,
        hypotheses: list[str],
        metrics: list[str] | None = None,
        by: list[str] | None = None,
        normalize: list[str] | None = None,
        forgive: list[str] | None = None,
        lang: str = "",
        severity: bool = False,
        rows: int = 50,
    ) -> dict[str, Any]:
        """Error rates of one or several systems, with 95 % confidence intervals.

        `reference` and `hypotheses` are files or folders, one for each system. `metrics`: wer, cer,
        mer, ... `by`: columns of metadata, for a rate of each group. `normalize`: lower, nopunct,
        ... `forgive`: differences of writing that are no errors: contractions, numbers, case, ...
        `severity`: also which errors change what is said. `rows`: the most rows of a table.
        """
        more = self._reading(metrics, by, normalize, forgive, lang)
        if severity:
            more.append("--severity")
        return self._result("score", [reference, *hypotheses], more, rows)

    def compare(
        self,
        reference: str,
        hypotheses: list[str],
        metrics: list[str] | None = None,
        block: str = "",
        by: list[str] | None = None,
        normalize: list[str] | None = None,
        forgive: list[str] | None = None,
        lang: str = "",
        rows: int = 50,
    ) -> dict[str, Any]:
        """Whether systems differ from the first one by more than chance: changes, intervals, p.

        The first of `hypotheses` is the baseline. `block` is a column whose values belong together,
        such as speaker. The other arguments are those of `score`.
        """
        more = self._reading(metrics, by, normalize, forgive, lang)
        more += self._one("block", block)
        return self._result("compare", [reference, *hypotheses], more, rows)

    def align(
        self,
        reference: str,
        hypothesis: str,
        errors_only: bool = True,
        severity: bool = False,
        normalize: list[str] | None = None,
        lang: str = "",
        limit: int = 20,
        rows: int = 50,
    ) -> dict[str, Any]:
        """Alignments word by word, and the most frequent confusions of a system.

        `limit`: the most utterances that are shown. `severity`: also a label and a level of each
        error: a number, a negation, a name, ... `errors_only`: leave out utterances without errors.
        """
        more = [*self._reading(None, None, normalize, None, lang), f"--limit={max(0, limit)}"]
        more += [
            flag for flag, on in (("--errors-only", errors_only), ("--severity", severity)) if on
        ]
        return self._result("align", [reference, hypothesis], more, rows)

    def check(
        self, reference: str, hypotheses: list[str], lang: str = "", rows: int = 50
    ) -> dict[str, Any]:
        """Mistakes in the data: slipped lines, duplicates, wrong language, different writing, ...

        Use it before trusting a rate. `lang` is the language that the texts should have.
        """
        more = self._one("lang", lang)
        return self._result("check", [reference, *hypotheses], more, rows)

    def gate(
        self,
        reference: str,
        new: str,
        baseline: str = "",
        max_rates: dict[str, float] | None = None,
        no_worse: list[str] | None = None,
        margin: float = 0.0,
        block: str = "",
        by: list[str] | None = None,
        normalize: list[str] | None = None,
        forgive: list[str] | None = None,
        lang: str = "",
        strict: bool = False,
        rows: int = 50,
    ) -> dict[str, Any]:
        """Decide conditions on error rates: `passed` is the verdict, exit code 1 if one fails.

        `max_rates`: the largest rate of each metric, as a fraction: {"wer": 0.08}. `no_worse`:
        metrics that must not be worse than those of `baseline` by more than `margin`. `strict`:
        also fail if the data are too few to decide. `block`, `by` and the rest as in `compare`.
        """
        more = self._reading(None, by, normalize, forgive, lang)
        for name, rate in (max_rates or {}).items():
            more += [f"{flag}={rate}" for flag in self._one("max", name)]
        if no_worse:
            more += [*self._one("no-worse", *no_worse), f"--margin={margin}"]
        more += self._one("block", block)
        if strict:
            more.append("--strict")
        return self._result("gate", [reference, new, *filter(None, [baseline])], more, rows)

    def _reading(
        self,
        metrics: Sequence[str] | None,
        by: Sequence[str] | None,
        normalize: Sequence[str] | None,
        forgive: Sequence[str] | None,
        lang: str,
    ) -> list[str]:
        """Return the arguments of the options that several commands share."""
        named = {"metrics": metrics, "by": by, "normalize": normalize, "forgive": forgive}
        options = [self._one(name, *(values or ())) for name, values in named.items()]
        return [word for words in (*options, self._one("lang", lang)) for word in words]

    def _one(self, option: str, *values: str) -> list[str]:
        """Return an option with its values for the command line; nothing without values."""
        given = [value for value in values if value]
        with told():
            return [f"--{option}={listed(option, given)}"] if given else []

    def _result(
        self, command: str, files: Sequence[str], more: Sequence[str], rows: int
    ) -> dict[str, Any]:
        """Run a command and return its verdict, its exit code, its notes and its tables."""
        with told():
            paths = [str(inside(self.folder, name)) for name in files]
        with TemporaryDirectory(prefix="misword-mcp-") as empty:
            out = [f"--out={empty}/result"] if command in {"score", "compare", "check"} else []
            words = [sys.executable, "-m", "misword", command, *more, *out, "--format=json", "--"]
            try:
                done = subprocess.run(
                    [*words, *paths],
                    cwd=empty,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    encoding="utf-8",
                    errors="replace",
                    timeout=self.timeout,
                    env={**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"},
                )
            except subprocess.TimeoutExpired:
                raise tool_error(
                    {"kind": "timeout", "message": f"ended after {self.timeout} s",
                     "hint": "give fewer texts, or start the server with --timeout"}
                ) from None  # fmt: skip
            if done.returncode not in (0, 1):
                raise tool_error(self._last_object(done.stderr, done.returncode))
            data = json.loads(done.stdout)
            verdict = data.get("line") or self._headline(command, data, Path(empty) / "result")
        return {
            "verdict": verdict,
            **({"passed": data["passed"]} if "passed" in data else {}),
            "exit_code": done.returncode,
            "notes": [self._shown(line.removeprefix("note: "))
                      for line in done.stderr.splitlines() if line.startswith("note: ")],
            "schema": f"misword schema {command}",
            **shortened_tables(data, min(max(rows, 1), MOST_ROWS)),
        }  # fmt: skip

    def _headline(self, command: str, data: Mapping[str, Any], result: Path) -> str:
        """Return the main finding in one sentence."""
        if command == "align":
            wrong = sum(
                any(step["kind"] != "hit" for step in pair["steps"]) for pair in data["pairs"]
            )
            return f"{wrong} of the {len(data['pairs'])} utterances shown have errors"
        if command == "check":
            found = len(data["findings"])
            return "nothing was found" if not found else f"{found} kinds of mistakes may be there"
        from misword.io.results import read_result
        from misword.stat.descriptions import describe

        written = read_result(result)
        return describe(written.kind).headline(written)

    def _last_object(self, printed: str, code: int) -> dict[str, Any]:
        """Return the error that a command printed."""
        try:
            found: dict[str, Any] = json.loads(printed.splitlines()[-1])
        except (ValueError, IndexError):  # the process was ended from outside
            return {"kind": "bug", "message": f"the command ended with exit code {code}"}
        return {name: self._shown(text) if isinstance(text, str) else text
                for name, text in found.items()}  # fmt: skip

    def _shown(self, text: str) -> str:
        """Return a text with paths as the agent names them: relative to the served folder."""
        return text.replace(f"{self.folder}{os.sep}", "")


def shortened_tables(data: Mapping[str, Any], rows: int) -> dict[str, Any]:
    """Return facts and tables with at most so many rows, and how many rows were left out.

    >>> shortened_tables({"rows": [{"rate": 1}, {"rate": 2}], "seed": 0}, 1)
    {'facts': {'seed': 0}, 'tables': {'rows': [{'rate': 1}]}, 'left_out': {'rows': 1}}
    """
    tables = {name: value for name, value in data.items() if _is_table(value)}
    return {
        "facts": {name: value for name, value in data.items() if name not in tables},
        "tables": {name: value[:rows] for name, value in tables.items()},
        "left_out": {name: len(v) - rows for name, v in tables.items() if len(v) > rows},
    }


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, dict) for row in value)


@contextmanager
def told() -> Iterator[None]:
    """Return a context within which a wrong argument is an error that the agent is told."""
    try:
        yield
    except MiswordError as error:
        raise tool_error(
            {"kind": "option", "message": error.what, "where": error.where, "hint": error.fix}
        ) from None


def tool_error(facts: Mapping[str, Any]) -> Exception:
    """Return the error of a tool whose message is a JSON object, as with `--format json`."""
    from mcp.server.mcpserver.exceptions import ToolError

    return ToolError(json.dumps(facts, ensure_ascii=False))
