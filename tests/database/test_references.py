"""The pipeline of reference resolution: ids, versions, certain and uncertain readings, and what is not there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date

import pytest
from conftest import Stores
from law import DAY, C, document, node, store
from requirements import requirement

from rag.jurisdictions.grammars import GRAMMARS
from rag.law.jurisdiction import FoundReference, ReferencePart
from rag.law.nodes import ParsedNode
from rag.store.database import Connection, Database
from retrieval.errors import InputError
from retrieval.model import Resolution
from retrieval.references.batch import resolve_references
from retrieval.references.hits import Request
from retrieval.references.pipeline import resolve
from retrieval.references.resolution import resolve_reference
from retrieval.references.store_finder import StoreFinder
from retrieval.tag_query import TagFilter, TagFilterOp, TagFilterSet, TagQuery, urn_query

TURN = date(2020, 1, 1)


class Reads:
    """A grammar that reads every string as the same queries."""

    def __init__(self, *queries: TagQuery, urn: str = "", confident: bool = True) -> None:
        self._queries = list(queries)
        self._urn = urn
        self._confident = confident
        self.code = f"zz-{id(self)}"

    def tag_queries(self, reference: str) -> list[TagQuery]:
        return self._queries

    def find_references(self, text: str, here: None) -> list[FoundReference]:
        part = ReferencePart(0, len(text), self._urn)
        return [FoundReference(0, len(text), text, (part,), "explicit", self._confident)] if self._urn else []


def tags(hint: str | None = None, **equal: str) -> TagQuery:
    return TagQuery(language="en", tag_filters=TagFilterSet.from_tags(equal), hint=hint)


SMALL = [
    node(C), node(f"{C}:1"), node(f"{C}:2"),
    node(f"{C}:1:1", "First.", aliases=["old.1", "urn:lex:us:tc:uno"], valid_to=TURN, tags={"k": "a"}),
    node(f"{C}:1:1", "Second.", aliases=["new.1"], valid_from=TURN, tags={"k": "a"}),
    node(f"{C}:1:2", "Other.", aliases=["SHARED"], tags={"k": "b", "court": "x"}),
    node(f"{C}:1:3", "Third.", aliases=["SHARED"], tags={"k": "b", "court": "y"}),
    node(f"{C}:1:4", "Gone.", valid_to=TURN, tags={"k": "c", "status": "repealed"}),
    node(f"{C}:1:5", "", tags={"k": "d", "status": "repealed"}, valid_from=TURN),
    node(f"{C}:2:1", "Order.", tags={"act_title": "The Widget Act 1998 (Commencement No. 1) Order 1998"}),
    node(f"{C}:2:2", "Tax.", tags={"act_title": "The Lévy Act 2002"}),
    node(f"{C}:2:3", "Tax.", tags={"act_title": "Local Levy Act 2002"}),
    ParsedNode(
        f"{C}:3", C, "ROOT", "decision", "3", content_text="Held.", kind="decision",
        aliases=["259 X. 188"], tags={"case_name": "Coal Company v. Board of Education", "date": "1922"},
    ),
    node(f"{C}:1:6", "Soon.", tags={"k": "e"}, valid_from=date(2030, 1, 1)),
]  # fmt: skip


@pytest.fixture(scope="module")
def law(stores: Stores, empty_template: str) -> Iterator[Database]:
    """A store with a small law that all tests of `conn` read."""
    with Database(stores.clone(empty_template)) as database:
        store(database, document(SMALL))
        yield database


@pytest.fixture
def conn(law: Database) -> Iterator[Connection]:
    with law.read() as connection:
        yield connection


Ask = Callable[..., Resolution]


@pytest.fixture
def ask(conn: Connection) -> Ask:
    def call(
        reference: str, *parsers: Reads, at_date: date | None = None, narrow: Mapping[str, str] | None = None
    ) -> Resolution:
        request = Request(reference, ("us",), None, at_date, DAY, narrow or {})
        return resolve(StoreFinder(conn), request, parsers)

    return call


@pytest.mark.parametrize(
    ("reference", "at_date", "urn", "until"),
    [
        (f"{C}:1:1", None, f"{C}:1:1", None),
        (f"{C}:1:1".upper(), None, f"{C}:1:1", None),
        (f"{C}:1:1".replace(":us:", ":fed:"), None, f"{C}:1:1", None),
        (f"{C}:1:1", date(2019, 12, 31), f"{C}:1:1", TURN),
        ("urn:lex:us:tc:uno", None, f"{C}:1:1", TURN),
        ("old.1", None, f"{C}:1:1", TURN),
        ("OLD.1", None, f"{C}:1:1", TURN),
        ("old.1", TURN, f"{C}:1:1", None),
        ("new.1", None, f"{C}:1:1", None),
        ("new.1", date(2019, 12, 31), f"{C}:1:1", TURN),
    ],
)
def test_id_leads_to_the_version_it_names_and_with_a_date_to_that_of_the_date(
    ask: Ask, reference: str, at_date: date | None, urn: str, until: date | None
) -> None:
    found = ask(reference, at_date=at_date)
    assert (found.status, found.urn, found.candidates[0].valid_to) == ("resolved", urn, until)


@requirement("P12")
def test_id_that_several_nodes_bear_is_ambiguous_and_tags_decide(ask: Ask) -> None:
    found = ask("SHARED")
    assert (found.status, [candidate.urn for candidate in found.candidates]) == ("ambiguous", [f"{C}:1:2", f"{C}:1:3"])
    assert ask("SHARED", narrow={"court": "y"}).urn == f"{C}:1:3"
    assert ask("SHARED", narrow={"court": "z"}).status == "not_found"


def test_id_wins_over_every_reading(ask: Ask) -> None:
    assert ask("old.1", Reads(tags(k="b"))).urn == f"{C}:1:1"


@pytest.mark.parametrize(
    ("parsers", "status", "urns", "warnings"),
    [
        ([Reads(tags(k="a"))], "resolved", ["1:1"], 0),
        ([Reads(tags(k="zzz"), tags(k="a"))], "resolved", ["1:1"], 0),
        ([Reads(tags(k="a"), tags(k="b"))], "resolved", ["1:1"], 0),
        ([Reads(tags(k="a"), tags("maybe", k="b"))], "resolved", ["1:1"], 0),
        ([Reads(tags("maybe", k="a"))], "candidates", ["1:1"], 1),
        ([Reads(tags("maybe", k="a")), Reads(tags("or so", k="a"))], "candidates", ["1:1"], 1),
        ([Reads(tags("maybe", k="a"), tags("or else", k="b"))], "ambiguous", ["1:1", "1:2", "1:3"], 0),
        ([Reads(tags(k="b"))], "ambiguous", ["1:2", "1:3"], 0),
        ([Reads(tags(k="a")), Reads(tags(k="b", court="x"))], "ambiguous", ["1:1", "1:2"], 0),
        ([Reads(tags(k="a")), Reads(urn_query(f"{C}:1:1", language="en"))], "resolved", ["1:1"], 0),
        ([Reads(urn_query(f"{C}:1:1", language="de"))], "resolved", ["1:1"], 1),
        ([Reads(tags(k="zzz"))], "not_found", [], 0),
        ([Reads(tags(k="zzz"), urn=f"{C}:1:2")], "resolved", ["1:2"], 0),
        ([Reads(tags(k="zzz"), urn="urn:lex:us:tc:uno")], "resolved", ["1:1"], 1),
        ([Reads(tags(k="zzz"), urn=f"{C}:1:2", confident=False)], "not_found", [], 0),
        ([Reads(tags(k="a"), urn=f"{C}:1:2")], "resolved", ["1:1"], 0),
        ([Reads(tags("maybe", k="zzz"), urn=f"{C}:1:2")], "not_found", [], 0),
        ([Reads()], "not_found", [], 0),
        ([], "not_found", [], 0),
    ],
)
def test_certain_readings_win_and_rival_ones_are_listed(
    ask: Ask, parsers: list[Reads], status: str, urns: list[str], warnings: int
) -> None:
    found = ask("some words", *parsers)
    assert (found.status, [candidate.urn.removeprefix(f"{C}:") for candidate in found.candidates]) == (status, urns)
    assert len(found.warnings) == warnings
    assert found.urn == (found.candidates[0].urn if status in ("resolved", "candidates") else None)
    assert bool(found.message) == (status in ("ambiguous", "not_found"))


def test_message_tells_what_was_not_read_from_what_is_not_there(ask: Ask) -> None:
    assert "not in the store" in ask("some words", Reads(tags(k="zzz"))).message
    assert "not read as a reference" in ask("some words", Reads()).message


@pytest.mark.parametrize(
    ("key", "at_date", "warning"),
    [
        ("c", None, "repealed since 2020-01-01"),
        ("c", date(2019, 1, 1), ""),
        ("d", None, "repealed since 2020-01-01"),
        ("e", None, "not in force before 2030-01-01"),
        ("e", date(2029, 12, 31), "not in force before 2030-01-01"),
        ("e", date(2030, 1, 1), ""),
    ],
)
def test_law_not_in_force_is_found_and_says_when_it_was(ask: Ask, key: str, at_date: date | None, warning: str) -> None:
    found = ask("some words", Reads(tags(k=key)), at_date=at_date)
    assert found.status == "resolved"
    assert len(found.warnings) == bool(warning)
    assert warning in "".join(found.warnings)


def test_other_jurisdictions_of_the_store_do_not_answer(conn: Connection) -> None:
    request = Request(f"{C}:1:1", ("de",), None, None, DAY, {})
    assert resolve(StoreFinder(conn), request, []).status == "not_found"


@pytest.mark.parametrize("reference", ["", "  ", "\u200b", "§", "x" * 1001, "\ud800x", "urn:lex:us", "urn:lex:us:a:"])
def test_what_cannot_be_a_reference_is_refused(conn: Connection, reference: str) -> None:
    with pytest.raises(InputError):
        resolve_reference(conn, GRAMMARS, reference, today=DAY)


@pytest.mark.parametrize("reference", ["old.1\u200b", "\u202eold.1\u202c", "old.1\0", " old.1\n"])
def test_invisible_characters_do_not_hide_a_reference(conn: Connection, reference: str) -> None:
    assert resolve_reference(conn, GRAMMARS, reference, today=DAY).urn == f"{C}:1:1"


@pytest.mark.parametrize(
    ("title", "urn", "hint"),
    [
        ("Levy Act 2002", f"{C}:2:2", None),
        ("LEVY ACT 2002", f"{C}:2:2", None),
        ("Widget Act 1998", f"{C}:2:1", "a title that contains the one named"),
    ],
)
def test_title_that_only_contains_the_one_named_is_no_certain_hit(
    ask: Ask, title: str, urn: str, hint: str | None
) -> None:
    words = TagFilterSet((TagFilter("act_title", TagFilterOp.ILIKE, title),))
    found = ask("some words", Reads(TagQuery(language="en", tag_filters=words)))
    assert (found.status, found.urn, found.hint) == ("candidates" if hint else "resolved", urn, hint)


@requirement("P12")
def test_doubtful_hit_gives_way_to_a_certain_one(ask: Ask) -> None:
    words = TagFilterSet((TagFilter("act_title", TagFilterOp.ILIKE, "Widget Act 1998"),))
    found = ask("some words", Reads(TagQuery(language="en", tag_filters=words), tags(k="a")))
    assert (found.status, found.urn) == ("resolved", f"{C}:1:1")


@pytest.mark.parametrize(
    ("words", "doubt"),
    [
        ("Coal Co. v. Bd. of Educ., 259 X. 188 (1922)", ""),
        ("COAL CO v BOE, 259 X. 188 (S.D. 1923)", ""),
        ("259 X. 188", ""),
        ("259 X. 188 (1999)", "the reference says 1999"),
        ("Smith v. Jones, 259 X. 188", "names other parties"),
        ("Coal Co. v. Jones, 259 X. 188 (1922)", "names other parties"),
    ],
)
def test_decision_of_other_parties_or_another_year_is_no_certain_hit(ask: Ask, words: str, doubt: str) -> None:
    alias = TagQuery(language="en", tag_filters=TagFilterSet((TagFilter("alias", TagFilterOp.EQ, "259 X. 188"),)))
    found = ask(words, Reads(alias))
    assert (found.status, found.urn) == ("candidates" if doubt else "resolved", f"{C}:3")
    assert doubt in "".join(found.warnings)


def test_message_names_the_filter_that_keeps_a_reference_from_being_found(conn: Connection) -> None:
    found = resolve_reference(conn, GRAMMARS, "new.1", today=DAY, tags={"foo": "bar"})
    assert found.status == "not_found"
    assert f"{C}:1:1" in found.message
    assert "the tags foo=bar" in found.message
    elsewhere = resolve_reference(conn, GRAMMARS, "new.1", today=DAY, jurisdiction="de")
    assert "the jurisdiction de" in elsewhere.message


def test_unknown_jurisdiction_is_refused_by_name(conn: Connection) -> None:
    with pytest.raises(InputError, match=r"no jurisdiction zz.*The store has us"):
        resolve_reference(conn, GRAMMARS, "new.1", today=DAY, jurisdiction="us|zz")


def test_full_width_characters_are_read_as_plain_ones(conn: Connection) -> None:
    assert resolve_reference(conn, GRAMMARS, "ｎｅｗ．１", today=DAY).urn == f"{C}:1:1"


ACT = "urn:lex:us:pl-99-1"
AT_654 = {"codified_at": "urn:lex:us:29usc:654"}


@pytest.mark.parametrize(
    ("sections", "reference", "status", "urns"),
    [
        ({"5": AT_654}, "29 U.S.C. 654", "candidates", [f"{ACT}:5"]),
        ({"5": AT_654}, "29 U.S.C. § 654(a)", "candidates", [f"{ACT}:5:a"]),
        ({"5": AT_654}, "29 U.S.C. 654(b)", "candidates", [f"{ACT}:5"]),
        ({"5": AT_654, "6": AT_654}, "29 U.S.C. 654", "ambiguous", [f"{ACT}:5", f"{ACT}:6"]),
        ({"5": AT_654, "6": AT_654}, "29 U.S.C. 654(a)", "candidates", [f"{ACT}:5:a"]),
        ({"5": AT_654, "6": AT_654}, "29 U.S.C. 654(b)", "ambiguous", [f"{ACT}:5", f"{ACT}:6"]),
        ({"5": AT_654}, "29 U.S.C. 655", "not_found", []),
        # Who writes a URN means that one.
        ({"5": AT_654}, "urn:lex:us:29usc:654", "not_found", []),
        ({"5": {}}, "29 U.S.C. 654", "not_found", []),
    ],
)
def test_a_section_of_a_code_that_is_not_there_is_read_as_the_act_that_is_codified_in_it(
    database: Database, sections: Mapping[str, Mapping[str, str]], reference: str, status: str, urns: list[str]
) -> None:
    nodes = [node(ACT)]
    for number, tagged in sections.items():
        nodes.append(node(f"{ACT}:{number}", "Duties.", level="section", tags=dict(tagged)))
        if number == "5":
            nodes.append(node(f"{ACT}:5:a", "Each employer.", level="paragraph"))
    store(database, document(nodes))
    with database.read() as conn:
        found = resolve_reference(conn, GRAMMARS, reference, today=DAY)
    assert (found.status, [candidate.urn for candidate in found.candidates]) == (status, urns)
    assert found.urn == (urns[0] if status == "candidates" else None)
    assert all("codified at urn:lex:us:29usc:654" in (candidate.hint or "") for candidate in found.candidates)
    assert (status == "candidates") == any(warning.startswith("Read as: the act's own") for warning in found.warnings)


KEPT = "urn:lex:gb:eur-2014-319"


@pytest.mark.parametrize(
    ("reference", "union", "status", "urn"),
    [
        ("32014R0319", False, "candidates", KEPT),
        ("Article 4 of Regulation (EU) No 319/2014", False, "candidates", f"{KEPT}:4"),
        ("Article 9 of Regulation (EU) No 319/2014", False, "candidates", KEPT),  # all that is there of it
        ("32014R0320", False, "not_found", None),
        ("32014R0319", True, "resolved", "urn:lex:eu:32014r0319"),
    ],
)
def test_an_act_of_the_union_that_is_not_there_is_read_as_what_another_jurisdiction_keeps_of_it(
    database: Database, reference: str, union: bool, status: str, urn: str | None
) -> None:
    store(database, document([node(KEPT, tags={"celex": "32014R0319"}), node(f"{KEPT}:4", "Fees.", level="article")]))
    if union:
        store(database, document([node("urn:lex:eu:32014r0319", tags={"celex": "32014R0319"})]))
    with database.read() as conn:
        found = resolve_reference(conn, GRAMMARS, reference, today=DAY)
        [batch] = resolve_references(conn, GRAMMARS, [reference], today=DAY)
    assert (found.status, found.urn) == (batch.status, batch.urn) == (status, urn)
    assert (status == "candidates") == any("whose text may differ" in warning for warning in found.warnings)


USC = "urn:lex:us:99usc"


def section(number: str, chapter: int) -> ParsedNode:
    return node(f"{USC}:{number}", "Text.", parent_urn=f"{USC}:chapter_{chapter}", level="section", number=number)


@pytest.fixture(scope="module")
def code(stores: Stores, empty_template: str) -> Iterator[Database]:
    """A store with a code of two chapters: sections 1 to 2, and 3 and 10 to 200."""
    nodes = [node(USC), node(f"{USC}:chapter_1", level="chapter")]
    nodes += [section(number, 1) for number in ("1", "1a", "2")]
    nodes += [node(f"{USC}:chapter_2", level="chapter")]
    nodes += [section(str(number), 2) for number in (3, *range(10, 201))]
    with Database(stores.clone(empty_template)) as database:
        store(database, document(nodes))
        yield database


@pytest.mark.parametrize(
    ("reference", "day"),
    [
        ("99 U.S.C. 2 as of 2020-01-31", date(2020, 1, 31)),
        ("99 U.S.C. § 2 (as in force on March 3, 2015)", date(2015, 3, 3)),
        ("99 U.S.C. § 2, as at 3rd March 2015", date(2015, 3, 3)),
        ("99 U.S.C. § 2 in der Fassung vom 1. Januar 2020", date(2020, 1, 1)),
        ("99 U.S.C. § 2 in der am 1.2.2020 geltenden Fassung", date(2020, 2, 1)),
        ("99 U.S.C. § 2 (Stand: 3. März 2021)", date(2021, 3, 3)),
        ("99 U.S.C. § 2 as of 2020-02-31", None),  # no day
        ("99 U.S.C. § 2 of 2020-01-31", None),
    ],
)
def test_a_day_in_the_words_of_a_reference_chooses_the_version(
    code: Database, reference: str, day: date | None
) -> None:
    with code.read() as conn:
        found = resolve_reference(conn, GRAMMARS, reference, today=DAY)
        [batch] = resolve_references(conn, GRAMMARS, [reference], today=DAY)
    assert (found.urn, found.at_date) == (batch.urn, batch.at_date) == (f"{USC}:2" if day else None, day or DAY)
    assert found.reference == batch.reference == reference


@pytest.mark.parametrize(
    ("reference", "numbers", "warned"),
    [
        ("99 U.S.C. 1-3", ["1", "1a", "2", "3"], False),
        ("99 U.S.C. §§ 2 to 10", ["2", "3", "10"], False),  # over the border of two chapters, by number
        ("99 U.S.C. 1, 2-3, 10", ["1", "2", "3", "10"], False),
        ("99 U.S.C. 1 and 3", ["1", "3"], False),
        ("99 U.S.C. 11-200", [str(number) for number in range(11, 61)], True),
    ],
)
def test_range_names_what_lies_between_its_ends(
    code: Database, reference: str, numbers: list[str], warned: bool
) -> None:
    with code.read() as conn:
        found = resolve_reference(conn, GRAMMARS, reference, today=DAY)
    assert [candidate.urn for candidate in found.candidates] == [f"{USC}:{number}" for number in numbers]
    assert found.status == "ambiguous"
    assert bool(found.warnings) == warned
