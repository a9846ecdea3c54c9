"""Lexscope: scoped-context legal RAG. `Engine` is the door; `Settings` says where the store is."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag.engine import Engine
    from rag.settings import Settings
    from retrieval.errors import LexscopeError

    __version__: str

__all__ = ["Engine", "LexscopeError", "Settings", "__version__"]

_HOMES = {"Engine": "rag.engine", "Settings": "rag.settings", "LexscopeError": "retrieval.errors"}


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    """Load what is asked for when it is: the command line's help must not wait for the engine."""
    if name == "__version__":
        from importlib.metadata import version  # reads the packages that are installed

        return version("lexscope")
    if name not in _HOMES:
        raise AttributeError(f"module 'rag' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
