"""What the verbs that write or list records report, as `--json` gives it."""

from __future__ import annotations

from datetime import date

from rag.store.reference_data import NewSynonym
from rag.telemetry.quality.model import QualityRecord
from retrieval.context.overrides import Override, Preemption
from retrieval.model import Record


class InitReport(Record):
    """What `init` did: where the store is, the migrations applied now, and the schema's version after them."""

    store: str
    applied: list[str]
    version: int


class Recorded(Record):
    """What was written: how many rows, and the number of a single one."""

    recorded: int
    number: int | None = None


class Ended(Record):
    """What was ended, and the first day on which it no longer holds."""

    number: int
    effective_to: date


class Overrides(Record):
    """All recorded overrides, ended ones included."""

    overrides: list[Override]


class Preemptions(Record):
    """All recorded preemptions, ended ones included."""

    preemption: list[Preemption]


class QualityRecords(Record):
    """Stored quality_check records, the newest first; `more` where the limit left some out."""

    records: list[QualityRecord]
    more: bool


class Synonyms(Record):
    """Recorded synonyms; `more` where the limit left some out."""

    synonyms: list[NewSynonym]
    more: bool
