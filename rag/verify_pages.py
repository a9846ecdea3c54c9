"""Verified texts kept for a while, so that the next page of verdicts does not verify the text again.

The first page is always verified anew; the later ones are of the same verification, and so agree with it. Kept in this
process's memory only, few of them and not for long, by the digest of the text and of what it was verified under.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from datetime import date
from typing import Protocol

from rag import requests
from rag.verify_model import VerifyResult

MOST_TEXTS = 8
MOST_CHARACTERS = 4_000_000  # of all texts together; their verdicts take a few times as much
KEEP_SECONDS = 900.0


class Verifies(Protocol):
    """What verifies a text, such as an `Engine`."""

    def verify(
        self,
        text: str,
        *,
        jurisdiction: str | None = None,
        language: str | None = None,
        at_date: date | str | None = None,
    ) -> VerifyResult:
        """The verdicts on a text."""
        ...


class VerifiedTexts:
    """The last few verified texts of one server. Safe for several threads.

    Args:
        engine: verifies what is not kept.
        now: seconds of a clock that never goes back.
    """

    def __init__(self, engine: Verifies, now: Callable[[], float] = time.monotonic) -> None:
        self._engine = engine
        self._now = now
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[float, int, VerifyResult]] = OrderedDict()

    def verify(
        self,
        text: str,
        *,
        jurisdiction: str | None,
        language: str | None,
        at_date: date | str | None,
        first_page: bool,
    ) -> VerifyResult:
        """The verdicts on a text: of a new verification for the first page, else of the one that is kept, if any.

        Args:
            text: what is verified.
            jurisdiction: what it may rely on, as given.
            language: of its references, as given.
            at_date: as given; today in UTC by default.
            first_page: whether nothing was shown of it yet.

        Raises:
            InputError: what `Engine.verify` refuses.
            StoreError: the store failed.
        """
        day = requests.checked_date(at_date).isoformat()
        said = json.dumps([text, jurisdiction, language, day])
        key = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
        if not first_page and (kept := self._get(key)) is not None:
            return kept
        result = self._engine.verify(text, jurisdiction=jurisdiction, language=language, at_date=at_date)
        self._put(key, len(text), result)
        return result

    def _get(self, key: str) -> VerifyResult | None:
        with self._lock:
            self._drop_old()
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found[2] if found else None

    def _put(self, key: str, size: int, result: VerifyResult) -> None:
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = (self._now(), size, result)
            self._drop_old()
            while len(self._kept) > MOST_TEXTS or sum(one for _, one, _ in self._kept.values()) > MOST_CHARACTERS:
                self._kept.popitem(last=False)

    def _drop_old(self) -> None:
        """Forget what nobody asked the next page of: memory is not held for a client that went away."""
        oldest = self._now() - KEEP_SECONDS
        for key in [key for key, (since, _, _) in self._kept.items() if since < oldest]:
            del self._kept[key]
