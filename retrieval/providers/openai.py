"""Calls to a provider: one deadline, one retry, and the one place where an OpenAI-compatible one's errors become ours.

A vendor's exception holds the request, the reply's text or both, so none leaves this module, neither as a message
nor as the cause of ours: failures are raised after the handler has ended.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Generic, TypeVar, cast
from urllib.parse import urlsplit

from retrieval.errors import ConfigurationError, InputError, ProviderError, ProviderRejected, ProviderTimeout
from retrieval.providers.deadline import Deadline
from retrieval.strict_json import JsonRefused, parse_json

if TYPE_CHECKING:
    from openai import OpenAI, OpenAIError

    from retrieval.providers.transport import Wire

DEFAULT_BASE_URL = "https://api.openai.com/v1"
MAX_RETRY_AFTER_SECONDS = 20.0

# Causes are a closed set: they reach readers, logs and telemetry.
KEY_REFUSED = "the key was not accepted (HTTP {status})"
NOT_FOUND = "the model or address does not exist (HTTP 404)"
QUOTA = "the quota is used up"
RATE_LIMIT = "too many requests (HTTP 429)"
UNAVAILABLE = "unavailable (HTTP {status})"
INVALID_REQUEST = "the request was refused as invalid (HTTP {status})"
NOT_OFFERED = "the address does not offer this call (HTTP {status})"
UNEXPECTED_STATUS = "unexpected status (HTTP {status})"
FILTERED = "the content filter stopped the request"
FAILED = "the provider reports a failure of its own"
NO_TIME = "no complete answer within the deadline"
TOO_LARGE = "the reply exceeds the size limit"
ENCODED = "the reply is compressed, which was not asked for"
UNUSABLE = "the reply is unusable: {reason}"
UNREACHABLE = {
    "resolve": "its host name could not be resolved",
    "connect": "no connection could be made",
    "tls": "no trusted TLS connection could be made",
    "talk": "the connection broke off",
}

_FILTER_CODES = frozenset(
    {
        "content_filter",
        "content_policy_violation",
        "invalid_prompt",
        "bio_policy",
        "misalignment_policy_violation",
    }
)
_QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_TRANSIENT_CODES = frozenset({"server_error", "rate_limit_exceeded"})
_RETRIED_STATUSES = frozenset({408, 409, 429})
_INVALID_STATUSES = frozenset({400, 413, 415, 422})
_NOT_OFFERED_STATUSES = frozenset({405, 501})
# What a request without a key is sent with: the SDK adds keys, names and headers that it finds in the environment.
_WITHOUT_KEY = frozenset({"host", "accept", "accept-encoding", "content-type", "content-length", "connection"})
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}\Z")
_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]+)?\Z")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reply:
    """A complete reply with a success status. `request_id` is the provider's, where it has the form of one."""

    body: bytes
    request_id: str | None


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """An attempt that gave its result."""

    value: T


@dataclass(frozen=True, slots=True)
class Failure:
    """An attempt that failed, whether another one may help, and the seconds that the provider asks to wait."""

    error: ProviderError
    retry: bool
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class OpenAIEndpoint:
    """Where an OpenAI-compatible API is reached, with which key, and how patiently. Holds no connection.

    Args:
        api_key: sent as a bearer token; never part of a message or a repr. None sends none, nor anything else that the
            environment holds for OpenAI itself.
        base_url: up to and including `/v1`.
        connect_seconds: the most that one attempt spends on getting connected.
        backoff_seconds: the pause before the retry where the provider names none; up to half of it is added at random.

    Raises:
        ConfigurationError: the key or the address cannot be used; the message quotes neither.
    """

    api_key: str | None = field(repr=False)
    base_url: str = DEFAULT_BASE_URL
    provider: str = "openai"
    connect_seconds: float = 10.0
    backoff_seconds: float = 0.5

    def __post_init__(self) -> None:
        check_access(self.api_key, self.base_url)

    def call(self, send: Callable[[OpenAI], Reply], read: Callable[[Reply], T], *, seconds: float, max_bytes: int) -> T:
        """Send a request, read its reply, and try once more where that may help.

        Args:
            send: makes the request with the client it is given.
            read: turns the reply into the result; a retryable `ProviderError` of it counts as a failed attempt.
            seconds: the deadline of everything, pause and retry included.
            max_bytes: the largest reply that is received.

        Raises:
            ProviderTimeout: no complete reply within the deadline.
            ProviderRejected: refused, or the reply is unusable; asking again would not help.
            ProviderError: unreachable or unavailable, also at the second attempt.
            ConfigurationError: the system's proxy settings cannot be used.
        """

        def attempt(deadline: Deadline) -> Done[T] | Failure:
            return self._attempt(send, read, deadline, max_bytes)

        return try_twice(attempt, seconds=seconds, backoff_seconds=self.backoff_seconds)

    def _attempt(
        self, send: Callable[[OpenAI], Reply], read: Callable[[Reply], T], deadline: Deadline, max_bytes: int
    ) -> Done[T] | Failure:
        # The SDK takes most of a second to import and is needed with a key only.
        import httpx2
        import openai

        from retrieval.providers.transport import Wire, WireTransport

        wire = Wire(deadline, max_bytes, self.connect_seconds)
        try:
            with (
                httpx2.Client(
                    transport=WireTransport(wire, self.base_url, None if self.api_key else _WITHOUT_KEY),
                    headers={"Accept-Encoding": "identity"},
                    follow_redirects=False,
                ) as http,
                openai.OpenAI(
                    api_key=self.api_key or "none",
                    base_url=self.base_url,
                    max_retries=0,
                    timeout=max(deadline.remaining(), 0.001),
                    http_client=http,
                ) as client,
            ):
                reply = send(client)
            return Done(read(reply))
        except openai.OpenAIError as error:
            return self._failure(error, wire)
        except ProviderError as error:
            return Failure(error, retry=error.retryable)

    def _failure(self, error: OpenAIError, wire: Wire) -> Failure:
        """What a vendor's exception means to us. The only reader of vendor exceptions."""
        import openai

        if isinstance(error, openai.APIStatusError) and not (wire.too_large or wire.encoded):
            headers = error.response.headers
            failure = status_error(self.provider, error.status_code, error.code, clean_request_id(error.request_id))
            wait = retry_after(headers.get("retry-after"), headers.get("retry-after-ms"))
            return Failure(failure, retry=failure.retryable, retry_after=wait)
        return wire_failure(self.provider, wire, timed_out=isinstance(error, openai.APITimeoutError))


def try_twice(attempt: Callable[[Deadline], Done[T] | Failure], *, seconds: float, backoff_seconds: float) -> T:
    """The result of an attempt, or of a second one where that may help, all within `seconds`.

    Args:
        attempt: makes one attempt before the deadline that it is given.
        seconds: the deadline of everything, the pause included.
        backoff_seconds: the pause where the provider names none; up to half of it is added at random.

    Raises:
        ProviderError: of the last attempt.
    """
    deadline = Deadline(seconds)
    outcome = attempt(deadline)
    if isinstance(outcome, Failure):
        pause = _pause(outcome, deadline, backoff_seconds)
        if pause is None:
            raise outcome.error
        time.sleep(pause)
        outcome = attempt(deadline)
    if isinstance(outcome, Failure):
        raise outcome.error
    return outcome.value


def wire_failure(provider: str, wire: Wire, *, timed_out: bool) -> Failure:
    """What an attempt that got no usable reply failed of, as its wire shows it."""
    if wire.too_large:
        return Failure(ProviderRejected(provider, TOO_LARGE), retry=False)
    if wire.encoded:
        return Failure(ProviderRejected(provider, ENCODED), retry=False)
    if wire.deadline.passed or (timed_out and wire.stage == "talk"):
        return Failure(ProviderTimeout(provider, NO_TIME), retry=False)
    return Failure(ProviderError(provider, UNREACHABLE[wire.stage]), retry=wire.stage != "tls")


def _pause(failure: Failure, deadline: Deadline, backoff_seconds: float) -> float | None:
    """Seconds to wait before the retry; None where there is none."""
    if not failure.retry:
        return None
    pause = failure.retry_after
    if pause is None:
        pause = backoff_seconds * random.uniform(1.0, 1.5)  # noqa: S311 - spreads clients, keeps no secret
    return None if pause > MAX_RETRY_AFTER_SECONDS or pause >= deadline.remaining() else pause


def check_access(api_key: str | None, base_url: str) -> None:
    """Make sure that a key, or none, and an address can be used.

    Raises:
        ConfigurationError: one cannot; the message quotes neither.
    """
    if api_key is not None and not re.fullmatch(r"[!-~]+", api_key):
        raise ConfigurationError(
            "The provider's API key is not set, or holds characters that no key has. Set OPENAI_API_KEY; `lexscope "
            "doctor` shows which keys are set. Without a provider, nothing needs a key."
        )
    if not _usable_address(base_url):
        raise ConfigurationError(
            "The provider's base URL must be http:// or https:// with a host, and without user, query or fragment."
        )


def status_error(provider: str, status: int, code: str | None, request_id: str | None) -> ProviderError:
    """The failure that an HTTP status and the provider's error code stand for."""
    if code in _FILTER_CODES:
        return ProviderRejected(provider, FILTERED, request_id=request_id)
    if code in _QUOTA_CODES:
        return ProviderRejected(provider, QUOTA, request_id=request_id)
    if status == 429:
        return ProviderError(provider, RATE_LIMIT, request_id=request_id)
    if status in _NOT_OFFERED_STATUSES:
        return ProviderRejected(provider, NOT_OFFERED.format(status=status), request_id=request_id)
    if status >= 500 or status in _RETRIED_STATUSES:
        return ProviderError(provider, UNAVAILABLE.format(status=status), request_id=request_id)
    if status == 404:
        return ProviderRejected(provider, NOT_FOUND, request_id=request_id)
    causes = {401: KEY_REFUSED, 403: KEY_REFUSED, **dict.fromkeys(_INVALID_STATUSES, INVALID_REQUEST)}
    cause = causes.get(status, UNEXPECTED_STATUS).format(status=status)
    return ProviderRejected(provider, cause, request_id=request_id)


def reported_error(provider: str, code: str | None, request_id: str | None) -> ProviderError:
    """The failure that an error object inside a reply with a success status stands for."""
    if code in _FILTER_CODES or code in _QUOTA_CODES:
        return status_error(provider, 400, code, request_id)
    if code in _TRANSIENT_CODES:
        return ProviderError(provider, FAILED, request_id=request_id)
    return ProviderRejected(provider, FAILED, request_id=request_id)


def is_invalid_request(error: ProviderError) -> bool:
    """Whether the provider refused the request for its content or size."""
    return error.cause in {INVALID_REQUEST.format(status=status) for status in _INVALID_STATUSES}


def is_not_offered(error: ProviderError) -> bool:
    """Whether the address knows no such call, or no such model."""
    return error.cause in {NOT_FOUND, *(NOT_OFFERED.format(status=status) for status in _NOT_OFFERED_STATUSES)}


def unusable(provider: str, reason: str, request_id: str | None = None) -> ProviderRejected:
    """The failure of a reply that came in full but cannot be used. `reason` is the caller's own words."""
    return ProviderRejected(provider, UNUSABLE.format(reason=reason), request_id=request_id)


def read_object(provider: str, reply: Reply, max_bytes: int) -> dict[str, object]:
    """A reply's JSON object.

    Raises:
        ProviderRejected: it is not one.
    """
    reason = "not a JSON object"
    try:
        value = parse_json(reply.body, max_bytes=max_bytes)
    except JsonRefused as refused:
        value, reason = None, refused.reason
    if not isinstance(value, dict):
        raise unusable(provider, reason, reply.request_id)
    return cast("dict[str, object]", value)


def retry_after(seconds_or_date: str | None, milliseconds: str | None = None) -> float | None:
    """Seconds that the provider asks to wait; None where it does not say so in a form that can be read."""
    if milliseconds is not None and _SECONDS.match(milliseconds.strip()):
        return float(milliseconds) / 1000
    text = (seconds_or_date or "").strip()
    if _SECONDS.match(text):
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    except (ValueError, OverflowError):
        return None


def clean_request_id(text: str | None) -> str | None:
    """The request id if it has the form of one; a header is the server's to fill, and this goes into logs."""
    return text if text and _REQUEST_ID.match(text) else None


def check_text(text: str, name: str) -> None:
    """Make sure that a text can be sent.

    Raises:
        InputError: it holds a lone surrogate; names the field, not the text.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        sendable = False
    else:
        sendable = True
    if not sendable:
        raise InputError(f"The {name} holds a character that is half of one (a lone surrogate).")


def _usable_address(url: str) -> bool:
    if not re.fullmatch(r"[!-~]+", url):
        return False
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    plain = not (parts.username or parts.password or parts.query or parts.fragment)
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and port != 0 and plain
