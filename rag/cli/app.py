"""The command line: `lexscope VERB`. Answers go to stdout, everything else to stderr.

Exit status: 0 an answer, 3 a refusal, a halt or nothing found, 2 a request that cannot be used, 1 a failure.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any

import typer

from rag.cli.session import LastResort, Session, Verbs, dressed, fail, hoisted, no_such_verb, quiet_logging
from rag.unexpected import take_over_hooks
from retrieval.errors import InputError, LexscopeError

# The verbs as `lexscope --help` lists them, in the order in which people need them: section -> verb -> the module here
# that has it in its `verbs`, and the first line of its help. A module is loaded when one of its verbs is called.
SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Start": {
        "demo": ("demo", "Try everything on a sample of law: no key, no network, no set-up."),
        "init": ("store", "Create the store's schema, or bring it up to date."),
        "fetch": ("fetch", "Fetch law from its official publisher, to be ingested."),
        "ingest": ("store", "Bring law from files or folders into the store."),
        "embed": ("store", "Embed the law that has no vector yet, with the model that the settings name."),
        "read-law": ("store", "Have a language model read laws once, for limits and definitions in plain words."),
        "reembed": (
            "store",
            "Take the store over to another embedding model; the old vectors are searched until all new ones are "
            "there.",
        ),
    },
    "Find and read": {
        "search": ("search", "Find candidate rules for a question, or what fits filters."),
        "browse": ("search", "Show the structure of the law: titles, parts and chapters."),
        "documents": ("search", "List the documents of the store, each with its number of chunks."),
        "document": ("search", "Read a provision, a decision or a whole document."),
        "resolve": ("references", "Find the provision that a reference names, or list what it may mean."),
        "resolve-case": (
            "references",
            "Find a decision by its number, else by its name and court, else by court and date.",
        ),
        "edges": (
            "references",
            "List the citation graph around a provision; `edges resolve` gives edges their targets.",
        ),
    },
    "Ask": {
        "context": ("ask", "Show the scoped context of a rule: ancestors, definitions, exceptions, overrides."),
        "diff": ("ask", "Compare the scoped context of a rule at two dates."),
        "ask": ("ask", "Answer a scenario with verified claims, or say why not."),
        "verify": ("verify", "Check every reference, quote and claim of a memo or of a model's reply."),
        "traces": ("ask", "List the stored traces, the newest first."),
        "dump": ("ask", "Write a stored trace for a reviewer."),
    },
    "What courts and people add": {
        "override": ("admin", "What courts did to rules."),
        "preemption": ("admin", "Where federal rules overlap state rules."),
        "synonyms": ("admin", "Everyday phrases and what the law calls them."),
    },
    "Keep and serve": {
        "export": ("store", "Write documents of the store in the native format, all versions."),
        "doctor": ("doctor", "Check server, schema, law and providers."),
        "server": ("server", "The embedded server, which stays for a while."),
        "mcp": ("serve", "Serve the store to MCP clients, over stdin and stdout or over HTTP."),
        "serve": ("serve", "Ask, read, browse, review and compare two dates in a browser, here or behind a proxy."),
        "guidelines": ("telemetry", "Print the rules of legal research that MCP clients are given."),
        "telemetry": ("telemetry", "What quality_check has recorded: no word of a user."),
        "completion": ("completion", "Print what makes a shell complete verbs and options: bash, zsh or fish."),
        "eval": ("serve", "Run the evaluation suites of a source checkout; what follows goes to `python -m evals`."),
    },
}
_MODULES = {verb: module for section in SECTIONS.values() for verb, (module, _) in section.items()}


class Program(Verbs):
    """All verbs of the program, by name."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of the verbs, as help lists them."""
        return list(_MODULES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The verb of that name; loads its module.

        Raises:
            InputError: there is none.
        """
        if cmd_name not in _MODULES:
            raise no_such_verb(cmd_name, self.list_commands(ctx))
        verbs = import_module(f"rag.cli.{_MODULES[cmd_name]}").verbs
        return dressed(cmd_name, typer.main.get_group(verbs).commands[cmd_name])

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the verbs in their sections, without loading one."""
        for title, verbs in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(verb, summary) for verb, (_, summary) in verbs.items()])


app = typer.Typer(
    cls=Program, no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]},
    add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
    help="Answers to legal scenarios from an explicit scope of law, every claim with its URN and quote.",
    epilog="`lexscope demo` shows it on a sample. With law of your own: `lexscope ingest FILE`, `lexscope embed`, "
    'then `lexscope ask "..."`. `lexscope VERB --help` has an example of each verb.\n\n'
    "The options may also follow the verb. Exit status: 0 answer, 3 refusal, halt or not found, "
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
        typer.Option(
            help="PostgreSQL to use [LEXSCOPE_DATABASE_URL, DATABASE_URL; else the embedded server].", metavar="URL"
        ),
    ] = None,
    data_dir: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the embedded server [LEXSCOPE_DATA_DIR; else ~/.local/share/lexscope].", metavar="FOLDER"
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Log to stderr; show where an internal error arose.")] = False,
    _version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    context.obj = Session(database_url=database_url, data_dir=data_dir, debug=debug, json=as_json)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb of the program.

    Args:
        arguments: what follows the program's name; the process's own by default.
    """
    if arguments is None:
        take_over_hooks()
        arguments = sys.argv[1:]
    return run(app, arguments)


def run(program: typer.Typer, arguments: Sequence[str]) -> int:
    """Run one verb of a program, and turn what goes wrong into one line on stderr and an exit status.

    Args:
        arguments: the global options and the verb, with what belongs to it.

    Raises:
        SystemExit: with status 1, after an exception that nobody expected.
    """
    given = hoisted(arguments)
    as_json = "--json" in takewhile(lambda word: word != "--", given)
    if threading.current_thread() is threading.main_thread():
        # An ordinary exit, so that the embedded server stops with us.
        signal.signal(signal.SIGTERM, _stop)
    debug = "--debug" in takewhile(lambda word: word != "--", given)
    quiet_logging(debug=debug)
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] - after `>&-`
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the process ends
    with LastResort(debug=debug):
        try:
            status = typer.main.get_command(program).main(given, prog_name="lexscope", standalone_mode=False)
            sys.stdout.flush()
            return status if isinstance(status, int) else 0
        except LexscopeError as error:
            return _failed(error, as_json=as_json)
        except typer.TyperException as error:
            if type(error).__name__ == "NoArgsIsHelpError":
                sys.stderr.write(f"{error.message}\n")
                return InputError.exit_code
            return _failed(_usage(error), as_json=as_json)
        except (KeyboardInterrupt, typer.Abort):
            return 130
        except SystemExit as ending:
            if ending.code != 1:  # a signal's
                raise
            return _unread()  # typer's way to end where a verb writes to a pipe that nobody reads
        except BrokenPipeError:
            return _unread()
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            _unread()
            return _failed(StorageFull(), as_json=False)


class StorageFull(LexscopeError):
    """What was to be written does not fit: there is no space left where it goes. Make room and try again."""


def _failed(error: LexscopeError, *, as_json: bool) -> int:
    """Tell an error in a line on stderr, and in the one document that `--json` promises; its exit status."""
    fail(error.message)
    if as_json:
        told = {"error": {"code": error.code, "message": error.message, "retryable": error.retryable}}
        sys.stdout.write(json.dumps(told) + "\n")
    return error.exit_code


def _unread() -> int:
    """The status of a command whose reader has gone; what is still buffered must not fail again when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141  # 128 and the number of the signal that ends other programs here


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


def _usage(error: typer.TyperException) -> InputError:
    """What is wrong with the arguments, without repeating them: they may hold the scenario."""
    kind = type(error).__name__
    help_of = f"See `{_verb(error)} --help`."
    if isinstance(error, typer.BadParameter):
        # Of '--limit' / '-n' the long name.
        name = error.param.get_error_hint().split(" / ")[0].strip("'") if error.param else "an argument"
        wrong = f"has a value that cannot be used{_expected(error.param)}"
        what = "is missing" if kind == "MissingParameter" else wrong
        return InputError(f"{name} {what}. {help_of}")
    if kind == "NoSuchOption":
        near = " or ".join(getattr(error, "possibilities", None) or ())
        hint = f"Did you mean {near}?" if near else "A question that begins with a dash follows `--`."
        return InputError(f"There is no such option. {hint} {help_of}")
    if kind == "BadOptionUsage":
        return InputError(f"{getattr(error, 'option_name', 'An option')} needs a value. {help_of}")
    return InputError(f"There are more arguments than this verb takes; put a question in quotes. {help_of}")


def _verb(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    return str(context.command_path) if context is not None else "lexscope"


if __name__ == "__main__":
    sys.exit(main())
