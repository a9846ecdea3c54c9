"""Lexscope: scoped-context legal RAG. `Engine` is the door; `Settings` says where the store is."""

from importlib.metadata import version

from rag.engine import Engine
from rag.settings import Settings
from retrieval.errors import LexscopeError

__version__ = version("lexscope")
__all__ = ["Engine", "LexscopeError", "Settings", "__version__"]
