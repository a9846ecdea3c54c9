"""`resolve --batch` and `Engine.resolve_many`: what one by one gives, in order, whatever the lines hold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from cli_calls import Lexscope, address, caller
from conftest import Stores

from rag import Engine
from rag.settings import Settings
from retrieval.errors import InputError
from retrieval.references.batch import CHUNK, Cited

RULE = "urn:lex:ma:940cmr:3.17:4"


@pytest.fixture(scope="module")
def common(stores: Stores, sample_template: str) -> Settings:
    return stores.clone(sample_template)


@pytest.fixture
def lexscope(common: Settings, capsys: pytest.CaptureFixture[str]) -> Lexscope:
    return caller(capsys, "--database-url", address(common))


@pytest.fixture(scope="module")
def engine(common: Settings) -> Iterator[Engine]:
    with Engine.open(common) as opened:
        yield opened


@pytest.fixture(scope="module")
def published(stores: Stores, empty_template: str, shared_data: Path) -> Iterator[Engine]:
    with Engine.open(stores.clone(empty_template)) as opened:
        opened.ingest([shared_data / "uscode-uslm" / "usc09.xml", shared_data / "eu-gdpr"])
        yield opened


def results(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_lines_and_objects_come_back_in_order_with_what_is_their_own(lexscope: Lexscope, tmp_path: Path) -> None:
    lines = [
        "940 CMR 3.17(4)", "", '{"reference": "940 CMR 3.99", "id": "b"}', "not a reference", '{"id": 7}', "{",
        '{"reference": "940 CMR 3.17(4)", "at_date": "31 June"}', "940 CMR 3.17(4)", "x" * 70_000,
        '{"reference": "940 CMR 3.17(4)", "id": null, "place": "x"}',
    ]  # fmt: skip
    file, out = tmp_path / "references.txt", tmp_path / "out.jsonl"
    file.write_bytes(("\n".join(lines) + "\n").encode() + b"\xff\xfe\n")
    ran = lexscope("resolve", "--batch", str(file), "--out", str(out), "--json")
    found = results(out.read_text(encoding="utf-8"))
    assert [result["line"] for result in found] == [1, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    assert [result["status"] for result in found] == [
        "resolved", "not_found", "not_found", "invalid", "invalid", "invalid", "resolved", "invalid", "invalid",
        "invalid",
    ]  # fmt: skip
    assert [result.get("id", "none") for result in found][:4] == ["none", "b", "none", 7]
    assert found[0]["urn"] == found[6]["urn"] == RULE
    report = json.loads(ran.out)
    assert (report["references"], report["resolved"], report["invalid"], ran.status) == (10, 2, 6, 0)
    assert not list(tmp_path.glob("*.part"))


def test_without_a_file_the_results_are_all_of_stdout(lexscope: Lexscope, tmp_path: Path) -> None:
    file = tmp_path / "references.txt"
    file.write_text("940 CMR 3.17(4)\n940 CMR 3.99\n", encoding="utf-8")
    ran = lexscope("resolve", "--batch", str(file))
    assert [result["status"] for result in results(ran.out)] == ["resolved", "not_found"]
    assert "2 references" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [(), ("940 CMR 3", "--batch", "x"), ("940 CMR 3", "--out", "x"), ("--batch", "/nowhere/at/all"),
     ("--batch", __file__, "--out", "/nowhere/at/all"), ("--batch", __file__, "-j", "zz")],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_before_anything_is_written(lexscope: Lexscope, arguments: tuple[str]) -> None:
    ran = lexscope("resolve", *arguments)
    assert (ran.status, ran.out) == (2, "")


def test_each_comes_to_what_it_comes_to_alone_on_published_law(published: Engine) -> None:
    references = [
        "9 U.S.C. § 2", "9 USC 16(a)(1)", "9 U.S.C. 999", "Article 17(1) GDPR", "Art. 4 GDPR", "Art. 17 BGB", "§ 2",
        "90 Stat. 2541", "root.us.9usc.chap_1.sec_2", "root.us.9usc.nowhere", "urn:lex:us:9usc:2", "nothing of it",
        "Federal Arbitration Act § 2", "410 U.S. 113",
    ]  # fmt: skip
    many = list(published.resolve_many(references))
    for reference, one in zip(references, many, strict=True):
        alone = published.resolve(reference)
        assert (one.status, one.urn, one.hint, one.warnings) == (alone.status, alone.urn, alone.hint, alone.warnings)
        assert [candidate.urn for candidate in one.candidates] == [candidate.urn for candidate in alone.candidates]


def test_a_reference_may_have_a_date_of_its_own(engine: Engine) -> None:
    mixed = [Cited("940 CMR 3.17(4)", date(1900, 1, 1)), Cited("940 CMR 3.17(4)")]
    then, now = engine.resolve_many(mixed)
    assert (then.at_date, now.status) == (date(1900, 1, 1), "resolved")
    assert then.model_dump(exclude={"candidates"}) == engine.resolve(
        "940 CMR 3.17(4)", at_date="1900-01-01"
    ).model_dump(exclude={"candidates"})


def test_a_filter_that_cannot_be_used_is_said_at_once(engine: Engine) -> None:
    with pytest.raises(InputError):
        next(engine.resolve_many(["940 CMR 3"], jurisdiction="zz"))


def test_references_are_read_as_they_are_needed_and_results_are_not_all_kept(engine: Engine) -> None:
    read = 0

    def endless() -> Iterator[str]:
        nonlocal read
        while True:
            read += 1
            yield f"940 CMR 3.{read % 50}"

    found = engine.resolve_many(endless())
    for _ in range(2 * CHUNK + 1):
        next(found)
    assert read == 3 * CHUNK
    found.close()
