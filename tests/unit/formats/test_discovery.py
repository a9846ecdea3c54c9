"""What a path holds: documents, parts, and what is refused or left out by name."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from conftest import share_of
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rag.ingest.formats import registry
from rag.ingest.formats.base import HEAD_BYTES, Format
from rag.ingest.formats.encoding import without_mark
from rag.ingest.formats.registry import all_formats, discover, format_named, plain_formats
from retrieval.errors import ConfigurationError, IngestError


def test_a_document_type_with_entities_is_refused_in_a_folder_too(tmp_path: Path) -> None:
    (tmp_path / "law.xml").write_text('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]><x>&e;</x>')
    found = discover(tmp_path)
    assert [(error.file, "DOCTYPE" in error.cause) for error in found.rejected] == [("law.xml", True)]
    assert not found.other


def test_utf_16_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "law.xml").write_bytes("<?xml version='1.0'?><ECFR/>".encode("utf-16"))
    assert [error.cause for error in discover(tmp_path).rejected] == ["is UTF-16; save it as UTF-8"]


def test_a_pipe_is_named_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert discover(tmp_path).skipped == [("pipe", "not a regular file")]
    with pytest.raises(IngestError, match="not a regular file"):
        discover(tmp_path / "pipe")


def test_a_link_to_a_folder_is_named_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "notes.txt").write_text("not law")
    (tmp_path / "law" / "sub").mkdir(parents=True)
    (tmp_path / "law" / "sub" / "link").symlink_to(tmp_path / "elsewhere")
    found = discover(tmp_path / "law")
    assert [name for name, _ in found.skipped] == ["sub/link"]
    assert "not followed" in found.skipped[0][1]
    # The folder that the user names may be a link itself.
    assert [name for name, _ in discover(tmp_path / "law" / "sub" / "link").skipped] == ["notes.txt"]


def test_a_path_that_is_not_there_is_named_as_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (Path("laws/act.txt"), tmp_path / "laws"):
        with pytest.raises(IngestError) as refused:
            discover(path)
        assert refused.value.file == str(path)


def test_a_folder_without_a_file_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "law" / "sub").mkdir(parents=True)
    assert [(error.file, error.cause) for error in discover(tmp_path / "law").rejected] == [
        ("law", "the folder holds no file")
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
def test_a_folder_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "shut").mkdir(mode=0)
    assert [error.file for error in discover(tmp_path).rejected] == ["shut"]


def test_a_file_that_is_not_what_it_was_named_as_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not law")
    with pytest.raises(IngestError, match="is not ecfr_xml"):
        discover(tmp_path / "notes.txt", format_named("ecfr_xml"))
    with pytest.raises(IngestError, match="no known format"):
        discover(tmp_path / "notes.txt")
    with pytest.raises(ConfigurationError, match="lexjsonl"):
        format_named("bogus")


def test_hidden_files_and_the_list_of_a_fetch_are_named_and_not_read(tmp_path: Path) -> None:
    words = '{"lexscope": 1, "corpus": {"urn": "urn:lex:us:tc", "title": "T", "language": "en"}}\n'
    for name in ("law.jsonl", ".fetch/law.jsonl.part", ".git/deep/law.jsonl", ".law.jsonl", "sub/manifest.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(words)
    (tmp_path / "manifest.json").write_text("{}")
    found = discover(tmp_path)
    # A file of that name is the list of a fetch only where a fetch was at work.
    assert [source.name for _, source in found.sources] == ["law.jsonl", "sub/manifest.json"]
    assert [name for name, _ in found.skipped] == [
        ".fetch/law.jsonl.part", ".git/deep/law.jsonl", ".law.jsonl", "manifest.json"
    ]  # fmt: skip
    assert "lexscope fetch" in found.skipped[-1][1]
    assert not found.other


def test_an_empty_file_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "law.xml").touch()
    assert discover(tmp_path).skipped == [("law.xml", "empty files")]
    with pytest.raises(IngestError, match="is empty; get the file again"):
        discover(tmp_path / "law.xml")


def test_a_collection_of_acts_is_skipped_with_what_to_do(tmp_path: Path) -> None:
    namespace = "http://docs.oasis-open.org/legaldocml/ns/akn/3.0"
    words = f'<akomaNtoso xmlns="{namespace}"><officialGazette name="g"><meta/></officialGazette></akomaNtoso>'
    (tmp_path / "gazette.xml").write_text(words)
    ((name, reason),) = discover(tmp_path).skipped
    assert name == "gazette.xml"
    assert "save each act or judgment in it as a file of its own" in reason


REPOSITORY = Path(__file__).parents[3]
# The order before formats were loaded by their signs; what takes a file is the first of these that knows it.
ORDER = (
    "lexjsonl", "akn", "clml", "courtlistener_jsonl", "dc_xml", "de_md", "de_tei", "ecfr_xml", "egov_xml", "eregs_json",
    "gdpr_json", "gii_xml", "legalize_md", "legi_json", "legi_xml", "md_statutes_jsonl", "passages_json", "regml",
    "uslm", "plain_pdf", "plain_docx", "plain_html", "plain_markdown", "plain_text",
)  # fmt: skip
PROLOGS = (b"", b"\xef\xbb\xbf", b"\n \t", b'<?xml version="1.0" encoding="UTF-8"?>\n', b"<!-- \xc3\xa9 -->", b"\r\n",
           b"<!DOCTYPE x>", b'<!DOCTYPE dokumente SYSTEM "http://x/gii-norm.dtd">')  # fmt: skip
BEGINNINGS = (
    b'{"lexscope": 1}\n', b'{"\\u006cexscope": 1}\n', b'{"corpus": {}, "lexscope": 1}\n',
    b'<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0"><act name="a">',
    b'<an:akomaNtoso xmlns:an="http://www.akomantoso.org/2.0"><an:act>',
    b'<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0"><officialGazette name="g">',
    b'<Legislation xmlns="http://www.legislation.gov.uk/namespaces/legislation">',
    b'<leg:EN xmlns:leg="http://www.legislation.gov.uk/namespaces/legislation">',
    b'<feed xmlns="http://www.w3.org/2005/Atom"><id>http://www.legislation.gov.uk/all</id>',
    b'{"id": 1, "absolute_url": "/opinion/12/a-v-b/"}\n',
    b'<container xmlns="https://code.dccouncil.us/schemas/dc-library"><prefix>Title</prefix>',
    b'<section xmlns="https://code.dccouncil.us/schemas/dc-library"><num>1-101</num>',
    b'<document id="D.C. Code" xmlns="https://code.dccouncil.us/schemas/dc-library">',
    b"---\nTitle: Gesetz\nslug: g\nlayout: default\n---\n\nAusfertigungsdatum\n: 2001-01-01\n",
    b"---\r\nTitle: Gesetz\r\nslug: g\r\nlayout: default\r\n---\r\n\r\nAusfertigungsdatum\r\n: 2001-01-01\r\n",
    b'<TEI xmlns="http://www.tei-c.org/ns/1.0" xml:id="BJNR001950896">',
    b"<DLPSTEXTCLASS>", b"<ECFR>", b'<DIV5 N="1" TYPE="PART">',
    b'<Law Era="Reiwa" LawType="Act">', b"<DataRoot><Result>", b"<DataRoot><LawNameListInfo>", b"<law_data_response>",
    b"<laws_response><total_count>", b"<lawdata_response>",
    b'{"children": [], "label": ["1013"], "node_type": "regtext"}', b'{"1013-1": [{"offsets": [1]}]}', b"{}",
    b'{"title": "T", "regulation": "2016/679", "chapters": [{',
    b'<dokumente doknr="BJNR001950896">', b"<items><item><title>G</title>",
    b'---\ntitle: "Code"\nidentifier: "LEGITEXT000006069414"\ncountry: "fr"\n---\n',
    b'---\r\ntitle: Code\r\nidentifier: JORFTEXT000006069414\r\ncountry: fr\r\n---\r\n',
    b'{"type": "code", "data": {"id": "LEGITEXT000006069414"}, "children": []}',
    b'{"data": {"cid": "LEGISCTA000006069414"}, "children": []}',
    b"<TEXTELR><META><ID>LEGITEXT000006069414</ID>", b"<ARTICLE><META><ID>LEGIARTI000006069414</ID>",
    b"<SECTION_TA><ID>JORFSCTA000006069414</ID>", b"<TEXTE_VERSION><ID>JORFTEXT000006069414</ID>",
    b'{"n": 1, "path": "a", "text": "# Title 1"}\n',
    b'[{"ID": "1", "DocumentID": 1, "PassageID": "1", "Passage": "P"}]',
    b'[{"QuestionID": "1", "Question": "Q", "Passages": [{"DocumentID": 1, "PassageID": "1"}]}]',
    b'<regulation xmlns="eregs">', b'<REGML:notice xmlns:regml="eregs">', b'<analysis xmlns="http://x/regml">',
    b'<uscDoc xmlns="http://xml.house.gov/schemas/uslm/1.0">', b'<bill xmlns="http://schemas.gpo.gov/xml/uslm">',
    b"%PDF-1.7\n", b"PK\x03\x04", b"<!DocType HTML>", b"<html lang='en'>", b"Words\n", b"",
)  # fmt: skip
NAMES = ("a.xml", "a.json", "A.PDF", "a.docx", "a.HTM", "a.md", "a.txt", "a", "layer/terms/1013/2012-1", "index.xml")


def _in_order() -> list[Format]:
    formats = {reader.name: reader for reader in (*all_formats(), *plain_formats())}
    assert set(formats) >= set(ORDER)
    return [formats[name] for name in ORDER]


def _taker(formats: list[Format], path: Path, head: bytes) -> tuple[str, str]:
    """Which format takes a file, and why it leaves it out where it does."""
    for asked in formats:
        if asked.claims(path, head):
            return asked.name, ""
        if reason := asked.skips(path, head):
            return asked.name, reason
    return "", ""


def _lazily(path: Path, head: bytes) -> tuple[str, str]:
    return _taker(list(registry._asked(path, head)), path, head)  # pyright: ignore[reportPrivateUsage]


@given(st.lists(st.sampled_from(PROLOGS), max_size=3), st.sampled_from(BEGINNINGS), st.sampled_from(NAMES))
@example([], b'{"\\u006cexscope": 1}\n', "a.json")
@settings(max_examples=share_of(600))
def test_a_file_is_taken_by_the_format_that_takes_it_when_all_are_asked(
    prologs: list[bytes], beginning: bytes, name: str
) -> None:
    head = without_mark(b"".join(prologs) + beginning)
    path = Path("/law") / name
    assert _lazily(path, head) == _taker(_in_order(), path, head)


def test_the_beginnings_above_are_of_every_format() -> None:
    taken = {_lazily(Path("/law", name), beginning) for beginning in BEGINNINGS for name in NAMES}
    assert {name for name, reason in taken if name and not reason} == set(ORDER)
    assert len({name for name, reason in taken if reason}) >= 9


def test_published_files_are_taken_by_the_format_that_takes_them_when_all_are_asked(shared_data: Path) -> None:
    formats = _in_order()
    taken: set[str] = set()
    for folder in sorted(folder for folder in shared_data.iterdir() if folder.is_dir()):
        files = sorted(file for file in folder.rglob("*") if file.is_file())
        for file in files[:: max(1, len(files) // 60)]:
            with file.open("rb") as stream:
                head = without_mark(stream.read(HEAD_BYTES))
            found = _taker(formats, file, head)
            assert _lazily(file, head) == found, file.name
            taken.add(found[0])
    assert len(taken) >= 18, sorted(taken)


def test_the_table_names_each_format_as_it_calls_itself() -> None:
    for known in (*registry._LAW, *registry._PLAIN):  # pyright: ignore[reportPrivateUsage]
        assert known.load().name == known.name
        assert format_named(known.name) is known.load()
    assert format_named("gdpr_json").name == "gdpr_json"


def _loaded_parsers(code: str, *arguments: str, path: str = "") -> list[str]:
    """The modules of formats that a fresh interpreter has imported after some code; its errors where it fails."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(part for part in (path, *sys.path) if part)}
    printing = "import sys; print(*(name for name in sys.modules if name.startswith('rag.ingest.formats.')))"
    result = subprocess.run(
        [sys.executable, "-c", f"{code}\n{printing}", *arguments],
        capture_output=True, text=True, check=False, cwd=REPOSITORY, env=environment,
    )  # fmt: skip
    return (result.stdout or result.stderr).split()


NO_PARSERS = {"base", "encoding", "plain", "plain.metadata", "plain.source", "registry", "xml"}


def test_the_engine_loads_no_format_before_a_file_needs_it() -> None:
    assert _loaded_parsers("import rag.engine") == []


def test_discovery_loads_the_formats_that_a_file_may_be(tmp_path: Path) -> None:
    (tmp_path / "act.xml").write_text('<Legislation xmlns="http://www.legislation.gov.uk/namespaces/legislation">')
    code = "import sys, pathlib; from rag.ingest.formats.registry import discover; discover(pathlib.Path(sys.argv[1]))"
    loaded = {name.removeprefix("rag.ingest.formats.") for name in _loaded_parsers(code, str(tmp_path))}
    assert {name.partition(".")[0] for name in loaded - NO_PARSERS if "." in name} == {"clml"}


def test_the_formats_of_one_data_set_are_registered_by_entry_points() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    stated: dict[str, str] = project["entry-points"][registry.ENTRY_POINT_GROUP]
    modules = {f"rag.ingest.formats.contrib.{name}" for name in stated}
    assert {value.partition(":")[0] for value in stated.values()} == modules
    installed = {point.name: point.value for point in entry_points(group=registry.ENTRY_POINT_GROUP)}
    assert installed.items() >= stated.items(), "the environment is older than pyproject.toml; run `make setup`"


def test_an_installation_without_the_entry_points_is_told_so(tmp_path: Path) -> None:
    metadata = tmp_path / "lexscope-0.0.1.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: lexscope\nVersion: 0.0.1\n")
    code = "from rag.ingest.formats.registry import all_formats; all_formats()"
    assert "make setup" in " ".join(_loaded_parsers(code, path=str(tmp_path)))
