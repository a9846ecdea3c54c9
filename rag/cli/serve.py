"""The verbs serve and eval: the web view on this machine, and the evaluation suites of a source checkout."""

from __future__ import annotations

import secrets
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from rag.cli.session import EPILOG, session, tell
from retrieval.errors import ConfigurationError, InputError

DEFAULT_WEB_PORT = 8766


def register(app: typer.Typer) -> None:
    """Add the verbs to the program."""
    app.command(epilog=EPILOG)(serve)
    app.command("eval", context_settings={"allow_extra_args": True, "ignore_unknown_options": True}, epilog=EPILOG)(
        evaluate
    )


def serve(
    ctx: typer.Context,
    port: Annotated[
        int, typer.Option(help="Port on 127.0.0.1; 0 takes any free one.", metavar="N", min=0, max=65535)
    ] = DEFAULT_WEB_PORT,
) -> int:
    """Ask, read, browse, review and compare two dates in a browser on this machine."""
    from rag.mcp.http import bound_socket
    from rag.web.pages import run_web

    bound = bound_socket("127.0.0.1", port)
    with bound, session(ctx).engine() as engine:
        run_web(
            engine, secrets.token_urlsafe(24), bound, lambda url: tell(f"open {url} ; stop with an interrupt (Ctrl-C)")
        )
    return 0


def evaluate(ctx: typer.Context) -> int:
    """Run the evaluation suites of a source checkout; what follows goes to `python -m evals`."""
    here = session(ctx)
    if here.database_url is not None or here.data_dir is not None:
        raise InputError("`eval` takes the store from LEXSCOPE_DATABASE_URL or LEXSCOPE_DATA_DIR, not from an option.")
    beside = Path(__file__).resolve().parents[2] / "evals"
    if not (beside / "__main__.py").is_file():
        raise ConfigurationError(
            "The evaluation suites are part of the source, not of the installed package. In a checkout of it, "
            "run `make setup`, then `lexscope eval` or `python -m evals`."
        )
    # By its name alone: this package does not depend on the suites.
    run = import_module("evals.__main__").main
    return int(run([*ctx.args, *(["--json"] if here.json else [])]))
