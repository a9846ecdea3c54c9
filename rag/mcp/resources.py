"""What the MCP server offers beside tools: provisions and their contexts as resources, and a prompt with C(R) in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.resources import ResourceSecurity
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS
from pydantic import Field

from rag.answering.prompts import build_prompt
from rag.calls import Call
from rag.documents.reading import read_document
from rag.engine import Engine
from rag.mcp.context import context_page
from rag.mcp.tools import MAX_RULES, checked_rules, place_of
from rag.models.drafting import draft_schema
from retrieval.errors import InputError
from retrieval.model import ScopedContext
from retrieval.paths import is_urn

_T = TypeVar("_T")

DOCUMENT_URI = "legal://{urn}"
CONTEXT_URI = "legal://{urn}/context"
SCENARIO = "scenario"
SCENARIO_ARGUMENTS = ("scenario", "jurisdiction", "language", "at_date", "rules")

NO_SUCH_RESOURCE = f"A resource is {DOCUMENT_URI} or {CONTEXT_URI}, with a URN such as urn:lex:us:16cfr:310.4."
_NO_ANSWER = """\
There is no law to answer this scenario from (status {status}): {message}

Tell the user so, in these words or closer ones. Do not answer from memory, and do not say that no such law exists."""
_HAND_OVER = """\
Reply with one JSON document of this schema:

{schema}

Then pass each statement of law with its quotes to the tool `verify_citations` before you show it, and leave out what \
fails."""


def register(server: MCPServer[Any], engine: Engine) -> None:
    """Add the resources and the prompt to a server."""
    # A URN is looked up in the store, never in a file system.
    security = ResourceSecurity(exempt_params={"urn"})

    def limited(function: Callable[[], _T]) -> _T:
        return Call(engine.settings.call_seconds).run(function)

    @server.resource(
        DOCUMENT_URI, name="provision", title="Text of a provision", mime_type="application/json", security=security,
        description="A provision or container by its URN with everything below it, as of today; the result of "
        "get_document, and its first page where it is long.",
    )  # fmt: skip
    def provision(urn: str) -> str:  # pyright: ignore[reportUnusedFunction] - the server calls it
        found = limited(lambda: read_document(engine, _urn(urn)))
        if found.status == "not_found":
            raise MCPError(INVALID_PARAMS, f"not_found: {found.message}", {"suggestions": found.suggestions})
        return found.model_dump_json(indent=2)

    @server.resource(
        CONTEXT_URI, name="context", title="Scoped context of a provision", mime_type="application/json",
        security=security,
        description="C(R) of the provision with this URN, as of today: ancestors, definitions in scope, exceptions, "
        "overrides; the result of get_context, and its first page where it is long.",
    )  # fmt: skip
    def scoped_context(urn: str) -> str:  # pyright: ignore[reportUnusedFunction] - the server calls it
        found = limited(lambda: engine.context(_urn(urn)))
        if found.status == "not_found":
            raise MCPError(INVALID_PARAMS, f"not_found: {found.message}", {"suggestions": list(found.suggestions)})
        return context_page(found, None).model_dump_json(indent=2)

    @server.prompt(
        name=SCENARIO, title="Answer a scenario from the law of this store",
        description="The scenario with its scoped context, under rules that keep the answer inside that context: for "
        "the model of your client. The tool `ask` answers with the server's own.",
    )  # fmt: skip
    def scenario(  # pyright: ignore[reportUnusedFunction] - the server calls it
        scenario: Annotated[str, Field(description="what happened and what is asked, in plain words")],
        jurisdiction: Annotated[str | None, Field(description="us-ma, fr, eu|fr ...; REQUIRED unless a URN")] = None,
        language: Annotated[str | None, Field(description="ISO 639-1 code of the law's language")] = None,
        at_date: Annotated[str | None, Field(description="YYYY-MM-DD; today by default")] = None,
        rules: Annotated[str | None, Field(description="how many rules to join, 1 to 10")] = None,
    ) -> str:
        context = limited(lambda: engine.context(
            scenario, jurisdiction=place_of(engine, scenario, jurisdiction).where, language=language, at_date=at_date,
            rules=_number_of_rules(rules),
        ))  # fmt: skip
        if context.status != "ok" or not context.allow_list:
            return _NO_ANSWER.format(status=context.status, message=context.message)
        prompt = build_prompt(context, scenario.strip(), language=language or _language(engine, context))
        schema = json.dumps(draft_schema(context.allow_list), ensure_ascii=False)
        return f"{prompt.text}\n\n{_HAND_OVER.format(schema=schema)}"


def checked_arguments(name: str, arguments: Mapping[str, Any] | None) -> dict[str, Any]:
    """Look at what is asked of the prompts, before the library repeats a caller's words in its own errors.

    Returns:
        The arguments but for those that a form sends though they were left empty.

    Raises:
        InputError: there is no such prompt or argument, or the scenario is missing.
    """
    if name != SCENARIO:
        raise InputError(f"There is no prompt of this name; the prompt is `{SCENARIO}`.")
    if set(arguments or {}) - set(SCENARIO_ARGUMENTS):
        raise InputError(f"An argument is not one of this prompt's: {', '.join(SCENARIO_ARGUMENTS)}.")
    if "scenario" not in (arguments or {}):
        raise InputError("Argument `scenario`: it is missing.")
    given = dict(arguments or {})
    return {name: value for name, value in given.items() if name == "scenario" or str(value).strip()}


def _urn(text: str) -> str:
    if not is_urn(text):
        raise InputError(NO_SUCH_RESOURCE)
    return text


def _number_of_rules(text: str | None) -> int | None:
    """The number of rules; a prompt's arguments are all text."""
    plain = (text or "").strip()
    if not plain:
        return None
    if not (plain.isascii() and plain.isdigit() and len(plain) < 4):
        raise InputError(f"`rules` is a number from 1 to {MAX_RULES}.")
    return checked_rules(int(plain))


def _language(engine: Engine, context: ScopedContext) -> str:
    """The language of the law that a context is made of, for the claims to be written in."""
    return read_document(engine, context.targets[0], at_date=context.at_date, blocks="1").language or "en"
