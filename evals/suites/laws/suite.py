"""Small invented laws with what a careful reader expects in the scope of each rule, run through the real pipeline.

A context is right where every definition and exception that is expected is in it, none that does not belong is, every
conflict is told, and law from outside is named. It is wrong with certainty where a definition that does not govern is
given for one that does, without a mark of its own (`wrong_unmarked`) or a warning of doubt (`wrong_as_certain`).
How many right contexts have no such warning is the price (`right_without_doubt`).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evals.rows import Gate, Row, share_row
from evals.scratch import engine_with
from evals.suites.laws.given import SmallLaw, native, read_law
from rag.engine import Engine
from rag.ingest.read_laws import stored_laws
from rag.models.law_reading import reading_schema
from rag.models.replay import ReplayedLawReader
from retrieval.model import DOUBTS, ScopedContext

SUITE = "laws"
DATA = Path(__file__).parents[2] / "data" / "laws" / "half1"


@dataclass(slots=True)
class Report:
    """Rows, and a line for every context that is not right."""

    rows: list[Row] = field(default_factory=list[Row])
    misses: list[str] = field(default_factory=list[str])


def measure(folder: Path, *, readings: Path | None = None, requests: Path | None = None) -> Report:
    """Measure all laws of a folder.

    Args:
        readings: recorded replies of a model that read these laws (`prompt_sha256`, `reply`); they are applied first.
        requests: where to write what a model would be asked, one call a line; nothing is measured then.

    Raises:
        IngestError: a law cannot be ingested.
        ConfigurationError: the recorded replies cannot be read.
        StaleRecording: there is none for a window of these laws.
    """
    laws = [read_law(path) for path in sorted(folder.glob("*.json"))]
    with TemporaryDirectory(prefix="lexscope-laws-") as place:
        for law in laws:
            (Path(place) / f"{law.given['id']}.jsonl").write_text(native(law), encoding="utf-8")
        with engine_with([Path(place)]) as engine:
            if requests is not None:
                _write_requests(engine, requests)
                return Report()
            read = None
            if readings is not None:
                read = engine.read_law(reader=ReplayedLawReader.read_file(readings))
            report = _report([found for law in laws for found in _contexts(engine, law)])
            if read is not None:
                report.misses.append(f"readings: {read.model_dump_json()}")
            return report


def _write_requests(engine: Engine, file: Path) -> None:
    with engine.database.read() as conn, file.open("w", encoding="utf-8") as out:
        for law in stored_laws(conn):
            for window in law.windows():
                prompt = window.prompt
                messages = [
                    {"role": "system", "content": prompt.instructions},
                    {"role": "user", "content": prompt.text},
                ]
                schema = reading_schema(prompt.numbers, prompt.outlined)
                line = {"prompt_sha256": prompt.key, "messages": messages, "schema": schema}
                out.write(json.dumps(line, ensure_ascii=False) + "\n")


@dataclass(frozen=True, slots=True)
class Found:
    """What one context lacks, what it has too much, and what of that it gives as certain."""

    language: str
    faults: tuple[str, ...]
    certain: bool
    doubted: bool  # by a warning of the context
    possible: tuple[bool, ...] = ()  # of blocks that may limit the rule: whether the law's author says that they do


def _contexts(engine: Engine, law: SmallLaw) -> Iterator[tuple[str, Found]]:
    for expected in law.given["expect"]:
        urn = law.urns[expected["rule"]]
        context = engine.context(urn)
        faults = list(_faults(law, expected, context))
        limits = {urn for key in expected["exceptions"] for urn in law.below(key)}
        possible = tuple(block.urn in limits for block in context.blocks if block.role == "possible_exception")
        yield (
            f"{law.given['id']} {expected['rule']}",
            Found(
                law.language,
                tuple(fault for fault, _ in faults),
                any(certain for _, certain in faults),
                any(warning.kind in DOUBTS for warning in context.warnings),
                possible,
            ),
        )


def _faults(law: SmallLaw, expected: dict[str, Any], context: ScopedContext) -> Iterator[tuple[str, bool]]:
    """Each fault, and whether the context gives it as certain."""
    roles = {block.urn: block.role for block in context.blocks}
    defined = {definition.urn for definition in context.definitions} | {
        urn for urn, role in roles.items() if role == "definition"
    }
    line = law.above(expected["rule"]) | law.below(expected["rule"])
    marked = {definition.urn for definition in context.definitions if definition.inferred}
    conflicts = [warning.message for warning in context.warnings if warning.kind == "conflicting_definitions"]
    if context.status != "ok":
        yield f"status {context.status}", False
    for entry in expected["definitions"]:
        wanted = law.below(entry["node"])
        if not wanted & (defined | line & roles.keys()):
            rivals = {each.urn for each in context.definitions if each.term.casefold() == entry["term"].casefold()}
            yield f"no definition of {entry['term']!r} at {entry['node']}", bool(rivals - marked) and not conflicts
    for entry in expected["not_definitions"]:
        served, term = law.urns[entry["node"]], entry["term"].casefold()
        # A node may define other terms too, which the rule uses.
        terms = {each.term.casefold() for each in context.definitions if each.urn == served}
        if served in defined and served not in line and (not term or not terms or term in terms):
            yield f"{entry['node']} is served as a definition", served not in marked and not conflicts
    for key in expected["exceptions"]:
        if not law.below(key) & roles.keys():
            yield f"no exception {key}", False
    for key in expected["not_exceptions"]:
        if roles.get(law.urns[key]) == "exception":
            yield f"{key} is served as an exception", False
    for term in expected["conflicts"]:
        if not any(term.casefold() in message.casefold() for message in conflicts):
            yield f"the conflict about {term!r} is not told", True
    said = " ".join([
        *(warning.message for warning in context.warnings), *(left.reason for left in context.omitted),
        *(left.urn for left in context.omitted), *(definition.phrase for definition in context.definitions),
        *(block.reason for block in context.blocks if block.role != "definition"),
    ])  # fmt: skip
    for name in expected["external"]:
        if name.casefold() not in said.casefold():
            yield f"external law {name!r} is not named", False


def _report(found: Iterable[tuple[str, Found]]) -> Report:
    report = Report()
    by_language: dict[str, list[Found]] = {}
    for name, one in found:
        by_language.setdefault(one.language, []).append(one)
        by_language.setdefault("all", []).append(one)
        if one.faults:
            certain = (" (unmarked)" if one.doubted else " (as certain)") if one.certain else ""
            report.misses.append(f"{one.language} {name}{certain}: {'; '.join(one.faults)}")
    for language, contexts in sorted(by_language.items()):
        right = sum(not context.faults for context in contexts)
        report.rows.append(
            share_row(SUITE, language, "contexts_right", right, len(contexts), Gate(">=", 0.95, hard=False))
        )
        wrong = sum(context.certain and not context.doubted for context in contexts)
        report.rows.append(
            share_row(SUITE, language, "wrong_as_certain", wrong, len(contexts), Gate("<=", 0.0, hard=False))
        )
    everything = by_language.get("all", [])
    if everything:
        unmarked = sum(context.certain for context in everything)
        report.rows.append(share_row(SUITE, "all", "wrong_unmarked", unmarked, len(everything)))
    if right := [context for context in everything if not context.faults]:
        certain = sum(not context.doubted for context in right)
        report.rows.append(share_row(SUITE, "all", "right_without_doubt", certain, len(right)))
    if wrong := [context for context in everything if context.faults]:
        doubted = sum(context.doubted for context in wrong)
        report.rows.append(share_row(SUITE, "all", "wrong_with_doubt", doubted, len(wrong)))
    if possible := [right for found in everything for right in found.possible]:
        report.rows.append(share_row(SUITE, "all", "possible_exceptions_right", sum(possible), len(possible)))
    kinds = Counter(re.sub(r"['\"].*?['\"]|\S*\d\S*", "_", fault) for found in everything for fault in found.faults)
    report.misses += [f"{count} times: {kind}" for kind, count in kinds.most_common()]
    return report
