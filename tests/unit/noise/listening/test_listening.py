"""The simulated listener: spans, language model, decoder, places, drawing, learning."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import misword
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.core.types import Corpus
from misword.native.byte_ranges import mix_bits
from misword.noise.aligned_corpus import AlignedCorpus, Span, SpannedCorpus
from misword.noise.channels.listen import Listen
from misword.noise.channels.specs import create_channel
from misword.noise.corruption.row_keys import number_keys
from misword.noise.corruption.text_block import TextBlock
from misword.noise.listening.drawing import BlockListening, Draws, ListeningSampler
from misword.noise.listening.learnt import LearntListening
from misword.noise.listening.listener import Listener, Region, joined_probability
from misword.noise.listening.models import (
    Sounds,
    count_bigrams,
    counted_tables,
    learn_sounds,
    ngram_key,
    read_arpa,
)
from misword.noise.listening.places import FEATURES, Utterances, draw_wrong, fit_places

SAID = [
    "the cat sat on the mat",
    "a wolf ate the ramen",
    "we see the sea at night",
    "the knight saw a mouse in the house",
    "my brother has an old car",
    "it is a nice day",
]
HEARD = [
    "the cap sat on a mat",
    "a wolf eight the raw men",
    "we see the c at night",
    "the night saw mouse in the house",
    "my brother has a noll car",
    "it is an ice day",
]
ENGLISH = Context.of("en", workers=1)
TEXTS = SAID * 20


@pytest.fixture(scope="module")
def learnt() -> LearntListening:
    found = misword.learn_noise(
        SAID * 4, HEARD * 4, channel="listen", lang="en", vocabulary="learnt"
    )
    assert isinstance(found, LearntListening)
    return found


@pytest.fixture(scope="module")
def path(learnt: LearntListening, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("listener") / "listener.json"
    file.write_text(learnt.to_json(), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def listener(path: Path) -> Listener:
    words = sorted({word for text in SAID for word in text.split()})
    return Listen(str(path)).listener(words, SAID, ENGLISH)


# Spans.


def test_spans_are_maximal_runs_of_errors_with_both_sides() -> None:
    spanned = SpannedCorpus.of(AlignedCorpus.align(["a b c d", "x y"], ["a e f d", "x z y w"]))
    assert spanned.spans == [
        Span(0, 1, ("b", "c"), ("e", "f")),
        Span(1, 1, (), ("z",)),
        Span(1, 2, (), ("w",)),
    ]


def test_lower_ranks_add_spans_that_are_not_known() -> None:
    references = pl.DataFrame({"utt": ["1", "2"], "text": ["a b", "c d"]})
    hypotheses = pl.DataFrame(
        {
            "utt": ["1", "1", "1", "2"],
            "system": ["s"] * 4,
            "rank": [1, 2, 3, 1],
            "text": ["a x", "a y", "z x", "c d"],
            "score": [0.0, -1.0, -2.0, 0.0],
        }
    )
    spanned = SpannedCorpus.of(AlignedCorpus.of_corpus(Corpus(references, hypotheses)))
    assert spanned.spans == [Span(0, 1, ("b",), ("x",))]
    assert spanned.alternatives == [Span(0, 1, ("b",), ("y",)), Span(0, 0, ("a", "b"), ("z", "x"))]


# The language model.


def test_probabilities_after_each_word_add_up_to_one(listener: Listener) -> None:
    ngrams, size = listener.ngrams, len(listener.lexicon.words)
    before = [ngrams.begin, listener.lexicon.ids["the"], listener.lexicon.ids["mouse"]]
    for last in before:
        triples = np.array([(ngrams.begin, last, word) for word in range(size + 3)], np.int32)
        total = np.exp(-listener.decoder.ngram_costs(triples).astype(np.float64)).sum()
        assert total == pytest.approx(1, abs=2e-3)


def test_an_arpa_model_is_read_and_backs_off(tmp_path: Path, listener: Listener) -> None:
    words = listener.lexicon.words
    the, cat, mat = (listener.lexicon.ids[word] for word in ("the", "cat", "mat"))
    file = tmp_path / "lm.arpa"
    file.write_text(
        "\\data\\\nngram 1=3\nngram 2=1\nngram 3=1\n\n\\1-grams:\n-1\tthe\t-0.5\n-2\tcat\t-0.25\n"
        "-3\tmat\n\n\\2-grams:\n-0.5\tthe cat\t-0.125\n\n"
        "\\3-grams:\n-0.1\tthe cat mat\n\n\\end\\\n",
        encoding="utf-8",
    )
    ngrams = read_arpa(file, words)
    from dataclasses import replace

    decoder = replace(listener.decoder, ngrams=ngrams)
    triples = [(ngrams.begin, the, cat), (the, cat, mat), (the, cat, the), (cat, the, mat)]
    costs = decoder.ngram_costs(np.array(triples, np.int32)) / math.log(10)
    assert costs.tolist() == pytest.approx([0.5, 0.1, 0.125 + 0.25 + 1, 0.5 + 3], abs=1e-5)


@pytest.mark.parametrize("content", ["", "no model", "\\1-grams:\nx\ty\n", "\\2-grams:\n-1\ta\n"])
def test_what_is_no_arpa_model_is_refused(content: str, tmp_path: Path) -> None:
    file = tmp_path / "lm.arpa"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"n-gram|ARPA"):
        read_arpa(file, ["a", "b"])


def test_every_bigram_is_found_in_the_hash_table() -> None:
    words = [f"w{number}" for number in range(60)]
    texts = [[words[(7 * i * j) % 60] for j in range(9)] for i in range(50)]
    counts = count_bigrams(texts)
    tables = counted_tables(words, np.full(60, 1 / 60), counts)
    ids = {word: number for number, word in enumerate([*words, "<s>", "</s>"])}
    keys = {ngram_key(ids[one], ids[other]) for one, other in counts}
    assert keys == set(tables.keys[tables.keys > 0].tolist())
    mask = len(tables.keys) - 1
    for key in keys:  # reachable by linear probing, as the kernel searches
        at = int(mix_bits(np.array([key], np.uint64))[0]) & mask
        while tables.keys[at] != key:
            assert tables.keys[at]
            at = (at + 1) & mask


# Sounds.


def test_without_data_near_phonemes_are_likelier() -> None:
    sounds = Sounds.of_features(["S", "Z", "AA"], "arpabet")
    assert sounds.substitution[0, 0] < sounds.substitution[0, 1] < sounds.substitution[0, 2]
    total = np.exp(-sounds.substitution).sum(axis=1) + np.exp(-sounds.deletion)
    assert total == pytest.approx([1, 1, 1])


def test_counts_of_phonemes_are_learnt_from_alignments() -> None:
    said = [np.array([0, 2]), np.array([0, 2, 0])] * 20  # S AA, heard as Z AA
    heard = [np.array([1, 2]), np.array([1, 2])] * 20
    counts, missed, added = learn_sounds(["S", "Z", "AA"], "arpabet", said, heard)
    assert counts[0, 1] == 40
    assert counts[2, 2] == 40
    assert (missed.tolist(), added.tolist()) == ([20, 0, 0], [0, 0, 0])


# The decoder.


def best_edit_cost(listener: Listener, said: list[int], heard: list[int]) -> float:
    """The least cost of edits between phonemes, by a table: the slow oracle of the kernel."""
    sounds = listener.decoder.sounds
    table = np.full((len(said) + 1, len(heard) + 1), np.inf)
    table[0, 0] = 0
    for i, j in product(range(len(said) + 1), range(len(heard) + 1)):
        if i:
            table[i, j] = min(table[i, j], table[i - 1, j] + sounds.deletion[said[i - 1]])
        if j:
            table[i, j] = min(table[i, j], table[i, j - 1] + sounds.insertion[heard[j - 1]])
        if i and j:
            cost = sounds.substitution[said[i - 1], heard[j - 1]]
            table[i, j] = min(table[i, j], table[i - 1, j - 1] + cost)
    return float(table[-1, -1])


def regions(listener: Listener) -> list[Region]:
    ids, ngrams = listener.lexicon.ids, listener.ngrams
    spans = [("cat",), ("the", "ramen"), ("sea",), ("an", "old"), ("a", "nice")]
    return [
        Region(tuple(ids[word] for word in said), (ngrams.begin, ids["the"]), ngrams.end)
        for said in spans
    ]


def test_costs_of_the_kernel_are_those_of_the_models(listener: Listener) -> None:
    described = regions(listener)
    heard = listener.decoder.hear(listener.stretches(described))
    checked = 0
    for row, region in enumerate(described):
        said = [p for word in region.said for p in listener.lexicon.phonemes(word).tolist()]
        for at in range(heard.found[row]):
            words = [word for word in heard.words[row, at].tolist() if word >= 0]
            assert not set(words) & set(region.said)
            assert len(words) <= 2 * len(region.said)
            sounds = [p for word in words for p in listener.lexicon.phonemes(word).tolist()]
            least = best_edit_cost(listener, said, sounds)
            if heard.sound[row, at] == pytest.approx(least, abs=1e-3):
                checked += 1
            assert heard.sound[row, at] >= least - 1e-3
            path = [*region.before, *words, region.after]
            triples = np.array([path[n : n + 3] for n in range(len(path) - 2)], np.int32)
            language = listener.decoder.ngram_costs(triples).sum()
            assert heard.language[row, at] == pytest.approx(language, rel=1e-4)
            letters = ["".join(listener.lexicon.words[w] for w in s) for s in (region.said, words)]
            from rapidfuzz.distance import Levenshtein

            distance = Levenshtein.normalized_distance(*letters)
            assert heard.spelling[row, at] == pytest.approx(distance, abs=1e-6)
    assert checked >= 0.9 * heard.found.sum()  # recombined hypotheses keep the cheaper path


def test_choices_are_distributions_and_draws_follow_them(listener: Listener) -> None:
    described = regions(listener)
    for region, choices in zip(described, listener.choices(described), strict=True):
        assert choices.probability.sum() == pytest.approx(1)
        assert len(set(choices.heard)) == len(choices.heard)
        assert region.said not in choices.heard
    region = described[0]
    random = (np.arange(4000) + 0.5) / 4000
    drawn = listener.hear([region] * len(random), random)
    (choices,) = listener.choices([region])
    single = listener.learnt.single
    likeliest = int(np.argmax(choices.probability))
    share = sum(words == choices.heard[likeliest] for words in drawn) / len(drawn)
    assert share == pytest.approx(choices.probability[likeliest], abs=2 * single + 0.002)


def test_the_learnt_errors_are_likely(listener: Listener) -> None:
    spanned = SpannedCorpus.of(AlignedCorpus.align(SAID, HEARD))
    spans = [span for span in spanned.spans if span.said]
    found = listener.span_probabilities(spanned.references, spans)
    assert (found > 0.05).mean() > 0.7
    assert (found <= 1).all()


@given(st.lists(st.sampled_from(range(6)), min_size=1, max_size=3))
@settings(max_examples=20)
def test_single_words_are_a_distribution_over_two_words(
    listener: Listener, said: list[int]
) -> None:
    words = listener.single_words
    known = np.flatnonzero(listener.lexicon.known).tolist()
    total = words.probability(said[:1], [])
    total += sum(words.probability(said[:1], [one]) for one in known)
    total += sum(words.probability(said[:1], pair) for pair in product(known, repeat=2))
    assert total == pytest.approx(1, abs=1e-6)


def test_probabilities_of_words_apart_are_summed_over_divisions() -> None:
    words = [{(1,): 0.5, (): 0.25}, {(1,): 0.5, (1, 1): 0.5}]
    assert joined_probability(words, (1, 1)) == pytest.approx(0.5 * 0.5 + 0.25 * 0.5)


# Places.


def test_the_weights_of_places_are_recovered() -> None:
    random = np.random.default_rng(3)
    zipf = random.uniform(1, 7, 24_000)
    offsets = np.arange(0, 24_001, 8)
    words = Utterances(zipf, np.full(24_000, 4), offsets, np.zeros(24_000))
    weights = dict.fromkeys(FEATURES, 0.0) | {
        "constant": -2.0, "rare": 0.6, "wrong before": 1.0, "utterance": 1.0,
    }  # fmt: skip
    names = [
        name for name in FEATURES if name not in ("wrong before", "two wrong before", "utterance")
    ]
    odds = words.features() @ np.array([weights[name] for name in names])
    odds += random.normal(size=3000)[words.rows]
    uniform = random.random(24_000)
    threshold = np.log(uniform) - np.log1p(-uniform)
    wrong = draw_wrong(odds, weights, threshold, offsets, np.zeros(24_000, bool))
    found, expected = fit_places(words, wrong, 0)
    assert found["rare"] + found["very rare"] / 3 == pytest.approx(0.6, abs=0.15)
    assert found["wrong before"] == pytest.approx(1.0, abs=0.3)
    assert found["utterance"] == pytest.approx(1.0, abs=0.3)
    assert expected.sum() == pytest.approx(wrong.sum(), rel=0.05)


def test_a_higher_shift_never_clears_a_word() -> None:
    random = np.random.default_rng(0)
    offsets = np.array([0, 0, 5, 11, 30])
    uniform = random.random(30)
    threshold = np.log(uniform) - np.log1p(-uniform)
    weights = dict.fromkeys(FEATURES, 0.0) | {"wrong before": 1.5, "two wrong before": 0.2}
    barred = np.zeros(30, bool)
    barred[[3, 12]] = True
    before = np.zeros(30, bool)
    for shift in np.linspace(-5, 5, 21):
        wrong = draw_wrong(random.normal(size=30) * 0 + shift, weights, threshold, offsets, barred)
        assert not (before & ~wrong).any()
        assert not wrong[barred].any()
        before = wrong
    assert before[~barred].sum() > 20


# Drawing.


@pytest.mark.parametrize("wer", [0.02, 0.16, 0.4])
def test_the_target_is_met_exactly_and_seeds_repeat(path: Path, wer: float) -> None:
    channel = f"listen:file={path}"
    noisy = misword.corrupt(TEXTS, wer, channel=channel, lang="en", seed=3)
    (level,) = noisy.levels.values()
    words = sum(len(text.split()) for text in TEXTS)
    assert level.realised.errors == round(wer * words)
    scored = misword.score(TEXTS, level.texts, "wer").summary(bootstrap=0)
    assert scored["rate"][0] == level.realised.wer
    again = misword.corrupt(TEXTS, wer, channel=channel, lang="en", seed=3, workers=2)
    assert next(iter(again.levels.values())).texts == level.texts
    other = misword.corrupt(TEXTS, wer, channel=channel, lang="en", seed=4)
    assert next(iter(other.levels.values())).texts != level.texts


def test_rows_do_not_depend_on_the_block_they_are_in(listener: Listener) -> None:
    sampler = ListeningSampler(listener)
    whole = TextBlock.of("\0".join(TEXTS).encode(), len(TEXTS))
    keys = number_keys(0, len(TEXTS))
    noise = sampler.row_noise(whole, keys, 0.2, 1)
    together = noise.draw(whole, keys)
    assert together.errors == pytest.approx(0.2 * len(whole.tokens.ids), abs=3)
    parts = []
    for start in range(0, len(TEXTS), 7):
        texts = TEXTS[start : start + 7]
        block = TextBlock.of("\0".join(texts).encode(), len(texts))
        parts.append(noise.draw(block, keys[start : start + 7]).text)
    assert b"\0".join(parts) == together.text


def test_shards_have_the_same_texts_in_other_processes(path: Path, tmp_path: Path) -> None:
    """However the rows are divided, each row has the same noisy text."""
    rows = pl.DataFrame({"id": [f"u{n}" for n in range(120)], "text": TEXTS})
    found = []
    for shards in (2, 5):
        clean, noisy = tmp_path / f"clean{shards}", tmp_path / f"noisy{shards}"
        clean.mkdir()
        for number, part in enumerate(rows.iter_slices(120 // shards)):
            part.write_parquet(clean / f"{number}.parquet")
        source = misword.shards(
            str(clean), engine="process", out=str(noisy), id_column="id", reference_column="text"
        )
        misword.corrupt(source, 0.2, channel=f"listen:file={path}", lang="en")
        found.append(pl.read_parquet(noisy / "*.parquet"))
    assert found[0].equals(found[1])
    assert not found[0].equals(rows)


def test_punctuation_case_and_ids_stay(path: Path, tmp_path: Path) -> None:
    file, noisy = tmp_path / "text.txt", tmp_path / "noisy.txt"
    file.write_text("".join(f"utt{n} The Cat sat, on THE mat!\n" for n in range(40)), "utf-8")
    misword.corrupt_file(file, 0.5, noisy, channel=f"listen:file={path}", lang="en")
    rows = noisy.read_text("utf-8").splitlines()
    assert [row.split()[0] for row in rows] == [f"utt{n}" for n in range(40)]
    assert sum(row.endswith("!") for row in rows) > 20
    assert not any(" ," in row or " !" in row for row in rows)


def test_an_extra_word_is_written_before_the_punctuation(listener: Listener) -> None:
    block = TextBlock.of(b"ramen, we", 1)
    listening = BlockListening(
        block, ListeningSampler(listener), Draws.of_block(block, (0, 0.1, 0))
    )
    ids = listener.lexicon.ids
    listening.answers[0, 1] = (ids["raw"], ids["men"])
    text = listening._written([(0, 1)], np.zeros(0, np.int64)).text
    assert text == b"raw men, we"


@pytest.mark.parametrize("channel", ["listen:vocabulary=learnt", "uniform"])
def test_kept_words_stay_and_only_chosen_words_change(channel: str, tmp_path: Path) -> None:
    kept = tmp_path / "words.txt"
    kept.write_text("cat\nthe mat\nKNIGHT\n", encoding="utf-8")
    noisy = misword.corrupt(TEXTS, 0.3, channel=channel, lang="en", keep=kept)
    (level,) = noisy.levels.values()
    assert level.realised.wer == pytest.approx(0.3, abs=0.01)
    for clean, text in zip(TEXTS, level.texts, strict=True):
        for phrase in ("cat", "the mat", "knight"):
            assert clean.count(phrase) <= text.count(phrase)
    only = misword.corrupt(TEXTS, 0.05, channel=channel, lang="en", only=kept)
    (level,) = only.levels.values()
    changed = set(level.truth["old"].drop_nulls())
    assert changed <= {"cat", "the", "mat", "knight"}
    assert level.realised.errors


def test_a_list_without_words_and_a_missing_one_are_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("\n", encoding="utf-8")
    with pytest.raises(InputError, match="no words"):
        misword.corrupt(TEXTS, 0.1, channel="uniform", keep=empty)
    with pytest.raises(InputError, match="cannot be read"):
        misword.corrupt(TEXTS, 0.1, channel="uniform", only=tmp_path / "none.txt")
    with pytest.raises(OptionError, match="language"):
        misword.corrupt(TEXTS, 0.1, channel="uniform", keep="entities")


# The file, and what is refused.


def test_the_file_is_read_as_it_was_written(learnt: LearntListening, path: Path) -> None:
    assert LearntListening.read(path) == learnt
    path.with_name("half.json").write_text(learnt.to_json()[:500], encoding="utf-8")
    with pytest.raises(InputError):
        LearntListening.read(path.with_name("half.json"))


def test_what_a_listener_cannot_do_is_refused(path: Path) -> None:
    with pytest.raises(OptionError, match="decides itself"):
        misword.corrupt(TEXTS, 0.1, channel=f"listen:file={path}", lang="en", mix="s=1")
    with pytest.raises(OptionError, match="sum"):
        misword.corrupt(TEXTS, 0.1, channel="0.5*listen+0.5*uniform", lang="en")
    with pytest.raises(InputError, match="no such file"):
        create_channel("listen:file=none.json").check(ENGLISH)
    with pytest.raises(OptionError, match="learnt in"):
        create_channel(f"listen:file={path}").check(Context.of("fr"))
    with pytest.raises(InputError, match="no substitution"):
        misword.learn_noise(SAID, SAID, channel="listen", lang="en", vocabulary="learnt")


# Invented spellings.


def inventive() -> LearntListening:
    """A recogniser that writes f for ph in rare words, which are then in no list."""
    said = ["the phlox", "the phlebotomist", "a sylph", "a nymph", "the lymphoma"] * 6
    heard = [text.replace("ph", "f") for text in said]
    found = misword.learn_noise(
        said + TEXTS, heard + TEXTS, channel="listen", lang="en", vocabulary="wordfreq"
    )
    assert isinstance(found, LearntListening)
    return found


def test_a_change_of_spelling_is_learnt_and_drawn_in_other_words(tmp_path: Path) -> None:
    found = inventive()
    assert found.spellings["ph"]["f"] == pytest.approx(30 / 32, abs=0.2)
    file = tmp_path / "listener.json"
    file.write_text(found.to_json(), encoding="utf-8")
    texts = ["a phrygian cap", "the cat"]
    model = Listen(str(file)).model(sorted({w for t in texts for w in t.split()}), texts, ENGLISH)
    (word,) = [n for n, w in enumerate(model.vocabulary) if w == "phrygian"]
    spelt = {model.vocabulary[n]: p for n, p in model.listener.invented[word].items()}
    assert max(spelt, key=lambda name: spelt[name]) == "frygian"
    assert sum(spelt.values()) <= max(found.invented.values())
    (choices,) = model.listener.choices([Region((word,), (model.listener.ngrams.begin,) * 2, 0)])
    assert choices.probability.sum() == pytest.approx(1)
    noisy = misword.corrupt(texts * 20, 0.3, channel=f"listen:file={file}", lang="en")
    assert any("frygian" in text for text in noisy.levels["wer-0.30"].texts)
    spanned = SpannedCorpus.of(AlignedCorpus.align(texts, ["a frygian cap", "the cat"]))
    assert model.span_probabilities(spanned, spanned.spans)[0] > 0.01


def test_words_of_the_list_are_not_invented() -> None:
    """In its own hypotheses a recogniser that writes words of the list invents none."""
    found = misword.learn_noise(SAID * 4, HEARD * 4, channel="listen", lang="en")
    assert isinstance(found, LearntListening)
    assert sum(found.invented.values()) == 0


def test_a_file_without_spellings_is_read(learnt: LearntListening, tmp_path: Path) -> None:
    """Older files have neither spellings nor the weight `common`."""
    old = replace(learnt, weights={k: v for k, v in learnt.weights.items() if k != "common"})
    content = {k: v for k, v in json.loads(old.to_json()).items() if k != "checksum"}
    del content["spellings"], content["invented"]
    file = tmp_path / "old.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    assert misword.corrupt(TEXTS, 0.2, channel=f"listen:file={file}", lang="en")
