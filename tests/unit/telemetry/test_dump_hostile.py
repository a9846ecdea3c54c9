"""Dumps of traces whose every text was written by an enemy: nothing runs, nothing breaks out, nothing is lost."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest
from dump_traces import halted_trace, make_trace, parse, refilled
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml.html import HtmlElement
from markdown_it import MarkdownIt

from rag.telemetry.review.dump import dump_html, dump_json, dump_markdown, load_trace
from rag.telemetry.review.unseen import visible
from rag.telemetry.trace import Trace

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
    "svg", "rect", "path", "text", "tspan",
}  # fmt: skip
ATTRIBUTES = {
    "charset", "http-equiv", "content", "name", "lang", "dir", "class", "id", "href", "datetime", "role", "tabindex",
    "scope", "colspan", "aria-label", "aria-labelledby",
    "viewbox", "x", "y", "width", "height", "d", "text-anchor",
}  # fmt: skip


def assert_inert(html: str) -> HtmlElement:
    """The document has only the tags, attributes and links that the template gives it."""
    assert "<!--" not in html
    document = parse(html)
    ids = [element.get("id") for element in document.iter() if element.get("id")]
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
    digest = base64.b64encode(hashlib.sha256((style.text or "").encode()).digest()).decode()
    (policy,) = (element.get("content") for element in document.iter("meta") if element.get("http-equiv"))
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src 'none'; base-uri 'none'; form-action 'none'"
    )
    return document


def found(document: HtmlElement, path: str) -> HtmlElement:
    """The first element at a path."""
    element = document.find(path)
    assert element is not None
    return element


def skeleton(document: HtmlElement) -> list[str]:
    """The tags in order, without the breaks in URNs and the frames of invisible characters."""
    return [
        str(element.tag) for element in document.iter() if element.tag != "wbr" and element.get("class") != "unseen"
    ]


@pytest.mark.parametrize("payload", HOSTILE)
@pytest.mark.parametrize("base", [make_trace(), halted_trace()], ids=["answered", "halted"])
def test_hostile_text_in_every_field_changes_no_mark_up(base: Trace, payload: str) -> None:
    hostile = assert_inert(dump_html(refilled(base, lambda: payload)))
    assert skeleton(hostile) == skeleton(assert_inert(dump_html(refilled(base, lambda: "harmless"))))
    if base.prompt:
        # HTML drops the line feed that follows <pre>; this parser, which reads HTML 4, keeps it.
        assert found(hostile, ".//pre").text_content() == f"\n{visible(payload)}"
    assert visible(payload) in found(hostile, ".//header//blockquote").text_content()


@given(st.text(min_size=1, max_size=40).filter(lambda text: not text.isspace()))
@settings(max_examples=15)
def test_any_text_in_every_field_changes_no_mark_up(payload: str) -> None:
    hostile = assert_inert(dump_html(refilled(make_trace(), lambda: payload)))
    assert skeleton(hostile) == skeleton(parse(dump_html(refilled(make_trace(), lambda: "harmless"))))


@pytest.mark.data
def test_published_naughty_strings_are_inert_in_all_fields(shared_data: Path) -> None:
    strings = json.loads((shared_data / "attacks" / "blns" / "blns.json").read_text(encoding="utf-8"))
    endless = itertools.cycle(string for string in strings if string)
    for _ in range(12):  # every string comes by at least twice, each time in another field
        trace = refilled(make_trace(), lambda: next(endless))
        assert_inert(dump_html(trace))
        assert load_trace(dump_json(trace)) == trace


def test_real_traces_are_inert_too() -> None:
    for trace in (make_trace(), make_trace().redacted(), halted_trace()):
        assert_inert(dump_html(trace))


def test_templates_put_no_trace_text_into_attributes() -> None:
    folder = Path(dump_html.__code__.co_filename).parents[2] / "templates"
    names = ("dump_parts.html.j2", "dump.html.j2", "trace.html.j2", "trace_head.html.j2")
    template = "".join((folder / name).read_text(encoding="utf-8") for name in names)
    inside = {found for tag in re.findall(r"<[a-z][^<>]*>", template) for found in re.findall(r"\{\{(.*?)\}\}", tag)}
    assert {entry.strip() for entry in inside} == {
        "style_source", "view.tone", "trace.at_date", "trace.created_at.isoformat()", "view.language", "law()",
        "view.numbers[urn]", "shown.number", "id", "p", "within", "labelled(id)",
        'labelled("answer")', 'labelled("outcome")', "read_link(urn, trace.at_date)",
        "read_link(one.urn, trace.at_date)",
        "read_link(place.urn, trace.at_date)", "item.number", "item.block.role", "view.legs | length",
        '"notice-text" if block.role == "warning" else "law"', '" tag-warning" if kind == "weak_match"',
        '"privacy-held" if view.held else "privacy-clean"', '"holds" if check.holds else "fails"',
        '"verbatim" if shown.claim.level == "VERBATIM" else "checked" if shown.served else "withheld"',
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
    quote = found(parse(dump_html(trace)), ".//header//blockquote")
    assert [element.text for element in quote.iter("span")] == ["[U+202E]"]
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
    assert {token.type for token in tokens} & ACTIVE == set()
    assert [token.type for token in tokens] == [entry.type for entry in harmless]


@given(st.text("`~\n #>-|ab1.\t<", min_size=1, max_size=30).filter(lambda text: bool(text.strip())))
@settings(max_examples=20)
def test_no_mix_of_backticks_leaves_its_fence(payload: str) -> None:
    tokens = markdown_tokens(dump_markdown(refilled(make_trace(), lambda: payload)))
    harmless = markdown_tokens(dump_markdown(refilled(make_trace(), lambda: "harmless")))
    assert [token.type for token in tokens] == [entry.type for entry in harmless]


def test_wrapping_in_markdown_changes_white_space_only() -> None:
    text = "word " * 60 + "第" * 250
    fences = [
        markdown_token.content
        for markdown_token in markdown_tokens(dump_markdown(make_trace(scenario=text)))
        if markdown_token.type == "fence"
    ]
    assert max(len(line) for line in fences[0].splitlines()) <= 100
    assert "".join(fences[0].split()) == "".join(text.split())


# --- JSON ------------------------------------------------------------


@pytest.mark.parametrize("payload", ["plain", *HOSTILE])
def test_json_gives_the_same_trace_back(payload: str) -> None:
    for base in (make_trace(), halted_trace(), make_trace().redacted()):
        trace = refilled(base, lambda: payload)
        assert load_trace(dump_json(trace)) == trace
    assert visible(dump_json(refilled(make_trace(), lambda: payload))) == dump_json(
        refilled(make_trace(), lambda: payload)
    )
