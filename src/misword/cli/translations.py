"""The options on translations of chosen hypotheses, for the commands that judge by them."""

from __future__ import annotations

import argparse
import os
from typing import Any

from misword.asr.options import Translating
from misword.cli.inputs import Inputs
from misword.core.errors import OptionError
from misword.core.formatting import counted
from misword.core.options import chosen
from misword.io.options import Reading, column_name
from misword.io.transcripts.files import TranslatedLists


def translation_arguments(options: argparse.Namespace, inputs: Inputs) -> dict[str, Any]:
    """Return the arguments of `misword.oracle` on translations that the options name."""
    translations: Any = None
    if options.translations:
        if options.translation_references is None:
            raise OptionError(
                "translations need references", fix="name them: --translation-references FILE"
            )
        files = [name for name in options.translations if os.path.exists(name)]
        if not files and len(options.translations) == 1:
            translations = column_name(options.translations[0])
        else:
            _check_files(options, files)
            lists = options.hypotheses or [options.reference]
            source = TranslatedLists(options.reference, lists, files, chosen(options, Reading))
            translations = inputs.noted(source)
    elif options.translate is not None and options.translation_references is None:
        raise OptionError(
            "the translations need references", fix="name them: --translation-references FILE"
        )
    return {
        **chosen(options, Translating),
        "translations": translations,
        "translation_references": _references(options),
    }


def _check_files(options: argparse.Namespace, files: list[str]) -> None:
    wanted = options.hypotheses or [options.reference]
    if len(files) < len(options.translations):
        missing = next(name for name in options.translations if name not in files)
        raise OptionError(
            f"there is no file {missing!r}", fix="name files, or one column of the lists"
        )
    if len(files) != len(wanted):
        raise OptionError(
            f"{counted(len(files), 'file')} of translations for {counted(len(wanted), 'system')}",
            fix="name one for each HYP, in their order",
        )


def _references(options: argparse.Namespace) -> Any:
    """Return the name of a column, or a function that reads a file."""
    path = options.translation_references
    if path is None or not os.path.exists(path):
        return None if path is None else column_name(path)

    def read() -> Any:
        from misword.io.transcripts.read import read_transcript

        found = read_transcript(path, role="reference", encoding=options.encoding)
        return found.frame.select("utt", "text") if found.has_ids else found.frame["text"]

    return read
