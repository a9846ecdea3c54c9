"""`lexscope fetch` against a local server that publishes real law as the official sources do, and what ingest makes
of it."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from cli_calls import Lexscope, address, caller
from fakes.bulk_server import BulkServer, Fault

from rag import Engine
from rag.fetch.sources import SOURCES
from rag.settings import Settings

LAW = "327AC0000000231_20240401_505AC0000000063"
ACT = b'<Legislation xmlns="http://www.legislation.gov.uk/namespaces/legislation"><Primary/></Legislation>'


@pytest.fixture
def lexscope(capsys: pytest.CaptureFixture[str]) -> Lexscope:
    return caller(capsys)


def from_server(server: BulkServer, folder: Path) -> tuple[str, ...]:
    return ("--base-url", server.base_url, "--to", str(folder), "--delay", "0", "--json")


def ecfr(shared_data: Path) -> dict[str, bytes]:
    titles = {"titles": [{"number": 1, "latest_issue_date": "2023-01-01", "reserved": False}]}
    return {
        "/api/versioner/v1/titles.json": json.dumps(titles).encode(),
        "/api/versioner/v1/full/2023-01-01/title-1.xml": (
            shared_data / "ecfr-xml" / "title-1-2023-01-01.xml"
        ).read_bytes(),
    }


def dc_code(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1, mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w|") as tar,
    ):
        for name, content in files.items():
            member = tarfile.TarInfo(f"law-xml-0123abc/{name}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def test_a_title_of_the_ecfr_is_fetched_once_and_ingested(
    lexscope: Lexscope, shared_data: Path, empty_settings: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "ecfr"
    with BulkServer(ecfr(shared_data)) as server:
        server.script(Fault(), Fault(cut=150_000))
        first = lexscope("fetch", "ecfr", "1", *from_server(server, folder))
        again = lexscope("fetch", "ecfr", "1", *from_server(server, folder))
        asked = [(asked.path.rsplit("/", 1)[1], "range" in asked.headers) for asked in server.asked]
    assert (first.status, again.status) == (0, 0)
    (file,) = json.loads(first.out)["files"]
    content = (folder / "title-1-2023-01-01.xml").read_bytes()
    assert content == (shared_data / "ecfr-xml" / "title-1-2023-01-01.xml").read_bytes()
    assert (file["status"], file["sha256"]) == ("resumed", hashlib.sha256(content).hexdigest())
    assert json.loads(again.out)["files"][0]["status"] == "unchanged"
    title = "title-1.xml"
    assert asked == [("titles.json", False), (title, False), (title, True), ("titles.json", False), (title, False)]
    entry = json.loads((folder / "manifest.json").read_text())["files"]["title-1-2023-01-01.xml"]
    assert set(entry) == {"url", "etag", "last_modified", "size", "sha256", "fetched_at"}

    done = lexscope("ingest", str(folder), "--json", "--database-url", address(empty_settings))
    report = json.loads(done.out)
    assert (done.status, report["documents"], report["rejected"]) == (0, 1, [])
    with Engine.open(empty_settings) as engine:
        assert engine.context("1 CFR 1.1").status == "ok"


def test_the_acts_of_a_year_are_fetched_and_ingested(
    lexscope: Lexscope, shared_data: Path, empty_settings: Settings, tmp_path: Path
) -> None:
    act = (shared_data / "uk-clml" / "asp_20030002_en.xml").read_bytes()
    pages = {
        f"/asp/2003/data.feed?page={page}": (
            f'<feed xmlns="http://www.w3.org/2005/Atom"><morePages>{2 - page}</morePages>'
            f"<entry><id>http://www.legislation.gov.uk/id/asp/2003/{page + 1}</id></entry></feed>"
        ).encode()
        for page in (1, 2)
    }
    with BulkServer({**pages, "/asp/2003/2/data.xml": act}) as server:
        fetched = lexscope("fetch", "legislation-gov-uk", "asp/2003", *from_server(server, tmp_path / "uk"))
    files = {entry["file"]: entry for entry in json.loads(fetched.out)["files"]}
    assert fetched.status == 1
    assert files["asp-2003-2.xml"]["status"] == "downloaded"
    assert files["asp-2003-3.xml"]["cause"] == "HTTP 404; there is no such file at this address"
    done = lexscope("ingest", str(tmp_path / "uk"), "--json", "--database-url", address(empty_settings))
    report = json.loads(done.out)
    assert (done.status, report["documents"], report["rejected"]) == (0, 1, [])


def test_the_district_code_comes_out_of_its_archive_as_published(
    lexscope: Lexscope, shared_data: Path, tmp_path: Path
) -> None:
    root = shared_data / "dc-code-xml"
    published = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.xml")}
    folder = tmp_path / "dc"
    with BulkServer({"/archive/HEAD.tar.gz": dc_code({**published, "us/dc/council/laws/1.xml": b"<law/>"})}) as server:
        first = lexscope("fetch", "dc-code", *from_server(server, folder))
        assert first.status == 0, first.out
        found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in (folder / "us").rglob("*.xml")}
        assert found == published
        unchanged = lexscope("fetch", "dc-code", *from_server(server, folder))

        few = dict(list(published.items())[:5])
        server.files["/archive/HEAD.tar.gz"] = dc_code(few)
        newer = lexscope("fetch", "dc-code", *from_server(server, folder))

        damaged = bytearray(server.files["/archive/HEAD.tar.gz"])
        damaged[-5] ^= 1
        server.files["/archive/HEAD.tar.gz"] = bytes(damaged)
        refused = lexscope("fetch", "dc-code", *from_server(server, folder))
        refused_again = lexscope("fetch", "dc-code", *from_server(server, folder))
    assert [json.loads(ran.out)["unpacked"] for ran in (first, unchanged, newer, refused)] == [len(published), 0, 5, 0]
    for ran in (refused, refused_again):
        assert ran.status == 1
        assert "damaged or cut off" in json.loads(ran.out)["files"][0]["cause"]
    # What could not be unpacked has not replaced what was.
    assert {path.relative_to(folder).as_posix() for path in (folder / "us").rglob("*.xml")} == set(few)


def test_a_japanese_law_is_fetched_in_the_edition_in_force(
    lexscope: Lexscope, shared_data: Path, tmp_path: Path
) -> None:
    law = (shared_data / "jp-egov-xml" / f"{LAW}.xml").read_bytes()
    revisions = {"revisions": [{"law_revision_id": LAW, "current_revision_status": "CurrentEnforced"}]}
    pages = {"/api/2/law_revisions/327AC0000000231": json.dumps(revisions).encode()}
    with BulkServer({**pages, f"/api/2/law_file/xml/{LAW}": law}) as server:
        done = lexscope("fetch", "egov", "327AC0000000231", *from_server(server, tmp_path))
    assert done.status == 0
    assert (tmp_path / f"{LAW}.xml").read_bytes() == law


GII = (
    '<?xml version="1.0" encoding="UTF-8" ?><!DOCTYPE dokumente SYSTEM "http://127.0.0.1:9/gii-norm.dtd">'
    '<dokumente doknr="BJNR1"><norm><metadaten><jurabk>{0}</jurabk><langue>{0}</langue></metadaten></norm>'
    "<norm><metadaten><enbez>§ 1</enbez></metadaten><textdaten><text><Content><P>{1}</P></Content></text></textdaten>"
    "</norm></dokumente>"
)


def german(name: str, words: str, form: str = GII) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("BJNR1.xml", form.format(name, words))
        archive.writestr("picture.jpg", b"x")
    return packed.getvalue()


def test_german_laws_come_out_of_their_archives_and_are_ingested(
    lexscope: Lexscope, empty_settings: Settings, tmp_path: Path
) -> None:
    toc = "".join(
        f"<item><title>{name}</title><link>http://www.gesetze-im-internet.de/{name}/xml.zip</link></item>"
        for name in ("apfelg", "birng", "quitteng")
    )
    pages = {"/gii-toc.xml": f'<!DOCTYPE items SYSTEM "http://127.0.0.1:9/x.dtd"><items>{toc}</items>'.encode()}
    pages |= {"/apfelg/xml.zip": german("ApfelG", "Rund."), "/birng/xml.zip": german("BirnG", "Lang.")}
    with BulkServer({**pages, "/quitteng/xml.zip": german("QuittenG", "Gelb.", "<html>{0}{1}</html>")}) as server:
        call = ("fetch", "gesetze-im-internet", "all", *from_server(server, tmp_path))
        first, unchanged = json.loads(lexscope(*call).out), json.loads(lexscope(*call).out)
        server.files["/birng/xml.zip"] = german("BirnG", "Kurz.")
        newer = json.loads(lexscope(*call).out)
    assert [entry["status"] for entry in first["files"]] == ["downloaded", "downloaded", "failed"]
    assert "what came is not gii_xml" in first["files"][2]["cause"]
    assert [entry["status"] for entry in unchanged["files"]][:2] == ["unchanged", "unchanged"]
    assert [entry["unpacked"] for entry in (first, unchanged, newer)] == [2, 0, 1]
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.glob("[!.]*/*")) == [
        "apfelg/BJNR1.xml", "birng/BJNR1.xml",
    ]  # fmt: skip
    done = lexscope("ingest", str(tmp_path), "--json", "--database-url", address(empty_settings))
    assert (json.loads(done.out)["documents"], json.loads(done.out)["rejected"]) == (2, [])
    with Engine.open(empty_settings) as engine:
        assert [block.text for block in engine.context("urn:lex:de:birng:1").blocks if block.role == "rule"] == [
            "Kurz."
        ]


def test_the_codes_in_force_come_out_of_a_dump_and_are_ingested(
    lexscope: Lexscope, empty_settings: Settings, tmp_path: Path
) -> None:
    meta = "<META><META_COMMUN><ID>{}</ID></META_COMMUN><META_SPEC>{}</META_SPEC></META>"
    text, article = "LEGITEXT000000000001", "LEGIARTI000000000001"
    files = {
        f"texte/struct/{text}.xml": f"<TEXTELR>{meta.format(text, '')}<STRUCT><LIEN_ART debut='2000-01-01' "
        f"fin='2999-01-01' etat='VIGUEUR' id='{article}' num='1'/></STRUCT></TEXTELR>",
        f"texte/version/{text}.xml": "<TEXTE_VERSION>"
        + meta.format(text, "<META_TEXTE_VERSION><TITREFULL>Code des phares</TITREFULL></META_TEXTE_VERSION>")
        + "</TEXTE_VERSION>",
        f"article/LEGI/ARTI/00/00/00/00/00/{article}.xml": "<ARTICLE>"
        + meta.format(article, "<META_ARTICLE><NUM>1</NUM><DATE_DEBUT>2000-01-01</DATE_DEBUT></META_ARTICLE>")
        + "<BLOC_TEXTUEL><CONTENU><p>Les feux brûlent.</p></CONTENU></BLOC_TEXTUEL></ARTICLE>",
    }
    codes = "global/code_et_TNC_en_vigueur/code_en_vigueur/LEGI/TEXT/00/00/00/00/00"
    dump = dc_code({f"{codes}/{text}/{name}": content.encode() for name, content in files.items()})
    name = "Freemium_legi_global_20250713-140000.tar.gz"
    with BulkServer({"/OPENDATA/LEGI/": f'<a href="{name}">'.encode(), f"/OPENDATA/LEGI/{name}": dump}) as server:
        done = json.loads(lexscope("fetch", "legi", *from_server(server, tmp_path)).out)
    assert (done["files"][0]["status"], done["unpacked"]) == ("downloaded", 3)
    report = json.loads(lexscope("ingest", str(tmp_path), "--json", "--database-url", address(empty_settings)).out)
    assert (report["documents"], report["rejected"]) == (1, [])
    with Engine.open(empty_settings) as engine:
        (rule,) = [block for block in engine.context("urn:lex:fr:code-des-phares:1").blocks if block.role == "rule"]
    assert rule.text == "Les feux brûlent."


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"<html><body>Down for maintenance</body></html>", "is not clml"),
        (b"", "is not clml"),
        (ACT[:-5], "is not whole"),
        (ACT + b"<more", "is not whole"),
    ],
    ids=["a page", "nothing", "cut by the publisher", "more than a document"],
)
def test_what_is_not_a_whole_law_is_not_kept(content: bytes, cause: str, lexscope: Lexscope, tmp_path: Path) -> None:
    with BulkServer({"/ukpga/1968/60/data.xml": content, "/ukpga/1968/61/data.xml": ACT}) as server:
        done = lexscope("fetch", "legislation-gov-uk", "ukpga/1968/60", "ukpga/1968/61", *from_server(server, tmp_path))
    bad, good = json.loads(done.out)["files"]
    assert (done.status, bad["status"], good["status"]) == (1, "failed", "downloaded")
    assert cause in bad["cause"]
    assert sorted(path.name for path in tmp_path.glob("*.xml")) == ["ukpga-1968-61.xml"]


def test_a_length_shorter_than_the_file_is_noticed(lexscope: Lexscope, tmp_path: Path) -> None:
    with BulkServer({"/ukpga/1968/60/data.xml": ACT}) as server:
        server.script(Fault(headers={"Content-Length": str(len(ACT) - 3)}))
        done = lexscope("fetch", "legislation-gov-uk", "ukpga/1968/60", *from_server(server, tmp_path))
    assert done.status == 1
    assert not list(tmp_path.glob("*.xml"))


def test_a_file_changed_here_is_fetched_again(lexscope: Lexscope, tmp_path: Path) -> None:
    with BulkServer({"/ukpga/1968/60/data.xml": ACT}) as server:
        call = ("fetch", "legislation-gov-uk", "ukpga/1968/60", *from_server(server, tmp_path))
        lexscope(*call)
        (tmp_path / "ukpga-1968-60.xml").write_bytes(ACT.replace(b"Primary", b"primary"))
        again = lexscope(*call)
        assert json.loads(again.out)["files"][0]["status"] == "downloaded"
        assert (tmp_path / "ukpga-1968-60.xml").read_bytes() == ACT
        # Where the server has no validators, the same bytes are still seen to be the same.
        server.script(Fault(status=200, headers={"ETag": "", "Last-Modified": ""}))
        assert json.loads(lexscope(*call).out)["files"][0]["status"] == "unchanged"


def test_a_dry_run_lists_addresses_and_sizes_and_writes_nothing(
    lexscope: Lexscope, shared_data: Path, tmp_path: Path
) -> None:
    files = ecfr(shared_data)
    with BulkServer(files) as server:
        done = lexscope("fetch", "ecfr", "all", "2", *from_server(server, tmp_path / "none"), "--dry-run")
        assert [asked.method for asked in server.asked] == ["GET", "HEAD"]
    missing, planned = json.loads(done.out)["files"]
    assert (missing["file"], missing["status"]) == ("2", "failed")
    assert planned["url"] == f"{server.base_url}/api/versioner/v1/full/2023-01-01/title-1.xml"
    assert planned["size"] == len(files["/api/versioner/v1/full/2023-01-01/title-1.xml"])
    assert not (tmp_path / "none").exists()


def test_the_data_folder_is_where_files_go_by_default(lexscope: Lexscope, tmp_path: Path) -> None:
    with BulkServer({"/ukpga/1968/60/data.xml": ACT}) as server:
        call = ("fetch", "legislation-gov-uk", "ukpga/1968/60", "--base-url", server.base_url, "--delay", "0")
        done = lexscope("--data-dir", str(tmp_path), *call)
    folder = tmp_path / "fetched" / "legislation-gov-uk"
    assert (folder / "ukpga-1968-60.xml").read_bytes() == ACT
    assert done.status == 0
    assert f" ingest {folder}\n" in done.out
    assert "lexscope lexscope" not in done.out
    assert "Open Government Licence" in done.out
    assert "1/1 ukpga-1968-60.xml" in done.err


def test_the_list_names_every_source(lexscope: Lexscope) -> None:
    for options in ((), ("--json",)):
        done = lexscope("fetch", "--list", *options)
        assert done.status == 0
        for source in SOURCES:
            assert source.name in done.out
            assert source.example in done.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "Name a source"),
        (("ecfr", "--list"), "takes no source"),
        (("nowhere",), "There is no source of this name; the sources are ecfr"),
        (("ecfr",), "Say what to fetch from ecfr"),
        (("ecfr", "eleven"), "is no identifier of ecfr"),
        (("legi", "LEGITEXT000006070721"), "is no identifier of legi"),
        (("ecfr", "1", "--base-url", "ftp://a.test"), "base URL"),
        (("ecfr", "1", "--delay", "-1"), "--delay"),
    ],
)
def test_a_request_that_cannot_be_used_is_refused_before_anything_is_asked(
    arguments: tuple[str, ...], says: str, lexscope: Lexscope, tmp_path: Path
) -> None:
    done = lexscope("--data-dir", str(tmp_path), "fetch", *arguments)
    assert done.status == 2
    assert says in done.err
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_reported(lexscope: Lexscope, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = lexscope("fetch", "ecfr", "1", "--to", str(tmp_path / "file" / "ecfr"))
    assert done.status == 1
    assert "ecfr cannot be read or written: Not a directory" in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="there are no resource limits")
def test_a_file_system_that_takes_no_more_is_named_and_what_came_is_kept(lexscope: Lexscope, tmp_path: Path) -> None:
    act = ACT.replace(b"<Primary/>", b"<Primary>" + b"<P/>" * 700_000 + b"</Primary>")
    limit = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000)); "
    with BulkServer({"/ukpga/1968/60/data.xml": act}) as server:
        call = ["fetch", "legislation-gov-uk", "ukpga/1968/60", *from_server(server, tmp_path)]
        program = f"{limit}from rag.cli.app import main; sys.exit(main({call!r}))"
        environment = {name: text for name, text in os.environ.items() if not name.startswith("LEXSCOPE_")}
        full = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
        )
        assert full.returncode == 1, full.stderr
        assert (
            json.loads(full.stdout)["files"][0]["cause"]
            == "ukpga-1968-60.xml cannot be read or written: File too large"
        )
        assert not list(tmp_path.glob("*.xml"))
        done = lexscope(*call)
        assert json.loads(done.out)["files"][0]["status"] == "resumed"
    assert (tmp_path / "ukpga-1968-60.xml").read_bytes() == act
