"""Every refusal says what to do, in every face alike."""

from __future__ import annotations

from typing import get_args

import pytest

from rag.answering.answer import ADVICE, REFUSALS, Refusal, RefusalReason, advice_for, advice_on
from retrieval.model import ContextStatus


@pytest.mark.parametrize("reason", get_args(RefusalReason))
def test_every_reason_has_advice_that_is_part_of_the_refusals_json(reason: RefusalReason) -> None:
    refusal = Refusal(reason=reason, message="m")
    assert refusal.model_dump()["advice"] == ADVICE[reason] != ""
    assert Refusal.model_validate(refusal.model_dump()) == refusal


def test_every_context_that_could_not_be_assembled_has_advice_and_one_that_stands_has_none() -> None:
    statuses = set(get_args(ContextStatus))
    assert {status for status in statuses if advice_for(status)} == statuses - {"ok"} == set(REFUSALS)
    assert set(ADVICE) == set(get_args(RefusalReason))
    assert advice_on("a reason of another program") == ""
