"""The commands of `misword`, by the question that they answer, and the options of each.

A module of a command has `OPTIONS` (families of declared options), `EXAMPLES`, and `run`. It may
have `NEEDS` and `IGNORED`, for options of a shared family: what they need to have an effect in this
command, or why they have none (`needs` and `ignored` of an `Option`).
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

from misword.core.lazy import short_waits
from misword.core.options import Option, declared

# The commands by the question that they answer. A group has a title and the folder of its modules.
GROUPS: dict[tuple[str, str], dict[str, str]] = {
    ("score and compare", "scoring"): {
        "score": "error rates of hypotheses, with confidence intervals",
        "compare": "compare systems: differences, significance tests, where they differ",
        "gate": "check conditions on error rates, for CI: exit code 1 if one fails",
        "bench": "many test sets and systems: averages, ranks with ties, costs, history",
        "align": "alignments word by word, and the most frequent confusions",
        "correlate": "correlations of metrics with each other and with translation scores",
        "segment": "cut long texts at the segments of references, and score translations",
    },
    ("N-best lists and several systems", "nbest"): {
        "oracle": "the best hypotheses of N-best lists by each metric, and their error rates",
        "rescore": "log-probabilities of language models for the hypotheses of N-best lists",
        "tune": "weights of N-best lists, or one of several systems, with the lowest rate",
        "mbr": "the hypotheses of N-best lists with the least expected errors",
        "combine": "combine the transcripts of several systems by a vote on each word",
    },
    ("what people prefer", "people"): {
        "agree": "how often metrics prefer the transcripts that people prefer",
        "fit": "learn a blend of metrics that chooses as people do",
    },
    ("noise like a recogniser's", "noise"): {
        "corrupt": "put errors like a recogniser's into a text, at a target word error rate",
        "learn-noise": "learn the errors of a recogniser, for `corrupt`",
        "realism": "how probable real errors of a recogniser are under noise channels",
        "robust": "how much recognition errors change the vectors of sentence encoders",
    },
    ("bilingual lexicons", "lexicons"): {
        "map": "map word vectors of two languages into one space",
        "translate": "translate words by a mapping: the nearest words of the other language",
        "evaluate": "hit rate, precision and recall of mappings on a gold lexicon",
        "audit": "what may be wrong with a gold lexicon: names, leaks, missing forms, ...",
        "build": "make a training lexicon and an evaluation set from dictionaries",
        "vectors": "inspect and convert word vectors, list nearest neighbours",
    },
    ("data and files", "files"): {
        "references": "doubt references: merge several, find suspects, correct them by verdicts",
        "check": "look for mistakes in the data: slipped lines, duplicates, wrong language, ...",
        "report": "write one HTML page from result folders",
        "verify": "check files that misword wrote: results, vectors, mappings, noise, the cache",
        "parts": "list metrics, views, analyzers, ...: options, requirements, installation",
        "completion": "print a script for the completion of commands by bash, zsh or fish",
        "demo": "run misword on a small corpus that is part of the package",
    },
    ("programs and agents", "programs"): {
        "schema": "JSON Schemas of the outputs of all commands, of result folders, of errors",
        "mcp": "serve score, compare, align, check and gate to agents (MCP, over stdio)",
    },
}
COMMANDS = {name: about for group in GROUPS.values() for name, about in group.items()}
FOLDERS = {name: folder for (_, folder), group in GROUPS.items() for name in group}


def module_of(command: str) -> Any:
    """Import and return the module of a command."""
    with short_waits():
        module = f"{FOLDERS[command]}.{command.replace('-', '_')}"
        return import_module(f"misword.cli.commands.{module}")


def options_of(command: str) -> dict[str, Option]:
    """Return the options of a command by name.

    >>> options_of("score")["metrics"].metavar
    'LIST'
    """
    module = module_of(command)
    options = declared(*module.OPTIONS)
    for name, needs in getattr(module, "NEEDS", {}).items():
        options = {**options, name: replace(options[name], needs=needs)}
    for name, reason in getattr(module, "IGNORED", {}).items():
        options = {**options, name: replace(options[name], ignored=reason)}
    return options
