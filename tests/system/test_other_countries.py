"""Law of countries that no module knows, from file to context: the reader learns how it was read."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag import Engine, Settings
from retrieval.model import BY_RULES, context_digest

SECTIONS = ("In this Act, “kite” means a toy on a line.", "Subject to section 3, no kite may fly at night.", "None.")


def write_act(folder: Path, country: str, language: str) -> Path:
    """An act in Akoma Ntoso, sections 1 to 3."""
    uri = f"/akn/{country}/act/2021/5"
    identity = "".join(
        f'<FRBR{one}><FRBRthis value="{uri}{more}"/><FRBRuri value="{uri}{more}"/>'
        f'<FRBRdate date="2021-03-01" name="x"/><FRBRauthor href="#a"/>{last}</FRBR{one}>'
        for one, more, last in (
            ("Work", "", f'<FRBRcountry value="{country}"/>'),
            ("Expression", f"/{language}@2021-03-01", f'<FRBRlanguage language="{language}"/>'),
            ("Manifestation", f"/{language}@2021-03-01.xml", ""),
        )
    )
    body = "".join(
        f'<section eId="sec_{n}"><num>{n}.</num><content><p>{text}</p></content></section>'
        for n, text in enumerate(SECTIONS, start=1)
    )
    file = folder / f"{country}.xml"
    file.write_text(
        '<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0"><act name="act"><meta>'
        f'<identification source="#a">{identity}</identification></meta><body>{body}</body></act></akomaNtoso>'
    )
    return file


@pytest.mark.parametrize(
    ("country", "language", "defined", "says"),
    [
        ("ie", "eng", ["kite"], ["general rules of the language en"]),
        ("pt", "por", [], ["were not looked for: no module knows the language pt"]),
        ("gb", "eng", ["kite"], []),
    ],
)
def test_a_context_says_how_its_law_was_read(
    empty_settings: Settings, tmp_path: Path, country: str, language: str, defined: list[str], says: list[str]
) -> None:
    with Engine.open(empty_settings) as engine:
        report = engine.ingest([write_act(tmp_path, country, language)])
        assert report.rejected == []
        [urn] = [result.urn for result in engine.search("kite at night").results if result.urn.endswith(":2")]
        context = engine.context(urn)
    assert [definition.term for definition in context.definitions] == defined
    notes = [warning.message for warning in context.warnings if warning.kind == "reading"]
    assert all(part in note for part, note in zip(says, notes, strict=True))
    assert context.how_read == ("" if says else BY_RULES)  # told once, by the warning
    assert context.digest == context_digest(context)
    assert any(block.role == "exception" and block.urn.endswith(":3") for block in context.blocks) == bool(defined)
