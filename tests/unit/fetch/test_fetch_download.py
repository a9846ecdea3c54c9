"""A fetched file is whole or not there, whatever the server does on the way."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from fakes.bulk_server import BulkServer, Fault
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.fetch.download import Downloaded, Target, download, size_of
from rag.fetch.web import Manners, Web, redirected
from rag.ingest.manifest import WORK, Manifest, load_manifest, locked
from retrieval.errors import ConfigurationError, FetchError

LAW = b"".join(b"<p>section %d</p>" % number for number in range(60))
TARGET = Target("/law.xml", "law.xml")


@pytest.fixture
def server() -> Iterator[BulkServer]:
    with BulkServer({"/law.xml": LAW}) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / WORK).mkdir()
    return tmp_path


class Patience:
    """Records pauses instead of waiting."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    def manners(self, **given: object) -> Manners:
        return Manners(**{"delay": 0.0, "stall": 5.0, "pause": self.pauses.append, **given})  # pyright: ignore[reportArgumentType]


def bring(server: BulkServer, folder: Path, *, attempts: int = 5, patience: Patience | None = None) -> Downloaded:
    web = Web(server.base_url, (), (patience or Patience()).manners(attempts=attempts))
    return download(web, TARGET, folder, check=lambda _: None, tick=lambda *_: None)


def left_behind(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / WORK).iterdir())


def test_a_file_arrives_with_its_digest_and_leaves_nothing_unfinished(server: BulkServer, folder: Path) -> None:
    done = bring(server, folder)
    assert (folder / "law.xml").read_bytes() == LAW
    assert (done.status, done.entry.size) == ("downloaded", len(LAW))
    assert left_behind(folder) == []
    assert server.asked[0].headers["user-agent"].startswith("lexscope/")


@settings(max_examples=40)
@given(
    cuts=st.lists(st.integers(0, len(LAW) - 1), min_size=1, max_size=4),
    etags=st.booleans(), no_range=st.booleans(), chunked=st.booleans(), restart=st.booleans(),
)  # fmt: skip
def test_a_connection_cut_anywhere_ends_byte_identical(
    cuts: list[int], etags: bool, no_range: bool, chunked: bool, restart: bool
) -> None:
    faults = [Fault(cut=cut, no_range=no_range, chunked=chunked) for cut in cuts]
    with tempfile.TemporaryDirectory() as name, BulkServer({"/law.xml": LAW}, etags=etags) as server:
        folder = Path(name)
        (folder / WORK).mkdir()
        server.script(*faults)
        while restart and not (folder / "law.xml").exists():
            with suppress(FetchError):  # a cut beyond what was missing is none
                bring(server, folder, attempts=1)
        if not restart:
            bring(server, folder)
        assert (folder / "law.xml").read_bytes() == LAW
        assert left_behind(folder) == []


@pytest.mark.parametrize("cut", range(0, 200, 20))
def test_a_connection_cut_within_the_headers_is_tried_again(cut: int, server: BulkServer, folder: Path) -> None:
    server.script(Fault(cut_head=cut))
    assert bring(server, folder).status == "downloaded"
    assert (folder / "law.xml").read_bytes() == LAW


def test_what_was_received_is_not_asked_for_again(server: BulkServer, folder: Path) -> None:
    server.script(Fault(cut=100))
    assert bring(server, folder).status == "resumed"
    assert server.asked[1].headers["range"] == "bytes=100-"
    assert server.asked[1].headers["if-range"].startswith('"')


@pytest.mark.parametrize(
    "headers",
    [
        {"ETag": "", "Last-Modified": ""},
        {"ETag": 'W/"weak"'},
        {"ETag": "", "Date": "Tue, 14 Nov 2023 22:13:20 GMT"},  # changed in the second in which it was sent
    ],
    ids=["no validator", "weak ETag", "fresh Last-Modified"],
)
def test_nothing_is_resumed_that_could_be_another_file(
    headers: dict[str, str], server: BulkServer, folder: Path
) -> None:
    server.script(Fault(cut=100, headers=headers))
    assert bring(server, folder).status == "downloaded"
    assert "range" not in server.asked[1].headers
    assert (folder / "law.xml").read_bytes() == LAW


def test_a_validator_that_cannot_be_sent_back_is_not_kept(server: BulkServer, folder: Path) -> None:
    server.script(Fault(cut=100, headers={"ETag": '"\xe9"', "Last-Modified": "\xfc"}))
    assert bring(server, folder).status == "downloaded"
    assert "if-range" not in server.asked[1].headers


def test_a_file_that_changed_meanwhile_is_fetched_whole(server: BulkServer, folder: Path) -> None:
    server.script(Fault(cut=100))
    with pytest.raises(FetchError, match="100 bytes are kept"):
        bring(server, folder, attempts=1)
    server.files["/law.xml"] = LAW.upper()
    assert bring(server, folder).status == "downloaded"
    assert (folder / "law.xml").read_bytes() == LAW.upper()


@pytest.mark.parametrize(
    "wrong",
    [
        Fault(status=206, headers={"Content-Range": f"bytes 0-{len(LAW) - 1}/{len(LAW)}"}),
        Fault(status=206, headers={"Content-Range": "bytes 100-199/200"}, body=b"x" * 100),
        Fault(
            status=206,
            headers={"Content-Range": f"bytes 50-{len(LAW) - 1}/{len(LAW)}", "ETag": "", "Last-Modified": ""},
            body=LAW[50:-50],
        ),
        Fault(
            status=206,
            headers={"Content-Range": f"bytes 100-{len(LAW) - 1}/{len(LAW)}", "ETag": '"other"'},
            body=LAW.upper()[100:],
        ),
        Fault(status=206),
        Fault(status=416),
    ],
    ids=["from the start", "another length", "from elsewhere", "another file", "no range named", "no such range"],
)
def test_a_part_that_does_not_fit_is_never_appended(wrong: Fault, server: BulkServer, folder: Path) -> None:
    server.script(Fault(cut=100), wrong)
    assert bring(server, folder).status == "downloaded"
    assert (folder / "law.xml").read_bytes() == LAW


def test_bytes_after_the_last_checkpoint_are_not_trusted(server: BulkServer, folder: Path) -> None:
    server.script(Fault(cut=100))
    with pytest.raises(FetchError):
        bring(server, folder, attempts=1)
    (part,) = (folder / WORK).glob("*.part")
    part.write_bytes(part.read_bytes() + b"\0" * len(LAW))
    assert bring(server, folder).status == "resumed"
    assert (folder / "law.xml").read_bytes() == LAW


@pytest.mark.parametrize("note", [b"", b"{", b'{"url": 1}', b"\xff"])
def test_a_damaged_note_of_an_unfinished_file_means_a_new_start(note: bytes, server: BulkServer, folder: Path) -> None:
    server.script(Fault(cut=100))
    with pytest.raises(FetchError):
        bring(server, folder, attempts=1)
    (path,) = (folder / WORK).glob("*.json")
    path.write_bytes(note)
    bring(server, folder)
    assert "range" not in server.asked[1].headers
    assert (folder / "law.xml").read_bytes() == LAW


KILLED = """
import os, signal, sys
from pathlib import Path
from rag.fetch.download import Target, download
from rag.fetch.web import Manners, Web

base, folder, point = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])

def die(*given):
    if not isinstance(given[0], int) or given[0] >= point:
        os.kill(os.getpid(), signal.SIGKILL)

download(Web(base, (), Manners(delay=0)), Target("/law.xml", "law.xml"), folder, check=die, tick=die)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("point", [1, 1_500_000, 10_000_000], ids=["at once", "past a checkpoint", "before the move"])
def test_a_killed_download_leaves_no_file_and_is_made_good(point: int, folder: Path) -> None:
    law = LAW * 2500
    with BulkServer({"/law.xml": law}) as server:
        done = subprocess.run([sys.executable, "-c", KILLED, server.base_url, str(folder), str(point)], check=False)
        assert done.returncode == -9
        assert not (folder / "law.xml").exists()
        again = bring(server, folder)
    assert (folder / "law.xml").read_bytes() == law
    assert again.status == ("resumed" if 1_000_000 < point < len(law) else "downloaded")


@pytest.mark.parametrize(
    ("faults", "pauses"),
    [
        ([Fault(status=503)] * 4, [2.0, 4.0, 8.0, 16.0]),
        ([Fault(status=429, headers={"Retry-After": "7"}), Fault(status=500)], [7.0, 4.0]),
        ([Fault(status=503, headers={"Retry-After": "soon"})], [2.0]),
        ([Fault(status=503, headers={"Retry-After": "Tue, 14 Nov 2023 22:13:20 GMT"})], [0.0]),
    ],
    ids=["backs off", "does as told", "cannot read how long", "a date that has passed"],
)
def test_what_may_pass_is_tried_again_patiently(
    faults: list[Fault], pauses: list[float], server: BulkServer, folder: Path
) -> None:
    patience = Patience()
    server.script(*faults)
    bring(server, folder, patience=patience)
    assert patience.pauses == pauses


@pytest.mark.parametrize(
    ("fault", "says", "requests"),
    [
        (Fault(status=503), "HTTP 503; gave up after 5 attempts", 5),
        (Fault(status=404), "HTTP 404; there is no such file", 1),
        (Fault(status=403), "HTTP 403", 1),
        (Fault(status=204), "HTTP 204, which is no file", 1),
        (Fault(status=304), "HTTP 304", 1),
        (Fault(status=429, headers={"Retry-After": "86400"}), "come back in 86400 s", 1),
        (Fault(status=302, headers={"Location": "/law.xml"}), "more than 5 redirects", 6),
        (Fault(status=302, headers={"Location": "http://169.254.169.254/"}), "another host", 1),
        (Fault(status=302, headers={"Location": "file:///etc/passwd"}), "no http or https", 1),
        (Fault(headers={"Content-Length": ""}), "does not say how long", 1),
        (Fault(headers={"Content-Length": str(len(LAW) + 1)}), "gave up", 5),
        (Fault(headers={"Content-Length": "99999999999999"}), "the limit is", 1),
        (Fault(headers={"Content-Encoding": "gzip"}), "compressed", 1),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_what_will_not_pass_is_reported_and_nothing_is_put_in_place(
    fault: Fault, says: str, requests: int, folder: Path
) -> None:
    with BulkServer({"/law.xml": LAW}, always=fault) as server:
        with pytest.raises(FetchError, match=says):
            bring(server, folder)
        assert len(server.asked) == requests
    assert not (folder / "law.xml").exists()


def test_a_body_without_a_length_stops_at_the_limit(folder: Path) -> None:
    with BulkServer({"/law.xml": LAW}, always=Fault(chunked=True)) as server:
        web = Web(server.base_url, (), Patience().manners())
        with pytest.raises(FetchError, match="more than 100 bytes"):
            download(web, TARGET, folder, check=lambda _: None, tick=lambda *_: None, most=100)
    assert not (folder / "law.xml").exists()


def test_a_silent_server_is_given_up(folder: Path) -> None:
    with BulkServer({"/law.xml": LAW}, always=Fault(cut=10, silent=True)) as server:
        web = Web(server.base_url, (), Patience().manners(stall=0.05, attempts=2))
        with pytest.raises(FetchError, match="too slow"):
            download(web, TARGET, folder, check=lambda _: None, tick=lambda *_: None)


def test_an_unreachable_server_is_named_as_such(folder: Path) -> None:
    with BulkServer({}) as server:
        gone = server.base_url
    web = Web(gone, (), Patience().manners(attempts=1))
    with pytest.raises(FetchError, match="no connection could be made"):
        download(web, TARGET, folder, check=lambda _: None, tick=lambda *_: None)


def test_requests_keep_their_distance(server: BulkServer, folder: Path) -> None:
    patience = Patience()
    web = Web(server.base_url, (), patience.manners(delay=3600.0))
    for _ in range(3):
        size_of(web, TARGET)
    assert len(patience.pauses) == 2
    assert all(3500 < pause <= 3600 for pause in patience.pauses)


@pytest.mark.parametrize(
    ("base", "location", "target"),
    [
        ("https://www.example.org", "/b?c=1#d", "https://www.example.org/b?c=1"),
        ("https://www.example.org", "https://example.org/b", "https://example.org/b"),
        ("https://www.example.org", "https://data.example.org/b", "https://data.example.org/b"),
        ("https://www.example.org", "https://files.host/b", "https://files.host/b"),
        ("http://www.example.org", "https://www.example.org/b", "https://www.example.org/b"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/b", "http://127.0.0.1:8000/b"),
        ("https://www.example.org", "http://www.example.org/b", None),
        ("https://www.example.org", "https://localhost/b", None),
        ("https://www.example.org", "https://127.0.0.1/b", None),
        ("https://www.example.org", "https://[::1]/b", None),
        ("https://www.example.org", "https://10.0.0.1/b", None),
        ("https://www.example.org", "https://wwwexample.org/b", None),
        ("https://www.example.org", "https://example.org.evil.test/b", None),
        ("https://www.example.org", "https://www.example.org:8443/b", None),
        ("https://www.example.org", "https://user:pw@www.example.org/b", None),
        ("https://www.example.org", "//evil.test/b", None),
        ("https://www.example.org", "ftp://www.example.org/b", None),
        ("https://www.example.org", "https://www.example.org:99999/b", None),
        ("https://www.example.org", "https://[bad/b", None),
        ("https://www.example.org", "/b\x07", None),
        ("http://127.0.0.1:8000", "http://127.0.0.1:5432/b", None),
        ("http://127.0.0.1:8000", "http://127.0.0.2:8000/b", None),
    ],
)
def test_redirects_lead_nowhere_else(base: str, location: str, target: str | None) -> None:
    if target is not None:
        assert redirected(base, {"files.host"}, f"{base}/a", location) == target
        return
    with pytest.raises(FetchError, match="was not followed"):
        redirected(base, {"files.host"}, f"{base}/a", location)


@pytest.mark.parametrize(
    "url",
    ["", "ftp://a.test", "file:///etc", "https://", "https://a.test/?q", "https://a.test/#f", "https://u@a.test",
     "https://a.test:0", "https://a.test:x", "https://a b.test", "https://\u00e4.test"],
)  # fmt: skip
def test_a_base_url_that_is_no_plain_address_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match="base URL"):
        Web(url)


def test_the_size_is_what_the_server_announces(server: BulkServer) -> None:
    web = Web(server.base_url, (), Patience().manners())
    assert size_of(web, TARGET) == len(LAW)
    server.script(Fault(status=405))
    assert size_of(web, TARGET) is None


def test_a_folder_serves_one_fetch_at_a_time(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(FetchError, match="another fetch"), locked(tmp_path):
        raise AssertionError("both had it")
    with locked(tmp_path):
        pass


@pytest.mark.parametrize("text", ["", "[]", '{"source": "ecfr", "files": {"a": {}}}', "{", '{"source": "egov"}'])
def test_a_manifest_that_is_not_ours_is_not_overwritten(text: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(FetchError, match=r"damaged|another source"):
        load_manifest(tmp_path, "ecfr")
    assert (tmp_path / "manifest.json").read_text() == text


def test_a_manifest_vouches_only_for_what_is_there(server: BulkServer, folder: Path) -> None:
    manifest = Manifest(source="ecfr", files={"law.xml": bring(server, folder).entry})
    manifest.save(folder)
    manifest = load_manifest(folder, "ecfr")
    url = f"{server.base_url}/law.xml"
    assert manifest.whole(folder, "law.xml", url) is not None
    assert manifest.whole(folder, "law.xml", f"{url}?") is None
    (folder / "law.xml").write_bytes(LAW[::-1])
    assert manifest.whole(folder, "law.xml", url) is None
