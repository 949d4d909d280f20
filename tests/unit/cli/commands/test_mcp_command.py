"""The server of tools for agents: a session with the client of the package `mcp`; its limits."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import misword
from misword.cli.commands.programs.mcp import Tools, inside, listed, served_folder
from misword.cli.main import main
from misword.core.errors import InputError, OptionError

if TYPE_CHECKING:
    from mcp import Client
else:
    Client = pytest.importorskip("mcp").Client

SOURCE = str(Path(misword.__file__).parents[1])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A served folder, with links that lead out of it and within it."""
    served = tmp_path / "served"
    (served / "calls").mkdir(parents=True)
    (served / "ref.csv").write_text(
        "utt,text,speaker\n1,the cat sat on the mat,a\n2,do not give fifteen,b\n3,it rains,b\n"
    )
    (served / "old.csv").write_text("utt,text\n1,the cat sat on a mat\n2,do give fifty\n3,trains\n")
    (served / "new.csv").write_text(
        "utt,text\n1,the cat sat on the mat\n2,do not give fifteen\n3,it rain\n"
    )
    (tmp_path / "secret.txt").write_text("a secret\n")
    (tmp_path / "served-too").mkdir()
    (tmp_path / "served-too" / "x.txt").write_text("a secret\n")
    (served / "link.txt").symlink_to(tmp_path / "secret.txt")
    (served / "within.csv").symlink_to("ref.csv")
    (served / "loop").symlink_to("loop")
    (served / "calls" / "one.txt").symlink_to(tmp_path / "secret.txt")
    return served


def session(folder: Path, ask: Callable[[Client], Awaitable[None]]) -> None:
    """Start the server as a client of it does, and ask it."""

    async def talk() -> None:
        path = os.pathsep.join(filter(None, [SOURCE, os.environ.get("PYTHONPATH")]))
        from mcp import StdioServerParameters

        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "misword", "mcp", str(folder)],
            env={"PYTHONPATH": path},
        )
        async with Client(server) as client:
            await ask(client)

    # Tests with a browser leave an event loop running in the main thread.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: asyncio.run(talk())).result()


async def result_of(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return the content of the answer of a tool."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    found: dict[str, Any] = answer.structured_content
    return found


async def refusal_of(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return the error that a tool answers with."""
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error
    text = answer.content[0].text  # type: ignore[union-attr]
    found: dict[str, Any] = json.loads(text[text.index("{") :])
    return found


def test_a_session_of_a_client(folder: Path) -> None:
    async def ask(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools.keys() == {"score", "compare", "align", "check", "gate"}
        for tool in tools.values():
            assert tool.description
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint
        files = {"reference": "ref.csv", "hypotheses": ["old.csv", "new.csv"]}

        found = await result_of(client, "score", **files, metrics=["wer"], rows=1)
        assert found["exit_code"] == 0
        assert "new" in found["verdict"]
        assert found["tables"]["rows"][0]["rate"] == 5 / 12
        assert len(found["tables"]["rows"]) == found["left_out"]["rows"] == 1
        assert found["facts"]["signatures"]["wer"].startswith("wer|")

        found = await result_of(client, "compare", **files, metrics=["wer"], by=["speaker"])
        assert "new and old cannot be told apart" in found["verdict"]
        assert found["tables"]["differences"][0]["relative"] == -0.8

        found = await result_of(
            client, "align", reference="within.csv", hypothesis="old.csv", severity=True
        )
        assert found["verdict"] == "3 of the 3 utterances shown have errors"
        labels = {row["reference"]: row["label"] for row in found["tables"]["errors"]}
        assert (labels["not"], labels["fifteen"]) == ("negation", "number")

        found = await result_of(client, "check", **files)
        assert found["facts"]["sound"] in (True, False)
        assert "findings" in found["tables"]

        gated = {"reference": "ref.csv", "new": "new.csv"}
        found = await result_of(client, "gate", **gated, max_rates={"wer": 0.5})
        assert (found["passed"], found["exit_code"]) == (True, 0)
        found = await result_of(
            client, "gate", **gated, baseline="old.csv", max_rates={"wer": 0.01}, no_worse=["wer"]
        )
        assert (found["passed"], found["exit_code"]) == (False, 1)
        assert found["verdict"].startswith("gate failed")

        for name in ("../secret.txt", "link.txt", "calls", str(folder.parent / "secret.txt")):
            found = await refusal_of(client, "score", reference=name, hypotheses=["old.csv"])
            assert found["message"] == "this path is not in the served folder"
            assert "secret" not in json.dumps({**found, "where": ""})
        found = await refusal_of(client, "score", reference="ref.csv", hypotheses=["nosuch.csv"])
        assert found["message"] == "this path is not in the served folder"
        found = await refusal_of(client, "score", **files, metrics=["wre"])
        assert found["kind"] == "option"
        assert "wer" in found["hint"]
        # The server goes on after errors.
        assert (await result_of(client, "score", **files))["exit_code"] == 0

    session(folder, ask)


@pytest.mark.parametrize(
    "name",
    ["..", "../secret.txt", "calls/../../secret.txt", "../served-too/x.txt", "link.txt", "loop",
     "calls", "calls/one.txt", "nosuch.txt", "-", "--help", "a\0b", "file:///etc/passwd",
     "s3://bucket/ref.csv", "/etc/passwd", "~/x", "*.csv"],
)  # fmt: skip
def test_paths_that_lead_out_are_refused(folder: Path, name: str) -> None:
    with pytest.raises(OptionError, match="not in the served folder"):
        inside(served_folder(str(folder)), name)


def test_paths_within_are_real_paths(folder: Path) -> None:
    served = served_folder(str(folder))
    assert inside(served, "ref.csv") == served / "ref.csv"
    assert inside(served, "within.csv") == served / "ref.csv"
    assert inside(served, str(served / "old.csv")) == served / "old.csv"
    (folder / "calls" / "one.txt").unlink()
    assert inside(served, "calls") == served / "calls"
    linked = folder.parent / "linked"
    linked.symlink_to(folder)
    assert served_folder(str(linked)) == served


def test_the_served_folder_must_be_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in (str(folder / "ref.csv"), str(folder / "nosuch")):
        with pytest.raises(InputError):
            served_folder(name)
        assert main(["mcp", name]) == 2
    capsys.readouterr()


def test_lists_name_no_files_and_no_options() -> None:
    assert (
        listed("metrics", ["wer", "cer:spaces=false", "semdist"]) == "wer,cer:spaces=false,semdist"
    )
    for value in ("blend:file=x.json", "wer:file=x", "a/b", "a\\b", "../a", "--out", "wer --out x",
                  "semdist:encoder=sif", "a\nb", "", "rescored:lm=x"):  # fmt: skip
        with pytest.raises(OptionError):
            listed("metrics", [value])


def test_a_call_that_takes_too_long_is_ended(folder: Path) -> None:
    from mcp.server.mcpserver.exceptions import ToolError

    with pytest.raises(ToolError, match="timeout"):
        Tools(folder, 0).score("ref.csv", ["old.csv"])
