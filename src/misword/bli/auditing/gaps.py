"""Gaps of a gold lexicon: forms and synonyms that would be right answers, but are not listed."""

from __future__ import annotations

from misword.bli.auditing.lexicon import AuditedLexicon, ranks_of


def missing_forms(lexicon: AuditedLexicon) -> dict[int, list[str]]:
    """Return, for each pair, the forms of its translation that its headword does not have.

    A translation in lower case is looked up with a capital as well, as German nouns are listed.
    """
    paradigms = lexicon.paradigms
    if paradigms is None:
        return {}
    found: dict[int, list[str]] = {}
    for pairs in lexicon.lexicon.headwords.values():
        listed = {lexicon.target.words[pair] for pair in pairs}
        for pair in pairs:
            word = lexicon.target.words[pair]
            forms = dict.fromkeys(paradigms.others(word))
            if word.islower():
                forms |= dict.fromkeys(map(str.lower, paradigms.others(word.capitalize())))
            missing = [form for form in forms if form not in listed and " " not in form]
            if missing:
                found[pair] = missing
    return _with_vectors(lexicon, found)


def missing_synonyms(lexicon: AuditedLexicon) -> dict[str, dict[str, list[str]]]:
    """Return, for each headword, its translations in other dictionaries, and their names."""
    found: dict[str, dict[str, list[str]]] = {}
    listed = {(source.lower(), target.lower()) for source, target in lexicon.pairs}
    headwords = {word.lower(): word for word in lexicon.lexicon.headwords}
    for dictionary in lexicon.dictionaries:
        for source, target in zip(dictionary.source, dictionary.target, strict=True):
            word = headwords.get(source.lower())
            is_new = word is not None and (source.lower(), target.lower()) not in listed
            if word is not None and is_new and target and " " not in target:
                names = found.setdefault(word, {}).setdefault(target, [])
                if dictionary.name not in names:
                    names.append(dictionary.name)
    if lexicon.target.vocabulary is None:
        return found
    words = list({target: None for targets in found.values() for target in targets})
    ranks = ranks_of(lexicon.target.vocabulary, words)
    known = {word for word, rank in zip(words, ranks, strict=True) if rank}
    cut = {
        word: {target: names for target, names in targets.items() if target in known}
        for word, targets in found.items()
    }
    return {word: targets for word, targets in cut.items() if targets}


def _with_vectors(lexicon: AuditedLexicon, found: dict[int, list[str]]) -> dict[int, list[str]]:
    """Keep the words that have a vector, if there are vectors."""
    vocabulary = lexicon.target.vocabulary
    if vocabulary is None:
        return found
    words = list({word: None for several in found.values() for word in several})
    known = {word for word, rank in zip(words, ranks_of(vocabulary, words), strict=True) if rank}
    cut = {pair: [word for word in several if word in known] for pair, several in found.items()}
    return {pair: several for pair, several in cut.items() if several}
