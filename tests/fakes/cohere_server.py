"""Cohere's rerank API on the local fake server: `POST /v2/rerank` judges by the words a document shares.

with FakeCohere() as server:
    server.script(Fault(status=429))
    reranker = CohereReranker("key", base_url=server.root)
"""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlsplit

from fakes.openai_server import FakeOpenAI, Fault


class FakeCohere(FakeOpenAI):
    """The server; faults are scripted as for the OpenAI one."""

    @property
    def root(self) -> str:
        """The address for a client, without `/v2`."""
        return self.base_url.removesuffix("/v1")

    def _payload(self, path: str, request: dict[str, Any], fault: Fault) -> tuple[int, bytes]:
        if fault.body is None and urlsplit(path).path == "/v2/rerank":
            reply = _judged(request)
            return fault.status, json.dumps(fault.edit(reply) if fault.edit else reply).encode()
        return super()._payload(path, request, fault)


def shared_words(question: str, document: str) -> float:
    """The share of the question's words that a document holds."""
    asked = set(re.findall(r"\w+", question.casefold()))
    return len(asked & set(re.findall(r"\w+", document.casefold()))) / max(len(asked), 1)


def _judged(request: dict[str, Any]) -> dict[str, Any]:
    scored = [
        {"index": index, "relevance_score": shared_words(request["query"], document)}
        for index, document in enumerate(request["documents"])
    ]
    best = sorted(scored, key=lambda one: -one["relevance_score"])[: request.get("top_n", len(scored))]
    return {"id": "rerank-1", "results": best, "meta": {"billed_units": {"search_units": 1}}}
