"""What a plain document says, for tests that compare the whole of it."""

from rag.ingest.formats.plain.document import CHUNK_LEVEL
from rag.law.nodes import ParsedDocument


def joined_text(document: ParsedDocument) -> str:
    """Its chunks' words, one after the other."""
    return "".join(node.content_text for node in document.nodes if node.level == CHUNK_LEVEL)
