"""Properties of the verifier over any text: it never raises, never serves an edited quote, and stays fast."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rag.languages.text import common_positions, fold, is_plain, locate
from rag.verification.claims import Evidence, EvidenceBlock, Reason, verbatim_fallback, verify_claim
from rag.verification.draft import DraftCitation, DraftClaim

DAY = date(2026, 1, 1)
URN = "urn:lex:us-dc:code:42-3502.17:b"
FEE = (
    "No landlord shall demand a fee of more than 2 months' rent from a tenant, unless the Mayor has approved the lease."
)


def claim(text: str, quote: str = FEE) -> DraftClaim:
    return DraftClaim(text, (DraftCitation(URN, quote),))


def evidence(block: EvidenceBlock | None = None) -> Evidence:
    return Evidence((block or EvidenceBlock(URN, FEE),), DAY)


@pytest.mark.parametrize(
    "text",
    [
        "see https://evil.example/x", "see HTTP://evil.example", "go to www.evil.example", "at evil.com now",
        "a@b.example",
        "javascript:alert(1)", "[here](x)", "![x](y)", "[here][1]", "a <b>word</b>", "<img src=x>", "&lt;b&gt;",
        "&#60;",
        "a\u202eb", "a\u200bb", "a\x1b[31m", "a\x00b", "a\U000e0041b", "a\ufe0fb", "a\ud800b", "a\u2028b",
    ],
)  # fmt: skip
def test_active_content_is_not_plain(text: str) -> None:
    assert not is_plain(text)
    assert Reason.ACTIVE_CONTENT in verify_claim(claim(text), evidence()).reasons


def test_soft_hyphens_leave_the_claim_and_hide_nothing() -> None:
    block = EvidenceBlock(URN, "The peri\u00adodical fee is due.")
    for checked in (
        verify_claim(claim(block.text, "The periodical fee"), evidence(block)),
        verbatim_fallback(claim("It is free.", "The periodical fee"), evidence(block)),
    ):
        assert checked is not None
        assert (checked.text, checked.level) == ("The periodical fee is due.", "VERBATIM")
        assert checked.citations[0].sentence == block.text
    assert Reason.ACTIVE_CONTENT in verify_claim(claim("htt\u00adps://evil.example"), evidence()).reasons


@pytest.mark.parametrize(
    "text",
    [
        "D.C. Code § 42-3502.17(b)(1) [as amended], 5 < 6 & more",
        "l’étage n° 5",
        "第一条",
        "urn:lex:us-dc:code:42",
        "a\nb",
    ],
)
def test_ordinary_legal_text_is_plain(text: str) -> None:
    assert is_plain(text)


ANY = st.text(max_size=80)
WORDY = st.lists(
    st.sampled_from(["No", "person", "shall", "not", "pay", "5", "days", "unless", "(1)", "or", "“the”", ";", "\n"]),
    max_size=25,
).map(" ".join)  # fmt: skip


@given(ANY | WORDY, ANY | WORDY, ANY, ANY | WORDY, ANY | WORDY, st.sampled_from(["en", "fr", "ja"]))
def test_no_text_makes_the_verifier_raise(
    text: str, quote: str, urn: str, law: str, lead_in: str, language: str
) -> None:
    block = EvidenceBlock(URN, law, lead_in=lead_in, flush=lead_in)
    ground = Evidence((block, replace(block, urn=f"{URN}:1")), DAY, language, (text,))
    draft = DraftClaim(text, (DraftCitation(urn, quote), DraftCitation(URN, quote)))
    assert verify_claim(draft, ground) == verify_claim(draft, ground)
    fallback = verbatim_fallback(DraftClaim(text, (DraftCitation(URN, quote),)), ground)
    if fallback is not None:
        again = verify_claim(DraftClaim(fallback.text, (DraftCitation(URN, quote),)), ground)
        assert again.level == "VERBATIM"


@given(WORDY | ANY, st.data())
def test_a_located_quote_is_the_same_words(law: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(law)))
    quote = law[start : data.draw(st.integers(start, len(law)))]
    for first, last in locate(quote, law):
        assert fold(law[first:last]) == fold(quote)
    assert fold(law) == fold(fold(law))
    if fold(law):
        assert locate(law, law)


@given(
    st.integers(0, len(FEE) - 1), st.characters(categories=["L", "N"]), st.sampled_from(["replace", "insert", "delete"])
)
def test_an_edited_quote_is_refused(position: int, char: str, edit: str) -> None:
    kept = FEE[position + 1 :] if edit != "insert" else FEE[position:]
    edited = FEE[:position] + ("" if edit == "delete" else char) + kept
    assume(fold(edited) != fold(FEE))
    assume(fold(edited) not in FEE)  # a mark cut off either end leaves a true, shorter quote
    assume(edited[:1].swapcase() + edited[1:] != FEE)  # a quote may begin with another case
    checked = verify_claim(claim(FEE, edited), evidence())
    assert (checked.level, checked.verdict) == ("WITHHELD", "MISQUOTED")


@given(st.text("abc", max_size=12), st.text("abc", max_size=12))
def test_common_positions_are_a_longest_common_subsequence(one: str, other: str) -> None:
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, left in enumerate(one):
        for j, right in enumerate(other):
            table[i + 1][j + 1] = table[i][j] + 1 if left == right else max(table[i][j + 1], table[i + 1][j])
    positions = common_positions(one, other)
    rest = iter(other)
    assert len(positions) == table[-1][-1]
    assert positions == sorted(set(positions))
    assert all(one[position] in rest for position in positions)  # `in` moves the iterator on: order is tested


@pytest.mark.parametrize(
    "unit", ["fee ", "No person shall ", "not more than ", "“", "(", "e\u0301", "a. ", "[", "if a, "]
)
def test_no_text_makes_verifying_slow(unit: str) -> None:
    law = unit * 3_000
    ground = evidence(EvidenceBlock(URN, law, lead_in=unit * 100))
    assert verify_claim(claim(law + "x", law[:60]), ground).level == "WITHHELD"
    assert verify_claim(claim(unit * 400 + "x", law), ground).level == "WITHHELD"
