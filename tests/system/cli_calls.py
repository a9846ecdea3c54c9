"""Calls of the command line inside the test's process, and what they leave behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer

from rag.cli.app import app, run
from rag.settings import Settings

PROJECT = Path(__file__).resolve().parent.parent.parent
SCENARIO = "My landlord Quux kept my deposit and didn't pay interest"
SECRETS = ("Quux",)
RULE = "urn:lex:ma:940cmr:3.17:4"


@dataclass(frozen=True, slots=True)
class Ran:
    """What one call left behind."""

    status: int
    out: str
    err: str


Lexscope = Callable[..., Ran]


def address(settings: Settings) -> str:
    """The connection string of a store."""
    assert settings.database_url is not None
    return settings.database_url.get_secret_value()


def caller(capsys: pytest.CaptureFixture[str], *always: str) -> Lexscope:
    """The command, with options that every call starts with; no call may repeat a scenario on stderr."""

    def call(*arguments: str, program: typer.Typer = app) -> Ran:
        try:
            status = run(program, [*always, *arguments])
        except SystemExit as left:
            status = int(left.code or 0)
        said = capsys.readouterr()
        assert not any(secret in said.err for secret in SECRETS)
        return Ran(status, said.out, said.err)

    return call
