"""Reading XML that nobody here wrote: no DTD, no entity, no network, bounded size and depth, nothing repaired."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeAlias

from lxml import etree

from retrieval.errors import IngestError

# lxml has no public name for what its parser returns.
Element: TypeAlias = etree._Element  # pyright: ignore[reportPrivateUsage]

MAX_BYTES = 512 * 1024 * 1024
MAX_DEPTH = 256  # libxml2's own limit without `huge_tree`; deeper is an attack, not a statute

# Characters that appear when UTF-8 was read as a Western code page; legal text has no use for these pairs.
_MOJIBAKE = re.compile("\ufffd|[\u0080-\u009f]|\u00c3[\u0080-\u00bf]|\u00e2\u20ac")


def read_xml(path: Path, *, name: str) -> Element:
    """Parse one XML file.

    Args:
        path: the file.
        name: what to call it in messages.

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
        raise IngestError(f"not well-formed XML (libxml2 error {error.code})", file=name, line=error.lineno) from None
    except (OSError, LookupError) as error:
        raise IngestError(f"cannot be read ({type(error).__name__})", file=name) from None
    root = tree.getroot()
    # An entity that is not resolved would vanish from the text without an error, so no DTD is accepted at all.
    if tree.docinfo.doctype or tree.docinfo.internalDTD is not None:
        raise IngestError("has a DOCTYPE; law is accepted without DTD and entities only", file=name)
    damaged = next((text for text in root.itertext() if _MOJIBAKE.search(text)), None)
    if damaged is not None:
        raise IngestError("its text is damaged by a wrong encoding; save it as UTF-8 and declare so", file=name)
    return root


def local(element: Element) -> str:
    """The element's name without its namespace."""
    return etree.QName(element).localname


def collapse(text: str) -> str:
    """The text with every run of white space (no-break space included) as one space."""
    return re.sub(r"\s+", " ", text).strip()


def plain(element: Element) -> str:
    """All text of an element, white space collapsed."""
    return collapse("".join(element.itertext()))
