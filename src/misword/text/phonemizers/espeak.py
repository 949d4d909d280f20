"""Phonemes of a hundred languages from the eSpeak NG speech synthesizer."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import ClassVar

from misword.core.context import Context
from misword.core.errors import MissingExtraError, OptionError
from misword.core.parts import Requirement, Settings
from misword.core.progress import progress
from misword.text.phonemizers import Phonemizer

CODES = """
af am an ar as az ba be bg bn bs ca cs cv cy da de el en eo es et eu fa fi fr ga gd gn gu haw he
hi hr ht hu hy ia id io is it ka kk kl kn ko ku ky la lb lt lv mi mk ml mr ms mt my nb ne nl om or
pa pl pt qu ro ru sd si sk sl sq sr sv sw ta te tk tn tr tt ug uk ur uz vi
"""
# Voices whose name is not the language code.
VOICES = {"en": "en-us"}

RETRIEVAL, DO_NOT_EXIT = 1, 0x8000  # no audio output; errors are returned
UTF8 = 1
IPA_WITH_BARS = 0x02 | ord("_") << 8  # International Phonetic Alphabet, `_` between phonemes
LANGUAGE_SWITCH = re.compile(r"\([a-z-]+\)")  # as in (en)_w_iː_k_(fr)
STRESS = re.compile("[ˈˌ]")
NAME_SIGNS = re.compile(r"[-\"'?!^`~,;:|.*#]")  # belong to eSpeak's phoneme names, silent
# Signs that modify the phoneme before them: length, tone, diacritics, raised letters.
MODIFIER = re.compile("^[\u02b0-\u02ff\u0300-\u036f\u1d2c-\u1d6a\u1d9b-\u1dbfⁿˑː˥-˩0-9]+$")
GREEK_EPSILON = "\u03b5"  # eSpeak writes it for the IPA letter ɛ in Danish
_LOCK = Lock()


@dataclass(frozen=True, slots=True)
class Espeak(Phonemizer):
    """IPA from eSpeak NG, whole utterances at a time, so that French liaison is pronounced.

    misword calls the library through ctypes: one function (`espeak_TextToPhonemes`) is enough,
    while the package `phonemizer` needs a dozen other packages. eSpeak decides what one phoneme is:
    affricates, diphthongs, long and nasal vowels are one token. The library has one voice per
    process, so a lock lets one call run at a time. It is always the library in the package
    `espeakng-loader`, never the system's, so that every machine has the same version.

    Known problems: volunteers wrote the rules, which are good for some languages and rough for
    others (`docs/languages.md` has samples); some symbols are eSpeak's own. Japanese, Chinese and
    Thai are not offered, because eSpeak does not read their scripts. Foreign words are pronounced
    by the rules of their own language. Stress is removed. Numbers are read as words.

    Example: `misword score ref.txt hyp.txt --metrics per --lang fr`
    Reference: https://github.com/espeak-ng/espeak-ng (GPL-3.0)
    """

    name: ClassVar[str] = "espeak"
    title: ClassVar[str] = "eSpeak NG"
    LANGUAGES: ClassVar[tuple[str, ...]] = tuple(CODES.split())

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """espeakng-loader, which contains the library and all languages."""
        return Requirement(("espeakng_loader",), "pip install 'misword[phonemes]'", "GPL-3.0")

    def settings(self, context: Context) -> Settings:
        """Version of the library, and the voice."""
        version = ctypes.string_at(load().espeak_Info(None)).decode()
        return (("phonemizer", f"espeak-ng-{version}/{self._voice}"),)

    @property
    def _voice(self) -> str:
        return VOICES.get(self.lang, self.lang)

    def phonemes(self, utterances: Sequence[str]) -> list[list[str]]:
        """Pronounce each utterance."""
        library = load()
        rows = []
        with _LOCK, progress("pronouncing", len(utterances)) as step:
            if library.espeak_SetVoiceByName(self._voice.encode()):
                raise OptionError(f"eSpeak NG has no voice {self._voice!r}")
            for utterance in utterances:
                rows.append(split(speak(library, " ".join(utterance.split()))))
                step(1)
        return rows


def speak(library: ctypes.CDLL, text: str) -> str:
    """Return eSpeak's output for a text; eSpeak processes one clause per call."""
    rest, clauses = ctypes.c_char_p(text.encode()), []
    while rest.value:
        spoken = library.espeak_TextToPhonemes(ctypes.byref(rest), UTF8, IPA_WITH_BARS)
        clauses.append(ctypes.string_at(spoken).decode() if spoken else "")
    return " ".join(clauses)


def split(spoken: str) -> list[str]:
    """Split eSpeak's output into phonemes without stress.

    >>> split("l_ə- (en)_w_iː_k_ˈɛ_n_d_(fr) s_ˈɔ̃_t")
    ['l', 'ə', 'w', 'iː', 'k', 'ɛ', 'n', 'd', 's', 'ɔ̃', 't']
    """
    phonemes: list[str] = []
    # A stress mark always begins a phoneme, even if the separator before it is missing.
    for piece in re.split(r"[\s_]+", STRESS.sub("_", LANGUAGE_SWITCH.sub("_", spoken))):
        phoneme = NAME_SIGNS.sub("", piece).replace(GREEK_EPSILON, "ɛ")
        if phonemes and MODIFIER.match(phoneme):
            phonemes[-1] += phoneme
        elif phoneme:
            phonemes.append(phoneme)
    return phonemes


@cache
def load() -> ctypes.CDLL:
    """Return the eSpeak library, initialised once per process."""
    Espeak.requirement("").check(Espeak.name)
    import espeakng_loader

    path, data = espeakng_loader.get_library_path(), espeakng_loader.get_data_path()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise MissingExtraError(
            f"eSpeak NG does not load: {error}", where=path, fix="pip install -U espeakng-loader"
        ) from error
    library.espeak_TextToPhonemes.restype = ctypes.c_void_p
    library.espeak_Info.restype = ctypes.c_void_p
    if library.espeak_Initialize(RETRIEVAL, 0, data.encode(), DO_NOT_EXIT) < 0:
        raise MissingExtraError("eSpeak NG does not find its data", where=data)
    return library
