"""What must be there before a document is stored: its jurisdiction's partition, its corpus, and the corpus's root."""

from __future__ import annotations

from datetime import date

from rag.database import Database
from rag.ingest.nodes import Corpus, ParsedDocument
from rag.ingest.store import is_older, store_corpus, store_corpus_root
from rag.ingest.transactions import write_again
from rag.schema import ensure_partition
from retrieval.paths import parse_urn


class Corpora:
    """Sees to the corpora of a run's documents, each once as long as documents describe it in the same words."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._partitions: set[str] = set()
        self._described: dict[str, Corpus] = {}
        self._rooted: dict[str, Corpus] = {}

    def prepare(self, document: ParsedDocument, *, today: date) -> None:
        """Make the store ready for a document.

        Args:
            document: parsed.
            today: the day of the ingest.

        Raises:
            IngestError: the corpus's root cannot be stored.
        """
        corpus = document.corpus
        jurisdiction = parse_urn(corpus.urn).jurisdiction
        if jurisdiction not in self._partitions:
            ensure_partition(self._database, jurisdiction)
            self._partitions.add(jurisdiction)
        in_corpus = document.nodes[0].parent_urn is not None  # it hangs below a root that is no part of it
        if self._described.get(corpus.urn) == corpus and (not in_corpus or self._rooted.get(corpus.urn) == corpus):
            return
        with self._database.write() as conn:
            # An older edition than the store has does not say what its corpus is called today.
            if is_older(conn, document):
                return
            store_corpus(conn, corpus)
        self._described[corpus.urn] = corpus
        if in_corpus:
            write_again(self._database, lambda conn: store_corpus_root(conn, corpus, today=today))
            self._rooted[corpus.urn] = corpus
