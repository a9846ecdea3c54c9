"""Published law for the tests of the specification: small works whole, large ones cut to some provisions.

What is cut keeps the publisher's own lines. Nothing else is written by us.
"""

from __future__ import annotations

import csv
import re
import shutil
import sys
from pathlib import Path

# Read where they lie, below `../shared/data`.
WHOLE = (
    "uscode-uslm/usc09.xml", "uscode-uslm/usc04.xml", "eu-gdpr/gdpr.json", "fr-legi-json", "jp-egov-xml",
    "uk-clml/ukpga_1949_30_kqpap_enacted.xml", "uk-clml/ukpga-2000-38-section-19.xml",
    "uk-clml/ukpga-2000-38-section-19-2014-04-01.xml", "uk-clml/ukpga-1996-31-section-20-2010-01-12.xml",
    "uk-clml/uksi_20140333_en.xml", "uk-clml/eur_20140319_adopted_en.xml", "uk-clml/eudn_2004_605_adopted.xml",
    "uk-judgments-akn/test8.xml", "uk-judgments-akn/test24.xml", "uk-judgments-akn/test40.xml",
)  # fmt: skip
CIVIL = {"1", "2", "4", "1147", "1240", "1241", "1353", "1382"}  # articles of the Code civil, in two editions
BGB = {"1", "13", "14", "535", "551", "823", "826"}
DC = re.compile(r"28-(?:39\d\d|45\d\d)\.xml")  # consumer protection, restraints of trade
OPINIONS = 40
CHUNKS = 60


def write_published(data: Path, folder: Path) -> list[Path]:
    """The files to ingest: those of the publishers' folders, and what is cut from others into `folder`."""
    for name, most in (
        ("us-scotus-opinions/opinions.jsonl", OPINIONS),
        ("uscode-md-chunks/title-15-selected.jsonl", CHUNKS),
    ):
        lines = (data / name).read_text(encoding="utf-8").splitlines()[:most]
        (folder / Path(name).name).write_text("\n".join(lines), encoding="utf-8")
    for name in ("LEGITEXT000006070721@2016-08-10.md", "LEGITEXT000006070721.md"):
        _cut(data / "fr-legalize-md" / name, folder / name, re.compile(r"^(?:#+ )?Article ([\w-]+)$", re.M), CIVIL)
    _cut(data / "de-gesetze-md" / "bgb.md", folder / "bgb.md", re.compile(r"^#+ § (\w+)\b.*$", re.M), BGB)
    title = data / "dc-code-xml/us/dc/council/code/titles/28"
    (folder / "sections").mkdir()
    index = (title / "index.xml").read_text(encoding="utf-8")
    lines = [line for line in index.splitlines() if "xi:include " not in line or DC.search(line)]
    (folder / "index.xml").write_text("\n".join(lines), encoding="utf-8")
    for section in (title / "sections").iterdir():
        if DC.fullmatch(section.name):
            shutil.copy(section, folder / "sections")
    return [*(data / name for name in WHOLE), folder]


def write_plain(data: Path, folder: Path) -> list[Path]:
    """Plain documents of two publishers: sections of a tax code as text, and terms of service of a benchmark."""
    names = ("section2", "section63", "section68", "section151", "section152", "section7703")
    written = [folder / f"{name}.txt" for name in names]
    for path in written:
        shutil.copy(data / "sara" / path.name, path)
    csv.field_size_limit(sys.maxsize)
    [table] = (data / "legalbench" / "consumer_contracts_qa").glob("*.tsv")
    with table.open(encoding="utf-8", newline="") as lines:
        contracts = dict.fromkeys(row["contract"] for row in csv.DictReader(lines, delimiter="\t"))
    for number, contract in enumerate(contracts, 1):
        written.append(folder / f"terms-{number}.txt")
        written[-1].write_text(contract, encoding="utf-8")
    return written


def _cut(source: Path, to: Path, provision: re.Pattern[str], kept: set[str]) -> None:
    """The file's lines but those of provisions that are not among `kept`; its headings stay."""
    wanted = True
    lines: list[str] = []
    for line in source.read_text(encoding="utf-8").splitlines():
        if match := provision.match(line):
            wanted = match[1] in kept
        elif line.startswith("#"):
            wanted = True
        if wanted:
            lines.append(line)
    to.write_text("\n".join(lines) + "\n", encoding="utf-8")
