"""Tag queries against a real store: every operator by example, all of them together against brute force."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Iterator
from datetime import date

import pytest
from conftest import Stores
from hypothesis import given
from hypothesis import strategies as st
from law import DAY, document, node, store

from rag.law.nodes import ParsedNode
from rag.store.database import Connection, Database
from retrieval.errors import InputError
from retrieval.references.hits import Request
from retrieval.references.store_finder import StoreFinder
from retrieval.references.tag_sql import tag_conditions
from retrieval.tag_query import NORMALIZE_PATTERNS, TagFilter, TagFilterOp, TagFilterSet, TagQuery

Op = TagFilterOp
PUNCTUATION = NORMALIZE_PATTERNS["punctuation"]
C = "urn:lex:us:tagged"


def tagged(number: int, tags: dict[str, str], **given: object) -> ParsedNode:
    return node(f"{C}:{number}", f"Text {number}.", level="section", tags=tags, **given)


@pytest.fixture(scope="module")
def opened(stores: Stores, empty_template: str) -> Iterator[Database]:
    with Database(stores.clone(empty_template)) as database:
        yield database


@pytest.fixture(scope="module")
def conn(opened: Database) -> Iterator[Connection]:
    store(opened, document(STORED))
    with opened.read() as connection:
        yield connection


# Every awkward value that an operator could mistake: wildcards, escapes, accents, full-width forms, odd truth values.
VALUES = (
    "1240",
    "Code civil",
    "code Civil ",
    "Évin",
    "evin",
    "100%",
    "100％",
    "a_b",
    "axb",
    r"a\b",
    "20-20.648",
    "2020648",
)
KEYS = ("code", "number", "case_number")
FORCE = ("true", "false", "unknown", None)


def _nodes() -> list[ParsedNode]:
    draw = random.Random(7)
    out: list[ParsedNode] = []
    for number in range(40):
        tags = {key: draw.choice(VALUES) for key in KEYS if draw.random() < 0.7}
        force = draw.choice(FORCE)
        if force:
            tags["in_force"] = force
        start = draw.choice([None, date(2000, 1, 1), date(2010, 1, 1)])
        end = draw.choice([None, None, date(2015, 1, 1)])
        kind = draw.choice(["legislation", "decision"])
        out.append(tagged(number, tags, valid_from=start, valid_to=end, kind=kind))
    return out


STORED = [node(C), *_nodes()]


def ask(
    conn: Connection,
    *filters: TagFilter,
    kind: str | None = None,
    at_date: date | None = None,
    in_force_first: bool = False,
    language: str = "en",
) -> list[str]:
    query = TagQuery(
        language=language, kind=kind, tag_filters=TagFilterSet(filters), at_date=at_date,
        should_sort_in_force_first=in_force_first,
    )  # fmt: skip
    request = Request("", ("us",), None, at_date, DAY, {})
    return [hit.urn.removeprefix(f"{C}:") for hit in StoreFinder(conn).run(query, request)]


@pytest.fixture(scope="module")
def own(stores: Stores, empty_template: str) -> Iterator[Connection]:
    nodes = [
        tagged(1, {"title": "Loi Évin", "n": "20-20.648"}), tagged(2, {"title": "100% of it"}),
        tagged(3, {"title": "1000 of it", "court": "ca"}), tagged(4, {"title": "a_b", "court": "tj"}),
        tagged(5, {"title": "axb", "court": "cass"}), tagged(6, {"title": "a\\b", "n": "20/20 648"}),
        tagged(7, {"title": "Loi Évin", "n": "x"}),
    ]  # fmt: skip
    with Database(stores.clone(empty_template)) as database:
        store(database, document([node(C), *nodes]))
        with database.read() as connection:
            yield connection


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ([TagFilter("title", Op.EQ, "Loi Évin")], ["1", "7"]),
        ([TagFilter("title", Op.EQ, "Loi Évin"), TagFilter("n", Op.EQ, "x")], ["7"]),
        ([TagFilter("n", Op.EQ, "x"), TagFilter("n", Op.EQ, "x")], ["7"]),
        ([TagFilter("n", Op.EQ, "x"), TagFilter("n", Op.EQ, "y")], []),
        ([TagFilter("title", Op.EQ, "loi évin")], []),
        ([TagFilter("court", Op.IN, ["ca", "tj"])], ["3", "4"]),
        ([TagFilter("court", Op.IN, [])], []),
        ([TagFilter("court", Op.NOT_IN, ["ca", "tj"])], ["5"]),
        ([TagFilter("court", Op.NOT_IN, [])], ["3", "4", "5"]),
        ([TagFilter("title", Op.ILIKE, "LOI EVIN")], ["1", "7"]),
        ([TagFilter("title", Op.ILIKE, "%")], ["2"]),
        ([TagFilter("title", Op.ILIKE, "％")], ["2"]),
        ([TagFilter("title", Op.ILIKE, "100% of")], ["2"]),
        ([TagFilter("title", Op.ILIKE, "_")], ["4"]),
        ([TagFilter("title", Op.ILIKE, "\\")], ["6"]),
        ([TagFilter("title", Op.ILIKE, "＼")], ["6"]),
        ([TagFilter("court", Op.EXISTS)], ["3", "4", "5"]),
        ([TagFilter("court", Op.NOT_EXISTS), TagFilter("n", Op.NOT_EXISTS), TagFilter("title", Op.EXISTS)], ["2"]),
        ([TagFilter("n", Op.NORMALIZE, "20 20/648", PUNCTUATION)], ["1", "6"]),
        ([TagFilter("n", Op.NORMALIZE, "２０２０６４８", PUNCTUATION)], ["1", "6"]),
        ([TagFilter("n", Op.NORMALIZE, "20-20.648 ", NORMALIZE_PATTERNS["space"])], ["1"]),
        ([TagFilter("n", Op.NORMALIZE, ".*", PUNCTUATION)], []),
        ([TagFilter("urn", Op.EQ, f"{C}:3")], ["3"]),
        ([TagFilter("urn", Op.IN, [f"{C}:3", f"{C.replace(':us:', ':fed:')}:4"])], ["3", "4"]),
        ([TagFilter("jurisdiction", Op.EQ, "us"), TagFilter("n", Op.EQ, "x")], ["7"]),
        ([TagFilter("jurisdiction", Op.EQ, "u"[:1] + "k"), TagFilter("n", Op.EQ, "x")], []),
        ([TagFilter("language", Op.NOT_IN, ["en"])], []),
        ([TagFilter("kind", Op.IN, ["legislation"]), TagFilter("n", Op.EXISTS)], ["1", "6", "7"]),
        ([TagFilter("source", Op.ILIKE, "tagged.TEST"), TagFilter("n", Op.EQ, "x")], ["7"]),
    ],
)  # fmt: skip
def test_operator_finds_what_it_says(own: Connection, filters: list[TagFilter], found: list[str]) -> None:
    assert ask(own, *filters) == found


def test_equal_filters_become_one_containment() -> None:
    conditions = tag_conditions(TagFilterSet.from_tags({"a": "1", "b": "2", "urn": f"{C}:1", "c": "3"}))
    assert conditions.sql.count("@>") == 1
    assert conditions.values["eq_batch"] == '{"a": "1", "b": "2", "c": "3"}'


def test_number_of_values_does_not_change_the_statement() -> None:
    one, many = (
        tag_conditions(TagFilterSet((TagFilter("k", Op.IN, values), TagFilter("m", Op.ILIKE, "x' or 1=1 --")))).sql
        for values in (["a"], ["'; drop table legal_nodes; --", "%", "b"])
    )
    assert one == many


@pytest.mark.parametrize("value", ["a\0b", "\ud800"])
@pytest.mark.parametrize("op", [Op.EQ, Op.ILIKE])
def test_value_that_no_store_can_hold_is_refused_with_its_tag(value: str, op: Op) -> None:
    with pytest.raises(InputError, match="code"):
        tag_conditions(TagFilterSet((TagFilter("code", op, value),)))


@pytest.mark.parametrize(
    ("key", "op", "value", "pattern"),
    [
        ("Bad Key", Op.EQ, "x", None),
        ("k'; --", Op.EQ, "x", None),
        ("k", Op.EQ, None, None),
        ("k", Op.EQ, ["x"], None),
        ("k", Op.IN, "x", None),
        ("k", Op.EXISTS, "x", None),
        ("k", Op.NORMALIZE, "x", None),
        ("k", Op.NORMALIZE, "x", "(a+)+$"),
        ("k", Op.EQ, "x", PUNCTUATION),
    ],
)
def test_filter_that_makes_no_sense_is_refused(
    key: str, op: Op, value: str | list[str] | None, pattern: str | None
) -> None:
    with pytest.raises(InputError):
        TagFilter(key, op, value, pattern)


@pytest.mark.parametrize(
    ("day", "found"),
    [
        (date(1999, 12, 31), []), (date(2000, 1, 1), ["1"]), (date(2009, 12, 31), ["1"]),
        (date(2010, 1, 1), ["2"]), (date(2014, 12, 31), ["2"]), (date(2015, 1, 1), []),
    ],
)  # fmt: skip
def test_date_includes_the_first_day_and_excludes_the_last(database: Database, day: date, found: list[str]) -> None:
    turn = date(2010, 1, 1)
    nodes = [
        tagged(1, {"k": "v"}, valid_from=date(2000, 1, 1), valid_to=turn),
        tagged(2, {"k": "v"}, valid_from=turn, valid_to=date(2015, 1, 1)),
    ]
    store(database, document([node(C), *nodes]))
    with database.read() as conn:
        assert ask(conn, TagFilter("k", Op.EQ, "v"), at_date=day) == found


def test_provisions_in_force_come_first_and_an_unknown_state_aborts_nothing(database: Database) -> None:
    old, new = date(2000, 1, 1), date(2020, 1, 1)
    nodes = [
        tagged(1, {"k": "v", "in_force": "false"}, valid_from=new),
        tagged(2, {"k": "v", "in_force": "true"}, valid_from=old),
        tagged(3, {"k": "v", "in_force": "unknown"}, valid_from=date(2010, 1, 1)),
        tagged(4, {"k": "v"}, valid_from=new, valid_to=date(2021, 1, 1)),
        tagged(5, {"k": "v", "in_force": "TRUE"}),
    ]
    store(database, document([node(C), *nodes]))
    with database.read() as conn:
        some = TagFilter("k", Op.EQ, "v")
        assert ask(conn, some, in_force_first=True) == ["3", "2", "5", "1", "4"]
        assert ask(conn, some, TagFilter("in_force", Op.EQ, "true")) == ["3", "2", "5"]
        assert ask(conn, some, TagFilter("in_force", Op.EQ, "false")) == ["1", "4"]


def test_at_most_ten_are_found_and_an_exact_title_is_never_cut_off(database: Database) -> None:
    nodes = [tagged(n, {"act_title": f"Widgets Act 1999 (Order {n})", "k": "v"}) for n in range(30)]
    store(database, document([node(C), *nodes, tagged(99, {"act_title": "The Widgets Act 1999"})]))
    with database.read() as conn:
        assert len(ask(conn, TagFilter("k", Op.EQ, "v"))) == 10
        assert ask(conn, TagFilter("act_title", Op.ILIKE, "widgets act 1999")) == ["99"]
        assert len(ask(conn, TagFilter("act_title", Op.ILIKE, "widgets"))) == 10


# --- all operators together against brute force -------------------------------------------------------------------

_text = st.sampled_from([*VALUES, "civil", "%", "_", "\\", "1", ""])
_filters = st.one_of(
    st.builds(TagFilter, st.sampled_from(KEYS), st.sampled_from([Op.EQ, Op.ILIKE]), _text),
    st.builds(TagFilter, st.sampled_from(KEYS), st.sampled_from([Op.IN, Op.NOT_IN]), st.lists(_text, max_size=4)),
    st.builds(TagFilter, st.sampled_from((*KEYS, "absent")), st.sampled_from([Op.EXISTS, Op.NOT_EXISTS])),
    st.builds(
        TagFilter, st.sampled_from(KEYS), st.just(Op.NORMALIZE), _text,
        st.sampled_from(sorted(NORMALIZE_PATTERNS.values())),
    ),
    st.builds(TagFilter, st.just("in_force"), st.just(Op.EQ), st.sampled_from(["true", "false", "maybe"])),
    st.builds(TagFilter, st.just("kind"), st.just(Op.NOT_IN), st.sampled_from([["decision"], ["x"]])),
)  # fmt: skip


def plain(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text)
    return "".join(char for char in folded if not unicodedata.combining(char)).lower()


def holds(one: ParsedNode, test: TagFilter, at: date) -> bool:
    tags: dict[str, str] = dict(one.tags)
    live = (one.valid_from or date.min) <= at < (one.valid_to or date.max)
    if tags.get("in_force") not in ("true", "false"):
        tags["in_force"] = "true" if live else "false"
    tags["kind"] = one.kind
    value = tags.get(test.key)
    match test.op:
        case Op.EXISTS:
            return value is not None
        case Op.NOT_EXISTS:
            return value is None
        case _ if value is None:
            return False
        case Op.EQ | Op.IN:
            return value in test.values
        case Op.NOT_IN:
            return value not in test.values
        case Op.ILIKE:
            return plain(test.values[0]) in plain(value)
        case Op.NORMALIZE:
            sides = (unicodedata.normalize("NFKC", side) for side in (value, test.values[0]))
            left, right = (re.sub(test.normalize_pattern or "", "", side).upper() for side in sides)
            return left == right


@given(
    st.lists(_filters, min_size=1, max_size=3),
    st.sampled_from([None, date(1999, 1, 1), date(2010, 1, 1), date(2015, 1, 1)]),
    st.sampled_from([None, "decision"]),
)
def test_sql_finds_what_brute_force_finds(
    conn: Connection, filters: list[TagFilter], at_date: date | None, kind: str | None
) -> None:
    at = at_date or DAY
    expected = [
        parsed
        for parsed in STORED
        if all(holds(parsed, test, at) for test in filters)
        and (kind is None or parsed.kind == kind)
        and (at_date is None or (parsed.valid_from or date.min) <= at_date < (parsed.valid_to or date.max))
    ]
    for test in filters:  # of the titles that contain a searched one, those that equal it count alone
        if test.op is Op.ILIKE:
            wanted = plain(test.values[0]).split()
            expected = [
                parsed for parsed in expected if plain(parsed.tags.get(test.key, "")).split() == wanted
            ] or expected
    expected.sort(key=lambda one: (-(one.valid_from or date.min).toordinal(), one.urn))
    found = ask(conn, *filters, kind=kind, at_date=at_date)
    assert found == [parsed.urn.removeprefix(f"{C}:") for parsed in expected][:10]
