"""The token of a follow-up: what it holds, and what is no token."""

from __future__ import annotations

import base64
import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.answering.follow_up import MAX_TOKEN, MOST_PARTS, Kept, kept_in, token_of
from retrieval.errors import InputError

RULE = "urn:lex:us:9usc:2"
KEPT = Kept((RULE, "urn:lex:us:9usc:3:a"), date(2026, 1, 2), "en", "0123456789abcdef", "us-dc")


def made(*parts: object) -> str:
    return "lex1." + base64.urlsafe_b64encode(json.dumps(parts).encode()).decode()


def test_a_token_gives_back_what_it_keeps() -> None:
    other = Kept(("urn:lex:fr:code-civil:1240",), date(1999, 12, 31), "fr", "f" * 16)
    assert kept_in(token_of([KEPT])) == [KEPT]
    assert kept_in(f" {token_of([KEPT, other])}\n") == [KEPT, other]


PART = ["us-dc", "2026-01-02", "en", "0" * 16, RULE]


@pytest.mark.parametrize(
    "token",
    [
        "", "lex1.", "lex1.!!", "lex2." + token_of([KEPT])[5:], token_of([KEPT])[:-3], "é" + token_of([KEPT]),
        "lex1." + "A" * MAX_TOKEN, made(), made(*[PART] * (MOST_PARTS + 1)), made("text"), made({"rules": [RULE]}),
        made(PART[:4]), made([*PART, 7]), made([*PART, "my landlord kept it"]), made([*PART, "urn:lex:us:*"]),
        made(["us-dc", "yesterday", *PART[2:]]), made(["the tenant", *PART[1:]]), made([*PART[:2], "E", *PART[3:]]),
        made([*PART[:3], "a landlord's word", RULE]), made([*PART[:4], *[RULE] * 11]), made([*PART[:2], "", *PART[3:]]),
    ],
)  # fmt: skip
def test_what_is_no_token_is_refused_and_not_repeated(token: str) -> None:
    with pytest.raises(InputError) as refused:
        kept_in(token)
    assert not token or token not in refused.value.message
    assert "landlord" not in refused.value.message


@given(st.text(max_size=300))
def test_any_text_is_a_token_or_refused(text: str) -> None:
    for part in (text, "lex1." + base64.urlsafe_b64encode(text.encode("utf-8", "surrogatepass")).decode()):
        with pytest.raises(InputError):
            kept_in(part)
