"""Answers of a few blocks, for what tests say of their company."""

from __future__ import annotations

from datetime import date

from rag.answering.limits.provisions import Grounds, with_companions
from rag.answering.synthesis import evidence_of
from rag.verification.claims import verify_claim
from rag.verification.draft import DraftCitation, DraftClaim
from rag.verification.model import Reason
from retrieval.model import Block, ScopedContext

SECTION = "urn:lex:us:x:5"
RULE = "urn:lex:us:x:5:1"
BAN = "No person may use a mooring without a licence."


def block(
    number: int, urn: str, text: str, role: str = "rule", applies_to: str = SECTION, lead_in: str = "", flush: str = ""
) -> Block:
    return Block.model_validate(
        {
            "id": f"b{number}", "urn": urn, "role": role, "heading": "", "text": text, "lead_in": lead_in,
            "flush": flush, "valid_from": None, "valid_to": None, "parent_urn": urn.rpartition(":")[0],
            "applies_to": [applies_to], "reason": "r",
        }
    )  # fmt: skip


def answer(
    *blocks: Block, says: str = BAN, also: tuple[tuple[str, str], ...] = (), language: str = "en"
) -> tuple[list[tuple[str, bool]], list[str]]:
    """What an answer that says the first block's sentence, and perhaps others, comes to: texts, whether added; URNs."""
    context = ScopedContext(
        status="ok", targets=[SECTION], at_date=date(2026, 1, 1), digest="d", blocks=list(blocks), definitions=[],
        overrides=[], warnings=[], omitted=[],
    )  # fmt: skip
    evidence = evidence_of(context, language)
    drafted = [DraftClaim(text, (DraftCitation(urn, text),)) for urn, text in ((blocks[0].urn, says), *also)]
    served = [verify_claim(draft_claim, evidence) for draft_claim in drafted]
    assert {claim.level for claim in served} == {"VERBATIM"}
    grounds = Grounds(context, evidence)
    claims, warnings = with_companions(served, grounds)
    assert with_companions(served, grounds) == (claims, warnings)  # what one answer has told, the next one tells again
    return [(claim.text, Reason.LIMITS in claim.reasons) for claim in claims], [warning.message for warning in warnings]
