"""A grammar that is not asked, since a text cannot hold its law, would have found nothing: over examples, the data sets
of citations and random mixes of them.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import THOROUGH, share_of
from hypothesis import given
from hypothesis import strategies as st

from rag.jurisdictions.registry import BuiltIn, all_jurisdictions
from rag.jurisdictions.tables import laws_of

GRAMMARS = [jurisdiction for jurisdiction in all_jurisdictions() if isinstance(jurisdiction, BuiltIn)]
WRITTEN = list(dict.fromkeys(text for grammar in GRAMMARS for text, _ in (*grammar.examples, *grammar.query_examples)))
# With one sign each by which a grammar can be told to look.
SPARSE = (
    "MGL c. 93A", "MGL 93A", "940 Code Mass. Regs. 3.17", "ALM GL 93A", "Anlage 1 BGB", "Anhang 2 BGB",
    "Paragraf 5 BGB",
    "12 DCMR 308", "3 DCR 12", "Priv L 96-164", "PL 115-264", "IRC sec 61", "90 Stat. 2541", "Treas Reg 1.61-1",
    "FRE 403",
    "C. civ. R. 5", "du CGI, 5", "titre II du CPC", "annexe II au CGI", "CPR 3.4(2)(c)", "PACE s 24", "HA 1988 s 21",
    "1968 c 60", "2003 asp 2", "(1999) 1 AC 5", "2010 SC 5", "theft act 1968", "Statutory Instrument 2013/3134",
    "C-131/12", "EU:C:2014:317", "JO L 119", "eIDAS", "traité sur l’Union européenne", "gdpr", "32016r0679", "6/64",
    "VIII ZR 277/16", "5 AZR 1/20", "Richtlinie 95/46/EG", "刑訴", "附則", "ホ",
)  # fmt: skip
_WORDS = sorted({word for text in (*WRITTEN, *SPARSE) for word in re.findall(r"\S+|\s+", text)})
_JOINTS = ("", " ", ", ", " of the ", " du ", " des ", " § ", "\n", "\u00a0")
_CITATIONS = ("citations-citeurl", "citations-quantlaw-de", "citations-unitedstates")
_LONGEST = 600  # characters of what someone gives as a reference


def _unasked(text: str) -> list[str]:
    """The grammars that find something in a text and would not have been asked."""
    missed = [
        grammar.code
        for grammar in GRAMMARS
        if not grammar.can_cite(text) and grammar.grammar.find_references(text, None)
    ]
    if len(text) <= _LONGEST:
        missed += [
            f"{grammar.code}?" for grammar in GRAMMARS if not grammar.can_be(text) and grammar.grammar.tag_queries(text)
        ]
    return missed


@pytest.mark.parametrize("text", list(dict.fromkeys((*WRITTEN, *SPARSE))))
def test_every_example_is_read_by_all_grammars_that_know_it(text: str) -> None:
    for written in (text, text.lower(), text.upper(), f"Does {text} apply, please?"):
        assert _unasked(written) == []


@pytest.mark.parametrize("name", _CITATIONS)
def test_published_citations_are_read_by_all_grammars_that_know_them(name: str, shared_data: Path) -> None:
    folder = shared_data / name
    if not folder.is_dir():
        pytest.skip(f"the shared data has no {name}")
    files = [file for file in sorted(folder.iterdir()) if file.suffix in (".json", ".jsonl", ".txt")]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert lines
    assert {line: missed for line in lines if (missed := _unasked(line.strip()))} == {}


def test_cut_and_joined_references_are_read_by_all_grammars_that_know_them() -> None:
    rng = random.Random(20261122)
    for _ in range(share_of(900)):
        first, second = rng.choice(WRITTEN), rng.choice(WRITTEN)
        begin, end = rng.randrange(len(first) + 1), rng.randrange(len(second) + 1)
        text = first[:begin] + rng.choice(_JOINTS) + second[end:]
        assert _unasked(text) == [], text


@given(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=8).map("".join))
def test_mixed_words_of_references_are_read_by_all_grammars_that_know_them(text: str) -> None:
    assert _unasked(text) == []


@pytest.mark.parametrize("country", ["de", "eu", "fr", "gb", "jp", "us"])
def test_every_law_of_a_table_is_asked_for_by_its_names(country: str) -> None:
    for law in laws_of(country).laws[:: 1 if THOROUGH else 4]:
        for name in (law.title, *law.names, *law.abbreviations, *law.any_case, *law.doubtful, *law.english):
            for text in (
                f"article 3 of the {name}",
                f"titre II du {name}",
                f"{name} § 5",
                f"s 5 {name}",
                f"第5条 {name}",
            ):
                assert _unasked(text) == [], text


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("May a landlord keep a deposit for a year?", set[str]()),
        ("940 CMR 3.17(4)", {"us-ma"}),
        ("民法第七百九条", {"jp"}),
        ("§ 535 BGB", {"de", "eu", "us", "us-dc", "us-ma"}),
        ("16 C.F.R. § 310.4(b)", {"de", "us", "us-dc", "us-ma"}),
    ],
)
def test_other_grammars_are_left_alone(text: str, asked: set[str]) -> None:
    assert {grammar.code for grammar in GRAMMARS if grammar.can_cite(text)} <= asked


_READING = """
import json, sys
from rag.jurisdictions.registry import all_jurisdictions, jurisdiction_for
known = [one.code for one in all_jurisdictions()]
found = {call}
print(json.dumps([len(found), [name for name in sys.modules if name.startswith("rag.")]]))
"""
_OURS = {"registry", "tables", "grammar"}


@pytest.mark.parametrize(
    ("call", "packages"),
    [
        ("known", set[str]()),
        ('jurisdiction_for("us-ma").find_references("M.G.L. c. 93A, § 2 and 15 U.S.C. § 45", None)', {"us"}),
        ('[one for each in all_jurisdictions() for one in each.find_references("民法709条", None)]', {"jp"}),
        ('[one for each in all_jurisdictions() for one in each.find_references("940 CMR 3.17(4)", None)]', {"us"}),
    ],
)
def test_only_the_grammars_asked_are_imported(call: str, packages: set[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _READING.format(call=call)], capture_output=True, text=True, check=True
    )
    found, names = json.loads(done.stdout)
    assert found
    assert {name.split(".")[2] for name in names if name.startswith("rag.jurisdictions.")} - _OURS == packages
    languages = {"jp": "ja", "us": "en"}
    spoken = {name.split(".")[2] for name in names if name.startswith("rag.languages.")} & {"de", "en", "fr", "ja"}
    assert spoken <= {languages[country] for country in packages}
