"""The limits that docs/operation.md tells are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

from rag.citecheck.run import MAX_TEXT
from rag.mcp.guard import BODY_SECONDS, MAX_BODY
from rag.mcp.http import CONNECTIONS, DRAIN_SECONDS, HEAD_SECONDS
from rag.models.drafting import MAX_DRAFT_DEPTH, MAX_REPLY_BYTES
from rag.requests import MAX_QUESTION
from rag.settings import GRACE_SECONDS, Settings
from rag.store.database import BUSY_SECONDS, MOST_WAITING, POOL_SECONDS
from rag.web.app import MAX_FORM

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "operation.md").read_text("utf-8")
TOLD = PAGE.partition("## Limits")[2]
ROWS = {row[0]: row[1] for row in re.findall(r"^\| ([^|]+) \| ([^|]+) \| [^|]+ \|$", TOLD, re.MULTILINE)}


def test_the_limits_of_the_page_are_those_of_the_code() -> None:
    kept = Settings.model_fields
    told = {
        what: [int(entry.replace(",", "")) for entry in re.findall(r"\d[\d,]*", said)] for what, said in ROWS.items()
    }
    assert told == {
        "what": [],
        "an answer or a verification": [kept["request_seconds"].default],
        "a whole call": [GRACE_SECONDS],
        "a statement that reads": [kept["statement_timeout_seconds"].default],
        "connections, and calls that run at once": [kept["pool_size"].default],
        "calls that wait": [MOST_WAITING],
        "open HTTP connections": [CONNECTIONS],
        "a request's body, a form": [MAX_BODY >> 20, MAX_FORM // 1000],
        "the headers of a request, its body": [HEAD_SECONDS, BODY_SECONDS],
        "calls that run when a server is told to stop": [DRAIN_SECONDS],
        "a question": [MAX_QUESTION],
        "a text to verify": [MAX_TEXT],
        "a context": [kept["context_tokens"].default],
        "a model's reply": [MAX_REPLY_BYTES >> 20, MAX_DRAFT_DEPTH],
        "how long a trace is kept": [kept["trace_days"].default],
    }  # fmt: skip
    assert (
        f"wait, {POOL_SECONDS:.0f} s for a connection; `busy` (503) once all are held for {BUSY_SECONDS:.0f} s" in PAGE
    )
