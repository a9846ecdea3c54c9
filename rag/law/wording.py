"""Small words of messages to people."""

from __future__ import annotations


def counted(count: int, one: str) -> str:
    """A number of things, by the word for one of them: "1 row", "1,204 rows"."""
    return f"{count:,} {one}" if count == 1 else f"{count:,} {one}s"
