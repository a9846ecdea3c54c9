"""What canaries are sent through: every parameter of every tool by its schema, and the verbs of the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from mcp.server.mcpserver.tools import Tool

from evals.suites.canaries.facts import Fact

RULE = "urn:lex:ma:940cmr:3.17:4"
MA = {"jurisdiction": "us-ma"}
SHORT, MIDDLE, LONG = 350, 1_500, 6_000  # characters of facts in one call
FEW = 500  # facts that all go through every single parameter, verb and request
_BETWEEN = " ; "


@dataclass(frozen=True, slots=True)
class Case:
    """One place that facts are put into: how many characters of them fit there, and the arguments that come of it."""

    tool: str
    room: int
    arguments: Callable[[str], dict[str, Any]]


def packed(facts: Sequence[Fact], room: int) -> Iterator[str]:
    """All facts, as many in one text as fit, at least one."""
    text = ""
    for fact in facts:
        joined = f"{text}{_BETWEEN}{fact.text}" if text else fact.text
        if text and len(joined) > room:
            yield text
            joined = fact.text
        text = joined
    if text:
        yield text


def shared_out(cases: Sequence[Case], facts: Sequence[Fact], room: int | None = None) -> Iterator[tuple[Case, str]]:
    """Every fact through every case; where facts are many, through every tool, its cases taken by turns.

    Args:
        cases: the places of one or more tools.
        facts: all of them.
        room: characters of facts in one call, in place of each case's own.
    """
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(case.tool, []).append(case)
    for group in groups.values():
        if len(facts) <= FEW:
            yield from ((case, text) for case in group for text in packed(facts, room or case.room))
        else:
            texts = packed(facts, room or MIDDLE)
            yield from ((group[place % len(group)], text) for place, text in enumerate(texts))


# Of each tool, a call that works; a parameter is put in its place in turn.
_BASES: dict[str, dict[str, Any]] = {
    "search": {"language": "en", "query": "deposit", "tags": MA},
    "get_document": {"reference": RULE},
    "browse_structure": {"language": "en", "tags": MA},
    "list_documents": {},
    "get_context": {"reference": RULE},
    "ask": {"question": RULE},
    "verify_citations": {"text": "See 940 CMR 3.17(4)."},
    "resolve_case": {"court": "supreme"},
    "safety_guidelines": {"category": "jurisdiction", "jurisdiction": "us-ma"},
    "quality_check": {"mode": "research", "model": "gpt-5-mini"},
}


def every_parameter(tools: Sequence[Tool]) -> list[Case]:
    """One case a parameter, whatever its type, and one for a parameter and for a tool that do not exist.

    Raises:
        KeyError: a tool has no call here to begin with.
    """
    cases: list[Case] = [Case("", SHORT, lambda text: {})]  # the text is the tool's name
    for tool in tools:
        base = _BASES[tool.name]
        cases.append(Case(tool.name, SHORT, lambda text, base=base: {**base, text: text}))
        for name, schema in cast("dict[str, dict[str, Any]]", tool.parameters["properties"]).items():
            cases += [
                Case(tool.name, SHORT, lambda text, base=base, name=name, put=put: {**base, name: put(text)})
                for put in _shapes(schema)
            ]
    return cases


def _shapes(schema: dict[str, Any]) -> list[Callable[[str], object]]:
    """How a text goes into a parameter: as it is, in a list, as a value and as a key, and where JSON is read."""
    types = {entry.get("type") for entry in [schema, *schema.get("anyOf", [])]}
    shapes: list[Callable[[str], object]] = [lambda text: text]
    if "array" in types:
        shapes.append(lambda text: text.split(_BETWEEN))
    if "object" in types:
        shapes += [_as_value, _as_key, _as_jurisdiction]
    return shapes


def _as_value(text: str) -> object:
    return {**MA, "court": text}


def _as_key(text: str) -> object:
    return {**MA, text: "x"}


def _as_jurisdiction(text: str) -> object:
    return {"jurisdiction": text}


def spoken() -> list[Case]:
    """Calls that take free text and do something with it, for each kind of reply and of fault."""
    asked = {"language": "en", "tags": MA}
    return [
        Case("search", MIDDLE, lambda text: {**asked, "query": f"interest on a deposit {text}"}),
        Case("search", SHORT, lambda text: {**asked, "query": f'deposit -"{text}"', "mode": "keyword"}),
        Case("search", MIDDLE, lambda text: {**asked, "query": text, "mode": "semantic", "rerank": True}),
        Case("search", MIDDLE, lambda text: {**asked, "query": text + "x" * 20_000}),
        Case("get_document", SHORT, lambda text: {"reference": f"940 CMR 3.17 {text}"}),
        Case("get_document", SHORT, lambda text: {"reference": RULE, "highlight": f"interest {text}"}),
        Case("get_document", MIDDLE, lambda text: {"reference": "x" * 1_000 + text}),
        Case("get_context", MIDDLE, lambda text: {"reference": f"interest on a security deposit. {text}", **MA}),
        Case("get_context", SHORT, lambda text: {"reference": f"urn:lex:ma:940cmr:{text}"}),
        Case("ask", MIDDLE, lambda text: {"question": f"Who pays interest on a security deposit? {text}", **MA}),
        Case("ask", MIDDLE, lambda text: {"question": text, **MA}),
        Case("ask", SHORT, lambda text: {"question": f"Is 940 CMR 3.17 {text} in force?", **MA}),
        Case("verify_citations", LONG, lambda text: {"text": f'940 CMR 3.17(4) says "{text}". {text}', **MA}),
        Case("resolve_case", SHORT, lambda text: {"case_name": text}),
        Case("resolve_case", SHORT, lambda text: {"case_number": text, "court": text, "date": text}),
        Case("quality_check", LONG, lambda text: _debrief("research", text)),
        Case("quality_check", LONG, lambda text: _debrief("correction", text)),
    ]


def _debrief(mode: str, text: str) -> dict[str, Any]:
    many = text.split(_BETWEEN)[:100]
    return {
        "mode": mode, "model": many[0][:100], "queries_attempted": many, "tools_sequence": [*many[:99], "search"],
        "documents_cited": many, "tags_used": {name[:100]: name for name in many}, "gaps": many,
        "difficulties": [f"timeout for {name}" for name in many], "concept": text[:1_900], "document_ids": many,
        "detail": f"wrong number, said {text}"[:1_900],
    }  # fmt: skip


# Tools of which a reply that is no error repeats nothing either.
SILENT = frozenset({"quality_check", "safety_guidelines"})

# Words of a command line; `{}` is where the facts go. Files are left out: a path is named so that it can be mended.
VERBS: tuple[tuple[str, ...], ...] = (
    ("{}",), ("--{}",), ("ask", "{}"), ("ask", "deposit interest {}", "--jurisdiction", "us-ma"),
    ("ask", "deposit", "--jurisdiction", "{}"), ("ask", "deposit", "--language", "{}"),
    ("ask", "deposit", "--jurisdiction", "us-ma", "--at-date", "{}"), ("ask", "deposit", "{}"),
    ("ask", "--rules", "{}"),
    ("context", "{}"), ("context", "interest {}", "--jurisdiction", "us-ma"), ("context", "urn:lex:ma:940cmr:{}"),
    ("search", "{}", "--jurisdiction", "us-ma"), ("search", "deposit", "--jurisdiction", "us-ma", "--mode", "{}"),
    ("search", "deposit", "--jurisdiction", "us-ma", "--tag", "{}"), ("search", "deposit", "--discover", "{}"),
    ("search", "deposit", "--jurisdiction", "us-ma", "--tag", "court={}"), ("search", "deposit", "--edge", "cites={}"),
    ("browse", "{}", "--jurisdiction", "us-ma"), ("documents", "--type", "{}"), ("document", "{}"),
    ("document", RULE, "--highlight", "{}"), ("document", RULE, "--blocks", "{}"), ("document", RULE, "--tag", "{}"),
    ("resolve", "{}"), ("resolve", "940 CMR 3.17", "--tag", "x={}"), ("resolve-case", "--case-name", "{}"),
    ("resolve-case", "--case-number", "{}", "--court", "{}", "--date", "{}"), ("edges", "{}"),
    ("edges", RULE, "--kind", "{}"),
    ("diff", "{}", "--from", "2024-01-01", "--to", "2025-01-01"), ("diff", RULE, "--from", "{}", "--to", "{}"),
    ("dump", "{}"), ("override", "add", "{}", "--status", "VOID", "--court", "C", "--citation", "X"),
    ("override", "add", RULE, "--status", "{}", "--court", "C", "--citation", "X", "--from", "{}"),
    ("override", "end", "{}", "--on", "{}"), ("preemption", "add", "{}", RULE, "--kind", "{}"), ("override", "{}"),
    ("synonyms", "{}"), ("guidelines", "jurisdiction", "{}"), ("guidelines", "{}"), ("telemetry", "{}"),
    ("telemetry", "show", "--since", "{}"), ("telemetry", "purge", "--before", "{}", "--yes"), ("mcp", "--port", "{}"),
    ("doctor", "{}"), ("embed", "--price", "{}"), ("reembed", "--embedding", "{}"), ("fetch", "{}"), ("export", "{}"),
)  # fmt: skip
READ_FROM_STDIN: tuple[tuple[str, ...], ...] = (
    ("ask", "-", "--jurisdiction", "us-ma"), ("verify", "-", "--jurisdiction", "us-ma"), ("context", "-"),
    ("search", "-"),
)  # fmt: skip
