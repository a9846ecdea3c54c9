"""The bearer token of the MCP server: where it comes from, and that it stays the same and private."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.mcp.token import bearer_token
from retrieval.errors import ConfigurationError


def test_a_token_is_made_once_privately_and_kept(tmp_path: Path) -> None:
    kept = tmp_path / "data" / "mcp_token"
    first = bearer_token(None, None, kept)
    assert (first.given, first.made) == (False, kept)
    assert len(first.value) >= 43  # 32 random bytes
    assert kept.stat().st_mode & 0o777 == 0o600
    again = bearer_token(None, None, kept)
    assert (again.value, again.given, again.made) == (first.value, False, None)
    assert bearer_token(None, None, tmp_path / "other").value != first.value


def test_the_environment_comes_first_and_a_named_file_second(tmp_path: Path) -> None:
    kept, named = tmp_path / "kept", tmp_path / "named"
    named.write_text("from-a-file\n")
    assert bearer_token("from-the-environment", named, kept).value == "from-the-environment"
    found = bearer_token(None, named, kept)
    assert (found.value, found.given) == ("from-a-file", True)
    assert not kept.exists()


@pytest.mark.parametrize("value", ["", "two words", "t\u00f6ken", "line\nbreak", "x" * 5000])
def test_what_does_not_fit_a_header_is_no_token_and_is_not_repeated(value: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        bearer_token(value, None, tmp_path / "kept")
    assert caught.value.message.startswith("LEXSCOPE_MCP_TOKEN holds no usable token")
    assert not value or value not in caught.value.message


def test_a_file_that_is_not_there_or_cannot_be_made_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        bearer_token(None, tmp_path / "missing", tmp_path / "kept")
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigurationError, match="cannot be kept"):
        bearer_token(None, None, tmp_path / "file" / "mcp_token")
