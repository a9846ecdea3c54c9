"""The local web view: who is let in, what its pages show, and what they never hold."""

from __future__ import annotations

import html
import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path
from typing import cast

import httpx2
import pytest
from law import document, node, store

from rag import Engine, Settings
from rag.law.nodes import Corpus
from rag.mcp.http import checked_access
from rag.web.app import COOKIE, FORM_TYPE, MAX_FORM, loopback_access, web_app

pytestmark = pytest.mark.anyio
KEY = "the-key-of-this-run"
BASE = "http://127.0.0.1:8766"
RULE = "urn:lex:ma:940cmr:3.17:4"
T = "urn:lex:us-or:docks"
QUESTION = "My landlord Quackenbush did not pay interest on my security deposit."


@asynccontextmanager
async def browser(engine: Engine, key: str = KEY) -> AsyncGenerator[httpx2.AsyncClient]:
    """A browser that opened the address which the server printed."""
    transport = httpx2.ASGITransport(web_app(engine, loopback_access(KEY)))
    async with httpx2.AsyncClient(transport=transport, base_url=BASE) as client:
        opened = await client.get(f"/?key={key}")
        if key == KEY:
            assert (opened.status_code, opened.headers["location"]) == (303, "/")
            assert "HttpOnly" in opened.headers["set-cookie"]
            assert "SameSite=strict" in opened.headers["set-cookie"]
        yield client


async def test_a_scenario_is_answered_with_its_review_and_the_store_keeps_no_word_of_it(served: Engine) -> None:
    async with browser(served) as client:
        start = await client.get("/")
        asked = {"question": QUESTION, "jurisdiction": "us-ma", "at_date": "2024-01-01", "language": ""}
        answer = await client.post("/ask", data=asked)
        stored = await client.get("/traces")
    assert all(value in start.text for value in ('action="/ask"', 'formaction="/search"', 'action="/read"'))
    assert all(f'href="/{name}"' in start.text for name in ("browse", "compare", "traces"))
    for code in ("us", "us-ma"):
        assert f'<option value="{code}">' in start.text
    assert answer.status_code == 200
    assert "Quackenbush" in answer.text
    assert "3.17" in answer.text
    for rule in ("default-src 'none'", "script-src 'self'", "form-action 'self'", "frame-ancestors 'none'"):
        assert rule in answer.headers["content-security-policy"]
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert stored.status_code == 200
    assert "Quackenbush" not in stored.text
    for page in (start, answer, stored):
        assert page.headers["cache-control"] == "no-store"
        assert re.findall("<script[^>]*>", page.text) == ['<script src="/page.js" defer>']


async def test_a_page_asks_on_about_the_same_rules(served: Engine) -> None:
    asked = served.ask("940 CMR 3.17(4)", jurisdiction="us-ma")
    several = served.ask("When may a seller call at home?", jurisdiction=["us-ma", "us"])
    async with browser(served) as client:
        on = await client.post("/ask", data={"question": "Who pays the interest?", "follow_up": asked.follow_up or ""})
        both = await client.post("/ask", data={"question": "And on a Sunday?", "follow_up": several.follow_up or ""})
    assert (on.status_code, both.status_code) == (200, 200)
    assert "Ask on about these rules" in on.text
    assert "2 jurisdictions side by side" in both.text


async def test_several_jurisdictions_answer_side_by_side_each_of_its_own_law(served: Engine) -> None:
    async with browser(served) as client:
        asked = {"question": "When may a seller call at home?", "jurisdiction": ["us", "us-ma"], "terms": ""}
        shown = (await client.post("/ask", data=asked)).text
        start = (await client.post("/ask", data={**asked, "at_date": "never"})).text
    glance, of_union, of_state = re.split(r'<article class="part" id="p\d-part"', shown)
    assert glance.count("16 C.F.R. ") == 1
    assert "940 CMR 3.20(1)" in glance
    assert "940 CMR" not in of_union  # law of the state is not law of the country where each is asked for itself
    assert "940 CMR 3.20(1)" in of_state
    ids = re.findall(r'\bid="([^"]+)"', shown)
    assert len(ids) == len(set(ids))
    assert 'value="us-ma" checked' in start
    assert '<option value="us" selected>' in start


async def test_words_of_the_statute_find_what_the_question_does_not_name(served: Engine) -> None:
    async with browser(served) as client:
        pages = {
            (path, terms): (await client.post(path, data={"question": "My xylophone?", "terms": terms})).text
            for path in ("/ask", "/search") for terms in ("", "security deposit, rate of interest")
        }  # fmt: skip
    for (path, terms), shown in pages.items():
        assert ("940 CMR 3.17(" in shown) == bool(terms), (path, terms)
        assert not terms or f'value="{terms}"' in shown


async def test_what_courts_struck_is_marked_in_lists_and_in_the_text_around_it(served: Engine) -> None:
    async with browser(served) as client:
        found = (await client.post("/search", data={"question": "fee for the return of keys"})).text
        around = (await client.get("/read", params={"reference": "urn:lex:ma:940cmr:part_3"})).text
    assert re.search(r'940 CMR 3\.12</b>.*?<p class="struck"><b class="tag tag-warning">VOID</b>', found, re.DOTALL)
    assert found.count('class="struck"') == 2
    note, _, text = around.partition('<div class="words"')
    assert re.search(r"VOID</b> <a [^>]*>940 CMR 3\.12</a>", note)
    assert re.search(r'Fee for the return of keys</h2>\s*<p class="struck"><b class="tag tag-warning">VOID', text)
    assert text.count('class="struck"') == 2


async def test_a_page_and_an_answer_name_what_the_provision_prevails_over(served: Engine) -> None:
    async with browser(served) as client:
        read = (await client.get("/read", params={"reference": "urn:lex:ma:940cmr:3.19:2"})).text
        other = (await client.get("/read", params={"reference": "urn:lex:ma:940cmr:3.19:1"})).text
        answer = (await client.post("/ask", data={"question": "940 CMR 3.19(2)"})).text
    section = read.partition('<h2 id="over">Applies notwithstanding</h2>')[2].partition("</section>")[0]
    assert "940 CMR 3.19(1)" in section
    assert "Owner in residence" in section
    assert 'id="over"' not in other
    told = answer.partition("</a> applies notwithstanding <a")[2].partition("</p>")[0]
    assert "940 CMR 3.19(1)</a>" in told


async def test_a_search_shows_the_best_rules_with_their_sentences_and_narrows_the_list(served: Engine) -> None:
    def stored() -> int:
        with served.database.read() as conn:
            [count] = conn.execute("select count(*) from traces").fetchone() or (0,)
        return int(count)

    before = stored()
    async with browser(served) as client:
        found = await client.post("/search", data={"question": "interest on a security deposit", "jurisdiction": ""})
        narrowed = await client.post("/search", data={"question": "unfair or deceptive acts", "in": "us-ma"})
        halted = await client.post("/search", data={"question": "940 CMR 3.12"})
        nothing = await client.post("/search", data={"question": "zygote xylophone"})
    best, _, hits = found.text.partition('id="all"')
    assert "shall pay the tenant interest on the security deposit at the rate of 3 percent" in best
    assert "3.17(4)" in best
    assert "Sample text, not official law: trade and housing regulations &gt;" in best
    assert best.count('class="cite"') == 3
    assert "<mark>interest</mark>" in hits
    assert "**" not in hits
    assert "urn:lex:us:" not in narrowed.text.replace("<wbr>", "")
    assert "Legal Override active." in halted.text
    assert "No rule found" in nothing.text
    assert stored() == before  # a search leaves nothing behind


async def test_a_provision_is_read_with_all_that_stands_beside_it(served: Engine) -> None:
    async with browser(served) as client:
        read = (await client.get("/read", params={"reference": "940 CMR 3.17(4)", "at_date": "2024-01-01"})).text
        void = (await client.get("/read", params={"reference": "940 CMR 3.12", "at_date": "2024-01-01"})).text
        before = (await client.get("/read", params={"reference": "940 CMR 3.12", "at_date": "2015-01-01"})).text
        heading = (await client.get("/read", params={"reference": "urn:lex:ma:940cmr:part_3"})).text
        missing = (await client.get("/read", params={"reference": "940 CMR 3.99"})).text
    for shown in (
        'href="/read?reference=urn%3Alex%3Ama%3A940cmr&amp;at_date=2024-01-01"',  # where it stands
        'rel="prev"', 'rel="next"', 'aria-current="true"', "What limits it", "Owner in residence", "Cited by 2",
        '<a class="term" href="#def-', "a person who holds title to a dwelling unit, or a property manager",
        "instead of", 'id="b1"', "data-copy=", "In force from 2005-01-01", "Terms defined for it", ">(a)</a>",
    ):  # fmt: skip
        assert shown in read, shown
    assert "VOID" in void
    assert "<svg" in void
    assert "Sample Supreme Court" in before  # on the line of time, though it was not yet in effect
    assert 'class="tag tag-warning">VOID' not in before
    assert "Security deposits and interest" in heading
    assert "Not found" in missing


async def test_what_is_not_there_leads_on_to_another_date_or_to_what_is_near(served: Engine) -> None:
    async with browser(served) as client:
        early = await client.get("/read", params={"reference": "940 CMR 3.17", "at_date": "1950-01-01"})
        absent = await client.get("/read", params={"reference": "940 CMR 3.99"})
    assert '<input type="hidden" name="reference" value="940 CMR 3.17">' in early.text
    assert 'name="at_date" value="1950-01-01"' in early.text
    assert "Known near it" not in early.text
    assert absent.text.index("Known near it:") < absent.text.index("urn%3Alex%3Ama%3A940cmr%3A3.20")
    assert 'name="at_date"' not in absent.text


async def test_law_is_read_browsed_and_compared(served: Engine) -> None:
    async with browser(served) as client:
        read = await client.get("/read", params={"reference": "940 CMR 3.17(4)", "at_date": "2024-01-01"})
        tree = await client.get("/browse", params={"jurisdiction": "us-ma", "language": "en"})
        below = await client.get(
            "/browse", params={"root": "urn:lex:ma:940cmr:part_3", "jurisdiction": "*", "language": "en"}
        )
        compared = await client.get("/compare", params={"reference": RULE, "from": "2020-01-01", "to": "2024-01-01"})
    assert RULE in read.text
    assert "/browse?root=urn%3Alex%3Ama%3A940cmr" in tree.text
    assert "/read?reference=urn%3Alex%3Ama%3A940cmr%3A3.17" in below.text
    assert f"{RULE}" in compared.text
    assert "No difference: the context is the same at both dates" in compared.text


async def test_a_comparison_marks_words_and_what_a_court_did(
    served: Engine, empty_settings: Settings, tmp_path: Path
) -> None:
    with Engine.open(empty_settings) as engine:
        for day, words in ((date(2010, 1, 1), "No unit may be let."), (date(2015, 1, 1), "No unit may be sold.")):
            lines: list[dict[str, object]] = [
                {"lexscope": 1, "corpus": {"urn": T, "title": "Docks", "language": "en"}},
                {"urn": T, "structure_type": "ROOT", "level": "code", "heading": "Docks"},
                {"urn": f"{T}:1", "parent_urn": T, "structure_type": "SECTION", "level": "section",
                 "content_text": words},
            ]  # fmt: skip
            file = tmp_path / "docks.jsonl"
            file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            assert not engine.ingest([file], effective=day).rejected
        async with browser(engine) as client:
            given = {"reference": f"{T}:1", "from": "2011-01-01", "to": "2016-01-01"}
            sides = (await client.get("/compare", params=given)).text
            inline = (await client.get("/compare", params={**given, "inline": "1"})).text
            read = (await client.get("/read", params={"reference": f"{T}:1", "at_date": "2016-01-01"})).text
    assert "may be <del>let</del>." in sides
    assert "may be <ins>sold</ins>." in sides
    assert re.findall(r"on <time>([-0-9]+)</time>.*?</p>\s*<p[^>]*>\s*No unit", sides) == ["2011-01-01", "2016-01-01"]
    assert "may be <del>let</del><ins>sold</ins>." in inline
    assert "what changed on 2015-01-01" in read
    async with browser(served) as client:
        given = {"reference": "940 CMR 3.12", "from": "2015-01-01", "to": "2020-01-01"}
        struck = (await client.get("/compare", params=given)).text
    assert "VOID: Sample Supreme Court" in struck[struck.index('<figure class="times"') : struck.index("</figure>")]
    assert "A court override halts the rule at 2020-01-01" in struck


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/compare?reference=x&from=2020-01-01&to=2020-01-01", "Give two different ones (From, To)."),
        ("/compare?reference=x&from=2021-01-01&to=2020-01-01", "Exchange From and To."),
        ("/compare?reference=x&from=x&to=2020-01-01", "From: The date"),
        ("/trace", "No trace is stored yet."),
        ("/browse?jurisdiction=fr-75", "The store holds no law yet."),
    ],
)
async def test_what_cannot_be_done_is_said_in_the_words_of_the_page(
    empty_settings: Settings, path: str, said: str
) -> None:
    with Engine.open(empty_settings) as engine:
        async with browser(engine) as client:
            reply = await client.get(path)
    assert reply.status_code == 400
    assert said in html.unescape(reply.text)
    assert "--from" not in reply.text


async def test_an_empty_store_says_how_to_fill_it_once(empty_settings: Settings) -> None:
    with Engine.open(empty_settings) as engine:
        async with browser(engine) as client:
            start = (await client.get("/")).text
            asked = (await client.post("/ask", data={"question": "May I keep a cat?"})).text
            read = (await client.get("/read", params={"reference": "940 CMR 3.17"})).text
    for page in (start, asked, read):
        assert page.count("<code>lexscope ingest</code>") == 1
        assert "browse the law" not in page


async def test_a_store_of_two_languages_says_which_one_was_searched(empty_settings: Settings, tmp_path: Path) -> None:
    for language in ("en", "fr"):
        root = f"urn:lex:ch:{language}"
        corpus: dict[str, object] = {"urn": root, "title": language, "language": language}
        lines: list[dict[str, object]] = [
            {"lexscope": 1, "corpus": corpus},
            {"urn": root, "structure_type": "ROOT", "level": "code", "content_text": "Docks."},
        ]
        (tmp_path / f"{language}.jsonl").write_text(
            "".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8"
        )
    with Engine.open(empty_settings) as engine:
        assert not engine.ingest([tmp_path]).rejected
        async with browser(engine) as client:
            reply = await client.post("/ask", data={"question": "docks", "jurisdiction": "ch"})
    assert "Of the law in en, fr only en was searched" in html.unescape(reply.text)


async def test_parts_of_german_law_bear_the_marks_that_it_prints(empty_settings: Settings) -> None:
    law, levels = "urn:lex:de:bgb", ("paragraph", "absatz", "nummer", "buchstabe", "doppelbuchstabe")
    urns = [law, *(f"{law}:{'573:2:1:a:aa'.rsplit(':', depth)[0]}" for depth in (4, 3, 2, 1, 0))]
    nodes = [node(law)]
    nodes += [
        node(urn, intro_text=f"Worte der Stufe {level}:", level=level, heading="")
        for urn, level in zip(urns[1:], levels, strict=True)
    ]
    nodes.append(node(f"{law}:573:nr.4", "Worte einer Nummer ohne Absatz.", level="nummer", number="4", heading=""))
    nodes.append(node(f"{law}:573:2:2", "2. Worte mit ihrer Nummer.", level="nummer", heading=""))
    with Engine.open(empty_settings) as engine:
        store(engine.database, document(nodes, in_corpus=Corpus(law, "Bürgerliches Gesetzbuch", "de")))
        async with browser(engine) as client:
            page = await client.get("/read", params={"reference": f"{law}:573"})
    assert re.findall(r'<a class="label"[^>]*>([^<]*)</a>', page.text) == [
        "(2)", "1.", "a)", "aa)", "¶", "4.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("law", "language", "parts", "marks"),
    [
        ("urn:lex:eu:32016r0679", "en", [("6:1", "paragraph"), ("6:1:a", "point")], ["1.", "(a)"]),
        ("urn:lex:fr:code-civil", "fr", [("6:2", "point"), ("6:2:b", "point")], ["2°", "b)"]),
        ("urn:lex:jp:327ac0000000231", "ja", [("6:2", "paragraph"), ("6:2:9-2", "item")], ["２", "九の二"]),
    ],
)
async def test_parts_of_other_law_bear_the_marks_that_it_prints(
    empty_settings: Settings, law: str, language: str, parts: list[tuple[str, str]], marks: list[str]
) -> None:
    nodes = [node(law), node(f"{law}:6", level="article", heading="")]
    nodes += [node(f"{law}:{part}", intro_text=f"Words of {part}:", level=level, heading="") for part, level in parts]
    with Engine.open(empty_settings) as engine:
        store(engine.database, document(nodes, in_corpus=Corpus(law, "A law", language)))
        async with browser(engine) as client:
            page = await client.get("/read", params={"reference": f"{law}:6"})
    assert re.findall(r'<a class="label"[^>]*>([^<]*)</a>', page.text) == marks


async def test_a_long_text_is_read_page_by_page(empty_settings: Settings, tmp_path: Path) -> None:
    root = "urn:lex:us-or:docks"
    words = " ".join(f"word{number}" for number in range(20_000))
    lines: list[dict[str, object]] = [
        {"lexscope": 1, "corpus": {"urn": root, "title": "Docks", "language": "en"}},
        {"urn": root, "structure_type": "ROOT", "level": "code", "heading": "Docks"},
        {"urn": f"{root}:1", "parent_urn": root, "structure_type": "SECTION", "level": "section",
         "content_text": words},
    ]  # fmt: skip
    (tmp_path / "docks.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    read: list[str] = []
    with Engine.open(empty_settings) as engine:
        assert not engine.ingest([tmp_path]).rejected
        async with browser(engine) as client:
            page: str | None = f"/read?reference={root}"
            while page is not None:
                shown = (await client.get(page)).text
                assert "--blocks" not in shown
                read += re.findall(r"word\d+", shown)
                onward = re.search(r'href="(/read[^"]*)">Next page', shown)
                page = html.unescape(onward[1]) if onward else None
    assert " ".join(read) == words


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/", {"host": "evil.example"}, 421),
        ("GET", "/", {"host": "127.0.0.1.evil.example"}, 421),
        ("POST", "/ask", {"origin": "https://evil.example"}, 403),
        ("POST", "/ask", {"origin": "http://127.0.0.1:9999"}, 403),
        ("POST", "/ask", {"origin": "null"}, 403),
        ("DELETE", "/", {}, 405),
        ("GET", "/ask", {}, 405),
        ("GET", "/etc/passwd", {}, 404),
        ("GET", "/read", {}, 400),
        ("GET", "/read?reference=x&at_date=yesterday", {}, 400),
        ("GET", "/compare?reference=x", {}, 400),
        ("GET", "/search", {}, 405),
        ("GET", "/browse?offset=-1", {}, 400),
        ("GET", "/trace?trace=nothing", {}, 400),
    ],
)
async def test_what_is_not_served_has_its_status_and_repeats_nothing(
    served: Engine, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    async with browser(served) as client:
        reply = await client.request(method, path, headers=headers, content=b"question=Quackenbush")
    assert reply.status_code == status
    assert "Quackenbush" not in reply.text


async def test_a_tree_of_several_pages_leads_from_one_to_the_next(empty_settings: Settings, tmp_path: Path) -> None:
    root = "urn:lex:us-or:docks"
    lines: list[dict[str, object]] = [
        {"lexscope": 1, "corpus": {"urn": root, "title": "Docks", "language": "en"}},
        {"urn": root, "structure_type": "ROOT", "level": "code", "heading": "Docks"},
    ]
    lines[2:] = [
        {"urn": f"{root}:{at}", "parent_urn": root, "structure_type": "SECTION", "level": "section",
         "content_text": f"Dock {at} is open."} for at in range(1, 131)
    ]  # fmt: skip
    (tmp_path / "docks.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with Engine.open(empty_settings) as engine:
        assert not engine.ingest([tmp_path]).rejected
        async with browser(engine) as client:
            first = await client.get("/browse", params={"root": root, "jurisdiction": "us-or", "language": "en"})
            onward = re.search(r'href="(/browse[^"]*)">Next page', first.text)
            assert onward
            second = await client.get(html.unescape(onward[1]))
            missing = await client.get("/nowhere")
    assert "Next page" not in second.text
    shown = set(re.findall(r"/read\?reference=urn%3Alex%3Aus-or%3Adocks%3A(\d+)", first.text + second.text))
    assert shown == {str(at) for at in range(1, 131)}
    assert "There is no such page" in missing.text


async def test_a_store_of_many_laws_is_listed_by_place_and_title(empty_settings: Settings, tmp_path: Path) -> None:
    states = ["ak", "al", "ar", "az", "ca", "co", "ct", "de", "fl", "ga", "hi", "ia", "id"]
    for number in range(8):
        (tmp_path / f"rule-{number}.md").write_text(f"# Rule {number}\n\nNo goat may stay.\n", encoding="utf-8")
    with Engine.open(empty_settings) as engine:
        for state in states:
            assert not engine.ingest([tmp_path], jurisdiction=f"us-{state}").rejected
        async with browser(engine) as client:
            start = (await client.get("/")).text
            first = (await client.get("/browse")).text
            second = (await client.get("/browse", params={"offset": "100"})).text
            titled = (await client.get("/browse", params={"title": "rule 3", "jurisdiction": "us-al"})).text
            none = (await client.get("/browse", params={"title": "cat"})).text
            plain = (await client.get("/browse", params={"root": "urn:lex:us-al:doc:rule-3"})).text
            sides = {"question": "May a goat stay?", "jurisdiction": ["us-al", "us-hi", ""]}
            answered = (await client.post("/ask", data=sides)).text
    assert 'type="checkbox"' not in start
    assert len(start) < 40_000
    assert start.index(">Alabama</a>") < start.index(">Alaska</a>")  # by name, not by code
    roots = [re.findall(r'href="/browse\?root=([^"]+)"', page) for page in (first, second)]
    assert len(roots[0]) == 100
    assert len(set(roots[0] + roots[1])) == len(states) * 8
    assert re.findall(r'href="/browse\?root=([^"]+)"', titled) == ["urn%3Alex%3Aus-al%3Adoc%3Arule-3"]
    assert "No law of this store has these words in its title." in none
    assert 'href="/read?reference=urn%3Alex%3Aus-al%3Adoc%3Arule-3%3A0001&amp;' in plain
    assert "2 jurisdictions side by side" in answered


async def test_provisions_are_listed_by_what_they_are_cited_as(served: Engine) -> None:
    async with browser(served) as client:
        beside = (await client.get("/read", params={"reference": "940 CMR 3.12"})).text
        below = (await client.get("/browse", params={"root": "urn:lex:ma:940cmr:part_3"})).text
    for page in (beside, below):
        assert re.search(r"<b>940 CMR 3\.11</b>", page)
        assert "section 11" not in page


async def test_a_form_is_taken_from_a_page_of_ours_and_pages_have_a_browser_say_that_it_is(served: Engine) -> None:
    async with browser(served) as client:
        pages = [await client.get(path) for path in ("/", "/browse?jurisdiction=us-ma&language=en", "/nowhere")]
        sent = {"question": QUESTION, "jurisdiction": "us-ma"}
        ours = await client.post("/ask", headers={"origin": BASE}, data=sent)
        others = [
            await client.post("/ask", headers={"origin": origin}, data=sent)
            for origin in ("null", "", "http://localhost:8766", "https://127.0.0.1:8766", f"{BASE}.evil.example")
        ]
    # Under `no-referrer` a browser sends `Origin: null` with the form of our own page, as it does for a stranger's.
    assert {page.headers["referrer-policy"] for page in [*pages, ours, *others]} == {"same-origin"}
    assert ours.status_code == 200
    assert [reply.status_code for reply in others] == [403] * len(others)


@pytest.mark.parametrize("cookie", ["", f"{COOKIE}=other", f"{COOKIE}={KEY}x", "=;=", f"other={KEY}"])
async def test_nothing_is_shown_without_the_key(served: Engine, cookie: str) -> None:
    async with browser(served, key="wrong") as client:
        for path in ("/", "/read?reference=940+CMR+3.17", "/trace", "/page.js", "/nowhere"):
            reply = await client.get(path, headers={"cookie": cookie})
            assert reply.status_code == 401, path
            assert KEY not in reply.text


async def test_a_form_that_is_too_large_is_refused_and_markup_is_shown_as_text(served: Engine) -> None:
    async with browser(served) as client:
        large = await client.post("/ask", content=b"question=" + b"x" * MAX_FORM, headers={"content-type": FORM_TYPE})
        bold = await client.get("/read", params={"reference": "<script>alert(1)</script>"})
        many = await client.get("/browse", params={"jurisdiction": '"><script>', "language": "en"})
    assert large.status_code == 413
    assert "<script>" not in bold.text + many.text


# --- behind a proxy --------------------------------------------------------------------------------------------------

SITE = "https://law.example.org"
TOKEN = "a-token-of-more-than-thirty-two-characters"


@asynccontextmanager
async def visitor(engine: Engine, *, read_only: bool = False) -> AsyncGenerator[httpx2.AsyncClient]:
    """A browser elsewhere, whose requests come through a proxy that keeps the name of the site."""
    access = checked_access("127.0.0.1", TOKEN, given=True, hosts=["law.example.org"], origins=[SITE], proxied=True)
    transport = httpx2.ASGITransport(web_app(engine, access, read_only=read_only))
    async with httpx2.AsyncClient(transport=transport, base_url=SITE) as client:
        yield client


async def test_behind_a_proxy_a_token_that_is_typed_lets_in(served: Engine) -> None:
    async with visitor(served) as client:
        closed = await client.get("/")
        by_address = await client.get(f"/?key={TOKEN}")
        wrong = await client.post("/enter", data={"token": "another"}, headers={"origin": SITE})
        foreign = await client.post("/enter", data={"token": TOKEN}, headers={"origin": "https://law.example.com"})
        opened = await client.post("/enter", data={"token": TOKEN}, headers={"origin": SITE})
        inside = await client.get("/")
        elsewhere = await client.get("/", headers={"host": "127.0.0.1"})
    assert [reply.status_code for reply in (closed, by_address, wrong, foreign)] == [401, 401, 401, 403]
    assert 'type="password"' in closed.text
    assert "<script" not in closed.text  # it would be refused
    assert "This token is another one." in wrong.text
    assert opened.status_code == 303
    assert {"HttpOnly", "Secure", "SameSite=strict"} <= set(opened.headers["set-cookie"].split("; "))
    assert inside.status_code == 200
    assert elsewhere.status_code == 421


async def test_a_proxy_may_bring_the_token_itself(served: Engine) -> None:
    async with visitor(served) as client:
        inside = await client.get("/browse", headers={"authorization": f"Bearer {TOKEN}"})
        wrong = await client.get("/browse", headers={"authorization": "Bearer another"})
    assert (inside.status_code, wrong.status_code) == (200, 401)


async def test_read_only_there_is_no_verdict_to_give(served: Engine) -> None:
    async with visitor(served, read_only=True) as client:
        await client.post("/enter", data={"token": TOKEN}, headers={"origin": SITE})
        answered = await client.post("/ask", data={"question": QUESTION}, headers={"origin": SITE})
        given = await client.post("/verdict", data={"trace": "x", "verdict": "agree"}, headers={"origin": SITE})
    assert answered.status_code == 200
    assert given.status_code == 404


async def test_a_question_that_cannot_be_asked_is_in_its_form_again(served: Engine) -> None:
    async with browser(served) as client:
        asked = await client.post("/ask", data={"question": QUESTION, "jurisdiction": "fr"})
        compared = await client.get("/compare", params={"reference": RULE, "from": "2015-99-01", "to": "2020-01-01"})
    assert asked.status_code == compared.status_code == 400
    assert "The store has no law of jurisdiction fr" in asked.text
    assert QUESTION in asked.text
    assert f'value="{RULE}"' in compared.text


async def test_a_failure_that_nobody_expected_is_a_page_that_says_so() -> None:
    broken = cast("Engine", None)
    transport = httpx2.ASGITransport(web_app(broken, loopback_access(KEY)), raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url=BASE) as client:
        await client.get(f"/?key={KEY}")
        reply = await client.get("/browse")
    assert reply.status_code == 500
    assert "It says nothing about the law" in reply.text
    assert "default-src 'none'" in reply.headers["content-security-policy"]
