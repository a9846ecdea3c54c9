"""From files to annotated documents: skip what is known, parse, annotate. No database, so that it can run anywhere.

Several processes read sources at once and hand their documents over in the order of the sources. Each reads one source
at a time and waits until its documents are taken, so that as many documents are in memory as there are processes,
whatever the sources hold. A process that dies costs the source it was reading.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from rag.ingest.annotation import add_own_statements, annotate
from rag.ingest.conventions import add_convention_tags
from rag.ingest.formats.base import Format, ManyDocuments, Source
from rag.jurisdictions.registry import jurisdiction_for
from rag.languages.placeholders import placeholder
from rag.law.machine_orders import orders_machines
from rag.law.nodes import ParsedDocument, ParsedNode
from rag.plugins import fault_of
from retrieval.errors import IngestError, InputError
from retrieval.paths import parse_urn

# Raised whenever annotation, conventional tags or the text to be searched change for the same source; part of what
# makes a document unchanged.
ANNOTATION_VERSION = 27

# What a document is recognised by: its source's hash; format, parser and annotation with their versions; the name of
# its file, which is all that tells an edition from an earlier one of the same words in some publications.
Key = tuple[str, str, str]


# Files of several documents that were read to their end: a file's key -> the hashes of its documents.
Files = Mapping[Key, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a source, or the rest of it, could not be read."""

    cause: str
    file: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Read:
    """A document of a source; None for one that is known."""

    key: Key
    document: ParsedDocument | None


@dataclass(frozen=True, slots=True)
class WholeFile:
    """A file of several documents was read to its end; these are their hashes."""

    key: Key
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """What need not be read again: documents by their keys, and files that hold nothing but such documents."""

    documents: frozenset[Key]
    files: Files


Result = Read | WholeFile | Unreadable


def read_source(format_: Format, source: Source, known: Known) -> Iterator[Result]:
    """The documents of a source, annotated.

    Args:
        known: what need not be read again.

    Yields:
        Each document in the order of the source; at last the file as a whole where it holds several documents, or why
        reading ended early.
    """
    try:
        for read in _documents(format_, source, known):
            if isinstance(read, Read) and read.document is not None:
                annotate_once(read.document)
            yield read
    except IngestError as error:
        yield Unreadable(error.cause, error.file or source.name, error.line)
    except OSError as error:
        yield Unreadable(f"cannot be read ({type(error).__name__})", source.name, None)
    except Exception as error:
        fault = fault_of(error, source.name, format_.name)
        if fault.own:  # of another package, whose author wants to see it
            error.add_note(fault)
            raise
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
        yield Unreadable(f"met a fault of Lexscope ({where}); report it", source.name, None)


def annotate_once(document: ParsedDocument) -> None:
    """Annotate a document that nobody annotated yet, and give any its conventional tags."""
    _tag_placeholders(document)
    add_own_statements(document)
    add_convention_tags(document)
    document.warnings.extend(
        f"{node.urn} speaks to a language model; it is stored as text. Check where the file comes from."
        for node in document.nodes
        if orders_machines(f"{node.heading}\n{node.text}")
    )
    if not document.annotated:
        annotate(document, jurisdiction_for(parse_urn(document.corpus.urn).jurisdiction))
        document.annotated = True


def _tag_placeholders(document: ParsedDocument) -> None:
    """Write the tag `status` into nodes of which nothing but placeholders is left, where the source gives none."""
    language = document.corpus.language
    children: dict[str, list[ParsedNode]] = {}
    for node in document.nodes:
        children.setdefault(node.parent_urn or "", []).append(node)
    found: dict[str, str] = {}
    for node in reversed(document.nodes):  # parts before what holds them
        # A part before what holds it is a fault of the source, which the store refuses by name.
        parts = [found.get(part.urn, "") for part in children.get(node.urn, ())]
        own = placeholder(node.text or ("" if parts else node.heading), language)
        left = own or ("" if node.text else next(iter(parts), ""))
        found[node.urn] = node.tags.get("status", "") or (left if all(parts) else "")
        if found[node.urn] and node.structure_type != "ROOT":
            node.tags.setdefault("status", found[node.urn])


def _documents(format_: Format, source: Source, known: Known) -> Iterator[Read | WholeFile]:
    version = format_.version * 1000 + ANNOTATION_VERSION
    parser, name = f"{format_.name}/{version}", source.path.name
    key = (source.sha256(), parser, name)
    if isinstance(format_, ManyDocuments):
        yield from _several(format_, source, known, key, version)
        return
    if key in known.documents:
        yield Read(key, None)
        return
    document = format_.parse(source)
    document.source_hash, document.parser_version = key[0], version
    yield Read(key, document)


def _several(
    format_: ManyDocuments, source: Source, known: Known, file: Key, version: int
) -> Iterator[Read | WholeFile]:
    _, parser, name = file
    told = [(digest, parser, name) for digest in known.files.get(file, ())]
    if told and known.documents.issuperset(told):
        for key in told:
            yield Read(key, None)
        return
    hashes: list[str] = []
    for document in format_.documents(source):
        document.parser_version = version
        hashes.append(document.source_hash)
        key = (document.source_hash, parser, name)
        yield Read(key, None if key in known.documents else document)
    yield WholeFile(file, tuple(hashes))


# In several processes.

Task = tuple[Format, Source]
# Sources in order, each with what was read from it. Take all of one before asking for the next.
Reading = Iterator[tuple[Source, Iterator[Result]]]

_STOP_SECONDS = 5.0


def processes(jobs: int) -> int:
    """How many processes a number of jobs means; 0 is one for each core this process may use.

    Raises:
        InputError: a negative number.
    """
    if jobs < 0:
        raise InputError(f"The number of jobs is {jobs}; it must be 0 (all cores) or more.")
    if jobs:
        return jobs
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def reading(tasks: Iterable[Task], known: Known, jobs: int) -> Generator[Reading]:
    """Sources in order with their documents, read here (one job) or in processes that end with the context.

    Args:
        known: what need not be read again.
        jobs: from 1 on.
    """
    waiting = deque(tasks)
    if jobs == 1 or len(waiting) < 2:
        yield ((source, read_source(format_, source, known)) for format_, source in waiting)
        return
    workers = [_Worker(known) for _ in range(min(jobs, len(waiting)))]
    try:
        yield _in_order(waiting, workers)
    finally:
        for worker in workers:
            worker.stop()


def _in_order(waiting: deque[Task], workers: list[_Worker]) -> Reading:
    busy: deque[tuple[_Worker, Source]] = deque()
    for worker in workers:
        busy.append((worker, worker.give(waiting.popleft())))
    while busy:
        worker, source = busy.popleft()
        yield source, worker.results(source)
        if waiting:
            busy.append((worker, worker.give(waiting.popleft())))


class _Worker:
    """A process that reads one source after the other; another takes its place when it dies."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._process, self._pipe = self._start()

    def _start(self) -> tuple[BaseProcess, Connection]:
        # A fresh interpreter: a copy of this one would share its connections and locks.
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_read_for, args=(theirs, self._known), daemon=True)
        process.start()
        theirs.close()
        return process, ours

    def give(self, task: Task) -> Source:
        if not self._process.is_alive():
            self.stop()
            self._process, self._pipe = self._start()
        self._pipe.send(task)
        return task[1]

    def results(self, source: Source) -> Iterator[Result]:
        """What it reads from the source it was given."""
        while True:
            try:
                read: Result | None = self._pipe.recv()
            except (EOFError, ConnectionError):
                self._process.join()
                yield Unreadable(f"the process that read it {_end(self._process.exitcode)}", source.name, None)
                return
            if read is None:
                return
            yield read

    def stop(self) -> None:
        """End the process, whatever it is doing: it holds nothing that could be lost."""
        self._pipe.close()
        self._process.terminate()
        self._process.join(_STOP_SECONDS)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def _end(code: int | None) -> str:
    if code is not None and code < 0:
        names = {known.value: known.name for known in signal.Signals}
        return f"was killed by {names.get(-code, f'signal {-code}')}; is there memory enough?"
    return f"ended with status {code}"


def _read_for(pipe: Connection, known: Known) -> None:
    """The worker's life. An interrupt at the keyboard is for the parent, which then ends this."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        while True:
            format_, source = pipe.recv()
            for read in read_source(format_, source, known):
                if isinstance(read, Read) and read.document is not None:
                    for node in read.document.nodes:
                        node.marks = []  # evidence for annotation, which is done
                pipe.send(read)
            pipe.send(None)
    except (EOFError, ConnectionError):
        return  # the parent is gone
