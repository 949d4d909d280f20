"""The context of a run (language, word vectors, cache, threads), and codes of languages.

misword names a language by its ISO 639-1 code (`fr`) or, if it has none, by its ISO 639-3 code
(`hsb`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from misword.core.errors import OptionError

# The languages that some part covers: the code that misword uses, then other codes of the same
# language (ISO 639-2/B, ISO 639-2/T, ISO 639-3, retired codes). Entries are separated by two spaces
# or by a line end.
LONG_CODES = """
af afr   am amh   an arg   ar ara   as asm   ast ast  az aze   ba bak   be bel   bg bul
bn ben   bs bos   ca cat   cs ces cze  cv chv   cy cym wel  da dan   de deu ger  el ell gre
en eng   enm enm  eo epo   es spa   et est ekk  eu eus baq  fa fas per pes  fi fin   fo fao
fr fra fre  ga gle   gd gla   gl glg   gn grn   gu guj   gv glv   ha hau   haw haw  he heb iw
hi hin   hr hrv   hsb hsb  ht hat   hu hun   hy hye arm  ia ina   id ind in   io ido   is isl ice
it ita   ja jpn   ka kat geo  kk kaz   kl kal   kn kan   ko kor   ku kur   ky kir   la lat
lb ltz   lt lit   lv lav lvs  mi mri mao  mk mkd mac  ml mal   mr mar   ms msa may zsm  mt mlt
my mya bur  nb nob no nor  ne nep   nl nld dut  nn nno   om orm   or ori   pa pan   pl pol
ps pus   pt por   qu que   ro ron rum mo  ru rus   sd snd   se sme   si sin   sk slk slo
sl slv   sq sqi alb  sr srp   sv swe   sw swa swh  ta tam   te tel   th tha   tk tuk   tl tgl fil
tn tsn   tr tur   tt tat   ug uig   uk ukr   ur urd   uz uzb   vi vie   yo yor   zh zho chi cmn
"""
CODE_SHAPE = re.compile(r"[a-z]{2,3}")


def _standard_codes(table: str) -> dict[str, str]:
    """Return the standard code of every code in the table."""
    entries = [entry.split() for entry in re.split(r"\s{2,}|\n", table) if entry]
    return {spelling: entry[0] for entry in entries for spelling in entry}


CODES = _standard_codes(LONG_CODES)


def code(language: str) -> str:
    """Return the standard code of a language from any usual spelling of its code.

    A region or a script (`pt-BR`, `zh-Hant`) is ignored, because no part of misword has more than
    one model for a language. A code of two or three letters that is not in the table is returned
    as it is.

    Known problems: names of languages (`french`) are refused; `no` means Bokmål (`nb`).

    >>> [code(spelling) for spelling in ("fr", "FR", "fr-FR", "fr_FR.UTF-8", "fra", "fre")]
    ['fr', 'fr', 'fr', 'fr', 'fr', 'fr']

    Reference: ISO 639; BCP 47 (RFC 5646) for tags with regions.
    """
    short = re.split(r"[-_.@]", language.strip().lower())[0]
    if not CODE_SHAPE.fullmatch(short):
        raise OptionError(
            f"{language!r} is not a language code", fix="use ISO 639 codes: en, fr, pt-BR, ces"
        )
    return CODES.get(short, short)


@dataclass(frozen=True, eq=False)
class Context:
    """What a part may read beside the texts.

    `lang` is a language code (`fr`), empty if the user named no language. `source` is the file of
    the word vectors, or the `WordVectors` themselves; `max_words` and `format` say how that file is
    read. `misword.embed.vectors.words.word_vectors` opens it when a part first needs it. With
    `cache`, the sentence vectors of models are stored on disk. `workers` is the number of threads;
    None means one for each core.
    """

    lang: str = ""
    source: Any = None
    max_words: int | None = None
    format: str | None = None
    cache: bool = False
    workers: int | None = None
    # Resources that were opened for parts, by name; each is opened once.
    opened: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        lang: str | None = None,
        vectors: Any = None,
        max_words: int | None = None,
        vector_format: str | None = None,
        *,
        cache: bool = False,
        workers: int | None = None,
    ) -> Context:
        """Make a context from a language code in any spelling and from vectors.

        >>> Context.of("fr-FR").lang
        'fr'
        """
        if not isinstance(lang, str | None):
            raise OptionError(f"lang is {lang!r}", fix="use a code such as 'fr'")
        return cls(code(lang) if lang else "", vectors, max_words, vector_format, cache, workers)

    def language(self, own: str) -> str:
        """Return the code of `own`, the language option of a part; of `lang` if `own` is empty."""
        if not (own or self.lang):
            raise OptionError(
                "the language is needed",
                fix="name it: --lang fr, or lang='fr' in Python",
            )
        return code(own) if own else self.lang
