"""Checks for text in another language or another script."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.asr.checking.findings import Finding, Severity, deletion_command, make_finding
from misword.asr.checking.texts import CheckedText, CheckedTexts
from misword.asr.checks import Check
from misword.core.formatting import counted
from misword.text.scripts import one_script, script_of, scripts_of

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


# Text in another language than the other side, the rest of the file, or `--lang`.

FEWEST_WORDS = 60  # words that the recognition of a language needs
LEAST_SHARE = 0.15  # the least share of function words in a text of the language
CLEARLY_MORE = 1.3  # the least ratio of this share to that of the next language
# For a line: the least number of function words of another language, and their least share.
LINE_WORDS, LINE_SHARE = 4, 0.35
WARNED_LINES, WARNED_SHARE = 5, 0.002
BLOCK = 3  # lines of a block; it spans at most three times as many lines


@dataclass(frozen=True, slots=True)
class LanguageCheck(Check):
    """Text in another language than `--lang`, than the other side or than the rest of the file.

    The language is recognised by function words of 27 languages, and only reported if it is clear.
    Languages with similar function words (Czech and Slovak) are not distinguished in a single line.

    Known problems: texts in other languages are not recognised.

    Example: `misword check ref.fr hyp.fr --checks language --lang fr`
    """

    name: ClassVar[str] = "language"
    title: ClassVar[str] = "language"
    family: ClassVar[str] = "language"

    @property
    def uses(self) -> tuple[str, ...]:
        """The language that references and hypotheses should have."""
        return ("lang",)

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Compare each text with its expected language, then each line with its text."""
        languages = {id(text): main_language(text) for text in texts.files}
        wrong = set()
        for text, expected, why in _expectations(texts, languages):
            language = languages[id(text)]
            if id(text) not in wrong and language and language != expected:
                wrong.add(id(text))
                yield _whole_text(text, language, expected, why)
        for pair in texts.translated_pairs:
            source, target = (languages[id(text)] for text in (pair.left, pair.right))
            if source and source == target and not {id(pair.left), id(pair.right)} & wrong:
                yield make_finding(
                    self.name,
                    "error",
                    pair.right,
                    f"this is in the same language ({source}) as {pair.left.name}, of which it "
                    "should be a translation",
                    other=pair.left,
                    pairs=[(row, mate) for mate, row in pair.rows[:3].tolist()],
                )
        for text in texts.files:
            if languages[id(text)]:
                yield from _lines_in_other_language(texts, text, languages[id(text)])


def _expectations(
    texts: CheckedTexts, languages: dict[int, str]
) -> Iterator[tuple[CheckedText, str, str]]:
    """Yield each text with its expected language and the source of the expectation."""
    lang = texts.context.lang
    if lang in FUNCTION_WORDS:
        for text in (texts.references, *texts.hypotheses):
            yield text, lang, "--lang"
    for pair in texts.pairs:
        if expected := languages[id(pair.left)]:
            yield pair.right, expected, pair.left.name


def _whole_text(text: CheckedText, language: str, expected: str, why: str) -> Finding:
    says = f"--lang is {expected}" if why == "--lang" else f"{why} is in {expected}"
    return make_finding(
        LanguageCheck.name,
        "error",
        text,
        f"this is in the language {language}, {says}",
        pairs=[(row, -1) for row in range(min(3, len(text)))],
    )


def main_language(text: CheckedText) -> str:
    """Return the code of the language of a text; empty if it is not clear."""
    return language_of(Counter(word for line in text.words for word in line))


def language_of(counts: Counter[str]) -> str:
    """Return the code of the language of counted words; empty if it is not clear."""
    total = counts.total()
    if total < FEWEST_WORDS:
        return ""
    scores = Counter(
        {
            lang: sum(counts[word] for word in words) / total
            for lang, words in FUNCTION_WORDS.items()
        }
    )
    (first, best), (_, second) = scores.most_common(2)
    return first if best >= LEAST_SHARE and best >= CLEARLY_MORE * second else ""


def line_language(words: Sequence[str], main: str) -> str:
    """Return the language of a line if it clearly differs from `main`, else an empty string."""
    own = sum(word in FUNCTION_WORDS[main] for word in words)
    if own > len(words) / 8:
        return ""
    best, found_in = 0, ""
    for lang, listed in FUNCTION_WORDS.items():
        hits = sum(word in listed for word in words)
        if hits > best:
            best, found_in = hits, lang
    distinct = len({word for word in words if found_in and word in FUNCTION_WORDS[found_in]})
    clear = best >= max(LINE_WORDS, 4 * own, LINE_SHARE * len(words)) and distinct >= 3
    return found_in if clear and found_in != main else ""


def _lines_in_other_language(
    texts: CheckedTexts, text: CheckedText, main: str
) -> Iterator[Finding]:
    """Yield a finding about lines in another language, unless the other side has it there too."""
    languages = {
        row: lang for row, words in enumerate(text.words) if (lang := line_language(words, main))
    }
    for row, other, mate in _counterparts(texts, text):
        if row in languages and line_language(other.words[mate], main):
            del languages[row]
    if not languages or 2 * len(languages) > len(text):
        return
    rows = sorted(languages)
    names = ", ".join(lang for lang, _ in Counter(languages.values()).most_common(2))
    many = len(rows) >= WARNED_LINES and len(rows) >= WARNED_SHARE * len(text)
    in_a_block = len(rows) >= BLOCK and rows[-1] - rows[0] < 3 * len(rows)
    severity: Severity = "warning" if many or in_a_block else "note"
    yield make_finding(
        LanguageCheck.name,
        severity,
        text,
        f"{counted(len(rows), 'line')} {'is' if len(rows) == 1 else 'are'} in another language "
        f"({names}) than the rest ({main})",
        rows=rows,
        evidence={"share of lines": len(rows) / len(text)},
        # Errors of a recogniser are not left out.
        mend=deletion_command(texts, text, rows) if "reference" in text.side else "",
    )


def _counterparts(texts: CheckedTexts, text: CheckedText) -> Iterator[tuple[int, CheckedText, int]]:
    """Yield each row of a text with the text and the row on the other side."""
    for pair in texts.partners(text):
        place = 0 if text is pair.left else 1
        other = pair.right if place == 0 else pair.left
        yield from ((row[place], other, row[1 - place]) for row in pair.rows.tolist())


# Text in another script than the rest of the file or the other side.

WORD = re.compile(r"[^\W\d_]+")
FEWEST_LETTERS = 20  # of a text
WARNED = 3  # lines in another script
ALIKE = {"latin", "cyrillic", "greek"}  # scripts with letters of the same shapes


@dataclass(frozen=True, slots=True)
class ScriptCheck(Check):
    """Text in another script than the other side or the rest of the file.

    Also words with letters of two scripts, such as a Cyrillic `а` within a Latin word. The script
    of a letter is the first word of its name in Unicode.

    Example: `misword check ref.txt hyp.txt --checks script`
    """

    name: ClassVar[str] = "script"
    title: ClassVar[str] = "script"
    family: ClassVar[str] = "language"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Compare each text with the other side, then each line with its text."""
        scripts = {id(text): main_script(text) for text in texts.files}
        for pair in texts.pairs:
            left, right = scripts[id(pair.left)], scripts[id(pair.right)]
            if left and right and left != right:
                yield make_finding(
                    self.name,
                    "error",
                    pair.right,
                    f"this is in {_shown(right)} script, {pair.left.name} is in {_shown(left)}",
                    other=pair.left,
                    pairs=[(row, mate) for mate, row in pair.rows[:3].tolist()],
                )
        for text in texts.files:
            yield from _lines_in_other_script(texts, text, scripts[id(text)])
            yield from _mixed_words(text)


def _shown(script: str) -> str:
    return script[:1].upper() + script[1:]


def main_script(text: CheckedText) -> str:
    """Return the script of most letters of a text; empty if there are few letters."""
    counts = scripts_of("".join(text.texts))
    total = sum(counts.values())
    if total < FEWEST_LETTERS:
        return ""
    script, count = counts.most_common(1)[0]
    return script if 2 * count > total else ""


def _lines_in_other_script(
    texts: CheckedTexts, text: CheckedText, script: str
) -> Iterator[Finding]:
    """Yield a finding about lines in another script; the other side must not have it there too."""
    foreign = {c for c in set("".join(text.texts)) if script_of(c) not in ("", script)}
    if not script or not foreign:
        return
    rows = [
        row for row, line in enumerate(text.texts)
        if not foreign.isdisjoint(line) and one_script(line) not in ("", script)
    ]  # fmt: skip
    mates = {row: other.texts[mate] for row, other, mate in _counterparts(texts, text)}
    rows = [row for row in rows if row not in mates or one_script(mates[row]) == script]
    if not rows:
        return
    severity: Severity = "warning" if len(rows) >= WARNED else "note"
    other = _shown(one_script(text.texts[rows[0]]))
    yield make_finding(
        ScriptCheck.name,
        severity,
        text,
        f"{counted(len(rows), 'line')} {'is' if len(rows) == 1 else 'are'} in {other} script, "
        f"the others in {_shown(script)}",
        rows=rows,
        evidence={"share of lines": len(rows) / len(text)},
        # Errors of a recogniser are not left out.
        mend=deletion_command(texts, text, rows) if "reference" in text.side else "",
    )


def _mixed_words(text: CheckedText) -> Iterator[Finding]:
    """Yield the lines in which a word has letters of two scripts that look alike."""
    present = {script_of(c) for c in set("".join(text.texts))} & ALIKE
    if len(present) < 2:
        return
    rows = [row for row, line in enumerate(text.texts) if any(map(_is_mixed, WORD.findall(line)))]
    if rows:
        words = [w for row in rows for w in WORD.findall(text.texts[row]) if _is_mixed(w)]
        yield make_finding(
            ScriptCheck.name,
            "warning",
            text,
            f"{counted(len(words), 'word')} with letters of two scripts, such as {words[0]}",
            rows=rows,
            evidence={"words": len(words)},
        )


def _is_mixed(word: str) -> bool:
    if word.isascii() or len(word) < 3:
        return False
    return len({script_of(c) for c in word} & ALIKE) > 1
