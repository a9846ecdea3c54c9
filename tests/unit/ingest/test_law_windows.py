"""Whatever a model replies, what is kept of it stands in the law; windows cover a law once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conftest import share_of
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ingest.law_readings import MODEL, UNSHARED, WINDOW_TOKENS, LawWindows, Read
from rag.languages.text import locate
from rag.law.nodes import Corpus, Definition, Link, ParsedDocument, ParsedNode
from rag.models.law_reading import DefinitionItem, Items, LawItem, LimitItem, parse_reading, reading_schema
from retrieval.context.material import IN_PART, READ_BY
from retrieval.errors import ProviderError
from retrieval.providers.embedding import estimated_tokens

ACT = "urn:lex:gb:kite-act"
TEXTS = (
    "A flyer must keep each streamer for a year.",
    "Whoever lets a kite rise is hereafter called a flyer, as the Skies Treaty has it.",
    "Nobody under twelve has to store ribbons that the wind tore. A flyer may.",
)


def act(texts: tuple[str, ...] = TEXTS, parts: int = 0) -> ParsedDocument:
    """An Act of sections, in parts of so many sections where they are told."""
    nodes = [ParsedNode(ACT, None, "ROOT", "act", heading="Kite Act", kind="section")]
    for number, text in enumerate(texts, start=1):
        parent = ACT
        if parts:
            parent = f"{ACT}:part.{(number - 1) // parts + 1}"
            if parent not in {node.urn for node in nodes}:
                nodes.append(ParsedNode(parent, ACT, "PART", "part", parent.rpartition(".")[2], "Part", kind="section"))
        nodes.append(ParsedNode(f"{ACT}:{number}", parent, "SECTION", "section", str(number), content_text=text))
    return ParsedDocument(Corpus(ACT, "Kite Act", "en"), nodes, "kites.test", "test", "0", 1, annotated=True)


PIECES = st.one_of(
    st.sampled_from(TEXTS).flatmap(
        lambda text: st.tuples(st.integers(0, len(text)), st.integers(0, 60)).map(lambda at: text[at[0] :][: at[1]])
    ),
    st.sampled_from(("flyer", "flyers", "kite", "streamer", "Skies Treaty", "a flyer, as", "pilot", "", "…")),
    st.text(max_size=20),
)
NUMBERS = st.integers(-1, 5)
LISTS = st.lists(NUMBERS, max_size=3).map(tuple)
ITEMS = st.builds(
    Items,
    limits=st.lists(
        st.builds(
            LimitItem, limiting=NUMBERS, limited=LISTS, kind=st.sampled_from(("exception", "condition")), quote=PIECES
        ),
        max_size=4,
    ).map(tuple),
    definitions=st.lists(
        st.builds(
            DefinitionItem, term=PIECES, forms=st.lists(PIECES, max_size=2).map(tuple), provision=NUMBERS, quote=PIECES,
            scope=LISTS, relation=st.sampled_from(("means", "includes", "excludes", "reference")),
        ),
        max_size=4,
    ).map(tuple),
    other_laws=st.lists(st.builds(LawItem, name=PIECES, provision=NUMBERS, quote=PIECES), max_size=3).map(tuple),
)  # fmt: skip


@settings(max_examples=share_of(300))
@given(ITEMS)
def test_whatever_is_replied_what_is_kept_stands_in_the_law(items: Items) -> None:
    document = act()
    law = LawWindows(document)
    [window] = law.windows()
    kept, dropped = law.checked(window, items)
    assert law.checked(window, kept) == (kept, {})
    applied = law.apply([Read(window, items, "m")])
    texts = {node.urn: node.text for node in document.nodes}
    [mark] = [link for link in document.links if link.kind == READ_BY]
    assert (mark.source_urn, mark.reference, mark.properties) == (ACT, "", {MODEL: "m"})
    found = [link for link in document.links if link is not mark]
    assert (applied.limits + applied.other_laws + applied.definitions == 0) == (found == [])
    for link in found:
        assert link.properties[MODEL] == "m"
        assert locate(link.reference, texts[link.source_urn]) or link.kind == "may_define"
        assert link.target_urn in texts or link.kind == "may_cite"
        assert link.kind != "may_limit" or link.source_urn != link.target_urn
    for definition in document.definitions:
        assert definition.inferred
        assert locate(definition.term, texts[definition.node_urn])
        term = law.rules.normalise(definition.term)
        assert (
            any(term in used for used in document.used_terms.values()) or term in texts[definition.node_urn].casefold()
        )
    asked = sum(len(item.limited) or 1 for item in items.limits) + len(items.definitions) + len(items.other_laws)
    assert sum(dropped.values()) <= asked
    law.apply([])
    assert (document.links, document.definitions) == ([], [])


@given(st.lists(st.integers(1, 30), min_size=1, max_size=12), st.integers(0, 3))
def test_windows_hold_every_provision_once_and_fit(sizes: list[int], parts: int) -> None:
    texts = tuple(f"A flyer {number}. " + "word " * (400 * size) for number, size in enumerate(sizes))
    document = act(texts, parts)
    windows = LawWindows(document).windows()
    own = [urn for window in windows for urn in window.own]
    assert sorted(own) == sorted(node.urn for node in document.nodes[1:])
    for window in windows:
        told = [estimated_tokens(f"{node.heading}\n{node.text}") for node in window.nodes]
        sections = [node for node in window.nodes if node.level == "section"]
        assert sum(told) <= WINDOW_TOKENS + 100 or len(sections) == 1
        assert window.prompt.numbers == len(window.nodes)
        assert all(node.text.strip() in window.prompt.text for node in sections)
    keys = [window.prompt.key for window in windows]
    assert keys == [window.prompt.key for window in LawWindows(act(texts, parts)).windows()]


def test_a_small_section_of_definitions_stands_in_every_window() -> None:
    texts = ("“Flyer” means a person.", "A flyer. " + "word " * 6000, "A flyer too. " + "word " * 6000)
    document = act(texts)
    document.definitions.append(Definition("Flyer", f"{ACT}:1", ACT))
    windows = LawWindows(document).windows()
    assert [[node.number for node in window.nodes] for window in windows] == [["1", "2"], ["1", "3"]]
    assert [sorted(window.own) for window in windows] == [[f"{ACT}:1", f"{ACT}:2"], [f"{ACT}:3"]]


def test_another_form_that_was_read_is_a_use_of_the_term_where_it_governs() -> None:
    document = act(("A kiter must rest.", "Who lets a kite rise is styled a flyer.", "No flyer may sleep."))
    law = LawWindows(document)
    [window] = law.windows()
    item = DefinitionItem(
        term="flyer", forms=("kiter",), provision=2, quote="is styled a flyer", scope=(0,), relation="means"
    )
    law.apply([Read(window, Items(definitions=(item,)), "m")])
    assert document.used_terms == {f"{ACT}:1": ["flyer"], f"{ACT}:3": ["flyer"]}


def test_a_term_that_is_used_as_a_verb_alone_is_used() -> None:
    texts = ("No person may moor a kite for 2 hours.", "moor includes make fast to a tree.", "A moor is wet.")
    item = DefinitionItem(term="moor", provision=2, quote="moor includes make fast", scope=(0,), relation="means")
    for number, used in ((2, {f"{ACT}:1": ["moor"]}), (3, {f"{ACT}:3": ["moor"]})):  # a thing somewhere: no verb
        document = act(texts[:number])
        law = LawWindows(document)
        [window] = law.windows()
        law.apply([Read(window, Items(definitions=(item,)), "m")])
        assert document.used_terms == used


def test_of_several_definitions_in_one_text_each_has_the_terms_of_its_own_sentence() -> None:
    texts = ("A flyer must pay a fee.", "flyer means who lets a kite rise. kite means a toy. fee: see kite.")
    document = act(texts)
    law = LawWindows(document)
    [window] = law.windows()
    items = [
        DefinitionItem(term=term, provision=2, quote=quote, scope=(0,), relation=relation)
        for term, quote, relation in (
            ("flyer", "flyer means who lets", "means"), ("kite", "kite means a toy", "reference"),
            ("fee", "fee: see kite", "reference"),
        )
    ]  # fmt: skip
    law.apply([Read(window, Items(definitions=tuple(items)), "m")])
    used = {definition.term: definition.used_terms for definition in document.definitions}
    assert (used["flyer"], used["fee"]) == (("kite",), ("fee", "kite"))


def test_a_limit_may_name_what_another_window_has_by_its_number_and_quotes_its_own() -> None:
    texts = ("A flyer must rest. " + "word " * 8000, "Nobody under twelve has to rest. " + "word " * 8000)
    document = act(texts)
    law = LawWindows(document)
    first, second = law.windows()
    assert [node.urn for node in first.outline] == [f"{ACT}:2"]
    assert [node.urn for node in second.outline] == [f"{ACT}:1"]
    assert "[2] section 1 — A flyer must rest." in second.prompt.text
    assert second.prompt.outlined == 1
    named = reading_schema(second.prompt.numbers, second.prompt.outlined)["$defs"]["named"]["enum"]
    assert named == [0, 1, 2]
    items = [
        LimitItem(limiting=limiting, limited=(limited,), kind="exception", quote=quote)
        for limiting, limited, quote in (
            (1, 2, "Nobody under twelve has to rest"), (2, 1, "A flyer must rest"), (1, 3, "Nobody under twelve"),
        )
    ]  # fmt: skip
    kept, dropped = law.checked(second, Items(limits=tuple(items)))
    assert (kept.limits, dropped) == ((items[0],), {"unknown provision": 2})
    law.apply([Read(second, kept, "m")])
    links = {(link.kind, link.source_urn, link.target_urn, link.reference) for link in document.links}
    assert links == {
        ("may_limit", f"{ACT}:2", f"{ACT}:1", "Nobody under twelve has to rest"), (READ_BY, ACT, ACT, IN_PART),
    }  # fmt: skip


def test_a_law_in_one_window_has_no_outline() -> None:
    [window] = LawWindows(act()).windows()
    assert (window.outline, window.prompt.outlined) == ((), 0)


def test_guesses_that_a_reading_does_not_share_are_noted_and_stay() -> None:
    document = act()
    guesses = [Link(f"{ACT}:{number}", "may_limit", "flyer", f"{ACT}:1") for number in (2, 3)]
    document.links.extend(guesses)
    law = LawWindows(document)
    [window] = law.windows()
    law.apply([])
    assert document.links == guesses
    law.apply([Read(window, Items(), "m")])
    noted = [link.properties for link in document.links if link.kind == "may_limit"]
    assert noted == [{UNSHARED: "m"}, {UNSHARED: "m"}]
    law.apply([])
    assert document.links == guesses


def test_a_reply_is_read_as_a_whole_or_not_at_all() -> None:
    assert parse_reading('{"limits": [], "definitions": [], "other_laws": [], "more": 1}') == Items()
    for reply in ("", "[]", '{"limits": [{"limiting": 1}]}', '{"limits": [', '{"definitions": {}}'):
        try:
            parse_reading(reply)
        except ProviderError:
            continue
        raise AssertionError(reply)


def test_the_schema_knows_only_the_numbers_that_are_given() -> None:
    schema = reading_schema(3)
    assert schema["$defs"] == {
        "provision": {"type": "integer", "enum": [1, 2, 3]}, "named": {"type": "integer", "enum": [0, 1, 2, 3]},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("known", "scope", "added"),
    [
        (Definition("flyer", f"{ACT}:2", f"{ACT}:2", inferred=True), 0, [("means", ACT)]),
        (Definition("flyer", f"{ACT}:2", f"{ACT}:2", inferred=True, phrase="here"), 0, [("means", ACT)]),
        (Definition("flyer", f"{ACT}:2", f"{ACT}:2"), 0, []),
        (Definition("flyer", f"{ACT}:2", ACT, inferred=True), 0, []),
        (Definition("flyer", f"{ACT}:3", ACT), 0, [("means", ACT)]),  # a conflict, which contexts tell
        # The meaning of a closer scope governs, as that of any does.
        (Definition("flyer", f"{ACT}:3", ACT), 1, [("means", f"{ACT}:1")]),
        (Definition("flyer", f"{ACT}:3", f"{ACT}:3"), 0, [("means", ACT)]),
    ],
)
def test_a_definition_that_code_read_stands_and_only_an_inferred_scope_is_widened(
    known: Definition, scope: int, added: list[tuple[str, str]]
) -> None:
    document = act()
    document.definitions.append(known)
    law = LawWindows(document)
    [window] = law.windows()
    item = DefinitionItem(
        term="flyer", provision=2, quote="is hereafter called a flyer", scope=(scope,), relation="means"
    )
    law.apply([Read(window, Items(definitions=(item,)), "m")])
    first, *others = document.definitions
    assert first == known
    assert [(one.relation, one.scope_urn) for one in others] == added
    law.apply([])
    assert document.definitions == [known]


def test_a_scope_that_code_inferred_gives_way_to_a_closer_one_until_the_reading_goes() -> None:
    document = act()
    document.definitions.append(wide := Definition("flyer", f"{ACT}:2", ACT, inferred=True))
    law = LawWindows(document)
    [window] = law.windows()
    item = DefinitionItem(term="flyer", provision=2, quote="is hereafter called a flyer", scope=(3,), relation="means")
    law.apply([Read(window, Items(definitions=(item,)), "m")])
    assert document.definitions == [replace(wide, scope_urn=f"{ACT}:3")]
    law.apply([])
    assert document.definitions == [wide]


def test_a_sentence_beside_a_definition_may_add_to_it() -> None:
    document = act(("In this Act “flyer” includes a child.", "A drone counts as a flyer in June.", *TEXTS))
    section = ParsedNode(f"{ACT}:0", ACT, "SECTION", "section", "0", "Meanings")
    document.nodes.insert(1, section)
    document.nodes[2:4] = [
        replace(node, parent_urn=section.urn, structure_type="SUBSECTION", level="subsection")
        for node in document.nodes[2:4]
    ]
    document.definitions.append(known := Definition("flyer", f"{ACT}:1", ACT, "includes"))
    law = LawWindows(document)
    [window] = law.windows()
    numbers = {node.urn: number for number, node in enumerate(window.nodes, start=1)}
    item = DefinitionItem(
        term="flyer", provision=numbers[f"{ACT}:2"], quote="A drone counts as a flyer", scope=(0,), relation="includes"
    )
    law.apply([Read(window, Items(definitions=(item,)), "m")])
    assert document.definitions == [known, Definition("flyer", f"{ACT}:2", ACT, "includes", inferred=True)]


def test_a_term_is_used_in_another_form_by_the_provision_that_defines_it() -> None:
    document = act(("Flyer is here whoever holds a string. Fliers of ten kites report each of them.", *TEXTS[1:]))
    law = LawWindows(document)
    [window] = law.windows()
    item = DefinitionItem(
        term="flyer", forms=("fliers",), provision=1, quote="Flyer is here", scope=(1,), relation="means"
    )
    for kept, forms in ((item,), ("fliers",)), ((), ()):
        kept_now, _ = law.checked(window, Items(definitions=(item.model_copy(update={"forms": forms}),)))
        assert kept_now.definitions == kept


def test_a_guessed_meaning_gives_way_to_one_that_is_read_for_less() -> None:
    document = act()
    document.definitions.append(Definition("flyer", f"{ACT}:2", ACT, inferred=True))
    document.links.append(Link(f"{ACT}:2", "may_define", "flyer", ACT))
    law = LawWindows(document)
    [window] = law.windows()
    item = DefinitionItem(term="flyer", provision=2, quote="called a flyer", scope=(3,), relation="includes")
    law.apply([Read(window, Items(definitions=(item,)), "m")])
    assert document.definitions == [Definition("flyer", f"{ACT}:2", f"{ACT}:3", "includes", inferred=True)]
    assert [link.target_urn for link in document.links if link.kind == "may_define"] == [f"{ACT}:3"]


def test_what_code_reads_of_a_whole_part_is_noted_where_a_reading_of_it_all_names_provisions() -> None:
    document = act(parts=3)
    part = f"{ACT}:part.1"
    document.links.append(Link(f"{ACT}:3", "limits", "this part", part))
    law = LawWindows(document)
    [window] = law.windows()
    numbers = {node.urn: number for number, node in enumerate(window.nodes, start=1)}
    limited = {of: (numbers[of],) for of in (f"{ACT}:1", part)}
    for target, noted in ((f"{ACT}:1", {UNSHARED: "m"}), (part, {})):
        item = LimitItem(limiting=numbers[f"{ACT}:3"], limited=limited[target], kind="exception", quote="A flyer may")
        law.apply([Read(window, Items(limits=(item,)), "m")])
        assert [link.properties for link in document.links if link.kind == "limits"] == [noted]


def test_a_schedule_that_a_meaning_points_to_is_quoted_by_its_heading() -> None:
    document = act((*TEXTS, "Falcons and swifts."))
    listed = document.nodes[-1]
    document.nodes[-1] = replace(listed, structure_type="APPENDIX", heading="Birds that flyers keep")
    law = LawWindows(document)
    [window] = law.windows()
    heading = "Birds that flyers keep"
    items = Items(
        definitions=tuple(
            DefinitionItem(term="flyer", provision=provision, quote=quote, scope=(0,), relation="means")
            for provision, quote in ((4, heading), (4, "Birds that nobody keeps"), (1, heading))
        )
    )
    kept, dropped = law.checked(window, items)
    assert (kept.definitions, dropped) == (items.definitions[:1], {"not in the provision": 2})


def test_provisions_that_limit_nothing_are_kept_where_they_have_words_and_limit_nothing() -> None:
    law = LawWindows(act())
    [window] = law.windows()
    limit = LimitItem(limiting=3, limited=(1,), kind="exception", quote="Nobody under twelve")
    kept, _ = law.checked(window, Items(limits=(limit,), limits_nothing=(1, 2, 3, 9)))
    assert kept.limits_nothing == (1, 2)


def test_the_name_of_another_law_takes_the_number_in_brackets_after_it() -> None:
    document = act(("A kite rises under the Skies Treaty (16 U.S.C. 3371) alone (or not).",))
    law = LawWindows(document)
    [window] = law.windows()
    item = LawItem(name="Skies Treaty", provision=1, quote="under the Skies Treaty")
    law.apply([Read(window, Items(other_laws=(item,)), "m")])
    assert [link.reference for link in document.links if link.kind == "may_cite"] == ["Skies Treaty (16 U.S.C. 3371)"]
