"""The D.C. Code in the Council's library XML: one title is an `index.xml` that includes a file per section."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

from lxml import etree

from rag.ingest.formats.base import HEAD_BYTES, FileFormat, Source
from rag.ingest.formats.dc_xml.text import CODE, CORPUS_URN, NAMESPACE
from rag.ingest.formats.dc_xml.tree import XI_INCLUDE, TitleTree
from rag.ingest.formats.xml import MAX_NESTING, Element, local, opening, read_xml
from rag.law.nodes import Corpus, ParsedDocument
from retrieval.errors import IngestError

CORPUS = Corpus(
    urn=CORPUS_URN,
    title="Code of the District of Columbia",
    language="en",
    publisher="Council of the District of Columbia",
    url="https://code.dccouncil.gov/us/dc/council/code",
)

_FIRST_PREFIX = re.compile(r"<(?:[\w.-]+:)?(prefix|num|heading|container)\b[^>]*>\s*([^<]*)")


class DcXml(FileFormat):
    """The D.C. Code. A document is a title; its parts are the files that its `index.xml` includes."""

    name = "dc_xml"
    version = 3

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the file is a title of the D.C. Code, by its root element and the first words inside it.

        A part that no title can include, for there is none beside or above it, is claimed to be refused by name.
        """
        root, attributes, prefix = _opening(head)
        ours = attributes.get("containing-doc", CODE) == CODE
        return ours and ((root == "container" and prefix == "title") or _orphaned(root, path))

    def skips(self, path: Path, head: bytes) -> str:
        """Why a file of the Council's library is no title; empty for other files and for titles."""
        root, attributes, _ = _opening(head)
        if not root or self.claims(path, head):
            return ""
        owner = attributes.get("containing-doc", CODE)
        if root == "document" and attributes.get("id") == CODE:
            return "index of the code; its titles are documents of their own"
        if root in ("section", "container") and owner == CODE:
            return "part of a title's index.xml"
        if root in ("section", "container"):
            return f"part of {owner}, which is not the {CODE}"
        if root == "document":
            return f"an act or another document of the library, not a title of the {CODE}"
        return f"a {root} of the Council's library, not a title of the {CODE}"

    def parts(self, path: Path, root: Path) -> tuple[Path, ...]:
        """The files that the title includes, directly or through others, in document order.

        Raises:
            IngestError: one is missing, lies outside `root`, is named by something else than a relative path, or
                is included twice, which includes itself through others.
        """
        includes = _Includes(path, root)
        if _orphaned(_opening(_head(path))[0], path):
            raise IngestError(
                "is a part of a title whose index.xml is missing beside its folder", file=includes.name(path)
            )
        return tuple(includes.walk(includes.read(path), path))

    def read(self, source: Source) -> ParsedDocument:
        """Read a title.

        Raises:
            IngestError: not a title, an include that `parts` refuses, a file that is no such XML, a section without
                a number or with the number of another, or too deep a nesting.
        """
        if not source.parts:
            source = replace(source, parts=self.parts(source.path, source.root))
        includes = _Includes(source.path, source.root)
        root = includes.read(source.path)
        if local(root) != "container" or not self.claims(source.path, _head(source.path)):
            raise IngestError(self.skips(source.path, _head(source.path)) or "not a title", file=source.name)
        tree = TitleTree(includes.load, includes.name)
        tree.read(root, source.path)
        return ParsedDocument(
            CORPUS, tree.nodes, source.name, self.name, source.sha256(), self.version, links=tree.links,
            warnings=tree.warnings,
        )  # fmt: skip


class _Includes:
    """The files of one title. Nothing outside `root` is read, and no file twice."""

    def __init__(self, path: Path, root: Path) -> None:
        self._root = root
        self._read = {path.resolve()}

    def name(self, file: Path) -> str:
        return file.relative_to(self._root).as_posix()

    def read(self, file: Path) -> Element:
        element = read_xml(file, name=self.name(file))
        if etree.QName(element).namespace != NAMESPACE:
            raise IngestError("its root element is not of the Council's library", file=self.name(file))
        return element

    def load(self, include: Element, file: Path) -> tuple[Path, Element]:
        """The file that an include element of `file` names, and its root element."""
        target = self.target(include, file)
        element = self.read(target)
        if local(element) not in ("container", "section"):
            raise self._error(f"{self.name(target)} is a {local(element)}, not a container or section", include, file)
        return target, element

    def walk(self, element: Element, file: Path, depth: int = 0) -> Iterator[Path]:
        """All files below an element of `file`, in document order."""
        for include in element.iter(XI_INCLUDE):
            target = self.target(include, file)
            yield target
            if _opening(_head(target))[0] != "section":
                if depth == MAX_NESTING:
                    raise self._error(f"includes are nested deeper than {MAX_NESTING} files", include, file)
                yield from self.walk(self.read(target), target, depth + 1)

    def target(self, include: Element, file: Path) -> Path:
        href = unquote(include.get("href", ""))
        if set(include.attrib) != {"href"} or len(include):
            raise self._error("an include must have an href and nothing else", include, file)
        outside = self._error(f"the include {href!r} names no file inside the folder of the source", include, file)
        if not href or href.startswith("/") or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", href) or not href.isprintable():
            raise outside
        places = list(file.relative_to(self._root).parent.parts)
        for place in href.replace("\\", "/").split("/"):
            if place == ".." and not places:
                raise outside
            if place == "..":
                places.pop()
            elif place not in ("", "."):
                places.append(place)
        target = self._root.joinpath(*places)
        real = target.resolve()  # a symbolic link may lead elsewhere
        if not real.is_relative_to(self._root.resolve()):
            raise outside
        if not real.is_file():
            raise self._error(f"the included file {self.name(target)} is missing", include, file)
        if real in self._read:
            raise self._error(f"{self.name(target)} is included twice or includes itself", include, file)
        self._read.add(real)
        return target

    def _error(self, cause: str, include: Element, file: Path) -> IngestError:
        return IngestError(cause, file=self.name(file), line=include.sourceline)


def _orphaned(root: str, path: Path) -> bool:
    """Whether a section's file stands where no title's index is near."""
    return (
        root == "section"
        and path.name != "index.xml"
        and not any((folder / "index.xml").is_file() for folder in path.parents[:2])
    )


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)


def _opening(head: bytes) -> tuple[str, Mapping[str, str], str]:
    """Root element, its attributes and the first prefix inside it, lower case; empty for another namespace."""
    root = opening(head)
    if NAMESPACE not in root.attributes.values():
        return "", {}, ""
    first = _FIRST_PREFIX.search(root.rest)
    prefix = first[2].strip().lower() if first and first[1] == "prefix" else ""
    return root.name, root.attributes, prefix
