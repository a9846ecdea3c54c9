"""Bad input through the public ingest: each document is right or refused by name, and the others go on."""

from __future__ import annotations

import base64
import json
import re
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bad_input_cases import CASES, RIGHT, Case
from cli_calls import PROJECT, address, caller
from conftest import Stores
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_laws import LAWS, LINES, MARKDOWN, WORD, XML, write

from evals.suites.ingest.readers import READERS
from evals.suites.ingest.suite import measure, read
from rag import Engine
from rag.ingest.formats.registry import discover
from rag.ingest.pipeline import IngestReport
from rag.settings import Settings
from retrieval.errors import IngestError

OFFSETS = 50
HUGE = 100 * 1024 * 1024
# A damaged place can make a number of a word for one of the two readers; no sentence of the laws is shorter.
MARKS = 15
ONCE = settings(
    max_examples=1, database=None, derandomize=False,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.large_base_example],
)  # fmt: skip


@pytest.fixture(scope="module")
def store(stores: Stores, empty_template: str) -> Settings:
    """A store that the bad input of this module goes into."""
    return stores.clone(empty_template)


@pytest.fixture(scope="module")
def engine(store: Settings) -> Iterator[Engine]:
    """An engine on it."""
    with Engine.open(store) as opened:
        yield opened


@pytest.fixture(scope="module")
def scratch(stores: Stores, empty_template: str) -> Iterator[Engine]:
    """An engine on a store of which nothing is asked afterwards."""
    with Engine.open(stores.clone(empty_template)) as opened:
        yield opened


def stored(engine: Engine, words: str) -> int:
    """How many stored texts hold these words."""
    statement = "select count(*) from legal_nodes where position(%s in concat(heading, intro_text, content_text)) > 0"
    with engine.database.read() as conn:
        row = conn.execute(statement, [words]).fetchone()
    assert row is not None
    return int(row[0])


def refusals(report: IngestReport) -> dict[str, str]:
    """File -> cause."""
    return {rejected.file: rejected.cause for rejected in report.rejected}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_bad_document_is_refused_by_name_and_nothing_of_it_is_stored(
    case: Case, engine: Engine, tmp_path: Path
) -> None:
    file = case.write(tmp_path)
    before = stored(engine, WORD)
    report = engine.ingest([tmp_path])
    assert set(refusals(report)) == {file}
    assert re.search(case.cause, refusals(report)[file]), refusals(report)[file]
    assert report.documents == 0
    assert stored(engine, WORD) == before


def test_what_is_only_unusual_is_read_right(stores: Stores, empty_template: str, tmp_path: Path) -> None:
    with Engine.open(stores.clone(empty_template)) as fresh:
        for at, case in enumerate(RIGHT):
            folder = tmp_path / f"{at:02}"
            case.write(folder)
            report = fresh.ingest([folder])
            assert (report.rejected, report.skipped.get("of no known format", 0)) == ([], 0), case.name
            assert report.documents + report.unchanged, case.name
        assert stored(fresh, WORD) == len(LAWS)


def test_the_documents_beside_a_bad_one_go_on_and_the_status_says_that_one_was_refused(
    stores: Stores, empty_template: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fresh = stores.clone(empty_template)
    for law in LAWS:
        write(law, tmp_path / law)
    (tmp_path / "uslm" / "law.xml").write_text(LAWS["uslm"]["law.xml"][:-9], encoding="utf-8")
    ran = caller(capsys, "--database-url", address(fresh))("ingest", str(tmp_path), "--json")
    assert ran.status == 1
    report = json.loads(ran.out)
    assert [line["file"] for line in report["rejected"]] == ["uslm/law.xml"]
    assert report["documents"] == len(LAWS) - 1 + 2  # the opinions are three documents
    with Engine.open(fresh) as engine:
        assert stored(engine, WORD) == len(LAWS) - 1


# --- the collections of attacks ---------------------------------------------------------------------------------------


@pytest.mark.data
def test_no_attack_on_xml_is_stored_or_reaches_a_file_or_the_network(
    engine: Engine, shared_data: Path, tmp_path: Path
) -> None:
    canary = tmp_path / "canary.txt"
    canary.write_text("Quillfeather", encoding="utf-8")
    law = LAWS["uslm"]["law.xml"]
    folder = tmp_path / "attacks"
    folder.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host = f"http://127.0.0.1:{listener.getsockname()[1]}"
        for path in sorted((shared_data / "attacks" / "xml").iterdir()):
            text = path.read_text(encoding="utf-8", errors="surrogateescape")
            for at, one in enumerate(text.splitlines() if path.name.startswith("patt__") else [text]):
                aimed = re.sub(r"https?://[\w.:-]+", host, re.sub(r"file:/+[\w/.:-]*", canary.as_uri(), one))
                (folder / f"{path.stem}-{at}.xml").write_bytes(aimed.encode(errors="surrogateescape"))
                doctype = re.search(r"<!DOCTYPE.*?\]\s*>", aimed, re.DOTALL)
                if doctype:
                    names = re.findall(r"<!ENTITY\s+(\w+)", aimed) or ["x"]
                    inside = law.replace(WORD, f"{WORD}&{names[-1]};")
                    (folder / f"{path.stem}-{at}-law.xml").write_bytes(
                        (doctype[0] + inside).encode(errors="surrogateescape")
                    )
        report = engine.ingest([folder])
        listener.settimeout(0)
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert report.documents == 0
    named = refusals(report)
    laws = [path.name for path in folder.iterdir() if path.name.endswith("-law.xml")]
    assert set(laws) <= set(named)
    assert len(laws) > 30
    assert stored(engine, WORD) == stored(engine, "Quillfeather") == 0
    assert not any("Quillfeather" in cause for cause in named.values())


@pytest.mark.data
@pytest.mark.parametrize("law", sorted(set(LAWS) - XML - MARKDOWN))
def test_every_attack_on_json_inside_a_law_is_refused_or_a_value_like_others(
    law: str, engine: Engine, shared_data: Path, tmp_path: Path
) -> None:
    attacks = json.loads((shared_data / "attacks" / "json" / "jsontestsuite_parsing.json").read_text(encoding="utf-8"))
    main = next(iter(LAWS[law]))
    text = LAWS[law][main]
    head, _, tail = text.encode().partition(
        next(entry for entry in re.findall(r'"(?:[^"\\]|\\.)*"', text) if WORD in entry).encode()
    )
    sides: dict[bool, list[bytes]] = {True: [], False: []}
    # The complete documents before a torn one are read again with each file: fewer will do there.
    for attack in attacks[:: 6 if law in LINES else 1]:
        sides[attack["expect"] == "reject"].append(head + base64.b64decode(attack["b64"]) + tail)
    spoiled(law, tmp_path / "may", sides[False])
    # A value that is JSON is a text, or of a type that is refused by name: no other outcome, and no other failure.
    misses = measure([(tmp_path / "may", law)]).misses
    assert [miss for miss in misses if "refused: " not in miss] == []
    assert len(misses) > len(sides[False]) // 3
    # What is no JSON is never stored.
    spoiled(law, tmp_path / "must", sides[True])
    before = stored(engine, "")
    report = engine.ingest([tmp_path / "must"])
    assert {rejected.file for rejected in report.rejected} == {f"{at:03}/{main}" for at in range(len(sides[True]))}
    if law not in LINES:
        assert stored(engine, "") == before


# --- size -------------------------------------------------------------------------------------------------------------


def test_files_of_100_mb_are_refused_in_bounded_memory(stores: Stores, empty_template: str, tmp_path: Path) -> None:
    """Files with a beginning of law and holes after it: 100 MB to read, nothing to store."""
    laws = ("akn", "de_md", "legi_json")
    for law in laws:
        path = write(law, tmp_path / law)
        with path.open("r+b") as file:
            file.truncate(HUGE)
    target = stores.clone(empty_template)
    command = [sys.executable, "-m", "rag.cli", "--database-url", address(target), "--json", "ingest", str(tmp_path)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (done.returncode, bool(done.stdout)) == (1, True), done.stderr
    assert {line["file"].partition("/")[0] for line in json.loads(done.stdout)["rejected"]} == set(laws)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # in KB, in bytes on macOS
    assert peak < (1 << 30 if sys.platform == "darwin" else 1 << 20)


# --- damage -----------------------------------------------------------------------------------------------------------


def spoiled(law: str, folder: Path, changed: list[bytes]) -> None:
    """One folder per changed text of a law."""
    main = next(iter(LAWS[law]))
    for at, text in enumerate(changed):
        write(law, folder / f"{at:03}")
        (folder / f"{at:03}" / main).write_bytes(text)


def lengths(folder: Path) -> Iterator[tuple[str, int, int]]:
    """Of every document that can be read: its file, the characters of its source and those that were kept."""
    for form, source in discover(folder).sources:
        try:
            documents = read(form, source)
        except IngestError:
            continue
        try:
            for found in READERS[form.name](source, documents):
                yield source.name, len(found.source), len(found.kept)
        except (KeyError, ValueError):
            continue  # a key or a number is damaged that only the reader of the source asks for


@pytest.mark.parametrize("law", LAWS)
@ONCE
@given(data=st.data())
def test_a_file_cut_anywhere_is_refused_or_holds_only_complete_documents(
    law: str, engine: Engine, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    whole = next(iter(LAWS[law].values())).encode()
    end = len(whole.rstrip()) - 1
    offsets = data.draw(st.lists(st.integers(0, end), min_size=OFFSETS, max_size=OFFSETS))
    folder = tmp_path_factory.mktemp("cut")
    spoiled(law, folder, [whole[:offset] for offset in offsets])
    report = engine.ingest([folder])
    main = next(iter(LAWS[law]))
    no_law = ("format", "plain", "empty")
    unknown = sum(count for reason, count in report.skipped.items() if any(name in reason for name in no_law))
    if law in MARKDOWN:  # nothing marks the end of such a file: what is there is read, each word once
        assert [miss for miss in measure([(folder, law)]).misses if "refused" not in miss] == []
        return
    assert len(report.rejected) + unknown >= len(offsets)
    assert {rejected.file for rejected in report.rejected} <= {f"{at:03}/{main}" for at in range(len(offsets))}
    assert stored(engine, WORD) == 0
    if law not in LINES:
        assert report.documents == 0


@pytest.mark.parametrize("law", LAWS)
@ONCE
@given(data=st.data())
def test_flipped_bits_are_refused_or_change_no_more_than_themselves(
    law: str, scratch: Engine, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    whole = next(iter(LAWS[law].values())).encode()
    place = st.tuples(st.integers(0, len(whole) - 1), st.integers(0, 7))
    changed: list[bytes] = []
    for at, bit in data.draw(st.lists(place, min_size=OFFSETS, max_size=OFFSETS)):
        text = bytearray(whole)
        text[at] ^= 1 << bit
        changed.append(bytes(text))
    folder = tmp_path_factory.mktemp("flip")
    spoiled(law, folder, changed)
    few = sorted(folder.iterdir())[:6]
    report = scratch.ingest(few)
    assert len(report.rejected) + report.documents + report.unchanged + sum(report.skipped.values()) >= len(few)
    for place, source, kept in lengths(folder):
        assert kept >= source - MARKS, place
