"""Where the eCFR parser puts the words around a formula."""

from __future__ import annotations

from pathlib import Path

from test_ecfr_xml import nodes_of, parse, section


def test_legend_of_a_formula_belongs_to_the_paragraph_of_the_formula(tmp_path: Path) -> None:
    body = (
        "<P>(a) No kite may:</P><P>(1) Fly.</P><P>(2) Rise above:</P><MATH><img src='x.gif'/></MATH><FP>Where:</FP>"
        "<FP>H = its height.</FP><P>(b) Kites land.</P><FP>All of them.</FP>"
    )
    found = nodes_of(parse(tmp_path, section(body)))
    assert found["7.1:a:2"].text == "Rise above:\n[image]\nWhere:\nH = its height."
    assert "Where" not in found["7.1:a"].text
