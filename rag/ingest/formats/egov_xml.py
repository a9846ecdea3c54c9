"""Japanese law in the standard law XML of e-Gov: one file is one law in one edition.

A file is the bare `Law` element, as bulk downloads have it, or an answer of the e-Gov interface that wraps one.
"""

from __future__ import annotations

import re
from pathlib import Path

from lxml import etree

from rag.ingest.formats.base import Source
from rag.ingest.formats.egov_ids import find_law, identify
from rag.ingest.formats.egov_tree import LawTree
from rag.ingest.formats.xml import Element, local, read_xml
from rag.ingest.nodes import ParsedDocument
from retrieval.errors import IngestError

_WRAPPERS = (b"DataRoot", b"law_data_response", b"lawdata_response")
# The schema's own nesting ends below half of this.
MAX_DEPTH = 80

_ROOT = re.compile(rb"\A(?:\xef\xbb\xbf)?(?>\s+|<\?.*?\?>|<!--.*?-->)*+<([A-Za-z_][\w.-]*+)([^>]*)>", re.DOTALL)
_LAW_ATTRIBUTE = re.compile(rb"\s(?:LawType|Era)\s*=")
_LIST = re.compile(rb"<(?:LawNameListInfo|Category|laws|total_count)\b")


class EgovXml:
    """Format `egov_xml`."""

    name = "egov_xml"
    version = 3

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the root element is a `Law` with an era or a law type, or an e-Gov answer that may wrap one."""
        root = _ROOT.match(head)
        if root is None:
            return False
        if root[1] == b"Law":
            return _LAW_ATTRIBUTE.search(root[2]) is not None
        return root[1] in _WRAPPERS and not self.skips(path, head)

    def skips(self, path: Path, head: bytes) -> str:
        """Why an answer of the e-Gov interface is no law: it is a list of laws. Empty for every other file."""
        root = _ROOT.match(head)
        listed = root is not None and root[1] in (b"DataRoot", b"laws_response") and _LIST.search(head, root.end())
        return "a list of laws from the e-Gov interface, not a law" if listed else ""

    def parts(self, path: Path, root: Path) -> tuple[Path, ...]:
        """Always empty: a law is one file."""
        return ()

    def parse(self, source: Source) -> ParsedDocument:
        """Read a law.

        Returns:
            Its nodes; the root is the law itself. `edition_date` is the day its text came into force, and
            nodes end with the day the law was repealed, where the file says so. Warnings name
            the file and line, and sum up what was left out on purpose.

        Raises:
            IngestError: not readable as XML, no law or several, no law id, nested too deeply, or an article or a
                container without a number.
        """
        root = read_xml(source.path, name=source.name)
        law = find_law(root, source.name)
        _check_depth(law, source.name)
        identity = identify(root, law, source.name)
        tree = LawTree(identity, source.name)
        body = next(one for one in law if local(one) == "LawBody")
        if any(text and text.strip() for text in (law.text, *(one.tail for one in law), body.text)):
            raise IngestError("has words outside the law's title and provisions", file=source.name, line=law.sourceline)
        tree.read(body)
        for node in tree.nodes:
            node.valid_to = identity.repealed_on
        warnings = [*identity.warnings, *tree.warnings]
        if tree.words.left_out:
            counts = ", ".join(f"{count} {what}" for what, count in sorted(tree.words.left_out.items()))
            warnings.append(f"{source.name}: left out on purpose: {counts}")
        return ParsedDocument(
            identity.corpus, tree.nodes, source.name, self.name, source.sha256(), self.version,
            edition_date=identity.edition, warnings=warnings,
        )  # fmt: skip


def _check_depth(law: Element, name: str) -> None:
    depth = 0
    for event, element in etree.iterwalk(law, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > MAX_DEPTH:
            raise IngestError(f"nested deeper than {MAX_DEPTH} elements", file=name, line=element.sourceline)
