"""Lines for people: wrapped, never cut, plain where the output is no terminal."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, TextIO

from rag.jurisdictions.citing import cited_as
from rag.telemetry.review.unseen import UNSEEN

if TYPE_CHECKING:
    from rich.console import Console

    from rag.ingest.pipeline import Progress

PLAIN_WIDTH = 80
WIDEST = 100  # longer lines are hard to read
_LIKE_A_TERMINAL = ("FORCE_COLOR", "TTY_COMPATIBLE")  # rich may style a stream that is none where one of these is set


def visible(text: str) -> str:
    """The text with every character that a terminal obeys or hides written as an escape."""
    return UNSEEN.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def pace(progress: Progress) -> str:
    """How fast a long task goes and how long it still takes, as far as that can be told yet; starts with a comma."""
    out = ""
    if progress.nodes and progress.seconds:
        out += f", {progress.nodes / progress.seconds:,.0f} nodes/s"
    if progress.remaining and progress.done < progress.total:
        minutes, seconds = divmod(round(progress.remaining), 60)
        out += f", {minutes} min {seconds} s left" if minutes else f", {seconds} s left"
    return out


def provision(urn: str, heading: str = "", titles: Mapping[str, str] | None = None) -> str:
    """A provision in one line: how people cite it, its heading and its URN, as far as there are any.

    Args:
        titles: of the laws that are told of, by their URNs; a law of one's own is cited by its title.
    """
    law = next((law for law in titles or () if ":doc:" in law and f"{urn}:".startswith(f"{law}:")), "")
    cited = _named(urn, (titles or {})[law], law) if law else cited_as(urn)
    return "  ".join(part for part in (cited, heading, urn) if part)


def _named(urn: str, title: str, law: str) -> str:
    from rag.answering.citations import named  # takes as long to load as a short answer to write

    return named(urn, title, law)


class Page:
    """Writes lines to a stream, wrapped to its width; styles reach terminals only."""

    brief = False  # whether its reader can ask for what is left out: then nothing is told twice

    def __init__(self, stream: TextIO, program: str = "lexscope") -> None:
        self._stream = stream
        self.program = program  # how the reader calls it on the store that these lines are about
        self.titles: Mapping[str, str] = {}  # of the laws that the lines are about, by their URNs
        self._console: Console | None = None
        self.width = PLAIN_WIDTH
        if stream.isatty() or any(os.environ.get(name) for name in _LIKE_A_TERMINAL):
            from rich.console import Console  # takes as long to load as a short answer to write

            console = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)
            if console.is_terminal:
                self._console = console
                self.width = max(40, min(console.width, WIDEST))

    def line(
        self, text: str = "", *, style: str = "", indent: int = 0, hang: int = 0, first: str = "", bar: str = ""
    ) -> None:
        """Write text, each of its own lines wrapped at spaces only: a URN stays in one piece.

        Args:
            text: what to write; may have several lines.
            indent: columns before every line.
            hang: further columns before every line but the first.
            first: what the first line starts with, such as a bullet as wide as `hang`.
            bar: what every line starts with after its indent, such as the mark of a quote.
        """
        wrapped: list[str] = []
        for position, part in enumerate(visible(text).split("\n")):
            start = " " * indent + bar + (first if position == 0 else " " * hang)
            wrapped += textwrap.wrap(
                part, self.width, initial_indent=start, subsequent_indent=" " * indent + bar + " " * hang,
                break_long_words=False, break_on_hyphens=False,
            ) or [start.rstrip()]  # fmt: skip
        for line in wrapped:
            self._write(line, style)

    def _write(self, text: str, style: str = "") -> None:
        if self._console is None:
            self._stream.write(f"{text}\n")
        else:
            from rich.text import Text

            self._console.print(Text(text, style=style))

    def detail(self, text: str, indent: int = 0) -> None:
        """Write what a person may want to know of a result, and a model does not need: scores, digests, files."""
        self.line(text, indent=indent, style="dim")

    def provision(self, urn: str, heading: str = "") -> str:
        """A provision in one line, as `provision` has it."""
        return provision(urn, heading, self.titles)

    def option(self, name: str) -> str:
        """What a parameter is called where these lines are read."""
        return f"--{name}"

    def command(self, text: str) -> None:
        """Write a command of the program in one line, however long, so that it can be copied into any shell.

        Args:
            text: the verb and what follows it; no comment, which not every shell takes at its prompt.
        """
        self.copied(f"{self.program} {text}")

    def copied(self, text: str) -> None:
        """Write what is to be copied in one line, however long."""
        self._write(f"  {visible(text)}")

    def gap(self) -> None:
        """An empty line."""
        self._write("")

    def table(self, rows: list[tuple[str, ...]], *, indent: int = 0) -> None:
        """Columns two spaces apart; the last one wraps."""
        if not rows:
            return
        widths = [max(len(visible(row[column])) for row in rows) for column in range(len(rows[0]) - 1)]
        hang = min(sum(widths) + 2 * len(widths), self.width // 2)
        for row in rows:
            cells = (visible(cell).ljust(width) for cell, width in zip(row, widths, strict=False))
            start = "".join(f"{cell}  " for cell in cells)
            if len(start) > hang:
                self.line(start.rstrip(), indent=indent)
                start = " " * hang
            self.line(row[-1], indent=indent, hang=hang, first=start)
