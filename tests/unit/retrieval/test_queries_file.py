"""The format of the files that hold named SQL."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg import sql

from retrieval.queries import QUERIES, fill, load_queries, parse_queries, sql_folder

names = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
bodies = st.from_regex(r"select [a-z0-9]{1,8}", fullmatch=True)


def test_a_file_is_split_at_its_names_without_comments_and_semicolons() -> None:
    one = "-- name: one\n-- Says what.\nselect 1,\n    2;\n"
    two = "-- name: two\nselect '--kept'\n-- not kept\nfrom x;\n"
    text = f"-- Of a module.\n\n{one}\n{two}"
    assert parse_queries(text, file="f.sql") == {"one": "select 1,\n    2", "two": "select '--kept'\nfrom x"}


@given(st.dictionaries(names, bodies, max_size=5))
def test_what_was_written_is_read(queries: dict[str, str]) -> None:
    text = "".join(f"-- name: {name}\n-- A comment.\n{body};\n\n" for name, body in queries.items())
    assert parse_queries(text, file="f.sql") == queries


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("select 1;\n-- name: one\nselect 1;", "before the first name"),
        ("-- name: one\nselect 1;\n-- name: one\nselect 2;", "one is empty or stands twice"),
        ("-- name: one\n-- only words\n-- name: two\nselect 1;", "one is empty"),
    ],
)
def test_a_malformed_file_is_refused_by_name(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=f"f.sql: .*{says}"):
        parse_queries(text, file="f.sql")


def test_no_statement_of_the_program_holds_two_statements_or_a_comment_at_the_start_of_a_line() -> None:
    for name, statement in QUERIES.items():
        lines = [line.partition("--")[0] for line in statement.splitlines()]
        assert ";" not in re.sub("'[^']*'", "", "".join(lines)), name
        assert not any(line.startswith("--") for line in statement.splitlines()), name


def test_the_queries_are_those_of_the_files() -> None:
    found = [
        line for file in (sql_folder() / "queries").iterdir() for line in file.read_text(encoding="utf-8").splitlines()
    ]
    assert len([line for line in found if line.startswith("-- name: ")]) == len(QUERIES)
    assert load_queries() == QUERIES


def test_each_slot_of_a_name_is_filled_and_what_is_given_is_quoted_by_its_kind() -> None:
    statement = "select /*slot:field*/ from t where /*slot:field*/ = /*slot:value*/ and a = %(a)s"
    assert fill(statement, field=sql.Identifier('x"y'), value=sql.Literal("it's")) == (
        """select "x""y" from t where "x""y" = 'it''s' and a = %(a)s"""
    )
    assert fill("a = /*slot:a*/", a=sql.Placeholder("name")) == "a = %(name)s"


def test_a_text_is_not_searched_for_slots() -> None:
    inner = "/*slot:b*/ \\1"
    assert fill("/*slot:a*/ /*slot:b*/", a=inner, b="b") == f"{inner} b"


@pytest.mark.parametrize("texts", [{}, {"a": "1", "b": "2"}, {"b": "2"}])
def test_a_slot_left_empty_and_a_text_without_a_slot_are_refused(texts: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="slots"):
        fill("select /*slot:a*/", **texts)  # pyright: ignore[reportArgumentType]
