"""Words that decide which successive words may be written as one, by language."""

from __future__ import annotations

from misword.text.writing.phrases import word_set

# English words that often stand before or after another word by chance.
FUNCTION_WORDS = word_set("""
    a all am an and any are as at be but can could did do does each every for from had has have
    he her him his how i if in is it its may me might my no nor not o of or our shall she should
    so some than that the their them then there these they this those to us was we were what
    when where who why will with would you your
""")
# English words that are joined although one of their parts is a function word.
JOINED = word_set("""
    allaround allin allstar alltime alot alright another anybody anymore anyplace anything
    anytime anywhere awhile buyin callin cannot checkin dialin drivein everybody everyday
    everyplace everything everytime everywhere forever goodwill hereby herein herself himself
    icloud imac imessage inbound inbox indepth indoor indoors infield inflow inflows inhouse
    inland inline innetwork inpatient inpatients inperson inprogress input inputs inroads
    inshore inside instead instock instore intake inward inwards ipad ipads iphone iphones ipod
    itself itunes login myself nobody noone noshow nothing nowhere optin ourself ourselves
    overall plugin signin somebody someday somehow someone someplace something somewhat
    somewhere themself themselves thereafter thereby therefore therein thereof today todo
    tomorrow tonight whatever whatsoever whenever whereas whereby wherein whereupon wherever
    whoever withhold within without withstand yourself yourselves
""")
# Successive words that are not the word with the same letters.
DIFFERENT_JOINED: dict[str, frozenset[tuple[str, ...]]] = {
    "de": frozenset(
        {
            ("da", "mit"),
            ("in", "dem"),
            ("nach", "dem"),
            ("seit", "dem"),
            ("so", "bald"),
            ("so", "fern"),
            ("so", "lange"),
            ("so", "weit"),
            ("zu", "recht"),
        }
    ),
    "en": frozenset(
        {
            ("break", "fast"),
            ("car", "go"),
            ("fat", "her"),
            ("hand", "some"),
            ("heat", "her"),
            ("here", "in"),
            ("hero", "in"),
            ("leg", "end"),
            ("less", "on"),
            ("man", "age"),
            ("now", "here"),
            ("off", "ice"),
            ("on", "ion"),
            ("on", "to"),
            ("over", "come"),
            ("over", "time"),
            ("per", "son"),
            ("plan", "et"),
            ("rest", "art"),
            ("sea", "son"),
            ("the", "rapist"),
            ("to", "get", "her"),
            ("under", "go"),
            ("under", "stand"),
            ("under", "standing"),
            ("up", "on"),
            ("up", "set"),
        }
    ),
    "es": frozenset(
        {("a", "parte"), ("con", "que"), ("por", "que"), ("si", "no"), ("tan", "poco")}
    ),
    "fr": frozenset(
        {
            ("bien", "tôt"),
            ("en", "fin"),
            ("par", "tout"),
            ("plus", "tôt"),
            ("quel", "que"),
            ("quelle", "que"),
            ("quels", "que"),
            ("quoi", "que"),
            ("si", "non"),
            ("sur", "tout"),
        }
    ),
    "it": frozenset({("al", "meno"), ("in", "vano"), ("in", "torno"), ("se", "no")}),
    "nl": frozenset({("te", "rug"), ("ten", "slotte"), ("voor", "al"), ("waar", "om")}),
    "pt": frozenset({("a", "fim"), ("a", "cerca"), ("por", "que"), ("se", "não")}),
}
# Words with a hyphen that are not the word without it.
DIFFERENT_HYPHENATED = {
    "en": word_set("""
    re-collect re-cover re-covered re-covering re-form re-formed re-forming re-lay re-lease
    re-mark re-press re-sent re-serve re-sign re-signed re-signing re-signs re-sort re-treat
    un-ionized
""")
}
