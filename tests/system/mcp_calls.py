"""Calls of the MCP server through the real client, for the tests beside this module."""

from __future__ import annotations

import json
from typing import Any

from mcp import Client
from mcp.types import CallToolResult, TextContent

from rag import Engine
from rag.documents.model import REPLY_TOKENS
from rag.mcp.server import build_server

# The tools in the order in which they are listed.
TOOLS = [
    "search", "get_document", "browse_structure", "list_documents", "get_context", "ask", "verify_citations",
    "resolve_case", "safety_guidelines", "quality_check",
]  # fmt: skip
MA = {"jurisdiction": "us-ma"}
DEPOSIT = "My landlord did not pay interest on my security deposit."
CANARY = "Zebulon Quackenbush of 7 Larkspur Lane"


def text_of(result: CallToolResult) -> str:
    assert len(result.content) == 1
    block = result.content[0]
    assert isinstance(block, TextContent)
    return block.text


async def call(engine: Engine, tool: str, **arguments: object) -> dict[str, Any]:
    """The structured result of a call that is no error."""
    async with Client(build_server(engine)) as client:
        result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    assert result.structured_content is not None
    assert len(json.dumps(result.structured_content, indent=2, ensure_ascii=False)) < REPLY_TOKENS * 3
    assert len(text_of(result)) < REPLY_TOKENS * 3
    return result.structured_content


async def refused(engine: Engine, tool: str, arguments: dict[str, Any]) -> str:
    """The text of a call that is an error."""
    async with Client(build_server(engine)) as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error
    return text_of(result)
