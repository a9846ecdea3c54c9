"""One tree of failures. Expected outcomes (refused, ambiguous, not found, halted) are values, never exceptions.

LexscopeError
├── ConfigurationError   a setting is missing or wrong; names the setting
├── InputError           what the caller passed cannot be used; names the field
│   ├── EmptyStore       nothing can be asked of a store without law
│   └── NotInStore       the store has no law of the place that is named
├── StoreError           the database answered with a failure
│   ├── StoreUnavailable the database cannot be reached; retryable
│   │   └── StoreBusy    more is asked at once than is served at once; retryable
│   └── SchemaMismatch   the store's schema is older or newer than this program
├── CallTimeout          a call took longer than it may
├── IngestError          a source file cannot be read as law; names file, line and cause
├── FetchError           a file of an official source cannot be had
│   └── Interrupted      a request for it failed in a way that may pass; retryable
└── ProviderError        embedding, reranking or language model failed; names the provider
    ├── ProviderTimeout  no complete answer within the deadline
    └── ProviderRejected the provider refused the request (key, quota, schema) or sent an unusable reply
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class LexscopeError(Exception):
    """Lexscope could not do what was asked."""

    code = "failed"
    exit_code = 1
    retryable = False

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or type(self).__doc__ or self.code)

    @property
    def message(self) -> str:
        """The sentence for the reader: what, where and what to do. Never holds a scenario's text."""
        return str(self.args[0])


class ConfigurationError(LexscopeError):
    """A setting is missing or wrong."""

    code = "configuration"
    exit_code = 2


class InputError(LexscopeError):
    """The request cannot be used as it is."""

    code = "bad_input"
    exit_code = 2


class EmptyStore(InputError):
    """The store holds no law yet. Run `lexscope ingest` with a file or folder."""

    code = "empty_store"


class NotInStore(InputError):
    """The store has no law of the jurisdiction that is named."""

    code = "not_in_store"

    def __init__(self, wanted: Sequence[str], present: Iterable[str], *, excluded: bool = False) -> None:
        held = sorted(present)
        wider = [name for name in held if any(code.startswith(f"{name}-") for code in wanted)]
        holds = f" The law of {', '.join(wider)} holds there too and can be searched." if wider and not excluded else ""
        near = [] if excluded else [name for name in held if name.rpartition("-")[2] in wanted]
        meant = f" Did you mean {' or '.join(near)}?" if near else ""
        named = f"{'any but ' if excluded else ''}{', '.join(wanted)}"
        super().__init__(f"The store has no law of jurisdiction {named}; it has {', '.join(held)}.{meant}{holds}")


class StoreError(LexscopeError):
    """The database answered with a failure."""

    code = "store"


class StoreUnavailable(StoreError):
    """The database cannot be reached."""

    code = "store_unavailable"
    retryable = True


class StoreBusy(StoreUnavailable):
    """Calls hold all connections to the database (LEXSCOPE_POOL_SIZE) and give none back. Try again."""

    code = "busy"


class SchemaMismatch(StoreError):
    """The store's schema does not fit this version of Lexscope."""

    code = "schema_mismatch"


class CallTimeout(LexscopeError):
    """A call took longer than it may, and was ended."""

    code = "deadline"


class IngestError(LexscopeError):
    """A source file cannot be read as law."""

    code = "ingest"

    def __init__(self, cause: str, *, file: str = "", line: int | None = None) -> None:
        self.file, self.line, self.cause = file, line, cause
        place = f"{file}:{line}" if line is not None else file
        super().__init__(f"{place}: {cause}" if place else cause)


class FetchError(LexscopeError):
    """A file of an official source cannot be had."""

    code = "fetch"


class Interrupted(FetchError):
    """A request failed in a way that may pass; `after` are the seconds the server asks to wait, where it does."""

    retryable = True

    def __init__(self, cause: str, *, after: float | None = None) -> None:
        self.after = after
        super().__init__(cause)


class ProviderError(LexscopeError):
    """A model provider failed."""

    code = "provider"
    retryable = True

    def __init__(self, provider: str, cause: str, *, request_id: str | None = None) -> None:
        self.provider, self.cause, self.request_id = provider, cause, request_id
        super().__init__(f"{provider}: {cause}")


class ProviderTimeout(ProviderError):
    """The provider sent no complete answer within the deadline."""

    code = "provider_timeout"


class ProviderRejected(ProviderError):
    """The provider refused the request or sent an unusable reply."""

    code = "provider_rejected"
    retryable = False
