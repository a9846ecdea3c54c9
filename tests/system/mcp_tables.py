"""Calls of the MCP tools on the sample store: every parameter once at least, and what each must give or say."""

from __future__ import annotations

from datetime import date
from typing import Any

from rag.answering.follow_up import Kept, token_of
from rag.telemetry.quality.model import FLAGS

RULE = "urn:lex:ma:940cmr:3.17:4"
MA = {"jurisdiction": "us-ma"}
DEPOSIT = "My landlord did not pay interest on my security deposit."
FOLLOW_UP = token_of([Kept((RULE,), date(2026, 1, 2), "en", "0" * 16)])

# Tool, arguments, and what the result must hold: dicts may have more keys, lists more items.
CALLS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "search",
        {"language": "en", "query": DEPOSIT, "tags": MA, "mode": "keyword", "limit": 3, "offset": 0,
         "at_date": "2024-01-01"},
        {"results": [{"urn": "urn:lex:ma:940cmr:3.17"}], "mode": "keyword", "at_date": "2024-01-01", "limit": 3},
    ),
    (
        "search",
        {"language": "en", "query": "deposit", "jurisdiction": "us-ma", "should_expand_synonyms": False,
         "rerank": False, "date_from": None, "date_to": None},
        {"mode": "hybrid", "limit": 20, "results": [{"urn": "urn:lex:ma:940cmr:3.17"}]},
    ),
    ("search", {"language": "en", "tags": {**MA, "kind": "legislation"}, "limit": 1}, {"mode": "browse", "limit": 1}),
    ("search", {"language": "en", "tags": MA, "discover": "kind"}, {"values": [{"value": "legislation"}]}),
    ("search", {"language": "en", "tags": MA, "discover": "*"}, {"mode": "discover", "results": []}),
    ("search", {"language": "en", "query": "deposit", "tags": MA, "edges": {"*": RULE}}, {"total": 2}),
    (
        "get_document",
        {"reference": "940 CMR 3.17(4)", "language": "en", "at_date": "2024-01-01", "blocks": "1-2"},
        {"status": "ok", "urn": RULE, "first_block": 1, "last_block": 2, "total_blocks": 5},
    ),
    (
        "get_document",
        {"reference": "urn:lex:ma:940cmr:3.17", "highlight": "interest", "tags": {}},
        {"status": "ok", "urn": "urn:lex:ma:940cmr:3.17"},
    ),
    ("get_document", {"reference": "urn:lex:ma:940cmr:3.08"}, {"status": "not_in_force", "blocks": []}),
    (
        "browse_structure",
        {"language": "en", "tags": MA, "root_id": "urn:lex:ma:940cmr", "depth": 1, "jurisdiction": "us-ma",
         "at_date": "2024-01-01", "provisions": True, "limit": 2, "offset": 0},
        {"root_id": "urn:lex:ma:940cmr", "depth": 1, "limit": 2},
    ),
    ("browse_structure", {"language": "en", "tags": {"jurisdiction": "*"}}, {"root_id": None, "limit": 50}),
    (
        "list_documents",
        {"jurisdiction": "us-ma", "language": "en", "type": "legislation", "tags": {}, "at_date": "2024-01-01",
         "limit": 5, "offset": 0},
        {"limit": 5, "documents": [{"jurisdiction": "us-ma", "language": "en", "type": "regulation"}]},
    ),
    (
        "get_context",
        {"reference": "940 CMR 3.17(4)", "jurisdiction": "us-ma", "language": "en", "at_date": "2024-01-01",
         "rules": 1, "terms": ["security deposit"], "blocks": "1-3"},
        {"status": "ok", "targets": [RULE], "first_block": 1, "last_block": 3, "next_blocks": "4-6"},
    ),
    ("get_context", {"reference": "urn:lex:ma:940cmr:3.12"}, {"status": "halted", "blocks": []}),
    (
        "ask",
        {"question": DEPOSIT, "jurisdiction": "us-ma", "language": "en", "at_date": "2024-01-01", "rules": 2,
         "terms": ["security deposit"]},
        {"status": "answered", "targets": ["urn:lex:ma:940cmr:3.17"], "provider": "extractive"},
    ),
    ("ask", {"question": "When is it paid?", "follow_up": FOLLOW_UP}, {"targets": [RULE], "at_date": "2026-01-02"}),
    ("ask", {"question": "qwertzuiop", "jurisdiction": "us-ma"}, {"refusal": {"reason": "no_entry_point"}}),
    (
        "verify_citations",
        {"text": "See 940 CMR 3.17(4). Also 940 CMR 3.99.", "jurisdiction": "us-ma", "language": "en",
         "at_date": "2024-01-01", "offset": 0},
        {
            "at_date": "2024-01-01",
            "items": [
                {"text": "940 CMR 3.17(4)", "start": 4, "end": 19, "kind": "reference", "verdict": "SUPPORTED",
                 "urn": RULE},
                {"text": "940 CMR 3.99", "kind": "reference", "verdict": "NOT_FOUND"},
            ],
            "summary": {"items": 2, "supported": 1, "failed": 1},
            "truncated": False, "next_offset": None,
        },
    ),
    (
        "resolve_case",
        {"court": "x", "date": "2024", "case_number": "1", "case_name": "y", "limit": 3, "jurisdiction": "us-ma"},
        {"status": "no_candidate", "basis": "case_number", "ignored": ["case_name", "court", "date"], "cases": []},
    ),
    ("resolve_case", {}, {"status": "no_clue", "basis": None}),
    ("safety_guidelines", {"category": "core"}, {"category": "core", "warnings": []}),
    (
        "safety_guidelines",
        {"category": "jurisdiction", "jurisdiction": "us-ma"},
        {"jurisdictions": ["us-ma"], "provenance": [{"urn": "urn:lex:ma:940cmr"}]},
    ),
    (
        "quality_check",
        {"mode": "research", "model": "gpt-5-mini", "jurisdiction": "us-ma", "queries_attempted": ["security deposit"],
         "tools_sequence": ["search", "ask"], "documents_cited": [RULE], "tags_used": {"kind": "legislation"},
         "satisfaction": "sufficient", "confidence": "high", "gaps": ["no_case_law"], "difficulties": ["timeout"],
         "concept": "security deposit", **dict.fromkeys(FLAGS, True)},
        {"recorded": True, "highest_alert_severity": "STOP", "kept": {"mode": "research", "documents_cited": [RULE]}},
    ),
    (
        "quality_check",
        {"mode": "correction", "model": "gpt-5-mini", "jurisdiction": "us-ma", "error_type": "temporal_error",
         "document_ids": [RULE], "detail": "wrong_version", "severity": "minor"},
        {"recorded": True, "kept": {"mode": "correction", "error_type": "temporal_error"}},
    ),
]  # fmt: skip

# Tool, arguments, and what the error says beside its code, its tool and what to do.
ERRORS: list[tuple[str, dict[str, Any], str]] = [
    ("search", {"language": "en", "query": DEPOSIT}, "Name the jurisdiction"),
    ("search", {"language": "en", "query": DEPOSIT, "tags": MA, "mode": "best"}, "Argument `mode`"),
    ("search", {"language": "en", "query": DEPOSIT, "tags": {"jurisdiction": "!*"}}, "`!*` is not allowed"),
    ("get_document", {"reference": RULE, "blocks": "x"}, "30-50"),
    ("browse_structure", {"language": "en"}, "Name the jurisdiction"),
    ("browse_structure", {"language": "en", "tags": MA, "depth": -1}, "depth"),
    ("list_documents", {"limit": 0}, "limit"),
    ("get_context", {"reference": "deposit"}, "Name the jurisdiction"),
    ("get_context", {"reference": RULE, "rules": 0}, "`rules` is a number from 1 to 10"),
    ("get_context", {"reference": RULE, "at_date": "2015-W24-1"}, "YYYY-MM-DD"),
    ("ask", {"question": DEPOSIT, "jurisdiction": "fr"}, "no law of jurisdiction fr"),
    ("ask", {"question": DEPOSIT, "follow_up": "lex1.bm8"}, "neither the follow-up token nor the trace id"),
    ("ask", {}, "Argument `question`: it is missing"),
    ("verify_citations", {"text": "940 CMR 3.17", "at_date": "soon"}, "YYYY-MM-DD"),
    ("verify_citations", {"text": "940 CMR 3.17", "offset": 5}, "`offset` is 0 or more"),
    ("verify_citations", {"text": "940 CMR 3.17", "offset": -1}, "`offset` is 0 or more"),
    ("safety_guidelines", {"category": "jurisdiction"}, "jurisdiction"),
    ("quality_check", {"mode": "praise", "model": "gpt-5-mini"}, "Argument `mode`"),
    ("quality_check", {"model": "gpt-5-mini", "mode": "great"}, "Argument `mode`"),
    ("resolve_case", {"court": "x", "limit": 0}, "1 to 10"),
    ("resolve_case", {"court": "x", "limit": 0}, "1 to 10"),
    ("resolve_case", {"date": "long ago"}, "2023-05-17"),
    ("resolve_case", {"court": "x", "jurisdiction": "!!"}, "code such as"),
]
