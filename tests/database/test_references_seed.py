"""The eleven examples of the specification: what each reference is read as, and what it finds in a store."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest
from conftest import Stores
from law import DAY, document, store

from rag.jurisdictions.grammars import GRAMMARS
from rag.jurisdictions.registry import jurisdiction_for
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from rag.store.database import Connection, Database
from retrieval.references.resolution import resolve_reference
from retrieval.tag_query import TagFilter, TagFilterOp, TagFilterSet, TagQuery

PUNCTUATION = r"[\s.\-/]"
TURN = date(2016, 10, 1)


def law(
    code: str, name: str, language: str, *nodes: tuple[str, str, dict[str, str], date | None, date | None]
) -> ParsedDocument:
    """One corpus: (number, kind, tags, first day, first day no longer in force) under its root."""
    urn = f"urn:lex:{code}:{name}"
    root = ParsedNode(urn, None, "ROOT", "corpus", heading=name, kind="section")
    rest = [
        ParsedNode(
            f"{urn}:{number}", urn, "ARTICLE", "article", number, content_text=f"Text of {number} since {start}.",
            kind=kind, tags=tags, valid_from=start, valid_to=end,
        )
        for number, kind, tags, start, end in nodes
    ]  # fmt: skip
    return document([root, *rest], in_corpus=Corpus(urn=urn, title=name, language=language))


def case(number: str, name: str, court: str) -> tuple[str, str, dict[str, str], None, None]:
    return number, "decision", {"case_number": name, "court": court}, None, None


LEGAL = "legislation"
CIVIL = {"code": "Code civil"}
DOCUMENTS = (
    law(
        "fr", "code-civil", "fr",
        ("1240", LEGAL, {**CIVIL, "article_number": "1240"}, TURN, None),
        ("1147", LEGAL, {**CIVIL, "article_number": "1147"}, None, TURN),
        ("1147", LEGAL, {**CIVIL, "article_number": "1147"}, TURN, None),
    ),
    law("fr", "code-penal", "fr", ("1240", LEGAL, {"code": "Code pénal", "article_number": "1240"}, None, None)),
    law("fr", "loi-2021-1109", "fr", ("loi", LEGAL, {"nature": "LOI", "number": "2021-1109"}, None, None)),
    law("fr", "decret-2021-1109", "fr", ("decret", LEGAL, {"nature": "DECRET", "number": "2021-1109"}, None, None)),
    law(
        "fr", "jurisprudence", "fr",
        case("c1", "20-20.648", "cour_cassation"), case("c2", "486329", "conseil_etat"),
        case("c3", "21/00091", "cour_appel"), case("c4", "21/00091", "tribunal_commerce"),
        ("c5", "decision", {"ecli": "ECLI:FR:CCASS:2024:C100001"}, None, None),
    ),
    law(
        "fr", "conventions", "fr",
        ("k1", LEGAL, {"idcc": "3239", "in_force": "true"}, None, None),
        ("k2", LEGAL, {"idcc": "3239", "in_force": "false"}, None, None),
    ),
    law(
        "gb", "ukpga-1968-60", "en",
        ("1", LEGAL, {"section_number": "1", "act_title": "Theft Act 1968"}, None, None),
        ("2", LEGAL, {"section_number": "2", "act_title": "Theft Act 1968"}, None, None),
    ),
    law(
        "gb", "ukpga-1987-99", "en",
        ("1", LEGAL, {"section_number": "1", "act_title": "Invented Things Act 1987"}, None, None),
        ("1:2", LEGAL, {"act_title": "Invented Things Act 1987"}, None, None),
    ),
    law(
        "gb", "nia-1969", "en",
        ("1", LEGAL, {"section_number": "1", "act_title": "Theft Act (Northern Ireland) 1969"}, None, None),
    ),
    law("de", "bgb", "de", ("823", LEGAL, {"paragraph": "823", "code": "BGB"}, None, None)),
    law("eu", "12016e", "en", ("101", LEGAL, {"article_number": "101", "treaty": "TFEU"}, None, None)),
)  # fmt: skip


def number_query(number: str, court: str | list[str], hint: str) -> TagQuery:
    op = TagFilterOp.EQ if isinstance(court, str) else TagFilterOp.IN
    filters = (
        TagFilter(key="case_number", op=TagFilterOp.NORMALIZE, value=number, normalize_pattern=PUNCTUATION),
        TagFilter(key="court", op=op, value=court),
    )
    return TagQuery(language="fr", kind="decision", tag_filters=TagFilterSet(filters=filters), hint=hint)


def tags_query(language: str, kind: str, tags: dict[str, str], **given: object) -> TagQuery:
    return TagQuery(language=language, kind=kind, tag_filters=TagFilterSet.from_tags(tags), **given)  # pyright: ignore[reportArgumentType]


# jurisdiction, reference, date, the specification's value, the provision's URN, the status of the resolution
EXAMPLES = [
    (
        "fr", "article 1240 du code civil", None,
        tags_query("fr", LEGAL, {"article_number": "1240", "code": "Code civil"}, should_sort_in_force_first=True),
        "urn:lex:fr:code-civil:1240", "resolved",
    ),
    (
        "fr", "article 1147 du code civil", date(2015, 6, 15),
        tags_query("fr", LEGAL, {"article_number": "1147", "code": "Code civil"}, at_date=date(2015, 6, 15)),
        "urn:lex:fr:code-civil:1147", "resolved",
    ),
    (
        "fr", "loi n 2021-1109", None, tags_query("fr", LEGAL, {"nature": "LOI", "number": "2021-1109"}),
        "urn:lex:fr:loi-2021-1109:loi", "resolved",
    ),
    (
        "fr", "pourvoi 20-20.648", None,
        number_query("20-20.648", "cour_cassation", "pourvoi Cour de cassation"),
        "urn:lex:fr:jurisprudence:c1", "candidates",
    ),
    (
        "fr", "486329", None, number_query("486329", "conseil_etat", "requete Conseil d'Etat"),
        "urn:lex:fr:jurisprudence:c2", "candidates",
    ),
    (
        "fr", "21/00091", None,
        number_query("21/00091", ["cour_appel", "tribunal_judiciaire"], "RG cour d'appel ou tribunal judiciaire"),
        "urn:lex:fr:jurisprudence:c3", "candidates",
    ),
    (
        "fr", "ECLI:FR:CCASS:2024:C100001", None,
        tags_query("fr", "decision", {"ecli": "ECLI:FR:CCASS:2024:C100001"}),
        "urn:lex:fr:jurisprudence:c5", "resolved",
    ),
    (
        "fr", "IDCC 3239", None, tags_query("fr", LEGAL, {"idcc": "3239", "in_force": "true"}),
        "urn:lex:fr:conventions:k1", "resolved",
    ),
    (
        "gb", "section 1 of the Theft Act 1968", None,
        TagQuery(language="en", kind=LEGAL, tag_filters=TagFilterSet(filters=(
            TagFilter(key="section_number", op=TagFilterOp.EQ, value="1"),
            TagFilter(key="act_title", op=TagFilterOp.ILIKE, value="Theft Act 1968"),
        ))),
        "urn:lex:gb:ukpga-1968-60:1", "resolved",
    ),
    (
        "de", "§ 823 BGB", None, tags_query("de", LEGAL, {"paragraph": "823", "code": "BGB"}),
        "urn:lex:de:bgb:823", "resolved",
    ),
    (
        "eu", "Article 101 TFEU", None, tags_query("en", LEGAL, {"article_number": "101", "treaty": "TFEU"}),
        "urn:lex:eu:12016e:101", "resolved",
    ),
]  # fmt: skip
_IDS = [example[1] for example in EXAMPLES]


@pytest.fixture(scope="module")
def conn(stores: Stores, empty_template: str) -> Iterator[Connection]:
    with Database(stores.clone(empty_template)) as database:
        store(database, *DOCUMENTS)
        with database.read() as connection:
            yield connection


def test_each_example_of_the_specification_has_a_grammar() -> None:
    assert len(EXAMPLES) == 11
    assert all(jurisdiction_for(example[0]).supports_annotation for example in EXAMPLES)


@pytest.mark.parametrize(("code", "reference", "at_date", "value", "urn", "status"), EXAMPLES, ids=_IDS)
def test_example_is_read_as_the_specification_says(
    conn: Connection, code: str, reference: str, at_date: date | None, value: TagQuery, urn: str, status: str
) -> None:
    found = resolve_reference(conn, GRAMMARS, reference, today=DAY, jurisdiction=code, at_date=at_date)
    assert found.tag_queries == [value]


@pytest.mark.parametrize(("code", "reference", "at_date", "value", "urn", "status"), EXAMPLES, ids=_IDS)
def test_example_finds_its_provision_whatever_the_grammars_that_read_along(
    conn: Connection, code: str, reference: str, at_date: date | None, value: TagQuery, urn: str, status: str
) -> None:
    found = resolve_reference(conn, GRAMMARS, reference, today=DAY, at_date=at_date)
    assert (found.status, found.urn) == (status, urn)
    assert (
        (found.hint is not None) == (status == "candidates") == any("Read as" in warning for warning in found.warnings)
    )


def test_date_in_the_words_counts_like_a_date_of_the_request(conn: Connection) -> None:
    found = resolve_reference(
        conn, GRAMMARS, "article 1147 du code civil, version en vigueur au 15 juin 2015", today=DAY
    )
    assert (found.urn, found.candidates[0].valid_to) == ("urn:lex:fr:code-civil:1147", TURN)


def test_article_number_that_several_codes_have_is_ambiguous_and_lists_them(conn: Connection) -> None:
    found = resolve_reference(conn, GRAMMARS, "article 1240", today=DAY)
    assert (found.status, found.urn) == ("ambiguous", None)
    assert {candidate.urn for candidate in found.candidates} == {
        "urn:lex:fr:code-civil:1240",
        "urn:lex:fr:code-penal:1240",
    }
    assert all(candidate.hint for candidate in found.candidates)


@pytest.mark.parametrize(
    ("reference", "status", "urn"),
    [
        ("Invented Things Act 1987 s 1(2)", "resolved", "urn:lex:gb:ukpga-1987-99:1:2"),
        ("Invented Things Act 1987 s 1(3)", "candidates", "urn:lex:gb:ukpga-1987-99:1"),
    ],
)
def test_part_of_a_section_is_found_where_the_store_has_it(
    conn: Connection, reference: str, status: str, urn: str
) -> None:
    found = resolve_reference(conn, GRAMMARS, reference, today=DAY)
    assert (found.status, found.urn) == (status, urn)


def test_tag_narrows_an_ambiguous_reference_to_one(conn: Connection) -> None:
    found = resolve_reference(conn, GRAMMARS, "article 1240", today=DAY, tags={"code": "Code pénal"})
    assert (found.status, found.urn) == ("candidates", "urn:lex:fr:code-penal:1240")
    gone = resolve_reference(conn, GRAMMARS, "article 1240 du code civil", today=DAY, tags={"code": "Code pénal"})
    assert (gone.status, gone.urn) == ("not_found", None)
