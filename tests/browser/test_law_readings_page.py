"""What a language model read in a law is marked as its reading on the page of a provision and of an answer's trace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes.openai_server import FakeOpenAI
from kite_law import KEEPS, MEANING, READING, SPARED, TEXTS, written
from playwright.sync_api import Page
from test_web_page import browser, page, pytestmark, serving

from rag import Engine
from rag.models.law_reading import ModelLawReader
from rag.models.openai import OpenAIModel
from retrieval.model import BY_RULES

__all__ = ["browser", "page", "pytestmark"]

MODEL = "test-model"


@pytest.mark.parametrize("read", [True, False])
def test_a_provision_is_shown_with_what_a_model_read_and_how_its_law_was_read(
    page: Page, stores: Any, empty_template: str, tmp_path: Path, read: bool
) -> None:
    settings = stores.clone(empty_template)
    with Engine.open(settings) as engine, FakeOpenAI(lambda request: READING) as provider:
        engine.ingest([written(tmp_path, TEXTS)])
        if read:
            engine.read_law(reader=ModelLawReader(OpenAIModel("key", MODEL, provider.base_url, api="chat")))
    with serving(settings, "--port", "0") as told:
        page.goto(told)
        page.goto(f"{told.partition('/?')[0]}/read?reference={KEEPS}")
        words = " ".join(page.locator("main").inner_text().split())
        limits = page.locator('section[aria-labelledby="limits"] li')
        if not read:
            assert BY_RULES.replace("`", "") in words
            assert limits.count() == 0
            return
        assert limits.locator(f'a[title="{SPARED}"]').is_visible()
        assert "possible exception" in limits.inner_text().lower()
        assert f"as {MODEL} read it, which is not certain" in " ".join(limits.inner_text().split())
        meanings = page.locator('section[aria-labelledby="meanings"]')
        assert meanings.locator(f'a[title="{MEANING}"]').is_visible()
        assert f"as {MODEL} read it, not certain" in " ".join(meanings.inner_text().split())
        unsure = " ".join(page.locator('section[aria-labelledby="unsure"]').inner_text().split())
        assert f"({MODEL}) read it so, which is not certain" in unsure
        assert f"by a language model ({MODEL}) that read this law" in words
    stores.drop(settings)
