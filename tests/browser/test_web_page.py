"""The local web view in a real browser: Debian's Chromium, driven by Playwright, which downloads none of its own."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Literal

import pytest
from conftest import thorough
from playwright.sync_api import Browser, Page, sync_playwright

from rag.settings import Settings

PROJECT = Path(__file__).resolve().parent.parent.parent
CHROMIUM = shutil.which("chromium")
# Neither a sandbox, which root cannot have, nor anything that would look for hosts of its maker.
OPTIONS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
QUESTION = "My landlord Quackenbush did not pay interest on my security deposit."

# CI sets it once it has installed a browser: there, nothing of this module may be skipped.
REQUIRED = os.environ.get("LEXSCOPE_TEST_BROWSER") == "required"
pytestmark = pytest.mark.skipif(
    CHROMIUM is None and not REQUIRED, reason="chromium is not installed (Debian's package `chromium`)"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of a new profile."""
    context = browser.new_context()
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()


@pytest.fixture(scope="module")
def address(served_settings: Settings) -> Iterator[str]:
    """The address that `lexscope serve` tells."""
    with serving(served_settings, "--port", "0") as told:
        assert "/?key=" in told
        yield told


@contextmanager
def serving(settings: Settings, *options: str) -> Iterator[str]:
    """The address that `lexscope serve` tells with these options."""
    assert settings.database_url is not None
    url = settings.database_url.get_secret_value()
    command = [sys.executable, "-m", "rag.cli", "--database-url", url, "serve", *options]
    with subprocess.Popen(command, cwd=PROJECT, env=os.environ, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            told = re.match(r"open (http://127\.0\.0\.1:\d+/\S*) ", server.stderr.readline())
            assert told
            yield told[1]
        finally:
            server.terminate()


class _Elsewhere(BaseHTTPRequestHandler):
    """Another site: it notes who sends people to it, and has a page whose form posts to the web view."""

    referrers: list[str | None]
    target: str

    def do_GET(self) -> None:
        if self.path == "/":
            self.referrers.append(self.headers.get("referer"))
        form = f'<form method="post" action="{self.target}"><input name="question" value="deposit"><button>Go</button>'
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f"<!doctype html><title>Elsewhere</title>{form}</form>".encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def elsewhere(address: str) -> Iterator[tuple[str, list[str | None]]]:
    """The address of the other site, and the referrers it was told."""
    referrers: list[str | None] = []
    target = f"{address.partition('/?')[0]}/ask"
    handler = type("Elsewhere", (_Elsewhere,), {"referrers": referrers, "target": target})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/", referrers
        server.shutdown()


def test_a_scenario_that_is_typed_into_the_page_is_answered(page: Page, address: str) -> None:
    page.goto(address)
    assert "key" not in page.url
    page.fill('textarea[name="question"]', QUESTION)
    page.select_option('select[name="jurisdiction"]', "us-ma")
    with page.expect_navigation() as navigation:
        page.click("button.main")
    assert navigation.value.status == 200
    assert page.url.endswith("/ask")
    shown = page.inner_text("body")
    assert "Quackenbush" in shown
    assert "3.17(4) Security deposits and interest" in shown


def test_the_other_forms_and_links_lead_on(page: Page, address: str) -> None:
    page.goto(address)
    page.fill("textarea", "interest on a security deposit")
    page.click('button[formaction="/search"]')
    page.click(".places a >> nth=0")
    assert page.inner_text("h1") == "Security deposits and interest"
    page.click("text=Short rentals >> nth=0")
    assert page.inner_text("h1") == "Short rentals"
    page.fill('form[action="/read"] input[name="reference"]', "940 CMR 3.17(4)")
    page.click('header form[action="/read"] button')
    assert "urn:lex:ma:940cmr:3.17:4" in page.inner_text("body")
    page.click("text=Browse")
    page.click('a[href^="/browse?root="] >> nth=0')
    page.locator('a[href^="/read?reference="]').first.wait_for()  # the page may still be on its way
    page.click("text=Compare")
    page.fill('main input[name="reference"]', "940 CMR 3.12")
    page.click("text=Compare inline")
    assert page.locator("figure.times").count() == 1


def test_the_form_of_another_site_is_refused_and_no_site_is_told_where_one_came_from(
    page: Page, address: str, elsewhere: tuple[str, list[str | None]]
) -> None:
    site, referrers = elsewhere
    page.goto(address)
    for path in ("/", "/browse?jurisdiction=*", "/read?reference=940+CMR+3.17"):
        page.goto(f"{address.partition('/?')[0]}{path}")
        with page.expect_navigation(url=site):
            page.evaluate("site => { location.href = site }", site)
    assert referrers == [None, None, None]
    with page.expect_navigation() as navigation:
        page.click("text=Go")
    assert navigation.value.status == 403
    assert "Another web page may not use this server." in page.inner_text("body")


# --- every page, for everybody ---------------------------------------------------------------------------------------

PAGES = (
    "/", "/read?reference=940+CMR+3.17(4)", "/read?reference=940+CMR+3.12", "/read?reference=urn:lex:ma:940cmr:part_3",
    "/browse", "/compare", "/compare?reference=940+CMR+3.12&from=2015-01-01&to=2020-01-01", "/traces", "/trace",
    "/read?reference=940+CMR+3.99", "/nowhere", "/browse?root=urn:lex:ma:940cmr",
    "/compare?reference=940+CMR+3.12&from=2015-99-01&to=2020-01-01",
)  # fmt: skip
# What is asked, in which button's way, and the words that tell the state of the page.
STATES = (
    (QUESTION, "button.main", "Answered"),
    ("940 CMR 3.12", "button.main", "Halted"),
    ("How do I bake an apple pie?", "button.main", "Refused"),
    ("What do I have to pay when I lose a key of a hotel?", "button.main", ""),
    ("/nothing here", "button.main", ""),
    (QUESTION, 'button[formaction="/search"]', "The best"),
    ("zygote xylophone", 'button[formaction="/search"]', "No rule found"),
)


@pytest.fixture(scope="module")
def axe() -> str:
    """The script that finds what assistive technology cannot use, from PyPI's axe-playwright-python."""
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        (pytest.fail if REQUIRED else pytest.skip)("axe-core is not installed (PyPI's package axe-playwright-python)")
    return (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")


def answer(page: Page, address: str, button: str = "button.main", question: str = QUESTION) -> None:
    page.goto(address)
    page.fill("textarea", question)
    with page.expect_navigation():
        page.click(button)


def ask_side_by_side(page: Page, address: str) -> None:
    page.goto(address)
    page.fill("textarea", "When may a seller call at home?")
    page.click("text=Words of the statute")
    page.fill('input[name="terms"]', "calling hours, outbound call")
    for code in ("us", "us-ma"):
        page.check(f'input[name="jurisdiction"][value="{code}"]')
    with page.expect_navigation():
        page.click("button.main")


@pytest.mark.parametrize(("scheme", "width"), thorough(("dark", 390), ("light", 1280)))
def test_every_page_is_for_everybody_and_asks_no_other_host(
    browser: Browser, address: str, axe: str, scheme: Literal["light", "dark"], width: int
) -> None:
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800})
    context.set_default_timeout(60_000)
    page = context.new_page()
    home = address.partition("/?")[0]
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda message: said.append(message.text))

    def check(name: str) -> None:
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
        page.evaluate(axe)
        found = page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
        assert [(name, entry["id"], entry["nodes"][0]["html"]) for entry in found] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name

    for question, button, words in STATES:
        answer(page, address, button, question)
        assert words in page.inner_text("main")
        check(question)
    ask_side_by_side(page, address)
    check("side by side")
    for path in PAGES:
        page.goto(f"{home}{path}")
        check(path)
    context.close()
    assert all(url.startswith(f"{home}/") for url in asked)
    # What the browser says of pages that are refused on purpose, and nothing of a policy or a script.
    assert {text.partition(" (")[0] for text in said} <= {
        f"Failed to load resource: the server responded with a status of {status}" for status in (400, 404)
    }


def test_jurisdictions_side_by_side_are_compared_at_a_glance_and_asked_on(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    ask_side_by_side(page, address)
    cards = page.locator(".beside > li")
    tops = [box["y"] for card in cards.all() if (box := card.bounding_box())]
    assert len(tops) == 2
    assert tops[0] == tops[1]
    assert "16 C.F.R. § 310.4(b)" in cards.nth(0).inner_text()
    assert "940 CMR 3.20(1)" in cards.nth(1).inner_text()
    cards.nth(1).locator("h2 a").click()
    assert page.url.endswith("#p2-part")
    page.click("text=Change the question")
    assert page.input_value('input[name="terms"]') == "calling hours, outbound call"
    assert page.input_value('select[name="jurisdiction"]') == "us"
    assert page.is_checked('input[value="us-ma"]')
    page.fill('input[name="follow_up"] + label textarea', "And on a Sunday?")
    with page.expect_navigation():
        page.click("text=Ask on >> nth=-1")
    assert page.locator(".beside > li").count() == 2


def test_focus_is_seen_wherever_it_goes_and_is_caught_nowhere(page: Page, address: str) -> None:
    home = address.partition("/?")[0]
    page.goto(address)
    for path in PAGES:
        page.goto(f"{home}{path}")
        reached = 0
        for _ in range(400):
            page.keyboard.press("Tab")
            where = page.evaluate(FOCUSED)
            if where is None:
                break
            assert where["seen"], (path, where["tag"])
            reached += 1
        else:
            pytest.fail(f"focus never leaves {path}")
        assert reached >= page.evaluate(FOCUSABLE), path


# Date pickers take several steps each, so that at least as many are made as there are elements.
FOCUSABLE = """[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')]
    .filter(one => one.checkVisibility({contentVisibilityAuto: true}) && one.type != 'radio').length"""
FOCUSED = """() => {
    const one = document.activeElement;
    if (!one || one === document.body) return null;
    const style = getComputedStyle(one);
    return {tag: one.outerHTML.slice(0, 120), seen: style.outlineStyle !== 'none' && one.getClientRects().length > 0};
}"""


def test_who_comes_through_a_proxy_types_the_token_and_keeps_nothing(
    browser: Browser, served_settings: Settings, axe: str, tmp_path: Path
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    site = f"http://127.0.0.1:{port}"
    (tmp_path / "token").write_text("a-token-of-more-than-thirty-two-characters", encoding="utf-8")
    options = ("--port", str(port), "--allow-host", f"127.0.0.1:{port}", "--allow-origin", site)
    with serving(served_settings, *options, "--token-file", str(tmp_path / "token"), "--read-only"):
        context = browser.new_context()
        page = context.new_page()
        failed: list[str] = []
        page.on("response", lambda reply: failed.append(reply.url) if reply.status >= 400 else None)
        page.goto(f"{site}/traces")
        assert failed == [f"{site}/traces"]  # the page itself, and nothing that it asks for
        page.evaluate(axe)
        assert page.evaluate("axe.run({resultTypes: ['violations']})")["violations"] == []
        page.keyboard.type("a-token-of-more-than-thirty-two-characters")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{site}/")
        page.fill("textarea", QUESTION)
        with page.expect_navigation():
            page.click("button.main")
        assert "Nothing of this request is stored." in page.inner_text("main")
        context.close()


def test_an_answer_fits_on_three_screens_and_its_context_waits(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    answer(page, address)
    assert page.evaluate("document.documentElement.scrollHeight") <= 3 * 800
    page.click("text=How this was checked")
    assert not page.locator("#tree ul.tree").is_visible()
    page.click("#tree-title")
    assert page.locator("#tree svg.picture").is_visible()
    assert page.locator("#tree ul.tree").is_visible()


def test_what_an_engineer_wants_to_see_of_an_answer_waits_in_one_place(page: Page, address: str) -> None:
    answer(page, address)
    shown = [
        one.inner_text() for one in page.locator("main > section summary:visible, main > details summary:visible").all()
    ]
    assert [text.partition(" ")[0] for text in shown] == ["Change", "What", "What", "Overrides", "How"]
    page.click("text=How this was checked")
    inside = page.locator("details.how > section")
    assert [one.inner_text().splitlines()[0].rpartition(" ")[0] for one in inside.all()]
    assert page.locator("details.how #tree-title").is_visible()
    page.click("text=Its trace")
    assert page.locator("#tree-title").is_visible()  # a reviewer opens the page of a trace for it


def test_on_paper_is_what_is_open_on_the_page_without_its_forms(page: Page, address: str) -> None:
    answer(page, address)
    page.emulate_media(media="print")
    for words in ("How this was checked", "Ask on about these rules", "Change the question", "Browse"):
        assert not page.locator(f"text={words} >> visible=true").count(), words
    assert page.locator("#answer").is_visible()
    page.emulate_media(media="screen")
    page.click("text=How this was checked")
    page.emulate_media(media="print")
    assert page.locator("#tree ul.tree").is_visible()


@pytest.mark.parametrize("width", [390, 1280])
def test_words_of_a_time_line_are_there_whole_and_within_the_page(page: Page, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(address)
    page.goto(f"{address.partition('/?')[0]}/compare?reference=940+CMR+3.12&from=2015-01-01&to=2017-01-01")
    words = page.locator("figure.times p, figure.times text")
    assert [one.text_content() for one in words.all()] == [
        "In force from 2005-01-01",
        "VOID: Sample Supreme Court, Sample v. Example, 1 Sample Rep. 12 (2016), from 2016-05-10",
        "2015-01-01", "2017-01-01",
    ]  # fmt: skip
    boxes = [box for one in words.all() if (box := one.bounding_box())]
    assert len(boxes) == 4
    for box in boxes:
        assert 0 <= box["x"] <= box["x"] + box["width"] <= width
    assert boxes[2]["y"] + boxes[2]["height"] <= boxes[3]["y"] + 1  # days beside one another do not overlap


def test_a_reviewer_works_by_keyboard_alone(page: Page, address: str) -> None:
    page.goto(address)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "question"
    page.keyboard.type(QUESTION)
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    assert page.url.endswith("/ask")
    link = page.locator("#answer .cite a").first
    link.focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.inner_text("h1") == "Security deposits and interest"
    term = page.locator("a.term").first
    assert not term.locator(".tip").is_visible()
    term.focus()
    assert term.locator(".tip").is_visible()
    assert "holds title to a dwelling unit" in term.locator(".tip").inner_text()
    page.evaluate("document.activeElement.blur()")
    with page.expect_navigation():
        page.keyboard.press("]")
    assert page.inner_text("h1") == "Late payment of rent"


def test_all_works_without_script(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False, accept_downloads=True)
    context.set_default_timeout(60_000)
    page = context.new_page()
    answer(page, address)
    page.click("text=Its trace")
    page.check('input[value="disagree"]')
    page.check('input[value="misread"]')
    page.click("text=Keep verdict")
    assert page.inner_text("#verdict") == "Your verdict: disagree"
    page.click("text=Traces")
    page.select_option('select[name="verdict"]', "disagree")
    page.click("text=Filter")
    assert page.locator("tbody tr").count() == 1
    page.check('input[name="trace"]')
    with page.expect_download() as download:
        page.click("text=CSV")
    text = Path(download.value.path()).read_text(encoding="utf-8")
    context.close()
    assert "disagree,misread" in text
    assert "Quackenbush" not in text


def test_stored_traces_do_not_scroll_sideways_on_a_phone(page: Page, address: str) -> None:
    answer(page, address)
    page.set_viewport_size({"width": 375, "height": 800})
    page.goto(f"{address.partition('/?')[0]}/traces")
    assert page.locator(".selection tbody tr").count()
    wide, seen = page.evaluate("(box => [box.scrollWidth, box.clientWidth])(document.querySelector('.scroll'))")
    assert wide <= seen
