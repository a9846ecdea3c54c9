from __future__ import annotations

import pytest
from annotation_documents import DC, C, T, annotated, cfr, cfr_document, dc_document, document, node, par

from rag.law.nodes import Link, Mark

SECTION = f"{DC}:98-301"


def links(text: str) -> list[tuple[str, str]]:
    parsed = annotated(
        dc_document(par("a", text), par("b", "Racks are free."), par("c", "So are hooks."), heading="Duties.")
    )
    certain = [link for link in parsed.links if not link.kind.startswith("may_")]
    return [(link.kind, link.target_urn) for link in certain if link.source_urn == f"{SECTION}:a"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Except as provided in subsection (b) of this section, racks are free.", [("subject_to", f"{SECTION}:b")]),
        ("Except as otherwise provided in § 98-302, this chapter applies.", [("subject_to", f"{DC}:98-302")]),
        ("Unless otherwise permitted by § 98-302, no rack is free.", [("subject_to", f"{DC}:98-302")]),
        ("Subject to the limits and conditions set forth in §§ 98-302 and 98-401, racks are free.",
         [("subject_to", f"{DC}:98-302"), ("subject_to", f"{DC}:98-401")]),
        ("Notwithstanding any other provision of this chapter, racks are free.", [("notwithstanding", C)]),
        ("Notwithstanding subsections (b) and (c), racks are free.",
         [("notwithstanding", f"{SECTION}:b"), ("notwithstanding", f"{SECTION}:c")]),
        ("Section 98-302 does not apply to hooks.", [("disapplies", f"{DC}:98-302")]),
        ("The provisions of this chapter shall not apply to hooks.", [("disapplies", C)]),
        ("Hooks are not subject to § 98-302.", [("disapplies", f"{DC}:98-302")]),
        ("Hooks are exempt from the requirements of § 98-302.", [("disapplies", f"{DC}:98-302")]),
        # What tells which thing is meant, what follows, and a power to change the law except nothing.
        ("A rack that is subject to § 98-302 is free.", [("cites", f"{DC}:98-302")]),
        ("A hook is neither free nor subject to § 98-302.", [("cites", f"{DC}:98-302")]),
        ("The owner is subject to the penalties set forth in § 98-302.", [("cites", f"{DC}:98-302")]),
        ("The use of a rack is subject to the limits set forth in § 98-302.", [("subject_to", f"{DC}:98-302")]),
        ("A rack in violation of § 98-302 is subject to § 98-401.",
         [("cites", f"{DC}:98-302"), ("subject_to", f"{DC}:98-401")]),
        ("§ 98-302 is subject to § 98-401.",
         [("limits", f"{DC}:98-302"), ("subject_to", f"{DC}:98-401")]),
        ("The Mayor may by order modify § 98-302.", [("cites", f"{DC}:98-302")]),
        ("The Mayor may, by order, modify § 98-302.", [("cites", f"{DC}:98-302")]),
        ("The fee may be kept, except that, after payment of what § 98-302 asks, it is due.",
         [("cites", f"{DC}:98-302")]),
        ("The Mayor may modify § 98-302 for hooks.", [("limits", f"{DC}:98-302")]),
        ("Owners may keep racks that are exempt from the definition of a hook in § 98-302.",
         [("cites", f"{DC}:98-302")]),
        # Bare commas join the members of a list that ", and" closes, and nothing else.
        ("Except as provided in this section, §§ 98-302 and 98-401, and this chapter, racks are free.",
         [("subject_to", SECTION), ("subject_to", f"{DC}:98-302"), ("subject_to", f"{DC}:98-401"), ("subject_to", C)]),
        ("Notwithstanding § 98-302, § 98-401 applies.",
         [("notwithstanding", f"{DC}:98-302"), ("cites", f"{DC}:98-401")]),
        ("Notwithstanding this chapter, § 98-302 and § 98-401 apply.",
         [("notwithstanding", C), ("cites", f"{DC}:98-302"), ("cites", f"{DC}:98-401")]),
        ("A rack described in § 98-302 is free.", [("cites", f"{DC}:98-302")]),
        # What is asked or decided holds nothing, however long the words before it; what follows it does.
        ("The Mayor shall decide whether a rack, a hook or any other thing that somebody keeps or lets for hire on the "
         "footway of a street for the use of the public is subject to § 98-302.", [("cites", f"{DC}:98-302")]),
        ("The Mayor may ask whether notwithstanding § 98-302 hooks are free.", [("cites", f"{DC}:98-302")]),
        ("In deciding whether a rack is free, the Mayor is subject to § 98-302.", [("subject_to", f"{DC}:98-302")]),
        ("Whether or not it is let, a rack or hook is subject to § 98-302.", [("subject_to", f"{DC}:98-302")]),
        ("Hooks exempt from tax under § 98-302 are free.", [("cites", f"{DC}:98-302")]),
        ("Notwithstanding any other provision of law, § 98-302 governs.", [("cites", f"{DC}:98-302")]),
        # The part of a provision that no grammar could read is not the whole.
        ("Racks are free, except as stated in the next subsection of § 98-302.", [("cites", f"{DC}:98-302")]),
        ("Racks are free, except as provided in the last sentence of § 98-302.", [("subject_to", f"{DC}:98-302")]),
        ("Unless the rack is full, it is free.", []),
        ("Notwithstanding any law, § 98-302 governs.", [("cites", f"{DC}:98-302")]),
        ("Notwithstanding any other provision of this section, § 98-302 governs.",
         [("notwithstanding", SECTION), ("cites", f"{DC}:98-302")]),
        ("Except as provided in subsections (b) and (c), racks are free, unless § 98-302 says more.",
         [("subject_to", f"{SECTION}:b"), ("subject_to", f"{SECTION}:c"), ("subject_to", f"{DC}:98-302")]),
        ("A rack in this chapter is subject to a maximum of 5 bicycles.", []),
        ("A rack to which § 98-302 does not apply is free.", [("cites", f"{DC}:98-302")]),
        ("Subject to rain. See § 98-302.", [("cites", f"{DC}:98-302")]),
        ("Keep a list of persons who are not subject to § 98-302.", [("cites", f"{DC}:98-302")]),
        ("Hooks not otherwise exempt from § 98-302 are banned.", [("cites", f"{DC}:98-302")]),
        ("Racks that are not subject to § 98-302 are free.", [("cites", f"{DC}:98-302")]),
        ("Keep a list of racks exempted from § 98-302.", [("cites", f"{DC}:98-302")]),
        ("A rack is free if the owner is not subject to § 98-302.", [("cites", f"{DC}:98-302")]),
        ("Hooks are not exempt from § 98-302.", [("cites", f"{DC}:98-302")]),
        ("No hook shall be exempt from § 98-302.", [("cites", f"{DC}:98-302")]),
        ("If it is blue, a hook is not subject to § 98-302.", [("disapplies", f"{DC}:98-302")]),
        ("A hook that holds a bicycle shall not be subject to § 98-302.", [("disapplies", f"{DC}:98-302")]),
        ("Provided, that hooks shall be wholly exempt from § 98-302.", [("disapplies", f"{DC}:98-302")]),
        ("Hooks are free and not subject to § 98-302.", [("disapplies", f"{DC}:98-302")]),
        ("Without prejudice to § 98-302, racks are free.", [("cites", f"{DC}:98-302")]),
        ("Without prejudice to the generality of § 98-302, racks are free.", [("cites", f"{DC}:98-302")]),
        ("This section does not affect the operation of § 98-302.", [("cites", f"{DC}:98-302")]),
        ("Work may begin without the approval that § 98-302 requires.", [("limits", f"{DC}:98-302")]),
        ("Work without the approval that § 98-302 requires is an offense.", [("cites", f"{DC}:98-302")]),
        ("Section 98-302 is subject to any order of a court.", [("limits", f"{DC}:98-302")]),
        ("A person who breaks section 98-302 is subject to a fine.", [("cites", f"{DC}:98-302")]),
        ("A sign is not required under § 98-302 if the rack is red.", [("limits", f"{DC}:98-302")]),
        ("A clerk may sell hooks, § 98-302 to the contrary notwithstanding.", [("notwithstanding", f"{DC}:98-302")]),
        ("A host need comply with subsection (b) only in June.", [("limits", f"{SECTION}:b")]),
        ("By derogation from § 98-302, racks are free.", [("notwithstanding", f"{DC}:98-302")]),
        ("This is not in derogation of § 98-302.", [("cites", f"{DC}:98-302")]),
        ("Save where otherwise provided in § 98-302, racks are free.", [("subject_to", f"{DC}:98-302")]),
        ("Except where the exceptions provided for in § 98-302 apply, racks are free.",
         [("subject_to", f"{DC}:98-302")]),
        ("Hooks are not covered by § 98-302.", [("disapplies", f"{DC}:98-302")]),
        ("Insofar as hooks are not covered by § 98-302, ask.", [("cites", f"{DC}:98-302")]),
        ("Where hooks are not subject to § 98-302 they are blue.", [("cites", f"{DC}:98-302")]),
        ("Section 98-302 has effect subject to § 98-401.",
         [("limits", f"{DC}:98-302"), ("subject_to", f"{DC}:98-401")]),
        ("Nothing in § 98-302 permits a hook.", [("limits", f"{DC}:98-302")]),
        ("The ban in § 98-302 is inoperative during a fair.", [("limits", f"{DC}:98-302")]),
        ("No duty arises under § 98-302 where it rains.", [("limits", f"{DC}:98-302")]),
        ("A hook of iron is outside § 98-302.", [("limits", f"{DC}:98-302")]),
        ("A hook is not subject to inspection under § 98-302.", [("limits", f"{DC}:98-302")]),
        ("In no case may grants under § 98-302 exceed five dollars.", [("limits", f"{DC}:98-302")]),
        ("In a conflict between a custom and § 98-302 the custom prevails.", [("limits", f"{DC}:98-302")]),
        ("Hooks are exempt from the operation of § 98-302.", [("disapplies", f"{DC}:98-302")]),
        ("A hook of iron is exempt from the fees in § 98-302.", [("disapplies", f"{DC}:98-302")]),
        ("Hooks shall be exempt from every fee imposed by § 98-302.", [("disapplies", f"{DC}:98-302")]),
        ("A hook is exempt from inspection under § 98-302.", [("cites", f"{DC}:98-302")]),
        ("A hook is excluded from the list under § 98-302.", [("cites", f"{DC}:98-302")]),
        ("A hook that is outside a rack of § 98-302 is blue.", [("cites", f"{DC}:98-302")]),
        ("Nothing is kept in a rack of § 98-302.", [("cites", f"{DC}:98-302")]),
        ("Section 98-302 does not bind the Crown.", [("disapplies", f"{DC}:98-302")]),
        ("It is a defence for a rider charged under § 98-302 to show rain.", [("limits", f"{DC}:98-302")]),
        ("The defence pleaded under § 98-302 is void.", [("cites", f"{DC}:98-302")]),
        ("A rider may waive § 98-302 in writing.", [("limits", f"{DC}:98-302")]),
        ("A rider may park under § 98-302.", [("cites", f"{DC}:98-302")]),
        ("A rack of 1980 is treated as having complied with § 98-302.", [("limits", f"{DC}:98-302")]),
        ("Hooks are banned, § 98-302 notwithstanding.", [("notwithstanding", f"{DC}:98-302")]),
        # What stands before "of this chapter" was cited and not read: the chapter is not what does not apply.
        ("The provisions of rule 98 and rule 99 of this chapter shall not apply to hooks.", []),
        # Some editions print a letter apart from its number.
        ("Rules 98n and 98 o of this chapter shall not apply to hooks.", []),
        ("Notwithstanding Book IV, this chapter applies to § 98-302.", [("cites", f"{DC}:98-302")]),
        ("A hook need not comply with § 98-302.", [("limits", f"{DC}:98-302")]),
        ("A rider who need not comply with § 98-302 may park.", [("cites", f"{DC}:98-302")]),
        ("Hooks are not required to be fixed under § 98-302.", [("limits", f"{DC}:98-302")]),
        ("A rider is not liable under § 98-302.", [("limits", f"{DC}:98-302")]),
        ("Riding is not a violation of § 98-302.", [("limits", f"{DC}:98-302")]),
        ("The Mayor may grant a variance from § 98-302.", [("limits", f"{DC}:98-302")]),
        ("No officer may grant a variance from § 98-302.", [("cites", f"{DC}:98-302")]),
        ("The Mayor may relieve a rider from compliance with § 98-302.", [("limits", f"{DC}:98-302")]),
        ("§ 98-302 has no application to hooks.", [("limits", f"{DC}:98-302")]),
        ("Where a rack is old, § 98-302 does not.", [("limits", f"{DC}:98-302")]),
        ("§ 98-302 does not affect hooks of 1980.", [("limits", f"{DC}:98-302")]),
        ("An order under § 98-302 ceases to have effect.", [("cites", f"{DC}:98-302")]),
        ("A fee payable under § 98-302 may be waived.", [("limits", f"{DC}:98-302")]),
        ("In a trial under § 98-302 it is a defense that it rained.", [("limits", f"{DC}:98-302")]),
        ("§ 98-302 applies only to hooks.", [("limits", f"{DC}:98-302")]),
        ("§ 98-302 applies to hooks.", [("cites", f"{DC}:98-302")]),
        ("This has effect in place of § 98-302.", [("notwithstanding", f"{DC}:98-302")]),
        ("Racks are free, other than a rack described in § 98-302.", [("subject_to", f"{DC}:98-302")]),
        ("Racks are free except as § 98-302 provides.", [("subject_to", f"{DC}:98-302")]),
        ("No rack is free unless licensed under § 98-302.", [("subject_to", f"{DC}:98-302")]),
        ("Rules may provide that prescribed provisions of this chapter shall not apply.", []),
        ("The Mayor may provide that § 98-302 is not to apply.", [("disapplies", f"{DC}:98-302")]),
        ("Except that the Mayor may waive the requirements of § 98-302, it is so.", [("limits", f"{DC}:98-302")]),
        ("The Mayor may disregard § 98-302.", [("limits", f"{DC}:98-302")]),
        ("§ 98-302 shall not be construed to prohibit hooks.", [("limits", f"{DC}:98-302")]),
        ("§ 98-302 may not be construed as limiting hooks.", [("limits", f"{DC}:98-302")]),
        # A range governs what lies between its ends, a carve-out is not governed.
        ("Nothing in §§ 98-302 to 98-401, except § 98-401, binds the Mayor.",
         [("limits", f"{DC}:98-302"), ("cites", f"{DC}:98-401")]),
        ("This chapter, other than this section, does not apply to hooks.", [("disapplies", f"{DC}:98-302")]),
        ("§ 98-302 applies to a hook as if it were a rack.", [("limits", f"{DC}:98-302")]),
        ("This applies with the omission of § 98-302.", [("disapplies", f"{DC}:98-302")]),
        ("§ 98-302 has effect subject to any order.", [("limits", f"{DC}:98-302")]),
        # Racks are not divided further there: what a missing part says stands in the section.
        ("Subsection (z) of § 98-302 does not apply to hooks.", [("disapplies", f"{DC}:98-302")]),
        ("Subsection (z) of § 98-302 applies.", [("cites", f"{DC}:98-302:z")]),
        ("The following provisions of this chapter do not apply to hooks:", []),
        ("The following requirements of § 98-302 do not apply to hooks:", [("cites", f"{DC}:98-302")]),
        # Words that tell which thing or case is meant.
        ("A rack subject to § 98-302 is free.", [("cites", f"{DC}:98-302")]),
        ("A rack subject to the limits set forth in § 98-302 shall be free.", [("cites", f"{DC}:98-302")]),
        ("Owners may sell any rack subject to § 98-302 to a rider.", [("cites", f"{DC}:98-302")]),
        ("An owner may sell a rack subject to § 98-302.", [("subject_to", f"{DC}:98-302")]),
        ("Racks are free subject to § 98-302 and shall be blue.", [("subject_to", f"{DC}:98-302")]),
        ("If a rack is subject to § 98-302, it is free.", [("cites", f"{DC}:98-302")]),
        ("A rack is free as long as it is subject to § 98-302.", [("cites", f"{DC}:98-302")]),
        ("A rack that may be subject to § 98-302 is free.", [("cites", f"{DC}:98-302")]),
        ("The use, which is subject to § 98-302, is free.", [("subject_to", f"{DC}:98-302")]),
        # What follows the object of the words, in another clause or behind another preposition.
        ("Racks are subject to review under the provisions of § 98-302.", [("cites", f"{DC}:98-302")]),
        ("The Mayor shall make rules, subject to assent, to carry out the provisions of § 98-302.",
         [("cites", f"{DC}:98-302")]),
        ("Subject to the same conditions, the right provided in § 98-302 is free.", [("cites", f"{DC}:98-302")]),
        ("Notwithstanding the last sentence, no rack under § 98-302 is free.", [("cites", f"{DC}:98-302")]),
        ("Hooks are banned unless allowed by the Mayor after the enactment of § 98-302.", [("cites", f"{DC}:98-302")]),
        ("Notwithstanding the generality of § 98-302, hooks are banned.", [("cites", f"{DC}:98-302")]),
        ("This shall not be construed in derogation of § 98-302.", [("cites", f"{DC}:98-302")]),
        ("Tell of racks, including but not limited to a rack described in § 98-302.", [("cites", f"{DC}:98-302")]),
        ("A rider need not pay in order to park under § 98-302.", [("cites", f"{DC}:98-302")]),
        ("A rider need not tell of a rack exempt under § 98-302.", [("cites", f"{DC}:98-302")]),
        ("The fee would (without regard to § 98-302) be five dollars.", [("cites", f"{DC}:98-302")]),
        # What is done under a provision is not the provision; a duty under it is.
        ("A permit under § 98-302 may be suspended.", [("cites", f"{DC}:98-302")]),
        ("A duty under § 98-302 may be suspended.", [("limits", f"{DC}:98-302")]),
        ("A permit under § 98-302 is subject to § 98-401.",
         [("cites", f"{DC}:98-302"), ("subject_to", f"{DC}:98-401")]),
        ("A sale in violation of § 98-302 shall be ineffective.", [("cites", f"{DC}:98-302")]),
        ("A rack described in § 98-302 applies only if it is blue.", [("cites", f"{DC}:98-302")]),
        ("The duty described in § 98-302 applies only to hooks.", [("limits", f"{DC}:98-302")]),
        ("A failure to comply with § 98-302 does not affect a sale.", [("cites", f"{DC}:98-302")]),
        ("Build it in such a way that § 98-302 does not affect it.", [("cites", f"{DC}:98-302")]),
        ("A rider who keeps the rules of § 98-302 is not required to pay.", [("cites", f"{DC}:98-302")]),
        ("A rider is not required to pay to the extent stated in § 98-302.", [("cites", f"{DC}:98-302")]),
        ("The Mayor may forgive a debt under the circumstances told in § 98-302.", [("cites", f"{DC}:98-302")]),
        ("The Mayor may modify lists collected under § 98-302.", [("cites", f"{DC}:98-302")]),
        ("The Mayor may modify a condition imposed under § 98-302.", [("limits", f"{DC}:98-302")]),
        ("If it rains and § 98-302 does not apply, hooks are free.", [("cites", f"{DC}:98-302")]),
        ("A rider whose racks are not covered by § 98-302 may park.", [("cites", f"{DC}:98-302")]),
        # The words of another law, which this one quotes.
        ("Before the last word omit “, subject to § 98-302,”.", [("cites", f"{DC}:98-302")]),
        # What is taken out of a later reference is not taken out of this one.
        ("Notwithstanding this chapter, no hook of § 98-401, other than § 98-302, is free.",
         [("notwithstanding", C), ("cites", f"{DC}:98-401"), ("cites", f"{DC}:98-302")]),
    ],
)  # fmt: skip
def test_phrase_and_reference_give_kind_and_target(text: str, expected: list[tuple[str, str]]) -> None:
    assert links(text) == expected


def test_a_decision_limits_nothing() -> None:
    parsed = dc_document(par("a", "Section 98-302 does not apply to hooks."), heading="Duties.")
    for place_ in parsed.nodes:
        place_.kind = "decision"
    assert {link.kind for link in annotated(parsed).links} == {"cites"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Paint the bench. The outer bench includes its legs.", ["outer bench"]),
        ("Coercion means any threat.", []),  # read
        ("For purposes of this section, a bench is deemed to be the property of its user.", ["bench"]),
        ("A “stand” is a bench that stands.", ["stand"]),
        ("A bench is treated as painted.", []),
        ("The bench shall include a plate.", []),
        ("A bench that includes a plate is red.", []),
        ("Notice may be sent by electronic means to the owner.", []),
        ("“Bench” means a seat.", []),  # a definition that was read
    ],
)
def test_what_seems_to_define_and_was_not_read_is_noted(text: str, words: list[str]) -> None:
    parsed = annotated(dc_document(par("a", text), heading="Racks."))
    noted = [link for link in parsed.links if link.kind == "may_define"]
    assert [(link.reference, link.target_urn) for link in noted] == [(word, C) for word in words]


def test_range_of_paragraphs_leaves_out_what_lies_within_them() -> None:
    """In a regulation all that is below a section has one level, (b) and (b)(1) alike."""
    parts = [par("a", "Except as provided in paragraphs (b) through (d) of this section, hooks are free.")]
    parts += [par(name, "Hooks.") for name in ("b", "b:1", "b:2", "c", "c:1", "d", "e")]
    parsed = annotated(dc_document(*parts, heading="Hooks."))
    section = parsed.links[0].source_urn.rpartition(":")[0]
    found = [link.target_urn.removeprefix(f"{section}:") for link in parsed.links if link.kind == "subject_to"]
    assert sorted(found) == ["b", "c", "d"]


@pytest.mark.parametrize(("intro", "kind"), [("Hooks are—", "disapplies"), ("A list of hooks that are—", "cites")])
def test_lead_in_decides_whether_its_items_state_or_describe(intro: str, kind: str) -> None:
    item = par("a:1", "not subject to § 98-302;", level="subparagraph")
    parsed = annotated(dc_document(par("a", intro=intro), item, heading="Duties."))
    assert [(link.kind, link.target_urn) for link in parsed.links] == [(kind, f"{DC}:98-302")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The following provisions of this chapter do not apply to hooks: (1) § 98-302; (2) § 98-401(a).",
         [("disapplies", f"{DC}:98-302"), ("disapplies", f"{DC}:98-401")]),
        ("The following sections do not apply: §§ 98-302 and 98-401. See § 98-402.",
         [("disapplies", f"{DC}:98-302"), ("disapplies", f"{DC}:98-401"), ("cites", f"{DC}:98-402")]),
        ("None of the following provisions applies to hooks: § 98-302, § 98-401.",
         [("disapplies", f"{DC}:98-302"), ("disapplies", f"{DC}:98-401")]),
        ("Notwithstanding the following provisions: § 98-302.", [("notwithstanding", f"{DC}:98-302")]),
        ("This chapter does not apply to the following: racks under § 98-302.",
         [("disapplies", C), ("cites", f"{DC}:98-302")]),
        ("The following provisions do not apply: the fee that § 98-302 sets.", [("cites", f"{DC}:98-302")]),
        ("The following provisions do not apply. § 98-302 does.", [("cites", f"{DC}:98-302")]),
    ],
)  # fmt: skip
def test_what_a_list_takes_out_of_force_is_each_reference_that_an_item_begins_with(
    text: str, expected: list[tuple[str, str]]
) -> None:
    assert links(text) == expected


@pytest.mark.parametrize(
    ("intro", "item", "kind"),
    [
        ("The following provisions of this chapter do not apply to hooks:", "§ 98-302.", "disapplies"),
        ("The following provisions shall not apply—", "the provisions of § 98-302 (fees); and", "disapplies"),
        ("The following provisions shall not apply:", "fees under § 98-302; and", "cites"),
        ("The following do not apply. The owner shall keep:", "§ 98-302.", "cites"),
        ("Subject to the following requirements:", "§ 98-302.", "subject_to"),
    ],
)
def test_an_item_stands_under_the_words_that_introduce_its_list(intro: str, item: str, kind: str) -> None:
    parsed = annotated(dc_document(par("a", intro=intro), par("a:1", item, level="subparagraph"), heading="Duties."))
    assert [(link.kind, link.target_urn) for link in parsed.links] == [(kind, f"{DC}:98-302")]


def only(parsed_links: list[Link], source: str) -> Link:
    return next(parsed_link for parsed_link in parsed_links if parsed_link.source_urn == source)


def test_link_says_which_words_it_rests_on() -> None:
    text = "Racks are free, subject to § 98-302."
    link = only(annotated(dc_document(par("a", text))).links, f"{SECTION}:a")
    start, end = int(link.properties["phrase_start"]), int(link.properties["phrase_end"])
    assert text[start:end] == link.properties["phrase"] == "subject to"
    assert text[int(link.properties["start"]) : int(link.properties["end"])] == "98-302"
    assert link.reference == "§ 98-302"


def test_publishers_mark_replaces_the_grammars_reading() -> None:
    paragraph = par("a", "Subject to § 98-302, racks are free.")
    start = paragraph.text.index("§")
    paragraph.marks.append(Mark(start, start + 8, "reference", f"{DC}:98-401"))
    assert [link.target_urn for link in annotated(dc_document(paragraph)).links] == [f"{DC}:98-401"]


def test_mark_does_not_overrule_the_code_that_the_text_names_before_it() -> None:
    paragraph = par("a", "See 12 U.S.C. § 1735f-7.")
    start = paragraph.text.index("§")
    paragraph.marks.append(Mark(start, start + 9, "reference", f"{DC}:1735f-7"))
    assert [link.target_urn for link in annotated(dc_document(paragraph)).links] == ["urn:lex:us:12usc:1735f-7"]


def test_mark_on_words_that_the_grammar_does_not_read_is_a_citation() -> None:
    paragraph = par("a", "The Rack Law governs.")
    paragraph.marks.append(Mark(4, 12, "reference", f"{DC}:98-401"))
    link = only(annotated(dc_document(paragraph)).links, f"{SECTION}:a")
    assert (link.kind, link.target_urn, link.reference) == ("cites", f"{DC}:98-401", "Rack Law")


def test_target_missing_from_its_own_document_is_marked_and_kept() -> None:
    parsed = annotated(dc_document(par("a", "See § 98-999 and § 42-3502.17.")))
    assert [(link.target_urn, link.properties.get("exists")) for link in parsed.links] == [
        (f"{DC}:98-999", "false"),
        (f"{DC}:42-3502.17", None),
    ]


def test_law_without_urn_is_kept_as_an_open_link() -> None:
    link = only(annotated(dc_document(par("a", "See section 5 of the Clayton Act."))).links, f"{SECTION}:a")
    assert (link.kind, link.target_urn, link.properties["external"]) == ("cites", "", "true")


def test_range_is_kept_as_its_two_ends() -> None:
    parsed = annotated(dc_document(par("a", "See §§ 98-301 through 98-401."), heading="Duties."))
    assert [(link.target_urn, link.properties["range"]) for link in parsed.links] == [(f"{DC}:98-401", "end")]


def test_links_of_the_parser_are_kept() -> None:
    parsed = dc_document(par("a", "See § 98-302."))
    given = Link(T, "enabled_by", "12 U.S.C. 5512")
    parsed.links.append(given)
    assert annotated(parsed).links[0] is given


def test_reference_in_a_heading_is_a_citation_of_the_heading() -> None:
    parsed = annotated(cfr_document(cfr("10.1", "Racks are free.", heading="Racks (52 U.S.C. 30101(4)).")), "us")
    assert [(link.kind, link.target_urn, link.properties["place"]) for link in parsed.links] == [
        ("cites", "urn:lex:us:52usc:30101:4", "heading")
    ]


def test_a_provision_that_another_subjects_to_a_third_yields_to_it() -> None:
    parsed = annotated(dc_document(par("a", "Section 98-302 has effect subject to § 98-401."), heading="Duties."))
    of_others = [link for link in parsed.links if link.source_urn == f"{DC}:98-302"]
    assert [(link.kind, link.target_urn, link.properties) for link in of_others] == [
        ("subject_to", f"{DC}:98-401", {"stated_in": f"{SECTION}:a"})
    ]


def test_a_section_under_containers_that_its_urn_names_is_found_by_its_number() -> None:
    law = "urn:lex:us-dc:rackact"
    parsed = document(
        law,
        node(law, None, "title"),
        *(
            entry
            for part, numbers in (("i", (1, 2)), ("ii", (3,)))
            for entry in (
                node(f"{law}:part_{part}", law, "part"),
                *(
                    node(f"{law}:part_{part}:{n}", f"{law}:part_{part}", "section", f"Subject to section {n % 3 + 1}.")
                    for n in numbers
                ),
            )
        ),
    )
    links = [(link.source_urn[-1], link.target_urn) for link in annotated(parsed).links]
    assert links == [("1", f"{law}:part_i:2"), ("2", f"{law}:part_ii:3"), ("3", f"{law}:part_i:1")]


@pytest.mark.parametrize(
    ("text", "excepted"), [("This does not apply to hooks.", True), ("This applies to hooks.", False)]
)
def test_words_that_name_nothing_limit_the_paragraph_before(text: str, excepted: bool) -> None:
    parsed = annotated(dc_document(par("1", "A rack is painted red."), par("2", text)))
    found = [(link.source_urn, link.target_urn) for link in parsed.links if link.kind == "limits"]
    first, second = (place_.urn for place_ in parsed.nodes if place_.text in ("A rack is painted red.", text))
    assert found == ([(second, first)] if excepted else [])


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("This chapter applies to racks other than hooks.", ["applies"]),
        ("The fee in this chapter applies to racks.", []),
        ("This title applies to racks.", []),  # a title of a code is many laws
        ("Section 98-302 applies to racks.", ["cites"]),
    ],
)
def test_what_a_law_applies_to_is_said_of_the_law_or_a_part_of_it(text: str, kinds: list[str]) -> None:
    assert [kind for kind, _ in links(text)] == kinds
