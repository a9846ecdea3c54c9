"""Law, questions and court decisions that hold mark-up in every field: on no page does a browser obey any of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from conftest import thorough
from playwright.sync_api import Page
from test_web_page import browser, page, pytestmark, serving

from rag import Engine
from rag.store.reference_data import NewOverride, add_override

__all__ = ["browser", "page", "pytestmark"]

PAYLOADS = {
    "scripts": "<script>window.hit=1</script><img src=x onerror=window.hit=1><svg/onload=window.hit=1>"
    "<details open ontoggle=window.hit=1>{{7*7}}&lt;script&gt;window.hit=1&lt;/script&gt;",
    "ways out": '"\'><script>window.hit=1</script> autofocus onfocus=window.hit=1 x="</title></style></textarea></pre>'
    "</template><script>window.hit=1</script><!--",
    "addresses": "<a href=javascript:window.hit=1>go</a><iframe src=//evil.example></iframe><base href=//evil.example>"
    "<style>@import '//evil.example'</style><meta http-equiv=refresh content=0;url=//evil.example><form action=//e.x>",
}
ROOT = "urn:lex:us:1xyz"


@pytest.mark.parametrize("payload", thorough(*PAYLOADS))
def test_s8_no_page_runs_or_fetches_what_a_field_says(
    page: Page, stores: Any, empty_template: str, tmp_path: Path, payload: str
) -> None:
    evil = PAYLOADS[payload]
    lines: list[dict[str, object]] = [
        {"lexscope": 1, "corpus": {"urn": ROOT, "title": f"Title {evil}", "language": "en"}},
        {"urn": ROOT, "structure_type": "ROOT", "level": "code", "heading": f"Code {evil}"},
        *(
            {"urn": f"{ROOT}:{number}", "parent_urn": ROOT, "structure_type": "SECTION", "level": "section",
             "number": f"{number}{evil[:40]}", "heading": f"Deposits {evil}",
             "content_text": f"“Deposit” means {evil} money. An owner shall pay interest {evil} on deposits, except "
             f"as provided in section 1. {evil}",
             "tags": {"note": evil, "case_name": evil}, "aliases": [f"Law {evil}"]}
            for number in (1, 2, 3)
        ),
    ]  # fmt: skip
    file = tmp_path / f"{payload}.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    settings = stores.clone(empty_template)
    with Engine.open(settings) as engine:
        assert not engine.ingest([file]).rejected
        court = {"court": f"Court {evil}", "court_citation": f"1 U.S. 1 {evil}", "message": evil}
        for number, status in ((2, "VOID"), (3, "LIMITED")):
            given = {"urn_pattern": f"{ROOT}:{number}", "status": status, **court}
            add_override(engine.database, NewOverride.model_validate(given))
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda message: said.append(message.text))
    with serving(settings, "--port", "0") as told:
        home = told.partition("/?")[0]
        page.goto(told)

        def check(place: str) -> None:
            page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
            assert page.evaluate("window.hit") is None, place
            assert (
                page.evaluate("document.querySelectorAll('main script, main img, main iframe, main base').length") == 0
            )
            assert page.url.startswith(home), place

        shown = 0
        for question in (f"Who pays interest on deposits? {evil}", f"{ROOT}:2", f"{ROOT}:3", f"/nothing {evil}"):
            for button in ("button.main", 'button[formaction="/search"]'):
                page.goto(f"{home}/")
                page.fill('textarea[name="question"]', question)
                with page.expect_navigation():
                    page.click(button)
                check(question)
                shown += evil[:20] in page.inner_text("main")
        paths = [
            *(f"/read?reference={ROOT}:{number}" for number in (1, 2, 3)), f"/read?reference={ROOT}",
            f"/read?reference={quote(evil)}", "/browse", f"/browse?root={ROOT}", f"/browse?jurisdiction={quote(evil)}",
            f"/compare?reference={ROOT}:1&from=2015-01-01&to=2020-01-01", f"/compare?reference={quote(evil)}",
            "/traces", "/trace", f"/trace?trace={quote(evil)}", f"/{quote(evil)}", f"/traces?status={quote(evil)}",
        ]  # fmt: skip
        for path in paths:
            page.goto(f"{home}{path}")
            check(path)
            shown += evil[:20] in page.inner_text("main")
    stores.drop(settings)
    assert shown > 5  # as words
    assert all(url.startswith(f"{home}/") for url in asked)
    assert not [text for text in said if not text.startswith("Failed to load resource: the server responded with a")]
