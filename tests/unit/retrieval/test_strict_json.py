"""The strict JSON reader against the public parsing suite and its own rules."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.strict_json import JsonRefused, member, objects, parse_json

LIMIT = 1_000_000
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=15,
)


@pytest.mark.data
def test_nothing_that_the_parsing_suite_rejects_is_accepted(shared_data: Path) -> None:
    cases = json.loads((shared_data / "attacks/json/jsontestsuite_parsing.json").read_text("utf-8"))
    assert len(cases) > 300
    read: dict[str, list[str]] = {"accept": [], "reject": [], "either": []}
    refused: list[str] = []
    for case in cases:
        try:
            parse_json(base64.b64decode(case["b64"]), max_bytes=LIMIT, max_depth=20)
        except JsonRefused:
            refused.append(case["name"])
        else:
            read[case["expect"]].append(case["name"])
    assert read["reject"] == []
    # What the suite accepts is refused only for duplicate keys, which readers resolve differently.
    accepted = {case["name"] for case in cases if case["expect"] == "accept"}
    assert sorted(accepted.intersection(refused)) == [
        "y_object_duplicated_key.json",
        "y_object_duplicated_key_and_value.json",
    ]


@given(JSON_VALUES, st.booleans())
def test_what_a_writer_writes_is_read(value: object, escaped: bool) -> None:
    text = json.dumps(value, ensure_ascii=escaped)
    assert parse_json(text, max_bytes=LIMIT) == value
    assert parse_json(text.encode(), max_bytes=LIMIT) == value


@given(st.binary(max_size=80))
def test_any_bytes_are_read_or_refused(source: bytes) -> None:
    try:
        parse_json(source, max_bytes=LIMIT, max_depth=20)
    except JsonRefused as refused:
        context = refused.__context__
    else:
        context = None
    assert context is None


@pytest.mark.parametrize(
    ("source", "limits", "reason"),
    [
        ("1234", {"max_bytes": 3}, "too large"),
        (b"1234", {"max_bytes": 3}, "too large"),
        ('"é"', {"max_bytes": 3}, "too large"),
        ("[[[]]]", {"max_bytes": 9, "max_depth": 2}, "nested too deeply"),
        ('{"a":{"b":{}}}', {"max_bytes": 99, "max_depth": 2}, "nested too deeply"),
        ("[1e999]", {"max_bytes": 9, "max_depth": 2}, "a number beyond all floats"),
        ("[-1e999]", {"max_bytes": 9, "max_depth": 2}, "a number beyond all floats"),
        ("[1" + "0" * 5000 + "]", {"max_bytes": 9999}, "not valid JSON"),
        (b"\xff\xfe1\x00", {"max_bytes": 9}, "not valid UTF-8"),
    ],
)
def test_limits_are_limits(source: str | bytes, limits: dict[str, int], reason: str) -> None:
    with pytest.raises(JsonRefused) as caught:
        parse_json(source, **limits)
    assert caught.value.reason == reason


def test_values_at_the_limits_are_read() -> None:
    assert parse_json("123", max_bytes=3) == 123
    assert parse_json("[[7]]", max_bytes=5, max_depth=2) == [[7]]


def test_members_of_what_has_none_are_none() -> None:
    assert member({"a": 1}, "a") == 1
    assert [member({"a": 1}, "b"), member([1], "a"), member(None, "a")] == [None] * 3
    assert objects([{"a": 1}, 2, [], {}]) == [{"a": 1}, {}]
    assert [objects({}), objects(None)] == [[], []]
