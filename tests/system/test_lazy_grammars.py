"""A question about one jurisdiction loads the grammar of that jurisdiction and the rules of its language, no others."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from rag.settings import Settings

_FAMILY = {"us"}  # Massachusetts is read with the federal grammar: its law cites federal law
_COUNTRIES = {"de", "eu", "fr", "gb", "jp", "us"}
_LANGUAGES = {"de", "en", "fr", "ja"}
_ASKING = """
import json, sys
from rag.engine import Engine
from rag.settings import load_settings
with Engine.open(load_settings()) as engine:
    {call}
print(json.dumps([name for name in sys.modules if name.startswith(("rag.jurisdictions.", "rag.languages."))]))
"""


def _loaded(settings: Settings, call: str) -> set[str]:
    """The modules of grammars and languages that a fresh process has after one call."""
    assert settings.database_url is not None
    environment = {**os.environ, "LEXSCOPE_DATABASE_URL": settings.database_url.get_secret_value()}
    done = subprocess.run(
        [sys.executable, "-c", _ASKING.format(call=call)], env=environment, capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def _packages(loaded: set[str], room: str) -> set[str]:
    return {name.split(".")[2] for name in loaded if name.startswith(f"rag.{room}.")}


_CALLS = [
    pytest.param(
        'answer = engine.ask("How long may a landlord keep a deposit?", jurisdiction="us-ma"); assert answer.status',
        id="ask",
    ),
    pytest.param('engine.context("940 CMR 3.17(4)", jurisdiction="us-ma")', id="context"),
    pytest.param('engine.search("security deposit", jurisdiction="us-ma")', id="search"),
]


@pytest.mark.parametrize("call", _CALLS)
def test_no_other_grammar_is_loaded(served_settings: Settings, call: str) -> None:
    loaded = _loaded(served_settings, call)
    assert _packages(loaded, "jurisdictions") & _COUNTRIES <= _FAMILY


@pytest.mark.parametrize("call", _CALLS)
def test_no_other_language_is_loaded(served_settings: Settings, call: str) -> None:
    loaded = _loaded(served_settings, call)
    assert _packages(loaded, "languages") & _LANGUAGES <= {"en"}
