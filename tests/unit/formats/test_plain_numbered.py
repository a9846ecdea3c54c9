"""Plain documents that number their provisions, read as trees; and those whose numbers tell no structure, as chunks."""

from __future__ import annotations

import re
import tempfile
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ingest.annotation import annotate
from rag.ingest.formats.plain.html import PlainMarkdown
from rag.ingest.formats.plain.numbering import heaviest_run, ordered
from rag.ingest.formats.plain.source import Place, PlainSource
from rag.ingest.formats.plain.text import PlainText
from rag.ingest.formats.xml import MAX_NESTING
from rag.jurisdictions.by_language import annotating
from rag.jurisdictions.registry import jurisdiction_for
from rag.law.nodes import ParsedDocument


def parse(folder: Path, name: str, text: str, language: str = "en") -> ParsedDocument:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    reader = PlainMarkdown() if name.endswith(".md") else PlainText()
    return reader.parse(PlainSource(path, folder, place=Place("us-dc", language)))


def tree(document: ParsedDocument) -> list[tuple[str, str, str, str]]:
    """Place, level, heading and words of every node below the root."""
    root = f"{document.urn}:"
    return [(node.urn.removeprefix(root), node.level, node.heading, node.text) for node in document.nodes[1:]]


def test_parts_that_each_open_another_end_at_the_limit_of_nesting(tmp_path: Path) -> None:
    words = (f"{first}{second}{third}ar" for first in "ABCDEFGHIJ" for second in "aeiou" for third in "bdfglmnprst")
    parts = "\n\n".join(f"{word.capitalize()} 7" for word in words)
    document = parse(tmp_path, "deep.txt", f"1. Cats.\n\n{parts}\n\n2. Dogs are kept.\n\n3. Birds are kept.\n")
    text = " ".join(node.text for node in document.nodes)
    assert "Birds are kept." in text
    assert max(node.urn.count(":") for node in document.nodes) < 4 + 3 * MAX_NESTING


POLICY = """# Fleet Use Policy

## 1. Definitions

1.1 In this policy, "vehicle" means a van.

## 2. Use

2.1 A vehicle must be returned within 24 hours:

(a) a car, clean;
(b) a van, empty.

2.2 Clause 2.1 does not apply to branches.

## 3. Term

It runs for a year.
"""
BYLAWS = """BYLAWS OF THE ROWING CLUB

ARTICLE I
NAME

Section 1.1 Name. The name is Rowing Club.

ARTICLE II
MEMBERS

Section 2.1 Expulsion. The board may expel a member who
(i) damages a boat, or
(ii) owes dues, except under Section 2.2.

Section 2.2 Dues. Dues are $120.
"""
ACT = """# Harbour Noise Act 2021

An Act to limit noise.

## Part 1 Preliminary

### 1 Interpretation

(1) In this Act "harbour" means a place for ships.

### 2 Application

This Act binds the Crown.

## Part 2 Noise

### 3 Offence

(1) A person must not make noise.
(2) Subsection (1) does not apply to a master.

## Schedule 1 Fees

1. Permit: $50.
2. Renewal: $20.
"""
SATZUNG = """Satzung des Vereins Radfreunde

§ 1 Name, Sitz

(1) Der Verein heißt Radfreunde.
(2) Er hat seinen Sitz in Köln.

§ 2 Beitrag

Der Beitrag beträgt 20 Euro:
1. für Kinder 5 Euro,
2. für Gäste 30 Euro.
"""
RULES_JA = """図書室利用規則

第一章　総則

（目的）
第一条　この規則は、利用について定める。

（定義）
第二条　この規則において「利用者」とは、社員をいう。
２　「図書」とは、本をいう。
"""
LEASE = """LEASE OF A FLAT

1. Deposit

1.1 The Landlord shall return the deposit within 30 days after the
Tenant has left the flat, unless

(a) rent is unpaid, or
(b) the flat is damaged.

1.2 The Tenant shall
(a) pay the rent;
(b) keep the flat clean.

2. Repairs
The tenant pays for
light bulbs.

3. Pets

3.1 Dogs and Cats
(a) need consent.
"""
HOUSE = """# House rules

**Rule 1: Quiet hours.** Quiet hours are from 10 pm to 7 am.

**Rule 2: Pets.** Residents may keep two cats.
"""


@pytest.mark.parametrize(
    ("name", "text", "language", "title", "expected"),
    [
        ("fleet.md", POLICY, "en", "Fleet Use Policy", [
            ("1", "section", "Definitions", ""),
            ("1.1", "clause", "", 'In this policy, "vehicle" means a van.'),
            ("2", "section", "Use", ""),
            ("2.1", "clause", "", "A vehicle must be returned within 24 hours:"),
            ("2.1:a", "subsection", "", "a car, clean;"),
            ("2.1:b", "subsection", "", "a van, empty."),
            ("2.2", "clause", "", "Clause 2.1 does not apply to branches."),
            ("3", "section", "Term", "It runs for a year."),
        ]),
        ("bylaws.txt", BYLAWS, "en", "BYLAWS OF THE ROWING CLUB", [
            ("article_i", "article", "NAME", ""),
            ("1.1", "section", "Name", "The name is Rowing Club."),
            ("article_ii", "article", "MEMBERS", ""),
            ("2.1", "section", "Expulsion", "The board may expel a member who"),
            ("2.1:i", "subsection", "", "damages a boat, or"),
            ("2.1:ii", "subsection", "", "owes dues, except under Section 2.2."),
            ("2.2", "section", "Dues", "Dues are $120."),
        ]),
        ("act.md", ACT, "en", "Harbour Noise Act 2021", [
            ("part_1", "part", "Preliminary", ""),
            ("1", "section", "Interpretation", ""),
            ("1:1", "subsection", "", 'In this Act "harbour" means a place for ships.'),
            ("2", "section", "Application", "This Act binds the Crown."),
            ("part_2", "part", "Noise", ""),
            ("3", "section", "Offence", ""),
            ("3:1", "subsection", "", "A person must not make noise."),
            ("3:2", "subsection", "", "Subsection (1) does not apply to a master."),
            ("sch.1", "schedule", "Fees", ""),
            ("sch.1:1", "subsection", "", "Permit: $50."),
            ("sch.1:2", "subsection", "", "Renewal: $20."),
        ]),
        ("satzung.txt", SATZUNG, "de", "Satzung des Vereins Radfreunde", [
            ("1", "paragraph", "Name, Sitz", ""),
            ("1:1", "absatz", "", "Der Verein heißt Radfreunde."),
            ("1:2", "absatz", "", "Er hat seinen Sitz in Köln."),
            ("2", "paragraph", "Beitrag", "Der Beitrag beträgt 20 Euro:"),
            ("2:nr.1", "nr", "", "für Kinder 5 Euro,"),
            ("2:nr.2", "nr", "", "für Gäste 30 Euro."),
        ]),
        ("kisoku.txt", RULES_JA, "ja", "図書室利用規則", [
            ("chapter_1", "chapter", "総則", ""),
            ("1", "article", "目的", ""),
            ("1:1", "paragraph", "", "この規則は、利用について定める。"),
            ("2", "article", "定義", ""),
            ("2:1", "paragraph", "", "この規則において「利用者」とは、社員をいう。"),
            ("2:2", "paragraph", "", "「図書」とは、本をいう。"),
        ]),
        ("lease.txt", LEASE, "en", "LEASE OF A FLAT", [
            ("1", "section", "Deposit", ""),
            ("1.1", "clause", "", "The Landlord shall return the deposit within 30 days after the\n"
                "Tenant has left the flat, unless"),
            ("1.1:a", "subsection", "", "rent is unpaid, or"),
            ("1.1:b", "subsection", "", "the flat is damaged."),
            ("1.2", "clause", "", "The Tenant shall"),
            ("1.2:a", "subsection", "", "pay the rent;"),
            ("1.2:b", "subsection", "", "keep the flat clean."),
            ("2", "section", "Repairs", "The tenant pays for\nlight bulbs."),
            ("3", "section", "Pets", ""),
            ("3.1", "clause", "Dogs and Cats", ""),
            ("3.1:a", "subsection", "", "need consent."),
        ]),
        ("hoa.md", HOUSE, "en", "House rules", [
            ("1", "rule", "Quiet hours", "Quiet hours are from 10 pm to 7 am."),
            ("2", "rule", "Pets", "Residents may keep two cats."),
        ]),
    ],
)  # fmt: skip
def test_numbers_tell_the_tree(
    name: str, text: str, language: str, title: str, expected: list[tuple[str, str, str, str]], tmp_path: Path
) -> None:
    document = parse(tmp_path, name, text, language)
    assert document.nodes[0].heading == title
    assert tree(document) == expected


@pytest.mark.parametrize(
    "text",
    [
        "# How we bill\n\nThere are two steps:\n\n1. Check the hours.\n2. Send the invoice.\n\n"
        + "We thank them. " * 20,
        "Rent is due on the first day of each month. Section 5 applies to late rent.",
        "# Minutes\n\nOn 3 May we met.\n\n## Roof\n\nIt leaks.\n\n## Garden\n\nIt is green.",
        "# Two rules of one number\n\n## Rule 1\n\nNo dogs.\n\n## Rule 1\n\nNo cats.",
    ],
)
def test_other_documents_are_cut_by_length(text: str, tmp_path: Path) -> None:
    document = parse(tmp_path, "note.md", text)
    assert {node.level for node in document.nodes[1:]} == {"chunk"}
    assert document.nodes[0].kind == "record"


TOLLS = """TOLL BRIDGES ACT 1987

PART I
PRELIMINARY

1. Interpretation
(1) In this Act "bridge" means a bridge with a toll.

2. Application
This Act does not apply to ferries.

PART II
TOLLS

3. Tolls
(1) The toll is 40 pence.
(2) This section does not apply to a cyclist.

PART III
PENALTIES

4. Penalty
A driver who does not pay under section 3(1) pays 20 pounds.
"""
OLD_ACT = """PUBLIC PUMPS ACT

PART I.
PRELIMINARY.

1.—(1) This Act applies to pumps.
(2) It binds the council.

PART II.
CHARGES.

2.—(1) The charge is 2 pence.
(2) This section does not apply to schools.
"""
ONE_LINE = """ORCHARDS BYELAWS
CHAPTER 1 General
1. These byelaws apply to orchards.
2. A tree may not be felled.
CHAPTER 2 Fees and fines
3. The fee is 4 pounds.
CHAPTER 3 Part of the season
4. Section 3 does not apply in May.
"""
NESTED = """SLIPWAYS ACT

Part One - General

Chapter 1

Scope

1. Scope
This Act applies to slipways.

Part Two - Fees

Chapter 1

Tariff

2. Tariff
The fee is 3 pounds.

3. Waiver
Section 2 does not apply to rowing boats.
"""
AGAIN = """PETS CODE

DIVISION A
DOGS

1. Leash
A dog is on a leash.

2. Fee
The fee is $5.

DIVISION B
CATS

1. Number
Two cats are allowed.

2. Fee
The fee is $3.
"""
ORDNUNG = """Saalordnung

Erster Teil
Allgemeines

1. Geltung
(1) Diese Ordnung gilt für Säle.

Zweiter Teil
Entgelt

2. Entgelt
(1) Das Entgelt beträgt 5 Euro.
(2) Absatz 1 gilt nicht für Vereine.

Drittes Hauptstück
Schluss

3. Ende
Die Ordnung gilt bis 2030.
"""
REGLEMENT = """RÈGLEMENT DU PORT

Titre préliminaire

1. Le port est public.

Titre Ier
Accès

2. L'accès est libre.

Chapitre II : Horaires

3. Le port ferme à minuit.

Titre II
Redevances

4. La redevance est de 3 euros.
"""
KISOKU = """置場規則

第一章　総則

１　この規則は、置場について定める。
２　置場は、無料とする。

第二章　罰則

３　前項に反する者は、退場とする。
"""


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (TOLLS, "en", "part_i PRELIMINARY|1 Interpretation|1:1|2 Application|part_ii TOLLS|3 Tolls|3:1|3:2"
            "|part_iii PENALTIES|4 Penalty"),
        (OLD_ACT, "en", "part_i PRELIMINARY|1|1:1|1:2|part_ii CHARGES|2|2:1|2:2"),
        (ONE_LINE, "en", "chapter_1 General|1|2|chapter_2 Fees and fines|3|chapter_3 Part of the season|4"),
        (NESTED, "en", "part_1 General|part_1:chapter_1 Scope|1 Scope|part_2 Fees|part_2:chapter_1 Tariff|2 Tariff"
            "|3 Waiver"),
        (AGAIN, "en", "division_a DOGS|division_a:1 Leash|division_a:2 Fee|division_b CATS|division_b:1 Number"
            "|division_b:2 Fee"),
        (ORDNUNG, "de", "teil_1 Allgemeines|1 Geltung|1:1|teil_2 Entgelt|2 Entgelt|2:1|2:2|hauptstueck_3 Schluss"
            "|3 Ende"),
        (REGLEMENT, "fr", "titre_preliminaire|1|titre_i Accès|2|chapitre_ii Horaires|3|titre_ii Redevances|4"),
        (KISOKU, "ja", "chapter_1 総則|1|2|chapter_2 罰則|3"),
    ],
)  # fmt: skip
def test_containers_hold_the_sections_that_are_numbered_in_them(
    text: str, language: str, expected: str, tmp_path: Path
) -> None:
    found = tree(parse(tmp_path, "act.txt", text, language))
    assert [f"{place} {heading}".strip() for place, _, heading, _ in found] == expected.split("|")


def test_a_reference_and_this_section_reach_a_section_in_a_part(tmp_path: Path) -> None:
    document = parse(tmp_path, "act.txt", TOLLS)
    annotate(document, jurisdiction_for("us-dc"))
    root = f"{document.urn}:"
    assert {(link.source_urn.removeprefix(root), (link.target_urn or "").removeprefix(root), link.kind)
            for link in document.links if link.kind in ("cites", "disapplies")} == {
        ("2", document.urn, "disapplies"), ("3:2", "3", "disapplies"), ("4", "3:1", "cites"),
    }  # fmt: skip


CONTRACT = """SERVICE TERMS

Part 1 The client shall:
1. pay the fee;
2. name a contact.

Part 2 The firm shall:
1. do the work;
2. keep a record.

Part 3 Ending
Either side may end this contract.
"""


def test_parts_that_say_something_themselves_are_provisions(tmp_path: Path) -> None:
    places = [place for place, *_ in tree(parse(tmp_path, "terms.txt", CONTRACT))]
    assert places == ["1", "1:1", "1:2", "2", "2:1", "2:2", "3"]


WRAPPED = """HOUSE RULES

Section 1. A member who keeps a boat in the shed at any time of the year
or on the landing at the river for longer than a week pays the fee that is set by
Section 2. The fee is due on 1 May, unless the board has put it off under
4.2 of the harbour rules and says so.
Section 2. The fee is $40.
Section 3. A boat whose fee is not paid may be put outside after the notice in
Section 2. Nothing else is owed.
"""


def test_a_printed_line_that_begins_with_a_reference_is_no_provision(tmp_path: Path) -> None:
    assert [place for place, *_ in tree(parse(tmp_path, "rules.txt", WRAPPED))] == ["1", "2", "3"]


def test_a_number_may_be_missing_among_headings(tmp_path: Path) -> None:
    text = (
        "# Lease\n\n## 1. Terms\n\n1.1 A flat is let.\n\n## 4. Animals\n\n4.1 No animals.\n\n4.2 One cat is allowed.\n"
    )
    assert [place for place, *_ in tree(parse(tmp_path, "lease.md", text))] == ["1", "1.1", "4", "4.1", "4.2"]


def test_numbers_that_begin_again_in_each_part_are_told_apart(tmp_path: Path) -> None:
    text = "# Code\n\n## Part A Dogs\n\n### Rule 1 Leash\n\nOn a leash.\n\n### Rule 2 Fee\n\n$5.\n\n"
    text += "## Part B Cats\n\n### Rule 1 Number\n\nTwo cats.\n\n### Rule 2 Fee\n\n$3.\n"
    places = [place for place, *_ in tree(parse(tmp_path, "code.md", text))]
    assert places == ["part_a", "part_a:1", "part_a:2", "part_b", "part_b:1", "part_b:2"]


_CLAUSES = st.lists(
    st.tuples(st.sampled_from(["The fee is due", "No dogs", "Members vote", "Boats stay"]), st.integers(0, 4)),
    min_size=2, max_size=8,
)  # fmt: skip


@settings(max_examples=60)
@given(_CLAUSES)
def test_no_word_is_lost_and_each_number_is_a_provision(clauses: list[tuple[str, int]]) -> None:
    lines: list[str] = ["# Rules of the house\n"]
    for number, (words, items) in enumerate(clauses, start=1):
        lines.append(
            f"## {number}. Matter {number}\n\n{words} {number}:\n" if items else f"## {number}. Matter\n\n{words}.\n"
        )
        lines += [f"({'abcd'[item]}) item {number} {item};\n" for item in range(items)]
    text = "\n".join(lines)
    with tempfile.TemporaryDirectory() as folder:
        document = parse(Path(folder), "rules.md", text)
    found = [place for place, *_ in tree(document)]
    assert found == [
        place
        for number, (_, items) in enumerate(clauses, start=1)
        for place in (str(number), *(f"{number}:{'abcd'[item]}" for item in range(items)))
    ]
    words = " ".join(f"{node.number} {node.heading} {node.text}" for node in document.nodes)
    assert sorted(re.findall(r"\w+", words.replace("rules ", "", 1))) == sorted(re.findall(r"\w+", text))


def test_a_number_on_a_line_of_its_own_is_that_of_the_next_paragraph(tmp_path: Path) -> None:
    text = "STALLS\n\n§ 1 Meanings\n\nHere is\n\n1.\n\na stall: a table;\n\n2.\n\na hall: a house.\n\n§ 2 Fee\n\n$2.\n"
    assert [(place, words) for place, _, _, words in tree(parse(tmp_path, "stalls.txt", text))] == [
        ("1", "Here is"), ("1:1", "a stall: a table;"), ("1:2", "a hall: a house."), ("2", "$2."),
    ]  # fmt: skip


def test_urns_spell_the_letters_of_a_heading(tmp_path: Path) -> None:
    text = "# Ordnung\n\n## Über Räder\n\n### § 1 Rad\n\nEin Rad.\n\n## Straßen\n\n### § 2 Weg\n\nEin Weg.\n"
    places = [place for place, *_ in tree(parse(tmp_path, "ordnung.md", text, "de"))]
    assert places == ["crossheading_ueber-raeder", "1", "crossheading_strassen", "2"]


QUAY = """Harbour Bylaws

PART I
BERTHS

1. Berths
(1) A boat must have a berth.
(2) Section 2 applies to a visitor.

2. Visitors
(1) Subject to section 1, a visitor may stay 3 days.

PART II
FEES

1. Fees
(1) The fee is 5 pounds a day.

2. Late fees
(1) Notwithstanding section 1, a late fee is 2 pounds.
(2) Section 1(1) of Part I does not apply to a late boat.
(3) Section 1 of this Part applies to a pilot.

SCHEDULE

Section 2 does not apply to a pilot.
"""


@pytest.mark.parametrize("jurisdiction", ["gb", "us-dc", "de"])
def test_a_number_with_which_each_part_begins_again_is_that_of_its_part(tmp_path: Path, jurisdiction: str) -> None:
    document = parse(tmp_path, "bylaws.txt", QUAY)
    annotate(document, jurisdiction_for(jurisdiction))
    urns, root = {node.urn for node in document.nodes}, f"{document.urn}:"
    cited = {
        (link.source_urn.removeprefix(root), link.target_urn.removeprefix(root))
        for link in document.links if link.kind != "may_limit"
    }  # fmt: skip
    assert cited >= {
        ("part_i:1:2", "part_i:2"), ("part_i:2:1", "part_i:1"), ("part_ii:2:1", "part_ii:1"),
        ("part_ii:2:2", "part_i:1:1"), ("part_ii:2:3", "part_ii:1"),
    }  # fmt: skip
    assert {link.target_urn for link in document.links} - {""} <= urns
    assert not any(
        target for source, target in cited if source.startswith("sch")
    )  # in neither part: of which it is open


def contents(text: str, joint: str) -> str:
    """The numbered lines of a text before it, with dots and page numbers."""
    heads = [line for line in text.splitlines() if re.match(r"\d+\. ", line)]
    return joint.join(f"{line} ........ {page}" for page, line in enumerate(heads, start=1))


@pytest.mark.parametrize("joint", ["\n", "\n\n"])
def test_a_table_of_contents_before_the_law_is_left_out_and_counted(tmp_path: Path, joint: str) -> None:
    title, law = QUAY.split("\n\n", 1)
    bare = parse(tmp_path, "bylaws.txt", f"{title}\n\n{law}")
    document = parse(tmp_path, "bylaws.txt", f"{title}\n\nContents\n\n{contents(law, joint)}\n\n{law}")
    assert tree(document) == tree(bare)
    assert document.nodes[0].heading == bare.nodes[0].heading
    assert document.nodes[0].text == bare.nodes[0].text
    assert any(warning.startswith("5 lines of a table of contents") for warning in document.warnings)


def test_forms_with_the_same_fields_are_no_table_of_contents(tmp_path: Path) -> None:
    fields = "1. Name\n2. Address\n3. Day of birth\n4. Signature"
    document = parse(tmp_path, "forms.txt", f"Form A\n\n{fields}\n\nForm B\n\n{fields}\n")
    assert " ".join(node.text for node in document.nodes).count("Address") == 2
    assert not any("table of contents" in warning for warning in document.warnings)


@pytest.mark.parametrize(
    ("place", "language", "title", "words"),
    [
        ("us-ma", "en", "Marina Regulation", "This Regulation does not apply to fishing vessels."),
        ("us-ma", "en", "Marina", "These Regulations do not apply to fishing vessels."),
        ("us-dc", "en", "Lease", "This Agreement does not apply to the garage."),
        ("gb", "en", "Club", "These terms do not apply to guests."),
        ("ie", "en", "Golf Policy", "This policy does not apply to guests."),
        ("de", "de", "Hausordnung", "Diese Hausordnung gilt nicht für Gäste."),
        ("at", "de", "Mietvertrag", "Dieser Vertrag gilt nicht für die Garage."),
        ("fr", "fr", "Règlement du port", "Le présent règlement ne s'applique pas aux pêcheurs."),
        ("be", "fr", "Bail", "Le présent contrat ne s'applique pas au garage."),
    ],
)
def test_a_document_that_sets_itself_aside_for_a_case_is_read_by_what_it_calls_itself(
    tmp_path: Path, place: str, language: str, title: str, words: str
) -> None:
    path = tmp_path / "a.md"
    path.write_text(f"# {title}\n\n## 1. One\n\n{words}\n\n## 2. Two\n\nX.\n\n## 3. Three\n\nY.\n", encoding="utf-8")
    document = PlainMarkdown().parse(PlainSource(path, tmp_path, place=Place(place, language)))
    reader = annotating(jurisdiction_for(place), language)
    assert reader is not None
    annotate(document, reader)
    found = [(link.kind, link.target_urn, link.properties.get("confident", "true")) for link in document.links]
    assert found == [("disapplies", document.urn, "true")]


def test_words_that_may_mean_a_part_or_another_paper_are_not_certainly_the_whole(tmp_path: Path) -> None:
    text = """# House Rules

## 1. Pets

This rule does not apply to dogs.

## 2. Guests

Notwithstanding section 9 of this Agreement, guests pay.

## 3. Insurance

Every tenant has a policy. A claim is made in writing, and this policy does not apply to water.

## 4. Visits

Section 1 of these rules does not apply to visits.
"""
    document = parse(tmp_path, "a.md", text)
    annotate(document, jurisdiction_for("us-dc"))
    links = {link.source_urn.rpartition(":")[2]: link for link in document.links if link.kind != "cites"}
    assert "1" not in links
    assert links["2"].target_urn != document.urn
    assert (links["3"].target_urn, links["3"].properties["confident"]) == (document.urn, "false")
    assert links["4"].target_urn == f"{document.urn}:1"


FRENCH_CODE = """Code des refuges

Livre Ier : Dispositions générales

{0} L. 12-3{1}
Le préfet statue.
Le silence vaut acceptation.

{0} LO 111-2{1}
Les articles L. 12-3 et R.* 4-1 ne sont pas applicables aux gardiens.

{0} R.* 4-1{1}
Fin.

{0} D. 123-4-1 bis{1}
Par dérogation à l'article L. 12-3, le silence vaut rejet.
"""


@pytest.mark.parametrize(("before", "behind"), [("Art.", "."), ("Article", ""), ("#### Art.", ""), ("Article", " :")])
def test_articles_numbered_like_those_of_french_codes_are_articles_under_the_codes_own_urns(
    tmp_path: Path, before: str, behind: str
) -> None:
    name = "a.md" if before.startswith("#") else "a.txt"
    text = FRENCH_CODE.format(before, behind)
    if name == "a.md":
        text = text.replace("Code des", "# Code des").replace("Livre Ier", "## Livre Ier").replace("-3\n", "-3\n\n")
    document = parse(tmp_path, name, text, "fr")
    articles = {node.urn.rpartition(":")[2]: node for node in document.nodes if node.level == "article"}
    assert {segment: node.number for segment, node in articles.items()} == {
        "l12-3": "L12-3", "lo111-2": "LO111-2", "r4-1": "R*4-1", "d123-4-1-bis": "D123-4-1 bis",
    }  # fmt: skip
    assert articles["l12-3"].text.split() == ["Le", "préfet", "statue.", "Le", "silence", "vaut", "acceptation."]
    assert {node.parent_urn for node in articles.values()} == {f"{document.urn}:livre_i"}
    annotate(document, jurisdiction_for("fr"))
    found = {(link.source_urn, link.kind, link.target_urn) for link in document.links if "may" not in link.kind}
    assert found == {
        (articles["lo111-2"].urn, "disapplies", articles["l12-3"].urn),
        (articles["lo111-2"].urn, "disapplies", articles["r4-1"].urn),
        (articles["d123-4-1-bis"].urn, "notwithstanding", articles["l12-3"].urn),
    }


@pytest.mark.parametrize("jurisdiction", ["gb", "us-dc"])
def test_references_to_provisions_that_the_document_lacks_are_counted_and_named(
    tmp_path: Path, jurisdiction: str
) -> None:
    def warned(text: str) -> list[str]:
        document = parse(tmp_path, "rules.txt", text)
        annotate(document, jurisdiction_for(jurisdiction))
        return [warning for warning in document.warnings if "does not have" in warning]

    law = """Quay Rules

1. Berths
(1) A boat must have a berth under section {}.
(2) Section {} applies to a visitor.

2. Visitors
(1) Subject to section {}, a visitor may stay 3 days.
(2) Section 12 of the Housing Act 1988 applies to a hulk.
"""
    assert warned(law.format("14", "2(9)", "14")) == [
        "3 references are to provisions that the document does not have: 14, 2(9)"
    ]
    assert warned(law.format("2", "2(1)", "1(2)")) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# Rules\n\n## 1. Fee\n\nFive dollars.\n\n## 1. Fee\n\nSix dollars.\n", ["same number (1)"]),
        ("Canons\n\nCanon 4·1\n\nOne is here.\n\nCanon 4·2\n\nTwo is here.\n\nCanon 4·3\n\nThree.\n",
         ["3 lines begin with 'Canon'"]),
        ("# Rules\n\n## 1. Fee\n\nFive dollars.\n\n## 2. Term\n\nTable 1\n\nTable 2\n\nTable 3\n", []),
        ("A letter\n\nDear Sir,\n\nCanon 4·1 applies to you, and it is long.\n\nCanon 4·2 too.\n", []),
    ],
)  # fmt: skip
def test_numbers_that_were_not_read_as_provisions_are_told(tmp_path: Path, text: str, words: list[str]) -> None:
    document = parse(tmp_path, "a.md", text)
    assert len(document.warnings) == len(words)
    assert all(word in warning for word, warning in zip(words, document.warnings, strict=True))


def test_points_of_a_french_article_are_counted_by_capitals_and_degrees(tmp_path: Path) -> None:
    law = """TITRE I - DU SÉJOUR

Article 1er - Redevances

I. Il est perçu, par nuit :

1° 9 euros par emplacement ;

2º 2 euros par enfant.

II.- Les chiens séjournent gratuitement.

Article 2 - Départ

I – L'emplacement est libéré à midi.

II – Le gérant, M. Dupont, le constate. Il en avise
A. Martin par écrit.
"""
    document = parse(tmp_path, "camping.txt", law, "fr")
    assert [(place, level) for place, level, _, _ in tree(document)] == [
        ("titre_i", "titre"), ("1", "article"), ("1:i", "point"), ("1:i:1", "point"), ("1:i:2", "point"),
        ("1:ii", "point"), ("2", "article"), ("2:i", "point"), ("2:ii", "point"),
    ]  # fmt: skip
    assert document.nodes[-1].text == "Le gérant, M. Dupont, le constate. Il en avise\nA. Martin par écrit."


@pytest.mark.parametrize(
    ("front", "language", "title", "names"),
    [
        ("STADT AHREN\n\nSatzung über die Halle\n(Hallensatzung)\nvom 12. Mai 2031", "de",
         "Satzung über die Halle", ["satzung über die halle", "hallensatzung", "law"]),
        ("COMMUNE DE VAUX\n\nRÈGLEMENT DU CAMPING\n(arrêté du 3 février 2031)", "fr",
         "RÈGLEMENT DU CAMPING", ["règlement du camping", "arrêté du 3 février 2031", "law"]),
        ("2031 No. 417\n\nANIMALS, FENNAY\n\nThe Boarding of Dogs Regulations 2031", "en",
         "The Boarding of Dogs Regulations 2031", ["boarding of dogs regulations 2031", "law"]),
        ("DOG BOARDING RULES\n\nThe Dogs Act 2030 is their basis", "en", "DOG BOARDING RULES",
         ["dog boarding rules", "law"]),
        ("CITY OF BROOK\n\nPart of the Code of 2030 is repealed.", "en", "CITY OF BROOK", ["city of brook", "law"]),
    ],
)  # fmt: skip
def test_the_title_is_the_line_before_the_numbers_that_says_what_the_document_is(
    tmp_path: Path, front: str, language: str, title: str, names: list[str]
) -> None:
    unit, part = {"de": ("§", "Teil 1 Allgemeines"), "fr": ("Article", "TITRE I - GÉNÉRALITÉS")}.get(
        language, ("Section", "PART 1 GENERAL")
    )
    body = "".join(f"{unit} {number} Fees\n\nThe fee is {number} dollars.\n\n" for number in range(1, 9))
    document = parse(tmp_path, "law.txt", f"{front}\n\n{part}\n\n{body}", language)
    root, first = document.nodes[:2]
    assert (root.heading, document.corpus.title, root.aliases) == (title, title, names)
    assert first.heading.casefold() in part.casefold()  # no line of the front is its heading
    assert first.heading
    assert {*front.split("\n")} - {""} == {title, *root.intro_text.split("\n")}  # and none is lost


HARBOUR = """MBMC 9.12

Chapter 9.12
FISH MARKET

ARTICLE I. GENERAL

9.12.010 Purpose.

This chapter keeps the fish market clean. See MBMC 9.12.030(B).

(Ord. 45 § 2, 1999; Ordinance No. 2011-7, § 1)

9.12.020 Stall licences and tables.

A. A stall needs a licence from the Market Warden, who shall:

1. Inspect the stall; and

2. Take the fee.

B. A licence is not needed for a table, except as provided in MBMC 9.12.030(B).

ARTICLE II. FEES

9.12.030 Fees.

A. The fee is $20.

B. A table pays $5. MBMC 4.08.010 applies to the weighing of fish.
"""


def test_sections_that_are_numbered_within_a_chapter_of_a_code_are_provisions_under_those_numbers(
    tmp_path: Path,
) -> None:
    document = parse(tmp_path, "market.txt", HARBOUR)
    annotate(document, jurisdiction_for("us-dc"))
    sections = [(node.urn.removeprefix(f"{document.urn}:"), node.heading) for node in document.nodes[1:]]
    assert sections == [
        ("chapter_9.12", "FISH MARKET"), ("article_i", "GENERAL"), ("9.12.010", "Purpose"),
        ("9.12.020", "Stall licences and tables"), ("9.12.020:a", ""), ("9.12.020:a:1", ""), ("9.12.020:a:2", ""),
        ("9.12.020:b", ""), ("article_ii", "FEES"), ("9.12.030", "Fees"), ("9.12.030:a", ""), ("9.12.030:b", ""),
    ]  # fmt: skip
    own = {link.target_urn.removeprefix(f"{document.urn}:") for link in document.links if link.target_urn}
    assert "9.12.030:b" in own
    assert own.isdisjoint({"2", "1", "4.08.010"})  # of an ordinance, and of another chapter
    purpose = document.nodes[3]
    assert purpose.text == "This chapter keeps the fish market clean. See MBMC 9.12.030(B)."
    assert purpose.tags["history"] == "(Ord. 45 § 2, 1999; Ordinance No. 2011-7, § 1)"
    assert not [warning for warning in document.warnings if "does not have" in warning]


ORDINANCE_JA = """○渡し船の運航に関する条例

令和３年３月１日条例第４号

目次
　第１章　総則（第１条・第２条）
　第２章　雑則（第３条）
　第３章　罰則（第４条）
　附則

　　　第１章　総則

　（趣旨）
第１条　この条例は、渡し船の運航について定める。

　（休航）
第２条　町長は、次の各号のいずれかに該当するときは、渡し船を休航とする。
　（１）　強風のとき。
　（２）　別表第１に定める日
２　前項の場合は、掲示する。
　（令４条例９・追加）

　　　第２章　雑則

第３条　この条例の施行に必要な事項は、規則で定める。

　　　第３章　罰則

第４条　第２条第２項の掲示を破った者は、１０，０００円以下の過料に処する。

　　　附　則
　（施行期日）
１　この条例は、令和３年４月１日から施行する。
２　旧規則は、廃止する。

　　　附　則（令和４年６月１日条例第９号）
　この条例は、公布の日から施行する。

別表第１（第２条関係）
　┌────┬────┐
　│日　　　│理由　　│
　├────┼────┤
　│元日　　│休日　　│
　└────┴────┘
　備考
　１　翌日も同様とする。
"""


def test_a_japanese_ordinance_has_its_supplementary_provisions_and_tables(tmp_path: Path) -> None:
    document = parse(tmp_path, "ferry.txt", ORDINANCE_JA, "ja")
    assert document.corpus.title == "渡し船の運航に関する条例"
    found = {place: (heading, text) for place, _, heading, text in tree(document)}
    assert [*found] == [
        "chapter_1", "1", "1:1", "2", "2:1", "2:1:1", "2:1:2", "2:2", "chapter_2", "3", "3:1", "chapter_3", "4", "4:1",
        "sup", "sup:1", "sup:2", "sup.4-6-1-9", "table.1", "table.1:1",
    ]  # fmt: skip
    assert found["3"][0] == ""  # what amended article 2 is no caption of it
    assert [node.number for node in document.nodes if node.tags.get("history") == "（令４条例９・追加）"] == ["2"]
    assert found["sup:1"] == ("施行期日", "この条例は、令和３年４月１日から施行する。")
    assert found["table.1"] == ("第２条関係", "日 | 理由\n元日 | 休日\n備考")


# Numbers as bodies print them: the text, its language, the places of its provisions, and the headings of some.
PRINTED = {
    "no mark behind a number, captions above, sections inserted": (
        """KITE ACT

Contents
1 Definitions
2 Flying
2.1 Night kites
3 Repealed

Definitions
1 In this Act, "kite" means a toy.

Flying
2 (1) A person must not fly a kite
(a) in a storm, or
(b) near a line.
(2) A kite may be flown in a park.

Night kites
2.1 (1) Despite section 2 (2), a kite needs a lamp at night.
(2) The lamp must be red.

Repealed
3 [Repealed 2009-16-22.]
""",
        "en",
        ["1", "2", "2:1", "2:1:a", "2:1:b", "2:2", "2.1", "2.1:1", "2.1:2", "3"],
        {"2": "Flying", "2.1": "Night kites", "3": "Repealed"},
    ),
    "a dash before the first paragraph, a letter behind a number, a schedule": (
        """STATUTORY INSTRUMENTS

The Mill Race (Punts) Order 2019

Citation
  1.  This Order may be cited as the Mill Race (Punts) Order 2019.

Interpretation
  2.—(1) In this Order—
"punt" means a flat boat.
  (2) A reference to a punt includes a raft.

Registration
  3.  A punt must be registered.

Temporary registration
  3A.  The warden may register a punt for 28 days.

SCHEDULE 1

  1.  The name of the owner.
  2.—(1) The length of the punt.
  (2) It is given in metres.
""",
        "en",
        [
            "1",
            "2",
            "2:1",
            "2:2",
            "3",
            "3a",
            "sch.1",
            "sch.1:1",
            "sch.1:2",
            "sch.1:2:1",
            "sch.1:2:2",
        ],
        {"2": "Interpretation", "3a": "Temporary registration"},
    ),
    "hyphens, and notes that begin like provisions": (
        """FERRY RULES

947-012-0010 Purpose

These rules train operators.

947-012-0020 Definitions

As used in these rules:

(1) "Ferry" means a vessel; and

(2) "Hour" means sixty minutes.

947-012-0030 Fees

The fee is $20.
""",
        "en",
        ["947-012-0010", "947-012-0020", "947-012-0020:1", "947-012-0020:2", "947-012-0030"],
        {"947-012-0030": "Fees"},
    ),
    "notes of amendment that name clauses": (
        """HIVE BYLAW

1. Title

1.1 This is the Hive Bylaw.

2. Water

2.1 A keeper must provide water.

2A. Swarms

A keeper must take a swarm.

Clause 2A: inserted, on 30 June 2021, by clause 4 of the amendment.

3. Removal

3.1 A hive may be removed.

Clause 3: amended, on 30 June 2021, by clause 5 of the amendment.
""",
        "en",
        ["1", "1.1", "2", "2.1", "2a", "3", "3.1"],
        {"2a": "Swarms"},
    ),
    "paragraphs of articles with a sign": (
        """Article 1er. Le règlement vise la collecte des encombrants.

Art. 2. § 1er. La collecte a lieu le mardi.
§ 2. Le demandeur prend rendez-vous :
1° par téléphone ;
2° par écrit.

Art. 3. § 1er. Chaque ménage a droit à une collecte.
§ 2. Au-delà, la redevance est due.
""",
        "fr",
        ["1", "2", "2:1", "2:2", "2:2:1", "2:2:2", "3", "3:1", "3:2"],
        {},
    ),
    "captions in brackets behind a number, digits in circles and kanji": (
        """自治会規約

第1条(名称)
本会は、緑自治会と称する。

第2条(会費)
会費は、月額300円とする。
2 次の世帯は、会費を免除する。
① 生活保護を受けている世帯
② 会長が認めた世帯

第3条(休館)
集会所の休館日は、次のとおりとする。
一　次の月曜日
イ　祝日の月曜日
ロ　年末の月曜日
二　年始
""",
        "ja",
        ["1", "1:1", "2", "2:1", "2:2", "2:2:1", "2:2:2", "3", "3:1", "3:1:1", "3:1:1:i", "3:1:1:ro", "3:1:2"],
        {"1": "名称", "3": "休館"},
    ),
    "a caption in the line of the first part": (
        """SECTION 1. TITLE. This is the Lamp Ordinance.

SECTION 2. STANDARDS. (a) Every lamp shall:

(1) be shielded; and

(2) be no brighter than

(i) 900 lumens on a lot; or

(ii) 2,200 lumens elsewhere.

(b) A lamp in place may remain.

SECTION 2A. NOTICE. The clerk gives notice.
""",
        "en",
        ["1", "2", "2:a", "2:a:1", "2:a:2", "2:a:2:i", "2:a:2:ii", "2:b", "2a"],
        {"2": "STANDARDS", "2a": "NOTICE"},
    ),
    "raised numbers of paragraphs": (
        """Hausordnung

Art. 1 Zweck

¹ Die Hausordnung gilt im Haus.

² Sie gilt auch im Garten.

Art. 1bis Aufsicht

Der Wart übt die Aufsicht aus.

Art. 2 Lärm

¹ Lärm ist verboten:

a. am Morgen;

b. am Abend.
""",
        "de",
        ["1", "1:1", "1:2", "1bis", "2", "2:1", "2:1:a", "2:1:b"],
        {"1": "Zweck", "1bis": "Aufsicht"},
    ),
    "an outline, with kana": (
        """雪下ろし支援要綱

第１　趣旨

この要綱は、雪下ろしの支援について定める。

第２　対象

１　対象は、次のとおりとする。

（１）高齢者の世帯

（２）次の手帳のある世帯

ア　身体障害者手帳

イ　療育手帳

２　前項の規定にかかわらず、空き家は対象としない。

第２の２　特例

町長は、特例を認めることができる。
""",
        "ja",
        ["1", "2", "2:1", "2:1:1", "2:1:2", "2:1:2:a", "2:1:2:i", "2:2", "2-2"],
        {"1": "趣旨", "2-2": "特例"},
    ),
    "decimals of three levels without a sign before them": (
        """Hallenordnung

1. Allgemeines

1.1 Die Ordnung gilt in der Halle.

1.2 Der Wart darf

1.2.1 Plätze zuweisen,

1.2.2 Bälle verleihen.

2. Zeiten

2.1 Die Halle ist an allen Tagen offen.
""",
        "de",
        ["1", "1.1", "1.2", "1.2.1", "1.2.2", "2", "2.1"],
        {"1": "Allgemeines", "2": "Zeiten"},
    ),
    "letters before numbers, conditions in sections, an annex without a number": (
        """Ferry Licence

Section A: Standard conditions

Condition A1: Interpretation

A1.1 Words have the meaning given below.

A1.2 A reference to a pier includes a quay.

Section B: Service

Condition B1: Sailings

B1.1 The Licensee shall sail each day, except

(a) in a storm; or

(b) by consent.

Condition B2: Fares

B2.1 Fares are as printed.

Annex - Piers

1. North pier.

2. South pier.
""",
        "en",
        [
            "section_a",
            "a1",
            "a1.1",
            "a1.2",
            "section_b",
            "b1",
            "b1.1",
            "b1.1:a",
            "b1.1:b",
            "b2",
            "b2.1",
            "annex",
            "annex:1",
            "annex:2",
        ],
        {"a1": "Interpretation", "b2": "Fares", "annex": "Piers"},
    ),
    "letters that count parts of which only decimals are provisions": (
        """Insurance terms

A Cover

A.1 What is insured?

A.1.1 We insure the boat.

A.1.2 We insure its sails:
a) at sea:
aa) by day,
bb) by night;
b) ashore.

B Duties

B.1 What must you do?

B.1.1 Tell us of each change.
""",
        "en",
        ["a", "a.1", "a.1.1", "a.1.2", "a.1.2:a", "a.1.2:a:aa", "a.1.2:a:bb", "a.1.2:b", "b", "b.1", "b.1.1"],
        {"a": "Cover", "b": "Duties"},
    ),
    "numbers in words, captions in capitals in their lines": (
        """HOUSE RULES OF THE MILL

SECTION ONE. NAME. The house is called the Mill.

SECTION TWO. LEASES. A unit is leased for

(a) a year; or

(b) a month.

SECTION THREE. PETS. A pet is kept by leave.
""",
        "en",
        ["1", "2", "2:a", "2:b", "3"],
        {"1": "NAME", "2": "LEASES", "3": "PETS"},
    ),
    "captions in square brackets, ornaments around parts, insertions": (
        """会員規約

■ 第1部　総則 ■

第1条【適用】
1. 本規約は、会員に適用されます。
2. 掲示は、本規約の一部です。

■ 第2部　会費 ■

第2条【会費】
会費は、次のとおりです。
(1) 大人　千円
① 夜間を除く。
② 休日を除く。
(2) 子ども　五百円
""",
        "ja",
        ["part_1", "1", "1:1", "1:2", "part_2", "2", "2:1", "2:1:1", "2:1:1:1", "2:1:1:2", "2:1:2"],
        {"1": "適用", "2": "会費"},
    ),
    "notes behind the number, Roman points in the line, degrees with bis": (
        """Règlement des boules

Art. D. 1-1. - I. - Il est institué une commission.
II. - Elle comprend :
1° Un juriste ;
1° bis Un médecin ;
2° Un arbitre.

Art. D. 1-2. (Modifié par délibération n° 3 du 12 mars 2022.) - I. - La séance est publique.
II. - Elle est levée à midi.

Art. D. 1-3. - Les membres sont nommés pour quatre ans.
""",
        "fr",
        ["d1-1", "d1-1:i", "d1-1:ii", "d1-1:ii:1", "d1-1:ii:1-bis", "d1-1:ii:2", "d1-2", "d1-2:i", "d1-2:ii", "d1-3"],
        {"d1-3": ""},
    ),
    "rows of a table that have signs, and numbers that a running head repeats": (
        """Zoning Ordinance

Section 5-101. Purpose. This ordinance keeps streets safe.

Section 5-102. Height. (a) Every building conforms to the table.
(b) A mast may be higher.

Section 5-101. Purpose. This ordinance keeps streets safe.

Section 5-103. Parking. One space for each dwelling is kept free of charge.
""",
        "en",
        ["5-101", "5-102", "5-102:a", "5-102:b", "5-103"],
        {"5-102": "Height"},
    ),
}


_COUNTING = {"Art", "Article", "bis", "SECTION", "Section", "SCHEDULE", "Annex", "Condition", "ONE", "TWO", "THREE"}


@pytest.mark.parametrize("form", PRINTED)
def test_numbers_are_read_as_bodies_print_them(tmp_path: Path, form: str) -> None:
    text, language, places, headings = PRINTED[form]
    document = parse(tmp_path, "law.txt", text, language)
    found = {place: heading for place, _, heading, _ in tree(document)}
    assert [*found] == places
    assert {place: found[place] for place in headings} == headings
    said = "".join(f"{node.heading} {node.text} {node.tags.get('history')} {node.level}" for node in document.nodes)
    words = re.findall(r"[^\W\d_]{3,}", text.partition("Contents")[0] or text)
    assert {word for word in words if word not in said} <= _COUNTING


def test_a_table_of_contents_may_number_captions_that_stand_without_numbers_and_name_repealed_sections(
    tmp_path: Path,
) -> None:
    document = parse(tmp_path, "law.txt", PRINTED["no mark behind a number, captions above, sections inserted"][0])
    assert "5 lines of a table of contents are left out: they are the headings below" in document.warnings


def test_a_title_may_go_on_in_the_next_line(tmp_path: Path) -> None:
    text = (
        "Satzung\nüber die Benutzung der Halle\n\n§ 1 Zweck\nDie Halle dient dem Sport der Vereine und Schulen.\n"
        "\n§ 2 Zeiten\nDie Halle ist an allen Tagen von acht bis zwanzig Uhr offen.\n"
    )
    assert parse(tmp_path, "halle.txt", text, "de").corpus.title == "Satzung über die Benutzung der Halle"


NESTED = """# Larch Contract

1. Term

   1. This contract lasts two years.
   2. Either party may end it on 30 days' notice.

2. Price

   1. The Buyer shall pay 500 euros a month.
   2. Payment is due within 14 days.
"""


def test_a_list_in_an_item_of_a_list_counts_on_its_own(tmp_path: Path) -> None:
    found = {place: f"{heading}{text}" for place, _, heading, text in tree(parse(tmp_path, "larch.md", NESTED))}
    assert [*found] == ["1", "1:1", "1:2", "2", "2:1", "2:2"]
    assert (found["2"], found["2:2"]) == ("Price", "Payment is due within 14 days.")


def test_a_heading_without_a_number_beside_the_provisions_ends_the_one_before(tmp_path: Path) -> None:
    text = (
        "# House Rules\n\n## 1. Noise\n\n1.1 No music at night.\n\n## 2. Dogs\n\n2.1 A dog is kept by leave.\n\n"
        "## Fees\n\nThese are paid at the desk.\n\n1. A key costs five dollars.\n2. Laundry costs two dollars.\n"
    )
    found = {place: text for place, _, _, text in tree(parse(tmp_path, "rules.md", text))}
    assert [*found] == ["1", "1.1", "2", "2.1", "crossheading_fees", "crossheading_fees:1", "crossheading_fees:2"]
    assert found["2.1"] == "A dog is kept by leave."


def test_lines_of_a_contract_stay_lines_in_markdown(tmp_path: Path) -> None:
    text = (
        '# Supply Contract\n\n1. Definitions\n"Goods" means machines.\n"Buyer" means Acme.\n\n'
        "2. Delivery\nThe Seller delivers the Goods, which are\nnew, in May.\n"
    )
    found = {place: (heading, text) for place, _, heading, text in tree(parse(tmp_path, "supply.md", text))}
    assert found["1"] == ("Definitions", '"Goods" means machines.\n"Buyer" means Acme.')
    assert found["2"] == ("Delivery", "The Seller delivers the Goods, which are new, in May.")


def test_a_table_that_only_places_numbers_beside_their_words_is_law(tmp_path: Path) -> None:
    rows = [
        *(("1", "Camping"), ("", "No person may camp on the reserve."), ("2", "Fires"), ("(1)", "A fire needs leave.")),
        *(("(2)", "A stove is no fire."), ("3", "Dogs"), ("", "A dog is kept on a lead.")),
    ]
    text = "# River Law\n\n| | |\n|---|---|\n" + "".join(f"| {sign} | {words} |\n" for sign, words in rows)
    found = {place: heading for place, _, heading, _ in tree(parse(tmp_path, "river.md", text))}
    assert found == {"1": "Camping", "2": "Fires", "2:1": "", "2:2": "", "3": "Dogs"}


def test_each_part_of_a_clause_of_definitions_defines_for_the_whole_document(
    tmp_path: Path,
) -> None:
    text = (
        '# Lease\n\n## 1. Definitions\n\n1.1 "Resident" means a person named below.\n\n1.2 "Guest" means a person who '
        "stays for a night.\n\n## 2. Use\n\n2.1 A Guest may stay for a week.\n"
    )
    document = parse(tmp_path, "lease.md", text)
    annotate(document, jurisdiction_for("us-dc"))
    assert {one.term: one.scope_urn for one in document.definitions} == {
        "Resident": document.urn, "Guest": document.urn
    }  # fmt: skip


def test_a_table_of_contents_may_lack_the_unit_and_name_its_columns(tmp_path: Path) -> None:
    names = ["Scope", "Permits", "Fees", "Pets"]
    contents = "Subpart A--General\n\nSec.\n" + "".join(f"36.{at} {name}\n" for at, name in enumerate(names, 1))
    law = "".join(f"Sec. 36.{at} {name}\n\n    It is so at all times.\n\n" for at, name in enumerate(names, 1))
    document = parse(tmp_path, "part.txt", f"PART 36--CABINS\n\n{contents}\nSubpart A--General\n\n{law}")
    assert [place for place, _, _, _ in tree(document)][-4:] == ["36.1", "36.2", "36.3", "36.4"]
    assert any("table of contents" in warning for warning in document.warnings)


def test_parts_with_the_same_heading_are_two(tmp_path: Path) -> None:
    text = "# Rules\n\n## Fees\n\n### 1. Keys\n\nFive dollars.\n\n## Fees\n\n### 2. Bikes\n\nTwo dollars.\n"
    found = [place for place, _, _, _ in tree(parse(tmp_path, "rules.md", text))]
    assert found == ["crossheading_fees", "1", "crossheading_fees-2", "2"]


def test_an_excerpt_begins_with_the_number_that_it_begins_with(tmp_path: Path) -> None:
    text = "Excerpt\n\n5. Fees\nTen dollars a month.\n\n6. Dogs\nOn a lead.\n\n7. Fires\nNone is lit on the pier.\n"
    assert [place for place, _, _, _ in tree(parse(tmp_path, "part.txt", text))] == ["5", "6", "7"]


def test_this_clause_in_a_clause_5_1_may_be_clause_5(tmp_path: Path) -> None:
    text = (
        '# Lease\n\n## 1. Rent\n\n1.1 It is paid in May.\n\n## 2. Keys\n\n2.1 In this clause, "Guest" means a person '
        "whom the Resident pays.\n\n2.2 A Guest returns the keys.\n"
    )
    document = parse(tmp_path, "lease.md", text)
    annotate(document, jurisdiction_for("us-dc"))
    assert [(one.scope_urn, one.inferred) for one in document.definitions] == [(f"{document.urn}:2", True)]


@given(st.lists(st.tuples(st.integers(1, 6), st.sampled_from([1.0, 0.1])), min_size=1, max_size=8))
def test_the_run_of_rising_numbers_is_the_heaviest_of_all(given_numbers: list[tuple[int, float]]) -> None:
    keys, weights = [ordered(str(number)) for number, _ in given_numbers], [weight for _, weight in given_numbers]
    run = sorted(heaviest_run(keys, weights))
    runs = (places for size in range(len(keys) + 1) for places in combinations(range(len(keys)), size))
    rising = (places for places in runs if all(keys[a] < keys[b] for a, b in pairwise(places)))
    assert all(keys[a] < keys[b] for a, b in pairwise(run))
    assert sum(weights[at] for at in run) == pytest.approx(max(sum(weights[at] for at in places) for places in rising))
