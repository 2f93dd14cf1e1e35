"""Every page is tried: its Python runs, its TOML reads, its commands exist with the options they are shown
with.

A block in `text` or no language, or one after a comment `<!-- not run: why -->`, is output or illustration.
"""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import signatures
import typer

from openiir.cli.app import app

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"<!-- not run: .+ -->\s*\Z")
SHELLS = {"console", "sh", "bash", "shell"}
LEFT_OUT = {".venv", "runs", "build", "dist", "node_modules", "sources"}
MATERIAL = re.compile(r"scenarios/\w+/reference/")
"""Reference studies and what they read, which are no pages."""
PAGES = sorted(
    p
    for p in [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "examples").rglob("*.md"),
        *ROOT.glob("src/openiir/**/README.md"),
    ]
    if not LEFT_OUT.intersection(p.relative_to(ROOT).parts) and not MATERIAL.search(p.as_posix())
)
TREE = typer.main.get_command(app)


def blocks(page):
    """(text since the last block, language, text) of each block that is not marked as output."""
    text, last = page.read_text(encoding="utf-8"), 0
    for found in FENCE.finditer(text):
        before, last = text[last : found.start()], found.end()
        body = "\n".join(line.removeprefix(found[1]) for line in found[3].splitlines()) + "\n"
        if not NOT_RUN.search(before):
            yield before, found[2], body


class Refused(Exception):
    """The command line does not take these words."""


def of_language(*languages):
    return [
        pytest.param(page, list(found), id=str(page.relative_to(ROOT)))
        for page in PAGES
        if (found := [b for b in blocks(page) if b[1] in languages])
    ]


def commands(block):
    """The commands of a shell block: prompts, comments and line breaks taken off; output (console) left
    out."""
    lines = block.replace("\\\n", " ").splitlines()
    if any(line.startswith("$ ") for line in lines):
        lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    for line in lines:
        words = shlex.split(line, comments=True)
        for n in range(len(words) + 1):
            if n == len(words) or words[n] in ("&&", "|", ";", "||"):
                yield words[:n]
                yield from (list(c) for c in split_rest(words[n + 1 :]))
                break


def split_rest(words):
    current = []
    for word in words:
        if word in ("&&", "|", ";", "||"):
            yield current
            current = []
        else:
            current.append(word)
    if current:
        yield current


def parse(words):
    """Have the command line's own parser read a command; raises Refused."""
    command, name, rest = TREE, "openiir", list(words)
    while hasattr(command, "commands"):
        if not rest or rest[0] == "--help":
            return
        name, rest = rest[0], rest[1:]
        if name not in command.list_commands(None):
            raise Refused(f"there is no command {name!r}")
        command = command.get_command(None, name)
    if "--help" in rest:
        return
    try:
        command.make_context(name, rest)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        raise Refused(error.format_message()) from None


@pytest.mark.parametrize(("page", "found"), of_language(*SHELLS))
def test_commands_exist_as_they_are_shown(page, found):
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for _, _, block in found:
        for words in commands(block):
            words = [
                w
                for n, w in enumerate(words)
                if not (re.fullmatch(r"\w+=.*", w) and all("=" in x for x in words[:n]))
            ]
            if not words:
                continue
            program = Path(words[0]).name
            if program == "openiir":
                try:
                    parse(words[1:])
                except Refused as error:
                    pytest.fail(f"{page.name}: {' '.join(words)}: {error}")
            elif program == "make":
                wanted = {w for w in words[1:] if "=" not in w and not w.startswith("-")}
                assert wanted <= targets, f"{page.name}: {' '.join(words)}"
            elif program in ("python", "python3") and len(words) > 1 and words[1].endswith(".py"):
                assert (ROOT / words[1]).is_file(), f"{page.name}: there is no {words[1]}"


@pytest.mark.parametrize(("page", "found"), of_language("toml"))
def test_toml_can_be_read(page, found):
    for _, _, block in found:
        tomllib.loads(block)


@pytest.mark.parametrize(("page", "found"), of_language("python"))
def test_python_runs(page, found, tmp_path, run_page):
    """A page's blocks run one after the other, as one program, beside the files that the page shows by name.

    Where they inherit the contract, its tests run and pass.
    """
    for before, language, block in blocks(page):
        named = re.findall(r"`([\w-]+\.toml)`", before)
        if language == "toml" and named:
            (tmp_path / named[-1]).write_text(block, encoding="utf-8")
    program = "\n".join(block for _, _, block in found)
    (tmp_path / "page.py").write_text(program, encoding="utf-8")
    if "(ScenarioContract)" in program:
        code, printed = run_its_tests(tmp_path)
    else:
        code, printed = run_page(tmp_path)
    assert code == 0, f"{page.relative_to(ROOT)}: {printed[-1_500:]}"


def run_its_tests(folder):
    """Exit code and output of pytest on `page.py`, in a Python of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "page.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    return done.returncode, done.stdout + done.stderr


def test_the_page_of_signatures_is_up_to_date():
    current = signatures.PAGE.read_text("utf-8") == signatures.write_page()
    assert current, "run python tests/house/signatures.py"


def test_fences_say_their_language():
    known = {*SHELLS, "python", "toml", "text", "sql", "cypher", "json", "mermaid", "make", ""}
    for page in PAGES:
        for _, language, block in blocks(page):
            assert language in known, (
                f"{page.relative_to(ROOT)}: name the language of the block that begins {block[:60]!r}"
            )


def test_a_wrong_option_is_seen():
    parse(["run", "panel", "--out", "x"])
    for wrong in (["run", "panel", "--colour", "x"], ["fly"], ["world", "raze"], ["replay"]):
        with pytest.raises(Refused):
            parse(wrong)


def test_shell_blocks_are_taken_apart():
    assert list(commands("$ a b \\\n  c\noutput\n$ d && e # why\n")) == [["a", "b", "c"], ["d"], ["e"]]
    assert list(commands("# only words\nx 'y z' | w\n")) == [[], ["x", "y z"], ["w"]]
