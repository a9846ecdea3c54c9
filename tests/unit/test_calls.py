"""A call is ended from outside: whatever its thread does, and nothing of that reaches what follows."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time

import pytest

from rag.calls import Call
from retrieval.errors import CallTimeout

SOON = 0.15  # seconds of a call's deadline here
SLACK = 0.5  # beyond it


def forever() -> None:
    while True:
        pass


def test_a_loop_without_end_is_stopped_at_the_deadline() -> None:
    since = time.monotonic()
    with pytest.raises(CallTimeout, match=r"0\.15 s"):
        Call(SOON).run(forever)
    assert time.monotonic() - since < SOON + SLACK


def test_handlers_of_exceptions_do_not_keep_a_call_alive() -> None:
    def stubborn() -> None:
        while True:
            try:
                forever()
            except Exception:
                continue

    with pytest.raises(CallTimeout):
        Call(SOON).run(stubborn)


def test_a_result_in_time_is_returned_and_nothing_comes_later() -> None:
    assert Call(SOON).run(lambda: 7) == 7
    time.sleep(2 * SOON)  # the stop would arrive here


def test_an_error_of_its_own_passes_and_a_call_within_is_part_of_the_outer_one() -> None:
    with pytest.raises(ZeroDivisionError):
        Call(SOON).run(lambda: 1 // 0)
    with pytest.raises(CallTimeout, match=r"0\.15 s"):
        Call(SOON).run(lambda: Call(60.0).run(forever))


def test_a_part_with_an_earlier_deadline_ends_alone_and_what_it_has_done_is_used() -> None:
    done: list[int] = []

    def work() -> str:
        with pytest.raises(CallTimeout, match=r"0\.15 s"):
            Call(SOON).run(lambda: done.append(1) or forever())
        return "went on"

    assert Call(60.0).run(work) == "went on"
    assert done == [1]


def test_a_part_is_ended_with_its_call_and_what_follows_it_there_does_not_run() -> None:
    followed: list[str] = []

    def work() -> None:
        try:
            Call(60.0).run(forever)
        except CallTimeout:
            followed.append("handled as if it had been the part's own deadline")
        followed.append("after the part")

    call = Call(120.0)
    threading.Timer(SOON, call.end).start()
    with pytest.raises(CallTimeout, match="120 s"):
        call.run(work)
    assert followed == []


def test_a_connection_that_never_answers_is_shut() -> None:
    here, there = socket.socketpair()

    def wait() -> bytes:
        with Call.through(here):
            return here.recv(1)

    with here, there:
        since = time.monotonic()
        with pytest.raises(CallTimeout):
            Call(SOON).run(lambda: wait() or forever())
        assert time.monotonic() - since < SOON + SLACK
        assert there.recv(1) == b""  # the other end knows


def test_what_is_whole_is_not_stopped_half_way() -> None:
    done: list[str] = []

    def work() -> None:
        with Call.whole():
            until = time.monotonic() + 3 * SOON
            while time.monotonic() < until:
                pass
            done.append("whole")
        done.append("after it")

    with pytest.raises(CallTimeout):
        Call(SOON).run(work)
    assert done == ["whole"]


def test_another_thread_ends_a_call_and_one_that_was_ended_does_not_begin() -> None:
    call = Call(60.0)
    threading.Timer(SOON, call.end).start()
    with pytest.raises(CallTimeout):
        call.run(forever)
    before = Call(60.0)
    before.end()
    with pytest.raises(CallTimeout):
        before.run(forever)


def test_thousands_of_ends_at_any_moment_leave_no_stop_behind() -> None:
    """It comes while a call begins, runs, takes something whole, or ends: always as CallTimeout, and never later."""
    outcomes = set[str]()

    def work() -> None:
        for _ in range(20):
            with Call.whole(), Call.stoppable():
                sum(range(50))
        Call(30.0).run(lambda: sum(range(50)))  # a part

    until = time.monotonic() + 2.0
    while time.monotonic() < until:
        call = Call(60.0)
        ending = threading.Thread(target=call.end)
        ending.start()
        try:
            call.run(work)
            outcomes.add("done")
        except CallTimeout:
            outcomes.add("ended")
        ending.join()
        sum(range(100))  # a stop that came late would be raised here
    assert "ended" in outcomes


TRACED = """
import sys, threading
from rag.calls import Call

def stopped_in_what_is_whole():
    with Call.whole():
        call.end()

for call, function in ((Call(60.0), int), (Call(60.0), stopped_in_what_is_whole)):
    try:
        call.run(function)
    except Exception as error:
        print(error.code)
late = Call(60.0)
late._stopping = True  # as where a call ends in the moment in which it is stopped
late.run(int)
sys.settrace(lambda *_: None)
print((lambda: "went on")())
"""


def test_nothing_looks_for_a_stop_once_a_call_is_done() -> None:
    ran = subprocess.run([sys.executable, "-c", TRACED], capture_output=True, text=True, timeout=30, check=True)
    assert ran.stdout.split("\n") == ["deadline", "went on", ""]
