"""Regular expressions that are compiled at their first use: importing a grammar must not cost what reading does."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, cast

_METHODS = ("match", "search", "fullmatch", "finditer", "findall", "sub", "subn", "split")


class _Lazy:
    """Stands for a compiled pattern, whose methods it takes over at the first use."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._given = flags

    @cached_property
    def groupindex(self) -> Any:
        return self._compiled().groupindex

    @cached_property
    def flags(self) -> int:
        return self._compiled().flags

    def _compiled(self) -> re.Pattern[str]:
        compiled = re.compile(self.pattern, self._given)
        for name in _METHODS:  # attributes of the instance, which hide those of the class
            setattr(self, name, getattr(compiled, name))
        return compiled


def _first(name: str) -> Any:
    def use(self: _Lazy, *arguments: Any, **named: Any) -> Any:
        return getattr(self._compiled(), name)(*arguments, **named)  # pyright: ignore[reportPrivateUsage]

    return use


for _name in _METHODS:
    setattr(_Lazy, _name, _first(_name))


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`, but an error in the pattern shows at the first use, as does the time to compile it."""
    return cast("re.Pattern[str]", _Lazy(pattern, flags))


def verbose(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As `lazy`, for a pattern of several lines: white space in it counts for nothing, and `#` begins a comment."""
    return lazy(pattern, flags | re.VERBOSE)
