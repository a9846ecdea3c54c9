"""Finding what a node defines: quoted, marked, unquoted and inline terms, index entries and references.

Mark-up and quotation marks are evidence, not proof: a term counts where a defining verb, a defining bracket, a
dash or a list of definitions goes with it. What the text only adds to a term already defined is not a new one.
"""

from __future__ import annotations

import re

from rag.ingest.citations import Passage
from rag.ingest.definition_hits import MAX_GAP, HitFinder
from rag.ingest.nodes import Definition
from rag.ingest.scope_defaults import Way
from rag.ingest.scope_windows import Window, sentence_at, sentence_spans
from rag.ingest.scopes import ScopeFinder
from rag.ingest.term_uses import TermRules
from rag.ingest.unmarked_terms import Hit
from rag.jurisdictions.base import DocumentIndex
from rag.jurisdictions.phrases import DefinitionPhrases

_ACRONYM = re.compile(r"\s*\(\s*[“\"]?([A-Z][a-z]{0,3}[A-Z&][A-Za-z&-]{0,8})[”\"]?\s*\)\s*\Z")
_TRANSLATION = re.compile(r"\s*[(（][^()（）A-Za-z]*[^\W\d_A-Za-z][^()（）A-Za-z]*[)）]\Z")  # "act (作為)"
_INDEX_ENTRY = re.compile(r"(?:\A|\n|(?<=\. ))[“\"]([^“”\"\n]{1,120})[”\"][.,:]*\s*(?=(?:§|[Ss]ections?)\s)")
_BRACKET = re.compile(r"\s*\((?:[^()]|\((?:[^()]|\([^()]{1,12}\)){1,160}\)){1,400}\)")
_OPENING = 60  # characters at the start of a sentence in which a scope phrase stands
_MAX_WORDS = 14  # longer quoted runs are sentences, not terms


class EnglishDefinitions:
    """Finds the definitions of one document in English, node by node in document order."""

    def __init__(self, index: DocumentIndex, phrases: DefinitionPhrases, scopes: ScopeFinder, terms: TermRules) -> None:
        self._index = index
        self._phrases = phrases
        self._hits = HitFinder(index, phrases)
        self._scopes = scopes
        self._terms = terms
        self._defined: dict[str, set[str]] = {}  # node URN -> normalised terms it defines

    def definitions(self, passage: Passage) -> list[Definition]:
        """The definitions that this node makes."""
        out: list[Definition] = []
        entries = self._index_entries(passage)
        hits = [] if entries else self._hits.hits(passage)
        for position, hit in enumerate(hits):
            out.extend(self._from_hit(passage, hit, hits[position - 1].verb_end if position else 0))
        for term, start, reference in entries:
            scope = self._scopes.scope(passage, (Window(0, start, sentence=True),))
            found = self._pointed_at(term, reference) or [(passage.node.urn, "reference", reference)]
            out.extend(
                Definition(term, node_urn, urn, relation, scope.inferred, scope.phrase, target)
                for node_urn, relation, target in found
                for urn in scope.urns
            )
        return out

    def _pointed_at(self, term: str, reference: str) -> list[tuple[str, str, str]]:
        """The definitions of a term in the provision that an index names: node, relation, and its own reference.

        The index says that they hold for its own unit too; a term then has one entry there, and not two.
        """
        target = self._index.node(reference) if reference else None
        plain = self._terms.normalise(term)
        found: list[tuple[str, str, str]] = []
        for node in self._index.tree.subtree(target) if target is not None else ():
            passage = self._scopes.passage(node.urn)
            for hit in self._hits.hits(passage):
                terms = (self._terms.normalise(one) for written in hit.terms for one in _variants(written))
                if plain in terms:
                    found.append((node.urn, *self._relation(passage, hit)))
        return found

    # From a hit to definitions

    def _from_hit(self, passage: Passage, hit: Hit, after: int) -> list[Definition]:
        """The definitions that a hit makes; `after` is where the meaning of the one before it begins."""
        relation, reference = self._relation(passage, hit)
        known = [self._defined.setdefault(one.urn, set()) for one in self._index.chain(passage.node)]
        terms: list[str] = []
        for term in (variant for written in hit.terms for variant in _variants(written)):
            plain = self._terms.normalise(term)
            if not _is_term(term, plain) or plain in known[0] or self._phrases.term_refused.match(plain):
                continue
            # A limb that adds to or takes from a term defined here or above belongs to that definition.
            if (relation in ("includes", "excludes") or hit.inline) and any(plain in one for one in known):
                continue
            terms.append(term)
            known[0].add(plain)
        if not terms:
            return []
        sentence, _ = sentence_at(passage.text, hit.start)
        whole = hit.inline or hit.condition
        between = Window(hit.start, hit.verb_end if whole else hit.verb_start, sentence=False)
        # A phrase that opens an earlier sentence of the paragraph goes on governing the following ones.
        before = [span for span in sentence_spans(passage.text) if span[0] < sentence]
        earlier = [Window(start, min(end, start + _OPENING), sentence=True, earlier=True) for start, end in before]
        # "In subsection (3) “gift” means ..., and in this section “donor” means ...": each has its own.
        nearest = (Window(after, hit.start, sentence=False, adjacent=True),) if sentence < after < hit.start else ()
        own = (*nearest, Window(sentence, hit.start, sentence=True), between, *reversed(earlier))
        windows = (between,) if hit.inline else own
        way: Way = "passing" if hit.inline else "condition" if hit.condition else "plain"
        bracket = _BRACKET.match(passage.text, hit.verb_end)
        aside = Window(bracket.start(), bracket.end(), sentence=False) if bracket is not None else None
        scope = self._scopes.scope(passage, windows, way, term=terms[0], aside=aside)
        return [
            Definition(term, passage.node.urn, urn, relation, scope.inferred, scope.phrase, reference)
            for term in terms
            for urn in scope.urns
        ]

    def _relation(self, passage: Passage, hit: Hit) -> tuple[str, str]:
        if hit.relation not in ("reference", "means"):
            return hit.relation, ""
        _, end = sentence_at(passage.text, hit.verb_start)
        cited = next((c for c in passage.citations if hit.verb_end <= c.start < end), None)
        words = passage.text[hit.verb_end : cited.whole_start] if cited else ""
        if hit.relation == "reference":
            # "has the following meaning:" and a meaning given by another law's bare name have no provision to fetch.
            followed = cited is not None and len(words) <= MAX_GAP
            if cited is None and passage.text[hit.verb_end :].lstrip()[:1] in (".", ";", ""):
                return "means", ""  # `"lease" and "tenancy" have the same meaning`
            return (
                ("reference", cited.urn if cited and followed else "")
                if followed or not _colon(passage, hit)
                else ("means", "")
            )
        points_only = cited is not None and len(words) <= 80 and self._phrases.by_reference.search(words) is not None
        if cited is not None and points_only and end - cited.whole_end <= 2:
            return "reference", cited.urn
        return "means", ""

    # Index lists

    def _index_entries(self, passage: Passage) -> list[tuple[str, int, str]]:
        """Entries of a list of terms defined elsewhere: (term, offset, URN of the defining provision)."""
        text = passage.text
        first = _INDEX_ENTRY.search(text)
        if first is None:
            return []
        parent = self._index.tree.parent(passage.node)
        intro = text[: first.start()] or (parent.intro_text if parent else "")
        if not self._phrases.index_intro.search(intro):
            return []
        entries: list[tuple[str, int, str]] = []
        for match in _INDEX_ENTRY.finditer(text):
            cited = next((c for c in passage.citations if c.whole_start >= match.end() - 1), None)
            line_end = text.find("\n", match.end())
            inside = cited is not None and (line_end < 0 or cited.start < line_end)
            entries.append((match[1].strip(" .,"), first.start(), cited.urn if cited is not None and inside else ""))
        return entries


def _colon(passage: Passage, hit: Hit) -> bool:
    return passage.text[hit.verb_end : hit.verb_end + 3].lstrip()[:1] in (
        ":",
        "—",
        "",
    ) or passage.text.rstrip().endswith(":")


def _variants(term: str) -> list[str]:
    """The term without an acronym in brackets, and the acronym."""
    plain = _TRANSLATION.sub("", term.strip().strip(",.;: "))
    acronym = _ACRONYM.search(plain)
    return [plain] if acronym is None else [plain[: acronym.start()].strip(), acronym[1]]


def _is_term(term: str, plain: str) -> bool:
    return bool(plain) and any(char.isalpha() for char in plain) and len(term.split()) <= _MAX_WORDS
