"""The five founding texts on published law: each requirement on works of two publishers or more, where they have it.

`docs/specification.md` says which test holds which requirement. One store has the law of `published_law`; what is
expected is read from its tables, or is what the publisher prints.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import Stores
from fakes.openai_server import FakeOpenAI, draft_of
from mcp_calls import call, refused
from published_law import write_plain, write_published

from rag import Engine
from rag.mcp.agent_tools import CaseGet, CaseResolve, CaseSearch, CaseTools
from rag.models.openai import OpenAIModel
from rag.store.proposals import accept, propose
from rag.store.reference_data import NewOverride, NewPreemption, add_override, add_preemption
from retrieval.errors import InputError
from retrieval.model import ScopedContext
from retrieval.references.hits import Request
from retrieval.references.store_finder import StoreFinder
from retrieval.tag_query import NORMALIZE_PATTERNS, TagFilter, TagFilterOp, TagFilterSet, TagQuery

CIVIL = "urn:lex:fr:code-civil"
CRPA = "urn:lex:fr:code-des-relations-entre-le-public-et-l-administration"
GDPR = "urn:lex:eu:32016r0679"
DC = "urn:lex:us-dc:code"
AVIATION = "urn:lex:jp:327ac0000000231"
WAGES = "urn:lex:gb:ukpga-1949-30"
JONES = "urn:lex:gb:ewhc-admin-2003-2527"
COAL = "urn:lex:us:scotus-259-us-188"
TERMS = "urn:lex:us:doc:terms-1"
SECTION = "urn:lex:us:doc:section152"
PLACES = ("de", "eu", "fr", "gb", "jp", "us", "us-dc")


class Stored(NamedTuple):
    """A version of a node as the table has it, with the tags of what contains it."""

    urn: str
    jurisdiction: str
    language: str
    kind: str
    structure_type: str
    path: str
    aliases: list[str]
    tags: dict[str, str]
    in_force: bool


@pytest.fixture(scope="module")
def engine(
    stores: Stores, empty_template: str, shared_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    settings = stores.clone(empty_template)
    with Engine.open(settings) as opened:
        law = write_published(shared_data, tmp_path_factory.mktemp("published"))
        assert opened.ingest(law, jobs=2).rejected == []
        plain = write_plain(shared_data, tmp_path_factory.mktemp("plain"))
        assert opened.ingest(plain, jurisdiction="us", tags={"legaldocument_type": "cases"}).rejected == []
        yield opened
    stores.drop(settings)


@pytest.fixture(scope="module")
def stored(engine: Engine) -> list[Stored]:
    with engine.database.read() as conn:
        rows = conn.execute(
            "select urn, jurisdiction, language, kind, structure_type, citation_path::text, aliases, tags,"
            " validity @> current_date from legal_nodes order by urn, lower(validity)"
        ).fetchall()
    return [Stored(*row) for row in rows]


def sampled(stored: list[Stored], each: int, **wanted: str) -> list[Stored]:
    """Nodes in force with these columns: of each corpus some, evenly."""
    by_corpus: dict[str, list[Stored]] = defaultdict(list)
    for node in stored:
        if node.in_force and all(getattr(node, name) == value for name, value in wanted.items()):
            by_corpus[":".join(node.urn.split(":")[:4])].append(node)
    return [node for found in by_corpus.values() for node in found[:: max(1, len(found) // each)][:each]]


# --- S0: references ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reference", "urn", "language", "tags"),
    [
        ("article 1240 du code civil", f"{CIVIL}:1240", "fr", {"article_number": "1240", "code": "Code civil"}),
        ("article L. 100-3 du CRPA", f"{CRPA}:l100-3", "fr", {"article_number": "L100-3"}),
        ("section 2 of the Agricultural Wages (Scotland) Act 1949", f"{WAGES}:2", "en",
         {"section_number": "2", "act_title": "Agricultural Wages (Scotland) Act 1949"}),
        ("section 20 of the Defamation Act 1996", "urn:lex:gb:ukpga-1996-31:20", "en",
         {"section_number": "20", "act_title": "Defamation Act 1996"}),
        ("§ 823 BGB", "urn:lex:de:bgb:823", "de", {"paragraph": "823", "code": "BGB"}),
        ("Article 17(3)(b) of Regulation (EU) 2016/679", f"{GDPR}:17:3:b", "en", {"urn": f"{GDPR}:17:3:b"}),
        ("9 U.S.C. § 2", "urn:lex:us:9usc:2", "en", {"urn": "urn:lex:us:9usc:2"}),
        ("15 U.S.C. § 1", "urn:lex:us:15usc:1", "en", {"urn": "urn:lex:us:15usc:1"}),
        ("D.C. Code § 28-3904", f"{DC}:28-3904", "en", {"urn": f"{DC}:28-3904"}),
        ("航空法第三条", f"{AVIATION}:3", "ja", {"urn": f"{AVIATION}:3"}),
        ("259 US 188", COAL, "en", {"alias": "259 U.S. 188"}),
    ],
)  # fmt: skip
def test_a_reference_is_read_as_a_query_and_finds_its_provision(
    engine: Engine, reference: str, urn: str, language: str, tags: dict[str, str]
) -> None:
    found = engine.resolve(reference)
    assert (found.status, found.urn) == ("resolved", urn)
    query = found.tag_queries[0]
    assert (query.language, query.hint) == (language, None)
    said = {tag_filter.key: tag_filter.value for tag_filter in query.tag_filters.filters}
    assert tags
    assert tags.items() <= said.items()
    assert query.kind in ({"urn": None, "alias": "decision"}.get(next(iter(tags)), "legislation"),)
    if "act_title" in tags:
        ops = {tag_filter.key: tag_filter.op for tag_filter in query.tag_filters.filters}
        assert ops == {"section_number": TagFilterOp.EQ, "act_title": TagFilterOp.ILIKE}


def test_every_id_and_alias_of_a_publisher_is_its_node_before_any_grammar(engine: Engine, stored: list[Stored]) -> None:
    owners: dict[str, set[str]] = defaultdict(set)
    for node in stored:
        for alias in node.aliases:
            owners[alias].add(node.urn)
    chosen = sampled(stored, 5)
    assert len({node.jurisdiction for node in chosen}) == len(PLACES)
    for node in chosen:
        for name in (node.urn, *node.aliases[:1]):
            found = engine.resolve(name)
            if len(owners[name]) > 1:
                assert found.status == "ambiguous"
            else:
                assert (found.status, found.urn) == ("resolved", node.urn), name


def test_a_date_beside_the_words_or_in_them_chooses_the_version(engine: Engine) -> None:
    def begins(reference: str, words: str, at_date: date | None = None) -> bool:
        return engine.document(reference, at_date=at_date).blocks[-1].text.startswith(words)

    old, new = date(2016, 8, 10), date(2026, 4, 3)
    for reference in ("article 1147 du code civil", f"{CIVIL}:1147"):
        assert begins(reference, "Le débiteur est condamné", old)
        assert begins(reference, "L'incapacité de contracter", new)
    worded = "article 1147 du code civil, version en vigueur au 10 août 2016"
    found = engine.resolve(worded)
    assert (found.urn, found.tag_queries[0].at_date, found.candidates[0].valid_to) == (f"{CIVIL}:1147", old, new)
    assert begins(worded, "Le débiteur est condamné")
    assert begins(worded, "L'incapacité de contracter", new)  # the date beside the words counts before theirs
    licence = [
        " ".join(block.text for block in engine.document("urn:lex:gb:ukpga-2000-38:19", at_date=day).blocks)
        for day in (date(2014, 4, 1), None)
    ]
    assert ["modification of the conditions of a licence" in text for text in licence] == [True, False]
    assert engine.document("urn:lex:gb:ukpga-2000-38:19", at_date=date(2014, 3, 31)).status == "not_in_force"


@pytest.mark.parametrize(
    ("worded", "old", "words"),
    [
        (
            "article 1147 du code civil, version en vigueur au 10 août 2016",
            date(2016, 8, 10),
            "Le débiteur est condamné",
        ),
        ("section 19 of the Transport Act 2000 as in force on 1 April 2014", date(2014, 4, 1), "of a licence"),
    ],
)
def test_a_day_in_the_words_of_a_reference_is_that_of_its_context_and_answer_unless_one_is_given(
    engine: Engine, worded: str, old: date, words: str
) -> None:
    def rule(context: ScopedContext) -> str:
        return " ".join(block.text for block in context.blocks if block.role == "rule")

    assert engine.resolve(worded).at_date == old
    context, answer = engine.context(worded), engine.ask(worded)
    assert (context.at_date, answer.at_date, words in rule(context)) == (old, old, True)
    new = date(2026, 4, 3)
    context, answer = engine.context(worded, at_date=new), engine.ask(worded, at_date=new)
    assert (context.at_date, answer.at_date, words in rule(context)) == (new, new, False)
    for told in (context.warnings, answer.warnings):
        assert any(f"{old}; {new} counts" in warning.message for warning in told)


@pytest.mark.anyio
async def test_a_number_that_several_works_have_is_ambiguous_and_a_tag_or_jurisdiction_narrows_it(
    engine: Engine,
) -> None:
    bare = engine.resolve("§ 1")
    assert (bare.status, bare.urn) == ("ambiguous", None)
    assert {candidate.urn for candidate in bare.candidates} == {
        "urn:lex:de:bgb:1", "urn:lex:us:4usc:1", "urn:lex:us:9usc:1", "urn:lex:us:15usc:1",
    }  # fmt: skip
    assert engine.resolve("§ 1", tags={"title": "9"}).urn == "urn:lex:us:9usc:1"
    german = engine.resolve("§ 1", tags={"code": "BGB"})
    assert (german.status, german.urn) == ("candidates", "urn:lex:de:bgb:1")
    assert german.hint
    assert any("Read as" in warning for warning in german.warnings)
    assert engine.resolve("§ 1", jurisdiction="de").urn == "urn:lex:de:bgb:1"
    for tags, urn in (({"title": "9"}, "urn:lex:us:9usc:1"), ({"code": "BGB"}, "urn:lex:de:bgb:1")):
        assert (await call(engine, "get_document", reference="§ 1", tags=tags))["urn"] == urn
    assert (await call(engine, "get_document", reference="§ 1"))["status"] == "ambiguous"
    french = engine.resolve("article 1240", jurisdiction="fr")
    assert (french.status, french.urn) == ("candidates", f"{CIVIL}:1240")
    assert engine.resolve("article 9999 du code civil").status == "not_found"


@pytest.mark.parametrize(
    ("written", "urn"),
    [
        ("[2003] EWHC 2527 (Admin)", JONES),
        ("2003 EWHC 2527 (Admin)", JONES),
        ("[2022] EWFC 39", "urn:lex:gb:ewfc-2022-39"),
        ("SI 2014/333", "urn:lex:gb:uksi-2014-333"),
        ("259 U.S. 188", COAL),
        ("259 u. s. 188 (1922)", COAL),
        ("32016R0679", GDPR),
        ("昭和二十七年法律第二百三十一号", AVIATION),
        ("LEGITEXT000006070721", CIVIL),
        ("Regulation (EU) 2016/679", GDPR),
    ],
)
def test_works_and_decisions_are_found_by_the_numbers_that_publishers_give_them(
    engine: Engine, written: str, urn: str
) -> None:
    assert engine.resolve(written).urn == urn


@pytest.mark.parametrize(
    ("written", "celex", "urn"),
    [
        ("Regulation (EU) No 319/2014", "32014R0319", "urn:lex:gb:eur-2014-319"),
        ("32014R0319", "32014R0319", "urn:lex:gb:eur-2014-319"),
        ("Article 3 of Regulation (EU) No 319/2014", "32014R0319", "urn:lex:gb:eur-2014-319:3"),
        ("Decision 2004/605/EC", "32004D0605", "urn:lex:gb:eudn-2004-605"),
        ("32004D0605", "32004D0605", "urn:lex:gb:eudn-2004-605"),
    ],
)
def test_an_act_of_the_union_that_only_british_law_keeps_is_a_candidate(
    engine: Engine, written: str, celex: str, urn: str
) -> None:
    found = engine.resolve(written)
    assert (found.status, [candidate.urn for candidate in found.candidates]) == ("candidates", [urn])
    assert celex in (found.hint or "")


@pytest.mark.parametrize(
    ("language", "codes", "tag_filter"),
    [
        ("en", {"gb", "us"}, TagFilter("section_number", TagFilterOp.EQ, "2")),
        ("fr", {"fr"}, TagFilter("code", TagFilterOp.EQ, "Code civil")),
        ("en", {"eu", "us"}, TagFilter("code", TagFilterOp.IN, ["GDPR", "USC"])),
        ("en", {"us", "us-dc"}, TagFilter("code", TagFilterOp.NOT_IN, ["GDPR"])),
        ("en", {"gb", "us"}, TagFilter("case_name", TagFilterOp.ILIKE, " V")),
        ("en", {"gb"}, TagFilter("act_title", TagFilterOp.ILIKE, "agricultural WAGES (scotland) act 1949")),
        ("en", {"gb", "us"}, TagFilter("case_number", TagFilterOp.EXISTS)),
        ("en", {"gb", "us"}, TagFilter("code", TagFilterOp.NOT_EXISTS)),
        ("en", {"us"}, TagFilter("case_number", TagFilterOp.NORMALIZE, "6-5", NORMALIZE_PATTERNS["punctuation"])),
        (
            "en",
            {"gb"},
            TagFilter("case_number", TagFilterOp.NORMALIZE, "c0 1892.2003", NORMALIZE_PATTERNS["punctuation"]),
        ),
    ],
    ids=lambda value: f"{value.key} {value.op.value} {value.value}" if isinstance(value, TagFilter) else "",
)
@pytest.mark.parametrize("at_date", [date(2016, 8, 10), date(2026, 4, 3)])
@pytest.mark.parametrize("in_force_first", [True, False])
def test_an_operator_finds_the_first_ten_that_brute_force_finds(
    engine: Engine, language: str, codes: set[str], tag_filter: TagFilter, at_date: date, in_force_first: bool
) -> None:
    def fits(tags: Tags) -> bool:
        value = tags.get(tag_filter.key)
        if tag_filter.op is TagFilterOp.NOT_EXISTS or value is None:
            return value is None and tag_filter.op is TagFilterOp.NOT_EXISTS
        if tag_filter.op is TagFilterOp.ILIKE:
            return tag_filter.values[0].casefold() in value.casefold()
        if tag_filter.op is TagFilterOp.NORMALIZE:
            sides = (re.sub(tag_filter.normalize_pattern or "", "", side) for side in (value, *tag_filter.values))
            return len({side.casefold() for side in sides}) == 1
        return tag_filter.op is TagFilterOp.EXISTS or (value in tag_filter.values) != (
            tag_filter.op is TagFilterOp.NOT_IN
        )

    query = TagQuery(
        language=language, tag_filters=TagFilterSet((tag_filter,)), at_date=at_date,
        should_sort_in_force_first=in_force_first,
    )  # fmt: skip
    with engine.database.read() as conn:
        found = StoreFinder(conn).run(query, Request("", PLACES, None, at_date, at_date, {}))
        rows = conn.execute(
            "select urn, jurisdiction, tags, lower(validity) from legal_nodes where language = %s and validity @> %s",
            [language, at_date],
        ).fetchall()
    fitting = [row for row in rows if fits(row[2])]
    assert {code for _, code, *_ in fitting} >= codes
    fitting.sort(key=lambda row: (-(row[3] or date.min).toordinal(), row[0]))
    if in_force_first:
        fitting.sort(key=lambda row: row[2].get("in_force") == "false")
    assert [hit.urn for hit in found] == [urn for urn, *_ in fitting][:10]


@pytest.mark.parametrize("code", PLACES)
def test_many_references_at_once_give_what_one_by_one_gives(engine: Engine, stored: list[Stored], code: str) -> None:
    with engine.database.read() as conn:
        words = [
            row[0]
            for row in conn.execute(
                "select reference from edges where jurisdiction = %s and reference <> '' group by reference"
                " order by md5(reference) limit 40",
                [code],
            )
        ]
    references = words + [node.urn for node in stored if node.jurisdiction == code][:20]
    alone = [engine.resolve(reference) for reference in references]
    together = list(engine.resolve_many(references))
    assert [(resolution.status, resolution.urn) for resolution in together] == [
        (resolution.status, resolution.urn) for resolution in alone
    ]
    assert all(resolution.urn for resolution in alone[len(words) :])
    if code != "de":  # the articles of the Code of this store refer to law that is not in it
        assert any(resolution.urn or resolution.candidates for resolution in alone[: len(words)])


def test_every_edge_whose_target_is_in_the_store_has_it(engine: Engine) -> None:
    with engine.database.read() as conn:
        missed = conn.execute(
            "select e.kind, e.target_urn from edges e where e.target_id is null and exists"
            " (select from legal_nodes n where n.urn = e.target_urn)"
        ).fetchall()
        resolved = dict(
            conn.execute("select jurisdiction, count(*) from edges where target_id is not null group by 1").fetchall()
        )
    assert missed == []
    assert all(resolved.get(code, 0) > 0 for code in PLACES if code != "de"), resolved


# --- S1: scoped context -----------------------------------------------------------------------------------------------

QUESTIONS = [
    ("us", "Is a written provision to arbitrate a controversy valid?", "urn:lex:us:9usc:2"),
    ("fr", "Qui doit réparer le dommage causé à autrui par sa faute ?", f"{CIVIL}:1240"),
    ("de", "Wer muss Schadensersatz leisten, wenn er das Eigentum eines anderen verletzt?", "urn:lex:de:bgb:823"),
    ("eu", "When does a data subject have the right to erasure of personal data?", f"{GDPR}:17"),
    ("us-dc", "Which acts of a merchant are unfair or deceptive trade practices?", f"{DC}:28-3904"),
    ("gb", "What does an agricultural wages committee fix?", f"{WAGES}:2"),
]


@pytest.mark.parametrize(("code", "question", "urn"), QUESTIONS)
def test_a_question_finds_its_rule_among_the_first_ten(engine: Engine, code: str, question: str, urn: str) -> None:
    found = [hit.urn for hit in engine.search(question, jurisdiction=code, limit=10).results]
    assert any(name == urn or name.startswith(f"{urn}:") for name in found), found


def test_the_vertical_slice_of_a_rule_is_what_ltree_gives(engine: Engine, stored: list[Stored]) -> None:
    rules = [node for node in sampled(stored, 3, kind="legislation") if node.structure_type != "ROOT"]
    assert len({rule.jurisdiction for rule in rules}) == len(PLACES)
    for rule in rules:
        context = engine.context(rule.urn)
        assert context.status == "ok", rule.urn
        with engine.database.read() as conn:
            literal = {
                row[0]
                for row in conn.execute(
                    "select urn from legal_nodes where citation_path @> %s::ltree and jurisdiction = %s"
                    " and validity @> current_date",
                    [rule.path, rule.jurisdiction],
                )
            }
        given = {block.urn for block in context.blocks if block.role in ("ancestor", "rule")}
        assert literal <= given, rule.urn
        assert all(urn.startswith(f"{rule.urn}:") for urn in given - literal), rule.urn


def test_the_closest_definition_of_a_term_is_served_and_no_other(engine: Engine) -> None:
    with engine.database.read() as conn:
        found = conn.execute(_SHADOWED).fetchall()
    assert {urn.split(":")[2] for urn, *_ in found} >= {"eu", "us"}
    for urn, term, scopes in found:
        context = engine.context(urn)
        served = {
            definition.scope_urn
            for definition in context.definitions
            if definition.term.casefold() == term and definition.relation == "means"
        }
        assert served == {scopes[-1]}, urn


# Provisions that use a term which two definitions with nested scopes define; the scopes, outermost first.
_SHADOWED = """
select distinct on (near.jurisdiction, near.normalised_term) n.urn, near.normalised_term, array(
    select d.scope_urn from legal_definitions d where d.jurisdiction = n.jurisdiction
        and d.normalised_term = near.normalised_term and d.relation = 'means' and d.scope_path @> n.citation_path
    order by nlevel(d.scope_path))
from legal_definitions near
join legal_definitions far on far.jurisdiction = near.jurisdiction and far.normalised_term = near.normalised_term
    and far.scope_path @> near.scope_path and far.scope_path <> near.scope_path
join legal_nodes n on n.jurisdiction = near.jurisdiction and n.citation_path <@ near.scope_path
    and near.term_id = any(n.used_terms) and n.kind = 'legislation' and n.content_text <> ''
    and n.urn <> near.urn and n.urn <> far.urn
where near.relation = 'means' and far.relation = 'means'
order by near.jurisdiction, near.normalised_term, n.urn
"""


def test_what_excepts_a_rule_is_in_its_context(engine: Engine) -> None:
    with engine.database.read() as conn:
        pairs = conn.execute(_EXCEPTING).fetchall()
    assert {rule.split(":")[2] for rule, *_ in pairs} >= {"eu", "fr", "gb", "jp", "us", "us-dc"}
    for rule, by in pairs:
        context = engine.context(rule)
        # Its own words, or those of what it is part of, but not of the whole work.
        named = {block.urn for block in context.blocks if block.text and block.urn.count(":") > 4 - ("us-dc" in by)}
        assert any(f"{by}:".startswith(f"{name}:") or name.startswith(f"{by}:") for name in named), (rule, by)


# Rules that another provision limits, overrides or disapplies by name: of each jurisdiction the first few.
_EXCEPTING = """
select target_urn, urn from (
    select e.target_urn, n.urn, row_number() over (partition by e.jurisdiction order by e.target_urn, n.urn) as place
    from edges e
    join legal_nodes n on n.jurisdiction = e.jurisdiction and n.node_id = e.source_id and n.validity @> current_date
    join legal_nodes t on t.jurisdiction = e.target_jurisdiction and t.node_id = e.target_id
        and t.validity @> current_date and t.kind = 'legislation'
    where e.kind in ('disapplies', 'notwithstanding', 'limits') and not n.citation_path <@ t.citation_path
) one where place <= 4
"""


@pytest.mark.parametrize("status", ["VOID", "ENJOINED"])
def test_a_rule_that_a_court_stopped_halts_before_a_model_is_called(engine: Engine, status: Any) -> None:
    rules = ["urn:lex:us:9usc:2", f"{DC}:28-3904", f"{GDPR}:17", f"{CIVIL}:1240", "urn:lex:de:bgb:823", f"{WAGES}:2"]
    numbers = [
        add_override(
            engine.database, NewOverride(urn_pattern=urn, status=status, court="A court", court_citation="1 C. 1")
        )
        for urn in rules
    ]
    try:
        with FakeOpenAI() as server:
            asked = engine.using(model=OpenAIModel("key", "model", server.base_url))
            for urn in rules:
                answer = asked.ask(urn)
                assert answer.status == "halted"
                assert answer.refusal is not None
                assert answer.refusal.message.startswith("Legal Override active.")
                assert answer.overrides[0].urn == urn
            assert asked.context("Article 16 GDPR").status == "ok"
            assert asked.context("9 U.S.C. 3").status == "ok"
            assert server.calls == 0
    finally:
        with engine.database.write() as conn:
            conn.execute("delete from judicial_overrides where id = any(%s)", [numbers])


def test_what_a_published_decision_does_to_others_is_proposed_with_its_sentence_and_halts_nothing(
    engine: Engine,
) -> None:
    found = propose(engine.database, every=True)
    assert {proposal.treatment for proposal in found} == {"distinguished", "followed"}
    with engine.database.read() as conn:
        told = dict(conn.execute("select urn, content_text from legal_nodes where kind = 'decision'").fetchall())
    for proposal in found:
        assert proposal.sentence in told[proposal.decision_urn]
        assert proposal.reference in proposal.sentence
        assert (proposal.status, proposal.court) == (None, "Supreme Court of the United States")
    with pytest.raises(InputError, match="no override"):
        accept(engine.database, found[0].key, "A. Reviewer")
    assert engine.context("259 U.S. 344").status == "ok"


def test_a_federal_rule_that_overlaps_gives_the_warning_with_its_text(engine: Engine) -> None:
    add_preemption(
        engine.database,
        NewPreemption(federal_pattern="urn:lex:us:15usc:1", state_pattern=f"{DC}:28-4502", kind="conflict"),
    )
    context = engine.context(f"{DC}:28-4502")
    [warning] = [warning for warning in context.warnings if warning.kind == "preemption"]
    assert warning.message.startswith("Supremacy Clause Warning")
    assert any(block.role == "federal" and "restraint of trade" in block.text for block in context.blocks)
    assert not [warning for warning in engine.context(f"{DC}:28-4503").warnings if warning.kind == "preemption"]


def test_the_prompt_holds_the_context_and_the_scenario_alone_and_a_claim_without_a_urn_falls(engine: Engine) -> None:
    for code, question, urn in QUESTIONS:
        sent: list[str] = []

        def answer(request: dict[str, object], sent: list[str] = sent) -> dict[str, object]:
            sent.append(json.dumps(request, ensure_ascii=False))
            return draft_of({"text": "The law says nothing else.", "citations": []})

        with FakeOpenAI(answer) as server:
            asked = engine.using(model=OpenAIModel("key", "model", server.base_url))
            result = asked.ask(question, jurisdiction=code, rules=1)
        assert result.context is not None
        assert sent, code
        assert "Answer strictly based on the provided context. Do not use outside knowledge." in sent[0]
        assert "Cite specific URNs for every assertion." in sent[0]
        for request in sent:
            assert all(json.dumps(block.text, ensure_ascii=False)[1:-1] in request for block in result.context.blocks)
            assert question in request
        assert set(re.findall(r"urn:lex:[\w:.~-]*\w", sent[0])) <= {
            prefix for letter in _named(result.context) for prefix in _prefixes(letter)
        }, urn
        assert not result.statements


def _named(context: ScopedContext) -> set[str]:
    """The URNs of a context: of its blocks, and of the law that its warnings point to."""
    return {block.urn for block in context.blocks} | {
        urn for warning in context.warnings for urn in re.findall(r"urn:lex:\S*\w", warning.message)
    }


def _prefixes(urn: str) -> Iterator[str]:
    parts = urn.split(":")
    return (":".join(parts[:end]) for end in range(3, len(parts) + 1))


def test_served_claims_cite_a_span_of_a_node_in_scope_and_the_same_request_gives_the_same_answer(
    engine: Engine, stored: list[Stored]
) -> None:
    served: set[str] = set()
    in_force = {node.urn for node in stored if node.in_force}
    for code, question, _ in QUESTIONS:
        first, second = (engine.ask(question, jurisdiction=code) for _ in range(2))
        assert (first.context_digest, first.prompt_digest) == (second.context_digest, second.prompt_digest)
        assert first.statements == second.statements
        if not first.statements:
            assert first.places or first.refusal
            continue
        assert first.context is not None
        texts = {block.urn: block.text for block in first.context.blocks}
        for claim in first.statements:
            assert claim.citations
            for citation in claim.citations:
                assert citation.urn in first.context.allow_list
                assert texts[citation.urn][citation.start : citation.end] == citation.quote
                assert citation.urn in in_force
        served.add(code)
    assert served == {"eu"}  # without a model, the others are answered with places


# --- S2: cases --------------------------------------------------------------------------------------------------------


def cases(stored: list[Stored]) -> list[Stored]:
    found = [node for node in stored if node.kind == "decision" and node.structure_type == "ROOT"]
    assert {node.jurisdiction for node in found} == {"gb", "us"}
    return found


def test_a_number_counts_before_a_name_and_a_name_before_court_and_date(engine: Engine, stored: list[Stored]) -> None:
    for node in cases(stored):
        tags = node.tags
        every = engine.resolve_case(
            case_number=tags["case_number"], case_name="nobody", court="nowhere", date="1800", limit=10
        )
        assert every.basis == "case_number"
        assert node.urn in {case.urn for case in every.cases}
        named = engine.resolve_case(case_name=tags["case_name"].upper(), court=tags["court"], date="1800", limit=10)
        assert (named.basis, node.urn in [case.urn for case in named.cases]) == ("case_name", True)
        assert all(tags["case_name"].casefold() in case.case_name.casefold() for case in named.cases)
        part = engine.resolve_case(case_name=tags["case_name"][3:20], limit=10)
        assert node.urn in {case.urn for case in part.cases} or part.more
        dated = engine.resolve_case(court=tags["court"][:12], date=tags["date"][:7], limit=10)
        assert dated.basis == "court"
        assert node.urn in {case.urn for case in dated.cases} or dated.more
        days = [case.date for case in dated.cases]
        assert days == sorted(days, reverse=True)
        assert all(day.startswith(tags["date"][:7]) for day in days)
    days = [node.tags["date"] for node in cases(stored) if node.jurisdiction == "us"]
    latest = [case.date for case in engine.resolve_case(court="Supreme Court", date="1922", limit=10).cases]
    assert latest == sorted(days, reverse=True)[:10]
    assert len(set(latest)) > 2


def test_hostile_clues_are_plain_text(engine: Engine, shared_data: Path) -> None:
    strings: list[str] = json.loads((shared_data / "attacks" / "blns" / "blns.json").read_text(encoding="utf-8"))
    hostile = ["%", "_", *[text for text in strings if "'" in text or "%" in text][::2]]
    assert len(hostile) > 20
    for text in hostile:
        letters = "".join(filter(str.isalnum, text)).casefold()
        for case in engine.resolve_case(case_name=text).cases:
            assert letters
            assert letters in "".join(filter(str.isalnum, case.case_name)).casefold(), text


def case_form(**clues: object) -> CaseResolve:
    return CaseResolve.model_validate(clues)


def test_candidates_are_lines_of_five_parts_without_the_text_and_faults_are_told(engine: Engine) -> None:
    tools = CaseTools(engine)
    lines = tools.resolve_case_doc_id(case_form(court="Supreme Court")).splitlines()
    lines += tools.resolve_case_doc_id(case_form(court="EWHC", limit=3)).splitlines()
    rows = [line for line in lines if " / " in line]
    assert len(rows) == 5 + 2
    told = [line for line in lines if line not in rows]
    assert told == ["Candidates:", "There are more; narrow it with another clue.", "Candidates:"]
    assert all(re.match(r"\d\. doc_id=urn:lex:(us|gb):\S+ / .+ / \d{4}-\d\d-\d\d / .+ / .+", row) for row in rows)
    assert "no clue" in tools.resolve_case_doc_id(case_form())
    assert "No case in the store fits" in tools.resolve_case_doc_id(case_form(case_name="%Alder"))
    for urn, words in ((COAL, "coal"), (JONES, "Guildford")):
        assert words.casefold() in tools.get_case_text(CaseGet(doc_id=urn, blocks=None)).casefold()


@pytest.mark.parametrize(
    ("words", "code", "urn"), [("coal company court of claims", "us", COAL), ("Crown Court costs", "gb", JONES)]
)
def test_cases_are_searched_by_words_in_a_store_of_several_languages(
    engine: Engine, words: str, code: str, urn: str
) -> None:
    for place in (code, "*"):
        lines = (
            CaseTools(engine)
            .search_cases(CaseSearch(query=words, jurisdiction=place, language=None, limit=10))
            .splitlines()
        )
        assert lines[0] == "Decisions:"
        assert lines[1].startswith(f"1. doc_id={urn} / ")


# --- S3: tools --------------------------------------------------------------------------------------------------------

Tags = dict[str, str]
Fits = Callable[[Tags], bool]
# Tag filters, each with what a node's tags (and those of what contains it) must be.
FILTERS: list[tuple[Tags, Fits]] = [
    ({"code": "Code civil"}, lambda tags: tags.get("code") == "Code civil"),
    ({"code": "!=Code civil"}, lambda tags: tags.get("code", "Code civil") != "Code civil"),
    ({"code": "Code civil|BGB|GDPR"}, lambda tags: tags.get("code") in ("Code civil", "BGB", "GDPR")),
    ({"code": "!=Code civil|BGB|GDPR"},
     lambda tags: tags.get("code", "BGB") not in ("Code civil", "BGB", "GDPR")),
    ({"case_number": "*"}, lambda tags: "case_number" in tags),
    ({"code": "!*"}, lambda tags: "code" not in tags),
    ({"document_form": "code"}, lambda tags: tags.get("document_form") == "code"),
    ({"type": "statute|regulation"}, lambda tags: tags.get("type") in ("statute", "regulation")),
    ({"court_level": "supreme"}, lambda tags: tags.get("court_level") == "supreme"),
    ({"enforcement_status": "in_force"}, lambda tags: tags.get("enforcement_status") == "in_force"),
]  # fmt: skip


def test_an_article_is_found_as_it_read_on_a_day(engine: Engine) -> None:
    tags = {"jurisdiction": "fr", "kind": "legislation"}
    for day, words in ((date(2016, 8, 10), "débiteur est condamné"), (date(2026, 4, 3), "incapacité de contracter")):
        first = engine.search("article 1147", language="fr", tags=tags, at_date=day).results[0]
        assert first.urn == f"{CIVIL}:1147"
        assert words in first.snippet


@pytest.fixture(scope="module")
def units(engine: Engine, stored: list[Stored]) -> dict[str, Tags]:
    """What a search without words lists, provisions and decisions, with the tags of what contains them."""
    lines = {(node.jurisdiction, node.path): node for node in stored if node.in_force}
    tags: dict[str, Tags] = {}
    for line in lines.values():
        above = [line.path[: end.start()] for end in re.finditer(r"\.", line.path)]
        holders = [lines[line.jurisdiction, path] for path in (*above, line.path) if (line.jurisdiction, path) in lines]
        tags[line.urn] = {key: value for holder in holders for key, value in holder.tags.items()}
    return {urn: tags[urn] for urn in listed(engine, {})}


def listed(engine: Engine, tags: Tags) -> list[str]:
    """All that a search by filters lists, page by page."""
    found: list[str] = []
    while True:
        page = engine.search(tags={"jurisdiction": "*", **tags}, limit=100, offset=len(found)).results
        found += [hit.urn for hit in page]
        if len(page) < 100:
            return found


@pytest.mark.parametrize(("tags", "fits"), FILTERS, ids=lambda one: json.dumps(one) if isinstance(one, dict) else "")
def test_a_filter_gives_what_has_the_tag_and_nothing_else(
    engine: Engine, units: dict[str, Tags], tags: Tags, fits: Fits
) -> None:
    found = listed(engine, tags)
    assert sorted(found) == sorted(urn for urn, held in units.items() if fits(held))
    one_publisher = tags.get("code") == "Code civil" or "court_level" in tags
    assert len({urn.split(":")[2] for urn in found}) >= (1 if one_publisher else 2)


@pytest.mark.parametrize(
    ("given", "places"),
    [
        ({"jurisdiction": "us"}, {"us", "us-dc"}), ({"jurisdiction": "eu|fr"}, {"eu", "fr"}),
        ({"jurisdiction": "!=us|gb"}, {"de", "eu", "fr", "jp"}), ({"jurisdiction": "*"}, set(PLACES)),
        ({"jurisdiction": "*", "language": "fr|de"}, {"fr", "de"}),
        ({"jurisdiction": "*", "kind": "decision"}, {"gb", "us"}),
        ({"jurisdiction": "*", "kind": "!=legislation|record|notice"}, {"gb", "us"}),
        ({"jurisdiction": "*", "source": "gdpr.json|bgb.md"}, {"eu", "de"}),
    ],
)  # fmt: skip
def test_columns_filter_as_tags_do(engine: Engine, given: dict[str, str], places: set[str]) -> None:
    other = "en" if "language" in given else None  # the tag counts, not the parameter
    found = engine.search(language=other, tags=given, discover="jurisdiction")
    assert {value.value for value in found.values} == places


@pytest.mark.anyio
async def test_the_tools_need_a_jurisdiction_and_searchable_kinds(engine: Engine) -> None:
    assert "urisdiction" in await refused(engine, "search", {"language": "en", "query": "commerce"})
    for kind in ("section", "chunk"):
        told = await refused(engine, "search", {"language": "en", "tags": {"jurisdiction": "us", "kind": kind}})
        assert kind in told
    for code, language, words in (("us", "en", "commerce"), ("fr", "fr", "dommage"), ("eu", "en", "erasure")):
        found = await call(engine, "search", language=language, query=words, tags={"jurisdiction": code})
        assert found["results"]
        assert all(hit["urn"].split(":")[2].startswith(code) for hit in found["results"])
        assert all(hit["snippet"] for hit in found["results"])


def test_words_filters_and_dates_compose_and_browsing_is_latest_first(engine: Engine, stored: list[Stored]) -> None:
    def urns(words: str, code: str) -> set[str]:
        return {hit.urn for hit in engine.search(words, jurisdiction=code, limit=100).results}

    for code, words, other in (("us", '"restraint of trade"', "commerce"), ("fr", "dommage", "réparer")):
        plain, others = urns(words, code), urns(other, code)
        both, less = urns(f"{words} AND {other}", code), urns(f"{words} -{other}", code)
        assert both
        assert less
        assert both | less == plain
        assert not both & less
        assert both <= others
        assert urns(f"{words} OR {other}", code) <= plain | others
        assert plain <= urns(f"{words} OR {other}", code)
    for code, first, last in (("us", "1922-10-01", "1922-10-31"), ("gb", "2022-01-01", "2022-12-31")):
        page = engine.search(tags={"jurisdiction": code, "kind": "decision"}, date_from=first, date_to=last, limit=100)
        days = [hit.day or "" for hit in page.results]
        assert len(set(days)) > 1 or code == "gb"
        assert all(first <= day <= last for day in days)
        assert days == sorted(days, reverse=True)
    every = engine.search(tags={"jurisdiction": "*", "kind": "decision"}, limit=100).results
    days = [hit.day or "" for hit in every]
    assert days == sorted(days, reverse=True)
    assert {hit.urn for hit in every} == {node.urn for node in cases(stored)}
    with pytest.raises(InputError):
        engine.search("commerce", limit=0)
    first, second = (engine.search(tags={"jurisdiction": "eu"}, limit=5, offset=at).results for at in (0, 5))
    assert len(first) == len(second) == 5
    assert not {hit.urn for hit in first} & {hit.urn for hit in second}


@pytest.mark.parametrize("code", ["eu", "fr", "gb", "jp", "us", "us-dc"])
def test_an_edge_filter_gives_what_has_that_edge(engine: Engine, units: dict[str, Tags], code: str) -> None:
    with engine.database.read() as conn:
        targets = [
            row[0]
            for row in conn.execute(
                "select e.target_urn from edges e join legal_nodes g on g.jurisdiction = e.target_jurisdiction"
                " and g.node_id = e.target_id and g.kind = 'legislation' and e.target_urn = g.urn"
                " where e.jurisdiction = %s and e.kind = 'cites'"
                " group by 1 having count(distinct e.source_id) < 30"
                " order by count(distinct e.source_id) desc, 1 limit 2",
                [code],
            )
        ]
        rows = conn.execute(_CITING, [targets, code]).fetchall()

    def citing(kind: str, *wanted: str) -> list[set[str]]:
        return [{urn for edge, urn, at in rows if kind in (edge, "*") and at == place} for place in wanted]

    def found(edges: dict[str, str]) -> set[str]:
        return {hit.urn for hit in engine.search(tags={"jurisdiction": code}, edges=edges, limit=100).results}

    [first, second], [any_first] = citing("cites", *targets), citing("*", targets[0])
    one, other, whichever = found({"cites": targets[0]}), found({"cites": targets[1]}), found({"*": targets[0]})
    assert one
    assert one == first & units.keys()
    assert other == second & units.keys()
    assert whichever == any_first & units.keys()
    assert found({"cites": f"{targets[0]}|{targets[1]}"}) == one | other
    assert found({"cites": f"{targets[0]}&{targets[1]}"}) == one & other
    kinds = {value.value for value in engine.search(tags={"jurisdiction": code}, discover="edge_kinds").values}
    assert {kind for kind, *_ in rows} <= kinds


# The kinds of the edges to some targets and what lies below them, with the nodes that contain their sources.
_CITING = """
select e.kind, r.urn, t.urn
from edges e
join legal_nodes n on n.jurisdiction = e.jurisdiction and n.node_id = e.source_id and n.validity @> current_date
join legal_nodes r on r.jurisdiction = n.jurisdiction and r.node_id = any(n.ancestor_ids)
join legal_nodes g on g.jurisdiction = e.target_jurisdiction and g.node_id = e.target_id
join legal_nodes t on t.jurisdiction = g.jurisdiction and t.citation_path @> g.citation_path and t.urn = any(%s)
where e.jurisdiction = %s
"""


def test_discovery_gives_keys_and_counted_values(engine: Engine) -> None:
    for code, key, value in (("us", "court", "Supreme Court of the United States"), ("gb", "court", "EWFC")):
        scope = {"jurisdiction": code, "kind": "decision"}
        assert key in {value.value for value in engine.search(tags=scope, discover="*").values}
        assert value in {value.value for value in engine.search(tags=scope, discover=key).values}


@pytest.mark.parametrize(
    ("reference", "word"),
    [(f"{DC}:28-3905", "complaint"), (f"{GDPR}:12", "controller"), (JONES, "costs"), (COAL, "coal"), (WAGES, "order")],
)
def test_a_document_is_read_whole_by_ranges_and_by_highlights(engine: Engine, reference: str, word: str) -> None:
    whole = engine.document(reference)
    blocks = list(whole.blocks)
    while whole.next_blocks is not None:
        whole = engine.document(reference, blocks=whole.next_blocks)
        blocks += whole.blocks
    assert [block.number for block in blocks] == list(range(1, whole.total_blocks + 1))
    some = engine.document(reference, blocks="2-3")
    assert {block.number for block in some.blocks} == {2, 3}
    lit = engine.document(reference, highlight=word)
    matched = {block.number for block in lit.blocks if block.matched}
    assert matched
    assert len(lit.blocks) <= 40
    assert all(any(abs(block.number - number) <= 1 for number in matched) for block in lit.blocks)
    assert all(re.search(word, f"{block.heading} {block.text}", re.I) for block in lit.blocks if block.matched)


@pytest.mark.parametrize(
    ("code", "language"), [("us", "en"), ("us-dc", "en"), ("fr", "fr"), ("eu", "en"), ("de", "de"), ("jp", "ja")]
)
def test_the_structure_is_the_tree_of_headings_of_one_place_and_language(
    engine: Engine, stored: list[Stored], code: str, language: str
) -> None:
    seen: list[Any] = []
    while True:
        page = engine.browse_structure(language=language, tags={"jurisdiction": code}, limit=50, offset=len(seen))
        seen += page.sections
        if page.next_offset is None:
            break
    assert all((entry.jurisdiction.startswith(code), entry.language) == (True, language) for entry in seen)
    headings = {
        node.urn for node in stored
        if node.in_force and node.kind == "section" and node.language == language
        and (node.jurisdiction == code or node.jurisdiction.startswith(f"{code}-"))
    }  # fmt: skip
    assert headings <= {entry.urn for entry in seen}
    places = {one.urn: place for place, one in enumerate(seen)}
    assert all(places[entry.parent_urn] < places[entry.urn] for entry in seen if entry.parent_urn in places)
    root = seen[0].urn
    below = engine.browse_structure(language=language, tags={"jurisdiction": code}, root_id=root, depth=1)
    assert all(section.depth <= 1 for section in below.sections)


def test_guidelines_of_every_published_jurisdiction_say_what_the_store_has(engine: Engine) -> None:
    for code in PLACES:
        assert engine.guidelines("jurisdiction", code).text
    joined = engine.guidelines("jurisdiction", "eu|fr").text
    assert "32016r0679" in joined or "General Data Protection" in joined
    for code in (None, "", "!*"):
        with pytest.raises(InputError):
            engine.guidelines("jurisdiction", code)


# --- S4: documents in chunks ------------------------------------------------------------------------------------------


def test_chunks_of_documents_are_found_and_put_together_in_their_order(
    engine: Engine, shared_data: Path, tmp_path: Path
) -> None:
    files = {path.stem: path for path in write_plain(shared_data, tmp_path)}
    urn, words = TERMS, "intellectual property licence"
    hits = engine.search(words, tags={"jurisdiction": "us", "legaldocument_type": "cases"}, limit=15).results
    assert urn in {hit.document_urn for hit in hits}
    assert all(hit.urn != hit.document_urn for hit in hits)
    whole = engine.document(urn)
    numbers = [int(block.urn.rpartition(":")[2]) for block in whole.blocks if block.urn != urn]
    assert numbers == list(range(1, len(numbers) + 1))
    assert whole.tags["chunk_count"] == str(len(numbers))
    assert (whole.document_urn, whole.tags["legaldocument_type"]) == (urn, "cases")
    text = files[urn.rpartition(":")[2]].read_text(encoding="utf-8")
    assert "".join(text.split()) == "".join("".join(block.text.split()) for block in whole.blocks)
    assert whole.heading == "terms-1"


def test_a_section_of_a_code_as_text_is_that_section_with_its_parts(engine: Engine) -> None:
    hits = engine.search("qualifying child taxpayer", tags={"jurisdiction": "us"}, limit=15).results
    assert SECTION in {hit.document_urn for hit in hits}
    read = engine.document(f"{SECTION}:152:c:1:b").blocks
    assert read[-1].text.startswith("who has the same principal place of abode")


def test_documents_are_listed_once_with_their_chunks_by_type_and_page(engine: Engine) -> None:
    every = engine.list_documents(jurisdiction="us", type="cases", limit=100)
    assert len({document.urn for document in every.documents}) == len(every.documents) == every.total >= 6
    assert {TERMS, SECTION} <= {document.urn for document in every.documents}
    with engine.database.read() as conn:
        counted = dict(
            conn.execute(
                "select regexp_replace(urn, ':[0-9]+$', ''), count(*) from legal_nodes where kind = 'chunk' group by 1"
            ).fetchall()
        )
    assert {one.urn: one.chunk_count for one in every.documents if one.urn in counted} == counted
    pages = [engine.list_documents(jurisdiction="us", type="cases", limit=2, offset=at).documents for at in (0, 2, 4)]
    assert [row.urn for page in pages for row in page] == [document.urn for document in every.documents][:6]
    assert not engine.list_documents(jurisdiction="us", type="practice_notes_checklists").documents
