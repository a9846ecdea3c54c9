"""What other packages register by entry points: loaded here, so that each is refused in the same words."""

from __future__ import annotations

import traceback
from importlib.metadata import EntryPoint
from pathlib import Path

from retrieval.errors import ConfigurationError


def load_registered(point: EntryPoint, kind: str) -> object:
    """What an entry point names.

    Args:
        point: of another package.
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
