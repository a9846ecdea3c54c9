"""Statutory terms that a model names for a question: what is asked, what of a reply is used, and recorded replies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rag.models.choice import rewriter_of
from rag.models.replay import StaleRecording, prompt_key
from rag.models.rewriting import MAX_TERM, MOST_TERMS, read_terms, rewrite_prompt, rewritten
from rag.settings import load_settings
from retrieval.errors import ConfigurationError, ProviderError

QUESTION = "Mein Vermieter rückt die Kaution nicht raus"


def test_the_language_of_the_law_and_the_question_inside_a_fence_are_sent() -> None:
    instructions, text = rewrite_prompt(QUESTION, "de")
    assert "Language of the law: German" in text
    fence = text.splitlines()[1].removesuffix(" question")
    assert text.splitlines()[2:] == [QUESTION, f"{fence} end of the question"]
    assert f"at most {MOST_TERMS}" in instructions
    assert rewrite_prompt("another", "de")[1].splitlines()[1] != f"{fence} question"
    assert rewrite_prompt("costs $5 and ${instructions}", "en")[1].splitlines()[2] == "costs $5 and ${instructions}"


def test_only_what_can_be_searched_for_is_used_once_and_not_too_much_of_it() -> None:
    terms = ["Mietsicherheit", "  Rückgabe \n der  Mietsache ", "Mietsicherheit", "551", "urn:lex:de:bgb:551", "", 7,
             "x" * (MAX_TERM + 1), "§ 551 \x07"]  # fmt: skip
    assert read_terms(json.dumps({"terms": terms})) == ["Mietsicherheit", "Rückgabe der Mietsache"]
    assert len(read_terms(json.dumps({"terms": [f"Wort{'a' * count}" for count in range(20)]}))) == MOST_TERMS


@pytest.mark.parametrize(
    "reply", ["", "no JSON", "[]", '{"terms": "Kaution"}', '{"words": ["Kaution"]}', '{"terms": [']
)
def test_a_reply_that_is_not_of_the_schema_is_a_failure(reply: str) -> None:
    with pytest.raises(ProviderError):
        read_terms(reply)


def test_recorded_terms_are_found_by_the_prompt_and_a_missing_one_costs_the_terms_and_not_the_search(
    tmp_path: Path,
) -> None:
    line = {"prompt_sha256": prompt_key(*rewrite_prompt(QUESTION, "de")), "reply": '{"terms": ["Mietsicherheit"]}'}
    file = tmp_path / "rewritings.jsonl"
    file.write_text(json.dumps(line), encoding="utf-8")
    rewriter = rewriter_of(load_settings(rewriting="replay", rewritings=file))
    assert rewritten(rewriter, QUESTION, "de") == (["Mietsicherheit"], [])
    assert rewriter is not None
    with pytest.raises(StaleRecording):
        rewriter.terms(QUESTION, "fr")
    assert rewritten(rewriter, QUESTION, "fr") == ([], ["rewriting: skipped (stale_recording)"])
    assert rewritten(None, QUESTION, "de") == ([], [])


def test_nobody_rewrites_unless_a_model_drafts() -> None:
    assert rewriter_of(load_settings(provider="extractive")) is None
    assert rewriter_of(load_settings(provider="openai", openai_api_key="k", rewriting="none")) is None
    assert rewriter_of(load_settings(provider="openai", openai_api_key="k")) is not None
    with pytest.raises(ConfigurationError):
        rewriter_of(load_settings(rewriting="replay"))
