"""A clock that jumps back an hour in the middle of a call (F28): every limit ends its call as if it had not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROJECT
from fakes.openai_server import FakeOpenAI, Fault, draft_of

from rag.settings import Settings

HOUR = 3600
SLACK = 15.0  # seconds beyond a limit of one, on a busy machine; what waits waits for 30
# What the C library says of the time of day, an hour less as soon as a file is there. Python asks nothing else.
CLOCK = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long back(void) { const char *file = getenv("JUMP"); return file && access(file, F_OK) == 0 ? 3600 : 0; }
int clock_gettime(clockid_t clock, struct timespec *at) {
    int failed = syscall(SYS_clock_gettime, clock, at);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) at->tv_sec -= back();
    return failed;
}
int gettimeofday(struct timeval *at, void *zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
"""
CALLS = """
import json, os, sys, threading, time
from pathlib import Path
from rag import Engine
from rag.calls import Call
from rag.models.openai import OpenAIModel
from rag.settings import load_settings
from retrieval.errors import LexscopeError

url, provider = sys.argv[1:]
jump = Path(os.environ["JUMP"])
QUESTION = "Who pays interest on a security deposit?"

def asleep():
    with engine.database.read() as conn:
        conn.execute("select pg_sleep(30)")

def held():
    with engine.database.read(), engine.database.read():
        engine.context("940 CMR 3.17")

def drafted():
    model = OpenAIModel("key", "model", provider)
    answer = engine.using(settings=hasty, model=model).ask(QUESTION, jurisdiction="us-ma")
    return answer.refusal.reason

def verified():
    text = "See 940 CMR 3.17(4). " * 40_000
    return str(hasty_engine.verify(text, jurisdiction="us-ma").complete)

settings = load_settings(database_url=url, pool_size=2, traces="off")
hasty = settings.model_copy(update={"request_seconds": 1.0})
told = {}
with Engine.open(settings) as engine:
    hasty_engine = engine.using(settings=hasty)
    engine.ask(QUESTION, jurisdiction="us-ma")
    for name, call in {
        "call": lambda: Call(1.0).run(asleep), "pool": held, "provider": drafted, "verify": verified,
    }.items():
        jump.unlink(missing_ok=True)
        before = time.time()
        threading.Timer(0.3, jump.touch).start()
        since = time.monotonic()
        try:
            outcome = call()
        except LexscopeError as error:
            outcome = error.code
        told[name] = [time.monotonic() - since, time.time() - before, outcome]
print(json.dumps(told))
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler to make a clock that jumps with")
@pytest.mark.skipif(sys.platform != "linux", reason="the clock of another system is another one")
def test_f28_every_limit_holds_though_the_clock_jumps_back_an_hour(sample_settings: Settings, tmp_path: Path) -> None:
    assert sample_settings.database_url is not None
    source, library = tmp_path / "clock.c", tmp_path / "clock.so"
    source.write_text(CLOCK, encoding="utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    environment = {**os.environ, "LD_PRELOAD": str(library), "JUMP": str(tmp_path / "jump")}
    with FakeOpenAI(lambda request: draft_of()) as server:
        server.script(*[Fault(delay=20.0)] * 3)
        ran = subprocess.run(
            [sys.executable, "-c", CALLS, sample_settings.database_url.get_secret_value(), server.base_url],
            cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=100, check=False,
        )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-2000:]
    told = json.loads(ran.stdout)
    assert {name: outcome for name, (_, _, outcome) in told.items()} == {
        "call": "deadline", "pool": "busy", "provider": "provider_timeout", "verify": "False",
    }  # fmt: skip
    for name, (took, passed, _) in told.items():
        assert took - HOUR - 2 < passed < took - HOUR + 2, f"{name}: the clock did not jump"
        assert took < 1.0 + SLACK, name
