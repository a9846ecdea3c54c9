"""What the verbs about records and about the server report, as `--json` gives it."""

from __future__ import annotations

from datetime import date, datetime

from pydantic import Field

from rag.store.proposals import Proposal
from rag.store.reference_data import NewSynonym
from rag.telemetry.quality.model import QualityRecord
from retrieval.context.overrides import Override, Preemption
from retrieval.model import Record


class InitReport(Record):
    """What `init` did: where the store is, the migrations applied now, and the schema's version after them.

    Where our role may not create what is missing, `administrator` has the statements that someone who may runs in the
    store's database, and nothing was applied.
    """

    store: str
    applied: list[str]
    version: int
    administrator: list[str] = Field(default_factory=list[str])
    notes: list[str] = Field(default_factory=list[str])


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


class Proposals(Record):
    """Overrides that decisions suggest, in the order of what they are about."""

    proposals: list[Proposal]


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


class ServerReport(Record):
    """How the embedded server of a data folder is; where it does not run, only its folder is told."""

    running: bool
    data: str
    pid: int | None = None
    since: datetime | None = None  # UTC
    used: bool = False  # by a process, connected or not
    clients: list[int]  # processes with a connection
    idle_seconds: float | None = None  # how long it stays after its last client
    idle_left: float | None = None  # seconds until it ends; None while it is used, and where nothing ends it


class ServerStopped(Record):
    """What `server stop` did: whether a server ran."""

    stopped: bool
    data: str
