"""Rules of a file as a normalizer."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import misword
from misword.cli.main import main
from misword.core.errors import InputError, MiswordError, OptionError
from misword.text.normalizers import normalize, normalizers, spell_chain
from misword.text.normalizers import rules as rules_module
from misword.text.normalizers.rules import Rules
from misword.text.texts import Texts

RULES = r"""
# Rules for every language.
\bgonna\b => going to
(\d)\s*(km|kg)\b => \1 \2
"-" => " "
\buh\b =>
[fr]
\bl'\s* => le
[en]
(?i)\bmr\b\.? => mister
[*]
#(\d) => number \1
"""


@pytest.fixture
def rules(tmp_path: Path) -> str:
    path = tmp_path / "rules.txt"
    path.write_text(RULES, "utf-8")
    return str(path)


def applied(path: str, lang: str, *rows: str) -> list[str]:
    return normalize(Texts.of(rows), normalizers([Rules(path)], lang)).split()


@pytest.mark.parametrize(
    ("lang", "before", "after"),
    [
        ("en", "he's gonna go", "he's going to go"),
        ("en", "5km e-mail", "5 km e mail"),
        ("en", "so uh yes", "so  yes"),
        ("en", "MR. Smith l'eau", "mister Smith l'eau"),
        ("fr", "l'eau Mr. Smith", "leeau Mr. Smith"),
        ("de", "#3 l'eau", "number 3 l'eau"),
    ],
)
def test_rules_of_a_language(rules: str, lang: str, before: str, after: str) -> None:
    assert applied(rules, lang, before) == [after]


def test_rules_are_applied_in_order_and_to_each_row_alone(tmp_path: Path) -> None:
    path = tmp_path / "rules.txt"
    path.write_text("^a => b\nb$ => c\n\\s+ => _\n", "utf-8")
    assert applied(str(path), "", "a", "a a", "", "x b") == ["c", "b_a", "", "x_c"]


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+$", "a" * 60 + "b"),
        (r"(\w+\s?)+$", "word " * 30 + "?"),
        ("(a|aa)+$", "a" * 80 + "b"),
        (r"\s+$", " " * 1_000_000 + "x"),
        ("(.*a){20}$", "a" * 60 + "b" * 60),
    ],
)
def test_a_rule_that_takes_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, text: str
) -> None:
    monkeypatch.setattr(rules_module, "SECONDS", 0.3)
    monkeypatch.setattr(rules_module, "SECONDS_PER_CHARACTER", 0)
    path = tmp_path / "rules.txt"
    path.write_text(f"b => b\n{pattern} => x\n", "utf-8")
    with pytest.raises(InputError, match=r"takes more than 0 seconds on text 3") as caught:
        applied(str(path), "", "fine", "fine", text)
    assert caught.value.where == f"{path}:2"
    assert repr(pattern) in caught.value.what
    assert applied(str(path), "", "?") == ["?"]


def test_the_alarm_clock_of_the_caller_is_put_back(rules: str) -> None:
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    signal.setitimer(signal.ITIMER_REAL, 50, 7)
    try:
        assert applied(rules, "en", "so uh yes") == ["so  yes"]
        left, interval = signal.getitimer(signal.ITIMER_REAL)
        assert (0 < left <= 50, interval, rung) == (True, 7, [])
        handler = signal.getsignal(signal.SIGALRM)
        assert callable(handler)
        handler(signal.SIGALRM, None)
        assert rung == [1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_rules_in_another_thread(rules: str) -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(applied, rules, "en", "so uh yes").result() == ["so  yes"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("gonna going to", "not a rule"),
        ("gonna=>going to", "not a rule"),
        ("=> x", "the pattern is empty"),
        ("(a => b", "is wrong: missing"),
        (r"a => \2", "is wrong: invalid group reference"),
        (r"a => \q", "is wrong: bad escape"),
        (r"a => \0", "NUL"),
        ("[french]", "not a language code"),
    ],
)
def test_an_error_names_the_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "rules.txt"
    path.write_text(f"# one\nfine => yes\n{line}\n", "utf-8")
    with pytest.raises(InputError, match=message) as caught:
        Rules(str(path))
    assert caught.value.where.endswith("rules.txt:3")
    assert caught.value.fix


def test_an_arrow_within_a_rule(tmp_path: Path) -> None:
    path = tmp_path / "rules.txt"
    path.write_text('a =[>] b => x\n"quoted" => said\n""q"" => "y "\n', "utf-8")
    assert applied(str(path), "", 'a => b quoted "q"') == ["x said y "]


def test_rules_of_a_language_need_the_language(rules: str) -> None:
    with pytest.raises(OptionError, match="for en, fr only") as caught:
        misword.score(["a"], ["a"], rules=rules)
    assert "--lang" in caught.value.fix


def test_rules_need_a_file() -> None:
    with pytest.raises(OptionError, match="no file"):
        normalizers("rules")
    with pytest.raises(MiswordError, match="no such file"):
        normalizers("rules:file=missing.txt")


def test_rules_come_after_the_normalizers_and_have_a_digest(rules: str) -> None:
    texts = ["GONNA go"], ["going to go"]
    scores = misword.score(*texts, "wer", normalize="lower", rules=rules, lang="en")
    assert scores.summary(bootstrap=0)["rate"].to_list() == [0.0]
    signature = str(scores.columns[0].signature)
    assert "norm:lower+rules[sha256=" in signature
    assert "lang=en]" in signature


def test_the_digest_is_that_of_the_file(tmp_path: Path) -> None:
    one, other = tmp_path / "a.txt", tmp_path / "b.txt"
    one.write_text("a => b\n", "utf-8")
    other.write_text("a => c\n", "utf-8")
    spelled = [spell_chain(normalizers([Rules(str(path))])) for path in (one, other)]
    assert spelled[0] != spelled[1]
    other.write_text("a => b\n", "utf-8")
    assert spell_chain(normalizers([Rules(str(other))])) == spelled[0]


def test_the_command_line(rules: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ref.txt").write_text("he is gonna go\n", "utf-8")
    (tmp_path / "hyp.txt").write_text("he is going to go\n", "utf-8")
    files = [str(tmp_path / name) for name in ("ref.txt", "hyp.txt")]
    options = ["--rules", rules, "--lang", "en", "--metrics", "wer", "--format", "csv"]
    assert main(["score", *files, *options]) == 0
    captured = capsys.readouterr()
    assert ",0.0," in captured.out
    assert "uses --lang" not in captured.err
    assert main(["align", *files, *options[:4], "--format", "json"]) == 0
    assert "rules[sha256=" in capsys.readouterr().out
