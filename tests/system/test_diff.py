"""`lexscope diff`: as people and programs meet it, and on published law at two dates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from cli_calls import SCENARIO, Lexscope, address, caller
from conftest import Stores

from rag import Engine
from rag.ingest.formats.base import Source
from rag.ingest.formats.cfpb.regml import RegMl
from rag.settings import Settings
from retrieval.context.diff import ContextDiff

RULE = "urn:lex:ma:940cmr:3.17"
SPAN = ("--from", "2018-01-01", "--to", "2020-01-01")


@pytest.fixture(scope="module")
def common(stores: Stores, sample_template: str) -> Settings:
    """Settings of a store with the sample; no test here changes it."""
    return stores.clone(sample_template)


@pytest.fixture
def lexscope(capsys: pytest.CaptureFixture[str], common: Settings) -> Lexscope:
    """The command on the sample."""
    return caller(capsys, "--database-url", address(common))


# --- the command ------------------------------------------------------------------------------------------------------


def test_a_comparison_shows_the_change_word_by_word(lexscope: Lexscope) -> None:
    ran = lexscope("diff", "940 CMR 3.17", *SPAN)
    assert (ran.status, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == f"{RULE}  2018-01-01 -> 2020-01-01"
    assert f"~ {RULE}:5  Late payment of rent" in lines
    assert "    - ... until the rent has been overdue for [-10-] days." in lines
    assert "[+25+] days[+. The charge shall not exceed 2 percent of the overdue rent+]." in " ".join(ran.out.split())
    assert "unchanged: 25 blocks" in lines
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in ran.out


def test_json_is_the_contract_and_what_python_gives(lexscope: Lexscope, common: Settings) -> None:
    told = ContextDiff.model_validate_json(lexscope("diff", RULE, *SPAN, "--json").out)
    with Engine.open(common) as engine:
        assert engine.diff(RULE, "2018-01-01", date(2020, 1, 1)) == told
        for side in (told.before, told.after):
            assert engine.context(RULE, at_date=side.at_date).digest == side.digest
    assert [change.urn for change in told.changed] == [f"{RULE}:5"]
    assert (told.added, told.removed, told.equal) == ([], [], False)


@pytest.mark.parametrize(
    ("reference", "span", "status", "told"),
    [
        (f"{RULE}:4", SPAN, 0, "No difference: the context is the same at both dates"),
        ("urn:lex:ma:940cmr:3.08", ("--from", "2014-06-01", "--to", "2016-01-01"), 0, "- urn:lex:ma:940cmr:3.08"),
        ("urn:lex:ma:940cmr:3.08", ("--from", "2014-06-01", "--to", "2016-01-01"), 0, "from 1995-01-01 until 2015"),
        ("urn:lex:ma:940cmr:3.12", ("--from", "2015-01-01", "--to", "2017-01-01"), 0, "Legal Override active."),
        ("urn:lex:ma:940cmr:3.12", ("--from", "2015-01-01", "--to", "2017-01-01"), 0, "+ began: OVERRIDE VOID"),
        (
            "urn:lex:ma:940cmr:3.12",
            ("--from", "2015-01-01", "--to", "2017-01-01"),
            0,
            "and 2 notices of its context at 2015-01-01",
        ),
        ("urn:lex:ma:940cmr:3.08", SPAN, 3, "from 1995-01-01 until 2015-01-01"),
        ("urn:lex:ma:940cmr:3.99", SPAN, 3, "near: urn:lex:ma:940cmr:part_3"),
        (SCENARIO, SPAN, 3, "not read as a reference"),
    ],
)
def test_what_cannot_or_need_not_be_compared_is_said(
    lexscope: Lexscope, reference: str, span: tuple[str, ...], status: int, told: str
) -> None:
    ran = lexscope("diff", reference, *span)
    assert (ran.status, ran.err) == (status, "")
    assert told in " ".join(ran.out.split())


def test_a_rule_that_a_court_halts_did_not_end_and_nor_did_what_its_context_said(lexscope: Lexscope) -> None:
    for days in (("2015-01-01", "2017-01-01"),):
        span = ("--from", days[0], "--to", days[1])
        shown = lexscope("diff", "urn:lex:ma:940cmr:3.12", *span).out
        assert "ended" not in shown
        assert "Rule, in force at both dates" in shown
        told = ContextDiff.model_validate_json(lexscope("diff", "urn:lex:ma:940cmr:3.12", *span, "--json").out)
        assert told.warnings
        assert not any(change.compared for change in (*told.warnings, *told.omitted, *told.preemption))
    same = ContextDiff.model_validate_json(
        lexscope("diff", RULE, "--from", "1990-01-01", "--to", "2020-01-01", "--json").out
    )
    assert not any(change.compared for change in same.warnings)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((RULE, "--from", "2018-01-01", "--to", "2018-01-01"), "The two dates are the same."),
        ((RULE, "--from", "2018-01-02", "--to", "2018-01-01"), "Exchange --from and --to."),
        ((RULE, "--from", "2018-13-01", "--to", "2018-01-01"), "--from: The date is not a day of the calendar."),
        ((RULE, "--from", "2018-01-01"), "--to is missing"),
        (("urn:lex:ma", *SPAN), "A URN looks like"),
        (("   ", *SPAN), "The reference is empty."),
    ],
)
def test_a_request_that_cannot_be_used_says_what_to_do(
    lexscope: Lexscope, arguments: tuple[str, ...], told: str
) -> None:
    ran = lexscope("diff", *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert told in ran.err


# --- published law ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def published(stores: Stores, empty_template: str) -> Iterator[Engine]:
    """An engine over an empty store that the tests of published law share."""
    with Engine.open(stores.clone(empty_template, traces="off")) as engine:
        yield engine


REGML = {date(2016, 7, 11): "2016-16301", date(2022, 1, 1): "2017-20417_20220101"}


@pytest.mark.data
def test_each_effective_date_of_a_regulation_has_its_text_and_the_comparison_turns_one_into_the_next(
    published: Engine, shared_data: Path
) -> None:
    root = shared_data / "cfpb-regml"
    printed: dict[date, dict[str, str]] = {}
    for day, name in REGML.items():
        file = root / "regulation" / "1002" / f"{name}.xml"
        assert published.ingest([file]).rejected == []
        document = RegMl().parse(Source(file, root))
        printed[day] = {node.urn: node.text for node in document.nodes}
    (old, new), part = REGML, "urn:lex:us:12cfr:1002"
    amended: set[str] = set()
    for section in [urn for urn in printed[new] if re.fullmatch(rf"{part}\.\d+", urn)]:
        before, after = (_below(section, texts) for texts in (printed[old], printed[new]))
        diff = published.diff(section, old, new)
        rebuilt = {urn: text for urn, text in before.items() if urn not in {block.urn for block in diff.removed}}
        for change in diff.changed:
            if change.from_block.role == "rule":
                assert rebuilt[change.urn] == change.from_block.text
                rebuilt[change.urn] = change.to_block.text
        rebuilt.update({block.urn: block.text for block in diff.added if block.role == "rule"})
        assert rebuilt == after
        amended |= {section} if before != after else set()
    assert f"{part}.13" in amended
    added = published.diff("12 CFR 1002.13", old, new).added
    assert [block.urn for block in added] == [f"{part}.13:a:1:i:a", f"{part}.13:a:1:i:b"]
    first = published.diff("12 CFR 1002.13", old - timedelta(days=1), old)
    assert (first.before.status, first.after.status) == ("not_in_force", "ok")


def _below(section: str, texts: dict[str, str]) -> dict[str, str]:
    return {urn: text for urn, text in texts.items() if f"{urn}:".startswith(f"{section}:")}


def articles(file: Path, numbers: set[str], to: Path) -> dict[str, str]:
    """Write the front matter and some articles of a published code; returns their texts, white space folded."""
    lines = file.read_text(encoding="utf-8").split("\n")
    out, texts, current = lines[: lines.index("# Code civil") + 2], dict[str, list[str]](), ""
    for line in lines[len(out) :]:
        heading = re.fullmatch(r"(?:#+ )?Article ([\d-]+)", line)
        division = re.match(r"#+ |(?:Livre|Titre|Chapitre|Section|Sous-section|Paragraphe) \S+ : ", line)
        if heading or division:
            current = heading[1] if heading and heading[1] in numbers else ""
            out += [line] if current else []
        elif current:
            out.append(line)
            texts.setdefault(current, []).append(line)
    to.write_text("\n".join(out) + "\n", encoding="utf-8")
    return {number: " ".join(" ".join(found).split()) for number, found in texts.items()}


@pytest.mark.data
def test_the_same_article_number_has_each_dates_text_and_the_comparison_says_it_is_another(
    published: Engine, shared_data: Path, tmp_path: Path
) -> None:
    numbers, names = {"1240", "1241", "1382", "1383"}, ("LEGITEXT000006070721@2016-08-10.md", "LEGITEXT000006070721.md")
    printed = [articles(shared_data / "fr-legalize-md" / name, numbers, tmp_path / name) for name in names]
    for name in names:
        assert published.ingest([tmp_path / name]).rejected == []
    old, new = date(2016, 8, 10), date(2026, 4, 3)
    for number in sorted(numbers):
        urn = f"urn:lex:fr:code-civil:{number}"
        for day, texts in zip((old, new), printed, strict=True):
            rule = [block for block in published.context(urn, at_date=day).blocks if block.role == "rule"]
            assert " ".join(" ".join(block.text for block in rule).split()) == texts[number]
        diff = published.diff(f"article {number} du code civil", old, new)
        (change,) = (change for change in diff.changed if change.urn == urn)
        (words,) = (text for text in change.texts if text.field == "text")
        assert words.similarity < 0.5
    assert printed[0]["1382"] == printed[1]["1240"]  # the text lives on under another number
