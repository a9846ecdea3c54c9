"""A verification that has no time left lists what it did not check, and supports nothing that it would not support."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from cli_calls import address, caller
from conftest import Stores
from mcp_calls import call

from rag import Engine
from rag.calls import Call
from rag.citecheck.deadline import Deadline
from rag.citecheck.model import VerifyResult
from rag.citecheck.run import verify_text
from rag.verification.judging import Judgement, Question

CAUSE = "s left no time for it."
INTEREST = (
    "If the owner does not pay the interest when it is due, the tenant may deduct it from the next payment of rent."
)
MEMO = (
    f"940 CMR 3.17(4) says “{INTEREST}” An owner “shall pay 9 percent” (940 CMR 3.17(4)).\n\n"
    "A landlord may keep 75 dollars from the deposit under 940 CMR 3.12. See 940 CMR 3.99. Id. § 5 is no help.\n\n"
    f"> {INTEREST}\n\n940 CMR 3.17(4). Art. 4 no. 7 GDPR says “personal data means any information”.\n\n"
    "“Nobody said so at all.”\n\n"
    "Under 940 CMR 3.17(4) and 940 CMR 3.11(1), unicorns need a licence for their purple meadows.\n"
)
REPLY = json.dumps({
    "claims": [
        {"text": INTEREST, "citations": [{"urn": "urn:lex:ma:940cmr:3.17:4", "quote": INTEREST}]},
        {"text": "Unicorns need a licence.", "citations": [{"urn": "urn:lex:ma:940cmr:3.11:1", "quote": INTEREST}]},
        {"text": "Nothing rests on this.", "citations": []},
    ]
})  # fmt: skip


class Clock:
    """Says how often it was asked."""

    def __init__(self) -> None:
        self.asked = -1

    def __call__(self) -> float:
        self.asked += 1
        return float(self.asked)


@pytest.fixture(scope="module")
def engine(stores: Stores, sample_template: str) -> Iterator[Engine]:
    with Engine.open(stores.clone(sample_template)) as opened:
        yield opened


def is_late(reasons: list[str]) -> bool:
    return any(CAUSE in reason for reason in reasons)


def holds(cut: VerifyResult, whole: VerifyResult, text: str) -> None:
    """Nothing is lost, nothing is better than it would be, and what is missing is told."""
    told = {(item.start, item.end, item.kind): item for item in cut.items}
    assert len(told) == len(cut.items)  # nothing of a sentence that was left half-way is told again
    assert len({(unchecked.start, unchecked.end) for unchecked in cut.not_checked}) == len(cut.not_checked)
    left = [(unchecked.start, unchecked.end) for unchecked in cut.not_checked if is_late([unchecked.reason])]
    for item in whole.items:
        found = told.get((item.start, item.end, item.kind))
        if found is None:
            assert any(start <= item.start and item.end <= end for start, end in left), item
        elif found != item:
            assert is_late(found.reasons)
            plain = [told for told in item.reasons if not told.startswith(("LIMITED_BY", "MAY_LIMIT", "REST"))]
            same = found.verdict == item.verdict == "SUPPORTED" and found.reasons[:-1] == plain != item.reasons
            assert same or found.verdict == "UNVERIFIED"  # the one without what limits it
    known = {(item.start, item.end, item.kind) for item in whole.items}
    assert all(key in known or is_late(one.reasons) for key, one in told.items())
    assert all(text[item.start : item.end] == item.text for item in (*cut.items, *cut.not_checked))
    late = len(left) + sum(is_late(item.reasons) for item in cut.items)
    assert cut.complete == (late == 0)
    if cut.complete:
        assert cut == whole
    else:
        assert cut.exit_code == 3
        assert f"s left no time for all of the text; parts left out: {late}." in cut.warnings[0]
        assert "LEXSCOPE_REQUEST_SECONDS" in cut.warnings[0]


@pytest.mark.parametrize("text", [MEMO, REPLY], ids=["memo", "reply"])
def test_whenever_the_deadline_comes_nothing_is_lost_and_nothing_more_is_supported(engine: Engine, text: str) -> None:
    whole = verify_text(engine, text)
    assert whole.complete
    assert whole.summary.supported
    cuts = [verify_text(engine, text, deadline=Deadline(asked, Clock())) for asked in range(1, 120)]
    for cut in cuts:
        holds(cut, whole, text)
    assert cuts[-1].complete
    assert sum(not cut.complete for cut in cuts) > len(whole.items)  # it came at every step


class EndingClock(Clock):
    """Ends a call when it is asked for the nth time; no time passes on it."""

    def __init__(self, call: Call, nth: int) -> None:
        super().__init__()
        self.call, self.nth = call, nth

    def __call__(self) -> float:
        if super().__call__() == self.nth:
            self.call.end()
        return 0.0


@pytest.mark.parametrize("text", [MEMO, REPLY], ids=["memo", "reply"])
def test_whenever_it_is_ended_from_outside_nothing_is_lost_and_nothing_more_is_supported(
    engine: Engine, text: str
) -> None:
    whole = verify_text(engine, text)
    cuts: list[VerifyResult] = []
    gc.disable()  # a stop is lost that comes while hypothesis counts the collector's time
    try:
        for nth in (*range(1, 80, 3), 1_000_000):
            call = Call(600.0)
            cuts.append(verify_text(engine, text, deadline=Deadline(60.0, EndingClock(call, nth)), call=call))
    finally:
        gc.enable()
    for cut in cuts:
        holds(cut, whole, text)
    assert cuts[-1] == whole
    assert len({cut.model_dump_json() for cut in cuts}) > 3  # it came at many steps


def test_what_a_judge_said_before_the_end_counts_and_is_told_once(engine: Engine) -> None:
    call = Call(60.0)

    class Ending:
        """Says yes to all that it is asked first, and ends the call when it is asked again."""

        name = "ending"
        asked = 0

        def judge(self, questions: Sequence[Question], *, seconds: float) -> list[Judgement | None]:
            self.asked += 1
            if self.asked > 1:
                call.end()
            assert seconds > 0
            return [Judgement(entailment="supported", confidence="high") for _ in questions]

    text = " ".join(
        f"Under 940 CMR 3.17(4) an owner must hand colour {number} of the interest to whoever rents the rooms."
        for number in range(20)
    )
    result = verify_text(engine, text, deadline=Deadline(60.0), judge=Ending(), call=call)
    judged = [item for item in result.items if any("(ending)" in reason for reason in item.reasons)]
    assert len(judged) == 12  # those of one batch
    told = [sum("ending" in reason for reason in item.reasons) for item in result.items if item.kind == "claim"]
    assert told == [1] * 20
    assert not result.not_checked


def test_a_text_that_is_not_read_at_all_is_one_part_that_was_not_checked(engine: Engine) -> None:
    result = verify_text(engine, MEMO, deadline=Deadline(0))
    assert result.items == []
    [one] = result.not_checked
    assert (one.start, one.end) == (0, len(MEMO))
    assert "It was not read to its end." in one.reason
    assert result.exit_code == 3


@pytest.mark.parametrize("filler", ["It is so. ", "and the tenant may ", "and a “quotation of four words” "])
def test_what_stands_behind_the_windows_that_were_read_is_one_part_and_no_sentence_is_judged_in_part(
    engine: Engine, filler: str
) -> None:
    text = f"940 CMR 3.17(4) says “{INTEREST}” and {filler * (180_000 // len(filler))}See 940 CMR 3.99."
    whole = verify_text(engine, text)
    assert (whole.complete, whole.items[-1].verdict) == (True, "NOT_FOUND")
    # The first of the two windows is read, and nothing more.
    cut = verify_text(engine, text, deadline=Deadline(22, Clock()))
    last = cut.not_checked[-1]
    assert last.end == len(text)
    assert last.start < 110_000
    assert (last.start > 70_000) == (". " in filler)  # what is one sentence is not judged in part
    holds(cut, whole, text)


@pytest.fixture
def hurried(stores: Stores, sample_template: str) -> Iterator[Engine]:
    """An engine whose requests have next to no time."""
    with Engine.open(stores.clone(sample_template, request_seconds=0.000_001)) as opened:
        yield opened


def test_python_has_the_deadline_of_the_settings(hurried: Engine) -> None:
    result = hurried.verify(MEMO)
    assert (result.complete, result.summary.supported, result.summary.not_checked) == (False, 0, 1)


@pytest.mark.anyio
async def test_mcp_has_it_and_tells_what_was_not_checked_however_long(hurried: Engine) -> None:
    reply = await call(hurried, "verify_citations", text=MEMO * 200)
    assert (reply["complete"], reply["items"], reply["summary"]["supported"]) == (False, [], 0)
    [part] = reply["not_checked"]
    assert (part["start"], part["end"]) == (0, len(MEMO) * 200)
    assert part["text"] == (MEMO * 200)[: len(part["text"])]
    assert CAUSE in part["reason"]
    assert "CUT: the first" in part["reason"]
    assert "parts left out: 1." in reply["warnings"][0]


def test_the_command_has_it_and_exits_3(
    hurried: Engine, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEXSCOPE_REQUEST_SECONDS", "0.000001")
    memo = tmp_path / "memo.md"
    memo.write_text(f"“{INTEREST}” 940 CMR 3.17(4).", encoding="utf-8")
    ran = caller(capsys, "--database-url", address(hurried.settings))("verify", str(memo))
    assert ran.status == 3
    assert "parts left out: 1." in " ".join(ran.out.split())
    assert "SUPPORTED" not in ran.out


def test_quotations_of_one_sentence_take_time_in_proportion_to_them(engine: Engine) -> None:
    def seconds(count: int) -> float:
        text = "tenant “may deduct it” under 940 CMR 3.17(4) and " * count
        since = time.process_time()
        assert engine.verify(text).summary.items == 2 * count + 1
        return time.process_time() - since

    seconds(5)
    # Sixteen times the work where every quotation is weighed with the whole sentence.
    assert min(seconds(320) for _ in range(2)) < 8 * min(seconds(80) for _ in range(3))


def test_references_that_no_time_is_left_to_look_up_are_unverified(engine: Engine) -> None:
    text = " ".join(f"940 CMR 3.{number}." for number in range(1, 1_101))
    whole = verify_text(engine, text)
    looked_up: set[int] = set()
    # The clock is asked once for each grammar and each reference before the first group is looked up.
    for asked in range(1_108, 1_116):
        cut = verify_text(engine, text, deadline=Deadline(asked, Clock()))
        holds(cut, whole, text)
        looked_up.add(sum(not is_late(item.reasons) for item in cut.items))
    assert looked_up >= {0, 500, 1_000, 1_100}
