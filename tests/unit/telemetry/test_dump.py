"""The reviewer's dump: complete, exact, private and the same every time."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from dump_traces import (
    BLOCKS,
    DEPOSIT,
    PLACE,
    PRIVATE,
    REG,
    RENT,
    SCENARIO,
    block,
    halted_trace,
    make_context,
    make_trace,
    parse,
    refilled,
    sentinels,
    words_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.answering.answer import Citation
from rag.telemetry.review.dump import dump_html, dump_json, dump_markdown, load_trace, write_dump
from rag.telemetry.review.view import MAX_TREE_DEPTH, exhibits, tree_of
from rag.telemetry.trace import Trace, TracedStatement
from retrieval.errors import InputError
from retrieval.model import ContextWarning


@pytest.mark.parametrize("base", [make_trace(), halted_trace()], ids=["answered", "halted"])
@pytest.mark.parametrize("render", [dump_html, dump_markdown, dump_json])
def test_every_text_of_a_trace_appears(render: Callable[[Trace], str], base: Trace) -> None:
    # The redacted prompt is the prompt but for the scenario; only one of them is shown.
    numbered = sentinels()
    trace = refilled(base.model_copy(update={"prompt_redacted": None}), lambda: next(numbered))
    expected = set(re.findall(r"zq\d+x", dump_json(trace)))
    assert len(expected) > 20
    assert expected - set(re.findall(r"zq\d+x", render(trace))) == set()


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("answer", "VERBATIM"), ("answer", "CHECKED"),
        ("answer", "the rate of interest"),
        ("answer", "It is one item of a list, whose others are not told here. LIST_ITEM"),
        ("answer", "WITHHELD"), ("answer", "NUMBER_CHANGED"), ("answer", "The landlord may keep half of the deposit."),
        ("claim-1", "940 CMR 7.10(c) Return of security deposits"),
        ("claim-1", f"{DEPOSIT}:c, in force from 2021-01-01, no longer from 2026-01-01"),
        ("answer", "Read it with 1 court override and 2 warnings"),
        ("warnings", "VOID"), ("warnings", "from 2023-05-04"), ("warnings", "Text taken out of the context"),
        ("warnings", "Supremacy Clause Warning"),
        ("tree", "in force from 2021-01-01, no longer from 2026-01-01"),
        ("tree", "in force, start not stated by the source"), ("tree", f"stands under {REG}:7.02"),
        ("definitions", "explicit: As used in this part"), ("definitions", "inferred from where it stands"),
        ("definitions", f"{REG}:1.02:def.landlord, urn:lex:ma:mgl-986:1:c"), ("definitions", "the rule itself"),
        ("definitions", "definitions, 1 step"), ("omitted", f"{REG}:7.40 left out to fit the token budget"),
        ("rankings", f"found through {DEPOSIT}:b 0.9312 1.0000 1.0000 0.9700"), ("rankings", "21.4183"),
        ("rankings", "kept the whole deposit -> security deposit"), ("prompt", f"Scenario: {SCENARIO}"),
        ("cost", "total 2231.6"), ("cost", "input_tokens 2210"), ("record", "9c" * 32), ("record", "gpt-5-mini"),
        ("record", "Holds: 5 of 5 quotes of served statements stand in the cited text."),
    ],
)  # fmt: skip
def test_each_part_shows_what_belongs_to_it(place: str, shown: str) -> None:
    section = parse(dump_html(make_trace())).get_element_by_id(place)
    for cell in section.iter("td", "th"):
        cell.tail = " "
    for small in section.find_class("meta"):
        small.text = f" {small.text or ''}"
    assert shown in words_of(section)


def test_a_halt_is_told_before_anything_else() -> None:
    main = parse(dump_html(halted_trace())).get_element_by_id("main")
    first = words_of(main.findall("section")[0])
    for shown in ("ENJOINED", "Superior Court", "Owners' League v. Agency, No. 24-0017", "from 2024-02-02",
                  "no longer from 2025-02-02", "Not to be enforced while the case is pending.",
                  "Legal Override active."):  # fmt: skip
        assert shown in first


def test_a_trace_without_a_context_is_shown_as_a_refusal() -> None:
    trace = make_trace(
        status="refused", context=None, statements=[], legs={}, entry_points=[], usage={}, milliseconds={},
        refusal_reason="no_entry_point", refusal_message="Search found no candidate rule.", prompt=None,
        prompt_redacted=None, prompt_digest=None,
    )  # fmt: skip
    document = parse(dump_html(trace))
    assert "Search found no candidate rule." in words_of(document.find(".//main/section"))
    assert "no prompt was built" in words_of(document.get_element_by_id("prompt"))
    assert "Search found no candidate rule." in dump_markdown(trace)


def test_the_tree_nests_blocks_under_their_parents() -> None:
    document = parse(dump_html(make_trace()))
    for index, one in enumerate(BLOCKS, start=1):
        item = document.get_element_by_id(f"block-{index}").getparent()
        above = item.getparent().getparent()
        known = next((n for n, other in enumerate(BLOCKS, start=1) if other.urn == one.parent_urn), None)
        assert (above.find("article").get("id") if above.tag == "li" else None) == (known and f"block-{known}")


def test_a_mark_holds_exactly_the_quote() -> None:
    document = parse(dump_html(make_trace()))
    marks = [element.text_content() for element in document.iter("mark")]
    assert marks == [quote.quote for claim in make_trace().statements for quote in claim.citations]
    for mark in document.iter("mark"):
        assert mark.getparent().text_content() in {block_.text for block_ in BLOCKS}


def test_law_in_its_own_words_stands_once_and_a_paraphrase_beside_its_law() -> None:
    document = parse(dump_html(make_trace()))
    verbatim, checked = document.get_element_by_id("claim-1"), document.get_element_by_id("claim-2")
    assert words_of(verbatim).count("is liable for three times its amount") == 1
    assert "The landlord had to return the deposit" in words_of(checked)
    assert "return the deposit, with the interest due on it" in words_of(checked)
    more = make_trace().statements[0].model_copy(update={"text": f"{make_trace().statements[0].text} More."})
    assert "More." in words_of(parse(dump_html(make_trace(statements=[more]))).get_element_by_id("claim-1"))


def test_long_words_around_a_quote_are_folded_and_none_is_lost() -> None:
    before, quote, after = "before " * 400, "The quote stands here. ", "after " * 400
    text = f"{before}{quote}{after}"
    cited = Citation(urn=DEPOSIT, quote=quote, start=len(before), end=len(before) + len(quote))
    context = make_context().model_copy(update={"blocks": [block("b1", DEPOSIT, "rule", text)]})
    statement = TracedStatement(text="x", level="CHECKED", verdict="SUPPORTED", reasons=[], citations=[cited])
    claim = parse(dump_html(make_trace(context=context, statements=[statement]))).get_element_by_id("claim-1")
    assert len(claim.findall(".//details")) == 2
    for summary in claim.findall(".//summary"):
        assert summary.text_content().endswith("more characters of this provision")
        summary.text = ""
    assert claim.find(".//blockquote/span").text_content() == text


@pytest.mark.parametrize(
    ("citation", "problem"),
    [
        (Citation(urn=RENT, quote="No landlord may", start=1, end=16), "does not stand at characters 1 to 16"),
        (Citation(urn=RENT, quote="Every landlord may", start=0, end=15), "does not stand at characters 0 to 15"),
        (Citation(urn=RENT, quote="", start=3, end=3), "does not stand at characters 3 to 3"),
        (Citation(urn=RENT, quote="twelve months.", start=-14, end=81), "does not stand at characters -14 to 81"),
        (Citation(urn=f"{DEPOSIT}:d", quote="VOID", start=0, end=4), "does not stand at characters 0 to 4"),
        (Citation(urn=f"{REG}:9.99", quote="anything", start=0, end=8), "The cited node is not in this context."),
    ],
    ids=["offsets", "words", "empty", "negative", "redacted", "unknown"],
)
def test_a_quote_that_does_not_stand_is_never_highlighted(citation: Citation, problem: str) -> None:
    claim = TracedStatement(text="x", level="VERBATIM", verdict="SUPPORTED", reasons=[], citations=[citation])
    trace = make_trace(statements=[claim])
    document = parse(dump_html(trace))
    assert list(document.iter("mark")) == []
    assert problem in words_of(document.get_element_by_id("claim-1"))
    assert "DOES NOT HOLD: 0 of 1 quotes" in words_of(document.get_element_by_id("record"))
    assert "**" in next(line for line in dump_markdown(trace).splitlines() if line.startswith("Quote from"))


def test_a_changed_context_is_told() -> None:
    context = make_context().model_copy(update={"blocks": BLOCKS[:-1]})
    assert "DOES NOT HOLD: The scoped context" in words_of(parse(dump_html(make_trace(context=context))))


@given(st.text("ab \n", min_size=1, max_size=30), st.data())
@settings(max_examples=60)
def test_exhibits_show_every_citation_once_inside_the_whole_text(text: str, data: st.DataObject) -> None:
    spans = data.draw(st.lists(st.tuples(st.integers(-2, 32), st.integers(-2, 32)), max_size=6))
    cited = [Citation(urn=RENT, quote=text[max(a, 0) : b], start=a, end=b) for a, b in spans]
    after = data.draw(st.none() | st.integers(0, 32))
    shown = exhibits(cited, [block("b1", RENT, "rule", text, after_children=after)])
    all_shown = [quote for exhibit in shown for quote in (*exhibit.quotes, *exhibit.loose)]
    key = Citation.model_dump_json
    assert sorted(map(key, all_shown)) == sorted(map(key, cited))
    for exhibit in shown:
        assert "".join(piece.text for piece in exhibit.pieces) == text
        assert [piece.text for piece in exhibit.pieces if piece.marked] == [quote.quote for quote in exhibit.quotes]
        within = any(quote.start < (after or 0) < quote.end for quote in exhibit.quotes)
        apart = 0 < (after or 0) < len(text) and not within
        assert [piece.text == text[after:][: len(piece.text)] for piece in exhibit.pieces if piece.after_parts] == [
            True
        ] * apart


def test_words_after_a_provisions_parts_are_set_apart_from_those_before_them() -> None:
    lead, after = "An owner shall not:\n", "An owner who holds a deposit shall pay interest."
    cited = Citation(urn=RENT, quote=after, start=len(lead), end=len(lead + after))
    claim = TracedStatement(text=after, level="VERBATIM", verdict="SUPPORTED", reasons=[], citations=[cited])
    blocks = [block("b1", RENT, "rule", lead + after, after_children=len(lead))]
    context = make_context().model_copy(update={"blocks": blocks})
    shown = words_of(parse(dump_html(make_trace(statements=[claim], context=context))).get_element_by_id("claim-1"))
    assert f"{lead.strip()} [its parts are left out here; after them:] {after}" in shown
    (across,) = exhibits([Citation(urn=RENT, quote=lead + after, start=0, end=len(lead + after))], blocks)
    assert [(piece.text, piece.marked) for piece in across.pieces] == [(lead + after, True)]


def test_statements_in_the_laws_own_words_do_not_say_that_their_wording_is_missing() -> None:
    cited = Citation(urn=RENT, quote="No landlord", start=0, end=len("No landlord"))
    own, free = (
        TracedStatement(text=None, level=level, verdict="SUPPORTED", reasons=[], citations=[cited])
        for level in ("VERBATIM", "CHECKED")
    )
    trace = make_trace(statements=[own, free])
    document = parse(dump_html(trace))
    assert "wording was not kept" not in words_of(document.get_element_by_id("claim-1"))
    assert "wording was not kept" in words_of(document.get_element_by_id("claim-2"))
    assert dump_markdown(trace).count("wording was not kept") == 1


@given(st.lists(st.integers(-1, 9), max_size=10))
@settings(max_examples=60)
def test_the_tree_holds_every_block_once_whatever_the_parents(parents: list[int]) -> None:
    blocks = [
        block(f"b{index}", f"{REG}:{index}", "rule", "x", parent_urn=f"{REG}:{parent}" if parent >= 0 else None)
        for index, parent in enumerate(parents)
    ]
    items = tree_of(blocks)
    assert sorted(item.number for item in items) == list(range(1, len(blocks) + 1))
    assert sum(item.opens for item in items) == sum(item.closes for item in items)
    above: list[str] = []
    for item in items:
        del above[item.depth :]
        assert not item.parent_shown or item.block.parent_urn == above[-1]
        above.append(item.block.urn)


def test_a_tree_deeper_than_browsers_nest_loses_nothing() -> None:
    blocks = [block(f"b{n}", f"{REG}:n{n}", "rule", f"Text {n}.", parent_urn=f"{REG}:n{n - 1}") for n in range(600)]
    document = parse(dump_html(make_trace(context=make_context(blocks=blocks), statements=[])))
    tree = document.get_element_by_id("tree")
    assert len(tree.findall(".//article")) == 600
    assert max(len(list(element.iterancestors("ul"))) for element in tree.iter("article")) == MAX_TREE_DEPTH + 1
    assert f"stands under {REG}:n598" in words_of(tree)


# --- determinism, privacy, files --------------------------------------------------------------------------


@pytest.mark.parametrize("render", [dump_html, dump_markdown, dump_json])
def test_the_same_trace_gives_the_same_bytes(render: Callable[[Trace], str]) -> None:
    trace = make_trace()
    shuffled = trace.model_copy(
        update={
            "legs": dict(reversed(trace.legs.items())), "usage": dict(reversed(trace.usage.items())),
            "milliseconds": dict(reversed(trace.milliseconds.items())),
        }
    )  # fmt: skip
    assert render(trace) == render(shuffled) == render(load_trace(dump_json(trace)))


SECRET = "Quillon Varga"


@pytest.mark.parametrize(
    "text",
    [
        "", SECRET, "[]", "{", "null", json.dumps({"version": 99, "id": SECRET}),
        json.dumps({"version": 1, "id": SECRET}),
        json.dumps({"version": 1, SECRET: 1}), '{"version": 1, "version": 1}', "[" * 100_000,
        dump_json(make_trace()).replace('"us-ma"', f'{{"{SECRET}": 1}}'), dump_json(make_trace())[:-9],
    ],
)  # fmt: skip
def test_what_is_no_dump_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(InputError) as caught:
        load_trace(text)
    assert "JSON dump of a trace" in caught.value.message
    assert SECRET not in caught.value.message
    assert SECRET not in repr(caught.value.__context__)


def test_an_unusable_field_is_named() -> None:
    with pytest.raises(InputError, match="at_date"):
        load_trace(dump_json(make_trace()).replace('"at_date": "2024-07-01"', '"at_date": "tomorrow"'))


def test_a_number_json_does_not_have_is_refused() -> None:
    with pytest.raises(InputError, match="finite"):
        dump_json(make_trace(milliseconds={"search": float("nan")}))


@pytest.mark.parametrize("render", [dump_html, dump_markdown, dump_json])
def test_a_redacted_trace_shows_neither_scenario_nor_wording(render: Callable[[Trace], str]) -> None:
    numbered = sentinels()
    trace = refilled(make_trace(), lambda: next(numbered))
    hidden = {
        *(word for name in PRIVATE for word in re.findall(r"zq\d+x", json.dumps(trace.model_dump(mode="json")[name]))),
        *(str(statement.text) for statement in trace.statements),
    }
    shown = set(re.findall(r"zq\d+x", render(trace.redacted())))
    assert trace.short_answer is not None
    hidden |= {trace.short_answer.text, *(place.why for place in trace.places)}
    hidden |= {fact for statement in trace.statements for fact in statement.facts or []}
    hidden |= {step.result for statement in trace.statements for step in statement.computations or []}
    assert len(hidden) == 12
    assert shown & hidden == set()
    assert {citation.quote for claim in trace.statements for citation in claim.citations} <= shown


def test_the_banner_says_what_the_file_holds() -> None:
    def banner(trace: Trace) -> str:
        (note,) = parse(dump_html(trace)).find_class("privacy")
        return words_of(note)

    assert "This file holds the scenario, the whole prompt, the wording of the statements" in banner(make_trace())
    assert banner(make_trace().redacted()).startswith("Redacted. This file does not hold the scenario, the prompt's")
    assert "**Redacted.**" in dump_markdown(make_trace().redacted())
    assert "scenario has been taken out" in words_of(
        parse(dump_html(make_trace().redacted())).get_element_by_id("prompt")
    )


@pytest.mark.parametrize(
    "field", ["scenario", "prompt", "unanswered", "synonyms", "statements", "short_answer", "places"]
)
@pytest.mark.parametrize("render", [dump_html, dump_markdown, dump_json])
def test_a_trace_that_only_says_it_is_redacted_is_not_dumped(render: Callable[[Trace], str], field: str) -> None:
    leaking = make_trace().redacted().model_copy(update={field: getattr(make_trace(), field)})
    with pytest.raises(InputError, match="redacted"):
        render(leaking)


@pytest.mark.parametrize(("suffix", "render"), [(".json", dump_json), (".md", dump_markdown), (".HTML", dump_html)])
def test_a_file_is_written_in_the_format_of_its_suffix_for_its_owner_only(
    tmp_path: Path, suffix: str, render: Callable[[Trace], str]
) -> None:
    path = tmp_path / f"dump{suffix}"
    path.write_text("old")
    path.chmod(0o666)
    write_dump(make_trace(), path)
    assert path.read_bytes() == render(make_trace()).encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [path.name]


def test_a_symbolic_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target.txt", tmp_path / "dump.md"
    target.write_text("untouched")
    link.symlink_to(target)
    write_dump(make_trace(), link)
    assert target.read_text() == "untouched"
    assert not link.is_symlink()


@pytest.mark.parametrize(
    ("name", "message"),
    [("dump.pdf", r"\.json, \.md, \.html"), ("dump", r"\.json"), ("none/dump.md", "cannot be written"),
     ("folder.html", "cannot be written")],
)  # fmt: skip
def test_a_file_that_cannot_be_written_is_refused_and_leaves_nothing(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(InputError, match=message):
        write_dump(make_trace(), tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.html"]


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_all_text_has_enough_contrast_in_light_dark_and_print() -> None:
    css = (Path(dump_html.__code__.co_filename).parents[2] / "templates" / "dump.css").read_text(encoding="utf-8")
    themes = [
        dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{3,6})", entry)) for entry in re.findall(r":root \{(.*?)\}", css, re.S)
    ]
    assert len(themes) == 3
    for theme in themes:
        colours = {name: one if len(one) == 7 else f"#{''.join(c * 2 for c in one[1:])}" for name, one in theme.items()}
        grounds = [colours[name] for name in ("paper", "card", "well")]
        texts = [name for name in colours if name not in ("paper", "card", "well", "line", "mark", "mark-ink")]
        pairs = [(name, colours[name], ground) for name in texts for ground in grounds]
        for name, text, ground in [*pairs, ("mark-ink", colours["mark-ink"], colours["mark"])]:
            dark, light = sorted((luminance(text), luminance(ground)))
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (name, text, ground)


WEAK = ContextWarning(kind="weak_match", message="It lacks “mould”.")
LIMITS = ContextWarning(kind="limits", message=f"Further provisions limit what is said here: {RENT}.", urn=RENT)
SEARCH = ContextWarning(kind="search", message="The vectors were not asked.")


@pytest.mark.parametrize("render", [dump_html, dump_markdown])
def test_what_an_answer_lacks_stands_above_its_claims_and_in_its_heading(render: Callable[[Trace], str]) -> None:
    text = render(make_trace(status="places", told=[SEARCH, LIMITS, WEAK]))
    places = [text.index(part) for part in ("Places to look", WEAK.message, "Further provisions")]
    assert places == sorted(places)
    assert SEARCH.message in text
    assert places[-1] < text.index("A landlord who keeps a deposit in violation")
    assert "Answered" not in text
    assert "Answered" in render(make_trace(told=[LIMITS]))


@pytest.mark.parametrize("render", [dump_html, dump_markdown, dump_json])
def test_a_redacted_trace_keeps_that_there_was_a_warning_and_only_words_of_ours(render: Callable[[Trace], str]) -> None:
    redacted = make_trace(told=[WEAK, LIMITS, SEARCH]).redacted()
    text = render(redacted)
    assert "mould" not in text
    assert SEARCH.message not in text
    assert "weak_match" in text.replace("weak match", "weak_match")
    assert "Further provisions limit" in text
    assert load_trace(dump_json(redacted)) == redacted
    assert redacted.redacted() == redacted
    with pytest.raises(InputError, match="redacted"):
        render(redacted.model_copy(update={"told": [WEAK]}))


def test_a_redacted_trace_with_warnings_of_ours_is_not_called_confidential() -> None:
    (note,) = parse(dump_html(make_trace(told=[LIMITS]).redacted())).find_class("privacy")
    assert words_of(note).startswith("Redacted.")


def test_a_trace_written_before_warnings_were_kept_is_read() -> None:
    old = json.loads(dump_json(make_trace()))
    del old["told"]
    assert load_trace(json.dumps(old)).told == []


@pytest.mark.parametrize("render", [dump_html, dump_markdown])
def test_an_answer_without_a_model_says_so_above_its_claims(render: Callable[[Trace], str]) -> None:
    text = render(make_trace(provider="extractive"))
    assert text.index("No language model was used") < text.index("A landlord who keeps a deposit in violation")
    assert "No language model was used" not in render(make_trace())
    places = render(make_trace(provider="extractive", status="places"))
    assert "None of these rules clearly answers" in places
    assert "Extractive answer" not in places


@pytest.mark.parametrize("render", [dump_html, dump_markdown])
def test_a_refusal_names_what_came_nearest_before_anything_else(
    render: Callable[[Trace], str],
) -> None:
    reason = "insufficient_context"
    text = render(
        make_trace(status="refused", statements=[], refusal_reason=reason, refusal_message="Nothing answers.")
    )
    assert text.index("What came nearest") < text.index(PLACE.sentence)
    assert "of these rules" not in text


def test_the_answer_comes_before_the_record_and_what_does_not_hold_before_both() -> None:
    context = make_context().model_copy(update={"blocks": BLOCKS[:-1]})
    main = parse(dump_html(make_trace(context=context))).get_element_by_id("main")
    parts = [element.get("id") for element in main.findall("section")]
    assert parts.index("answer") < parts.index("record")
    assert "DOES NOT HOLD: The scoped context" in words_of(main[0])


def test_the_advice_of_a_refusal_names_no_option_of_a_command_line() -> None:
    trace = make_trace(refusal_reason="not_in_force", refusal_message="It is not in force.")
    for render in (dump_html, dump_markdown):
        assert "Ask again with a date on which it is in force." in render(trace)
        assert "--at-date" not in render(trace)
