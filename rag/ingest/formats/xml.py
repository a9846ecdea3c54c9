"""Reading XML that nobody here wrote: no DTD, no entity, no network, bounded size and depth, nothing repaired."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from lxml import etree

from rag.ingest.formats.encoding import DAMAGED, MAX_BYTES, MOJIBAKE
from retrieval.errors import IngestError

# lxml has no public name for what its parser returns.
Element: TypeAlias = etree._Element  # pyright: ignore[reportPrivateUsage]

DOCTYPE = "has a DOCTYPE; law is accepted without DTD and entities only: take it out, and write what its entities mean"
MAX_DEPTH = 256  # open elements: libxml2's own limit without `huge_tree`; deeper is an attack, not a statute
# Levels of law, lists, or elements of a text inside one another: the one limit of all formats. Published law stays
# below half of it, and each level costs a few frames of the interpreter's stack.
MAX_NESTING = 64
MAX_TEXT = 10_000_000  # libxml2's own limit too

_QUOTED = rb"""(?:"[^"]*"|'[^']*')"""
# Only this much can be before the root of a file whose DOCTYPE is accepted; anything else, a subset too, is not.
_OUTER_DOCTYPE = re.compile(
    rb"(?>\xef\xbb\xbf|\s+|<\?.*?\?>|<!--.*?-->)*+<!DOCTYPE\s+[\w:.-]++"
    rb"(?:\s+SYSTEM\s+" + _QUOTED + rb"|\s+PUBLIC\s+" + _QUOTED + rb"\s+" + _QUOTED + rb")?\s*>",
    re.DOTALL,
)
_DOCTYPE_BYTES = 4096


_OPENING = re.compile(
    # Atomic and possessive: a hostile run of comments must not be tried in every division.
    r"(?>\ufeff|\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\])?\s*>)*+<(?:([\w.-]+):)?+([\w.-]++)([^>]*)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


@dataclass(frozen=True, slots=True)
class Opening:
    """What the beginning of a file shows of its root element; all empty where there is none."""

    name: str = ""
    prefix: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])
    rest: str = ""  # what follows the tag's name and attributes

    @property
    def namespace(self) -> str:
        """The namespace that the element's name is in."""
        return self.attributes.get(f"xmlns:{self.prefix}" if self.prefix else "xmlns", "")


def opening(head: bytes) -> Opening:
    """The root element of a file that begins with these bytes."""
    text = head.decode("utf-8", "replace")
    match = _OPENING.match(text)
    if match is None:
        return Opening()
    attributes = {key: double or single for key, double, single in _ATTRIBUTE.findall(match[3])}
    return Opening(match[2], match[1] or "", attributes, text[match.end() :])


def read_xml(path: Path, *, name: str, doctype: bool = False) -> Element:
    """Parse one XML file.

    Args:
        doctype: accept a DOCTYPE that names a document type elsewhere, which is not loaded, and declares nothing
            itself. References to entities are refused all the same.

    Returns:
        The root element, without comments and processing instructions.

    Raises:
        IngestError: too large, too deep, a DTD or entity, not well-formed, or text damaged by a wrong encoding.
    """
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise IngestError(f"the file has {size} bytes; the limit is {MAX_BYTES}", file=name)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False,
        remove_comments=True, remove_pis=True,
    )  # fmt: skip
    try:
        tree = etree.parse(str(path), parser)
    except etree.XMLSyntaxError as error:
        raise IngestError(_cause(error), file=name, line=error.lineno) from None
    except (OSError, LookupError) as error:
        # libxml2 has no other word for bytes that the declared encoding does not have.
        unread = isinstance(error, OSError) and error.errno is not None
        cause = f"cannot be read ({type(error).__name__})" if unread else "is not in the encoding that it declares"
        raise IngestError(cause, file=name) from None
    root = tree.getroot()
    if (tree.docinfo.doctype or tree.docinfo.internalDTD is not None) and not (doctype and _declares_nothing(path)):
        raise IngestError(DOCTYPE, file=name)
    # An entity that is not resolved would vanish from the text, or from an attribute, without an error.
    unknown = next((fault for fault in parser.error_log if fault.type == etree.ErrorTypes.WAR_UNDECLARED_ENTITY), None)
    if unknown is not None or next(root.iter(etree.Entity), None) is not None:
        line = unknown.line if unknown else None
        raise IngestError("refers to an entity; law is accepted without DTD and entities only", file=name, line=line)
    damaged = next((text for text in root.itertext() if MOJIBAKE.search(text)), None)
    if damaged is not None:
        raise IngestError(f"{DAMAGED}; save it as UTF-8 and declare so", file=name)
    return root


def _declares_nothing(path: Path) -> bool:
    with path.open("rb") as file:
        return _OUTER_DOCTYPE.match(file.read(_DOCTYPE_BYTES)) is not None


_BROKEN: Mapping[int, str] = {
    etree.ErrorTypes.ERR_TAG_NOT_FINISHED: "it is cut off: its last elements are not closed; get the whole file",
    etree.ErrorTypes.ERR_GT_REQUIRED: "a tag is not closed, or the file is cut off",
    etree.ErrorTypes.ERR_TAG_NAME_MISMATCH: "a closing tag is not that of the element last opened",
    etree.ErrorTypes.ERR_DOCUMENT_END: "it goes on after its root element; one file holds one",
    etree.ErrorTypes.ERR_DOCUMENT_EMPTY: "it does not begin with an element",
    etree.ErrorTypes.ERR_UNDECLARED_ENTITY: "it refers to an entity that XML does not have; write the character",
    etree.ErrorTypes.ERR_NAME_REQUIRED: "an & or < stands alone; write &amp; or &lt;",
    etree.ErrorTypes.ERR_INVALID_CHAR: "it has a control character, which XML does not allow",
    etree.ErrorTypes.ERR_INVALID_ENCODING: "it has bytes that its encoding does not have; save it as UTF-8",
    etree.ErrorTypes.NS_ERR_UNDEFINED_NAMESPACE: "a prefix is used and not declared",
}


def _cause(error: etree.XMLSyntaxError) -> str:
    """What is wrong in words; libxml2's own may repeat the text of the file."""
    if error.code != etree.ErrorTypes.ERR_RESOURCE_LIMIT:
        return f"not well-formed XML: {_BROKEN.get(error.code, f'libxml2 error {error.code}')}"
    if "depth" in (error.msg or "").lower():
        return f"is nested deeper than {MAX_DEPTH} levels"
    return f"a text, a name or what entities expand to is longer than {MAX_TEXT:,} bytes"


def local(element: Element) -> str:
    """The element's name without its namespace. Every element is asked several times, so names are kept."""
    return _local(str(element.tag))


@lru_cache(maxsize=4096)
def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def collapse(text: str) -> str:
    """The text with every run of white space (no-break space included) as one space."""
    return re.sub(r"\s+", " ", text).strip()


def plain(element: Element) -> str:
    """All text of an element, white space collapsed."""
    return collapse("".join(element.itertext()))
