"""A provider of drafts, vectors and rankings that repeats what it is sent wherever a reply has room for it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIMENSIONS = 8
Reply = tuple[int, bytes, dict[str, str]]
_MAX_ECHO = 4_000


@dataclass
class EchoProvider:
    """The address of the server, without `/v1`, and how it answers from now on: a key of `MODES`."""

    address: str = ""
    mode: str = "echo"
    calls: int = 0


@contextmanager
def echo_provider() -> Generator[EchoProvider]:
    """Serve on loopback until the block is left."""
    provider, stopping = EchoProvider(), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode("utf-8", "replace")
            provider.calls += 1
            if provider.mode == "timeout":
                stopping.wait(5)
            status, body, headers = MODES[provider.mode](self.path, sent)
            try:
                self.send_response(status)
                length = len(body) * 2 if provider.mode == "cut" else len(body)
                for name, value in {
                    "Content-Type": "application/json",
                    "Content-Length": f"{length}",
                    **headers,
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
            except ConnectionError:  # who asked has gone, as after its deadline
                self.close_connection = True
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Keep requests off stderr."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    provider.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread.start()
    try:
        yield provider
    finally:
        stopping.set()
        server.shutdown()
        thread.join()
        server.server_close()


# --- replies ---------------------------------------------------------------------------------------------------------


def _echo(path: str, sent: str) -> Reply:
    """A good reply whose words are those of the request."""
    request: dict[str, Any] = json.loads(sent)
    if path.endswith("/embeddings"):
        texts = [request["input"]] if isinstance(request["input"], str) else request["input"]
        vectors = [[1.0 + len(text) % 7, *([0.5] * (DIMENSIONS - 1))] for text in texts]
        data = [{"object": "embedding", "index": at, "embedding": one} for at, one in enumerate(vectors)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return _ok({"object": "list", "data": data, "model": request["model"], "usage": usage})
    if path.endswith("/rerank"):
        results = [{"index": at, "relevance_score": 0.5} for at in range(len(request["documents"]))]
        return _ok({"id": request["query"], "results": results, "meta": {"warnings": [request["query"]]}})
    statement = request["text"]["format"]["schema"]["properties"]["statements"]["items"]["properties"]
    urn = statement["citations"]["items"]["properties"]["urn"].get("enum", ["urn:lex:us:none"])[0]
    echo = request["input"][-_MAX_ECHO:]
    computation = {"operation": "add", "inputs": [echo], "result": echo}
    law: dict[str, Any] = {"kind": "law", "text": echo, "rests_on": [], "facts": [], "computations": []}
    statements: list[dict[str, Any]] = [
        {**law, "id": "s1", "citations": [{"urn": urn, "quote": echo}]},
        {**law, "id": echo, "citations": []},
        {**law, "id": "s3", "kind": "application", "citations": [], "rests_on": ["s1", echo], "facts": [echo],
         "computations": [computation]},
    ]  # fmt: skip
    draft = {"statements": statements, "short_answer": {"text": echo, "rests_on": ["s1"]}, "unanswered": [echo]}
    return _response({"type": "output_text", "text": json.dumps(draft), "annotations": []})


def _refusal(path: str, sent: str) -> Reply:
    return _response({"type": "refusal", "refusal": sent[-_MAX_ECHO:]})


def _response(part: dict[str, Any]) -> Reply:
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part]}
    return _ok({"id": "r", "object": "response", "created_at": 0, "status": "completed", "error": None,
                "incomplete_details": None, "model": "m", "output": [message], "usage": None})  # fmt: skip


def _ok(body: object) -> Reply:
    return 200, json.dumps(body).encode(), {}


def _failing(status: int) -> Callable[[str, str], Reply]:
    """An error that repeats the request in its message, its code and its headers."""

    def reply(path: str, sent: str) -> Reply:
        echo = sent[-_MAX_ECHO:]
        error = {"message": echo, "type": echo, "code": echo, "param": echo}
        said = "".join(name for name in echo[-200:] if " " <= name <= "~")
        return (
            status,
            json.dumps({"error": error, "message": echo}).encode(),
            {"x-request-id": said, "Retry-After": "0"},
        )

    return reply


def _garbage(path: str, sent: str) -> Reply:
    return 200, f"<html><body>{sent}</body></html>".encode(), {"Content-Type": "text/html"}


def _drifted(path: str, sent: str) -> Reply:
    return _ok({"status": sent, "output": sent, sent[-_MAX_ECHO:]: sent, "data": sent, "results": sent})


MODES: dict[str, Callable[[str, str], Reply]] = {
    "echo": _echo, "refusal": _refusal, "400": _failing(400), "401": _failing(401), "429": _failing(429),
    "500": _failing(500), "garbage": _garbage, "drifted": _drifted, "cut": _garbage, "timeout": _garbage,
}  # fmt: skip
