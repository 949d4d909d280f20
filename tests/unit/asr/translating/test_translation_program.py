"""Translation by a program: each text once, as many lines as texts, clear failures, a cache."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from misword.asr.translating.program import TranslationCache, TranslationProgram, translate_texts
from misword.core.errors import InputError, OptionError


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


UPPER = "import sys\nfor line in sys.stdin: print(line.strip().upper(), flush=True)"


def test_each_distinct_text_once_in_order() -> None:
    seen: list[list[str]] = []

    def translator(texts: list[str]) -> list[str]:
        seen.append(texts)
        return [text[::-1] for text in texts]

    texts = ["ab", "cd", "ab", "", "  ", "c\nd", "c d"]
    assert translate_texts(texts, translator) == ["ba", "dc", "ba", "", "", "d c", "d c"]
    assert seen == [["ab", "cd", "c d"]]
    assert translate_texts(["", ""], translator) == ["", ""]
    assert len(seen) == 1


def test_a_function_with_too_few_translations() -> None:
    with pytest.raises(InputError, match="1 translation of 2 texts"):
        translate_texts(["a", "b"], lambda texts: texts[:1])


def test_a_program_with_many_texts() -> None:
    texts = [f"é {number} " + "x" * 200 for number in range(5_000)]  # more than a pipe holds
    program = TranslationProgram.of(python(UPPER))
    assert program(texts) == [text.upper() for text in texts]


def test_a_program_that_reads_all_before_it_writes() -> None:
    code = "import sys; lines = sys.stdin.read().split('\\n')[:-1]; print(*lines, sep='\\n')"
    assert TranslationProgram.of(python(code))(["a", "b"]) == ["a", "b"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("print('x')", "it wrote 1 line for 2 texts\n"),
        ("print('x\\n' * 5, end='')", "it wrote 5 lines for 2 texts\n"),
        ("import sys; sys.exit('no model')", "code 1; it wrote 0 lines .*its message: no model"),
        ("import sys; sys.stdout.buffer.write(b'\\xff\\n\\xff\\n')", "not UTF-8"),
    ],
)
def test_programs_that_fail(code: str, message: str) -> None:
    program = TranslationProgram.of(python(code))
    with pytest.raises(InputError, match=message) as raised:
        program(["a", "b"])
    assert raised.value.fix


def test_a_program_that_never_ends_and_its_children() -> None:
    program = TranslationProgram.of(["sh", "-c", "sleep 100; true"], timeout=0.5)
    with pytest.raises(InputError, match=r"did not end within 0\.5 seconds") as raised:
        program(["a"])
    assert "--translate-timeout" in raised.value.fix


@pytest.mark.parametrize("command", ["", [], "tr 'a"])
def test_commands_that_are_refused(command: str | list[str]) -> None:
    with pytest.raises(OptionError):
        TranslationProgram.of(command)


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(OptionError, match="no program 'not-there'"):
        TranslationProgram.of("not-there -x").check()
    with pytest.raises(OptionError, match="timeout is 0"):
        TranslationProgram.of("cat", timeout=0)


# What a shell, a line or a template would read as something else.
SIGNS = "ab é'\"\\$`!*?[]{}()<>|&;#~=%\t\n\r\u2028\x0b\x85"


@given(words=st.lists(st.text(SIGNS, max_size=8), min_size=1, max_size=4))
def test_a_command_as_it_is_shown_is_the_same_command(words: list[str]) -> None:
    program = TranslationProgram.of(words)
    assert TranslationProgram.of(program.shown).command == tuple(words)


ECHO = "#!/bin/sh\nprintf '%s|' \"$@\" >&2; exec cat\n"


@pytest.mark.parametrize(
    "name", ["a b.sh", "it's.sh", '"quoted".sh', "a\nb.sh", "$(id)*;.sh", "-x"]
)
def test_paths_and_arguments_reach_the_program_as_they_are(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(ECHO)
    path.chmod(0o755)
    program = TranslationProgram.of(shlex.join([str(path), "", "two words", name]))
    program.check()
    texts = ["it's", '"so"', "$HOME `id` \\n %s", "a\\", "-n", "#x", "*", "\ufeffé\u2028b"]
    assert program(texts) == texts
    failing = TranslationProgram.of([str(path), "", "two words", name, "\n"])
    with pytest.raises(InputError) as raised:
        failing._run(["a\nb"])  # a text of two lines has two translations
    assert raised.value.what.endswith(f"its message: |two words|{name}|\n|")
    assert raised.value.where == failing.shown


@given(texts=st.lists(st.text(SIGNS, max_size=12), max_size=8))
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
def test_texts_reach_the_program_as_they_are(texts: list[str]) -> None:
    found = translate_texts(texts, TranslationProgram.of(["cat"]))
    assert found == [" ".join(text.split()) for text in texts]


@pytest.mark.parametrize("command", [["cat\0"], ["cat", "\0"], "cat 'a\0'"])
def test_nul_in_a_command(command: str | list[str]) -> None:
    with pytest.raises(OptionError, match="NUL"):
        TranslationProgram.of(command)


def test_no_shell_reads_the_command() -> None:
    assert TranslationProgram.of("echo 'a b' | tr").command == ("echo", "a b", "|", "tr")


def test_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path))
    script = tmp_path / "upper.py"
    script.write_text(UPPER)
    program = TranslationProgram.of([sys.executable, str(script)], cache=True)
    assert program(["a", "b"]) == ["A", "B"]
    stored = TranslationCache.of(program.command)
    assert stored.read() == {"a": "A", "b": "B"}
    stored.write({"a": "stored"})
    assert program(["a", "b"]) == ["stored", "B"]
    stored.file.write_text('["a", "A"]\nnot JSON\n["b"]\n{"c": 1}\n')
    assert stored.read() == {"a": "A"}
    script.write_text(UPPER + "\n")  # another program
    assert TranslationCache.of(program.command).file != stored.file
