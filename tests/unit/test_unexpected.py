"""What Python itself tells of exceptions that nobody caught, in a program that has taken over its hooks."""

import subprocess
import sys

import pytest

PROGRAM = """
import gc, os, signal, sys, threading, time
from rag.unexpected import take_over_hooks

take_over_hooks()
signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
"""
SECRET = "my landlord Frank"
FAILURES = {
    "the program": f"raise ValueError({SECRET!r})",
    "a thread": f"""
def fail(): raise ValueError({SECRET!r})
thread = threading.Thread(target=fail)
thread.start()
thread.join()
""",
    "a finalizer": f"""
class Kept:
    def __del__(self): raise ValueError({SECRET!r})
Kept()
""",
}
STOPPED = {
    "a finalizer": """
class Kept:
    def __del__(self): os.kill(os.getpid(), signal.{name}); time.sleep(0)
Kept()
""",
    "a callback of the collector": """
told = []
def once(phase, info):
    if not told:
        told.append(phase)
        os.kill(os.getpid(), signal.{name})
        time.sleep(0)
gc.callbacks.append(once)
gc.collect()
""",
}
WAIT = "\ntime.sleep(60)\nprint('went on')\n"


def run(program: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", PROGRAM + program], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_an_exception_is_told_by_type_and_place_without_its_words(failure: str) -> None:
    told = run(failure).stderr

    assert "ValueError at <string>" in told
    assert "Traceback" not in told
    assert SECRET not in told


@pytest.mark.parametrize("place", STOPPED.values(), ids=STOPPED)
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_stop_that_arrives_where_nothing_can_be_raised_stops_the_program(place: str, name: str) -> None:
    ended = run(place.format(name=name) + WAIT)

    assert ended.returncode in ({"SIGTERM": (143,), "SIGINT": (-2, 130)}[name])
    assert "went on" not in ended.stdout
    assert SECRET not in ended.stderr
