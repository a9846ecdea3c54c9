"""The main job on real law: the D.C. Code and the eCFR."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Stores, share_of
from fakes.openai_server import FakeOpenAI, draft_of
from lxml import etree
from requirements import requirement

from rag import Engine
from rag.answering.answer import Answer
from rag.models.openai import OpenAIModel
from rag.store.reference_data import NewOverride, add_override
from rag.store.starter import load_starter

SECTION = "urn:lex:us-dc:code:42-3502.17"
QUESTION = "My landlord never paid me the interest on my security deposit"
CHAPTER = "urn:lex:us-dc:code:title_42:chapter_35"


@pytest.fixture(scope="module")
def dc_template(stores: Stores, empty_template: str, shared_data: Path) -> str:
    """The name of a database that holds both titles of the D.C. Code, and the thesauri that every new store has."""
    settings = stores.clone(empty_template)
    with Engine.open(settings) as engine:
        load_starter(engine.database)
        report = engine.ingest([shared_data / "dc-code-xml"])
    assert not report.rejected
    assert report.documents == 2
    assert settings.database_url is not None
    found = re.search(r"dbname=(\w+)", settings.database_url.get_secret_value())
    assert found is not None
    return found[1]


@pytest.fixture(scope="module")
def dc(stores: Stores, dc_template: str) -> Iterator[Engine]:
    """An engine over a clone of it, for tests that write nothing but traces."""
    with Engine.open(stores.clone(dc_template)) as engine:
        yield engine


@pytest.fixture
def own_dc(stores: Stores, dc_template: str) -> Iterator[Engine]:
    """An engine over a clone of it, of the test's own."""
    settings = stores.clone(dc_template)
    with Engine.open(settings) as engine:
        yield engine
    stores.drop(settings)


def _check_deposit_answer(answer: Answer) -> None:
    assert answer.status == "answered"
    assert answer.context is not None
    roles = {block.urn: block.role for block in answer.context.blocks}
    assert answer.targets[0] == SECTION
    assert roles[f"{SECTION}:b"] == "rule"
    for urn in (CHAPTER, "urn:lex:us-dc:code:title_42"):
        assert roles[urn] == "ancestor"
    meanings = {
        definition.term.lower(): definition
        for definition in answer.context.definitions
        if SECTION in definition.applies_to
    }
    for term in ("tenant", "rental unit", "housing accommodation"):
        assert meanings[term].scope_urn == CHAPTER
        assert not meanings[term].inferred
        assert roles[meanings[term].urn] == "definition"
    cited = [citation for claim in answer.statements for citation in claim.citations]
    assert f"{SECTION}:b" in {citation.urn for citation in cited}
    texts = {block.urn: block.text for block in answer.context.blocks}
    assert all(texts[citation.urn][citation.start : citation.end] == citation.quote for citation in cited)
    assert all(claim.citations for claim in answer.statements)


def test_all_sections_of_the_two_titles_are_there_once(dc: Engine, shared_data: Path) -> None:
    texts = (path.read_text(encoding="utf-8") for path in (shared_data / "dc-code-xml").rglob("sections/*.xml"))
    files = {re.findall(r"<num>([^<]+)</num>", text)[0] for text in texts}
    with dc.database.read() as conn:
        rows = conn.execute("select number from legal_nodes where structure_type = 'SECTION'").fetchall()
    assert len(rows) == 1904
    assert {row[0] for row in rows} == files


def test_a_scenario_is_answered_from_the_section_and_its_chapter_without_a_key(dc: Engine) -> None:
    _check_deposit_answer(dc.ask(QUESTION, jurisdiction="us-dc"))


@pytest.mark.parametrize(
    "told",
    [
        "My landlord Mr. Smith never paid me the interest on my security deposit",
        "My awful landlord never paid me the interest on my security deposit",
        "My landlord never paid me the interest on my security deposit even though I asked him five times",
        "Peter Miller lives at 7 Elm Street. My landlord never paid me the interest on my security deposit.",
    ],
)
def test_what_a_scenario_tells_besides_does_not_cost_the_answer(dc: Engine, told: str) -> None:
    answer = dc.ask(told, jurisdiction="us-dc")
    cited = {citation.urn for statement in answer.statements for citation in statement.citations}
    # A story's further words can leave the match unsure; the rule is then the first place to look.
    assert (answer.status, f"{SECTION}:b") in {
        *(("answered", urn) for urn in cited),
        *(("places", place.urn) for place in answer.places[:1]),
    }


@pytest.mark.parametrize("question", ["What is the capital of Mongolia?", "How do I bake bread?"])
def test_a_question_about_something_else_is_refused(dc: Engine, question: str) -> None:
    assert dc.ask(question, jurisdiction="us-dc").status == "refused"


def test_the_same_question_goes_through_a_model_where_one_is_configured(own_dc: Engine) -> None:
    sentence = (
        "The Office of Administrative Hearings may adjudicate complaints for the non-return of tenant security "
        "deposits and for the nonpayment of interest on tenant security deposits pursuant to section 2908 of the "
        "Housing Regulations of the District of Columbia (14 DCMR §§ 308 through 311)."
    )
    claim = {"text": sentence, "citations": [{"urn": f"{SECTION}:b", "quote": sentence}]}
    with FakeOpenAI(lambda _: draft_of(claim)) as server:
        own_dc.model = OpenAIModel("key", "model", server.base_url)
        answer = own_dc.ask(QUESTION, jurisdiction="us-dc")
        assert server.calls == 1
    _check_deposit_answer(answer)
    assert answer.provider == "openai"


def _part_of(title: Path, container: str, folder: Path) -> Path:
    """A copy of a title of the D.C. Code that has one of its containers only, in a folder."""
    tree = etree.parse(title / "index.xml")
    root, name = tree.getroot(), f"{{{tree.getroot().nsmap[None]}}}"
    for other in root.findall(f"{name}container"):
        if other.findtext(f"{name}num") != container:
            root.remove(other)
    copy = folder / title.name
    (copy / "sections").mkdir(parents=True)
    tree.write(copy / "index.xml", encoding="utf-8", xml_declaration=True)
    for included in root.iter("{http://www.w3.org/2001/XInclude}include"):
        shutil.copyfile(title / included.attrib["href"], copy / included.attrib["href"])
    return copy


@requirement("P1")
def test_the_digest_does_not_depend_on_the_order_of_ingest(
    stores: Stores, empty_template: str, shared_data: Path, tmp_path: Path
) -> None:
    titles = shared_data / "dc-code-xml" / "us" / "dc" / "council" / "code" / "titles"
    parts = [_part_of(titles / "28", "II", tmp_path), _part_of(titles / "42", "35", tmp_path)]
    answers: list[Answer] = []
    for order in (parts, parts[::-1]):
        with Engine.open(stores.clone(empty_template)) as engine:
            load_starter(engine.database)
            for part in order:
                assert not engine.ingest([part]).rejected
            answers += [engine.ask(QUESTION, jurisdiction="us-dc") for _ in range(2)]
    assert answers[0].targets[0] == SECTION
    assert len({answer.context_digest for answer in answers}) == 1
    assert len({answer.prompt_digest for answer in answers}) == 1


@requirement("P4")
def test_an_override_halts_from_its_date_on_and_not_before(own_dc: Engine) -> None:
    override = NewOverride.model_validate(
        {
            "urn_pattern": SECTION, "status": "ENJOINED", "court": "Test Court", "court_citation": "1 Test 1",
            "effective_from": "2026-03-01",
        }
    )  # fmt: skip
    add_override(own_dc.database, override)
    with FakeOpenAI() as server:
        own_dc.model = OpenAIModel("key", "model", server.base_url)
        halted = own_dc.ask("D.C. Code § 42-3502.17", jurisdiction="us-dc", at_date="2026-03-01")
        assert (halted.status, halted.exit_code, server.calls) == ("halted", 3, 0)
        found = own_dc.ask(QUESTION, jurisdiction="us-dc", at_date="2026-03-01")
        assert found.status != "halted"
        assert found.overrides[0].urn == SECTION
        assert (found.overrides[0].action, found.overrides[0].court) == ("left_out", "Test Court")
        assert all("non-return of tenant security deposits" not in str(request.json) for request in server.requests)
    own_dc.model = None
    _check_deposit_answer(own_dc.ask(QUESTION, jurisdiction="us-dc", at_date="2026-02-28"))


def _sections(engine: Engine) -> frozenset[str]:
    with engine.database.read() as conn:
        return frozenset(row[0] for row in conn.execute("select urn from legal_nodes where structure_type = 'SECTION'"))


def _section(urn: str, sections: frozenset[str]) -> str:
    """The section that a provision is in: its number may have a colon, as `28:7-209` has."""
    parts = urn.split(":")
    return next((above for count in range(5, len(parts)) if (above := ":".join(parts[:count])) in sections), urn)


LAY = Path(__file__).resolve().parents[2] / "evals" / "data"


@requirement("P4")
def test_no_question_is_halted_by_a_void_rule_that_was_merely_found(own_dc: Engine) -> None:
    """Lay questions, and 20 void rules drawn from those that the questions find first."""
    texts = ((LAY / name).read_text(encoding="utf-8") for name in ("colloquial.jsonl", "lay/half1.jsonl"))
    lines = [json.loads(line) for text in texts for line in text.strip().split("\n")]
    questions = [line for line in lines if line["jurisdiction"] == "us-dc" and "title-17" not in line.get("code", "")]
    questions = questions[-share_of(100) :]
    first = {line["id"]: own_dc.context(line["question"], jurisdiction="us-dc") for line in questions}
    sections = _sections(own_dc)
    found = sorted({_section(context.targets[0], sections) for context in first.values() if context.status == "ok"})
    void = set(random.Random(23).sample(found, 20))
    for urn in void:
        add_override(
            own_dc.database, NewOverride(urn_pattern=urn, status="VOID", court="Test Court", court_citation="1 T")
        )
    touched = 0
    for line in questions:
        before, context = first[line["id"]], own_dc.context(line["question"], jurisdiction="us-dc")
        struck = [urn for urn in before.targets if _section(urn, sections) in void]
        touched += bool(struck)
        if context.status == "halted":
            assert {_section(urn, sections) for urn in struck} & {_section(gold, sections) for gold in line["gold"]}, (
                line
            )
        else:
            assert void.isdisjoint(_section(urn, sections) for urn in context.targets)
            assert set(struck) <= {override.urn for override in context.overrides if override.action == "left_out"}
            assert all(any(urn in warning.message for warning in context.warnings) for urn in struck)
            assert context.status == before.status, line
    assert (len(questions), touched > share_of(20)) == (share_of(100), True)
    for urn in void:
        section = urn.removeprefix("urn:lex:us-dc:code:")
        assert own_dc.context(urn).status == "halted"
        assert own_dc.context(f"D.C. Code § {section}").status == "halted"
        assert own_dc.context(f"What does D.C. Code § {section} say?", jurisdiction="us-dc").status == "halted"


@pytest.mark.thorough
def test_the_federal_election_rules_load_with_their_paragraphs(
    stores: Stores, empty_template: str, shared_data: Path
) -> None:
    with Engine.open(stores.clone(empty_template)) as engine:
        report = engine.ingest([shared_data / "ecfr-xml" / "ECFR-title11.xml"])
        assert not report.rejected
        with engine.database.read() as conn:
            row = conn.execute("select count(*) from legal_nodes where structure_type = 'SECTION'").fetchone()
        assert row == (587,)
        context = engine.context("11 CFR 100.5(e)(1)")
        assert context.targets == ["urn:lex:us:11cfr:100.5:e:1"]
        assert "authorized by a candidate" in context.blocks[-1].text or any(
            "authorized by a candidate" in block.text for block in context.blocks if block.role == "rule"
        )
        again = engine.ingest([shared_data / "ecfr-xml" / "ECFR-title11.xml"])
        assert (again.unchanged, again.documents) == (1, 0)
