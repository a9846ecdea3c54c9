"""A small real HTTP server that speaks enough of OpenAI's API for the real client, and misbehaves on request.

    with FakeOpenAI(answer=lambda request: draft_of()) as server:
        server.script(Fault(status=429, headers={"Retry-After": "0"}))  # the first request only
        model = OpenAIModel("key", "model", server.base_url)

`POST /v1/responses` and `POST /v1/chat/completions` run `answer(request_json)` and send what it returns as the output
text, as server-sent events where the request asks for a stream; `offers` says which of them there are, and which forms
of a reply are known. `GET` sends what `pages` has for a path. `POST /v1/embeddings` sends hashed bag-of-words vectors
of the requested dimension, which are deterministic and put texts with common words near each other. Scripted faults are
used up one a request, in order.
"""

from __future__ import annotations

import array
import base64
import hashlib
import json
import math
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import urlsplit

Answer = Callable[[dict[str, Any]], dict[str, Any] | str]

_REQUEST_ID = "req_fake_1"
EVERYTHING = ("responses", "chat", "json_schema", "json_object")


@dataclass(frozen=True)
class Fault:
    """What happens to one request instead of the plain good reply.

    Attributes:
        status: the HTTP status.
        headers: sent besides the usual ones; an empty value leaves a usual one out.
        body: sent as it is (bytes) or as JSON; None is the default behaviour's reply.
        edit: changes the default behaviour's JSON before it is sent.
        delay: seconds before anything is sent.
        drip: seconds between single bytes; 0 sends all at once.
        drip_headers: whether the headers drip too.
        cut_at: bytes of the body after which the connection is closed, the length announced being the whole.
        endless: repeat the body until the client goes away.
    """

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | dict[str, Any] | None = None
    edit: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    delay: float = 0.0
    drip: float = 0.0
    drip_headers: bool = False
    cut_at: int | None = None
    endless: bool = False


@dataclass(frozen=True)
class RecordedRequest:
    """One request as it came in; header names are lower case."""

    path: str
    headers: dict[str, str]
    json: dict[str, Any]


def api_error(status: int, code: str | None = None, message: str = "no", **headers: str) -> Fault:
    """An error status with OpenAI's error body; header names take `_` for `-`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Fault(status=status, headers=named, body={"error": {"message": message, "type": "error", "code": code}})


def refusal(text: str = "I cannot help with that.") -> Fault:
    """The model refuses."""
    return Fault(edit=lambda reply: {**reply, "output": [message({"type": "refusal", "refusal": text})]})


def incomplete(reason: str) -> Fault:
    """The reply stops early, for `max_output_tokens` or `content_filter`, with a first part of the answer."""

    def edit(reply: dict[str, Any]) -> dict[str, Any]:
        return {**reply, "status": "incomplete", "incomplete_details": {"reason": reason}}

    return Fault(edit=edit)


def ended(reason: str, **said: Any) -> Fault:
    """A chat completion ends for this reason, with other members of its message."""

    def edit(reply: dict[str, Any]) -> dict[str, Any]:
        message = {**reply["choices"][0]["message"], **said}
        return {**reply, "choices": [{"index": 0, "message": message, "finish_reason": reason}]}

    return Fault(edit=edit)


def commentary(text: str = "I will look at the context first.") -> Fault:
    """A message of commentary comes before the answer."""

    def edit(reply: dict[str, Any]) -> dict[str, Any]:
        return {**reply, "output": [message(output_text(text), phase="commentary"), *reply["output"]]}

    return Fault(edit=edit)


def message(*parts: dict[str, Any], phase: str | None = None) -> dict[str, Any]:
    """An output message."""
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": list(parts)}
    return item if phase is None else {**item, "phase": phase}


def output_text(text: str) -> dict[str, Any]:
    """A content part of output text."""
    return {"type": "output_text", "text": text, "annotations": []}


def bag_of_words(text: str, dimensions: int) -> list[float]:
    """A unit vector: each word adds one, with a sign, at a place that its hash gives."""
    vector = [0.0] * dimensions
    for word in re.findall(r"\w+", text.casefold()):
        digest = hashlib.sha256(word.encode()).digest()
        vector[int.from_bytes(digest[:8], "big") % dimensions] += 1.0 if digest[8] % 2 else -1.0
    length = math.sqrt(sum(number * number for number in vector))
    if length == 0.0:
        return [1.0, *vector[1:]]
    return [number / length for number in vector]


def draft_of(*claims: dict[str, Any], unanswered: Iterable[str] = ()) -> dict[str, Any]:
    """A draft as the schema wants it: statements of law with these texts and citations, `s1`, `s2`, ... in order."""
    empty: dict[str, Any] = {"rests_on": [], "facts": [], "computations": []}
    statements = [{"id": f"s{at}", "kind": "law", **one, **empty} for at, one in enumerate(claims, start=1)]
    return {
        "statements": statements,
        "short_answer": {"text": "", "rests_on": []},
        "unanswered": list(unanswered),
    }


def _nothing(request: dict[str, Any]) -> dict[str, Any]:
    return draft_of()


class FakeOpenAI:
    """The server; a context manager. Everything it started has ended when the block is left.

    Raises:
        BaseException: on leaving the block, the first exception that a scripted callable raised.
    """

    def __init__(self, answer: Answer = _nothing, *, offers: tuple[str, ...] = EVERYTHING, missing: int = 404) -> None:
        self.answer = answer
        self.offers = offers
        self.missing = missing  # the status for a call that is not offered
        self.pages: dict[str, Any] = {}
        self.requests: list[RecordedRequest] = []
        self._faults: list[Fault] = []
        self._errors: list[BaseException] = []
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        # Threads are joined on closing only where they are not daemons.
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        if self._errors and kind is None:
            raise self._errors[0]

    @property
    def base_url(self) -> str:
        """The address for a client, with `/v1`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def calls(self) -> int:
        """How many requests came in."""
        return len(self.requests)

    def script(self, *faults: Fault) -> Self:
        """Add faults for the next requests."""
        with self._lock:
            self._faults.extend(faults)
        return self

    def _handler(fake) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            timeout = 10  # a client that sends half a request must not keep the server open

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                with fake._lock:
                    fake.requests.append(RecordedRequest(self.path, headers, body))
                    fault = fake._faults.pop(0) if fake._faults else Fault()
                try:
                    status, payload = fake._payload(self.path, body, fault)
                except Exception as error:
                    fake._errors.append(error)
                    status, payload = 500, b"{}"
                try:
                    for piece in fake._pieces(status, payload, fault):
                        self.wfile.write(piece)
                        self.wfile.flush()
                except ConnectionError:
                    self.close_connection = True  # the client went away, which is what some faults are for

            def do_GET(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                fake.requests.append(RecordedRequest(self.path, headers, {}))
                page = fake.pages.get(urlsplit(self.path).path)
                status, payload = (404, b"{}") if page is None else (200, json.dumps(page).encode())
                for piece in fake._pieces(status, payload, Fault()):
                    self.wfile.write(piece)

            def log_message(self, format: str, *args: object) -> None:
                """Nothing: test output is for failures."""

        return Handler

    def _payload(self, path: str, request: dict[str, Any], fault: Fault) -> tuple[int, bytes]:
        if isinstance(fault.body, bytes):
            return fault.status, fault.body
        if fault.body is not None:
            return fault.status, json.dumps(fault.body).encode()
        # A proxy is asked for the whole address.
        local = urlsplit(path).path
        if local == "/v1/responses" and "responses" in self.offers:
            reply = self._response(request)
        elif local == "/v1/chat/completions" and "chat" in self.offers:
            form = request.get("response_format", {}).get("type")
            if form is not None and form not in self.offers:
                return 400, json.dumps({"error": "'response_format.type' is not known"}).encode()
            reply = self._completion(request)
        elif local == "/v1/embeddings":
            reply = _embeddings(request)
        else:
            return self.missing, b'{"error": {"message": "no such path", "code": null}}'
        reply = fault.edit(reply) if fault.edit else reply
        if request.get("stream") and fault.status == 200:
            return fault.status, _events(reply) if local == "/v1/responses" else _chat_events(reply)
        # Escaped, so that a lone surrogate in an answer travels as a server may send it.
        return fault.status, json.dumps(reply).encode()

    def _response(self, request: dict[str, Any]) -> dict[str, Any]:
        answer = self.answer(request)
        text = answer if isinstance(answer, str) else json.dumps(answer)
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 0,
            "status": "completed",
            "error": None,
            "incomplete_details": None,
            "model": request["model"],
            "output": [{"type": "reasoning", "id": "rs_1", "summary": []}, message(output_text(text))],
            "usage": {
                "input_tokens": 7,
                "input_tokens_details": {"cached_tokens": 2},
                "output_tokens": 5,
                "output_tokens_details": {"reasoning_tokens": 3},
                "total_tokens": 12,
            },
        }

    def _completion(self, request: dict[str, Any]) -> dict[str, Any]:
        answer = self.answer(request)
        text = answer if isinstance(answer, str) else json.dumps(answer)
        said = {"role": "assistant", "content": text, "refusal": None}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": request["model"],
            "choices": [{"index": 0, "message": said, "finish_reason": "stop", "logprobs": None}],
            "usage": {
                "prompt_tokens": 7,
                "prompt_tokens_details": {"cached_tokens": 2},
                "completion_tokens": 5,
                "completion_tokens_details": {"reasoning_tokens": 3},
                "total_tokens": 12,
            },
        }

    def _pieces(self, status: int, payload: bytes, fault: Fault) -> Iterator[bytes]:
        """The reply's bytes in the pieces and at the pace of the fault."""
        self._stopping.wait(fault.delay)
        usual = {
            "Content-Type": "application/json",
            "Content-Length": str(len(payload)),
            "x-request-id": _REQUEST_ID,
            "Connection": "close",
        }
        if fault.endless:
            del usual["Content-Length"]
        headers = {name: value for name, value in {**usual, **fault.headers}.items() if value}
        lines = [f"HTTP/1.1 {status} Scripted", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        head = "\r\n".join(lines).encode("latin-1")
        body = payload if fault.cut_at is None else payload[: fault.cut_at]
        yield from self._paced(head, fault.drip if fault.drip_headers else 0.0)
        yield from self._paced(body, fault.drip)
        while fault.endless and not self._stopping.is_set():
            yield from self._paced(body, fault.drip)

    def _paced(self, data: bytes, pause: float) -> Iterator[bytes]:
        if pause == 0.0:
            yield data
            return
        for position in range(len(data)):
            if self._stopping.wait(pause):
                return
            yield data[position : position + 1]


def _events(reply: dict[str, Any]) -> bytes:
    """The reply as server-sent events: its text in pieces, then the whole of it."""
    said = json.dumps(reply.get("output"))
    events: list[dict[str, Any]] = [{"type": "response.created"}]
    pieces = [said[at : at + 20] for at in range(0, len(said), 20)]
    events += [{"type": "response.output_text.delta", "delta": piece} for piece in pieces]
    last = {"completed": "completed", "incomplete": "incomplete"}.get(str(reply.get("status")), "failed")
    events.append({"type": f"response.{last}", "response": reply})
    return b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)


def _chat_events(reply: dict[str, Any]) -> bytes:
    """The completion as server-sent events: its text in pieces, the reason of its end, its usage."""
    events: list[dict[str, Any]] = []
    for choice in reply.get("choices", []):
        for name in ("content", "refusal"):
            said = choice["message"].get(name) or ""
            events += [{"index": 0, "delta": {name: said[at : at + 20]}} for at in range(0, len(said), 20)]
        events.append({"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]})
    chunks = [{"object": "chat.completion.chunk", "choices": [event]} for event in events]
    chunks.append({"object": "chat.completion.chunk", "choices": [], "usage": reply.get("usage")})
    if reply.get("error"):
        chunks = [{"error": reply["error"]}]
    return b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks) + b"data: [DONE]\n\n"


def _embeddings(request: dict[str, Any]) -> dict[str, Any]:
    inputs = [request["input"]] if isinstance(request["input"], str) else request["input"]
    vectors = [bag_of_words(text, request.get("dimensions", 1536)) for text in inputs]
    as_base64 = request.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": index, "embedding": _base64(vector) if as_base64 else vector}
        for index, vector in enumerate(vectors)
    ]
    tokens = sum(len(text.split()) for text in inputs)
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": request["model"], "usage": usage}


def _base64(vector: list[float]) -> str:
    numbers = array.array("f", vector)
    if sys.byteorder == "big":
        numbers.byteswap()
    return base64.b64encode(numbers.tobytes()).decode()
