"""The bearer token of the HTTP server: from the environment, from a file, or made once and kept.

It never comes from the command line, where every process of the machine could read it.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from retrieval.errors import ConfigurationError

MIN_TOKEN = 32  # characters, of a token that may be tried from other machines
_MAX_TOKEN = 4096


@dataclass(frozen=True, slots=True)
class Token:
    """A bearer token and where it came from."""

    value: str
    given: bool  # by the operator, in the environment or in a file named
    made: Path | None = None  # the file it was written to just now


def bearer_token(environment: str | None, named: Path | None, kept: Path) -> Token:
    """The token to demand.

    Args:
        environment: the value of LEXSCOPE_MCP_TOKEN, if set.
        named: the file that the operator named, if any; it must be there.
        kept: where to keep a token of our own, so that it is the same after the next start.

    Raises:
        ConfigurationError: the token cannot be used, or its file neither read nor written.
    """
    if environment is not None:
        return Token(_checked(environment, "LEXSCOPE_MCP_TOKEN"), given=True)
    if named is not None:
        return Token(_read(named), given=True)
    if kept.exists():
        return Token(_read(kept), given=False)
    value = secrets.token_urlsafe(32)
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        # Exclusive and private from its first moment on: nobody else's file is written to, nobody else reads it.
        with os.fdopen(os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(f"{value}\n")
    except OSError as error:
        if kept.is_file():
            return Token(_read(kept), given=False)  # another server was faster
        raise ConfigurationError(
            f"The token cannot be kept in {kept} ({error.strerror}). Set LEXSCOPE_MCP_TOKEN or --data-dir."
        ) from None
    return Token(value, given=False, made=kept)


def _read(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            data = opened.read(_MAX_TOKEN + 1)
    except OSError as error:
        raise ConfigurationError(f"The token file {file} cannot be read ({error.strerror}).") from None
    return _checked(data.decode("latin-1").strip(), f"The token file {file}")


def _checked(value: str, source: str) -> str:
    """A token that fits into a header; the message does not repeat it."""
    if not value or len(value) > _MAX_TOKEN or not all("!" <= char <= "~" for char in value):
        raise ConfigurationError(
            f"{source} holds no usable token: 1 to {_MAX_TOKEN} letters, digits and signs of ASCII, without spaces."
        )
    return value
