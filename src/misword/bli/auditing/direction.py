"""Is the lexicon the wrong way round? Checked before any flag is given."""

from __future__ import annotations

from misword.bli.auditing.lexicon import AuditedLexicon, Column, ranks_of
from misword.bli.names.english_words import levels_of
from misword.core.errors import InputError

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
