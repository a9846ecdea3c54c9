"""An override that is recorded while a model drafts stops the answer (P4)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakes.openai_server import FakeOpenAI, draft_of

from rag import Engine
from rag.models.openai import OpenAIModel
from rag.store.reference_data import NewOverride, add_override

RULE = "urn:lex:ma:940cmr:3.17:7"
QUOTE = (
    "Except in an emergency, an owner shall not enter a dwelling unit without the consent of the tenant, given after"
)
ANSWER = draft_of({"text": f"{QUOTE} at least 30 hours' notice.", "citations": [{"urn": RULE, "quote": QUOTE}]})


@pytest.mark.parametrize(
    ("pattern", "status", "served"),
    [
        (RULE, "ENJOINED", False), ("urn:lex:ma:940cmr:3.17", "VOID", False),
        ("urn:lex:ma:940cmr:3.08", "VOID", True), (None, "", True),
    ],
)  # fmt: skip
def test_no_answer_is_served_after_a_court_acted(
    engine: Engine, pattern: str | None, status: str, served: bool
) -> None:
    def reply(_: object) -> dict[str, Any]:
        if pattern is not None:
            row = {"urn_pattern": pattern, "status": status, "court": "SJC", "court_citation": "500 Mass. 1"}
            add_override(engine.database, NewOverride.model_validate(row))
        return ANSWER

    with FakeOpenAI(reply) as provider:
        answer = engine.using(model=OpenAIModel("key", "test-model", provider.base_url)).ask(RULE)
    if served:
        assert answer.status == "answered", answer.refusal
    else:
        assert answer.status == "halted"
        assert answer.statements == []
        assert answer.refusal is not None
        assert "Legal Override active" in answer.refusal.message
        assert QUOTE not in json.dumps(answer.model_dump(mode="json"))


def test_a_void_rule_among_those_found_empties_no_list_of_places(engine: Engine) -> None:
    row = {"urn_pattern": "urn:lex:ma:940cmr:3.12", "status": "VOID", "court": "SJC", "court_citation": "500 Mass. 1"}
    add_override(engine.database, NewOverride.model_validate(row))
    answer = engine.ask("can my landlord keep my deposit and do I have any reason", jurisdiction="us-ma")
    assert answer.status == "places"
    assert [omitted.urn for omitted in answer.omitted] == ["urn:lex:ma:940cmr:3.12"]
    assert "urn:lex:ma:940cmr:3.17:4:b" in [place.urn for place in answer.places]
