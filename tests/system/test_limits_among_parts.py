"""What limits the paragraph that answers is told with it, also where it is another paragraph of the same section."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from requirements import requirement

from rag import Engine
from rag.answering.answer import Answer
from rag.answering.limits.provisions import MOST
from rag.settings import Settings

CODE = "urn:lex:us-or:bath"
SECTIONS = {
    "1": ("Saunas", [
        "Subject to subsection (b), a keeper must not heat a sauna on a ship.",
        "A keeper with a permit of the warden is free to use electric ovens.",
        "The permit is kept at the door.",
        "In a storm no oven is lit.",
    ]),
    "2": ("Closing", [
        "The warden may close a bath after two days of written warning.",
        "In a storm a word at the door is enough.",
        "Towels are dried in the yard.",
    ]),
    "3": ("Bells", [
        "The porter must ring the brass bell at noon.",
        *(f"In month {number} it is silent." for number in range(MOST + 1)),
    ]),
    "4": ("Fees", [
        "The fee for a locker is 12 dollars.",
        "A locker of the fire brigade is exempt from the fees in this section.",
    ]),
}  # fmt: skip
LINKS = {
    "1:a": [("subject_to", "subsection (b)", "1:b")],
    "1:d": [("may_limit", "In a storm no oven is lit", "1:b")],
    "2:b": [("may_limit", "In a storm a word at the door is enough", "2:a")],
    **{
        f"3:{chr(98 + number)}": [("may_limit", f"In month {number} it is silent", "3:a")] for number in range(MOST + 1)
    },
}


def _lines(*, annotated: bool) -> Iterator[dict[str, object]]:
    corpus = {"urn": CODE, "title": "Bath Code", "language": "en"}
    yield {"lexscope": 1, "corpus": corpus, "annotated": annotated}
    yield {"urn": CODE, "structure_type": "ROOT", "level": "code", "heading": "Bath Code", "valid_from": "2015-01-01"}
    for section, (heading, parts) in SECTIONS.items():
        node = {"structure_type": "SECTION", "level": "section", "number": section, "heading": heading}
        yield {"urn": f"{CODE}:{section}", "parent_urn": CODE, "valid_from": "2015-01-01", **node}
        for place, text in enumerate(parts):
            letter = chr(97 + place)
            links = [
                {"kind": kind, "reference": said, "target_urn": f"{CODE}:{target}"}
                for kind, said, target in LINKS.get(f"{section}:{letter}", ())
            ]
            yield {
                "urn": f"{CODE}:{section}:{letter}", "parent_urn": f"{CODE}:{section}", "valid_from": "2015-01-01",
                "structure_type": "SUBSECTION", "level": "subsection", "number": letter, "content_text": text,
                **({"links": links} if annotated and links else {}),
            }  # fmt: skip


def _engine(settings: Settings, folder: Path, *, annotated: bool) -> Engine:
    file = folder / "bath.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in _lines(annotated=annotated)), encoding="utf-8")
    engine = Engine.open(settings)
    assert not engine.ingest([file]).rejected
    return engine


@pytest.fixture
def bath(empty_settings: Settings, tmp_path: Path) -> Iterator[Engine]:
    """A store of the code with the links above and no others."""
    with _engine(empty_settings, tmp_path, annotated=True) as engine:
        yield engine


def _told(answer: Answer) -> tuple[list[str], list[tuple[str, bool]]]:
    """What is stated, and what limits it, whether for certain."""
    return [one.text for one in answer.statements], [
        (one.text, "MAY_LIMIT" not in one.reasons) for one in answer.limits
    ]


@requirement("P3")
@pytest.mark.parametrize("asked", ["Must a keeper not heat a sauna on a ship?", f"{CODE}:1:a"])
def test_what_a_paragraph_yields_to_is_told_with_it(bath: Engine, asked: str) -> None:
    answer = bath.ask(asked, jurisdiction="us-or")
    assert answer.status == "answered"
    assert _told(answer) == ([SECTIONS["1"][1][0]], [(SECTIONS["1"][1][1], True)])


def test_what_limits_a_limit_is_named(bath: Engine) -> None:
    warnings = bath.ask("Must a keeper not heat a sauna on a ship?", jurisdiction="us-or").warnings
    [named] = [warning.message for warning in warnings if warning.kind == "limits_of_limits"]
    assert f"{CODE}:1:d" in named
    assert f"{CODE}:1:c" not in named
    warnings = bath.ask("May the warden close a bath after two days of written warning?", jurisdiction="us-or").warnings
    assert "limits_of_limits" not in [warning.kind for warning in warnings]


@requirement("P3")
@pytest.mark.parametrize("asked", ["May the warden close a bath after two days of written warning?", f"{CODE}:2:a"])
def test_what_may_limit_a_paragraph_is_told_with_it_as_not_certain(bath: Engine, asked: str) -> None:
    answer = bath.ask(asked, jurisdiction="us-or")
    assert answer.status == "answered"
    assert _told(answer) == ([SECTIONS["2"][1][0]], [(SECTIONS["2"][1][1], False)])


def test_a_whole_section_tells_each_of_its_paragraphs_once(bath: Engine) -> None:
    assert _told(bath.ask(f"{CODE}:2")) == (SECTIONS["2"][1], [])


def test_more_limits_than_can_be_told_make_places(bath: Engine) -> None:
    answer = bath.ask("Must the porter ring the brass bell at noon?", jurisdiction="us-or")
    assert (answer.status, answer.limits) == ("places", [])
    assert f"{CODE}:3:{chr(98 + MOST)}" in " ".join(warning.message for warning in answer.warnings)


def test_who_is_exempt_from_what_a_section_asks_for_limits_its_paragraphs(
    empty_settings: Settings, tmp_path: Path
) -> None:
    with _engine(empty_settings, tmp_path, annotated=False) as engine:
        told = _told(engine.ask(f"{CODE}:4:a"))
    assert told == ([SECTIONS["4"][1][0]], [(SECTIONS["4"][1][1], True)])
