"""Function words of languages, and the language of texts and lines by their function words."""

from __future__ import annotations

from collections.abc import Sequence

# Function words of languages (articles, prepositions, pronouns), which identify the language.
#
# The lists are short: only words that make up a large share of any text, in lower case. A word can
# be in the lists of several languages.

FUNCTION_WORDS: dict[str, frozenset[str]] = {
    lang: frozenset(words.split())
    for lang, words in {
        "bg": "и в на да се не за от с са че е по като до към но или това този тази който "
              "която които които беше ще си ли ми го му й ни ви им аз ти той тя ние вие те",
        "ca": "el la els les de del dels i a en que es per amb no un una al als ho hi seu seva més "
              "però com aquest aquesta són ha han va van està molt tot també quan si jo em et ens",
        "cs": "a se v na je že to s z do o i jako za by pro jsem ale ve k po si jsou které který "
              "která bylo byl byla až od tak co když ze už jeho jen není jejich nebo také před být",
        "da": "og i at det er en til af på de den for som med et der ikke var han jeg har fra men "
              "hun kan vil du vi sig skal blev efter også hans ved over eller ud så når været hvad",
        "de": "der die das und ist in den von zu mit sich des auf für nicht im dem ein eine auch "
              "es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über "
              "einen so zum war haben nur oder aber vor zur bis mehr durch man sein wurde ich wir",
        "en": "the of and to a in is that it was for on with as he be at by i this had not are but "
              "from or have an they which you were her she his there been their we would has will "
              "who what so if more when no can out do my them some than its could these your about",
        "es": "de la que el en y a los se del las un por con no una su para es al lo como más o "
              "pero sus le ha me sin sobre este ya entre cuando todo esta ser son también fue "
              "había era muy años hasta desde está mi porque qué sólo yo hay vez puede todos así",
        "et": "ja on ei et see oli ta ka ning kui ma mis oma aga ole kes seda nii või välja siis "
              "tema pole mida sest selle need nad veel üle olid juba me sa tuleb nagu poolt kõik",
        "fi": "ja on ei se että hän oli ovat joka mutta kuin myös niin ole sen tai kun jos mitä "
              "minä sitä nyt vain olen hänen ollut mikä olisi kaikki jo siitä sekä tämä he vielä",
        "fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se "
              "ce il sont aux avec son mais on ou ses cette d l qu n s c j m comme nous vous tout "
              "sa leur ont être fait été elle ils je si y bien même très aussi ces était où sans",
        "hr": "i je u se na da su za od a s koji kao što nije bi ali iz će koja to sam o po do bio "
              "ili te samo kako još već biti ne sve koje bila ovo nego pri nakon prije više može",
        "hu": "a az és hogy nem is egy ez volt meg de csak már azt mint vagy el van még ki ha aki "
              "minden ezt ami be mert majd így pedig lesz nincs úgy neki sem ezek volna kell után",
        "id": "yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ke karena ada "
              "adalah oleh kami mereka sudah bisa telah kita atau seperti lebih dia tersebut bahwa",
        "it": "di e il la che in un a per è una non con del si da della sono le i dei nel al come "
              "ha gli alla ma lo dal più anche delle o se ci questo ed era mi suo hanno cui dalla "
              "nella essere stato questa molto perché c l quando tutti ai loro quello quella fatto",
        "lt": "ir kad į yra iš su tai kaip ne o bet jis buvo už tik ar nuo dėl per jau apie po "
              "pat kurie jų jo prie to savo gali kai nes būti bus mes aš dar labai šio iki daug",
        "lv": "un ir ar no ka uz tas par kā bet arī tika lai viņš to kas pēc vai nav bija tā tikai "
              "jau gan savu ļoti pie būs līdz kad vēl vairāk ja tiek pēc mūsu viņa esmu šo kurš",
        "nl": "de van een het en in is dat op te zijn met voor niet die aan er om ook als bij door "
              "maar dan of uit wordt nog naar heeft worden hij ik wat zo ze werd hebben deze over "
              "meer al wel geen was kan tot we zich je haar u moet veel onder dit waar ons",
        "no": "og i det er på en til av som for at med de et den ikke var han har om jeg fra men "
              "seg vi kan så hun skal ble etter også være ved eller da når sin ut nå sier bare opp",
        "pl": "i w na się z nie to do że jest o jak po za od co przez ale jego dla tak by są ich "
              "był może czy ze jej ma tym już która które który przy było gdy tylko ja być mnie mi",
        "pt": "de a o que e do da em um para com não uma os no se na por mais as dos como mas ao "
              "ele das à seu sua ou quando muito nos já eu também só pelo pela até isso ela entre "
              "depois sem mesmo aos seus quem nas me esse eles você essa foi são está tem ser",
        "ro": "și de în la a cu pe nu că din se este o un să pentru care mai sunt ca al o fost am "
              "ce dar lui fi după ale prin au sau va le până acest această foarte când îi mi ei",
        "ru": "и в не на что я с он как это по но они мы все она так его за был от то вы же из у "
              "к бы только ее мне было еще ты о для меня есть нет когда если их ему или уже быть",
        "sk": "a sa v na je že to s z do o aj ako za by pre som ale vo k po si sú ktoré ktorý "
              "bolo bol bola až od tak čo keď zo už jeho len nie ich alebo tiež pred byť bude",
        "sl": "in je v na se da so za z pa ki s ne o tudi po kot bi še od ali že pri do iz bil "
              "kako to sem ko tako jih biti bo zelo med samo ker če kar ima imajo svoje lahko ni",
        "sv": "och i att det som en på är av för med till den har de inte om ett han men var jag "
              "sig från vi så kan man när år säger hon under också efter eller nu sin där vid mot "
              "ska skulle kommer ut får finns vara hade alla andra mycket än här då sedan över",
        "tr": "ve bir bu da de için ile çok daha olarak gibi ne ama o ben var kadar en sonra her "
              "değil mi ki olan ya diye oldu şey sen bana ise onun böyle biz hiç nasıl yok zaman",
        "uk": "і в не на що я з він як це по але вони ми все вона так його за був від то ви ж із у "
              "до би тільки її мені було ще ти про для мене є немає коли якщо їх йому або вже бути",
    }.items()
}  # fmt: skip

FEWEST_WORDS = 60  # words that the recognition of a language needs
LEAST_SHARE = 0.15  # the least share of function words in a text of the language
CLEARLY_MORE = 1.3  # the least ratio of this share to that of the next language
# For a line: the least number of function words of another language, and their least share.
LINE_WORDS, LINE_SHARE = 4, 0.35
# The most own function words of such a line, by share; how many times more the others are; and how
# many of these are different.
OWN_SHARE, LINE_TIMES, LINE_DISTINCT = 1 / 8, 4, 3


def clear_language(hits: Sequence[int], total: int) -> str:
    """Return the language of so many function words of each language among all words.

    It is empty if it is not clear.
    """
    if total < FEWEST_WORDS:
        return ""
    (second, _), (best, number) = sorted((count, -n) for n, count in enumerate(hits))[-2:]
    clear = best >= LEAST_SHARE * total and best >= CLEARLY_MORE * second
    return list(FUNCTION_WORDS)[-number] if clear else ""


def line_language(words: Sequence[str], main: str) -> str:
    """Return the language of a line if it clearly differs from `main`, else an empty string."""
    own = sum(word in FUNCTION_WORDS[main] for word in words)
    if own > OWN_SHARE * len(words):
        return ""
    best, found_in = 0, ""
    for lang, listed in FUNCTION_WORDS.items():
        hits = sum(word in listed for word in words)
        if hits > best:
            best, found_in = hits, lang
    distinct = len({word for word in words if found_in and word in FUNCTION_WORDS[found_in]})
    fewest = max(LINE_WORDS, LINE_TIMES * own, LINE_SHARE * len(words))
    clear = best >= fewest and distinct >= LINE_DISTINCT
    return found_in if clear and found_in != main else ""
