"""What a terminal shows while a model drafts: how much has come, and nothing of what it says."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TextIO

from rag.llm_stream import counting

_FRAMES = "|/-\\"
_STEP = 40  # characters between two signs of life


@contextmanager
def drafting_shown(stream: TextIO | None = None) -> Generator[None]:
    """Show a count while a model drafts, where the stream is a terminal; without one nothing is streamed.

    Args:
        stream: where to; stderr by default.
    """
    stream = stream or sys.stderr
    if stream is None or not stream.isatty():  # pyright: ignore[reportUnnecessaryComparison] - None after `2>&-`
        yield
        return
    shown = -1

    def show(characters: int) -> None:
        nonlocal shown
        if characters // _STEP == shown:
            return
        shown = characters // _STEP
        stream.write(f"\r{_FRAMES[shown % len(_FRAMES)]} drafting, {characters:,} characters, not yet verified ")
        stream.flush()

    try:
        with counting(show):
            yield
    finally:
        if shown >= 0:
            stream.write("\r\x1b[K")
            stream.flush()
