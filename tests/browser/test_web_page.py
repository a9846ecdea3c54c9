"""The local web view in a real browser: Debian's Chromium, driven by Playwright, which downloads none of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
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

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed (Debian's package `chromium`)")


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
    assert served_settings.database_url is not None
    url = served_settings.database_url.get_secret_value()
    command = [sys.executable, "-m", "rag.cli", "--database-url", url, "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=PROJECT, env=os.environ, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            told = re.match(r"open (http://127\.0\.0\.1:\d+/\?key=\S+) ", server.stderr.readline())
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
    page.click("text=Search >> nth=-1")
    page.click(".places a >> nth=0")
    assert page.inner_text("h1") == "Security deposits and interest"
    page.click("text=Short rentals >> nth=0")
    assert page.inner_text("h1") == "Short rentals"
    page.fill('form[action="/read"] input[name="reference"]', "940 CMR 3.17(4)")
    page.click('header form[action="/read"] button')
    assert "urn:lex:ma:940cmr:3.17:4" in page.inner_text("body")
    page.click("text=Browse")
    page.click('a[href^="/browse?root="] >> nth=0')
    assert page.locator('a[href^="/read?reference="]').count()
    page.click("text=Compare")
    page.fill('main input[name="reference"]', "940 CMR 3.12")
    page.click("text=Compare inline")
    assert page.locator("svg.picture").count() == 1


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
