"""Words that decide which successive words may be written as one, by language."""

from __future__ import annotations

from misword.text.writing.phrases import phrase_set, word_set

# Words that often stand before or after another word by chance. German and Dutch have none here,
# because they often write them in both ways: `zu Hause` and `zuhause`, `te veel` and `teveel`.
FUNCTION_WORDS = {
    "en": word_set("""
        a all am an and any are as at be but can could did do does each every for from had has
        have he her him his how i if in is it its may me might my no nor not o of or our shall
        she should so some than that the their them then there these they this those to us was
        we were what when where who why will with would you your
    """),
    "es": word_set("""
        a al con de del el en es esta la las le les lo los me mi mis muy ni no nos o para por
        que se si sin su sus sí te tu tus un una y ya yo
    """),
    "fr": word_set("""
        a au aux avec ce ces cet cette chez d de des du elle elles en est et il ils je l la le
        les leur lui là ma mais me mes mon n ne ni non nous on ou où par pas plus pour qu que
        quel quelle qui s sa sans se ses si son sous sur ta te tes ton tout très tu un une vers
        vos votre vous y à
    """),
    "it": word_set("""
        a ai al alla alle allo che ci con da dai dal dalla de dei del della delle di e ed gli ho
        i il in io la le lo ma mi ne nei nel nella non o per quel se si su sul sì te ti tra tu
        un una uno vi è
    """),
    "pt": word_set("""
        a ao aos as com da das de do dos e ela ele em eu há já lhe lá mas me na nas no nos não o
        os ou para pela pelo por que se sem seu sua só te tem um uma à às é
    """),
}
# Words that are joined although one of their parts is a function word.
JOINED = {
    "en": word_set("""
        allin allstar alltime alot alright another anybody anymore anyplace anything anytime
        anywhere awhile buyin callin cannot checkin dialin drivein everybody everyday everyplace
        everything everytime everywhere forever goodwill hereby herself himself icloud imac
        imessage inbound inbox incountry indepth indoor indoors infield inflow inflows inhouse
        inland inline innetwork inpatient inpatients inperson inprogress input inputs inregion
        inroads inservice inshore inside insitu instead instock instore intake invitro invivo
        inward inwards ipad ipads iphone iphones ipod itself itunes knowhow login myself nobody
        noone noshow nothing nowhere optin ourself ourselves overall plugin signin somebody
        someday somehow someone someplace something somewhat somewhere themself themselves
        thereafter thereby therefore therein thereof today todo tomorrow tonight whatever
        whatsoever whenever whereas whereby wherein whereupon wherever whoever withhold within
        without withstand yourself yourselves
    """),
    "fr": word_set("davantage pourcent pourcents"),
}
# Successive words that are not the word with the same letters.
DIFFERENT_JOINED = {
    "de": phrase_set("""
        da mit / in dem / nach dem / seit dem / so bald / so fern / so lange / so weit / zu recht
    """),
    "en": phrase_set("""
        break fast / car go / its elf / leg end / less on / man age / now here / off ice / over
        come / over time / per son / plan et / rest art / sea son / to get her / under go /
        under stand / under standing / up on / up set
    """),
    "fr": phrase_set("bien tôt / quels que / quelles que / quoi que"),
    "nl": phrase_set("te rug / ten slotte / voor al / waar om"),
}
# Words with a hyphen that are not the word without it.
DIFFERENT_HYPHENATED = {
    "en": word_set("""
        re-collect re-cover re-covered re-covering re-form re-formed re-forming re-lay re-lease
        re-mark re-press re-sent re-serve re-sign re-signed re-signing re-signs re-sort re-treat
        un-ionized
    """),
}
