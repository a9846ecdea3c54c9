"""What the verbs share: the global options, where they may stand, one document or lines on stdout, safe stderr.

What is imported inside functions here and in the modules of the verbs is what a verb's `--help` can do without: it
answers at once instead of after loading a database driver.
"""

from __future__ import annotations

import gc
import logging
import shlex
import shutil
import sys
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from typer.core import TyperGroup

from rag.plugins import Fault
from retrieval.errors import InputError

if TYPE_CHECKING:
    from pydantic import BaseModel

    from rag.engine import Engine
    from rag.ingest.pipeline import Progress
    from rag.presentation.page import Page
    from rag.settings import Settings
    from rag.store.database import Database

_T = TypeVar("_T")

# Longer than any question that is accepted, so that a refusal can say how long it was; an endless pipe still ends.
MAX_STDIN_BYTES = 8 * 1024 * 1024

# Option -> whether a value follows it. These may be before the verb or anywhere after it.
GLOBAL_OPTIONS = {
    "--database-url": True, "--data-dir": True, "--debug": False, "--json": False, "--version": False,
}  # fmt: skip
EPILOG = "Also for every verb, before or after it: --json, --database-url, --data-dir, --debug."
NOTHING_FOUND = 3

# Option -> its short form, in every verb that has the option.
SHORT = {
    "--at-date": "-d", "--format": "-f", "--jurisdiction": "-j", "--language": "-l", "--limit": "-n", "--output": "-o",
    "--rules": "-r", "--tag": "-t",
}  # fmt: skip

# Verb -> one call of it as its help shows it.
EXAMPLES = {
    "demo": "lexscope demo",
    "init": "lexscope init",
    "fetch": "lexscope fetch ecfr 11",
    "ingest": "lexscope ingest house-rules.md -j us-dc",
    "embed": "lexscope embed --estimate",
    "read-law": "lexscope read-law --jurisdiction us-dc --dry-run",
    "reembed": "lexscope reembed --embedding local --model path/to/model",
    "search": 'lexscope search "interest on my deposit" -j us-ma -n 5',
    "browse": "lexscope browse urn:lex:ma:940cmr --provisions",
    "documents": "lexscope documents -j us-ma",
    "document": 'lexscope document "940 CMR 3.17(4)"',
    "resolve": 'lexscope resolve "940 CMR 3.17(4)"',
    "resolve-case": 'lexscope resolve-case --case-name "Brown v. Board"',
    "edges": "lexscope edges urn:lex:ma:940cmr:3.17 --outgoing",
    "context": 'lexscope context "940 CMR 3.17(4)" -d 2020-01-01',
    "diff": 'lexscope diff "940 CMR 3.17" --from 2018-01-01 --to 2020-01-01',
    "ask": 'lexscope ask "When may my landlord ask for a charge for late payment?" -j us-ma',
    "verify": "lexscope verify memo.md -j us-ma",
    "traces": "lexscope traces --status refused -n 5",
    "dump": "lexscope dump last -o last.html",
    "override": "lexscope override list",
    "override add": "lexscope override add urn:lex:ma:940cmr:3.12 --status VOID --court SJC --citation '1 Mass. 2'",
    "override list": "lexscope override list",
    "override end": "lexscope override end 3 --on 2026-01-01",
    "override check": "lexscope override check 3 --on 2026-01-01",
    "override import": "lexscope override import overrides.csv",
    "override propose": "lexscope override propose -j us",
    "override accept": "lexscope override accept 3f9c0a1b2d --by 'A. Reviewer'",
    "override reject": "lexscope override reject 3f9c0a1b2d --by 'A. Reviewer'",
    "preemption": "lexscope preemption list",
    "preemption add": "lexscope preemption add urn:lex:us:16cfr:444 urn:lex:ma:940cmr:3.08 --kind conflict",
    "preemption list": "lexscope preemption list",
    "preemption end": "lexscope preemption end 1 --on 2026-01-01",
    "preemption import": "lexscope preemption import preemption.csv",
    "synonyms": "lexscope synonyms list",
    "synonyms import": "lexscope synonyms import synonyms.csv",
    "synonyms list": "lexscope synonyms list -j us-ma -n 20",
    "synonyms suggest": "lexscope synonyms suggest -o suggested.csv",
    "synonyms starter": "lexscope synonyms starter -l en",
    "export": "lexscope export urn:lex:ma:940cmr -o 940cmr.jsonl",
    "doctor": "lexscope doctor",
    "server": "lexscope server status",
    "server status": "lexscope server status",
    "server stop": "lexscope server stop",
    "mcp": "lexscope mcp --http",
    "serve": "lexscope serve --port 0",
    "guidelines": "lexscope guidelines",
    "completion": "lexscope completion bash >> ~/.bashrc",
    "telemetry": "lexscope telemetry show",
    "telemetry show": "lexscope telemetry show -n 5",
    "telemetry export": "lexscope telemetry export records.jsonl",
    "telemetry purge": "lexscope telemetry purge --before 2026-01-01 --yes",
    "eval": "lexscope eval fidelity",
}

# Verb -> what its exit status says, where that is more than whether it failed.
EXITS = {
    "init": "0 done, 1 a failure, or an administrator has to do something first, 2 bad input",
    "fetch": "0 done, 1 a failure, or a file could not be had, 2 bad input",
    "ingest": "0 done, 1 a failure, or a file was rejected (all others are stored), 2 bad input",
    "search": "0 found, 3 nothing found, 2 bad input, 1 failure",
    "browse": "0 found, 3 nothing found, 2 bad input, 1 failure",
    "documents": "0 found, 3 nothing found, 2 bad input, 1 failure",
    "document": "0 found, 3 not found, not in force or ambiguous, 2 bad input, 1 failure",
    "resolve": "0 one provision (of a file: for one line at least), 3 several or none, 2 bad input, 1 failure",
    "resolve-case": "0 found, 3 nothing found, 2 bad input, 1 failure",
    "edges": "0 found, 3 nothing found, 2 bad input, 1 failure",
    "context": "0 assembled, 3 halted by a court, not found, not in force or nothing near, 2 bad input, 1 failure",
    "diff": "0 compared, 3 not found or in force at neither date, 2 bad input, 1 failure",
    "ask": "0 answered, 3 places to look, a refusal or a halt, 2 bad input, 1 failure",
    "verify": "0 something was supported and nothing failed, 3 otherwise, 2 bad input, 1 failure",
    "traces": "0 found, 3 nothing found, 2 bad input, 1 failure",
    "dump": "0 written, 3 no such trace is stored, 2 bad input, 1 failure",
    "export": "0 written, 3 no such document, 2 bad input, 1 failure",
    "doctor": "0 no check failed, 1 one did, 2 bad input",
    "server status": "0 it runs, 3 it does not, 2 bad input, 1 failure",
}

Jurisdiction = Annotated[
    str | None,
    typer.Option(
        help="Whose law: a code or a name, us-ma or Massachusetts. fr covers its subdivisions, eu|fr is both, !=eu all "
        "but one. [all]",
        metavar="CODE",
    ),
]
Language = Annotated[
    str | None,
    typer.Option(help="Language of the law, such as en, where there is law in several. [all]", metavar="CODE"),
]
AtDate = Annotated[str | None, typer.Option(help="Date of the law. [today in UTC]", metavar="YYYY-MM-DD")]


class Verbs(TyperGroup):
    """A list of verbs; an unknown one is an error that does not repeat what was typed."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The verb of that name.

        Raises:
            InputError: there is none.
        """
        found = super().get_command(ctx, cmd_name)
        if found is None:
            raise no_such_verb(cmd_name, self.list_commands(ctx), self.name or "")
        return dressed(f"{self.name} {cmd_name}", found)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the verbs in the order in which they were defined."""
        with formatter.section("Verbs"):
            formatter.write_dl([(name, verb.get_short_help_str(200)) for name, verb in self.commands.items()])


def dressed(path: str, verb: Any) -> Any:
    """A verb with the example of its help, the short forms of its options, and no type of Python beside an argument.

    Args:
        path: the verb's name, after its group's where it is in one.
    """
    if path in EXAMPLES:
        status = f"Exit status: {EXITS[path]}.\n\n" if path in EXITS else ""
        verb.epilog = f"Example: {EXAMPLES[path]}\n\n{status}{EPILOG if path != 'eval' else ''}"
    for parameter in verb.params:
        if parameter.name == "jurisdiction":
            parameter.callback = _codes
        if parameter.param_type_name == "argument":
            parameter.display_type_rich = _no_type
        else:
            short = [SHORT[name] for name in parameter.opts if name in SHORT]
            parameter.opts += [name for name in short if name not in parameter.opts]
    return verb


def _codes(ctx: Any, parameter: Any, value: str | list[str] | None) -> str | list[str] | None:
    """A jurisdiction that was given by its name, `Massachusetts` or `D.C.`, as its code."""
    if not value:
        return value
    from rag.jurisdictions.places import codes_named

    return codes_named(value.strip()) if isinstance(value, str) else [codes_named(one.strip()) for one in value]


def _no_type(ctx: Any) -> str:
    """What help says of an argument's type, in place of typer's `<str>`."""
    return ""


def no_such_verb(typed: str, names: Sequence[str], group: str = "") -> InputError:
    """The error for a verb that a group or the program has not, with those that are spelled like it, else with all."""
    from difflib import get_close_matches

    if near := get_close_matches(typed, names):
        told = f"Did you mean {' or '.join(near)}? `lexscope {f'{group} ' * bool(group)}--help` lists all."
    else:
        told = f"The verbs{f' of {group}' * bool(group)} are {', '.join(names)}."
        told += "" if group else " A question goes in quotes after its verb."
    return InputError(f"There is no such verb. {told}")


def verb_group(verbs: typer.Typer, name: str, summary: str) -> typer.Typer:
    """A group of verbs under a name, added to the verbs of its module."""
    group = typer.Typer(cls=Verbs, no_args_is_help=True, rich_markup_mode=None, help=summary)
    verbs.add_typer(group, name=name)
    return group


@dataclass(slots=True)
class Session:
    """The global options of one call, and what comes of them."""

    database_url: str | None = None
    data_dir: Path | None = None
    debug: bool = False
    json: bool = False

    def settings(self, **given: object) -> Settings:
        """The settings that the options and the environment come to.

        Raises:
            ConfigurationError: one cannot be used.
        """
        from rag.settings import load_settings

        return load_settings(database_url=self.database_url, data_dir=self.data_dir, **given)

    @contextmanager
    def engine(self, **given: object) -> Generator[Engine]:
        """An open engine; `given` are settings that hold whatever the environment says.

        Raises:
            ConfigurationError: a setting cannot be used.
            StoreError: the store cannot be reached, or its schema is another version's.
        """
        with engine_class().open(self.settings(**given)) as engine:
            yield engine

    def asked(self, function: Callable[[Engine], _T]) -> _T:
        """What a function gets from the store, in one call that is ended at its deadline.

        Raises:
            CallTimeout: it took longer.
        """
        from rag.calls import Call

        with self.engine() as engine:
            return Call(engine.settings.call_seconds).run(lambda: function(engine))

    @contextmanager
    def database(self) -> Generator[Database]:
        """An open store, for what needs neither model nor embedder; it reads what it writes, from no standby."""
        with self.engine() as engine:
            yield engine.database.on_primary()

    def show(self, record: BaseModel, lines: Callable[[Page], None], status: int = 0) -> int:
        """Write a result to stdout: as one JSON document where that was asked for, as lines for people otherwise.

        Returns:
            The exit status, as given.
        """
        if self.json:
            from rag.telemetry.review.unseen import json_escape_unseen

            sys.stdout.write(json_escape_unseen(record.model_dump_json(indent=2)) + "\n")
        else:
            from rag.presentation.page import Page

            folder = f" --data-dir {shlex.quote(str(self.data_dir))}" if self.data_dir is not None else ""
            lines(Page(sys.stdout, program() + folder))
        sys.stdout.flush()
        return status


def program() -> str:
    """How this program is called from the folder it was started in: by its name where the path leads to it."""
    called = Path(sys.argv[0]).absolute()
    if called.name != "lexscope":
        return f"{shlex.quote(sys.executable)} -m rag.cli"
    found = shutil.which("lexscope")
    if found is not None and Path(found).resolve() == called.resolve():
        return "lexscope"
    return shlex.quote(str(called.relative_to(Path.cwd()) if called.is_relative_to(Path.cwd()) else called))


def engine_class() -> type[Engine]:
    """The engine's class, loaded when it is first asked for.

    What loading makes stays for the life of the process: the collector is kept from walking it, meanwhile, later, and
    once more when Python ends, which is a tenth of the time of a short verb.
    """
    if "rag.engine" not in sys.modules:
        gc.disable()
        try:
            import_module("rag.engine")
            gc.freeze()
        finally:
            gc.enable()
    from rag.engine import Engine

    return Engine


def session(context: typer.Context) -> Session:
    """The session of a call."""
    found = context.find_object(Session)
    return found if found is not None else Session()


def hoisted(arguments: Sequence[str]) -> list[str]:
    """The arguments with the global options moved to the front, so that they may follow the verb as well.

    Nothing after `--` is moved. An option whose value is missing stays at the end, where it is reported.
    """
    front: list[str] = []
    rest: list[str] = []
    waiting = list(arguments)
    while waiting:
        one = waiting.pop(0)
        if one == "--":
            rest += [one, *waiting]
            break
        name, equals, _ = one.partition("=")
        takes_value = GLOBAL_OPTIONS.get(name)
        if takes_value is None or (equals and not takes_value):
            rest.append(one)
        elif takes_value and not equals and waiting:
            front += [one, waiting.pop(0)]
        else:
            front.append(one)
    return front + rest


def one_of(name: str, value: str, allowed: Sequence[str]) -> str:
    """A value from a closed list.

    Raises:
        InputError: lists what is allowed and does not repeat the value.
    """
    if value not in allowed:
        raise InputError(f"{name} is one of {', '.join(allowed)}.")
    return value


def question_text(argument: str) -> str:
    """The question that an argument stands for: itself, or stdin where it is `-`.

    Raises:
        InputError: stdin is not UTF-8, or too long.
    """
    return argument if argument != "-" else read_stdin("Type the scenario; end with Ctrl-D on a line of its own.")


def read_stdin(prompt: str) -> str:
    """The text on standard input, its byte order mark left out.

    Args:
        prompt: what to tell at a terminal.

    Raises:
        InputError: it is not UTF-8, or too long.
    """
    if sys.stdin is None or sys.stdin.closed:  # pyright: ignore[reportUnnecessaryComparison] - None after `<&-`
        raise InputError("There is nothing on standard input.")
    if sys.stdin.isatty():
        tell(prompt)
    data = sys.stdin.buffer.read(MAX_STDIN_BYTES + 1)
    if len(data) > MAX_STDIN_BYTES:
        raise InputError(f"Standard input has more than {MAX_STDIN_BYTES:,} bytes. Give it in parts.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"Standard input is not UTF-8 text (byte {error.start + 1}).") from None


def tell(message: str) -> None:
    """One line on stderr: progress, notes, errors. What a terminal could obey is escaped."""
    from rag.presentation.page import visible

    text = visible(" ".join(message.split())).encode("ascii", "backslashreplace").decode()
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


@contextmanager
def progress() -> Generator[Callable[[Progress], None]]:
    """Something to call with the progress: a bar where stderr is a terminal, else a line for each source."""
    from rag.presentation.page import pace

    if not sys.stderr.isatty():

        def line(state: Progress) -> None:
            if not state.step:
                tell(f"{state.done}/{state.total} {state.label}{pace(state)}")

        yield line
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    from rag.presentation.page import visible

    told = TextColumn("{task.description}", markup=False)
    columns = (SpinnerColumn("line"), BarColumn(24), MofNCompleteColumn(), TimeElapsedColumn(), told)
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def advance(one: Progress) -> None:
            words = f"{one.step}: {one.label}" if one.step else one.label
            bar.update(task, total=one.total, completed=one.done, description=visible(f"{words}{pace(one)}"))

        yield advance


def fail(message: str) -> None:
    """One line on stderr that says what went wrong and what to do."""
    tell(f"lexscope: {message}")


def quiet_logging(*, debug: bool) -> None:
    """Keep libraries' log records off stderr: they can hold addresses and words of a request. Ours hold neither."""
    root = logging.getLogger()
    if not root.handlers:
        root.addHandler(logging.NullHandler())
    handler = logging.StreamHandler() if debug else logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
    for name in ("rag", "retrieval"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.DEBUG if debug else logging.NOTSET)
        # In place of what an earlier run in this process left: its stderr may be closed by now.
        logger.handlers[:] = [handler]


class LastResort:
    """Turns an exception that nobody expected into one line that holds its type and nothing of what it says.

    As the outermost `with` of the program; it then ends the process with status 1.
    """

    def __init__(self, *, debug: bool) -> None:
        self.debug = debug

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None or not isinstance(error, Exception):
            return
        faults = [
            note for raised in _chain(error) for note in getattr(raised, "__notes__", ()) if isinstance(note, Fault)
        ]
        if self.debug:
            # Frames only: an exception's message, and those it came from, can repeat a scenario.
            for raised in _chain(error):
                sys.stderr.writelines(traceback.format_tb(raised.__traceback__))
                tell(f"raised {type(raised).__name__}")
            for fault in faults:
                tell(f"{fault}: {fault.own}" if fault.own else fault)
        more = "" if self.debug else "; run with --debug for a traceback"
        where = f" at {'; '.join(faults)}" if faults else ""
        fail(f"internal error ({type(error).__name__}){where}{more}")
        raise SystemExit(1) from None


def _chain(error: BaseException) -> list[BaseException]:
    """An exception after those it came from."""
    found: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in found:
        found.append(current)
        current = current.__cause__ or current.__context__
    return found[::-1]


def server_folder(settings: Settings) -> Path:
    """Where the embedded server keeps its data."""
    return settings.data_dir.expanduser().absolute() / "pg18"


def tag_pairs(given: list[str]) -> dict[str, str]:
    """Options of the form KEY=VALUE.

    Raises:
        InputError: one has another form, or a key stands twice.
    """
    pairs: dict[str, str] = {}
    for option in given:
        key, equals, value = option.partition("=")
        if not equals or not key or not value or key in pairs:
            raise InputError("--tag has the form KEY=VALUE, each key once.")
        pairs[key] = value
    return pairs


def check_dump_file(file: Path) -> None:
    """Refuse a dump file before any work is done for it.

    Raises:
        InputError: its suffix names no format, or its folder does not exist.
    """
    from rag.telemetry.review.dump import FORMATS

    if file.suffix.lower() not in FORMATS:
        raise InputError(f"A dump's file name ends in {', '.join(FORMATS)}; this one does not.")
    if not file.parent.is_dir():
        raise InputError("The folder of the dump's file does not exist. Make it, or name a file in another one.")
