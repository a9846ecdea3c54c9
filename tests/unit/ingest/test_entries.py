"""Lists inside one text: what they define, and which terms each of their entries uses."""

from __future__ import annotations

import pytest
from annotation_documents import document, node

from rag.ingest.annotation import annotate
from rag.jurisdictions.registry import jurisdiction_for
from rag.law.nodes import Corpus, ParsedDocument

# Language, jurisdiction, and a section of definitions: each in the lines of one text, run on in one line, or with the
# section's own number before them.
LISTS = [
    ("en", "gb", "2. In this Act—\n“hut” means a shed with a stove;\n“stove” means a thing that burns wood."),
    ("en", "gb", "2 In this Act— “hut” means a shed with a stove; “stove” means a thing that burns wood."),
    ("en", "gb", "In this Act: hut means a shed with a stove. stove means a thing that burns wood."),
    ("en", "gb", "In this Act—\n\nhut means a shed with a stove.\n\nstove means a thing that burns wood."),
    ("en", "gb", "The following definitions apply in this Act.\nhut means a shed with a stove.\nstove means a thing."),
    ("en", "gb", 'In this Act,\n(a) "hut" means a shed with a stove;\n(b) "stove" means a thing that burns wood.'),
    ("de", "de", "§ 2 Im Sinne dieses Gesetzes ist\n1. Hut: ein Haus mit Stove,\n2. Stove: ein Ofen."),
    ("de", "de", "(1) Hut ist ein Haus, das einen Stove hat. (2) Stove ist jeder Ofen, der raucht."),
    ("fr", "fr", "Art. 2. – On entend par :\n1° Hut : l'abri muni d'un stove ;\n2° Stove : le four."),
    ("ja", "jp", "次に掲げる用語の意義は、次による。\n一　小屋　暖炉を備えた家をいう。\n二　暖炉　火をたく所をいう。"),
]  # fmt: skip


IN_ENGLISH = {"小屋": "hut", "暖炉": "stove"}


def law(language: str, jurisdiction: str, text: str) -> ParsedDocument:
    corpus = f"urn:lex:{jurisdiction}:hut"
    made = document(
        corpus, node(corpus, None, "title", heading="Hut Act"), node(f"{corpus}:2", corpus, "section", text),
    )  # fmt: skip
    made.corpus = Corpus(corpus, "Hut Act", language)
    made.nodes[0].structure_type, made.nodes[0].level = "ROOT", "act"
    annotate(made, jurisdiction_for(jurisdiction))
    return made


@pytest.mark.parametrize(("language", "jurisdiction", "text"), LISTS)
def test_entries_of_a_list_in_one_text_define_each_its_term_and_use_what_their_own_words_use(
    language: str, jurisdiction: str, text: str
) -> None:
    made = law(language, jurisdiction, text)
    found = {IN_ENGLISH.get(one.term, one.term.casefold()): one for one in made.definitions}
    assert found.keys() == {"hut", "stove"}
    assert {definition.node_urn for definition in made.definitions} == {made.nodes[1].urn}
    stove = found["stove"].term.casefold()
    assert (found["hut"].used_terms, found["stove"].used_terms) == ((stove,), ())
    assert made.used_terms[made.nodes[1].urn] == [stove]


def test_text_after_a_list_is_no_entry_of_it_and_an_entry_has_its_own_list() -> None:
    text = "(1) In this section—\n“hut” means—\n(a) a shed; or\n(b) a tent with a stove.\n“stove” means an oven."
    text += "\n(2) A hut is let."
    made = law("en", "gb", text)
    assert [(one.term, one.used_terms) for one in made.definitions] == [("hut", ("stove",)), ("stove", ())]
    assert made.used_terms[made.nodes[1].urn] == ["hut", "stove"]


def test_a_term_in_brackets_uses_the_words_of_its_clause_and_governs_what_uses_it_elsewhere() -> None:
    corpus = "urn:lex:gb:hut"
    made = document(
        corpus, node(corpus, None, "title", heading="Hut Act"),
        node(f"{corpus}:1", corpus, "section", "In this Act “shed” means a house and “oven” means a stove."),
        node(f"{corpus}:2", corpus, "section", "If a shed burns, the owner of an oven shall pay (a “stove fee”)."),
        node(f"{corpus}:3", corpus, "section", "A stove fee is due in May."),
    )  # fmt: skip
    made.nodes[0].structure_type, made.nodes[0].level = "ROOT", "act"
    annotate(made, jurisdiction_for("gb"))
    [fee] = [one for one in made.definitions if one.term == "stove fee"]
    assert (fee.scope_urn, fee.inferred, fee.used_terms) == (corpus, True, ("oven",))
    assert made.used_terms[f"{corpus}:3"] == ["stove fee"]


def test_a_part_that_defines_another_term_is_apart_from_the_definition_above_it() -> None:
    corpus = "urn:lex:gb:hut"
    hut = f"{corpus}:1:a"
    made = document(
        corpus, node(corpus, None, "title"), node(f"{corpus}:1", corpus, "section", intro="In this Act—"),
        node(hut, f"{corpus}:1", "paragraph", intro="“hut” means any of the following:"),
        node(f"{hut}:1", hut, "subparagraph", "a shed;"),
        node(f"{hut}:2", hut, "subparagraph", intro="“cabin” means a hut in a wood:"),
        node(f"{hut}:2:i", f"{hut}:2", "clause", "of logs."),
    )  # fmt: skip
    made.nodes[0].structure_type, made.nodes[0].level = "ROOT", "act"
    annotate(made, jurisdiction_for("gb"))
    assert [(one.term, one.apart) for one in made.definitions] == [("hut", (f"{hut}:2",)), ("cabin", ())]
