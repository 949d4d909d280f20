"""Options of the commands on noise and lexicons: each is an argument of a Python function.

It has the same name and the same default there. The options that only a command has are listed
with their reason.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import misword
from misword.cli.command_line import parser_of
from misword.cli.commands import options_of
from misword.cli.options import Output
from misword.core.options import declared
from misword.io.options import Reading

# The functions that a command calls.
FUNCTIONS: dict[str, tuple[Callable[..., Any], ...]] = {
    "corrupt": (misword.corrupt_file, misword.corrupt_shards),
    "learn-noise": (misword.learn_noise,),
    "realism": (misword.realism,),
    "robust": (misword.robust,),
    "map": (misword.map_vectors,),
    "translate": (misword.translate, misword.draft_lexicon),
    "evaluate": (misword.evaluate, misword.read_lexicon),
    "audit": (misword.audit, misword.Audit.compare_systems, misword.read_lexicon),
    "build": (misword.build,),
}
# What is printed and written besides, and how files of transcripts become a corpus.
ELSEWHERE = {*declared(Output), *declared(Reading), "reference", "hypotheses"}
ONLY_COMMANDS = {
    "corrupt": {"text": "the path, by position in Python"},
    "learn-noise": {"output": "LearntNoise.to_json", "top": "printed rows"},
    "map": {
        "vectors": "`source` in Python; a mapping may stand in its place",
        "other": "`target` in Python",
        "export_source": "Mapping.mapped",
        "export_target": "Mapping.mapped",
    },
    "translate": {
        "word_list": "`words` in Python",
        "all": "`words=None` in Python",
        "output": "Translations.table",
        "draft": "draft_lexicon",
        "accepted": "Draft.write_accepted",
    },
    "evaluate": {"further_gold": "a dictionary of lexicons", "truncate": "printed digits"},
    "audit": {"output": "Audit.write_clean", "predictions": "`systems` of compare_systems"},
}
OTHER_DEFAULTS = {
    ("corrupt", "engine"): "without an engine, the text is one file",
    ("map", "source"): "of a mapping, not of the training",
    ("map", "target"): "of a mapping, not of the training",
    ("translate", "k"): "10, in drafts 5",
    ("translate", "retriever"): "csls; drafts choose by the mapping",
    ("evaluate", "gold"): "the last file",
}


@pytest.mark.parametrize("command", FUNCTIONS)
def test_options_are_arguments(command: str) -> None:
    """With the same name, and the same default unless the option must be given."""
    parameters = [inspect.signature(function).parameters for function in FUNCTIONS[command]]
    aside = {*ELSEWHERE, *ONLY_COMMANDS.get(command, {})}
    for name, option in options_of(command).items():
        found = [own[name] for own in parameters if name in own]
        assert found or name in aside, f"{command}: no function has {name!r}"
        if option.required or (option.positional and option.default is None):
            continue
        if name not in aside and (command, name) not in OTHER_DEFAULTS:
            assert option.default in [argument.default for argument in found], (command, name)


@pytest.mark.parametrize("command", FUNCTIONS)
def test_exceptions_are_needed(command: str) -> None:
    known = options_of(command)
    listed = {*ONLY_COMMANDS.get(command, {}), *(n for c, n in OTHER_DEFAULTS if c == command)}
    assert listed <= set(known)


def test_unknown_options_are_refused() -> None:
    """With the name of the function, which is called without its other arguments."""
    for function in {function for several in FUNCTIONS.values() for function in several}:
        with pytest.raises(TypeError, match=rf"{function.__name__}\(\) has no option 'nosuch'"):
            function(nosuch=1)


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("corrupt t.txt --format csv --wer 0.1 --channel uniform -o n.txt", ""),
        ("realism ref.txt hyp.txt --channel uniform", "--channel is now --channels"),
        ("audit gold.txt --train train.txt", "--train is now --training"),
        ("learn-noise ref.txt hyp.txt --reference b.txt", "--reference is now --more-references"),
    ],
)
def test_former_names(line: str, new: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A former name is an error that says the new one; a name with its old meaning is none."""
    command, *words = line.split()
    if not new:
        parser_of(command).parse_args(words)
        return
    with pytest.raises(SystemExit):
        parser_of(command).parse_args(words)
    assert new in capsys.readouterr().err


@pytest.mark.parametrize(
    ("call", "new"),
    [
        (lambda: misword.map_vectors("a", "b", out="c"), "'out' is now 'output'"),  # type: ignore[call-arg]
        (lambda: misword.build("a", "b", "c", "d", "e", audited=False), "is now 'audit'"),  # type: ignore[call-arg]
        (lambda: misword.read_lexicon("a", format="csv"), "'format' is now 'input_format'"),  # type: ignore[call-arg]
        (lambda: misword.robust("a", format="csv"), "'format' is now 'input_format'"),  # type: ignore[call-arg]
    ],
)
def test_former_names_in_python(call: Callable[[], Any], new: str) -> None:
    with pytest.raises(TypeError, match=new):
        call()
