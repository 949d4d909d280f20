"""Random command lines: commands, options of their parsers, values and changed input files."""

from __future__ import annotations

import argparse
from functools import cache
from random import Random

from fuzz.cases import COMMAND, Case
from fuzz.mutation import mutated
from fuzz.own_file_mutation import mutated_own_files
from fuzz.readers import Seeds, files_of
from fuzz.seeds import OWN
from misword.cli.command_line import parser_of
from misword.cli.commands import COMMANDS

# Command lines that work. Each case changes one of them and its inputs.
BASES = (
    "score ref.csv hyp.csv --bootstrap 9",
    "score ref.txt hyp.txt --bootstrap 9",
    "score ref.trn hyp.trn --by speaker --bootstrap 9",
    "score ref.stm hyp.ctm --bootstrap 9",
    "score ref.jsonl hyp.jsonl --bootstrap 9",
    "score ref.stm hyp.ctm --confidences --metrics formatted,punctuation,capitals,loops "
    "--bootstrap 9",
    "score both.jsonl --bootstrap 9",
    "score ref.nlp hyp.nlp --alternatives-from norm.json --tags-from wer_tag.json --bootstrap 9",
    "score ref.nlp hyp.nlp --entities tags --tags-from wer_tag.json --bootstrap 9",
    "score ref.csv hyp.csv --keywords keywords.tsv --forgive case --bootstrap 9",
    "score tagged.csv hyp.csv --entities tags --bootstrap 9",
    "score ref.vtt hyp.srt --bootstrap 9",
    "score ref.txt.gz hyp.txt --equivalents equivalents.txt --rules rules.txt --lang fr "
    "--bootstrap 9",
    "score ref.csv hyp.csv --glm rules.glm --bootstrap 9",
    "score ref.csv hyp.csv --metadata meta.csv --by dialect --metrics wer-e,wer-s --vectors a.vec "
    "--bootstrap 9",
    "score ref.csv nbest.csv --forgive writing --lang en --bootstrap 9",
    "compare ref.csv hyp.csv nbest.csv --block speaker --by speaker --bootstrap 9",
    "gate ref.csv hyp.csv nbest.csv --max wer=0.9 --no-worse wer --bootstrap 9",
    "correlate ref.csv hyp.csv --metrics wer,cer --bootstrap 9",
    "agree triplets.tsv --metrics wer,cer --bootstrap 9",
    "oracle ref.csv nbest.csv --metrics wer,mer,wil --depths 1,2 --ties mer -o out.csv "
    "--bootstrap 9",
    "tune ref.csv nbest.csv --metric mer --folds 2 --resamples 2 -o out.csv "
    "--write-weights out.json --bootstrap 9",
    "tune --apply rank=-1,words=0.5 nbest.csv -o out.csv",
    "tune ref.csv hyp.csv nbest.csv --systems --bootstrap 9",
    "mbr nbest.csv --metric mer --scale 0.5 --references ref.csv -o out.csv --bootstrap 9",
    "combine ref.csv hyp.csv nbest.csv --ranks 2 -o out.csv --bootstrap 9",
    "combine hyp.ctm hyp.ctm --names a,b --alpha 0.5 -o out.csv --bootstrap 9",
    "rescore nbest.csv --lm ngram:lm.arpa -o out.jsonl",
    "align ref.csv hyp.csv",
    "check ref.csv hyp.csv",
    "check ref.txt hyp.txt --strict",
    "corrupt ref.csv --wer 0.3 --channel uniform -o out.csv",
    "corrupt ref.txt --wer 0.2,0.5 --channel confusion:file=noise.json -o out.txt",
    "corrupt ref.txt --wer 0.2 --channel voleti --vectors a.vec --lang en -o -",
    "learn-noise ref.csv hyp.csv -o out.json",
    "realism ref.csv hyp.csv --channels uniform,confusion --bootstrap 9",
    "robust sts.tsv --vectors a.vec --encoders mean,sif --channel uniform --wer 0.2 --trials 2 "
    "--bootstrap 9",
    "map a.vec b.vec --method procrustes --lexicon lexicon.tsv -o out.map",
    "map a.vec b.vec --method vecmap-s --lexicon lexicon.txt -o out.map",
    "translate ab.map the cat unknown --k 2",
    "translate ab.map --words words.txt --k 2 -o out.tsv",
    "evaluate ab.map lexicon.tsv --k 1,2 --bootstrap 9",
    "evaluate lexicon.txt --candidates lexicon.tsv --candidates lists.jsonl --k 1,2 --bootstrap 9 "
    "--further-gold lexicon.tsv",
    "audit lexicon.tsv --source-lang zu --target-lang xh --bootstrap 9 --predictions ab.map "
    "--k 1 --training lexicon.txt -o out.tsv",
    "build --source-lang sk --target-lang cs --from d.tei lexicon.tsv --source-vectors a.vec "
    "--target-vectors b.vec --size 2 --pos NOUN:1,X:1 --bands 4:1,9:1 -o out --force",
    "build --source-lang eo --target-lang ia --from lexicon.tsv --source-vectors a.vec "
    "--target-vectors b.vec --size 2 -o out",
    "vectors info a.vec",
    "vectors info ngrams.bin",
    "vectors neighbors a.kv cat",
    "vectors neighbors converted-ngrams cat",
    "vectors convert a.bin --out out",
    "report scored -o page.html",
    "report compared corrupted evaluated translated judged checked -o page.html",
    "verify scored converted ab.map noise.json",
    "parts metrics",
    "completion bash",
)  # fmt: skip
# Characters that a terminal obeys, other writing systems, names that mean something to a library.
STRINGS = (
    "", "a", "-", "--", "none", "text", "utt", "speaker", "\x1b[2J", "\u202ea", "a\nb", "é",
    "\U0001f600", "*", "^t.*$", "[red]", "a,b", "a:b", "a=b", "../x", "x" * 300, "nul", "\udcff",
    "0", "%s", "{0}", "wer", ",", ":", "=",
)  # fmt: skip
NUMBERS = (
    "0", "1", "2", "9", "-1", "0.5", "1.5", "1e3", "nan", "inf", "-inf", "1e999", "9" * 30,
    "4294967296", "9223372036854775808", "a", "", "1_0", "٣", "0x1", "1,2", "0:1:0.5", "0:1:1e-9",
    "1:0:0.1", "::", "1:",
)  # fmt: skip
METRICS = (
    "wer", "cer", "mer", "wil", "wer,cer,mer,wil", "cer:spaces=false", "wer-e", "wer-s", "ember",
    "per", "wer:x=1", "wer,wer", "semdist:encoder=sif", "wer-e:cost=near", "nothing", ",", "wer:",
    ":", "wer:tie=",
)  # fmt: skip
# Values of options, by the option. Others are numbers (metavar N), files or strings.
VALUES: dict[str, tuple[str, ...]] = {
    "--metrics": METRICS,
    "--metric": METRICS,
    "--no-worse": METRICS,
    **{
        option: tuple(values.split())
        for option, values in {
            "--lm": "ngram:lm.arpa ngram:lm.arpa,column=text ngram ngram:words.txt causal:../x/y",
            "--rules": "rules.txt",
            "--glm": "rules.glm",
            "--equivalents": "equivalents.txt",
            "--keywords": "keywords.tsv ref.csv words.txt",
            "--entities": "tags tags:speaker tags:none x",
            "--metadata": "meta.csv utt2spk",
            "--more-references": "ref.csv ref.txt hyp.csv",
            "--references": "ref.csv ref.txt hyp.csv",
            "--vectors": "a.vec a.bin ngrams.bin a.npz a.kv glove.txt converted",
            "--channel-vectors": "a.vec converted",
            "--lexicon": "lexicon.tsv lexicon.csv lexicon.txt",
            "--valid": "lexicon.tsv",
            "--from": "d.tei d.dix wiktextract.jsonl e.index f.ifo lexicon.tsv",
            # Languages without a tagger, which takes seconds to load.
            "--source-lang": "sk x eo zz",
            "--target-lang": "cs x ia",
            "--source-vectors": "a.vec a.bin converted",
            "--target-vectors": "b.vec",
            "--pos": "NOUN NOUN:1,VERB:2 X NOUN, :",
            "--bands": "5 2:1,9:3 9,2 x",
            "--senses": "1 1- 2-1 x",
            "--exclude": "identical names x",
            "--training": "ref.txt lexicon.tsv ref.csv",
            "--translations": "hyp.txt hyp.csv",
            "--translation-references": "ref.txt ref.csv",
            "--words": "words.txt ref.txt",
            "--source": "a.vec",
            "--target": "b.vec",
            "--id-column": "utt id none speaker *",
            "--reference-column": "text speaker age",
            "--hypothesis-column": "text hyp text,speaker",
            "--text-column": "text speaker",
            "--names": "a,b a a,a =1+1,b",
            "--baseline": "hyp nbest a",
            "--block": "speaker age 1 2 utt",
            "--categorical": "age speaker age,speaker x",
            "--consensus": "0,50,100 1 101 x",
            "--vocabulary": "corpus x",
            "--title": "a <b>&amp;",
            "--max": "wer=0.1 wer=nan cer=-1 wer = wer=1e999 x=1",
            "--normalize": "none nfc,lower nopunct whisper noaccent x lower:x=1 , nfkc,casefold",
            "--forgive": "writing numbers case,punctuation compounds x , fillers,spelling",
            "--preset": "kaldi sclite whisper open-asr-leaderboard x",
            # Not fr or de: eSpeak NG needs seconds for the word lists of `--channel confusion`.
            "--lang": "en x en-GB zz",
            "--channel": "uniform phonetic confusion confusion:file=noise.json voleti x "
            "uniform:a=1 uniform,uniform phonetic:vocabulary=corpus",
            "--encoders": "mean sif usif mean-stop subspace x mean,mean sif:a=nan",
            "--method": "procrustes vecmap-s vecmap-i rcsls muse-s x procrustes:normalize=unit "
            "vecmap-s:x=1",
            "--retriever": "nn csls inverted-nn inverted-softmax x csls:k=0 csls:k=9999999 nn,csls",
            "--input-format": "lines csv jsonl stm,ctm trn kaldi x csv:delimiter=; "
            "vtt:rolling=true , nlp",
            "--vector-format": "word2vec glove fasttext word2vec-binary npz gensim x",
            "--encoding": "utf-8 latin-1 utf-16 x base64 idna punycode utf-7 cp037",
            "--trials": "1 3 0 -1 1000000 x",
            "--bootstrap": "1 9 0 -1 1000000 99999999999999999999 x nan",
            "--workers": "1 2 0 -1 1025 x",
            "--max-bytes": "1 100 1G 0 x 999999999999999999999999 -1 1e3",
            "--checks": "shifts duplicate language case x ,",
            "--lemmas": "x",
            "--lemmatizer": "x",
            "--mix": "substitution=1 1,0,0 x 0,0,0 nan,1,1 0.5,0.25,0.25 -1,1,1",
            "--by": "speaker dialect age x text utt speaker,age frequency *",
            "--join": "recording speaker x *",
            "--downstream": "bleu chrf x",
            "--columns": "1,2,3 source,target a,b 0,1 x 1 99999999999,1,2",
            "--wer": "0 0.5 1 2 -1 nan 0:1:0.25 0:1:1e-9 1:0:1 x 0.1,0.1 1e-300",
        }.items()
    },
}
OUTPUTS = ("out", "out.txt", "scored", "ref.txt", "missing/out", "-", "x" * 300, ".", "out\x1b[2J")
OUTPUT_OPTIONS = {
    *("-o", "--output", "--out", "--report", "--junit", "--write-weights"),
    *("--export-source", "--export-target", "--copy"),
}
NUMBER_NAMES = ("N", "P", "POINTS")  # how the help calls values that are numbers
# Not drawn: a traceback is what --debug prints.
LEFT_OUT = {"--debug", "-h"}


def command_case(random: Random, seeds: Seeds) -> Case:
    """Return a command line with random options and inputs, some of which are changed."""
    words = random.choice(BASES).split()
    for _ in range(random.choice((0, 0, 0, 1, 1, 1, 2, 3, 5))):
        words += _option(words[0], random, seeds)
    if random.random() < 0.1:
        words = _changed_words(words, random, seeds)
    if random.random() < 0.4:
        words += ["--format", "json"]
    return Case(COMMAND, words, input_files(words, random, seeds))


def _changed_words(words: list[str], random: Random, seeds: Seeds) -> list[str]:
    """Return the words with one of them removed, repeated, replaced or cut."""
    place = random.randrange(len(words))
    match random.randrange(5):
        case 0:
            return words[:place] + words[place + 1 :]
        case 1:
            return [*words[:place], words[place], *words[place:]]
        case 2:
            return [*words[:place], random.choice(STRINGS), *words[place + 1 :]]
        case 3:
            return [*words[:place], random.choice(sorted(seeds)), *words[place:]]
        case _:
            return [*words[:place], words[place][: random.randrange(len(words[place]) + 1)]]


def _option(command: str, random: Random, seeds: Seeds) -> list[str]:
    """Return a random option of a command, with a random value if it takes one."""
    if command not in COMMANDS:
        return [random.choice(STRINGS)]
    action = random.choice(options_of(command))
    name = action.option_strings[-1]
    return [name] if action.nargs == 0 else [name, _value(name, action, random, seeds)]


@cache
def options_of(command: str) -> list[argparse.Action]:
    """Return the options of a command."""
    return [
        action
        for action in parser_of(command)._actions
        if action.option_strings and not LEFT_OUT.intersection(action.option_strings)
    ]


def _value(name: str, action: argparse.Action, random: Random, seeds: Seeds) -> str:
    """Return a value for an option; mostly one that it can have."""
    if random.random() < 0.1:
        return random.choice(STRINGS)
    if action.choices:
        return str(random.choice(list(action.choices)))
    if name in OUTPUT_OPTIONS:
        return random.choice(OUTPUTS)
    if name in VALUES:
        return random.choice(VALUES[name])
    if action.metavar in NUMBER_NAMES:
        return random.choice(NUMBERS if random.random() < 0.5 else ("1", "2", "9", "0.5"))
    return random.choice((*sorted(seeds), *STRINGS, *OWN))


def input_files(words: list[str], random: Random, seeds: Seeds) -> Seeds:
    """Return the files that the words name, some of them changed."""
    named = [name for name in _names(words) if files_of(name, seeds)]
    if "ab.map" in named:
        named += ["a.vec", "b.vec"]
    files: Seeds = {}
    others = [seeds[name] for name in named if name in seeds]
    for name in dict.fromkeys(named):
        inputs = files_of(name, seeds)
        if random.random() < 0.4:
            if name in OWN:
                inputs = mutated_own_files(inputs, random)
            else:
                inputs = {path: mutated(data, random, others) for path, data in inputs.items()}
        files |= inputs
    return files


def _names(words: list[str]) -> list[str]:
    """Return all words, and the parts of words that may name a file, such as `file=noise.json`."""
    return [part for word in words for part in (word, *word.split("="), *word.split(","))]
