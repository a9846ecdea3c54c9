"""The verdict on one sentence that rests on a provision: the provision's nearest sentences, and the claim verifier."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag.draft import DraftCitation, DraftClaim
from rag.operator_languages import read_in, reads
from rag.operators import Kind, Reading, content_stem
from rag.sentences import split_at, split_sentences
from rag.verification import verify_claim
from rag.verification_changes import Change, changed_operators
from rag.verification_model import DESCRIPTIONS, CheckedClaim, EvidenceBlock, Reason
from rag.verify_deadline import NO_DEADLINE, Deadline
from rag.verify_quote_verdicts import Judgement
from rag.verify_sources import Provision

_COMPARED = 3  # sentences of a provision that a claim is verified against
_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class _Candidate:
    provision: Provision
    block: EvidenceBlock
    quote: str
    norm: str  # with lead-in and flush
    meant: float
    whole: float

    @property
    def order(self) -> tuple[float, float]:
        return -self.meant - self.whole, -self.whole


def judge_claim(texts: Sequence[str], provisions: Sequence[Provision], deadline: Deadline = NO_DEADLINE) -> Judgement:
    """The verdict on a claim by the provisions that its sentence cites.

    Args:
        texts: what the sentence may claim; the first that is supported counts, else the first.
        provisions: at least one.
        deadline: looked at before each provision is compared.

    Returns:
        The verdict with the provision that was compared.

    Raises:
        DeadlineReached: no time was left before a verdict was found.
    """
    first = _judge(texts[0], provisions, deadline)
    if first.verdict == "SUPPORTED":
        return first
    others = (_judge(text, provisions, deadline) for text in texts[1:])
    return next((one for one in others if one.verdict == "SUPPORTED"), first)


def _judge(text: str, provisions: Sequence[Provision], deadline: Deadline) -> Judgement:
    """SUPPORTED where the claim verifier serves it by one sentence of one of them. ALTERED where it speaks of such a
    sentence and changes an operator. UNVERIFIED where it says something that cannot be compared.
    """
    candidates: list[_Candidate] = []
    for provision in provisions:
        deadline.check()
        candidates += _candidates(text, provision)
    candidates.sort(key=lambda one: one.order)
    checked: list[tuple[_Candidate, CheckedClaim]] = []
    for one in candidates[:_COMPARED]:
        deadline.check()
        claim = DraftClaim(text, (DraftCitation(one.block.urn, one.quote),))
        found = verify_claim(claim, one.provision.evidence)
        # A pronoun that opens a sentence of a memo may mean somebody whom the sentence before it names.
        alone = states_item_alone(found)
        if found.verdict == "SUPPORTED" and found.text == text.replace("\u00ad", "") and not alone:
            how = "VERBATIM: It is the provision's own sentence." if found.level == "VERBATIM" else (
                "CHECKED: Every operator and content word of the provision's sentence is accounted for."
            )  # fmt: skip
            return Judgement("SUPPORTED", (how, *_told(found.reasons)), one.block.urn)
        checked.append((one, found))
    if not checked:
        reason = "NOT_COMPARED: No sentence of the provision has words of this one."
        return Judgement("UNVERIFIED", (reason,), provisions[0].rule.urn if provisions else None)
    best, found = checked[0]
    sentence = f"SENTENCE: “{' '.join(best.norm.split())}”"
    changes = _changes(text, best, found)
    if found.verdict == "OVERRIDDEN":
        return Judgement("OVERRIDDEN", _told(found.reasons), best.block.urn)
    if changes:
        return Judgement("ALTERED", (*changes, sentence), best.block.urn)
    if states_item_alone(found):
        told = f"{Reason.LIST_INCOMPLETE}: {DESCRIPTIONS[Reason.LIST_INCOMPLETE]}"
        return Judgement("UNVERIFIED", (told, sentence), best.block.urn)
    reason = "NOT_COMPARED: It is no sentence of the provision, and says more, less or other than could be compared."
    return Judgement("UNVERIFIED", (reason, *_told(found.reasons), sentence), best.block.urn)


def states_item_alone(claim: CheckedClaim) -> bool:
    """Whether a claim is one item of a list word for word, whose items hold only together or as alternatives."""
    plain = Reason.OPEN_SENTENCE not in claim.reasons and Reason.LIST_ITEM in claim.reasons
    return claim.level == "VERBATIM" and claim.limited and plain


def _told(reasons: Sequence[Reason]) -> tuple[str, ...]:
    return tuple(f"{one}: {DESCRIPTIONS[one]}" for one in reasons)


@lru_cache(maxsize=4096)
def _stems(text: str) -> Counter[str]:
    return Counter(content_stem(word) for word in _LETTERS.findall(text.lower()) if len(word) > 2)


@lru_cache(maxsize=1024)
def _sentences(text: str, language: str, breaks: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """The sentences of a block, which every claim that cites its provision is held against."""
    return tuple(piece for span in split_sentences(text, language) for piece in split_at(text, span, breaks))


def _candidates(text: str, provision: Provision) -> list[_Candidate]:
    claim = _stems(text)
    if not claim:
        return []
    found: list[_Candidate] = []
    own = set(provision.own.urns)
    for block in provision.evidence.blocks:
        if block.urn not in own:
            continue
        for start, end in _sentences(block.text, provision.rule.language, block.breaks):
            quote = block.text[start:end]
            first, last = not block.text[:start].strip(), not block.text[end:].strip()
            norm = " ".join(
                part for part in (block.lead_in if first else "", quote, block.flush if last else "") if part
            )
            words = _stems(norm)
            common = (claim & words).total()
            if common:
                shares = common / claim.total(), common / max(words.total(), 1)
                found.append(_Candidate(provision, block, quote, norm, *shares))
    return found


def _changes(text: str, best: _Candidate, found: CheckedClaim) -> tuple[str, ...]:
    """What a claim changes of the sentence that it speaks of, in words."""
    language, terms = best.provision.rule.language, best.provision.evidence.terms
    if not reads(language):
        return ()
    claim, norm = read_in(language, text, terms), read_in(language, best.norm, terms)
    differ = Reason.PARTY_CHANGED in found.reasons
    changes = changed_operators(claim, norm, meant=best.meant, whole=best.whole, parties_differ=differ)
    return tuple(_in_words(one, norm) for one in changes)


def _in_words(change: Change, norm: Reading) -> str:
    if change.kind is Kind.PARTY:
        return f"{Reason.PARTY_CHANGED}: {DESCRIPTIONS[Reason.PARTY_CHANGED]}"
    name = f"{change.kind.value.upper()}_CHANGED"
    if change.added:
        return f"{name}: The claim says {_listed(change.values)}; the sentence {_has(norm, change.kind)}."
    return f"{name}: The sentence also has {_listed(change.values)}."


def _listed(values: Sequence[str]) -> str:
    return ", ".join(value.lower().replace("_", " ") for value in values)


def _has(norm: Reading, kind: Kind) -> str:
    values = norm.sequence(kind)
    return f"has {_listed(values)}" if values else "has none"
