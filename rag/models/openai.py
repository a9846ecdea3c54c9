"""A model behind OpenAI's API or a compatible one: the Responses API, or chat completions where there are only those.

Servers differ in which of the two they have and in whether they hold a reply to a JSON schema, and say so, if at all,
by refusing a request. Where nothing else is set, the ways of asking are tried in turn, once, until one gives a reply
of the schema; that one is kept. One small test call tells which it is, how long it takes, and how much the model reads.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from rag.models.drafting import (
    DEFAULT_DEADLINE_SECONDS,
    MAX_REPLY_BYTES,
    Declined,
    DraftRequest,
    closed_object,
    draft_schema,
    parse_draft,
    read_output,
)
from rag.models.stream import final_reply, listener, wrapped_chunks
from rag.verification.draft import Draft
from retrieval.errors import ProviderError, ProviderRejected
from retrieval.providers.deadline import Deadline
from retrieval.providers.openai import (
    DEFAULT_BASE_URL,
    FAILED,
    FILTERED,
    UNUSABLE,
    OpenAIEndpoint,
    Reply,
    check_text,
    clean_request_id,
    is_invalid_request,
    is_not_offered,
    read_object,
    reported_error,
    unusable,
)
from retrieval.strict_json import JsonRefused, member, objects

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types.chat.completion_create_params import ResponseFormat
    from openai.types.responses import ResponseFormatTextJSONSchemaConfigParam


Api = Literal["auto", "responses", "chat"]
T = TypeVar("T")

_TRUNCATED, _INCOMPLETE = "truncated", "incomplete"
_CUT = frozenset(UNUSABLE.format(reason=reason) for reason in (_TRUNCATED, _INCOMPLETE))
_IN_WORDS = "Reply with one JSON document of this JSON schema, and with nothing else:\n"


@dataclass(frozen=True, slots=True)
class Way:
    """A way of asking.

    Attributes:
        api: which call.
        form: `json_schema`: the server holds the reply to the schema; `json_object`: it holds the reply to JSON, and
            the instructions tell the schema; `words`: the instructions alone do.
    """

    api: Literal["responses", "chat"]
    form: Literal["json_schema", "json_object", "words"]

    def __str__(self) -> str:
        api = {"responses": "the Responses API", "chat": "chat completions"}[self.api]
        form = {
            "json_schema": "a strict JSON schema",
            "json_object": "JSON objects, the schema told in words",
            "words": "the schema told in words",
        }[self.form]
        return f"{api} with {form}"


_CHAT = (Way("chat", "json_schema"), Way("chat", "json_object"), Way("chat", "words"))
_RESPONSES = (Way("responses", "json_schema"),)
_WAYS: dict[Api, tuple[Way, ...]] = {"responses": _RESPONSES, "chat": _CHAT, "auto": _RESPONSES + _CHAT}


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One question to a model.

    Attributes:
        instructions: the fixed rules, sent apart from the data.
        input: the data.
        name: of the schema.
        schema: the strict JSON schema of the reply.
        read: turns the output text into the result; raises `ProviderRejected` where it is not of the schema.
        seconds: the deadline of everything, retry included.
        followed: whether whoever listens is told how much has come.
    """

    instructions: str
    input: str
    name: str
    schema: dict[str, object]
    read: Callable[[str], T]
    seconds: float = DEFAULT_DEADLINE_SECONDS
    followed: bool = False


@dataclass(frozen=True, slots=True)
class Completed(Generic[T]):
    """A reply that was read. `usage` counts tokens by kind; a kind that the provider does not count is absent."""

    value: T
    usage: dict[str, int]
    request_id: str | None


class OpenAIModel:
    """A model behind OpenAI's API or a compatible one. Holds no connection; safe to share by threads.

    Args:
        api_key: sent as a bearer token; never part of a message or a repr. None sends none.
        model: its name; pin a dated one where results are to be compared.
        base_url: up to and including `/v1`; None is OpenAI's own.
        api: which calls the server has; `auto` finds out at the first question, OpenAI's own needs no finding out.
        provider: the name for results and traces.
        max_output_tokens: a limit on what the model writes, its reasoning included; None leaves it to the provider.
        connect_seconds: the most that one attempt spends on getting connected.
        backoff_seconds: the pause before the retry where the provider names none.

    Raises:
        ConfigurationError: the key or the address cannot be used.
    """

    def __init__(
        self,
        api_key: str | None,
        model: str,
        base_url: str | None = None,
        *,
        api: Api = "responses",
        provider: str = "openai",
        max_output_tokens: int | None = None,
        connect_seconds: float = 10.0,
        backoff_seconds: float = 0.5,
    ) -> None:
        self.model = model
        self.max_output_tokens = max_output_tokens
        self._own = base_url in (None, DEFAULT_BASE_URL)
        self._ways = _RESPONSES if self._own and api == "auto" else _WAYS[api]
        self.endpoint = OpenAIEndpoint(
            api_key,
            base_url or DEFAULT_BASE_URL,
            provider,
            connect_seconds=connect_seconds,
            backoff_seconds=backoff_seconds,
        )
        self.way: Way | None = self._ways[0] if len(self._ways) == 1 else None  # None until it is found out
        self.passed: dict[Way, str] = {}  # ways that did not work before it, and why

    @property
    def provider(self) -> str:
        """The provider's name."""
        return self.endpoint.provider

    def draft(self, request: DraftRequest) -> Draft | Declined:
        """Draft an answer to one question.

        Raises:
            InputError: an empty allow-list, a deadline that is not positive, or a text that cannot be sent.
            ProviderTimeout: no complete reply within the deadline.
            ProviderRejected: the request was refused, or the reply is truncated, empty or unusable.
            ProviderError: unreachable or unavailable.
        """

        def read(text: str) -> Draft:
            return parse_draft(text, provider=self.provider)

        schema = draft_schema(request.allowed_urns)
        done = self.complete(
            Call(request.instructions, request.input, "draft", schema, read, request.deadline_seconds, followed=True)
        )
        if isinstance(done, Declined):
            return done
        return replace(done.value, usage=done.usage)

    def complete(self, call: Call[T]) -> Completed[T] | Declined:
        """Ask for one reply of a schema.

        Raises:
            InputError: a deadline that is not positive, or a text that cannot be sent.
            ProviderTimeout: no complete reply within the deadline.
            ProviderRejected: the request was refused, or the reply is truncated, empty or not of the schema.
            ProviderError: unreachable or unavailable.
        """
        check_text(call.instructions, "instructions")
        check_text(call.input, "input")
        deadline = Deadline(call.seconds)
        ways = self._ways if self.way is None else (self.way,)
        failures: list[ProviderRejected] = []
        for way in ways:
            failure: ProviderRejected
            try:
                # What is left may be nothing: then the endpoint says that no time was left.
                done = self._ask(call, way, max(deadline.remaining(), 0.001))
            except ProviderRejected as rejected:
                failure = rejected
            else:
                self.passed = self.passed or {one: each.cause for one, each in zip(ways, failures, strict=False)}
                self.way = way
                return done
            failures.append(failure)
            if not _is_of_the_way(way, failure):
                break
        # That an address has no such call says less than what another way of asking was refused for.
        raise next((failure for failure in reversed(failures) if not is_not_offered(failure)), failures[-1])

    def _ask(self, call: Call[T], way: Way, seconds: float) -> Completed[T] | Declined:
        def send(client: OpenAI) -> Reply:
            return self._responses(client, call) if way.api == "responses" else self._chat(client, call, way)

        def read(reply: Reply) -> Completed[T] | Declined:
            envelope = read_object(self.provider, reply, MAX_REPLY_BYTES)
            error = envelope.get("error")
            if error is not None or envelope.get("status") == "failed":
                raise reported_error(self.provider, _text(member(error, "code")), reply.request_id)
            said = (self._said if way.api == "responses" else self._chatted)(envelope, reply.request_id)
            if isinstance(said, Declined):
                return said
            if not said.strip():
                raise unusable(self.provider, "empty", reply.request_id)
            try:
                value = call.read(said)
            except ProviderRejected as rejected:
                failure = ProviderRejected(rejected.provider, rejected.cause, request_id=reply.request_id)
            else:
                return Completed(value, _usage(envelope.get("usage")), reply.request_id)
            raise failure

        try:
            return self.endpoint.call(send, read, seconds=seconds, max_bytes=MAX_REPLY_BYTES)
        except ProviderRejected as rejected:
            if rejected.cause != FILTERED:
                raise
            return Declined("content_filter", rejected.request_id)

    def _responses(self, client: OpenAI, call: Call[T]) -> Reply:
        from openai import omit

        form: ResponseFormatTextJSONSchemaConfigParam = {
            "type": "json_schema", "name": call.name, "strict": True, "schema": call.schema
        }  # fmt: skip
        limit = omit if self.max_output_tokens is None else self.max_output_tokens
        count = listener() if call.followed else None
        if count is None:
            raw = client.responses.with_raw_response.create(
                model=self.model, instructions=call.instructions, input=call.input, text={"format": form},
                max_output_tokens=limit, store=False,
            )  # fmt: skip
            return Reply(raw.content, clean_request_id(raw.request_id))
        with client.responses.with_streaming_response.create(
            model=self.model, instructions=call.instructions, input=call.input, text={"format": form},
            max_output_tokens=limit, store=False, stream=True,
        ) as streamed:  # fmt: skip
            chunks = wrapped_chunks(streamed.iter_bytes(), streamed.http_request)
            body = final_reply(self.provider, chunks, count, max_bytes=MAX_REPLY_BYTES)
            return Reply(body, clean_request_id(streamed.request_id))

    def _chat(self, client: OpenAI, call: Call[T], way: Way) -> Reply:
        from openai import omit

        instructions = call.instructions
        if way.form != "json_schema":
            instructions = f"{instructions}\n\n{_IN_WORDS}{json.dumps(call.schema, ensure_ascii=False)}"
        formats: dict[str, ResponseFormat] = {
            "json_schema": {
                "type": "json_schema",
                "json_schema": {"name": call.name, "strict": True, "schema": call.schema},
            },
            "json_object": {"type": "json_object"},
        }
        form = formats.get(way.form, omit)
        # OpenAI's newer models know only the first of the two limits, other servers often only the second.
        limit = omit if self.max_output_tokens is None else self.max_output_tokens
        own, others = (limit, omit) if self._own else (omit, limit)
        count = listener() if call.followed else None
        if count is None:
            raw = client.chat.completions.with_raw_response.create(
                model=self.model, response_format=form, max_completion_tokens=own, max_tokens=others,
                messages=[{"role": "system", "content": instructions}, {"role": "user", "content": call.input}],
            )  # fmt: skip
            return Reply(raw.content, clean_request_id(raw.request_id))
        with client.chat.completions.with_streaming_response.create(
            model=self.model, response_format=form, max_completion_tokens=own, max_tokens=others,
            messages=[{"role": "system", "content": instructions}, {"role": "user", "content": call.input}],
            stream=True, stream_options={"include_usage": True},
        ) as streamed:  # fmt: skip
            chunks = wrapped_chunks(streamed.iter_bytes(), streamed.http_request)
            body = final_reply(self.provider, chunks, count, max_bytes=MAX_REPLY_BYTES)
            return Reply(body, clean_request_id(streamed.request_id))

    def _said(self, envelope: dict[str, object], request_id: str | None) -> str | Declined:
        """The output text of a reply of the Responses API."""
        status = envelope.get("status")
        if status == "incomplete":
            reason = member(envelope.get("incomplete_details"), "reason")
            if reason == "content_filter":
                return Declined("content_filter", request_id)
            raise unusable(self.provider, _TRUNCATED if reason == "max_output_tokens" else _INCOMPLETE, request_id)
        if status != "completed":
            raise unusable(self.provider, "without a final status", request_id)
        parts = _answer_parts(envelope.get("output"))
        if any(part.get("type") == "refusal" for part in parts):
            return Declined("refusal", request_id)
        return "".join(_text(part.get("text")) or "" for part in parts if part.get("type") == "output_text")

    def _chatted(self, envelope: dict[str, object], request_id: str | None) -> str | Declined:
        """The output text of a chat completion; what a server calls thinking is not part of it."""
        choice = next(iter(objects(envelope.get("choices"))), None)
        if choice is None:
            raise unusable(self.provider, "without a final status", request_id)
        reason, message = choice.get("finish_reason"), choice.get("message")
        if reason == "content_filter":
            return Declined("content_filter", request_id)
        if _text(member(message, "refusal")):
            return Declined("refusal", request_id)
        if reason == "length":
            raise unusable(self.provider, _TRUNCATED, request_id)
        content = member(message, "content")
        # Other reasons than `stop` are the server's own; that a document is whole shows when it is read.
        return _text(content) or "".join(_text(part.get("text")) or "" for part in objects(content))


def _is_of_the_way(way: Way, failure: ProviderRejected) -> bool:
    """Whether another way of asking may help: the server does not know this one, or takes it and ignores the schema."""
    if is_invalid_request(failure):
        return True
    if way.api == "responses" and (is_not_offered(failure) or failure.cause == FAILED):
        return True
    unread = failure.cause.startswith(UNUSABLE.format(reason="")) and failure.cause not in _CUT
    return unread and way.form == "json_schema"


def _answer_parts(output: object) -> list[dict[str, object]]:
    """The content parts of the messages that are the answer; a model's commentary on its work is none."""
    messages = [
        item
        for item in objects(output)
        if item.get("type") == "message" and item.get("phase") in (None, "final_answer")
    ]
    return [part for message in messages for part in objects(message.get("content"))]


# Token counts: our name, then the names that the Responses API and chat completions have for it.
_COUNTS = (
    ("input_tokens", (("input_tokens",), ("prompt_tokens",))),
    ("output_tokens", (("output_tokens",), ("completion_tokens",))),
    ("cached_tokens", (("input_tokens_details", "cached_tokens"), ("prompt_tokens_details", "cached_tokens"))),
    (
        "reasoning_tokens",
        (("output_tokens_details", "reasoning_tokens"), ("completion_tokens_details", "reasoning_tokens")),
    ),
)


def _usage(usage: object) -> dict[str, int]:
    """Token counts by kind; a kind that the provider does not count is absent."""
    found: dict[str, int] = {}
    for kind, places in _COUNTS:
        for place in places:
            count = usage
            for name in place:
                count = member(count, name)
            if type(count) is int and count >= 0:
                found.setdefault(kind, count)
    return found


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


_INSTRUCTIONS = "This is a test of the connection. Reply with one JSON document of the given schema only."
_INPUT = "Say that you can be reached."
# A word that is in the schema alone: a reply that holds it was held to the schema, or was told it.
_WORD = "lexscope-7f3a"
_SCHEMA = closed_object({"word": {"type": "string", "enum": [_WORD]}})
_NAME = re.compile(r"[\w./:@+-]{1,80}", re.ASCII)
_MAX_LIST_BYTES = 4 * 1024 * 1024
# Where servers tell how many tokens a model reads, the loaded size before what the model could have.
_LIMITS = (
    ("loaded_context_length",), ("context_length",), ("max_model_len",), ("meta", "n_ctx"), ("context_window",),
    ("max_context_length",), ("meta", "n_ctx_train"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Probed:
    """What a test call found.

    Attributes:
        way: how the model was asked in the end; None where it declined before one was found.
        passed: the ways that did not work before it, and why.
        seconds: of the test call, finding out included.
        usage: tokens by kind, as the provider counts them.
        context_tokens: how much the model reads; None where the server does not say so.
        declined: the kind of refusal, where the model would not answer.
    """

    way: Way | None
    passed: dict[Way, str]
    seconds: float
    usage: dict[str, int] = field(default_factory=dict[str, int])
    context_tokens: int | None = None
    declined: str = ""


def probe(model: OpenAIModel, *, seconds: float, limits_path: str = "") -> Probed:
    """Ask a model one small question.

    Args:
        model: new, so that the way of asking is found out.
        seconds: the deadline of everything.
        limits_path: a path of the server, beside the usual `/v1/models`, that tells how much its models read.

    Raises:
        ProviderError: no usable reply came; its subclasses say why.
    """

    def read(text: str) -> str:
        reason = "not of the schema"
        try:
            value = read_output(text)
        except JsonRefused as refused:
            value, reason = None, refused.reason
        if member(value, "word") != _WORD:
            raise unusable(model.provider, reason)
        return _WORD

    started = time.monotonic()
    done = model.complete(Call(_INSTRUCTIONS, _INPUT, "test", _SCHEMA, read, seconds))
    took = time.monotonic() - started
    if isinstance(done, Declined):
        return Probed(model.way, model.passed, took, declined=done.kind)
    context = None
    for listed in _listings(model, max(seconds - took, 1.0), limits_path):
        context = context or _context_tokens(listed, model.model)
    return Probed(model.way, model.passed, took, done.usage, context)


def models_of(model: OpenAIModel, *, seconds: float) -> list[str]:
    """The names of the models that a server tells, of those that have the form of one."""
    names = [entry.get("id") for listed in _listings(model, seconds, "") for entry in listed]
    return [name for name in names if isinstance(name, str) and _NAME.fullmatch(name)]


def _listings(model: OpenAIModel, seconds: float, path: str) -> list[list[dict[str, object]]]:
    """What the server tells of its models; a listing that it does not have is left out."""
    base = model.endpoint.base_url.rstrip("/")
    addresses = [f"{base.removesuffix('/v1')}{path}"] if path else []
    found: list[list[dict[str, object]]] = []
    for address in (*addresses, f"{base}/models"):

        def send(client: OpenAI, address: str = address) -> Reply:
            import httpx2

            return Reply(client.get(address, cast_to=httpx2.Response).content, None)

        def read(reply: Reply) -> list[dict[str, object]]:
            value = read_object(model.provider, reply, _MAX_LIST_BYTES)
            return objects(value.get("data")) or objects(value.get("models"))

        try:
            found.append(model.endpoint.call(send, read, seconds=min(seconds, 10.0), max_bytes=_MAX_LIST_BYTES))
        except ProviderError:
            continue  # not every server has every listing, and none is needed
    return found


def _context_tokens(listed: list[dict[str, object]], name: str) -> int | None:
    for entry in listed:
        names = {entry.get(key) for key in ("id", "model", "name")}
        if not names & {name, f"{name}:latest"}:
            continue
        for place in _LIMITS:
            value: object = entry
            for part in place:
                value = member(value, part)
            if type(value) is int and value > 0:
                return value
    return None
