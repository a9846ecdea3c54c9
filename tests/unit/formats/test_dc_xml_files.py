"""Which files the D.C. Code parser takes, and which it refuses to follow an include to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from rag.ingest.formats.base import Source
from rag.ingest.formats.dc_xml.parser import DcXml
from rag.law.nodes import ParsedDocument
from retrieval.errors import IngestError

DECLARED = (
    'xmlns="https://code.dccouncil.us/schemas/dc-library" '
    'xmlns:xi="http://www.w3.org/2001/XInclude" containing-doc="D.C. Code"'
)
CODE = "urn:lex:us-dc:code"
FORMAT = DcXml()


def title(inner: str) -> str:
    return f"<container {DECLARED}><prefix>Title</prefix><num>51</num><heading>Ferries.</heading>{inner}</container>"


def section(number: str, inner: str = "<text>Words.</text>") -> str:
    return f"<section {DECLARED}><num>{number}</num><heading>Heading.</heading>{inner}</section>"


def include(target: str) -> str:
    return f'<xi:include href="./sections/{target}.xml"/>'


def write(root: Path, index: str, files: Mapping[str, str] | None = None) -> Path:
    path = root / "index.xml"
    for file, text in {"index.xml": index, **(files or {})}.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text, encoding="utf-8")
    return path


def parse(root: Path, index: str, files: Mapping[str, str] | None = None) -> ParsedDocument:
    path = write(root, index, files)
    return FORMAT.parse(Source(path, root, FORMAT.parts(path, root)))


def test_containers_in_files_of_their_own_are_read_in_order(tmp_path: Path) -> None:
    inner = f"<container {DECLARED}><prefix>Chapter</prefix><num>7</num><heading>Seven.</heading>"
    inner += '<xi:include href="../sections/51-701.xml"/></container>'
    files = {"chapters/7.xml": inner, "sections/51-701.xml": section("51-701"), "sections/51-1.xml": section("51-1")}
    index = title('<xi:include href="chapters/7.xml"/>' + include("51-1"))
    document = parse(tmp_path, index, files)
    assert FORMAT.parts(tmp_path / "index.xml", tmp_path) == tuple(
        tmp_path / name for name in ("chapters/7.xml", "sections/51-701.xml", "sections/51-1.xml")
    )
    assert [node.urn for node in document.nodes[2:]] == [f"{CODE}:51-701", f"{CODE}:51-1"]
    before = document.source_hash
    (tmp_path / "sections/51-701.xml").write_text(section("51-701", "<text>New.</text>"), encoding="utf-8")
    path = tmp_path / "index.xml"
    assert FORMAT.parse(Source(path, tmp_path)).source_hash != before


@pytest.mark.parametrize(
    ("href", "cause"),
    [
        ("sections/none.xml", "the included file sections/none.xml is missing"),
        ("../secret.xml", "names no file inside"),
        ("sections/../../secret.xml", "names no file inside"),
        ("%2e%2e/secret.xml", "names no file inside"),
        ("/etc/hostname", "names no file inside"),
        ("https://example.org/a.xml", "names no file inside"),
        ("file:///etc/hostname", "names no file inside"),
        ("", "names no file inside"),
        ("a%00.xml", "names no file inside"),
        ("link.xml", "names no file inside"),
        ("sections", "is missing"),
        ("index.xml", "is included twice or includes itself"),
    ],
)
def test_includes_that_leave_the_folder_or_lead_nowhere_are_refused(tmp_path: Path, href: str, cause: str) -> None:
    root = tmp_path / "root"
    write(root, "\n" + title(f'\n<xi:include href="{href}"/>'), {"sections/51-1.xml": section("51-1")})
    (tmp_path / "secret.xml").write_text(section("51-9"), encoding="utf-8")
    (root / "link.xml").symlink_to(tmp_path / "secret.xml")
    with pytest.raises(IngestError) as error:
        FORMAT.parts(root / "index.xml", root)
    assert cause in error.value.cause
    assert (error.value.file, error.value.line) == ("index.xml", 3)


def test_includes_that_go_round_in_a_circle_are_refused(tmp_path: Path) -> None:
    loop = f'<container {DECLARED}><prefix>Chapter</prefix><num>1</num><heading/><xi:include href="{{}}"/></container>'
    files = {"a.xml": loop.format("b.xml"), "b.xml": loop.format("a.xml")}
    with pytest.raises(IngestError, match=r"b\.xml:1: a\.xml is included twice or includes itself"):
        parse(tmp_path, title('<xi:include href="a.xml"/>'), files)


@pytest.mark.parametrize(
    ("text", "claimed", "reason"),
    [
        (title(""), True, ""),
        ("\ufeff<?xml version='1.0'?>\n<!-- a -->" + title(""), True, ""),
        (section("51-1"), False, "part of a title's index.xml"),
        (title("").replace("Title", "Chapter"), False, "part of a title's index.xml"),
        (
            title("").replace('"D.C. Code"', '"D.C. Law 21-1"'),
            False,
            "part of D.C. Law 21-1, which is not the D.C. Code",
        ),
        (f'<document {DECLARED} id="D.C. Code"/>', False, "index of the code; its titles are documents of their own"),
        (f'<document {DECLARED} id="D.C. Law 21-1"/>', False, "an act or another document of the library"),
        (f"<library {DECLARED}><heading/></library>", False, "a library of the Council's library"),
        ("<container><prefix>Title</prefix></container>", False, ""),
        ("<!-- --><" * 400, False, ""),
        ('{"urn": "x"}', False, ""),
    ],
)
def test_files_are_claimed_or_explained(text: str, claimed: bool, reason: str) -> None:
    head = text.encode()[:4096]
    assert FORMAT.claims(Path("index.xml"), head) is claimed
    explained = FORMAT.skips(Path("index.xml"), head)
    assert explained.startswith(reason)
    assert bool(explained) == bool(reason)


def test_a_lone_section_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match=r"part of a title's index\.xml"):
        FORMAT.parse(Source(write(tmp_path, section("51-1")), tmp_path))
