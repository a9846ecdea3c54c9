"""Regular expressions that are compiled at their first use: importing a grammar must not cost what reading does."""

from __future__ import annotations

import re
from typing import Any, cast


class _Lazy:
    """Stands for a compiled pattern. Its methods are those of the compiled one, taken over at the first use."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._given = flags

    def __getattr__(self, name: str) -> Any:  # asked only for what the instance lacks: before the first use
        compiled = re.compile(self.pattern, self._given)
        for method in ("match", "search", "fullmatch", "finditer", "findall", "sub", "groupindex", "flags"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`, but an error in the pattern shows at the first use, as does the time to compile it."""
    return cast("re.Pattern[str]", _Lazy(pattern, flags))
