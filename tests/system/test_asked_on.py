"""`ask` of several jurisdictions side by side, and a follow-up question about the rules of the first."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import anyio
import pytest
from cli_calls import Lexscope, address, caller
from conftest import Stores
from law import document, node, override, store
from mcp_calls import call
from requirements import requirement

from rag import Engine
from rag.answering.follow_up import Kept, kept_in, token_of
from rag.settings import Settings
from rag.store.database import Database
from retrieval.errors import InputError

ONE, TWO = "urn:lex:us-dc:kq", "urn:lex:us-ma:kq"
QUESTION = "How many days does a landlord in Massachusetts have to return a deposit?"
WORDS = "A landlord shall return the deposit to the tenant within {} days."


@pytest.fixture
def settings(stores: Stores, empty_template: str) -> Settings:
    """Two states with a rule on the same matter each, and two other rules."""
    settings = stores.clone(empty_template)
    with Database(settings) as database:
        for root, days in ((ONE, 45), (TWO, 30)):
            nodes = [
                node(root), node(f"{root}:1", WORDS.format(days), level="section", heading="Return of deposits"),
                node(f"{root}:2", "A fence shall be no higher than 6 feet.", level="section", heading="Fences"),
                node(f"{root}:3", "Interest on a deposit is paid each year.", level="section", heading="Interest"),
            ]  # fmt: skip
            store(database, document(nodes))
    return settings


@pytest.fixture
def engine(settings: Settings) -> Iterator[Engine]:
    with Engine.open(settings) as opened:
        yield opened


def test_each_jurisdiction_answers_from_its_own_law_alone(engine: Engine) -> None:
    answer = engine.ask(QUESTION, jurisdiction=["us-dc", "us-ma"])
    assert list(answer.parts) == ["us-dc", "us-ma"]
    assert [answer.statements, answer.places, answer.short_answer] == [[], [], None]
    for code, root in (("us-dc", ONE), ("us-ma", TWO)):
        part = answer.parts[code]
        shown = [citation.urn for statement in part.statements for citation in statement.citations]
        shown += [place.urn for place in part.places]
        assert shown
        assert all(urn.startswith(root) for urn in [*shown, *part.targets])
        assert not any("only law of" in warning.message for warning in part.warnings)  # the place named is asked beside
    alone = engine.ask(QUESTION, jurisdiction="us-ma")
    assert answer.parts["us-ma"].context_digest == alone.context_digest
    assert engine.ask(QUESTION, jurisdiction=["us-ma"]).context_digest == alone.context_digest


def test_a_halt_in_one_leaves_the_other_and_the_whole_is_not_answered(engine: Engine) -> None:
    override(engine, f"{ONE}:1")
    answer = engine.ask("Within how many days shall a landlord return the deposit?", jurisdiction=["us-dc", "us-ma"])
    one, two = answer.parts["us-dc"], answer.parts["us-ma"]
    assert f"{ONE}:1" in [notice.urn for notice in one.overrides]
    assert not two.overrides
    cited = [citation.urn for part in (one, two) for said in part.statements for citation in said.citations]
    assert f"{ONE}:1" not in cited
    assert answer.status != "answered"
    assert answer.exit_code != 0


@pytest.mark.parametrize(
    "codes", [["us-dc", ""], ["yy", "zz"], ["us-dc", "nowhere"], ["us", "us-dc", "us-ma", "fr", "de", "gb"]]
)
def test_a_jurisdiction_that_cannot_be_asked_is_refused(engine: Engine, codes: list[str]) -> None:
    with pytest.raises(InputError):
        engine.ask(QUESTION, jurisdiction=codes)


def test_jurisdictions_that_the_store_has_no_law_of_are_named_and_the_others_answer(engine: Engine) -> None:
    alone, beside = engine.ask(QUESTION, jurisdiction="us-ma"), engine.ask(QUESTION, jurisdiction=["fr", "us-ma", "de"])
    assert (beside.parts, beside.status, beside.context_digest) == ({}, alone.status, alone.context_digest)
    assert [one.message for one in beside.warnings if one.kind == "jurisdiction"] == [
        "The store has no law of fr, de, which was asked about too; nothing here answers it."
    ]
    several = engine.ask(QUESTION, jurisdiction=["us-dc", "us-ma", "fr"])
    assert list(several.parts) == ["us-dc", "us-ma"]
    assert all("no law of fr" in str(part.warnings) for part in several.parts.values())
    joined = engine.ask(QUESTION, jurisdiction="us-ma|fr")
    assert any("The store has no law of fr; only that of us-ma was searched." in one.message for one in joined.warnings)
    assert not any("no law of" in one.message for one in engine.ask(QUESTION, jurisdiction="us|us-ma").warnings)


def test_a_follow_up_keeps_rules_date_and_context(engine: Engine) -> None:
    first = engine.ask(f"{ONE}:1", at_date="2024-05-06")
    assert first.follow_up is not None
    assert "deposit" not in json.dumps([str(kept) for kept in kept_in(first.follow_up)])
    second = engine.ask("How high may a fence be?", follow_up=first.follow_up)
    assert (second.targets, second.at_date, second.context_digest) == (
        first.targets, date(2024, 5, 6), first.context_digest
    )  # fmt: skip
    assert not any(citation.urn == f"{ONE}:2" for statement in second.statements for citation in statement.citations)
    third = engine.ask("Within how many days shall the landlord return the deposit?", follow_up=second.follow_up)
    assert [citation.urn for statement in third.statements for citation in statement.citations] == [f"{ONE}:1"]


def test_a_follow_up_about_several_rules_is_answered_by_the_one_that_its_words_fit(engine: Engine) -> None:
    token = token_of([Kept((f"{ONE}:1", f"{ONE}:2", f"{ONE}:3"), date(2024, 5, 6), "en", "0" * 16)])
    for question, rule in (
        ("May a fence be higher than 6 feet?", 2),
        ("How often is interest paid on the deposit?", 3),
    ):
        answer = engine.ask(question, follow_up=token)
        cited = {citation.urn for statement in answer.statements for citation in statement.citations}
        assert (answer.status, cited) == ("answered", {f"{ONE}:{rule}"}), question
    assert engine.ask("Who repairs the elevator?", follow_up=token).status != "answered"


def test_a_rule_that_the_follow_up_cites_comes_beside_those_kept(engine: Engine) -> None:
    first = engine.ask(f"{ONE}:1")
    second = engine.ask(f"And what does {ONE}:3 say of interest on the deposit?", follow_up=first.follow_up)
    assert second.targets == [f"{ONE}:3", f"{ONE}:1"]


def test_a_follow_up_is_halted_as_any_question_and_says_that_the_store_changed(engine: Engine) -> None:
    first = engine.ask(f"{ONE}:1")
    forged = token_of([Kept((f"{ONE}:1",), date(2024, 1, 1), "en", "0" * 16)])
    changed = engine.ask("And then?", follow_up=forged)
    assert [warning.kind for warning in changed.warnings if warning.kind == "follow_up"] == ["follow_up"]
    override(engine, f"{ONE}:1")
    assert engine.ask("Within how many days?", follow_up=first.follow_up).status == "halted"
    assert engine.ask("Within how many days?", follow_up=forged).status == "halted"
    missing = token_of([Kept((f"{ONE}:99",), date(2024, 1, 1), "en", "0" * 16)])
    assert engine.ask("Within how many days?", follow_up=missing).status == "refused"


def test_a_follow_up_that_its_rules_do_not_answer_says_that_others_were_not_looked_at(engine: Engine) -> None:
    token = engine.ask(f"{ONE}:1").follow_up
    for question, told in (("Who pays for umbrellas at sea?", True), ("Within how many days?", False)):
        answer = engine.ask(question, follow_up=token)
        said = any("Only the rules of the first answer" in warning.message for warning in answer.warnings)
        assert (answer.status == "refused", said) == (told, told)


def test_what_a_follow_up_keeps_may_be_given_again_and_nothing_else(engine: Engine) -> None:
    token = engine.ask(f"{ONE}:1", at_date="2024-05-06").follow_up
    place = ONE.split(":")[2]
    again: list[dict[str, str]] = [
        {"at_date": "2024-05-06", "language": "en"}, {"jurisdiction": place}, {"jurisdiction": place.split("-")[0]},
        {"jurisdiction": f"gb|{place}"}, {"jurisdiction": "*"},
    ]  # fmt: skip
    for given in again:
        asked = engine.ask("And then?", follow_up=token, **given)  # pyright: ignore[reportArgumentType]
        assert asked.targets == [f"{ONE}:1"]
    others = {"at_date": "2024-05-07"}, {"jurisdiction": "gb"}, {"jurisdiction": f"!={place}"}, {"language": "fr"}
    for given in others:
        with pytest.raises(InputError, match="ask anew"):
            engine.ask("And then?", follow_up=token, **given)  # pyright: ignore[reportArgumentType]


def test_a_follow_up_of_several_asks_each_again(engine: Engine) -> None:
    first = engine.ask(QUESTION, jurisdiction=["us-dc", "us-ma"])
    second = engine.ask("Who shall return it?", follow_up=first.follow_up)
    assert {code: part.targets for code, part in second.parts.items()} == {
        code: part.targets for code, part in first.parts.items()
    }


def test_the_command_line_asks_side_by_side_and_asks_on(
    settings: Settings, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lexscope: Lexscope = caller(capsys, "--database-url", address(settings))
    dump = tmp_path / "answer.json"
    ran = lexscope("ask", QUESTION, "-j", "us-dc", "-j", "us-ma", "--dump", str(dump))
    assert ran.out.index("=== us-dc ===") < ran.out.index("=== us-ma ===")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answer-us-dc.json", "answer-us-ma.json"]
    on = json.loads(lexscope("ask", "Within how many days?", "--follow", "last", "--json").out)
    assert {code: part["targets"][0] for code, part in on["parts"].items()} == {
        "us-dc": f"{ONE}:1",
        "us-ma": f"{TWO}:1",
    }
    of_one = re.findall(r"--follow (\S+)", ran.out)[0]
    alone = json.loads(lexscope("ask", "Within how many days?", "--follow", of_one, "--json").out)
    assert (alone["parts"], alone["targets"][0]) == ({}, f"{ONE}:1")  # the trace of one jurisdiction names that one
    first = lexscope("ask", f"{ONE}:1")
    trace = re.findall(r"--follow (\S+)", first.out)[0]
    for given in (trace, "last"):
        second = json.loads(lexscope("ask", "Within how many days?", "--follow", given, "--json").out)
        assert second["targets"] == [f"{ONE}:1"]
    assert lexscope("ask", "Within how many days?", "--follow", "0" * 16).status == 2
    assert lexscope("ask", "Within how many days?", "--follow", "nonsense").status == 2


def test_a_client_sends_a_list_and_the_token_back(engine: Engine) -> None:
    async def session() -> None:
        both = await call(engine, "ask", question=QUESTION, jurisdiction=["us-dc", "Massachusetts"])
        assert list(both["parts"]) == ["us-dc", "us-ma"]
        first = await call(engine, "ask", question=f"{ONE}:1")
        second = await call(engine, "ask", question="Within how many days?", follow_up=first["follow_up"])
        assert second["targets"] == [f"{ONE}:1"]
        joined = await call(engine, "ask", question=QUESTION, jurisdiction="us-dc|us-ma")
        assert not joined["parts"]

    anyio.run(session)


@requirement("P8")
def test_as_much_of_an_id_as_no_other_trace_has_names_it_on_the_command_line_alone(
    engine: Engine, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    lexscope: Lexscope = caller(capsys, "--database-url", address(settings))
    trace = str(engine.ask(f"{ONE}:1").trace_id)
    for given in (trace[:4], trace[:15], trace[:6].upper()):
        followed = json.loads(lexscope("ask", "Within how many days?", "--follow", given, "--json").out)
        assert followed["targets"] == [f"{ONE}:1"]
    assert json.loads(lexscope("dump", trace[:8], "--json").out)["id"] == trace
    with pytest.raises(InputError):  # whoever reaches a server only must not guess traces of others
        engine.ask("Within how many days?", follow_up=trace[:8])
    with engine.database.write() as conn:  # another one that begins alike
        other = f"{trace[:12]}{'0' if trace[12] != '0' else '1'}{trace[13:]}"
        conn.execute(
            "insert into traces (id, privacy, status, body) select %s, privacy, status, body from traces where id = %s",
            (other, trace),
        )
    ambiguous = lexscope("ask", "Within how many days?", "--follow", trace[:12])
    assert ambiguous.status == 2
    assert trace in ambiguous.err
    assert other in ambiguous.err
    assert json.loads(lexscope("ask", "Within how many days?", "--follow", trace[:13], "--json").out)["targets"]
    none = lexscope("ask", "Within how many days?", "--follow", "ffffffffff0")
    assert none.status == 2
    assert "`lexscope traces` lists them" in none.err


EVERYDAY, NAMED = "How tall may the thing between our two yards be?", "height of fences"


def test_terms_named_with_a_question_find_what_its_words_do_not(
    engine: Engine, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    fences = f"{ONE}:2"
    assert fences not in [place.urn for place in engine.ask(EVERYDAY, jurisdiction="us-dc").places]
    answer, trace = engine.traced_ask(EVERYDAY, jurisdiction="us-dc", terms=[NAMED, "urn:lex:us-dc:kq:3", "§ 1"])
    assert [place.urn for place in answer.places] == [fences]
    assert trace.synonyms == [f"rewriting -> {NAMED}"]
    assert [warning.message[:27] for warning in answer.warnings if "terms" in warning.message] == [
        "terms: 2 not searched for; "
    ]
    assert trace.prompt is not None
    assert NAMED not in trace.prompt
    assert engine.context(EVERYDAY, jurisdiction="us-dc", terms=[NAMED]).targets == [fences]
    lexscope: Lexscope = caller(capsys, "--database-url", address(settings))
    said = json.loads(lexscope("ask", EVERYDAY, "-j", "us-dc", "--term", NAMED, "--json").out)
    assert [place["urn"] for place in said["places"]] == [fences]

    async def session() -> None:
        for name in ("terms", "keywords"):
            said = await call(engine, "ask", question=EVERYDAY, jurisdiction="us-dc", **{name: [NAMED]})
            assert [place["urn"] for place in said["places"]] == [fences]
        context = await call(engine, "get_context", reference=EVERYDAY, jurisdiction="us-dc", terms=NAMED)
        assert context["targets"] == [fences]

    anyio.run(session)


def test_a_follow_up_about_what_limits_the_rule_is_shown_that(sample_settings: Settings) -> None:
    with Engine.open(sample_settings) as opened:
        first = opened.ask("Must the landlord pay interest on the security deposit?", jurisdiction="us-ma")
        asked_on = opened.ask("And if my landlord lives in the same building?", follow_up=first.follow_up)
        other = opened.ask("What is the weather on Mars?", follow_up=first.follow_up)
    assert (asked_on.status, [place.urn for place in asked_on.places]) == ("places", ["urn:lex:ma:940cmr:3.19:1"])
    assert other.status == "refused"
