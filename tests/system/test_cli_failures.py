"""The command line when something is wrong: one line that says what, a status, and nothing of the scenario."""

from __future__ import annotations

import json
import logging
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
import typer
from cli_calls import PROJECT, RULE, SCENARIO, SECRETS, Lexscope, Ran, address, caller
from conftest import Stores
from requirements import requirement

from rag import Engine
from rag.settings import Settings


@pytest.fixture
def bare(capsys: pytest.CaptureFixture[str]) -> Lexscope:
    """The command without a store."""
    return caller(capsys)


@pytest.fixture(scope="module")
def common(stores: Stores, sample_template: str) -> Settings:
    """Settings of a store with the sample, for tests that leave its law and records as they are."""
    return stores.clone(sample_template)


@pytest.fixture
def lexscope(capsys: pytest.CaptureFixture[str], common: Settings) -> Lexscope:
    """The command on the sample."""
    return caller(capsys, "--database-url", address(common))


# --- requests that cannot be used -------------------------------------------------------------------------------------


@requirement("P8")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("context", "urn:lex:us"), "A URN looks like"),
        (("context", "urn:lex:us:16cfr::b"), "Part 5 of the URN"),
        (("ask", SCENARIO, "--jurisdiction", "zz"), "The store has no law of jurisdiction zz"),
        (("ask", SCENARIO, "--jurisdiction", "Quux!"), "The jurisdiction is not a code"),
        (("ask", SCENARIO, "--at-date", "2024-02-30"), "not a day of the calendar"),
        (("ask", SCENARIO, "--at-date", "99999-01-01"), "YYYY-MM-DD"),
        (("ask", ""), "The question is empty"),
        (("ask", " \x1b? "), "The question is empty"),
        (("search", SCENARIO, "--mode", "Quux"), "--mode is one of keyword, semantic, hybrid"),
        (("search", SCENARIO, "--limit", "Quux"), "--limit has a value that cannot be used: it takes a whole number"),
        (
            ("ask", SCENARIO, "--rules", "0"),
            "--rules has a value that cannot be used: it takes a whole number from 1",
        ),
        (("override", "import", "no-such.csv"), "cannot be read: No such file or directory"),
        (("search", SCENARIO, "--limit"), "--limit needs a value"),
        (("ask", *SCENARIO.split()), "put a question in quotes"),
        (("ask", "--Quux", "Quux"), "There is no such option. A question that begins with a dash"),
        (("search", "--limmit", "3", SCENARIO), "There is no such option. Did you mean --limit? See `lexscope search"),
        (("ask", "--Quux kept my deposit"), "There is no such option"),
        (("ask",), "QUESTION is missing. See `lexscope ask --help`."),
        ((SCENARIO,), "There is no such verb"),
        (("override", "Quux"), "There is no such verb. The verbs of override are add, list, end, import"),
        (("synonyms", "lsit"), "Did you mean list? `lexscope synonyms --help` lists all."),
        (
            ("override", "add", RULE, "--status", "Quux", "--court", "C", "--citation", "D"),
            "--status is one of 'VOID', ",
        ),
        (("override", "add", "Quux", "--status", "VOID", "--court", "C", "--citation", "D"), "URN: A URN looks like"),
        (("preemption", "add", RULE, RULE, "--kind", "Quux"), "--kind is one of 'express', 'conflict', 'field'."),
        (("search", SCENARIO, "--edge", "Quux"), "--edge has the form KIND=ID, each kind once."),
        (("synonyms", "list", "--language", "Quux"), "The language is not a code"),
        (("traces", "--status", "Quux"), "--status is one of answered, places, refused"),
        (("verify", os.devnull), "There is no text to verify"),
        (("serach", "deposit"), "Did you mean search?"),
        (("ask", SCENARIO, "--dump", "Quux.pdf"), "A dump's file name ends in"),
        (("ask", SCENARIO, "--dump", "no-such-folder/Quux.html"), "folder of the dump's file does not exist"),
        (("dump", "Quux.json"), "The dump cannot be read"),
        (("dump", "last", "--format", "Quux"), "--format is one of json, md, html"),
        (("ingest", "x", "--format", "Nope"), "the formats are lexjsonl"),
        (("ingest", "x", "--effective-date", "Quux"), "YYYY-MM-DD"),
        (("export", "urn:lex:ma:940cmr", "--json"), "--output"),
        (("override", "end", "77", "--on", "2024-01-01"), "There is no number 77"),
        (("demo",), "The demo has a store of its own"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line_without_repeating_it(
    lexscope: Lexscope, arguments: tuple[str, ...], words: str
) -> None:
    ran = lexscope(*arguments)
    assert ran.status == 2
    assert words in ran.err
    assert ran.err.startswith("lexscope: ")
    assert ran.err.count("\n") == 1
    if "--json" in arguments:
        assert words in json.loads(ran.out)["error"]["message"]
    else:
        assert ran.out == ""


@pytest.mark.parametrize(
    "arguments", [("ask",), ("ask", "--Quux"), ("search", SCENARIO, "--limit", "Quux"), ("ask", *SCENARIO.split())]
)
def test_arguments_that_cannot_be_used_are_told_in_the_one_document_too(
    lexscope: Lexscope, arguments: tuple[str, ...]
) -> None:
    ran = lexscope("--json", *arguments)
    told = json.loads(ran.out)["error"]
    assert (ran.status, told["code"], told["retryable"]) == (2, "bad_input", False)
    assert ran.err == f"lexscope: {told['message']}\n"
    assert "Quux" not in ran.out


def test_a_question_may_begin_with_a_dash_after_two_dashes(lexscope: Lexscope) -> None:
    ran = lexscope("ask", "--jurisdiction", "us-ma", "--", f"-{SCENARIO}")
    assert ran.status == 0


# --- failures ---------------------------------------------------------------------------------------------------------


@requirement("P7")
@pytest.mark.parametrize(
    ("url", "status", "words"),
    [
        ("postgresql://user:Quux@127.0.0.1:1/law", 1, "The database cannot be reached"),
        ("nonsense://Quux", 2, "is not a PostgreSQL connection string"),
    ],
)
def test_an_unusable_database_is_never_shown_as_no_such_law(bare: Lexscope, url: str, status: int, words: str) -> None:
    ran = bare("ask", SCENARIO, "--database-url", url)
    assert ran.status == status
    assert words in ran.err
    assert ran.out == ""


def test_a_store_without_schema_says_what_to_run(bare: Lexscope, server: str) -> None:
    ran = bare("ask", SCENARIO, "--database-url", server)
    assert ran.status == 1
    assert "lexscope init" in ran.err


@requirement("P7")
def test_a_connection_that_is_lost_fails_the_request(bare: Lexscope, common: Settings, server: str) -> None:
    def lose() -> None:
        with Engine.open(common) as engine, engine.database.read() as conn, psycopg.connect(server) as other:
            other.execute("select pg_terminate_backend(%s)", [conn.info.backend_pid])
            conn.execute("select 1")

    ran = bare("boom", program=other_program(lose))
    assert ran == Ran(
        1,
        "",
        "lexscope: The database cannot be reached, or the connection to it was lost. Try "
        "again; `lexscope doctor` says more.\n",
    )


def other_program(work: Callable[[], None]) -> typer.Typer:
    """A program whose only verb does something that ours do not."""
    program = typer.Typer()

    @program.callback()
    def options(debug: bool = False) -> None: ...

    @program.command()
    def boom() -> None:
        work()

    return program


def unexpected() -> None:
    raise RuntimeError(SCENARIO) from ValueError(SCENARIO)


def interrupted() -> None:
    raise KeyboardInterrupt


@requirement("P8")
def test_an_unexpected_exception_shows_its_type_and_nothing_else(bare: Lexscope) -> None:
    ran = bare("boom", program=other_program(unexpected))
    assert ran.status == 1
    assert ran.err == "lexscope: internal error (RuntimeError); run with --debug for a traceback\n"


@requirement("P8")
def test_debug_shows_where_it_arose_and_still_no_words(bare: Lexscope) -> None:
    ran = bare("boom", "--debug", program=other_program(unexpected))
    assert "in unexpected" in ran.err
    assert "raised ValueError" in ran.err
    assert ran.err.endswith("lexscope: internal error (RuntimeError)\n")


def test_an_interrupt_ends_with_status_130_and_in_silence(bare: Lexscope) -> None:
    assert bare("boom", program=other_program(interrupted)) == Ran(130, "", "")


# --- as a process -----------------------------------------------------------------------------------------------------


def process(settings: Settings, *arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "LEXSCOPE_DATABASE_URL": address(settings), "LC_ALL": "C"}
    return subprocess.run(
        [sys.executable, "-m", "rag.cli", *arguments], input=data, capture_output=True, env=environment, cwd=PROJECT,
        check=False, timeout=60,
    )  # fmt: skip


def test_a_scenario_on_stdin_is_answered(common: Settings) -> None:
    ran = process(common, "ask", "-", "--jurisdiction", "us-ma", data=SCENARIO.encode())
    assert ran.returncode == 0
    assert RULE.encode() in ran.stdout
    assert ran.stderr == b""


def test_a_megabyte_on_stdin_is_refused_with_its_length(common: Settings) -> None:
    ran = process(common, "ask", "-", data=SCENARIO.encode() * 14_500)
    assert ran.returncode == 2
    assert b"characters; the limit is 20000" in ran.stderr
    assert not any(secret.encode() in ran.stderr for secret in SECRETS)


def into_closed_pipe(settings: Settings, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """The command with no one left to read what it prints."""
    reading, writing = os.pipe()
    os.close(reading)
    environment = {**os.environ, "LEXSCOPE_DATABASE_URL": address(settings)}
    ran = subprocess.run(
        [sys.executable, "-m", "rag.cli", *arguments], stdout=writing, stderr=subprocess.PIPE, env=environment,
        cwd=PROJECT, check=False, timeout=60,
    )  # fmt: skip
    os.close(writing)
    return ran


@pytest.mark.parametrize(
    "arguments",
    [
        ("context", RULE), ("search", "deposit"), ("search", "deposit", "--json"), ("export", "urn:lex:ma:940cmr"),
        ("--help",), ("search", "--help"), ("--version",),
    ],
)  # fmt: skip
def test_a_reader_that_leaves_early_is_no_error_worth_words(common: Settings, arguments: tuple[str, ...]) -> None:
    ran = into_closed_pipe(common, *arguments)
    assert ran.returncode == 141  # as other programs end then, and no failure of ours
    assert ran.stderr == b""


def test_what_does_not_fit_is_told_as_that(common: Settings, tmp_path: Path) -> None:
    (tmp_path / "references.txt").write_text("940 CMR 3.17\n", encoding="utf-8")
    for arguments in (
        ("context", RULE),
        ("documents", "--json"),
        ("resolve", "--batch", str(tmp_path / "references.txt")),
    ):
        with Path("/dev/full").open("w", encoding="utf-8") as full:
            ran = subprocess.run(
                [sys.executable, "-m", "rag.cli", *arguments], stdout=full, stderr=subprocess.PIPE, cwd=PROJECT,
                env={**os.environ, "LEXSCOPE_DATABASE_URL": address(common)}, check=False, timeout=60, text=True,
            )  # fmt: skip
        assert ran.returncode == 1
        assert ran.stderr.endswith("there is no space left where it goes. Make room and try again.\n")
        assert "Traceback" not in ran.stderr


def test_a_closed_standard_output_is_no_fault_of_the_program(common: Settings) -> None:
    ran = subprocess.run(
        ["sh", "-c", f"{shlex.quote(sys.executable)} -m rag.cli context {RULE} >&-"], capture_output=True, cwd=PROJECT,
        env={**os.environ, "LEXSCOPE_DATABASE_URL": address(common)}, check=False, timeout=60,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, b"")


ENTERED_BY_NOBODY = """import os, sys
from rag.cli.doctor import examine
from rag.settings import load_settings
examine(load_settings(data_dir=sys.argv[1]))  # loads what it needs
if os.getuid() == 0:
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
print(examine(load_settings(data_dir=sys.argv[2])).checks[0])
"""


def test_a_folder_that_may_not_be_entered_is_a_line_of_doctor(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o000)
    ran = subprocess.run(
        [sys.executable, "-c", ENTERED_BY_NOBODY, str(tmp_path / "none"), str(closed / "data")], capture_output=True,
        cwd=PROJECT, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert "status='fail'" in ran.stdout, ran.stderr
    assert "is not writable; set --data-dir" in ran.stdout


def test_the_dump_is_written_although_the_reader_of_the_answer_left(common: Settings, tmp_path: Path) -> None:
    assert into_closed_pipe(common, "ask", SCENARIO, "--dump", str(tmp_path / "trace.json")).returncode == 141
    assert json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))


def test_a_run_without_debug_logs_nothing_after_one_with_it(bare: Lexscope) -> None:
    bare("--debug", "doctor", "--help")
    assert all(logging.getLogger(name).level == logging.DEBUG for name in ("rag", "retrieval"))
    bare("doctor", "--help")
    handlers = [handler for name in ("rag", "retrieval") for handler in logging.getLogger(name).handlers]
    assert [type(handler) for handler in handlers] == [logging.NullHandler, logging.NullHandler]
