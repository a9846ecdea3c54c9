"""The MCP server: what cannot be done is said by name, and what a caller typed stays out of replies and logs."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conftest import Stores
from mcp import Client
from mcp_calls import CANARY, DEPOSIT, MA, call, refused, text_of
from mcp_tables import CALLS
from requirements import requirement

from rag import Engine, Settings
from rag.answering.answer import Answer
from rag.mcp.errors import private_handler
from rag.mcp.server import build_server
from retrieval.errors import LexscopeError, ProviderTimeout, SchemaMismatch, StoreUnavailable
from retrieval.model import SearchResult


@pytest.fixture(scope="module")
def sample_settings(stores: Stores, sample_template: str) -> Settings:
    """One sample store for all tests of this file: the tools only read."""
    return stores.clone(sample_template)


@pytest.fixture(scope="module")
def engine(sample_settings: Settings) -> Iterator[Engine]:
    with Engine.open(sample_settings) as opened:
        yield opened


SEARCH = {"language": "en", "query": DEPOSIT}
RULE = "urn:lex:ma:940cmr:3.17:4"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("search", SEARCH, "Name the jurisdiction"),
        ("search", {**SEARCH, "tags": {}}, "Name the jurisdiction"),
        ("search", {**SEARCH, "tags": {**MA, "kind": "section"}}, "The kinds that can be searched are"),
        ("search", {**SEARCH, "tags": {**MA, "court_level": ">supreme"}}, "Filter 2 of `tags` has an operator that"),
        ("search", {**SEARCH, "tags": {**MA, "court_level": "a||b"}}, "Filter 2 of `tags` has an empty value"),
        ("search", {**SEARCH, "tags": {**MA, CANARY: "x"}}, "A tag's name has lower-case letters"),
        ("search", {**SEARCH, "tags": {"jurisdiction": "!=us|us-ma"}}, "has no law of jurisdiction any but us, us-ma"),
        ("search", {**SEARCH, "tags": {"jurisdiction": "!*"}}, "`!*` is not allowed for the jurisdiction"),
        ("search", {**SEARCH, "tags": {"jurisdiction": "us|" * 200}}, "longer than 400"),
        ("search", {**SEARCH, "tags": MA, "jurisdiction": "us"}, "differ"),
        ("search", {**SEARCH, "tags": {"jurisdiction": 5}}, "not a code such as"),
        ("search", {**SEARCH, "tags": MA, "edges": {"cites": "!=x"}}, "no other operator"),
        ("search", {**SEARCH, "tags": MA, "edges": {CANARY: "x"}}, "The key of an edge filter"),
        ("search", {**SEARCH, "tags": MA, "discover": CANARY}, "`discover` is the key of a tag"),
        ("search", {**SEARCH, "tags": MA, "date_from": "2015-W24-1"}, "not in the form YYYY-MM-DD"),
        ("search", {**SEARCH, "tags": MA, "date_to": "then"}, "not in the form YYYY-MM-DD"),
        ("search", {**SEARCH, "tags": MA, "date_from": "2020-01-02", "date_to": "2020-01-01"}, "is after `date_to`"),
        ("search", {"language": "en"}, "Name the jurisdiction"),
        ("search", {**SEARCH, "tags": MA, "language": "fr"}, "they have en"),
        ("search", {**SEARCH, "tags": {"jurisdiction": "fr"}}, "no law of jurisdiction fr"),
        ("search", {**SEARCH, "tags": {"jurisdiction": CANARY}}, "not a code such as"),
        ("search", {**SEARCH, "tags": MA, "mode": CANARY}, "Argument `mode`"),
        ("search", {**SEARCH, "tags": MA, "limit": 0}, "`limit`"),
        ("search", {**SEARCH, "tags": MA, "limit": CANARY}, "Argument `limit`"),
        ("search", {**SEARCH, "tags": MA, "offset": -1}, "`offset`"),
        ("search", {**SEARCH, "tags": MA, "at_date": "2024-13-01"}, "not a day of the calendar"),
        ("ask", {**MA, "question": "  "}, "empty"),
        ("search", {**SEARCH, "tags": MA, "query": CANARY * 1000}, "limit is 20000"),
        ("get_document", {"reference": "940 CMR 3.17", "highlight": "--"}, "`highlight` holds no word"),
        ("get_document", {"reference": "940 CMR 3.17", "highlight": CANARY * 100}, "the limit is 500"),
        ("browse_structure", {"language": "en"}, "Name the jurisdiction"),
        ("browse_structure", {"language": "en", "tags": MA, "depth": -1}, "`depth` is a number from 0"),
        ("browse_structure", {"language": "en", "tags": {**MA, "kind": "decision"}}, "the only `kind` is section"),
        ("list_documents", {"limit": -5}, "`limit`"),
        ("list_documents", {"type": "!=decision"}, "other operators are not for it"),
        ("get_document", {"reference": CANARY * 50}, "limit is 1000"),
        ("get_document", {"reference": "940 CMR 3.17", "blocks": CANARY}, "30-50"),
        ("get_context", {"reference": CANARY}, "Name the jurisdiction"),
        ("get_context", {"reference": "urn:lex:ma:940cmr:3.17:4", "blocks": "99"}, "after the last one"),
        ("get_context", {"reference": "urn:lex:ma:940cmr:3.17:4", "rules": 11}, "1 to 10"),
        ("ask", {"question": CANARY}, "Name the jurisdiction"),
        ("ask", {"question": RULE, "language": CANARY}, "two or three letters"),
        ("get_context", {"reference": RULE, "language": CANARY}, "two or three letters"),
        ("get_document", {"reference": RULE, "language": "klingon"}, "two or three letters"),
        ("ask", {"question": "urn:lex:"}, "A URN looks like"),
        ("ask", {"question": None, **MA}, "Argument `question`"),
        (CANARY, {}, "the tools are search, get_document, "),
    ],
)  # fmt: skip
@requirement("P8")
async def test_a_request_that_cannot_be_done_is_refused_by_name_and_not_repeated(
    engine: Engine, caplog: pytest.LogCaptureFixture, tool: str, arguments: dict[str, Any], said: str
) -> None:
    caplog.set_level(logging.WARNING)
    text = await refused(engine, tool, arguments)
    assert text.startswith(("bad_input: ", "not_in_store: "))
    assert said in text
    assert CANARY not in text
    assert DEPOSIT not in text
    assert caplog.text == ""


@pytest.mark.anyio
async def test_values_that_ask_for_nothing_are_accepted(engine: Engine) -> None:
    nothing: dict[str, object] = {
        "edges": None, "discover": None, "date_from": None, "should_expand_synonyms": True,
        "limit": None, "offset": None, "at_date": "",
    }  # fmt: skip
    assert (await call(engine, "search", **SEARCH, tags=MA, **nothing))["results"]
    empty = {"at_date": " ", "language": "", "blocks": ""}
    assert (await call(engine, "get_context", reference=RULE, **empty))["status"] == "ok"


@pytest.mark.anyio
async def test_a_store_without_law_is_no_fault_of_the_arguments(empty_settings: Settings) -> None:
    asked: list[tuple[str, dict[str, object]]] = [
        ("search", {**SEARCH, "tags": MA}), ("get_document", {"reference": "940 CMR 3.17"}), ("list_documents", {}),
        ("get_context", {"reference": "940 CMR 3.17", **MA}), ("ask", {"question": DEPOSIT, **MA}),
        ("verify_citations", {"text": "See 940 CMR 3.17."}), ("browse_structure", {"language": "en", **MA}),
    ]  # fmt: skip
    with Engine.open(empty_settings) as empty:
        for tool, arguments in asked:
            said = await refused(empty, tool, arguments)
            assert said.startswith(f"empty_store: {tool}: The store holds no law yet.")
            assert "Correct the arguments" not in said


@pytest.mark.anyio
@pytest.mark.parametrize("query", ["null", "[1]", '{"a": 1}', "true", '"deposit"'])
async def test_a_text_that_is_json_is_a_text(engine: Engine, query: str) -> None:
    found = await call(engine, "search", language="en", tags=MA, query=query)
    assert (found["query"], found["mode"]) == (query, "hybrid")


@pytest.mark.anyio
async def test_filters_that_a_client_sends_as_json_text_are_read(engine: Engine) -> None:
    asked: dict[str, object] = {**SEARCH, "tags": json.dumps(MA)}
    assert await call(engine, "search", **asked) == await call(engine, "search", **SEARCH, tags=MA)


def away(_: str) -> LexscopeError:
    return StoreUnavailable("The database cannot be reached.")


def unfit(_: str) -> LexscopeError:
    return SchemaMismatch("The store has no schema.")


def late(_: str) -> LexscopeError:
    return ProviderTimeout("openai", "no answer in time")


class Failing(Engine):
    """An engine that fails in one way whatever is asked."""

    def __init__(self, engine: Engine, failure: Callable[[str], Exception]) -> None:
        super().__init__(engine.database, engine.settings)
        self.failure = failure

    def search(self, query: str | None = None, **_: object) -> SearchResult:
        raise self.failure(query or "")

    def ask(self, question: str, **_: object) -> Answer:
        raise self.failure(question)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("failure", "code", "advice"),
    [
        (away, "store_unavailable", "Try again"),
        (unfit, "schema_mismatch", "mend its set-up"),
        (late, "provider_timeout", "Try again"),
    ],
)
@requirement("P7")
async def test_a_failure_names_its_code_and_says_nothing_about_the_law(
    engine: Engine, failure: Callable[[str], LexscopeError], code: str, advice: str
) -> None:
    text = await refused(Failing(engine, failure), "search", {**SEARCH, "tags": MA})
    assert text.startswith(f"{code}: search: ")
    assert "says nothing about the law" in text
    assert advice in text


@pytest.mark.anyio
@pytest.mark.parametrize("failure", [ValueError, KeyError, BrokenPipeError])
@requirement("P8")
async def test_an_unexpected_failure_gives_away_its_place_and_not_its_message(
    engine: Engine, caplog: pytest.LogCaptureFixture, failure: Callable[[str], Exception]
) -> None:
    caplog.set_level(logging.DEBUG)
    text = await refused(Failing(engine, failure), "ask", {"question": CANARY, **MA})
    assert text.startswith("internal: ask: an unexpected failure.")
    assert CANARY not in text
    assert CANARY not in caplog.text
    assert "test_mcp_failures.py:" in caplog.text


@requirement("P8")
def test_no_collector_of_spans_is_told_what_was_called(engine: Engine) -> None:
    kinds = [type(one).__name__ for one in build_server(engine).middleware]
    assert kinds
    assert not any("OpenTelemetry" in kind for kind in kinds)


@requirement("P8")
def test_the_servers_log_keeps_other_libraries_messages_to_itself() -> None:
    shown = private_handler().format
    try:
        raise ValueError(CANARY)
    except ValueError:
        failed = sys.exc_info()
    foreign = logging.LogRecord("mcp.server", logging.ERROR, "wire.py", 7, f"bad line {CANARY}: %s", (CANARY,), failed)
    own = logging.LogRecord("rag.engine", logging.WARNING, "engine.py", 7, "trace not stored: %s", ("store",), None)
    assert CANARY not in shown(foreign)
    assert shown(foreign).startswith("ERROR mcp.server: message of wire:7 (ValueError at test_mcp_failures.py:")
    assert shown(own) == "WARNING rag.engine: trace not stored: store"


# What stands in the place of every argument, and of everything inside of it.
ODD: dict[str, object] = {
    "a NUL": f"a\0{CANARY}", "half a pair": "a\ud800", "a number of many digits": 10**400, "no number": float("nan"),
    "no end": float("-inf"), "a negative number": -1, "a large number": 2**63, "a list": [CANARY],
    "an object": {"a": {}}, "true": True,
    "a long text": f"{CANARY} " * 50_000, "what steers a terminal": f"\x1b]52;c;\x07\u202e{CANARY}",
    "a template": "%s%n{0}{{7*7}}${jndi:ldap://x}' or 1=1; --",
}  # fmt: skip


def places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of a value and of everything inside of it."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in inside:
        yield from places(entry, (*path, key))


def placed(value: Any, path: tuple[str | int, ...], odd: object) -> Any:
    """A value with another one at a path in it."""
    if not path:
        return odd
    changed = dict(value) if isinstance(value, dict) else list(value)
    changed[path[0]] = placed(value[path[0]], path[1:], odd)
    return changed


@pytest.mark.anyio
@pytest.mark.parametrize("odd", ODD)
async def test_s6_whatever_stands_in_the_place_of_an_argument_is_taken_or_refused_by_name(
    engine: Engine, caplog: pytest.LogCaptureFixture, odd: str
) -> None:
    known: set[tuple[str, tuple[str | int, ...]]] = set()
    async with Client(build_server(engine)) as client:
        for tool, arguments, _ in CALLS:
            new = {path for path in places(arguments) if path and (tool, path) not in known}
            known |= {(tool, path) for path in new}
            for path in sorted(new, key=str):
                result = await client.call_tool(tool, placed(arguments, path, ODD[odd]))
                text = text_of(result)
                if result.is_error:
                    assert text.startswith((f"bad_input: {tool}: ", f"not_in_store: {tool}: ")), (
                        tool,
                        path,
                        text[:200],
                    )
                    assert CANARY not in text
    assert len(known) > 90
    assert not [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")]
    assert CANARY not in caplog.text
