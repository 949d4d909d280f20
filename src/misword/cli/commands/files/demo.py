"""Run misword on the corpus that is part of it: real recognisers on synthesised speech.

The corpus has about 200 English and 100 French sentences. Speech synthesisers spoke them, some with
added noise, and two systems for each language transcribed them. Nothing is downloaded.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, TypedDict

from misword.cli.main import main
from misword.cli.printing import print_text
from misword.core.errors import OptionError
from misword.core.options import Option
from misword.io.files.path_errors import output_status
from misword.io.files.writing import fresh_folder

EXAMPLES = """\
examples:
  misword demo
  misword demo --copy my-demo && misword score my-demo/en/ref.csv my-demo/en/whisper-tiny.csv
"""

TOUR = (
    (
        "Word and character error rates of two English recognisers, by the noise in the speech.",
        "score en/ref.csv en/whisper-tiny.csv en/pocketsphinx.csv --by noise --metrics wer,cer",
    ),
    (
        "Phoneme error rates: with unit costs, and with costs by articulatory features.",
        "score en/ref.csv en/whisper-tiny.csv en/pocketsphinx.csv --lang en "
        "--metrics wer,per,per:cost=features",
    ),
    (
        "One French model with two settings: beam search and greedy decoding.",
        "score fr/ref.csv fr/whisper-base-beam.csv fr/whisper-base-greedy.csv",
    ),
    (
        "The errors word by word, and the most frequent confusions.",
        "align en/ref.csv en/whisper-tiny.csv --errors-only --limit 3 --confusions 8",
    ),
    (
        "An error model learnt from half of the sentences: how many bits it needs for the errors "
        "of the other half.",
        "realism en/ref.csv en/pocketsphinx.csv --channels uniform,confusion --bootstrap 200",
    ),
)


class Copy(TypedDict, total=False):
    """The copy of the corpus."""

    copy: Annotated[
        str | None,
        Option("copy the corpus to a new folder, and do nothing else", metavar="DIR", common=True),
    ]


OPTIONS = (Copy,)


def run(options: argparse.Namespace) -> None:
    """Run the commands of the tour, or copy the corpus."""
    with as_file(files("misword") / "demo") as corpus:
        if options.copy:
            _copy(corpus, Path(options.copy))
            return
        for about, command in TOUR:
            print_text(f"\n{about}\n$ misword {command}")
            main([*_located(command, corpus), "--format", "table"])
    print_text("Your own files: misword score ref.txt hyp.txt    More: misword --help")


def _located(command: str, corpus: Path) -> list[str]:
    """Return the words of a command, with file names as paths in the corpus."""
    words = shlex.split(command)
    return [str(corpus / word) if word.endswith(".csv") else word for word in words]


def _copy(corpus: Path, folder: Path) -> None:
    if output_status(folder) is not None:
        raise OptionError(f"{folder} exists already", fix="name a new folder")
    with fresh_folder(folder) as fresh:
        shutil.copytree(corpus, fresh, dirs_exist_ok=True)
    print_text(f"copied to {folder}: see {folder / 'README.md'}")
