"""Memos over small laws written here: what holds in free wording, what fails and why, and what a judge adds."""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import pytest
from conftest import Stores

from evals.bench.counting import CountedConnection
from evals.suites.citecheck.suite import measure
from rag import Engine
from rag.citecheck import statements, verdicts
from rag.citecheck.deadline import NO_DEADLINE, Deadline
from rag.citecheck.model import DOUBT, NOT_SUPPORTED, VerifyItem, VerifyResult
from rag.citecheck.references import find_mentions
from rag.citecheck.resolve import Named, looked_up_once, named_in_store, resolve_mentions
from rag.citecheck.run import CiteCheck, verify_text
from rag.jurisdictions.registry import all_jurisdictions
from rag.verification.judging import Entailment, Judgement, Question
from rag.verification.ledger import CITED
from rag.verification.refuters import REFUTERS
from retrieval.errors import ConfigurationError, ProviderTimeout
from retrieval.nodes import stored_jurisdictions

HARBOUR = "urn:lex:gb:ukpga-2004-88"
BGB = "urn:lex:de:bgb"
CIVIL = "urn:lex:fr:code-civil"
ACT = "Harbour Kites Act 2004"
LAMPS = "urn:lex:gb:ukpga-2005-99"
LAMPS_ACT = "Pier Lamps Act 2005"
KEPT = "urn:lex:gb:eur-2014-319"


def law(urn: str, language: str, title: str, *nodes: dict[str, object]) -> str:
    head = {"lexscope": 1, "corpus": {"urn": urn, "title": title, "language": language}, "edition_date": "2024-01-01"}
    root = {"urn": urn, "structure_type": "ROOT", "level": "act", "heading": title, "tags": {"act_title": title}}
    return "".join(f"{json.dumps(entry)}\n" for entry in (head, root, *nodes))


def part(urn: str, text: str, kind: str = "SECTION", **more: object) -> dict[str, object]:
    return {
        "urn": urn, "parent_urn": urn.rpartition(":")[0], "structure_type": kind, "level": kind.lower(),
        "content_text": text, **more,
    }  # fmt: skip


def section(number: str, heading: str, *parts: str) -> list[dict[str, object]]:
    tags = {"act_title": ACT, "section_number": number}
    whole = part(f"{HARBOUR}:{number}", "", heading=heading, tags=tags)
    below = (part(f"{HARBOUR}:{number}:{at}", text, "SUBSECTION") for at, text in enumerate(parts, 1))
    return [whole, *below]


LAWS = {
    "harbour": law(
        HARBOUR, "en", ACT,
        *section(
            "3", "Mooring of kites",
            "A keeper shall moor each kite to the eastern quay before sunset.",
            "The harbour master may, within 30 days of a written complaint, remove the mooring of a kite.",
            "Any owner who is harmed by a removal may appeal to the tribunal within 3 months.",
        ),
        *section(
            "5", "Loss of kites",
            "No keeper of a lost kite, whether at the quay or not, may be heard on it; and no tribunal shall hold that "
            "a complaint may be withdrawn by the keeper of the kite at any time before the hearing. A keeper who "
            "loses a kite, knowing that it is not moored, is liable to a fine of not more than 500 shillings for each "
            "kite lost. A finder is not subject to the duties of this section and is not required to feed the kite.",
            "The period for telling the harbour master is 14 days beginning with the day—",
        ),
        part(f"{HARBOUR}:5:2:a", "of the loss, where the keeper was present; or", "PARAGRAPH"),
        part(f"{HARBOUR}:5:2:b", "on which the keeper heard of it.", "PARAGRAPH"),
        *section(
            "9", "Painting of lanterns",
            "A lantern on a pier shall be painted green, and shall carry the number of its licence.",
            "A buyer of a lantern is not affected by a lien of the seller unless the buyer had notice of the lien.",
            "Subsection (2) does not apply, where the buyer has hidden the lantern or painted its number over.",
        ),
        *section(
            "11", "Sale of kites",
            "The warden may sell a kite that was removed.",
            "The proceeds of a sale shall be paid to the keeper after payment of a fine imposed on that keeper under "
            "section 5.",
        ),
    ),
    "kept": law(
        KEPT, "en", "Regulation (EU) No 319/2014",
        part(f"{KEPT}:4", "", "ARTICLE", heading="Payment", tags={"article_number": "4"}),
        part(f"{KEPT}:4:2", "The fee shall be paid within 30 calendar days.", "PARAGRAPH"),
    ),
    "lamps": law(
        LAMPS, "en", LAMPS_ACT,
        part(f"{LAMPS}:1", "In this Act, unless the contrary is stated—", heading="Interpretation",
             tags={"act_title": LAMPS_ACT, "section_number": "1"}),
        part(f"{LAMPS}:1:a", "“keeper” means a person who keeps a lamp for the warden; and", "PARAGRAPH"),
        part(f"{LAMPS}:1:b", "“warden” means a person who watches a pier at night and lights its lamps.",
             "PARAGRAPH"),
        part(f"{LAMPS}:2", "", heading="Oil", tags={"act_title": LAMPS_ACT, "section_number": "2"}),
        part(f"{LAMPS}:2:1", "The right to oil shall not apply to a lamp that burns gas on a public pier.",
             "SUBSECTION"),
        part(f"{LAMPS}:2:2", "Specific repair of a lamp may be ordered where the lamp is unique.", "SUBSECTION"),
        part(f"{LAMPS}:2:3", "Any delivery of oil to a lamp on a pier shall take place only if the warden has weighed "
             "the oil.", "SUBSECTION"),
        part(f"{LAMPS}:3", "The procedure for repair otherwise provided by law shall apply, except that the reason for "
             "the repair provided in this section need not stand in the complaint but may be shown to the warden.",
             heading="Repair", tags={"act_title": LAMPS_ACT, "section_number": "3"}),
        part(f"{LAMPS}:4", "", heading="Measurement", tags={"act_title": LAMPS_ACT, "section_number": "4"}),
        part(f"{LAMPS}:4:1", "The oil of a lamp shall be found by a direct weekly measurement and shall not be taken "
             "from the books of its keeper. Cheap oil is for keepers who probably would not receive any oil or would "
             "receive it at a higher price.", "SUBSECTION"),
        part(f"{LAMPS}:4:2", "A keeper whose place of business changes shall tell the warden of the new place within "
             "fifteen days of the change. The warden shall answer a complaint within thirty days.", "SUBSECTION"),
        part(f"{LAMPS}:4:3", "A notice of the weekly measurement hangs on the pier.", "SUBSECTION"),
        part(f"{LAMPS}:4:4", "Requests for records of a lamp shall be made in writing and addressed to the warden. The "
             "request shall describe the records with sufficient detail of names, dates and places to permit the "
             "records to be found.", "SUBSECTION"),
        part(f"{LAMPS}:sch.1", "", "PART", heading="Fees") | {"kind": "section"},
        part(f"{LAMPS}:sch.1:1", "The quarterly fee for polishing a brass lantern with copper hinges is due to the "
             "polisher at midsummer.", "PARAGRAPH"),
    ),
    "case": law(
        "urn:lex:us:case-kite", "en", "Roe v. Wade",
    ).replace('"structure_type": "ROOT"', '"structure_type": "ROOT", "kind": "decision", "aliases": ["410 U.S. 113"]')
    .replace('"act_title": "Roe v. Wade"', '"case_name": "Roe v. Wade"'),
    "bgb": law(
        BGB, "de", "Bürgerliches Gesetzbuch",
        part(f"{BGB}:3101", "", heading="Drachen"),
        part(f"{BGB}:3101:1", "Ansprüche des Halters wegen Beschädigung eines Drachens verjähren in sechs Monaten.",
             "SUBSECTION"),
        part(f"{BGB}:3101:2", "Die Frist beginnt mit der Rückgabe des Drachens. Wegen des Schadens, der nicht "
             "am Drachen entsteht, kann eine angemessene Zahlung gefordert werden.", "SUBSECTION"),
        part(f"{BGB}:3102", "Der Beauftragte darf den Drachen nur so verkaufen, dass der Halter am Steg einen anderen "
             "Drachen mieten kann.", heading="Verkauf"),
        part(f"{BGB}:3103", "Der Halter kann den Drachen zurückfordern. Der Halter soll dem Beauftragten spätestens "
             "mit der Rückforderung ein Gespräch über die Möglichkeiten einer gütlichen Regelung anbieten.",
             heading="Rückforderung"),
    ),
    "civil": law(
        CIVIL, "fr", "Code civil",
        part(f"{CIVIL}:3101", "", "ARTICLE"),
        part(f"{CIVIL}:3101:al.1", "Le gardien remet au juge un registre des cerfs-volants, qui est déposé dans les "
             "trois mois pour les cerfs-volants rouges et dans les six mois pour les autres.", "PARAGRAPH"),
        part(f"{CIVIL}:3101:al.2", "Le juge peut désigner un expert aux frais du gardien.", "PARAGRAPH"),
    ),
}  # fmt: skip


def write_laws(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for name, lines in LAWS.items():
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def engine(stores: Stores, empty_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = write_laws(tmp_path_factory.mktemp("laws"))
    with Engine.open(stores.clone(empty_template)) as opened:
        opened.ingest([folder])
        yield opened


def claims(result: VerifyResult) -> list[VerifyItem]:
    return [item for item in result.items if item.kind == "claim"]


SOUND = f"""\
To: the partner
Re: kites at the quay

1. Under section 3(1) of the {ACT}, whoever keeps a kite has to make it fast at the eastern quay before the sun sets.

2. Once somebody complains in writing, the harbour master has 30 days to remove the mooring of the kite (s. 3(2)), here
until 4 May 2023. An owner "harmed by a removal" can take the matter to the tribunal, but only within 3
months (s. 3(3)).

3. As for the lantern, its paint must be green and its licence number must be on it (s. 9(1)).
"""


def test_a_sound_memo_in_its_own_words_has_nothing_that_failed(engine: Engine) -> None:
    result = engine.verify(SOUND, jurisdiction="gb")
    assert [item for item in result.items if item.failed] == []
    assert result.exit_code == 0
    assert [item.urn for item in result.items if item.kind == "reference"] == [
        f"{HARBOUR}:{place}" for place in ("3:1", "3:2", "3:3", "9:1")
    ]
    assert len(claims(result)) == 4


def test_the_citation_after_a_sentence_is_that_of_its_quotation(engine: Engine) -> None:
    text = (
        f'Subject to section 3(1) of the {ACT}, an appeal is open to "any owner who is harmed by a removal" and to '
        f"nobody else. {ACT} s. 3(3).\n"
    )
    quotes = [item for item in engine.verify(text, jurisdiction="gb").items if item.kind == "quote"]
    assert [quote.failed for quote in quotes] == [False]
    assert quotes[0].urn == f"{HARBOUR}:3:3"


def test_a_condition_that_the_sentence_before_has_told_is_not_left_out(engine: Engine) -> None:
    bare = f"A buyer of a lantern is not affected by a lien of the seller. {ACT} s. 9(2).\n"
    told = f"Here nobody says that the buyer had notice of the lien. {bare}"
    doubted = [
        [item.is_doubted for item in claims(engine.verify(text, jurisdiction="gb")) if item.text.startswith("A buyer")]
        for text in (bare, told)
    ]
    assert doubted == [[True], [False]]


def test_sections_of_the_law_in_the_title_are_read_and_what_the_author_will_do_is_no_statement_of_law(
    engine: Engine,
) -> None:
    text = (
        f"Dates under the {ACT}\n\nOnce somebody complains in writing, the harbour master has 30 days to remove the "
        "mooring of the kite (s. 3(2)).\n\nI shall send my quiet colleague Petra whatever s. 9(1) brings tomorrow.\n"
    )
    result = engine.verify(text, jurisdiction="gb")
    assert [item.urn for item in result.items if item.kind == "reference"][1:] == [f"{HARBOUR}:3:2", f"{HARBOUR}:9:1"]
    assert [item for item in result.items if item.failed] == []
    assert result.exit_code == 0


def test_a_sentence_without_a_reference_is_held_against_the_section_cited_before_it(engine: Engine) -> None:
    cited = (
        f"The harbour master has 30 days to remove the mooring of a kite after a written complaint ({ACT}, s. 3(2)). "
    )
    right, wrong = (
        "An owner harmed by a removal may apply to the tribunal.",
        "An owner harmed by a removal may not apply to the tribunal.",
    )
    for text, doubted in ((right, False), (wrong, True)):
        last = claims(engine.verify(cited + text, jurisdiction="gb"))[-1]
        assert (last.text, last.verdict, last.is_doubted) == (text, "UNVERIFIED", doubted)
        assert f"{HARBOUR}:3, which is cited before it" in last.reasons[-1]
    # In another paragraph it still speaks of that section; of other things it is no statement about it.
    for text, doubted in ((f"\n\n{wrong}", [True]), ("My quiet colleague Petra from Leeds wrote nine letters.", [])):
        assert [one.is_doubted for one in claims(engine.verify(cited + text, jurisdiction="gb"))][1:] == doubted


@pytest.mark.parametrize(
    ("name", "verdict", "reason"),
    [
        ("Roe v. Wade, ", "SUPPORTED", "EXISTS"),
        ("Wade v. Roe's Executors, ", "SUPPORTED", "EXISTS"),
        ("", "SUPPORTED", "EXISTS"),
        ("Mapp v. Ohio, ", "ALTERED", "CASE_NAME: 410 U.S. 113 is Roe v. Wade, not Mapp v. Ohio"),
    ],
)
def test_a_decision_has_the_name_that_the_text_gives_it(engine: Engine, name: str, verdict: str, reason: str) -> None:
    [item] = [item for item in engine.verify(f"See {name}410 U.S. 113 (1973).").items if item.kind == "reference"]
    assert item.verdict == verdict
    assert item.reasons[0].startswith(reason)


def test_a_section_that_the_law_of_the_text_does_not_have_is_not_found(engine: Engine) -> None:
    text = (
        "Der Halter zahlt (§ 3101 Abs. 1 BGB). Dann läuft eine Frist (§ 3101 Abs. 2). {}Im Vertrag steht mehr (§ 3999)."
    )
    for more, verdict in (("", "AMBIGUOUS"), ("Sie beginnt später (§ 3101 Abs. 1). ", "NOT_FOUND")):
        found = {item.text: item.verdict for item in engine.verify(text.format(more)).items}
        assert (found["§ 3101 Abs. 2"], found["§ 3999"]) == ("SUPPORTED", verdict)


@pytest.mark.parametrize(
    ("right", "wrong", "verdict", "reason"),
    [
        ("(s. 9(1))", "(s. 3(1))", "OUT_OF_SCOPE", 
         f"WRONG_PROVISION: Cited {HARBOUR}:3:1 does not say this; {HARBOUR}:9 does: “A lantern on a pier"),
        # Of the same law, and with the words of what it refers to.
        ("As for the lantern, its paint must be green and its licence number must be on it (s. 9(1)).",
         "By section 3(1), a lantern on a pier, unlike what section 5 says of loss, has to be painted green and to "
         "carry the number of its licence.", "OUT_OF_SCOPE", f"WRONG_PROVISION: Cited {HARBOUR}:3:1 does not say this"),
        ("the harbour master has 30 days to remove the mooring of the kite",
         "the harbour master may, within 45 days of a written complaint, remove the mooring of a kite", "ALTERED",
         "AMOUNT_CHANGED: It says 45 days; the law says 30 days."),
    ],
)  # fmt: skip
def test_a_planted_error_fails_where_it_stands(
    engine: Engine, right: str, wrong: str, verdict: str, reason: str
) -> None:
    text = SOUND.replace(right, wrong)
    assert text != SOUND
    result = engine.verify(text, jurisdiction="gb")
    [one] = [item for item in result.items if item.failed]
    assert wrong in one.text
    assert (one.kind, one.verdict) == ("claim", verdict)
    assert one.reasons[0].startswith(reason)
    assert result.exit_code == 3
    assert result.summary.failed == 1


@pytest.mark.parametrize(
    ("said", "cited", "reason"),
    [
        ("Where a lamp is unique, the court must order specific repair of the lamp", f"section 2(2) of the {LAMPS_ACT}",
         "MODALITY_CHANGED: It says obligation where the law says permission"),
        ("Unicorns grazing purple meadows need permits", f"section 9(1) of the {ACT}",
         f"NOT_SUPPORTED: Nothing in {HARBOUR}:9:1 speaks of this"),
    ],
)  # fmt: skip
def test_what_does_not_decide_is_a_doubt_that_a_judge_is_asked_about_and_supports_nothing(
    engine: Engine, said: str, cited: str, reason: str
) -> None:
    text = f"{said} ({cited})."
    result = engine.verify(text, jurisdiction="gb")
    [one] = claims(result)
    assert (one.is_doubted, one.verdict, one.failed, one.is_open) == (True, "UNVERIFIED", False, False)
    assert (one.reasons[0].partition(":")[0], result.exit_code) == (DOUBT, 3)
    assert one.reasons[1].startswith(reason)
    for answer, verdict in (("contradicted", "ALTERED"), ("supported", "SUPPORTED")):
        judge = Fixed(Judgement(answer, "high"))
        [judged] = claims(engine.using(judge=judge).verify(text, jurisdiction="gb"))
        assert (judged.verdict, len(judge.asked)) == (verdict, 1)


def test_every_row_of_the_ledger_is_evidence_that_a_refuter_or_a_check_of_memos_gives() -> None:
    written = "".join(inspect.getsource(module) for module in (statements, verdicts))
    refuting = {str(refuter.reason) for refuter in REFUTERS if refuter.name != "reference"}
    own = {code for code in CITED if code not in refuting}
    assert refuting <= CITED.keys()
    assert all(f'"{code}' in written or f"{code}:" in written or code == NOT_SUPPORTED for code in own)


@pytest.mark.parametrize(
    ("text", "urns"),
    [
        (f"Section 3(1) of the {ACT} says so. So do s. 3(2) and reg. 3.", ["3:1", "3:2"]),
        (f"Section 3(1) of the {ACT} says so.\n\nSee section 9(2).", ["3:1", "9:2"]),
        (f"{ACT}, s. 3(1) says so. See s. 9(2).", ["3:1", "9:2"]),
        (f"Section 3(1) of the {ACT} says so (same subsection).", ["3:1", "3:1"]),
    ],
)
def test_a_short_reference_is_one_of_the_law_cited_by_the_same_unit(engine: Engine, text: str, urns: list[str]) -> None:
    found = [item for item in engine.verify(text).items if item.kind == "reference"]
    assert [(item.verdict, item.urn) for item in found] == [("SUPPORTED", f"{HARBOUR}:{urn}") for urn in urns]


@pytest.mark.parametrize(
    ("text", "urns"),
    [
        (f"Section 3(1) of the {ACT} is about mooring. Subsection (2) is about removal.", ["3:1", "3:2"]),
        (
            f"Section 3(1) of the {ACT}, unlike section 9(1), is about mooring. Subsection (3) is not.",
            ["3:1", "9:1", "3:3"],
        ),
        (f"Section 3(1) of the {ACT} is about mooring, section 9 of the Act about lanterns.", ["3:1", "9"]),
        (f"Section 3(1) of the {ACT} is about mooring. Subsection (2) of the lease is not.", ["3:1"]),
    ],
)
def test_a_part_named_by_itself_is_one_of_the_provision_that_the_text_is_about(
    engine: Engine, text: str, urns: list[str]
) -> None:
    found = [item.urn for item in engine.verify(text, jurisdiction="gb").items if item.kind == "reference"]
    assert found == [f"{HARBOUR}:{urn}" for urn in urns]


def test_the_definition_of_another_term_is_a_wrong_provision(engine: Engine) -> None:
    cited = f"section 1({{}}) of the {LAMPS_ACT}"
    text = f"Ms. Fox, who watches the pier at night and lights its lamps, is a warden within the meaning of {cited}."
    [wrong] = claims(engine.verify(text.format("a")))
    assert (wrong.verdict, wrong.urn) == ("OUT_OF_SCOPE", f"{LAMPS}:1:b")
    assert wrong.reasons[0].startswith(f"WRONG_PROVISION: Cited {LAMPS}:1:a defines “keeper”")
    [right] = claims(engine.verify(text.format("b")))
    assert not right.failed


def test_a_reference_among_the_words_of_a_sentence_may_be_what_the_law_there_names(engine: Engine) -> None:
    text = (
        f"Section 11(1) of the {ACT} lets the warden sell a kite. The proceeds of a sale go to the keeper after "
        f"payment of the fine imposed on that keeper under section 5(1) of the {ACT}."
    )
    judge = Fixed(Judgement("not_supported", "high"))
    result = engine.using(judge=judge).verify(text, jurisdiction="gb")
    [asked] = [question for question in judge.asked if "proceeds" in question.statement]
    assert f"{HARBOUR}:11:2" in {passage.urn for passage in asked.passages}
    [one] = [item for item in claims(result) if "proceeds" in item.text]
    assert (one.verdict, one.failed) == ("UNVERIFIED", True)
    assert "all that the text cites" in one.reasons[0]
    # Where it is the citation it has to say it.
    apart = text.replace(f" under section 5(1) of the {ACT}.", f", section 5(1) of the {ACT}.")
    found = claims(engine.using(judge=judge).verify(apart, jurisdiction="gb"))
    assert [item.failed for item in found if "proceeds" in item.text] == [True]


def test_what_is_cited_at_the_end_of_a_sentence_has_to_say_it(engine: Engine) -> None:
    said = "A lantern on a pier has to be painted green and to carry the number of its licence: s. 3(1)."
    for beside in ("", f" Section 9(1) of the {ACT}, unlike section 3, is about lanterns."):
        result = engine.verify(f"Section 9(2) of the {ACT} is about liens.{beside} {said}", jurisdiction="gb")
        assert [item.verdict for item in claims(result) if item.text == said] == ["OUT_OF_SCOPE"]


@pytest.mark.parametrize(
    ("words", "jurisdiction", "verdict", "urn"),
    [
        ("article 4(2) of Regulation (EU) No 319/2014", "gb", "SUPPORTED", f"{KEPT}:4:2"),
        ("article 4(2) of Regulation (EU) No 319/2014", "gb|fr", "SUPPORTED", f"{KEPT}:4:2"),
        ("article 4(2) of Regulation (EU) No 319/2014", "gb|eu", "OUTSIDE_CORPUS", "urn:lex:eu:32014r0319:4:2"),
        ("article 4(2) of Regulation (EU) No 319/2014", None, "OUTSIDE_CORPUS", "urn:lex:eu:32014r0319:4:2"),
        ("article 9 of Regulation (EU) No 319/2014", "gb", "NOT_FOUND", f"{KEPT}:9"),
        ("article 4(2) of Regulation (EU) No 320/2014", "gb", "OUTSIDE_CORPUS", "urn:lex:eu:32014r0320:4:2"),
    ],
)
def test_an_act_of_the_union_in_a_british_memo_is_the_one_that_the_united_kingdom_keeps(
    engine: Engine, words: str, jurisdiction: str | None, verdict: str, urn: str
) -> None:
    result = engine.verify(f"By {words} the fee shall be paid.\n", jurisdiction=jurisdiction)
    assert [(item.verdict, item.urn) for item in result.items if item.kind == "reference"] == [(verdict, urn)]


def test_a_reference_that_the_store_does_not_know_is_looked_up_once(engine: Engine) -> None:
    day, text = date(2026, 1, 1), f"Section 3(1) of the {ACT} is old. Section 4 of the Pier Ghosts Act 1850 is older."
    mentions, _ = find_mentions(text, all_jurisdictions())
    assert [mention.urns for mention in mentions] == [(), ()]
    with CountedConnection.connect(engine.database.conninfo) as conn:
        resolve = looked_up_once(conn, stored_jurisdictions(conn), day, None)
        known = named_in_store(mentions, resolve, NO_DEADLINE)
        assert [mention.urns for mention in known] == [(f"{HARBOUR}:3:1",), ()]
        sent: list[list[str]] = []
        named: list[list[Named]] = []
        for looked_up in (None, resolve):
            conn.reset()
            named.append(
                resolve_mentions(conn, known, at_date=day, jurisdiction=None, language=None, resolve=looked_up)
            )
            sent.append(conn.statements)
    assert named[0] == named[1]
    assert [name.verdict for name in named[0]] == ["SUPPORTED", "OUTSIDE_CORPUS"]
    once, after = (Counter(statements) for statements in sent)
    assert after < once


def test_numbers_that_another_part_of_the_section_has_tell_the_wrong_part(engine: Engine) -> None:
    said = "An owner harmed by a removal may appeal to the tribunal within 3 months"
    wrong, right = (claims(engine.verify(f"{said} (section 3({part}) of the {ACT}).")) for part in (1, 3))
    assert [(item.verdict, item.urn) for item in wrong] == [("OUT_OF_SCOPE", f"{HARBOUR}:3:3")]
    assert [item.failed for item in right] == [False]


def test_what_the_same_section_is_said_to_ask_is_held_against_it(engine: Engine) -> None:
    text = (
        f"Section 3(1) of the {ACT} is about mooring.\n\nThe same section gives the harbour master 45 days of a "
        "complaint for removing a mooring."
    )
    [_, one] = claims(engine.verify(text))
    assert (one.verdict, one.reasons[0].partition(":")[0]) == ("ALTERED", "AMOUNT_CHANGED")


def test_a_part_that_the_provision_does_not_have_is_told_and_not_failed(engine: Engine) -> None:
    result = engine.verify(f"Section 3(1) of the {ACT} is about mooring. Subsection (7) is another matter.")
    assert [item.urn for item in result.items if item.kind == "reference"] == [f"{HARBOUR}:3:1"]
    assert [unchecked.reason for unchecked in result.not_checked if unchecked.text == "Subsection (7)"] == [
        f"Read as a part of Section 3(1) of the {ACT}. The store has no such part of it; name the provision in full."
    ]


@pytest.mark.parametrize(
    "quotation",
    ["direct weekly measurement", "would receive it at a higher price", "[a] notice of the weekly measurement"],
)
def test_a_quotation_whose_sentence_goes_on_to_deny_has_not_failed(engine: Engine, quotation: str) -> None:
    text = f'For all of them it is a matter of "{quotation}," section 4 of the {LAMPS_ACT}.\n'
    [quote] = [item for item in engine.verify(text, jurisdiction="gb").items if item.kind == "quote"]
    assert not quote.failed, quote.reasons


@pytest.mark.parametrize(("days", "verdict"), [("thirty", "ALTERED"), ('"[f]ifteen"', "UNVERIFIED")])
def test_an_amount_is_compared_with_the_sentence_that_is_restated(engine: Engine, days: str, verdict: str) -> None:
    text = f"Within {days} days a keeper whose place of business changes must tell the warden of the new place"
    [one] = claims(engine.verify(f"{text}, section 4(2) of the {LAMPS_ACT}."))
    assert (one.verdict, "AMOUNT_CHANGED" in one.reasons[0]) == (verdict, verdict == "ALTERED")


def test_who_a_letter_goes_to_is_not_who_must_do_what_follows(engine: Engine) -> None:
    text = (
        "It goes in writing to the warden and must describe the records with enough detail of names, dates and places."
    )
    [one] = claims(engine.verify(f"{text} Section 4(4) of the {LAMPS_ACT}."))
    assert not one.failed, one.reasons


def test_an_item_rests_on_the_citation_in_its_own_paragraph(engine: Engine) -> None:
    said = "a lantern on a pier has to be painted green and to carry the number of its licence"
    text = f"He asked about lanterns. Quick answers:\n\n- Unless agreed otherwise, {said}. Section 3(1) of the {ACT}.\n"
    assert [(said in item.text, item.verdict) for item in claims(engine.verify(text))] == [(True, "OUT_OF_SCOPE")]


def test_a_citation_with_a_colon_opens_what_follows(engine: Engine) -> None:
    text = "Ein Lieferant hat ihr den Rahmenvertrag gekündigt und zugleich Kaufpreisklage angedroht."
    table = "| Frage | Antwort |\n|---|---|\n| Verkauf? | nur mit anderem Drachen am Steg |\n"
    result = engine.verify(f"{text} Zu § 3102 BGB:\n\n{table}", jurisdiction="de")
    assert [item for item in claims(result) if item.text == text] == []


def test_a_whole_part_that_is_cited_with_a_section_may_say_what_that_does_not(engine: Engine) -> None:
    said = "The quarterly fee for polishing a brass lantern with copper hinges is due to the polisher at midsummer"
    alone = f"{said}, section 2(1) of the {LAMPS_ACT}."
    beside = f"{said}, {LAMPS}:sch.1, section 2(1) of the {LAMPS_ACT}."
    assert [[item.verdict for item in claims(engine.verify(text))] for text in (alone, beside)] == [
        ["OUT_OF_SCOPE"],
        ["UNVERIFIED"],
    ]


def test_a_reference_that_ends_the_words_of_a_sentence_is_not_its_citation(engine: Engine) -> None:
    text = (
        "A keeper who loses a kite that is not moored owes up to 500 shillings for each kite lost, as does one whose "
        f"mooring the harbour master removed under section 3(2) of the {ACT}. Section 5(1) of the {ACT}.\n"
    )
    claims = [item for item in engine.verify(text, jurisdiction="gb").items if item.kind == "claim"]
    assert [(item.verdict, item.failed) for item in claims] == [("UNVERIFIED", False)]
    (wrong,) = [item for item in engine.verify(text.replace("500", "700"), jurisdiction="gb").items if item.is_doubted]
    assert wrong.reasons[1].startswith("NUMBER_CHANGED: It says 700")


def test_a_title_that_names_a_provision_states_nothing(engine: Engine) -> None:
    title = f"Keywords for the constitutional objection of the hotel “Hofgarten” to its search (section 9 of the {ACT})"
    found = engine.verify(f"{title}\nAuthor: A. Trainee\n\nSection 9 of the {ACT} is short.\n", jurisdiction="gb")
    assert not [item for item in found.items if item.failed]
    assert found.not_checked[0].text.startswith(title)


@pytest.mark.parametrize(
    "text", ["{}.\n", "{}", "- {}\n- Nothing else", "| {} | x |\n\nSo much for that.", "1. {}\n2. x"]
)
def test_what_is_no_title_has_to_be_spoken_of_whether_it_ends_with_a_full_stop_or_not(
    engine: Engine, text: str
) -> None:
    said = f"The hotel Hofgarten must let trainees object to a constitutional search (section 9 of the {ACT})"
    result = engine.verify(text.format(said), jurisdiction="gb")
    assert [item.kind for item in result.items if item.is_doubted] == ["claim"]
    assert result.exit_code == 3


def test_a_citation_of_a_comment_is_no_statement(engine: Engine) -> None:
    text = f"A lantern shall be painted green. Section 9(1) of the {ACT}. Id., cmt.\n"
    assert not [
        item for item in engine.verify(text, jurisdiction="gb").items if item.reasons[0].startswith("TOO_SHORT")
    ]


def test_the_words_that_an_item_continues_are_its_own(engine: Engine) -> None:
    text = f"By section 5(2)(a) of the {ACT} the period is “14 days beginning with the day” of the loss.\n"
    quotes = [item for item in engine.verify(text, jurisdiction="gb").items if item.kind == "quote"]
    assert [item.verdict for item in quotes] != ["MISQUOTED"]
    assert [item.urn for item in quotes] == [f"{HARBOUR}:5:2"]


def test_words_of_a_section_cited_before_are_not_misquoted_by_a_reference_that_may_mean_it(engine: Engine) -> None:
    text = (
        f"Under section 3(2) of the {ACT} the mooring goes. An owner harmed by it is heard by the tribunal, section "
        "9(1) of the Act notwithstanding. He has the right that he “may appeal to the tribunal within 3 months”. {}"
    )
    for again, verdict in (("Id.", "AMBIGUOUS"), (f"Section 9(1) of the {ACT}.", "UNVERIFIED")):
        result = engine.verify(text.format(again), jurisdiction="gb")
        [quote] = [item for item in result.items if item.kind == "quote"]
        assert (quote.verdict, quote.is_doubted) == (verdict, verdict == "UNVERIFIED")


def test_a_quotation_beside_a_section_that_it_excepts_is_of_the_section_before_it(engine: Engine) -> None:
    text = (
        f"The owner may appeal, section 3(3) of the {ACT}. Save as section 9(2) of the {ACT} provides otherwise, he "
        "is heard where “harmed by a removal may appeal”."
    )
    for whole, verdict in ((text, "AMBIGUOUS"), (text.replace(". Save", ".\n\nSave"), "UNVERIFIED")):
        [quote] = [item for item in engine.verify(whole, jurisdiction="gb").items if item.kind == "quote"]
        assert quote.verdict == verdict
    # Another section has every figure; that one was cited before excuses no wrong one.
    figure = (
        f"The mooring goes within 30 days, section 3(2) of the {ACT}. Under section 3(3) of the {ACT} an owner appeals "
        "“within 30 days of a written complaint”."
    )
    quotes = [item for item in engine.verify(figure, jurisdiction="gb").items if item.kind == "quote"]
    assert [quote.failed or quote.is_doubted for quote in quotes] == [True]


def test_several_provisions_of_a_law_that_only_the_store_knows_by_its_name_are_read_and_leaned_on(
    engine: Engine,
) -> None:
    text = (
        f"Kites are moored and may be freed ({ACT}, s 3(1) and (2)). The owner may appeal (s 3(3)). Lanterns and sales "
        f"are dealt with in sections 9 and 11 of the {ACT}."
    )
    found = [item.urn for item in engine.verify(text, jurisdiction="gb").items if item.kind == "reference"]
    assert found == [f"{HARBOUR}:{place}" for place in ("3:1", "3:2", "3:3", "9", "11")]


def test_a_number_of_the_next_paragraph_belongs_to_no_reference(engine: Engine) -> None:
    text = (
        "1. Le gardien remet un registre (article 3101, al. 1er, du code civil). L'expert est désigné : al. "
        "2 du même article.\n\n3102. Le reste suit."
    )
    found = [item.urn for item in engine.verify(text, jurisdiction="fr").items if item.kind == "reference"]
    assert found == [f"{CIVIL}:3101:al.1", f"{CIVIL}:3101:al.2"]


def test_a_section_cited_for_another_statement_may_be_the_one_that_says_it(engine: Engine) -> None:
    other = f"An owner may appeal to the tribunal within 3 months (section 3(3) of the {ACT})."
    mixed = (
        "After a complaint the harbour master may remove the mooring, and the keeper has to pay a fine (section "
        f"11(1) of the {ACT})."
    )
    [alone] = claims(engine.verify(mixed, jurisdiction="gb"))
    [_, beside] = claims(engine.verify(f"{other} {mixed}", jurisdiction="gb"))
    assert (alone.verdict, beside.verdict) == ("UNVERIFIED", "OUT_OF_SCOPE")
    assert beside.reasons[0].startswith(f"WRONG_PROVISION: Cited {HARBOUR}:11:1 does not say this; {HARBOUR}:3 does")


@pytest.mark.parametrize(
    ("quotation", "verdict"),
    [
        ("remove the mooring of a kite", "SUPPORTED"),
        ("within 30 days of a written complaint, remove the mooring of a lantern", "MISQUOTED"),
        ("the tenant pays for all water used on the premises", None),  # of the lease, say
    ],
)
def test_a_quotation_without_a_reference_is_looked_for_in_what_was_cited_before(
    engine: Engine, quotation: str, verdict: str | None
) -> None:
    text = f"Removal is dealt with in section 3(2) of the {ACT}.\n\nThe words are “{quotation}” and no more.\n"
    quotes = [item.verdict for item in engine.verify(text, jurisdiction="gb").items if item.kind == "quote"]
    assert quotes == ([verdict] if verdict else [])


def test_parts_in_brackets_are_those_of_the_article_cited_last(engine: Engine) -> None:
    text = (
        "Le gardien remet au juge un registre des cerfs-volants (article 3101, alinéa 1er, du code civil). En cas de "
        "retard, le juge désigne un expert « aux frais du gardien » (alinéa 2). L'article 3101, alinéa 2, le dit."
    )
    result = engine.verify(text, jurisdiction="fr")
    urns = [item.urn for item in result.items if item.kind == "reference"]
    assert urns == [f"{CIVIL}:3101:al.1", f"{CIVIL}:3101:al.2", f"{CIVIL}:3101:al.2"]
    assert [item.verdict for item in result.items if item.kind == "quote"] == ["SUPPORTED"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Ansprüche wegen Beschädigung eines Drachens verjähren in zwölf Monaten (§ 3101 Abs. 1 BGB).",
         "NUMBER_CHANGED"),
        (f"A buyer of a lantern is never affected by a lien that the seller had (section 9(2) of the {ACT}).",
         "EXCEPTION_CHANGED"),
        # The same act in another voice.
        (f"Where a lamp is unique, the court must order specific repair of the lamp (section 2(2) of the {LAMPS_ACT}).",
         "MODALITY_CHANGED"),
    ],
)  # fmt: skip
def test_what_the_law_may_contradict_is_doubted(engine: Engine, text: str, reason: str) -> None:
    [one] = claims(engine.verify(text))
    assert (one.is_doubted, one.reasons[1].partition(":")[0]) == (True, reason)


@pytest.mark.parametrize(
    "text",
    [
        "Die Frist beginnt mit der Rückgabe des Drachens, hier also am 14. Februar (§ 3101 Abs. 2 BGB).",
        "Am 14. Februar hat der Halter den Drachen zurückerhalten; mit der Rückgabe begann die Frist (§ 3101 Abs. 2 "
        "BGB).",
        "Auch für andere Schäden kann man „eine angemessene Zahlung“ verlangen (§ 3101 Abs. 2 BGB).",
        # The words before a list need not be told with each item; `may only if` is `shall only if`.
        f"A warden is a person who watches a pier at night and lights its lamps (section 1(b) of the {LAMPS_ACT}).",
        f"A delivery of oil to a lamp may take place only if the warden has weighed the oil (section 2(3) of the "
        f"{LAMPS_ACT}).",
        # What happened is told at the end of a sentence of law, and a condition before it.
        f"A keeper must moor each kite to the eastern quay before sunset, section 3(1) of the {ACT}, and no one did.",
        f"The keeper lost a kite, and knew that it was not moored.\n\nHe is liable to a fine of not more than 500 "
        f"shillings for each kite lost (section 5(1) of the {ACT}).",
        "Zu Herrn Pohl: Verkaufen kann er den Drachen nur so, dass der Halter am Steg einen anderen Drachen mieten "
        "kann (§ 3102 BGB).",
        "Spätestens mit der Rückforderung soll die Werft ein Gespräch über die Möglichkeiten einer gütlichen "
        "Regelung anbieten (§ 3103 BGB).",
        # What never happened is told of the facts.
        f"The reason for the repair needn't stand in the complaint and may be shown to the warden, section 3 of the "
        f"{LAMPS_ACT}, which helps because Fox's own letter never mentions oil.",
        # A contract is quoted, and a term of the author's.
        f"A keeper shall moor each kite to the eastern quay before sunset, section 3(1) of the {ACT}. The contract "
        "asks that the kite “lie fast when the evening bell rings”.",
        f"The “barring of moorings” argument fails: the harbour master may, within 30 days of a written complaint, "
        f"remove the mooring of a kite, section 3(2) of the {ACT}.",
        f"Section 3(2) of the {ACT} is about removal. He never saw the quay, the tribunal, a complaint or the sunset.",
    ],
)
def test_facts_and_negations_of_other_clauses_contradict_nothing(engine: Engine, text: str) -> None:
    assert [item for item in engine.verify(text).items if item.failed] == []


class Fixed:
    """A judge that gives one answer to every question, and keeps what it was asked."""

    name = "fixed"

    def __init__(self, answer: Judgement | Exception | None, *, short: bool = False) -> None:
        self.answer, self.short = answer, short
        self.asked: list[Question] = []
        self.seconds: list[float] = []

    def judge(self, questions: Sequence[Question], *, seconds: float) -> list[Judgement | None]:
        self.asked += questions
        self.seconds.append(seconds)
        if isinstance(self.answer, Exception):
            raise self.answer
        return [self.answer] * (len(questions) - self.short)


@pytest.mark.parametrize(
    ("answer", "verdict", "failed", "reason"),
    [
        (Judgement("supported", "high"), "SUPPORTED", False, "EXPLAINED"),
        (Judgement("supported", "low"), "UNVERIFIED", False, "JUDGE_UNSURE"),
        (Judgement("not_supported", "high"), "UNVERIFIED", True, "NOT_ENTAILED"),
        (Judgement("contradicted", "high"), "ALTERED", True, "NOT_ENTAILED"),
        (Judgement("contradicted", "low"), "UNVERIFIED", False, "JUDGE_UNSURE"),
        (None, "UNVERIFIED", False, "NOT_JUDGED"),
        (ProviderTimeout("fixed", "no answer"), "UNVERIFIED", False, "NOT_JUDGED"),
    ],
)
def test_a_judge_decides_what_code_leaves_open(
    engine: Engine, answer: Judgement | Exception | None, verdict: str, failed: bool, reason: str
) -> None:
    judge = Fixed(answer)
    result = engine.using(judge=judge).verify(SOUND, jurisdiction="gb")
    found = claims(result)
    assert len(judge.asked) == len(found) == 4
    assert {(claim.verdict, claim.failed, claim.reasons[0].partition(":")[0]) for claim in found} == {
        (verdict, failed, reason)
    }
    assert result.exit_code == (3 if failed else 0)
    [about] = [question for question in judge.asked if "tribunal" in question.statement]
    assert not any(question.statement[:1].isdigit() for question in judge.asked)
    assert any("section" in question.statement for question in judge.asked)  # with what it cites
    assert any("harmed by a removal" in passage.text for passage in about.passages)
    assert all(0 < second <= engine.settings.request_seconds for second in judge.seconds)


BARE = (
    f"{ACT} s. 3(1): “A keeper shall moor each kite to the eastern quay before sunset.”\n\nThat is a duty of the "
    "keeper, so a kite that flies at sunset breaches it, even where the quay is closed.\n"
)


@pytest.mark.parametrize(
    ("entailment", "beside", "verdict", "failed"),
    [
        ("contradicted", "", "ALTERED", True),
        ("supported", "", "SUPPORTED", False),
        ("not_supported", "", "UNVERIFIED", True),
        ("not_supported", "Seen: 26 U.S.C. § 9011.\n\n", "UNVERIFIED", False),
        ("not_supported", f"Seen: the {LAMPS_ACT}, Schedule 1.\n\n", "UNVERIFIED", False),
        ("not_supported", "Seen: § 12a of it.\n\n", "UNVERIFIED", False),
    ],
)
def test_a_statement_without_a_reference_fails_by_a_no_beside_all_law_that_the_text_cites(
    engine: Engine, entailment: Entailment, beside: str, verdict: str, failed: bool
) -> None:
    judge = Fixed(Judgement(entailment, "high"))
    result = engine.using(judge=judge).verify(f"{beside}{BARE}", jurisdiction="gb|us")
    found = [item for item in claims(result) if item.text.startswith("That is a duty")]
    assert [(item.verdict, item.failed) for item in found] == [(verdict, failed)]


def test_a_no_is_asked_again_with_all_that_the_text_cites(engine: Engine) -> None:
    judge = Fixed(Judgement("not_supported", "high"))
    text = f"A warden may sell a kite that was removed ({ACT}, s. 11(1)).\n\n{BARE}"
    result = engine.using(judge=judge).verify(text, jurisdiction="gb")
    first, second = [question for question in judge.asked if question.statement.startswith("That is a duty")]
    urns = [{passage.urn for passage in question.passages} for question in (first, second)]
    assert f"{HARBOUR}:11:1" not in urns[0]
    assert {f"{HARBOUR}:3:1", f"{HARBOUR}:11:1"} <= urns[1]
    assert "all that the text cites" in claims(result)[-1].reasons[0]


@pytest.mark.parametrize(
    ("entailment", "failed"), [("not_supported", True), ("contradicted", True), ("supported", False)]
)
def test_a_duty_that_nothing_cited_speaks_of_is_told_where_a_judge_does_not_find_it_or_denies_it(
    engine: Engine, entailment: Entailment, failed: bool
) -> None:
    told = "The applicant must also lodge a noise survey by an independent consultant."
    text = f"A keeper moors each kite to the eastern quay before sunset ({ACT}, s. 3(1)). {told} We rang the office.\n"
    result = engine.using(judge=Fixed(Judgement(entailment, "high"))).verify(text, jurisdiction="gb")
    assert [item.failed for item in claims(result) if item.text == told] == [True] * failed
    assert [part.text for part in result.not_checked] == [*[told] * (not failed), "We rang the office."]


def test_what_a_part_named_by_itself_does_not_say_fails_by_a_judge(engine: Engine) -> None:
    judge = Fixed(Judgement("not_supported", "high"))
    text = (
        f"Each kite is moored to the eastern quay before sunset ({ACT}, s. 3(1)). Under subsection (3), an owner who "
        "is harmed by a removal may appeal to the tribunal, which hears the harbour master.\n"
    )
    found = claims(engine.using(judge=judge).verify(text, jurisdiction="gb"))[-1]
    assert (found.verdict, found.failed) == ("UNVERIFIED", True)
    assert "names only a part" in found.reasons[-1]


class ByWhatIsCited(Fixed):
    """A judge that supports everything, and gives one answer to whether what is cited says it."""

    def judge(self, questions: Sequence[Question], *, seconds: float) -> list[Judgement | None]:
        fixed = super().judge(questions, seconds=seconds)
        return [
            answer if " provides: " in question.statement else Judgement("supported", "high")
            for question, answer in zip(questions, fixed, strict=True)
        ]


@pytest.mark.parametrize(
    ("answer", "verdict", "code"),
    [
        (Judgement("not_supported", "high"), "OUT_OF_SCOPE", "NOT_ENTAILED"),
        (Judgement("contradicted", "high"), "OUT_OF_SCOPE", "NOT_ENTAILED"),
        (Judgement("not_supported", "low"), "UNVERIFIED", "JUDGE_UNSURE"),
        (None, "UNVERIFIED", "NOT_JUDGED"),
        (Judgement("supported", "high"), "SUPPORTED", "EXPLAINED"),
    ],
)
def test_what_follows_only_from_law_cited_for_something_else_is_no_statement_of_the_law_cited_for_it(
    engine: Engine, answer: Judgement | None, verdict: str, code: str
) -> None:
    text = (
        f"A keeper moors each kite to the eastern quay before sunset ({ACT}, s. 3(1)). An appeal to the tribunal keeps "
        f"the warden from a sale of the kite that was removed. {ACT}, s. 11(1).\n"
    )
    judge = ByWhatIsCited(answer)
    found = claims(engine.using(judge=judge).verify(text, jurisdiction="gb"))[-1]
    first, second = [question for question in judge.asked if "appeal" in question.statement]
    assert second.statement == f"{HARBOUR}:11:1 provides: {first.statement}"
    assert second.passages == first.passages
    assert (found.verdict, found.reasons[0].partition(":")[0]) == (verdict, code)
    assert (f"{HARBOUR}:3 says this" in found.reasons[0], found.urn == f"{HARBOUR}:3") == (
        verdict == "OUT_OF_SCOPE",
    ) * 2


def test_a_judge_is_not_asked_whether_law_that_is_only_excepted_says_it(engine: Engine) -> None:
    said = "an appeal to the tribunal keeps the warden from a sale of the kite that was removed"
    before = f"A keeper moors each kite to the eastern quay before sunset ({ACT}, s. 3(1))."
    text = f"{before} Subject to {ACT}, s. 11(1), {said}.\n"
    judge = ByWhatIsCited(Judgement("not_supported", "high"))
    found = claims(engine.using(judge=judge).verify(text, jurisdiction="gb"))[-1]
    assert [question.statement for question in judge.asked if said in question.statement] == [found.text]
    assert f"{HARBOUR}:3:3" in {passage.urn for passage in judge.asked[-1].passages}
    assert found.verdict == "SUPPORTED"


def test_a_judge_that_answers_too_little_answers_nothing(engine: Engine) -> None:
    judge = Fixed(Judgement("supported", "high"), short=True)
    result = CiteCheck(engine.database, engine.settings).verify(SOUND, jurisdiction="gb", judge=judge)
    assert {claim.verdict for claim in claims(result)} == {"UNVERIFIED"}


def test_a_judge_is_not_asked_about_what_is_decided(engine: Engine) -> None:
    judge = Fixed(Judgement("supported", "high"))
    text = SOUND.replace("(s. 9(1))", "(s. 3(1))")
    result = CiteCheck(engine.database, engine.settings, judge).verify(text, jurisdiction="gb")
    assert len(judge.asked) == 3
    assert result.exit_code == 3


class Slow(Fixed):
    """A judge that takes all the time there is."""

    clock = 0.0

    def judge(self, questions: Sequence[Question], *, seconds: float) -> list[Judgement | None]:
        self.clock += seconds
        return super().judge(questions, seconds=seconds)


def test_a_judge_is_not_asked_once_no_time_is_left(engine: Engine) -> None:
    judge = Slow(Judgement("supported", "high"))
    apart = "We rang the office. " * 80  # so that no two copies are the same question
    text = apart.join(SOUND.replace("the quay", quay) for quay in ("Red Quay", "Old Quay", "New Quay", "Low Quay"))
    result = verify_text(engine, text, judge=judge, deadline=Deadline(60.0, lambda: judge.clock))
    found = claims(result)
    assert len(found) == 16
    assert len(judge.asked) == 12
    assert [claim.verdict for claim in found] == ["SUPPORTED"] * 12 + ["UNVERIFIED"] * 4
    assert all(claim.reasons[0].startswith("NOT_JUDGED") for claim in found[12:])


def write_set(folder: Path, memos: Sequence[tuple[str, str, dict[str, str] | None]]) -> Path:
    write_laws(folder / "law")
    lines = [json.dumps({"id": name, "jurisdiction": "gb", "planted": planted}) for name, _, planted in memos]
    (folder / "key.jsonl").write_text("\n".join(lines), encoding="utf-8")
    for name, text, _ in memos:
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder


def test_the_suite_counts_sound_memos_and_planted_errors(tmp_path: Path) -> None:
    wrong = "3. As for the lantern, its paint must be green and its licence number must be on it (s. 3(1))."
    kept = "2. Once somebody complains in writing"
    lantern = "3. As for the lantern, its paint must be green and its licence number must be on it (s. 9(1))."
    invented = {"operator": "invented", "sentence": "3. Unicorns grazing purple meadows need permits (s. 9(1))."}
    folder = write_set(
        tmp_path,
        [
            ("a", SOUND, None),
            ("b", SOUND.replace("(s. 9(1))", "(s. 3(1))"), None),
            ("c", SOUND.replace("(s. 9(1))", "(s. 3(1))"), {"operator": "wrong_section", "sentence": wrong}),
            ("d", SOUND, {"operator": "party", "sentence": kept}),
            ("e", SOUND.replace(lantern, "3. Unicorns grazing purple meadows need permits (s. 9(1))."), invented),
        ],
    )
    report = measure(folder)
    assert {row.metric: (row.value, row.n) for row in report.rows} == {
        "sound_failed": (0.5, 2), "planted_found": (1 / 3, 3), "planted_found_or_for_a_judge": (1.0, 3),
        "planted_failed_elsewhere_too": (0.0, 3), "found wrong_section": (1.0, 1), "found party": (0.0, 1),
        "found invented": (0.0, 1), "right NOT_SUPPORTED": (1.0, 1), "right WRONG_PROVISION": (0.5, 2),
    }  # fmt: skip
    assert len(report.misses) == 3
    (folder / "d.txt").write_text("Another text.", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="does not stand in it"):
        measure(folder)
