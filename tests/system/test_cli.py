"""The command line as people and programs meet it: answers, ingest, records, dumps and help."""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import psycopg
import pytest
import typer
from cli_calls import PROJECT, RULE, SCENARIO, SECRETS, Lexscope, address, caller
from conftest import Stores
from hypothesis import given
from hypothesis import strategies as st
from requirements import requirement

from rag import Engine
from rag.answering.answer import Answer
from rag.cli.app import SECTIONS, app
from rag.cli.completion import verb_words
from rag.cli.session import EXAMPLES, GLOBAL_OPTIONS, SHORT, hoisted
from rag.ingest.pipeline import IngestReport
from rag.settings import Settings
from rag.telemetry.review.dump import load_trace
from retrieval.model import ScopedContext, SearchResult


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


@pytest.fixture
def recording(capsys: pytest.CaptureFixture[str], sample_settings: Settings) -> Lexscope:
    """The command on a sample of the test's own."""
    return caller(capsys, "--database-url", address(sample_settings))


# --- answers ----------------------------------------------------------------------------------------------------------


def test_an_answer_shows_claim_level_urn_and_quote_and_exits_with_0(lexscope: Lexscope) -> None:
    ran = lexscope("ask", SCENARIO, "--jurisdiction", "us-ma")
    assert ran.status == 0
    lines = ran.out.splitlines()
    at = lines.index("1. VERBATIM: the law's own words")
    urn = next(index for index in range(at, len(lines)) if lines[index].startswith("     940 CMR 3.17"))
    assert all(line.startswith("   > ") for line in lines[at + 1 : urn])  # the claim is the quote
    assert ", context " in ran.out
    assert "trace " in ran.out
    # A command is one line, to be copied.
    assert max(len(line) for line in lines if "lexscope " not in line and "rag.cli" not in line) <= 80
    assert "\x1b" not in ran.out


def test_json_is_one_document_of_the_contract(lexscope: Lexscope, common: Settings) -> None:
    answer = Answer.model_validate_json(lexscope("--json", "ask", SCENARIO, "--jurisdiction", "us-ma").out)
    assert answer.status == "answered"
    result = SearchResult.model_validate_json(lexscope("search", "late fee", "--limit", "1", "--json").out)
    assert len(result.results) == 1
    context = ScopedContext.model_validate_json(lexscope("context", RULE, "--json").out)
    with Engine.open(common) as engine:
        assert context.digest == engine.context(RULE).digest


@requirement("P6")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ask", "Must I pay a key fee?", "--jurisdiction", "us-ma"), "Legal Override active."),
        (("context", "urn:lex:ma:940cmr:3.12"), "Legal Override active."),
        (("context", "urn:lex:ma:940cmr:3.99"), "Known near it:"),
        (("context", "urn:lex:ma:940cmr:3.08"), "is not in force at"),
        (("ask", "urn:lex:ma:940cmr:3.08"), "--at-date"),
        (("ask", "xylophone zeppelin", "--jurisdiction", "us-ma"), "not a statement that no law exists"),
        (("search", "xylophone zeppelin"), "not a statement that no law exists"),
        (("ask", SCENARIO, "--jurisdiction", "us-ma", "--at-date", "0001-01-01"), "not a statement that no law"),
    ],
)
def test_refusal_halt_and_not_found_are_answers_with_status_3(
    lexscope: Lexscope, arguments: tuple[str, ...], words: str
) -> None:
    ran = lexscope(*arguments)
    assert ran.status == 3
    assert words in " ".join(ran.out.split())
    assert ran.err == ""


def test_law_that_tries_to_steer_a_terminal_is_shown_escaped(
    bare: Lexscope, empty_settings: Settings, tmp_path: Path
) -> None:
    hostile = "Owners \x1b[2Jshall\u202e pay\x9b31m interest on deposits."
    lines = [
        {"lexscope": 1, "corpus": {"urn": "urn:lex:us:1xyz", "title": "T", "language": "en"}},
        {"urn": "urn:lex:us:1xyz", "structure_type": "ROOT", "level": "title", "heading": "T"},
        {
            "urn": "urn:lex:us:1xyz:1", "parent_urn": "urn:lex:us:1xyz", "structure_type": "SECTION",
            "level": "section", "content_text": hostile,
        },
    ]  # fmt: skip
    file = tmp_path / "hostile.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    store = ("--database-url", address(empty_settings))
    assert bare(*store, "ingest", str(file)).status == 0
    for arguments in (("context", "urn:lex:us:1xyz:1"), ("context", "urn:lex:us:1xyz:1", "--json")):
        out = bare(*store, *arguments).out
        assert "interest on deposits" in out
        assert not any(char in out for char in "\x1b\x9b\u202e")
    context = ScopedContext.model_validate_json(out)
    assert context.blocks[-1].text == hostile


# What a terminal obeys or hides: colours and cursors, its title and clipboard, rings, what writes over a line, marks of
# direction, what has no width, and letters of a plane that nobody sees.
STEERING = (
    "\x1b[2J\x1b[31m\x1b]52;c;cm0gLXJm\x07\x1b]0;root\x07\x1bP+q\x1b\\", "\x9b31m\x07\roverwritten\b\b\b\x7f",
    "\u202e\u2066\u200b\u2060\ufeff\u00ad\U000e0041\U000e007f\u2028",
)  # fmt: skip
FORBIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]"
)


@pytest.mark.parametrize("steering", STEERING)
def test_s9_no_verb_gives_a_terminal_what_the_law_or_the_caller_steers_it_by(
    bare: Lexscope, empty_settings: Settings, tmp_path: Path, steering: str
) -> None:
    words = f"Owners {steering}shall pay interest{steering} on deposits."
    root, rule = "urn:lex:us:1xyz", "urn:lex:us:1xyz:1"
    lines: list[dict[str, object]] = [
        {"lexscope": 1, "corpus": {"urn": root, "title": f"Ti{steering}tle", "language": "en"}},
        {"urn": root, "structure_type": "ROOT", "level": "title", "heading": f"Hea{steering}ding"},
        {"urn": rule, "parent_urn": root, "structure_type": "SECTION", "level": "section", "number": "1",
         "heading": f"Depo{steering}sits", "content_text": words, "tags": {"note": f"a{steering}b"}},
    ]  # fmt: skip
    file = tmp_path / "hostile.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    memo = tmp_path / "memo.txt"
    memo.write_text(f"{rule} says “{words}” {steering} and {rule}:9 says {steering}nothing.", encoding="utf-8")
    store = ("--database-url", address(empty_settings))
    calls = [
        ("ingest", str(file)), ("search", "interest on deposits"), ("search", f"inter{steering}est", "--limit", "1"),
        ("context", rule), ("document", rule), ("documents",), ("browse",), ("browse", root),
        ("ask", f"Who {steering}pays interest?", "--jurisdiction", "us"), ("resolve", f"1 {steering}xyz"),
        ("resolve", rule), ("verify", str(memo)), ("diff", rule, "2020-01-01", "2021-01-01"),
        ("context", f"urn:{steering}"), ("search", "x", "--tag", f"a{steering}=b"), ("search", "x", "--mode", steering),
        ("verify", f"{steering}.txt"), (f"{steering}",), ("dump", "last"), ("traces",),
    ]  # fmt: skip
    shown = ""
    for arguments in calls:
        for json_too in ((), ("--json",)):
            ran = bare(*store, *json_too, *arguments)
            found = FORBIDDEN.search(ran.out + ran.err)
            assert found is None, (arguments, ran.out[-300:], ran.err[-300:])
            shown += ran.out
    assert shown.count("interest") > 10


# --- ingest -----------------------------------------------------------------------------------------------------------

DC = (
    'xmlns="https://code.dccouncil.us/schemas/dc-library" xmlns:xi="http://www.w3.org/2001/XInclude" '
    'containing-doc="D.C. Code"'
)
NATIVE = '{"lexscope": 1, "corpus": {"urn": "urn:lex:us:1xyz", "title": "T", "language": "en"}}\n'
NODE = '{"urn": "urn:lex:us:1xyz", "structure_type": "ROOT", "level": "title", "heading": "T"}\n'
BAD_FILES = {
    "words.xml": ("Quux is not XML", "its content is of no known format"),
    "truncated.xml": (f"<container {DC}><prefix>Title</prefix><num>51</num><heading>Quux", "not well-formed XML"),
    "entity.xml": (
        f'<!DOCTYPE x [<!ENTITY q "Quux">]><container {DC}><prefix>Title</prefix><num>51</num>'
        "<heading>&q;</heading></container>",
        "has a DOCTYPE",
    ),
    "include.xml": (
        f"<container {DC}><prefix>Title</prefix><num>51</num><heading>H.</heading>"
        '<xi:include href="./sections/none.xml"/></container>',
        "the included file sections/none.xml is missing",
    ),
    "twice.jsonl": (NATIVE + NODE + NODE, "has the URN of line 2"),
    "half.jsonl": (NATIVE + NODE + NODE[:30], "is not JSON at column"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_rejected_with_its_cause_and_nothing_of_it_is_stored(
    bare: Lexscope, empty_settings: Settings, tmp_path: Path, name: str
) -> None:
    text, cause = BAD_FILES[name]
    (tmp_path / name).write_text(text, encoding="utf-8")
    good = tmp_path / "good.jsonl"
    good.write_text(NATIVE.replace("1xyz", "2xyz") + NODE.replace("1xyz", "2xyz"), encoding="utf-8")
    ran = bare("--database-url", address(empty_settings), "ingest", str(tmp_path / name), str(good))
    assert ran.status == 1
    said = " ".join(ran.out.split())
    assert f"rejected {name}" in said
    assert cause in said
    assert not any(secret in ran.out for secret in SECRETS)
    assert "Traceback" not in ran.err
    with psycopg.connect(address(empty_settings)) as conn:
        stored = conn.execute("select urn from legal_nodes").fetchall()
    assert stored == [("urn:lex:us:2xyz",)]


def test_init_says_what_it_did_and_the_second_time_that_there_was_nothing_to_do(bare: Lexscope, stores: Stores) -> None:
    store = ("--database-url", address(stores.clone("template1")))
    assert json.loads(bare("init", "--json", *store).out)["applied"][0].startswith("0001_")
    assert "Nothing to do" in bare("init", *store).out
    assert bare("ingest", str(PROJECT / "rag" / "sample"), *store).status == 0


def test_ingest_reports_as_json_and_skips_what_it_has(lexscope: Lexscope) -> None:
    ran = lexscope("ingest", str(PROJECT / "rag" / "sample"), "--json")
    report = IngestReport.model_validate_json(ran.out)
    assert ran.status == 0
    assert (report.documents, report.unchanged, report.rejected) == (0, 3, [])
    assert ran.err.splitlines()[-1] == "3/3 massachusetts_like_statute.jsonl"


# --- records and dumps ------------------------------------------------------------------------------------------------


@requirement("P4")
def test_an_override_halts_from_its_first_day_until_it_ends(recording: Lexscope) -> None:
    added = recording(
        "override", "add", "urn:lex:ma:940cmr:3.17:*", "--status", "VOID", "--court", "Court", "--citation", "1 X 2",
        "--from", "2020-01-01", "--json",
    )  # fmt: skip
    number = json.loads(added.out)["number"]
    assert recording("context", RULE).status == 3
    assert recording("context", RULE, "--at-date", "2019-12-31").status == 0
    assert recording("override", "end", str(number), "--on", "2021-01-01").status == 0
    assert recording("context", RULE).status == 0
    assert "from 2020-01-01 until 2021-01-01" in " ".join(recording("override", "list").out.split())


def test_preemption_can_be_recorded_listed_and_ended(recording: Lexscope) -> None:
    added = recording("preemption", "add", "urn:lex:us:16cfr:310.4", "urn:lex:ma:940cmr:3.17", "--kind", "field")
    assert added.out == "Recorded as number 2.\n"
    assert recording("preemption", "end", "2", "--on", "2020-01-01").status == 0
    listed = json.loads(recording("preemption", "list", "--json").out)["preemption"]
    assert [entry["effective_to"] for entry in listed if entry["id"] == 2] == ["2020-01-01"]


def test_an_import_with_one_bad_row_writes_nothing_and_names_its_line(recording: Lexscope, tmp_path: Path) -> None:
    file = tmp_path / "synonyms.csv"
    file.write_text("phrase,target,language\nflat,dwelling unit,en\nQuux,x,english\n", encoding="utf-8")
    ran = recording("synonyms", "import", str(file))
    assert ran.status == 2
    assert "synonyms.csv:3: language" in ran.err
    assert recording("synonyms", "list", "flat").out == "No synonym is recorded.\n"


@requirement("P10")
def test_a_list_that_its_limit_cut_says_so(lexscope: Lexscope) -> None:
    found = json.loads(lexscope("synonyms", "list", "--limit", "2", "--json").out)
    assert len(found["synonyms"]) == 2
    assert found["more"] is True
    assert "there are more" in lexscope("synonyms", "list", "--limit", "2").out


@requirement("P8")
def test_a_dump_that_was_asked_for_is_whole_and_private_while_the_stored_one_is_redacted(
    recording: Lexscope, tmp_path: Path
) -> None:
    file = tmp_path / "case.json"
    ran = recording("ask", SCENARIO, "--jurisdiction", "us-ma", "--dump", str(file), "--json")
    trace = load_trace(file.read_text(encoding="utf-8"))
    assert trace.scenario == SCENARIO
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "Quux" in recording("dump", str(file)).out
    for name in ("last", str(Answer.model_validate_json(ran.out).trace_id)):
        stored = load_trace(recording("dump", name, "--json").out)
        assert stored.scenario is None
        assert stored.id == trace.id
    page = tmp_path / "case.html"
    assert recording("dump", "last", "--output", str(page)).status == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_an_unknown_trace_is_not_found(lexscope: Lexscope, empty_settings: Settings, bare: Lexscope) -> None:
    ran = lexscope("dump", "00000000deadbeef")
    assert ran.status == 3
    assert "no stored trace with this id" in ran.err
    none = bare("dump", "last", "--database-url", address(empty_settings))
    assert none.status == 3
    assert "No trace is stored yet." in none.err


@requirement("P8", "P10")
def test_traces_are_listed_newest_first_without_a_word_of_the_scenario(recording: Lexscope) -> None:
    assert recording("traces").status == 3
    for question in (SCENARIO, RULE, "urn:lex:ma:940cmr:3.12"):
        recording("ask" if question is SCENARIO else "context", question, "-j", "us-ma")
    found = json.loads(recording("traces", "--json").out)["traces"]
    assert [(entry["request"], entry["status"]) for entry in found] == [
        ("context", "halted"), ("context", "ok"), ("ask", "answered"),
    ]  # fmt: skip
    listed = recording("traces", "-n", "1").out
    assert found[0]["id"] in listed
    assert "There are more" in listed
    assert "Quux" not in recording("traces", "--json").out
    assert json.loads(recording("traces", "--status", "ok", "--json").out)["traces"] == [found[1]]
    assert recording("traces", "--since", "2999-01-01").status == 3


# --- help and options -------------------------------------------------------------------------------------------------


def test_help_lists_every_verb_once(bare: Lexscope) -> None:
    ran = bare("--help")
    assert ran.status == 0
    for verb in {name for verbs in SECTIONS.values() for name in verbs}:
        assert sum(line.startswith(f"  {verb} ") for line in ran.out.splitlines()) == 1
        assert bare(verb, "--help").out.startswith(f"Usage: lexscope {verb}")


def test_every_help_has_an_example_that_the_verb_takes(bare: Lexscope) -> None:
    command = typer.main.get_command(app)
    root = command.make_context("lexscope", [], resilient_parsing=True)
    paths = {" ".join(path) for path in verb_words(command, root) if path}
    assert set(EXAMPLES) == paths
    for path, example in EXAMPLES.items():
        assert example.startswith(f"lexscope {path}")
        assert f"Example: {example}" in " ".join(bare(*path.split(), "-h").out.split())
        call = hoisted(shlex.split(example.partition(" >> ")[0])[1:])
        verb: Any = command
        context = root
        while call and hasattr(verb, "get_command"):
            verb = verb.get_command(context, call.pop(0))
            context = verb.make_context(verb.name, list(call), parent=context)  # raises where it does not take them


@pytest.mark.parametrize("verb", ["search", "browse", "documents", "document", "resolve", "edges", "context", "diff"])
def test_the_examples_of_the_verbs_that_read_find_something_in_the_sample(lexscope: Lexscope, verb: str) -> None:
    assert lexscope(*shlex.split(EXAMPLES[verb])[1:]).status == 0


def test_an_option_has_the_same_short_form_in_every_verb() -> None:
    command = typer.main.get_command(app)
    found = verb_words(command, command.make_context("lexscope", [], resilient_parsing=True))
    for words in found.values():
        shorts = {word for word in words if len(word) == 2 and word != "-h"}
        assert shorts == {SHORT[word] for word in words if word in SHORT}


def test_the_list_of_verbs_is_what_their_modules_have() -> None:
    listed = {name: place for verbs in SECTIONS.values() for name, place in verbs.items()}
    found: dict[str, tuple[str, str]] = {}
    for file in (PROJECT / "rag" / "cli").glob("*.py"):
        module = import_module(f"rag.cli.{file.stem}") if not file.stem.startswith("__") else None
        if (verbs := getattr(module, "verbs", None)) is not None:
            for name, verb in typer.main.get_group(verbs).commands.items():
                assert name not in found
                found[name] = (file.stem, verb.get_short_help_str(200))
    assert found == listed


@pytest.mark.parametrize(
    ("arguments", "absent"),
    [
        ("'--help'", ["rag.cli.search", "rag.settings", "pydantic", "psycopg", "rich"]),
        ("'search', '--help'", ["rag.cli.store", "rag.engine", "rag.settings", "psycopg", "rich"]),
        ("'--version'", ["rag.cli.search", "pydantic", "psycopg", "rich"]),
    ],
)
def test_what_a_request_does_not_need_is_not_loaded(arguments: str, absent: list[str]) -> None:
    program = f"import sys; from rag.cli.app import main; main([{arguments}]); print(*sys.modules, file=sys.stderr)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=PROJECT, check=True)
    assert not set(absent) & set(ran.stderr.split())


def test_the_version_may_be_asked_for_after_a_verb(bare: Lexscope) -> None:
    assert bare("ask", "--version") == bare("--version")


verb_arguments = st.sampled_from(["ask", "a question", "--rules", "3", "-", "--dump=x.html"])
global_words = st.sampled_from([["--json"], ["--debug"], ["--data-dir", "/x"], ["--data-dir=/y"], ["--version"]])


@given(st.data(), st.lists(verb_arguments, max_size=6), st.lists(global_words, max_size=4))
def test_global_options_come_first_and_all_else_keeps_its_order(
    data: st.DataObject, verb: list[str], options: list[list[str]]
) -> None:
    mixed = [[name] for name in verb]
    for option in options:
        mixed.insert(data.draw(st.integers(0, len(mixed))), option)
    moved = hoisted([word for group in mixed for word in group])
    found = [group for group in mixed if group[0].partition("=")[0] in GLOBAL_OPTIONS]
    assert moved == [word for group in found for word in group] + verb


@given(st.lists(verb_arguments, max_size=4), st.lists(st.one_of(verb_arguments, st.just("--json")), max_size=4))
def test_what_follows_two_dashes_stays_where_it_is(before: list[str], after: list[str]) -> None:
    assert hoisted([*before, "--", *after]) == [*before, "--", *after]


# --- the suites, which are no part of the package ---------------------------------------------------------------------


def suites(folder: Path, entry_point: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`lexscope eval` where an installed distribution declares this entry point."""
    told = folder / "declared-0.dist-info"
    told.mkdir(exist_ok=True)
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: declared\nVersion: 0\n", encoding="utf-8")
    (told / "entry_points.txt").write_text(f"[lexscope.verbs]\neval = {entry_point}\n", encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "rag.cli", "eval", *arguments], env={**os.environ, "PYTHONPATH": str(folder)},
        cwd=PROJECT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def test_the_suites_that_the_project_declares_are_run_with_what_follows_the_verb(tmp_path: Path) -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = project["entry-points"]["lexscope.verbs"]["eval"]
    unknown = suites(tmp_path, declared, "no-such-suite")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "the suites are fidelity" in unknown.stderr
    assert "--misses" in suites(tmp_path, declared, "--", "--help").stdout


def test_a_package_without_the_suites_says_where_they_are(tmp_path: Path) -> None:
    ran = suites(tmp_path, "no_such_suites.__main__:main")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "part of the source, not of the installed package" in ran.stderr


def test_the_suites_take_their_store_from_the_environment(lexscope: Lexscope) -> None:
    refused = lexscope("eval", "scope")
    assert refused.status == 2
    assert "LEXSCOPE_DATABASE_URL" in refused.err


def test_a_jurisdiction_may_be_named_as_people_call_it(lexscope: Lexscope) -> None:
    by_code = lexscope("search", "security deposit", "-j", "us-ma", "--json")
    by_name = lexscope("search", "security deposit", "-j", "Massachusetts", "--json")
    assert (by_name.status, by_name.out) == (0, by_code.out)
    asked = lexscope("ask", "940 CMR 3.17(4)", "-j", "Massachusetts", "-j", "United States", "--json")
    assert list(json.loads(asked.out)["parts"]) == ["us-ma", "us"]
