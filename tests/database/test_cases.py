"""Decisions by what is remembered of them: the order of the clues, what each finds, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Stores
from law import document, store

from rag import Engine
from rag.jurisdictions.court_names import court_spellings
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from rag.references import find_case
from rag.store.database import Connection, Database
from retrieval.errors import InputError
from retrieval.references.cases import date_range, resolve_case

CASES = {
    "a": {"court": "Supreme Court", "date": "2023-05-17", "case_number": "20-20.648", "case_name": "Smith v. Jones"},
    "b": {
        "court": "Supreme Court", "date": "2023-06-01", "case_number": "120-20.648", "case_name": "Smith vs Brown",
        "neutral_citation": "[2023] EWHC 12 (Ch)",
    },
    "c": {"court": "Court of Appeal", "date": "2022-12-31", "case_number": "65; 66", "case_name": "In re 100% Smith"},
    "d": {
        "court": "最高裁判所", "date": "2023-05-18", "case_number": "令和五年（受）第十二号",
        "case_name": "損害賠償請求事件",
    },
    "e": {"court": "東京地裁", "case_number": "令和元年(ワ)第3号", "case_name": "損害賠償"},
    "f": {"court": "Tribunal judiciaire", "ecli": "ECLI:FR:CCASS:2024:C100001", "date": "2024-01-10"},
    "g": {
        "court": "District Court", "date": "2020-01-01", "case_number": "7",
        "case_name": "ALBRECHT RAILWAY COMPANY ET AL. v. CHILDREN'S HOSPITAL OF THE DISTRICT, AND BOARD OF EDUCATION",
    },
}  # fmt: skip


def decision(name: str, tags: dict[str, str]) -> ParsedDocument:
    urn = f"urn:lex:us:case-{name}"
    root = ParsedNode(urn, None, "ROOT", "decision", heading=name, kind="decision", tags=tags)
    cited = {key: tags[key] for key in ("case_number", "neutral_citation") if key in tags}  # as judgments have them
    words = ParsedNode(
        f"{urn}:1", urn, "PARAGRAPH", "paragraph", "1", content_text=f"Words of {name}.", kind="decision", tags=cited
    )
    return document([root, words], in_corpus=Corpus(urn=urn, title=name, language="en"))


@pytest.fixture(scope="module")
def conn(stores: Stores, empty_template: str) -> Iterator[Connection]:
    with Database(stores.clone(empty_template)) as database:
        store(database, *(decision(name, tags) for name, tags in CASES.items()))
        with database.read() as connection:
            yield connection


def found(conn: Connection, **clues: str) -> str:
    return "".join(case.urn[-1] for case in find_case(conn, limit=10, **clues).cases)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("clues", "names"),
    [
        ({"case_number": "20-20.648"}, "a"),
        ({"case_number": "20 20 648"}, "a"),
        ({"case_number": "20.64"}, "ba"),
        ({"case_number": "66"}, "c"),
        ({"case_number": "[2023] EWHC 12 (Ch)"}, "b"),
        ({"case_number": "2023 EWHC 12"}, "b"),
        ({"case_number": "[2023] EWHC 1"}, ""),
        ({"case_number": "２０－２０．６４８"}, "a"),
        ({"case_number": "令和5年(受)第12号"}, "d"),
        ({"case_number": "令和五年（受）第１２号"}, "d"),
        ({"case_number": "令和1年(ワ)第三号"}, "e"),
        ({"case_number": "令和元年（ワ）第３号"}, "e"),
        ({"case_number": "20-20.648", "case_name": "nobody", "court": "nowhere", "decided": "1900"}, "a"),
        ({"case_name": "smith v jones"}, "a"),
        ({"case_name": "SMITH VS. BROWN"}, "b"),
        ({"case_name": "smith"}, "bac"),
        ({"case_name": "smith", "court": "supreme"}, "ba"),
        ({"case_name": "Albrecht v. Children's"}, "g"),
        ({"case_name": "Albrecht Ry. Co. v. Childrens Hosp."}, "g"),
        ({"case_name": "ARC v. Bd. of Educ."}, "g"),
        ({"case_name": "Children's Hospital v. Albrecht"}, ""),
        ({"case_number": "ECLI:FR:CCASS:2024:C100001"}, "f"),
        ({"case_number": "ecli:fr:ccass:2024:c100001"}, "f"),
        ({"case_number": "ECLI:FR:CCASS:2024:C1"}, ""),
        ({"case_name": "損害賠償"}, "de"),
        ({"case_name": "損害賠償", "court": "東京"}, "e"),
        ({"case_name": "損害賠償", "court": "東京地方裁判所"}, "e"),
        ({"case_name": "損害賠償", "court": "大阪地方裁判所"}, ""),
        ({"case_name": "smith", "decided": "1900"}, "bac"),
        ({"court": "SUPREME"}, "ba"),
        ({"court": "Case"}, "fbdacge"),
        ({"court": "cas"}, ""),
        ({"court": "court", "decided": "2023"}, "ba"),
        ({"court": "court", "decided": "2023-05"}, "a"),
        ({"court": "court", "decided": "2023-06-01"}, "b"),
        ({"decided": "2023-05"}, "da"),
        ({"decided": "2022-12"}, "c"),
        ({"decided": "令和5年"}, "bda"),
        ({"decided": "令和五年五月一八日"}, "d"),
        ({"decided": "２０２３年５月"}, "da"),
        ({"court": "%"}, ""),
        ({"court": "S_preme"}, ""),
        ({"case_name": "100%"}, "c"),
        ({"case_name": "1%0"}, ""),
        ({"case_number": "6%"}, ""),
        ({"case_number": "_5"}, ""),
        ({"court": "'; drop table legal_nodes; --"}, ""),
    ],
)
def test_clue_finds_the_cases_it_describes_latest_first(conn: Connection, clues: dict[str, str], names: str) -> None:
    assert found(conn, **clues) == names


@pytest.mark.parametrize("clues", [{}, {"court": ""}, {"case_name": "  "}, {"case_number": "%"}, {"decided": " "}])
def test_no_clue_is_told_from_no_candidate(conn: Connection, clues: dict[str, str]) -> None:
    nothing = find_case(conn, **clues)  # pyright: ignore[reportArgumentType]
    assert (nothing.status, nothing.basis, nothing.cases) == ("no_clue", None, [])
    missing = find_case(conn, case_name="nobody")
    assert (missing.status, missing.basis, missing.cases) == ("no_candidate", "case_name", [])
    assert nothing.message != missing.message
    assert "No case in the store fits" in missing.message
    assert "no decisions of de at all" in resolve_case(conn, case_name="nobody", jurisdictions=["de"]).message


@pytest.mark.parametrize(
    ("clues", "basis"),
    [
        ({"decided": "2023"}, "date"),
        ({"court": "district", "decided": "2023"}, "court"),
        ({"case_name": "smith", "court": "district", "decided": "2023"}, "case_name"),
    ],
)
def test_the_basis_is_the_highest_clue_that_was_given(conn: Connection, clues: dict[str, str], basis: str) -> None:
    assert find_case(conn, **clues).basis == basis  # pyright: ignore[reportArgumentType]


def test_result_says_which_clue_decided_what_it_ignored_and_that_there_is_more(conn: Connection) -> None:
    result = find_case(conn, case_name="smith", decided="2023", limit=2)
    assert (result.basis, result.ignored, len(result.cases), result.more) == ("case_name", ("date",), 2, True)
    assert not find_case(conn, case_name="smith", limit=3).more
    assert find_case(conn, case_number="65", court="x", case_name="y").ignored == ("case_name", "court")


@pytest.mark.parametrize("limit", [0, 11, -1])
def test_limit_outside_one_to_ten_is_refused(conn: Connection, limit: int) -> None:
    with pytest.raises(InputError, match="1 to 10"):
        find_case(conn, court="x", limit=limit)


@pytest.mark.parametrize(
    "text",
    [
        "now",
        "infinity",
        "2015-W24-1",
        "20150615",
        "06/07/2015",
        "2015-13",
        "2015-02-30",
        "0000",
        "٢٠٢٣",
        "2015-06-15T00",
    ],
)
def test_date_that_is_no_day_is_refused(conn: Connection, text: str) -> None:
    with pytest.raises(InputError, match="date"):
        find_case(conn, decided=text)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2023", ("2023-01-01", "2024-01-01")),
        ("2023-12", ("2023-12-01", "2024-01-01")),
        ("2024-02", ("2024-02-01", "2024-03-01")),
        ("2024-02-29", ("2024-02-29", "2024-03-01")),
    ],
)
def test_partial_date_is_the_range_of_days_it_names(text: str, days: tuple[str, str]) -> None:
    assert date_range(text) == days


def test_published_opinions_and_judgments_are_found_by_every_kind_of_clue(
    stores: Stores, empty_template: str, shared_data: Path, tmp_path: Path
) -> None:
    published = (shared_data / "us-scotus-opinions" / "opinions.jsonl").read_text(encoding="utf-8").splitlines()
    opinions = tmp_path / "opinions.jsonl"
    opinions.write_text("\n".join(published[:12]), encoding="utf-8")
    with Engine.open(stores.clone(empty_template)) as engine:
        engine.ingest([opinions, shared_data / "uk-judgments-akn" / "test8.xml"])
        with engine.database.read() as conn:
            tagged = conn.execute(
                "select urn, tags from legal_nodes where tags ? 'case_name' and tags ? 'court' order by urn"
            ).fetchall()
        sampled = tagged[:: max(1, len(tagged) // 12)]
        for urn, tags in sampled:
            if tags.get("case_number"):
                number = engine.resolve_case(case_number=tags["case_number"], limit=10)
                assert urn in {case.urn for case in number.cases} or number.more
            name = engine.resolve_case(case_name=tags["case_name"], court=tags["court"], limit=10)
            assert urn in {case.urn for case in name.cases}
            if tags.get("date"):
                day = engine.resolve_case(court=tags["court"], date=tags["date"], limit=10)
                assert urn in {case.urn for case in day.cases} or day.more
    assert len(sampled) >= 10


@pytest.mark.thorough
def test_published_decisions_are_found_by_a_word_of_each_party(
    stores: Stores, empty_template: str, shared_data: Path, tmp_path: Path
) -> None:
    published = (shared_data / "us-scotus-opinions" / "opinions.jsonl").read_text(encoding="utf-8").splitlines()
    (tmp_path / "opinions.jsonl").write_text("\n".join(published[20:40]), encoding="utf-8")
    with Engine.open(stores.clone(empty_template)) as engine:
        engine.ingest([tmp_path, shared_data / "uk-judgments-akn"])
        with engine.database.read() as conn:
            rows = conn.execute(
                "select urn, tags ->> 'case_name' from legal_nodes where kind = 'decision' and structure_type = 'ROOT'"
                " and tags ->> 'case_name' ~ '^[A-Z][A-Z]{3}.* v\\.? [A-Z]{4}' and tags ->> 'case_name' !~ '^STATE'"
            ).fetchall()
        assert {urn.split(":")[2] for urn, _ in rows} == {"gb", "us"}
        assert len(rows) > 15
        missed = [name for urn, name in rows if not _found_by_parties(engine, urn, name)]
    assert missed == []


def _found_by_parties(engine: Engine, urn: str, name: str) -> bool:
    """Whether a decision is among those that its short name finds, as a clue and as a reference."""
    first, joint, second = re.split(r"\s(v\.?)\s", name, maxsplit=1)
    short = f"{re.split(r'[ ,]', first)[0].title()} {joint} {re.split(r'[ ,]', second)[0].title()}"
    clue = engine.resolve_case(case_name=short, limit=10)
    named = engine.resolve(short)
    told = {case.urn for case in clue.cases}, {candidate.urn for candidate in named.candidates}
    return all(urn in urns or len(urns) == 10 for urns in told)


def test_published_decisions_are_found_as_people_write_their_reporters(
    stores: Stores, empty_template: str, shared_data: Path, tmp_path: Path
) -> None:
    published = (shared_data / "us-scotus-opinions" / "opinions.jsonl").read_text(encoding="utf-8").splitlines()
    opinions = tmp_path / "opinions.jsonl"
    opinions.write_text("\n".join(published[:20]), encoding="utf-8")
    with Engine.open(stores.clone(empty_template)) as engine:
        engine.ingest([opinions])
        with engine.database.read() as conn:
            rows = conn.execute(
                "select urn, aliases[1], tags ->> 'date' from legal_nodes where tags ? 'case_name' order by urn"
            ).fetchall()
        assert len(rows) >= 15
        for urn, citation, day in rows:
            volume, _, page = citation.split()
            for written in (
                f"{volume} US {page}", f"{volume} us {page}", f"{volume} U. S. {page} ({day[:4]})",
                f"{volume} U.S. {page}, 43 S. Ct. 9, 67 L. Ed. 8 ({day[:4]})",
                f"{volume} U.S. {page}, {int(page) + 1}, 43 S.Ct. 9 ({day[:4]})",
            ):  # fmt: skip
                found = engine.resolve(written)
                assert (found.urn, found.status) == (urn, "resolved"), written


def test_a_published_judgment_is_found_by_its_citation_and_none_of_its_paragraphs_is(
    stores: Stores, empty_template: str, shared_data: Path
) -> None:
    with Engine.open(stores.clone(empty_template)) as engine:
        assert not engine.ingest([shared_data / "uk-judgments-akn"]).rejected
        with engine.database.read() as conn:
            rows = conn.execute(
                "select urn, tags ->> 'neutral_citation', tags ->> 'case_number' from legal_nodes"
                " where kind = 'decision' and structure_type = 'ROOT' order by urn"
            ).fetchall()
        assert len(rows) >= 12
        for urn, neutral, number in rows:
            if neutral:
                assert [case.urn for case in engine.resolve_case(case_number=neutral).cases] == [urn]
            if number:
                found = engine.resolve_case(case_number=number, limit=10).cases
                assert urn in {case.urn for case in found} <= {row[0] for row in rows}


def test_a_court_is_not_found_inside_the_name_of_another() -> None:
    assert court_spellings("最高裁判所") == ["最高裁判所", "最高裁"]
    assert court_spellings("東京地裁") == ["東京地裁", "東京地方裁判所"]
    assert "EWHC" in [spelling.upper() for spelling in court_spellings("High Court")]
    assert court_spellings("Court of Nowhere") == ["Court of Nowhere"]


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("2d Cir.", ["Court of Appeals for the Second Circuit", "ca2"]),
        ("United States Court of Appeals for the Second Circuit", ["2d Cir.", "ca2"]),
        ("S.D.N.Y.", ["District Court, S.D. New York", "nysd"]),
        ("Mass.", ["Massachusetts Supreme Judicial Court"]),
    ],
)
def test_an_american_court_is_known_by_its_abbreviation(name: str, others: list[str]) -> None:
    assert set(others) <= set(court_spellings(name))


def test_a_name_that_is_a_part_of_other_courts_names_is_no_spelling() -> None:
    assert "mass" not in court_spellings("Massachusetts Supreme Judicial Court")
    assert "Mass." not in court_spellings("Massachusetts Supreme Judicial Court")
