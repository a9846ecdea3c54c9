"""The pages of the MCP tools are what their schemas say."""

from __future__ import annotations

from pathlib import Path

from rag.mcp.docs import documented_tools, pages, type_of

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "tools"


def test_the_pages_are_those_that_the_schemas_make() -> None:
    made = pages()
    kept = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    assert sorted(kept) == sorted(made)
    stale = [name for name in made if kept[name] != made[name]]
    assert stale == [], "run `python -m rag.mcp.docs docs/tools`"


def test_every_parameter_and_every_field_has_a_line() -> None:
    made = pages()
    for tool in documented_tools():
        page = made[f"{tool.name}.md"]
        for name, schema in tool.parameters["properties"].items():
            assert f"* `{name}` ({type_of(schema)}, " in page
            assert schema.get("description", "") in page
        for name in (tool.output_schema or {})["properties"]:
            assert f"* `{name}`: " in page


def test_types_are_told_in_words() -> None:
    assert type_of({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}) == "date or none"
    assert type_of({"type": "array", "items": {"$ref": "#/$defs/Block"}}) == "list of [Block](#block)"
    assert type_of({"enum": ["a", "b"]}) == "`a` or `b`"
    assert type_of({"type": "object", "additionalProperties": {"type": "integer"}}) == "object of integer"
    assert type_of({}) == "any value"
