"""The verbs that serve, mcp and serve, and eval, which runs the evaluation suites of a source checkout."""

from __future__ import annotations

import secrets
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated

import typer

from rag.cli.session import session, tell
from retrieval.errors import ConfigurationError, InputError

verbs = typer.Typer(rich_markup_mode=None)

DEFAULT_WEB_PORT = 8766

AllowHost = Annotated[
    list[str] | None,
    typer.Option(help="Host name by which clients call the server; may be repeated.", metavar="NAME"),
]
TokenFile = Annotated[
    Path | None,
    typer.Option(help="File with the token, in place of LEXSCOPE_MCP_TOKEN.", metavar="FILE"),
]


@verbs.command()
def mcp(
    ctx: typer.Context,
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP instead of stdin and stdout.")] = False,
    host: Annotated[
        str | None,
        typer.Option(
            help="Address to serve on; others than loopback need all of the below. [127.0.0.1]", metavar="HOST"
        ),
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="Port; 0 takes any free one. [8765]", metavar="N", min=0, max=65535)
    ] = None,
    allow_host: AllowHost = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(help="Origin whose web pages may use it, or `none`; may be repeated.", metavar="ORIGIN"),
    ] = None,
    token_file: TokenFile = None,
) -> int:
    """Serve the store to MCP clients, over stdin and stdout or over HTTP.

    A client that starts the program itself needs no option. --http asks for a bearer token with every call; one is made
    at the first start and kept in the data folder, unless one is given (docs/mcp.md).
    """
    if not http:
        if any(option is not None for option in (host, port, allow_host, allow_origin, token_file)):
            raise InputError("--host, --port, --allow-host, --allow-origin and --token-file go with --http.")
        from rag.mcp.server import run_stdio

        with session(ctx).engine() as engine:
            run_stdio(engine)
        return 0
    from rag.mcp.http import DEFAULT_HOST, DEFAULT_PORT, bound_socket, checked_access, is_loopback, run_http
    from rag.mcp.token import Token, bearer_token

    settings = session(ctx).settings()
    secret = settings.mcp_token.get_secret_value() if settings.mcp_token else None
    address = host or DEFAULT_HOST
    kept = settings.data_dir.expanduser().absolute() / "mcp_token"
    asked = secret is not None or token_file is not None or is_loopback(address)
    # Elsewhere than on loopback no token is made: `checked_access` asks for one.
    token = bearer_token(secret, token_file, kept) if asked else Token("", given=False)
    access = checked_access(address, token.value, given=token.given, hosts=allow_host or (), origins=allow_origin or ())
    bound = bound_socket(address, DEFAULT_PORT if port is None else port)
    if token.made is not None:
        tell(f"bearer token, shown this once and kept in {token.made}: {token.value}")

    def ready(url: str) -> None:
        tell(f"serving MCP at {url}; stop it with an interrupt (Ctrl-C)")

    with bound, session(ctx).engine() as engine:
        run_http(engine, access, bound, ready)
    return 0


@verbs.command()
def serve(
    ctx: typer.Context,
    host: Annotated[
        str,
        typer.Option(help="Address to serve on; others than loopback need a token, names and origins.", metavar="HOST"),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(help="Port; 0 takes any free one.", metavar="N", min=0, max=65535)
    ] = DEFAULT_WEB_PORT,
    allow_host: AllowHost = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(help="Origin of the pages, such as https://law.example.org; may be repeated.", metavar="ORIGIN"),
    ] = None,
    token_file: TokenFile = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Keep nothing: no traces, no verdicts.")] = False,
) -> int:
    """Ask, read, browse, review and compare two dates in a browser, here or behind a proxy.

    It prints the address to open, with a key that is new at every start. With --allow-host it serves a proxy, and
    whoever has the token may use it.
    """
    from rag.mcp.http import bound_socket, checked_access, is_loopback
    from rag.mcp.token import Token, bearer_token
    from rag.web.app import loopback_access, run_web

    here = session(ctx)
    alone = is_loopback(host) and not (allow_host or allow_origin or token_file)
    if alone:
        access = loopback_access(secrets.token_urlsafe(24))
    else:
        settings = here.settings()
        secret = settings.mcp_token.get_secret_value() if settings.mcp_token else None
        given = secret is not None or token_file is not None
        token = bearer_token(secret, token_file, Path()) if given else Token("", given=False)
        # Behind a proxy a server on loopback can be reached from elsewhere: the same is asked of it.
        access = checked_access(
            host, token.value, given=given, hosts=allow_host or (), origins=allow_origin or (), proxied=True
        )
    bound = bound_socket(host, port)

    def ready(url: str) -> None:
        key = f"?key={access.token}" if alone else ""
        tell(f"open {url}{key} ; stop with an interrupt (Ctrl-C)")

    kept = {"traces": "off", "telemetry": "off"} if read_only else {}
    with bound, here.engine(**kept) as engine:
        run_web(engine, access, bound, ready, read_only=read_only)
    return 0


@verbs.command("eval", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def evaluate(ctx: typer.Context) -> int:
    """Run the evaluation suites of a source checkout; what follows goes to `python -m evals`.

    `lexscope eval -- --help` lists the suites and their options.
    """
    here = session(ctx)
    if here.database_url is not None or here.data_dir is not None:
        raise InputError("`eval` takes the store from LEXSCOPE_DATABASE_URL or LEXSCOPE_DATA_DIR, not from an option.")
    # Declared by the project, so that this package names nothing of the suites and is whole without them.
    declared = next(iter(entry_points(group="lexscope.verbs", name="eval")), None)
    try:
        run = declared.load() if declared is not None else None
    except ModuleNotFoundError as error:
        if declared is None or error.name not in (declared.module, declared.module.partition(".")[0]):
            raise
        run = None
    if run is None:
        raise ConfigurationError(
            "The evaluation suites are part of the source, not of the installed package. In a checkout of it, "
            "run `make setup`, then `lexscope eval` or `python -m evals`."
        )
    return int(run([*ctx.args, *(["--json"] if here.json else [])]))
