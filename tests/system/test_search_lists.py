"""What the store holds, as people look at it: the structure, the documents, highlighted blocks; through the engine and
the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_calls import Lexscope, address, caller
from conftest import Stores
from search_law import ALSACE, CODE_DU_THE, EDICT, TEA, write_law

from rag import Engine, Settings
from retrieval.errors import InputError

MENU = "urn:lex:us-dc:doc:menu"
HIGH = "urn:lex:gb:teacourt-11"
LOW = "urn:lex:gb:teacourt-12"


@pytest.fixture(scope="module")
def store(stores: Stores, empty_template: str, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder: Path = write_law(tmp_path_factory.mktemp("law"))
    settings = stores.clone(empty_template)
    with Engine.open(settings) as engine:
        assert not engine.ingest([folder], jurisdiction="us-dc").rejected
    return settings


@pytest.fixture(scope="module")
def engine(store: Settings) -> Iterator[Engine]:
    with Engine.open(store) as opened:
        yield opened


@pytest.fixture
def call(store: Settings, capsys: pytest.CaptureFixture[str]) -> Lexscope:
    return caller(capsys, "--database-url", address(store))


# --- structure -------------------------------------------------------------------------------------------------------


def test_the_structure_is_the_headings_in_the_order_of_the_publication(engine: Engine) -> None:
    found = engine.browse_structure(language="en", tags={"jurisdiction": "us-dc"})
    assert [
        (section.urn, section.depth, section.parent_urn, section.sections, section.provisions)
        for section in found.sections
    ] == [
        (TEA, 0, None, 2, 0),
        (f"{TEA}:chapter_1", 1, TEA, 0, 2),
        (f"{TEA}:chapter_10", 1, TEA, 0, 1),
    ]
    assert (found.total, found.depth, found.next_offset) == (3, 20, None)
    before = engine.browse_structure(language="en", tags={"jurisdiction": "us-dc"}, at_date="2016-01-01")
    assert before.sections[2].provisions == 2


def test_a_tree_begins_at_a_root_and_ends_at_a_depth(engine: Engine) -> None:
    def urns(**more: object) -> list[str]:
        found = engine.browse_structure(tags={"jurisdiction": "*", "language": "en"}, **more)  # pyright: ignore[reportArgumentType]
        return [section.urn for section in found.sections]

    assert urns(depth=0) == [EDICT, TEA]
    assert urns(root_id=f"{TEA}:chapter_1") == [f"{TEA}:chapter_1"]
    assert urns(root_id=f"{TEA}:chapter_1", provisions=True) == [f"{TEA}:chapter_1", f"{TEA}:1", f"{TEA}:2"]
    assert urns(root_id=TEA, limit=1, offset=1) == [f"{TEA}:chapter_1"]
    deep = engine.browse_structure(language="en", jurisdiction="us-dc", depth=500)
    assert (deep.depth, deep.warnings) == (20, ["depth: 20 applied, the most that is read."])


def test_no_tree_mixes_jurisdictions_or_languages(engine: Engine) -> None:
    french = engine.browse_structure(language="fr", tags={"jurisdiction": "fr"})
    assert [section.urn for section in french.sections] == [CODE_DU_THE, ALSACE]
    alone = engine.browse_structure(language="fr", tags={"jurisdiction": "fr-alsace"})
    assert [section.urn for section in alone.sections] == [ALSACE]
    other = engine.browse_structure(language="en", tags={"jurisdiction": "us"}, root_id=CODE_DU_THE)
    assert other.sections == []
    assert "leaves out" in other.message
    speech = engine.browse_structure(language="en", tags={"jurisdiction": "*"}, root_id=CODE_DU_THE)
    assert "no tree mixes languages" in speech.message


def test_other_tags_say_which_headings_are_listed_wherever_they_stand(engine: Engine) -> None:
    found = engine.browse_structure(language="en", tags={"jurisdiction": "*", "collection": "codes"})
    assert [section.urn for section in found.sections] == [TEA, f"{TEA}:chapter_1", f"{TEA}:chapter_10"]
    law = engine.browse_structure(language="en", tags={"jurisdiction": "us-dc", "structure_type": "legislation"})
    assert law.total == 3
    chapters = engine.browse_structure(
        language="en", tags={"jurisdiction": "us-dc", "structure_type": "CHAPTER"}, limit=1
    )
    assert [(section.urn, section.depth, section.parent_urn) for section in chapters.sections] == [
        (f"{TEA}:chapter_1", 1, TEA)
    ]
    assert (chapters.total, chapters.next_offset) == (2, 1)
    none = engine.browse_structure(language="en", tags={"jurisdiction": "*", "collection": "nothing"})
    assert (none.total, none.message) == (0, "No heading fits the filters; leave some of them out.")


def test_what_the_structure_cannot_show_is_said(engine: Engine) -> None:
    unknown = engine.browse_structure(language="en", jurisdiction="us-dc", root_id=f"{TEA}:chapter_9")
    assert (unknown.sections, unknown.root_id) == ([], None)
    assert "is not in the store" in unknown.message
    past = engine.browse_structure(language="en", jurisdiction="us-dc", offset=50)
    assert "past the last of 3" in past.message
    for more in ({"depth": -1}, {"limit": 0}, {"offset": -1}, {"tags": {"kind": "decision"}}, {"root_id": "a\ud800"},
                 {"root_id": "x" * 5000}, {"tags": {"jurisdiction": "!*"}}):  # fmt: skip
        with pytest.raises(InputError):
            engine.browse_structure(**{"language": "en", "jurisdiction": None, **more})  # pyright: ignore[reportArgumentType]


# --- documents -------------------------------------------------------------------------------------------------------


def test_documents_are_listed_once_with_their_chunks(engine: Engine) -> None:
    found = engine.list_documents(at_date="2024-01-01")
    assert [document.urn for document in found.documents] == sorted(document.urn for document in found.documents)
    by_urn = {document.urn: document for document in found.documents}
    assert set(by_urn) == {
        TEA,
        EDICT,
        CODE_DU_THE,
        ALSACE,
        HIGH,
        "urn:lex:gb:teacourt-12",
        "urn:lex:gb:teacourt-13",
        MENU,
    }
    menu = by_urn[MENU]
    assert (menu.type, menu.title, menu.language) == ("record", "Menu", "en")
    assert menu.chunk_count == int(menu.tags["chunk_count"]) > 10
    assert by_urn[TEA].chunk_count == 5  # its nodes with words, in force
    assert {facet.value: facet.count for facet in found.types} == {"legislation": 4, "judgment": 3, "record": 1}


@pytest.mark.parametrize(
    ("given", "urns"),
    [
        ({"type": "record"}, [MENU]),
        ({"type": "decision|record", "jurisdiction": "us"}, [MENU]),
        # A decision of a finer type of its own, such as a judgment, is still a decision.
        ({"type": "decision", "jurisdiction": "gb"}, [HIGH, LOW, "urn:lex:gb:teacourt-13"]),
        ({"tags": {"kind": "decision"}, "jurisdiction": "gb"}, [HIGH, LOW, "urn:lex:gb:teacourt-13"]),
        ({"type": "judgment|record"}, [HIGH, LOW, "urn:lex:gb:teacourt-13", MENU]),
        ({"language": "fr", "jurisdiction": "fr-alsace"}, [ALSACE]),
        ({"tags": {"court_level": "supreme"}}, [HIGH]),
        ({"tags": {"source": "plain"}}, [MENU]),
        ({"type": "statute"}, []),
        ({"limit": 2, "offset": 1, "jurisdiction": "us-dc|us"}, [TEA, EDICT]),
    ],
)
def test_documents_are_filtered_and_paged(engine: Engine, given: dict[str, object], urns: list[str]) -> None:
    found = engine.list_documents(**given)  # pyright: ignore[reportArgumentType]
    assert sorted(document.urn for document in found.documents) == sorted(urns)
    assert bool(found.message) is not bool(urns)


def test_chunks_are_found_one_by_one_and_put_together_in_the_order_of_their_numbers(engine: Engine) -> None:
    hits = engine.search("saucers", language="en", tags={"kind": "record"}, limit=100).results
    assert len({hit.urn for hit in hits}) > 10
    assert {hit.document_urn for hit in hits} == {MENU}
    whole = engine.document(MENU)
    numbers = [int(block.urn.rpartition(":")[2]) for block in whole.blocks if block.urn != MENU]
    assert numbers == sorted(numbers)
    assert {2, 10} <= set(numbers)
    assert "kombucha" in whole.blocks[-1].text


# --- one document ----------------------------------------------------------------------------------------------------


def test_a_highlight_gives_the_blocks_with_the_words_and_one_beside_each(engine: Engine) -> None:
    found = engine.document(MENU, highlight="samovars hall")
    assert [block.number for block in found.blocks if block.matched] == [2]
    assert [block.number for block in found.blocks] == [1, 2, 3]
    assert (found.matches, found.truncated, found.next_blocks) == (1, False, None)
    both = engine.document(MENU, highlight="kombucha")
    assert both.blocks[-1].matched
    assert len(both.blocks) == 2
    some = engine.document(MENU, highlight="samovar kombucha")
    assert [block.number for block in some.blocks if block.matched] == [2, some.total_blocks]
    assert "some of them" in some.message
    nothing = engine.document(MENU, highlight="espresso")
    assert (nothing.blocks, nothing.matches) == ([], 0)
    assert "None of the blocks" in nothing.message


def test_more_than_forty_blocks_are_cut_and_paged_on(store: Settings, tmp_path: Path, engine: Engine) -> None:
    text = "\n\n".join(f"Paragraph {number} is about teaspoons. " * 40 for number in range(60))
    (tmp_path / "Spoons.md").write_text(f"# Spoons\n\n{text}\n", encoding="utf-8")
    with Engine.open(store) as own:
        assert not own.ingest([tmp_path], jurisdiction="us").rejected
    urn = "urn:lex:us:doc:spoons"
    first = engine.document(urn, highlight="teaspoons")
    assert len(first.blocks) <= 40
    assert first.matches is not None
    seen = [block.number for block in first.blocks if block.matched]
    page = first
    while page.next_blocks is not None:
        page = engine.document(urn, highlight="teaspoons", blocks=page.next_blocks)
        seen += [block.number for block in page.blocks if block.matched]
    assert len(seen) == len(set(seen)) == first.matches > 40
    ranged = engine.document(urn, highlight="teaspoons", blocks="5-8")
    assert [block.number for block in ranged.blocks] == [5, 6, 7, 8]


@pytest.mark.parametrize("reference", [HIGH, "[2011] TEAC 11"])
def test_a_decision_shows_its_grade_and_its_formation(engine: Engine, reference: str) -> None:
    found = engine.document(reference)
    assert (found.urn, found.kind) == (HIGH, "decision")
    assert found.display == ["Grade : A → highest_importance", "Formation : Full bench (full_court)"]
    assert engine.document(f"{HIGH}:1").display == found.display
    assert engine.document("urn:lex:gb:teacourt-12").display == []


def test_an_id_is_read_at_its_date(engine: Engine) -> None:
    assert engine.document("xx.edict000000000001").urn == f"{EDICT}:1"
    old = engine.document(f"{TEA}:3", at_date="2016-06-01")
    assert (old.status, old.blocks[0].text[:6]) == ("ok", "Oolong")
    gone = engine.document(f"{TEA}:3", at_date="2020-06-01")
    assert gone.status == "not_in_force"
    assert "2018-01-01" in gone.message
    wrong = engine.document(f"{TEA}:1", language="fr")
    assert (wrong.status, wrong.suggestions) == ("not_found", [f"{TEA}:1"])


@pytest.mark.parametrize("words", ["", "--", "x" * 501, "a\ud800"])
def test_a_highlight_that_is_no_word_is_refused(engine: Engine, words: str) -> None:
    with pytest.raises(InputError):
        engine.document(MENU, highlight=words)


# --- the command line ------------------------------------------------------------------------------------------------


def test_the_verbs_find_list_and_read(call: Lexscope) -> None:
    found = json.loads(call("search", "black tea", "--tag", "kind=decision", "--language", "en", "--json").out)
    assert found["results"][0]["document_urn"] == "urn:lex:gb:teacourt-12"
    negated = json.loads(call("search", "--tag", "court!=Cup Tribunal", "--language", "en", "--json").out)
    assert [result["urn"] for result in negated["results"]] == [HIGH]
    cited = call("search", "--edge", f"cites={EDICT}:1", "--tag", "kind=decision", "--language", "en")
    assert (cited.status, cited.out.count("urn:lex:gb:teacourt-1")) == (0, 2)
    values = call("search", "--discover", "court", "--language", "en")
    assert values.out.splitlines()[0].split() == ["Cup", "Tribunal", "2"]
    tree = call("browse", "--jurisdiction", "us-dc")
    assert tree.out.splitlines()[0].strip() == "root tea: Code of tea"
    listed = call("documents", "--type", "record", "--jurisdiction", "us-dc")
    assert MENU in listed.out
    read = call("document", MENU, "--highlight", "samovar")
    assert (read.status, "* [2]" in read.out) == (0, True)
    assert call("search", "espresso", "--language", "en").status == 3
    assert call("documents", "--type", "nothing").status == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("search",), "Give a question"), (("search", "tea", "--tag", "kind"), "KEY=VALUE"),
        (("search", "tea", "--tag", "kind=section", "--language", "en"), "kinds that can be searched"),
        (("search", "tea", "--limit", "101"), "--limit"), (("browse", "--depth", "-1"), "--depth"),
        (("document", MENU, "--blocks", "x"), "30-50"), (("documents", "--offset", "-1"), "--offset"),
    ],
)  # fmt: skip
def test_what_the_verbs_cannot_do_is_bad_input(call: Lexscope, arguments: tuple[str, ...], said: str) -> None:
    ran = call(*arguments)
    assert ran.status == 2
    assert said in ran.err
