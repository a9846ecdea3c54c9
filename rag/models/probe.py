"""One small test call to a model: which way of asking works, how long it takes, how much the model reads."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rag.models.drafting import Declined, closed_object, read_output
from rag.models.openai import Call, OpenAIModel, Way
from retrieval.errors import ProviderError
from retrieval.providers.openai import Reply, read_object, unusable
from retrieval.strict_json import JsonRefused, member, objects

if TYPE_CHECKING:
    from openai import OpenAI

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
