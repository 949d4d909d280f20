"""The law of schemas: what commands print as JSON and write to result folders is as declared.

Each command runs with each of its options. The schemas that `misword schema` prints allow further
keys, so that a new version may add some; here they allow none that is not declared.
"""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from contract.test_option_effects import RUNS, VALUES, usual_run, value_of, write_inputs
from misword.cli.commands import COMMANDS, options_of
from misword.cli.commands.programs.schema import OUTPUTS, schema, schemas
from misword.cli.main import main
from misword.cli.printing import json_text
from misword.stat.descriptions import DESCRIPTIONS, describe
from misword.stat.descriptions.schemas import VERSION, declared_columns

jsonschema = pytest.importorskip("jsonschema")

FOLDER = "out/of-schema"
# Commands whose JSON goes beside data on standard output, or that print none.
WITHOUT_JSON = {"report", "completion", "demo", "mcp"}
# Runs beside those that try options.
FURTHER = {
    "agree": ["ratings.csv --metrics wer,cer --bootstrap 9"],
    "fit": ["labels.csv --severity --lang en -o out/levels.json"],
    "score": [
        "words.stm words.ctm --confidences --bootstrap 9",
        "ref.csv hyp.csv other.csv --bootstrap 9 --metrics mer,wil,loops --by speaker",
    ],
    "compare": ["ref.csv hyp.csv other.csv third.csv --severity --by speaker --bootstrap 9"],
}
RATED = [
    f"{item},{system},{rater},{(len(item) + len(system) + len(rater)) % 5},{text},{text} {system}"
    for item, text in (("one", "the cat sat"), ("two", "so we go"), ("three", "on the mat"))
    for system in ("x", "yy", "zzzz")
    for rater in ("ann", "robert")
]
LABELLED = [
    f"do not give {number},do {('not give', 'give')[at % 2]} {number},{at % 2 * (1 + at % 3 // 2)}"
    for at, number in enumerate(["five", "ten", "two", "six", "nine"] * 6)
]


def closed(value: Any) -> Any:
    """Return a schema that allows only declared keys."""
    if isinstance(value, list):
        return [closed(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    found = {key: closed(inner) for key, inner in value.items()}
    if isinstance(found.get("properties"), dict) and "required" in found:
        found.setdefault("additionalProperties", False)
    return found


def faults(name: str, value: Any, *, further: bool = False) -> list[str]:
    """Return what is wrong with a value, by a schema that allows further keys or none."""
    known = schema(name)
    validator = jsonschema.Draft202012Validator(known if further else closed(known))
    errors = [
        one for error in validator.iter_errors(value) for one in (error, *(error.context or ()))
    ]
    return [f"{name}: {'.'.join(map(str, e.absolute_path))}: {e.message[:300]}" for e in errors]


def folder_faults(folder: Path) -> list[str]:
    """Return what is wrong with the files of a result folder."""
    index = json.loads((folder / "result.json").read_text("utf-8"))
    name = f"result/{index['kind']}"
    found = faults(name, index) + faults("result", index, further=True)
    rows = closed(schema(name)["$defs"])
    for table in index["order"]:
        if table not in rows:
            found.append(f"{name}: {table} is not declared in columns.json")
            continue
        frame = pl.read_parquet(folder / f"{table}.parquet").head(50)
        data = json.loads(json_text(frame.fill_nan(None).to_dicts()))
        for error in jsonschema.Draft202012Validator(
            {"type": "array", "items": rows[table]}
        ).iter_errors(data):
            found.append(f"{name}: {table}.parquet: {error.message[:300]}")
    return found


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that all commands read."""
    folder = tmp_path_factory.mktemp("inputs")
    write_inputs(folder)
    header = "item,system,rater,rating,reference,hypothesis"
    (folder / "ratings.csv").write_text("\n".join([header, *RATED, ""]), "utf-8")
    header = "reference,hypothesis,label"
    (folder / "labels.csv").write_text("\n".join([header, *LABELLED, ""]), "utf-8")
    return folder


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in WITHOUT_JSON])
def test_what_is_printed_and_written_is_as_declared(
    command: str,
    inputs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "desk"
    shutil.copytree(inputs, folder)
    monkeypatch.chdir(folder)
    known = options_of(command)
    tried = [RUNS[command], *FURTHER.get(command, ())]
    for name, option in known.items():
        if not option.positional and name in VALUES and name not in {"format", "out", "force"}:
            flag = option.flags_of(name)[-1]
            tried.append(f"{usual_run(command, name)} {flag} {value_of(command, name)}")
    found: list[str] = []
    printed = []
    for words in tried:
        shutil.rmtree("out", ignore_errors=True)
        Path("out").mkdir()
        folders = {"out", "force"} <= known.keys() and "--out" not in words
        more = f"--out {FOLDER}" if folders else ""
        capsys.readouterr()
        try:
            code = main([command, *shlex.split(words), "-q", "--format", "json", *more.split()])
        except SystemExit as end:
            code = int(str(end.code))
        out, err = capsys.readouterr()
        if code in (0, 1):
            printed.append(words)
            # `translate -o` writes its rows to a file, and prints nothing.
            wrong = faults(command, json.loads(out)) if out or command != "translate" else []
            if (Path(FOLDER) / "result.json").exists():
                wrong += folder_faults(Path(FOLDER))
        else:
            assert code == 2, err
            wrong = faults("error", json.loads(err.splitlines()[-1]))
        found += [f"{words}: {fault}" for fault in wrong]
    assert {RUNS[command], *FURTHER.get(command, ())} <= {*printed}
    listed = "\n".join(dict.fromkeys(found))
    assert not found, f"python tools/declare_columns.py declares new columns\n{listed}"


def test_there_is_a_schema_of_every_output() -> None:
    with_format = {name for name in COMMANDS if "format" in options_of(name)}
    assert with_format == OUTPUTS.keys()
    assert COMMANDS.keys() - with_format == WITHOUT_JSON
    assert declared_columns().keys() == DESCRIPTIONS.keys()
    for name in schemas():
        found = schema(name)
        jsonschema.Draft202012Validator.check_schema(found)
        assert found["$id"] == f"https://misword.readthedocs.io/schemas/{VERSION}/{name}.json"


@pytest.mark.parametrize("kind", DESCRIPTIONS)
def test_the_tables_of_a_description_are_declared(kind: str) -> None:
    tables = {name.removesuffix("?") for name in declared_columns()[kind]["tables"]}
    assert {*describe(kind).data.values()} <= tables


def test_an_undeclared_column_is_a_fault() -> None:
    row = {"system": "a", "metric": "wer", "rate": 0.1, "low": 0, "high": 1, "reference": 9,
           "utterances": 1}  # fmt: skip
    facts = {"misword": "1", "signatures": {}, "bootstrap": 9, "confidence": 0.95, "seed": 0,
             "intervals": "x"}  # fmt: skip
    assert not faults("score", {**facts, "rows": [row]})
    assert faults("score", {**facts, "rows": [row | {"rate": "0.1"}]})
    assert faults("score", {**facts, "rows": [row], "row": []})
    assert faults("gate", {**facts, "conditions": [{"metric": "wer"}]})


def test_the_site_has_the_schemas_at_their_addresses(tmp_path: Path) -> None:
    from make_site import write_schemas

    write_schemas(tmp_path)
    found = json.loads((tmp_path / "schemas" / VERSION / "result" / "scores.json").read_text())
    assert found["$id"] == f"https://misword.readthedocs.io/schemas/{VERSION}/result/scores.json"
    assert len(list(tmp_path.rglob("*.json"))) == len(schemas())
