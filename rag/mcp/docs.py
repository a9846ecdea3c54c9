"""A page of documentation for every MCP tool, made from the schemas that clients get: `python -m rag.mcp.docs FOLDER`.

A test holds the pages in `docs/tools` equal to what this makes, so that they cannot fall behind the code.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from mcp.server.mcpserver.tools import Tool
from pydantic import BaseModel

from rag.engine import Engine
from rag.mcp.server import listed_tools
from rag.settings import Settings
from rag.store.database import Database

_HEADING = """\
# MCP tools

Made by `python -m rag.mcp.docs docs/tools`; how to connect is described in [mcp.md](../mcp.md).
"""

Schema = Mapping[str, Any]


def documented_tools() -> list[Tool]:
    """The tools as they are listed without a model provider. No store is opened: nothing is called."""
    settings = Settings.model_construct(**{name: one.get_default() for name, one in Settings.model_fields.items()})
    return listed_tools(Engine(Database(settings), settings))


def pages() -> dict[str, str]:
    """File name -> content of the page of each tool, and of the list of them."""
    tools = documented_tools()
    made = {f"{tool.name}.md": tool_page(tool) for tool in tools}
    lines = [f"| [`{tool.name}`]({tool.name}.md) | {tool.title} |" for tool in tools]
    heading = (
        "# MCP tools\n\nMade by `python -m rag.mcp.docs docs/tools`; [mcp.md](../mcp.md) describes how to connect.\n"
    )
    made["README.md"] = "\n".join([heading, "| tool | what it does |", "|---|---|", *lines]) + "\n"
    return made


def tool_page(tool: Tool) -> str:
    """The page of a tool, in Markdown."""
    hints = tool.annotations
    told = [
        word
        for word, there in (
            ("read-only", hints and hints.read_only_hint),
            ("idempotent", hints and hints.idempotent_hint),
            ("destructive", hints and hints.destructive_hint),
            ("open world", hints and hints.open_world_hint),
        )
        if there
    ]
    lines = [
        f"# {tool.name}",
        "",
        f"*{tool.title}.* Annotations: {', '.join(told) or 'none'}.",
        "",
        tool.description,
        "",
    ]
    lines += ["## Parameters", ""]
    required = set(tool.parameters.get("required", ()))
    for name, one in cast("dict[str, Schema]", tool.parameters.get("properties", {})).items():
        state = "**required**" if name in required else f"default `{json.dumps(one.get('default'))}`"
        lines.append(f"* `{name}` ({type_of(one)}, {state}): {one.get('description', '')}")
    if not tool.parameters.get("properties"):
        lines.append("None.")
    output = result_schema(tool)
    lines += ["", "## Result", "", *_record(output)]
    for name, one in sorted(cast("dict[str, Schema]", output.get("$defs", {})).items()):
        if "properties" in one:
            lines += ["", f"### {name}", "", *_record(one)]
    return "\n".join(lines).rstrip() + "\n"


def result_schema(tool: Tool) -> Schema:
    """The whole schema of a tool's result; clients get its outline."""
    record = cast("type[BaseModel] | None", tool.fn_metadata.output_model)
    return record.model_json_schema() if record else {}


def _record(schema: Schema) -> list[str]:
    """What a record is, and its fields."""
    described = " ".join(str(schema.get("description", "")).split())
    fields = cast("dict[str, Schema]", schema.get("properties", {}))
    listed = [f"* `{name}`: {type_of(one)}" for name, one in fields.items()]
    return [*([described, ""] if described else []), *listed]


def type_of(schema: Schema) -> str:
    """The type that a JSON schema describes, in words."""
    if "$ref" in schema:
        return f"[{_name(schema)}](#{_name(schema).lower()})"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(type_of(part) for part in schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    kind = str(schema.get("type", "any value"))
    if kind == "array" and "items" in schema:
        return f"list of {type_of(schema['items'])}"
    if kind == "array" and "prefixItems" in schema:
        return f"list of {', '.join(type_of(item) for item in schema['prefixItems'])}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return f"object of {type_of(schema['additionalProperties'])}"
    return {"string": str(schema.get("format", "text")), "null": "none"}.get(kind, kind)


def _name(schema: Schema) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def main(folder: str) -> int:
    """Write the pages into a folder; a page of a tool that is no more has to be removed by hand."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    made = pages()
    for name, text in made.items():
        (target / name).write_text(text, encoding="utf-8")
    sys.stdout.write(f"{len(made)} pages in {target}\n")
    return 0


if __name__ == "__main__":
    if sys.argv[2:] or sys.argv[1:2] in (["-h"], ["--help"]):
        sys.exit("usage: python -m rag.mcp.docs [FOLDER]; writes a page for each tool [docs/tools]")
    sys.exit(main(*sys.argv[1:2] or ["docs/tools"]))
