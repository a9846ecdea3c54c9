"""The verb `verify`: the references, quotations and claims of a file or of standard input."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rag.cli.session import MAX_STDIN_BYTES, AtDate, Jurisdiction, Language, read_stdin, session
from retrieval.errors import InputError

verbs = typer.Typer(rich_markup_mode=None)


@verbs.command()
def verify(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(help="A text file in UTF-8; `-` is stdin.", metavar="FILE")],
    jurisdiction: Jurisdiction = None,
    language: Language = None,
    at_date: AtDate = None,
) -> int:
    """Check every reference, quote and claim of a memo or of a model's reply.

    Each gets a verdict and a reason, and what was not checked is listed. A model's reply may be JSON (docs/json.md).
    """
    from rag.presentation.verdicts import show_verified

    text = read_stdin("Paste the text; end with Ctrl-D on a line of its own.") if file == "-" else read_text(Path(file))
    if not text.strip():
        raise InputError("There is no text to verify: it is empty.")
    result = session(ctx).asked(
        lambda engine: engine.verify(text, jurisdiction=jurisdiction, language=language, at_date=at_date)
    )
    return session(ctx).show(result, lambda page: show_verified(page, result, text), result.exit_code)


def read_text(file: Path) -> str:
    """The text of a file, its byte order mark left out.

    Raises:
        InputError: it cannot be read, is not UTF-8, or is too large.
    """
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_STDIN_BYTES + 1)
    except (OSError, ValueError) as error:
        cause = error.strerror if isinstance(error, OSError) else "its name cannot be used"
        raise InputError(f"The file cannot be read: {cause}. To verify a text itself, pipe it to `verify -`.") from None
    if len(data) > MAX_STDIN_BYTES:
        raise InputError(f"The file has more than {MAX_STDIN_BYTES:,} bytes; verify it in parts.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"The file is not UTF-8 text (byte {error.start + 1}).") from None
