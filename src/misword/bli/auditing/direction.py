"""Is the lexicon the wrong way round? Checked before any flag is given."""

from __future__ import annotations

from misword.bli.auditing.lexicon import AuditedLexicon, Column, ranks_of
from misword.bli.names.english_words import levels_of
from misword.core.errors import InputError, OptionError
from misword.core.languages import CODES, code
from misword.core.suggestions import did_you_mean

# ISO 639-1, beside the codes that misword knows in any case.
ISO_639_1 = """\
aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da
de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz
ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln
lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi
pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti
tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""
TWO_LETTERS = frozenset(ISO_639_1.split())
# The scripts of languages that have one script, as `word_script` names them.
SCRIPTS = {
    "arabic": "ar fa ur ps sd ug",
    "cyrillic": "ru uk be bg mk kk ky mn tg tt ba cv",
    "devanagari": "hi mr ne sa",
    "greek": "el",
    "hangul": "ko",
    "hebrew": "he yi",
    "thai": "th",
    "armenian": "hy",
    "georgian": "ka",
    "bengali": "bn as",
    "tamil": "ta",
    "telugu": "te",
    "malayalam": "ml",
    "kannada": "kn",
    "gujarati": "gu",
    "latin": "en de fr es it pt nl da sv nb nn is fi et lv lt pl cs sk sl hr hu ro sq tr vi id ms "
    "ca gl eu ga cy mt af sw eo la",
}
SCRIPT_OF = {lang: script for script, langs in SCRIPTS.items() for lang in langs.split()}
SUSPICIOUS = 2  # times more words are known the other way round
ENGLISH = 0.5  # the share of a column of English words that English word lists have at least
FIX = "exchange the languages, or the columns: --columns TARGET,SOURCE"


def language_code(language: str, which: str) -> str:
    """Return the code of a language, or raise if there is no such language."""
    found = code(language)
    if found not in CODES and len(found) == 2 and found not in TWO_LETTERS:
        near = did_you_mean(found, sorted(TWO_LETTERS))
        raise OptionError(
            f"the {which} language {language!r} is no code of ISO 639",
            fix=f"{near}use a code such as en, de, bg, ces",
        )
    return found


def check_direction(lexicon: AuditedLexicon) -> None:
    """Raise if the columns are probably exchanged: by script, by vectors, or by English words."""
    source, target = lexicon.columns
    exchanged = _scripts_exchanged(source, target) or _vectors_exchanged(source, target)
    if exchanged or _english_exchanged(source, target):
        why = exchanged or "the English words are in the other column"
        raise InputError(
            f"the lexicon is the wrong way round for {source.lang} to {target.lang}: {why}",
            where=lexicon.lexicon.name,
            fix=FIX,
        )


def _scripts_exchanged(source: Column, target: Column) -> str:
    """Return the evidence that the scripts of the columns are exchanged; empty if there is none."""
    expected = [SCRIPT_OF.get(column.lang, "") for column in (source, target)]
    found = [source.script, target.script]
    if "" in expected or expected[0] == expected[1] or found != expected[::-1]:
        return ""
    return f"its first column is in {found[0]} script, its second in {found[1]}"


def _vectors_exchanged(source: Column, target: Column) -> str:
    """Return the evidence of the vectors that the columns are exchanged; empty if there is none."""
    if source.vocabulary is None or target.vocabulary is None:
        return ""
    pairs = [(source.words, target.words), (target.words, source.words)]
    known, exchanged = (
        int(((ranks_of(source.vocabulary, a) > 0) & (ranks_of(target.vocabulary, b) > 0)).sum())
        for a, b in pairs
    )
    if exchanged < SUSPICIOUS * max(1, known):
        return ""
    return f"the vectors know {known:,} of its pairs, and {exchanged:,} the other way round"


def _english_exchanged(source: Column, target: Column) -> bool:
    """Return whether the column that should be English is not, and the other one is."""
    if (source.lang == "en") == (target.lang == "en"):
        return False
    english, other = (source, target) if source.lang == "en" else (target, source)
    shares = [
        sum(levels_of(word).is_listed for word in column.words) / max(1, len(column.words))
        for column in (english, other)
    ]
    return shares[0] < ENGLISH <= shares[1]
