"""The web application: who is let in, which page answers, and what stands around every reply.

On loopback it serves one reader: the address that is told at the start holds a key made for this run. Behind a proxy it
serves whoever has the token, which is typed into a form or brought by the proxy as a bearer. A browser keeps the key or
token as a cookie, and without it nothing is shown. What a user asks travels in the body of a request, never in an
address. All pages work without script; the one there is copies citations and knows a few keys.
"""

from __future__ import annotations

import hmac
import logging
import socket
from collections.abc import Callable
from functools import cache, partial
from http.cookies import CookieError, SimpleCookie
from importlib.resources import files

from starlette.applications import Starlette
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from rag.engine import Engine
from rag.mcp.guard import LOOPBACK_NAMES, Access, is_doubtful, read_body
from rag.mcp.http import serve
from rag.mcp.limited import in_thread
from rag.telemetry.review.html import style
from rag.web.pages import STYLES, Pages, rendered
from retrieval.errors import EmptyStore, InputError, LexscopeError

logger = logging.getLogger(__name__)

COOKIE = "lexscope_key"
FORM_TYPE = "application/x-www-form-urlencoded"
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


def run_web(
    engine: Engine, access: Access, bound: socket.socket, ready: Callable[[str], None], *, read_only: bool = False
) -> None:
    """Serve the application until a signal says to stop; takes over the process's logging.

    Args:
        engine: the open engine; the caller closes it.
        access: who may use it; its token is what a browser has to bring.
        bound: a bound socket; closed in the end.
        ready: called with the address of the start page once requests are taken.
        read_only: whether nothing may be kept, neither traces nor verdicts.
    """
    host, port = bound.getsockname()[:2]
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    serve(web_app(engine, access, read_only=read_only), bound, lambda: ready(address), log=engine.settings.log)


def loopback_access(key: str) -> Access:
    """One reader on this machine, who brings a key."""
    return Access(key, LOOPBACK_NAMES, frozenset(), loopback=True)


def web_app(engine: Engine, access: Access, *, read_only: bool = False) -> ASGIApp:
    """The ASGI application: the pages, behind the check of the token, the Host and the Origin."""
    pages = Pages(engine, read_only=read_only)
    routes = [
        Route("/", _page(pages.start)),
        Route("/search", _page(pages.search, pages.start_again), methods=["POST"]),
        Route("/ask", _page(pages.ask, pages.start_again), methods=["POST"]),
        Route("/read", _page(pages.read)),
        Route("/browse", _page(pages.browse)),
        Route("/compare", _page(pages.compare, pages.compare_again)),
        Route("/traces", _page(pages.traces)),
        Route("/trace", _page(pages.trace)),
        *([] if read_only else [Route("/verdict", _page(pages.verdict), methods=["POST"])]),
        Route("/export", _page(pages.export)),
        Route("/page.js", _script),
    ]
    app = Starlette(routes=routes, exception_handlers={404: _no_page, 405: _no_page, Exception: _failed})
    app.state.engine = engine
    return _Door(app, access)


class _Door:
    """Lets in who brings the token, to a server that is called by one of its names."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            refused = await self._answer(Request(scope, receive))
            if refused is not None:
                await refused(scope, receive, send)
                return
        await self.app(scope, receive, send)

    async def _answer(self, request: Request) -> Response | None:
        """The answer to a request that is not let in, or that brings the token for the first time."""
        headers = request.headers
        host, origin = headers.get("host", ""), headers.get("origin")
        if is_doubtful(headers):
            reply = _refused(400, "A header is there twice or contradicts another. Send each once.")
            reply.headers["Connection"] = "close"  # what follows may be meant as a request of its own
            return reply
        if not self.access.admits_host(host):
            return _refused(421, "The Host header does not name this server.")
        # A page of another port on this machine is another page, though a browser sends our cookie along with it.
        own = {f"http://{host.lower()}"} if self.access.loopback else self.access.origins
        if origin is not None and origin.lower() not in own:
            return _refused(403, "Another web page may not use this server.")
        if request.method not in ("GET", "POST"):
            return _refused(405, "Pages are read with GET; forms are sent with POST.")
        if self._is_key(_cookie(headers.get("cookie", ""))) or self.access.admits_token(
            headers.get("authorization", "")
        ):
            return None
        if self.access.loopback:
            # An address stands in a browser's history, where only the reader of this machine finds it.
            given = request.query_params.get("key", "")
            said = "Open the address that `lexscope serve` printed when it started; it holds the key."
        else:
            form = await _form(request) if request.method == "POST" and request.url.path == "/enter" else QueryParams()
            if isinstance(form, Response):
                return form
            given = form.get("token", "").strip()
            said = "This token is another one." if given else "Enter the token of this server."
        if not self._is_key(given):
            return _refused(401, said, enter=not self.access.loopback)
        reply = RedirectResponse("/", status_code=303, headers=HEADERS)
        secure = not self.access.loopback and all(origin.startswith("https://") for origin in self.access.origins)
        reply.set_cookie(COOKIE, given, httponly=True, samesite="strict", secure=secure)
        return reply

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


_TITLES = {401: "Sign in", 404: "No such page", 400: "This cannot be done", 503: "The store does not answer"}


def _refused(status: int, message: str, *, enter: bool = False, title: str = "") -> Response:
    title = title or _TITLES.get(status, "Not served")
    html = rendered("web_message.html.j2", title=title, message=message, enter=enter, inside=status not in (401, 421))
    return HTMLResponse(html, status_code=status, headers=HEADERS)


async def _form(request: Request) -> QueryParams | Response:
    """The fields of a form, or the answer to one that is not taken."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM_TYPE:
        return _refused(415, f"Send the form as {FORM_TYPE}, as a browser does.")
    body = await read_body(request.receive, MAX_FORM)
    if isinstance(body, int):
        told = {
            413: f"The form has more than {MAX_FORM} bytes.",
            408: "The form did not arrive in time. Send it again.",
        }
        reply = _refused(body, told.get(body, "The form did not arrive."))
        reply.headers["Connection"] = "close"
        return reply
    return QueryParams(body.decode("utf-8", "replace"))


async def _failed(_request: Request, _error: Exception) -> Response:
    return _refused(500, "This failed unexpectedly. It says nothing about the law; the server's log has its place.")


async def _script(_request: Request) -> Response:
    return Response(_script_text(), media_type="text/javascript", headers=HEADERS)


@cache
def _script_text() -> str:
    return (files("rag") / "templates" / "page.js").read_text(encoding="utf-8")


def _page(
    show: Callable[[QueryParams], str | Response], retry: Callable[[QueryParams, str], str] | None = None
) -> Callable[[Request], object]:
    """The endpoint of a page: its fields from the address or the body, what cannot be done as a page of its own.

    Args:
        retry: the page that says why a request cannot be done and has its form again, filled as it was.
    """

    async def endpoint(request: Request) -> Response:
        fields = await _form(request) if request.method == "POST" else request.query_params
        if isinstance(fields, Response):
            return fields
        given = QueryParams([(name, text.strip()) for name, text in fields.multi_items() if text.strip()])
        try:
            shown = await in_thread(
                partial(show, given), request.app.state.engine.settings.call_seconds, request.receive
            )
        except LexscopeError as error:
            status = 400 if isinstance(error, InputError) else 503 if error.retryable else 500
            again = retry(given, error.message) if retry is not None and status == 400 else None
            if again is not None:
                return HTMLResponse(again, status_code=status, headers=HEADERS)
            return _refused(status, error.message, title="No law yet" if isinstance(error, EmptyStore) else "")
        if isinstance(shown, Response):
            shown.headers.update(HEADERS)
            return shown
        return HTMLResponse(shown, headers=HEADERS)

    return endpoint
