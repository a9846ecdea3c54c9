"""Recorded answers as a model: found by the prompt's hash, and an error where there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fakes.openai_server import draft_of

from rag.models.choice import model_of
from rag.models.drafting import Declined, DraftRequest
from rag.models.replay import Recording, ReplayedModel, StaleRecording, prompt_key
from rag.settings import load_settings
from rag.verification.draft import Draft, DraftCitation, DraftClaim
from retrieval.errors import ConfigurationError, ProviderRejected

URN = "urn:lex:us:16cfr:310.4"
REPLY = json.dumps(draft_of({"text": "So.", "citations": [{"urn": URN, "quote": "So it is."}]}))
REQUEST = DraftRequest("Answer strictly.", "The law.", (URN,))
KEY = prompt_key("Answer strictly.", "The law.")


def replayed(**changes: object) -> ReplayedModel:
    return ReplayedModel.of([Recording.model_validate({"prompt_sha256": KEY, "reply": REPLY, **changes})])


def test_a_recorded_reply_becomes_the_draft_it_was() -> None:
    expected = Draft.of_claims((DraftClaim("So.", (DraftCitation(URN, "So it is."),)),), usage={"input_tokens": 3})
    assert replayed(usage={"input_tokens": 3}).draft(REQUEST) == expected


@pytest.mark.parametrize("changed", [("Answer strictly!", "The law."), ("Answer strictly.", "The law"), ("", "")])
def test_a_prompt_without_a_recording_is_an_error(changed: tuple[str, str]) -> None:
    with pytest.raises(StaleRecording, match="stale"):
        replayed().draft(DraftRequest(*changed, (URN,)))


def test_the_parts_of_a_prompt_cannot_change_places() -> None:
    assert prompt_key("a", "b") != prompt_key("ab", "") != prompt_key("b", "a")


def test_a_recorded_refusal_is_a_refusal() -> None:
    assert replayed(reply="", finish_reason="refusal").draft(REQUEST) == Declined("refusal")


def test_a_recorded_reply_that_was_cut_is_refused_as_it_would_have_been() -> None:
    with pytest.raises(ProviderRejected, match="unusable"):
        replayed(reply=REPLY[:-2]).draft(REQUEST)


def test_two_answers_to_one_prompt_are_refused() -> None:
    one = Recording(prompt_sha256=KEY, reply=REPLY)
    assert len(ReplayedModel.of([one, one]).recordings) == 1
    with pytest.raises(ConfigurationError, match="differ"):
        ReplayedModel.of([one, one.model_copy(update={"reply": ""})])


@pytest.mark.parametrize("line", ["{", '{"reply": "x"}', '{"prompt_sha256": "abc", "reply": ""}'])
def test_a_line_that_is_no_recording_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(Recording(prompt_sha256=KEY, reply=REPLY).model_dump_json() + "\n\n" + line + "\n")
    with pytest.raises(ConfigurationError, match=r"answers\.jsonl:3"):
        ReplayedModel.read_file(file)


def test_the_settings_choose_the_recordings(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(Recording(prompt_sha256=KEY, reply=REPLY).model_dump_json() + "\n")
    model = model_of(load_settings(provider="replay", recordings=file))
    assert isinstance(model, ReplayedModel)
    assert model.draft(REQUEST) == replayed().draft(REQUEST)
    assert model_of(load_settings(provider="extractive")) is None
    for bad in ({}, {"recordings": tmp_path / "none.jsonl"}, {"recordings": tmp_path}):
        with pytest.raises(ConfigurationError, match="LEXSCOPE_RECORDINGS"):
            model_of(load_settings(provider="replay", **bad))
