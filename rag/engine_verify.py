"""The engine's method that verifies any text: the store alone, no model."""

from __future__ import annotations

from datetime import date

from rag.database import Database
from rag.settings import Settings
from rag.verify_deadline import Deadline
from rag.verify_model import VerifyResult


class VerifyMethods:
    """Part of `rag.engine.Engine`."""

    database: Database
    settings: Settings

    def verify(
        self,
        text: str,
        *,
        jurisdiction: str | None = None,
        language: str | None = None,
        at_date: date | str | None = None,
    ) -> VerifyResult:
        """Check the references, quotations and claims of any text; see `rag.verify_text.verify_text`.

        The deadline is that of an answer, the setting `request_seconds`.
        """
        from rag.verify_text import verify_text

        deadline = Deadline(self.settings.request_seconds)
        return verify_text(self, text, jurisdiction=jurisdiction, language=language, at_date=at_date, deadline=deadline)
