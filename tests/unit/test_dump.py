"""The reviewer's dump: complete, exact, private, and inert whatever the trace holds."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re
import stat
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import lxml.html
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml.html import HtmlElement
from markdown_it import MarkdownIt

from rag.answer import Citation
from rag.dump import dump_html, dump_json, dump_markdown, load_trace, write_dump
from rag.dump_view import MAX_TREE_DEPTH, exhibits, tree_of, visible
from rag.trace import Trace, TracedClaim, TracedEntryPoint, TracedHit, scenario_sha256
from retrieval.errors import InputError
from retrieval.model import (
    Block,
    ContextWarning,
    DefinitionInScope,
    Omitted,
    OverrideNotice,
    Role,
    ScopedContext,
    context_digest,
)

AT = date(2024, 7, 1)
REG = "urn:lex:ma:940cmr"
DEPOSIT, RENT = f"{REG}:7.10", f"{REG}:7.22"
SCENARIO = "Quillon Varga's landlord kept the whole deposit for six weeks and sent no list of damage. What is owed?"


def block(id: str, urn: str, role: Role, text: str = "", **more: Any) -> Block:
    values: dict[str, Any] = {
        "heading": "", "lead_in": "", "flush": "", "valid_from": date(2019, 3, 1), "valid_to": None,
        "parent_urn": urn.rpartition(":")[0], "applies_to": [DEPOSIT], "reason": "part of the rule", **more,
    }  # fmt: skip
    return Block(id=id, urn=urn, role=role, text=text, **values)


LEAD = "A landlord who holds a security deposit shall:"
RETURN = "return the deposit, with the interest due on it, within thirty days after the tenancy ends; and"
LIST = "give the tenant an itemized list of damage, signed under the penalties of perjury, before keeping any part."
BLOCKS = [
    block("b1", REG, "ancestor", heading="Invented regulations on trade and housing", parent_urn=None,
          applies_to=[DEPOSIT, RENT], reason="contains the rule"),
    block("b2", f"{REG}:part_7", "ancestor", heading="Part 7. Landlords and tenants", parent_urn=REG,
          applies_to=[DEPOSIT, RENT], reason="contains the rule"),
    block("b3", DEPOSIT, "rule", LEAD, heading="Return of security deposits", parent_urn=f"{REG}:part_7",
          reason="the rule"),
    block("b4", f"{DEPOSIT}:a", "rule", RETURN, lead_in=LEAD),
    block("b5", f"{DEPOSIT}:b", "rule", LIST, lead_in=LEAD),
    block("b6", f"{DEPOSIT}:c", "rule",
          "A landlord who keeps a deposit in violation of this section is liable for three times its amount. "
          "No waiver of this paragraph is valid.", valid_from=date(2021, 1, 1), valid_to=date(2026, 1, 1)),
    block("b7", RENT, "rule", "No landlord may raise the rent of a dwelling unit more than once in twelve months.",
          heading="Increases of rent", parent_urn=f"{REG}:part_7", applies_to=[RENT], reason="the rule"),
    block("b8", f"{REG}:7.02:def.landlord", "definition",
          "“Landlord” means the owner of a dwelling unit, and any person who manages it for the owner.",
          heading="Landlord", applies_to=[DEPOSIT, RENT], reason="defines “landlord”, used by the rule"),
    block("b9", f"{REG}:7.02:def.dwelling-unit", "definition",
          "“Dwelling unit” means one or more rooms let to one household to live in.", heading="Dwelling unit",
          applies_to=[DEPOSIT, RENT], reason="defines “dwelling unit”, used by a definition"),
    block("b10", f"{REG}:7.31:2", "exception",
          "Section 7.10 does not apply to a room let for thirty-one days or less.", valid_from=None,
          reason="excepts: “Section 7.10” there names the rule or what contains it"),
    block("b11", "urn:lex:ma:mgl-986:4", "authority",
          "The agency may make rules that protect the deposits of tenants.", heading="Rules on deposits",
          reason="enabling authority: “M.G.L. c. 986, § 4”"),
    block("b12", "urn:lex:us:24cfr:9884.3", "federal",
          "An owner of assisted housing shall return a deposit within twenty days.", heading="Assisted housing",
          reason="federal rule that overlaps: conflict preemption"),
    block("b13", f"{DEPOSIT}:d", "warning",
          "VOID by Supreme Judicial Court, Tenants' Union v. Agency, 901 Mass. 12, effective 2023-05-04. "
          "The fee exceeds the power of the agency."),
]  # fmt: skip


def make_context(**changes: Any) -> ScopedContext:
    values: dict[str, Any] = {
        "status": "ok",
        "targets": [DEPOSIT, RENT],
        "at_date": AT,
        "digest": "",
        "blocks": BLOCKS,
        "definitions": [
            DefinitionInScope(
                term="landlord", urn=f"{REG}:7.02:def.landlord", scope_urn=f"{REG}:part_7", applies_to=[DEPOSIT, RENT],
                shadows=[f"{REG}:1.02:def.landlord", "urn:lex:ma:mgl-986:1:c"], relation="means", inferred=False,
                phrase="As used in this part", depth=0,
            ),
            DefinitionInScope(
                term="dwelling unit", urn=f"{REG}:7.02:def.dwelling-unit", scope_urn=f"{REG}:part_7",
                applies_to=[DEPOSIT, RENT], shadows=[], relation="means", inferred=True, phrase="", depth=1,
            ),
        ],
        "overrides": [
            OverrideNotice(
                urn=f"{DEPOSIT}:d", urn_pattern=f"{DEPOSIT}:d*", status="VOID", severity="CRITICAL",
                court="Supreme Judicial Court", court_citation="Tenants' Union v. Agency, 901 Mass. 12",
                message="The fee exceeds the power of the agency.", effective_from=date(2023, 5, 4),
                effective_to=None, action="redact",
            ),
        ],
        "warnings": [
            ContextWarning(kind="preemption", urn=DEPOSIT,
                           message="Supremacy Clause Warning: urn:lex:us:24cfr:9884.3 may preempt it (conflict)."),
            ContextWarning(kind="inferred_scope", urn=f"{REG}:7.02:def.dwelling-unit",
                           message="That this definition governs the rule is inferred from where it stands."),
        ],
        "omitted": [Omitted(urn=f"{REG}:7.40", reason="left out to fit the token budget")],
    } | changes  # fmt: skip
    context = ScopedContext(**values)
    return context.model_copy(update={"digest": context_digest(context)})


def cite(urn: str, quote: str) -> Citation:
    text = next(one.text for one in BLOCKS if one.urn == urn)
    return Citation(urn=urn, quote=quote, start=text.index(quote), end=text.index(quote) + len(quote))


def make_trace(**changes: Any) -> Trace:
    treble = "A landlord who keeps a deposit in violation of this section is liable for three times its amount."
    values: dict[str, Any] = {
        "id": "4f1d8a2290b7c3e5",
        "created_at": datetime(2024, 7, 1, 9, 30, 15, tzinfo=UTC),
        "privacy": "full",
        "lexscope": "0.1.0",
        "request": "ask",
        "status": "answered",
        "at_date": AT,
        "jurisdictions": ["us-ma", "us"],
        "language": "en",
        "scenario": SCENARIO,
        "scenario_sha256": scenario_sha256(SCENARIO),
        "legs": {
            "lexical": [TracedHit(urn=f"{DEPOSIT}:b", score=21.4183), TracedHit(urn=DEPOSIT, score=19.0021),
                        TracedHit(urn=RENT, score=6.5)],
            "synonym": [TracedHit(urn=DEPOSIT, score=1.0)],
            "dense": [TracedHit(urn=f"{DEPOSIT}:a", score=0.8112), TracedHit(urn=f"{REG}:7.40", score=0.6419)],
        },
        "entry_points": [
            TracedEntryPoint(urn=DEPOSIT, hit_urn=f"{DEPOSIT}:b", score=0.9312,
                             legs={"lexical": 1.0, "synonym": 1.0, "dense": 0.97}),
            TracedEntryPoint(urn=RENT, hit_urn=RENT, score=0.2204, legs={"lexical": 0.31}),
        ],
        "synonyms": ["kept the whole deposit -> security deposit"],
        "context": make_context(),
        "prompt": f"Answer strictly based on the provided context.\n\n{LEAD}\n\nScenario:\n{SCENARIO}",
        "prompt_redacted": f"Answer strictly based on the provided context.\n\n{LEAD}\n\nScenario:\n[not kept]",
        "prompt_digest": "9c" * 32,
        "provider": "openai",
        "model": "gpt-5-mini",
        "claims": [
            TracedClaim(text=treble, level="VERBATIM", verdict="SUPPORTED", reasons=[],
                        citations=[cite(f"{DEPOSIT}:c", treble)]),
            TracedClaim(
                text="The landlord had to return the deposit with interest within thirty days after the tenancy ended.",
                level="CHECKED", verdict="SUPPORTED", reasons=["LIST_ITEM"],
                citations=[cite(f"{DEPOSIT}:a", "return the deposit, with the interest due on it, within thirty days"),
                           cite(f"{DEPOSIT}:a", "after the tenancy ends"),
                           cite(f"{REG}:7.02:def.landlord", "“Landlord” means the owner of a dwelling unit")],
            ),
            TracedClaim(text="The landlord may keep half of the deposit.", level="WITHHELD", verdict="ALTERED",
                        reasons=["MODALITY_CHANGED", "NUMBER_CHANGED"],
                        citations=[cite(f"{DEPOSIT}:b", "before keeping any part")]),
        ],
        "unanswered": ["the rate of interest"],
        "refusal_reason": None,
        "refusal_message": None,
        "usage": {"input_tokens": 2210, "output_tokens": 187},
        "milliseconds": {"search": 8.4, "context": 5.1, "draft": 2210.7, "verification": 3.9, "total": 2231.6},
    } | changes  # fmt: skip
    return Trace(**values)


def halted_trace() -> Trace:
    notice = OverrideNotice(
        urn=DEPOSIT, urn_pattern=f"{DEPOSIT}*", status="ENJOINED", severity="CRITICAL", court="Superior Court",
        court_citation="Owners' League v. Agency, No. 24-0017", message="Not to be enforced while the case is pending.",
        effective_from=date(2024, 2, 2), effective_to=date(2025, 2, 2), action="halt",
    )  # fmt: skip
    context = make_context(
        status="halted", blocks=[], definitions=[], overrides=[notice], warnings=[], omitted=[],
        message=f"Legal Override active. {DEPOSIT}", suggestions=[RENT],
    )  # fmt: skip
    return make_trace(
        status="halted", context=context, claims=[], prompt=None, prompt_redacted=None, prompt_digest=None,
        refusal_reason="legal_override", refusal_message="Legal Override active. No model was asked.", usage={},
        unanswered=[], synonyms=[],
    )  # fmt: skip


# Every text of a trace, replaced. What the contract closes (roles, dates, privacy) cannot hold anybody's words.
CLOSED = {"privacy", "role", "action", "at_date", "created_at", "valid_from", "valid_to", "effective_from",
          "effective_to"}  # fmt: skip
PRIVATE = {"scenario", "synonyms", "unanswered", "prompt"}


def refill(value: Any, text: Callable[[], str], key: str = "") -> Any:
    """The same JSON with every open text, keys of open maps included, taken from `text`."""
    if isinstance(value, dict):
        open_map = key in ("legs", "usage", "milliseconds")
        return {text() if open_map else name: refill(one, text, name) for name, one in value.items()}
    if isinstance(value, list):
        return [refill(one, text, key) for one in value]
    return text() if isinstance(value, str) and key not in CLOSED else value


def refilled(trace: Trace, text: Callable[[], str]) -> Trace:
    data = trace.model_dump(mode="json")
    status = data["context"]["status"]
    data = refill(data, text)
    data["context"]["status"] = status
    return Trace.model_validate(data)


def parse(html: str) -> HtmlElement:
    return lxml.html.document_fromstring(html)


def words_of(element: HtmlElement) -> str:
    return " ".join(element.text_content().split())


def sentinels() -> Iterator[str]:
    return (f"zq{number}x" for number in range(10_000))


@pytest.mark.parametrize("base", [make_trace(), halted_trace()], ids=["answered", "halted"])
@pytest.mark.parametrize("render", [dump_html, dump_markdown, dump_json])
def test_every_text_of_a_trace_appears(render: Callable[[Trace], str], base: Trace) -> None:
    # The redacted prompt is the prompt but for the scenario; only one of them is shown.
    numbered = sentinels()
    trace = refilled(base.model_copy(update={"prompt_redacted": None}), lambda: next(numbered))
    expected = set(re.findall(r"zq\d+x", dump_json(trace)))
    assert len(expected) > 20
    assert expected - set(re.findall(r"zq\d+x", render(trace))) == set()


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("answer", "VERBATIM"), ("answer", "CHECKED"), ("answer", "verdict SUPPORTED"),
        ("answer", "the rate of interest"),
        ("answer", "LIST_ITEM The quoted sentence is one item of a list."),
        ("answer", "WITHHELD"), ("answer", "NUMBER_CHANGED"), ("answer", "The landlord may keep half of the deposit."),
        ("warnings", "VOID"), ("warnings", "from 2023-05-04"), ("warnings", "Text taken out of the context"),
        ("warnings", "Supremacy Clause Warning"),
        ("tree", "in force from 2021-01-01, no longer from 2026-01-01"),
        ("tree", "in force, start not stated by the source"), ("tree", f"stands under {REG}:7.02"),
        ("definitions", "explicit: As used in this part"), ("definitions", "inferred from where it stands"),
        ("definitions", f"{REG}:1.02:def.landlord, urn:lex:ma:mgl-986:1:c"), ("definitions", "the rule itself"),
        ("definitions", "definitions, 1 step"), ("omitted", f"{REG}:7.40 left out to fit the token budget"),
        ("rankings", f"found through {DEPOSIT}:b 0.9312 1.0000 1.0000 0.9700"), ("rankings", "21.4183"),
        ("rankings", "kept the whole deposit -> security deposit"), ("prompt", f"Scenario: {SCENARIO}"),
        ("cost", "total 2231.6"), ("cost", "input_tokens 2210"), ("record", "9c" * 32), ("record", "gpt-5-mini"),
        ("record", "Holds: 4 of 4 quotes of served claims stand in the cited text."),
    ],
)  # fmt: skip
def test_each_part_shows_what_belongs_to_it(place: str, shown: str) -> None:
    section = parse(dump_html(make_trace())).get_element_by_id(place)
    for cell in section.iter("td", "th"):
        cell.tail = " "
    for small in section.find_class("meta"):
        small.text = f" {small.text or ''}"
    assert shown in words_of(section)


def test_a_halt_is_told_before_anything_else() -> None:
    main = parse(dump_html(halted_trace())).get_element_by_id("main")
    first = words_of(main.findall("section")[0])
    for shown in ("ENJOINED", "Superior Court", "Owners' League v. Agency, No. 24-0017", "from 2024-02-02",
                  "no longer from 2025-02-02", "Not to be enforced while the case is pending.",
                  "Legal Override active."):  # fmt: skip
        assert shown in first


def test_a_trace_without_a_context_is_shown_as_a_refusal() -> None:
    trace = make_trace(
        status="refused", context=None, claims=[], legs={}, entry_points=[], usage={}, milliseconds={},
        refusal_reason="no_entry_point", refusal_message="Search found no candidate rule.", prompt=None,
        prompt_redacted=None, prompt_digest=None,
    )  # fmt: skip
    document = parse(dump_html(trace))
    assert "no_entry_point Search found no candidate rule." in words_of(document.find(".//main/section"))
    assert "no prompt was built" in words_of(document.get_element_by_id("prompt"))
    assert "Search found no candidate rule." in dump_markdown(trace)


def test_the_tree_nests_blocks_under_their_parents() -> None:
    document = parse(dump_html(make_trace()))
    for index, one in enumerate(BLOCKS, start=1):
        item = document.get_element_by_id(f"block-{index}").getparent()
        above = item.getparent().getparent()
        known = next((n for n, other in enumerate(BLOCKS, start=1) if other.urn == one.parent_urn), None)
        assert (above.find("article").get("id") if above.tag == "li" else None) == (known and f"block-{known}")


def test_a_mark_holds_exactly_the_quote() -> None:
    document = parse(dump_html(make_trace()))
    marks = [one.text_content() for one in document.iter("mark")]
    assert marks == [quote.quote for claim in make_trace().claims for quote in claim.citations]
    for mark in document.iter("mark"):
        assert mark.getparent().text_content() in {one.text for one in BLOCKS}


@pytest.mark.parametrize(
    ("citation", "problem"),
    [
        (Citation(urn=RENT, quote="No landlord may", start=1, end=16), "does not stand at characters 1 to 16"),
        (Citation(urn=RENT, quote="Every landlord may", start=0, end=15), "does not stand at characters 0 to 15"),
        (Citation(urn=RENT, quote="", start=3, end=3), "does not stand at characters 3 to 3"),
        (Citation(urn=RENT, quote="twelve months.", start=-14, end=81), "does not stand at characters -14 to 81"),
        (Citation(urn=f"{DEPOSIT}:d", quote="VOID", start=0, end=4), "does not stand at characters 0 to 4"),
        (Citation(urn=f"{REG}:9.99", quote="anything", start=0, end=8), "The cited node is not in this context."),
    ],
    ids=["offsets", "words", "empty", "negative", "redacted", "unknown"],
)
def test_a_quote_that_does_not_stand_is_never_highlighted(citation: Citation, problem: str) -> None:
    claim = TracedClaim(text="x", level="VERBATIM", verdict="SUPPORTED", reasons=[], citations=[citation])
    trace = make_trace(claims=[claim])
    document = parse(dump_html(trace))
    assert list(document.iter("mark")) == []
    assert problem in words_of(document.get_element_by_id("claim-1"))
    assert "DOES NOT HOLD: 0 of 1 quotes" in words_of(document.get_element_by_id("record"))
    assert "**" in next(line for line in dump_markdown(trace).splitlines() if line.startswith("Quote from"))


def test_a_changed_context_is_told() -> None:
    context = make_context().model_copy(update={"blocks": BLOCKS[:-1]})
    assert "DOES NOT HOLD: The scoped context" in words_of(parse(dump_html(make_trace(context=context))))


@given(st.text("ab \n", min_size=1, max_size=30), st.data())
@settings(max_examples=60, deadline=None)
def test_exhibits_show_every_citation_once_inside_the_whole_text(text: str, data: st.DataObject) -> None:
    spans = data.draw(st.lists(st.tuples(st.integers(-2, 32), st.integers(-2, 32)), max_size=6))
    cited = [Citation(urn=RENT, quote=text[max(a, 0) : b], start=a, end=b) for a, b in spans]
    shown = exhibits(cited, [block("b1", RENT, "rule", text)])
    all_shown = [one for exhibit in shown for one in (*exhibit.quotes, *exhibit.loose)]
    key = Citation.model_dump_json
    assert sorted(map(key, all_shown)) == sorted(map(key, cited))
    for exhibit in shown:
        assert "".join(piece.text for piece in exhibit.pieces) == text
        assert [piece.text for piece in exhibit.pieces if piece.marked] == [one.quote for one in exhibit.quotes]


@given(st.lists(st.integers(-1, 9), max_size=10))
@settings(max_examples=60, deadline=None)
def test_the_tree_holds_every_block_once_whatever_the_parents(parents: list[int]) -> None:
    blocks = [
        block(f"b{index}", f"{REG}:{index}", "rule", "x", parent_urn=f"{REG}:{parent}" if parent >= 0 else None)
        for index, parent in enumerate(parents)
    ]
    items = tree_of(blocks)
    assert sorted(item.number for item in items) == list(range(1, len(blocks) + 1))
    assert sum(item.opens for item in items) == sum(item.closes for item in items)
    above: list[str] = []
    for item in items:
        del above[item.depth :]
        assert not item.parent_shown or item.block.parent_urn == above[-1]
        above.append(item.block.urn)


def test_a_tree_deeper_than_browsers_nest_loses_nothing() -> None:
    blocks = [block(f"b{n}", f"{REG}:n{n}", "rule", f"Text {n}.", parent_urn=f"{REG}:n{n - 1}") for n in range(600)]
    document = parse(dump_html(make_trace(context=make_context(blocks=blocks), claims=[])))
    tree = document.get_element_by_id("tree")
    assert len(tree.findall(".//article")) == 600
    assert max(len(list(one.iterancestors("ul"))) for one in tree.iter("article")) == MAX_TREE_DEPTH + 1
    assert f"stands under {REG}:n598" in words_of(tree)


# --- hostile text -----------------------------------------------------------------------------------------------

HOSTILE = [
    "<script>alert(1)</script>",
    "</style><script>alert(1)</script><style>",
    "</title><img src=x onerror=alert(1)>",
    "\" onmouseover=\"alert(1)\" x=\"",
    "' onfocus='alert(1)' autofocus='",
    "javascript:alert(1)//<a href=javascript:alert(1)>",
    "--><svg/onload=alert(1)><!--",
    "</pre></details></section></main><iframe src=//evil.example>",
    "]]><math><mtext></table><style>@import 'http://evil.example'",
    "{{7*7}}{% for x in ().__class__.__base__.__subclasses__() %}{# #}${7*7}",
    "&lt;b&gt; &amp; &#x3c;script&#62; &nbsp",
    "&#60;script&#62;alert(1)",
    "```\n# Heading\n<b>html</b>\n~~~\n````\n[link](http://evil.example) ![i](http://evil.example/p.png)",
    "`` ` ``` |a|b|\n|-|-|\n- [ ] item\n> quote\nhttp://evil.example www.evil.example",
    "a\u202eb\u2066c\u200bd\ufeffe\x00f\x1b[31mg\x9bh\u00adi\u2028j\x7fk\rl\U000e0041m\ufe0fn",
]  # fmt: skip
TAGS = {
    "html", "head", "meta", "title", "style", "body", "a", "header", "p", "h1", "h2", "h3", "time", "b", "div",
    "blockquote", "dl", "dt", "dd", "code", "ul", "ol", "li", "nav", "main", "section", "span", "mark", "cite", "q",
    "table", "caption", "thead", "tbody", "tr", "th", "td", "article", "details", "summary", "pre", "footer", "wbr",
}  # fmt: skip
ATTRIBUTES = {
    "charset", "http-equiv", "content", "name", "lang", "dir", "class", "id", "href", "datetime", "role", "tabindex",
    "scope", "colspan", "aria-label", "aria-labelledby",
}  # fmt: skip


def assert_inert(html: str) -> HtmlElement:
    """The document has only the tags, attributes and links that the template gives it."""
    assert "<!--" not in html
    document = parse(html)
    ids = [one.get("id") for one in document.iter() if one.get("id")]
    assert len(ids) == len(set(ids))
    for element in document.iter():
        assert element.tag in TAGS
        assert set(element.attrib) <= ATTRIBUTES
        assert re.fullmatch(r"[a-z -]*", element.get("class", ""))
        for name in ("href", "aria-labelledby"):
            target = element.get(name)
            assert target is None or target.removeprefix("#") in ids
        assert element.get("href", "#").startswith("#")
    (style,) = document.iter("style")
    digest = base64.b64encode(hashlib.sha256(style.text.encode()).digest()).decode()
    (policy,) = (one.get("content") for one in document.iter("meta") if one.get("http-equiv"))
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src 'none'; base-uri 'none'; form-action 'none'"
    )
    return document


def skeleton(document: HtmlElement) -> list[str]:
    """The tags in order, without the breaks in URNs and the frames of invisible characters."""
    return [one.tag for one in document.iter() if one.tag != "wbr" and one.get("class") != "unseen"]


@pytest.mark.parametrize("payload", HOSTILE)
@pytest.mark.parametrize("base", [make_trace(), halted_trace()], ids=["answered", "halted"])
def test_hostile_text_in_every_field_changes_no_mark_up(base: Trace, payload: str) -> None:
    hostile = assert_inert(dump_html(refilled(base, lambda: payload)))
    assert skeleton(hostile) == skeleton(assert_inert(dump_html(refilled(base, lambda: "harmless"))))
    if base.prompt:
        # HTML drops the line feed that follows <pre>; this parser, which reads HTML 4, keeps it.
        assert hostile.find(".//pre").text_content() == f"\n{visible(payload)}"
    assert visible(payload) in hostile.find(".//header//blockquote").text_content()


@given(st.text(min_size=1, max_size=40).filter(lambda text: not text.isspace()))
@settings(max_examples=15, deadline=None)
def test_any_text_in_every_field_changes_no_mark_up(payload: str) -> None:
    hostile = assert_inert(dump_html(refilled(make_trace(), lambda: payload)))
    assert skeleton(hostile) == skeleton(parse(dump_html(refilled(make_trace(), lambda: "harmless"))))


@pytest.mark.data
def test_published_naughty_strings_are_inert_in_all_fields(shared_data: Path) -> None:
    strings = json.loads((shared_data / "attacks" / "blns" / "blns.json").read_text(encoding="utf-8"))
    endless = itertools.cycle(one for one in strings if one)
    for _ in range(12):  # every string comes by at least twice, each time in another field
        trace = refilled(make_trace(), lambda: next(endless))
        assert_inert(dump_html(trace))
        assert load_trace(dump_json(trace)) == trace


def test_real_traces_are_inert_too() -> None:
    for trace in (make_trace(), make_trace().redacted(), halted_trace()):
        assert_inert(dump_html(trace))


def test_templates_put_no_trace_text_into_attributes() -> None:
    folder = Path(dump_html.__code__.co_filename).parent / "templates"
    template = (folder / "dump.html.j2").read_text(encoding="utf-8")
    inside = {found for tag in re.findall(r"<[a-z][^<>]*>", template) for found in re.findall(r"\{\{(.*?)\}\}", tag)}
    assert {one.strip() for one in inside} == {
        "style_source", "view.tone", "trace.at_date", "trace.created_at.isoformat()", "view.language", "law()",
        "view.numbers[urn]", "shown.number", "item.number", "item.block.role", "view.legs | length",
        '"notice-text" if block.role == "warning" else "law"',
        '"privacy-held" if view.held else "privacy-clean"', '"holds" if check.holds else "fails"',
        '"verbatim" if shown.claim.level == "VERBATIM" else "checked"',
    } - {"view.language"}  # fmt: skip
    assert re.findall(r'=\s*(?!["\'=])\{\{', template) == []
    for banned in ("<script", "| safe", "|safe", "style=", "http:", "https:", "javascript", "autoescape", "<!--"):
        assert banned not in template
    css = (folder / "dump.css").read_text(encoding="utf-8")
    assert not re.search(r"@import|url\(|expression|</|content:\s*attr", css)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a[U+202E]b"), ("\x1b[2J", "[U+001B][2J"), ("\x9b", "[U+009B]"), ("a\u200db", "a[U+200D]b"),
        ("\U000e0041", "[U+E0041]"), ("\r\n", "[U+000D]\n"), ("\x00", "[U+0000]"), ("co\u00adop", "co[U+00AD]op"),
        ("§\u00a01 «\u202foui\u202f» — 第三条\t\n", "§\u00a01 «\u202foui\u202f» — 第三条\t\n"), ("عربي", "عربي"),
    ],
)  # fmt: skip
def test_characters_that_cannot_be_seen_are_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_written_out_characters_are_set_apart_from_the_same_words_in_the_law() -> None:
    trace = make_trace(scenario="\u202e and [U+202E]")
    quote = parse(dump_html(trace)).find(".//header//blockquote")
    assert [one.text for one in quote.iter("span")] == ["[U+202E]"]
    assert quote.text_content() == "[U+202E] and [U+202E]"
    assert "\u202e" not in dump_html(trace) + dump_markdown(trace) + dump_json(trace)


# --- Markdown ---------------------------------------------------------------------------------------------------


def markdown_tokens(text: str) -> list[Any]:
    return [
        child for token in MarkdownIt("gfm-like", {"linkify": False}).parse(text) for child in _with_children(token)
    ]


def _with_children(token: Any) -> list[Any]:
    return [token, *(token.children or [])]


ACTIVE = {"html_block", "html_inline", "link_open", "image", "table_open", "s_open", "em_open", "code_block"}


@pytest.mark.parametrize("payload", HOSTILE)
def test_hostile_text_stays_inside_spans_and_fences_of_markdown(payload: str) -> None:
    tokens = markdown_tokens(dump_markdown(refilled(make_trace(), lambda: payload)))
    harmless = markdown_tokens(dump_markdown(refilled(make_trace(), lambda: "harmless")))
    assert {one.type for one in tokens} & ACTIVE == set()
    assert [one.type for one in tokens] == [one.type for one in harmless]


@given(st.text("`~\n #>-|ab1.\t<", min_size=1, max_size=30).filter(lambda text: bool(text.strip())))
@settings(max_examples=20, deadline=None)
def test_no_mix_of_backticks_leaves_its_fence(payload: str) -> None:
    tokens = markdown_tokens(dump_markdown(refilled(make_trace(), lambda: payload)))
    harmless = markdown_tokens(dump_markdown(refilled(make_trace(), lambda: "harmless")))
    assert [one.type for one in tokens] == [one.type for one in harmless]


def test_wrapping_in_markdown_changes_white_space_only() -> None:
    text = "word " * 60 + "第" * 250
    fences = [one.content for one in markdown_tokens(dump_markdown(make_trace(scenario=text))) if one.type == "fence"]
    assert max(len(line) for line in fences[0].splitlines()) <= 100
    assert "".join(fences[0].split()) == "".join(text.split())


# --- JSON, determinism, privacy, files --------------------------------------------------------------------------


@pytest.mark.parametrize("payload", ["plain", *HOSTILE])
def test_json_gives_the_same_trace_back(payload: str) -> None:
    for base in (make_trace(), halted_trace(), make_trace().redacted()):
        trace = refilled(base, lambda: payload)
        assert load_trace(dump_json(trace)) == trace
    assert visible(dump_json(refilled(make_trace(), lambda: payload))) == dump_json(
        refilled(make_trace(), lambda: payload)
    )


@pytest.mark.parametrize("render", [dump_html, dump_markdown, dump_json])
def test_the_same_trace_gives_the_same_bytes(render: Callable[[Trace], str]) -> None:
    trace = make_trace()
    shuffled = trace.model_copy(
        update={
            "legs": dict(reversed(trace.legs.items())), "usage": dict(reversed(trace.usage.items())),
            "milliseconds": dict(reversed(trace.milliseconds.items())),
        }
    )  # fmt: skip
    assert render(trace) == render(shuffled) == render(load_trace(dump_json(trace)))


SECRET = "Quillon Varga"


@pytest.mark.parametrize(
    "text",
    [
        "", SECRET, "[]", "{", "null", json.dumps({"version": 99, "id": SECRET}),
        json.dumps({"version": 1, "id": SECRET}),
        json.dumps({"version": 1, SECRET: 1}), '{"version": 1, "version": 1}', "[" * 100_000,
        dump_json(make_trace()).replace('"us-ma"', f'{{"{SECRET}": 1}}'), dump_json(make_trace())[:-9],
    ],
)  # fmt: skip
def test_what_is_no_dump_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(InputError) as caught:
        load_trace(text)
    assert "JSON dump of a trace" in caught.value.message
    assert SECRET not in caught.value.message
    assert SECRET not in repr(caught.value.__context__)


def test_an_unusable_field_is_named() -> None:
    with pytest.raises(InputError, match="at_date"):
        load_trace(dump_json(make_trace()).replace('"at_date": "2024-07-01"', '"at_date": "tomorrow"'))


def test_a_number_json_does_not_have_is_refused() -> None:
    with pytest.raises(InputError, match="finite"):
        dump_json(make_trace(milliseconds={"search": float("nan")}))


@pytest.mark.parametrize("render", [dump_html, dump_markdown, dump_json])
def test_a_redacted_trace_shows_neither_scenario_nor_wording(render: Callable[[Trace], str]) -> None:
    numbered = sentinels()
    trace = refilled(make_trace(), lambda: next(numbered))
    hidden = {
        *(word for name in PRIVATE for word in re.findall(r"zq\d+x", json.dumps(trace.model_dump(mode="json")[name]))),
        *(str(one.text) for one in trace.claims),
    }
    shown = set(re.findall(r"zq\d+x", render(trace.redacted())))
    assert len(hidden) == 7
    assert shown & hidden == set()
    assert {one.quote for claim in trace.claims for one in claim.citations} <= shown


def test_the_banner_says_what_the_file_holds() -> None:
    def banner(trace: Trace) -> str:
        (note,) = parse(dump_html(trace)).find_class("privacy")
        return words_of(note)

    assert "This file holds the scenario, the prompt as sent, the wording of the claims" in banner(make_trace())
    assert banner(make_trace().redacted()).startswith("Redacted. This file does not hold the scenario, the prompt's")
    assert "**Redacted.**" in dump_markdown(make_trace().redacted())
    assert "scenario has been taken out" in words_of(
        parse(dump_html(make_trace().redacted())).get_element_by_id("prompt")
    )


@pytest.mark.parametrize("field", ["scenario", "prompt", "unanswered", "synonyms", "claims"])
@pytest.mark.parametrize("render", [dump_html, dump_markdown, dump_json])
def test_a_trace_that_only_says_it_is_redacted_is_not_dumped(render: Callable[[Trace], str], field: str) -> None:
    leaking = make_trace().redacted().model_copy(update={field: getattr(make_trace(), field)})
    with pytest.raises(InputError, match="redacted"):
        render(leaking)


@pytest.mark.parametrize(("suffix", "render"), [(".json", dump_json), (".md", dump_markdown), (".HTML", dump_html)])
def test_a_file_is_written_in_the_format_of_its_suffix_for_its_owner_only(
    tmp_path: Path, suffix: str, render: Callable[[Trace], str]
) -> None:
    path = tmp_path / f"dump{suffix}"
    path.write_text("old")
    path.chmod(0o666)
    write_dump(make_trace(), path)
    assert path.read_bytes() == render(make_trace()).encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_a_symbolic_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target.txt", tmp_path / "dump.md"
    target.write_text("untouched")
    link.symlink_to(target)
    write_dump(make_trace(), link)
    assert target.read_text() == "untouched"
    assert not link.is_symlink()


@pytest.mark.parametrize(
    ("name", "message"),
    [("dump.pdf", r"\.json, \.md, \.html"), ("dump", r"\.json"), ("none/dump.md", "cannot be written"),
     ("folder.html", "cannot be written")],
)  # fmt: skip
def test_a_file_that_cannot_be_written_is_refused_and_leaves_nothing(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(InputError, match=message):
        write_dump(make_trace(), tmp_path / name)
    assert [one.name for one in tmp_path.iterdir()] == ["folder.html"]
