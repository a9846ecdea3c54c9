"""A comparison as a reader meets it on a terminal: every kind of change has its place."""

from __future__ import annotations

import io
from datetime import date

import law
import pytest
from law import document, node

from rag import Engine
from rag.law.nodes import Definition, ParsedDocument
from rag.presentation.diff import show_diff
from rag.presentation.page import Page
from retrieval.context.diff import ContextDiff

T = "urn:lex:us-dc:tc:1"
R = f"{T}:1"
CHANGE = date(2015, 1, 1)


def edition(day: date, *, new: bool) -> ParsedDocument:
    """A title in one of two editions that differ in everything that can."""
    where = "In this section" if new else "In this title"
    nodes = [
        node(T, heading="New title" if new else "Old title"),
        node(R, intro_text="No unit may" if new else "A unit may"),
        node(f"{R}:1", "be let by a keeper;"), node(f"{R}:{3 if new else 2}", "be sold."),
        node(f"{T}:2", f"{where}, “unit” means a flat."), node(f"{T}:3", "“Keeper” means an owner."),
    ]  # fmt: skip
    definitions = [Definition("unit", f"{T}:2", f"{T}:2" if new else T), Definition("keeper", f"{T}:3", T)]
    return document(nodes, definitions, used={R: ["unit"], f"{R}:1": ["keeper"]}, edition=day)


@pytest.fixture(scope="module")
def engine(stores, empty_template):
    """An engine over both editions, an override that began and a preemption that ended with the change."""
    with Engine.open(stores.clone(empty_template, traces="off")) as opened:
        law.store(opened.database, edition(date(2010, 1, 1), new=False), edition(CHANGE, new=True))
        law.override(opened, f"{T}:3", "VOID", (CHANGE, None))
        law.preempt(opened, "urn:lex:us:fc:1", T, (None, CHANGE))
        yield opened


def page(diff: ContextDiff) -> list[str]:
    stream = io.StringIO()
    show_diff(Page(stream), diff)
    return stream.getvalue().splitlines()


PAGE = """\
urn:lex:us-dc:tc:1:1  2014-01-01 -> 2016-01-01
Between the editions of 2010-01-01 and 2015-01-01 the text changed; the day is
  not known: urn:lex:us-dc:tc:1, urn:lex:us-dc:tc:1:1, urn:lex:us-dc:tc:1:1:2,
  urn:lex:us-dc:tc:1:2.

Rule
~ urn:lex:us-dc:tc:1:1  Heading 1
    - [-A-] unit may
    + [+No+] unit may
    in force from an unknown date until 2015-01-01, then in force from
      2015-01-01
- urn:lex:us-dc:tc:1:1:2  Heading 2
    be sold.
+ urn:lex:us-dc:tc:1:1:3  Heading 3
    be sold.
1 block more changed only by the words around them, shown above

What contains it
~ urn:lex:us-dc:tc:1  New title
    - heading: [-Old-] title
    + heading: [+New+] title
    in force from an unknown date until 2015-01-01, then in force from
      2015-01-01

Definitions
~ urn:lex:us-dc:tc:1:3  Heading 3
    definition -> warning
    - “Keeper” means an owner.
    + VOID by Test Court, 1 T.C. 1, effective 2015-01-01.
    defines “keeper”, used by the rule -> would define “keeper” if it were not
      halted
- urn:lex:us-dc:tc:1:2  Heading 2
    In this title, “unit” means a flat.

Governing definitions
~ keeper, for urn:lex:us-dc:tc:1:1: the words that need the term changed (use)
    - urn:lex:us-dc:tc:1:3 (scope urn:lex:us-dc:tc:1)
    + none
~ unit, for urn:lex:us-dc:tc:1:1: the words that define began or ended
  (validity)
    - urn:lex:us-dc:tc:1:2 (scope urn:lex:us-dc:tc:1)
    + none

Overrides, preemption and warnings
+ began: OVERRIDE VOID urn:lex:us-dc:tc:1:3: Test Court, 1 T.C. 1
- ended: Supremacy Clause Warning: urn:lex:us:fc:1 may preempt
  urn:lex:us-dc:tc:1:1 (conflict).
- ended: unknown_start: “Test code urn:lex:us-dc:tc” does not say since when its
  text is in force: it is read as in force at every earlier date.
+ began: void_definition: “keeper” is not defined for urn:lex:us-dc:tc:1:1 by
  urn:lex:us-dc:tc:1:3: a court halted that text. No other definition in the
  store gives the term a meaning: what it means here is uncertain.
- ended: left out: urn:lex:us:fc:1, the overlapping federal rule is not in the
  store in force at the date

unchanged: 1 block
"""


def test_every_kind_of_change_has_its_place_on_the_page(engine: Engine) -> None:
    assert page(engine.diff(R, "2014-01-01", "2016-01-01")) == PAGE.splitlines()


def test_nothing_of_the_law_steers_a_terminal(engine: Engine) -> None:
    added = engine.diff(f"{R}:3", "2014-01-01", "2016-01-01")
    assert added.before.status == "not_in_force"
    hostile = [block.model_copy(update={"text": "be let \x1b[2J by a keeper;"}) for block in added.added]
    shown = "\n".join(page(added.model_copy(update={"added": hostile})))
    assert "\x1b" not in shown
    assert "be let" in shown
