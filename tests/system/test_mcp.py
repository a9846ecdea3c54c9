from __future__ import annotations
import pytest
from mcp import Client
from rag.mcp_server import build_server

pytestmark = pytest.mark.anyio

@pytest.fixture
def anyio_backend():
    return "asyncio"

async def test_x(engine):
    async with Client(build_server(engine)) as client:
        tools = (await client.list_tools()).tools
        import json
        print(json.dumps([t.model_dump(mode="json", by_alias=True, exclude_none=True) for t in tools], indent=1)[:9000])
        print("tools chars", len(json.dumps([t.model_dump(mode="json", by_alias=True, exclude_none=True) for t in tools])))
        for name, args in [
            ("search", dict(language="en", query="deposit interest", tags={"jurisdiction":"us-ma"}, limit=2)),
            ("search", dict(language="en", query="deposit interest", tags={"jurisdiction":"us-ma","kind":"legislation"})),
            ("search", dict(language="en", query="deposit interest", tags={"jurisdiction":"!=us"})),
            ("search", dict(language="en", query="deposit interest")),
            ("search", dict(language="en", query="deposit interest", jurisdiction="us-ma", edges={"a":"b"})),
            ("search", dict(language="en", query="deposit interest", jurisdiction="us-ma", foo=1)),
            ("search", dict(query="deposit interest", jurisdiction="us-ma", mode="x", limit="abc")),
            ("search", dict(language="fr", query="deposit interest", jurisdiction="us-ma")),
            ("search", dict(language="en", query="xqzv", jurisdiction="us-ma")),
            ("search", dict(language="en", query="deposit", jurisdiction="us-ma", mode="semantic")),
            ("search", dict(language="en", query="deposit", jurisdiction="*", limit=1000)),
            ("get_context", dict(reference="urn:lex:ma:940cmr:3.18")),
            ("get_context", dict(reference="urn:lex:ma:940cmr:3.17:4", blocks="2-3")),
            ("get_context", dict(reference="deposit")),
            ("ask", dict(question="My landlord did not pay interest on my security deposit.", jurisdiction="us-ma")),
            ("ask", dict(question="urn:lex:ma:940cmr:3.12")),
            ("ask", dict(question="urn:lex:ma:940cmr:9.12")),
            ("ask", dict(question="how do I bake a cake", jurisdiction="us-ma")),
            ("nope", {}),
        ]:
            r = await client.call_tool(name, args)
            print(name, args, r.is_error)
            print(r.content[0].text[:1800])
