"""What comes out of an archive is its plain files below one folder, or an error; never a file elsewhere."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from rag.fetch.archive import MAX_FILE, unpack, unzip
from retrieval.errors import FetchError

FILES = {"top/code/index.xml": b"<index/>", "top/code/a/1.xml": b"<a/>" * 5000, "top/laws/x.xml": b"<law/>"}


def tar_gz(path: Path, files: dict[str, bytes], *members: tarfile.TarInfo, form: int = tarfile.PAX_FORMAT) -> Path:
    with tarfile.open(path, "w:gz", format=form) as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        for member in members:
            tar.addfile(member)
    return path


def odd(
    name: str, kind: bytes = tarfile.REGTYPE, link: str = "", headers: dict[str, str] | None = None
) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname, member.pax_headers = kind, link, headers or {}
    return member


def unpacked(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def into(tmp_path: Path) -> Path:
    (tmp_path / "into").mkdir()
    return tmp_path / "into"


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
@pytest.mark.parametrize("prefix", ["", "./"])
def test_what_stands_below_the_folder_comes_out_as_it_was(form: int, prefix: str, tmp_path: Path, into: Path) -> None:
    files = {prefix + name: content for name, content in FILES.items()}
    archive = tar_gz(tmp_path / "a.tar.gz", files, odd("top/code/empty", tarfile.DIRTYPE), form=form)
    assert unpack(archive, into, "code/") == 2
    assert unpacked(into) == {"code/index.xml": b"<index/>", "code/a/1.xml": b"<a/>" * 5000}


@pytest.mark.parametrize(
    ("member", "says"),
    [
        (odd("top/code/../../../evil"), "has a name"),
        (odd("top/code//evil"), "has a name"),
        (odd("top/code/a\\..\\evil"), "has a name"),
        (odd("top/code/c:evil"), "has a name"),
        (odd("top/code/con.xml"), "has a name"),
        (odd("top/code/trailing."), "has a name"),
        (odd("top/code/bell\x07"), "has a name"),
        (odd("top/code/\u202egnp.xml"), "has a name"),
        (odd("top/code/link", tarfile.SYMTYPE, "/etc"), "no plain file"),
        (odd("top/code/hard", tarfile.LNKTYPE, "top/code/index.xml"), "no plain file"),
        (odd("top/code/device", tarfile.CHRTYPE), "no plain file"),
        (odd("top/code/pipe", tarfile.FIFOTYPE), "no plain file"),
        (odd("top/code/index.xml"), "two members"),
        (odd("top/code/INDEX.xml"), "two members"),
        (odd("top/code/x", headers={"comment": "x" * 3_000_000}), "header of a size"),
    ],
    ids=lambda one: ascii(one.name) if isinstance(one, tarfile.TarInfo) else "",
)
def test_a_hostile_member_is_refused_by_name(member: tarfile.TarInfo, says: str, tmp_path: Path, into: Path) -> None:
    archive = tar_gz(tmp_path / "a.tar.gz", FILES, member)
    with pytest.raises(FetchError, match=says) as refused:
        unpack(archive, into, "code/")
    assert str(refused.value).isascii()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tar.gz", "into"]
    assert set(unpacked(into)) <= {"code/index.xml", "code/a/1.xml"}


def test_a_hostile_member_that_is_not_wanted_goes_nowhere(tmp_path: Path, into: Path) -> None:
    others = [odd("/etc/evil"), odd("../evil"), odd("top/link", tarfile.SYMTYPE, "/etc"), odd("code/index.xml")]
    assert unpack(tar_gz(tmp_path / "a.tar.gz", FILES, *others), into, "code/") == 2


def test_a_member_that_claims_to_be_huge_is_refused_before_it_is_read(tmp_path: Path, into: Path) -> None:
    huge = odd("top/code/huge.xml")
    huge.size = MAX_FILE + 1
    archive = tmp_path / "a.tar.gz"
    archive.write_bytes(gzip.compress(huge.tobuf()))
    with pytest.raises(FetchError, match=r"more than \d+ bytes: 'top/code/huge.xml'"):
        unpack(archive, into, "code/")


@pytest.mark.parametrize("tenth", range(10))
def test_an_archive_cut_anywhere_is_refused(tenth: int, tmp_path: Path, into: Path) -> None:
    archive = tar_gz(tmp_path / "a.tar.gz", FILES)
    whole = archive.read_bytes()
    archive.write_bytes(whole[: len(whole) * tenth // 10])
    with pytest.raises(FetchError, match="damaged or cut off"):
        unpack(archive, into, "code/")


@pytest.mark.parametrize("position", [-8, -4, -1])
def test_an_archive_whose_checksum_is_wrong_is_refused(position: int, tmp_path: Path, into: Path) -> None:
    archive = tar_gz(tmp_path / "a.tar.gz", FILES)
    data = bytearray(archive.read_bytes())
    data[position] ^= 1
    archive.write_bytes(data)
    with pytest.raises(FetchError, match="damaged or cut off"):
        unpack(archive, into, "code/")


def test_an_archive_without_the_folder_says_that_the_layout_is_unknown(tmp_path: Path, into: Path) -> None:
    with pytest.raises(FetchError, match="no file below statutes/"):
        unpack(tar_gz(tmp_path / "a.tar.gz", FILES), into, "statutes/")


def test_the_limits_of_an_archive_are_its_sources(tmp_path: Path, into: Path) -> None:
    archive = tar_gz(tmp_path / "a.tar.gz", FILES)
    with pytest.raises(FetchError, match="more than 2 members"):
        unpack(archive, into, "code/", max_members=2)
    with pytest.raises(FetchError, match="more than 4000 bytes"):
        unpack(archive, into, "none/", max_bytes=4000)


# --- one law in a .zip ------------------------------------------------------------------------------------------------


def zipped(path: Path, *files: tuple[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return path


def test_the_law_comes_out_of_a_zip_and_the_pictures_stay_in_it(tmp_path: Path, into: Path) -> None:
    archive = zipped(tmp_path / "a.zip", ("BJNR1.xml", b"<a/>" * 5000), ("a.jpg", b"x"), ("img/b.gif", b"y"))
    assert unzip(archive, into, ".xml") == 1
    assert unpacked(into) == {"BJNR1.xml": b"<a/>" * 5000}


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["../evil.xml"], "has a name"), (["/evil.xml"], "has a name"), (["a/evil.xml"], "has a name"),
        (["a\\..\\evil.xml"], "has a name"), (["con.xml"], "has a name"), (["a.xml", "A.XML"], "two members"),
        (["a.jpg"], "no .xml file"), ([], "no .xml file"),
        (["a.xml", *(f"{at}.jpg" for at in range(10_000))], "more than 10000 members"),
    ],
    ids=lambda one: ascii(one[:2]),
)  # fmt: skip
def test_a_zip_of_another_layout_is_refused(names: list[str], says: str, tmp_path: Path, into: Path) -> None:
    with pytest.raises(FetchError, match=says):
        unzip(zipped(tmp_path / "a.zip", *((name, b"<law/>") for name in names)), into, ".xml")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zip", "into"]
    assert not list(into.iterdir())


def test_a_zip_that_unpacks_to_more_than_a_law_is_refused_on_the_way(tmp_path: Path, into: Path) -> None:
    archive = zipped(tmp_path / "a.zip", ("a.xml", bytes(3 * 2**20)), ("b.xml", bytes(3 * 2**20)))
    with pytest.raises(FetchError, match="unpacks to more than 5000000 bytes"):
        unzip(archive, into, ".xml", max_bytes=5_000_000)
    assert (into / "b.xml").stat().st_size < 3 * 2**20


@pytest.mark.parametrize("tenth", range(10))
def test_a_zip_cut_anywhere_is_refused(tenth: int, tmp_path: Path, into: Path) -> None:
    archive = zipped(tmp_path / "a.zip", ("a.xml", bytes(range(256)) * 40), ("b.xml", b"<b/>"))
    whole = archive.read_bytes()
    archive.write_bytes(whole[: len(whole) * tenth // 10])
    with pytest.raises(FetchError, match="damaged, cut off"):
        unzip(archive, into, ".xml")


def test_a_zip_with_a_wrong_byte_is_refused(tmp_path: Path, into: Path) -> None:
    archive = zipped(tmp_path / "a.zip", ("a.xml", bytes(range(256)) * 40))
    data = bytearray(archive.read_bytes())
    data[60] ^= 1
    archive.write_bytes(data)
    with pytest.raises(FetchError, match="damaged, cut off"):
        unzip(archive, into, ".xml")
