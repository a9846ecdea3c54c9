"""The tables of laws say what they must, and a law that is added to one is found by its name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from rag.jurisdictions.de.naming import law_urn
from rag.jurisdictions.fr.naming import law_identity
from rag.jurisdictions.jp.laws import law_of_number
from rag.jurisdictions.registry import Registered
from rag.jurisdictions.tables import laws_of, read_laws
from retrieval.errors import ConfigurationError

_ADDED = """
[[law]]
id = "zauberg"
title = "Zaubereigesetz"
abbreviations = ["ZauberG"]
"""
_READING = """
import json
from rag.jurisdictions.registry import jurisdiction_for
found = jurisdiction_for({code!r}).find_references({text!r}, None)
print(json.dumps([[list(one.urns), one.confident] for one in found]))
"""


def _read_by_another_process(code: str, text: str, folder: Path | None) -> list[list[object]]:
    environment = {name: value for name, value in os.environ.items() if name != "LEXSCOPE_LAWS"}
    if folder is not None:
        environment["LEXSCOPE_LAWS"] = str(folder)
    script = _READING.format(code=code, text=text)
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("code", "entry", "text", "urn"),
    [
        ("de", _ADDED, "§ 3 ZauberG", "urn:lex:de:zauberg:3"),
        ("de", _ADDED, "§ 3 des Zaubereigesetzes", "urn:lex:de:zauberg:3"),
        (
            "fr",
            '[[law]]\nid = "code-de-la-magie"\ntitle = "Code de la magie"\nabbreviations = ["C. mag."]\n',
            "C. mag., art. 3",
            "urn:lex:fr:code-de-la-magie:3",
        ),
        (
            "gb",
            '[[law]]\nid = "ukpga-1735-5"\ntitle = "Witchcraft Act 1735"\n',
            "section 3 of the Witchcraft Act 1735",
            "urn:lex:gb:ukpga-1735-5:3",
        ),
        (
            "eu",
            '[[law]]\nid = "32030r0001"\ntitle = "Magic Regulation"\nnames = ["Magic Regulation"]\n',
            "Article 3 of the Magic Regulation",
            "urn:lex:eu:32030r0001:3",
        ),
        (
            "jp",
            '[[law]]\nid = "501ac0000000777"\ntitle = "魔法法"\nnumber = "令和元年法律第七百七十七号"\n',
            "魔法法第三条",
            "urn:lex:jp:501ac0000000777:3",
        ),
        ("us", '[[law]]\nid = "15usc"\ntitle = "Lanham Act"\n', "Lanham Act § 3", "urn:lex:us:15usc:3"),
    ],
)
def test_an_added_law_is_found_by_its_name(code: str, entry: str, text: str, urn: str, tmp_path: Path) -> None:
    before = _read_by_another_process(code, text, None)
    assert [[urn], True] not in before
    (tmp_path / f"{code}.toml").write_text(entry, encoding="utf-8")
    assert _read_by_another_process(code, text, tmp_path) == [[[urn], True]]


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ('[[law]]\nid = "bgb"\n', "entry 1 (without a title): write its title"),
        ('[[law]]\ntitle = "A"\n\n[[law]]\ntitle = "B"\nname = ["C"]\n', "entry 2 (B): the column name is unknown"),
        ('[[law]]\ntitle = "A"\nnames = "B"\n', 'entry 1 (A): names takes a list of words, such as ["BGB", "StGB"]'),
        ('[[law]]\ntitle = "A"\nsince = "1978-01-06"\n', "since takes a day without quotation marks"),
        ('[[law]]\ntitle = "A"\nid = "Big Law"\n', "id has lower-case letters, digits, hyphens and points only"),
        ('[[law]]\ntitle = "A"\nnames = [""]\n', "a name is empty or has a space before or behind it"),
        ('foreign = "ABGB"\n', "foreign is not a list of words"),
        ("[[law]\n", "is no TOML file in UTF-8"),
    ],
)
def test_an_error_names_the_file_the_entry_and_what_to_do(written: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "laws.toml"
    file.write_text(written, encoding="utf-8")
    with pytest.raises(ConfigurationError) as refused:
        read_laws(file)
    assert told in str(refused.value)
    assert str(file) in str(refused.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"de\.toml cannot be read"):
        read_laws(tmp_path / "de.toml")


def test_the_ids_are_what_stored_laws_have() -> None:
    assert all(f"urn:lex:de:{law.id}" == law_urn(law.abbreviations[0]) for law in laws_of("de").laws)
    assert all(f"urn:lex:fr:{law.id}" == law_identity(law.title).urn for law in laws_of("fr").laws)
    numbered = {law.title: law_of_number(law.number) for law in laws_of("jp").laws}
    assert all(number is not None for number in numbered.values())
    assert all(
        (number := numbered[law.title]) is not None and number.urn == f"urn:lex:jp:{law.id}"
        for law in laws_of("jp").laws
    )


@pytest.mark.parametrize("country", ["de", "eu", "fr", "gb", "jp", "us"])
def test_the_head_of_a_table_explains_every_column_in_it(country: str) -> None:
    path = Path(sys.modules["rag.jurisdictions.tables"].__file__ or "").parent / country / "laws.toml"
    lines = path.read_text(encoding="utf-8").splitlines()
    explained = {line.split()[1] for line in lines if line.startswith("#   ")}
    used = {line.partition(" = ")[0] for line in lines if " = " in line and not line.startswith(("#", " "))}
    assert used - {"foreign", "no_law"} <= explained


def test_a_registered_jurisdiction_is_loaded_when_needed() -> None:
    point = EntryPoint("gb", "rag.jurisdictions.gb.jurisdiction:JURISDICTION", "lexscope.jurisdictions")
    registered = Registered(point)
    assert registered.code == "gb"
    assert [reference.urns for reference in registered.find_references("section 1 of the Theft Act 1968", None)] == [
        ("urn:lex:gb:ukpga-1968-60:1",)
    ]


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("U$A", "rag.jurisdictions.gb.jurisdiction:JURISDICTION", "must be named by the code of its jurisdiction"),
        ("fr", "rag.jurisdictions.gb.jurisdiction:JURISDICTION", "is the jurisdiction gb: name it by its code"),
        ("gb", "rag.jurisdictions.gb.nowhere:JURISDICTION", "cannot be loaded: ModuleNotFoundError"),
        ("gb", "rag.jurisdictions.gb.jurisdiction:GRAMMAR", "is not a jurisdiction: it lacks .*tag_queries"),
        ("gb", "rag.jurisdictions.grammar.kernel:CountryLaw", "register an instance"),
    ],
)
def test_a_registered_jurisdiction_that_is_none_is_refused(name: str, value: str, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told.replace("(", r"\(")):
        Registered(EntryPoint(name, value, "lexscope.jurisdictions")).find_references("x", None)
