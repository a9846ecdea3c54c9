"""A model's reply in the form of a draft, or an answer of `ask --json`: its claims with the citations they name.

Such a text says itself what rests on what, so nothing has to be guessed from the order of its words.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import cast

from rag.citecheck.compare import find_in
from rag.citecheck.deadline import Deadline, DeadlineReached
from rag.citecheck.limits import Said, limits_of
from rag.citecheck.model import FAILED, ItemKind, NotChecked, TextVerdict, VerifyItem, VerifyResult, result_of
from rag.citecheck.references import Mention
from rag.citecheck.resolve import Named, resolve_mentions
from rag.citecheck.sources import Provision, Sources
from rag.citecheck.verdicts import Judgement, Quoted, judge_found, judge_missing
from rag.citecheck.words import clean_quotation, elements_of
from rag.store.database import Connection
from rag.verification.claims import verify_claim
from rag.verification.draft import DraftCitation, DraftClaim
from rag.verification.model import DESCRIPTIONS, Evidence, Reason
from retrieval.strict_json import JsonRefused, objects, parse_json

_FENCED = re.compile(r"\A\s*(?:```[a-z]*\s*\n)?(\{.*\})\s*(?:```\s*)?\Z", re.DOTALL | re.IGNORECASE)
_MAX_BYTES = 8 * 1024 * 1024
_MAX_DEPTH = 40
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Placed:
    """A string of the reply and its position in the text, without its quotation marks."""

    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ReplyCitation:
    """One citation of a claim."""

    urn: Placed
    quote: Placed


@dataclass(frozen=True, slots=True)
class ReplyClaim:
    """One claim of a reply."""

    text: Placed
    citations: tuple[ReplyCitation, ...]

    @property
    def draft(self) -> DraftClaim:
        """The claim as the verifier takes it."""
        return DraftClaim(
            self.text.value,
            tuple(DraftCitation(citation.urn.value, citation.quote.value) for citation in self.citations),
        )


def read_reply(text: str) -> list[ReplyClaim] | None:
    """The claims of a JSON object with `statements` or `claims`, fenced or not; None for any other text.

    A claim is an object with a string `text` and a list `citations` of objects with strings `urn` and `quote`; other
    members are left alone. A statement of another `kind` than `law` is none: it cites through what it rests on.
    """
    match = _FENCED.match(text)
    if match is None:
        return None
    try:
        value = parse_json(match[1], max_bytes=_MAX_BYTES, max_depth=_MAX_DEPTH)
    except JsonRefused:
        return None
    members = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    claims = members.get("statements", members.get("claims"))
    if not isinstance(claims, list):
        return None
    places = _Places(text, match.start(1))
    found: list[ReplyClaim] = []
    for entry in objects(cast("object", claims)):
        if entry.get("kind", "law") != "law":
            continue
        said = entry.get("text")
        if not isinstance(said, str):
            return None
        placed = places.of(said)
        found.append(ReplyClaim(placed, tuple(_citations(entry.get("citations"), places, placed.start))))
    return found


def _citations(value: object, places: _Places, start: int) -> Iterator[ReplyCitation]:
    for entry in objects(value):
        urn, quote = entry.get("urn"), entry.get("quote")
        if isinstance(urn, str) and isinstance(quote, str):
            yield ReplyCitation(places.of(urn, start), places.of(quote, start))


class _Places:
    """Where the strings of a JSON text stand in it, however they are spelled; all are looked up in one pass."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._next: dict[str, int] = {}
        self._start = start
        self._found: dict[str, list[tuple[int, int]]] = {}
        for match in _STRING.finditer(text, start):
            with suppress(ValueError):
                self._found.setdefault(json.loads(match[0], strict=False), []).append(match.span())

    def of(self, value: str, start: int | None = None) -> Placed:
        """The next place of a string, at or after the last one found for the same string; else the whole reply."""
        begin = max(self._next.get(value, self._start), self._start if start is None else start)
        places = self._found.get(value, [])
        index = bisect_left(places, begin, key=lambda place: place[0])
        if index == len(places):
            return Placed(value, self._start, len(self._text.rstrip()))
        at, end = places[index]
        self._next[value] = end
        return Placed(value, at + 1, end - 1)


def mention_of(urn: Placed) -> Mention:
    """A cited URN as a mention."""
    return Mention(urn.start, urn.end, (urn.value.lower(),), urn.value, urn.start, urn.end)


# The verdicts on a model's reply that names its citations itself.


@dataclass(frozen=True, slots=True)
class _Cited:
    """A citation beside what it names."""

    citation: ReplyCitation
    named: Named
    provision: Provision | None


@dataclass
class ReplyRun:
    """One reply under verification, claim by claim: each cited URN, each quote in it, and the claim against the
    sentences they lie in. It may be ended from outside at any moment; its result holds all the same.

    Attributes:
        conn: a read connection; its transaction is the snapshot.
        jurisdiction: what may be relied on; None for all.
        language: of the law; None for all.
        deadline: what it leaves no time for is UNVERIFIED.
        named: what each citation names; None until they were looked up.
        items: of each claim that has its verdicts.
        said: of the claims that are SUPPORTED, by their numbers.
    """

    conn: Connection
    text: str
    claims: Sequence[ReplyClaim]
    at_date: date
    jurisdiction: str | None
    language: str | None
    deadline: Deadline
    named: Sequence[Named] | None = None
    items: list[list[VerifyItem]] = field(default_factory=list[list[VerifyItem]])
    said: dict[int, Said] = field(default_factory=dict[int, Said])

    def read(self) -> None:
        """Look up what the claims cite."""
        mentions = [mention_of(citation.urn) for claim in self.claims for citation in claim.citations]
        named = resolve_mentions(
            self.conn, mentions, at_date=self.at_date, jurisdiction=self.jurisdiction, language=self.language,
            deadline=self.deadline,
        )  # fmt: skip
        found = [(each.rule, each.at_date) for each in named]
        expected = [(rule, day) for rule, day in found if rule is not None and day is not None]
        self._sources = Sources(self.conn, self.at_date, expected, self.deadline)
        self.named = named

    def verdicts(self) -> None:
        """Verdicts on the claims that have none; after the deadline they are UNVERIFIED."""
        if self.named is None:
            return
        named = iter(self.named[sum(len(claim.citations) for claim in self.claims[: len(self.items)]) :])
        for claim in self.claims[len(self.items) :]:
            self.items.append(self._items([(citation, next(named)) for citation in claim.citations], claim))

    def _items(self, pairs: Sequence[tuple[ReplyCitation, Named]], claim: ReplyClaim) -> list[VerifyItem]:
        cited = [_cited(citation, named, self._sources) for citation, named in pairs]
        items: list[VerifyItem] = []
        for one in cited:
            named = Judgement(one.named.verdict, one.named.reasons, one.named.urn)
            items.append(self._item(one.citation.urn, "reference", named))
            judged = self._judged(partial(_judge_quote, one, cited, self._sources))
            items.append(self._item(one.citation.quote, "quote", judged))
        judged = self._judged(partial(_judge_claim, claim, cited, self.at_date))
        self.said.pop(len(self.items), None)  # of a claim that was left half-way
        if judged.said is not None:
            self.said[len(self.items)] = judged.said
        return [*items, self._item(claim.text, "claim", judged)]

    def _judged(self, judge: Callable[[], Judgement]) -> Judgement:
        try:
            self.deadline.check()
            return judge()
        except DeadlineReached:
            return Judgement("UNVERIFIED", (f"DEADLINE: {self.deadline.cause}",), None)

    def _item(self, place: Placed, kind: ItemKind, judged: Judgement) -> VerifyItem:
        return VerifyItem(
            text=self.text[place.start : place.end], start=place.start, end=place.end, kind=kind,
            verdict=judged.verdict, reasons=list(judged.reasons), urn=judged.urn,
        )  # fmt: skip

    def ask_judge(self) -> None:
        """Nothing: a reply is held against what it quotes."""

    def result(self) -> VerifyResult:
        """All verdicts."""
        self.verdicts()
        for number, told in limits_of(self.said, self.deadline).items():
            claim = self.items[number][-1]
            self.items[number][-1] = claim.model_copy(update={"reasons": [*claim.reasons, *told]})
        items = [item for items in self.items for item in items]
        left: list[NotChecked] = []
        warnings: list[str] = []
        if not self.claims:
            warnings = ["The reply makes no claim."]
            left = [NotChecked(text=self.text, start=0, end=len(self.text), reason=warnings[0])]
        elif self.named is None:
            reason = f"{self.deadline.cause} Nothing that it cites was looked up."
            left = [NotChecked(text=self.text, start=0, end=len(self.text), reason=reason)]
        return result_of(self.at_date, items, left, warnings, self.deadline, reply=True)


def _cited(citation: ReplyCitation, named: Named, sources: Sources) -> _Cited:
    known = named.rule is not None and named.at_date is not None
    try:
        provision = sources.provision(named.rule, named.at_date) if known and named.rule and named.at_date else None
    except DeadlineReached:
        provision = None  # nothing that rests on it is judged any more
    return _Cited(citation, named, provision)


def _unusable(one: _Cited) -> Judgement:
    verdict: TextVerdict = "UNVERIFIED" if one.named.verdict == "SUPPORTED" else one.named.verdict
    return Judgement(verdict, (f"REFERENCE: It rests on {one.citation.urn.value}.", *one.named.reasons), one.named.urn)


def _judge_quote(one: _Cited, cited: Sequence[_Cited], sources: Sources) -> Judgement:
    if one.provision is None:
        return _unusable(one)
    words = clean_quotation(one.citation.quote.value)
    elements = tuple(elements_of(words))
    quoted = Quoted(words, elements)
    if not any(element.kind == "word" for element in elements):
        return Judgement("MISQUOTED", (f"{Reason.QUOTE_TOO_SHORT}: The quotation has no words.",), one.named.urn)
    found = find_in(one.provision.own, elements)
    if found is not None:
        return judge_found(quoted, one.provision, found)
    others = [other.provision for other in cited if other.provision is not None and other is not one]
    return judge_missing(quoted, one.provision, others, sources)


def _judge_claim(claim: ReplyClaim, cited: Sequence[_Cited], at_date: date) -> Judgement:
    if not cited:
        return Judgement("UNVERIFIED", (f"{Reason.NO_CITATION}: {DESCRIPTIONS[Reason.NO_CITATION]}",), None)
    failed = [citation for citation in cited if citation.named.verdict in FAILED] or [
        citation for citation in cited if citation.provision is None
    ]
    if failed:
        return _unusable(failed[0])
    provisions = list(dict.fromkeys(citation.provision for citation in cited if citation.provision is not None))
    first = provisions[0].evidence
    evidence = Evidence(
        blocks=tuple(dict.fromkeys(block for provision in provisions for block in provision.evidence.blocks)),
        at_date=at_date,
        language=first.language,
        terms=tuple(dict.fromkeys(term for provision in provisions for term in provision.evidence.terms)),
    )
    checked = verify_claim(claim.draft, evidence)
    told = tuple(f"{reason}: {DESCRIPTIONS[reason]}" for reason in checked.reasons)
    urn = checked.citations[0].urn if checked.citations else cited[0].named.urn
    verdict: TextVerdict = "UNVERIFIED" if checked.verdict == "UNCITED" else checked.verdict
    if verdict == "SUPPORTED":
        own = next((provision for provision in provisions if urn in provision.own.urns), None)
        said = Said(checked, own) if own is not None else None
        return Judgement(verdict, (f"{checked.level}: It says what its citations say.", *told), urn, said)
    sentences = dict.fromkeys(f"SENTENCE: “{' '.join(citation.sentence.split())}”" for citation in checked.citations)
    return Judgement(verdict, (*told, *sentences), urn)
