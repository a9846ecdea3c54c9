"""What other packages register by entry points: loaded here, so that each is refused in the same words."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from retrieval.errors import ConfigurationError


def load_registered(point: EntryPoint, kind: str) -> object:
    """What an entry point names.

    Args:
        kind: what it should be, for the message, such as `language`.

    Raises:
        ConfigurationError: its module cannot be imported, for whatever reason, or lacks the name; with the reason and
            the line of the package.
    """
    try:
        loaded: object = point.load()
    except Exception as error:  # a module of another package may raise anything while it is imported
        package = point.module.split(".")[0]
        lines = [
            f" ({Path(frame.filename).name}, line {frame.lineno})"
            for frame in traceback.extract_tb(error.__traceback__)
            if package in Path(frame.filename).parts or Path(frame.filename).stem == package
        ]
        raise ConfigurationError(
            f"The {kind} {point.name!r} ({point.value}) cannot be loaded: {type(error).__name__}: {str(error)[:300]}"
            f"{lines[-1] if lines else ''}. Correct the package, or uninstall it."
        ) from error
    return loaded


def lacking(offered: object, wanted: type) -> str:
    """What of a protocol an object of another package lacks, in words; empty where it has all of it."""
    if isinstance(offered, type):
        return "it is a class; register an instance of it"
    missing = [name for name in vars(wanted) if not name.startswith("_") and not hasattr(offered, name)]
    return f"it lacks {', '.join(missing)}" if missing else ""


_KINDS = {"lexscope.formats": "format", "lexscope.jurisdictions": "country", "lexscope.languages": "language"}


def foreign_points() -> list[tuple[str, EntryPoint]]:
    """What other packages register, each with its kind: format, country or language. None is loaded."""
    registered = [(kind, point) for group, kind in _KINDS.items() for point in entry_points(group=group)]
    return [(kind, point) for kind, point in registered if not point.module.startswith("rag.")]


class Fault(str):
    """A note of an unexpected exception (`__notes__`): file and package in which it arose, no text that was read.

    Attributes:
        own: what the exception says, where it arose in the code of a registered package; else empty, since it may
            repeat what was read.
    """

    own: str

    def __reduce__(self) -> tuple[Callable[[str, str], Fault], tuple[str, str]]:
        return _fault, (str(self), self.own)


def fault_of(error: Exception, file: str, format_name: str) -> Fault:
    """Where an exception arose that nobody expected: the law's file, and the package whose code was the last to run."""
    last = Path(traceback.extract_tb(error.__traceback__)[-1].filename).with_suffix("")
    inside = [(kind, point) for kind, point in foreign_points() if point.module.split(".")[0] in last.parts]
    exact = [
        (kind, point)
        for kind, point in inside
        if last.parts[-point.module.count(".") - 1 :] == tuple(point.module.split("."))
    ]
    named = ", ".join(f"the {kind} {point.name!r} ({point.value})" for kind, point in exact or inside)
    return _fault(f"{file}, {f'in {named}' if named else f'read as {format_name}'}", str(error)[:300] if named else "")


def _fault(where: str, own: str) -> Fault:
    fault = Fault(where)
    fault.own = own
    return fault
