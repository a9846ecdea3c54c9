"""Single words that decide a case are missed where a paraphrase drops or changes them."""

from __future__ import annotations

from datetime import date

import pytest

from rag.verification.claims import Evidence, EvidenceBlock, Reason, verify_claim
from rag.verification.draft import DraftCitation, DraftClaim

DAY = date(2026, 1, 1)
URN = "urn:lex:us-dc:code:42-3502.17:b"


@pytest.mark.parametrize(
    ("sentence", "text", "reason"),
    [
        (
            "Where a breach of the register is likely to result in a high risk to the rights of the tenants, the "
            "landlord shall tell the tenants of the breach of the register by letter.",
            "Where a breach of the register is likely to result in a risk to the rights of the tenants, the "
            "landlord shall tell the tenants of the breach of the register by letter.",
            Reason.QUALIFIER_DROPPED,
        ),
        (
            "The owner of a copy lawfully made under this title may sell that copy to a buyer or lend it to a library.",
            "The owner of a copy made under this title may sell that copy to a buyer or lend it to a library.",
            Reason.QUALIFIER_DROPPED,
        ),
        (
            "The landlord shall give a key of the house to any tenant who asks.",
            "The landlord shall give a key of the house to some tenant who asks.",
            Reason.NEW_CONTENT,
        ),
    ],
)
def test_a_word_of_degree_or_number_that_decides_the_case_is_missed(sentence: str, text: str, reason: Reason) -> None:
    checked = verify_claim(
        DraftClaim(text, (DraftCitation(URN, sentence),)), Evidence((EvidenceBlock(URN, sentence),), DAY, "en")
    )
    assert checked.level == "WITHHELD"
    assert reason in checked.reasons
