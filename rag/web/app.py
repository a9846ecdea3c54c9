"""The web application on this machine: who is let in, which page answers, and what stands around every reply.

It serves one reader on loopback. The address that is told at the start holds a key made for this run; a browser keeps
it as a cookie, and without it nothing is shown. What a user asks travels in the body of a request, never in an address.
All pages work without script; the one there is copies citations and knows a few keys.
"""

from __future__ import annotations

import hmac
import logging
import re
import socket
from collections.abc import Callable
from functools import cache
from http.cookies import CookieError, SimpleCookie
from importlib.resources import files

import anyio.to_thread
from starlette.applications import Starlette
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from rag.engine import Engine
from rag.mcp.guard import LOOPBACK_NAMES, Access
from rag.mcp.http import serve
from rag.telemetry.review.html import style
from rag.web.pages import STYLES, Pages, rendered
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
    "Content-Security-Policy": (
        f"default-src 'none'; style-src '{style(*STYLES)[1]}'; script-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
}

# Options as messages name them, alone or beside the parameter of the tools, and what the forms call them.
_OPTION = re.compile(r"(--[a-z-]+)(?:, `[a-z_]+`)?")
_FIELDS = {
    "--at-date": "Law as of", "--from": "From", "--to": "To",
    "--jurisdiction": "Jurisdiction", "--language": "Language",
}  # fmt: skip


def run_web(engine: Engine, key: str, bound: socket.socket, ready: Callable[[str], None]) -> None:
    """Serve the application until a signal says to stop; takes over the process's logging.

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
    pages = Pages(engine)
    routes = [
        Route("/", _page(pages.start)),
        Route("/search", _page(pages.search), methods=["POST"]),
        Route("/ask", _page(pages.ask), methods=["POST"]),
        Route("/read", _page(pages.read)),
        Route("/browse", _page(pages.browse)),
        Route("/compare", _page(pages.compare)),
        Route("/traces", _page(pages.traces)),
        Route("/trace", _page(pages.trace)),
        Route("/verdict", _page(pages.verdict), methods=["POST"]),
        Route("/export", _page(pages.export)),
        Route("/page.js", _script),
    ]
    app = Starlette(routes=routes, exception_handlers={404: _no_page, 405: _no_page})
    return _Door(app, Access(key, LOOPBACK_NAMES, frozenset(), loopback=True))


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
            return _refused(405, "Pages are read with GET; forms are sent with POST.")
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
    return _refused(status, "There is no such page. The start page, /, leads to each.")


def _refused(status: int, message: str) -> Response:
    html = rendered("web_message.html.j2", title="Not served", message=message)
    return HTMLResponse(html, status_code=status, headers=HEADERS)


async def _script(_request: Request) -> Response:
    return Response(_script_text(), media_type="text/javascript", headers=HEADERS)


@cache
def _script_text() -> str:
    return (files("rag") / "templates" / "page.js").read_text(encoding="utf-8")


def _page(show: Callable[[QueryParams], str | Response]) -> Callable[[Request], object]:
    """The endpoint of a page: its fields from the address or the body, what cannot be done as a page of its own."""

    async def endpoint(request: Request) -> Response:
        fields = request.query_params
        if request.method == "POST":
            body = bytearray()
            async for part in request.stream():
                body += part
                if len(body) > MAX_FORM:
                    return _refused(413, f"The form has more than {MAX_FORM} bytes.")
            fields = QueryParams(body.decode("utf-8", "replace"))
        given = QueryParams([(name, text.strip()) for name, text in fields.multi_items() if text.strip()])
        try:
            shown = await anyio.to_thread.run_sync(show, given)
        except LexscopeError as error:
            status = 400 if isinstance(error, InputError) else 503 if error.retryable else 500
            return _refused(status, _in_page_words(error.message))
        if isinstance(shown, Response):
            shown.headers.update(HEADERS)
            return shown
        return HTMLResponse(shown, headers=HEADERS)

    return endpoint


def _in_page_words(message: str) -> str:
    """A message that names options of the command line, with the names that the forms have for them."""
    return _OPTION.sub(lambda found: _FIELDS.get(found[1], found[0]), message)
