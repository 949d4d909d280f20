"""Presets: the options that reproduce the numbers of another tool.

A preset sets options of `misword.score`. The user cannot give an option that the preset sets,
except metrics, which are added to its own. Signatures contain these options. A preset that also
changes the rows (it leaves some out, or joins them) adds its name to the signatures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from misword.alignment.engine import Ties
from misword.core.context import Context
from misword.core.parts import Part, Settings
from misword.core.parts.registry import Registry
from misword.core.types import Corpus
from misword.text.normalizers import Steps, normalizers


class Preset(Part):
    """Options of `misword.score` that reproduce another tool; None where the preset sets nothing.

    `changes_rows` is true for a preset that defines one of the methods for rows.
    """

    __slots__ = ()

    family: ClassVar[str] = "scoring"
    changes_rows: ClassVar[bool] = False
    # The decimals of rates in percent to which the tool rounds each test set before it averages.
    average_digits: ClassVar[int | None] = None

    @property
    def normalize(self) -> Steps | None:
        """The normalizers, or their specs."""
        return None

    @property
    def metrics(self) -> str | None:
        """Specs of the metrics."""
        return None

    @property
    def alternatives(self) -> bool | None:
        """Whether `{ a / b }` in references are alternatives."""
        return None

    def check(self, context: Context) -> None:
        """Raise if a normalizer of the preset cannot be used for the language."""
        if self.normalize is not None:
            normalizers(self.normalize, context.lang)

    @property
    def forgive(self) -> str | None:
        """Specs of the families of differences of writing that are forgiven."""
        return None

    @property
    def ties(self) -> Ties:
        """The tie rule by whose costs readings and forgiven blocks are chosen."""
        return "misword"

    @property
    def spelled(self) -> str:
        """The name with all options, as a signature prints it."""
        options = ",".join(f"{name}={value}" for name, value in self.settings(Context()))
        return self.name + (f"[{options}]" if options else "")

    @property
    def signed(self) -> Settings:
        """The further entries of signatures: the tie rule of readings, the name of the preset."""
        readings = (("readings", self.ties),) if self.ties != "misword" else ()
        return *readings, *((("preset", self.spelled),) if self.changes_rows else ())

    def join(self, corpus: Corpus) -> tuple[Corpus, tuple[str, ...]]:
        """Return the corpus with rows joined that the tool scores as one, and notes about it."""
        return corpus, ()

    def keeps(self, references: Sequence[str]) -> Sequence[bool]:
        """Return for each normalised reference whether the tool scores it."""
        return [True] * len(references)

    def rewrite(self, reference: str, hypothesis: str, context: Context) -> tuple[str, str]:
        """Return a normalised pair as the tool compares it, if that depends on both texts."""
        return reference, hypothesis

    def rewrites(self, context: Context) -> bool:
        """Whether `rewrite` changes anything; it is not called otherwise."""
        return False


PRESETS: Registry[Preset] = Registry("presets", __name__)
