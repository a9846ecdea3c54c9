"""The canary run: what it sends is found where it is kept, and nothing of it is left where nothing may be."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import anyio
import pytest
from mcp import Client
from requirements import requirement

import rag
from evals.suites.canaries import runs as canary_runs
from evals.suites.canaries import suite as canaries
from evals.suites.canaries.calls import FEW, Case, every_parameter, packed, shared_out, spoken
from evals.suites.canaries.facts import Probe, make_facts
from evals.suites.canaries.stage import PLACES, search_log, stage
from rag.mcp.server import build_server, listed_tools

SAMPLE = Path(rag.__file__).parent / "sample"
FACTS = make_facts(330, 11)


def test_the_same_seed_makes_the_same_facts_of_every_kind_and_form() -> None:
    assert make_facts(330, 11) == FACTS
    assert make_facts(330, 12) != FACTS
    assert len({fact.text for fact in FACTS}) == len(FACTS)
    assert (len({fact.kind for fact in FACTS}), len({fact.form for fact in FACTS})) == (11, 11)


WAYS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "lower": str.lower,
    "upper": str.upper,
    "reversed": lambda text: text[::-1],
    "percent": lambda text: quote(text, safe=""),
    "hex": lambda text: text.encode().hex(),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 of more": lambda text: base64.b64encode(f"<{text}>".encode()).decode(),
    "escapes": lambda text: "".join(f"\\u{ord(letter):04X}" if ord(letter) > 127 else letter for letter in text),
}


@pytest.mark.parametrize("kept", list(WAYS))
def test_each_part_of_a_fact_is_found_however_it_was_kept(kept: str) -> None:
    probe = Probe(FACTS)
    missed = [
        (number, part)
        for number, fact in enumerate(FACTS)
        for part in fact.parts
        if number not in probe.found(f"x {WAYS[kept](part)} y")
    ]
    assert missed == []


def test_a_fact_cut_to_eight_letters_is_found_and_the_law_itself_holds_none() -> None:
    probe = Probe(FACTS)
    names = [(number, part) for number, fact in enumerate(FACTS) for part in fact.parts if part.isalpha()]
    assert names
    assert all(number in probe.found(part[1:9]) for number, part in names)
    assert probe.found("".join(path.read_text(encoding="utf-8") for path in SAMPLE.glob("*.jsonl"))) == set()


@pytest.mark.parametrize("count", [1, 40, 330])
def test_no_fact_is_lost_on_its_way_into_calls(count: int) -> None:
    facts = FACTS[:count]
    for room in (1, 350, 6_000):
        assert " ; ".join(packed(facts, room)) == " ; ".join(fact.text for fact in facts)
    for many in (facts, facts * (FEW // count + 1)):
        sent: dict[str, str] = {}
        for case, text in shared_out(spoken(), many):
            sent[case.tool] = f"{sent.get(case.tool, '')}\n{text}"
        assert set(sent) == {case.tool for case in spoken()}
        assert all(fact.text in text for fact in facts for text in sent.values())


@requirement("P8")
def test_no_fact_is_left_anywhere_after_every_tool_parameter_and_provider_fault() -> None:
    report = canaries.measure(SAMPLE, 6, seed=5, wires=False)
    rows = {row.metric: row for row in report.rows}
    assert report.notes == []
    assert {f"E21:{place}": rows[f"E21:{place}"].value for place in PLACES} == {f"E21:{place}": 0.0 for place in PLACES}
    assert rows["calls"].value > 150


def test_a_fact_that_the_store_is_told_to_keep_is_found_in_its_table_and_its_files() -> None:
    with stage(SAMPLE, make_facts(11, 6), "full") as on:

        async def run() -> None:
            async with Client(build_server(on.engine)) as client:
                known = {case.tool for case in every_parameter(listed_tools(on.engine))}
                assert known == {"", *(tool.name for tool in listed_tools(on.engine))}
                asking = Case("ask", 6_000, lambda text: {"question": text, "jurisdiction": "us-ma"})
                await canary_runs.send_all(on, client, [asking])

        anyio.run(run)
        search_log(on)
        canaries.search_tables(on.engine.database, on.haul)
        canaries.search_files(on, 0.0)
        report = canaries.report_of(on.haul)
    missed = [on.haul.facts[number] for number in set(range(11)) - on.haul.left_in("tables")]
    assert missed == []
    assert on.haul.left_in("files")  # a file shows what PostgreSQL does not compress
    assert [row.metric for row in report.rows if row.regression] == ["E21:tables", "E21:files"]
    assert report.notes[-1].startswith("tables: 11 facts left in table traces")
