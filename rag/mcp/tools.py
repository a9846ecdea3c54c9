"""What the groups of MCP tools share: parameters, checked arguments, and results cut to the size that clients accept.

A group is a module with a function `tools(engine)`; `rag.mcp.server` lists the groups. Nothing is cut silently: a
result that does not fit says so and says how to page on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar

from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from mcp.types import CallToolResult, InputRequiredResult, TextContent, ToolAnnotations
from pydantic import Field

from rag.answering.answer import Answer
from rag.documents.model import REPLY_CHARACTERS, reply_characters
from rag.engine import Engine
from rag.presentation.for_models import text_for_model
from rag.telemetry.quality.checklist import detect_in_answer
from rag.telemetry.quality.guidelines import Guidelines
from rag.telemetry.quality.model import Detected
from retrieval.errors import InputError
from retrieval.model import ContextWarning, Record
from retrieval.nodes import stored_jurisdictions
from retrieval.paths import is_urn, parse_urn

MAX_FILTER = 400  # characters of a jurisdiction filter
MAX_RULES = 10

_R = TypeVar("_R", bound=Record)


Language = Annotated[str | None, Field(description="ISO 639-1 code; all by default")]
Jurisdiction = Annotated[
    str | None,
    Field(description="us-ma, us, eu|fr; * for all"),
]
AtDate = Annotated[str | None, Field(description="YYYY-MM-DD; today by default")]
Blocks = Annotated[str | None, Field(description="such as 30-50; to page on, copy `next_blocks`")]
Rules = Annotated[int | None, Field(description="how many of the best rules to join, 1 to 10")]
Terms = Annotated[
    list[str] | None,
    Field(
        description="3 to 8 terms by which a statute in the law's own language would name the matter, such as "
        "`security deposit`, `return of deposit`; no facts"
    ),
]

CITE = "Cite the URN of a result for every claim; never state law that no result supports."
READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


def make_tool(function: Callable[..., Any], title: str, description: str, annotations: ToolAnnotations) -> Tool:
    """A tool of a function: its parameters are the input schema, its return type the output schema.

    Args:
        function: what is called in a worker thread; its name is the tool's.
        title: for people, in ASCII: one client lists no tools where a title has other signs.
        description: for the model: what the tool does and when to use it.
        annotations: what a client may assume, such as `READ_ONLY`.
    """
    tool = Tool.from_function(
        function,
        title=title,
        description=description,
        annotations=annotations.model_copy(update={"title": title}),
        structured_output=True,
    )
    calls = _Calls.model_validate(
        {**dict(tool.fn_metadata), "output_schema": _outline(tool.fn_metadata.output_schema or {})}
    )
    parameters = _short(tool.parameters)
    return tool.model_copy(update={"parameters": parameters, "fn_metadata": calls})


def _short(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema of parameters in as few words: without titles, and without the null that leaving out is as good as."""
    made = {key: value for key, value in schema.items() if key != "title"}
    if "properties" in made:
        made["properties"] = {name: _short(one) for name, one in made["properties"].items()}
    kinds = [kind for kind in made.get("anyOf", ()) if kind != {"type": "null"}]
    if len(kinds) == 1:
        del made["anyOf"]
        made |= kinds[0]
    if made.get("default", 0) in (None, False, 0):  # as good as leaving it out
        made.pop("default", None)
    return made


def _outline(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A result's schema as a client needs it: its own fields and their types; `docs/tools` has all the others."""
    fields: Mapping[str, Mapping[str, Any]] = schema.get("properties", {})
    return {
        "type": "object",
        "properties": {name: {"type": one["type"]} if "type" in one else {} for name, one in fields.items()},
    }


class _Calls(FuncMetadata):
    """How results are given: text for a model to read, and the record beside it for programs.

    Arguments are taken as they are: `rag.mcp.arguments` has read them. The library would read JSON out of every text
    whose parameter may also be none; a query such as `null` would then be none, and list the whole store.
    """

    def convert_result(self, result: Any) -> CallToolResult | InputRequiredResult:
        """A record as text for a model, beside the record itself."""
        if not isinstance(result, Record):
            return super().convert_result(result)
        text = text_for_model(result, whole=getattr(result, "whole", False))
        return CallToolResult(
            content=[TextContent(type="text", text=text)], structured_content=result.model_dump(mode="json")
        )

    def pre_parse_json(self, data: dict[str, Any]) -> dict[str, Any]:
        return data


# --- arguments -------------------------------------------------------------------------------------------------------


def checked_filter(engine: Engine, jurisdiction: str | None) -> str:
    """A jurisdiction filter that is there; the engine reads it, `!=` included.

    Raises:
        InputError: there is none, or it is too long.
    """
    wanted = (jurisdiction or "").strip()
    if not wanted:
        with engine.database.read() as conn:
            stored = ", ".join(stored_jurisdictions(conn))
        raise InputError(
            f"Name the jurisdiction in the parameter `jurisdiction`. The store has {stored or 'no law yet'}; "
            "`eu|fr` is both, `!=eu` all others, `*` all. A jurisdiction includes its subdivisions. "
            "get_document reads a reference such as 16 CFR 310.4(b) without it."
        )
    if len(wanted) > MAX_FILTER:
        raise InputError(f"The jurisdiction filter is longer than {MAX_FILTER} characters.")
    return wanted


class Place(NamedTuple):
    """Whose law a request searches, and what to say where the caller did not name it."""

    where: str | None
    note: str = ""

    def told(self, warnings: Sequence[ContextWarning]) -> list[ContextWarning]:
        """The warnings of a reply with the note, which comes first."""
        note = [ContextWarning(kind="jurisdiction", message=self.note)] if self.note else []
        return [*note, *warnings]


def place_of(engine: Engine, question: str, jurisdiction: str | None) -> Place:
    """The jurisdictions of a request: those named, or without a name those of the only law that it can mean.

    That is the law of a URN, of a citation path or of a certain reference; of the one jurisdiction in which all
    readings of an uncertain reference lie; and of a store that has no other law.

    Raises:
        InputError: none is named and several fit; see also `checked_filter`.
    """
    if jurisdiction is not None:
        return Place(checked_filter(engine, jurisdiction))
    if is_urn(question):
        return Place(None)
    if 0 < len(question.strip()) <= MAX_FILTER:
        found = engine.resolve(question)
        near = {parse_urn(urn).jurisdiction for urn in found.suggestions}  # of a reference to what the store has not
        fitting = sorted({candidate.jurisdiction for candidate in found.candidates} or near)
        if found.status == "resolved":
            return Place(None)
        if len(fitting) == 1:
            return Place(fitting[0], f"No jurisdiction was named; as a reference this fits law of {fitting[0]} alone.")
        if fitting:
            raise InputError(
                f"Name the jurisdiction: as a reference this fits law of {' and of '.join(fitting)}, "
                "and the parameter `jurisdiction` says which is meant."
            )
    with engine.database.read() as conn:
        stored = stored_jurisdictions(conn)
    if len(stored) == 1:
        return Place(stored[0], f"No jurisdiction was named; the store has law of {stored[0]} alone.")
    return Place(checked_filter(engine, None))


def checked_rules(rules: int | None) -> int | None:
    """How many rules a context may join.

    Raises:
        InputError: not from 1 to 10.
    """
    if rules is not None and not 1 <= rules <= MAX_RULES:
        raise InputError(f"`rules` is a number from 1 to {MAX_RULES}.")
    return rules


# --- results ---------------------------------------------------------------------------------------------------------


def shortened(reply: _R, lists: Sequence[str], limit: int = REPLY_CHARACTERS // 2) -> _R:
    """A reply whose lists, in this order, were cut until it fits; a warning counts what each of them lost.

    Args:
        reply: a record with a field `warnings` of ContextWarning.
        lists: names of the fields that may be cut.
        limit: characters that everything but its blocks may have.
    """
    full: dict[str, list[object]] = {name: list(getattr(reply, name)) for name in lists}
    warnings: list[ContextWarning] = list(getattr(reply, "warnings"))  # noqa: B009
    kept = {name: len(items) for name, items in full.items()}

    def cut() -> _R:
        notes = [
            ContextWarning(kind="limit", message=f"{kept[name]} of {len(items)} entries of `{name}` fit in this reply.")
            for name, items in full.items()
            if kept[name] < len(items)
        ]
        parts = {name: items[: kept[name]] for name, items in full.items()}
        return reply.model_copy(update={**parts, "warnings": [*warnings, *notes]})

    def size() -> int:
        shown = cut()
        return reply_characters(shown.model_copy(update={"blocks": []}) if hasattr(shown, "blocks") else shown)

    for name in lists:
        while kept[name] and size() > limit:
            kept[name] -= max(1, kept[name] // 4)
    return cut()


def with_notes(
    reply: CallToolResult | InputRequiredResult, notes: Sequence[str]
) -> CallToolResult | InputRequiredResult:
    """A reply that says what was left out of its call: last in its text, and as `arguments_left_out` in its record."""
    if not notes or not isinstance(reply, CallToolResult):
        return reply
    said = TextContent(type="text", text=f"Note: {' '.join(notes)}")
    text = "\n\n".join(block.text for block in (*reply.content, said) if isinstance(block, TextContent))
    record: dict[str, Any] = {**(reply.structured_content or {}), "arguments_left_out": list(notes)}
    return reply.model_copy(update={"content": [TextContent(type="text", text=text)], "structured_content": record})


class Exchange:
    """What a server saw of its one client: guidelines read, and what detectors found in the latest answer served.

    A server of many clients cannot tell them apart, and then nothing is detected.
    """

    def __init__(self, *, many_clients: bool = False) -> None:
        self._many_clients = many_clients
        self._lock = threading.Lock()
        self._core = False
        self._served: Detected = {}

    def loaded(self, found: Guidelines) -> None:
        """Note that the client read guidelines."""
        with self._lock:
            self._core = self._core or found.category == "core"

    def answered(self, answer: Answer) -> None:
        """Note what detectors find in an answer: flags only, no word of it."""
        found = detect_in_answer(answer)
        with self._lock:
            self._served = found

    def detected(self) -> Detected:
        """What detectors find in this exchange; nothing where there are many clients."""
        if self._many_clients:
            return {}
        with self._lock:
            return {**self._served, "safety_guidelines_not_fully_loaded": not self._core}
