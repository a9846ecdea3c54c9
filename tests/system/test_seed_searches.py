"""Every example of the specification's `search` tool, through the real MCP client, on French law, the D.C. Code and
decisions: each returns what it is said to mean."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Stores
from mcp_calls import call
from search_law import Row, cites, head, node

from rag import Engine, Settings

CIVIL = "urn:lex:fr:code-civil"
DC = "urn:lex:us-dc:code"
LAW = "urn:lex:fr:loi-2004-575"
A1240, A1353, JORF = "fr.legiarti000032041571", "fr.legiarti000006436298", "fr.jorftext000032004539"
CASSATION, GRADED, LOWER = "urn:lex:fr:cass-22-1", "urn:lex:fr:ce-400-1", "urn:lex:fr:tj-5-1"
UNION = "urn:lex:eu:62012cj0131"
ACCO, KALI = "urn:lex:fr:accord-1", "urn:lex:fr:kali-3239"
REFORM = "2016-10-01"


def _root(urn: str, language: str, kind: str = "section", **more: object) -> list[Row]:
    name = urn.rpartition(":")[2]
    return [head(urn, language, name), node(urn, kind, parent=None, structure_type="ROOT", heading=name) | more]


def _decision(urn: str, language: str, text: str, *targets: str, **tags: str) -> list[Row]:
    paragraph = node(f"{urn}:1", "decision", text, links=cites(*targets))
    return [*_root(urn, language, "decision", tags=tags), paragraph]


def _agreement(urn: str, text: str, **tags: str) -> list[Row]:
    article = node(f"{urn}:1", "legislation", text, structure_type="ARTICLE", valid_from="2010-01-01")
    return [*_root(urn, "fr", tags={"type": "collective_agreement", **tags}), article]


def _article(number: str, text: str, **more: object) -> Row:
    tags = {"article_number": number, "code": "Code civil"}
    return node(f"{CIVIL}:{number.lower()}", "legislation", text, structure_type="ARTICLE", tags=tags) | more


# A document's file is one name of its source: the two agreements come from two databases.
FILES: dict[str, list[Row]] = {
    "civil.jsonl": [
        *_root(CIVIL, "fr", level="code", tags={"code": "Code civil"}),
        _article("1240", "Le paiement fait de bonne foi à celui qui possède la créance est valable.",
                 valid_from="1804-02-17", valid_to=REFORM),
        _article("1240", "Tout fait de l'homme qui cause un dommage engage sa responsabilité civile.",
                 valid_from=REFORM, aliases=[A1240], links=cites(LAW, kind="modified_by")),
        _article("1353", "Celui qui réclame l'exécution d'une obligation doit la prouver.", valid_from=REFORM,
                 aliases=[A1353]),
        _article("R2-1", "Le décret fixe le tarif.", valid_from="2000-01-01"),
    ],
    "loi.jsonl": [
        *_root(LAW, "fr", aliases=[JORF], tags={"nature": "LOI", "number": "2004-575"}),
        node(f"{LAW}:1", "legislation", "La communication au public est libre.", structure_type="ARTICLE",
             valid_from="2004-06-22"),
    ],
    "acco": _agreement(ACCO, "La prime de vélo est versée chaque mois."),
    "kali": _agreement(KALI, "Le salarié du particulier employeur est mensualisé.", idcc="3239"),
    "cass.jsonl": _decision(CASSATION, "fr", "La responsabilité civile est engagée ; la preuve déloyale est écartée.",
                            f"{CIVIL}:1240", f"{CIVIL}:1353", court="cassation", date="2023-12-22",
                            formation="Assemblée plénière"),
    "ce.jsonl": _decision(GRADED, "fr", "La requête est rejetée, la preuve étant déloyale.", f"{CIVIL}:1240",
                          court="Conseil d'État", date="2019-03-04", official_grade="A"),
    "tj.jsonl": _decision(LOWER, "fr", "La demande en responsabilité est accueillie.",
                          court="Tribunal judiciaire de Lyon", date="2021-05-06"),
    "cjue.jsonl": _decision(UNION, "fr", "L'exploitant d'un moteur de recherche est responsable.",
                            court="Cour de justice", date="2014-05-13"),
    "regulation.jsonl": [
        *_root("urn:lex:eu:32016r0679", "fr"),
        node("urn:lex:eu:32016r0679:1", "legislation", "Le présent règlement protège les personnes.",
             structure_type="ARTICLE"),
    ],
    "dc.jsonl": [
        *_root(DC, "en", tags={"code": "D.C. Code"}),
        node(f"{DC}:28-3904", "legislation", "It is unlawful to mislead a consumer.", valid_from="2000-10-01",
             tags={"section_number": "28-3904"}),
        node(f"{DC}:28-3910", "legislation", "Repealed.", tags={"status": "repealed"}),
        node(f"{DC}:28-3911", "notice", "The fund is published each year.", valid_from="2001-01-01"),
    ],
}  # fmt: skip
FRENCH_LAW = {f"{CIVIL}:1240", f"{CIVIL}:1353", f"{CIVIL}:r2-1", f"{LAW}:1"}
AGREEMENTS = {f"{ACCO}:1", f"{KALI}:1"}
RULINGS = {CASSATION, GRADED, LOWER}
FR_DECISIONS = {"jurisdiction": "fr", "kind": "decision"}
FR_LAW = {"jurisdiction": "fr", "kind": "legislation"}

# What is asked for beside language="fr", and the documents' nodes that it means, whatever their order.
EXAMPLES: list[tuple[dict[str, Any], set[str]]] = [
    ({"query": "responsabilite civile", "tags": {**FR_DECISIONS, "court": "cassation"}}, {f"{CASSATION}:1"}),
    ({"tags": {**FR_LAW, "type": "collective_agreement", "idcc": "3239"}}, {f"{KALI}:1"}),
    ({"tags": {**FR_LAW, "source": "acco", "type": "collective_agreement"}}, {f"{ACCO}:1"}),
    ({"tags": {**FR_DECISIONS, "importance_level": "highest_importance"}}, {GRADED}),
    ({"tags": {**FR_DECISIONS, "official_grade": "A"}}, {GRADED}),
    (
        {"tags": {"jurisdiction": "eu|fr", "kind": "decision", "court_level": "supreme|supranational"}},
        {CASSATION, GRADED, UNION},
    ),
    ({"tags": {**FR_LAW, "source": "!=acco|kali"}}, FRENCH_LAW),
    (
        {"tags": {"jurisdiction": "eu|fr", "kind": "legislation|decision"}},
        {*FRENCH_LAW, *AGREEMENTS, *RULINGS, UNION, "urn:lex:eu:32016r0679:1"},
    ),
    ({"tags": {"jurisdiction": "*", "kind": "decision", "official_grade": "*"}}, {GRADED}),
    ({"tags": FR_DECISIONS, "edges": {"cites": A1240}}, {CASSATION, GRADED}),
    ({"query": "preuve deloyale", "tags": {"jurisdiction": "fr"}, "edges": {"cites": A1240}},
     {f"{CASSATION}:1", f"{GRADED}:1"}),
    ({"tags": {"jurisdiction": "fr"}, "edges": {"cites": f"{A1240}&{A1353}"}}, {CASSATION}),
    ({"tags": {"jurisdiction": "fr"}, "edges": {"*": JORF}}, {f"{CIVIL}:1240"}),
]  # fmt: skip


@pytest.fixture(scope="module")
def engine(stores: Stores, empty_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder: Path = tmp_path_factory.mktemp("law")
    for name, rows in FILES.items():
        (folder / name).write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    settings: Settings = stores.clone(empty_template)
    with Engine.open(settings) as opened:
        assert opened.ingest([folder]).rejected == []
        yield opened
    stores.drop(settings)


@pytest.mark.anyio
@pytest.mark.parametrize(("arguments", "expected"), EXAMPLES, ids=lambda one: json.dumps(one) if "tags" in one else "")
async def test_an_example_returns_what_it_is_said_to_mean(
    engine: Engine, arguments: dict[str, Any], expected: set[str]
) -> None:
    found = await call(engine, "search", language="fr", limit=100, **arguments)
    assert {result["urn"] for result in found["results"]} == expected


@pytest.mark.anyio
async def test_an_article_is_found_as_it_read_on_a_day(engine: Engine) -> None:
    then = await call(engine, "search", language="fr", query="article 1240", tags=FR_LAW, at_date="2015-06-15")
    assert then["results"][0]["urn"] == f"{CIVIL}:1240"
    assert "bonne foi" in then["results"][0]["snippet"]
    now = await call(engine, "search", language="fr", query="article 1240", tags=FR_LAW)
    assert "dommage" in now["results"][0]["snippet"]


@pytest.mark.anyio
async def test_discovery_counts_courts_and_lists_keys_and_kinds_of_edges(engine: Engine) -> None:
    async def values(**arguments: object) -> dict[str, int]:
        found = await call(engine, "search", language="fr", **arguments)
        return {entry["value"]: entry["count"] for entry in found["values"]}

    courts = {"cassation": 1, "Conseil d'État": 1, "Tribunal judiciaire de Lyon": 1}
    assert await values(tags=FR_DECISIONS, discover="court") == courts
    keys = {"court", "court_level", "date", "formation", "formation_solemnity", "importance_level", "official_grade"}
    assert set(await values(tags=FR_DECISIONS, discover="*")) == {*keys, "type"}
    assert await values(tags={**FR_LAW, "source": "!=acco|kali"}, discover="document_form") == {"act": 1, "code": 1}
    kinds = await values(tags={"jurisdiction": "fr"}, discover="edge_kinds")
    assert (kinds["cites"], kinds["modified_by"]) == (3, 1)


@pytest.mark.anyio
async def test_the_conventional_tags_filter_law_of_every_jurisdiction(engine: Engine) -> None:
    async def urns(language: str, **tags: str) -> set[str]:
        found = await call(engine, "search", language=language, tags={"jurisdiction": "*", **tags}, limit=100)
        return {result["urn"] for result in found["results"]}

    assert await urns("en", type="statute") == {f"{DC}:28-3904", f"{DC}:28-3910", f"{DC}:28-3911"}
    assert await urns("en", enforcement_status="in_force") == {f"{DC}:28-3904"}
    assert await urns("en", enforcement_status="!=in_force") == {f"{DC}:28-3910"}
    assert await urns("fr", type="statute") == {f"{LAW}:1"}
    assert await urns("fr", type="decree", document_form="code") == {f"{CIVIL}:r2-1"}
    assert await urns("fr", type="regulation") == {"urn:lex:eu:32016r0679:1"}
    assert await urns("fr", type="judgment") == {*RULINGS, UNION}
    assert await urns("fr", formation_solemnity="full_court") == {CASSATION}
    assert await urns("fr", court_level="first_instance") == {LOWER}


def test_a_published_french_code_is_found_by_what_its_publication_says(
    stores: Stores, empty_template: str, shared_data: Path
) -> None:
    code = "urn:lex:fr:code-des-relations-entre-le-public-et-l-administration"
    settings = stores.clone(empty_template)
    with Engine.open(settings) as engine:
        assert engine.ingest([shared_data / "fr-legi-json" / "LEGITEXT000031366350.json"]).rejected == []

        def counted(key: str) -> dict[str, int]:
            found = engine.search(tags={"jurisdiction": "fr"}, discover=key, at_date="2026-05-28")
            return {value.value: value.count for value in found.values}

        assert {*counted("type")} == {"statute", "decree"}
        assert counted("document_form") == {"code": 1}
        everything = engine.search(tags={"jurisdiction": "fr"}).total
        assert engine.search(tags={"jurisdiction": "fr", "document_form": "code"}).total == everything > 0
        assert {"in_force", "deferred_repeal"} <= {*counted("enforcement_status")}
        decrees = engine.search(tags={"jurisdiction": "fr", "type": "decree"}, limit=100).results
        assert {decree.urn.removeprefix(f"{code}:")[0] for decree in decrees} == {"r", "d"}
    stores.drop(settings)
