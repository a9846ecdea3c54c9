"""What limits the statements and quotations of a text that are SUPPORTED, by the mechanism of answers.

Each sentence may be the law's own and mislead all the same: "The appeal stays the decision." where the next sentence
excepts some appeals. What the text states itself is not told, and the rest is told once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rag.answering.limits.provisions import UNTOLD, Grounds, with_companions
from rag.answering.limits.rest import rest_of
from rag.citecheck.deadline import Deadline
from rag.citecheck.sources import Provision
from rag.verification.claims import verify_claim
from rag.verification.draft import DraftCitation, DraftClaim
from rag.verification.model import CheckedClaim, Reason

MOST = 3  # sentences told with one item; the provisions of further ones are named
LONGEST = 300  # characters of a sentence that are told
_ADDED = frozenset({Reason.LIMITS, Reason.REST})


@dataclass(frozen=True, slots=True)
class Said:
    """What an item of a text says by the words of a provision: verified, with the sentences that it cites.

    `whole` unless it is a few words of a sentence, beside which the rest of the provision tells nothing.
    """

    claim: CheckedClaim
    provision: Provision
    whole: bool = True


def said_by(urn: str, quote: str, provision: Provision, *, whole: bool = True) -> Said | None:
    """What a text says that has some words of a provision; None where they are not in it."""
    claim = verify_claim(DraftClaim(quote, (DraftCitation(urn, quote),)), provision.evidence, refuters=())
    return Said(claim, provision, whole) if claim.citations else None


def limits_of(said: Mapping[int, Said], deadline: Deadline) -> dict[int, list[str]]:
    """The reasons that tell what limits items, by the numbers of these.

    Args:
        said: of each item that is SUPPORTED what it says.
        deadline: looked at before each provision.
    """
    found: dict[int, list[str]] = {}
    told = {cited.sentence for one in said.values() for cited in one.claim.citations}
    together: dict[Provision, dict[int, Said]] = {}
    for item, one in said.items():
        together.setdefault(one.provision, {})[item] = one
    for provision, items in together.items():
        if deadline.passed():
            found[next(iter(items))] = [f"DEADLINE: {deadline.cause} What limits it was not looked for."]
            continue
        for item, line in _limits(provision, items, told):
            found.setdefault(item, []).append(line)
    return found


def _limits(provision: Provision, said: dict[int, Said], told: set[str]) -> Iterator[tuple[int, str]]:
    """The limits of what one provision says, each with the item that it is told with."""
    grounds = Grounds(provision.context, provision.evidence)
    stated = [one.claim for one in said.values()]
    claims, warnings = with_companions(stated, grounds)
    rest, _ = rest_of(stated, claims, grounds)
    items = {(one.claim.text, one.claim.level): item for item, one in reversed(said.items())}
    item, left, count = next(iter(said)), dict[str, None](), Counter[int]()
    for claim in (*claims, *rest):
        if not _ADDED.intersection(claim.reasons):
            item = items[claim.text, claim.level]
        elif not told.issuperset(cited.sentence for cited in claim.citations):
            certain = Reason.LIMITS in claim.reasons and Reason.MAY_LIMIT not in claim.reasons
            if not certain and not said[item].whole:
                continue
            told.update(cited.sentence for cited in claim.citations)
            count[item] += 1
            if count[item] <= MOST:
                yield item, _line(claim)
            elif certain:
                left[claim.citations[0].urn] = None
    more = [f"Further limits are in {', '.join(left)}."] if left else []
    for message in (*more, *(warning.message for warning in warnings if warning.kind == UNTOLD)):
        if message not in told:
            told.add(message)
            yield item, f"LIMITED_BY: {message}"


def _line(claim: CheckedClaim) -> str:
    """A sentence that is told beside an item."""
    text = " ".join(claim.text.split())
    text = text if len(text) <= LONGEST else f"{text[:LONGEST].rpartition(' ')[0]} …"
    code = (
        "REST" if Reason.REST in claim.reasons else "MAY_LIMIT" if Reason.MAY_LIMIT in claim.reasons else "LIMITED_BY"
    )
    return f"{code}: {claim.citations[0].urn} also says: “{text}”"
