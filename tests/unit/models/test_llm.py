"""The language model's outcomes and failures, through the real client against a real server."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import openai.resources.responses
import pytest
from fakes.openai_server import (
    FakeOpenAI,
    Fault,
    api_error,
    commentary,
    draft_of,
    incomplete,
    message,
    output_text,
    refusal,
)
from hypothesis import example, given
from hypothesis import strategies as st

from rag.models.drafting import Declined, DraftRequest, draft_schema, enum_fits, parse_draft
from rag.models.openai import OpenAIModel
from rag.models.prompting import read_prompt
from rag.verification.computations import OPERATIONS
from rag.verification.draft import (
    Draft,
    DraftCitation,
    DraftClaim,
    DraftComputation,
    DraftShortAnswer,
    DraftStatement,
)
from retrieval.errors import InputError, ProviderError, ProviderRejected

# Imported above so that no short deadline pays for the SDK's import.
assert openai.resources.responses

KEY = "sk-canary-key-4711"
SCENARIO = "Aloysius Quillfeather asks about his wombat"
URNS = ("urn:lex:us:16cfr:310.4:b:1", "urn:lex:us:16cfr:310.2:a")
ANSWER = draft_of(
    {"text": "Calls are barred.", "citations": [{"urn": URNS[0], "quote": "It is an abusive act to call"}]},
    unanswered=["the amount"],
)
LAW = ANSWER["statements"][0]
APPLICATION = {
    "id": "s2", "kind": "application", "text": "A call at 10 p.m. is barred.", "citations": [], "rests_on": ["s1"],
    "facts": ["called me at 10 p.m."],
    "computations": [{"operation": "more_than", "inputs": ["10 p.m.", "9 p.m."], "result": "true"}],
}  # fmt: skip


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(lambda request: ANSWER) as running:
        yield running


def model(server: FakeOpenAI) -> OpenAIModel:
    return OpenAIModel(KEY, "test-model", server.base_url, backoff_seconds=0.001)


def request(seconds: float = 20.0) -> DraftRequest:
    return DraftRequest("Answer strictly.", SCENARIO, URNS, deadline_seconds=seconds)


def assert_silent(error: ProviderError) -> None:
    """Neither the failure nor what hangs on it holds the key, the scenario or the reply."""
    assert error.__cause__ is None
    assert error.__context__ is None
    shown = f"{error!r} {error} {vars(error)}"
    for secret in (KEY, "Aloysius", "wombat", "canary"):
        assert secret not in shown


def test_a_completed_reply_becomes_a_draft_with_usage(server: FakeOpenAI) -> None:
    draft = model(server).draft(request())
    claim = DraftClaim("Calls are barred.", (DraftCitation(URNS[0], "It is an abusive act to call"),))
    usage = {"input_tokens": 7, "output_tokens": 5, "cached_tokens": 2, "reasoning_tokens": 3}
    assert draft == Draft.of_claims((claim,), ("the amount",), usage=usage)


def test_the_request_asks_for_the_strict_schema_and_stores_nothing(server: FakeOpenAI) -> None:
    model(server).draft(request())
    sent = server.requests[0]
    assert sent.path == "/v1/responses"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.headers["accept-encoding"] == "identity"
    assert sent.json == {
        "model": "test-model",
        "instructions": "Answer strictly.",
        "input": SCENARIO,
        "store": False,
        "text": {
            "format": {"type": "json_schema", "name": "draft", "strict": True, "schema": draft_schema(URNS)},
        },
    }
    assert urn_of(sent.json["text"]["format"]["schema"]) == {"type": "string", "enum": list(URNS)}


def test_an_output_limit_is_sent_where_it_is_set(server: FakeOpenAI) -> None:
    OpenAIModel(KEY, "test-model", server.base_url, max_output_tokens=500).draft(request())
    assert server.requests[0].json["max_output_tokens"] == 500


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (refusal("I cannot help Aloysius."), "refusal"),
        (incomplete("content_filter"), "content_filter"),
        (api_error(400, "content_filter", SCENARIO), "content_filter"),
        (Fault(body={"status": "failed", "error": {"code": "invalid_prompt", "message": SCENARIO}}), "content_filter"),
    ],
    ids=["refusal", "filtered-reply", "filtered-request", "flagged-prompt"],
)
def test_a_model_that_declines_is_a_value(server: FakeOpenAI, fault: Fault, kind: str) -> None:
    server.script(fault)
    assert model(server).draft(request()) == Declined(kind, "req_fake_1")
    assert server.calls == 1


def test_commentary_is_not_part_of_the_answer(server: FakeOpenAI) -> None:
    server.script(commentary())
    assert isinstance(model(server).draft(request()), Draft)


def test_commentary_alone_is_an_empty_answer(server: FakeOpenAI) -> None:
    only = message(output_text(json.dumps(ANSWER)), phase="commentary")
    server.script(Fault(edit=lambda reply: {**reply, "output": [only]}))
    with pytest.raises(ProviderRejected, match="unusable: empty"):
        model(server).draft(request())


def test_malformed_token_counts_are_left_out_and_the_draft_is_kept(server: FakeOpenAI) -> None:
    usage = {"input_tokens": "7", "output_tokens": 5, "output_tokens_details": None}
    server.script(Fault(edit=lambda reply: {**reply, "usage": usage}))
    draft = model(server).draft(request())
    assert isinstance(draft, Draft)
    assert draft.usage == {"output_tokens": 5}


def test_one_model_serves_several_threads(server: FakeOpenAI) -> None:
    shared, drafts = model(server), []
    threads = [threading.Thread(target=lambda: drafts.append(shared.draft(request()))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(drafts) == 4
    assert len(set(map(repr, drafts))) == 1


@pytest.mark.parametrize(
    "bad",
    [
        DraftRequest("rules", "half \ud800 Aloysius", URNS),
        DraftRequest("half \udfff", "input", URNS),
        DraftRequest("rules", "input", ()),
        DraftRequest("rules", "input", URNS, deadline_seconds=0.0),
        DraftRequest("rules", "input", URNS, deadline_seconds=float("nan")),
    ],
)
def test_what_cannot_be_sent_is_the_callers_error_and_never_sent(server: FakeOpenAI, bad: DraftRequest) -> None:
    with pytest.raises(InputError) as caught:
        model(server).draft(bad)
    assert "Aloysius" not in str(caught.value)
    assert caught.value.__context__ is None
    assert server.calls == 0


def urn_of(schema: Any) -> dict[str, Any]:
    """The schema of a citation's URN."""
    statement = schema["properties"]["statements"]["items"]["properties"]
    return statement["citations"]["items"]["properties"]["urn"]


def urns(count: int, length: int) -> tuple[str, ...]:
    return tuple(f"urn:lex:us:{number:04d}".ljust(length, "x") for number in range(count))


@pytest.mark.parametrize(
    ("allowed", "fits"),
    [
        (urns(1, 20), True),
        (urns(250, 400), True),
        (urns(250, 512), False),
        (urns(251, 59), True),
        (urns(251, 60), False),
        (urns(1000 - 25, 15), True),
        (urns(1001 - 25, 15), False),
        (urns(251, 59) * 2, True),
    ],
)
def test_the_enum_is_there_exactly_where_it_fits(allowed: tuple[str, ...], fits: bool) -> None:
    assert enum_fits(allowed) is fits
    urn = urn_of(draft_schema(allowed))
    assert urn.get("enum") == (list(dict.fromkeys(allowed)) if fits else None)
    assert urn["type"] == "string"


def test_every_object_of_the_schema_is_closed_and_complete() -> None:
    open_values: list[object] = [draft_schema(URNS)]
    objects = 0
    while open_values:
        value = open_values.pop()
        if isinstance(value, dict):
            open_values.extend(value.values())
            if value.get("type") == "object":
                objects += 1
                assert value["additionalProperties"] is False
                assert value["required"] == list(value["properties"])
    assert objects == 5


DEEP = "[" * 18 + "]" * 18
EMPTY = json.dumps(draft_of())


def statements(*given: dict[str, object]) -> str:
    """A draft of these statements."""
    return json.dumps({**draft_of(), "statements": given})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not valid JSON"),
        ("null", "not of the draft's shape"),
        ("[]", "not of the draft's shape"),
        ("{}", "not of the draft's shape"),
        ('{"unanswered": []}', "not of the draft's shape"),
        ('{"claims": [], "unanswered": []}', "not of the draft's shape"),
        ('{"statements": {}}', "not of the draft's shape"),
        ('{"statements": [], "unanswered": [1]}', "not of the draft's shape"),
        ('{"statements": [], "unanswered": null}', "not of the draft's shape"),
        ('{"statements": [], "short_answer": "no"}', "not of the draft's shape"),
        ('{"statements": [], "short_answer": {"rests_on": []}}', "not of the draft's shape"),
        (statements({**LAW, "citations": [{"urn": ["u"], "quote": "q"}]}), "not of the draft's shape"),
        (statements({**LAW, "kind": "holding"}), "not of the draft's shape"),
        (statements({**LAW, "kind": "LAW"}), "not of the draft's shape"),
        (statements({**LAW, "id": 1}), "not of the draft's shape"),
        (statements({**LAW, "citations": None}), "not of the draft's shape"),
        (statements({"kind": "law", "text": "t"}), "not of the draft's shape"),
        (statements({"id": "s1", "text": "t"}), "not of the draft's shape"),
        (statements({**APPLICATION, "facts": [7]}), "not of the draft's shape"),
        (statements({**APPLICATION, "rests_on": "s1"}), "not of the draft's shape"),
        (
            statements({**APPLICATION, "computations": [{"operation": "add", "result": "1"}]}),
            "not of the draft's shape",
        ),
        (
            statements({**APPLICATION, "computations": [{"operation": "add", "inputs": [1], "result": "1"}]}),
            "not of the draft's shape",
        ),
        (statements(LAW, LAW), "two statements of one id"),
        (statements(LAW, {**APPLICATION, "id": "s1"}), "two statements of one id"),
        ('{"statements": [], "unanswered": [], "statements": []}', "duplicate keys"),
        ('{"statements": [], "more": {"a": 1, "a": 2}}', "duplicate keys"),
        ('{"statements": [], "unanswered": [NaN]}', "not valid JSON"),
        ('{"statements": [], "unanswered": [-Infinity]}', "not valid JSON"),
        ('{"statements": [], "unanswered": ["\\ud800"]}', "a lone surrogate"),
        ('{"statements": [], "unanswered": ["\ud800"]}', "not valid UTF-8"),
        ('{"statements": [], "unanswered": [], "\\udc00": 1}', "a lone surrogate"),
        ('{"statements": [], "more": [' + "[" * 19 + "]" * 19 + "]}", "nested too deeply"),
        ('{"statements": [], "unanswered": [' + DEEP + "]}", "not of the draft's shape"),
        ("[" * 200_000, "nested too deeply"),
        (f"\ufeff{EMPTY}", "not valid JSON"),
        (f"{EMPTY} and more", "not valid JSON"),
        (EMPTY + EMPTY, "not valid JSON"),
        (f"```json\n{EMPTY}\n", "not valid JSON"),
        (f"```json\n{EMPTY[:-1]}\n```", "not valid JSON"),
        (f"```\n{EMPTY}\n```\n```\n{EMPTY}\n```", "not valid JSON"),
        (f"Here it is:\n```json\n{EMPTY}\n```", "not valid JSON"),
        (f"```python\n{EMPTY}\n```", "not valid JSON"),
        ("``````", "not valid JSON"),
        ("```\n```", "not valid JSON"),
        ("{'statements': []}", "not valid JSON"),
        ('{"statements": [],}', "not valid JSON"),
        ('{"statements": [], "unanswered": [' + "9" * 5000 + "]}", "not valid JSON"),
        (" " * (8 * 1024 * 1024 + 1), "too large"),
        ("é" * (4 * 1024 * 1024 + 1), "too large"),
    ],
)
def test_a_draft_that_is_off_is_refused_as_a_whole(text: str, reason: str) -> None:
    with pytest.raises(ProviderRejected) as caught:
        parse_draft(text, provider="replay")
    assert caught.value.cause == f"the reply is unusable: {reason}"
    assert caught.value.provider == "replay"
    assert caught.value.__context__ is None


def test_no_beginning_of_a_draft_is_taken_for_the_whole() -> None:
    text = json.dumps(ANSWER)
    for end in range(len(text)):
        with pytest.raises(ProviderRejected, match="not valid JSON"):
            parse_draft(text[:end])
    assert parse_draft(text).unanswered == ("the amount",)


WHOLE = Draft(
    (
        DraftStatement("s1", "law", LAW["text"], (DraftCitation(URNS[0], "It is an abusive act to call"),)),
        DraftStatement(
            "s2", "application", APPLICATION["text"], (), ("s1",), ("called me at 10 p.m.",),
            (DraftComputation("more_than", ("10 p.m.", "9 p.m."), "true"),),
        ),
    ),
    DraftShortAnswer("No.", ("s2",)),
    ("the amount",),
)  # fmt: skip
SAID = {
    "statements": [LAW, APPLICATION],
    "short_answer": {"text": "No.", "rests_on": ["s2"]},
    "unanswered": ["the amount"],
}


def test_every_member_of_the_schema_reaches_the_draft() -> None:
    assert parse_draft(json.dumps(SAID)) == WHOLE


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{json.dumps(SAID, indent=1)}\n```",
        f"\r\n```\r\n{json.dumps(SAID)}```\n\n",
        f"```JSON\n{json.dumps(SAID)}\n```",
        json.dumps({"thinking": {"steps": [1, 2]}, **SAID, "confidence": 0.9}),
        json.dumps({**SAID, "statements": [{**LAW, "level": "VERBATIM"}, APPLICATION]}),
        json.dumps(
            {**SAID, "statements": [{key: LAW[key] for key in ("id", "kind", "text", "citations")}, APPLICATION]}
        ),
        json.dumps({**SAID, "statements": [LAW, {key: APPLICATION[key] for key in APPLICATION if key != "citations"}]}),
    ],
    ids=["fence", "bare-fence", "upper-fence", "more", "level", "law-alone", "no-citations"],
)
def test_what_takes_nothing_away_costs_nothing(text: str) -> None:
    assert parse_draft(text) == WHOLE


@pytest.mark.parametrize(
    ("written", "operation"),
    [("sum", "add"), (" Percentage ", "percent"), ("days after", "add_days"), ("<=", "at_most"), ("add", "add"),
     ("compare", "compare")],
)  # fmt: skip
def test_operations_are_known_by_their_other_names(written: str, operation: str) -> None:
    step = {"operation": written, "inputs": ["1", "2"], "result": "3"}
    draft = parse_draft(statements({**APPLICATION, "computations": [step]}))
    assert [computation.operation for computation in draft.statements[-1].computations] == [operation]


def test_the_prompt_tells_the_inputs_of_every_operation() -> None:
    told = read_prompt("synthesis").parts["instructions"]
    assert not [name for name in OPERATIONS if not re.search(rf"\b{name}\b", told)]


def test_a_short_answer_without_text_is_none() -> None:
    for empty in ({"text": "", "rests_on": []}, {"text": " \n", "rests_on": ["s1"]}):
        assert parse_draft(json.dumps({**SAID, "short_answer": empty})) == replace(WHOLE, short_answer=None)


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
TEXTS = st.lists(WORDS, max_size=2).map(tuple)
STATEMENTS = st.builds(
    DraftStatement,
    id=WORDS,
    kind=st.sampled_from(["law", "application"]),
    text=WORDS,
    citations=st.lists(st.builds(DraftCitation, urn=WORDS, quote=WORDS), max_size=2).map(tuple),
    rests_on=TEXTS,
    facts=TEXTS,
    computations=st.lists(
        st.builds(DraftComputation, operation=st.sampled_from([*OPERATIONS]), inputs=TEXTS, result=WORDS), max_size=2
    ).map(tuple),
)
DRAFTS = st.builds(
    Draft,
    statements=st.lists(STATEMENTS, max_size=3, unique_by=lambda one: one.id).map(tuple),
    short_answer=st.none() | st.builds(DraftShortAnswer, text=WORDS.filter(str.strip), rests_on=TEXTS),
    unanswered=TEXTS,
)


@given(DRAFTS, st.booleans())
def test_a_draft_survives_its_way_through_json(draft: Draft, escaped: bool) -> None:
    said = asdict(draft)
    text = json.dumps({key: said[key] for key in ("statements", "short_answer", "unanswered")}, ensure_ascii=escaped)
    assert parse_draft(text) == draft


@given(st.text(st.characters(codec=None), max_size=60))
@example('{"statements":[{"id":"","kind":"law","text":""}]}')
def test_any_text_is_a_draft_or_refused_for_a_listed_reason(text: str) -> None:
    try:
        draft = parse_draft(text)
    except ProviderRejected as rejected:
        reason = rejected.cause.removeprefix("the reply is unusable: ")
        assert reason in {
            "not valid JSON",
            "not valid UTF-8",
            "duplicate keys",
            "a lone surrogate",
            "nested too deeply",
            "not of the draft's shape",
            "two statements of one id",
        }
    else:
        assert isinstance(draft, Draft)
