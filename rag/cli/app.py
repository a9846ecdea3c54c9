"""The command line: `lexscope VERB`. Answers go to stdout, everything else to stderr.

Exit status: 0 an answer, 3 a refusal, a halt or nothing found, 2 a request that cannot be used, 1 a failure.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from rag.cli import admin as cli_admin
from rag.cli import ask as cli_ask
from rag.cli import diff as cli_diff
from rag.cli import embed as cli_embed
from rag.cli import fetch as cli_fetch
from rag.cli import mcp as cli_mcp
from rag.cli import references as cli_references
from rag.cli import search as cli_search
from rag.cli import serve as cli_serve
from rag.cli import store as cli_store
from rag.cli import synonyms as cli_synonyms
from rag.cli import telemetry as cli_telemetry
from rag.cli import verify as cli_verify
from rag.cli.session import LastResort, Session, fail, hoisted, quiet_logging
from retrieval.errors import InputError, LexscopeError

# The verbs as `lexscope --help` lists them: in the order in which people need them.
SECTIONS = {
    "Start": ("demo", "init", "fetch", "ingest", "embed", "reembed"),
    "Find and read": ("search", "browse", "documents", "document", "resolve", "resolve-case", "edges"),
    "Ask": ("context", "diff", "ask", "verify", "dump"),
    "What courts and people add": ("override", "preemption", "synonyms"),
    "Keep and serve": ("export", "doctor", "mcp", "serve", "guidelines", "telemetry", "eval"),
}


class Verbs(TyperGroup):
    """The list of verbs; an unknown one is an error that does not repeat what was typed."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The verb of that name.

        Raises:
            InputError: there is none.
        """
        found = super().get_command(ctx, cmd_name)
        if found is None:
            names = ", ".join(self.commands)
            raise InputError(f"There is no such verb. The verbs are {names}. A question goes in quotes after its verb.")
        return found

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the verbs of the program in their sections, those of a group as they were defined."""
        sections = SECTIONS if ctx.parent is None else {"Verbs": tuple(self.commands)}
        for title, names in sections.items():
            with formatter.section(title):
                formatter.write_dl([(one, self.commands[one].get_short_help_str(200)) for one in names])


app = typer.Typer(
    cls=Verbs, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
    help="Answers to legal scenarios from an explicit scope of law, every claim with its URN and quote.",
    epilog="The options may also follow the verb. Exit status: 0 answer, 3 refusal, halt or not found, "
    "2 bad input, 1 failure.",
)  # fmt: skip


def _show_version(wanted: bool) -> None:
    if wanted:
        from rag import __version__

        sys.stdout.write(f"lexscope {__version__}\n")
        raise typer.Exit


@app.callback()
def _options(  # pyright: ignore[reportUnusedFunction] - typer calls it
    context: typer.Context,
    database_url: Annotated[
        str | None,
        typer.Option(help="PostgreSQL to use [LEXSCOPE_DATABASE_URL, DATABASE_URL; else the embedded server]."),
    ] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the embedded server [LEXSCOPE_DATA_DIR].")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Log to stderr; show where an internal error arose.")] = False,
    _version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    context.obj = Session(database_url=database_url, data_dir=data_dir, debug=debug, json=as_json)


cli_store.register(app)
cli_fetch.register(app)
cli_search.register(app)
cli_ask.register(app)
cli_embed.register(app)
cli_diff.register(app)
cli_references.register(app)
cli_verify.register(app)
cli_admin.register(app, Verbs)
cli_synonyms.register(app, Verbs)
cli_mcp.register(app)
cli_serve.register(app)
cli_telemetry.register(app, Verbs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb of the program.

    Args:
        arguments: what follows the program's name; the process's own by default.

    Returns:
        The exit status.
    """
    return run(app, sys.argv[1:] if arguments is None else arguments)


def run(program: typer.Typer, arguments: Sequence[str]) -> int:
    """Run one verb of a program, and turn what goes wrong into one line on stderr and an exit status.

    Args:
        program: the verbs.
        arguments: the global options and the verb, with what belongs to it.

    Returns:
        The exit status.

    Raises:
        SystemExit: with status 1, after an exception that nobody expected.
    """
    given = hoisted(arguments)
    as_json = "--json" in takewhile(lambda one: one != "--", given)
    if threading.current_thread() is threading.main_thread():
        # An ordinary exit, so that the embedded server stops with us.
        signal.signal(signal.SIGTERM, _stop)
    debug = "--debug" in takewhile(lambda one: one != "--", given)
    quiet_logging(debug=debug)
    with LastResort(debug=debug):
        try:
            status = typer.main.get_command(program).main(given, prog_name="lexscope", standalone_mode=False)
            sys.stdout.flush()
            return status if isinstance(status, int) else 0
        except LexscopeError as error:
            fail(error.message)
            if as_json:
                told = {"error": {"code": error.code, "message": error.message, "retryable": error.retryable}}
                sys.stdout.write(json.dumps(told) + "\n")
            return error.exit_code
        except typer.TyperException as error:
            return _usage(error)
        except (KeyboardInterrupt, typer.Abort):
            return 130
        except BrokenPipeError:
            # Whoever read our output has gone; what is still buffered must not fail again when Python ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1


def _stop(number: int, _frame: object) -> None:
    sys.exit(128 + number)


def _expected(option: object) -> str:
    """What numbers an option takes; nothing for one that takes words."""
    kind = getattr(getattr(option, "type_descriptor", None), "annotation", None)
    if kind not in (int, float):
        return ""
    least, most = getattr(option, "min", None), getattr(option, "max", None)
    bounds = f"{f' from {least}' if least is not None else ''}{f' to {most}' if most is not None else ''}"
    return f": it takes a {'whole ' if kind is int else ''}number{bounds}"


def _usage(error: typer.TyperException) -> int:
    """Say what is wrong with the arguments without repeating them: they may hold the scenario."""
    kind = type(error).__name__
    help_of = f"see `{_verb(error)} --help`"
    if kind == "NoArgsIsHelpError":
        sys.stderr.write(f"{error.message}\n")
    elif isinstance(error, typer.BadParameter):
        name = error.param.get_error_hint().strip("'") if error.param else "an argument"
        wrong = f"has a value that cannot be used{_expected(error.param)}"
        what = "is missing" if kind == "MissingParameter" else wrong
        fail(f"{name} {what}; {help_of}")
    elif kind == "NoSuchOption":
        near = ", ".join(getattr(error, "possibilities", None) or ())
        hint = f", did you mean {near}?" if near else ""
        fail(f"there is no such option{hint}; a question that begins with a dash follows `--`; {help_of}")
    elif kind == "BadOptionUsage":
        fail(f"{getattr(error, 'option_name', 'an option')} needs a value; {help_of}")
    else:
        fail(f"there are more arguments than this verb takes; put a question in quotes; {help_of}")
    return 2


def _verb(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    return str(context.command_path) if context is not None else "lexscope"


if __name__ == "__main__":
    sys.exit(main())
