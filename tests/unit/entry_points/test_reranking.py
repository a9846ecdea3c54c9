"""Reranking, through the real Cohere client against a real server: an order, or the legs' own and a word about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import cohere.v2.client
import pytest
from fakes.cohere_server import FakeCohere, shared_words
from fakes.openai_server import Fault, api_error
from hypothesis import given
from hypothesis import strategies as st
from requirements import requirement

from retrieval.entry_points.legs import EntryPoint
from retrieval.entry_points.reranking import DOCUMENT_TOKENS, NoReranker, rerank_points
from retrieval.errors import ConfigurationError, InputError, ProviderError, ProviderRejected, ProviderTimeout
from retrieval.nodes import NodeVersion
from retrieval.providers.cohere_reranking import CohereReranker
from retrieval.providers.embedding import estimated_tokens

# Imported above so that no short deadline pays for the SDK's import.
assert cohere.v2.client

KEY = "co-canary-key-4711"
QUESTION = "who keeps the records of a licensee"
DOCUMENTS = ["the landlord keeps a deposit", "the licensee keeps the records", "wombats"]


@pytest.fixture
def server() -> Iterator[FakeCohere]:
    with FakeCohere() as running:
        yield running


def reranker(server: FakeCohere, **given: Any) -> CohereReranker:
    return CohereReranker(KEY, base_url=server.root, backoff_seconds=0.001, **given)


def results(change: Callable[[list[dict[str, Any]]], Any]) -> Fault:
    return Fault(edit=lambda reply: {**reply, "results": change(reply["results"])})


def scored(score: object) -> Fault:
    return results(lambda found: [{**found[0], "relevance_score": score}, *found[1:]])


def test_every_document_gets_its_relevance_in_the_order_they_were_sent(server: FakeCohere) -> None:
    found = reranker(server).relevance(QUESTION, DOCUMENTS)
    assert found == [shared_words(QUESTION, document) for document in DOCUMENTS]
    (request,) = server.requests
    assert request.path == "/v2/rerank"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["accept-encoding"] == "identity"
    assert request.json == {
        "model": "rerank-v3.5", "query": QUESTION, "documents": DOCUMENTS, "top_n": 3, "max_tokens_per_doc": 4096,
    }  # fmt: skip


def test_no_document_is_no_request(server: FakeCohere) -> None:
    assert reranker(server).relevance(QUESTION, []) == []
    assert server.calls == 0


@pytest.mark.parametrize(
    ("fault", "error", "cause", "calls"),
    [
        (api_error(401), ProviderRejected, "key was not accepted", 1),
        (api_error(404), ProviderRejected, "does not exist", 1),
        (api_error(400), ProviderRejected, "invalid", 1),
        (api_error(429), ProviderError, "too many requests", 2),
        (api_error(429, retry_after="3600"), ProviderError, "too many requests", 1),
        (api_error(500), ProviderError, "unavailable", 2),
        (api_error(503), ProviderError, "unavailable", 2),
        (api_error(529), ProviderError, "unavailable", 2),
        (Fault(status=302, headers={"Location": "http://127.0.0.1:9/"}), ProviderRejected, "unexpected status", 1),
        (Fault(body=b""), ProviderRejected, "unusable", 1),
        (Fault(body=b"<html>"), ProviderRejected, "not valid JSON", 1),
        (Fault(body=b"[]"), ProviderRejected, "not a JSON object", 1),
        (Fault(body=b"[" * 100_000), ProviderRejected, "unusable|size limit", 1),
        (Fault(body={"message": "no"}), ProviderRejected, "wrong number of results", 1),
        (Fault(body={"results": "none"}), ProviderRejected, "wrong number of results", 1),
        (results(lambda found: []), ProviderRejected, "wrong number of results", 1),
        (results(lambda found: found[1:]), ProviderRejected, "wrong number of results", 1),
        (results(lambda found: [found[0], *found]), ProviderRejected, "index", 1),
        (results(lambda found: [{**found[0], "index": 3}, *found[1:]]), ProviderRejected, "index", 1),
        (results(lambda found: [{**found[0], "index": -1}, *found[1:]]), ProviderRejected, "index", 1),
        (results(lambda found: [{**found[0], "index": "0"}, *found[1:]]), ProviderRejected, "index", 1),
        (results(lambda found: [7, *found[1:]]), ProviderRejected, "index", 1),
        (scored("high"), ProviderRejected, "no number", 1),
        (scored(None), ProviderRejected, "no number", 1),
        (scored(True), ProviderRejected, "no number", 1),
        (Fault(body=b'{"results": [{"index": 0, "relevance_score": NaN}]}'), ProviderRejected, "unusable", 1),
        (Fault(headers={"Content-Encoding": "gzip"}), ProviderRejected, "compressed", 1),
        (Fault(body=b"x" * 1000, endless=True), ProviderRejected, "size limit", 1),
        (Fault(cut_at=20), ProviderError, "connection broke off", 2),
    ],
)  # fmt: skip
def test_a_reply_that_cannot_be_used_is_a_named_failure(
    server: FakeCohere, fault: Fault, error: type[ProviderError], cause: str, calls: int
) -> None:
    server.script(fault, fault)
    with pytest.raises(ProviderError, match=cause) as raised:
        reranker(server).relevance(QUESTION, DOCUMENTS)
    assert type(raised.value) is error
    assert server.calls == calls
    assert KEY not in str(raised.value)
    assert raised.value.__cause__ is None


def test_one_failure_for_the_moment_costs_nothing(server: FakeCohere) -> None:
    server.script(api_error(503, retry_after="0"))
    assert len(reranker(server).relevance(QUESTION, DOCUMENTS)) == 3
    assert server.calls == 2


@pytest.mark.parametrize("fault", [Fault(delay=30), Fault(drip=0.05), Fault(drip=0.05, drip_headers=True)])
def test_nothing_takes_longer_than_the_deadline(server: FakeCohere, fault: Fault) -> None:
    server.script(fault, fault)
    with pytest.raises(ProviderTimeout):  # a whole reply would come later
        reranker(server, deadline_seconds=0.4).relevance(QUESTION, DOCUMENTS)


def test_a_host_that_is_not_there_is_an_unreachable_provider() -> None:
    with pytest.raises(ProviderError, match="no connection could be made"):
        CohereReranker(KEY, base_url="http://127.0.0.1:9", backoff_seconds=0.001).relevance(QUESTION, DOCUMENTS)


def test_a_text_that_cannot_be_sent_is_named_and_not_repeated(server: FakeCohere) -> None:
    with pytest.raises(InputError, match="candidate 2"):
        reranker(server).relevance(QUESTION, ["a", "half \ud800"])
    with pytest.raises(InputError, match="question"):
        reranker(server).relevance("half \ud800", ["a"])
    assert server.calls == 0


@pytest.mark.parametrize(("key", "url"), [("", None), ("a b", None), (KEY, "ftp://host"), (KEY, "http://u:p@host")])
def test_a_key_or_address_that_cannot_be_used_is_refused(key: str, url: str | None) -> None:
    with pytest.raises(ConfigurationError) as raised:
        CohereReranker(key, base_url=url)
    assert "u:p" not in str(raised.value)


# --- candidates ---------------------------------------------------------------------------------------------------


@dataclass
class Judge:
    """Judges by given scores; notes what it read."""

    scores: list[float]
    model: str = "judge"
    read: list[str] = field(default_factory=list[str])

    def relevance(self, question: str, documents: Sequence[str]) -> list[float]:
        self.read += documents
        return self.scores[: len(documents)]


class Away:
    """A reranker that is away."""

    model = "away"

    def relevance(self, question: str, documents: Sequence[str]) -> list[float]:
        raise ProviderTimeout("away", "no answer")


def point(number: int, *, cited: bool = False) -> EntryPoint:
    rule = NodeVersion(
        "us", number, number, f"urn:lex:us:code:{number:03}", "root", "legislation", "SECTION", "section", "", 0, "",
        "", "", None, None, [number], number, [], {}, "en", "", 1,
    )  # fmt: skip
    return EntryPoint(rule, rule.urn, 1 - number / 100, {"citation": 1.0} if cited else {"lexical": 1.0})


def order(points: Sequence[EntryPoint]) -> list[int]:
    return [entry_point.rule.id for entry_point in points]


def test_the_best_judged_are_kept_in_their_new_order_and_the_rest_is_said() -> None:
    points = [point(n) for n in range(20)]
    judge = Judge([n / 20 for n in range(20)])
    out = rerank_points(points, [f"text {n}" for n in range(20)], QUESTION, judge)
    assert judge.read == [f"text {n}" for n in range(15)]
    assert order(out.points) == [14, 13, 12, 11, 10]
    assert out.points[0].relevance_score == 14 / 20
    assert out.warnings == ["rerank: the best 5 of 15 candidates judged are kept"]


def test_what_the_question_cites_stays_in_front_and_is_not_judged() -> None:
    points = [point(7, cited=True), point(1), point(2)]
    judge = Judge([0.1, 0.9])
    out = rerank_points(points, ["cited", "one", "two"], QUESTION, judge)
    assert order(out.points) == [7, 2, 1]
    assert out.points[0].relevance_score is None
    assert (judge.read, out.warnings) == (["one", "two"], [])


def test_no_reranker_leaves_everything_as_it_is() -> None:
    points = [point(n) for n in range(20)]
    out = rerank_points(points, [""] * 20, QUESTION, NoReranker())
    assert out.points == points
    assert out.warnings == ["rerank: skipped (no reranker is configured; see LEXSCOPE_RERANKER)"]
    assert NoReranker().relevance(QUESTION, ["a"]) == []


@requirement("P7")
def test_a_reranker_that_fails_leaves_the_fused_order_and_says_so() -> None:
    points = [point(n) for n in range(20)]
    out = rerank_points(points, [""] * 20, QUESTION, Away())
    assert out.points == points
    assert out.warnings == ["rerank: skipped (provider_timeout); the order is the legs' own"]


@requirement("P10")
def test_a_candidate_that_is_too_long_is_judged_by_its_beginning_and_counted() -> None:
    judge = Judge([0.5, 0.5])
    out = rerank_points([point(1), point(2)], ["word " * 9000, "short"], QUESTION, judge)
    assert estimated_tokens(judge.read[0]) <= DOCUMENT_TOKENS
    assert out.warnings == ["rerank: 1 of 2 candidates were judged by their beginning"]


@given(
    st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=12), st.integers(1, 12), st.integers(1, 12)
)
def test_the_order_is_by_relevance_then_urn(scores: list[float], candidates: int, kept: int) -> None:
    points = [point(n) for n in range(len(scores))][::-1]
    out = rerank_points(points, [""] * len(points), QUESTION, Judge(scores), candidates=candidates, kept=kept)
    judged = list(zip(scores, points, strict=True))[:candidates]
    expected = sorted(judged, key=lambda one: (-one[0], one[1].rule.urn))[:kept]
    assert order(out.points) == [one.rule.id for _, one in expected]
