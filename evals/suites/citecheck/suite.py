"""`verify` on memos as lawyers write them: sound ones must not fail, and a planted error must be found where it stands.

A set is a folder with `key.jsonl`, a line for each memo, and the memos as `ID.txt`:

    {"id": "M1", "jurisdiction": "us-dc", "planted": null}
    {"id": "M2", "jurisdiction": "de", "planted": {"operator": "number", "sentence": "Die Frist beträgt drei Tage."}}

Its law lies in the folder's `law`, which is ingested into a store of its own; without one it is the store of the
settings. Who judges are the judgements given with it; without any, what a judge might add is counted apart.

`right CODE` is how much of what a kind of evidence spoke against was false: on a set that nobody has tuned on, the next
row of the ledger (`rag/verification/ledger.py`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from evals.judgements import RecordedJudge
from evals.rows import REPORTED, Gate, Row, share_row
from evals.scratch import engine_with
from rag.citecheck.model import DOUBT, FAILED, UNCITED, VerifyItem
from rag.engine import Engine
from rag.settings import load_settings
from rag.verification.judging import Judgement, Question
from rag.verification.ledger import CITED
from retrieval.errors import ConfigurationError

SUITE = "citecheck"
KEY = "key.jsonl"
LAW = "law"
SOUND_FAILED = Gate("<=", 0.05)
PLANTED_FOUND = Gate(">=", 0.95)


class Planted(BaseModel):
    """The one wrong sentence of a memo, as it is there, and how it was made wrong."""

    model_config = ConfigDict(frozen=True)

    operator: str
    sentence: str


class Memo(BaseModel):
    """One line of the key."""

    model_config = ConfigDict(frozen=True)

    id: str
    jurisdiction: str | None = None
    planted: Planted | None = None


@dataclass(slots=True)
class Report:
    """Rows, and a line for each sound memo that failed and each planted error that was missed."""

    rows: list[Row] = field(default_factory=list[Row])
    misses: list[str] = field(default_factory=list[str])
    open: list[Question] = field(default_factory=list[Question])  # those without a judgement


def measure(folder: Path, judged: Mapping[str, Judgement] | None = None) -> Report:
    """Verify all memos of a set.

    Args:
        folder: the set.
        judged: judgements by the keys of their questions.

    Raises:
        ConfigurationError: the key or a memo cannot be read, or a planted sentence is not in its memo.
    """
    memos = [(memo, _text(folder, memo)) for memo in _read_key(folder)]
    judge = RecordedJudge(judged or {})
    with _engine(folder) as engine:
        verify = engine.using(judge=judge).verify
        found = [(memo, text, verify(text, jurisdiction=memo.jurisdiction)) for memo, text in memos]
    report = Report(open=judge.asked)
    sound: list[bool] = []
    planted: defaultdict[str, list[tuple[bool, bool]]] = defaultdict(list)
    elsewhere: list[bool] = []
    right: defaultdict[str, list[bool]] = defaultdict(list)
    for memo, text, result in found:
        failed = [item for item in result.items if item.failed]
        false = [*_at(result.items, text, memo.planted.sentence)] if memo.planted is not None else []
        for item in result.items:
            for code in _evidence_of(item):
                right[code].append(item in false)
        if memo.planted is None:
            sound.append(result.exit_code != 0)
            if sound[-1] and not failed:
                report.misses.append(f"{memo.id} sound: nothing in it was supported")
            report.misses += [f"{memo.id} sound: {_told(item)}" for item in failed]
            continue
        hit = any(item.failed for item in false)
        left = any(item.kind == "claim" and (item.is_open or item.is_doubted or _is_uncited(item)) for item in false)
        planted[memo.planted.operator].append((hit, hit or left))
        elsewhere.append(any(item not in false for item in failed))
        report.misses += [f"{memo.id} beside: {_told(item)}" for item in failed if item not in false]
        if not hit:
            report.misses.append(f"{memo.id} {memo.planted.operator} missed: {memo.planted.sentence}")
    name = folder.resolve().name
    every = [pair for list_ in planted.values() for pair in list_]
    counts: list[tuple[str, Sequence[bool], Gate]] = [
        ("sound_failed", sound, SOUND_FAILED),
        ("planted_found", [hit for hit, _ in every], PLANTED_FOUND),
        ("planted_found_or_for_a_judge", [either for _, either in every], REPORTED),
        ("planted_failed_elsewhere_too", elsewhere, REPORTED),
        *((f"found {operator}", [hit for hit, _ in list_], REPORTED) for operator, list_ in sorted(planted.items())),
        *((f"right {code}", list_, REPORTED) for code, list_ in sorted(right.items())),
    ]
    report.rows = [share_row(SUITE, name, metric, sum(hits), len(hits), gate) for metric, hits, gate in counts if hits]
    return report


def _is_uncited(item: VerifyItem) -> bool:
    """Whether a judge is asked about a statement that names no provision."""
    return item.verdict == "UNVERIFIED" and any(reason.startswith(UNCITED) for reason in item.reasons)


def _evidence_of(item: VerifyItem) -> set[str]:
    """The kinds of evidence that speak against an item, for certain or not, whatever a judge then said of it."""
    codes = {reason.partition(":")[0] for reason in item.reasons}
    return codes & CITED.keys() if DOUBT in codes or item.verdict in FAILED else set[str]()


def _told(item: VerifyItem) -> str:
    return f"{item.kind} {item.verdict} {item.text!r}: {' '.join(item.reasons[:1])}"


def _at(items: Sequence[VerifyItem], text: str, sentence: str) -> Iterator[VerifyItem]:
    """The items that overlap a sentence of a text."""
    start = text.index(sentence)
    return (item for item in items if item.start < start + len(sentence) and item.end > start)


def _read_key(folder: Path) -> list[Memo]:
    try:
        lines = (folder / KEY).read_text(encoding="utf-8").splitlines()
        return [Memo.model_validate_json(line) for line in lines if line.strip()]
    except (OSError, ValidationError) as error:
        raise ConfigurationError(f"The key of the memos, {folder / KEY}, cannot be read: {error}.") from error


def _text(folder: Path, memo: Memo) -> str:
    try:
        text = (folder / f"{memo.id}.txt").read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"The memo {memo.id}.txt cannot be read: {error.strerror}.") from error
    if memo.planted is not None and memo.planted.sentence not in text:
        raise ConfigurationError(f"The sentence planted in {memo.id}.txt does not stand in it.")
    return text


@contextmanager
def _engine(folder: Path) -> Generator[Engine]:
    """A store with the law of a set; the one of the settings where the set has none."""
    if (folder / LAW).is_dir():
        with engine_with([folder / LAW]) as engine:
            yield engine
        return
    with Engine.open(load_settings()) as engine:
        yield engine
