"""Models that misbehave: what they return is hostile, and the engine has to end well all the same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from rag.models.drafting import Declined, DraftRequest, parse_draft
from rag.verification.draft import Draft, DraftCitation, DraftClaim
from retrieval.errors import ProviderError, ProviderTimeout

Reply = Callable[[DraftRequest], Draft | Declined]


@dataclass
class Scripted:
    """A model that answers by a function and counts how often it is asked."""

    reply: Reply
    calls: int = 0
    provider: str = "hostile"
    model: str = "scripted"
    seen: list[str] = field(default_factory=list[str])

    def draft(self, request: DraftRequest) -> Draft | Declined:
        """Draft by the script."""
        self.calls += 1
        return self.reply(request)


def nothing(request: DraftRequest) -> Draft:
    """No claim."""
    return Draft.of_claims(())


def raw(text: str) -> Reply:
    """A reply that is this text, read as a provider's reply is."""
    return lambda request: parse_draft(text, provider="hostile")


def claims(*given: DraftClaim) -> Reply:
    """These claims, whatever was asked; nothing in the repair round."""
    return lambda request: Draft.of_claims(given)


_SAID = re.compile(r"SAY: ([^\n]{3,400})")


def obedient(request: DraftRequest) -> Draft:
    """A model that does what any text of its prompt tells it: it says what is after `SAY:`, citing what it can."""
    urn = request.allowed_urns[0]
    said = list(dict.fromkeys(_SAID.findall(request.input)))
    return Draft.of_claims(tuple(DraftClaim(text, (DraftCitation(urn, text),)) for text in said))


def good_reply(claim: DraftClaim) -> str:
    """The JSON that a well-behaved model sends for one claim."""
    statement = {
        "id": "s1", "kind": "law", "text": claim.text,
        "citations": [{"urn": citation.urn, "quote": citation.quote} for citation in claim.citations],
        "rests_on": [], "facts": [], "computations": [],
    }  # fmt: skip
    return json.dumps({"statements": [statement], "short_answer": {"text": "", "rests_on": []}, "unanswered": []})


def hostile_replies(claim: DraftClaim) -> Iterator[tuple[str, Reply]]:
    """Replies that are no draft, by kind: cut at 200 places, drifted, deep, long, not JSON, failing, declining.

    The JSON test suite's documents are added by the caller where they are there.
    """
    good = good_reply(claim)
    for step in range(200):
        yield "cut", raw(good[: len(good) * step // 200])
    one = json.loads(good)
    entry = one["statements"][0]
    drifted: list[object] = [
        {"unanswered": []}, {"claims": one["statements"], "unanswered": []}, {**one, "statements": {}},
        {**one, "statements": [{**entry, "kind": "fact"}]}, {**one, "statements": [entry["text"]]},
        {**one, "statements": [{**entry, "text": None}]}, {**one, "statements": [{**entry, "text": 7}]},
        {**one, "statements": [{**entry, "citations": [{"urn": [claim.citations[0].urn], "quote": "x"}]}]},
        {**one, "statements": [{**entry, "citations": None}]}, [one], "text", None, 0, True,
        {**one, "statements": [entry, entry]}, {**one, "statements": [{**entry, "rests_on": "s1"}]},
        {**one, "statements": [{**entry, "computations": [{"operation": "add"}]}]}, {**one, "short_answer": "yes"},
        {**one, "unanswered": "none"}, {**one, "unanswered": [None]},
    ]  # fmt: skip
    for value in drifted:
        yield "drift", raw(json.dumps(value))
    for text in (
        "", " ", "I cannot help with that.", "<html><body>502</body></html>", f"```json\n{good}\n", f"\ufeff{good}",
        f"{good}{good}", good.replace('"', "'"), good.replace(":", ": NaN, ", 1), f"{good[:-1]},}}", f"// x\n{good}",
        f'{{"statements": [], {good[1:]}', "\x00" + good, good.replace("statements", "STATEMENTS"),
        f"```json\n{good}\n```\n```json\n{good}\n```", f"Here it is:\n```json\n{good}\n```",
    ):  # fmt: skip
        yield "garbage", raw(text)
    yield "deep", raw("[" * 100_000)
    yield "deep", raw('{"statements":' * 50_000)
    yield "long", raw(f'{{"statements": [], "unanswered": ["{"x" * 50_000_000}"]}}')
    yield "long", raw(" " * 50_000_000)
    yield "refusal", lambda request: Declined("refusal")
    yield "refusal", lambda request: Declined("content_filter")
    yield "down", _failing(ProviderTimeout("hostile", "no complete answer within the deadline"))
    yield "down", _failing(ProviderError("hostile", "unavailable"))


def _failing(error: ProviderError) -> Reply:
    def reply(request: DraftRequest) -> Draft:
        raise error

    return reply
