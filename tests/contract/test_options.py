"""Laws of options: those of a command are arguments of its Python functions, by the same name."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable
from typing import Any

import pytest

import misword
from misword.cli.command_line import ALL, EXAMPLES_SHOWN, help_of, parser_of
from misword.cli.commands import COMMANDS, module_of, options_of
from misword.cli.main import main
from misword.cli.options import Audio, General, Output
from misword.core.options import Option, declared
from misword.report import write_report

# The functions of a command, whose arguments are its options.
FUNCTIONS: dict[str, tuple[Callable[..., Any], ...]] = {
    "score": (misword.score, misword.read_corpus, misword.Scores.result, misword.shards),
    "compare": (misword.compare, misword.read_corpus, misword.shards),
    "bench": (misword.bench, misword.read_corpus),
    "gate": (misword.gate, misword.read_corpus),
    "segment": (misword.segment, misword.read_corpus),
    "align": (misword.align, misword.read_corpus),
    "correlate": (misword.correlate, misword.read_corpus),
    "oracle": (misword.oracle, misword.read_corpus, misword.shards),
    "rescore": (misword.rescore,),
    "tune": (misword.tune, misword.read_corpus),
    "mbr": (misword.mbr, misword.read_corpus),
    "combine": (misword.combine, misword.read_corpus),
    "agree": (misword.agree,),
    "fit": (misword.fit,),
    "references": (misword.references, misword.read_corpus),
    "check": (misword.check,),
    "report": (write_report,),
    "corrupt": (misword.corrupt_file, misword.shards),
    "learn-noise": (misword.learn_noise, misword.read_corpus),
    "realism": (misword.realism, misword.read_corpus),
    "robust": (misword.robust, misword.task_robustness),
    "map": (misword.map_vectors,),
    "translate": (misword.translate, misword.draft_lexicon),
    "evaluate": (misword.evaluate, misword.read_lexicon),
    "audit": (misword.audit, misword.Audit.compare_systems, misword.read_lexicon),
    "build": (misword.build,),
    "vectors": (
        misword.WordVectors.open,
        misword.WordVectors.neighbors,
        misword.train_vectors,
    ),
}
OF_THE_PROGRAM = dict.fromkeys(
    declared(General, Output, Audio),
    "what the program prints and writes; a result in Python has methods for it",
)
FILES = "a file to write; a result in Python has the texts as a table"
READ = "how a file is read; the function takes tables, or files in their usual form"
# Options that are no arguments, with the reason.
EXCEPTIONS: dict[str, dict[str, str]] = {
    "score": {
        "confidences": "one more table is printed; `Scores.confidences` has it",
        "ranks": "which rows of N-best lists are read; in Python, a filter of the corpus",
        **dict.fromkeys(
            ("judge", "judge_model", "judge_context"),
            "another function: `judged_tables` of `misword.asr.severity.judge`",
        ),
    },
    "compare": {"brief": "which tables are printed"},
    "bench": {
        "brief": "which tables are printed",
        "set_pages": "pages to write: the hook `each` gets the scores of each set",
    },
    "gate": {"junit": "a file for CI"},
    "align": dict.fromkeys(
        ("errors_only", "limit", "confusions", "forgiven", "severity"), "how much is printed"
    ),
    "correlate": {
        "coefficient": "which coefficient is printed; the result has all",
        "translation_format": READ,
    },
    "segment": {"output": FILES},
    "oracle": {"output": FILES},
    "rescore": {
        "output": FILES,
        "references": READ,
        **dict.fromkeys(("input_format", "encoding", "id_column", "hypothesis_column"), READ),
    },
    "tune": {
        "output": FILES,
        "write_weights": FILES,
        "apply": "a run without tuning: `ListWeights.choose`",
        "systems": "another function: `misword.tune_systems`",
    },
    "mbr": {"output": FILES},
    "combine": {"output": FILES},
    "fit": {
        "output": "a file to write: `Fit.save`",
        **dict.fromkeys(
            ("severity", "block", "context"),
            "another function: `fit_severity` of `misword.asr.severity.fit`",
        ),
    },
    "check": {
        "strict": "the exit code",
        **dict.fromkeys(
            (
                *("input_format", "hypothesis_format", "encoding", "id_column"),
                *("reference_column", "hypothesis_column"),
            ),
            READ,
        ),
    },
    "references": {
        "output": "a file to write: `References.write_suspects`, `References.merged_table`",
        "corrected": "a file to write: `misword.io.transcripts.corrections.write_corrected`",
    },
    "report": {"output": "the argument `path`"},
    "corrupt": {
        "labels": "a file to write: the labels of `misword.score` of the result's `corpus`",
        "critical": "`wanted`, with a function of one's own that says which texts are critical",
        "critical_terms": "an option of `misword.score`",
    },
    "learn-noise": {"output": "a file to write: `LearntNoise.to_json`", "top": "printed rows"},
    "map": {
        "vectors": "`source` in Python; a mapping may stand in its place",
        "other": "`target` in Python",
        "export_source": "a file to write: `Mapping.mapped`",
        "export_target": "a file to write: `Mapping.mapped`",
    },
    "translate": {
        "word_list": "`words` in Python",
        "all": "`words=None` in Python",
        "output": "a file to write: `Translations.table`",
        "draft": "another function: `misword.draft_lexicon`",
        "dictionary": "a method: `Draft.write_dictionary`",
        "accepted": "a file to write: `Draft.write_accepted`",
    },
    "evaluate": {"further_gold": "a dictionary of lexicons", "truncate": "printed digits"},
    "audit": {
        "output": "a file to write: `Audit.write_clean`",
        "predictions": "`systems` of `Audit.compare_systems`",
    },
}
# Options with another default than the argument, with the reason.
OTHER_DEFAULTS = {
    ("score", "engine"): "without an engine, the texts are no shards",
    ("compare", "engine"): "without an engine, the texts are no shards",
    ("oracle", "engine"): "without an engine, the texts are no shards",
    ("corrupt", "engine"): "without an engine, the text is one file",
    ("robust", "task"): "without a task, encoders are studied",
    ("build", "output"): "the command writes the set; in Python it is the result",
    ("translate", "k"): "10, in drafts 5",
    ("map", "source"): "the languages of a mapping, not of the training",
    ("map", "target"): "the languages of a mapping, not of the training",
}
# Options whose values have another form in some command, with the reason.
OTHER_FORMS = {
    "costs": "bench reads a table of costs of systems",
    "systems": "tune chooses one of them; bench and references name them",
    "format": "gate prints one line, which has no table",
    "block": "correlate also takes blocks of N utterances",
    "translations": "of N-best lists, they may be a column",
    "translation_references": "of N-best lists, they may be a column",
    "output": "build writes several files to a folder",
    "judge": "a judge of errors for score; a file to write for build",
    "k": "evaluate and audit take several numbers of candidates",
    "retriever": "evaluate compares several",
    "max_words": "evaluate takes one for each mapping",
    "method": "combine has three votes, map has parts",
    "channel": "learn-noise has those that learn",
}
# Commands about misword itself, which no function stands for.
WITHOUT_FUNCTION = ("verify", "parts", "completion", "demo", "schema", "mcp")


def arguments_of(command: str) -> dict[str, list[Any]]:
    """Return the defaults of the arguments of the functions of a command, by name."""
    found: dict[str, list[Any]] = {}
    for function in FUNCTIONS[command]:
        for name, parameter in inspect.signature(function).parameters.items():
            found.setdefault(name, []).append(parameter.default)
    return found


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in WITHOUT_FUNCTION])
def test_options_are_arguments_with_the_same_default(command: str) -> None:
    arguments, without = arguments_of(command), {**OF_THE_PROGRAM, **EXCEPTIONS.get(command, {})}
    for name, option in options_of(command).items():
        if name in without or option.positional:
            continue
        assert name in arguments, f"{command} --{name}"
        usual = inspect.Parameter.empty if option.required else option.default
        same = [found == usual or not (found or usual) for found in arguments[name]]
        assert any(same) != ((command, name) in OTHER_DEFAULTS), f"{command} --{name}"


def test_exceptions_are_needed() -> None:
    for command, reasons in EXCEPTIONS.items():
        assert reasons.keys() <= options_of(command).keys(), command
        assert all(reasons.values())
    for command, name in OTHER_DEFAULTS:
        assert name in options_of(command), command


def test_unknown_options_are_refused() -> None:
    """With the name of the function, which is called without its other arguments."""
    functions = {function for several in FUNCTIONS.values() for function in several}
    plain = {write_report, misword.Scores.result, misword.shards, *FUNCTIONS["vectors"]}
    for function in functions - plain:
        with pytest.raises(TypeError, match=rf"{function.__name__}\(\) has no option 'nosuch'"):
            function(nosuch=1)


def test_one_name_has_one_form_in_all_commands() -> None:
    forms: dict[str, set[Any]] = {}
    for command in COMMANDS:
        for name, option in options_of(command).items():
            form = (option.metavar, option.choices, isinstance(option.default, bool))
            if not option.positional:
                forms.setdefault(name, set()).add(form)
    assert {name for name, found in forms.items() if len(found) > 1} == OTHER_FORMS.keys()


@pytest.mark.parametrize("command", COMMANDS)
def test_the_short_help_fits_on_a_page(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It has examples, the options that most people need, and says how to see the others."""
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help"])
    short = capsys.readouterr().out
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help", ALL])
    full = capsys.readouterr().out
    known = {name: o for name, o in options_of(command).items() if not o.positional}
    shown = [name for name, option in known.items() if option.common or option.required]
    assert len(shown) <= 18
    examples = short.partition("examples:")[2].partition("\n\n")[0]
    known_examples = module_of(command).EXAMPLES.count("\n  misword ")
    assert examples.count("\n  misword ") == min(EXAMPLES_SHOWN, known_examples)
    assert f"`misword {command} --help all`" in short
    for name, option in known.items():
        flag = max(option.flags_of(name)[:2], key=len) if option.flags else option.flags_of(name)[0]
        assert flag in full
        listed = re.search(rf"^  (-.*, )?{flag}(?![\w-])", short, re.MULTILINE)
        assert bool(listed) == (name in shown), flag


def former_names() -> list[tuple[str, str, str]]:
    found = []
    for command in COMMANDS:
        known = options_of(command)
        for name, option in known.items():
            if option.was and option.was not in known and not option.positional:
                old = f"--{option.was.replace('_', '-')}"
                found.append((command, old, option.flags_of(name)[-1]))
    return found


@pytest.mark.parametrize(("command", "old", "new"), former_names())
def test_a_former_name_is_an_error_that_says_the_new_one(
    command: str, old: str, new: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([command, "x", old, "y"])
    assert f"{old} is now {new}" in capsys.readouterr().err


def test_former_names_of_arguments() -> None:
    with pytest.raises(TypeError, match=r"read_corpus\(\): 'format' is now 'input_format'"):
        misword.read_corpus("a", "b", format="csv")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"mbr\(\): 'by' is now 'metric'"):
        misword.mbr([["a"]], by="wer")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"score\(\) has no option 'normalise'; did you mean"):
        misword.score(["a"], ["b"], normalise="nfc")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("call", "new"),
    [
        (lambda: misword.map_vectors("a", "b", out="c"), "'out' is now 'output'"),  # type: ignore[call-arg]
        (lambda: misword.build("a", "b", "c", "d", "e", audited=False), "is now 'audit'"),  # type: ignore[call-arg]
        (lambda: misword.read_lexicon("a", format="csv"), "'format' is now 'input_format'"),  # type: ignore[call-arg]
        (lambda: misword.robust("a", format="csv"), "'format' is now 'input_format'"),  # type: ignore[call-arg]
    ],
)
def test_former_names_of_arguments_of_lexicons(call: Callable[[], Any], new: str) -> None:
    with pytest.raises(TypeError, match=new):
        call()


def test_the_help_says_the_default_of_numbers() -> None:
    assert help_of(options_of("score")["bootstrap"]).endswith("(default 1000)")
    assert help_of(Option("a share", default=0.5)) == "a share (default 0.5)"


@pytest.mark.parametrize("spelling", ["WER,CER", "Wer, cer"])
def test_metrics_are_named_in_any_case(spelling: str) -> None:
    assert misword.score(["a b"], ["a c"], spelling).labels == ["wer", "cer"]


def test_values_of_the_command_line_are_those_of_python() -> None:
    words = "ref hyp --by speaker,noise --names a,b --metadata x --metadata y --no-alternatives"
    options = parser_of("score").parse_args(shlex.split(words))
    assert (options.by, options.names) == (["speaker", "noise"], ["a", "b"])
    assert (options.metadata, options.alternatives) == (["x", "y"], False)
