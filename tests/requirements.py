"""The promises of the project, and the mark that ties a test to the promise it proves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

REQUIREMENTS = {
    "P1": "The same store, request and date give a byte-identical context and prompt, and every result has its digest.",
    "P2": "Every claim served cites a URN of the context, in force and not overridden, with a quote from its text.",
    "P3": "A quote is judged with the whole sentence and list lead-in it was cut from.",
    "P4": "A rule that is VOID or ENJOINED at the date stops the answer before any model is called.",
    "P5": "Of several definitions of a term, only that of closest scope reaches the prompt; the trace has the rest.",
    "P6": "No or insufficient context gives a typed refusal without a model call; general knowledge fills no gap.",
    "P7": "An unreachable database or provider is never shown as missing law nor as verified.",
    "P8": "Telemetry, logs and error texts hold closed-vocabulary data only; wording is kept only where the user asks.",
    "P9": "Everything but the remote providers works without a key, a network or a server to install.",
    "P10": "Limits are reported as applied, and what is left out is listed and leaves the allow-list with it.",
    "P11": "An answer says what was asked or shows the rules to look at; what the store answers is not refused.",
    "P12": "What is inferred, of unknown date, conflicting or ambiguous is marked as such and never served as certain.",
}

_Test = TypeVar("_Test", bound=Callable[..., object])


def requirement(*ids: str) -> Callable[[_Test], _Test]:
    """Mark a test as proof of promises: `@requirement("P3")`.

    Raises:
        ValueError: no ID, or one that is not a promise.
    """
    unknown = [name for name in ids if name not in REQUIREMENTS]
    if unknown or not ids:
        raise ValueError(f"not a promise: {unknown or 'none named'}")

    def mark(test: _Test) -> _Test:
        return test

    return mark
