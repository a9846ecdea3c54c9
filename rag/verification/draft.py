"""What a language model proposes: claims with citations, not yet verified and never shown as they are."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class DraftCitation:
    """A URN and the words the claim rests on, as the model wrote them."""

    urn: str
    quote: str


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """One assertion and its citations."""

    text: str
    citations: tuple[DraftCitation, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """A provider's whole proposal.

    `unanswered` names parts of the question the context does not settle, `others` URNs that answer nearly as well.
    """

    claims: tuple[DraftClaim, ...]
    unanswered: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    usage: dict[str, int] = field(default_factory=dict[str, int])  # tokens by kind, as the provider counts them
    request_id: str | None = None
