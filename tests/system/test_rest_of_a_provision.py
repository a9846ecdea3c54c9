"""An answer tells the rest of the provisions that it quotes, on every face, and takes none of it for an answer."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rag import Engine
from rag.answering.limits.rest import MOST_CHARACTERS
from rag.presentation.answers import show_answer
from rag.presentation.for_models import text_for_model
from rag.presentation.page import Page
from rag.settings import Settings
from rag.telemetry.review.dump import dump_html, dump_markdown

CODE = "urn:lex:us-or:ferry"
TITLE = "What else the law quoted above says"
HORN = "The horn is painted green each spring by the oldest deckhand of the ferry. "
TEXTS: dict[str, tuple[str, str]] = {
    "1": ("Bicycles", "A passenger must not carry a bicycle on deck. Folding ones travel free of charge."),
    "2": (
        "Saddles",
        "Horses wait at the gate. A passenger must not carry a saddle on deck. Saddles of children travel free. "
        "This does not apply to a saddle of a circus.",
    ),
    "3": ("Horns", "The captain must sound the horn at noon. " + HORN * 20),
    "4": ("Lanterns", "A passenger must not carry a lantern on deck."),
}
LIST = ("Whoever boards must show:", ["a paper ticket;", "a pass of the warden; or", "a token of brass."])
AFTER = "Infants need none of these."


def _lines() -> Iterator[dict[str, Any]]:
    yield {"lexscope": 1, "corpus": {"urn": CODE, "title": "Ferry Code", "language": "en"}, "annotated": False}
    dated: dict[str, Any] = {"valid_from": "2015-01-01"}
    yield {"urn": CODE, "structure_type": "ROOT", "level": "code", "heading": "Ferry Code", **dated}
    for number, (heading, text) in TEXTS.items():
        node = {"structure_type": "SECTION", "level": "section", "number": number, "heading": heading}
        yield {"urn": f"{CODE}:{number}", "parent_urn": CODE, "content_text": text, **node, **dated}
    opening, items = LIST
    node = {"structure_type": "SECTION", "level": "section", "number": "5", "heading": "Boarding"}
    yield {"urn": f"{CODE}:5", "parent_urn": CODE, "intro_text": opening, "content_text": AFTER, **node, **dated}
    for place, text in enumerate(items):
        letter = chr(97 + place)
        part = {"structure_type": "PARAGRAPH", "level": "paragraph", "number": letter, "content_text": text}
        yield {"urn": f"{CODE}:5:{letter}", "parent_urn": f"{CODE}:5", **part, **dated}


@pytest.fixture
def ferry(empty_settings: Settings, tmp_path: Path) -> Iterator[Engine]:
    """A store of the code above."""
    file = tmp_path / "ferry.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in _lines()), encoding="utf-8")
    with Engine.open(empty_settings) as engine:
        assert not engine.ingest([file]).rejected
        yield engine


def test_the_next_sentence_is_told_on_every_face_and_answers_nothing(ferry: Engine) -> None:
    answer, traces = ferry.traced_asks("May a passenger carry a bicycle on deck?")
    assert answer.status == "answered"
    assert [one.text for one in answer.statements] == ["A passenger must not carry a bicycle on deck."]
    (rest,) = answer.rest
    (cited,) = rest.citations
    assert (rest.text, rest.level, rest.reasons) == ("Folding ones travel free of charge.", "VERBATIM", ["REST"])
    text = TEXTS["1"][1]
    assert (cited.urn, text[cited.start : cited.end]) == (f"{CODE}:1", cited.quote)
    assert answer.model_dump(mode="json")["rest"][0]["text"] == rest.text
    printed = io.StringIO()
    show_answer(Page(printed), answer)
    for face in (printed.getvalue(), text_for_model(answer)):
        _, title, behind = face.partition(TITLE)
        assert title
        assert rest.text in behind
    (trace,) = traces.values()
    page = dump_html(trace)
    assert page.index(TITLE) < page.index(rest.text, page.index(TITLE))
    assert rest.text in dump_markdown(trace)


def test_what_stands_before_is_told_too_and_a_limit_is_not_told_twice(ferry: Engine) -> None:
    answer = ferry.ask("May a passenger carry a saddle on deck?")
    assert [one.text for one in answer.statements] == ["A passenger must not carry a saddle on deck."]
    told = [one.text for one in (*answer.limits, *answer.rest)]
    assert sorted(" ".join(told).split()) == sorted(TEXTS["2"][1].replace(answer.statements[0].text, "").split())


def test_a_long_provision_is_told_up_to_a_bound_and_what_is_left_is_said(ferry: Engine) -> None:
    answer = ferry.ask("When must the captain sound the horn?")
    assert [one.text for one in answer.statements] == ["The captain must sound the horn at noon."]
    told = sum(len(one.text) for one in answer.rest)
    assert MOST_CHARACTERS - len(HORN) < told <= MOST_CHARACTERS
    (warning,) = [one for one in answer.warnings if one.kind == "rest"]
    assert f"{CODE}:3" in warning.message
    assert "get_document" in warning.message


def test_a_provision_that_is_quoted_whole_has_no_rest(ferry: Engine) -> None:
    answer = ferry.ask("May a passenger carry a lantern on deck?")
    assert (answer.status, answer.rest) == ("answered", [])
    assert all(one.kind != "rest" for one in answer.warnings)


def test_what_stands_around_a_list_is_told_with_its_items(ferry: Engine) -> None:
    answer = ferry.ask("What must whoever boards show?")
    told = " ".join(one.text for one in (*answer.statements, *answer.limits, *answer.rest))
    assert [told.count(words) for words in (LIST[0], *LIST[1], AFTER)] == [1, 1, 1, 1, 1]


def test_a_place_shows_what_its_provision_says_beside_it(ferry: Engine) -> None:
    answer, traces = ferry.traced_asks("Is a saddle of a child on deck an offence of the passenger?")
    (place,) = [one for one in answer.places if one.urn == f"{CODE}:2"]
    assert answer.status == "places"
    assert place.rest
    assert place.rest in TEXTS["2"][1]
    assert place.rest not in place.sentence
    printed = io.StringIO()
    show_answer(Page(printed), answer)
    (trace,) = traces.values()
    for face in (printed.getvalue(), text_for_model(answer), dump_html(trace), dump_markdown(trace)):
        assert " ".join(place.rest.split()) in " ".join(face.replace("\n   > ", " ").split())


def test_a_law_that_is_named_and_is_not_in_the_store_is_said_and_its_namesake_is_a_place(ferry: Engine) -> None:
    question = "May a passenger carry a bicycle on deck{}?"
    answer = ferry.ask(question.format(" under the New Ferry Code"))
    assert (answer.status, answer.places[0].urn) == ("places", f"{CODE}:1")
    assert "None of the law searched is called “New Ferry Code”" in answer.label
    answer = ferry.ask(question.format(" under the Ferry Code"))
    assert not [one for one in answer.warnings if one.kind == "cited_missing"]
