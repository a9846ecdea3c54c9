"""Pictures of law: what they show stands where it belongs, hostile words stay words, and no number is endless."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from rag.telemetry.review.pictures import Arrow, Lane, Span, TreeNode, arrows, neighbourhood, timeline, tree

DAYS = st.dates(date(1, 1, 1), date(9999, 12, 31))


def svg(picture: str) -> Any:
    return etree.fromstring(picture.encode())[0]


def words(picture: str) -> list[str]:
    return ["".join(entry.itertext()).strip() for entry in svg(picture).iter("text")]


def test_spans_stand_in_the_order_of_time_and_open_ends_reach_the_edges() -> None:
    lanes = [
        Lane("In force", [Span(None, date(2010, 1, 1), "version"), Span(date(2010, 1, 1), None, "here")]),
        Lane("VOID", [Span(date(2016, 5, 10), date(2018, 1, 1), "halt")]),
    ]
    shown = etree.fromstring(timeline("t", lanes, [(date(2012, 1, 1), "asked")]).encode())
    first, second, void = shown.iter("rect")

    def ends(rect: Any) -> tuple[float, float]:
        x, width = (float((rect.get(name) or "0%").removesuffix("%")) for name in ("x", "width"))
        return x, round(x + width, 1)

    assert ends(first)[1] == ends(second)[0] < ends(void)[0] < ends(void)[1] < ends(second)[1]
    assert (ends(first)[0], ends(second)[1]) == (0, 100)
    assert ["".join(entry.itertext()) for entry in shown.iter("p", "text")] == ["In force", "VOID", "asked"]
    assert len(list(shown.iter("line"))) == 2, "the day is marked on each lane"
    assert timeline("t", [Lane("always", [Span(None, None, "here")])]) == ""


def test_a_tree_has_a_line_for_each_node_with_its_role_in_words() -> None:
    nodes = [TreeNode(0, "Code", "ancestor", "role-ancestor", "#block-1"), TreeNode(1, "Rule", "rule", "role-rule")]
    shown = tree("t", nodes)
    assert words(shown) == ["Code ancestor", "Rule rule"]
    assert [entry.get("class") for entry in svg(shown).iter("rect")] == ["edge role-ancestor", "edge role-rule"]
    assert [entry.get("href") for entry in svg(shown).iter("a")] == ["#block-1"]
    assert len(svg(shown).findall("path")) == 1
    assert tree("t", []) == ""


def test_arrows_name_each_side_once() -> None:
    shown = arrows("t", [Arrow("a", "x", "", "k"), Arrow("a", "y", "", "k"), Arrow("b", "x", "", "k")], "shadows")
    assert sorted(words(shown)) == ["a", "b", "shadows", "x", "y"]
    assert len([entry for entry in svg(shown).findall("path") if (entry.get("class") or "").startswith("arrow")]) == 3
    assert arrows("t", [], "shadows") == ""
    assert neighbourhood("t", [], []) == ""
    assert sorted(words(neighbourhood("t", ["u", "u"], [("v", "cites")]))) == ["u", "v cites"]


@given(st.text(), st.lists(st.tuples(DAYS, DAYS), max_size=5))
def test_any_word_and_any_day_make_a_picture_of_finite_numbers(text: str, days: list[tuple[date, date]]) -> None:
    lanes = [Lane(text, [Span(min(pair), max(pair), text)]) for pair in days]
    for shown in (
        timeline("t", lanes, [(pair[0], text) for pair in days]), tree("t", [TreeNode(0, text, text, text)]),
        arrows("t", [Arrow(text, text, text, text)], "cites"), neighbourhood("t", [text], [(text, text)]),
    ):  # fmt: skip
        if shown:
            tags = {str(element.tag) for element in etree.fromstring(shown.encode()).iter()}
            assert tags <= {
                "div",
                "figure",
                "figcaption",
                "p",
                "svg",
                "rect",
                "path",
                "text",
                "tspan",
                "line",
                "circle",
            }
            assert not re.search("nan|inf", " ".join(str(entry.attrib) for entry in svg(shown).iter()))
