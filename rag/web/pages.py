"""The local web view: ask, read, browse, review and compare two dates in a browser on this machine.

It serves one reader on loopback. The address that is told at the start holds a key made for this run; a browser keeps
it as a cookie, and without it nothing is shown. A scenario travels in the body of a request, never in an address. The
pages have no script and load nothing.
"""

from __future__ import annotations

import hmac
import io
import logging
import re
import socket
from collections.abc import Callable
from datetime import timedelta
from http.cookies import CookieError, SimpleCookie
from importlib.resources import files
from urllib.parse import parse_qs, urlencode

import anyio.to_thread
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from rag import clock
from rag.documents.reading import read_document
from rag.engine import Engine
from rag.mcp.guard import LOOPBACK_NAMES, Access
from rag.mcp.http import serve
from rag.presentation.diff import show_diff
from rag.presentation.listing import show_document
from rag.presentation.page import Page
from rag.telemetry.review.html import mark_unseen, render_html
from rag.telemetry.store import stored_trace
from retrieval.entry_points.sources import stored_sources
from retrieval.errors import InputError, LexscopeError

logger = logging.getLogger(__name__)

COOKIE = "lexscope_key"
MAX_FORM = 200_000  # bytes of a form's body; a question has 20,000 characters at most
HEADERS = {
    "Cache-Control": "no-store",
    # Nothing leaves for another host. Not `no-referrer`: with it browsers send `Origin: null` with our own forms.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
_REVIEW_POLICY = "frame-ancestors 'none'"  # a dump has a stricter one of its own

# Options as messages name them, alone or beside the parameter of the tools, and what the forms call them.
_OPTION = re.compile(r"(--[a-z-]+)(?:, `[a-z_]+`)?")
_FIELDS = {
    "--at-date": "Law as of", "--from": "From", "--to": "To",
    "--jurisdiction": "Jurisdiction", "--language": "Language",
}  # fmt: skip

Fields = dict[str, str]


def run_web(engine: Engine, key: str, bound: socket.socket, ready: Callable[[str], None]) -> None:
    """Serve the web view until a signal says to stop; takes over the process's logging.

    Args:
        engine: the open engine; the caller closes it.
        key: what a browser has to bring.
        bound: a socket bound to loopback; closed in the end.
        ready: called with the address to open, its key included, once requests are taken.
    """
    port = bound.getsockname()[1]
    serve(web_app(engine, key), bound, lambda: ready(f"http://127.0.0.1:{port}/?key={key}"))


def web_app(engine: Engine, key: str) -> ASGIApp:
    """The ASGI application: the pages, behind the check of the key, the Host and the Origin."""
    desk = _Desk(engine)
    routes = [
        Route("/", _page(desk.start)),
        Route("/ask", _page(desk.ask), methods=["POST"]),
        Route("/read", _page(desk.read)),
        Route("/browse", _page(desk.browse)),
        Route("/compare", _page(desk.compare)),
        Route("/review", _page(desk.review)),
    ]
    pages = Starlette(routes=routes, exception_handlers={404: _no_page, 405: _no_page})
    return _Door(pages, Access(key, LOOPBACK_NAMES, frozenset(), loopback=True))


class _Door:
    """Lets in who brings the key, to a server that is called by a name of this machine."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            refused = self._answer(Request(scope))
            if refused is not None:
                await refused(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _answer(self, request: Request) -> Response | None:
        """The answer to a request that is not let in, or that brings the key for the first time."""
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if not self.access.admits_host(host):
            return _refused(421, "The Host header does not name this machine.")
        # A page of another port on this machine is another page, though a browser sends our cookie along with it.
        if origin is not None and origin.lower() != f"http://{host.lower()}":
            return _refused(403, "Another web page may not use this server.")
        if request.method not in ("GET", "POST"):
            return _refused(405, "Pages are read with GET; the form is sent with POST.")
        given = request.query_params.get("key")
        if given is not None and self._is_key(given):
            reply = RedirectResponse("/", status_code=303, headers=HEADERS)
            reply.set_cookie(COOKIE, given, httponly=True, samesite="strict")
            return reply
        if not self._is_key(_cookie(request.headers.get("cookie", ""))):
            return _refused(401, "Open the address that `lexscope serve` printed when it started; it holds the key.")
        return None

    def _is_key(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self.access.token.encode())


def _cookie(header: str) -> str:
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""


async def _no_page(_request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    return _refused(status, "There is no such page. The start page, /, has a form for each.")


def _refused(status: int, message: str) -> Response:
    return HTMLResponse(_rendered("Not served", message=message), status_code=status, headers=HEADERS)


# --- pages -----------------------------------------------------------------------------------------------------------


class _Desk:
    """What the pages show; each method takes the fields of a form and gives HTML and whether it is a review."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def start(self, fields: Fields) -> tuple[str, bool]:
        today = clock.today()
        with self.engine.database.read() as conn:
            law = sorted({source.jurisdiction for source in stored_sources(conn)})
        dates = {"today": today.isoformat(), "before": (today - timedelta(days=365)).isoformat()}
        return _rendered("Lexscope", law=", ".join(law), **dates), False

    def ask(self, fields: Fields) -> tuple[str, bool]:
        _, trace = self.engine.traced_ask(
            fields.get("question", ""), jurisdiction=fields.get("jurisdiction"), language=fields.get("language"),
            at_date=fields.get("at_date"),
        )  # fmt: skip
        return render_html(trace), True

    def read(self, fields: Fields) -> tuple[str, bool]:
        found = read_document(
            self.engine, fields.get("reference", ""), at_date=fields.get("at_date"), blocks=fields.get("blocks"),
            language=fields.get("language"),
        )  # fmt: skip
        onward = {**fields, "blocks": found.next_blocks} if found.next_blocks else {}
        shown = found.model_copy(update={"next_blocks": None})  # a link here, and no option
        text = _plain(lambda page: show_document(page, shown))
        return _rendered("Read", text=text, onward=_address("/read", onward)), False

    def browse(self, fields: Fields) -> tuple[str, bool]:
        offset = fields.get("offset", "0")
        if not (offset.isascii() and offset.isdigit() and len(offset) < 9):
            raise InputError("`offset` is a number from 0.")
        found = self.engine.browse_structure(
            language=fields.get("language"), jurisdiction=fields.get("jurisdiction"), root_id=fields.get("root"),
            at_date=fields.get("at_date"), depth=1 if fields.get("root") else 0, provisions=True, limit=100,
            offset=int(offset),
        )  # fmt: skip
        onward = {**fields, "offset": str(found.next_offset)} if found.next_offset is not None else {}
        return _rendered("Browse", tree=found, onward=_address("/browse", onward)), False

    def compare(self, fields: Fields) -> tuple[str, bool]:
        found = self.engine.diff(fields.get("reference", ""), fields.get("from", ""), fields.get("to", ""))
        return _rendered("Compare", text=_plain(lambda page: show_diff(page, found))), False

    def review(self, fields: Fields) -> tuple[str, bool]:
        return render_html(stored_trace(self.engine.database, fields.get("trace", "last"))), True


def _page(show: Callable[[Fields], tuple[str, bool]]) -> Callable[[Request], object]:
    """The endpoint of a page: its fields from the address or the body, what cannot be done as a page of its own."""

    async def endpoint(request: Request) -> Response:
        fields = dict(request.query_params)
        if request.method == "POST":
            body = bytearray()
            async for part in request.stream():
                body += part
                if len(body) > MAX_FORM:
                    return _refused(413, f"The form has more than {MAX_FORM} bytes.")
            fields = {name: values[-1] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}
        given = {name: text.strip() for name, text in fields.items() if text.strip()}
        try:
            html, review = await anyio.to_thread.run_sync(show, given)
        except LexscopeError as error:
            status = 400 if isinstance(error, InputError) else 503 if error.retryable else 500
            return _refused(status, _in_page_words(error.message))
        policy = _REVIEW_POLICY if review else _POLICY
        return HTMLResponse(html, headers={**HEADERS, "Content-Security-Policy": policy})

    return endpoint


def _address(path: str, fields: Fields) -> str:
    """The address of a page with its fields; empty where there are none."""
    return f"{path}?{urlencode(fields)}" if fields else ""


def _in_page_words(message: str) -> str:
    """A message that names options of the command line, with the names that the forms have for them."""
    return _OPTION.sub(lambda found: _FIELDS.get(found[1], found[0]), message)


def _plain(write: Callable[[Page], None]) -> str:
    """What the command line would show."""
    out = io.StringIO()
    write(Page(out))
    return out.getvalue()


def _finalize(value: object) -> object:
    return mark_unseen(value) if isinstance(value, str) and not isinstance(value, Markup) else value


_ENVIRONMENT = Environment(
    loader=PackageLoader("rag", "templates"), autoescape=True, undefined=StrictUndefined, finalize=_finalize,
    trim_blocks=True, lstrip_blocks=True,
)  # fmt: skip
_EMPTY: dict[str, object] = {
    "message": "", "text": "", "tree": None, "today": "", "before": "", "onward": "", "law": "",
}  # fmt: skip


def _rendered(title: str, **more: object) -> str:
    css = (files("rag") / "templates" / "dump.css").read_text(encoding="utf-8")
    style = Markup(css)  # noqa: S704 - a file of this package, not data
    return _ENVIRONMENT.get_template("web.html.j2").render({**_EMPTY, **more, "title": title, "css": style})
