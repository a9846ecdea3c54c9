"""Small invented law for the verifier's tests."""

from __future__ import annotations

from datetime import date

from rag.verification.claims import Evidence, EvidenceBlock
from rag.verification.draft import DraftCitation, DraftClaim

DAY = date(2026, 1, 1)
URN = "urn:lex:us-dc:code:42-3502.17:b"
FEE = (
    "No landlord shall demand a deposit of more than 2 months' rent from a tenant who keeps a dog, unless the Mayor "
    "has approved the lease."
)
BLOCK = EvidenceBlock(URN, FEE)


def evidence(*blocks: EvidenceBlock, language: str = "en") -> Evidence:
    return Evidence(blocks or (BLOCK,), DAY, language)


def claim(text: str, quote: str = FEE, urn: str = URN) -> DraftClaim:
    return DraftClaim(text, (DraftCitation(urn, quote),))


def paraphrase_of(sentence: str, text: str) -> tuple[DraftClaim, Evidence]:
    return claim(text, sentence), evidence(EvidenceBlock(URN, sentence))
