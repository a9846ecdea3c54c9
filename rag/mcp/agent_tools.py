"""Function tools for the OpenAI Agents SDK, over the functions that MCP and the command line call.

Needs the extra `[agents]`. The tools are those of the MCP server, and three for case law: find, read, resolve.
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

import anyio.to_thread
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rag.engine import Engine
from rag.mcp.errors import explain, rejected
from rag.mcp.server import build_server, listed_tools
from retrieval.errors import ConfigurationError, InputError, LexscopeError

Call = Callable[[str, dict[str, Any]], Awaitable[str]]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid")


class CaseSearch(_Form):
    """What to look for in decisions."""

    query: str = Field(description="words, a legal concept or a reference")
    jurisdiction: str = Field("*", description="us-ma, jp, eu|fr ...; * for all")
    language: str | None = Field(None, description="ISO 639-1; where the decisions are in several languages")
    limit: int = Field(5, ge=1, le=10, description="decisions at most")


class CaseGet(_Form):
    """Which decision to read."""

    doc_id: str = Field(description="the doc_id that a search or a resolution gave")
    blocks: str | None = Field(None, description="numbered blocks such as 30-50; the first ones by default")


class CaseResolve(_Form):
    """What is remembered of a decision; the best clue is used: number, else name (and court), else court (and date)."""

    court: str | None = Field(None, description="part of the court's name")
    date: str | None = Field(None, description="the day of the decision or a part of it: 2023, 2023-05, 2023-05-17")
    case_number: str | None = Field(None, description="the case number or a part of it")
    case_name: str | None = Field(None, description="part of the case's name")
    limit: int = Field(5, ge=1, le=10, description="candidates at most")


class CaseTools:
    """The three tools for case law, as plain functions from a form to text for a model."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def search_cases(self, q: CaseSearch) -> str:
        """Find decisions by keywords: one line each, best first; then read one with get_case_text.

        Raises:
            LexscopeError: the form cannot be used, or the store failed.
        """
        tags = {"kind": "decision", "jurisdiction": q.jurisdiction}
        found = self.engine.search(q.query, tags=tags, language=q.language, limit=q.limit)
        if not found.results:
            return "No decision of this store fits. That does not mean that none exists."
        # One decision may be hit in several of its paragraphs.
        best = {result.document_urn: result for result in reversed(found.results)}
        chosen = sorted(best.values(), key=found.results.index)
        lines = [f"{n}. doc_id={one.document_urn} / {one.heading} / {one.snippet}" for n, one in enumerate(chosen, 1)]
        return "\n".join(["Decisions:", *lines])

    def get_case_text(self, q: CaseGet) -> str:
        """Read a decision by its doc_id, in numbered blocks.

        Raises:
            LexscopeError: the form cannot be used, or the store failed.
        """
        found = self.engine.document(q.doc_id, blocks=q.blocks)
        if found.status != "ok":
            return f"{found.status}: {found.message}"
        notes = [found.message] if found.message else []
        return "\n\n".join([f"{found.urn} {found.heading}".strip(), *notes, *(block.text for block in found.blocks)])

    def resolve_case_doc_id(self, q: CaseResolve) -> str:
        """Find the doc_id of a decision from what the conversation says of it.

        The best clue is used: case number, else case name (and court), else court (and date).

        Raises:
            LexscopeError: the form cannot be used, or the store failed.
        """
        found = self.engine.resolve_case(
            court=q.court, date=q.date, case_number=q.case_number, case_name=q.case_name, limit=q.limit
        )
        if found.status != "found":
            return found.message
        lines = [
            f"{n}. doc_id={one.urn} / {one.court} / {one.date} / {one.case_number} / {one.case_name}"
            for n, one in enumerate(found.cases, 1)
        ]
        more = ["There are more; narrow it with another clue."] if found.more else []
        return "\n".join(["Candidates:", *lines, *more])


def agent_tools(engine: Engine) -> list[Any]:
    """The tools for an agent: `agents.FunctionTool` objects, in a fixed order.

    Raises:
        ConfigurationError: the extra is not installed.
    """
    try:
        agents: Any = importlib.import_module("agents")
    except ModuleNotFoundError:
        raise ConfigurationError('The Agents SDK is not installed: pip install "lexscope[agents]".') from None
    server = build_server(engine)

    async def from_server(name: str, arguments: dict[str, Any]) -> str:
        result = await server.call_tool(name, arguments)
        blocks = result.content if isinstance(result, CallToolResult) else []
        return "".join(block.text for block in blocks if isinstance(block, TextContent))

    made = [_tool(agents, tool.name, tool.description, tool.parameters, from_server) for tool in listed_tools(engine)]
    return [*made, *_case_tools(agents, CaseTools(engine))]


def _case_tools(agents: Any, cases: CaseTools) -> list[Any]:
    """The tools for case law; as in the functions, a form is the one parameter, `q`."""

    def made(function: Callable[[Any], str], form: type[BaseModel]) -> Any:
        async def call(_: str, arguments: dict[str, Any]) -> str:
            if "q" in arguments and len(arguments) > 1:
                raise InputError("The form is the one argument, `q`.")
            asked = form.model_validate(arguments.get("q", arguments))
            return await anyio.to_thread.run_sync(function, asked)

        schema = {"type": "object", "properties": {"q": form.model_json_schema()}, "required": ["q"]}
        described = inspect.cleandoc(function.__doc__ or "").partition("\n\nRaises:")[0]
        return _tool(agents, function.__name__, described, schema, call)

    return [
        made(cases.search_cases, CaseSearch),
        made(cases.get_case_text, CaseGet),
        made(cases.resolve_case_doc_id, CaseResolve),
    ]


def _tool(agents: Any, name: str, description: str, schema: Mapping[str, Any], call: Call) -> Any:
    """A function tool whose failures are its text, by code and remedy; they repeat no argument."""

    async def invoke(_: object, arguments: str) -> str:
        try:
            return await call(name, _object(arguments))
        except LexscopeError as error:
            return explain(name, error)
        except ToolError as error:
            return str(error)
        except ValidationError as error:
            return explain(name, InputError(rejected(error)))

    # The schemas have defaults, which the strict form does not know.
    return agents.FunctionTool(
        name=name, description=description, params_json_schema={**schema, "additionalProperties": False},
        on_invoke_tool=invoke, strict_json_schema=False,
    )  # fmt: skip


def _object(arguments: str) -> dict[str, Any]:
    try:
        read: object = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        raise InputError("The arguments are no JSON.") from None
    if not isinstance(read, dict):
        raise InputError("The arguments are no JSON object.")
    return cast("dict[str, Any]", read)
